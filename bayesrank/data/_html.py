"""How responses and comparisons show themselves: one line, and a table in notebooks."""

from typing import TYPE_CHECKING

from bayesrank._html import table

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


def responses_html(responses: "Responses", most: int = 20) -> str:
    """Return a table with one row a model for notebooks."""
    trials = responses.n_trials.sum(axis=1)
    missing = responses.missing.sum(axis=1)
    without = (~responses.observed).sum(axis=1)
    mean = responses.question_scores()
    rows = [
        (
            system,
            f"{trials[i]:,}",
            f"{missing[i]:,}",
            int(without[i]),
            f"{mean[i][responses.observed[i]].mean():.3f}",
        )
        for i, system in enumerate(responses.systems[:most])
    ]
    more = len(responses.systems) - most
    caption = responses_line(responses)[1:-1] + (f"; first {most} models shown" if more > 0 else "")
    header = ("model", "trials", "missing", "questions without a trial", "observed mean")
    return table(caption, header, rows)


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


def comparisons_html(comparisons: "Comparisons", most: int = 20) -> str:
    """Return a table with one row a model for notebooks."""
    won = comparisons.win_matrix()
    tied = comparisons.tie_matrix().sum(axis=1)
    wins, losses = won.sum(axis=1), won.sum(axis=0)
    total = wins + losses + tied
    rows = [
        (system, *(f"{x:,.6g}" for x in (total[i], wins[i], losses[i], tied[i])))
        for i, system in enumerate(comparisons.systems[:most])
    ]
    more = len(comparisons.systems) - most
    caption = comparisons_line(comparisons)[1:-1]
    caption += f"; first {most} models shown" if more > 0 else ""
    return table(caption, ("model", "comparisons", "wins", "losses", "ties"), rows)
