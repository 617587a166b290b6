"""The same models under each population as one self-contained page."""

from itertools import pairwise
from typing import TYPE_CHECKING

from bayesrank.data._html import plural
from bayesrank.reports import populations as text
from bayesrank.reports.page import _words
from bayesrank.reports.page._figures import FIGURE_MODELS
from bayesrank.reports.page._names import short_names
from bayesrank.reports.page._population_figures import intervals_figure, shares_figure
from bayesrank.reports.page._study import sheet_twin, study_page

if TYPE_CHECKING:
    import xarray as xr

    from bayesrank.reports.page._figures import Figure

__all__ = ["populations_page"]

_FIGURE_NAME, _PAIR_NAME = 40, 60


def populations_page(study: "xr.Dataset", *, title: str | None = None) -> str:
    """Return scores, ranks and neighbours under each population as one HTML file.

    The page opens with how many neighbours each population tells apart, then draws the intervals
    side by side and the shares of the variance, and lists the numbers. It holds no script and
    fetches nothing.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.populations`.
    title : str, optional
        Title of the page; by default the number of models and populations.

    Returns
    -------
    str
        The page. The same results always give the same characters.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import populations_page
    >>> from bayesrank.studies import populations
    >>> data = bayesrank.Responses.from_counts([[9, 9, 0], [1, 1, 0]], 10)
    >>> populations_page(populations(data, draws=100, among=["trials"], random_seed=1))[:15]
    '<!doctype html>'
    """
    found = text.best_first(study)
    models, populations = found.sizes["system"], found.sizes["population"]
    best = found.isel(system=slice(FIGURE_MODELS))
    labels = short_names([str(name) for name in best["system"].to_numpy()], width=_FIGURE_NAME)
    note = (
        ""
        if models == len(labels)
        else f"The {len(labels)} best of {models} models are drawn; the tables below hold more."
    )
    figures = [intervals_figure(best, labels, note=note)]
    if "share" in found:
        figures += _shares(study, labels, note=note)
    return study_page(
        title=f"{plural(models, 'model')} under {plural(populations, 'population')}"
        if title is None
        else title,
        answer=text.populations_answer(study),
        summary=[
            ("Data", _words.file_name(str(study.attrs["source"]))),
            (
                "Populations",
                "; ".join(_words.population(str(p)) for p in study["population"].to_numpy()),
            ),
            ("Intervals", f"{100 * float(study.attrs['ci_prob']):g} % of the posterior"),
            ("Draws", f"{study.attrs['draws']:,} a population"),
        ],
        figures=figures,
        tables=[
            sheet_twin(text.ranks_sheet(study), caption="Ranks under each population", heading=1),
            sheet_twin(text.neighbours_sheet(study), caption="Neighbours in the observed order"),
        ],
        statement=text.populations_footer(study)[:-1],
    )


def _shares(study: "xr.Dataset", labels: list[str], *, note: str) -> "list[Figure]":
    kind = study["kind"].to_numpy()
    models = study.isel(term=kind == "model").isel(term=slice(len(labels)))
    gaps = study.isel(term=kind == "gap").isel(term=slice(len(labels) - 1))
    pairs = [f"{above} over {below}" for above, below in pairwise(labels)]
    return [
        shares_figure(models, labels, kind="model", names=labels, note=note),
        shares_figure(
            gaps, short_names(pairs, width=_PAIR_NAME), kind="gap", names=pairs, note=note
        ),
    ]
