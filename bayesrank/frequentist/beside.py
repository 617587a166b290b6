"""The Bayesian and the frequentist answer side by side, for the same data and population."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._text import quoted
from bayesrank._validate import validate_choice
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.frequentist.families import COVERAGES, Coverage
from bayesrank.frequentist.intervals import rank_intervals
from bayesrank.ranking import Ranking
from bayesrank.typing import RandomSeed

__all__ = ["KINDS", "compare_with_ranking"]

KINDS = ("credible", "confidence")
# A population of the posterior, and the test and unit that speak about the same one.
_TWINS = {
    "trials": ("stratified_z", "trial"),
    "questions": ("t", "question"),
    "tasks": ("t", "task"),
    "prompts": ("t", "prompt"),
}
_NOTE_TASKS = (
    "The posterior resamples questions within their tasks, the t test resamples questions across "
    "tasks: where tasks differ, its intervals are wider."
)
_NOTE_WEIGHTS = (
    "The posterior counts every question the same, the t test on {unit}s every {unit}: where {unit}"
    "s hold different numbers of questions, the two estimate different scores."
)


def compare_with_ranking(
    ranking: Ranking,
    responses: Responses,
    *,
    coverage: Coverage = "marginal",
    random_seed: RandomSeed = None,
) -> xr.Dataset:
    """Compute confidence intervals beside the credible ones of a ranking, for its population.

    Under "trials" the twin is the stratified z test for fixed questions; under "questions",
    "tasks" and "prompts" it is the paired t test with that unit, adjusted by Holm.

    Parameters
    ----------
    ranking : Ranking
        From `bayesrank.rank`, of a posterior under one of these populations.
    responses : Responses
        The data that the posterior came from.
    coverage : {"marginal", "simultaneous"}, default "marginal"
        Intervals that cover each model's rank, or all at once (the joint intervals of the ranking).
    random_seed : int, Generator or SeedSequence, optional
        Seed of whatever is resampled.

    Returns
    -------
    xarray.Dataset
        On ``(kind, system)``, kind "credible" and "confidence": ``rank``, ``rank_low``,
        ``rank_high``, ``score``, ``score_low``, ``score_high``; systems in the order of the
        ranking's dataset. Attributes: ``population``, ``level``, ``coverage``, ``test``, ``unit``,
        ``units``, ``dropped_units`` and ``notes``.

    Raises
    ------
    ArgumentError
        For a population without a twin, for data that are not those of the ranking, and for
        category weights or a weighting that the tests do not use.
    InputError
        As `rank_intervals`: under "trials" every cell needs two trials.

    Notes
    -----
    A credible interval holds the rank with the stated probability, given the prior and the data; a
    confidence interval covers it in that share of repetitions, whatever the truth. The scores of a
    posterior may be shrunk by its prior, those of the tests are means of what was observed.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.frequentist import compare_with_ranking
    >>> responses = bayesrank.Responses.from_counts([[19, 18], [12, 9], [2, 4]], 20)
    >>> posterior = bayesrank.sample(bayesrank.models.bayes_at_n(responses), random_seed=1)
    >>> both = compare_with_ranking(bayesrank.rank(posterior), responses)
    >>> both["rank_high"].sel(kind="confidence").values
    array([1, 2, 3])
    """
    validate_choice(coverage, COVERAGES, name="coverage")
    population = ranking.record.population
    if population not in _TWINS:
        msg = (
            f"no test speaks about the population {quoted(population)}; rank under "
            f"{', '.join(map(repr, _TWINS))} to see both answers side by side."
        )
        raise ArgumentError(msg)
    weighting = _checked(ranking, responses)
    test, unit = _TWINS[population]
    attrs = ranking.dataset.attrs
    found = rank_intervals(
        responses,
        unit=unit,
        test=test,  # pyright: ignore[reportArgumentType]
        coverage=coverage,
        alpha=1.0 - attrs["ci_prob"],
        missing="drop-units",
        random_seed=random_seed,
    ).sel(system=list(ranking.systems))
    joint = "_joint" if coverage == "simultaneous" else ""
    credible = ranking.dataset
    names = {"rank": "rank", "rank_low": f"rank_low{joint}", "rank_high": f"rank_high{joint}"}
    names |= {name: name for name in ("score", "score_low", "score_high")}
    variables = {
        name: (
            ("kind", "system"),
            np.stack([credible[own].to_numpy(), found[name].to_numpy()]),
        )
        for name, own in names.items()
    }
    return xr.Dataset(
        variables,
        coords={"kind": list(KINDS), "system": list(ranking.systems)},
        attrs={
            "population": population,
            "level": attrs["ci_prob"],
            "coverage": coverage,
            "test": test,
            "unit": unit,
            "units": found.attrs["units"],
            "dropped_units": found.attrs["dropped_units"],
            "notes": _notes(responses, found.attrs, population, weighting),
        },
    )


def _checked(ranking: Ranking, responses: Responses) -> str:
    """Return how the posterior weighs questions; refuse what the tests would do otherwise."""
    if set(ranking.systems) - set(responses.systems):
        strange = sorted(set(ranking.systems) - set(responses.systems))[0]
        msg = f"the responses do not hold model {quoted(strange)}; give those of the ranking."
        raise ArgumentError(msg)
    if len(ranking.systems) < len(responses.systems):
        msg = (
            f"the ranking holds {len(ranking.systems)} of the {len(responses.systems)} models of "
            f"the responses: select the same ones (responses.select)."
        )
        raise ArgumentError(msg)
    facts: dict[str, Any] = ranking.record.provenance
    known = facts.get("data", {}).get("hash")
    if known is not None and known != responses.data_hash():
        msg = "the ranking came from other data than these responses; give those it came from."
        raise ArgumentError(msg)
    settings: dict[str, Any] = facts.get("model", {})
    weights = settings.get("weights")
    if weights is not None and not np.allclose(weights, responses.category_weights()):
        msg = (
            "the ranking weighs outcome categories in its own way, which the tests do not; rank "
            "without weights to see both answers side by side."
        )
        raise ArgumentError(msg)
    weighting = str(settings.get("weighting", "question"))
    if weighting == "task" and ranking.record.population not in ("tasks",) and _unequal(responses):
        msg = (
            "the ranking counts every task the same, these tests every question; rank with "
            "weighting='question', or under population='tasks'."
        )
        raise ArgumentError(msg)
    return weighting


def _unequal(responses: Responses) -> bool:
    """Whether tasks hold different numbers of questions."""
    return len(set(np.unique(np.array(responses.tasks or ()), return_counts=True)[1].tolist())) > 1


def _notes(
    responses: Responses, attrs: dict[str, Any], population: str, weighting: str
) -> list[str]:
    notes: list[str] = []
    if population == "questions" and len(set(responses.tasks or ())) > 1:
        notes.append(_NOTE_TASKS)
    if population == "tasks" and weighting == "question" and _unequal(responses):
        notes.append(_NOTE_WEIGHTS.format(unit=attrs["unit"]))
    if attrs["dropped_units"]:
        notes.append(
            f"The test leaves out {attrs['dropped_units']} units ({attrs['unit']}) without a score "
            f"of every model; the posterior uses all that was observed."
        )
    return notes
