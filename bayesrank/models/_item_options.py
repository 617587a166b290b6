"""Which item response model was asked for, and which ones the data do not allow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bayesrank._text import listed
from bayesrank._validate import validate_choice, validate_count
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError

type Kind = Literal["rasch", "2pl", "3pl", "3pl-fixed-guessing"]
type Tasks = Literal["independent", "correlated"] | None
type Trend = Literal["linear", "random_walk"] | None
type ScoreScale = Literal["accuracy", "ability"]
type Testlets = bool | Mapping[str, str] | Sequence[str] | None
type Marginal = Literal["auto"] | bool

KINDS = ("rasch", "2pl", "3pl", "3pl-fixed-guessing")
# A correlation matrix of more tasks has more entries than models to learn them from.
MOST_CORRELATED = 20
MOST_DIMENSIONS = 3


@dataclass(frozen=True)
class Options:
    """Checked arguments of the factory.

    Attributes
    ----------
    kind : {"rasch", "2pl", "3pl", "3pl-fixed-guessing"}
        What a question is described by.
    tasks : {None, "independent", "correlated"}
        How abilities on tasks vary about the overall one.
    dimensions : int
        Number of abilities that make up for each other.
    trend : {None, "linear", "random_walk"}
        How ability moves over trials.
    testlets, overdispersion : bool
        Whether families of questions have abilities of their own, and trials of a cell differ.
    score_scale : {"accuracy", "ability"}
        What the score is measured in.
    """

    kind: Kind
    tasks: Tasks
    dimensions: int
    trend: Trend
    testlets: bool
    overdispersion: bool
    score_scale: ScoreScale

    @property
    def discriminates(self) -> bool:
        """Whether questions differ in discrimination (with dimensions: in loadings)."""
        return self.kind != "rasch"

    @property
    def guesses(self) -> bool:
        """Whether a model that knows nothing succeeds now and then."""
        return self.kind.startswith("3pl")

    @property
    def learns_guessing(self) -> bool:
        """Whether guessing is a parameter."""
        return self.kind == "3pl"


def checked_options(
    responses: Responses,
    *,
    kind: Kind,
    tasks: Tasks,
    dimensions: int,
    trend: Trend,
    testlets: Testlets,
    overdispersion: bool,
    score_scale: ScoreScale,
    others: Mapping[str, object],
) -> Options:
    """Return the options, or say which of them do not go together or with these data."""
    validate_choice(kind, KINDS, name="kind")
    validate_choice(score_scale, ("accuracy", "ability"), name="score_scale")
    if tasks is not None:
        validate_choice(tasks, ("independent", "correlated"), name="tasks")
    if trend is not None:
        validate_choice(trend, ("linear", "random_walk"), name="trend")
    validate_count(dimensions, name="dimensions")
    if overdispersion not in (True, False):
        msg = f"overdispersion={overdispersion!r} is not known; use True or False."
        raise ArgumentError(msg)
    if responses.n_categories != 2:
        msg = (
            f"{responses.source}: item_response is for success and failure; these outcomes have "
            f"{responses.n_categories} categories. Use bayes_at_n."
        )
        raise ArgumentError(msg)
    options = Options(kind, tasks, dimensions, trend, bool(testlets), overdispersion, score_scale)
    _check_dimensions(responses, options)
    _check_tasks(responses, options, testlets)
    _check_trend(responses, options)
    _check_together(options, others)
    if overdispersion and (trend is not None or int(responses.n_trials.max()) < 2):
        msg = (
            f"{responses.source}: overdispersion=True compares trials of one model on one "
            f"question, and there is one of each{' in a period' if trend else ''}; leave it out."
        )
        raise InputError(msg)
    return options


def _check_dimensions(responses: Responses, options: Options) -> None:
    d = options.dimensions
    if d == 1:
        return
    if d > MOST_DIMENSIONS:
        msg = f"dimensions={d}: at most {MOST_DIMENSIONS} can be told apart here."
        raise ArgumentError(msg)
    if not options.discriminates:
        msg = f"dimensions={d} needs questions that differ in what they measure; use kind='2pl'."
        raise ArgumentError(msg)
    if options.score_scale == "ability":
        msg = (
            f"score_scale='ability' is not one number with dimensions={d}, and models cannot be "
            f"ordered by it; use score_scale='accuracy'."
        )
        raise ArgumentError(msg)
    if len(responses.questions) <= d or len(responses.systems) <= d:
        msg = (
            f"{responses.source}: dimensions={d} needs more than {d} questions and more than {d} "
            f"models."
        )
        raise InputError(msg)


def _check_tasks(responses: Responses, options: Options, testlets: Testlets) -> None:
    if options.tasks is None:
        return
    names = tuple(dict.fromkeys(responses.tasks or ()))
    if len(names) < 2:
        has = f"there is one ({listed(names)})" if names else "these questions have none"
        msg = (
            f"{responses.source}: tasks={options.tasks!r} needs several tasks and {has}; "
            f"name the task of each question, or leave tasks= out."
        )
        raise InputError(msg)
    if options.tasks == "correlated" and len(names) > MOST_CORRELATED:
        msg = (
            f"{responses.source}: tasks='correlated' learns a correlation for each pair of tasks, "
            f"of at most {MOST_CORRELATED} tasks; there are {len(names)}. "
            f"Use tasks='independent', or select tasks."
        )
        raise InputError(msg)
    if testlets is True:
        msg = (
            "tasks= and testlets=True would both give each model an ability of its own for each "
            "task; give testlets= a family for each question, or leave one of them out."
        )
        raise ArgumentError(msg)


def _check_trend(responses: Responses, options: Options) -> None:
    if options.trend is None:
        return
    trials = 0 if responses.outcomes is None else responses.outcomes.shape[2]
    if responses.outcomes is None:
        why = "only counts are known, not the order of trials; read a log with a trial column"
    elif trials < 2:
        why = "there is one trial, which has no order"
    else:
        return
    msg = f"{responses.source}: trend={options.trend!r} needs ordered trials: {why}."
    raise InputError(msg)


def _check_together(options: Options, others: Mapping[str, object]) -> None:
    """Refuse structures of ability that exclude each other."""
    used = {
        "tasks=": options.tasks,
        "dimensions=": options.dimensions if options.dimensions > 1 else None,
        "trend=": options.trend,
        **others,
    }
    chosen = [name for name, value in used.items() if value]
    if len(chosen) > 1:
        msg = (
            f"{' and '.join(chosen[:2])} cannot be used together: each says in its own way what "
            f"an ability is; leave one out."
        )
        raise ArgumentError(msg)
