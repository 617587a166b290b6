"""A plan as one self-contained page."""

from typing import TYPE_CHECKING

import numpy as np

from bayesrank.data._html import plural
from bayesrank.reports import _plan_words as words
from bayesrank.reports import planning as text
from bayesrank.reports.page import _words
from bayesrank.reports.page._courses import Course, axis_of, course_key, curves
from bayesrank.reports.page._figures import Figure, Twin
from bayesrank.reports.page._study import sheet_twin, study_page

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["plan_page"]

_GOALS = {
    "pair": "the better one of two",
    "top1": "the best model",
    "adjacent": "the whole order",
}


def plan_page(plan: "xr.Dataset", *, title: str | None = None) -> str:
    """Return a plan as one HTML file that needs nothing else.

    The page opens with the answer, then draws the assurance over sizes; tables hold the sizes and
    who would come out, or which neighbours stay hard to tell apart. It holds no script and fetches
    nothing.

    Parameters
    ----------
    plan : xarray.Dataset
        From `bayesrank.studies.plan`.
    title : str, optional
        Title of the page.

    Returns
    -------
    str
        The page. The same results always give the same characters.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.reports import plan_page
    >>> from bayesrank.studies import plan
    >>> data = Responses.from_counts([[9, 9, 8], [1, 2, 1]], 10)
    >>> plan_page(plan(data, futures=200, random_seed=1))[:15]
    '<!doctype html>'
    """
    first, second = text.curve_sheet(plan), text.outcome_sheet(plan)
    attrs = plan.attrs
    which = "Neighbours" if attrs["goal"] == "adjacent" else "Who it would be"
    models = plan.sizes["system"]
    return study_page(
        title=f"Plan for {plural(models, 'model')}: {_GOALS[attrs['goal']]}"
        if title is None
        else title,
        answer=words.answer(plan),
        summary=[
            ("Data", _words.file_name(str(attrs["source"]))),
            ("Goal", f"{_GOALS[attrs['goal']]}, at {100 * attrs['confidence']:g} %"),
            ("More", str(attrs["resource"])),
            ("Population", _words.population(str(attrs["population"]))),
            ("Futures", f"{attrs['futures']:,}"),
        ],
        figures=[assurance_figure(plan, Twin("Assurance by size", first.header, first.rows))],
        tables=[sheet_twin(second, caption=which)],
        statement=words.footer(plan)[:-1],
    )


def assurance_figure(plan: "xr.Dataset", twin: Twin) -> Figure:
    """Return the curve of assurance over sizes.

    Parameters
    ----------
    plan : xarray.Dataset
        From `bayesrank.studies.plan`.
    twin : Twin
        The same as a table.

    Returns
    -------
    Figure
    """
    sizes, attrs = plan["size"].to_numpy(), plan.attrs
    share, mcse = plan["assurance"].to_numpy(), plan["assurance_mcse"].to_numpy()
    curve = Course("share of futures that reach the goal", share, style=0, marked=False)
    error = "two Monte Carlo errors either way"
    courses = [
        curve,
        *(
            Course(error, np.clip(share + k * mcse, 0.0, 1.0), style=1, marked=False)
            for k in (-2.0, 2.0)
        ),
    ]
    scale, axis = axis_of(sizes)
    needed = float(attrs["needed"]) if attrs["needed"] > 0 else None
    asked = f"{words.percent(attrs['target'])} of futures, as asked for" + (
        "" if needed is None else ", and the size that has it"
    )
    noun = {"trials": "trials a cell", "questions": "questions", "votes": "votes"}
    return Figure(
        id="assurance",
        kind="curves",
        title="What more data would do",
        reading=(
            "Each simulated future starts from a truth that the present posterior holds possible. "
            "The curve is the share of futures in which the goal is reached; sizes are on a "
            "logarithmic scale."
        ),
        note="",
        summary="Share of futures that reach the goal, by size; the table below has the numbers.",
        row_title=f"More {noun[attrs['resource']]}",
        labels=["Goal reached"],
        axis=axis,
        marks=curves(scale, sizes, courses, target=float(attrs["target"]), needed=needed),
        key=course_key(courses[:2], line=asked),
        twin=twin,
    )
