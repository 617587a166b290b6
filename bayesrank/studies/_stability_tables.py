"""What orders of subsamples say: agreement, classes, winners, consensus, gaps, pools."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank.ranking import tau_b, tau_b_between

__all__ = [
    "GAPS",
    "agreement",
    "classes",
    "consensus",
    "gap_shares",
    "pool_table",
    "tied_pairs",
    "winners",
]

type Floats = NDArray[np.float64]
type Ranks = NDArray[np.integer]

# Gaps between two models on all trials: close ones, and those that every method should see.
GAPS = (("<= 0.02", 0.0, 0.02), (">= 0.10", 0.10, np.inf), (">= 0.20", 0.20, np.inf))
# Accuracies are sums of whole numbers over whole numbers: gaps of .1 are .1 but for rounding.
_ROUNDING = 1e-9


def agreement(ranks: Ranks, target: Ranks) -> Floats:
    """Return tau-b, shape (method, budget, resample), of orders to each method's target.

    NaN where the method refuses the subsample (its ranks are 0) or ties all models.

    Parameters
    ----------
    ranks : ndarray of int, shape (method, budget, resample, system)
    target : ndarray of int, shape (system,) or (method, system)
    """
    targets = np.broadcast_to(target, (len(ranks), ranks.shape[-1]))
    return np.stack([tau_b(own, one) for own, one in zip(ranks, targets, strict=True)])


def moments(values: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation over the last axis, of what is known."""
    known = np.isfinite(values)
    n = known.sum(axis=-1)
    total = np.where(known, values, 0.0).sum(axis=-1)
    mean = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    square = np.where(known, values - mean[..., np.newaxis], 0.0) ** 2
    variance = np.divide(square.sum(axis=-1), n - 1, out=np.full(n.shape, np.nan), where=n > 1)
    return mean, np.sqrt(variance)


def classes(keys: Sequence[bytes]) -> NDArray[np.int64]:
    """Return numbers from 1 on: the same for the same key, in order of appearance."""
    number: dict[bytes, int] = {}
    return np.array([number.setdefault(key, len(number) + 1) for key in keys], dtype=np.int64)


def consensus(full: Ranks) -> dict[str, Any]:
    """Return how far each method agrees with the others on all trials.

    Parameters
    ----------
    full : ndarray of int, shape (method, system)
    """
    between = tau_b_between(full)
    others = between.copy()
    np.fill_diagonal(others, np.nan)
    known = np.isfinite(others).any(axis=1)
    found = {name: np.full(len(full), np.nan) for name in ("mean", "median", "min")}
    for name, function in (("mean", np.nanmean), ("median", np.nanmedian), ("min", np.nanmin)):
        if known.any():
            found[name][known] = function(others[known], axis=1)
    return {
        "tau_between": (("rule", "rule_bis"), between),
        **{f"consensus_{name}": ("rule", values) for name, values in found.items()},
        "consensus_same": ("rule", (others >= 1.0 - _ROUNDING).sum(axis=1)),
        "consensus_close": ("rule", (others >= 0.95).sum(axis=1)),
    }


def tied_pairs(full: Ranks) -> Floats:
    """Return the share of pairs of models that each order ties, shape (rule,)."""
    models = full.shape[1]
    sizes = [np.unique(own, return_counts=True)[1] for own in full]
    alike = np.array([(size * (size - 1)).sum() for size in sizes], dtype=np.float64)
    return alike / (models * (models - 1))


def winners(each: Floats) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Return which methods are best, and by how much: winner (method, budget), lead, its error.

    Only methods with tau-b in every subsample take part: others are not held against the same
    ones. The lead is the mean difference to the best method that is not tied for first, in the
    same subsamples, with its standard error; NaN where there is none.

    Parameters
    ----------
    each : ndarray, shape (method, budget, resample)
    """
    whole = np.isfinite(each).all(axis=2)
    mean = np.where(whole, np.where(whole[..., np.newaxis], each, 0.0).mean(axis=2), -np.inf)
    top = mean.max(axis=0)
    first = whole & (mean >= top - _ROUNDING)
    lead, error = (np.full(each.shape[1], np.nan) for _ in range(2))
    for b in range(each.shape[1]):
        rest = np.where(first[:, b], -np.inf, mean[:, b])
        if not first[:, b].any() or not np.isfinite(rest.max()):
            continue
        gap = each[int(first[:, b].argmax()), b] - each[int(rest.argmax()), b]
        lead[b] = gap.mean()
        if len(gap) > 1:
            error[b] = gap.std(ddof=1) / np.sqrt(len(gap))
    return first, lead, error


def gap_shares(ranks: Ranks, gold: Ranks, accuracy: Floats) -> dict[str, Any]:
    """Return which pairs of models are ordered right, tied and reversed, by their gap.

    Pairs that the gold standard ties have no right order and are left out.

    Parameters
    ----------
    ranks : ndarray of int, shape (method, budget, resample, system)
    gold : ndarray of int, shape (system,)
    accuracy : ndarray, shape (system,)
        Scores on all trials, whose differences are the gaps.
    """
    one, other = np.triu_indices(len(gold), 1)
    # The first of each pair is the better one.
    above = np.where(gold[one] < gold[other], one, other)
    below = one + other - above
    decided = gold[one] != gold[other]
    gap = np.abs(accuracy[one] - accuracy[other])
    inside = [
        decided & (gap >= low - _ROUNDING) & (gap <= high + _ROUNDING) for _, low, high in GAPS
    ]
    shape = (*ranks.shape[:2], len(GAPS))
    right, tied = np.full(shape, np.nan), np.full(shape, np.nan)
    for k in np.ndindex(*ranks.shape[:2]):
        own = ranks[k][(ranks[k] > 0).all(axis=1)].astype(np.int32)
        if not len(own):
            continue
        for g, pairs in enumerate(inside):
            if pairs.any():
                step = own[:, below[pairs]] - own[:, above[pairs]]
                right[*k, g], tied[*k, g] = (step > 0).mean(), (step == 0).mean()
    dims = ("rule", "trials", "gap")
    return {
        "pair_correct": (dims, right),
        "pair_tied": (dims, tied),
        "pair_reversed": (dims, 1.0 - right - tied),
        "pairs": ("gap", [int(pairs.sum()) for pairs in inside]),
    }


def pool_table(parts: Mapping[int, tuple[Floats, Floats]]) -> dict[str, Any]:
    """Return agreement over pools of models, and how often each method is the best.

    Parameters
    ----------
    parts : mapping of int to pair of ndarray, shape (method, pool)
        By size: agreement with the gold standard, and with the method on all trials.
    """
    dims = ("pool", "rule")
    found: dict[str, list[Floats]] = {}
    for gold, own in parts.values():
        for name, values in (("gold", gold), ("self", own)):
            mean, sd = moments(values)
            found.setdefault(f"pool_tau_{name}", []).append(mean)
            found.setdefault(f"pool_tau_{name}_sd", []).append(sd)
            low = np.where(np.isfinite(values), values, -np.inf)
            best = np.isfinite(values) & (low >= low.max(axis=0) - _ROUNDING)
            found.setdefault(f"pool_best_{name}", []).append(best.mean(axis=1))
        found.setdefault("pool_undefined", []).append(1.0 - np.isfinite(gold).mean(axis=1))
    return {name: (dims, np.stack(values)) for name, values in found.items()}
