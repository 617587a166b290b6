"""A ranking as a sheet of text: the columns of the leaderboard, with the digits they deserve."""

from typing import TYPE_CHECKING

from bayesrank.reports._cells import aligned, joined
from bayesrank.reports._sheet import Column, Sheet

if TYPE_CHECKING:
    from bayesrank.ranking import Ranking

__all__ = ["ranking_sheet"]

# Letters of overlapping groups can run long where hundreds of models lie close together.
_WIDEST_GROUP = 16
_SCORE_HEADERS = {"median": "median", "quantile": "{quantile:g} quantile"}


def ranking_sheet(ranking: "Ranking") -> Sheet:
    """Return what every text format shows of a ranking.

    Parameters
    ----------
    ranking : Ranking
        The ranking.

    Returns
    -------
    Sheet
        The answer in one sentence, one row a model in the order of the ranking, and what has to
        be known to read it.
    """
    cells = ranking.table_text()
    attrs = ranking.dataset.attrs
    interval = f"{100 * attrs['ci_prob']:g}% {str(attrs['ci_kind']).upper()}"
    score = _SCORE_HEADERS.get(attrs["by"], "score").format(quantile=attrs.get("quantile"))
    columns = [
        Column("rank", aligned(cells["rank"])),
        Column("model", list(cells["model"]), numeric=False, name=True),
        Column(score, list(cells["score"])),
        Column(interval, joined(cells["score_low"], cells["score_high"])),
        Column("ranks", joined(cells["rank_low"], cells["rank_high"])),
        *_expected_rank(ranking),
        Column("P(best)", list(cells["p_best"])),
        Column(f"P(top {attrs['top_k']})", list(cells["p_top_k"])),
        Column("group", list(cells["group"]), numeric=False, most=_WIDEST_GROUP),
    ]
    return Sheet(lead=(ranking.answer(),), columns=columns, footer=ranking.footer())


def _expected_rank(ranking: "Ranking") -> list[Column]:
    """Return the expected rank where the table is sorted by it."""
    if ranking.dataset.attrs["by"] != "expected_rank":
        return []
    data = ranking.dataset
    expected = dict(zip(ranking.systems, data["rank_mean"].values, strict=True))
    names = ranking.table()["model"]
    return [Column("expected rank", [f"{expected[name]:.2f}" for name in names])]
