"""From logs of trials to a posterior of an item response model."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from bayesrank.exceptions import ArgumentError

if TYPE_CHECKING:
    import xarray as xr

    from bayesrank.models._item_options import Kind

MODELS = ("rasch", "2pl", "3pl")
# What a log can be ranked with under these; every other option is about other models.
_OPTIONS = (
    *("--model", "--tasks", "--population", "--column", "--missing", "--method", "--draws"),
    *("--seed", "--save", "--compare-frequentist"),
)


def is_item_response(model: str | None, *, tasks: bool) -> bool:
    """Tell item response models from others, which know no ``--tasks``."""
    if model in MODELS:
        return True
    if tasks:
        msg = f"--tasks is about abilities on tasks: name --model {', '.join(MODELS[:2])} or 3pl."
        raise ArgumentError(msg)
    return False


def fit_item_response(
    files: Sequence[Path],
    *,
    model: str | None,
    tasks: bool,
    options: Sequence[str],
    reading: Mapping[str, Any],
    sampling: Mapping[str, Any],
) -> "xr.DataTree":
    """Read logs and return the posterior of an item response model of them."""
    refused = [option for option in options if option not in _OPTIONS]
    if refused:
        msg = (
            f"{', '.join(refused)} cannot be used with --model {model}; "
            f"it takes {', '.join(_OPTIONS)}."
        )
        raise ArgumentError(msg)
    import bayesrank

    responses = bayesrank.read_responses(files, **reading)
    built = bayesrank.models.item_response(
        responses, kind=cast("Kind", model), tasks="independent" if tasks else None
    )
    return bayesrank.sample(built, **sampling)
