"""The Kemeny order by integer programming: rows of the program are added as they are needed."""

from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from bayesrank.ranking._highs import nothing_on_stdout
from bayesrank.ranking._kemeny_solution import Solution, closure, cost_of

type Floats = NDArray[np.float64]

# A triangle is violated, and a pair undecided, from here on.
_ROUNDING = 1e-6
# Violated triangles that are added in one round: the worst of each pair.
_AT_ONCE = 5_000


def improve(wins: Floats, start: Solution, *, time_limit: float) -> Solution:
    """Return the best order that integer programming finds in time, with a bound of its cost.

    Parameters
    ----------
    wins : ndarray, shape (system, system)
        How often one system was above the other.
    start : Solution
        An order to improve on.
    time_limit : float
        Seconds.

    Notes
    -----
    There is a variable for each pair, 1 where the first of the two stands before the second. That
    no three go in a circle is demanded only of those triples that would [1]_. A pair stands before
    in every best order where the program with that pair turned round costs more.

    References
    ----------
    .. [1] Grötschel, M., Jünger, M. and Reinelt, G. (1984). A cutting plane algorithm for the
       linear ordering problem. Operations Research 32(6), 1195-1220.
       https://doi.org/10.1287/opre.32.6.1195
    """
    program = _Program(wins, monotonic() + time_limit)
    best = start
    relaxed = program.minimum(whole=False)
    while relaxed is not None:
        best = program.better(best, relaxed.ahead)
        best = replace(best, bound=max(best.bound, program.rounded_up(relaxed.bound)))
        if best.bound >= best.cost - program.rounding:
            break
        relaxed = program.minimum(whole=True) if not program.whole else None
    if best.bound < best.cost - program.rounding:
        return best
    best = replace(best, bound=best.cost)
    return replace(best, before=program.shared(best))


@dataclass(frozen=True, eq=False)
class _Answer:
    ahead: Floats  # shape (system, system): 1 where the row stands before the column
    bound: float


@dataclass(eq=False)
class _Program:
    wins: Floats
    deadline: float
    triangles: list[NDArray[np.intp]] = field(default_factory=list)
    whole: bool = False

    def __post_init__(self) -> None:
        n = len(self.wins)
        self.first, self.second = np.triu_indices(n, 1)
        self.index = np.zeros((n, n), dtype=np.intp)
        self.index[self.first, self.second] = np.arange(len(self.first))
        self.index = self.index + self.index.T
        self.cost = self.wins[self.second, self.first] - self.wins[self.first, self.second]
        self.constant = float(self.wins[self.first, self.second].sum())
        self.rounding = 1e-9 * max(float(self.wins.sum()), 1.0)
        doubled = 2.0 * self.wins
        self.halves = bool((np.abs(doubled - np.rint(doubled)) < 1e-9).all())

    def rounded_up(self, bound: float) -> float:
        """Return a bound that whole and half votes sharpen."""
        return float(np.ceil(2.0 * bound - _ROUNDING)) / 2.0 if self.halves else bound

    def minimum(self, *, whole: bool, fixed: tuple[int, int] | None = None) -> _Answer | None:
        """Return the optimum without circles, or None once the time is over.

        Of `fixed` the first stands before the second.
        """
        self.whole = self.whole or (whole and fixed is None)
        low, high = np.zeros(len(self.first)), np.ones(len(self.first))
        if fixed is not None:
            i, j = fixed
            (low if i < j else high)[self.index[i, j]] = 1.0 if i < j else 0.0
        while (left := self.deadline - monotonic()) > 0:
            with nothing_on_stdout():
                answer = milp(
                    self.cost,
                    integrality=np.full(len(self.cost), int(whole)),
                    bounds=Bounds(low, high),  # pyright: ignore[reportArgumentType]
                    constraints=self._constraints(),
                    options={"time_limit": left, "mip_rel_gap": 0.0},
                )
            if answer.x is None or not answer.success:
                return None
            ahead = self._square(answer.x)
            found = self._circles(ahead)
            if not len(found):
                return _Answer(ahead, float(answer.fun) + self.constant)
            self.triangles.append(found)
        return None

    def better(self, best: Solution, ahead: Floats) -> Solution:
        """Return the order of the systems by how many they stand before, if it costs less."""
        order = np.argsort(-ahead.sum(axis=1), kind="stable")
        cost = cost_of(self.wins, order)
        if cost >= best.cost - self.rounding:
            return best
        before = np.zeros(ahead.shape, dtype=np.bool_)
        before[np.ix_(order, order)] = np.triu(np.ones(ahead.shape, dtype=np.bool_), k=1)
        return replace(best, order=order, before=before, cost=cost)

    def shared(self, best: Solution) -> NDArray[np.bool_]:
        """Return who stands before whom in every best order; in doubt, nobody does."""
        before = np.zeros(self.wins.shape, dtype=np.bool_)
        place = np.argsort(best.order)
        certain = np.triu(np.ones(before.shape, dtype=np.bool_), k=1)
        open_ = certain[np.ix_(place, place)]
        limit = best.cost + self.rounding
        for i in best.order:
            for j in best.order[place[i] + 1 :]:
                if not open_[i, j]:
                    continue
                turned = self.minimum(whole=False, fixed=(int(j), int(i)))
                if turned is not None and self.rounded_up(turned.bound) <= limit:
                    turned = self.minimum(whole=True, fixed=(int(j), int(i)))
                if turned is None:
                    open_[i, j] = False
                elif self.rounded_up(turned.bound) > limit:
                    before[i, j] = True
                else:
                    # Another best order: every pair that it turns round is a tie.
                    other = turned.ahead > 0.5
                    open_ &= other
        return closure(before)

    def _square(self, x: Floats) -> Floats:
        ahead = np.zeros(self.wins.shape)
        ahead[self.first, self.second] = x
        ahead[self.second, self.first] = 1.0 - x
        return ahead

    def _circles(self, ahead: Floats) -> NDArray[np.intp]:
        """Return triples that go in a circle, the worst for each pair, shape (triple, 3)."""
        found: list[NDArray[np.intp]] = []
        sizes: list[Floats] = []
        for i in range(len(ahead)):
            # i before j, j before k, k before i: at most two of them hold.
            excess = ahead[i][:, np.newaxis] + ahead + ahead[:, i] - 2.0
            excess[: i + 1] = excess[:, : i + 1] = -1.0
            np.fill_diagonal(excess, -1.0)
            k = excess.argmax(axis=1)
            j = np.flatnonzero(excess[np.arange(len(ahead)), k] > _ROUNDING)
            found.append(np.stack([np.full(len(j), i), j, k[j]], axis=1))
            sizes.append(excess[j, k[j]])
        worst = np.argsort(-np.concatenate(sizes), kind="stable")[:_AT_ONCE]
        return np.concatenate(found)[worst]

    def _constraints(self) -> list[LinearConstraint]:
        if not self.triangles:
            return []
        i, j, k = np.concatenate(self.triangles).T
        rows = np.repeat(np.arange(len(i)), 3)
        pairs = [(i, j), (j, k), (k, i)]
        columns = np.stack([self.index[a, b] for a, b in pairs], axis=1)
        sign = np.stack([np.where(a < b, 1.0, -1.0) for a, b in pairs], axis=1)
        # A pair that is turned round counts 1 - x.
        limit = 2.0 - (sign < 0).sum(axis=1)
        matrix = csr_array((sign.ravel(), (rows, columns.ravel())), shape=(len(i), len(self.cost)))
        return [LinearConstraint(matrix, -np.inf, limit)]  # pyright: ignore[reportArgumentType]
