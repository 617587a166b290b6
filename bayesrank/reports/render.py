"""`render`: a ranking as text in any format."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from bayesrank._validate import validate_choice, validate_count
from bayesrank.reports.board import ranking_sheet
from bayesrank.reports.board_json import ranking_rows, ranking_to_dict
from bayesrank.reports.csv_text import rows_to_csv
from bayesrank.reports.json_text import to_json_text
from bayesrank.reports.latex import sheet_to_latex
from bayesrank.reports.markdown import sheet_to_markdown
from bayesrank.reports.terminal import sheet_to_terminal

if TYPE_CHECKING:
    from bayesrank.ranking import Ranking

__all__ = ["FORMATS", "Format", "render"]

type Format = Literal["table", "json", "csv", "md", "latex"]
FORMATS: tuple[Format, ...] = ("table", "json", "csv", "md", "latex")


def render(ranking: "Ranking", *, format: Format = "table", width: int = 100) -> str:  # noqa: A002
    r"""Return a ranking as text.

    Every format says what the uncertainty is about (the population), the prior, the kind and
    probability of the intervals, what was missing, and whether the posterior passed its checks.

    Parameters
    ----------
    ranking : Ranking
        From `bayesrank.rank`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        - "table": plain text for a terminal or a log. Long names are shortened to fit.
        - "json": unrounded numbers, names exactly as they came; see `ranking_to_dict`.
        - "csv": unrounded numbers; the facts stand in columns of their own, the same in each row.
          No cell is a formula: text that starts like one has an apostrophe in front.
        - "md": a GitHub-flavoured Markdown table.
        - "latex": a ``table`` environment that needs ``\usepackage{booktabs}``.
    width : int, default 100
        Characters a line of "table" has room for.

    Returns
    -------
    str
        Text, the last line ended. No control character but line feeds; in all formats but JSON
        invisible characters of names are spelled out.

    Raises
    ------
    ArgumentError
        For an unknown format or a width below 1.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.Responses.from_counts([[9, 8], [2, 1]], 9, systems=["a", "b"])
    >>> posterior = bayesrank.sample(bayesrank.models.bayes_at_n(responses), random_seed=1)
    >>> text = bayesrank.reports.render(bayesrank.rank(posterior), format="md")
    >>> print(text.splitlines()[2])
    | rank | model | score | 95% ETI | ranks | P(best) | P(top 3) | group |
    """
    writers: dict[Format, Callable[[], str]] = {
        "table": lambda: sheet_to_terminal(
            ranking_sheet(ranking), width=validate_count(width, name="width")
        ),
        "json": lambda: to_json_text(ranking_to_dict(ranking)),
        "csv": lambda: _csv(ranking),
        "md": lambda: sheet_to_markdown(ranking_sheet(ranking)),
        "latex": lambda: sheet_to_latex(ranking_sheet(ranking)),
    }
    validate_choice(format, FORMATS, name="format")
    return writers[format]()


def _csv(ranking: "Ranking") -> str:
    """Return the rows with the facts of the ranking repeated in each, so that no row loses them."""
    attrs, record = ranking.dataset.attrs, ranking.record
    facts: dict[str, Any] = {
        "sorted_by": attrs["by"],
        "quantile": attrs.get("quantile"),
        "ci_prob": attrs["ci_prob"],
        "ci_kind": attrs["ci_kind"],
        "top_k": attrs["top_k"],
        "population": record.population,
        "model_family": record.model,
        "prior": record.prior,
        "method": record.method,
        "missing": record.observations.get("missing"),
        "diagnostics": record.verdict,
    }
    rows = [row | facts for row in ranking_rows(ranking)]
    return rows_to_csv(list(rows[0]), rows)
