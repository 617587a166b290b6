"""What a log holds, as text and as JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from bayesrank._text import listed, shortened
from bayesrank._validate import validate_choice, validate_count
from bayesrank.data import Comparisons
from bayesrank.reports._battle_inspection import battles_sheet, battles_to_dict
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import plain, to_json_text
from bayesrank.reports.terminal import sheet_to_terminal

if TYPE_CHECKING:
    from bayesrank.data import Responses

__all__ = ["inspection_to_dict", "render_inspection"]

_SCHEMA_VERSION = 1
_MOST_NAMED = 20


def render_inspection(
    data: "Responses | Comparisons",
    *,
    format: Literal["table", "json"] = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return what a log holds: sizes, gaps, links, and what tells nothing.

    Parameters
    ----------
    data : Responses or Comparisons
        Trials on questions, with models and questions that tell nothing; or battles, with what
        links the models, who judged, and what goes in circles.
    format : {"table", "json"}, default "table"
        Text for a terminal, or JSON; see `inspection_to_dict`.
    width : int, default 100
        Characters a line of text has room for.

    Returns
    -------
    str
        Text, the last line ended. In JSON names are exactly as they came; in text they are
        shortened, and invisible characters are spelled out.

    Raises
    ------
    ArgumentError
        For an unknown format or a width below 1.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.reports import render_inspection
    >>> text = render_inspection(Responses.from_counts([[3, 0], [7, 0]], 10, source="log.csv"))
    >>> print(text.splitlines()[0])
    log.csv: 2 models, 2 questions, 40 trials, none missing.
    """
    validate_choice(format, ("table", "json"), name="format")
    if format == "json":
        return to_json_text(inspection_to_dict(data))
    sheet = battles_sheet(data) if isinstance(data, Comparisons) else _sheet(data)
    return sheet_to_terminal(sheet, width=validate_count(width, name="width"))


def inspection_to_dict(data: "Responses | Comparisons") -> dict[str, Any]:
    """Return what a log holds as plain values, ready for JSON.

    Parameters
    ----------
    data : Responses or Comparisons
        Trials on questions, or battles.

    Returns
    -------
    dict
        ``schema_version`` (1). Of responses, the fields of `bayesrank.data.inspection.Inspection`,
        and ``models_table``: ``model, trials, missing, questions_without_trials, mean`` a row. Of
        comparisons, ``kind`` ("battles"), the facts of `Comparisons.describe`; ``graph``, those of
        `ComparisonGraph.describe`, and ``caveats``; ``first_share`` of decisive comparisons won by
        the model shown first; ``comparisons_by_judge``; ``cycles``, from `hodge_decomposition`; and
        ``models_table``: ``model, comparisons, opponents, wins, losses, ties, win_rate`` a row.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.reports import inspection_to_dict
    >>> inspection_to_dict(Responses.from_counts([[3, 0], [7, 0]], 10))["constant_questions"]
    {'question 2': 0}
    """
    if isinstance(data, Comparisons):
        found = {"kind": "battles", **battles_to_dict(data)}
        return plain({"schema_version": _SCHEMA_VERSION, **found})
    from bayesrank.data.inspection import inspect

    found = asdict(inspect(data))
    return {"schema_version": _SCHEMA_VERSION, **found, "models_table": _models(data)}


def _models(responses: "Responses") -> list[dict[str, Any]]:
    trials = responses.n_trials.sum(axis=1)
    missing = responses.missing.sum(axis=1)
    observed = responses.observed
    scores = responses.question_scores()
    return [
        {
            "model": system,
            "trials": int(trials[i]),
            "missing": int(missing[i]),
            "questions_without_trials": int((~observed[i]).sum()),
            "mean": float(scores[i][observed[i]].mean()),
        }
        for i, system in enumerate(responses.systems)
    ]


def _sheet(responses: "Responses") -> Sheet:
    from bayesrank.data.inspection import inspect

    found = inspect(responses)
    rows = sorted(_models(responses), key=lambda row: -row["mean"])
    sizes = [_counted(found.models, "model"), _counted(found.questions, "question")]
    if found.tasks is not None:
        sizes.append(_counted(found.tasks, "task"))
    if found.prompts is not None:
        sizes.append(_counted(found.prompts, "prompt"))
    if found.categories > 2:
        sizes.append(f"{found.categories} categories")
    sizes.append(_counted(found.trials, "trial"))
    missing = f"{found.missing:,} missing" if found.missing else "none missing"
    as_failures = " (counted as failures)" if responses.missing_as == "failure" else ""
    columns = [
        Column("model", [row["model"] for row in rows], numeric=False, name=True),
        Column("trials", [f"{row['trials']:,}" for row in rows]),
        Column("missing", [f"{row['missing']:,}" for row in rows]),
        Column("without a trial", [f"{row['questions_without_trials']:,}" for row in rows]),
        Column("observed mean", [f"{row['mean']:.3f}" for row in rows]),
    ]
    low, middle, high = found.trials_per_cell
    duplicates = f"{found.duplicates:,} dropped" if found.duplicates else "none"
    footer = [
        f"Trials per cell (model and question): {low:,} to {high:,}, median {middle:,g}.",
        f"Rows read: {found.rows:,}. Duplicates: {duplicates}.",
        _constant("models", found.constant_models),
        _constant("questions", found.constant_questions),
        _without_trials(found.cells_without_trials),
    ]
    source = shortened(found.source, 200)
    lead = f"{source}: {', '.join(sizes)}, {missing}{as_failures}."
    return Sheet(lead=(lead,), columns=columns, footer=footer)


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _constant(kind: str, constant: dict[str, int]) -> str:
    """Say which models or questions had one outcome only, by outcome."""
    if not constant:
        return f"Constant {kind}, one outcome in all trials: none."
    parts = [
        f"{len(names):,} always {category} ({listed(names, most=_MOST_NAMED)})"
        for category in sorted(set(constant.values()))
        for names in [[name for name, c in constant.items() if c == category]]
    ]
    return f"Constant {kind}, one outcome in all trials: {'; '.join(parts)}."


def _without_trials(cells: tuple[tuple[str, str], ...]) -> str:
    """Name the cells in which nothing was observed, model by model."""
    if not cells:
        return "Cells without a trial: none."
    by_model: dict[str, list[str]] = {}
    for model, question in cells:
        by_model.setdefault(model, []).append(question)
    shown = [
        f"{shortened(model)} on {listed(questions, most=_MOST_NAMED)}"
        for model, questions in list(by_model.items())[:_MOST_NAMED]
    ]
    more = len(by_model) - len(shown)
    rest = f"; and {_counted(more, 'more model')}" if more > 0 else ""
    return f"Cells without a trial: {len(cells):,}. {'; '.join(shown)}{rest}."
