"""Sphinx configuration."""

from importlib.metadata import version as installed_version

project = "bayesrank"
author = "The bayesrank developers"
copyright = "2026, The bayesrank developers"
version = release = installed_version("bayesrank")

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
exclude_patterns = ["_build", "jupyter_execute"]

# Notebooks and tutorials run when the docs are built: what they show is what the code does.
nb_execution_mode = "cache"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
# Mermaid diagrams are shown as their text: no script is fetched to draw them.
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
# PR01 takes the fields of a frozen dataclass for parameters, which are documented as attributes;
# tests/test_api_reference.py holds functions to the same rule.
numpydoc_validation_checks = {"GL03", "PR02", "PR03", "PR10", "RT01"}

html_theme = "pydata_sphinx_theme"
html_title = "bayesrank"
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "navbar_align": "left",
}
