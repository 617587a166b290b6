"""`sample`: the one way from a PyMC model to a ranking posterior."""

import sys
from typing import Any, Literal

import pymc as pm
import xarray as xr

from bayesrank._validate import validate_choice, validate_count
from bayesrank.exceptions import ArgumentError
from bayesrank.inference.bootstrap import sample_bootstrap
from bayesrank.inference.exact import sample_exact
from bayesrank.inference.flat import flatten
from bayesrank.inference.flat_nuts import sample_flat, wants_whitening
from bayesrank.inference.laplace import sample_laplace
from bayesrank.inference.nuts import nuts_settings, sample_nuts
from bayesrank.inference.population import Population, is_resampled, resolve_population
from bayesrank.inference.results import finished
from bayesrank.inference.seeds import Seeds
from bayesrank.models._attach import Attachment, ExactSampler, attached, is_as_built
from bayesrank.typing import RandomSeed

__all__ = ["sample"]

METHODS = ("auto", "exact", "nuts", "numpyro", "laplace", "bootstrap")
# Methods that are asked for by name although there is an exact posterior.
_SAMPLED = ("nuts", "numpyro", "laplace")


def sample(
    model: pm.Model,
    *,
    method: Literal["auto", "exact", "nuts", "numpyro", "laplace", "bootstrap"] = "auto",
    population: Population | None = None,
    draws: int = 1000,
    tune: int | None = None,
    chains: int = 4,
    random_seed: RandomSeed = None,
    progressbar: bool = True,
    whiten: bool | None = None,
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
    method : {"auto", "exact", "nuts", "numpyro", "laplace", "bootstrap"}, default "auto"
        Independent draws from the exact posterior where the model family has one and the model is
        as it was built, else NUTS through nutpie, or through NumPyro (JAX, on a GPU where there is
        one; the extra ``jax``). "laplace" is a normal approximation at the mode,
        quick with many models, and judged by Pareto-smoothed importance sampling. "bootstrap" is
        the Bayesian bootstrap of observed scores, or of comparisons with the strengths fitted again
        in every draw, for populations that the model does not speak of.
    population : str or sequence of str, optional
        What the uncertainty is about; by default the model's own ("trials" for most responses:
        these questions, new runs). "questions", "tasks" and "prompts" are new ones like these;
        ("questions", "prompts") and ("tasks", "prompts") are both new, at once. For comparisons:
        "battles" is the model's own; "judges", "prompts", "sessions", "categories", "periods" are
        new ones like these, as far as the comparisons name them. Comparisons that responses
        induce are about new "questions" by default, since those on a question come together.
    draws : int, default 1000
        Draws a chain.
    tune : int, optional
        Steps of adaptation before them (NUTS): by default 1,000, or 300 with `whiten`.
    chains : int, default 4
        Chains; with exact draws only a shape.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness. With None, fresh entropy is taken and recorded as the ``seed`` of
        the provenance, so that the run can be repeated.
    progressbar : bool, default True
        PyMC's progress bar; never shown where standard error is not a terminal.
    whiten : bool, optional
        Whether NUTS works in coordinates in which Laplace's approximation is standard normal. The
        posterior is the same; many well-determined parameters are sampled several times faster.
        By default what suits the model; where there is no mode it is left out.
    strict : bool, default False
        Raise where a check fails, instead of recording it.
    keep_probabilities : bool, default False
        Keep variables with a value per model and question: draws x cells numbers.
    **sample_kwargs
        Passed on to `pymc.sample` (NUTS); with `whiten` those are ``cores``, ``target_accept`` and
        ``nuts``, a dict of settings of nutpie.

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
        For fewer than six units (questions, judges, ...) to resample.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.Responses.from_counts([[3, 7], [5, 9]], 10, systems=["a", "b"])
    >>> posterior = bayesrank.sample(bayesrank.models.bayes_at_n(responses), random_seed=1)
    >>> dict(posterior["posterior"]["score"].sizes)
    {'chain': 4, 'draw': 1000, 'system': 2}
    """
    require_score(model)
    attachment = attached(model)
    as_built = is_as_built(model)
    about = resolve_population(population, attachment)
    if is_resampled(about, attachment) or method == "bootstrap":
        _require_bootstrap(method, about, attachment, as_built=as_built)
        exact, used = None, "bootstrap"
    else:
        exact = _exact_sampler(method, attachment, as_built=as_built)
        sampler = method if method in ("laplace", "numpyro") else "nuts"
        used = "exact" if exact is not None else sampler
    draws = validate_count(draws, name="draws")
    tune = None if tune is None else validate_count(tune, name="tune", minimum=0)
    chains = validate_count(chains, name="chains")
    seeds = Seeds.of(random_seed)
    if used not in ("nuts", "numpyro") and sample_kwargs:
        msg = f"{used} draws take no sampler settings: {', '.join(sample_kwargs)}."
        raise ArgumentError(msg)
    settings: dict[str, Any] = {"draws": draws, "chains": chains}
    verdict = resampled = None
    unwanted: tuple[str, ...] = ()
    if attachment is not None:
        unwanted = attachment.unwanted(keep_probabilities=keep_probabilities)
    if attachment is not None and used == "bootstrap":
        tree, resampled = sample_bootstrap(
            model, attachment, about, draws=draws, chains=chains, seeds=seeds
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
        tree, verdict = sample_laplace(
            flatten(model), draws=draws, chains=chains, seeds=seeds, without=unwanted
        )
    else:
        given = {**({} if attachment is None else attachment.nuts), **sample_kwargs}
        if whiten is not None:
            given["whiten"] = whiten
        bar = progressbar and sys.stderr.isatty()
        if used == "nuts" and wants_whitening(given):
            tree, settings = sample_flat(
                flatten(model),
                given,
                draws=draws,
                tune=tune,
                chains=chains,
                seeds=seeds,
                progressbar=bar,
                without=unwanted,
            )
        else:
            settings = nuts_settings(
                draws=draws, tune=tune, chains=chains, given=given, jax=used == "numpyro"
            )
            tree = sample_nuts(model, settings, seeds=seeds, progressbar=bar)
    return finished(
        tree,
        attachment,
        about,
        method=used,
        settings=settings,
        seeds=seeds,
        as_built=as_built,
        verdict=verdict,
        resampled=resampled,
        keep_probabilities=keep_probabilities,
        strict=strict,
    )


def require_score(model: pm.Model) -> None:
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
            f"method='bootstrap' resamples what was observed (questions, tasks, prompts, judges), "
            f"and population={population!r} is not one of them here; use method='auto'."
        )
        raise ArgumentError(msg)
    if method not in ("auto", "bootstrap"):
        own = attachment.populations[0] if attachment is not None else "trials"
        of, instead = own, ""
        if own == "trials":
            of = "these questions"
            instead = ", or models.hierarchical_bayes for a model of new questions"
        msg = (
            f"population={population!r} is reached by resampling what was observed, and "
            f"method={method!r} draws from a model of {of}; use method='auto', or "
            f"population={own!r}{instead}."
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
    exact = None if attachment is None or method in _SAMPLED else attachment.exact
    if method == "exact" and (exact is None or not as_built):
        why = (
            "it has no exact posterior"
            if exact is None
            else "its variables or data were changed after it was built"
        )
        msg = f"method='exact' cannot sample this model: {why}; use method='nuts'."
        raise ArgumentError(msg)
    return exact if as_built else None
