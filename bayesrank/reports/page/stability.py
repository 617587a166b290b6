"""A stability study as one self-contained page."""

from dataclasses import replace
from typing import TYPE_CHECKING

from bayesrank.data._html import plural
from bayesrank.reports import _stability_words as words
from bayesrank.reports import stability as text
from bayesrank.reports.page import _words
from bayesrank.reports.page._names import short_names
from bayesrank.reports.page._stability_figures import (
    agreement_figure,
    curves_figure,
    scatter_figure,
)
from bayesrank.reports.page._study import sheet_twin, study_page

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["stability_page"]

_FIGURE_NAME = 40
# More rows make a page slow to read; the formats for machines hold all.
_MOST_ROWS, _MOST_MODELS = 60, 200


def stability_page(study: "xr.Dataset", *, title: str | None = None) -> str:
    """Return a stability study as one HTML file that needs nothing else.

    The page opens with the answer, then draws both agreements of each method, one against the
    other, and convergence over budgets; tables hold methods, winners, consensus, pairs by gap,
    pools and models. It holds no script and fetches nothing.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.
    title : str, optional
        Title of the page; by default the number of methods and models.

    Returns
    -------
    str
        The page. The same results always give the same characters.

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.reports import stability_page
    >>> from bayesrank.studies import stability
    >>> data = simulate_responses(systems=4, questions=20, trials=8, random_seed=1)
    >>> stability_page(stability(data, methods=["mean", "borda"], random_seed=1))[:15]
    '<!doctype html>'
    """
    found = words.classes(study)[:_MOST_ROWS]
    labels = short_names([one.label for one in found], width=_FIGURE_NAME)
    # A row that cannot rank these subsamples has nothing to draw.
    drawn = [k for k, one in enumerate(found) if study["tau_gold"][one.row, 0].notnull()]
    figures = [
        agreement_figure(study, [found[k] for k in drawn], [labels[k] for k in drawn])
        if drawn
        else None,
        scatter_figure(study, found, labels),
        curves_figure(study, found, labels),
    ]
    methods, equal = text.classes_sheet(study), words.equal_in_words(study)
    methods = replace(methods, footer=[line for line in methods.footer if line not in equal])
    sheets = [
        ("Methods", methods, 0),
        ("Best methods", text.winners_sheet(study), 0),
        ("Consensus of methods", text.consensus_sheet(study), 0),
        ("Pairs of models", text.gaps_sheet(study, most=_MOST_ROWS), 0),
    ]
    if "pool" in study.sizes:
        sheets.append(("Pools of models", text.pools_sheet(study, most=_MOST_ROWS), 0))
    sheets.append(("Models", text.models_sheet(study, most=_MOST_MODELS), 1))
    tables = [sheet_twin(sheet, caption=name, heading=h) for name, sheet, h in sheets]
    # The answer opens the page; the table does not repeat it.
    tables[0] = ("Methods with the fewest trials", *tables[0][1:])
    n, attrs = study["trials"].to_numpy(), study.attrs
    return study_page(
        title=title
        if title is not None
        else f"Stability of {plural(study.sizes['rule'], 'method')} on "
        f"{plural(study.sizes['system'], 'model')}",
        answer=words.answer(study),
        summary=[
            ("Data", _words.file_name(str(attrs["source"]))),
            ("Reference", str(attrs["reference"])),
            ("Trials a cell", ", ".join(map(str, n)) if len(n) <= 8 else f"{n[0]} to {n[-1]}"),
            ("Subsamples", words.how(study)),
        ],
        figures=[figure for figure in figures if figure is not None],
        tables=tables,
        statement=[*equal, *words.refusals(study), *words.footer(study)[:-1]],
    )
