"""From battle logs to a posterior of strengths."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesrank._text import quoted
from bayesrank.exceptions import ArgumentError

if TYPE_CHECKING:
    import xarray as xr

MODEL = "bradley-terry"
# What a battle log can be ranked with; every other option is about trials on questions.
_OPTIONS = ("--model", "--population", "--column", "--method", "--draws", "--seed", "--save")


def are_battles(files: Sequence[Path], *, model: str | None) -> bool:
    """Tell battle logs from logs of trials, by their columns or by the model asked for."""
    from bayesrank.readers.battles import is_battle_log

    if model is not None:
        return model == MODEL
    found = [is_battle_log(file) for file in files]
    if any(found) and not all(found):
        battles, trials = (files[found.index(kind)] for kind in (True, False))
        msg = (
            f"{quoted(str(battles))} holds battles and {quoted(str(trials))} does not; "
            f"rank them one at a time."
        )
        raise ArgumentError(msg)
    return all(found)


def fit_battles(
    files: Sequence[Path],
    *,
    columns: Mapping[str, str | None] | None,
    options: Sequence[str],
    sampling: Mapping[str, Any],
) -> "xr.DataTree":
    """Read battle logs and return the posterior of a Bradley-Terry model with ties."""
    refused = [option for option in options if option not in _OPTIONS]
    if refused:
        msg = (
            f"{', '.join(refused)} cannot be used with a battle log; "
            f"it is ranked by {MODEL} with {', '.join(_OPTIONS)}."
        )
        raise ArgumentError(msg)
    import bayesrank

    comparisons = bayesrank.read_comparisons(files, columns=columns)
    return bayesrank.sample(bayesrank.models.bradley_terry(comparisons), **sampling)
