"""Which column of a log plays which role: usual names are recognised, others are told."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Literal

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean, validate_choice
from bayesrank.exceptions import InputError

type Form = Literal["long", "counts", "wide"]

# Each role has groups of names; names in a group mean the same, the earlier one is taken. `task_id`
# is a question unless another question column is there: then it is a task.
SYNONYMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "system": (
        ("model", "model_name", "model_id"),
        ("system", "system_name", "system_id"),
        ("agent", "agent_name", "agent_id"),
        ("llm", "llm_name", "llm_id"),
    ),
    "question": (
        ("question_id", "question", "question_idx"),
        ("item_id", "item"),
        ("example_id", "example", "example_idx"),
        ("problem_id", "problem", "problem_idx"),
        ("instance_id", "instance"),
        ("doc_id",),
        ("task_id",),
    ),
    "task": (
        ("task", "task_name"),
        ("subject",),
        ("benchmark", "benchmark_id"),
        ("dataset", "dataset_name"),
        ("task_id",),
    ),
    "prompt": (
        ("prompt_id", "prompt", "prompt_name", "prompt_template"),
        ("template_id", "template", "template_name"),
    ),
    "trial": (
        ("trial", "trial_id"),
        ("epoch",),
        ("seed",),
        ("run", "run_id"),
        ("attempt", "attempt_id"),
        ("sample", "sample_idx"),
    ),
    "outcome": (
        ("outcome",),
        ("correct", "is_correct"),
        ("resolved", "is_resolved"),
        ("passed", "is_passed"),
        ("success", "is_success"),
        ("score",),
        ("reward",),
    ),
    "successes": (
        ("successes", "n_successes", "num_successes"),
        ("n_correct", "num_correct"),
        ("n_resolved", "num_resolved"),
        ("n_passed", "num_passed"),
        ("wins",),
        ("k",),
    ),
    "trials": (
        ("trials", "n_trials", "num_trials"),
        ("count",),
        ("total", "n_total", "num_total"),
        ("n_samples", "num_samples"),
        ("n",),
    ),
}
# Where two of these are present, either choice would change the ranking: the user has to say.
_STRICT = ("system", "outcome")
_NOUNS = {"system": "model"}


@dataclass(frozen=True)
class Columns:
    """The column of each role, None where a log has none."""

    system: str | None = None
    task: str | None = None
    question: str | None = None
    prompt: str | None = None
    trial: str | None = None
    outcome: str | None = None
    successes: str | None = None
    trials: str | None = None
    form: Form = "long"
    questions_in_columns: tuple[str, ...] = ()
    told: frozenset[str] = frozenset()

    @property
    def roles(self) -> frozenset[str]:
        """The roles that have a column."""
        return frozenset(f.name for f in fields(self) if f.name in SYNONYMS and self.has(f.name))

    def has(self, role: str) -> bool:
        """Whether a role has a column."""
        return getattr(self, role) is not None


def normal(name: str) -> str:
    """Return a column name in lower case with one underscore between words."""
    return re.sub(r"[^0-9a-z]+", "_", name.casefold()).strip("_")


def recognise(
    names: Sequence[str], told: Mapping[str, str | None] | None, *, source: str
) -> Columns:
    """Return the columns of a log by role.

    Parameters
    ----------
    names : sequence of str
        The columns that are there.
    told : mapping of role to column name or None, optional
        What the user says; None leaves a role without a column.
    source : str
        Name of the log, for messages.
    """
    told = _checked(told or {}, names, source=source)
    found: dict[str, str | None] = dict(told)
    if "outcome" in told and told["outcome"] is not None:
        found |= {"successes": None, "trials": None}
    elif told.get("successes") or told.get("trials"):
        found["outcome"] = None
    for role in SYNONYMS:
        if role not in found:
            free = [n for n in names if n not in found.values()]
            found[role] = _find(role, free, source=source)
    _settle_form(found, source=source)
    columns = Columns(**found, told=frozenset(told))  # pyright: ignore[reportArgumentType]
    return _with_form(columns, names, source=source)


def _checked(
    told: Mapping[str, str | None], names: Sequence[str], *, source: str
) -> dict[str, str | None]:
    for role, name in told.items():
        validate_choice(role, SYNONYMS, name="columns key")
        if name is not None and name not in names:
            msg = (
                f"{source}: no column {quoted(name)}; there are {listed(list(names), most=12)}."
                f"{did_you_mean(name, names)}"
            )
            raise InputError(msg)
    return dict(told)


def _find(role: str, names: Sequence[str], *, source: str) -> str | None:
    by_normal: dict[str, list[str]] = {}
    for name in names:
        by_normal.setdefault(normal(name), []).append(name)
    groups = [[s for s in group if s in by_normal] for group in SYNONYMS[role]]
    present = [group[0] for group in groups if group]
    if not present:
        return None
    candidates = by_normal[present[0]]
    if role in _STRICT:
        candidates = [name for synonym in present for name in by_normal[synonym]]
    if len(candidates) > 1:
        msg = (
            f"{source}: columns {listed(candidates)} could each be the {_NOUNS.get(role, role)}; "
            f"say which with columns={{{role!r}: {quoted(candidates[0])}}}."
        )
        raise InputError(msg)
    return candidates[0]


def _settle_form(found: dict[str, str | None], *, source: str) -> None:
    """Decide between one trial a row and counts where a log has columns for both."""
    outcome, successes, trials = (found[r] for r in ("outcome", "successes", "trials"))
    if outcome is None:
        return
    is_a_log_of_trials = found["trial"] is not None and successes is None
    if trials is None or is_a_log_of_trials:
        found["successes"] = found["trials"] = None
        return
    msg = (
        f"{source}: columns {quoted(outcome)} and {quoted(trials)} can be read in two ways; say "
        f"columns={{'outcome': {quoted(outcome)}}} for one trial a row, or columns="
        f"{{'successes': {quoted(successes or outcome)}, 'trials': {quoted(trials)}}} for counts."
    )
    raise InputError(msg)


def _with_form(columns: Columns, names: Sequence[str], *, source: str) -> Columns:
    """Return the columns with their form, or say which one is missing."""
    needed = ["system", "question"]
    form: Form = "long"
    if columns.outcome is None and (columns.successes or columns.trials):
        form = "counts"
        needed += ["successes", "trials"]
    elif columns.outcome is None and columns.question is None and columns.system is not None:
        rest = tuple(n for n in names if n not in (columns.system, columns.trial))
        if rest:
            return Columns(
                system=columns.system,
                trial=columns.trial,
                form="wide",
                questions_in_columns=rest,
                told=columns.told,
            )
        needed += ["outcome"]
    else:
        needed += ["outcome"]
    for role in needed:
        if not columns.has(role):
            raise InputError(no_column(role, names, source=source))
    return Columns(**{r: getattr(columns, r) for r in SYNONYMS}, form=form, told=columns.told)


def no_column(role: str, names: Sequence[str], *, source: str) -> str:
    """Return what to say when no column plays a role."""
    synonyms = [s for group in SYNONYMS[role] for s in group]
    near = [n for n in names if get_close_matches(normal(n), synonyms, n=1, cutoff=0.75)]
    hint = f" Is it {' or '.join(quoted(n) for n in near[:3])}?" if near else ""
    return (
        f"{source}: no column for the {_NOUNS.get(role, role)}; there are "
        f"{listed(list(names), most=12)}.{hint} Name it with columns={{{role!r}: '...'}}."
    )
