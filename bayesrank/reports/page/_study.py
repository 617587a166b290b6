"""What pages of studies share: the answer, facts, figures, the same tables as in text, notes."""

from collections.abc import Sequence

from bayesrank._text import shortened
from bayesrank.reports._sheet import Sheet
from bayesrank.reports.page._document import render
from bayesrank.reports.page._figures import Figure, Twin

__all__ = ["sheet_twin", "study_page"]

_NAME = 120
_LONG_ANSWER = 150


def study_page(
    *,
    title: str,
    answer: Sequence[str],
    summary: Sequence[tuple[str, str]],
    figures: Sequence[Figure],
    tables: Sequence[tuple[str, Twin, str]],
    statement: Sequence[str],
) -> str:
    """Return a page that opens with the first line of the answer; no script, nothing fetched."""
    first, *more = answer
    return render(
        "study.html.jinja",
        styles=["page.css", "robustness.css", "questions.css", "studies.css", "sensitivity.css"],
        scripts=[],
        title=title,
        answer=first,
        answer_kind="long" if len(first) > _LONG_ANSWER else "short",
        more=more,
        summary=summary,
        figures=figures,
        tables=tables,
        statement=statement,
    )


def sheet_twin(sheet: Sheet, *, caption: str, heading: int = 0) -> tuple[str, Twin, str]:
    """Return a sheet's title, its table, and how to read it."""
    columns = list(zip(*sheet.rows, strict=True))
    for k, column in enumerate(sheet.columns):
        if column.name:
            columns[k] = tuple(shortened(name, _NAME) for name in column.cells)
    rows = list(zip(*columns, strict=True))
    table = Twin(caption, sheet.header, rows, heading, sheet.in_words)
    return " ".join(sheet.lead).rstrip("."), table, " ".join(sheet.footer)
