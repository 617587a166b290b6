"""A ranking as a sheet of text: the columns of the leaderboard, with the digits they deserve."""

from typing import TYPE_CHECKING

from bayesrank.reports._sheet import Column, Sheet

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        Column("rank", _aligned(cells["rank"])),
        Column("model", list(cells["model"]), numeric=False, name=True),
        Column(score, list(cells["score"])),
        Column(interval, _joined(cells["score_low"], cells["score_high"])),
        Column("ranks", _joined(cells["rank_low"], cells["rank_high"])),
        *_expected_rank(ranking),
        Column("P(best)", list(cells["p_best"])),
        Column(f"P(top {attrs['top_k']})", list(cells["p_top_k"])),
        Column("group", list(cells["group"]), numeric=False, most=_WIDEST_GROUP),
    ]
    return Sheet(lead=(ranking.answer(),), columns=columns, footer=ranking.footer())


def _aligned(ranks: "Iterable[str]") -> list[str]:
    """Return ranks so that the sign of a shared one does not push its digits out of line."""
    texts = list(ranks)
    tied = any(text.endswith("=") for text in texts)
    return [f"{text} " if tied and not text.endswith("=") else text for text in texts]


def _joined(low: "Iterable[str]", high: "Iterable[str]") -> list[str]:
    """Return both ends of an interval in one cell, or the one number that both are."""
    pairs = list(zip(low, high, strict=True))
    # A dash beside a minus sign would be misread.
    dash = " to " if any(text.startswith("-") for pair in pairs for text in pair) else "–"
    return [a if a == b else f"{a}{dash}{b}" for a, b in pairs]


def _expected_rank(ranking: "Ranking") -> list[Column]:
    """Return the expected rank where the table is sorted by it."""
    if ranking.dataset.attrs["by"] != "expected_rank":
        return []
    data = ranking.dataset
    expected = dict(zip(ranking.systems, data["rank_mean"].values, strict=True))
    names = ranking.table()["model"]
    return [Column("expected rank", [f"{expected[name]:.2f}" for name in names])]
