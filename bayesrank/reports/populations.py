"""The same models under each population, as text in any format."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank._text import quoted
from bayesrank.ranking.digits import probability_text
from bayesrank.reports._cells import joined, places_for, score_cells, span_cells
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import plain
from bayesrank.reports.variance import variance_sheet, variance_to_dict

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

__all__ = [
    "best_first",
    "neighbours_sheet",
    "populations_answer",
    "populations_footer",
    "populations_sheets",
    "populations_to_dict",
    "ranks_sheet",
    "render_populations",
    "scores_sheet",
]

_SCHEMA_VERSION = 1
# Formats without a width show this many models; the formats for machines hold all.
_MOST_MODELS = 60
# What marks a pair that is told apart.
_APART = "*"
_TABLE = (
    *("score", "score_sd", "score_low", "score_high", "rank", "rank_low", "rank_high", "p_best"),
)
_PAIRS = ("gap", "gap_low", "gap_high", "superiority", "told_apart")


def render_populations(
    study: "xr.Dataset",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return scores, ranks and neighbours under each population as text, and where they come from.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.populations`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`; "csv" has a row for each population and model.
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
    >>> import bayesrank
    >>> from bayesrank.reports import render_populations
    >>> from bayesrank.studies import populations
    >>> data = bayesrank.Responses.from_counts([[9, 9, 0], [1, 1, 0]], 10)
    >>> found = populations(data, among=["trials"], draws=100, random_seed=1)
    >>> print(render_populations(found).splitlines()[0])
    Neighbours told apart at 95 %, of 1: 1 under trials.
    """
    return in_format(
        format,
        width=width,
        sheets=lambda: populations_sheets(study),
        plain=lambda: populations_to_dict(study),
        rows=lambda: _csv_rows(study),
    )


def best_first(study: "xr.Dataset") -> "xr.Dataset":
    """Return the study with models in the order of its pairs, from the best down.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.populations`.

    Returns
    -------
    xarray.Dataset
    """
    order = [*study["above"].to_numpy(), study["below"].to_numpy()[-1]]
    return study.sel(system=order)


def populations_answer(study: "xr.Dataset") -> list[str]:
    """Return what came out: who is told apart, who leads, how wide intervals are, and why.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.populations`.

    Returns
    -------
    list of str
    """
    names = _names(study)
    apart = study["told_apart"].sum("pair").to_numpy()
    level = f"{100 * float(study.attrs['ci_prob']):g} %"
    told = _series([str(int(k)) for k in apart], names)
    lines = [f"Neighbours told apart at {level}, of {study.sizes['pair']}: {told}."]
    leader = int(study["p_best"].isel(population=0).argmax("system"))
    chance = [_chance(study, i, "p_best", leader) for i in range(len(names))]
    leads = quoted(str(study["system"].to_numpy()[leader]))
    lines.append(f"{leads} is best with probability {_series(chance, names)}.")
    width = (study["score_high"] - study["score_low"]).mean("system").to_numpy()
    if len(names) > 1 and width[0] > 0:
        times = [f"{w / width[0]:.1f} times" for w in width[1:]]
        said = _series(times, names[1:])
        lines.append(f"Width of score intervals against that under {names[0]}: {said}.")
    if "share" in study:
        lines.append(_shares_in_words(study))
    return lines


def _shares_in_words(study: "xr.Dataset") -> str:
    kind, share = study["kind"].to_numpy(), study["share"].to_numpy()
    sources = [str(s) for s in study["source"].to_numpy()]

    def said(rows: "NDArray[np.bool_]") -> str:
        known = np.nan_to_num(share[rows])
        # A model that always fails has no variance to share out.
        varies = known.sum(axis=1) > 0
        mean = known[varies].mean(axis=0) if varies.any() else known.mean(axis=0)
        first = [k for k in np.argsort(-mean, kind="stable") if np.isfinite(share[:, k]).any()]
        return ", ".join(f"{sources[k]} {100 * mean[k]:.0f} %" for k in first)

    return (
        f"Where the variance comes from, on average: of scores {said(kind == 'model')}; "
        f"of gaps between neighbours {said(kind == 'gap')}."
    )


def populations_sheets(study: "xr.Dataset") -> list[Sheet]:
    """Return what every text format shows: scores, ranks, neighbours, shares of the variance.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.populations`.

    Returns
    -------
    list of Sheet
    """
    answer = populations_answer(study)
    first = scores_sheet(study)
    sheets = [
        Sheet([*answer, "", *first.lead], first.columns, first.footer),
        ranks_sheet(study),
        neighbours_sheet(study),
    ]
    if "share" in study:
        found = variance_sheet(study)
        sheets.append(found)
    last = sheets[-1]
    sheets[-1] = Sheet(last.lead, last.columns, [*last.footer, *populations_footer(study)])
    return sheets


def scores_sheet(study: "xr.Dataset") -> Sheet:
    """Return the intervals of scores, a column a population.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.populations`.

    Returns
    -------
    Sheet
    """
    found = _shown(study)
    places = places_for((found["score_high"] - found["score_low"]).to_numpy() / 4.0)
    columns = [
        Column("#", [str(i + 1) for i in range(found.sizes["system"])]),
        Column("model", _systems(found), numeric=False, name=True),
        Column("score", score_cells(found["score"].to_numpy()[0], places=places)),
    ]
    for i, name in enumerate(_names(found)):
        ends = (
            score_cells(found[v].to_numpy()[i], places=places) for v in ("score_low", "score_high")
        )
        columns.append(Column(name, joined(*ends)))
    key = f"score: under {_names(found)[0]}. Its {_level(found)} intervals under each population."
    return Sheet([f"Scores{_more(study)}."], columns, [key])


def ranks_sheet(study: "xr.Dataset") -> Sheet:
    """Return the credible ranks and the probability of being best, columns of each population.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.populations`.

    Returns
    -------
    Sheet
    """
    found = _shown(study)
    names = _names(found)
    columns = [
        Column("#", [str(i + 1) for i in range(found.sizes["system"])]),
        Column("model", _systems(found), numeric=False, name=True),
    ]
    for i, name in enumerate(names):
        ends = (found[v].to_numpy()[i].astype(np.int64) for v in ("rank_low", "rank_high"))
        columns.append(Column(name, span_cells(*ends)))
    for i, name in enumerate(names):
        cells = [_chance(found, i, "p_best", j) for j in range(found.sizes["system"])]
        columns.append(Column(f"best, {name}", cells))
    key = (
        f"Ranks: {_level(found)} credible intervals under each population. best: the probability "
        f"of being best."
    )
    return Sheet([f"Ranks{_more(study)}."], columns, [key])


def neighbours_sheet(study: "xr.Dataset") -> Sheet:
    """Return neighbours in the observed order, and how surely they are in it.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.populations`.

    Returns
    -------
    Sheet
    """
    found = study.isel(pair=slice(_MOST_MODELS))
    n = found.sizes["pair"]
    places = places_for((found["gap_high"] - found["gap_low"]).to_numpy() / 4.0)
    columns = [
        Column("#", [f"{i + 1}, {i + 2}" for i in range(n)], numeric=False),
        *(
            Column(side, [str(x) for x in found[side].to_numpy()], numeric=False, name=True)
            for side in ("above", "below")
        ),
        Column("gap", score_cells(found["gap"].to_numpy()[0], places=places)),
    ]
    apart = found["told_apart"].to_numpy()
    for i, name in enumerate(_names(found)):
        cells = [
            _chance(found, i, "superiority", j) + (_APART if apart[i, j] else " ") for j in range(n)
        ]
        columns.append(Column(name, cells))
    key = (
        f"Probability that the model above is above the one below, under each population. "
        f"{_APART}: told apart, it or its opposite reaches {_level(found)}. gap: under "
        f"{_names(found)[0]}."
    )
    return Sheet(["Neighbours in the observed order."], columns, [key])


def populations_footer(study: "xr.Dataset") -> list[str]:
    """Return what has to be known to read the study.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.populations`.

    Returns
    -------
    list of str
    """
    attrs = study.attrs
    units = [
        f"{name} ({text})"
        for name, text in zip(_names(study), study["units"].to_numpy(), strict=True)
    ]
    own = str(study["prior"].to_numpy()[0])
    drawn = (
        f"Populations: {', '.join(units)}; {attrs['draws']:,} draws each. What is named is new, "
        f"all else stays as it was observed."
    )
    return [
        drawn,
        f"Prior under {_names(study)[0]}: {own}.",
        *(str(note) for note in attrs["notes"]),
        f"Data: {attrs['source']}.",
    ]


def populations_to_dict(study: "xr.Dataset") -> dict[str, Any]:
    """Return the study as plain values, ready for JSON.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.populations`.

    Returns
    -------
    dict
        ``schema_version`` (1), ``answer``, ``ci_prob``, ``draws``, ``seed``, ``data``,
        ``populations`` (for each its ``units``, ``estimand``, ``prior``, a ``table`` of models and
        ``pairs`` of neighbours), ``variance`` (rows as in `variance_to_dict`, or null) and
        ``notes``.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import populations_to_dict
    >>> from bayesrank.studies import populations
    >>> data = bayesrank.Responses.from_counts([[9, 9, 0], [1, 1, 0]], 10)
    >>> found = populations(data, among=["trials"], draws=100, random_seed=1)
    >>> populations_to_dict(found)["populations"][0]["pairs"][0]["told_apart"]
    True
    """
    found, attrs = best_first(study), study.attrs
    variance = None
    if "share" in study:
        variance = variance_to_dict(study)["table"]
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": " ".join(populations_answer(study)),
            **{key: attrs[key] for key in ("ci_prob", "draws", "seed")},
            "data": {"source": attrs["source"], "hash": attrs["data_hash"]},
            "populations": [_one(found.isel(population=i)) for i in range(len(_names(found)))],
            "variance": variance,
            "notes": attrs["notes"],
        }
    )


def _one(found: "xr.Dataset") -> dict[str, Any]:
    values = {name: found[name].to_numpy() for name in _TABLE}
    pairs = {name: found[name].to_numpy() for name in ("above", "below", *_PAIRS)}
    return {
        "population": str(found["population"].item()),
        **{key: str(found[key].item()) for key in ("units", "estimand", "prior")},
        "table": [
            {"model": model, **{name: _plain(name, column[i]) for name, column in values.items()}}
            for i, model in enumerate(_systems(found))
        ],
        "pairs": [
            {name: column[i].item() for name, column in pairs.items()}
            for i in range(found.sizes["pair"])
        ],
    }


def _plain(name: str, value: float) -> float | int:
    return int(value) if name.startswith("rank") else float(value)


def _csv_rows(study: "xr.Dataset") -> list[dict[str, Any]]:
    """Return a row for each population and model, with the neighbour below it."""
    rows: list[dict[str, Any]] = []
    for one in populations_to_dict(study)["populations"]:
        below: dict[str, Any] = {pair["above"]: pair for pair in one["pairs"]}
        for row in one["table"]:
            pair: dict[str, Any] = below.get(row["model"], {})
            rows.append(
                {
                    "population": one["population"],
                    **row,
                    "next": pair.get("below"),
                    **{f"next_{name}": pair.get(name) for name in _PAIRS},
                }
            )
    return rows


def _shown(study: "xr.Dataset") -> "xr.Dataset":
    return best_first(study).isel(system=slice(_MOST_MODELS))


def _more(study: "xr.Dataset") -> str:
    total = study.sizes["system"]
    return f", the first {_MOST_MODELS} of {total} models" if total > _MOST_MODELS else ""


def _names(study: "xr.Dataset") -> list[str]:
    return [str(name) for name in np.atleast_1d(study["population"].to_numpy())]


def _systems(study: "xr.Dataset") -> list[str]:
    return [str(name) for name in study["system"].to_numpy()]


def _level(study: "xr.Dataset") -> str:
    return f"{100 * float(study.attrs['ci_prob']):g} %"


def _chance(study: "xr.Dataset", population: int, name: str, at: int) -> str:
    value, error = (study[f"{name}{end}"].to_numpy()[population, at] for end in ("", "_mcse"))
    return probability_text(float(value), mcse=float(error), n_draws=int(study.attrs["draws"]))


def _series(values: list[str], names: list[str]) -> str:
    return ", ".join(f"{value} under {name}" for value, name in zip(values, names, strict=True))
