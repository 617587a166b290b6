"""How responses and comparisons show themselves: one line, and a table in notebooks."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesrank._html import framed, table
from bayesrank._text import quoted

if TYPE_CHECKING:
    from bayesrank.data.comparisons import Comparisons
    from bayesrank.data.responses import Responses


def plural(n: float, noun: str) -> str:
    """Return a count with its noun."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def responses_line(responses: "Responses") -> str:
    """Return the one-line view of responses."""
    facts = responses.describe()
    low, _, high = facts["trials_per_cell"]
    a_cell = f"{low}" if low == high else f"{low} to {high}"
    parts = [
        f"{plural(facts['models'], 'model')} x {plural(facts['questions'], 'question')}",
        f"{facts['categories']} categories",
        f"{plural(facts['trials'], 'trial')} ({a_cell} a cell)",
        f"{facts['missing']:,} missing" if facts["missing"] else "none missing",
    ]
    if facts["tasks"]:
        parts.insert(1, plural(facts["tasks"], "task"))
    if facts["duplicates"]:
        parts.append(f"{plural(facts['duplicates'], 'duplicate')} dropped")
    return f"<Responses: {', '.join(parts)}>"


def responses_html(responses: "Responses", most: int = 10) -> str:
    """Return what was observed for notebooks: sizes, what is missing, one row a model."""
    facts = responses.describe()
    trials = responses.n_trials.sum(axis=1)
    missing = responses.missing.sum(axis=1)
    without = (~responses.observed).sum(axis=1)
    scores = responses.question_scores()
    low, median, high = facts["trials_per_cell"]
    lines = [
        f"Trials a cell (a model on a question): {span(low, median, high)}.",
        _missing(facts, responses.systems, missing),
    ]
    if facts["tasks"]:
        lines.append(f"Questions are of {plural(facts['tasks'], 'task')}.")
    if facts["prompts"]:
        lines.append(f"Trials are of {plural(facts['prompts'], 'prompt')}.")
    if facts["categories"] > 2:
        lines.append(f"Outcomes have {facts['categories']} categories, here weighted 0 to 1.")
    if facts["duplicates"]:
        lines.append(f"{plural(facts['duplicates'], 'duplicate')} dropped.")
    rows = [
        (
            system,
            f"{scores[i][responses.observed[i]].mean():.3f}",
            f"{trials[i]:,}",
            f"{missing[i]:,}",
            f"{without[i]:,}",
        )
        for i, system in enumerate(responses.systems[:most])
    ]
    score = "observed accuracy" if facts["categories"] == 2 else "observed score"
    lead = (
        f"Responses: {plural(facts['models'], 'model')}, {plural(facts['questions'], 'question')}, "
        f"{plural(facts['trials'], 'trial')}"
    )
    header = ("model", score, "trials", "missing", "questions without a trial")
    return framed(
        (lead, *lines),
        table(first_of(most, len(responses.systems)), header, rows),
        [
            (
                f"The {score} is the mean over the questions that a model was seen on, each with "
                f"the same weight: what was observed, not yet an estimate."
            ),
            f"Source: {responses.source}.",
        ],
    )


def _missing(facts: dict[str, Any], systems: tuple[str, ...], missing: NDArray[np.int64]) -> str:
    parts = []
    if facts["missing"]:
        kept = "counted as failures" if facts["missing_as"] == "failure" else "left out"
        worst = int(missing.argmax())
        parts.append(
            f"Missing outcomes: {facts['missing']:,}, {kept}; most for {quoted(systems[worst])} "
            f"({missing[worst]:,})."
        )
    else:
        parts.append("No outcome is missing.")
    if facts["cells_without_trials"]:
        parts.append(f"Cells without a trial: {facts['cells_without_trials']:,}.")
    return " ".join(parts)


def span(low: float, median: float, high: float) -> str:
    """Return a minimum, a median and a maximum, or the one number that all are."""
    if low == high:
        return f"{low:,.6g}"
    return f"{low:,.6g} to {high:,.6g}, median {median:,.6g}"


def first_of(most: int, total: int) -> str:
    """Return that only the first models are shown, or nothing."""
    return f"The first {most} of {total} models" if total > most else ""


def comparisons_line(comparisons: "Comparisons") -> str:
    """Return the one-line view of comparisons."""
    facts = comparisons.describe()
    kind = "expected comparison" if facts["expected"] else "comparison"
    parts = [
        plural(facts["models"], "model"),
        plural(facts["pairs"], "pair"),
        plural(facts["comparisons"], kind),
        plural(facts["ties"] + facts["ties_bothbad"], "tie"),
    ]
    return f"<Comparisons: {', '.join(parts)}>"


def comparisons_html(comparisons: "Comparisons", most: int = 10) -> str:
    """Return who met whom for notebooks: sizes, ties, what is linked, one row a model."""
    from bayesrank.data.graph import comparison_graph

    facts, graph = comparisons.describe(), comparison_graph(comparisons)
    won = comparisons.win_matrix()
    tied = comparisons.tie_matrix().sum(axis=1)
    wins, losses = won.sum(axis=1), won.sum(axis=0)
    total = wins + losses + tied
    least, top = int(total.argmin()), int(total.argmax())
    ties = facts["ties"] + facts["ties_bothbad"]
    share = f"{100 * ties / facts['comparisons']:.1f} %" if facts["comparisons"] else "none"
    degree = facts["graph"]["degree"]
    lines = [
        f"Ties: {share}"
        + (f" ({facts['ties_bothbad']:,.6g} of them both bad)." if facts["ties_bothbad"] else "."),
        (
            f"Most comparisons: {quoted(comparisons.systems[top])} ({total[top]:,.6g}); "
            f"fewest: {quoted(comparisons.systems[least])} ({total[least]:,.6g}). "
            f"Opponents a model: {span(*degree)}."
        ),
        "Connected: comparisons link all models."
        if graph.connected
        else f"Not connected: {len(graph.components)} groups of models never met.",
    ]
    rows = [
        (system, *(f"{x:,.6g}" for x in (total[i], wins[i], losses[i], tied[i])))
        for i, system in enumerate(comparisons.systems[:most])
    ]
    header = ("model", "comparisons", "wins", "losses", "ties")
    return framed(
        (comparisons_line(comparisons)[1:-1], *lines),
        table(first_of(most, len(comparisons.systems)), header, rows),
        [*graph.caveats(), f"Source: {comparisons.source}."],
        summary="What to know before ranking them",
    )
