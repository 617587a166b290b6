"""Write docs/api/index.md from the public names: `python docs/make_api_index.py`.

tests/test_api_reference.py fails where the page and the names differ.
"""

import importlib
from pathlib import Path

import bayesrank

SECTIONS = {
    "data": ("Data", "What was observed."),
    "readers": ("Readers", "Files in."),
    "schemes": ("Schemes", "From signals of a completion to categories with weights."),
    "priors": ("Priors", "What is believed before the data."),
    "models": ("Models", "PyMC model factories; each has a [card](../models/index.md)."),
    "inference": ("Inference", "From a model to a posterior."),
    "rules": ("Rules", "The classical ranking rules, and a posterior for each."),
    "ranking": ("Ranking", "From scores to ranks."),
    "checks": ("Checks", "Can this posterior be believed?"),
    "likelihoods": ("Likelihoods", "Closed forms and array code, without a sampler."),
    "frequentist": ("Frequentist", "Rank confidence intervals by multiple testing."),
    "robustness": ("Robustness", "How little it takes to rig a board."),
    "studies": ("Studies", "What moves a ranking, and where its uncertainty comes from."),
    "reports": ("Reports", "Tables and pages."),
    "plots": ("Plots", "arviz-plots collections."),
}
INTRO = """# API reference

Public names, by room. What is also offered at the top level (`bayesrank.rank`) is listed there.
"""


def main() -> None:
    """Write the page; what the top level offers is listed once, in the room that makes it."""
    rooms = ["data", "readers", *bayesrank._ROOMS]
    if unknown := set(rooms) ^ set(SECTIONS):
        message = f"say in SECTIONS what these rooms are: {sorted(unknown)}"
        raise SystemExit(message)
    top = {id(getattr(bayesrank, name)): name for name in bayesrank.__all__}
    page = INTRO
    for room, (title, sentence) in SECTIONS.items():
        module = importlib.import_module(f"bayesrank.{room}")
        names = []
        for name in sorted(module.__all__):
            shown = top.get(id(getattr(module, name)))
            names.append(f"bayesrank.{shown}" if shown else f"bayesrank.{room}.{name}")
        listing = "\n".join(f"   {name}" for name in names)
        page += (
            f"\n## {title}\n\n{sentence}\n\n```{{eval-rst}}\n.. autosummary::\n"
            f"   :toctree: generated\n\n{listing}\n```\n"
        )
    Path(__file__).with_name("api").joinpath("index.md").write_text(page, "utf-8")


if __name__ == "__main__":
    main()
