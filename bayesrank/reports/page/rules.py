"""Ranking rules side by side as one self-contained page."""

from typing import TYPE_CHECKING

from bayesrank.data._html import plural
from bayesrank.reports import _rule_words as words
from bayesrank.reports import rules as text
from bayesrank.reports.page import _words
from bayesrank.reports.page._document import render
from bayesrank.reports.page._names import short_names
from bayesrank.reports.page._rule_figures import agreement_figure, orders_figure, ranks_figure
from bayesrank.reports.page._study import sheet_twin
from bayesrank.reports.rules_json import best_models, contested_among

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["rules_page"]

_FIGURE_NAME = 40
_LONG_ANSWER = 150
# More rules make a page slow to read and to load; the formats for machines hold all.
_MOST_RULES, _MOST_MODELS = 80, 200


def rules_page(comparison: "xr.Dataset", *, title: str | None = None) -> str:
    """Return many rules side by side as one HTML file that needs nothing else.

    The page opens with the answer, then draws the ranks by each rule, how far it agrees with the
    reference, and how far the orders agree with one another; then come the models, the contested
    pairs, and which rules are equal by algebra. It holds no script and fetches nothing.

    Parameters
    ----------
    comparison : xarray.Dataset
        From `bayesrank.studies.compare_rules`.
    title : str, optional
        Title of the page; by default the number of rules and models.

    Returns
    -------
    str
        The page. The same results always give the same characters.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import rules_page
    >>> from bayesrank.studies import compare_rules
    >>> data = bayesrank.Responses.from_counts([[9, 9, 0], [5, 5, 10]], 10)
    >>> rules_page(compare_rules(data, rules=["mean"], draws=40, random_seed=1))[:15]
    '<!doctype html>'
    """
    contested = contested_among(comparison)
    found = comparison.isel(system=best_models(comparison), rule=slice(_MOST_RULES))
    labels = short_names([str(name) for name in found["rule"].to_numpy()], width=_FIGURE_NAME)
    models = short_names([str(name) for name in found["system"].to_numpy()], width=_FIGURE_NAME)
    answer, *more = words.answer(comparison, contested)
    figures = [ranks_figure(found, labels, models), agreement_figure(found, labels)]
    if (orders := orders_figure(found)) is not None:
        figures.append(orders)
    sheet = text.models_sheet(found, most=_MOST_MODELS)
    tables = [sheet_twin(sheet, caption="Ranks of the models", heading=1)]
    if not contested.empty:
        sheet = text.contested_sheet(found, contested)
        tables.append(sheet_twin(sheet, caption="Pairs that rules order oppositely"))
    return render(
        "rules.html.jinja",
        styles=["page.css", "robustness.css", "questions.css"],
        scripts=[],
        title=f"{plural(comparison.sizes['rule'], 'rule')} on {plural(len(models), 'model')}"
        if title is None
        else title,
        answer=answer,
        answer_kind="long" if len(answer) > _LONG_ANSWER else "short",
        more=more,
        summary=[
            ("Data", _words.file_name(str(found.attrs["source"]))),
            ("Reference", str(found.attrs["reference"])),
            ("Population", _words.population(str(found.attrs["population"]))),
            ("Draws", f"{found.attrs['draws']:,}, the same for all rules"),
        ],
        figures=figures,
        orders=words.orders_in_words(comparison),
        tables=tables,
        statement=[*words.without_intervals(comparison), *words.footer(comparison)[:-1]],
    )
