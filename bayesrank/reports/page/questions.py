"""The questions of a benchmark as one self-contained page."""

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from bayesrank._record import read_record
from bayesrank.data._html import plural
from bayesrank.reports import questions as text
from bayesrank.reports.page import _words
from bayesrank.reports.page._document import render
from bayesrank.reports.page._figures import FIGURE_MODELS, Twin
from bayesrank.reports.page._item_map import information_figure, item_map_figure
from bayesrank.reports.page._names import short_names

if TYPE_CHECKING:
    from bayesrank._record import Record

__all__ = ["questions_page"]

_NAME, _FIGURE_NAME = 120, 40
_LONG_ANSWER = 150
# More rows make a page slow to read and to load; the formats for machines hold all.
_MOST_ROWS = 500


def questions_page(
    fit: xr.Dataset,
    posterior: xr.DataTree,
    *,
    information: xr.Dataset | None = None,
    title: str | None = None,
) -> str:
    """Return how questions fit, and what they measure, as one HTML file that needs nothing else.

    The page opens with the answer, then draws abilities and difficulties on one axis, and what the
    questions tell about each ability, and lists the questions, those that do not fit first. It
    holds no script and fetches nothing.

    Parameters
    ----------
    fit : xarray.Dataset
        From `bayesrank.checks.question_fit`.
    posterior : DataTree
        That it was made from.
    information : xarray.Dataset, optional
        From `bayesrank.checks.information_curve`, to be drawn too.
    title : str, optional
        Title of the page; by default the number of questions and models.

    Returns
    -------
    str
        The page. The same results always give the same characters.

    Raises
    ------
    KeyError
        For a posterior without ``ability``.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import questions_page
    >>> responses = bayesrank.simulate_responses(systems=6, questions=8, random_seed=1)
    >>> model = bayesrank.models.item_response(responses)
    >>> posterior = bayesrank.sample(model, method="laplace", draws=100, random_seed=1)
    >>> fit = bayesrank.checks.question_fit(posterior, responses, random_seed=1)
    >>> questions_page(fit, posterior)[:15]
    '<!doctype html>'
    """
    ci_prob = float(fit.attrs["ci_prob"])
    ability = _abilities(posterior, ci_prob)
    names = short_names([str(s) for s in ability["system"].to_numpy()], width=_FIGURE_NAME)
    shown = min(len(names), FIGURE_MODELS)
    record = read_record(posterior)
    sheet = text.questions_sheet(fit)
    answer, *more = sheet.lead
    rows = sheet.rows[:_MOST_ROWS]
    labels = short_names([row[0] for row in rows], width=_NAME)
    models, questions = len(names), fit.sizes["question"]
    return render(
        "questions.html.jinja",
        styles=["page.css", "robustness.css", "questions.css"],
        scripts=[],
        title=f"{plural(questions, 'question')} to {plural(models, 'model')}"
        if title is None
        else title,
        answer=answer,
        answer_kind="long" if len(answer) > _LONG_ANSWER else "short",
        more=more,
        summary=_summary(fit, record),
        figures=[
            item_map_figure(
                ability.isel(system=slice(shown)),
                fit,
                names[:shown],
                total=models,
                level=f"{100 * ci_prob:g} %",
            ),
            *([] if information is None else [information_figure(information)]),
        ],
        table=Twin(
            caption="Questions, those that do not fit first"
            + (f": the first {_MOST_ROWS} of {questions:,}" if questions > _MOST_ROWS else ""),
            header=tuple(
                name[0].upper() + name[1:] if len(name) > 1 else name for name in sheet.header
            ),
            rows=[(label, *row[1:]) for label, row in zip(labels, rows, strict=True)],
            words=sheet.in_words,
        ),
        statement=[*sheet.footer, *record.notes],
    )


def _abilities(posterior: xr.DataTree, ci_prob: float) -> xr.Dataset:
    """Return abilities with intervals, best first."""
    draws = posterior["posterior"]["ability"]
    tail = (1.0 - ci_prob) / 2.0
    bounds = draws.quantile([tail, 1.0 - tail], dim=("chain", "draw"))
    mean = draws.mean(("chain", "draw"))
    found = xr.Dataset(
        {
            "ability": mean,
            "ability_low": bounds.isel(quantile=0, drop=True),
            "ability_high": bounds.isel(quantile=1, drop=True),
        }
    )
    return found.isel(system=np.argsort(-mean.to_numpy(), kind="stable"))


def _summary(fit: xr.Dataset, record: "Record") -> list[tuple[str, str]]:
    return [
        ("Data", str(fit.attrs["source"])),
        ("Model", record.model),
        ("Population", _words.population(record.population)),
        ("Best models looked at", ", ".join(str(name) for name in fit.attrs["top"])),
    ]
