"""The maximum-entropy equilibrium of a symmetric zero-sum game."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from bayesrank.exceptions import BayesrankError
from bayesrank.ranking._highs import nothing_on_stdout

type Floats = NDArray[np.float64]

_ROUNDING = 1e-10
_STEPS = 100


def maximum_entropy_equilibrium(payoff: Floats) -> Floats:
    """Return the mixture of largest entropy among those that no strategy beats, shape (strategy,).

    Parameters
    ----------
    payoff : ndarray, shape (strategy, strategy)
        Antisymmetric.

    Notes
    -----
    By Tucker's theorem there is an unnormalised mixture x >= 0 with x A >= 0 and x + x A > 0: a
    strategy is played by some equilibrium where x is above 0, and loses to all of them where x A
    is. One linear program finds it. Among the strategies that are played an equilibrium solves
    linear equations, and where these leave a choice, Newton's method finds the largest entropy.
    """
    size = len(payoff)
    scale = float(np.abs(payoff).max(initial=0.0))
    if scale == 0.0:
        return np.full(size, 1.0 / size)
    game = payoff / scale
    with nothing_on_stdout():
        answer = linprog(
            np.ones(size),
            A_ub=np.vstack([game, game - np.eye(size)]),  # x A = -A x >= 0, and x - A x >= 1
            b_ub=np.concatenate([np.zeros(size), -np.ones(size)]),
            method="highs",
        )
    if answer.x is None or answer.status != 0:
        msg = f"HiGHS found no equilibrium: {answer.message}"
        raise BayesrankError(msg)
    x = np.asarray(answer.x, dtype=np.float64)
    played = x > -game @ x
    mixture = np.zeros(size)
    inside, outside = game[np.ix_(played, played)], game[np.ix_(played, ~played)]
    mixture[played] = _most_even(inside, outside, x[played] / x[played].sum())
    return mixture


def _most_even(inside: Floats, outside: Floats, start: Floats) -> Floats:
    """Return the most even x > 0 with x inside = 0, x outside >= 0 and sum 1.

    A method of active sets: from one feasible mixture to the next, towards the most even one on
    the bounds that hold as equations so far.
    """
    equal = np.vstack([inside.T, np.ones(len(start))])
    goal = np.append(np.zeros(len(inside)), 1.0)
    active: list[int] = []
    x = start
    for _ in range(10 * (outside.shape[1] + 1)):
        rows = np.vstack([equal, outside.T[active]])
        target, multiplier = _entropy_on(rows, np.append(goal, np.zeros(len(active))))
        slack, new_slack = x @ outside, target @ outside
        new_slack[active] = 0.0
        blocking = np.flatnonzero(new_slack < -_ROUNDING)
        if len(blocking):
            there = np.maximum(slack[blocking], 0.0)
            reached = there / (there - new_slack[blocking])
            x = x + reached.min() * (target - x)
            active.append(int(blocking[np.argmin(reached)]))
            continue
        x = target
        weights = multiplier[len(goal) :]
        if not len(weights) or weights.min() >= -_ROUNDING:
            break
        del active[int(np.argmin(weights))]
    return x


def _entropy_on(rows: Floats, goal: Floats) -> tuple[Floats, Floats]:
    """Return the most even x with rows @ x = goal, and what each row weighs in log x."""
    left, values, right = np.linalg.svd(rows, full_matrices=False)
    rank = int((values > _ROUNDING * values[0]).sum())
    basis, reduced = right[:rank], (left.T @ goal)[:rank] / values[:rank]
    size = rows.shape[1]
    if rank == size:
        x = np.maximum(basis.T @ reduced, np.finfo(float).tiny)
        v = basis @ np.log(x)
    else:
        v = _solved(basis, reduced, basis @ np.full(size, -np.log(size)))
        x = np.exp(basis.T @ v)
    return x / x.sum(), left[:, :rank] @ (v / values[:rank])


def _solved(basis: Floats, goal: Floats, v: Floats) -> Floats:
    """Minimise sum exp(basis.T v) - goal v by Newton's method."""
    x = np.exp(basis.T @ v)
    value = x.sum() - goal @ v
    for _ in range(_STEPS):
        gradient = basis @ x - goal
        step = np.linalg.solve((basis * x) @ basis.T, -gradient)
        size = 1.0
        while True:
            trial = v + size * step
            with np.errstate(over="ignore"):
                x = np.exp(basis.T @ trial)
                new = x.sum() - goal @ trial
            if new <= value + 1e-15 * abs(value) or size < 1e-12:
                break
            size /= 2.0
        v, value = trial, new
        if -gradient @ step < 1e-28:
            break
    return v
