"""A stability study as text in any format."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayesrank.reports import _stability_words as words
from bayesrank.reports._cells import rank_cells
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.stability_json import csv_rows, stability_to_dict

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "classes_sheet",
    "consensus_sheet",
    "curves_sheet",
    "gaps_sheet",
    "models_sheet",
    "pools_sheet",
    "render_stability",
    "stability_sheets",
    "winners_sheet",
]

_LABEL_WIDTH = 28
# Further tables show this many classes, from the nearest to the gold standard on.
_MOST_CLASSES = 12
_MOST_MODELS = 20
_MOST_BUDGETS = 8


def render_stability(
    study: "xr.Dataset",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return a stability study as text: methods, winners, curves, gaps, pools and models.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`; "csv" has a row for each method and budget.
    width : int, default 100
        Characters a line of "table" has room for.

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
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.reports import render_stability
    >>> from bayesrank.studies import stability
    >>> data = simulate_responses(systems=4, questions=20, trials=8, random_seed=1)
    >>> study = stability(data, methods=["mean", "borda"], random_seed=1)
    >>> print(render_stability(study).splitlines()[0][:19])
    With 1 trial a cell
    """
    return in_format(
        format,
        width=width,
        sheets=lambda: stability_sheets(study),
        plain=lambda: stability_to_dict(study),
        rows=lambda: csv_rows(study),
    )


def stability_sheets(study: "xr.Dataset") -> list[Sheet]:
    """Return what every text format shows.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.

    Returns
    -------
    list of Sheet
    """
    sheets = [classes_sheet(study), winners_sheet(study)]
    if study.sizes["trials"] > 1:
        sheets.append(curves_sheet(study, most=_MOST_CLASSES))
    sheets.append(gaps_sheet(study, most=_MOST_CLASSES))
    if "pool" in study.sizes:
        sheets.append(pools_sheet(study, most=_MOST_CLASSES))
    sheets.append(models_sheet(study, most=_MOST_MODELS))
    last = sheets[-1]
    more = (*words.refusals(study), *words.footer(study))
    sheets[-1] = replace(last, footer=(*last.footer, *more))
    return sheets


def classes_sheet(study: "xr.Dataset") -> Sheet:
    """Return a row for each class of methods, at the smallest budget.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.

    Returns
    -------
    Sheet
    """
    found = words.classes(study)
    n = int(study["trials"][0])
    columns = [_label(found), Column("size", [str(len(one.methods)) for one in found])]
    heads = {"gold": f"gold, n = {n}", "self": f"self, n = {n}", "greedy": f"greedy, n = {n}"}
    for name, head in heads.items():
        if f"tau_{name}" in study:
            columns.append(Column(head, _spread(study, f"tau_{name}", found)))
    columns.append(Column("others", _numbers(study, "consensus_mean", found)))
    tied = study["tied"].to_numpy()
    columns.append(Column("tied %", [words.percent(float(tied[one.row])) for one in found]))
    lost = study["refused"].to_numpy()[:, 0]
    if (lost > 0).any():
        cells = [words.percent(float(lost[one.row])) for one in found]
        columns.append(Column("lost %", ["" if c == "0" else c for c in cells]))
    key = (
        "Methods of one row order the models alike in every subsample and on all trials. others: "
        "mean tau-b to the other methods on all trials. tied: pairs of models without an order "
        "there. lost: subsamples that cannot be ranked."
    )
    third = ["greedy: to the order of all trials with the auxiliary outcomes as a prior."]
    return Sheet(
        lead=words.answer(study),
        columns=columns,
        footer=[key, *(third if "tau_greedy" in study else []), *words.equal_in_words(study)],
    )


def winners_sheet(study: "xr.Dataset") -> Sheet:
    """Return who is best at each budget, by the gold standard and by self-consistency.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.

    Returns
    -------
    Sheet
    """
    budgets = [int(n) for n in study["trials"].to_numpy()]
    names = [str(name) for name in study["rule"].to_numpy()]
    columns = [Column("n", [str(n) for n in budgets])]
    for target in ("gold", "self"):
        first = [words.best(study, target, b) for b in range(len(budgets))]
        tau = [
            words.number(float(study[f"tau_{target}"][names.index(own[0]), b])) if own else ""
            for b, own in enumerate(first)
        ]
        columns += [
            Column(f"best by {target}", [words.tie(own) for own in first], numeric=False),
            Column("tau-b", tau),
            Column("lead", [words.lead(study, target, b) for b in range(len(budgets))]),
        ]
    key = (
        "Methods tied for first have equal mean tau-b. lead: mean difference to the next best in "
        "the same subsamples, with its standard error; the best of many is picked after the fact, "
        "so take leads of a few errors only."
    )
    return Sheet(
        lead=["Best method at each budget of n trials a cell."], columns=columns, footer=[key]
    )


def consensus_sheet(study: "xr.Dataset") -> Sheet:
    """Return how far methods agree with all others on all trials, the most agreed first.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.

    Returns
    -------
    Sheet
    """
    mean = study["consensus_mean"].to_numpy()
    found = sorted(
        words.classes(study), key=lambda one: -round(float(np.nan_to_num(mean[one.row])), 12)
    )
    counts = {name: study[f"consensus_{name}"].to_numpy() for name in ("same", "close")}
    columns = [
        _label(found),
        Column("mean", _numbers(study, "consensus_mean", found)),
        Column("median", _numbers(study, "consensus_median", found)),
        Column("least", _numbers(study, "consensus_min", found)),
        Column("tau-b = 1", [str(int(counts["same"][one.row])) for one in found]),
        Column(">= .95", [str(int(counts["close"][one.row])) for one in found]),
    ]
    key = "tau-b to the other methods, and how many of them have the same order, or nearly."
    return Sheet(
        lead=["Consensus: agreement with the other methods on all trials."],
        columns=columns,
        footer=[key],
    )


def curves_sheet(study: "xr.Dataset", *, most: int) -> Sheet:
    """Return agreement with the gold standard, budget by budget.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.
    most : int
        How many classes.

    Returns
    -------
    Sheet
    """
    every = words.classes(study)
    found = every[:most]
    budgets = study["trials"].to_numpy()
    at = np.unique(np.linspace(0, len(budgets) - 1, _MOST_BUDGETS).round().astype(int))
    tau = study["tau_gold"].to_numpy()
    columns = [
        _label(found),
        *(
            Column(f"n = {budgets[b]}", [words.number(float(tau[one.row, b])) for one in found])
            for b in at
        ),
    ]
    lead = f"Convergence: agreement with the gold standard{_first(found, every)}."
    return Sheet(lead=[lead], columns=columns)


def gaps_sheet(study: "xr.Dataset", *, most: int, budget: int = 0) -> Sheet:
    """Return which pairs of models are ordered right, tied or reversed, by their gap.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.
    most : int
        How many classes.
    budget : int, default 0
        Position of the budget.

    Returns
    -------
    Sheet
    """
    every = words.classes(study)
    found = every[:most]
    pairs = study["pairs"].to_numpy()
    columns = [_label(found)]
    for g, gap in enumerate(study["gap"].to_numpy()):
        if not pairs[g]:
            continue
        parts = [study[f"pair_{what}"].to_numpy()[:, budget, g] for what in _KINDS]
        cells = [" / ".join(words.percent(float(part[one.row])) for part in parts) for one in found]
        columns.append(Column(f"gap {gap}", cells))
    counted = ", ".join(
        f"{int(count)} of {gap}" for gap, count in zip(study["gap"].to_numpy(), pairs, strict=True)
    )
    n = int(study["trials"][budget])
    key = (
        f"Right / tied / reversed in % of pairs and subsamples, n = {n}. gap: difference of two "
        f"models' scores on all trials; pairs: {counted}. Pairs that the gold standard ties are "
        f"left out."
    )
    return Sheet(
        lead=[f"Pairs of models by their gap{_first(found, every)}."], columns=columns, footer=[key]
    )


_KINDS = ("correct", "tied", "reversed")


def pools_sheet(study: "xr.Dataset", *, most: int) -> Sheet:
    """Return agreement on pools of models, and how often each method is best there.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`, with pools.
    most : int
        How many classes.

    Returns
    -------
    Sheet
    """
    every = words.classes(study)
    found = every[:most]
    columns = [_label(found)]
    for p, size in enumerate(study["pool"].to_numpy()):
        mean, sd, first = (
            study[name].to_numpy()[p]
            for name in ("pool_tau_gold", "pool_tau_gold_sd", "pool_best_gold")
        )
        columns += [
            Column(f"{size} models", [words.spread(mean[c.row], sd[c.row]) for c in found]),
            Column("best %", [words.percent(float(first[c.row])) for c in found]),
        ]
    counted = ", ".join(f"{count:,}" for count in study.attrs["pool_subsets"])
    key = (
        f"Agreement with the gold standard, mean ± sd between pools, n = "
        f"{int(study['trials'][0])} ({counted} pools). best: pools in which no method does better, "
        f"ties included. The row is that of its first method: others of it may differ on pools."
    )
    return Sheet(lead=[f"Pools of models{_first(found, every)}."], columns=columns, footer=[key])


def models_sheet(study: "xr.Dataset", *, most: int) -> Sheet:
    """Return the models from the best down, with the accuracy of auxiliary outcomes where given.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.
    most : int
        How many of them.

    Returns
    -------
    Sheet
    """
    total = study.sizes["system"]
    order = np.lexsort((-study["accuracy"].to_numpy(), study["gold_rank"].to_numpy()))[:most]
    shown = study.isel(system=order)
    columns = [
        Column("rank", rank_cells(shown["gold_rank"].to_numpy())),
        Column("model", [str(s) for s in shown["system"].to_numpy()], numeric=False, name=True),
        Column("accuracy", [words.number(float(a)) for a in shown["accuracy"].to_numpy()]),
    ]
    if "greedy" in study:
        columns += [
            Column("auxiliary", [words.number(float(a)) for a in shown["greedy"].to_numpy()]),
            Column("its rank", rank_cells(shown["greedy_rank"].to_numpy())),
        ]
    lead = (
        f"Models, by the gold standard{f', the first {most} of {total}' if total > most else ''}."
    )
    return Sheet(lead=[lead, *words.overview(study)], columns=columns)


def _first(found: list[words.Class], every: list[words.Class]) -> str:
    return f", the first {len(found)} of {len(every)} rows" if len(found) < len(every) else ""


def _label(found: list[words.Class]) -> Column:
    return Column("method", [one.label for one in found], numeric=False, most=_LABEL_WIDTH)


def _spread(study: "xr.Dataset", name: str, found: list[words.Class]) -> list[str]:
    mean, sd = study[name].to_numpy()[:, 0], study[f"{name}_sd"].to_numpy()[:, 0]
    return [words.spread(float(mean[one.row]), float(sd[one.row])) for one in found]


def _numbers(study: "xr.Dataset", name: str, found: list[words.Class]) -> list[str]:
    values = study[name].to_numpy()
    return [words.number(float(values[one.row])) for one in found]
