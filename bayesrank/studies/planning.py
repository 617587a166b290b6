"""How much more data a ranking needs: futures simulated from the present posterior."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from bayesrank._validate import (
    positions,
    validate_choice,
    validate_count,
    validate_finite,
    validate_probability,
)
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.unit_scores import WEIGHTINGS, Weighting
from bayesrank.studies._assurance import Search
from bayesrank.studies._futures import Outlook
from bayesrank.studies._goals import GOALS, Goal
from bayesrank.studies._grid import study_seed
from bayesrank.studies._outlook_responses import (
    CellPrior,
    Scoring,
    more_questions,
    more_trials,
    trials_about_questions,
)
from bayesrank.studies._outlook_votes import more_votes
from bayesrank.typing import RandomSeed

__all__ = ["plan"]

type Resource = Literal["trials", "questions", "votes"]

RESOURCES: tuple[Resource, ...] = ("trials", "questions", "votes")
_POPULATIONS = ("trials", "questions", "battles")
# Seeds of truths, of what is observed of them, and of the draws that decide about the best model.
_STREAMS = 3


def plan(
    data: Responses | Comparisons,
    *,
    goal: Goal = "top1",
    pair: Sequence[str] | None = None,
    confidence: float = 0.95,
    resource: Resource | None = None,
    population: Literal["trials", "questions", "battles"] | None = None,
    assurance: float = 0.8,
    max_factor: float = 1000.0,
    futures: int = 1000,
    prior: CellPrior = "uniform",
    weights: ArrayLike | None = None,
    weighting: Weighting = "question",
    random_seed: RandomSeed = None,
) -> xr.Dataset:
    r"""Say how many more trials, questions or votes would settle a pair, the best model, or all.

    Futures are simulated: a truth is drawn from the present posterior, the data to come from the
    truth, and the posterior after them decides. The assurance of a size is the share of futures
    that reach the goal.

    Parameters
    ----------
    data : Responses or Comparisons
        What was observed, of two models at least.
    goal : {"pair", "top1", "adjacent"}, default "top1"
        Whose place is to be known: which of two models is better; which model is the best; or the
        whole order, every two neighbours of it told apart.
    pair : sequence of str, optional
        The two models of the goal "pair"; the goal may be left out then.
    confidence : float, default 0.95
        The posterior probability at which something counts as known.
    resource : {"trials", "questions", "votes"}, optional
        What there could be more of; by default trials, or votes for comparisons.
    population : {"trials", "questions", "battles"}, optional
        What the ranking is about. More questions are always about new ones. More trials are about
        these questions unless it is "questions": then they take away only the noise of trials.
    assurance : float, default 0.8
        Share of futures in which the goal is to be reached.
    max_factor : float, default 1000
        How many times the present data are looked at, at most.
    futures : int, default 1000
        Simulated futures.
    prior : {"uniform", "pooled"}, default "uniform"
        Of the outcome probabilities of trials, as in `bayesrank.models.bayes_at_n`.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    weighting : {"question", "task"}, default "question"
        What counts the same in the score.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness.

    Returns
    -------
    xarray.Dataset
        On ``size``, how many more: trials of each model and question, questions, or votes;
        ``total`` of trials or votes that these are, ``assurance`` with ``assurance_mcse``, and
        ``wrong``, the share of futures that reach the goal and are mistaken. On ``size`` and
        ``system``: ``named``, the share of futures that reach the goal and call this model the
        better or best one (for "adjacent": the first). On ``gap``, neighbours in the present order:
        ``told_apart``, the probability now that the upper one is better, and with ``size``
        ``told_apart_then``, the share of futures in which they are. Attributes: ``reached``
        (already), ``reachable``, ``needed`` and its Monte Carlo interval ``needed_low`` and
        ``needed_high`` (sizes; -1 where beyond the largest), ``close_share`` and ``close_gap`` (in
        which share of truths models are closer than the largest size tells apart, and how close
        that is), ``probability`` (of the goal now, as far as one number says it), the
        configuration, ``source``, ``data_hash``, ``seed`` and ``notes``.

    Raises
    ------
    ArgumentError
        For an unknown goal, resource, population or model, or a resource that the data do not have.
    InputError
        For one model, one question where questions vary, or trials that cannot be told from them.

    Notes
    -----
    Under a Dirichlet posterior the expected variance of a cell after n more trials is
    :math:`v\,s / (s + n)` exactly, and the posterior mean to come has the variance that this takes
    away. The mean is a sum over questions, and taken as normal. Questions have an unknown variance,
    and t instead. Votes have the information of the Bradley-Terry likelihood at the present mode.

    References
    ----------
    .. [1] Spiegelhalter, D. J. and Freedman, L. S. (1986). A predictive approach to selecting the
       size of a clinical trial, based on subjective clinical opinion. Statistics in Medicine 5(1),
       1-13. https://doi.org/10.1002/sim.4780050103
    .. [2] Raiffa, H. and Schlaifer, R. (1961). Applied Statistical Decision Theory. Harvard.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.studies import plan
    >>> data = Responses.from_counts([[5, 9, 3], [4, 7, 2]], 10, systems=["a", "b"])
    >>> found = plan(data, futures=500, random_seed=1)
    >>> found.attrs["reachable"], 10 < found.attrs["needed"] < 300
    (True, True)
    >>> bool((found["assurance"].diff("size") >= -0.02).all())
    True
    """
    asked = _asked(data, goal, pair, resource, population)
    level = validate_probability(confidence, name="confidence")
    wanted = validate_probability(assurance, name="assurance")
    validate_count(futures, name="futures", minimum=100)
    if validate_finite(max_factor, name="max_factor", minimum=0.0) == 0.0:
        msg = "max_factor=0 leaves nothing to look at; it says how many times the present data."
        raise ArgumentError(msg)
    validate_choice(prior, ("uniform", "pooled"), name="prior")
    validate_choice(weighting, WEIGHTINGS, name="weighting")
    seed = study_seed(random_seed)
    truths, observed, deciding = np.random.SeedSequence(seed).spawn(_STREAMS)
    outlook = _outlook(
        data,
        asked,
        Scoring(weights, weighting, prior),
        futures=futures,
        max_factor=max_factor,
        rng=np.random.default_rng(truths),
    )
    search = Search(outlook, asked.goal, level, wanted, observed, deciding)
    found = search.dataset()
    found.attrs |= {
        "goal": asked.goal,
        "pair": list(asked.pair),
        "confidence": level,
        "target": wanted,
        "resource": asked.resource,
        "population": asked.population,
        "max_factor": float(max_factor),
        "futures": int(futures),
        "prior": prior if asked.population == "trials" else "none",
        "seed": seed,
        "source": data.source,
        "data_hash": data.data_hash(),
        "notes": list(outlook.notes),
    }
    return found


@dataclass(frozen=True)
class _Asked:
    """What a plan is about, checked and complete."""

    goal: Goal
    pair: tuple[str, ...]
    resource: Resource
    population: str


def _asked(
    data: Responses | Comparisons,
    goal: Goal,
    pair: Sequence[str] | None,
    resource: Resource | None,
    population: str | None,
) -> _Asked:
    validate_choice(goal, GOALS, name="goal")
    battles = isinstance(data, Comparisons)
    if pair is not None:
        goal = "pair"
        names = [pair] if isinstance(pair, str) else list(pair)
        positions(names, data.systems, kind="model")
        if len(set(names)) != 2 or len(names) != 2:
            msg = f"pair={names!r} must name two different models."
            raise ArgumentError(msg)
        chosen = tuple(names)
    elif goal == "pair":
        msg = "goal='pair' needs pair=(A, B), the two models."
        raise ArgumentError(msg)
    else:
        chosen = ()
    if len(data.systems) < 2:
        msg = f"{data.source}: one model comes first anyway; there is nothing to plan."
        raise InputError(msg)
    kind: Resource = ("votes" if battles else "trials") if resource is None else resource
    validate_choice(kind, RESOURCES, name="resource")
    if battles != (kind == "votes"):
        have = "battles: plan resource='votes'" if battles else "trials: plan 'trials', 'questions'"
        msg = f"{data.source}: no {kind} can be added to a log of {have}."
        raise ArgumentError(msg)
    own = {"trials": "trials", "questions": "questions", "votes": "battles"}[kind]
    about = own if population is None else population
    validate_choice(about, _POPULATIONS, name="population")
    if about != own and (kind, about) != ("trials", "questions"):
        msg = (
            f"population={about!r} does not go with more {kind}, which are about {own!r}"
            + (" or 'questions'." if kind == "trials" else ".")
        )  # fmt: skip
        raise ArgumentError(msg)
    return _Asked(goal, chosen, kind, about)


def _outlook(
    data: Responses | Comparisons,
    asked: _Asked,
    scoring: Scoring,
    *,
    futures: int,
    max_factor: float,
    rng: np.random.Generator,
) -> Outlook:
    if isinstance(data, Comparisons):
        found = more_votes(data, futures=futures, max_factor=max_factor, rng=rng)
        return (
            found.among([data.systems.index(name) for name in asked.pair]) if asked.pair else found
        )
    chosen = data.select(systems=asked.pair) if asked.pair else data
    make = more_trials
    if asked.population == "questions":
        make = more_questions if asked.resource == "questions" else trials_about_questions
    return make(chosen, scoring, futures=futures, max_factor=max_factor, rng=rng)
