"""From battle logs, or comparisons that a log of trials induces, to a posterior of strengths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bayesrank._text import quoted
from bayesrank.cli._steps import Fitted, Steps
from bayesrank.exceptions import ArgumentError

MODEL = "bradley-terry"
# What any paired comparisons can be ranked with; every other option is about scores of trials.
_OPTIONS = (
    "--model",
    "--population",
    "--column",
    "--method",
    "--draws",
    "--seed",
    "--save",
    "--ties",
    "--score-scale",
)
# What only logs of battles know, and what only logs of trials do.
_OF_BATTLES = ("--side", "--judges", "--parts", "--strong", "--weighted")
_OF_TRIALS = ("--categories", "--missing")
# Roles of columns that make any table a battle log.
_ROLES = ("first", "second", "winner", "wins", "losses", "games")
# What has to be kept of a battle for the clusters of a population.
_KEPT = {
    "judges": "judge",
    "prompts": "prompt",
    "sessions": "session",
    "categories": "category",
    "periods": "period",
}


@dataclass(frozen=True)
class BattleOptions:
    """Options of ``bayesrank rank`` that are about comparisons; None or False where not given."""

    ties: Literal["davidson", "rao_kupper", "half", "drop"] | None = None
    side: bool = False
    judges: Literal["tie", "reliability", "both"] | None = None
    score_scale: Literal["log-odds", "probability", "elo", "accuracy", "ability"] | None = None
    parts: Literal["category", "period"] | None = None
    strong: int | None = None
    weighted: bool = False

    @property
    def given(self) -> dict[str, object]:
        """Values by option, None where not given."""
        return {
            "--ties": self.ties,
            "--side": self.side or None,
            "--judges": self.judges,
            "--score-scale": self.score_scale,
            "--parts": self.parts,
            "--strong": self.strong,
            "--weighted": self.weighted or None,
        }

    def refuse(self) -> None:
        """Refuse all of them, for a log of trials that is ranked by its scores."""
        given = [option for option, value in self.given.items() if value is not None]
        if given:
            msg = (
                f"{', '.join(given)} cannot be used with a log of trials; --model {MODEL} makes "
                f"comparisons of it, and takes --ties and --score-scale."
            )
            raise ArgumentError(msg)


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


def refuse_of_trials(source: str, given: Mapping[str, object]) -> None:
    """Refuse options, None where not given, that say nothing of battles."""
    refused = [option for option, value in given.items() if value is not None]
    if refused:
        msg = f"{quoted(source)} holds battles; {', '.join(refused)} is about trials."
        raise ArgumentError(msg)


def fit_battles(
    files: Sequence[Path],
    *,
    steps: Steps,
    options: Sequence[str],
    battle: BattleOptions,
    reading: Mapping[str, Any],
    categories: int | None,
    sampling: Mapping[str, Any],
) -> Fitted:
    """Return the posterior of a Bradley-Terry model of battle logs, or of induced comparisons."""
    from bayesrank.readers.battles import is_battle_log

    told = any(role in _ROLES for role in reading["columns"])
    trials = not told and not any(is_battle_log(file) for file in files)
    what = f"a log of trials under --model {MODEL}" if trials else "a battle log"
    allowed = (*_OPTIONS, *(_OF_TRIALS if trials else _OF_BATTLES))
    refused = [option for option in options if option not in allowed]
    if refused:
        msg = (
            f"{', '.join(refused)} cannot be used with {what}; "
            f"it is ranked by {MODEL} with {', '.join(allowed)}."
        )
        raise ArgumentError(msg)
    if battle.score_scale in ("accuracy", "ability"):
        msg = (
            f"--score-scale {battle.score_scale} is of item response models (--model rasch); "
            f"{MODEL} takes log-odds, probability or elo."
        )
        raise ArgumentError(msg)
    scale: Any = (battle.score_scale or "log-odds").replace("-", "_")
    settings: dict[str, Any] = {"ties": battle.ties or "davidson", "score_scale": scale}
    if trials:
        responses = steps.call(
            "responses", "read_responses", list(files), categories=categories, **reading
        )
        comparisons = steps.call("comparisons", "Comparisons.from_responses", responses)
    else:
        comparisons = steps.call(
            "comparisons",
            "read_comparisons",
            list(files),
            columns=reading["columns"],
            keep=_kept(battle, sampling["population"]),
            strong=1 if battle.strong is None else battle.strong,
            weighted=battle.weighted,
        )
        settings |= {
            "side": battle.side,
            "judges": battle.judges,
            "categories": battle.parts == "category",
            "periods": battle.parts == "period",
        }
    built = steps.call("model", "models.bradley_terry", comparisons, **settings)
    return steps.sample(built, sampling)


def _kept(battle: BattleOptions, population: object) -> list[str]:
    """Return the factors of battles that the model or the population looks at."""
    wanted = [
        "judge" if battle.judges is not None else None,
        battle.parts,
        _KEPT.get(population) if isinstance(population, str) else None,
    ]
    return list(dict.fromkeys(name for name in wanted if name is not None))
