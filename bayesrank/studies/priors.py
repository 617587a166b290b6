"""How a ranking moves with the prior: its scale, its family, auxiliary outcomes, utilities."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from bayesrank._validate import (
    validate_choice,
    validate_count,
    validate_finite,
    validate_probability,
)
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.priors import EmpiricalPrior
from bayesrank.priors.learned import Weight
from bayesrank.ranking import tau_b
from bayesrank.studies._grid import Grid, study_seed
from bayesrank.studies._prior_settings import (
    EXACT,
    Exact,
    Family,
    Setting,
    Sweep,
    chosen_model,
    exact_plan,
    families_of,
)
from bayesrank.studies._setting_rows import KEPT
from bayesrank.typing import RandomSeed

__all__ = ["prior_sensitivity"]


def prior_sensitivity(
    data: Responses | Comparisons,
    *,
    model: Literal["bayes-at-n", "bradley-terry", "item-response", "hierarchical"] | None = None,
    parameter: str | None = None,
    families: Sequence[str] | None = None,
    scales: Sequence[float] = (0.5, 1.0, 2.0),
    prior_from: EmpiricalPrior | Responses | ArrayLike | None = None,
    prior_weights: Sequence[Weight] | None = None,
    weights: ArrayLike | None = None,
    weights_sweep: Sequence[Sequence[float]] = (),
    powers: Sequence[float] = (0.8, 1.25),
    method: Literal["nuts", "laplace"] = "nuts",
    draws: int = 1000,
    random_seed: RandomSeed = None,
    ci_prob: float = 0.95,
    n_jobs: int = 1,
    folder: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> xr.Dataset:
    r"""Rank the same data under many priors, and say where the leader changes.

    Two ways of asking: other priors, each with its own posterior; and power-scaling, which asks of
    one posterior what happens if its prior, or its likelihood, counts a little more or less.

    Parameters
    ----------
    data : Responses or Comparisons
        The observations, of two models at least.
    model : {"bayes-at-n", "bradley-terry", "item-response", "hierarchical"}, optional
        Model of the outcomes; by default "bayes-at-n", which needs no sampler, or "bradley-terry"
        for comparisons.
    parameter : str, optional
        The parameter whose prior is varied. By default what says how far models are apart:
        ``strength``, ``ability`` (hierarchical), ``ability_sd`` (item response).
    families : sequence of str, optional
        Families of that prior, by default the first three: "Normal", "StudentT" (4 degrees of
        freedom), "Cauchy", "Laplace", with the same centre and scale, which is learned where that
        of the usual prior is; of a spread, "HalfNormal", "HalfStudentT", "HalfCauchy",
        "Exponential". For "bayes-at-n": "Dirichlet" and, of binary outcomes, "pooled".
    scales : sequence of float, default (0.5, 1, 2)
        Factors of the scale, each with every family; one model is compiled for all of a family.
        For "bayes-at-n" the concentration: 1 is uniform, 0.5 Jeffreys for binary outcomes.
    prior_from : EmpiricalPrior, Responses or array_like, optional
        Auxiliary outcomes, such as greedy decodes, as a prior ("bayes-at-n").
    prior_weights : sequence of float, "learned" or "moments", optional
        What an auxiliary outcome counts, by default 0.5, 1, 2 and "learned"; 0 is always there.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps ("bayes-at-n").
    weights_sweep : sequence of sequences of float
        Other such vectors to rank by ("bayes-at-n").
    powers : sequence of float, default (0.8, 1.25)
        What prior and likelihood count in the decisions; 0.99 and 1.01 come with them.
    method : {"nuts", "laplace"}, default "nuts"
        How models without a closed form are drawn.
    draws : int, default 1000
        Draws a chain, of four.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness: every setting starts from the same.
    ci_prob : float, default 0.95
        Probability of all intervals.
    n_jobs : int, default 1
        Processes, -1 for all cores: a family of priors each (joblib).
    folder : Path, optional
        Where finished families are kept, so that a killed study goes on.
    progress : callable, optional
        Called with what was done, its number and their number.

    Returns
    -------
    xarray.Dataset
        On (setting, system), the usual prior first: ``score``, ``rank`` with ``_low`` and
        ``_high``, ``rank_mean``, ``p_best``. On (setting): ``leader``, ``sweep``, ``value`` (NaN
        where it is no number), ``tau_b`` to the usual prior, ``verdict`` of the draws, ``failed``
        (which checks), ``seconds``. On (change): where the leader changes, ``change_sweep``,
        ``change_from`` and ``change_to`` (settings), ``change_from_value``, ``change_to_value``,
        ``leader_before``, ``leader_after``. Power-scaling, on (part, system), prior and
        likelihood: ``sensitivity``, the derivative of the cumulative Jensen-Shannon distance of
        the score, above .05 where it moves; ``diagnosis(system)`` in words. On (part, power):
        ``k_hat`` of the weights (below .7 they can be believed; NaN where nothing changes),
        ``scaled_p_best`` of the leader, ``scaled_p_ahead``, that it is above the runner-up, and
        with ``system`` ``scaled_rank_mean`` and ``scaled_score``; ``base_p_best`` and so on at
        power 1. Attributes: the configuration, ``source``, ``data_hash``, ``seed``, ``notes``.

    Raises
    ------
    ArgumentError
        For an unknown model, parameter, family or weight; scales that are not positive; weights of
        the wrong length; options that the model does not take; a folder of another study.
    InputError
        For one model, or auxiliary outcomes that do not match.

    Notes
    -----
    Prior and likelihood are scaled to a power :math:`\alpha` by importance weights
    :math:`p(\theta)^{\alpha - 1}` of the draws, Pareto-smoothed. Only priors at the top are scaled,
    whose parameters are numbers: what a level of a model says of the next is part of the model.
    Decisions are reweighted and not diagnosed: the diagnostic misleads on indicators. Bayes@N under
    a power is a Dirichlet again, and its decisions are drawn anew instead of reweighted; the
    uniform prior has no power to scale.

    References
    ----------
    .. [1] Kallioinen, N., Paananen, T., Bürkner, P.-C. and Vehtari, A. (2024). Detecting and
       diagnosing prior and likelihood sensitivity with power-scaling. Statistics and Computing 34,
       57. https://doi.org/10.1007/s11222-023-10366-5

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.studies import prior_sensitivity
    >>> data = bayesrank.Responses.from_counts([[9, 2], [6, 6]], [[10, 4], [10, 10]])
    >>> found = prior_sensitivity(data, draws=100, random_seed=1)
    >>> found["setting"].values.tolist()
    ['uniform', 'Dirichlet(0.5)', 'Dirichlet(2)', 'pooled']
    >>> found["leader"].values[0].item()
    'model 1'
    """
    name = chosen_model(model, data)
    if len(data.systems) < 2:
        msg = f"{data.source}: one model leads under every prior; there is nothing to study."
        raise InputError(msg)
    validate_count(draws, name="draws", minimum=25)
    validate_choice(method, ("nuts", "laplace"), name="method")
    level = validate_probability(ci_prob, name="ci_prob")
    around = tuple(_power(p) for p in powers)
    seed = study_seed(random_seed, folder=folder)
    given = {
        "prior_from": prior_from is not None,
        "prior_weights": prior_weights is not None,
        "weights": weights is not None,
        "weights_sweep": bool(len(weights_sweep)),
    }
    _refuse(name, {**given, "parameter": parameter is not None}, data)
    from bayesrank.studies import _prior_fits as fits  # PyMC: who studies rules waits for none

    fitting = fits.Fitting(data, name, method, draws, seed, level, around)
    cells: dict[str, Exact | Family] = {}
    if isinstance(data, Responses) and name == EXACT:
        varied = "probability"
        plan, sweeps = exact_plan(
            data,
            families=families,
            scales=scales,
            prior_from=prior_from,
            prior_weights=prior_weights,
            weights=weights,
            weights_sweep=weights_sweep,
        )
        cells |= {f"{k}": each for k, each in enumerate(plan)}
        settings = [each.setting for each in plan]
        task: Any = partial(fits.fit_exact, fitting)
        described: Any = [
            [s.label, s.value, str(e.prior), e.weights] for s, e in zip(settings, plan, strict=True)
        ]
    else:
        varied, default = fits.default_prior(data, name, parameter)
        groups, sweeps = families_of(varied, default, families, scales)
        cells |= {f"family={each.name}": each for each in groups}
        settings = [setting for each in groups for setting in each.settings]
        task = partial(fits.fit_family, fitting)
        described = [[each.name, str(each.prior), each.factors] for each in groups]
    config = {
        "study": "priors",
        "model": name,
        "method": "exact" if name == EXACT else method,
        "settings": _plain(described),
        "powers": list(around),
        "draws": draws,
        "seed": seed,
        "ci_prob": level,
        "data_hash": data.data_hash(),
    }
    grid = Grid(n_jobs, folder, progress)
    found = grid.run(task, cells, config=config)
    base = next(cell for cell, each in cells.items() if each.base)
    result = _dataset(data, settings, sweeps, found, base, fits.powers_of(around))
    result.attrs = {
        **{k: v for k, v in config.items() if k != "settings"},
        "parameter": varied,
        "population": _population(data, name),
        "source": data.source,
        "scaled_variables": [str(v) for v in found[base].get("scaled_variables", [])]
        or ["probability"],
        "compile_seconds": sum(float(c.get("compiled_seconds", 0.0)) for c in found.values()),
        "notes": _notes(found, base, name),
    }
    return result


def _power(value: float) -> float:
    power = validate_finite(value, name="powers", minimum=0.0)
    if power in (0.0, 1.0):
        msg = f"powers={value:g} must be above 0 and not 1, at which nothing changes."
        raise ArgumentError(msg)
    return power


def _plain(described: Any) -> Any:
    """Return nested settings as JSON takes them: NaN is none of its numbers."""
    if isinstance(described, (list, tuple)):
        return [_plain(each) for each in described]
    return None if isinstance(described, float) and np.isnan(described) else described


def _refuse(model: str, given: Mapping[str, bool], data: Responses | Comparisons) -> None:
    """Refuse options that a model does not take."""
    taken_not = ("parameter",) if model == EXACT else tuple(k for k in given if k != "parameter")
    refused = [f"{name}=" for name in taken_not if given[name]]
    if refused:
        msg = f"{data.source}: model={model!r} does not take {', '.join(refused)}."
        raise ArgumentError(msg)


def _population(data: Responses | Comparisons, model: str) -> str:
    if isinstance(data, Comparisons):
        return "battles"
    return "questions" if model == "hierarchical" else "trials"


# ---------------------------------------------------------------- the result


def _dataset(
    data: Responses | Comparisons,
    settings: Sequence[Setting],
    sweeps: Sequence[Sweep],
    found: Mapping[str, Mapping[str, NDArray[Any]]],
    base: str,
    powers: Sequence[float],
) -> xr.Dataset:
    names = np.array(data.systems, dtype=np.str_)
    labels = [setting.label for setting in settings]
    kept = {k: np.concatenate([cell[k] for cell in found.values()]) for k in KEPT}
    leaders = names[kept["score"].argmax(axis=1)]
    first = next(k for k, setting in enumerate(settings) if setting.sweep == "base")
    own = ("setting",)
    variables: dict[str, Any] = {k: (("setting", "system"), v) for k, v in kept.items()}
    variables |= {
        "leader": (own, leaders),
        "sweep": (own, np.array([s.sweep for s in settings], dtype=np.str_)),
        "value": (own, np.array([s.value for s in settings])),
        "tau_b": (own, tau_b(kept["rank"], kept["rank"][first])),
        **{
            k: (own, np.concatenate([cell[k] for cell in found.values()]).astype(np.str_))
            for k in ("verdict", "failed")
        },
        "seconds": (own, np.concatenate([cell["seconds"] for cell in found.values()])),
    }
    variables |= _changes(sweeps, dict(zip(labels, leaders.tolist(), strict=True)))
    variables |= _power_scaling(found[base])
    coords: dict[str, Any] = {
        "setting": np.array(labels, dtype=np.str_),
        "system": names,
        "part": ["prior", "likelihood"],
        "power": list(powers),
    }
    result = xr.Dataset(variables, coords)
    order = [first, *(k for k in range(len(labels)) if k != first)]
    return result.isel(setting=order)


def _changes(sweeps: Sequence[Sweep], leaders: Mapping[str, str]) -> dict[str, Any]:
    """Return between which settings of a sweep the leader changes."""
    rows: list[tuple[Any, ...]] = []
    for sweep in sweeps:
        points = list(zip(sweep.labels, sweep.values, strict=True))
        befores = points[:-1] if sweep.ordered else [points[0]] * (len(points) - 1)
        for (one, low), (other, high) in zip(befores, points[1:], strict=True):
            if leaders[one] != leaders[other]:
                rows.append((sweep.name, one, other, leaders[one], leaders[other], low, high))
    texts = ("change_sweep", "change_from", "change_to", "leader_before", "leader_after")
    found: dict[str, Any] = {
        name: ("change", np.array([row[k] for row in rows], dtype=np.str_))
        for k, name in enumerate(texts)
    }
    for k, name in enumerate(("change_from_value", "change_to_value"), start=len(texts)):
        found[name] = ("change", np.array([row[k] for row in rows], dtype=np.float64))
    return found


def _power_scaling(cell: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    from bayesrank.checks._power_scaling import diagnosis

    sense = cell["sense"]
    flat = not np.isfinite(cell["k_hat"][0]).any()
    said = ["not asked: a flat prior" if flat else diagnosis(*map(float, s)) for s in sense.T]
    both, of = ("part", "power"), ("part", "power", "system")
    return {
        "sensitivity": (("part", "system"), sense),
        "diagnosis": ("system", said),
        "k_hat": (both, cell["k_hat"]),
        "exact_powers": ((), bool(cell["exact"])),
        "runner_up": ((), int(cell["lead"][1])),
        "base_leader": ((), int(cell["lead"][0])),
        **{f"scaled_{k}": (both, cell[f"scaled_{k}"]) for k in ("p_best", "p_ahead")},
        **{f"scaled_{k}": (of, cell[f"scaled_{k}"]) for k in ("score", "rank_mean")},
        **{f"base_{k}": ((), float(cell[f"base_{k}"])) for k in ("p_best", "p_ahead")},
        **{f"base_{k}": ("system", cell[f"base_{k}"]) for k in ("score", "rank_mean")},
    }


def _notes(found: Mapping[str, Mapping[str, NDArray[Any]]], base: str, model: str) -> list[str]:
    notes = [str(note) for cell in found.values() for note in cell["notes"]]
    if model == EXACT and not np.isfinite(found[base]["k_hat"][0]).any():
        notes.insert(
            0,
            "The uniform prior is flat: no power of it is another prior, and power-scaling says "
            "nothing of it; the concentrations and auxiliary outcomes do.",
        )
    return list(dict.fromkeys(notes))
