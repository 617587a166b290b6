"""Which columns make a table a battle log, pair counts, or judgments against a baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean, validate_choice
from bayesrank.data._columns import normal
from bayesrank.exceptions import InputError

type BattleForm = Literal["battles", "counts", "judgments"]

# Columns of the two models, in the order in which they are looked for: LLMFAO has ids beside names.
_PAIRS = (
    ("left", "right"),
    ("model_a", "model_b"),
    ("generator_1", "generator_2"),
    ("model_1", "model_2"),
    ("model1", "model2"),
)
_WINNERS = ("winner", "preference")
_COUNTS = {
    "wins": ("win_a", "wins_a", "win_1", "wins_1"),
    "losses": ("win_b", "wins_b", "win_2", "wins_2"),
    "ties": ("tie", "ties"),
    "ties_bothbad": ("tie_bothbad", "ties_bothbad", "bothbad"),
}
_FACTORS = {
    "judge": ("judge", "annotator", "worker", "judge_id", "user"),
    "category": ("category", "language", "task"),
    "period": ("period", "month", "tstamp", "timestamp", "date"),
    "prompt": ("prompt_id", "question_id", "prompt", "uid", "instruction"),
    "session": ("session", "session_id", "conversation_id", "visit"),
}
_JUDGMENTS = ("model", "baseline", "games")
ROLES = ("first", "second", "winner", *_COUNTS, "games", *_FACTORS)


@dataclass(frozen=True)
class BattleColumns:
    """The form of a table and its columns by role.

    Attributes
    ----------
    form : {"battles", "counts", "judgments"}
        One battle a row; counts of a pair a row; arena-hard's two games a row.
    roles : dict of str to str
        Column of each role that has one.
    """

    form: BattleForm
    roles: dict[str, str]


def find_battles(
    names: Sequence[str], told: Mapping[str, str | None] | None = None, *, source: str = "log"
) -> BattleColumns | None:
    """Return what makes a table comparisons of pairs, or None where nothing does.

    Parameters
    ----------
    names : sequence of str
        Its columns.
    told : mapping of role to column name or None, optional
        What the user says; None leaves a role without a column.
    source : str, default "log"
        Name of the table in messages.

    Returns
    -------
    BattleColumns or None

    Raises
    ------
    InputError
        For a column that is not there.
    """
    given = dict(told or {})
    for role, name in given.items():
        validate_choice(role, ROLES, name="columns key")
        if name is not None and name not in names:
            msg = (
                f"{source}: no column {quoted(name)}; there are {listed(list(names), most=12)}."
                f"{did_you_mean(name, names)}"
            )
            raise InputError(msg)
    known = {normal(name): name for name in reversed(names)}
    found = {role: name for role, name in given.items() if name is not None}

    def look(role: str, synonyms: Sequence[str]) -> None:
        if role not in given:
            present = [known[s] for s in synonyms if s in known]
            if present:
                found[role] = present[0]

    pair = next((p for p in _PAIRS if all(name in known for name in p)), None)
    if pair is not None:
        look("first", pair[:1])
        look("second", pair[1:])
    elif all(name in known for name in _JUDGMENTS) and "winner" not in given:
        for role, name in zip(("first", "second", "games"), _JUDGMENTS, strict=True):
            look(role, (name,))
    look("winner", _WINNERS)
    for role, synonyms in _COUNTS.items():
        look(role, synonyms)
    for role, synonyms in _FACTORS.items():
        look(role, [s for s in synonyms if known.get(s) not in found.values()])
    if "first" not in found or "second" not in found:
        return None
    if "games" in found:
        form: BattleForm = "judgments"
    elif "winner" in found:
        form = "battles"
    elif "wins" in found and "losses" in found:
        form = "counts"
    else:
        return None
    used = {"battles": ("winner",), "counts": tuple(_COUNTS), "judgments": ("games",)}[form]
    keep = ("first", "second", *used, *_FACTORS)
    return BattleColumns(form, {role: found[role] for role in keep if role in found})


def no_battles(names: Sequence[str], *, source: str) -> str:
    """Return what to say of a table that is no log of comparisons."""
    return (
        f"{source}: no battle log; it has {listed(list(names), most=12)}. Two columns of models "
        f"(model_a and model_b, left and right) and a winner, or counts (win_a, win_b), are "
        f"needed; name them with columns={{'first': ..., 'second': ..., 'winner': ...}}."
    )
