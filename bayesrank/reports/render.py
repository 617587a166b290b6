"""`render`: a ranking as text in any format."""

from typing import TYPE_CHECKING, Any

from bayesrank.reports._formats import FORMATS, Format, in_format
from bayesrank.reports.beside import comparison_rows, comparison_sheet, comparison_to_dict
from bayesrank.reports.board import ranking_sheet
from bayesrank.reports.board_json import ranking_rows, ranking_to_dict

if TYPE_CHECKING:
    import xarray as xr

    from bayesrank.ranking import Ranking

__all__ = ["FORMATS", "Format", "render"]


def render(
    ranking: "Ranking",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
    compared: "xr.Dataset | None" = None,
) -> str:
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
    compared : xarray.Dataset, optional
        From `bayesrank.frequentist.compare_with_ranking`: confidence intervals to show beside the
        credible ones, in a second table; in CSV in columns of their own, in JSON under "compared".

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
    return in_format(
        format,
        width=width,
        sheets=lambda: [
            ranking_sheet(ranking),
            *([] if compared is None else [comparison_sheet(compared)]),
        ],
        plain=lambda: (
            ranking_to_dict(ranking)
            | ({} if compared is None else {"compared": comparison_to_dict(compared)})
        ),
        rows=lambda: _rows(ranking, compared),
    )


def _rows(ranking: "Ranking", compared: "xr.Dataset | None") -> list[dict[str, Any]]:
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
    more = {} if compared is None else comparison_rows(compared)
    return [row | facts | more.get(row["model"], {}) for row in ranking_rows(ranking)]
