"""Set events from what users hold: sorted entries, degenerate events dropped, equal ones merged."""

from collections.abc import Collection, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean
from bayesrank.data._battles import frame_columns
from bayesrank.data._cells import as_weights
from bayesrank.data._order import natural_order
from bayesrank.data.responses import Responses
from bayesrank.exceptions import ArgumentError, InputError

type Ints = NDArray[np.int64]
type Floats = NDArray[np.float64]


def arrange(
    event: Ints,
    member: Ints,
    place: NDArray[Any],
    *,
    weights: Floats,
    question: Ints | None,
    source: str,
) -> dict[str, Any]:
    """Return the fields of `Events` for entries (event, member, place), a low place being better.

    Places are any numbers; equal ones are one level. Events with one level tell nothing and are
    dropped, and events of weight 0 with them, uncounted; equal events of a question are merged.
    """
    order = np.lexsort((member, place, event))
    event, member, place = event[order], member[order], place[order]
    first = np.ones(len(event), dtype=bool)
    first[1:] = event[1:] != event[:-1]
    new = first.copy()
    new[1:] |= place[1:] != place[:-1]
    steps = np.cumsum(new) - 1
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, len(event)))
    levels = steps - np.repeat(steps[starts], sizes)
    return merge(
        event[starts],
        np.append(starts, len(event)),
        member,
        levels,
        weights=weights,
        question=question,
        source=source,
    )


def merge(
    event: Ints,
    starts: Ints,
    members: NDArray[np.integer[Any]],
    levels: NDArray[np.integer[Any]],
    *,
    weights: Floats,
    question: Ints | None,
    source: str,
) -> dict[str, Any]:
    """Return the fields of `Events` for sorted entries: `starts` says where each event begins.

    `weights` and `question` are those of all events by number, of which `event` names the ones
    that have entries.
    """
    members, levels = np.asarray(members, dtype=np.int32), np.asarray(levels, dtype=np.int32)
    several = levels[starts[1:] - 1] > 0
    counted = weights[event] > 0
    degenerate = float(weights.sum() - weights[event[several]].sum())
    keep = np.flatnonzero(several & counted)
    if not keep.size:
        msg = (
            f"{source}: no event sets one model above another; "
            f"all {degenerate:,.6g} are empty or one level."
        )
        raise InputError(msg)
    seen: dict[tuple[int, bytes, bytes], int] = {}
    chosen: list[int] = []
    row = np.empty(len(keep), dtype=np.intp)
    asked = np.zeros(len(weights), dtype=np.int64) if question is None else question
    for k, i in enumerate(keep.tolist()):
        part = slice(starts[i], starts[i + 1])
        key = (int(asked[event[i]]), members[part].tobytes(), levels[part].tobytes())
        row[k] = seen.setdefault(key, len(chosen))
        if row[k] == len(chosen):
            chosen.append(i)
    sizes = np.diff(starts)[chosen]
    entries = entries_of(starts[:-1][chosen], sizes)
    return {
        "starts": np.concatenate([[0], np.cumsum(sizes)]),
        "members": members[entries],
        "levels": levels[entries],
        "weights": np.bincount(row, weights=weights[event[keep]]),
        "question": None if question is None else question[event[chosen]],
        "degenerate": degenerate,
    }


def entries_of(starts: Ints, sizes: Ints) -> Ints:
    """Return the positions of the entries of events that begin at `starts`, one after another."""
    shift = starts - np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.repeat(shift, sizes) + np.arange(int(sizes.sum()))


def from_rankings(
    rankings: Sequence[Sequence[object]],
    *,
    weights: ArrayLike | None,
    questions: Sequence[object] | None,
    systems: Sequence[object] | None,
    weighted: bool,
    source: str,
) -> dict[str, Any]:
    """Return the fields of `Events` for nested names, best first."""
    event: list[int] = []
    name: list[str] = []
    place: list[int] = []
    for e, ranking in enumerate(rankings):
        found: list[str] = []
        if isinstance(ranking, str):
            msg = (
                f"{source}: ranking {e + 1} is the text {quoted(ranking)}; "
                f"give a list of names, best first."
            )
            raise InputError(msg)
        for level, entry in enumerate(ranking):
            several = isinstance(entry, Collection) and not isinstance(entry, str)
            names = [str(x) for x in cast("Collection[object]", entry)] if several else [str(entry)]
            found += names
            place += [level] * len(names)
        twice = _twice(found) if len(set(found)) < len(found) else []
        if twice:
            msg = f"{source}: ranking {e + 1} has {listed(twice)} more than once."
            raise InputError(msg)
        event += [e] * len(found)
        name += found
    times = _times(weights, len(rankings), weighted=weighted, source=source)
    known, member = _codes(name, systems, source=source, natural=False)
    labels, asked = _questions(questions, len(rankings))
    return {
        "systems": known,
        "questions": labels,
        **arrange(
            np.array(event, dtype=np.int64),
            member,
            np.array(place),
            weights=times,
            question=asked,
            source=source,
        ),
        "weighted": weighted,
        "source": source,
    }


def from_responses(responses: Responses) -> dict[str, Any]:
    """Return the fields of `Events`: on one trial of one question, better outcomes stand above."""
    if responses.outcomes is None:
        msg = (
            f"{responses.source}: events need the outcome of every trial, and only counts are "
            f"here; give the trials (keep_trials=True), or use Comparisons.from_responses."
        )
        raise ArgumentError(msg)
    outcomes = np.moveaxis(responses.outcomes, 0, 2)
    n_trials, size = outcomes.shape[1:]
    flat = outcomes.reshape(-1, size)
    # Best first, within a level in the order of the models, the absent (-1) last.
    order = np.argsort(-flat, axis=1, kind="stable")
    value = np.take_along_axis(flat, order, axis=1)
    present = value >= 0
    new = np.zeros(value.shape, dtype=np.int32)
    new[:, 1:] = value[:, 1:] != value[:, :-1]
    levels = np.cumsum(new, axis=1)
    sizes = present.sum(axis=1)
    there = np.flatnonzero(sizes > 0)
    fields = merge(
        there,
        np.concatenate([[0], np.cumsum(sizes[there])]),
        order[present],
        levels[present],
        weights=np.ones(len(flat)),
        question=np.repeat(np.arange(len(outcomes)), n_trials),
        source=responses.source,
    )
    return {
        "systems": responses.systems,
        "questions": responses.questions,
        **fields,
        "missing": int((~present).sum()),
        "source": responses.source,
    }


def from_frame(
    frame: Any,
    *,
    columns: dict[str, str | None],
    systems: Sequence[object] | None,
    weighted: bool,
    source: str,
) -> dict[str, Any]:
    """Return the fields of `Events` for a frame with one model of one event a row."""
    table = frame_columns(frame, columns, source=source)
    for role in ("event", "system"):
        for row, value in enumerate(table[role].tolist()):
            if value is None or value != value or not str(value).strip():
                msg = f"{source}: row {row + 1} names no {'model' if role == 'system' else role}."
                raise InputError(msg)
    place = _places(table["rank"], columns["rank"] or "rank", source=source)
    labels, event = _codes(table["event"].tolist(), None, source=source, natural=True)
    known, member = _codes(table["system"].tolist(), systems, source=source, natural=True)
    pair = event * len(known) + member
    unique, n = np.unique(pair, return_counts=True)
    if (n > 1).any():
        e, s = divmod(int(unique[np.argmax(n > 1)]), len(known))
        msg = f"{source}: event {quoted(labels[e])} has model {quoted(known[s])} more than once."
        raise InputError(msg)
    weights = np.ones(len(labels))
    if "weight" in table:
        column = as_weights(
            table["weight"], name=columns["weight"] or "weight", source=source, weighted=weighted
        )
        weights = _constant(column, event, labels, what="weights", source=source)
    questions = asked = None
    if "question" in table:
        questions, codes = _codes(table["question"].tolist(), None, source=source, natural=True)
        asked = _constant(codes, event, labels, what="questions", source=source)
    ranked = ~np.isnan(place)
    return {
        "systems": known,
        "questions": questions,
        **arrange(
            event[ranked],
            member[ranked],
            place[ranked],
            weights=weights,
            question=asked,
            source=source,
        ),
        "missing": int((~ranked).sum()),
        "weighted": weighted,
        "source": source,
    }


def _twice(names: list[str]) -> list[str]:
    values, n = np.unique(names, return_counts=True)
    return values[n > 1].tolist()


def _times(weights: ArrayLike | None, n: int, *, weighted: bool, source: str) -> Floats:
    if weights is None:
        return np.ones(n)
    times = as_weights(weights, name="weights", source=source, weighted=weighted)
    if times.shape != (n,):
        msg = f"{source}: {times.size} weights were given for {n} events."
        raise ArgumentError(msg)
    return times


def _codes(
    names: Sequence[object], known: Sequence[object] | None, *, source: str, natural: bool
) -> tuple[tuple[str, ...], Ints]:
    """Return the different names, in the order wanted, and the position of each name in them."""
    texts = [str(name) for name in names]
    found = tuple(dict.fromkeys(texts))
    if known is not None:
        labels = tuple(map(str, known))
        strangers = sorted(set(found) - set(labels))
        if strangers:
            msg = (
                f"{source}: the events have {listed(strangers)}, which systems= does not name."
                f"{did_you_mean(strangers[0], labels)}"
            )
            raise ArgumentError(msg)
    elif natural:
        labels = tuple(found[i] for i in natural_order([(name,) for name in found]))
    else:
        labels = found
    index = {label: i for i, label in enumerate(labels)}
    return labels, np.array([index[text] for text in texts], dtype=np.int64)


def _questions(
    questions: Sequence[object] | None, n: int
) -> tuple[tuple[str, ...] | None, Ints | None]:
    if questions is None:
        return None, None
    if len(questions) != n:
        msg = f"{len(questions)} questions were given for {n} events."
        raise ArgumentError(msg)
    return _codes(questions, None, source="questions", natural=False)


def _places(column: NDArray[np.object_], name: str, *, source: str) -> Floats:
    """Return ranks as numbers, NaN where a model was not ranked."""
    values = [np.nan if v is None else v for v in column.tolist()]
    try:
        places = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        bad = next(i for i, v in enumerate(values) if not isinstance(v, int | float | np.number))
        msg = (
            f"{source}: column {quoted(name)} has {quoted(str(values[bad]))} in row {bad + 1}; "
            f"ranks are numbers, 1 for the best."
        )
        raise InputError(msg) from None
    return places


def _constant[T: np.generic](
    column: NDArray[T], event: Ints, labels: tuple[str, ...], *, what: str, source: str
) -> NDArray[T]:
    """Return the one value that the rows of each event share."""
    _, first = np.unique(event, return_index=True)
    values = column[first]
    differs = np.flatnonzero(values[event] != column)
    if differs.size:
        name = labels[int(event[differs[0]])]
        msg = f"{source}: the rows of event {quoted(name)} have different {what}."
        raise InputError(msg)
    return values
