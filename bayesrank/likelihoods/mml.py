r"""Marginal maximum likelihood: questions at the maximum, abilities integrated out.

Abilities are :math:`N(0, 1)` times a common slope (Rasch) or the slope of each question. They are
then read off their posterior at the estimated questions (empirical Bayes).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logit

from bayesrank._text import listed
from bayesrank._validate import validate_choice, validate_finite, validate_probability
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.item_response import KINDS, ItemKind, cell_counts
from bayesrank.likelihoods.item_response_existence import constant_questions
from bayesrank.likelihoods.item_response_fit import ItemPriors, fixed_guessing
from bayesrank.likelihoods.item_response_rasch import normal_log_prior
from bayesrank.likelihoods.mml_problem import Grouped, Items, MarginalProblem
from bayesrank.likelihoods.mml_quadrature import posterior_moments, posterior_quantile

__all__ = ["MarginalFit", "fit_mml"]

type Floats = NDArray[np.float64]

# Nodes are placed anew until the log-likelihood is the same to this, and climbed on in between.
_SAME = 1e-9
_PLACINGS = 12
_RESTARTS = 4
_REACH, _LARGEST_REACH = 8.0, 128.0
# A posterior that still has mass at the last nodes needs them to reach further.
_MASS_AT_END = 1e-12
_LARGEST_SLOPE = 50.0
# Distance of nodes, in posterior standard deviations, where quantiles are read off.
_FINE = 0.1


@dataclass(frozen=True, eq=False)
class MarginalFit:
    r"""Questions at the marginal maximum, and the posterior of each ability there.

    The probability of success is :math:`c_m + (1 - c_m) \sigma(d_m + a_m \theta_l)` with
    :math:`\theta_l \sim N(0, 1)`.

    Attributes
    ----------
    systems, questions : tuple of str
        Their names.
    ability, ability_sd : ndarray, shape (system,)
        Posterior means (EAP) and standard deviations of :math:`\theta`.
    easiness : ndarray, shape (question,)
        :math:`d`, in logits; infinite for questions that all got right, or wrong.
    discrimination : ndarray, shape (question,)
        :math:`a`: in a Rasch model the same for all, and the standard deviation of abilities in
        logits. Below zero where better systems do worse; NaN for constant questions of other
        models, whose slope is not known.
    guessing : ndarray, shape (question,)
        :math:`c`; NaN where it is free and the question constant.
    log_likelihood : float
        Marginal, without binomial coefficients and priors.
    nodes : int
        Nodes of the quadrature.
    quantile_of : callable
        From a probability to that quantile of each ability's posterior, shape (system,).
    """

    systems: tuple[str, ...]
    questions: tuple[str, ...]
    ability: Floats
    ability_sd: Floats
    easiness: Floats
    discrimination: Floats
    guessing: Floats
    log_likelihood: float
    nodes: int
    quantile_of: Callable[[float], Floats]

    @property
    def difficulty(self) -> Floats:
        """Ability at which half of those who do not guess succeed, shape (question,)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return -self.easiness / self.discrimination


def fit_mml(
    data: Responses | tuple[Floats, Floats],
    *,
    kind: ItemKind = "rasch",
    ability_sd: float | None = None,
    prior: ItemPriors | None = None,
    slope_sd: float | None = None,
    guessing: float | Sequence[float] = 0.0,
) -> MarginalFit:
    """Maximise the marginal likelihood of questions, abilities being normal.

    Parameters
    ----------
    data : Responses, or tuple of successes and trials
        Arrays are of shape (system, question), and may hold expected or weighted counts.
    kind : {"rasch", "2pl", "3pl", "3pl-fixed-guessing"}, default "rasch"
        Which of easiness, slope and guessing differ between questions.
    ability_sd : float, optional
        Standard deviation of abilities in logits in a Rasch model, where it is known; estimated
        by default.
    prior : ItemPriors, optional
        Bound and prior of free guessing.
    slope_sd : float, optional
        Standard deviation of a normal prior of slopes around 1; flat by default. With few systems
        a slope may have no finite maximum without it.
    guessing : float or sequence of float, shape (question,), default 0
        Probability of success without knowing the answer, for ``kind="3pl-fixed-guessing"``.

    Returns
    -------
    MarginalFit

    Raises
    ------
    InputError
        Where a slope has no finite maximum, which names the questions.
    ArgumentError
        For options that do not go with the kind.

    References
    ----------
    .. [1] Bock, R. D. and Aitkin, M. (1981). Marginal maximum likelihood estimation of item
       parameters: application of an EM algorithm. Psychometrika 46(4), 443-459.
       https://doi.org/10.1007/BF02293801
    .. [2] Trefethen, L. N. and Weideman, J. A. C. (2014). The exponentially convergent
       trapezoidal rule. SIAM Review 56(3), 385-458. https://doi.org/10.1137/130932132

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods import fit_mml
    >>> fit = fit_mml(Responses.from_counts([[3, 7], [5, 9]], 10), ability_sd=1.0)
    >>> fit.ability.round(2), fit.easiness.round(2)
    (array([-0.42,  0.42]), array([-0.44,  1.5 ]))
    """
    validate_choice(kind, KINDS, name="kind")
    priors = ItemPriors() if prior is None else prior
    rasch = kind == "rasch"
    if ability_sd is not None:
        if not rasch:
            msg = f"ability_sd= is for kind='rasch'; the slopes of {kind} hold the scale."
            raise ArgumentError(msg)
        if validate_finite(ability_sd, name="ability_sd", minimum=0.0) == 0.0:
            msg = "ability_sd=0 leaves nothing to estimate."
            raise ArgumentError(msg)
    if slope_sd is not None and validate_finite(slope_sd, name="slope_sd", minimum=0.0) == 0.0:
        msg = "slope_sd=0 leaves no slope to estimate; use kind='rasch'."
        raise ArgumentError(msg)
    k, n, systems, questions, source = cell_counts(data)
    used = ~constant_questions(k, n)
    fixed = fixed_guessing(guessing, used) if kind == "3pl-fixed-guessing" else 0.0
    kept, column = _columns(k[:, used], n[:, used], together=rasch)
    problem = MarginalProblem(
        Grouped.of(*kept, by_sum=rasch),
        common_slope=rasch,
        fixed_slope=ability_sd,
        guessing=fixed,
        guessing_upper=priors.guessing_upper if kind == "3pl" else None,
        guessing_prior=normal_log_prior(priors.guessing_logit_sd) if kind == "3pl" else None,
        slope_prior=None if slope_sd is None else normal_log_prior(slope_sd, 1.0),
    )
    if used.any():
        items, reach = _climb(problem, source)
    else:  # nothing tells systems apart: every posterior is the prior
        empty = np.zeros(0)
        items, reach = Items(empty, np.array([ability_sd or np.nan]), empty), _REACH
    if not rasch or (ability_sd is None and used.any()):
        names = tuple(q for q, u in zip(questions, used, strict=True) if u)
        _require_bounded(problem.slopes(items)[column], names, source, rasch=rasch)
    nodes = problem.place_nodes(items, reach=reach)
    row_value, p = problem.posterior(items, nodes)
    mean, sd = posterior_moments(nodes.x, p)
    row = problem.data.row
    out = np.full((3, len(questions)), np.nan)
    out[0, k.sum(axis=0) <= 0.0] = -np.inf
    out[0, (n - k).sum(axis=0) <= 0.0] = np.inf
    out[0, n.sum(axis=0) <= 0.0] = np.nan
    if rasch:
        out[1] = items.slope[0]
    out[0, used], out[1, used] = items.easiness[column], problem.slopes(items)[column]
    out[2] = np.nan if kind == "3pl" else guessing if kind == "3pl-fixed-guessing" else 0.0
    out[2, used] = np.broadcast_to(problem.guessing(items), items.easiness.shape)[column]
    return MarginalFit(
        systems=systems,
        questions=questions,
        ability=mean[row],
        ability_sd=sd[row],
        easiness=out[0],
        discrimination=out[1],
        guessing=out[2],
        log_likelihood=float(problem.data.repeats @ row_value),
        nodes=len(nodes.x),
        quantile_of=_quantiles(problem, items, reach),
    )


def _quantiles(problem: MarginalProblem, items: Items, reach: float) -> Callable[[float], Floats]:
    def quantile_of(probability: float) -> Floats:
        q = validate_probability(probability, name="quantile")
        nodes = problem.place_nodes(items, reach=reach, spacing=_FINE)
        _, p = problem.posterior(items, nodes)
        return posterior_quantile(nodes.x, p, q)[problem.data.row]

    return quantile_of


def _columns(
    k: Floats, n: Floats, *, together: bool
) -> tuple[tuple[Floats, Floats], NDArray[np.intp]]:
    """Return counts with questions of the same total and trials added up, and where each went.

    Rasch easiness is the same for them, so that their cells are one cell.
    """
    if not together:
        return (k, n), np.arange(k.shape[1])
    _, first, column, repeats = np.unique(
        np.vstack([k.sum(axis=0)[None], n]),
        axis=1,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    column = column.ravel()
    sums = np.zeros((len(k), len(first)))
    for i in range(len(k)):
        sums[i] = np.bincount(column, k[i], len(first))
    return (sums, n[:, first] * repeats), column


def _climb(problem: MarginalProblem, source: str) -> tuple[Items, float]:
    """Return the maximum, and how far nodes have to reach there."""
    items, reach, before = _start(problem), _REACH, -np.inf
    for _ in range(_PLACINGS):
        problem.nodes = problem.place_nodes(items, reach=reach)
        items, value = _maximise(problem, items)
        _, p = problem.posterior(items, problem.nodes)
        if max(p[:, 0].max(), p[:, -1].max()) > _MASS_AT_END and reach < _LARGEST_REACH:
            reach, before = 2.0 * reach, -np.inf
        elif abs(value - before) <= _SAME * max(1.0, abs(value)):
            return items, reach
        else:
            before = value
        if np.abs(items.slope).max() > _LARGEST_SLOPE:
            return items, reach
    msg = f"{source}: the quadrature did not settle."
    raise InputError(msg)


def _start(problem: MarginalProblem) -> Items:
    """Return logits of smoothed means, and the slope that spreads abilities as they are seen."""
    data = problem.data
    k = data.repeats @ data.k
    n = data.repeats @ data.n[data.pattern]
    rows = data.n[data.pattern].sum(axis=1)
    seen = logit((data.k.sum(axis=1) + 0.5) / (rows + 1.0))
    spread = np.sqrt(np.average((seen - np.average(seen, weights=data.repeats)) ** 2,
                                weights=data.repeats))  # fmt: skip
    a = float(np.clip(spread, 0.3, 3.0)) if problem.fixed_slope is None else problem.fixed_slope
    easiness = logit((k + 0.5) / (n + 1.0)) * np.sqrt(1.0 + 0.35 * a * a)
    free = len(easiness) if problem.upper is not None else 0
    slope = np.full(1 if problem.common_slope else len(easiness), a)
    return Items(easiness, slope, np.full(free, logit(0.2)))


def _maximise(problem: MarginalProblem, items: Items) -> tuple[Items, float]:
    """Climb on the nodes set, in coordinates in which the complete-data information is one."""
    value, _, blocks = problem.evaluate(items)
    for _ in range(_RESTARTS):
        items, found = _climb_once(problem, *_coordinates(problem, items, blocks))
        gained, value = found - value, found
        if gained <= 1e-12 * max(1.0, abs(found)) or np.abs(items.slope).max() > _LARGEST_SLOPE:
            break
        _, _, blocks = problem.evaluate(items)
    return items, value


def _climb_once(
    problem: MarginalProblem,
    to_items: Callable[[Floats], Items],
    to_gradient: Callable[[Items], Floats],
    size: int,
) -> tuple[Items, float]:
    """Return the maximum that a quasi-Newton method finds, and the value there."""

    def objective(y: Floats) -> tuple[float, Floats]:
        at = to_items(y)
        if np.abs(at.slope).max() > 2.0 * _LARGEST_SLOPE:
            return 1e300, np.zeros_like(y)
        value, gradient, _ = problem.evaluate(at)
        return -value, -to_gradient(gradient)

    done: Any = minimize(
        objective,
        np.zeros(size),
        jac=True,
        method="L-BFGS-B",
        options={"maxcor": 40, "maxiter": 500, "maxfun": 1000, "ftol": 1e-15, "gtol": 1e-9},
    )
    return to_items(done.x), -float(done.fun)


def _coordinates(
    problem: MarginalProblem, items: Items, blocks: tuple[Floats, ...]
) -> tuple[Callable[[Floats], Items], Callable[[Items], Floats], int]:
    """Return maps of whitened coordinates to parameters, and of gradients back; how many."""
    M = len(items.easiness)
    free_slope = problem.fixed_slope is None
    guesses = problem.upper is not None
    if problem.common_slope:
        scale_d = 1.0 / np.sqrt(np.maximum(blocks[0], 1e-8))
        scale_a = 1.0 / np.sqrt(max(float(blocks[1].sum()), 1e-8))

        def to_items(y: Floats) -> Items:
            slope = items.slope + scale_a * y[M:] if free_slope else items.slope
            return Items(items.easiness + scale_d * y[:M], slope, items.guessing_logit)

        def to_gradient(g: Items) -> Floats:
            d = scale_d * g.easiness
            return np.append(d, scale_a * g.slope.sum()) if free_slope else d

        return to_items, to_gradient, M + free_slope
    q = 3 if guesses else 2
    G = np.zeros((M, q, q))
    G[:, 0, 0], G[:, 1, 1] = blocks[0], blocks[1]
    G[:, 0, 1] = G[:, 1, 0] = blocks[2]
    if guesses:
        G[:, 2, 2] = blocks[3]
        G[:, 0, 2] = G[:, 2, 0] = blocks[4]
        G[:, 1, 2] = G[:, 2, 1] = blocks[5]
    diagonal = np.arange(q)
    G[:, diagonal, diagonal] *= 1.0 + 1e-6
    G[:, diagonal, diagonal] += 1e-6
    inverse = np.linalg.inv(np.linalg.cholesky(G))  # parameters = inverse' y

    def to_items(y: Floats) -> Items:
        step = np.einsum("mij,mi->mj", inverse, y.reshape(M, q))
        logits = items.guessing_logit + step[:, 2] if guesses else items.guessing_logit
        return Items(items.easiness + step[:, 0], items.slope + step[:, 1], logits)

    def to_gradient(g: Items) -> Floats:
        parts = [g.easiness, g.slope, *([g.guessing_logit] if guesses else [])]
        return np.einsum("mij,mj->mi", inverse, np.stack(parts, axis=1)).ravel()

    return to_items, to_gradient, M * q


def _require_bounded(
    slopes: Floats, questions: tuple[str, ...], source: str, *, rasch: bool
) -> None:
    steep = [q for q, a in zip(questions, slopes, strict=True) if not abs(a) < _LARGEST_SLOPE]
    if steep and rasch:
        msg = (
            f"{source}: the spread of abilities has no finite maximum, the questions order the "
            f"models without exception; state ability_sd=."
        )
        raise InputError(msg)
    if steep:
        msg = (
            f"{source}: question {listed(steep)} separates the models without exception, so its "
            f"slope is not bounded; a prior (slope_sd=) bounds it."
        )
        raise InputError(msg)
