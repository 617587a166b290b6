"""The question that a report answers, and the data it answers it from."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayesrank._record import NOT_STATED, Record
from bayesrank.data._html import plural
from bayesrank.ranking._words import sorted_by
from bayesrank.reports.page import _words
from bayesrank.reports.page._battles import connectivity, counted_as
from bayesrank.reports.page._figures import Twin
from bayesrank.reports.posterior._context import Context
from bayesrank.reports.posterior._parts import Finding, ReportCheck, ReportSection, Word

_MISSING, _UNEVEN = 0.05, 2.0
_MOST_ROWS = 200


def question(context: Context) -> Finding:
    """Return what is asked, of which population, and how it is answered."""
    record, dataset = context.record, context.ranking.dataset
    n = dataset.sizes["system"]
    about = _words.population(record.population)
    meaning = about.partition(": ")[2] or (
        "a population that the posterior does not state"
        if record.population == NOT_STATED
        else about
    )
    models = "Is the one model" if n == 1 else f"Which of {n:,} models is"
    asked = (
        f"{models} best by {record.estimand.rstrip('.')}, for {meaning}, and how surely is the "
        f"order of all of them known?"
    )
    return Finding(
        ReportSection(
            "question",
            "Question and estimand",
            sentences=(asked,),
            facts=(
                ("Estimand", record.estimand),
                ("Population", about),
                ("Sorted by", f"{sorted_by(dataset)}; rank 1 is best"),
                (
                    "Named the best",
                    f"only a model whose probability of being best is {context.level} or more",
                ),
            ),
        )
    )


def observations(context: Context) -> Finding:
    """Return what was observed and what is missing, model by model where that is known."""
    record = context.record
    facts = record.observations
    provenance: Any = record.provenance.get("data", {})
    told = [("Observed", _words.observed(facts))]
    if source := facts.get("source"):
        told.insert(0, ("Source", _words.file_name(str(source))))
    if isinstance(provenance, Mapping) and provenance.get("hash"):
        told.append(("Hash of the data", str(provenance["hash"])))
    if per_cell := facts.get("trials_per_cell"):
        low, middle, high = per_cell
        told.append(("Trials of a model on a question", f"{low:g} to {high:g}, median {middle:g}"))
    if facts.get("missing") and facts.get("missing_as"):
        as_what = {"mask": "left out, and nowhere counted", "failure": "counted as failures"}
        told.append(
            ("Missing outcomes are", as_what.get(str(facts["missing_as"]), "treated as stated"))
        )
    told += connectivity(record)
    tables, checks = (), [*_missing(context, facts), *_linked(record)]
    data = context.best_first
    if "trials" in data and "missing" in data:
        heading = counted_as(record)
        n = min(len(context.names), _MOST_ROWS)
        rows = [
            (name, f"{t:,}", *([f"{m:,}"] if heading == "Trials" else []))
            for name, t, m in zip(
                context.names[:n],
                data["trials"].to_numpy().tolist(),
                data["missing"].to_numpy().tolist(),
                strict=False,
            )
        ]
        header = ("Model", heading, *(["Missing"] if heading == "Trials" else []))
        tables = (Twin("Observations of each model, best first", header, rows),)
        checks.append(_even(data["trials"].to_numpy(), heading.lower()))
    return Finding(
        ReportSection(
            "data",
            "Data, and what is missing",
            sentences=() if facts else ("The posterior does not state what was observed.",),
            facts=tuple(told),
            tables=tables,
            values=dict(facts),
        ),
        checks,
    )


def _missing(context: Context, facts: Mapping[str, Any]) -> list[ReportCheck]:
    if facts.get("missing") is None:
        sentence = "Not run: the posterior does not state what is missing."
        return [ReportCheck("data", "missing outcomes", None, _MISSING, "not run", sentence)]
    missing = int(facts["missing"])
    seen = int(facts.get("trials") or facts.get("comparisons") or facts.get("events") or 0)
    share = missing / max(missing + seen, 1)
    worst = ""
    data = context.best_first
    if missing and "missing" in data:
        each = data["missing"].to_numpy()
        worst = f", most of all of {context.names[int(each.argmax())]} ({int(each.max()):,})"
    verdict: Word = "pass" if share <= _MISSING else "warn"
    sentence = (
        f"{missing:,} of {missing + seen:,} outcomes are missing{worst}"
        + ("." if verdict == "pass" else "; if they are missing for a reason, scores are off.")
        if missing
        else "No outcome is missing."
    )
    return [ReportCheck("data", "missing outcomes", share, _MISSING, verdict, sentence)]


def _even(trials: "np.ndarray", noun: str) -> ReportCheck:
    low, high = int(trials.min()), int(trials.max())
    ratio = high / low if low else float("inf")
    verdict: Word = "pass" if ratio <= _UNEVEN else "warn"
    sentence = f"Models have {low:,} to {high:,} {noun}" + (
        "."
        if verdict == "pass"
        else ": those with few are known less well, and drawn to the prior."
    )
    value = ratio if np.isfinite(ratio) else None
    return ReportCheck("data", "even observation", value, _UNEVEN, verdict, sentence)


def _linked(record: Record) -> list[ReportCheck]:
    """Return whether battles link the models, and lead from each to each other one by wins."""
    graph = record.observations.get("graph")
    if not isinstance(graph, Mapping):
        return []
    components = graph["components"]
    n = components if isinstance(components, int) else len(components)
    linked = ReportCheck(
        "data",
        "linked models",
        float(n),
        1.0,
        "pass" if n == 1 else "warn",
        "Battles link all models."
        if n == 1
        else f"Models fall into {plural(n, 'group')} that never met; the prior alone relates them.",
    )
    strong = bool(graph["strongly_connected"])
    bounded = ReportCheck(
        "data",
        "bounded strengths",
        None,
        None,
        "pass" if strong else "warn",
        "Wins lead from every model to every other one, so that the data bound every strength."
        if strong
        else "Wins do not lead from every model to every other one: ties or the prior alone bound "
        "how far some are apart.",
    )
    return [linked, bounded]
