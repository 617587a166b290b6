"""`view`: a result as it is read, for notebooks and consoles."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayesrank._html import framed, table
from bayesrank.exceptions import ArgumentError
from bayesrank.reports._sheet import Sheet
from bayesrank.reports.beside import comparison_sheet
from bayesrank.reports.greedy import benchmarks_sheet, budgets_sheet
from bayesrank.reports.intervals import intervals_sheet
from bayesrank.reports.planning import plan_sheets
from bayesrank.reports.populations import populations_sheets
from bayesrank.reports.questions import questions_sheet
from bayesrank.reports.robustness import robustness_sheet
from bayesrank.reports.rules import rules_sheets
from bayesrank.reports.sensitivity_likelihoods import likelihood_sheets
from bayesrank.reports.sensitivity_priors import prior_sheets
from bayesrank.reports.stability import stability_sheets
from bayesrank.reports.terminal import sheet_to_terminal
from bayesrank.reports.variance import variance_sheet

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["View", "view"]

_WIDTH = 100
_MOST_ROWS = 50

# What tells the results apart: the variables that no other one further down has.
_SHEETS: "tuple[tuple[set[str], Callable[[xr.Dataset], Sequence[Sheet]]], ...]" = (
    ({"p_adjusted", "rank_low"}, lambda found: [intervals_sheet(found)]),
    ({"tau_b", "order", "rank"}, lambda found: rules_sheets(found, width=_WIDTH)),
    ({"infit", "verdict"}, lambda found: [questions_sheet(found)]),
    ({"k", "share_of_sets"}, lambda found: [robustness_sheet(found)]),
    ({"tau_gold", "tau_self"}, stability_sheets),
    ({"base_leader", "k_hat"}, lambda found: prior_sheets(found, width=_WIDTH)),
    ({"elpd", "opposed"}, lambda found: likelihood_sheets(found, width=_WIDTH)),
    ({"delta_tau", "alignment"}, lambda found: [budgets_sheet(found), *benchmarks_sheet(found)]),
    ({"assurance", "named"}, plan_sheets),
    ({"told_apart", "estimand"}, populations_sheets),
    ({"variance", "narrower"}, lambda found: [variance_sheet(found)]),
)


@dataclass(frozen=True, repr=False)
class View:
    """A result as it is read: a table in a notebook, text on a console; `view` makes one.

    Attributes
    ----------
    sheets : tuple of Sheet
        Sentences, a table, and what has to be known to read it; once or several times.
    """

    sheets: tuple[Sheet, ...]

    def __repr__(self) -> str:
        """Lines of text, as `render_intervals` and its relatives print them."""
        return "\n".join(sheet_to_terminal(sheet, width=_WIDTH) for sheet in self.sheets).rstrip()

    def _repr_html_(self) -> str:
        return "".join(map(_html, self.sheets))


def view(result: "xr.Dataset") -> View:
    """Return a result in a form that notebooks show as a table, and consoles as text.

    The results themselves are datasets, which show themselves as such.

    Parameters
    ----------
    result : xarray.Dataset
        From `bayesrank.frequentist.rank_intervals` and its relatives or `compare_with_ranking`,
        from `bayesrank.checks.question_fit` or `bayesrank.robustness.training_robustness`, or from
        `bayesrank.studies`: ``compare_rules``, ``variance_components``, ``populations``,
        ``prior_sensitivity``, ``likelihood_sensitivity``, ``stability``, ``greedy_prior``,
        ``plan``.

    Returns
    -------
    View
        The last line of a cell shows it.

    Raises
    ------
    ArgumentError
        For anything else.

    Examples
    --------
    >>> from bayesrank.frequentist import multinomial_rank_intervals
    >>> from bayesrank.reports import view
    >>> shown = view(multinomial_rank_intervals({"a": 60, "b": 30, "c": 25}))
    >>> print(repr(shown).splitlines()[0])
    With 95 % confidence, a is the best of 3 models.
    """
    variables = {str(name) for name in getattr(result, "data_vars", ())}
    dims = {str(name) for name in getattr(result, "dims", ())}
    if "kind" in dims and "rank_low" in variables:
        return View((comparison_sheet(result),))
    for marks, sheets in _SHEETS:
        if marks <= variables:
            return View(tuple(sheets(result)))
    has = f" with {', '.join(sorted(variables)[:5])}" if variables else ""
    msg = (
        f"{type(result).__name__}{has} is no result that can be viewed: give one of "
        f"rank_intervals, question_fit, training_robustness or a study, such as compare_rules."
    )
    raise ArgumentError(msg)


def _html(sheet: Sheet) -> str:
    rows = sheet.rows
    caption = f"The first {_MOST_ROWS} of {len(rows)} rows" if len(rows) > _MOST_ROWS else ""
    names = [k for k, column in enumerate(sheet.columns) if column.name]
    content = table(
        caption,
        sheet.header,
        rows[:_MOST_ROWS],
        heading=names[0] if names else 0,
        words=sheet.in_words,
    )
    return framed(sheet.lead, content, sheet.footer, summary="How to read this")
