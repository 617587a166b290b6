"""What a paired-comparison model is built on: cells, counts, and which options they allow."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed
from bayesrank._validate import did_you_mean, validate_choice
from bayesrank.data import Comparisons
from bayesrank.data._cell_views import totals
from bayesrank.data._cells import OUTCOMES
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import TieRule
from bayesrank.likelihoods.paired import TIES
from bayesrank.priors import Prior

type Side = bool | Literal["judge"]
type Judges = Literal["tie", "reliability", "both"] | None
type BothBad = Literal["apart", "quality", "pool"]
type Structure = Literal["categories", "periods"] | None
type ScoreScale = Literal["log_odds", "probability", "elo"]

ELO_PER_LOG_ODDS = 400 / np.log(10)
ELO_AVERAGE = 1000.0
# The factor of the comparisons whose levels are the parts.
_PART_FACTORS = {"categories": "category", "periods": "period"}


@dataclass(frozen=True)
class Options:
    """Checked arguments of the factory.

    Attributes
    ----------
    ties : {"davidson", "rao_kupper", "half", "drop"}
        How ties are modelled; "drop" where there are none.
    side, judges, bothbad, score_scale
        As given.
    structure : {None, "categories", "periods"}
        What there is a strength for besides the overall one.
    """

    ties: TieRule
    side: Side
    judges: Judges
    bothbad: BothBad
    score_scale: ScoreScale
    structure: Structure = None

    @property
    def part_factor(self) -> str | None:
        """The factor whose levels are the parts, where there are parts."""
        return None if self.structure is None else _PART_FACTORS[self.structure]

    @property
    def kept(self) -> tuple[str, ...]:
        """The factors that the model needs to know of a cell."""
        judge = ("judge",) if self.by_judge else ()
        return judge if self.part_factor is None else (*judge, self.part_factor)

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
    categories: bool,
    periods: bool,
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
    options = Options(
        ties if tied else "drop",
        side,
        judges,
        bothbad,
        score_scale,
        _structure(comparisons, categories=categories, periods=periods),
    )
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


def _structure(comparisons: Comparisons, *, categories: object, periods: object) -> Structure:
    """Return what the parts are, or say why there cannot be any."""
    for name, value in (("categories", categories), ("periods", periods)):
        if not isinstance(value, bool):
            msg = f"{name}={value!r} is not known; use True (one strength for each) or False."
            raise ArgumentError(msg)
    if categories and periods:
        msg = (
            f"{comparisons.source}: categories=True and periods=True cannot be used together; "
            f"choose one, or model the categories of one period."
        )
        raise ArgumentError(msg)
    if not (categories or periods):
        return None
    structure: Structure = "categories" if categories else "periods"
    levels = comparisons.factor(_PART_FACTORS[structure]).levels
    if len(levels) < 2:
        msg = (
            f"{comparisons.source}: all comparisons are of one {_PART_FACTORS[structure]} "
            f"({listed(levels)}); leave {structure}=True out."
        )
        raise ArgumentError(msg)
    return structure


def part_totals(comparisons: Comparisons, options: Options) -> NDArray[np.float64]:
    """Return in how many comparisons each model took part, shape (part, system)."""
    codes = comparisons.factor(options.part_factor or "").codes
    n = comparisons.n_comparisons
    return np.stack(
        [
            totals(comparisons, n * (codes == k), n * (codes == k))
            for k in range(int(codes.max()) + 1)
        ]
    )


def cells(comparisons: Comparisons, options: Options) -> Comparisons:
    """Return the comparisons summed over all that the model does not look at."""
    return comparisons.collapse(
        keep=options.kept,
        sided=bool(options.side),
        covariates=bool(comparisons.covariates),
    )


def outcome_counts(comparisons: Comparisons, options: Options) -> NDArray[np.float64]:
    """Return counts of win, tie (where it is an outcome) and loss, shape (comparison, outcome)."""
    counts = np.stack([getattr(comparisons, name) for name in OUTCOMES], axis=1)
    return counts @ outcome_shares(options)


def outcome_shares(options: Options) -> NDArray[np.float64]:
    """Return what wins, losses, ties and ties that call both bad count in each outcome."""
    if options.has_tie:
        return np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 0]])
    tie = [0.5, 0.5] if options.ties == "half" else [0.0, 0.0]
    return np.array([[1.0, 0], [0, 1], tie, tie])


def default_priors(
    options: Options, comparisons: Comparisons, strength: Prior | None = None
) -> dict[str, Prior]:
    """Return the priors of the parameters that the model has, in log-odds."""
    summing = Prior("ZeroSumNormal", sigma=Prior("HalfNormal", sigma=1.5))
    priors = {"strength": summing if strength is None else strength}
    if options.structure == "categories":
        priors["category"] = Prior("ZeroSumNormal", sigma=Prior("HalfNormal", sigma=0.5))
    if options.structure == "periods":
        priors["step"] = Prior("ZeroSumNormal", sigma=Prior("HalfNormal", sigma=0.3))
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
        "categories": options.structure == "categories",
        "periods": options.structure == "periods",
        "prior": {name: prior.to_dict() for name, prior in priors.items()},
    }
