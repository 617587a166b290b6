r"""Abilities that change over ordered trials: linear growth, or a random walk.

Success in period :math:`t` has the probability :math:`\sigma(\theta_{lt} - b_m)`. The abilities of
a system are linear in a few coefficients, :math:`\theta_l = B \phi_l`, under a quadratic penalty.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from bayesrank._validate import validate_choice, validate_finite
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.item_response_existence import constant_questions, why_no_ability

__all__ = ["DynamicFit", "Trend", "fit_dynamic_item_response"]

type Floats = NDArray[np.float64]
type Trend = Literal["growth", "state_space"]

_STEPS = 100
# Newton's decrement, twice the objective still to gain, at which the maximum is found.
_DECREMENT, _NEARLY = 1e-18, 1e-10


@dataclass(frozen=True, eq=False)
class DynamicFit:
    """Abilities in each period at the maximum.

    Attributes
    ----------
    systems, questions : tuple of str
        Their names.
    times : ndarray, shape (period,)
        From 0 (the first) to 1 (the last), unless given.
    ability : ndarray, shape (system, period)
        Logits against the average difficulty.
    difficulty : ndarray, shape (question,)
        Logits that sum to zero over the questions used; NaN for ones left out.
    log_likelihood : float
        Without penalties.
    """

    systems: tuple[str, ...]
    questions: tuple[str, ...]
    times: Floats
    ability: Floats
    difficulty: Floats
    log_likelihood: float


def fit_dynamic_item_response(
    data: Responses | tuple[Floats, Floats],
    *,
    trend: Trend = "growth",
    slope_penalty: float = 0.01,
    walk_penalty: float = 1.0,
    start_penalty: float = 1e-3,
    ability_sd: float | None = None,
    times: ArrayLike | None = None,
) -> DynamicFit:
    r"""Find abilities that change over ordered trials at the penalised maximum.

    Parameters
    ----------
    data : Responses, or tuple of successes and trials
        Responses whose trials are ordered in time, or arrays of shape (system, question, period),
        which may hold expected or weighted counts.
    trend : {"growth", "state_space"}, default "growth"
        :math:`\theta_{lt} = \theta_{l0} + \theta_{l1} t` with the penalty ``slope_penalty``
        :math:`\sum \theta_{l1}^2`; or a random walk with the penalties ``walk_penalty``
        :math:`\sum (\theta_{lt} - \theta_{l,t-1})^2 / \Delta t` and ``start_penalty``
        :math:`\sum \theta_{l0}^2`.
    slope_penalty, walk_penalty, start_penalty : float
        Half the precisions of the normal priors that these penalties are.
    ability_sd : float, optional
        Standard deviation of a normal prior of the ability at time 0.
    times : array_like, shape (period,), optional
        Increasing times of the periods; by default evenly spaced from 0 to 1.

    Returns
    -------
    DynamicFit

    Raises
    ------
    ArgumentError
        For responses without ordered trials, or times that do not increase.
    InputError
        For growth without a prior, where a system was always right or always wrong.

    References
    ----------
    .. [1] Embretson, S. E. (1991). A multidimensional latent trait model for measuring learning
       and change. Psychometrika 56(3), 495-515. https://doi.org/10.1007/BF02294487

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods import fit_dynamic_item_response
    >>> outcomes = np.array([[[0, 0, 1, 1], [0, 1, 1, 1]], [[1, 0, 1, 0], [0, 1, 0, 1]]])
    >>> fit = fit_dynamic_item_response(Responses.from_array(outcomes), trend="state_space")
    >>> fit.ability[0, -1] > fit.ability[0, 0]
    np.True_
    """
    validate_choice(trend, ("growth", "state_space"), name="trend")
    for name, value in (
        ("slope_penalty", slope_penalty),
        ("walk_penalty", walk_penalty),
        ("start_penalty", start_penalty),
    ):
        validate_finite(value, name=name, minimum=0.0)
    k, n, systems, questions, source = _periods(data)
    t = _times(times, k.shape[2])
    start = 0.0 if ability_sd is None else validate_finite(ability_sd, name="ability_sd") ** -2.0
    if trend == "growth":
        basis = np.stack([np.ones_like(t), t], axis=1)
        precision = np.diag([start, 2.0 * slope_penalty])
    else:
        basis = np.eye(len(t))
        steps = np.diff(np.eye(len(t)), axis=0) / np.sqrt(np.maximum(np.diff(t), 1e-12))[:, None]
        precision = 2.0 * walk_penalty * steps.T @ steps
        precision[0, 0] += start + 2.0 * start_penalty
    bounded = precision[0, 0] > 0.0
    totals = k.sum(axis=2), n.sum(axis=2)
    used = totals[1].sum(axis=0) > 0.0 if bounded else ~constant_questions(*totals)
    if not used.any():
        msg = f"{source}: every question is constant, so none tells systems apart."
        raise InputError(msg)
    k, n = k[:, used], n[:, used]
    if not bounded:
        names = tuple(q for q, u in zip(questions, used, strict=True) if u)
        reason = why_no_ability(k.sum(axis=2), n.sum(axis=2), systems, names, linked=True)
        if reason is not None:
            msg = f"{source}: no finite maximum of the likelihood: {reason}; ability_sd= bounds it."
            raise InputError(msg)
    ability, b, log_likelihood = _climb(k, n, basis, precision, source)
    difficulty = np.full(len(questions), np.nan)
    difficulty[used] = b
    return DynamicFit(systems, questions, t, ability, difficulty, log_likelihood)


def _periods(
    data: Responses | tuple[Floats, Floats],
) -> tuple[Floats, Floats, tuple[str, ...], tuple[str, ...], str]:
    """Return successes and trials of each period, names, and the source for messages."""
    if isinstance(data, Responses):
        if data.outcomes is None or data.n_categories != 2:
            msg = (
                f"{data.source}: abilities that change need ordered trials of success and failure; "
                f"counts only say how often."
            )
            raise ArgumentError(msg)
        seen = data.outcomes >= 0
        k = np.where(seen, data.outcomes, 0).astype(np.float64)
        return k, seen.astype(np.float64), data.systems, data.questions, data.source
    k = np.asarray(data[0], dtype=np.float64)
    if k.ndim != 3 or 0 in k.shape:
        msg = f"successes have shape {k.shape}; (system, question, period) was expected."
        raise ArgumentError(msg)
    n = np.broadcast_to(np.asarray(data[1], dtype=np.float64), k.shape)
    if not ((k >= 0.0) & (k <= n) & np.isfinite(n)).all():
        msg = "counts: successes must lie from 0 to their trials, and be finite."
        raise InputError(msg)
    systems = tuple(f"model {i + 1}" for i in range(k.shape[0]))
    return k, n, systems, tuple(f"question {j + 1}" for j in range(k.shape[1])), "counts"


def _times(times: ArrayLike | None, periods: int) -> Floats:
    if times is None:
        return np.linspace(0.0, 1.0, periods) if periods > 1 else np.zeros(1)
    t = np.asarray(times, dtype=np.float64)
    if t.shape != (periods,) or not np.isfinite(t).all() or (np.diff(t) <= 0.0).any():
        msg = f"times must be {periods} finite numbers that increase, one for each period."
        raise ArgumentError(msg)
    return t


def _climb(
    k: Floats, n: Floats, basis: Floats, precision: Floats, source: str
) -> tuple[Floats, Floats, float]:
    """Return abilities, difficulties and log-likelihood at the maximum, by Newton's method."""
    L, M, _ = k.shape
    q = basis.shape[1]
    S, T = k.sum(axis=1) @ basis, k.sum(axis=(0, 2))
    phi, b = np.zeros((L, q)), np.zeros(M)

    def evaluate(phi: Floats, b: Floats) -> tuple[float, float, Floats]:
        eta = (phi @ basis.T)[:, None, :] - b[:, None]
        log_likelihood = float((S * phi).sum() - T @ b - (n * np.logaddexp(0.0, eta)).sum())
        penalty = 0.5 * float(np.einsum("li,ij,lj->", phi, precision, phi))
        return log_likelihood - penalty, log_likelihood, eta

    value, log_likelihood, eta = evaluate(phi, b)
    for _ in range(_STEPS):
        p = expit(eta)
        expected = n * p
        w = expected * (1.0 - p)
        g_phi = S - expected.sum(axis=1) @ basis - phi @ precision
        g_b = expected.sum(axis=(0, 2)) - T
        own = np.einsum("lt,ti,tj->lij", w.sum(axis=1), basis, basis) + precision
        # Only the common shift is free without a prior: this bounds it, and is taken out below.
        own[:, np.arange(q), np.arange(q)] += 1e-10 * w.sum() / (L * q)
        move_phi, move_b = _step(own, w @ basis, w.sum(axis=(0, 2)), g_phi, g_b, b)
        gain = float((g_phi * move_phi).sum() + g_b @ move_b)
        if gain < _DECREMENT * max(1.0, abs(value)):
            return phi @ basis.T, b, log_likelihood
        scale = 1.0
        while True:
            found = evaluate(phi + scale * move_phi, b + scale * move_b)
            noise = 1e-13 * max(1.0, abs(value))
            if found[0] >= value + 1e-4 * scale * gain - noise:
                break
            scale /= 2.0
        # With penalties far stronger than the data, rounding keeps the gain above the threshold.
        ended = gain < _NEARLY * max(1.0, abs(value)) and found[0] <= value + noise
        phi, b = phi + scale * move_phi, b + scale * move_b
        value, log_likelihood, eta = found
        if ended:
            return phi @ basis.T, b, log_likelihood
    msg = f"{source}: Newton's method found no finite maximum; stronger penalties bound it."
    raise InputError(msg)


def _step(
    own: Floats, between: Floats, of_b: Floats, g_phi: Floats, g_b: Floats, b: Floats
) -> tuple[Floats, Floats]:
    """Return Newton's step that brings the sum of difficulties to zero.

    `own` are blocks of systems (system, coefficient, coefficient), `between` those with questions
    (system, question, coefficient) with their sign turned, `of_b` those of questions.
    """
    L, M, q = between.shape
    right = np.stack([g_b, np.ones(M)], axis=1)
    if L * q >= M:  # eliminate the coefficients, system by system
        solved = np.linalg.solve(own, between.transpose(0, 2, 1))
        schur = np.diag(of_b) - np.einsum("lmi,lij->mj", between, solved)
        coefficient = np.linalg.solve(own, g_phi[:, :, None])
        right[:, 0] += np.einsum("lmi,li->m", between, coefficient[:, :, 0])
        x_b = np.linalg.solve(schur, right)
        x_phi = solved @ x_b
        x_phi[:, :, 0] += coefficient[:, :, 0]
    else:  # eliminate the difficulties, one by one
        flat = between.transpose(0, 2, 1).reshape(L * q, M)
        schur = -(flat / of_b) @ flat.T
        for i in range(L):
            schur[i * q : (i + 1) * q, i * q : (i + 1) * q] += own[i]
        top = (flat / of_b) @ right
        top[:, 0] += g_phi.ravel()
        x_flat = np.linalg.solve(schur, top)
        x_b = (right + flat.T @ x_flat) / of_b[:, None]
        x_phi = x_flat.reshape(L, q, 2)
    share = (x_b[:, 0] + b).sum() / x_b[:, 1].sum()
    return x_phi[:, :, 0] - share * x_phi[:, :, 1], x_b[:, 0] - share * x_b[:, 1]
