"""Stop when the best model is known: how often that is wrong, and what it saves, by simulation."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import expit

from bayesrank._validate import validate_count, validate_finite, validate_probability
from bayesrank.exceptions import ArgumentError
from bayesrank.studies._goals import p_leader
from bayesrank.studies._grid import Grid, study_seed
from bayesrank.typing import FloatArray, RandomSeed

__all__ = ["stopping_rule"]

# Difficulties of questions, in logits: some are solved nearly always, some nearly never.
_DIFFICULTY_SD = 1.5
# Runs simulated at once.
_AT_ONCE = 500
_HALVINGS = 60


def stopping_rule(
    *,
    gaps: Sequence[float] = (0.0, 0.02, 0.05, 0.1),
    systems: int = 2,
    questions: int = 30,
    trials: int = 20,
    looks: Sequence[int] = (1, 2, 5, 20),
    confidence: Sequence[float] = (0.95, 0.99),
    repetitions: int = 2000,
    random_seed: RandomSeed = None,
    n_jobs: int = 1,
    folder: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> xr.Dataset:
    r"""Measure the rule "stop when P(best) reaches a confidence", looking after every batch.

    Runs are simulated: questions of any difficulty, one model better than the others by a gap, the
    others level. After each of several looks, evenly spaced, the posterior of Bayes@N under the
    uniform prior is looked at, and the run stops where the leader is the best with the confidence.

    Parameters
    ----------
    gaps : sequence of float, default (0, 0.02, 0.05, 0.1)
        By how much the best model's mean score is ahead; at 0 nobody is the best.
    systems : int, default 2
        Models.
    questions : int, default 30
        Questions; the same ones for all models.
    trials : int, default 20
        The most trials of each model and question.
    looks : sequence of int, default (1, 2, 5, 20)
        How often the posterior is looked at, divisors of `trials`; one look is a fixed size.
    confidence : sequence of float, default (0.95, 0.99)
        Probabilities of being the best at which a run stops.
    repetitions : int, default 2000
        Runs for each gap.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness.
    n_jobs : int, default 1
        Processes, -1 for all cores.
    folder : Path, optional
        Where finished cells are kept, so that a killed study goes on.
    progress : callable, optional
        Called with the name of a cell, its number and their number.

    Returns
    -------
    xarray.Dataset
        On ``gap``, ``looks`` and ``confidence``: ``stopped``, the share of runs that named a best
        model by the last look; ``wrong``, the share of all runs that named one that is not (at gap
        0, any); ``wrong_of_stops``, the share of the stops; ``right``; ``trials_used``, the mean
        number of trials of a cell at the end, out of the ``trials`` of a fixed size; and the Monte
        Carlo error ``wrong_mcse``. Attributes: the configuration and ``seed``.

    Raises
    ------
    ArgumentError
        For looks that do not divide the trials, no gap or confidence, or a gap outside [0, 0.4].

    Notes
    -----
    At gap 0 a single look at a confidence c names one of two equal models in a share 2 (1 - c) of
    runs. Every further look is another chance to be wrong; nothing in the posterior is: among
    truths drawn from the prior, a share of at least c of all stops is right, whenever one looks.

    References
    ----------
    .. [1] Armitage, P., McPherson, C. K. and Rowe, B. C. (1969). Repeated significance tests on
       accumulating data. JRSS A 132(2), 235-244. https://doi.org/10.2307/2343787
    .. [2] Rouder, J. N. (2014). Optional stopping: no problem for Bayesians. Psychonomic Bulletin
       & Review 21, 301-308. https://doi.org/10.3758/s13423-014-0595-4

    Examples
    --------
    >>> from bayesrank.studies import stopping_rule
    >>> found = stopping_rule(gaps=[0.0], looks=[1, 10], trials=10, repetitions=300, random_seed=1)
    >>> wrong = found["wrong"].sel(gap=0.0, confidence=0.95)
    >>> bool(wrong.sel(looks=10) > wrong.sel(looks=1))
    True
    """
    validate_count(systems, name="systems", minimum=2)
    validate_count(questions, name="questions")
    validate_count(trials, name="trials")
    validate_count(repetitions, name="repetitions", minimum=2)
    levels = [validate_probability(c, name="confidence") for c in confidence]
    ahead = [validate_finite(g, name="gaps", minimum=0.0) for g in gaps]
    times = [validate_count(n, name="looks") for n in looks]
    if not (levels and ahead and times):
        msg = "gaps, looks and confidence each need a number at least."
        raise ArgumentError(msg)
    if max(ahead) > 0.4:
        msg = f"gaps={max(ahead):g} is more than any two models here are apart; stay below 0.4."
        raise ArgumentError(msg)
    if any(trials % n for n in times):
        uneven = next(n for n in times if trials % n)
        msg = f"looks={uneven} does not divide the {trials} trials into equal batches."
        raise ArgumentError(msg)
    seed = study_seed(random_seed, folder=folder)
    config = {
        "systems": systems,
        "questions": questions,
        "trials": trials,
        "looks": times,
        "confidence": levels,
        "repetitions": repetitions,
        "seed": seed,
    }
    cells = {f"gap={gap:g}": (k, gap) for k, gap in enumerate(ahead)}
    task = partial(_runs, config=config)
    grid = Grid(n_jobs=n_jobs, folder=folder, progress=progress)
    found = grid.run(task, cells, config={"study": "stopping_rule", "gaps": ahead, **config})
    dims = ("gap", "looks", "confidence")
    stacked = {
        name: np.stack([arrays[name] for arrays in found.values()])
        for name in ("stopped", "wrong", "trials_used")
    }
    stopped, wrong = stacked["stopped"], stacked["wrong"]
    variables: dict[str, Any] = {
        **{name: (dims, values) for name, values in stacked.items()},
        "right": (dims, stopped - wrong),
        "wrong_of_stops": (
            dims,
            np.divide(wrong, stopped, out=np.full(wrong.shape, np.nan), where=stopped > 0),
        ),
        "wrong_mcse": (dims, np.sqrt(wrong * (1.0 - wrong) / repetitions)),
    }
    coords = {"gap": ahead, "looks": times, "confidence": levels}
    return xr.Dataset(variables, coords, config)


def _runs(cell: tuple[int, float], *, config: Mapping[str, Any]) -> dict[str, ArrayLike]:
    """Simulate the runs of one gap."""
    number, gap = cell
    rng = np.random.default_rng(np.random.SeedSequence(config["seed"], spawn_key=(number,)))
    shape = len(config["looks"]), len(config["confidence"])
    total = {name: np.zeros(shape) for name in ("stopped", "wrong", "trials_used")}
    left = int(config["repetitions"])
    while left:
        n = min(left, _AT_ONCE)
        leader, best = _paths(n, gap, config, rng)
        for k, looks in enumerate(config["looks"]):
            step = config["trials"] // looks
            seen = np.arange(step, config["trials"] + 1, step)
            for c, level in enumerate(config["confidence"]):
                enough = best[:, seen - 1] >= level
                stops = enough.any(axis=1)
                at = np.where(stops, enough.argmax(axis=1), looks - 1)
                named = leader[np.arange(n), seen[at] - 1]
                total["stopped"][k, c] += stops.sum()
                total["wrong"][k, c] += (stops & ((named != 0) | (gap == 0.0))).sum()
                total["trials_used"][k, c] += seen[at].sum()
        left -= n
    return {name: values / config["repetitions"] for name, values in total.items()}


def _paths(
    n: int, gap: float, config: Mapping[str, Any], rng: np.random.Generator
) -> tuple[Any, FloatArray]:
    """Return who leads, and P(best) of the leader, after each trial; shape (run, trial)."""
    logit = rng.normal(0.0, _DIFFICULTY_SD, (n, config["questions"]))
    chance = np.repeat(expit(logit)[:, np.newaxis], config["systems"], axis=1)
    if gap:
        chance[:, 0] = expit(logit + _shift(logit, gap)[:, np.newaxis])
    successes = np.zeros(chance.shape)
    leader = np.empty((n, config["trials"]), dtype=np.int64)
    best = np.empty(leader.shape)
    for t in range(config["trials"]):
        successes += rng.random(chance.shape) < chance
        a, total = successes + 1.0, t + 3.0
        mean = a.mean(axis=2) / total
        variance = (a * (total - a)).mean(axis=2) / (total**2 * (total + 1.0))
        # The score's exact mean and variance; of so many questions it is normal.
        sd = np.sqrt(variance / config["questions"])
        leader[:, t] = mean.argmax(axis=1)
        best[:, t] = p_leader(mean, sd)
    return leader, best


def _shift(logit: FloatArray, gap: float) -> FloatArray:
    """Return the shift of all logits that raises the mean probability by the gap."""
    target = expit(logit).mean(axis=1) + gap
    low, high = np.zeros(len(logit)), np.full(len(logit), 50.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        below = expit(logit + middle[:, np.newaxis]).mean(axis=1) < target
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2.0
