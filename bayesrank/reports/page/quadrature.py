"""Exact abilities against coarse grids as one self-contained page."""

from typing import TYPE_CHECKING

import numpy as np

from bayesrank.reports import quadrature as text
from bayesrank.reports.page import _words
from bayesrank.reports.page._figures import Figure, drawing, row_height, swatch
from bayesrank.reports.page._marks import Scale, mark, mark_swatch
from bayesrank.reports.page._panels import score_ticks
from bayesrank.reports.page._study import sheet_twin, study_page
from bayesrank.reports.page._svg import element

if TYPE_CHECKING:
    import xarray as xr
    from markupsafe import Markup

__all__ = ["quadrature_page"]

_TAUS = (
    ("self_tau_b", "with itself: the same method at all trials"),
    ("gold_tau_b", "with the gold standard: Bayes@N at all trials"),
)
# Monte Carlo errors on either side of a mean.
_ERRORS = 1.96


def quadrature_page(study: "xr.Dataset", *, title: str | None = None) -> str:
    """Return how consistent exact abilities and coarse grids are with themselves as one HTML file.

    The page opens with what is left of the advantage of a coarse grid, draws the agreement of each
    method, and lists the numbers. It holds no script and fetches nothing.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.quadrature_artefact`.
    title : str, optional
        Title of the page.

    Returns
    -------
    str
        The page. The same results always give the same characters.

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.reports import quadrature_page
    >>> from bayesrank.studies import quadrature_artefact
    >>> data = simulate_responses(systems=8, questions=40, trials=10, random_seed=1)
    >>> quadrature_page(quadrature_artefact(data, nodes=[21], random_seed=1))[:15]
    '<!doctype html>'
    """
    attrs = study.attrs
    sheet = text.quadrature_sheet(study)
    _, table, _ = sheet_twin(sheet, caption="Methods at one trial")
    return study_page(
        title="Coarse grids and self-consistency at one trial" if title is None else title,
        answer=text.quadrature_answer(study),
        summary=[
            ("Data", _words.file_name(str(attrs["source"]))),
            ("Observed", f"{attrs['models']} models, {attrs['questions']} questions"),
            ("Draws of one trial", f"{attrs['draws']}, {attrs['sampled']}"),
            ("Grids", f"{', '.join(str(n) for n in attrs['nodes'])} fixed nodes"),
        ],
        figures=[_figure(study)],
        tables=[("Numbers", table, text.quadrature_footer(study)[0])],
        statement=text.quadrature_footer(study)[1:-1],
    )


def _figure(study: "xr.Dataset") -> Figure:
    labels = [str(m) for m in study["rule"].to_numpy()]
    kind, height = row_height(len(labels))
    values = {name: study[name].to_numpy() for name, _ in _TAUS}
    reach = {name: _ERRORS * np.nan_to_num(study[f"{name}_mcse"].to_numpy()) for name, _ in _TAUS}
    low = float(min(np.nanmin(values[n] - reach[n]) for n in values))
    high = float(max(np.nanmax(values[n] + reach[n]) for n in values))
    scale = Scale(score_ticks(low, high), low=low, high=high)
    parts: list[Markup] = scale.grid()
    usual = scale.at(float(study["self_tau_b"].sel(rule="mean")))
    parts.append(element("line", class_="zero", x1=usual, x2=usual, y1=0, y2="100%"))
    for i in range(len(labels)):
        for k, name in enumerate(values):
            if np.isnan(values[name][i]):
                continue
            y = i * height + height * (k + 1) / 3
            left, right = (
                scale.at(float(values[name][i] + sign * reach[name][i])) for sign in (-1, 1)
            )
            parts.append(element("line", class_="reach", x1=left, x2=right, y1=y, y2=y))
            parts.append(mark(k, x=scale.at(float(values[name][i])), y=y))
    return Figure(
        id="agreement",
        kind=kind,
        title="Agreement of the order at one trial",
        reading=(
            "One row a method: the mean of Kendall's tau-b over the draws, and 1.96 Monte Carlo "
            "errors on either side. The upright line is the mean's agreement with itself. EAP is "
            "the posterior mean of an ability, bound its low quantile."
        ),
        note="",
        summary="Agreement of each method with itself and with the gold standard, as listed below.",
        row_title="Method",
        labels=labels,
        axis=drawing(scale.named(), height=20),
        marks=drawing(parts, height=len(labels) * height),
        key=[
            *((mark_swatch(k, line="reach"), words) for k, (_, words) in enumerate(_TAUS)),
            (
                swatch(element("line", class_="zero", x1=14, x2=14, y1=0, y2=14)),
                "the mean, with itself",
            ),
        ],
        twin=None,
    )
