"""From logs of scores to a posterior of a model of ordered categories."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from bayesrank._text import quoted
from bayesrank.cli._steps import Fitted, Steps
from bayesrank.exceptions import ArgumentError

if TYPE_CHECKING:
    from bayesrank.likelihoods import OrdinalKind

# Names on the command line, and the kind of model each is.
MODELS = {
    "ordinal": "graded",
    "graded": "graded",
    "partial-credit": "partial-credit",
    "rating-scale": "rating-scale",
}
# What a log can be ranked with under these; every other option is about other models.
_OPTIONS = (
    *("--model", "--population", "--weights", "--categories", "--score-range", "--column"),
    *("--missing", "--method", "--draws", "--seed", "--save"),
)


def is_ordinal(model: str | None, *, score_range: str | None) -> bool:
    """Tell models of ordered categories from others, which know no ``--score-range``."""
    if model in MODELS:
        return True
    if score_range is not None:
        msg = f"--score-range is about ordered categories: name --model {', '.join(MODELS)}."
        raise ArgumentError(msg)
    return False


def parse_score_range(text: str | None) -> tuple[int, int] | None:
    """Return the lowest and the highest score from ``1,10``."""
    if text is None:
        return None
    try:
        low, high = (int(part) for part in text.split(","))
    except ValueError:
        msg = f"--score-range {quoted(text)}: write the lowest and the highest score, as in 1,10."
        raise ArgumentError(msg) from None
    return low, high


def fit_ordinal(
    files: Sequence[Path],
    *,
    steps: Steps,
    model: str | None,
    score_range: tuple[int, int] | None,
    options: Sequence[str],
    reading: Mapping[str, Any],
    categories: int | None,
    weights: Sequence[float] | None,
    sampling: Mapping[str, Any],
) -> Fitted:
    """Read logs of integer scores and return the posterior of an ordinal model of them."""
    refused = [option for option in options if option not in _OPTIONS]
    if refused:
        msg = (
            f"{', '.join(refused)} cannot be used with --model {model}; "
            f"it takes {', '.join(_OPTIONS)}."
        )
        raise ArgumentError(msg)
    responses = steps.call(
        "responses", "read_responses", list(files), categories=categories, **reading
    )
    built = steps.call(
        "model",
        "models.ordinal",
        responses,
        kind=cast("OrdinalKind", MODELS[str(model)]),
        score_range=score_range,
        weights=weights,
    )
    return steps.sample(built, sampling)
