"""`sample`: the one way from a PyMC model to a ranking posterior."""

import sys
import warnings
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np
import pymc as pm
import xarray as xr

from bayesrank._record import Record, write_record
from bayesrank._validate import validate_choice, validate_count
from bayesrank.checks import Diagnostics, diagnose
from bayesrank.exceptions import ArgumentError, BayesrankWarning, ChecksFailedError
from bayesrank.inference.bootstrap import sample_bootstrap
from bayesrank.inference.exact import sample_exact
from bayesrank.inference.laplace import sample_laplace
from bayesrank.inference.nuts import nuts_settings, sample_nuts
from bayesrank.inference.population import (
    Population,
    is_resampled,
    resolve_population,
    units_of,
)
from bayesrank.inference.provenance import provenance
from bayesrank.inference.seeds import Seeds
from bayesrank.likelihoods import PopulationDraws
from bayesrank.models._attach import Attachment, ExactSampler, attached, is_as_built
from bayesrank.models._resampling import Resampling
from bayesrank.typing import RandomSeed

__all__ = ["sample"]

METHODS = ("auto", "exact", "nuts", "laplace", "bootstrap")
_CHANGED = (
    "The model was changed after it was built: its data and prior are not those described here."
)


def sample(
    model: pm.Model,
    *,
    method: Literal["auto", "exact", "nuts", "laplace", "bootstrap"] = "auto",
    population: Population | None = None,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    random_seed: RandomSeed = None,
    progressbar: bool = True,
    strict: bool = False,
    keep_probabilities: bool = False,
    **sample_kwargs: Any,
) -> xr.DataTree:
    """Draw the posterior of a model's scores, check it, and record how it was made.

    Parameters
    ----------
    model : pymc.Model
        From `bayesrank.models`, or any model with a variable ``score`` of dims ("system",),
        higher being better.
    method : {"auto", "exact", "nuts", "laplace", "bootstrap"}, default "auto"
        Independent draws from the exact posterior where the model family has one and the model is
        as it was built, else NUTS through nutpie. "laplace" is a normal approximation at the mode,
        quick with many models, and judged by Pareto-smoothed importance sampling. "bootstrap" is
        the Bayesian bootstrap of observed scores, for populations that the model does not speak of.
    population : str or sequence of str, optional
        What the uncertainty is about; by default the model's own ("trials" for most responses:
        these questions, new runs). "questions", "tasks" and "prompts" are new ones like these;
        ("questions", "prompts") and ("tasks", "prompts") are both new, at once.
    draws, tune : int, default 1000
        Draws a chain, and steps of adaptation before them (NUTS).
    chains : int, default 4
        Chains; with exact draws only a shape.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness. With None, fresh entropy is taken and recorded as the ``seed`` of
        the provenance, so that the run can be repeated.
    progressbar : bool, default True
        PyMC's progress bar; never shown where standard error is not a terminal.
    strict : bool, default False
        Raise where a check fails, instead of recording it.
    keep_probabilities : bool, default False
        Keep variables with a value per model and question: draws x cells numbers.
    **sample_kwargs
        Passed on to `pymc.sample` (NUTS).

    Returns
    -------
    DataTree
        Group ``posterior`` with ``score`` of dims (chain, draw, system); ``constant_data`` with
        ``trials(system)`` and ``missing(system)`` where known; ``sample_stats`` for NUTS. What is
        known of the posterior is one JSON string in its attributes, printed under every table.

    Raises
    ------
    ArgumentError
        For a model without ``score``, a method or population that it does not have, or settings
        the sampler does not take.
    InputError
        For a population of units that the data do not name, or have only one of.
    ChecksFailedError
        With ``strict=True``, where a check failed.

    Warns
    -----
    BayesrankWarning
        For fewer than six questions, tasks or prompts to resample.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.Responses.from_counts([[3, 7], [5, 9]], 10, systems=["a", "b"])
    >>> posterior = bayesrank.sample(bayesrank.models.bayes_at_n(responses), random_seed=1)
    >>> dict(posterior["posterior"]["score"].sizes)
    {'chain': 4, 'draw': 1000, 'system': 2}
    """
    _require_score(model)
    attachment = attached(model)
    as_built = is_as_built(model)
    about = resolve_population(population, attachment)
    if is_resampled(about, attachment) or method == "bootstrap":
        _require_bootstrap(method, about, attachment, as_built=as_built)
        exact, used = None, "bootstrap"
    else:
        exact = _exact_sampler(method, attachment, as_built=as_built)
        used = "exact" if exact is not None else "laplace" if method == "laplace" else "nuts"
    draws = validate_count(draws, name="draws")
    tune = validate_count(tune, name="tune", minimum=0)
    chains = validate_count(chains, name="chains")
    seeds = Seeds.of(random_seed)
    if used != "nuts" and sample_kwargs:
        msg = f"{used} draws take no sampler settings: {', '.join(sample_kwargs)}."
        raise ArgumentError(msg)
    settings: dict[str, Any] = {"draws": draws, "chains": chains}
    verdict = resampled = None
    if used == "bootstrap":
        tree, resampled = sample_bootstrap(
            model,
            cast("Resampling", cast("Attachment", attachment).resampling),
            about,
            draws=draws,
            chains=chains,
            seeds=seeds,
        )
    elif exact is not None:
        tree = sample_exact(
            model,
            exact,
            draws=draws,
            chains=chains,
            seeds=seeds,
            keep_probabilities=keep_probabilities,
        )
    elif used == "laplace":
        tree, verdict = sample_laplace(model, draws=draws, chains=chains, seeds=seeds)
    else:
        given = {**({} if attachment is None else attachment.nuts), **sample_kwargs}
        settings = nuts_settings(draws=draws, tune=tune, chains=chains, given=given)
        tree = sample_nuts(
            model, settings, seeds=seeds, progressbar=progressbar and sys.stderr.isatty()
        )
    diagnostics = diagnose(tree, source=used) if verdict is None else verdict
    tree = _arranged(tree, attachment, about, keep_probabilities=keep_probabilities)
    record = _record(attachment, about, resampled, as_built=as_built)
    config = {"method": used, "population": about, **settings}
    write_record(
        tree,
        replace(
            record,
            population=about,
            method=used,
            diagnostics=diagnostics.to_dict(),
            provenance=provenance(seeds, config, attachment),
        ),
    )
    for sentence in resampled.warnings if resampled is not None else ():
        warnings.warn(sentence, BayesrankWarning, stacklevel=2)
    if strict:
        _raise_on(diagnostics)
    return tree


def _require_score(model: pm.Model) -> None:
    dims = getattr(model, "named_vars_to_dims", {}).get("score")
    if dims is None or tuple(dims) != ("system",):
        found = "no variable 'score'" if dims is None else f"a 'score' of dims {tuple(dims)}"
        msg = (
            f"the model has {found}; a ranking needs "
            f"pm.Deterministic('score', ..., dims='system') with a coordinate 'system'."
        )
        raise ArgumentError(msg)


def _require_bootstrap(
    method: str, population: str, attachment: Attachment | None, *, as_built: bool
) -> None:
    """Refuse a bootstrap of what cannot be resampled, and other methods where it is the one."""
    validate_choice(method, METHODS, name="method")
    if not is_resampled(population, attachment):
        msg = (
            f"method='bootstrap' resamples observed scores of questions, tasks or prompts, and "
            f"population={population!r} is not one of them here; use method='auto'."
        )
        raise ArgumentError(msg)
    if method not in ("auto", "bootstrap"):
        msg = (
            f"population={population!r} is reached by resampling observed scores, and "
            f"method={method!r} draws from a model of these questions; use method='auto', or "
            f"models.hierarchical_bayes for a model of new questions."
        )
        raise ArgumentError(msg)
    if not as_built:
        msg = (
            f"population={population!r} resamples what was observed, and the model's variables or "
            f"data were changed after it was built; build it anew from those data."
        )
        raise ArgumentError(msg)


def _exact_sampler(
    method: str, attachment: Attachment | None, *, as_built: bool
) -> ExactSampler | None:
    """Return the exact sampler to use, or None for NUTS."""
    validate_choice(method, METHODS, name="method")
    exact = None if attachment is None or method in ("nuts", "laplace") else attachment.exact
    if method == "exact" and (exact is None or not as_built):
        why = (
            "it has no exact posterior"
            if exact is None
            else "its variables or data were changed after it was built"
        )
        msg = f"method='exact' cannot sample this model: {why}; use method='nuts'."
        raise ArgumentError(msg)
    return exact if as_built else None


def _arranged(
    tree: xr.DataTree,
    attachment: Attachment | None,
    population: str,
    *,
    keep_probabilities: bool,
) -> xr.DataTree:
    """Return the groups a ranking needs, without what has a value per cell unless asked for."""
    posterior = tree["posterior"].to_dataset()
    names = [str(name) for name in posterior["system"].to_numpy()]
    posterior = posterior.assign_coords(system=names)
    if attachment is not None and attachment.views:
        score = posterior[attachment.views[population].variable]
        # One posterior, one score: those of other populations are for another fit to show.
        others = {view.variable for view in attachment.views.values()}
        posterior = posterior.drop_vars(others).assign(score=score)
    posterior["score"] = posterior["score"].astype(np.float64).transpose("chain", "draw", "system")
    if attachment is not None and not keep_probabilities:
        posterior = posterior.drop_vars(list(attachment.large), errors="ignore")
        unused = set(posterior.dims) - {d for v in posterior.data_vars.values() for d in v.dims}
        posterior = posterior.drop_dims(unused)
    groups = {"posterior": posterior}
    if "sample_stats" in tree.children:
        stats = tree["sample_stats"].to_dataset()
        groups["sample_stats"] = stats[[n for n in stats if stats[n].dtype.kind in "fiub"]]
    if attachment is not None:
        groups["constant_data"] = xr.Dataset(
            {
                "trials": ("system", attachment.trials.astype(np.int64)),
                "missing": ("system", attachment.missing.astype(np.int64)),
            },
            {"system": names},
        )
    return xr.DataTree.from_dict(groups)


def _record(
    attachment: Attachment | None,
    population: str,
    resampled: PopulationDraws | None,
    *,
    as_built: bool,
) -> Record:
    if attachment is None:
        return Record(model="user's own")
    view = attachment.views.get(population)
    record = Record(
        model=attachment.family,
        prior=attachment.prior,
        estimand=attachment.estimand if view is None else view.estimand,
        observations=attachment.data.describe(),
        notes=attachment.notes,
    )
    if resampled is not None and (resampling := attachment.resampling) is not None:
        return replace(
            record,
            prior=resampling.prior,
            estimand=resampling.estimand(units_of(population)),
            notes=(*resampled.notes, *resampling.notes),
        )
    return record if as_built else record.with_notes(_CHANGED)


def _raise_on(diagnostics: Diagnostics) -> None:
    if diagnostics.failed:
        sentences = " ".join(check.sentence for check in diagnostics.failed)
        msg = f"the posterior failed its checks: {sentences} More draws or tune may help."
        raise ChecksFailedError(msg)
