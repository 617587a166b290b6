r"""Compensatory item response with several abilities, integrated out (MIRT by MML).

Success has the probability :math:`c_m + (1 - c_m) \sigma(d_m + a_m' \theta_l)` with
:math:`\theta_l \sim N(0, I)`. Nodes are placed on the posterior of each system: around its mode, as
wide as it is, so that they do not miss posteriors that are narrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logit

from bayesrank._validate import validate_count, validate_finite
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.item_response import cell_counts, item_terms
from bayesrank.likelihoods.item_response_existence import constant_questions
from bayesrank.likelihoods.item_response_fit import fixed_guessing

__all__ = ["DimensionsFit", "fit_mirt"]

type Floats = NDArray[np.float64]

_MOST_DIMENSIONS = 3
# Nodes in each direction: exact for posteriors that are normal times a polynomial of degree 13.
_NODES = 7
_ROUNDS = 40
_NEWTON_STEPS = 50
# Nodes are placed anew until the objective is the same to this.
_SAME = 1e-8


@dataclass(frozen=True, eq=False)
class DimensionsFit:
    """Questions at the marginal maximum, and posteriors of abilities there.

    Attributes
    ----------
    systems, questions : tuple of str
        Their names.
    ability : ndarray, shape (system, dimension)
        Posterior means (EAP). Axes are the principal ones of the loadings, the heaviest first, and
        point to where questions are answered better on the whole.
    ability_covariance : ndarray, shape (system, dimension, dimension)
        Of the posteriors.
    easiness : ndarray, shape (question,)
        Intercepts in logits; infinite for constant questions.
    loading : ndarray, shape (question, dimension)
        Slopes; zero for constant questions.
    log_likelihood : float
        Marginal, without binomial coefficients and prior.
    """

    systems: tuple[str, ...]
    questions: tuple[str, ...]
    ability: Floats
    ability_covariance: Floats
    easiness: Floats
    loading: Floats
    log_likelihood: float

    @property
    def composite(self) -> Floats:
        """Ability along the average loading, in logits of the average question, shape (system,)."""
        return self.ability @ self.loading.mean(axis=0)


def fit_mirt(
    data: Responses | tuple[Floats, Floats],
    *,
    dimensions: int = 2,
    loading_sd: float = 2.0,
    guessing: float | Sequence[float] = 0.0,
) -> DimensionsFit:
    """Maximise the marginal likelihood of questions that load on several abilities.

    Parameters
    ----------
    data : Responses, or tuple of successes and trials
        Arrays are of shape (system, question), and may hold expected or weighted counts.
    dimensions : int, default 2
        Two or three; one is `fit_mml` with ``kind="2pl"``.
    loading_sd : float, default 2
        Standard deviation of normal priors of loadings around zero: with few systems the likelihood
        alone does not bound them. It does not depend on how the axes are turned.
    guessing : float or sequence of float, shape (question,), default 0
        Known probability of success without knowing the answer.

    Returns
    -------
    DimensionsFit

    Raises
    ------
    ArgumentError
        For another number of dimensions.
    InputError
        For fewer systems or questions that differ than dimensions need.

    References
    ----------
    .. [1] Reckase, M. D. (2009). Multidimensional Item Response Theory. Springer.
       https://doi.org/10.1007/978-0-387-89976-3
    .. [2] Schilling, S. and Bock, R. D. (2005). High-dimensional maximum marginal likelihood item
       factor analysis by adaptive quadrature. Psychometrika 70(3), 533-555.
       https://doi.org/10.1007/s11336-003-1141-x

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.likelihoods import fit_mirt
    >>> responses = bayesrank.simulate_responses(systems=8, questions=12, random_seed=1)
    >>> fit_mirt(responses).ability.shape
    (8, 2)
    """
    dims = validate_count(dimensions, name="dimensions", minimum=2)
    if dims > _MOST_DIMENSIONS:
        msg = f"dimensions={dims}: at most {_MOST_DIMENSIONS} can be integrated over."
        raise ArgumentError(msg)
    if validate_finite(loading_sd, name="loading_sd", minimum=0.0) == 0.0:
        msg = "loading_sd=0 leaves nothing to estimate."
        raise ArgumentError(msg)
    k, n, systems, questions, source = cell_counts(data)
    used = ~constant_questions(k, n)
    if min(len(systems), int(used.sum())) <= dims:
        msg = (
            f"{source}: {len(systems)} models and {int(used.sum())} questions that are not "
            f"constant cannot show {dims} dimensions; more than {dims} of each are needed."
        )
        raise InputError(msg)
    problem = _Problem(k[:, used], n[:, used], dims, loading_sd, fixed_guessing(guessing, used))
    d, A = problem.climb()
    value, mean, covariance = problem.posterior(d, A)
    turn = _principal_axes(A)
    easiness = np.where((n - k).sum(axis=0) <= 0.0, np.inf, -np.inf)
    easiness[n.sum(axis=0) <= 0.0] = np.nan
    easiness[used] = d
    loading = np.zeros((len(questions), dims))
    loading[used] = A @ turn
    return DimensionsFit(
        systems=systems,
        questions=questions,
        ability=mean @ turn,
        ability_covariance=turn.T @ covariance @ turn,
        easiness=easiness,
        loading=loading,
        log_likelihood=value,
    )


def _principal_axes(loading: Floats) -> Floats:
    """Return the rotation to principal axes of the loadings, each with a sum above zero."""
    _, _, axes = np.linalg.svd(loading, full_matrices=False)
    turn = axes.T
    signs = np.sign((loading @ turn).sum(axis=0))
    return turn * np.where(signs == 0.0, 1.0, signs)


class _Problem:
    """The marginal log-likelihood plus the log prior of loadings, on nodes around each system."""

    def __init__(
        self, k: Floats, n: Floats, dims: int, loading_sd: float, guessing: Floats | float
    ) -> None:
        self.k, self.n = k, n
        self.dims = dims
        self.precision = loading_sd**-2.0
        self.c = np.broadcast_to(np.asarray(guessing, dtype=np.float64), (k.shape[1],))
        x, w = np.polynomial.hermite_e.hermegauss(_NODES)
        grid = np.meshgrid(*[x] * dims, indexing="ij")
        self.z = np.stack([g.ravel() for g in grid], axis=1)
        weights = np.meshgrid(*[np.log(w / w.sum())] * dims, indexing="ij")
        self.log_w = np.sum([g.ravel() for g in weights], axis=0)
        self.mode = np.zeros((len(k), dims))

    def climb(self) -> tuple[Floats, Floats]:
        """Return easiness and loadings at the maximum."""
        d, loading = self.start()
        before = -np.inf
        for _ in range(_ROUNDS):
            d, loading, value = self.climb_once(d, loading)
            if abs(value - before) <= _SAME * max(1.0, abs(value)):
                break
            before = value
        return d, loading

    def climb_once(self, d: Floats, loading: Floats) -> tuple[Floats, Floats, float]:
        """Return the maximum on nodes around the posteriors at this point, and the value there."""
        theta, log_weight = self.nodes(d, loading)
        scale = 1.0 / np.sqrt(0.15 * self.n.sum(axis=0) + self.precision)[:, None]
        shape = (len(d), 1 + self.dims)

        def moved(y: Floats) -> tuple[Floats, Floats]:
            step = y.reshape(shape) * scale
            return d + step[:, 0], loading + step[:, 1:]

        def objective(y: Floats) -> tuple[float, Floats]:
            value, slope = self.evaluate(*moved(y), theta, log_weight)
            return -value, -(slope * scale).ravel()

        done: Any = minimize(
            objective,
            np.zeros(shape).ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxcor": 30, "maxiter": 200, "ftol": 1e-13, "gtol": 1e-7},
        )
        return *moved(done.x), -float(done.fun)

    def start(self) -> tuple[Floats, Floats]:
        """Return what the leading components of smoothed logits say."""
        seen = logit((self.k + 0.5) / (self.n + 1.0))
        d = seen.mean(axis=0)
        U, s, V = np.linalg.svd(seen - d, full_matrices=False)
        L = len(self.k)
        self.mode = np.sqrt(L) * U[:, : self.dims]
        return d, (s[: self.dims, None] * V[: self.dims]).T / np.sqrt(L)

    def nodes(self, d: Floats, loading: Floats) -> tuple[Floats, Floats]:
        """Return nodes around each system's mode, and their log weights with the normal prior.

        Shapes (system, node, dimension) and (system, node).
        """
        theta = self.mode
        value, slope, information = self.density(theta, d, loading)
        for _ in range(_NEWTON_STEPS):
            move = np.linalg.solve(information, slope[:, :, None])[:, :, 0]
            gain = (move * slope).sum(axis=1)
            if gain.max() < 1e-12:
                break
            scale = np.ones(len(theta))
            found = self.density(theta + move, d, loading)
            for _ in range(40):
                short = found[0] < value - 1e-12 * np.abs(value)
                if not short.any():
                    break
                scale[short] /= 2.0
                found = self.density(theta + scale[:, None] * move, d, loading)
            theta = theta + scale[:, None] * move
            value, slope, information = found
        self.mode = theta
        # With information C C', mode + C'^-1 z has its inverse as covariance.
        factor = np.linalg.inv(np.linalg.cholesky(information)).transpose(0, 2, 1)
        at = theta[:, None, :] + self.z @ factor.transpose(0, 2, 1)
        log_size = np.log(np.abs(np.linalg.det(factor)))
        log_weight = (
            self.log_w
            + 0.5 * np.square(self.z).sum(axis=1)
            + log_size[:, None]
            - 0.5 * np.square(at).sum(axis=2)
        )
        return at, log_weight

    def density(self, theta: Floats, d: Floats, loading: Floats) -> tuple[Floats, Floats, Floats]:
        """Return log density of each system, its gradient and expected information."""
        terms = item_terms(d + theta @ loading.T, self.c, self.k, self.n)
        value = terms.value.sum(axis=1) - 0.5 * np.square(theta).sum(axis=1)
        information = np.einsum("lm,mi,mj->lij", terms.eta_eta, loading, loading) + np.eye(
            self.dims
        )
        return value, terms.d_eta @ loading - theta, information

    def evaluate(
        self, d: Floats, loading: Floats, theta: Floats, log_weight: Floats
    ) -> tuple[float, Floats]:
        """Return the objective and its gradient, shape (question, 1 + dimension)."""
        total, slope = (
            -0.5 * self.precision * float(np.square(loading).sum()),
            np.zeros((len(d), 1)),
        )
        slope = np.hstack([slope, -self.precision * loading])
        for k, n, at, w in zip(self.k, self.n, theta, log_weight, strict=True):
            terms = item_terms(d + at @ loading.T, self.c, k, n)
            level = terms.value.sum(axis=1) + w
            top = level.max()
            p = np.exp(level - top)
            total += top + float(np.log(p.sum()))
            residual = terms.d_eta * (p / p.sum())[:, None]
            slope[:, 0] += residual.sum(axis=0)
            slope[:, 1:] += residual.T @ at
        return total, slope

    def posterior(self, d: Floats, loading: Floats) -> tuple[float, Floats, Floats]:
        """Return the marginal log-likelihood, posterior means and covariances."""
        theta, log_weight = self.nodes(d, loading)
        value, _ = self.evaluate(d, loading, theta, log_weight)
        mean, covariance = np.empty_like(self.mode), np.empty((len(theta), self.dims, self.dims))
        for i, (at, w) in enumerate(zip(theta, log_weight, strict=True)):
            level = (
                item_terms(d + at @ loading.T, self.c, self.k[i], self.n[i]).value.sum(axis=1) + w
            )
            p = np.exp(level - level.max())
            p /= p.sum()
            mean[i] = p @ at
            covariance[i] = ((at - mean[i]) * p[:, None]).T @ (at - mean[i])
        return value + 0.5 * self.precision * float(np.square(loading).sum()), mean, covariance
