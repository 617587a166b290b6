r"""Rasch abilities and difficulties at the maximum, from sums over rows and columns.

The log-likelihood :math:`\sum_l S_l \theta_l - \sum_m T_m b_m - \sum_{lm} n_{lm}
\log(1 + e^{\theta_l - b_m})` depends on the successes through their sums only. They may be
expected counts of many posterior draws at once: everything here has a leading axis of draws.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from bayesrank.exceptions import InputError

__all__ = ["LogPrior", "normal_log_prior", "solve_rasch"]

type Floats = NDArray[np.float64]
type LogPrior = Callable[[Floats], tuple[Floats, Floats, Floats]]

_STEPS = 200
# Newton's decrement, twice the log-likelihood still to gain, at which the maximum is found.
_DECREMENT = 1e-18
_AT_ONCE = 2_000_000


def normal_log_prior(sd: float, mean: Floats | float = 0.0) -> LogPrior:
    """Return log density, slope and curvature (negative second derivative) of a normal prior.

    Parameters
    ----------
    sd : float
        Standard deviation, in logits.
    mean : ndarray or float, default 0
        Mean, broadcast against the parameters.

    Returns
    -------
    callable
        From parameters to log density without its constant, slope and curvature of each.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods.item_response_rasch import normal_log_prior
    >>> [float(v[0]) for v in normal_log_prior(2.0)(np.array([1.0]))]
    [-0.125, -0.25, 0.25]
    """

    def log_prior(x: Floats) -> tuple[Floats, Floats, Floats]:
        z = (x - mean) / sd
        return -0.5 * z * z, -z / sd, np.full_like(x, sd**-2.0)

    return log_prior


def solve_rasch(
    row_sums: Floats,
    column_sums: Floats,
    *,
    trials: Floats,
    row_repeats: Floats,
    column_repeats: Floats,
    ability_prior: LogPrior | None,
    difficulty_prior: LogPrior | None,
    source: str,
) -> tuple[Floats, Floats, Floats]:
    r"""Maximise the log-likelihood plus log priors, with difficulties that sum to zero.

    Parameters
    ----------
    row_sums, column_sums : ndarray, shapes (draw, system) and (draw, question)
        Successes of each system and each question.
    trials : ndarray, shape (system, question)
        Trials or weights of each cell.
    row_repeats, column_repeats : ndarray, shapes (system,) and (question,)
        How many systems, or questions, each stands for.
    ability_prior, difficulty_prior : callable or None
        Log density, slope and curvature of each parameter; a curvature must not be negative.
    source : str
        Name of the data in messages.

    Returns
    -------
    ability, difficulty : ndarray, shapes (draw, system) and (draw, question)
    log_likelihood : ndarray, shape (draw,)

    Raises
    ------
    InputError
        Where Newton's method does not converge, as without a finite maximum.
    """
    draws, L = row_sums.shape
    M = column_sums.shape[1]
    size = max(1, _AT_ONCE // (L * M))
    parts = [
        _Problem(
            row_sums[start : start + size],
            column_sums[start : start + size],
            trials,
            row_repeats,
            column_repeats,
            ability_prior,
            difficulty_prior,
            source,
        ).solve()
        for start in range(0, draws, size)
    ]
    ability, difficulty, value = (np.concatenate(p) for p in zip(*parts, strict=True))
    return ability, difficulty, value


class _Problem:
    """One chunk of draws."""

    def __init__(
        self,
        row_sums: Floats,
        column_sums: Floats,
        trials: Floats,
        row_repeats: Floats,
        column_repeats: Floats,
        ability_prior: LogPrior | None,
        difficulty_prior: LogPrior | None,
        source: str,
    ) -> None:
        self.S, self.T = row_sums, column_sums
        self.n = trials
        self.u, self.v = row_repeats, column_repeats
        # Every cell counts as often as its systems and questions are repeated.
        self.weight = trials * np.multiply.outer(row_repeats, column_repeats)
        self.priors = ability_prior, difficulty_prior
        self.bounded = ability_prior is not None or difficulty_prior is not None
        self.source = source

    def solve(self) -> tuple[Floats, Floats, Floats]:
        theta, b = self.start()
        value = self.value(theta, b)
        active = np.ones(len(theta), dtype=bool)
        for _ in range(_STEPS):
            move_theta, move_b, decrement = self.newton(theta, b)
            active &= decrement > _DECREMENT * np.maximum(1.0, np.abs(value))
            if not active.any():
                return theta, b, self.log_likelihood(theta, b)
            scale = np.where(active, 1.0, 0.0)
            for _ in range(60):
                s = scale[:, None]
                tried = self.value(theta + s * move_theta, b + s * move_b)
                gain = 1e-4 * scale * decrement
                # Below the noise of a sum, what a step gains cannot be seen any more.
                noise = 1e-13 * np.maximum(1.0, np.abs(value))
                short = ~(tried >= value + gain) & ~(scale * decrement < noise) & active
                if not short.any():
                    break
                scale = np.where(short, scale / 2, scale)
            else:
                break
            s = scale[:, None]
            theta, b, value = theta + s * move_theta, b + s * move_b, tried
        msg = (
            f"{self.source}: Newton's method found no finite maximum of the Rasch likelihood; "
            f"a prior makes it finite."
        )
        raise InputError(msg)

    def start(self) -> tuple[Floats, Floats]:
        """Return smoothed logits of the means."""
        rows = self.n @ self.v
        columns = self.u @ self.n
        theta = np.log((self.S + 0.5) / (rows - self.S + 0.5))
        b = -np.log((self.T + 0.5) / (columns - self.T + 0.5))
        theta = theta - (theta @ self.u / self.u.sum())[:, None]
        centre = (b @ self.v / self.v.sum())[:, None]
        return theta - centre, b - centre

    def log_likelihood(self, theta: Floats, b: Floats) -> Floats:
        eta = theta[:, :, None] - b[:, None, :]
        normaliser = np.einsum("dlm,lm->d", np.logaddexp(0.0, eta), self.weight)
        return (self.S * theta) @ self.u - (self.T * b) @ self.v - normaliser

    def value(self, theta: Floats, b: Floats) -> Floats:
        found = self.log_likelihood(theta, b)
        for prior, x, repeats in zip(self.priors, (theta, b), (self.u, self.v), strict=True):
            if prior is not None:
                found = found + prior(x)[0] @ repeats
        return found

    def newton(self, theta: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the step that keeps the sum of difficulties, and Newton's decrement."""
        p = expit(theta[:, :, None] - b[:, None, :])
        expected = p * self.weight
        slope_theta = self.S * self.u - expected.sum(axis=2)
        slope_b = expected.sum(axis=1) - self.T * self.v
        W = expected * (1.0 - p)
        D_theta, D_b = W.sum(axis=2), W.sum(axis=1)
        for prior, x, slope, information, repeats in (
            (self.priors[0], theta, slope_theta, D_theta, self.u),
            (self.priors[1], b, slope_b, D_b, self.v),
        ):
            if prior is not None:
                _, d, curvature = prior(x)
                slope += repeats * d
                information += repeats * curvature
        ones = np.broadcast_to(self.v, b.shape)
        free = None if self.bounded else D_b.mean(axis=1)
        solved = _solve_blocks(
            D_theta,
            D_b,
            W,
            np.stack([slope_theta, np.zeros_like(theta)], axis=2),
            np.stack([slope_b, ones], axis=2),
            free,
        )
        step_theta, step_b = (s[:, :, 0] for s in solved)
        if self.bounded:  # bring the sum of difficulties back to zero
            aside_theta, aside_b = (s[:, :, 1] for s in solved)
            share = ((step_b + b) @ self.v / (aside_b @ self.v))[:, None]
            step_theta = step_theta - share * aside_theta
            step_b = step_b - share * aside_b
        else:
            shift = ((step_b + b) @ self.v / self.v.sum())[:, None]
            step_theta, step_b = step_theta - shift, step_b - shift
        decrement = (slope_theta * step_theta).sum(axis=1) + (slope_b * step_b).sum(axis=1)
        return step_theta, step_b, decrement


def _solve_blocks(
    rows: Floats,
    columns: Floats,
    cells: Floats,
    right_rows: Floats,
    right_columns: Floats,
    free: Floats | None,
) -> tuple[Floats, Floats]:
    """Solve [[rows, -cells], [-cells', columns]] x = right by elimination of the longer side.

    Rows and columns are diagonals. Where no prior holds the common shift, `free` is a curvature
    for it; it changes no difference.
    """
    turned = cells.transpose(0, 2, 1)
    if rows.shape[1] > columns.shape[1]:
        x_columns, x_rows = _solve_blocks(columns, rows, turned, right_columns, right_rows, free)
        return x_rows, x_columns
    scaled = cells / columns[:, None, :]
    schur = -scaled @ turned
    diagonal = np.arange(schur.shape[1])
    schur[:, diagonal, diagonal] += rows
    if free is not None:
        schur += free[:, None, None] / schur.shape[1]
    x_rows = np.linalg.solve(schur, right_rows + scaled @ right_columns)
    return x_rows, (right_columns + turned @ x_rows) / columns[:, :, None]
