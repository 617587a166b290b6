"""How stable the order of each method is with few trials, and which method's is the most."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from bayesrank._validate import validate_count
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.priors.empirical import EmpiricalPrior
from bayesrank.ranking import rank_scores, tau_b
from bayesrank.rules import get
from bayesrank.rules._evidence import evidence_of
from bayesrank.rules._theorems import order_key
from bayesrank.studies import _stability_tables as tables
from bayesrank.studies._grid import Arrays, Grid, Progress, study_seed
from bayesrank.studies._stability_cells import Pools, Work, compute
from bayesrank.studies._stability_methods import Methods, chosen_methods
from bayesrank.studies._subsamples import require_trials
from bayesrank.studies._trial_samples import TrialSamples, require_all_trials
from bayesrank.typing import RandomSeed

__all__ = ["stability"]

_POOLS = (5, 10, 15)
_STATISTICS = ("min", "mean", "max", "sd")


def stability(
    responses: Responses,
    *,
    methods: Methods = "fast",
    auxiliary: EmpiricalPrior | Responses | ArrayLike | None = None,
    trials: Sequence[int] | Literal["all"] = (1,),
    resamples: int | Literal["all"] = 50,
    pools: Sequence[int] | None = None,
    pool_subsets: int = 1000,
    weights: ArrayLike | None = None,
    n_jobs: int = 1,
    folder: Path | None = None,
    progress: Progress | None = None,
    random_seed: RandomSeed = None,
) -> xr.Dataset:
    r"""Rank few trials of the same board by many methods, against the order of all trials.

    Parameters
    ----------
    responses : Responses
        Observed trials of two models at least, as many in every cell as the largest budget.
    methods : {"fast", "all"} or sequence, default "fast"
        All quick rules, all rules, or a list: names of rules, rules with options
        (`bayesrank.rules.get`), "bayes_pooled" (the posterior mean of Bayes@N under a Beta for each
        model), or pairs of a label and a function from `Responses` to a score for each model.
    auxiliary : EmpiricalPrior, Responses or array_like, optional
        Each model's own auxiliary outcomes, such as one greedy decode a question. They add the
        method "bayes_greedy", Bayes@N with them as a prior, and on all trials a third reference.
    trials : sequence of int or "all", default (1,)
        Budgets: trials a cell, increasing; or all of them, from 1 to the smallest number in any
        cell. A cell without trials stays unobserved in every subsample.
    resamples : int or "all", default 50
        Random orders of the trials, without replacement: budgets of one are subsamples of each
        other. Or every recorded trial in turn, with those after it for larger budgets.
    pools : sequence of int, optional
        Sizes of pools of models to be ranked alone, at the smallest budget; by default those of 5,
        10 and 15 that are smaller than the board.
    pool_subsets : int, default 1000
        Pools of each size, drawn without replacement of models, each seeing one subsample; or all
        there are, where that is less.
    weights : array_like, shape (category,), optional
        Score of each category, for the methods that take scores; by default 0, ..., 1.
    n_jobs : int, default 1
        Processes, -1 for all cores; through joblib, and so through the backend of
        `joblib.parallel_config`.
    folder : Path, optional
        Where finished cells are kept (a method on all subsamples, or on the pools of a size): a
        study that was stopped goes on from there.
    progress : callable, optional
        Called with the name of a cell, its number and their number as each is done.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness; of a study that goes on, by default the seed it began with.

    Returns
    -------
    xarray.Dataset
        On (rule, trials), each of the methods being a rule, the one nearest to the gold standard
        first: ``tau_gold`` and ``tau_self`` with ``_sd``, mean and standard deviation over
        subsamples of Kendall's tau-b to the gold standard (Bayes@N of all trials) and to the
        method's own order of all trials, with
        ``tau_greedy`` where there are auxiliary outcomes; ``refused`` and ``undefined``, the share
        of subsamples that the method cannot rank, and of those in which it ties all models, which
        are left out of the means; ``best_gold`` and ``best_self``, whether none does better. On
        (trials): ``lead_gold``, ``lead_self`` and their ``_se``: by how much the best lead, in the
        same subsamples. On (rule, trials, resample): ``tau_gold_each``, ``tau_self_each``. On
        (rule, trials, gap): ``pair_correct``, ``pair_tied`` and ``pair_reversed``, shares of the
        ``pairs(gap)`` whose scores on all trials differ by so much. On (rule): ``equal``, the
        same number for methods whose orders are the same in every subsample and on all trials;
        ``tied``, the share of pairs of models that it ties on all trials; ``theorem``, what decides
        the order by algebra, or nothing; ``reason``, why it refuses;
        ``consensus_mean``, ``_median`` and ``_min``, agreement with the other methods on all
        trials, with ``consensus_same`` and ``consensus_close`` (tau-b 1, .95 and more).
        ``tau_between(rule, rule_bis)`` and ``full_rank(rule, system)`` are of all trials. On
        (system): ``accuracy``, ``gold_score``, ``gold_rank``, and ``greedy`` where known; their
        ``accuracy_overview(statistic)``. On (pool, rule): ``pool_tau_gold``, ``pool_tau_self``,
        their ``_sd`` between pools, ``pool_best_gold`` and ``pool_best_self``, the share of pools
        in which no method does better, and ``pool_undefined``. On (refused_rule): ``why``, of
        methods that cannot rank all trials. Attributes: the configuration, ``seed``, ``source``,
        ``data_hash`` and ``notes``.

    Raises
    ------
    ArgumentError
        For unknown methods, budgets that do not increase, pools as large as the board, or a folder
        that holds another study.
    InputError
        For one model, cells with fewer trials than a budget, or auxiliary outcomes that all models
        share.

    References
    ----------
    .. [1] Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33(3),
       239-251. https://doi.org/10.1093/biomet/33.3.239

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.studies import stability
    >>> data = simulate_responses(systems=6, questions=20, trials=8, random_seed=1)
    >>> found = stability(data, methods=["mean", "bayes", "borda"], trials=[1, 4], random_seed=1)
    >>> found["equal"].values.tolist()  # the mean and Bayes@N are one order
    [1, 1, 2]
    >>> bool((found["tau_gold"].sel(trials=4) > found["tau_gold"].sel(trials=1)).all())
    True
    """
    if len(responses.systems) < 2:
        msg = f"{responses.source}: one model comes first by every method; there is no order."
        raise InputError(msg)
    budgets = _budgets(responses, trials)
    require_trials(responses, budgets[-1], everywhere=False)
    recorded = resamples == "all"
    rounds = (
        require_all_trials(responses)
        if isinstance(resamples, str) and recorded
        else validate_count(resamples, name="resamples", minimum=2)  # pyright: ignore[reportArgumentType]
    )
    sizes = _sizes(pools, responses)
    seed = study_seed(random_seed, folder=folder)
    greedy, options = _greedy(auxiliary, responses)
    w = None if weights is None else tuple(responses.category_weights(weights).tolist())
    chosen = chosen_methods(methods, weights=w, greedy=options)
    samples = TrialSamples(responses, tuple(budgets), rounds, recorded, seed)
    gold = get("bayes", weights=w)(responses).to_numpy()
    drawn = {size: _drawn_pools(size, responses, pool_subsets, rounds, seed) for size in sizes}
    first = replace(samples, budgets=samples.budgets[:1])
    work = Work(responses, chosen, samples, first, gold, drawn, w)
    config: dict[str, Any] = {
        "study": "stability",
        "data_hash": responses.data_hash(),
        "outcomes_hash": _outcomes_hash(responses),
        "auxiliary_hash": None if greedy is None else greedy.data_hash(),
        "auxiliary_weight": None if options is None else options["weight"],
        "methods": [method.described() for method in chosen.values()],
        "trials": budgets,
        "resamples": rounds,
        "recorded_trials": recorded,
        "pools": sizes,
        "pool_subsets": pool_subsets,
        "weights": responses.category_weights(weights).tolist(),
        "seed": seed,
    }
    # A method that cannot rank all trials is told so once for each part: that costs nothing.
    cells = {
        f"{_part(size)}-{k:03d}-{_slug(label)}": (label, size)
        for size in (0, *sizes)
        for k, label in enumerate(chosen)
    }
    grid = Grid(n_jobs=n_jobs, folder=folder, progress=progress)
    found = grid.run(partial(compute, work), cells, config=config)
    results = {cells[name]: arrays for name, arrays in found.items()}
    data = _dataset(work, results, greedy)
    data.attrs = {
        "population": "trials",
        "reference": "Bayes@N of all trials under the uniform prior",
        **{k: v for k, v in config.items() if k != "study"},
        "pool_subsets": [len(each.members) for each in drawn.values()],
        "source": responses.source,
        "notes": _notes(work, pools, data),
    }
    return data


def _budgets(responses: Responses, trials: Sequence[int] | Literal["all"]) -> list[int]:
    most = int(responses.n_trials[responses.observed].min())
    if isinstance(trials, str):
        if trials != "all":
            msg = f"trials={trials!r} is not known; use 'all' or budgets such as [1, 2, 4, 8]."
            raise ArgumentError(msg)
        return list(range(1, most + 1))
    budgets = [validate_count(n, name="trials") for n in trials]
    if not budgets or sorted(set(budgets)) != budgets:
        msg = f"trials={list(trials)} must be budgets that increase, such as [1, 2, 4, 8]."
        raise ArgumentError(msg)
    return budgets


def _sizes(pools: Sequence[int] | None, responses: Responses) -> list[int]:
    models = len(responses.systems)
    if pools is None:
        return [size for size in _POOLS if size < models]
    sizes = [validate_count(size, name="pools", minimum=2) for size in pools]
    if sorted(set(sizes)) != sizes:
        msg = f"pools={list(pools)} must be sizes that increase, such as [5, 10, 15]."
        raise ArgumentError(msg)
    if sizes and sizes[-1] >= models:
        msg = (
            f"pools={list(pools)}: {responses.source} has {models} models, and a pool of "
            f"{sizes[-1]} is not a part of them; take smaller ones."
        )
        raise ArgumentError(msg)
    return sizes


def _greedy(
    auxiliary: EmpiricalPrior | Responses | ArrayLike | None, responses: Responses
) -> tuple[Responses | None, Mapping[str, Any] | None]:
    """Return auxiliary outcomes of each model, and the options of `bayes` that take them."""
    if auxiliary is None:
        return None, None
    prior = auxiliary if isinstance(auxiliary, EmpiricalPrior) else EmpiricalPrior(auxiliary)
    if prior.shared:
        msg = (
            "auxiliary outcomes shared by all models cannot change their order; this study needs "
            "each model's own."
        )
        raise InputError(msg)
    if prior.alpha != 1.0:
        msg = f"the study takes alpha=1 beneath auxiliary outcomes, not {prior.alpha:g}."
        raise ArgumentError(msg)
    own = replace(
        responses, counts=prior.counts(responses), outcomes=None, prompts=None,
        missing=np.zeros_like(responses.missing), source="auxiliary outcomes",
    )  # fmt: skip
    return own, {"prior_outcomes": own, "weight": prior.weight}


def _drawn_pools(size: int, responses: Responses, most: int, resamples: int, seed: int) -> Pools:
    """Return all pools of a size, or as many random ones, each with the subsample it sees."""
    models = len(responses.systems)
    most = validate_count(most, name="pool_subsets", minimum=2)
    # A key of its own: subsamples take the numbers from 0 on.
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, size)))
    if comb(models, size) <= most:
        members = np.array(list(combinations(range(models), size)), dtype=np.intp)
    else:
        order = np.argsort(rng.random((most, models)), axis=1)
        members = np.sort(order[:, :size], axis=1)
    return Pools(members, rng.integers(resamples, size=len(members)).astype(np.intp))


def _part(size: int) -> str:
    return f"pools-of-{size}" if size else "trials"


def _slug(label: str) -> str:
    """Return a label as part of a file name."""
    plain = "".join(ch if ch.isascii() and (ch.isalnum() or ch in "_=.") else "-" for ch in label)
    return plain[:80]


def _outcomes_hash(responses: Responses) -> str | None:
    """Return a hash of the order of the trials, which the hash of the data leaves out."""
    if responses.outcomes is None:
        return None
    raw = np.ascontiguousarray(responses.outcomes, dtype="<i2").tobytes()
    return hashlib.sha256(raw).hexdigest()[:16]


def _dataset(
    work: Work, results: Mapping[tuple[str, int], Arrays], greedy: Responses | None
) -> xr.Dataset:
    whole = {label: arrays for (label, size), arrays in results.items() if not size}
    refused = {label: str(a["refused"]) for label, a in whole.items() if "refused" in a}
    labels = [label for label in whole if label not in refused]
    if not labels:
        label, why = next(iter(refused.items()))
        msg = f"{work.responses.source}: no method ranks all trials; {label}: {why}"
        raise InputError(msg)
    ranks = np.stack([whole[label]["ranks"] for label in labels])
    full = np.stack([whole[label]["full"] for label in labels])
    gold_rank = rank_scores(work.gold).astype(np.int64)
    by_gold = tables.agreement(ranks, gold_rank)
    nearest = np.where(np.isfinite(by_gold), by_gold, -1.0).mean(axis=2)[:, 0].round(12)
    equal = _classes(full, ranks)
    # Methods of one class stand together.
    order = np.lexsort((equal, -nearest))
    labels, ranks, full = [labels[i] for i in order], ranks[order], full[order]
    by_gold = by_gold[order]
    accuracy = get("mean", weights=work.weights)(work.responses).to_numpy()
    each = {"gold": by_gold, "self": tables.agreement(ranks, full)}
    variables: dict[str, Any] = {
        "accuracy": ("system", accuracy),
        "gold_score": ("system", work.gold),
        "gold_rank": ("system", gold_rank),
        "accuracy_overview": ("statistic", _overview(accuracy)),
        "full_rank": (("rule", "system"), full.astype(np.int64)),
    }
    own = ("rule", "trials")
    if greedy is not None:
        variables |= _greedy_variables(work, greedy)
        target = np.asarray(variables["greedy_reference_rank"][1])
        mean, sd = tables.moments(tables.agreement(ranks, target))
        variables |= {"tau_greedy": (own, mean), "tau_greedy_sd": (own, sd)}
    lost = (ranks == 0).all(axis=3)
    for name, values in each.items():
        mean, sd = tables.moments(values)
        best, lead, error = tables.winners(values)
        variables |= {
            f"tau_{name}": (own, mean),
            f"tau_{name}_sd": (own, sd),
            f"tau_{name}_each": ((*own, "resample"), values),
            f"best_{name}": (own, best),
            f"lead_{name}": ("trials", lead),
            f"lead_{name}_se": ("trials", error),
        }
    evidence = evidence_of(work.responses)
    rules = [work.methods[label].rule for label in labels]
    variables |= {
        "refused": (own, lost.mean(axis=2)),
        "undefined": (own, (~np.isfinite(by_gold) & ~lost).mean(axis=2)),
        "equal": ("rule", _classes(full, ranks)),
        "tied": ("rule", tables.tied_pairs(full)),
        "theorem": (
            "rule",
            ["" if rule is None else order_key(rule, evidence) or "" for rule in rules],
        ),
        "reason": ("rule", np.array([str(whole[x]["reason"]) for x in labels], dtype=np.str_)),
        **tables.consensus(full),
        **tables.gap_shares(ranks, gold_rank, accuracy),
        "why": ("refused_rule", np.array(list(refused.values()), dtype=np.str_)),
    }
    parts = {
        size: (
            np.stack([results[label, size]["gold"] for label in labels]),
            np.stack([results[label, size]["self"] for label in labels]),
        )
        for size in work.pools
    }
    if parts:
        variables |= tables.pool_table(parts)
    coords: dict[str, Any] = {
        "rule": labels,
        "rule_bis": labels,
        "trials": list(work.samples.budgets),
        "system": list(work.responses.systems),
        "gap": [name for name, *_ in tables.GAPS],
        "statistic": list(_STATISTICS),
        "refused_rule": np.array(list(refused), dtype=np.str_),
        **({"pool": list(parts)} if parts else {}),
    }
    return xr.Dataset(variables, coords=coords)


def _classes(full: NDArray[Any], ranks: NDArray[Any]) -> NDArray[np.int64]:
    """Return numbers of methods: the same for the same orders of everything."""
    return tables.classes([f.tobytes() + r.tobytes() for f, r in zip(full, ranks, strict=True)])


def _greedy_variables(work: Work, greedy: Responses) -> dict[str, Any]:
    """Return the accuracy of auxiliary outcomes, and the order of all trials with them."""
    own = get("mean", weights=work.weights)(greedy).to_numpy()
    method = next(m for m in work.methods.values() if m.options.get("prior_outcomes") is greedy)
    rank = rank_scores(method.scores(work.responses)).astype(np.int64)
    return {
        "greedy": ("system", own),
        "greedy_rank": ("system", rank_scores(own).astype(np.int64)),
        "greedy_reference_rank": ("system", rank),
        "greedy_overview": ("statistic", _overview(own)),
        "alignment": ((), float(tau_b(rank_scores(own), rank_scores(work.gold)))),
    }


def _overview(values: NDArray[np.float64]) -> list[float]:
    found = values.min(), values.mean(), values.max(), values.std(ddof=1)
    return [float(x) for x in found]


def _notes(work: Work, pools: Sequence[int] | None, data: xr.Dataset) -> list[str]:
    models = len(work.responses.systems)
    notes: list[str] = []
    if empty := int((~work.responses.observed).sum()):
        cells = "1 cell was" if empty == 1 else f"{empty} cells were"
        notes.append(f"{cells} never observed, and so in no subsample either.")
    left_out = [size for size in _POOLS if size >= models] if pools is None else []
    if left_out:
        sizes = " and ".join(map(str, left_out))
        notes.append(f"No pools of {sizes}: the board has only {models} models.")
    if work.pools:
        notes.append(
            "Pools are ranked on their own at the smallest budget, each from one subsample: sd "
            "between pools holds the noise of that subsample too."
        )
    n = work.responses.n_trials[work.responses.observed]
    if n.min() < n.max():
        notes.append(
            f"Cells have {n.min()} to {n.max()} trials: the gold standard is surer of some models, "
            "and its uniform prior draws those with few trials more towards the middle."
        )
    if work.samples.resamples > 1 and int(n.min()) < 4 * work.samples.budgets[-1]:
        notes.append(
            f"The largest budget is {work.samples.budgets[-1]} of {n.min()} trials, which the gold "
            "standard has seen too: agreement comes out higher than with new trials."
        )
    partly = data["refused"].to_numpy().max(axis=1) > 0
    if partly.any():
        notes.append(
            f"Methods that cannot rank some subsamples ({int(partly.sum())} here) take no part in "
            "who is best there."
        )
    return notes
