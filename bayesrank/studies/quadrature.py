"""Who is most consistent with itself at one trial: exact abilities against a coarse grid."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from bayesrank._validate import validate_count, validate_probability
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import fit_mml
from bayesrank.ranking import rank_scores, tau_b
from bayesrank.rules import get
from bayesrank.studies._coarse_grid import CoarseGrid, strict_nanson
from bayesrank.studies._grid import Grid, study_seed
from bayesrank.studies._subsamples import nested_subsamples, require_trials
from bayesrank.typing import RandomSeed

__all__ = ["quadrature_artefact"]

type Floats = NDArray[np.float64]

_ALL = "all"
_BLOCK = 10  # draws in one cell of the grid of the study
_GROUPED = "mean, grouped"
# What the grouped mean is rounded to: about as coarse as the bounds on 21 nodes.
_STEP = 0.1


def quadrature_artefact(
    responses: Responses,
    *,
    nodes: Sequence[int] = (21, 41, 81, 161),
    em_steps: int = 20,
    quantile: float = 0.05,
    draws: int = 80,
    random_seed: RandomSeed = None,
    n_jobs: int = 1,
    folder: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> xr.Dataset:
    r"""Hold orders from one trial against those from all, for exact abilities and coarse grids.

    A published study found the lower bound of Rasch abilities (MML) most consistent with itself at
    one trial a question. This study shows where that comes from: integrals over a fixed grid of
    few nodes give bounds of few different values, so that models are tied, and ties agree.

    Parameters
    ----------
    responses : Responses
        Binary outcomes, several trials in every cell.
    nodes : sequence of int, default (21, 41, 81, 161)
        Sizes of the fixed grids.
    em_steps : int, default 20
        Steps after which the EM algorithm on a grid stops.
    quantile : float, default 0.05
        The lower bound: this quantile of the posterior of an ability.
    draws : int, default 80
        Draws of one trial a cell, without replacement. Where the single trials are known and are
        as many, each of them is one draw.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness; not used where each trial is a draw.
    n_jobs, folder, progress
        As in `bayesrank.studies.populations`.

    Returns
    -------
    xarray.Dataset
        On ``rule``, each with ``_sd``, over the draws: ``self_tau_b``, Kendall's tau-b of the
        order at one trial to that of the same rule at all trials; ``gold_tau_b``, to the order
        of Bayes@N at all trials; ``mean_tau_b``, to the order of the mean in the same draw;
        ``gain``, by how much more consistent with itself a rule is than the mean in the same
        draw. Their Monte Carlo errors end in ``_mcse``. ``values`` and ``values_all``: how many
        different scores at one trial (on average) and at all; ``tied`` and ``tied_all``: the share
        of pairs of models that are tied. ``undefined``: draws in which all models were tied, left
        out.
        Coordinates ``family`` (mean, exact, coarse, voting). Attributes: the configuration,
        ``source``, ``data_hash``, ``seed``, ``sampled``.

    Raises
    ------
    ArgumentError
        For no grid, or one of fewer than 2 nodes.
    InputError
        For fewer than three models, outcomes that are not binary, or a cell of fewer than 2
        trials.

    Notes
    -----
    On complete data the likelihood of a Rasch model depends on a model's outcomes through their
    total alone, and is monotone in it, on any grid and at any difficulties. Posterior means and
    quantiles are therefore never in another order than the means: they can only tie what the mean
    tells apart. A quantile that is one of the nodes does; a mean does where rounding leaves only
    one node with any mass, as with many trials.

    "mean, grouped" is the mean rounded to multiples of 0.1: a method that throws information away
    on purpose, and is held against the others for what that does to tau-b.

    References
    ----------
    .. [1] Bock, R. D. and Aitkin, M. (1981). Marginal maximum likelihood estimation of item
       parameters: application of an EM algorithm. Psychometrika 46(4), 443-459.
       https://doi.org/10.1007/BF02293801
    .. [2] Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33(3),
       239-251. https://doi.org/10.1093/biomet/33.3.239

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.studies import quadrature_artefact
    >>> data = simulate_responses(systems=8, questions=40, trials=10, random_seed=1)
    >>> found = quadrature_artefact(data, nodes=[21], random_seed=1)
    >>> exact = found.sel(rule=["EAP, exact", "bound, exact"])
    >>> (exact["mean_tau_b"] == 1).values.tolist()
    [True, True]
    """
    draws = validate_count(draws, name="draws", minimum=2)
    sizes = [validate_count(n, name="nodes", minimum=2) for n in nodes]
    if not sizes or sorted(set(sizes)) != sizes:
        msg = f"nodes={list(nodes)} must be sizes that increase, such as [21, 41, 81]."
        raise ArgumentError(msg)
    validate_count(em_steps, name="em_steps", minimum=0)
    level = validate_probability(quantile, name="quantile")
    _require(responses)
    grids = [CoarseGrid(n, em_steps) for n in sizes]
    seed = study_seed(random_seed, folder=folder)
    each_once = _single_trials(responses)
    count = draws if each_once is None else min(draws, each_once)
    config = {
        "study": "quadrature_artefact",
        "data_hash": responses.data_hash(),
        "nodes": sizes,
        "em_steps": em_steps,
        "quantile": level,
        "draws": count,
        "seed": seed,
    }
    blocks = {
        f"draws={start}-{min(start + _BLOCK, count) - 1}": range(start, min(start + _BLOCK, count))
        for start in range(0, count, _BLOCK)
    }
    task = partial(
        _ranks_of, responses=responses, grids=grids, quantile=level, seed=seed,
        trials=each_once is not None,
    )  # fmt: skip
    grid = Grid(n_jobs=n_jobs, folder=folder, progress=progress)
    cells = grid.run(task, {_ALL: None, **blocks}, config=config)
    everything = cells.pop(_ALL)
    names = list(everything)
    ranks = {m: np.concatenate([block[m] for block in cells.values()]) for m in names}
    gold = rank_scores(get("bayes")(responses).to_numpy()).astype(np.float64)
    found = _dataset(names, ranks, {m: everything[m][0] for m in names}, gold)
    found.attrs = {
        **config,
        "source": responses.source,
        "models": len(responses.systems),
        "questions": len(responses.questions),
        "sampled": "each trial" if each_once is not None else "random trials",
        "trials": int(responses.n_trials.min()),
    }
    return found


def _require(responses: Responses) -> None:
    if len(responses.systems) < 3:
        msg = f"{responses.source}: {len(responses.systems)} models have too few orders to compare."
        raise InputError(msg)
    if responses.n_categories != 2:
        msg = (
            f"{responses.source}: abilities are about right and wrong; these outcomes have "
            f"{responses.n_categories} categories."
        )
        raise InputError(msg)
    require_trials(responses, 2)


def _single_trials(responses: Responses) -> int | None:
    """Return how many trials a cell has where all are known one by one, or None."""
    if responses.outcomes is None or (np.asarray(responses.outcomes) < 0).any():
        return None
    return int(np.asarray(responses.outcomes).shape[2])


def _ranks_of(
    which: Sequence[int] | None,
    *,
    responses: Responses,
    grids: Sequence[CoarseGrid],
    quantile: float,
    seed: int,
    trials: bool,
) -> Mapping[str, Floats]:
    """Return ranks by every method, shape (draw, system), for some draws or for all trials."""
    found: dict[str, list[Floats]] = {}
    for counts in [responses.counts] if which is None else _drawn(responses, which, seed, trials):
        part = replace(
            responses, counts=counts, outcomes=None, prompts=None,
            missing=np.zeros_like(responses.missing),
        )  # fmt: skip
        for method, scores in _scores(part, grids, quantile):
            found.setdefault(method, []).append(rank_scores(scores).astype(np.float64))
    return {method: np.stack(rows) for method, rows in found.items()}


def _drawn(
    responses: Responses, which: Sequence[int], seed: int, trials: bool
) -> Iterator[NDArray[np.int64]]:
    """Yield counts of one trial a cell."""
    categories = np.arange(responses.n_categories)
    for draw in which:
        if trials:
            one = np.asarray(responses.outcomes)[:, :, draw]
            yield (one[:, :, np.newaxis] == categories).astype(np.int64)
        else:
            rng = np.random.default_rng([seed, draw])
            yield next(nested_subsamples(responses.counts, [1], rng=rng))


def _scores(
    part: Responses, grids: Sequence[CoarseGrid], quantile: float
) -> Iterator[tuple[str, Floats]]:
    k, n = part.successes.astype(np.float64), part.n_trials.astype(np.float64)
    mean = (k / n).mean(axis=1)
    yield "mean", mean
    yield _GROUPED, np.rint(mean / _STEP)
    exact = fit_mml((k, n), ability_sd=1.0)
    yield "EAP, exact", exact.ability
    yield "bound, exact", exact.quantile_of(quantile)
    for grid in grids:
        eap, bound = grid.fit(k, n, quantile=quantile)
        yield f"EAP, {grid.nodes} nodes", eap
        yield f"bound, {grid.nodes} nodes", bound
    yield "nanson", get("nanson")(part).to_numpy()
    yield "nanson, strict", strict_nanson(part)


def _dataset(
    names: Sequence[str], ranks: Mapping[str, Floats], full: Mapping[str, Floats], gold: Floats
) -> xr.Dataset:
    columns: dict[str, list[float]] = {}
    of_mean = tau_b(ranks["mean"], full["mean"])
    for method in names:
        own = ranks[method]
        taus = {
            "self_tau_b": tau_b(own, full[method]),
            "gold_tau_b": tau_b(own, gold),
            "mean_tau_b": tau_b(own, ranks["mean"]),
        }
        taus["gain"] = taus["self_tau_b"] - of_mean
        row: dict[str, float] = {}
        for name, tau in taus.items():
            known = tau[np.isfinite(tau)]
            several = len(known) > 1
            row[name] = float(known.mean()) if len(known) else np.nan
            row[f"{name}_sd"] = float(known.std(ddof=1)) if several else np.nan
            row[f"{name}_mcse"] = row[f"{name}_sd"] / max(len(known), 1) ** 0.5
        row |= {
            "values": float(np.mean([len(np.unique(r)) for r in own])),
            "values_all": float(len(np.unique(full[method]))),
            "tied": float(_tied(own).mean()),
            "tied_all": float(_tied(full[method][np.newaxis])[0]),
            "undefined": float(np.isnan(taus["gold_tau_b"]).sum()),
        }
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    variables: dict[str, Any] = {name: ("rule", values) for name, values in columns.items()}
    coords: dict[str, Any] = {"rule": list(names), "family": ("rule", _families(names))}
    return xr.Dataset(variables, coords)


def _families(names: Sequence[str]) -> list[str]:
    def family(name: str) -> str:
        if name.startswith("nanson"):
            return "voting"
        if name.endswith("nodes"):
            return "coarse"
        return "exact" if name.endswith("exact") else "mean"

    return [family(name) for name in names]


def _tied(ranks: Floats) -> Floats:
    """Return the share of pairs that are tied, shape (draw,)."""
    n = ranks.shape[1]
    pairs = n * (n - 1) / 2
    counts = np.stack([(ranks == r[:, np.newaxis]).sum(axis=1) for r in ranks.T], axis=1)
    return (counts - 1).sum(axis=1) / 2.0 / pairs
