"""The cells of a stability study: one method on all subsamples, or on pools of models."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank.data import Responses
from bayesrank.exceptions import BayesrankError, BayesrankWarning
from bayesrank.ranking import rank_scores, tau_b
from bayesrank.rules._evidence import Evidence
from bayesrank.studies._stability_methods import Method
from bayesrank.studies._stability_scores import Boards, said, scored
from bayesrank.studies._trial_samples import TrialSamples

__all__ = ["Pools", "Work", "compute"]

type Floats = NDArray[np.float64]

# Counts of pools in one block.
_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class Pools:
    """Pools of one size.

    Attributes
    ----------
    members : ndarray of int, shape (pool, system)
        Positions of the models of each pool, increasing.
    resample : ndarray of int, shape (pool,)
        The subsample that each pool sees.
    """

    members: NDArray[np.intp]
    resample: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Work:
    """All that cells have in common, as it goes to every process.

    Attributes
    ----------
    responses : Responses
        The whole board.
    methods : mapping of str to Method
        By label.
    samples, first : TrialSamples
        Subsamples of its trials; and of the smallest budget only, for pools.
    gold : ndarray of float64, shape (system,)
        Scores of the gold standard.
    pools : mapping of int to Pools
        By size.
    weights : tuple of float or None
        Score of each category; None for 0, ..., 1 in equal steps.
    """

    responses: Responses
    methods: Mapping[str, Method]
    samples: TrialSamples
    first: TrialSamples
    gold: Floats
    pools: Mapping[int, Pools]
    weights: tuple[float, ...] | None = None


def compute(work: Work, cell: tuple[str, int]) -> Mapping[str, Any]:
    """Return the ranks of one method (size 0), or its agreement on the pools of a size."""
    label, size = cell
    method = work.methods[label]
    with warnings.catch_warnings():
        # What a method warns of one subsample says nothing of the study.
        warnings.simplefilter("ignore", BayesrankWarning)
        try:
            full = None if method.rule is None else method.rule.evidence(work.responses)
            own = method.scores(work.responses) if full is None else _whole(method, full)
        except BayesrankError as error:
            return {"refused": np.str_(said(error, work.responses))}
        if not np.isfinite(own).any():
            return {"refused": np.str_("its scores of all trials are not numbers")}
        if size:
            return _on_pools(work, method, full, work.pools[size])
        return _on_subsamples(work, method, full, own)


def _whole(method: Method, full: Evidence) -> Floats:
    assert method.rule is not None  # evidence is of rules
    return method.rule.evaluate(full)[0]


def _on_subsamples(
    work: Work, method: Method, full: Evidence | None, own: Floats
) -> Mapping[str, Any]:
    """Return ranks on all trials and on subsamples; 0 where the method refuses."""
    samples, models = work.samples, len(work.responses.systems)
    kind = np.min_scalar_type(models)
    ranks = np.zeros((len(samples.budgets), samples.resamples, models), dtype=kind)
    reasons: list[str] = []
    for block in samples.blocks():
        for b, n in enumerate(samples.budgets):
            boards = Boards(
                work.responses,
                block.counts[:, b],
                outcomes=_Outcomes(samples, block.first, n) if method.needs_trials else None,
            )
            scores, why = scored(method, boards, full)
            known = ~np.isnan(scores).any(axis=1)
            rows = block.first + np.flatnonzero(known)
            if known.any():
                ranks[b, rows] = rank_scores(scores[known])
            reasons += why
    return {
        "full": rank_scores(own).astype(kind),
        "ranks": ranks,
        "reason": np.str_(reasons[0] if reasons else ""),
    }


def _on_pools(
    work: Work, method: Method, full: Evidence | None, pools: Pools
) -> Mapping[str, Floats]:
    """Return agreement on each pool with the gold standard, and with the method on all trials."""
    gold, own = (np.full(len(pools.members), np.nan) for _ in range(2))
    most = max(1, _AT_ONCE // (pools.members.shape[1] * work.responses.counts[0].size))
    for block in work.first.blocks():
        inside = (pools.resample >= block.first) & (
            pools.resample < block.first + len(block.counts)
        )
        here = np.flatnonzero(inside)
        for start in range(0, len(here), most):
            rows = here[start : start + most]
            members, resample = pools.members[rows], pools.resample[rows]
            counts = block.counts[resample[:, None] - block.first, 0, members]
            drawn = _PoolOutcomes(work.first, resample) if method.needs_trials else None
            all_drawn = _AllOutcomes(work.responses) if method.needs_trials else None
            few = Boards(work.responses, counts, members, drawn)
            every = Boards(work.responses, work.responses.counts[members], members, all_drawn)
            on_few, on_all = (_ranks(method, boards, full) for boards in (few, every))
            gold[rows] = tau_b(on_few, rank_scores(work.gold[members]))
            own[rows] = tau_b(on_few, on_all)
    return {"gold": gold, "self": own}


def _ranks(method: Method, boards: Boards, full: Evidence | None) -> NDArray[np.int64]:
    """Return ranks, all 0 where the method refuses: such an order agrees with none."""
    scores, _ = scored(method, boards, full)
    known = ~np.isnan(scores).any(axis=1)
    ranks = np.zeros(scores.shape, dtype=np.int64)
    ranks[known] = rank_scores(scores[known])
    return ranks


@dataclass(frozen=True, eq=False)
class _Outcomes:
    """Outcomes of the subsamples of a block, by their number in it."""

    samples: TrialSamples
    first: int
    n: int

    def __call__(self, row: int) -> NDArray[np.int16]:
        return self.samples.outcomes(self.first + row)[:, :, : self.n]


@dataclass(frozen=True, eq=False)
class _PoolOutcomes:
    """Outcomes of the subsample that each pool sees."""

    samples: TrialSamples
    resample: NDArray[np.intp]

    def __call__(self, row: int) -> NDArray[np.int16]:
        return self.samples.outcomes(int(self.resample[row]))


@dataclass(frozen=True, eq=False)
class _AllOutcomes:
    """All outcomes, for every pool."""

    responses: Responses

    def __call__(self, row: int) -> NDArray[np.int16]:  # noqa: ARG002
        assert self.responses.outcomes is not None  # methods of single trials have refused counts
        return self.responses.outcomes
