"""The same data under each population: what new trials, questions, tasks or prompts leave open."""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from bayesrank._record import Record, write_record
from bayesrank._text import listed
from bayesrank._validate import validate_count, validate_probability
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import BayesrankError, BayesrankWarning, InputError
from bayesrank.likelihoods.unit_scores import Weighting
from bayesrank.ranking import Ranking, rank
from bayesrank.studies._grid import Grid, study_seed
from bayesrank.studies._population_draws import Asked, names_of, natural, units_in_words
from bayesrank.studies.variance import variance_components
from bayesrank.typing import RandomSeed

__all__ = ["populations"]

_OF_SYSTEMS = (
    *("score", "score_sd", "score_low", "score_high", "score_mcse"),
    *("rank", "rank_low", "rank_high", "p_best", "p_best_mcse"),
)
_NO_SHARES = (
    "Comparisons have no scores of single battles to split, so no shares of the variance are given."
)


def populations(
    data: Responses | Comparisons,
    *,
    among: Sequence[str | Sequence[str]] | None = None,
    prior: Literal["pooled", "uniform"] | None = None,
    weights: ArrayLike | None = None,
    weighting: Weighting = "question",
    draws: int = 1000,
    ci_prob: float = 0.95,
    random_seed: RandomSeed = None,
    n_jobs: int = 1,
    folder: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> xr.Dataset:
    """Rank the same data under each population, and say where the uncertainty comes from.

    Parameters
    ----------
    data : Responses or Comparisons
        The observations, of two models at least.
    among : sequence of str or of sequences of str, optional
        Populations as `bayesrank.sample` takes them, also crossed ones such as
        ("questions", "prompts"). By default all that the data have two units of and more: trials,
        questions, tasks and prompts; of comparisons battles, judges, prompts and sessions.
    prior : {"pooled", "uniform"}, optional
        Prior of the outcome probabilities, for trials alone: the others resample what was
        observed. By default "pooled", which does not shrink scores, so that intervals are of the
        same score under all populations; "uniform" where there are more than two categories.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    weighting : {"question", "task"}, default "question"
        What counts the same in a score: every question, or every task.
    draws : int, default 1000
        Draws a chain (of four).
    ci_prob : float, default 0.95
        Probability of all intervals, and threshold at which two models are told apart.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness; each population starts from the same seed.
    n_jobs : int, default 1
        Processes, -1 for all cores; joblib shares populations out among them.
    folder : Path, optional
        Where each population is kept when it is done, so that a killed study goes on from there.
    progress : callable, optional
        Called with the name of a population, its number and their number as each is done.

    Returns
    -------
    xarray.Dataset
        On (population, system): ``score`` with ``score_sd``, ``score_low``, ``score_high`` and
        ``score_mcse``; ``rank``, ``rank_low``, ``rank_high``; ``p_best`` and ``p_best_mcse``, all
        as `bayesrank.rank` gives them. On (population, pair), neighbours in the observed order,
        the coordinates ``above`` and ``below``: ``gap`` with ``gap_low`` and ``gap_high``,
        ``superiority`` (the probability that the first is above the second) with its ``_mcse``,
        and ``told_apart``: whether it, or that of the opposite, reaches `ci_prob`. On
        (population): ``units`` (what is resampled, in words), ``estimand`` and ``prior``. Of
        responses, on ``term`` and ``source``, everything that `variance_components` returns.
        Attributes: the configuration, ``source``, ``data_hash``, ``seed`` and ``notes``.

    Raises
    ------
    ArgumentError
        For a population that is not known, named twice or none, or options of scores with
        comparisons.
    InputError
        For one model, or a population named of which the data have no two units.

    Warns
    -----
    BayesrankWarning
        For fewer than six units (tasks, prompts, judges) to resample.

    Notes
    -----
    With one trial a cell, trials cannot be told from questions, and the share of questions holds
    both. Shares are of the variance of a mean over everything that was observed; an interval under
    one population holds what that population varies, and the noise of what lies inside it: that of
    new questions holds the noise of trials, that of new tasks holds both.

    References
    ----------
    .. [1] Brennan, R. L. (2001). Generalizability Theory. Springer.
       https://doi.org/10.1007/978-1-4757-3456-0

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.studies import populations
    >>> data = bayesrank.simulate_responses(
    ...     systems=4, questions=48, tasks=6, trials=4, random_seed=1
    ... )
    >>> found = populations(data, draws=100, random_seed=1)
    >>> found["population"].values.tolist()
    ['trials', 'questions', 'tasks']
    >>> width = found["score_high"] - found["score_low"]
    >>> bool((width.sel(population="questions") > width.sel(population="trials")).all())
    True
    """
    validate_count(draws, name="draws")
    level = validate_probability(ci_prob, name="ci_prob")
    if len(data.systems) < 2:
        msg = f"{data.source}: one model comes first under every population."
        raise InputError(msg)
    seed = study_seed(random_seed, folder=folder)
    asked = Asked.of(data, prior=prior, weights=weights, weighting=weighting)
    if among is None:
        chosen, notes = natural(data)
    else:
        chosen, notes = names_of(asked, among), []
    config = {
        "study": "populations",
        "data_hash": data.data_hash(),
        "draws": draws,
        "seed": seed,
        **asked.settings,
    }
    grid = Grid(n_jobs=n_jobs, folder=folder, progress=progress)
    rankings: dict[str, Ranking] = {}
    # Where they were not named, others can be left out: data without all prompts have trials.
    needed = chosen if among is not None else chosen[:1]
    task = partial(_drawn, asked=asked, draws=draws, seed=seed, needed=needed)
    for name, arrays in grid.run(task, {_file(n): n for n in chosen}, config=config).items():
        population = next(n for n in chosen if _file(n) == name)
        if "refused" in arrays:
            notes.append(f"Left out, {population}: {arrays['refused']}")
            continue
        for sentence in arrays["warnings"].tolist():
            warnings.warn(sentence, BayesrankWarning, stacklevel=2)
        rankings[population] = rank(_tree(data, arrays), ci_prob=level)
    components, why = _components(data, weights=weights, weighting=weighting)
    found = _dataset(data, rankings, components)
    found.attrs = {
        **config,
        "ci_prob": level,
        "draws": 4 * draws,
        "source": data.source,
        "notes": list(dict.fromkeys([*notes, *why, *_notes(rankings)])),
    }
    return found


def _file(population: str) -> str:
    return population.replace(" ", "")


def _drawn(
    population: str, *, asked: Asked, draws: int, seed: int, needed: Sequence[str]
) -> dict[str, ArrayLike]:
    """Return draws of the scores under one population, or why there are none."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", BayesrankWarning)
        try:
            scores, record = asked.draw(population, draws=draws, seed=seed)
        except BayesrankError as error:
            if population in needed:
                raise
            return {"refused": str(error).removeprefix(f"{asked.data.source}: ")}
    texts = [str(w.message) for w in said if issubclass(w.category, BayesrankWarning)]
    return {"score": scores, "record": record, "warnings": np.array(texts, dtype=np.str_)}


def _tree(data: Responses | Comparisons, arrays: dict[str, NDArray[Any]]) -> xr.DataTree:
    scores = arrays["score"]
    found = xr.Dataset(
        {"score": (("chain", "draw", "system"), scores)},
        {
            "chain": range(scores.shape[0]),
            "draw": range(scores.shape[1]),
            "system": list(data.systems),
        },
    )
    tree = xr.DataTree.from_dict({"posterior": found})
    write_record(tree, Record.from_json(str(arrays["record"])))
    return tree


def _components(
    data: Responses | Comparisons, *, weights: ArrayLike | None, weighting: Weighting
) -> tuple[xr.Dataset | None, list[str]]:
    if isinstance(data, Comparisons):
        return None, [_NO_SHARES]
    try:
        return variance_components(data, weights=weights, weighting=weighting), []
    except InputError as error:
        reason = str(error).removeprefix(f"{data.source}: ")
        return None, [f"No shares of the variance: {reason}"]


def _dataset(
    data: Responses | Comparisons,
    rankings: dict[str, Ranking],
    components: xr.Dataset | None,
) -> xr.Dataset:
    each = list(rankings.values())
    order = _observed_order(data.systems, each[0], components)
    one, other = order[:-1], order[1:]
    of_systems, of_pairs = ("population", "system"), ("population", "pair")
    values: dict[str, Any] = {
        name: (of_systems, np.stack([r.dataset[name].to_numpy() for r in each]))
        for name in _OF_SYSTEMS
    }
    pairs = [_pairs(ranking, one, other) for ranking in each]
    values |= {name: (of_pairs, np.stack([p[name] for p in pairs])) for name in pairs[0]}
    values |= {
        "units": ("population", [units_in_words(data, name) for name in rankings]),
        "estimand": ("population", [r.record.estimand for r in each]),
        "prior": ("population", [r.record.prior for r in each]),
    }
    names = np.array(data.systems)
    coords: dict[str, Any] = {
        "population": list(rankings),
        "system": names,
        "above": ("pair", names[one]),
        "below": ("pair", names[other]),
    }
    found = xr.Dataset(values, coords)
    return found if components is None else found.merge(components)


def _observed_order(
    systems: Sequence[str], first: Ranking, components: xr.Dataset | None
) -> NDArray[np.intp]:
    """Return positions of the models from the best down: as observed, where scores are."""
    if components is None:
        return np.argsort(-first.dataset["score"].to_numpy(), kind="stable")
    at = {name: i for i, name in enumerate(systems)}
    models = components["first"].to_numpy()[components["kind"].to_numpy() == "model"]
    return np.array([at[str(name)] for name in models], dtype=np.intp)


def _pairs(
    ranking: Ranking, one: NDArray[np.intp], other: NDArray[np.intp]
) -> dict[str, NDArray[Any]]:
    """Return what the draws say of some pairs, the first of each above the second."""
    level = float(ranking.dataset.attrs["ci_prob"])
    scores = ranking.scores.transpose("chain", "draw", "system").to_numpy()
    flat = scores.reshape(-1, scores.shape[-1])
    gap = flat[:, one] - flat[:, other]
    low, high = np.quantile(gap, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0)
    above, error = (ranking.dataset[f"superiority{e}"].to_numpy() for e in ("", "_mcse"))
    sure = np.maximum(above[one, other], above[other, one])
    return {
        "gap": gap.mean(axis=0),
        "gap_low": low,
        "gap_high": high,
        "superiority": above[one, other],
        "superiority_mcse": error[one, other],
        "told_apart": sure >= level,
    }


def _notes(rankings: dict[str, Ranking]) -> list[str]:
    """Return what has to be known, each sentence once with the populations that it is about."""
    about: dict[str, list[str]] = {}
    for name, ranking in rankings.items():
        for sentence in ranking.record.notes:
            about.setdefault(sentence, []).append(name)
    return [
        sentence
        if len(names) == len(rankings)
        else f"{listed(names).replace(chr(39), '').capitalize()}: {sentence}"
        for sentence, names in about.items()
    ]
