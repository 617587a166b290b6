"""`sample`: the one way from a PyMC model to a ranking posterior."""

import sys
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pymc as pm
import xarray as xr

from bayesrank._record import Record, write_record
from bayesrank._validate import validate_choice, validate_count
from bayesrank.checks import Diagnostics, diagnose
from bayesrank.exceptions import ArgumentError, ChecksFailedError
from bayesrank.inference.exact import sample_exact
from bayesrank.inference.nuts import nuts_settings, sample_nuts
from bayesrank.inference.population import resolve_population
from bayesrank.inference.provenance import provenance
from bayesrank.inference.seeds import Seeds
from bayesrank.models._attach import Attachment, ExactSampler, attached, is_as_built
from bayesrank.typing import RandomSeed

__all__ = ["sample"]

METHODS = ("auto", "exact", "nuts")
_CHANGED = (
    "The model was changed after it was built: its data and prior are not those described here."
)


def sample(
    model: pm.Model,
    *,
    method: Literal["auto", "exact", "nuts"] = "auto",
    population: str | None = None,
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
    method : {"auto", "exact", "nuts"}, default "auto"
        Independent draws from the exact posterior where the model family has one and the model is
        as it was built, else NUTS through nutpie.
    population : str, optional
        What the uncertainty is about; by default the model's own ("trials" for responses).
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
    ChecksFailedError
        With ``strict=True``, where a check failed.

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
    exact = _exact_sampler(method, attachment, as_built=as_built)
    used = "nuts" if exact is None else "exact"
    population = resolve_population(population, attachment)
    draws = validate_count(draws, name="draws")
    tune = validate_count(tune, name="tune", minimum=0)
    chains = validate_count(chains, name="chains")
    seeds = Seeds.of(random_seed)
    if exact is not None:
        if sample_kwargs:
            msg = f"exact draws take no sampler settings: {', '.join(sample_kwargs)}."
            raise ArgumentError(msg)
        settings: dict[str, Any] = {"draws": draws, "chains": chains}
        tree = sample_exact(
            model,
            exact,
            draws=draws,
            chains=chains,
            seeds=seeds,
            keep_probabilities=keep_probabilities,
        )
    else:
        settings = nuts_settings(draws=draws, tune=tune, chains=chains, given=sample_kwargs)
        tree = sample_nuts(
            model, settings, seeds=seeds, progressbar=progressbar and sys.stderr.isatty()
        )
    diagnostics = diagnose(tree, exact=exact is not None)
    tree = _arranged(tree, attachment, keep_probabilities=keep_probabilities)
    record = _record(attachment, as_built=as_built)
    config = {"method": used, "population": population, **settings}
    write_record(
        tree,
        replace(
            record,
            population=population,
            method=used,
            diagnostics=diagnostics.to_dict(),
            provenance=provenance(seeds, config, attachment),
        ),
    )
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


def _exact_sampler(
    method: str, attachment: Attachment | None, *, as_built: bool
) -> ExactSampler | None:
    """Return the exact sampler to use, or None for NUTS."""
    validate_choice(method, METHODS, name="method")
    exact = None if attachment is None or method == "nuts" else attachment.exact
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
    tree: xr.DataTree, attachment: Attachment | None, *, keep_probabilities: bool
) -> xr.DataTree:
    """Return the groups a ranking needs, without what has a value per cell unless asked for."""
    posterior = tree["posterior"].to_dataset()
    names = [str(name) for name in posterior["system"].to_numpy()]
    posterior = posterior.assign_coords(system=names)
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


def _record(attachment: Attachment | None, *, as_built: bool) -> Record:
    if attachment is None:
        return Record(model="user's own")
    record = Record(
        model=attachment.family,
        prior=attachment.prior,
        estimand=attachment.estimand,
        observations=attachment.data.describe(),
        notes=attachment.notes,
    )
    return record if as_built else record.with_notes(_CHANGED)


def _raise_on(diagnostics: Diagnostics) -> None:
    if diagnostics.failed:
        sentences = " ".join(check.sentence for check in diagnostics.failed)
        msg = f"the posterior failed its checks: {sentences} More draws or tune may help."
        raise ChecksFailedError(msg)
