"""What a paired-comparison model is built on: cells, counts, and which options they allow."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed
from bayesrank._validate import did_you_mean, validate_choice
from bayesrank.data import Comparisons
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import TieRule
from bayesrank.likelihoods.paired import TIES
from bayesrank.priors import Prior

type Side = bool | Literal["judge"]
type Judges = Literal["tie", "reliability", "both"] | None
type BothBad = Literal["apart", "quality", "pool"]
type ScoreScale = Literal["log_odds", "probability", "elo"]

ELO_PER_LOG_ODDS = 400 / np.log(10)
ELO_AVERAGE = 1000.0


@dataclass(frozen=True)
class Options:
    """Checked arguments of the factory.

    Attributes
    ----------
    ties : {"davidson", "rao_kupper", "half", "drop"}
        How ties are modelled; "drop" where there are none.
    side, judges, bothbad, score_scale
        As given.
    """

    ties: TieRule
    side: Side
    judges: Judges
    bothbad: BothBad
    score_scale: ScoreScale

    @property
    def has_tie(self) -> bool:
        """Whether a tie is an outcome."""
        return self.ties in ("davidson", "rao_kupper")

    @property
    def judged_ties(self) -> bool:
        """Whether judges differ in how often they call ties."""
        return self.has_tie and self.judges in ("tie", "both")

    @property
    def judged_reliability(self) -> bool:
        """Whether judges differ in how well they tell models apart."""
        return self.judges in ("reliability", "both")

    @property
    def by_judge(self) -> bool:
        """Whether the model needs to know the judge of a cell."""
        return self.judges is not None or self.side == "judge"


def checked_options(
    comparisons: Comparisons,
    *,
    ties: TieRule,
    side: Side,
    judges: Judges,
    bothbad: BothBad,
    score_scale: ScoreScale,
) -> Options:
    """Return the options, or say which of them these comparisons do not allow."""
    validate_choice(ties, TIES, name="ties")
    validate_choice(bothbad, ("apart", "quality", "pool"), name="bothbad")
    validate_choice(score_scale, ("log_odds", "probability", "elo"), name="score_scale")
    if judges is not None:
        validate_choice(judges, ("tie", "reliability", "both"), name="judges")
    if side not in (True, False, "judge"):
        msg = f"side={side!r} is not known; use True, False or 'judge' (an effect per judge)."
        raise ArgumentError(msg)
    source = comparisons.source
    if side and not comparisons.sided:
        msg = (
            f"{source}: side={side!r} needs to know which model was shown first; these counts "
            f"carry no side."
        )
        raise ArgumentError(msg)
    tied = comparisons.ties.any() or comparisons.ties_bothbad.any()
    options = Options(ties if tied else "drop", side, judges, bothbad, score_scale)
    if options.by_judge:
        levels = comparisons.factor("judge").levels
        if len(levels) < 2:
            msg = (
                f"{source}: one judge ({listed(levels)}) made all comparisons, so that judges "
                f"cannot be told apart; use judges=None{', side=True' if side == 'judge' else ''}."
            )
            raise ArgumentError(msg)
    if judges == "tie" and not options.has_tie:
        msg = f"judges='tie' needs ties as an outcome; ties={ties!r} here" + (
            "." if tied else ", and none were observed."
        )
        raise ArgumentError(msg)
    decisive = comparisons.wins.any() or comparisons.losses.any()
    if not decisive:
        msg = f"{source}: there is nothing but ties, so that nothing tells the models apart."
        raise InputError(msg)
    return options


def cells(comparisons: Comparisons, options: Options) -> Comparisons:
    """Return the comparisons summed over all that the model does not look at."""
    return comparisons.collapse(
        keep=("judge",) if options.by_judge else (),
        sided=bool(options.side),
        covariates=bool(comparisons.covariates),
    )


def outcome_counts(comparisons: Comparisons, options: Options) -> NDArray[np.float64]:
    """Return counts of win, tie (where it is an outcome) and loss, shape (comparison, outcome)."""
    tied = comparisons.ties + comparisons.ties_bothbad
    if options.has_tie:
        return np.stack([comparisons.wins, tied, comparisons.losses], axis=1)
    half = tied / 2 if options.ties == "half" else 0.0
    return np.stack([comparisons.wins + half, comparisons.losses + half], axis=1)


def default_priors(options: Options, comparisons: Comparisons) -> dict[str, Prior]:
    """Return the priors of the parameters that the model has, in log-odds."""
    priors = {"strength": Prior("ZeroSumNormal", sigma=Prior("HalfNormal", sigma=1.5))}
    if options.has_tie:
        priors["tie"] = (
            Prior("Normal", mu=0.0, sigma=1.5)
            if options.ties == "davidson"
            else Prior("HalfNormal", sigma=1.0)
        )
    if options.side:
        priors["side"] = Prior("Normal", mu=0.0, sigma=0.5)
    if options.side == "judge":
        priors["side_judge"] = Prior("Normal", mu=0.0, sigma=Prior("HalfNormal", sigma=0.5))
    if options.judged_ties:
        priors["tie_judge"] = Prior("Normal", mu=0.0, sigma=Prior("HalfNormal", sigma=1.0))
    if options.judged_reliability:
        priors["log_reliability"] = Prior("ZeroSumNormal", sigma=Prior("HalfNormal", sigma=0.5))
    if comparisons.covariates:
        priors["effect"] = Prior("Normal", mu=0.0, sigma=0.5)
    if models_bothbad(options, comparisons):
        priors["bothbad"] = Prior("Normal", mu=0.0, sigma=1.5)
        if options.bothbad == "quality":
            priors["bothbad_slope"] = Prior("Normal", mu=0.0, sigma=1.0)
    return priors


def models_bothbad(options: Options, comparisons: Comparisons) -> bool:
    """Whether the two kinds of ties are told apart."""
    both = comparisons.ties_bothbad.any() and comparisons.ties.any()
    return options.has_tie and options.bothbad != "pool" and bool(both)


def merged_priors(given: Mapping[str, object], defaults: dict[str, Prior]) -> dict[str, Prior]:
    """Return the defaults with what was given, refusing names that the model does not have."""
    merged = dict(defaults)
    for name, prior in given.items():
        if name not in defaults:
            msg = (
                f"prior= names {name!r}, which this model does not have; it has "
                f"{', '.join(defaults)}.{did_you_mean(name, defaults)}"
            )
            raise ArgumentError(msg)
        if not isinstance(prior, Prior):
            msg = f"prior={{{name!r}: {prior!r}}} is no Prior; use bayesrank.Prior(...)."
            raise ArgumentError(msg)
        merged[name] = prior
    return merged


def settings(options: Options, priors: dict[str, Prior]) -> dict[str, Any]:
    """Return the arguments of the factory as plain values, for provenance."""
    return {
        "ties": options.ties,
        "side": options.side,
        "judges": options.judges,
        "bothbad": options.bothbad,
        "score_scale": options.score_scale,
        "prior": {name: prior.to_dict() for name, prior in priors.items()},
    }
