"""An arena as its votes came in: scores, ranks and the leader after each part of them."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from bayesrank._record import read_record
from bayesrank._validate import validate_choice, validate_count, validate_probability
from bayesrank.data import Comparisons
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.likelihoods.paired import TIES, TieRule
from bayesrank.ranking import Ranking, rank, tau_b
from bayesrank.studies._grid import Grid, study_seed
from bayesrank.studies._prefixes import Battles, in_order
from bayesrank.typing import FloatArray, RandomSeed

__all__ = ["battle_budgets"]

type Resampled = Literal["prompts", "judges", "sessions"]

_UNITS = {"prompts": "prompt", "judges": "judge", "sessions": "session"}
_METHODS = ("laplace", "nuts")
_CHAINS, _FEWEST = 4, 500
_ANSWERS = ("score", "score_low", "score_high", "rank", "rank_low", "rank_high", "p_best")


def battle_budgets(
    comparisons: Comparisons,
    *,
    prefixes: int | Sequence[int] = 10,
    resample: Resampled | None = None,
    method: Literal["laplace", "nuts"] = "laplace",
    ties: TieRule = "davidson",
    draws: int = 1000,
    ci_prob: float = 0.95,
    random_seed: RandomSeed = None,
    n_jobs: int = 1,
    folder: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> xr.Dataset:
    """Rank an arena by its first votes, more and more of them, and see when the order settles.

    Parameters
    ----------
    comparisons : Comparisons
        Votes. With the factor ``period`` they are in its order, and in random order within one;
        without it, in random order.
    prefixes : int or sequence of int, default 10
        Number of prefixes, of equally many votes more each; or their sizes, increasing.
    resample : {"prompts", "judges", "sessions"}, optional
        Ask about new ones of these: each prefix is resampled by them and the strengths are fitted
        again, instead of treating votes as independent.
    method : {"laplace", "nuts"}, default "laplace"
        How the posterior of a prefix is drawn. Where it has no mode, by NUTS all the same.
    ties : {"davidson", "rao_kupper", "half", "drop"}, default "davidson"
        How ties are modelled.
    draws : int, default 1000
        Draws of each posterior.
    ci_prob : float, default 0.95
        Probability of intervals, and that at which two models are told apart.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness.
    n_jobs : int, default 1
        Processes, -1 for all cores; each compiles the model once.
    folder : Path, optional
        Where finished prefixes are kept, so that a killed study goes on.
    progress : callable, optional
        Called with the name of a prefix, its number and their number.

    Returns
    -------
    xarray.Dataset
        On ``votes``, the sizes of the prefixes, and ``system``: ``score`` (log-odds) with
        ``score_low`` and ``score_high``, ``rank`` with ``rank_low`` and ``rank_high``, ``p_best``,
        and ``votes_of``, in how many of them a model took part. On ``votes``: ``tau_b`` of the
        order to that of all votes, ``told_apart``, the share of neighbours in its own order that
        are told apart, ``leader``, ``period`` of the last vote (empty without time), ``drawn`` (by
        which method) and ``verdict`` of its checks. Attributes: ``leader_since``, the size of the
        first prefix from which on the leader is that of all votes, the configuration, ``source``,
        ``data_hash``, ``seed`` and ``notes``.

    Raises
    ------
    ArgumentError
        For sizes that do not increase or are more than there are, an unknown unit or method.
    InputError
        For weights or expected counts, or a prefix of fewer than two judges, prompts or sessions.

    Notes
    -----
    The model is compiled once and serves all prefixes and all resamples; the prior is the same in
    all of them. Models without a vote in a prefix have the prior there.

    References
    ----------
    .. [1] Chiang, W.-L. et al. (2024). Chatbot Arena: An open platform for evaluating LLMs by human
       preference. ICML. arXiv:2403.04132.

    Examples
    --------
    >>> from bayesrank import Comparisons
    >>> from bayesrank.studies import battle_budgets
    >>> data = Comparisons.from_counts(["a", "b", "a"], ["b", "c", "c"], [60, 55, 70], [30, 40, 20])
    >>> found = battle_budgets(data, prefixes=3, draws=200, random_seed=1)
    >>> found["votes"].values.tolist(), found["leader"].values[-1].item()
    ([92, 184, 275], 'a')
    """
    validate_choice(method, _METHODS, name="method")
    validate_choice(ties, TIES, name="ties")
    validate_count(draws, name="draws", minimum=_CHAINS)
    level = validate_probability(ci_prob, name="ci_prob")
    unit = None
    if resample is not None:
        unit = _UNITS[validate_choice(resample, tuple(_UNITS), name="resample")]
        comparisons.factor(unit)
        if method == "nuts":
            msg = "method='nuts' draws the posterior, and resample= fits it again; use one of them."
            raise ArgumentError(msg)
    if len(comparisons.systems) < 2:
        msg = f"{comparisons.source}: one model comes first anyway; there is nothing to study."
        raise InputError(msg)
    seed = study_seed(random_seed, folder=folder)
    battles = in_order(comparisons, unit=unit, rng=np.random.default_rng(seed))
    sizes = _sizes(prefixes, len(battles), source=comparisons.source)
    if resample is not None and len(np.unique(battles.unit[battles.row[: sizes[0]]])) < 2:
        msg = (
            f"{comparisons.source}: the first {sizes[0]:,} votes come from one of the {resample}; "
            f"take fewer or larger prefixes."
        )
        raise InputError(msg)
    config: dict[str, Any] = {
        "resample": resample or "none",
        "method": method,
        "ties": ties,
        "draws": draws,
        "ci_prob": level,
        "seed": seed,
        "source": comparisons.source,
        "data_hash": comparisons.data_hash(),
    }
    cells = {f"votes={n}": n for n in sizes}
    task = partial(_prefix, battles=battles, comparisons=comparisons, unit=unit, config=config)
    grid = Grid(n_jobs=n_jobs, folder=folder, progress=progress)
    kept = {key: value for key, value in config.items() if key != "source"}
    by_time = {"periods": len(battles.periods), "factors": sorted(comparisons.factors)}
    with _quiet():
        found = grid.run(
            task, cells, config={"study": "battle_budgets", "prefixes": sizes, **by_time, **kept}
        )
    return _dataset(comparisons, battles, list(found.values()), sizes, config)


def _quiet() -> AbstractContextManager[object]:
    """Hold back what the model of every prefix would say again."""
    return warnings.catch_warnings(action="ignore", category=BayesrankWarning)


def _sizes(prefixes: int | Sequence[int], total: int, *, source: str) -> list[int]:
    if isinstance(prefixes, int):
        number = validate_count(prefixes, name="prefixes")
        if number > total:
            msg = f"{source}: {total:,} votes cannot be cut into {number:,} prefixes; take fewer."
            raise ArgumentError(msg)
        return [-(-total * k // number) for k in range(1, number + 1)]
    sizes = [validate_count(n, name="prefixes") for n in prefixes]
    if not sizes or sorted(set(sizes)) != sizes or sizes[-1] > total:
        msg = f"prefixes={sizes} must be sizes that increase, up to {total:,} votes of {source}."
        raise ArgumentError(msg)
    return sizes if sizes[-1] == total else [*sizes, total]


# The compiled model of the comparisons of this process: worker processes keep it between prefixes.
_KEPT: dict[tuple[str, str], Any] = {}


def _compiled(comparisons: Comparisons, ties: TieRule) -> Any:
    """Return the model for counts of any prefix, compiled once in each process."""
    # PyMC takes seconds to import, and what only plans needs none of it.
    from bayesrank import models
    from bayesrank.inference import compiled
    from bayesrank.models._attach import attached
    from bayesrank.models._refitting import Refitting

    key = comparisons.data_hash(), ties
    if key not in _KEPT:
        attachment = attached(models.bradley_terry(comparisons, ties=ties))
        refitting = None if attachment is None else attachment.resampling
        if not isinstance(refitting, Refitting):
            msg = "a model of paired comparisons can be refitted."
            raise AssertionError(msg)
        _KEPT.clear()
        # Built on weights, so that fractions of resampled units can be counted.
        _KEPT[key] = compiled(refitting.weighted_model()), refitting
    return _KEPT[key]


def _prefix(
    n: int,
    *,
    battles: Battles,
    comparisons: Comparisons,
    unit: str | None,
    config: Mapping[str, Any],
) -> dict[str, ArrayLike]:
    """Rank by the first n votes."""
    with _quiet():
        model, refitting = _compiled(comparisons.collapse(), config["ties"])
        counts = battles.counts(n)
        data = refitting.observed(counts, model.data)
        seed = np.random.SeedSequence(config["seed"], spawn_key=(n,))
        if unit is None:
            tree, drawn = _drawn(model.with_data(**data), config, seed)
            verdict = read_record(tree).verdict
        else:
            tree = _resampled(model, refitting, battles, n, config, np.random.default_rng(seed))
            drawn, verdict = "bootstrap", "not run"
        ranking = rank(tree, ci_prob=config["ci_prob"])
    own: dict[str, ArrayLike] = {name: ranking.dataset[name].to_numpy() for name in _ANSWERS}
    return {
        **own,
        "told_apart": _told_apart(ranking, config["ci_prob"]),
        "votes_of": _votes_of(comparisons, counts),
        "drawn": np.array(drawn),
        "verdict": np.array(verdict),
    }


def _drawn(
    model: Any, config: Mapping[str, Any], seed: np.random.SeedSequence
) -> tuple[xr.DataTree, str]:
    each = -(-config["draws"] // _CHAINS)
    if config["method"] == "laplace":
        try:
            return model.laplace(draws=each, chains=_CHAINS, random_seed=seed), "laplace"
        except ArgumentError:  # few votes: the spread of models has no mode of its own
            pass
    # Draws of a chain are not independent, and a few of them would fail the checks.
    tree = model.sample(
        draws=max(each, _FEWEST), tune=_FEWEST, chains=_CHAINS, random_seed=seed, progressbar=False
    )
    return tree, "nuts"


def _resampled(
    model: Any,
    refitting: Any,
    battles: Battles,
    n: int,
    config: Mapping[str, Any],
    rng: np.random.Generator,
) -> xr.DataTree:
    """Return strengths under new judges, prompts or sessions, fitted again in every draw."""
    from bayesrank.inference.flat import points_as_tree
    from bayesrank.inference.refits import Refits

    kind = str(config["resample"])
    clusters = battles.clusters(n, kind.removesuffix("s"))
    flat = model.flat.with_data(refitting.observed(battles.counts(n), model.flat.data))
    refits = Refits.of(flat)
    points = np.empty((_CHAINS * -(-config["draws"] // _CHAINS), len(refits.mode)))
    at = 0
    for block in clusters.blocks(len(points), rng):
        for counts in block:
            points[at] = refits.again(flat.with_data(refitting.observed(counts, flat.data)))
            at += 1
    points = refits.mode + clusters.stretch * (points - refits.mode)
    return points_as_tree(flat, points, chains=_CHAINS)


def _votes_of(comparisons: Comparisons, counts: FloatArray) -> NDArray[np.float64]:
    cells, n = comparisons.collapse(), counts.sum(axis=1)
    L = len(comparisons.systems)
    return np.bincount(cells.first, n, L) + np.bincount(cells.second, n, L)


def _told_apart(ranking: Ranking, level: float) -> float:
    """Return the share of neighbours of an order that are told apart."""
    order = np.argsort(ranking.dataset["rank"].to_numpy(), kind="stable")
    above = ranking.dataset["superiority"].to_numpy()[order[:-1], order[1:]]
    return float((above >= level).mean())


def _dataset(
    comparisons: Comparisons,
    battles: Battles,
    found: list[dict[str, Any]],
    sizes: list[int],
    config: Mapping[str, Any],
) -> xr.Dataset:
    stacked = {name: np.stack([arrays[name] for arrays in found]) for name in found[0]}
    names = np.array(comparisons.systems, dtype=np.str_)
    leader = names[stacked["score"].argmax(axis=1)]
    dims = ("votes", "system")
    variables: dict[str, Any] = {
        **{name: (dims, stacked[name]) for name in (*_ANSWERS, "votes_of")},
        "tau_b": ("votes", tau_b(stacked["rank"], stacked["rank"][-1])),
        "told_apart": ("votes", stacked["told_apart"]),
        "leader": ("votes", leader),
        "period": ("votes", np.array([battles.last_period(n) for n in sizes], dtype=np.str_)),
        "drawn": ("votes", stacked["drawn"]),
        "verdict": ("votes", stacked["verdict"]),
    }
    same = leader == leader[-1]
    since = sizes[int(np.flatnonzero(~same)[-1]) + 1] if not same.all() else sizes[0]
    result = xr.Dataset(variables, {"votes": sizes, "system": list(comparisons.systems)})
    result.attrs = {
        **config,
        "prefixes": len(sizes),
        "leader": str(leader[-1]),
        "leader_since": since,
        "timed": bool(battles.periods),
        "population": config["resample"] if config["resample"] != "none" else "battles",
        "notes": _notes(battles, sizes, stacked, config),
    }
    return result


def _notes(
    battles: Battles, sizes: list[int], stacked: Mapping[str, Any], config: Mapping[str, Any]
) -> list[str]:
    said: list[str] = []
    if not battles.periods:
        said.append(
            "The votes carry no time: prefixes are in one random order, and show what fewer votes "
            "would have told, not what happened."
        )
    elif any(battles.splits_period(n) for n in sizes):
        said.append("Some prefixes end within a period, whose votes are in random order.")
    if (stacked["votes_of"] == 0).any():
        said.append("A model without a vote in a prefix has the prior there.")
    if config["method"] == "laplace" and (stacked["drawn"] == "nuts").any():
        n = int((stacked["drawn"] == "nuts").sum())
        said.append(f"{n} of {len(sizes)} prefixes have no mode inside and were drawn by NUTS.")
    failed = stacked["verdict"] == "fail"
    if failed.any():
        way = (
            "method='nuts' draws them"
            if (stacked["drawn"][failed] == "laplace").any()
            else "few votes leave the spread of models open"
        )
        said.append(
            f"The checks of {int(failed.sum())} of {len(sizes)} posteriors failed (column checks): "
            f"do not lean on them; {way}."
        )
    return said
