"""Simulated responses from a crossed logistic model, with the truth they come from."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from bayesrank._validate import as_generator, validate_count, validate_finite, validate_labels
from bayesrank.data.responses import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.typing import RandomSeed

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Design", "simulate_responses", "simulate_truth"]


class Design(TypedDict, total=False):
    """What `simulate_truth` can be told; see there."""

    systems: int | Sequence[str]
    questions: int | Sequence[str]
    tasks: int | Sequence[str] | None
    prompts: int | Sequence[str] | None
    ability_sd: float
    difficulty_sd: float
    interaction_sd: float
    task_sd: float
    prompt_sd: float


def simulate_truth(
    *,
    systems: int | Sequence[str] = 20,
    questions: int | Sequence[str] = 120,
    tasks: int | Sequence[str] | None = None,
    prompts: int | Sequence[str] | None = None,
    ability_sd: float = 1.0,
    difficulty_sd: float = 2.0,
    interaction_sd: float = 0.7,
    task_sd: float = 0.5,
    prompt_sd: float = 0.3,
    random_seed: RandomSeed = None,
) -> "xr.Dataset":
    r"""Draw the probability of success of every model on every question.

    Parameters
    ----------
    systems, questions : int or sequence of str
        How many, or their names.
    tasks, prompts : int or sequence of str, optional
        Tasks that the questions belong to, in blocks of about equal size; prompt variants.
    ability_sd, difficulty_sd, interaction_sd : float
        Standard deviations, in logits, over models, over questions, and over cells.
    task_sd, prompt_sd : float
        Standard deviations, in logits, of how much each model is better or worse at a task or
        with a prompt. Without tasks or prompts they do nothing.
    random_seed : int, Generator, SeedSequence or None
        As in PyMC.

    Returns
    -------
    xarray.Dataset
        ``probability(system, question)``, or ``(system, question, prompt)`` with prompts, and the
        effects it is made of in logits: ``ability(system)``, ``difficulty(question)``,
        ``interaction(system, question)``, ``task_effect(system, task_name)``,
        ``prompt_effect(system, prompt)``; the coordinate ``task(question)``.

    Notes
    -----
    :math:`\operatorname{logit} p_{lmt} = \theta_l - b_m + \gamma_{lm} + u_{l,task(m)} + v_{lt}`,
    all effects normal with mean 0.

    Examples
    --------
    >>> from bayesrank.data import simulate_truth
    >>> truth = simulate_truth(systems=3, questions=5, random_seed=1)
    >>> dict(truth.probability.sizes)
    {'system': 3, 'question': 5}
    """
    import xarray as xr

    rng = as_generator(random_seed)
    names = {
        "system": _names(systems, name="systems", kind="model"),
        "question": _names(questions, name="questions", kind="question"),
    }
    sds = {
        name: validate_finite(value, name=name, minimum=0.0)
        for name, value in (
            ("ability_sd", ability_sd),
            ("difficulty_sd", difficulty_sd),
            ("interaction_sd", interaction_sd),
            ("task_sd", task_sd),
            ("prompt_sd", prompt_sd),
        )
    }
    effects: dict[str, tuple[tuple[str, ...], float]] = {
        "ability": (("system",), sds["ability_sd"]),
        "difficulty": (("question",), sds["difficulty_sd"]),
        "interaction": (("system", "question"), sds["interaction_sd"]),
    }
    if tasks is not None:
        names["task_name"] = _names(tasks, name="tasks", kind="task")
        effects["task_effect"] = (("system", "task_name"), sds["task_sd"])
    if prompts is not None:
        names["prompt"] = _names(prompts, name="prompts", kind="prompt")
        effects["prompt_effect"] = (("system", "prompt"), sds["prompt_sd"])
    truth = xr.Dataset(
        {
            name: (dims, rng.normal(0.0, sd, size=[len(names[dim]) for dim in dims]))
            for name, (dims, sd) in effects.items()
        },
        coords={dim: list(labels) for dim, labels in names.items()},
    )
    logit = truth["ability"] - truth["difficulty"] + truth["interaction"]
    if tasks is not None:
        block = _blocks(len(names["question"]), len(names["task_name"]))
        truth = truth.assign_coords(task=("question", [names["task_name"][b] for b in block]))
        by_question = truth["task_effect"].isel(task_name=("question", block))
        logit = logit + by_question.drop_vars("task_name")
    if prompts is not None:
        logit = logit + truth["prompt_effect"]
    return truth.assign(probability=1.0 / (1.0 + np.exp(-logit)))


def simulate_responses(
    truth: "xr.Dataset | None" = None,
    *,
    trials: int = 8,
    missing: float = 0.0,
    random_seed: RandomSeed = None,
    **design: Unpack[Design],
) -> Responses:
    """Draw binary responses from a truth, or from one that is drawn first.

    Parameters
    ----------
    truth : xarray.Dataset, optional
        With ``probability(system, question[, prompt])``, as `simulate_truth` returns it.
    trials : int, default 8
        Trials per model and question, and per prompt where there are prompts.
    missing : float, default 0
        Probability that an outcome is missing, from 0 up to below 1.
    random_seed : int, Generator, SeedSequence or None
        As in PyMC.
    **design
        Arguments of `simulate_truth`, when no truth is given: ``systems``, ``questions``,
        ``tasks``, ``prompts`` and the standard deviations.

    Returns
    -------
    Responses
        With the outcome of every trial; with prompts the trials are labelled by prompt.

    Raises
    ------
    ArgumentError
        For a truth together with a design, or a value out of range.

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> simulate_responses(systems=3, questions=5, trials=2, random_seed=1)
    <Responses: 3 models x 5 questions, 2 categories, 30 trials (2 a cell), none missing>
    """
    n = validate_count(trials, name="trials")
    share = validate_finite(missing, name="missing", minimum=0.0)
    if share >= 1.0:
        msg = f"missing={missing!r} must be below 1."
        raise ArgumentError(msg)
    if truth is not None and design:
        msg = f"a truth is given, so {', '.join(sorted(design))} cannot be; use simulate_truth."
        raise ArgumentError(msg)
    rng = as_generator(random_seed)
    if truth is None:
        truth = simulate_truth(random_seed=rng, **design)
    probability = truth["probability"]
    prompts = None
    if "prompt" in probability.dims:
        prompts = [str(p) for p in probability["prompt"].values for _ in range(n)]
        p = probability.transpose("system", "question", "prompt").values.repeat(n, axis=2)
    else:
        p = probability.transpose("system", "question").values[:, :, np.newaxis].repeat(n, axis=2)
    outcomes = (rng.random(p.shape) < p).astype(np.int16)
    if share > 0.0:
        outcomes[rng.random(p.shape) < share] = -1
    return Responses.from_array(
        outcomes,
        systems=[str(s) for s in probability["system"].values],
        questions=[str(q) for q in probability["question"].values],
        tasks=[str(t) for t in truth["task"].values] if "task" in truth.coords else None,
        prompts=prompts,
        categories=2,
        source="simulated",
    )


def _names(given: int | Sequence[str], *, name: str, kind: str) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        count = validate_count(given, name=name)  # pyright: ignore[reportArgumentType]
        return tuple(f"{kind} {i + 1}" for i in range(count))
    return validate_labels(given, kind=kind)


def _blocks(questions: int, tasks: int) -> NDArray[np.intp]:
    """Return the task of each question, in blocks whose sizes differ by at most one."""
    if tasks > questions:
        msg = f"{tasks} tasks need at least as many questions, not {questions}."
        raise ArgumentError(msg)
    return np.arange(questions) * tasks // questions
