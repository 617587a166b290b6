"""A posterior for every rule: the rule on drawn probabilities, or on resampled observations."""

import math
import warnings
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bayesrank._record import Record, write_record
from bayesrank._validate import validate_choice, validate_count
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.rules._cell_draws import draw_prompts, draw_trials
from bayesrank.rules._draws import CLUSTERS, Drawn, draw_battles, draw_clusters, draw_units
from bayesrank.rules._evidence import Data
from bayesrank.rules._registry import Rule, get
from bayesrank.typing import RandomSeed

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["RulePopulation", "posterior"]

type RulePopulation = Literal[
    "trials", "questions", "tasks", "battles", "judges", "prompts", "sessions", "categories",
    "periods",
]  # fmt: skip

_OF_RESPONSES = ("trials", "questions", "tasks", "prompts")
_OF_BATTLES = ("battles", *CLUSTERS)
_OF_INDUCED = ("questions", "tasks")
_CHAINS = 4


def posterior(
    rule: str | Rule,
    data: Data,
    *,
    population: RulePopulation | None = None,
    draws: int = 1000,
    prior: Literal["pooled", "crossed", "jeffreys", "uniform"] | None = None,
    counts: Literal["expected", "predictive"] | None = None,
    random_seed: RandomSeed = None,
) -> "xr.DataTree":
    """Return draws of a rule's scores, to be ranked like those of any model.

    Parameters
    ----------
    rule : str or Rule
        Name of a rule, or what `get` returns for other options.
    data : Responses or Comparisons
        The observations.
    population : str, optional
        What the uncertainty is about. Of responses: "trials", new runs on these questions (the
        default), "questions", "tasks" or "prompts", new ones like these. Of comparisons:
        "battles" (the default), "judges", "prompts", "sessions", "categories" or "periods";
        "questions" or "tasks" where trials induced them.
    draws : int, default 1000
        Independent draws in all, at least; they come as four chains.
    prior : {"pooled", "crossed", "jeffreys", "uniform"}, optional
        Prior of the outcome probabilities, for "trials". By default "pooled", which is learned
        from each model's questions; "crossed" for voting rules, which is about abilities of models
        and difficulties of questions; "jeffreys" for more than two categories.
    counts : {"expected", "predictive"}, optional
        For "trials": the rule is evaluated on the counts that drawn probabilities lead one to
        expect (the default), or on those of as many new trials, which are drawn too: what a rerun
        of the benchmark would show.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness.

    Returns
    -------
    DataTree
        Group ``posterior`` with ``score(chain, draw, system)``, and ``constant_data``.

    Raises
    ------
    ArgumentError
        For an unknown rule or population, or a rule that cannot be drawn so.
    InputError
        For data that the rule cannot use, or with one unit only.

    Notes
    -----
    For "trials" each draw holds outcome probabilities from the posterior of every cell, and the
    rule is evaluated on the counts that they lead one to expect. Rules that go through single
    trials (ratings, listwise models, matched pairs) have no expected counts: with
    ``counts="predictive"`` new outcomes take the place of the old, in the order that was observed.
    For the others each draw holds random weights of the observed units, the same for all models;
    observed counts carry the noise of their trials already, so probabilities are not drawn as
    well. Rules that follow a stream, and majority judgment, resample whole questions; under
    "prompts" the rates of each cell are weighted means over its prompts.

    Voting rules compare models on one question at a time. Under "pooled" probabilities are drawn
    as if models did not find the same questions hard. Where they do, and trials are few, scores of
    voting rules are then pulled towards each other: 95 % intervals of Borda scores cover .8 at 8
    trials, .9 at 32 and .95 at 128, and records say so. Under "crossed", where cells depart from
    the ability of their model and the difficulty of their question as far as the data say, they
    cover .95. Intervals of ranks cover at least .95 in all of these cases. Scores are in the rule's
    own units; those of voting rules are often whole numbers, and tied.

    References
    ----------
    .. [1] Rubin, D. B. (1981). The Bayesian bootstrap. Annals of Statistics 9(1), 130-134.
       https://doi.org/10.1214/aos/1176345338

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank import rules
    >>> data = bayesrank.simulate_responses(systems=4, questions=20, trials=5, random_seed=1)
    >>> draws = rules.posterior("borda", data, population="questions", draws=100, random_seed=1)
    >>> bayesrank.rank(draws).table()["rank"].tolist()
    [1, 2, 3, 4]
    """
    chosen = get(rule) if isinstance(rule, str) else rule
    if not isinstance(data, (Responses, Comparisons)):  # pyright: ignore[reportUnnecessaryIsInstance]
        msg = f"a rule ranks Responses or Comparisons, not {type(data).__name__}."
        raise ArgumentError(msg)
    per_chain = math.ceil(validate_count(draws, name="draws") / _CHAINS)
    about = _resolved(population, data)
    if prior is not None and about != "trials":
        msg = (
            f"prior={prior!r} is about outcome probabilities, and population={about!r} resamples "
            f"what was observed; leave it out."
        )
        raise ArgumentError(msg)
    if counts is not None and about != "trials":
        msg = (
            f"counts={counts!r} is about new trials, and population={about!r} keeps the counts "
            f"that were observed; leave it out."
        )
        raise ArgumentError(msg)
    seed = _seed(random_seed)
    rng = np.random.default_rng(seed)
    n = _CHAINS * per_chain
    if about == "trials" and isinstance(data, Responses):
        drawn = draw_trials(chosen, data, n, prior=prior, counts=counts or "expected", rng=rng)
    else:
        drawn = _resampled(chosen, data, about, n, rng=rng)
    if not np.isfinite(drawn.scores).all():
        msg = f"{data.source}: {chosen.name} gave scores that are not finite in some draws."
        raise InputError(msg)
    for sentence in drawn.warnings:
        warnings.warn(sentence, BayesrankWarning, stacklevel=2)
    return _as_tree(chosen, data, about, drawn, seed=seed)


def _resolved(population: str | None, data: Data) -> str:
    """Return the population asked for, or the natural one of the data."""
    if isinstance(data, Responses):
        known = _OF_RESPONSES
    else:
        known = _OF_BATTLES if data.induced is None else _OF_INDUCED
    return known[0] if population is None else validate_choice(population, known, name="population")


def _seed(random_seed: RandomSeed) -> int | np.random.SeedSequence:
    """Return what the same draws can be made from again."""
    if isinstance(random_seed, np.random.SeedSequence):
        return random_seed
    if random_seed is None:
        random_seed = np.random.default_rng()
    if isinstance(random_seed, np.random.Generator):
        return int(random_seed.integers(2**53))
    return validate_count(random_seed, name="random_seed", minimum=0)


def _resampled(rule: Rule, data: Data, about: str, n: int, *, rng: np.random.Generator) -> Drawn:
    if isinstance(data, Responses):
        if about == "prompts":
            return draw_prompts(rule, data, n, rng=rng)
        return draw_units(rule, data, n, unit=about, rng=rng)
    if about == "battles":
        return draw_battles(rule, data, n, rng=rng)
    return draw_clusters(rule, data, n, population=about, rng=rng)


def _as_tree(
    rule: Rule, data: Data, about: str, drawn: Drawn, *, seed: int | np.random.SeedSequence
) -> "xr.DataTree":
    import xarray as xr

    names = list(data.systems)
    shape = _CHAINS, len(drawn.scores) // _CHAINS, len(names)
    found = xr.Dataset(
        {"score": (("chain", "draw", "system"), drawn.scores.reshape(shape))},
        {"chain": range(shape[0]), "draw": range(shape[1]), "system": names},
    )
    if isinstance(data, Responses):
        trials, missing = data.n_trials.sum(axis=1), data.missing.sum(axis=1)
    else:
        met = np.bincount(data.first, data.n_comparisons, len(names))
        met += np.bincount(data.second, data.n_comparisons, len(names))
        trials, missing = np.rint(met), np.zeros(len(names))
    constant = xr.Dataset(
        {
            "trials": ("system", trials.astype(np.int64)),
            "missing": ("system", missing.astype(np.int64)),
        },
        {"system": names},
    )
    tree = xr.DataTree.from_dict({"posterior": found, "constant_data": constant})
    said = f"{rule.name} ({rule.options_text})" if rule.options_text else rule.name
    write_record(
        tree,
        Record(
            population=about,
            method=drawn.method,
            model=said,
            prior=drawn.prior,
            estimand=f"{rule.name} score {drawn.about}",
            observations=data.describe(),
            notes=drawn.notes,
            provenance=_provenance(rule, data, shape[0] * shape[1], seed),
        ),
    )
    return tree


def _provenance(
    rule: Rule, data: Data, draws: int, seed: int | np.random.SeedSequence
) -> dict[str, Any]:
    try:
        own = version("bayesrank")
    except PackageNotFoundError:  # run from a source tree
        own = "unknown"
    return {
        "versions": {"bayesrank": own, "numpy": np.__version__},
        "seed": seed if isinstance(seed, int) else repr(seed.entropy),
        "config": {"draws": draws},
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "model": {"rule": rule.name, "options": rule.options_text},
        "data": {"hash": data.data_hash(), "source": data.source},
    }
