"""Studies of priors and of likelihoods as self-contained pages."""

from typing import TYPE_CHECKING

from bayesrank.data._html import plural
from bayesrank.reports import _sensitivity_cells as shared
from bayesrank.reports import sensitivity_likelihoods as likelihoods
from bayesrank.reports import sensitivity_priors as priors
from bayesrank.reports._sheet import Sheet
from bayesrank.reports.page import _words
from bayesrank.reports.page._bump_figures import bump_figure, tau_figure
from bayesrank.reports.page._figures import Twin
from bayesrank.reports.page._names import short_names
from bayesrank.reports.page._study import sheet_twin, study_page

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["likelihood_sensitivity_page", "prior_sensitivity_page"]

_FIGURE_NAME = 40


def prior_sensitivity_page(study: "xr.Dataset", *, title: str | None = None) -> str:
    """Return a study of priors as one HTML file that needs nothing else.

    The page opens with the answer, then draws the ranks from prior to prior with their intervals;
    tables hold the settings and what power-scaling says. It holds no script and fetches nothing.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.prior_sensitivity`.
    title : str, optional
        Title of the page; by default the number of priors and models.

    Returns
    -------
    str
        The page. The same results always give the same characters.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import prior_sensitivity_page
    >>> from bayesrank.studies import prior_sensitivity
    >>> data = bayesrank.Responses.from_counts([[9, 2], [6, 6]], 10)
    >>> prior_sensitivity_page(prior_sensitivity(data, draws=50, random_seed=1))[:15]
    '<!doctype html>'
    """
    found = shared.base_first(study)
    settings, _, scores, decisions = priors.prior_sheets(study)
    lead, *_ = study["setting"].values
    return study_page(
        title=_title(study, "setting", "prior") if title is None else title,
        answer=priors.prior_answer(study),
        summary=_summary(study, ("Usual prior", str(lead)), ("Model", str(study.attrs["model"]))),
        figures=[
            bump_figure(found, _names(found), dim="setting", one="prior", level=shared.level(study))
        ],
        tables=[
            _titled(settings, "Priors", heading=1),
            sheet_twin(scores, caption="Sensitivity of scores"),
            sheet_twin(_without(decisions, study), caption="Decisions under other powers"),
        ],
        statement=priors.prior_footer(study),
    )


def likelihood_sensitivity_page(study: "xr.Dataset", *, title: str | None = None) -> str:
    """Return a study of likelihoods and rules as one HTML file that needs nothing else.

    The page opens with the answer, then draws the ranks from method to method with their
    intervals, and how far methods agree; tables hold the methods, the contested pairs with what
    turns them, and the leave-one-out comparison. It holds no script and fetches nothing.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.likelihood_sensitivity`.
    title : str, optional
        Title of the page; by default the number of methods and models.

    Returns
    -------
    str
        The page. The same results always give the same characters.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import likelihood_sensitivity_page
    >>> from bayesrank.studies import likelihood_sensitivity
    >>> data = bayesrank.Responses.from_counts([[9, 9, 0], [5, 5, 10]], 10)
    >>> found = likelihood_sensitivity(data, methods=["mean", "borda"], draws=25, random_seed=1)
    >>> likelihood_sensitivity_page(found)[:15]
    '<!doctype html>'
    """
    found = shared.base_first(study)
    methods, _, *rest = likelihoods.likelihood_sheets(study)
    footer = likelihoods.likelihood_footer(study)
    tables = [_titled(methods, "Methods", heading=1)]
    for sheet in rest:
        own = Sheet(
            sheet.lead, sheet.columns, [line for line in sheet.footer if line not in footer]
        )
        tables.append(sheet_twin(own, caption=" ".join(sheet.lead).rstrip(".")))
    return study_page(
        title=_title(study, "analysis", "method") if title is None else title,
        answer=likelihoods.likelihood_answer(study),
        summary=_summary(study, ("Reference", str(study.attrs["reference"]))),
        figures=[
            bump_figure(
                found, _names(found), dim="analysis", one="method", level=shared.level(study)
            ),
            tau_figure(study, level=shared.level(study)),
        ],
        tables=tables,
        statement=footer,
    )


def _names(found: "xr.Dataset") -> list[str]:
    return short_names([str(name) for name in found["system"].to_numpy()], width=_FIGURE_NAME)


def _title(study: "xr.Dataset", dim: str, noun: str) -> str:
    return f"{plural(study.sizes[dim], noun)} on {plural(study.sizes['system'], 'model')}"


def _summary(study: "xr.Dataset", *facts: tuple[str, str]) -> list[tuple[str, str]]:
    return [
        ("Data", _words.file_name(str(study.attrs["source"]))),
        *facts,
        ("Population", _words.population(str(study.attrs["population"]))),
        ("Draws", f"{4 * int(study.attrs['draws']):,} each"),
    ]


def _titled(sheet: Sheet, title: str, *, heading: int) -> tuple[str, Twin, str]:
    """Return a sheet under a title of its own: its lead is the answer, which stands above."""
    return sheet_twin(Sheet([title], sheet.columns, sheet.footer), caption=title, heading=heading)


def _without(sheet: Sheet, study: "xr.Dataset") -> Sheet:
    footer = priors.prior_footer(study)
    return Sheet(sheet.lead, sheet.columns, [line for line in sheet.footer if line not in footer])
