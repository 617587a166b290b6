"""An arena as its votes came in, as text in any format."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank._text import quoted
from bayesrank.ranking.digits import number_text, probability_text
from bayesrank.reports._cells import best_first, joined, places_for, rank_cells, score_cells
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._plan_words import percent
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["budgets_sheets", "budgets_to_dict", "render_budgets"]

_SCHEMA_VERSION = 1
_MODELS = 25
# Ranks at this many prefixes fit beside a model's name.
_COURSE = 6
_VALUES = (
    "score",
    "score_low",
    "score_high",
    "rank",
    "rank_low",
    "rank_high",
    "p_best",
    "votes_of",
)
_FACTS = ("tau_b", "told_apart", "leader", "period", "drawn", "verdict")


def render_budgets(
    study: "xr.Dataset",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return a study of budgets as text: the order after each part of the votes.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.battle_budgets`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`; "csv" has a row for each prefix and model.
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
    >>> from bayesrank import Comparisons
    >>> from bayesrank.reports import render_budgets
    >>> from bayesrank.studies import battle_budgets
    >>> data = Comparisons.from_counts(["a", "b", "a"], ["b", "c", "c"], [60, 55, 70], [30, 40, 20])
    >>> found = battle_budgets(data, prefixes=3, draws=200, random_seed=1)
    >>> print(render_budgets(found).splitlines()[0])
    'a' leads in every prefix, from 92 to all 275 votes.
    """
    return in_format(
        format,
        width=width,
        sheets=lambda: budgets_sheets(study),
        plain=lambda: budgets_to_dict(study),
        rows=lambda: _rows(study),
    )


def budgets_answer(study: "xr.Dataset") -> list[str]:
    """Return when the leader and the order settled."""
    attrs, sizes = study.attrs, study["votes"].to_numpy()
    leader, since, total = quoted(attrs["leader"]), int(attrs["leader_since"]), int(sizes[-1])
    first = (
        f"{leader} leads from the first {since:,} of {total:,} votes on."
        if since > sizes[0]
        else f"{leader} leads in every prefix, from {since:,} to all {total:,} votes."
    )
    tau = study["tau_b"].to_numpy()
    near = np.flatnonzero(tau < 0.9)
    settled = int(sizes[near[-1] + 1]) if near.size else int(sizes[0])
    apart = percent(float(study["told_apart"][-1]))
    p = float(study["p_best"].sel(system=attrs["leader"])[-1])
    second = (
        f"From {settled:,} votes on, tau-b to the order of all votes is .9 and more; with all of "
        f"them {apart} of neighbours are told apart, and P(best) of {leader} is {_p(p, study)}."
    )
    return [first, second]


def budgets_sheets(study: "xr.Dataset") -> list[Sheet]:
    """Return what every text format shows: prefixes, then the ranks of models in them.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.battle_budgets`.

    Returns
    -------
    list of Sheet
    """
    table = models_sheet(study, most=_MODELS)
    last = Sheet(table.lead, table.columns, [*table.footer, *budgets_footer(study)])
    return [prefixes_sheet(study), last]


def prefixes_sheet(study: "xr.Dataset") -> Sheet:
    """Return a row for each prefix.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.battle_budgets`.

    Returns
    -------
    Sheet
    """
    sizes = study["votes"].to_numpy()
    leader = [str(name) for name in study["leader"].to_numpy()]
    best = [float(study["p_best"].sel(system=n)[k]) for k, n in enumerate(leader)]
    columns = [
        Column("votes", [f"{int(n):,}" for n in sizes]),
        Column("leader", leader, numeric=False, name=True),
        Column("P(best)", [_p(p, study) for p in best]),
        Column("tau-b", [number_text(float(t), places=3) for t in study["tau_b"].to_numpy()]),
        Column("told apart", [percent(float(t)) for t in study["told_apart"].to_numpy()]),
        Column("drawn by", [str(m) for m in study["drawn"].to_numpy()], numeric=False),
        Column("checks", [str(v) for v in study["verdict"].to_numpy()], numeric=False),
    ]
    if study.attrs["timed"]:
        until = [str(p) for p in study["period"].to_numpy()]
        columns.insert(1, Column("until", until, numeric=False, most=20))
    level = f"{100 * float(study.attrs['ci_prob']):g} %"
    key = (
        f"tau-b: of the order to that of all votes. told apart: share of neighbours in the order "
        f"of these votes whose order has {level} and more."
    )
    return Sheet(lead=budgets_answer(study), columns=columns, footer=[key])


def models_sheet(study: "xr.Dataset", *, most: int) -> Sheet:
    """Return models in the order of all votes, with their ranks in some prefixes.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.battle_budgets`.
    most : int
        How many of them.

    Returns
    -------
    Sheet
    """
    last = study.isel(votes=-1)
    order = best_first(last["rank"].to_numpy(), last["score"].to_numpy())[:most]
    found = study.isel(system=order)
    last = found.isel(votes=-1)
    n = study.sizes["votes"]
    chosen = np.unique(np.linspace(0, n - 1, min(n, _COURSE)).round().astype(int))
    width = last["score_high"].to_numpy() - last["score_low"].to_numpy()
    places = places_for(width / 4.0)
    low, high = (last[v].to_numpy() for v in ("rank_low", "rank_high"))
    columns = [
        Column("rank", rank_cells(last["rank"].to_numpy())),
        Column("model", [str(x) for x in found["system"].to_numpy()], numeric=False, name=True),
        Column("score", score_cells(last["score"].to_numpy(), places=places)),
        Column("ranks", joined([f"{r:.0f}" for r in low], [f"{r:.0f}" for r in high])),
        *(
            Column(
                f"{int(study['votes'][k]):,}",
                [f"{int(r)}" for r in found["rank"].to_numpy()[k]],
            )
            for k in chosen[:-1]
        ),
    ]
    total = study.sizes["system"]
    shown = f", the first {len(order)} of {total}" if total > len(order) else ""
    level = f"{100 * float(study.attrs['ci_prob']):g} %"
    key = (
        f"score: log-odds. ranks: {level} credible interval with all votes. Numbers of votes: the "
        f"rank with so many of them."
    )
    return Sheet(lead=[f"Models{shown}."], columns=columns, footer=[key])


def budgets_footer(study: "xr.Dataset") -> list[str]:
    """Return what has to be known to read the study.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.battle_budgets`.

    Returns
    -------
    list of str
    """
    attrs = study.attrs
    about = (
        "battles (new battles like these)"
        if attrs["resample"] == "none"
        else f"{attrs['resample']} (new {attrs['resample']} like these, resampled and refitted)"
    )
    return [
        f"Population: {about}. Ties: {attrs['ties']}. {attrs['draws']:,} draws a prefix.",
        *attrs["notes"],
        f"Data: {attrs['source']}, hash {attrs['data_hash']}; seed {attrs['seed']}.",
    ]


def budgets_to_dict(study: "xr.Dataset") -> dict[str, Any]:
    """Return a study of budgets as plain values, ready for JSON.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.battle_budgets`.

    Returns
    -------
    dict
        ``schema_version`` (1), ``answer``, ``leader``, ``leader_since``, the configuration,
        ``prefixes`` (for each its ``votes``, ``tau_b``, ``told_apart``, ``leader``, ``period``,
        ``drawn``, ``verdict`` and a ``table`` of the models), ``data`` and ``notes``.

    Examples
    --------
    >>> from bayesrank import Comparisons
    >>> from bayesrank.reports import budgets_to_dict
    >>> from bayesrank.studies import battle_budgets
    >>> data = Comparisons.from_counts(["a", "b", "a"], ["b", "c", "c"], [60, 55, 70], [30, 40, 20])
    >>> found = battle_budgets(data, prefixes=3, draws=200, random_seed=1)
    >>> [each["votes"] for each in budgets_to_dict(found)["prefixes"]]
    [92, 184, 275]
    """
    attrs = study.attrs
    rows = _rows(study)
    L = study.sizes["system"]
    keys = ("population", "resample", "method", "ties", "draws", "ci_prob", "timed", "seed")
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": " ".join(budgets_answer(study)),
            "leader": attrs["leader"],
            "leader_since": attrs["leader_since"],
            **{key: attrs[key] for key in keys},
            "prefixes": [
                {
                    "votes": int(study["votes"][k]),
                    **{name: study[name].to_numpy()[k] for name in _FACTS},
                    "table": [
                        {key: row[key] for key in ("model", *_VALUES)}
                        for row in rows[k * L : (k + 1) * L]
                    ],
                }
                for k in range(study.sizes["votes"])
            ],
            "data": {"source": attrs["source"], "hash": attrs["data_hash"]},
            "notes": attrs["notes"],
        }
    )


def _rows(study: "xr.Dataset") -> list[dict[str, Any]]:
    """Return a row for each prefix and model, models in the order of all votes."""
    last = study.isel(votes=-1)
    found = study.isel(system=best_first(last["rank"].to_numpy(), last["score"].to_numpy()))
    values = {name: found[name].to_numpy() for name in _VALUES}
    return [
        {
            "votes": int(n),
            "model": str(model),
            **{name: plain(values[name][k, i]) for name in _VALUES},
        }
        for k, n in enumerate(found["votes"].to_numpy())
        for i, model in enumerate(found["system"].to_numpy())
    ]


def _p(p: float, study: "xr.Dataset") -> str:
    return probability_text(p, mcse=0.0, n_draws=float(study.attrs["draws"]))
