"""What set events give out: selections, stages, pair counts, facts, a hash, a line, a table."""

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesrank._html import framed, table
from bayesrank.data import _arrays
from bayesrank.data._cell_views import _number
from bayesrank.data._event_build import arrange, entries_of
from bayesrank.data._html import first_of, plural, span
from bayesrank.data._incidence import dense, incidence

if TYPE_CHECKING:
    from bayesrank.data.events import Events


def among(events: "Events", wanted: NDArray[np.intp]) -> dict[str, Any]:
    """Return the fields of the events among some models, given by position."""
    place = np.full(len(events.systems), -1)
    place[wanted] = np.arange(len(wanted))
    member = place[events.members]
    kept = member >= 0
    fields = arrange(
        events.event_of_entry[kept],
        member[kept],
        events.levels[kept],
        weights=events.weights,
        question=events.question,
        source=events.source,
    )
    fields["degenerate"] += events.degenerate
    return {**fields, "systems": tuple(events.systems[i] for i in wanted)}


def stages(events: "Events") -> dict[str, Any]:
    """Return the fields of events of two levels: each level above all that is below it."""
    n = events.n_levels
    event = np.repeat(np.arange(len(n)), n - 1)
    level = np.arange(len(event)) - np.repeat(np.cumsum(n - 1) - (n - 1), n - 1)
    ends = events.starts[event + 1]
    # Entries of an event are sorted by level: a stage is all from its level on.
    starts = level_starts(events)[level_offsets(events)[event] + level]
    sizes = ends - starts
    entries = entries_of(starts, sizes)
    stage = np.repeat(np.arange(len(event)), sizes)
    fields = arrange(
        stage,
        events.members[entries].astype(np.int64),
        (events.levels[entries] > level[stage]).astype(np.int64),
        weights=events.weights[event],
        question=None if events.question is None else events.question[event],
        source=events.source,
    )
    return {**fields, "degenerate": events.degenerate}


def level_offsets(events: "Events") -> NDArray[np.int64]:
    """Return where the levels of each event begin among all levels."""
    return np.concatenate([[0], np.cumsum(events.n_levels)[:-1]])


def level_starts(events: "Events") -> NDArray[np.int64]:
    """Return where each level of each event begins among the entries."""
    new = np.ones(len(events.members), dtype=bool)
    same = events.event_of_entry[1:] == events.event_of_entry[:-1]
    new[1:] = ~same | (events.levels[1:] != events.levels[:-1])
    return np.flatnonzero(new)


def pair_wins(events: "Events") -> NDArray[np.float64]:
    """Return the total weight of events that set the row's model above the column's."""
    size = len(events.systems)
    won = np.zeros((size, size))
    row = events.event_of_entry
    shape = (len(events.weights), size)
    for level in range(int(events.n_levels.max()) - 1):
        here, below = events.levels == level, events.levels > level
        winners = incidence(row[here], events.members[here], shape, events.weights[row[here]])
        losers = incidence(row[below], events.members[below], shape)
        won += dense(winners.T @ losers)
    return won


def describe(events: "Events") -> dict[str, Any]:
    """Return the numbers that tables and records show of events."""
    sizes, n = events.sizes, events.n_levels
    return {
        "models": len(events.systems),
        "questions": None if events.questions is None else len(events.questions),
        "events": _number(events.weights.sum()),
        "distinct": len(events.weights),
        "models_per_event": [int(sizes.min()), float(np.median(sizes)), int(sizes.max())],
        "levels_per_event": [int(n.min()), float(np.median(n)), int(n.max())],
        "degenerate": _number(np.float64(events.degenerate)),
        "missing": events.missing,
        "weighted": events.weighted,
        "source": events.source,
    }


def data_hash(events: "Events") -> str:
    """Hash labels, events and weights, whatever the order of the events."""
    asked = [""] * len(events.weights)
    if events.questions is not None and events.question is not None:
        asked = [events.questions[q] for q in events.question.tolist()]
    rows = [
        (
            asked[e],
            events.members[part].astype("<i4").tobytes(),
            events.levels[part].astype("<i4").tobytes(),
            np.float64(weight).astype("<f8").tobytes(),
        )
        for e, (weight, part) in enumerate(zip(events.weights, _parts(events), strict=True))
    ]
    digest = hashlib.sha256(_arrays.label_bytes(events.systems))
    for question, *parts in sorted(rows):
        digest.update(_arrays.label_bytes((question,)))
        for part in parts:
            digest.update(f"{len(part)};".encode() + part)
    return digest.hexdigest()[:16]


def _parts(events: "Events") -> list[slice]:
    return [slice(a, b) for a, b in zip(events.starts[:-1], events.starts[1:], strict=True)]


def line(events: "Events") -> str:
    """Return the one-line view of events."""
    facts = events.describe()
    low, _, high = facts["models_per_event"]
    parts = [
        plural(facts["models"], "model"),
        plural(facts["events"], "event"),
        f"{plural(low, 'model') if low == high else f'{low} to {high} models'} an event",
        f"{facts['degenerate']:,} without an order",
    ]
    if facts["questions"]:
        parts.insert(1, plural(facts["questions"], "question"))
    return f"<Events: {', '.join(parts)}>"


def html(events: "Events", most: int = 10) -> str:
    """Return what was observed for notebooks: sizes, ties, one row a model."""
    facts = events.describe()
    size = len(events.systems)
    weight = events.weights[events.event_of_entry]
    last = np.repeat(events.n_levels - 1, events.sizes)
    columns = [
        np.bincount(events.members, where * weight, size)
        for where in (1.0, events.levels == 0, events.levels == last)
    ]
    rows = [
        (system, *(f"{column[i]:,.6g}" for column in columns))
        for i, system in enumerate(events.systems[:most])
    ]
    tied = float(events.weights[events.n_levels < events.sizes].sum() / events.weights.sum())
    lines = [
        (
            f"Models an event: {span(*facts['models_per_event'])}; "
            f"levels: {span(*facts['levels_per_event'])}."
        ),
        (
            f"Events with ties: {100 * tied:.1f} %. Left out for they order nothing: "
            f"{facts['degenerate']:,.6g}. Missing entries: {facts['missing']:,}."
        ),
    ]
    header = ("model", "events", "on the best level", "on the last level")
    return framed(
        (line(events)[1:-1], *lines),
        table(first_of(most, size), header, rows),
        [f"Source: {events.source}."],
        summary="Where they come from",
    )
