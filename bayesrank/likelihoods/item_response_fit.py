"""Abilities at the joint maximum of likelihood or posterior density of an item response model."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from bayesrank._validate import validate_choice, validate_count, validate_finite
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.item_response import KINDS, ItemKind, cell_counts
from bayesrank.likelihoods.item_response_existence import (
    constant_questions,
    why_no_ability,
    why_no_difficulty,
)
from bayesrank.likelihoods.item_response_rasch import LogPrior, normal_log_prior, solve_rasch
from bayesrank.likelihoods.item_response_scoring import JointPoint, ScoringProblem

__all__ = ["ItemPriors", "ItemResponseFit", "fit_item_response"]

type Floats = NDArray[np.float64]

# Spread of log discriminations between starts: slopes between a third and three times the usual.
_START_SPREAD = 0.5
_SEED = 20_240_601
# Steps of a climb, and of one from another start at least.
_STEPS, _FEWEST = 500, 60


@dataclass(frozen=True)
class ItemPriors:
    """Priors that turn the maximum of the likelihood into one of the posterior density.

    Attributes
    ----------
    ability : float, callable or None
        Standard deviation of a normal prior with mean zero, in logits against the average
        difficulty; or a function from abilities to log density, slope and curvature.
    difficulty_sd : float or None
        Standard deviation of difficulties around zero; None for a flat prior.
    log_discrimination_sd : float
        Standard deviation of log discriminations. It can be wide but not absent: abilities twice
        as large with slopes half as steep fit the same.
    guessing_upper : float
        What free guessing stays below.
    guessing_logit_sd : float
        Standard deviation of the logit of guessing over its bound: the data alone do not tell
        guessing from ease.
    """

    ability: float | LogPrior | None = None
    difficulty_sd: float | None = None
    log_discrimination_sd: float = 50.0**0.5
    guessing_upper: float = 0.5
    guessing_logit_sd: float = 5.0**0.5

    def __post_init__(self) -> None:
        """Check the numbers."""
        positive = {
            "ability": None if callable(self.ability) else self.ability,
            "difficulty_sd": self.difficulty_sd,
            "log_discrimination_sd": self.log_discrimination_sd,
            "guessing_upper": self.guessing_upper,
            "guessing_logit_sd": self.guessing_logit_sd,
        }
        for name, value in positive.items():
            if value is not None and validate_finite(value, name=name, minimum=0.0) == 0.0:
                msg = f"{name}=0 leaves nothing to estimate."
                raise ArgumentError(msg)
        if self.guessing_upper > 1.0:
            msg = f"guessing_upper={self.guessing_upper:g} must be a probability."
            raise ArgumentError(msg)

    def ability_log_prior(self) -> LogPrior | None:
        """Return log density, slope and curvature of abilities, or None.

        Returns
        -------
        callable or None
        """
        if self.ability is None or callable(self.ability):
            return self.ability
        return normal_log_prior(self.ability)

    def item_log_priors(self, free: int) -> tuple[LogPrior | None, ...]:
        """Return those of difficulty, log discrimination and logit of guessing.

        Parameters
        ----------
        free : int
            How many of the three are free.

        Returns
        -------
        tuple of callable or None
        """
        difficulty = None if self.difficulty_sd is None else normal_log_prior(self.difficulty_sd)
        return (
            difficulty,
            normal_log_prior(self.log_discrimination_sd),
            normal_log_prior(self.guessing_logit_sd),
        )[:free]


@dataclass(frozen=True, eq=False)
class ItemResponseFit:
    """Abilities and questions at the maximum.

    Attributes
    ----------
    systems, questions : tuple of str
        Their names.
    ability : ndarray, shape (system,)
        Logits against the average difficulty.
    difficulty : ndarray, shape (question,)
        Logits that sum to zero over the questions used; infinite for constant ones left out, NaN
        for ones nobody saw.
    discrimination, guessing : ndarray, shape (question,)
        Slopes (1 in a Rasch model), and probabilities of success without knowing the answer; NaN
        for questions left out.
    log_likelihood : float
        Without binomial coefficients, and without priors.
    start_values : tuple of float
        Log-likelihood plus log priors at the maximum that each start led to, best first: where
        they differ, there are local maxima.
    left_out : tuple of str
        Constant questions, which say nothing of differences between systems.
    """

    systems: tuple[str, ...]
    questions: tuple[str, ...]
    ability: Floats
    difficulty: Floats
    discrimination: Floats
    guessing: Floats
    log_likelihood: float
    start_values: tuple[float, ...] = ()
    left_out: tuple[str, ...] = field(default=())


def fit_item_response(
    data: Responses | tuple[Floats, Floats],
    *,
    kind: ItemKind = "rasch",
    prior: ItemPriors | None = None,
    guessing: float | Sequence[float] = 0.0,
    starts: int = 4,
) -> ItemResponseFit:
    r"""Find abilities and questions that maximise the likelihood, or the posterior density.

    Successes in a cell are binomial with :math:`p = c_m + (1 - c_m) \sigma(a_m(\theta_l - b_m))`,
    all parameters being unknown constants ("joint" maximum likelihood), and difficulties summing
    to zero.

    Parameters
    ----------
    data : Responses, or tuple of successes and trials
        Arrays are of shape (system, question), and may hold expected or weighted counts.
    kind : {"rasch", "2pl", "3pl", "3pl-fixed-guessing"}, default "rasch"
        Which of difficulty, discrimination and guessing questions have.
    prior : ItemPriors, optional
        Without a prior of abilities, systems that were always right or always wrong are refused,
        and constant questions are left out: they say nothing of abilities. With one, constant
        questions move all abilities together, and difficulties need a prior of their own where
        some were always right and some always wrong. With both priors all is finite.
    guessing : float or sequence of float, shape (question,), default 0
        Probability of success without knowing the answer, for ``kind="3pl-fixed-guessing"``.
    starts : int, default 4
        Points to climb from; more than one where there can be local maxima.

    Returns
    -------
    ItemResponseFit

    Raises
    ------
    InputError
        Where the maximum is not finite: the message says which systems or questions are to blame.
    ArgumentError
        For outcomes of more than two categories, or guessing outside [0, 1).

    References
    ----------
    .. [1] Fischer, G. H. (1981). On the existence and uniqueness of maximum-likelihood estimates
       in the Rasch model. Psychometrika 46(1), 59-77. https://doi.org/10.1007/BF02293919
    .. [2] Lord, F. M. (1983). Unbiased estimators of ability parameters, of their variance, and of
       their parallel-forms reliability. Psychometrika 48(2), 233-245.
       https://doi.org/10.1007/BF02294018

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods import fit_item_response
    >>> fit = fit_item_response(Responses.from_counts([[4, 7], [6, 9]], 10))
    >>> fit.ability.round(3), fit.difficulty.round(3)
    (array([0.229, 1.233]), array([ 0.731, -0.731]))
    """
    validate_choice(kind, KINDS, name="kind")
    priors = ItemPriors() if prior is None else prior
    k, n, systems, questions, source = cell_counts(data)
    bounded = priors.ability is not None or priors.difficulty_sd is not None
    used = n.sum(axis=0) > 0.0 if bounded else ~constant_questions(k, n)
    if not used.any():
        msg = f"{source}: every question is constant, so none tells systems apart."
        raise InputError(msg)
    k, n = k[:, used], n[:, used]
    questions_used = tuple(q for q, u in zip(questions, used, strict=True) if u)
    if priors.ability is None:
        linked = priors.difficulty_sd is None
        reason = why_no_ability(k, n, systems, questions_used, linked=linked)
        if reason is not None:
            msg = f"{source}: no finite maximum of the likelihood: {reason}; a prior bounds it."
            raise InputError(msg)
    elif priors.difficulty_sd is None:
        reason = why_no_difficulty(k, n, questions_used)
        if reason is not None:
            msg = (
                f"{source}: no finite maximum: {reason}; a prior of difficulties "
                f"(difficulty_sd=) bounds them, or leave them out."
            )
            raise InputError(msg)
    if kind == "rasch":
        ability, items, log_likelihood = _fit_rasch(k, n, priors, source)
        at_starts: tuple[float, ...] = ()
        c: Floats | float = 0.0
    else:
        fixed = fixed_guessing(guessing, used) if kind == "3pl-fixed-guessing" else 0.0
        point, at_starts, c = _fit_joint(k, n, kind, priors, fixed, starts, source)
        ability, items, log_likelihood = point.ability, point.items, point.log_likelihood
    out = np.full((3, len(questions)), np.nan)
    out[0, used] = items[0]
    out[1, used] = np.exp(items[1]) if len(items) > 1 else 1.0
    out[2, used] = c
    if not bounded:
        total, trials = (x.sum(axis=0) for x in cell_counts(data)[:2])
        out[0, ~used & (trials > 0.0)] = np.inf
        out[0, ~used & (trials > 0.0) & (total > 0.0)] = -np.inf
    return ItemResponseFit(
        systems=systems,
        questions=questions,
        ability=ability,
        difficulty=out[0],
        discrimination=out[1],
        guessing=out[2],
        log_likelihood=log_likelihood,
        start_values=at_starts,
        left_out=tuple(q for q, u in zip(questions, used, strict=True) if not u),
    )


def _fit_rasch(
    k: Floats, n: Floats, priors: ItemPriors, source: str
) -> tuple[Floats, Floats, float]:
    """Return the Rasch maximum; rows (or columns) with the same sums and trials are solved once."""
    S, T = k.sum(axis=1), k.sum(axis=0)
    rows, row, row_repeats = _grouped(S, n, together=not callable(priors.ability))
    columns, column, column_repeats = _grouped(T, n.T, together=True)
    ability, difficulty, value = solve_rasch(
        S[None, rows],
        T[None, columns],
        trials=n[np.ix_(rows, columns)],
        row_repeats=row_repeats,
        column_repeats=column_repeats,
        ability_prior=priors.ability_log_prior(),
        difficulty_prior=priors.item_log_priors(1)[0],
        source=source,
    )
    return ability[0, row], difficulty[:, column], float(value[0])


def _grouped(
    sums: Floats, trials: Floats, *, together: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Return one of each group of equal rows, the group of each row, and the sizes of groups."""
    if not together:
        each = np.arange(len(sums))
        return each, each, np.ones(len(sums))
    same = (trials == trials[:1]).all()
    key = sums[:, None] if same else np.column_stack([sums, trials])
    # Sums of real counts that are equal up to rounding stay apart: that costs time only.
    _, first, inverse, counts = np.unique(
        key, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return first, inverse.ravel(), counts.astype(np.float64)


def fixed_guessing(guessing: float | Sequence[float], used: NDArray[np.bool_]) -> Floats:
    """Return guessing of the questions used, given as one number or one for each question."""
    c = np.asarray(guessing, dtype=np.float64)
    if c.ndim > 1 or (c.ndim == 1 and c.shape != used.shape):
        msg = f"guessing has shape {c.shape}; one number, or one for each question, was expected."
        raise ArgumentError(msg)
    if not ((c >= 0.0) & (c < 1.0)).all():
        msg = f"guessing={guessing!r} must lie from 0 to below 1."
        raise ArgumentError(msg)
    return np.broadcast_to(c, used.shape)[used]


def _fit_joint(
    k: Floats,
    n: Floats,
    kind: ItemKind,
    priors: ItemPriors,
    guessing: Floats | float,
    starts: int,
    source: str,
) -> tuple[JointPoint, tuple[float, ...], Floats | float]:
    """Return the best of the maxima that several starts lead to."""
    starts = validate_count(starts, name="starts")
    free = 3 if kind == "3pl" else 2
    problem = ScoringProblem(
        k,
        n,
        item_priors=priors.item_log_priors(free),
        ability_prior=priors.ability_log_prior(),
        guessing=guessing,
        guessing_upper=priors.guessing_upper,
    )
    rng = np.random.default_rng(_SEED)
    points: list[JointPoint] = []
    for i in range(starts):
        ability, items = _start(k, n, free, rng, spread=_START_SPREAD * (i > 0))
        # Where one summit is found, a climb that takes far longer wanders along a ridge.
        shortest = min((p.steps for p in points if p.converged), default=None)
        limit = _STEPS if shortest is None else min(_STEPS, max(_FEWEST, 2 * shortest))
        points.append(problem.climb(ability, items, limit=limit))
    found = sorted((p for p in points if p.converged), key=lambda p: -p.value)
    if not found:
        msg = (
            f"{source}: the climb to the maximum of the {kind} likelihood did not end in "
            f"{points[0].steps or 'its'} steps; tighter priors (log_discrimination_sd=, ability=) "
            f"bound it."
        )
        raise InputError(msg)
    return found[0], tuple(p.value for p in found), problem.guessing(found[0].items)


def _start(
    k: Floats, n: Floats, free: int, rng: np.random.Generator, *, spread: float
) -> tuple[Floats, Floats]:
    """Return smoothed logits, slopes around 1, and guessing at a fifth of its bound."""
    S, T, rows, columns = k.sum(axis=1), k.sum(axis=0), n.sum(axis=1), n.sum(axis=0)
    ability = logit((S + 0.5) / (rows + 1.0))
    items = np.zeros((free, len(T)))
    items[0] = -logit((T + 0.5) / (columns + 1.0))
    items[1] = spread * rng.standard_normal(len(T))
    if free > 2:
        items[2] = logit(0.2)
    return ability, items
