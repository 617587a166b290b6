"""The leaderboard as one self-contained page: the answer, the table, the figures."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bayesrank.reports.page._document import json_block, render
from bayesrank.reports.page._view import leaderboard_view

if TYPE_CHECKING:
    from bayesrank.ranking import Ranking

__all__ = ["leaderboard_page"]


def leaderboard_page(
    ranking: "Ranking",
    *,
    title: str | None = None,
    parts: "Mapping[str, Ranking] | None" = None,
) -> str:
    """Return a ranking as one HTML file that needs nothing else.

    The page opens with the answer in one sentence, then shows the table, who is not shown to
    differ from whom, and figures, each with the same content as a table. Of battles it also says
    how likely each model wins one, and how they link the models. It works without JavaScript;
    with it, the table can be sorted and filtered, and a selection of models can be ranked among
    themselves, exactly, from up to 1,000 draws that the page holds. It fetches nothing, and its
    content security policy lets no script run but its own.

    Parameters
    ----------
    ranking : Ranking
        What `bayesrank.rank` returned.
    title : str, optional
        Title of the page; by default the number of models and the source of the data.
    parts : mapping of str to Ranking, optional
        Rankings of parts (categories, languages, periods) by name, of the same models, such as
        ``bayesrank.rank(posterior, part=...)`` gives: a table of their ranks in each.

    Returns
    -------
    str
        The page. The same ranking always gives the same characters.

    Raises
    ------
    ArgumentError
        For a part that ranks other models.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports.page import leaderboard_page
    >>> responses = bayesrank.Responses.from_counts([[3, 7], [5, 9]], 10, systems=["a", "b"])
    >>> posterior = bayesrank.sample(bayesrank.models.bayes_at_n(responses), random_seed=1)
    >>> leaderboard_page(bayesrank.rank(posterior))[:15]
    '<!doctype html>'
    """
    view = leaderboard_view(ranking, title=title, parts=parts or {})
    return render(
        "leaderboard.html.jinja",
        styles=["page.css", "leaderboard.css"],
        scripts=["ranks.js", "leaderboard.js"],
        data=json_block(view.data),
        **view.context,
    )
