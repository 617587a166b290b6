"""What auxiliary outcomes as a prior do to the order at few trials, as one page."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bayesrank.reports import greedy as text
from bayesrank.reports.page import _words
from bayesrank.reports.page._figures import Figure, drawing
from bayesrank.reports.page._marks import Scale, mark, mark_class, mark_swatch
from bayesrank.reports.page._panels import score_ticks
from bayesrank.reports.page._study import sheet_twin, study_page
from bayesrank.reports.page._svg import element

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import xarray as xr
    from markupsafe import Markup

__all__ = ["greedy_page"]

# Height of a drawing of curves; the style sheet gives its row the same.
_HEIGHT, _MARGIN = 260, 14
# Part of the width that is kept free for the numbers of the upward axis.
_LEFT = 0.08


def greedy_page(study: "xr.Dataset", *, title: str | None = None) -> str:
    """Return what auxiliary outcomes as a prior do to the order at few trials as one HTML file.

    The page opens with the gain at the smallest budget, then draws the agreement over budgets and,
    with several benchmarks, the gain against the alignment. It holds no script and fetches nothing.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.greedy_prior`.
    title : str, optional
        Title of the page.

    Returns
    -------
    str
        The page. The same results always give the same characters.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.reports import greedy_page
    >>> from bayesrank.studies import greedy_prior
    >>> data = simulate_responses(systems=6, questions=20, trials=8, random_seed=1)
    >>> greedy = (data.successes > 4).astype(int)[:, :, np.newaxis]
    >>> found = greedy_prior(data, greedy, trials=[1, 4], resamples=20, random_seed=1)
    >>> greedy_page(found)[:15]
    '<!doctype html>'
    """
    attrs = study.attrs
    sheet, more = text.budgets_sheet(study), text.benchmarks_sheet(study)
    _, table, _ = sheet_twin(sheet, caption="Agreement by budget and prior")
    figures = [_over_budgets(study)]
    if more:
        figures.append(_against_alignment(study))
    return study_page(
        title="Auxiliary outcomes as a prior" if title is None else title,
        answer=text.greedy_answer(study),
        summary=[
            ("Data", _words.file_name(str(attrs["source"]))),
            ("Reference", str(attrs["reference"])),
            ("Subsamples", f"{attrs['resamples']} random orders of the trials"),
            ("Benchmarks", f"{max(study.sizes['benchmark'] - 1, 1)}"),
        ],
        figures=figures,
        tables=[
            ("Every budget and prior", table, text.greedy_footer(study)[0]),
            *(sheet_twin(each, caption="Benchmarks at the smallest budget") for each in more),
        ],
        statement=text.greedy_footer(study)[1:-1],
    )


def _over_budgets(study: "xr.Dataset") -> Figure:
    found = study.isel(benchmark=-1)
    trials = [float(n) for n in found["trials"].to_numpy()]
    priors = [str(p) for p in found["prior"].to_numpy()]
    tau, sd = found["tau_b"].to_numpy(), found["tau_b_sd"].to_numpy()
    across = Scale(_few(trials), low=trials[0], high=trials[-1], left=_LEFT)
    up, parts = _upwards(float((tau - sd).min()), float((tau + sd).max()))
    parts += across.grid()
    shift = 4.0  # pixels between the spreads of two priors at one budget
    for k in range(len(priors)):
        points = [(across.at(n), up(float(t))) for n, t in zip(trials, tau[k], strict=True)]
        parts += [
            element("line", class_=f"course {mark_class(k)}", x1=a, y1=b, x2=c, y2=d)
            for (a, b), (c, d) in pairwise(points)
        ]
        for (x, y), t, s in zip(points, tau[k], sd[k], strict=True):
            aside = shift * (k - (len(priors) - 1) / 2)
            spread = element(
                "line", class_="error", x1=aside, x2=aside, y1=up(float(t - s)), y2=up(float(t + s))
            )
            parts.append(element("svg", spread, x=x, y=0, width=1, height=1, overflow="visible"))
            parts.append(mark(k, x=x, y=y))
    return Figure(
        id="budgets",
        kind="curves",
        title="Agreement with the order of all trials",
        reading=(
            "Across: trials a cell. Up: Kendall's tau-b to the order of all trials, its mean over "
            "the subsamples; the thin upright lines are one standard deviation on either side."
        ),
        note="",
        summary="Agreement over budgets for each prior; the table below has the numbers.",
        row_title="",
        labels=["tau-b"],
        axis=drawing(across.named(), height=20),
        marks=drawing(parts, height=_HEIGHT),
        key=[
            (
                mark_swatch(k, line=f"course {mark_class(k)}"),
                "uniform prior" if p == "uniform" else f"weight {p}",
            )
            for k, p in enumerate(priors)
        ],
        twin=None,
    )


def _against_alignment(study: "xr.Dataset") -> Figure:
    found = study.isel(trials=0, benchmark=slice(-1), prior=slice(1, None))
    alignment, gain = found["alignment"].to_numpy(), found["delta_tau"].to_numpy()
    error = found["delta_tau_mcse"].to_numpy()
    priors = [str(p) for p in found["prior"].to_numpy()]
    known = np.isfinite(alignment)
    low, high = float(alignment[known].min()), float(alignment[known].max())
    across = Scale(score_ticks(low, high), low=low, high=high, left=_LEFT)
    up, parts = _upwards(
        min(float((gain - error).min()), 0.0), max(float((gain + error).max()), 0.0)
    )
    parts += across.grid()
    parts.append(element("line", class_="zero", x1=0, x2="100%", y1=up(0.0), y2=up(0.0)))
    for i in np.flatnonzero(known):
        x = across.at(float(alignment[i]))
        for k in range(len(priors)):
            ends = (up(float(gain[i, k] + sign * error[i, k])) for sign in (-1, 1))
            first, last = ends
            parts.append(element("line", class_="error", x1=x, x2=x, y1=first, y2=last))
            parts.append(mark(k + 1, x=x, y=up(float(gain[i, k]))))
    budget = int(found["trials"])
    return Figure(
        id="alignment",
        kind="curves",
        title="Gain against alignment",
        reading=(
            f"One column of marks a benchmark. Across: tau-b between the orders of the auxiliary "
            f"outcomes and of all trials. Up: the gain in tau-b over the uniform prior at {budget} "
            f"a cell, ± its Monte Carlo error; below the line the prior hurts."
        ),
        note="",
        summary="Gain against alignment of each benchmark; the table below has the numbers.",
        row_title="",
        labels=["gain"],
        axis=drawing(across.named(), height=20),
        marks=drawing(parts, height=_HEIGHT),
        key=[(mark_swatch(k + 1), f"weight {p}") for k, p in enumerate(priors)],
        twin=None,
    )


def _upwards(low: float, high: float) -> "tuple[Callable[[float], float], list[Markup]]":
    """Return heights in pixels for numbers, and the named lines across."""
    marks = score_ticks(low, high)
    start, end = min(low, marks[0]), max(high, marks[-1])

    def up(value: float) -> float:
        share = (value - start) / max(end - start, 1e-12)
        return round(_HEIGHT - _MARGIN - share * (_HEIGHT - 2 * _MARGIN), 2)

    parts: list[Markup] = []
    for m in marks:
        parts.append(element("line", class_="grid", x1=0, x2="100%", y1=up(m), y2=up(m)))
        parts.append(element("text", f"{m:g}", class_="level", x=2, y=up(m) - 3))
    return up, parts


def _few(values: "Sequence[float]") -> list[float]:
    """Return the budgets that an axis names: all, or about eight of them with both ends."""
    step = max(1, -(-len(values) // 8))
    return sorted({*values[::step], values[-1]})
