"""From logs of trials to a posterior of an item response model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from bayesrank.cli._steps import Fitted, Steps
from bayesrank.exceptions import ArgumentError

if TYPE_CHECKING:
    from bayesrank.models._item_options import Kind, Tasks

MODELS = ("rasch", "2pl", "3pl")
# What a log can be ranked with under these; every other option is about other models.
_OPTIONS = (
    *("--model", "--tasks", "--correlated-tasks", "--guessing", "--score-scale", "--population"),
    *("--column", "--missing", "--method", "--draws", "--seed", "--save", "--compare-frequentist"),
)


@dataclass(frozen=True)
class ItemOptions:
    """Options of ``bayesrank rank`` that only item response models know."""

    tasks: bool = False
    correlated_tasks: bool = False
    guessing: float | None = None

    @property
    def given(self) -> dict[str, object]:
        """Values by option, None where not given."""
        return {
            "--tasks": self.tasks or None,
            "--correlated-tasks": self.correlated_tasks or None,
            "--guessing": self.guessing,
        }


def is_item_response(model: str | None, *, item: ItemOptions) -> bool:
    """Tell item response models from others, which know none of their options."""
    if model in MODELS:
        return True
    given = [option for option, value in item.given.items() if value is not None]
    if given:
        known = ", ".join(MODELS[:2])
        msg = f"{', '.join(given)} is about item response models: name --model {known} or 3pl."
        raise ArgumentError(msg)
    return False


def fit_item_response(
    files: Sequence[Path],
    *,
    steps: Steps,
    model: str | None,
    item: ItemOptions,
    score_scale: str | None,
    options: Sequence[str],
    reading: Mapping[str, Any],
    sampling: Mapping[str, Any],
) -> Fitted:
    """Read logs and return the posterior of an item response model of them."""
    refused = [option for option in options if option not in _OPTIONS]
    if refused:
        msg = (
            f"{', '.join(refused)} cannot be used with --model {model}; "
            f"it takes {', '.join(_OPTIONS)}."
        )
        raise ArgumentError(msg)
    if score_scale not in (None, "accuracy", "ability"):
        msg = (
            f"--score-scale {score_scale} is of battles; --model {model} takes accuracy or ability."
        )
        raise ArgumentError(msg)
    if item.guessing is not None and model != "3pl":
        msg = (
            f"--guessing is the known chance of success without ability, and --model {model} has "
            f"none; use --model 3pl."
        )
        raise ArgumentError(msg)
    responses = steps.call("responses", "read_responses", list(files), **reading)
    known = item.guessing is not None
    tasks: Tasks = "independent" if item.tasks else None
    built = steps.call(
        "model",
        "models.item_response",
        responses,
        kind="3pl-fixed-guessing" if known else cast("Kind", model),
        tasks="correlated" if item.correlated_tasks else tasks,
        guessing=item.guessing,
        score_scale=score_scale or "accuracy",
    )
    return steps.sample(built, sampling)
