"""Everything a `Ranking` holds, computed from score draws in one pass over batches of draws."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from bayesrank.ranking._batches import BatchSums, batch_slices, mcse_of_mean
from bayesrank.ranking._counts import count_above, count_ranks
from bayesrank.ranking._input import OBSERVED, names_of
from bayesrank.ranking._intervals import (
    IntervalKind,
    quantile_mcse,
    rank_intervals,
    score_interval,
)
from bayesrank.ranking.orders import kemeny_order
from bayesrank.ranking.ranks import rank_bounds, rank_scores

type Statistic = Literal["mean", "median", "quantile", "expected_rank", "p_best", "kemeny"]


@dataclass(frozen=True)
class Options:
    """Checked options of `rank`."""

    by: Statistic
    quantile: float | None
    ci_prob: float
    ci_kind: IntervalKind
    top_k: int
    independent: bool = False


def stack_chains(scores: xr.DataArray) -> NDArray[np.float64]:
    """Return draws as (draw, system), chains laid end to end."""
    return np.ascontiguousarray(scores.values.reshape(-1, scores.sizes["system"]))


def summarise(scores: xr.DataArray, options: Options) -> xr.Dataset:
    """Return the dataset of a ranking from checked score draws on (chain, draw, system)."""
    n_chains, n_draws, n_systems = scores.shape
    draws = stack_chains(scores)
    low, high = rank_bounds(draws)
    middle = (low + high) / 2.0
    variables = _scores(draws, options, n_chains=n_chains)
    ends = rank_intervals(low, high, ci_prob=options.ci_prob)
    names = ("rank_low", "rank_high", "rank_low_joint", "rank_high_joint")
    variables |= {name: ("system", end) for name, end in zip(names, ends, strict=True)}
    rank_mean = middle.mean(axis=0)
    variables["rank_mean"] = ("system", rank_mean)
    variables["rank_median"] = ("system", np.median(middle, axis=0))
    variables["sucra"] = (
        "system",
        (n_systems - rank_mean) / (n_systems - 1) if n_systems > 1 else np.ones(1),
    )
    probabilities = _probabilities(low, high, n_chains=n_chains, top_k=options.top_k)
    variables |= probabilities
    attrs: dict[str, Any] = {
        "by": options.by,
        "ci_prob": options.ci_prob,
        "ci_kind": options.ci_kind,
        "top_k": options.top_k,
        "chains": n_chains,
        "draws": n_draws,
        "effective_draws": len(draws)
        if options.independent
        else _effective_draws(draws, n_chains=n_chains),
        "tied_draws": int((low != high).any(axis=1).sum()),
    }
    if options.quantile is not None:
        attrs["quantile"] = options.quantile
    system = names_of(scores)
    if options.by == "kemeny":
        order = kemeny_order(probabilities["superiority"][1], names=system, n_draws=len(draws))
        rank_of = dict(zip(order.systems, order.ranks, strict=True))
        ranks = np.array([rank_of[name] for name in system])
        attrs["kemeny_gap"] = order.gap
    else:
        statistic = {"expected_rank": -rank_mean, "p_best": probabilities["p_best"][1]}
        ranks = rank_scores(statistic.get(options.by, variables["score"][1]))
    variables["rank"] = ("system", ranks.astype(np.int64))
    variables |= {
        name: ("system", scores[name].to_numpy()) for name in OBSERVED if name in scores.coords
    }
    labels = np.array(system)
    return xr.Dataset(
        variables,
        # The dim of the ranks 1..L is "place": a dataset cannot hold a variable rank(system) beside
        # a dim of the same name.
        coords={"system": labels, "place": np.arange(1, n_systems + 1), "system_bis": labels},
        attrs=attrs,
    )


def _scores(
    draws: NDArray[np.float64], options: Options, *, n_chains: int
) -> dict[str, tuple[str, NDArray[np.float64]]]:
    """Return the point estimate that is sorted by, its error, and spread and interval."""
    q = 0.5 if options.by == "median" else options.quantile
    if q is None:
        score = draws.mean(axis=0)
        mcse = mcse_of_mean(draws, n_chains=n_chains)
    else:
        score = np.quantile(draws, q, axis=0)
        below = mcse_of_mean((draws <= score).astype(np.float64), n_chains=n_chains)
        mcse = quantile_mcse(draws, q, indicator_mcse=below)
    low, high = score_interval(draws, ci_prob=options.ci_prob, ci_kind=options.ci_kind)
    # A single draw has no spread to estimate.
    sd = draws.std(axis=0, ddof=1) if len(draws) > 1 else np.full(draws.shape[1], np.nan)
    values = {
        "score": score,
        "score_sd": sd,
        "score_low": low,
        "score_high": high,
        "score_mcse": mcse,
    }
    return {name: ("system", value) for name, value in values.items()}


def _probabilities(
    low: NDArray[np.int64], high: NDArray[np.int64], *, n_chains: int, top_k: int
) -> dict[str, Any]:
    """Return rank probabilities and superiority with their errors, in one pass over the batches."""
    n_draws, n_systems = low.shape
    ranked, top, above = (
        BatchSums(shape) for shape in ((n_systems, n_systems), (n_systems,), (n_systems, n_systems))
    )
    # Ranks say which of two systems is above in a draw, ties included; small integers are quick.
    small = low.astype(np.int16 if n_systems < 2**15 else np.int32)
    for block, is_whole in batch_slices(n_chains, n_draws // n_chains):
        counts = count_ranks(low[block], high[block])
        length = block.stop - block.start
        ranked.add(counts, length, is_whole=is_whole)
        top.add(counts[:, :top_k].sum(axis=1), length, is_whole=is_whole)
        above.add(count_above(small[block]), length, is_whole=is_whole)
    square, pairs = ("system", "place"), ("system", "system_bis")
    probability, error = ranked.mean(), ranked.mcse()
    return {
        "rank_probability": (square, probability),
        "rank_probability_mcse": (square, error),
        "p_best": ("system", probability[:, 0].copy()),
        "p_best_mcse": ("system", error[:, 0].copy()),
        "p_top_k": ("system", top.mean()),
        "p_top_k_mcse": ("system", top.mcse()),
        "superiority": (pairs, above.mean()),
        "superiority_mcse": (pairs, above.mcse()),
    }


def superiority_beyond(scores: xr.DataArray, delta: float) -> xr.Dataset:
    """Return P(i - j > delta) and its error for all pairs, from draws on (chain, draw, system)."""
    draws = stack_chains(scores)
    # What rounding alone can add to a difference is no superiority: 0.8 - 0.1 does not exceed 0.7.
    margin = delta + 1e-12 * np.abs(draws).max(axis=1, keepdims=True)
    sums = BatchSums((draws.shape[1],) * 2)
    for block, is_whole in batch_slices(scores.sizes["chain"], scores.sizes["draw"]):
        counts = count_above(-draws[block], -draws[block] - margin[block])
        sums.add(counts, block.stop - block.start, is_whole=is_whole)
    return superiority_dataset(names_of(scores), sums.mean(), sums.mcse(), delta=delta)


def superiority_dataset(
    names: tuple[str, ...],
    probability: NDArray[np.float64],
    mcse: NDArray[np.float64],
    *,
    delta: float,
) -> xr.Dataset:
    """Return pairwise probabilities with their names."""
    pairs, labels = ("system", "system_bis"), np.array(names)
    return xr.Dataset(
        {"probability": (pairs, probability), "mcse": (pairs, mcse)},
        coords={"system": labels, "system_bis": labels},
        attrs={"delta": delta},
    )


def _effective_draws(draws: NDArray[np.float64], *, n_chains: int) -> int:
    """Return how many independent draws the worst-mixing score is worth, by batch means."""
    mcse = mcse_of_mean(draws, n_chains=n_chains)
    usable = mcse > 0
    if not usable.any():
        return len(draws)
    worth = draws.var(axis=0, ddof=1)[usable] / mcse[usable] ** 2
    return int(np.clip(worth.min(), 1, len(draws)))
