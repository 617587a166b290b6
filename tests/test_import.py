"""Importing the package and printing help load nothing heavy: held by the import graph."""

import json
import subprocess
import sys

import pytest

import bayesrank

HEAVY = {"pymc", "pytensor", "arviz", "xarray", "pandas", "scipy", "matplotlib", "duckdb", "numba"}


def modules_after(code: str) -> set[str]:
    script = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    return {name.partition(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}


@pytest.mark.parametrize(
    "code",
    [
        "import bayesrank; dir(bayesrank)",
        "import bayesrank; bayesrank.__version__",
        "from bayesrank.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit: pass",
        "from bayesrank.cli import main\ntry:\n main(['rank', '--help'])\nexcept SystemExit: pass",
    ],
)
def test_nothing_heavy_is_loaded(code):
    assert not modules_after(code) & HEAVY


def test_every_public_name_resolves_and_says_what_it_is():
    for name in bayesrank.__all__:
        assert getattr(bayesrank, name).__doc__, name


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nosuch"):
        _ = bayesrank.nosuch
