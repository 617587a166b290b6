"""What follows: who is first and how surely, among how many, and what it must not serve."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayesrank._record import NOT_STATED
from bayesrank.data._html import plural
from bayesrank.ranking._words import best_cells, sorted_by
from bayesrank.reports.page import _words
from bayesrank.reports.page._figures import FIGURE_MODELS, Figure, Twin
from bayesrank.reports.page._heatmaps import ahead_figure
from bayesrank.reports.page._intervals import rank_interval_figure, span
from bayesrank.reports.page._view import _texts
from bayesrank.reports.posterior._context import Context
from bayesrank.reports.posterior._parts import Finding, ReportSection

_MOST_NAMED, _MOST_ROWS = 8, 200


def verdict_in_words(context: Context) -> str:
    """Return the decision in a sentence or two; "not enough data" is one."""
    dataset, names = context.best_first, context.names
    if len(names) == 1:
        return f"Only one model was ranked, {names[0]}: there is nothing to decide."
    p_best = dataset["p_best"].to_numpy()
    leader = int(np.argmax(p_best))
    cell = best_cells(dataset)[leader].replace("<", "below ").replace(">", "above ")
    if p_best[leader] >= context.ci_prob:
        return f"{names[leader]} is the best of {len(names)} models, with probability {cell}."
    group = maybe_first(context)
    shown = ", ".join(names[i] for i in group[:_MOST_NAMED])
    more = f" and {len(group) - _MOST_NAMED} more" if len(group) > _MOST_NAMED else ""
    return (
        f"Not enough data to name a best model: {names[leader]} comes first with probability "
        f"{cell}, below {context.ci_prob:g}. The best is, with probability {context.ci_prob:g} or "
        f"more, one of {len(group)}: {shown}{more}."
    )


def maybe_first(context: Context) -> list[int]:
    """Return the fewest models whose probabilities of being best reach `ci_prob` together."""
    p_best = context.best_first["p_best"].to_numpy()
    order = np.argsort(-p_best, kind="stable")
    needed = int(np.searchsorted(np.cumsum(p_best[order]), context.ci_prob - 1e-12)) + 1
    return [int(i) for i in order[: min(needed, len(order))]]


def decision(context: Context) -> Finding:
    """Return the decision, the table of the ranking, and its figures."""
    ranking = context.ranking
    cells = ranking.table_text()
    data = context.best_first
    rows = [
        (
            *(r["rank"], name, r["score"], f"{r['score_low']} to {r['score_high']}"),
            span(r["rank_low"], r["rank_high"]),
            *(r["p_best"], r["p_top_k"], r["group"]),
        )
        for name, r in zip(context.names, cells.to_dict("records"), strict=True)
    ]
    header = (
        *("Rank", "Model", "Score", f"{context.level} interval", "Rank interval"),
        *("P(best)", f"P(top {data.attrs['top_k']})", "Group"),
    )
    total = len(rows)
    table = Twin(
        f"The ranking{'' if total <= _MOST_ROWS else f', the first {_MOST_ROWS} of {total}'}",
        header,
        rows[:_MOST_ROWS],
        heading=1,
        words=(1, 7),
    )
    group = [context.names[i] for i in maybe_first(context)]
    return Finding(
        ReportSection(
            "decision",
            "Decision",
            sentences=(
                verdict_in_words(context),
                (
                    "Models that share a group letter are not told apart: neither is ahead of the "
                    f"other with probability {context.level}."
                ),
            ),
            tables=(table,),
            figures=tuple(_figures(context)) if total > 1 else (),
            values={"may_be_first": group, "enough_data": len(group) == 1},
        )
    )


def _figures(context: Context) -> list[Figure]:
    data, attrs = context.best_first, context.best_first.attrs
    shown = min(len(context.names), FIGURE_MODELS)
    best = data.isel(system=slice(shown), system_bis=slice(shown))
    labels = [f"{r} {n}" for r, n in zip(best["rank"].to_numpy(), context.names, strict=False)]
    ahead = best["superiority"].to_numpy()
    close = np.maximum(ahead, ahead.T) < attrs["ci_prob"]
    np.fill_diagonal(close, val=False)
    return [
        rank_interval_figure(
            best, labels, total=len(context.names), ranked_by=sorted_by(data), level=context.level
        ),
        ahead_figure(
            ahead,
            labels,
            total=len(context.names),
            close=close,
            level=context.level,
            texts=_texts(best, "superiority"),
        ),
    ]


def multiplicity(context: Context) -> Finding:
    """Return how many comparisons the report makes, and what that does to its statements."""
    data = context.best_first
    n = data.sizes["system"]
    pairs = n * (n - 1) // 2
    above = data["superiority"].to_numpy()
    upper = np.triu_indices(n, 1)
    surest = np.maximum(above, above.T)[upper]
    called = surest >= context.ci_prob
    wrong = float((1 - surest[called]).sum())
    own = float((data["rank_high"] - data["rank_low"]).mean()) + 1
    joint = float((data["rank_high_joint"] - data["rank_low_joint"]).mean()) + 1
    sentences = [
        (
            f"All statements come from one joint posterior of {plural(n, 'model')}, and the "
            f"probabilities of being best add up to 1 over all of them: looking at many models "
            f"needs no further correction of these."
        ),
        (
            f"A rank interval holds for one model at a time, so that of {n:,} intervals about "
            f"{n * (1 - context.ci_prob):.1f} may miss. Those that hold for all models at once, "
            f"also drawn, are {joint:.1f} ranks wide on average instead of {own:.1f}."
        ),
        (
            f"Of {plural(pairs, 'pair')}, {int(called.sum()):,} are told apart, each with "
            f"probability {context.level} or more; by the posterior itself, {wrong:.2g} of these "
            f"orders are expected to be wrong."
        ),
        (
            "This holds if the prior and the model do. The same data ranked again and again, under "
            "one model or population after the other, until somebody wins, is corrected by nothing "
            "here."
        ),
    ]
    return Finding(
        ReportSection(
            "multiplicity",
            "Many comparisons at once",
            sentences=tuple(sentences) if n > 1 else ("One model: there is no comparison.",),
            values={
                "pairs": pairs,
                "told_apart": int(called.sum()),
                "expected_wrong": wrong,
                "mean_width": own,
                "mean_width_joint": joint,
            },
        )
    )


def limits(context: Context) -> Finding:
    """Return what the ranking must not be used for."""
    record, family = context.record, context.family
    found = []
    if record.population == NOT_STATED:
        found.append("The population is not stated: nobody can say what the intervals are about.")
    else:
        found.append(
            f"Its uncertainty is about {record.population}"
            f"{_meaning(record.population)}. It says nothing of other populations, of other "
            f"prompts, harnesses or versions of the models."
        )
    found += family.limits if family is not None else ()
    found.append(
        "A score is a summary: that one model is surely ahead does not say by how much it matters."
    )
    return Finding(
        ReportSection(
            "limits",
            "Limits: what it must not be used for",
            sentences=tuple(found),
            facts=tuple((f"Note {k}", note) for k, note in enumerate(record.notes, start=1)),
        )
    )


def _meaning(population: str) -> str:
    meaning = _words.population(population).partition(": ")[2]
    return f" ({meaning})" if meaning else ""


def reproduction(context: Context, *, command: str | None, code: Sequence[str]) -> Finding:
    """Return what it takes to make the posterior again."""
    record = context.record
    provenance: dict[str, Any] = {**record.provenance}
    data: Any = provenance.get("data", {})
    facts = [("Command", command)] if command else []
    hash_of = data.get("hash") if isinstance(data, Mapping) else None
    if hash_of:
        facts.append(("Hash of the data", str(hash_of)))
    facts += [
        (term, text)
        for term, text in _words.provenance(record)
        if term not in ("Data", "Scheme") and not (term == "Model" and context.family is not None)
    ]
    sentences = () if facts else ("The posterior does not state where it came from.",)
    return Finding(
        ReportSection(
            "reproduction",
            "Making it again",
            sentences=sentences,
            facts=tuple(facts),
            values={"command": command, "code": list(code), "provenance": provenance},
        )
    )
