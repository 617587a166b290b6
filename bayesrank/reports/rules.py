"""Ranking rules side by side, as text in any format."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayesrank.ranking.digits import probability_text
from bayesrank.reports import _rule_words as words
from bayesrank.reports._cells import joined, rank_cells, span_cells
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.rules_json import (
    best_models,
    contested_among,
    csv_rows,
    rules_to_dict,
)

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from numpy.typing import NDArray

__all__ = ["contested_sheet", "models_sheet", "render_rules", "rules_sheets"]

# Formats without a width show this many models; the formats for machines hold all.
_MOST_MODELS = 20
_MOST_PAIRS = 12
# Longer names of rules are shortened where lines are of fixed width.
_LABEL_WIDTH, _RULE_WIDTH = 30, 18
# Rules against a pair are named as far as a line has room beside all else, and two short names.
_BESIDE_RULES = 66
_RULES_WIDTH = (12, 40)
# Where a rule puts a model where the reference does.
_SAME = "·"


def render_rules(
    comparison: "xr.Dataset",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return many rules side by side as text: orders, ranks, agreement, and contested models.

    Parameters
    ----------
    comparison : xarray.Dataset
        From `bayesrank.studies.compare_rules`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`; "csv" has a row for each rule and model.
    width : int, default 100
        Characters a line of "table" has room for: as many of the best models have a column.

    Returns
    -------
    str
        Text, the last line ended.

    Raises
    ------
    ArgumentError
        For an unknown format or a width below 1.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import render_rules
    >>> from bayesrank.studies import compare_rules
    >>> data = bayesrank.Responses.from_counts([[9, 9, 0], [5, 5, 10]], 10)
    >>> found = compare_rules(data, rules=["mean", "borda"], draws=40, random_seed=1)
    >>> print(render_rules(found).splitlines()[0])
    3 rules give 2 orders of 2 models. 1 of the others has the order of bayes, 1 by algebra.
    """
    contested = contested_among(comparison)
    return in_format(
        format,
        width=width,
        sheets=lambda: rules_sheets(
            comparison, contested=contested, width=width if format == "table" else None
        ),
        plain=lambda: rules_to_dict(comparison, contested=contested),
        rows=lambda: csv_rows(comparison),
    )


def rules_sheets(
    comparison: "xr.Dataset", *, contested: "pd.DataFrame | None" = None, width: int | None = None
) -> list[Sheet]:
    """Return what every text format shows: rules, then models, then contested pairs.

    Parameters
    ----------
    comparison : xarray.Dataset
        From `bayesrank.studies.compare_rules`.
    contested : pandas.DataFrame, optional
        From `bayesrank.studies.contested_pairs` of it.
    width : int, optional
        Characters a line has room for.

    Returns
    -------
    list of Sheet
    """
    pairs = contested_among(comparison) if contested is None else contested
    best = best_models(comparison)
    found = comparison.isel(system=best)
    sheets = [_rules_sheet(found, pairs, width), models_sheet(found, most=_MOST_MODELS)]
    if not pairs.empty:
        sheets.append(contested_sheet(found, pairs, width=width))
    last = sheets[-1]
    footer = (*last.footer, *words.without_intervals(found), *words.footer(found))
    sheets[-1] = replace(last, footer=footer)
    return sheets


def _rules_sheet(found: "xr.Dataset", contested: "pd.DataFrame", width: int | None) -> Sheet:
    rank = found["rank"].to_numpy()
    names = [str(name) for name in found["rule"].to_numpy()]
    columns = [
        Column("rule", names, numeric=False, most=_LABEL_WIDTH),
        Column("order", words.letters(found["order"].to_numpy()), numeric=False),
        Column("tau-b", [words.number(float(t)) for t in found["tau_b"].to_numpy()]),
        Column(
            "paired",
            [
                words.span(float(low), float(high))
                for low, high in zip(
                    found["tau_b_low"].to_numpy(), found["tau_b_high"].to_numpy(), strict=True
                )
            ],
            numeric=False,
        ),
        Column("± ranks", _widths(found)),
    ]
    shown = _room(columns, rank, width)
    for j in range(shown):
        cells = [str(int(rank[0, j]))]
        cells += [_SAME if r == rank[0, j] else str(int(r)) for r in rank[1:, j]]
        columns.append(Column(str(j + 1), cells))
    reference = str(found.attrs["reference"])
    left_out = rank.shape[1] - shown
    more = f"; {left_out} more models have no column" if left_out else ""
    key = (
        f"1 to {shown}: ranks of the models in the order of {reference}, named below{more}; "
        f"{_SAME}: as {reference} ranks it. ± ranks: half the mean width of the intervals of ranks."
    )
    return Sheet(
        lead=words.answer(found, contested),
        columns=columns,
        footer=[key, *words.orders_in_words(found)],
    )


def _widths(found: "xr.Dataset") -> list[str]:
    half = ((found["rank_high"] - found["rank_low"]).mean("system") / 2.0).to_numpy()
    return ["" if not np.isfinite(w) else f"{w:.1f}" for w in half]


def _room(columns: list[Column], rank: "NDArray[np.int64]", width: int | None) -> int:
    """Return for how many models a line has room, beside what it always holds."""
    most = min(rank.shape[1], _MOST_MODELS)
    if width is None:
        return most
    widest = (max(len(c.header), *(len(x) for x in c.cells)) for c in columns)
    taken = sum(min(w, c.most or w) + 1 for w, c in zip(widest, columns, strict=True))
    each = len(str(int(rank.max()))) + 1
    return int(np.clip((width + 1 - taken) // each, 1, most))


def models_sheet(comparison: "xr.Dataset", *, most: int) -> Sheet:
    """Return the models with the ranks that rules give them, in the order they come in.

    Parameters
    ----------
    comparison : xarray.Dataset
        From `bayesrank.studies.compare_rules`, models from the best down.
    most : int
        How many of them.

    Returns
    -------
    Sheet
    """
    total = comparison.sizes["system"]
    comparison = comparison.isel(system=slice(most))
    rank = comparison["rank"].to_numpy()
    low, high = (comparison[v].to_numpy()[0] for v in ("rank_low", "rank_high"))
    best, worst = rank.min(axis=0), rank.max(axis=0)
    rules = [str(name) for name in comparison["rule"].to_numpy()]
    names = [str(name) for name in comparison["system"].to_numpy()]
    columns = [
        Column("#", [str(j + 1) for j in range(rank.shape[1])]),
        Column("model", names, numeric=False, name=True),
        Column("rank", rank_cells(rank[0])),
        Column(
            f"{100 * float(comparison.attrs['ci_prob']):g}%",
            joined(*([f"{r:.0f}" for r in end] for end in (low, high))),
        ),
        Column("by rules", span_cells(best, worst)),
        Column("best by", _rules_at(rank, best, rules), numeric=False, most=_RULE_WIDTH),
        Column("worst by", _rules_at(rank, worst, rules), numeric=False, most=_RULE_WIDTH),
    ]
    key = (
        f"rank, interval: by {comparison.attrs['reference']}. by rules: from the best to the worst "
        f"rank that any rule gives, and which rule does, + how many more."
    )
    shown = f", the first {most} of {total}" if total > most else ""
    return Sheet(lead=[f"Models{shown}."], columns=columns, footer=[key])


def _rules_at(
    rank: "NDArray[np.int64]", extreme: "NDArray[np.int64]", names: list[str]
) -> list[str]:
    """Name a rule at the extreme, and how many more are; nothing where the reference is."""
    there = rank == extreme
    return [
        ""
        if column[0]
        else names[int(column.argmax())] + (f" +{column.sum() - 1}" if column.sum() > 1 else "")
        for column in there.T
    ]


def contested_sheet(
    comparison: "xr.Dataset", contested: "pd.DataFrame", *, width: int | None = None
) -> Sheet:
    """Return the pairs of models that rules order oppositely, the most contested first.

    Parameters
    ----------
    comparison : xarray.Dataset
        From `bayesrank.studies.compare_rules`.
    contested : pandas.DataFrame
        From `bayesrank.studies.contested_pairs` of it; not empty.
    width : int, optional
        Characters a line has room for.

    Returns
    -------
    Sheet
    """
    rows = contested.head(_MOST_PAIRS)
    draws = int(comparison.attrs["draws"])
    room = _RULES_WIDTH[1] if width is None else int(np.clip(width - _BESIDE_RULES, *_RULES_WIDTH))
    place = {str(name): j + 1 for j, name in enumerate(comparison["system"].to_numpy())}
    chance = [probability_text(p, mcse=0.0, n_draws=draws) for p in rows["superiority"].tolist()]
    more = f", the first {len(rows)} of {len(contested)}" if len(contested) > len(rows) else ""
    columns = [
        *(
            Column(side, [f"{place[n]} {n}" for n in rows[side].tolist()], numeric=False, name=True)
            for side in ("above", "below")
        ),
        Column("for", [str(n) for n in rows["rules_for"].tolist()]),
        Column("against", [str(n) for n in rows["rules_against"].tolist()]),
        Column("P(above)", chance),
        Column("apart", ["yes" if a else "no" for a in rows["told_apart"].tolist()], numeric=False),
        Column("rules against", [_named(names, room) for names in rows["against"]], numeric=False),
    ]
    reference, level = comparison.attrs["reference"], 100 * float(comparison.attrs["ci_prob"])
    key = (
        f"for, against: rules that order the two as {reference} does, and the other way round. "
        f"P(above), apart: the probability of that order under {reference}, and whether it (or its "
        f"opposite) reaches {level:g} %."
    )
    return Sheet(lead=[f"Contested pairs{more}."], columns=columns, footer=[key])


def _named(names: tuple[str, ...], room: int) -> str:
    """Return as many rules as there is room for, and how many more there are."""
    shown: list[str] = []
    for name in names:
        if shown and len(", ".join([*shown, name])) > room:
            break
        shown.append(name)
    more = f" +{len(names) - len(shown)}" if len(names) > len(shown) else ""
    return ", ".join(shown) + more
