"""The distribution of a robustness number when the scores themselves are uncertain."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from bayesrank._validate import validate_choice, validate_labels, validate_probability
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.ranking._batches import mcse_of_mean
from bayesrank.ranking.operators import OPERATORS, TIES, Operator, Ties
from bayesrank.robustness._cover import cheapest_cover, lower_bound, no_dearer
from bayesrank.robustness._requirements import Requirements, fewest_terms, requirements_of
from bayesrank.robustness._scores import (
    PerCell,
    PerTask,
    ScoreMatrix,
    as_ceiling,
    as_cost,
    as_gain,
    check_finite,
    check_size,
    targets_of,
    trained_scores,
)
from bayesrank.robustness.task_scores import task_score_draws
from bayesrank.typing import RandomSeed

__all__ = ["posterior_robustness"]

_DIMS = ("chain", "draw", "system", "task")
_REMEMBERED = 8


def posterior_robustness(
    task_scores: xr.DataArray | Responses | ArrayLike,
    *,
    operator: Operator = "mean",
    target: str | Sequence[str] | None = None,
    ceiling: PerTask = 1.0,
    gain: PerCell | None = None,
    cost: PerTask | None = None,
    ties: Ties = "weak",
    strict: bool = False,
    ci_prob: float = 0.95,
    random_seed: RandomSeed = None,
) -> xr.Dataset:
    """Find the cheapest training set in every draw of the task scores.

    Parameters
    ----------
    task_scores : DataArray, Responses or array_like
        Draws with dims ``(chain, draw, system, task)``, the chain may be absent; an array is taken
        as (draw, system, task). Responses with tasks are drawn from with `task_score_draws` and
        its defaults.
    operator, target, ceiling, gain, cost, ties, strict
        As in `training_robustness`.
    ci_prob : float, default 0.95
        Probability that the equal-tailed interval of k holds at least.
    random_seed : int, Generator, SeedSequence or None
        Source of the draws from Responses.

    Returns
    -------
    xarray.Dataset
        On ``system`` (the targets) and ``number``, the whole numbers from 0 to all tasks:

        - ``k(chain, draw, system)`` and ``cost(chain, draw, system)``, inf where infeasible.
        - ``probability(system, number)``: of needing exactly so many tasks;
          ``p_infeasible(system)``: of no number being enough.
        - ``p_at_most(system, number)``: P(k <= number), with its Monte Carlo error ``_mcse``.
        - ``k_median``, ``k_low``, ``k_high`` (system): values that k takes, inf among them.

    Raises
    ------
    InputError, ArgumentError
        As `training_robustness`, and for draws without the dims above.

    Notes
    -----
    The optimal sets of the draws before are tried first, against a lower bound from the rivals
    that asked for most; where the two meet, nothing else is computed.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.robustness import posterior_robustness
    >>> responses = Responses.from_counts([[80, 70], [60, 50]], 100, tasks=["a", "b"])
    >>> result = posterior_robustness(responses, random_seed=1)
    >>> result["k_median"].values
    array([0., 1.])
    """
    validate_choice(operator, OPERATORS, name="operator")
    validate_choice(ties, TIES, name="ties")
    ci_prob = validate_probability(ci_prob, name="ci_prob")
    scores, systems, tasks, population = _as_draws(task_scores, random_seed)
    flat = scores.reshape(-1, *scores.shape[2:])
    check_size(systems, tasks)
    for draw in flat[~np.isfinite(flat).all(axis=(1, 2))][:1]:
        check_finite(ScoreMatrix(draw, systems, tasks))
    highest = ScoreMatrix(flat.max(axis=0), systems, tasks)
    top = as_ceiling(ceiling, highest)
    gains = as_gain(gain, highest)
    costs = as_cost(cost, tasks)
    targets = targets_of(target, systems)
    searches = [_Search(int(t), costs) for t in targets]
    size = np.empty((len(flat), len(targets)))
    price = np.empty_like(size)
    for d, draw in enumerate(flat):
        inequalities = requirements_of(
            draw, trained_scores(draw, top, gains), operator=operator, ties=ties, strict=strict
        )
        for i, search in enumerate(searches):
            size[d, i], price[d, i] = search.cheapest(inequalities)
    return _summary(
        size.reshape(*scores.shape[:2], -1),
        price.reshape(*scores.shape[:2], -1),
        systems=[systems[t] for t in targets],
        n_tasks=len(tasks),
        ci_prob=ci_prob,
        attrs={
            "operator": operator,
            "ties": ties,
            "strict": int(strict),
            "ci_prob": ci_prob,
            "ci_kind": "eti",
            "population": population,
        },
    )


def _as_draws(
    task_scores: xr.DataArray | Responses | ArrayLike, random_seed: RandomSeed
) -> tuple[NDArray[np.float64], tuple[str, ...], tuple[str, ...], str]:
    """Return draws of shape (chain, draw, system, task), names, and the population."""
    if isinstance(task_scores, Responses):
        task_scores = task_score_draws(task_scores, random_seed=random_seed)
    if not isinstance(task_scores, xr.DataArray):
        array = np.asarray(task_scores, dtype=np.float64)
        if array.ndim != 3:
            msg = f"draws have {array.ndim} dimensions; (draw, system, task) was expected."
            raise ArgumentError(msg)
        task_scores = xr.DataArray(array, dims=_DIMS[1:])
    if "chain" not in task_scores.dims:
        task_scores = task_scores.expand_dims("chain")
    if set(task_scores.dims) != set(_DIMS):
        msg = f"draws have the dims {tuple(task_scores.dims)}; {_DIMS} was expected."
        raise ArgumentError(msg)
    if 0 in task_scores.shape:
        msg = f"there are no draws: the shape is {task_scores.shape}."
        raise ArgumentError(msg)
    names = {
        dim: validate_labels(
            list(task_scores[dim].to_numpy())
            if dim in task_scores.coords
            else [f"{kind} {i + 1}" for i in range(task_scores.sizes[dim])],
            kind=kind,
        )
        for dim, kind in (("system", "model"), ("task", "task"))
    }
    values = task_scores.transpose(*_DIMS).to_numpy().astype(np.float64)
    population = str(task_scores.attrs.get("population", "not stated"))
    return values, names["system"], names["task"], population


@dataclass
class _Search:
    """The search for one target, which remembers what settled the draws before."""

    target: int
    costs: NDArray[np.float64]
    sets: list[NDArray[np.intp]] = field(default_factory=list[NDArray[np.intp]])
    hardest: list[int] = field(default_factory=list[int])

    def cheapest(self, inequalities: Requirements) -> tuple[float, float]:
        """Return the number of tasks in a cheapest set, and its cost."""
        rivals = inequalities.decisive(self.target)
        if not rivals.size:
            return 0.0, 0.0
        needs = inequalities.requirements(self.target)
        known = self._known_set(inequalities, rivals, needs)
        if known is not None:
            return known
        rows, needs = inequalities.coefficients(self.target, rivals=rivals), needs[rivals]
        if (rows.sum(axis=1) < needs).any():
            return np.inf, np.inf
        chosen = cheapest_cover(rows, needs, self.costs)
        hardest = int(rivals[fewest_terms(rows, needs).argmax()])
        self.hardest = [hardest, *(r for r in self.hardest if r != hardest)][:_REMEMBERED]
        self._remember(np.flatnonzero(chosen))
        return float(chosen.sum()), float(self.costs[chosen].sum())

    def _known_set(
        self, inequalities: Requirements, rivals: NDArray[np.intp], needs: NDArray[np.int64]
    ) -> tuple[float, float] | None:
        """Return the answer if a set that was optimal before provably is so again."""
        some = np.array([r for r in self.hardest if needs[r] > 0], dtype=np.intp)
        if not some.size:
            return None
        rows = inequalities.coefficients(self.target, rivals=some)
        bound = lower_bound(rows, needs[some], self.costs)
        for tasks in self.sets:
            cost = float(self.costs[tasks].sum())
            if no_dearer(cost, bound) and (rows[:, tasks].sum(axis=1) >= needs[some]).all():
                reached = inequalities.coefficients(self.target, rivals=rivals, tasks=tasks)
                if (reached.sum(axis=1) >= needs[rivals]).all():
                    self._remember(tasks)
                    return float(len(tasks)), cost
        return None

    def _remember(self, tasks: NDArray[np.intp]) -> None:
        others = [s for s in self.sets if not np.array_equal(s, tasks)]
        self.sets = [tasks, *others][:_REMEMBERED]


def _summary(
    size: NDArray[np.float64],
    price: NDArray[np.float64],
    *,
    systems: list[str],
    n_tasks: int,
    ci_prob: float,
    attrs: dict[str, object],
) -> xr.Dataset:
    chains = len(size)
    flat = size.reshape(-1, size.shape[2])
    number = np.arange(n_tasks + 1)
    at_most = np.empty((size.shape[2], n_tasks + 1))
    error = np.empty_like(at_most)
    for j in number:
        reached = (flat <= j).astype(np.float64)
        at_most[:, j] = reached.mean(axis=0)
        error[:, j] = mcse_of_mean(reached, n_chains=chains)
    tail = (1.0 - ci_prob) / 2.0
    # Order statistics: between a number of tasks and "impossible" there is nothing to interpolate.
    low, middle, high = np.quantile(flat, [tail, 0.5, 1.0 - tail], axis=0, method="inverted_cdf")
    draws = ("chain", "draw", "system")
    return xr.Dataset(
        {
            "k": (draws, size),
            "cost": (draws, price),
            "probability": (("system", "number"), np.diff(at_most, axis=1, prepend=0.0)),
            "p_infeasible": ("system", 1.0 - at_most[:, -1]),
            "p_at_most": (("system", "number"), at_most),
            "p_at_most_mcse": (("system", "number"), error),
            "k_median": ("system", middle),
            "k_low": ("system", low),
            "k_high": ("system", high),
        },
        coords={"system": systems, "number": number},
        attrs=attrs,
    )
