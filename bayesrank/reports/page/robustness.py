"""How hard a leaderboard is to rig, as one self-contained page."""

from typing import TYPE_CHECKING

import numpy as np

from bayesrank.data._html import plural
from bayesrank.reports import robustness as text
from bayesrank.reports.page import _words
from bayesrank.reports.page._document import render
from bayesrank.reports.page._dots import dots_figure, sets_figure, shares
from bayesrank.reports.page._figures import FIGURE_MODELS, Twin
from bayesrank.reports.page._names import short_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    import xarray as xr

    from bayesrank.reports.robustness import Results

__all__ = ["robustness_page"]

_NAME, _FIGURE_NAME = 120, 40
_MOST_TASKS = 60
_LONG_ANSWER = 150


def robustness_page(
    results: "Results", *, uncertain: "Results | None" = None, title: str | None = None
) -> str:
    """Return how many tasks models need to come first as one HTML file that needs nothing else.

    The page opens with the answer in a sentence, then draws the number of tasks for each model and
    operator, shows which tasks the smallest sets hold, and lists all numbers in a table. It holds
    no script and fetches nothing.

    Parameters
    ----------
    results : xarray.Dataset or sequence of them
        From `bayesrank.robustness.training_robustness`, one for each operator; the first one sorts
        the models, and its sets are shown.
    uncertain : xarray.Dataset or sequence of them, optional
        From `bayesrank.robustness.posterior_robustness`, for intervals.
    title : str, optional
        Title of the page; by default the number of models and tasks.

    Returns
    -------
    str
        The page. The same results always give the same characters.

    Raises
    ------
    ArgumentError
        For no result, or results that do not belong together.

    Examples
    --------
    >>> from bayesrank.reports.page import robustness_page
    >>> from bayesrank.robustness import training_robustness
    >>> robustness_page(training_robustness([[0.3, 0.2], [0.6, 0.7]]))[:15]
    '<!doctype html>'
    """
    found, intervals = text.checked(results, uncertain)
    order = text.easiest_first(found)
    found, intervals = ([r.isel(system=order) for r in part] for part in (found, intervals))
    names = short_names(text.target_names(found), width=_NAME)
    cells = text.k_cells(found, intervals)
    shown = min(len(names), FIGURE_MODELS)
    best = [r.isel(system=slice(shown)) for r in found]
    labels = short_names(text.target_names(best), width=_FIGURE_NAME)
    tasks, columns = _shown_tasks(best[0])
    left_out = (
        ""
        if shown == len(names)
        else f"The {shown} of {len(names)} models that need fewest tasks are drawn; the table "
        f"below holds all."
    )
    fewer = (
        ""
        if len(tasks) == found[0].sizes["task"]
        else f"The {len(tasks)} of {found[0].sizes['task']} tasks that sets hold most often are "
        f"shown."
    )
    answer, *more = text.robustness_answer(found)
    m = found[0].sizes["task"]
    return render(
        "robustness.html.jinja",
        styles=["page.css", "robustness.css"],
        scripts=[],
        title=_title(found) if title is None else title,
        answer=answer,
        answer_kind="long" if len(answer) > _LONG_ANSWER else "short",
        more=more,
        summary=_summary(found, intervals),
        figures=[
            dots_figure(
                best,
                [part.isel(system=slice(shown)) for part in intervals],
                labels,
                note=left_out,
                texts=cells,
            ),
            sets_figure(
                best[0].isel(task=columns), labels, tasks, note=" ".join((left_out, fewer)).strip()
            ),
        ],
        tasks=[(str(j + 1), task) for j, task in enumerate(tasks)],
        table=Twin(
            caption=f"Fewest of {m} tasks to come first",
            header=("Model", *(text.operator_name(r).capitalize() for r in found)),
            rows=list(zip(names, *cells, strict=True)),
        ),
        statement=text.robustness_footer(found, uncertain=intervals),
    )


def _title(found: "Sequence[xr.Dataset]") -> str:
    models, tasks = found[0].sizes["system_bis"], found[0].sizes["task"]
    return f"Robustness of {plural(models, 'model')} on {plural(tasks, 'task')}"


def _summary(
    found: "Sequence[xr.Dataset]", intervals: "Sequence[xr.Dataset]"
) -> list[tuple[str, str]]:
    attrs = found[0].attrs
    population = (
        _words.population(str(intervals[0].attrs["population"]))
        if intervals
        else "none: scores are taken as they are"
    )
    return [
        ("Operators", ", ".join(text.operator_name(r) for r in found)),
        ("First means", "ahead of all" if attrs["strict"] else "no model is ahead"),
        (
            "Cost",
            "each task counts 1" if attrs["counts_tasks"] else "tasks have costs of their own",
        ),
        ("Uncertainty", population),
    ]


def _shown_tasks(result: "xr.Dataset") -> tuple[list[str], list[int]]:
    """Return names and positions of the tasks that fit, in the order of the data."""
    held = shares(result).sum(axis=0)
    most = np.sort(np.argsort(-held, kind="stable")[:_MOST_TASKS])
    names = [text.task_names([result])[j] for j in most]
    return short_names(names, width=_FIGURE_NAME), [int(j) for j in most]
