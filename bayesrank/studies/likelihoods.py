"""The same data under other models and rules: where the order depends on the likelihood."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import listed
from bayesrank._validate import validate_count, validate_probability
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import InputError
from bayesrank.ranking import opposed_pairs, tau_b_between
from bayesrank.rules import Rule
from bayesrank.studies._disagreement import reasons
from bayesrank.studies._grid import Grid, study_seed
from bayesrank.studies._methods import (
    SUCCESSES,
    TRINOMIAL,
    Fitting,
    Method,
    chosen_methods,
    fit,
)
from bayesrank.studies._setting_rows import KEPT
from bayesrank.studies.contested import contested_pairs
from bayesrank.typing import RandomSeed

__all__ = ["likelihood_sensitivity"]

type Found = Mapping[str, Mapping[str, NDArray[Any]]]

_MOST_CONTESTED = 50


def likelihood_sensitivity(
    data: Responses | Comparisons,
    *,
    methods: Sequence[str | Rule] | None = None,
    weights: ArrayLike | None = None,
    draws: int = 500,
    random_seed: RandomSeed = None,
    ci_prob: float = 0.95,
    n_jobs: int = 1,
    folder: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> xr.Dataset:
    """Rank the same data by models of different likelihoods and by rules, and compare them.

    Parameters
    ----------
    data : Responses or Comparisons
        The observations, of two models at least.
    methods : sequence of str or Rule, optional
        Models by name, "bayes-at-n", "bayes-at-n:pooled", "hierarchical", "rasch" and "2pl" of
        responses, "bradley-terry:davidson", ":rao_kupper", ":half" and ":drop" of comparisons;
        and rules (`bayesrank.rules.get`). The first is what the others are held against. By
        default the models and a few rules of different kinds; "hierarchical", which takes the
        sampler longest, for up to 2,500 cells.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    draws : int, default 500
        Draws a chain, of four.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness.
    ci_prob : float, default 0.95
        Probability of all intervals.
    n_jobs : int, default 1
        Processes, -1 for all cores: a method each (joblib).
    folder : Path, optional
        Where finished methods are kept, so that a killed study goes on.
    progress : callable, optional
        Called with the name of a method, its number and their number as each is done.

    Returns
    -------
    xarray.Dataset
        On (analysis, system): ``score``, ``rank`` with ``_low`` and ``_high``, ``rank_mean``,
        ``p_best``. On (analysis): ``how`` it was drawn ("exact", "laplace", ...), ``prior``,
        ``verdict`` and ``failed`` checks, ``seconds``. On (analysis, analysis_bis):
        ``tau_b_between`` the orders shown, ``tau_b_mean``, ``tau_b_low`` and ``tau_b_high`` over
        the draws, and ``opposed`` pairs of models. On (system, system_bis): ``above``, how many
        methods rank the first above the second, and ``superiority`` under the first method. On
        (pair), models that methods order oppositely, the most contested first: ``pair_above`` and
        ``pair_below``, as the first method has them, ``pair_for``, ``pair_against``,
        ``pair_superiority``, ``pair_told_apart``, ``pair_methods_against`` and ``pair_why``. On
        (loo_analysis), models that share an outcome: ``elpd``, ``elpd_se``, ``elpd_diff`` and
        ``elpd_diff_se`` to the best, ``p_loo``, ``loo_weight`` (stacking), ``k_hat_max`` and
        ``k_hat_high`` (cells above .7: not to be trusted). On (refused): ``reason``. Attributes:
        the configuration, ``reference``, ``loo``, what can be compared and what cannot, ``notes``.

    Raises
    ------
    ArgumentError
        For an unknown method, one that is named twice or is for other data, or fewer than two; a
        folder of another study.
    InputError
        For one model, or data that fewer than two methods can rank.

    Notes
    -----
    Draws of different methods are independent: tau-b over the draws holds the order of one method
    in a draw against that of another in a draw of its own. So it is below that of the orders
    shown wherever models are close, and its diagonal says how far a method agrees with itself.
    Leave-one-out predictions compare models of one outcome at one unit: a model on a question,
    with what a model has for that cell alone integrated out, or all comparisons of a pair.

    References
    ----------
    .. [1] Vehtari, A., Gelman, A. and Gabry, J. (2017). Practical Bayesian model evaluation using
       leave-one-out cross-validation and WAIC. Statistics and Computing 27, 1413-1432.
       https://doi.org/10.1007/s11222-016-9696-4

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.studies import likelihood_sensitivity
    >>> data = bayesrank.Responses.from_counts([[9, 9, 0], [5, 5, 10]], 10)
    >>> methods = ["bayes-at-n", "mean", "borda"]
    >>> found = likelihood_sensitivity(data, methods=methods, draws=25, random_seed=1)
    >>> found["pair_methods_against"].values.tolist()
    ['borda']
    """
    validate_count(draws, name="draws", minimum=25)
    level = validate_probability(ci_prob, name="ci_prob")
    if len(data.systems) < 2:
        msg = f"{data.source}: one model comes first by every method; there is nothing to compare."
        raise InputError(msg)
    chosen, notes = chosen_methods(methods, data, weights)
    seed = study_seed(random_seed, folder=folder)
    own = None
    if weights is not None and isinstance(data, Responses):
        own = tuple(map(float, data.category_weights(weights)))
    fitting = Fitting(data, draws, seed, level, own)
    config = {
        "study": "likelihoods",
        "methods": [[each.name, "" if each.rule is None else str(each.rule)] for each in chosen],
        "weights": own,
        "draws": draws,
        "seed": seed,
        "ci_prob": level,
        "data_hash": data.data_hash(),
    }
    cells = {f"{k}-{_file_name(each.name)}": each for k, each in enumerate(chosen)}
    raw = Grid(n_jobs, folder, progress).run(partial(fit, fitting), cells, config=config)
    by_name = {method.name: raw[cell] for cell, method in cells.items()}
    found = {name: values for name, values in by_name.items() if "reason" not in values}
    refused = {name: str(v["reason"]) for name, v in by_name.items() if "reason" in v}
    if len(found) < 2:
        why = "; ".join(f"{name}: {reason}" for name, reason in refused.items())
        msg = f"{data.source}: fewer than two methods can rank these data. {why}"
        raise InputError(msg)
    result = _dataset(data, found, level, seed)
    result["reason"] = ("refused", np.array([*refused.values()], dtype=np.str_))
    result = result.assign_coords(refused=np.array([*refused], dtype=np.str_))
    reference = next(iter(found))
    result.attrs = {
        **{k: v for k, v in config.items() if k not in ("methods", "weights")},
        "reference": reference,
        "population": str(found[reference]["population"]),
        "source": data.source,
    }
    result, said = _with_loo(result, found, chosen, draws)
    result.attrs["loo"] = said
    result.attrs["notes"] = notes
    return _with_pairs(result, data, weights)


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_.=" else "_" for c in name)


def _dataset(data: Responses | Comparisons, found: Found, level: float, seed: int) -> xr.Dataset:
    methods = np.array([*found], dtype=np.str_)
    systems = np.array(data.systems, dtype=np.str_)
    two, square = ("analysis", "system"), ("analysis", "analysis_bis")
    variables: dict[str, Any] = {
        name: (two, np.stack([cell[name] for cell in found.values()])) for name in KEPT
    }
    for name in ("how", "prior", "verdict", "failed"):
        texts = [str(cell[name]) for cell in found.values()]
        variables[name] = ("analysis", np.array(texts, dtype=np.str_))
    seconds = [float(cell["seconds"]) for cell in found.values()]
    variables["seconds"] = ("analysis", np.array(seconds))
    rank = variables["rank"][1]
    between = _between_draws([cell["ranks"] for cell in found.values()], level, seed)
    variables |= {
        "tau_b_between": (square, tau_b_between(rank)),
        **{f"tau_b_{k}": (square, values) for k, values in between.items()},
        "opposed": (square, opposed_pairs(rank)),
    }
    above = (rank[:, :, np.newaxis] < rank[:, np.newaxis, :]).sum(axis=0)
    variables["above"] = ("system", "system_bis"), above
    variables["superiority"] = ("system", "system_bis"), _superiority(next(iter(found.values())))
    coords = {
        "analysis": methods,
        "analysis_bis": methods,
        "system": systems,
        "system_bis": systems,
    }
    return xr.Dataset(variables, coords)


def _between_draws(
    ranks: Sequence[NDArray[Any]], level: float, seed: int
) -> dict[str, NDArray[np.float64]]:
    """Return mean and ends of tau-b between methods over their draws, which are independent."""
    n = min(len(each) for each in ranks)
    rng = np.random.default_rng(seed)
    # Methods that were drawn from one seed would see the same noise: each is put in an order of
    # its own. A method against itself is one draw against the next.
    one, other = (
        np.stack([each[rng.permutation(len(each))[:n]] for each in ranks], axis=1) for _ in range(2)
    )
    methods = len(ranks)
    both = tau_b_between(np.concatenate([one, other], axis=1))[:, :methods, methods:]
    low, high = (1.0 - level) / 2.0, (1.0 + level) / 2.0
    found = {
        "mean": np.nanmean(both, axis=0),
        "low": np.nanquantile(both, low, axis=0),
        "high": np.nanquantile(both, high, axis=0),
    }
    return {name: (values + values.T) / 2.0 for name, values in found.items()}


def _superiority(cell: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
    """Return how often each system is above each other; one system at a time."""
    ranks = cell["ranks"]
    found = np.empty((ranks.shape[1],) * 2)
    for i in range(ranks.shape[1]):
        found[i] = (ranks[:, [i]] < ranks).mean(axis=0)
    return found


# ---------------------------------------------------------------- leave-one-out


def _with_loo(
    result: xr.Dataset, found: Found, chosen: Sequence[Method], draws: int
) -> tuple[xr.Dataset, list[str]]:
    """Add the comparison of the models that share an outcome, and say which do not."""
    models = [each for each in chosen if each.rule is None and each.name in found]
    said: list[str] = []
    groups = {
        outcome: [m.name for m in models if m.outcome == outcome and "loo_elpd_i" in found[m.name]]
        for outcome in (SUCCESSES, TRINOMIAL)
    }
    for outcome, names in groups.items():
        if len(names) > 1:
            from bayesrank.studies import _loo as loo

            values = {
                name: {k: found[name][f"loo_{k}"] for k in ("elpd_i", "pareto_k", "p_i")}
                for name in names
            }
            result = result.merge(loo.compared(values, 4 * draws))
            said.append(f"{', '.join(names)} share an outcome, {outcome}, and are compared by it.")
    together = [name for names in groups.values() if len(names) > 1 for name in names]
    alone = [m.name for m in models if m.name not in together]
    if alone:
        said.append(
            f"No left-out predictions to compare for {listed(alone, most=8)}: the other methods "
            f"predict another outcome, or none."
        )
    if any(each.rule is not None for each in chosen):
        said.append("Rules predict no outcome, and have no such comparison.")
    return result, said


# ---------------------------------------------------------------- contested pairs


def _with_pairs(
    result: xr.Dataset, data: Responses | Comparisons, weights: ArrayLike | None
) -> xr.Dataset:
    """Add the pairs of models that methods order oppositely, and what could turn them."""
    pairs = contested_pairs(result.rename(analysis="rule", analysis_bis="rule_bis"))
    result.attrs["contested"] = len(pairs)
    pairs = pairs.head(_MOST_CONTESTED)
    place = {name: k for k, name in enumerate(data.systems)}
    why = reasons(data, weights, result["score"].to_numpy()[0])
    texts = {
        "pair_above": pairs["above"].tolist(),
        "pair_below": pairs["below"].tolist(),
        "pair_methods_against": [", ".join(names) for names in pairs["against"]],
        "pair_why": [
            why(place[str(one)], place[str(other)])
            for one, other in zip(pairs["above"], pairs["below"], strict=True)
        ],
    }
    numbers = {
        "pair_for": pairs["rules_for"],
        "pair_against": pairs["rules_against"],
        "pair_superiority": pairs["superiority"],
        "pair_told_apart": pairs["told_apart"],
    }
    return result.assign(
        {name: ("pair", np.array(values, dtype=np.str_)) for name, values in texts.items()}
        | {name: ("pair", values.to_numpy()) for name, values in numbers.items()}
    )
