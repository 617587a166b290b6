"""Help is quick, says what there is, and loads nothing that it does not need."""

import subprocess
import sys

import pytest

_HEAVY = ["pymc", "pytensor", "arviz", "xarray", "pandas", "scipy", "matplotlib", "duckdb", "numba"]
_PROGRAM = """
import sys
from bayesrank.cli import main
assert main({arguments}) == {status}
loaded = [name for name in {heavy} if name in sys.modules]
assert not loaded, loaded
"""


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--help"], 0),
        (["--version"], 0),
        (["rank", "--help"], 0),
        (["inspect", "--help"], 0),
        (["intervals", "--help"], 0),
        (["robustness", "--help"], 0),
        (["rank", "log.csv", "--nonsense"], 2),
    ],
)
def test_nothing_heavy_is_imported(arguments, status):
    program = _PROGRAM.format(arguments=arguments, status=status, heavy=_HEAVY)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_help_names_commands_and_exit_status(run):
    result = run("--help")
    assert result.status == 0
    for word in (
        "rank",
        "inspect",
        "intervals",
        "robustness",
        "Exit status: 0 fine, 1",
        "standard error",
    ):
        assert word in result.out
    assert result.err == ""
    assert run().out == result.out


def test_rank_help_names_every_option(run):
    out = run("rank", "--help").out
    options = (
        "--model --by --population --prior-from --prior-weight --weights --categories --column "
        "--missing --method --draws --seed --ci-prob --ci-kind --top-k --save --overwrite "
        "--compare-frequentist "
        "--format --output -o --strict"
    )
    for option in options.split():
        assert f"{option} " in out


def test_version(run):
    from importlib.metadata import version

    assert run("--version").out == f"bayesrank {version('bayesrank')}\n"
