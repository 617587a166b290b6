"""A study of likelihoods and rules as text: methods, ranks side by side, contested pairs, LOO."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank.data._html import plural
from bayesrank.reports import _sensitivity_cells as shared
from bayesrank.reports._cells import joined
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "likelihood_answer",
    "likelihood_footer",
    "likelihood_sensitivity_to_dict",
    "likelihood_sheets",
    "render_likelihood_sensitivity",
]

_SCHEMA_VERSION = 1
_MOST_PAIRS = 12
_TABLE = ("score", "score_low", "score_high", "rank", "rank_low", "rank_high", "p_best")
_LOO = (
    *("elpd", "elpd_se", "elpd_diff", "elpd_diff_se", "p_loo", "loo_weight"),
    *("k_hat_max", "k_hat_high"),
)


def render_likelihood_sensitivity(
    study: "xr.Dataset",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return models and rules of the same data as text: where they agree, and why not.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.likelihood_sensitivity`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`; "csv" has a row for each method and model.
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
    >>> from bayesrank.reports import render_likelihood_sensitivity
    >>> from bayesrank.studies import likelihood_sensitivity
    >>> data = bayesrank.Responses.from_counts([[9, 9, 0], [5, 5, 10]], 10)
    >>> methods = ["bayes-at-n", "mean", "borda"]
    >>> found = likelihood_sensitivity(data, methods=methods, draws=25, random_seed=1)
    >>> print(render_likelihood_sensitivity(found).splitlines()[0])
    'model 2' leads under 2 of 3 methods, 'model 1' under 1.
    """
    return in_format(
        format,
        width=width,
        sheets=lambda: likelihood_sheets(study, width=width if format == "table" else None),
        plain=lambda: likelihood_sensitivity_to_dict(study),
        rows=lambda: _csv_rows(study),
    )


def likelihood_answer(study: "xr.Dataset") -> list[str]:
    """Return what came out: who leads, how far methods agree, which model predicts best."""
    names = study["system"].to_numpy()
    first = [str(names[k]) for k in study["score"].to_numpy().argmax(axis=1)]
    lines = [shared.leaders(first, of="methods")]
    tau = study["tau_b_between"].to_numpy().copy()
    off = tau[np.triu_indices(len(tau), 1)]
    if np.isfinite(off).all() and (off == 1.0).all():
        lines.append("All methods show the same order.")
    elif np.isfinite(off).any():
        np.fill_diagonal(tau, np.nan)
        i, j = np.unravel_index(np.nanargmin(tau), tau.shape)
        methods = study["analysis"].to_numpy()
        lines.append(
            f"Between two methods tau-b is {np.nanmedian(off):.3f} at the median and "
            f"{tau[i, j]:.3f} at least ({methods[i]} and {methods[j]})."
        )
    count = int(study.attrs["contested"])
    n = study.sizes["system"]
    if count:
        told = study["pair_told_apart"].to_numpy()
        most = "" if count == len(told) else f" of the first {len(told)}"
        lines.append(
            f"{plural(count, 'pair')} of {n * (n - 1) // 2:,} {'is' if count == 1 else 'are'} "
            f"ordered oppositely by some methods; {study.attrs['reference']} itself tells "
            f"{int(told.sum()) or 'none'}{most} of them apart at {shared.level(study)}."
        )
    else:
        lines.append("No two methods order a pair of models oppositely.")
    if "elpd" in study:
        lines.append(_best_prediction(study))
    return lines


def _best_prediction(study: "xr.Dataset") -> str:
    names = [str(name) for name in study["loo_analysis"].to_numpy()]
    diff, se = (study[k].to_numpy() for k in ("elpd_diff", "elpd_diff_se"))
    level = [n for n, d, s in zip(names[1:], diff[1:], se[1:], strict=True) if -d < 2 * s]
    tied = f"; {', '.join(level)} no worse by two standard errors" if level else ""
    bad = [n for n, k in zip(names, study["k_hat_high"].to_numpy(), strict=True) if k]
    doubt = f" (k-hat is high in some cells of {', '.join(bad)})" if bad else ""
    return f"{names[0]} predicts left-out cells best{tied}{doubt}."


def likelihood_sheets(study: "xr.Dataset", *, width: int | None = None) -> list[Sheet]:
    """Return what every text format shows: methods, ranks, contested pairs, predictions.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.likelihood_sensitivity`.
    width : int, optional
        Characters a line has room for.

    Returns
    -------
    list of Sheet
    """
    sheets = [
        _methods_sheet(study),
        shared.ranks_sheet(study, dim="analysis", what="methods", width=width),
    ]
    if study.sizes["pair"]:
        sheets.append(_pairs_sheet(study, in_lines=width is not None))
    if "elpd" in study:
        sheets.append(_loo_sheet(study))
    last = sheets[-1]
    sheets[-1] = replace(last, footer=(*last.footer, *likelihood_footer(study)))
    return sheets


def _methods_sheet(study: "xr.Dataset") -> Sheet:
    names = [str(name) for name in study["analysis"].to_numpy()]
    tau, mean, low, high = (
        study[k].to_numpy()[0] for k in ("tau_b_between", "tau_b_mean", "tau_b_low", "tau_b_high")
    )
    systems = study["system"].to_numpy()
    best = study["score"].to_numpy().argmax(axis=1)
    columns = [
        Column("#", [str(k + 1) for k in range(len(names))]),
        Column("method", names, numeric=False, most=24),
        Column("drawn", [str(h) for h in study["how"].to_numpy()], numeric=False),
        Column("leader", [str(systems[k]) for k in best], numeric=False, name=True),
        Column("tau-b", [_tau(t) for t in tau]),
        Column("draws", [_tau(t) for t in mean]),
        Column(shared.level(study), joined([_tau(t) for t in low], [_tau(t) for t in high])),
        Column("checks", [str(v) for v in study["verdict"].to_numpy()], numeric=False),
        Column("seconds", shared.seconds(study["seconds"].to_numpy())),
    ]
    reference = study.attrs["reference"]
    key = (
        f"tau-b: to the order of {reference}. draws: mean of tau-b between a draw of the method "
        f"and an independent draw of {reference}, with {shared.level(study)} of them; on the row "
        f"of {reference}, how far it agrees with itself."
    )
    return Sheet(lead=likelihood_answer(study), columns=columns, footer=[key])


def _tau(value: float) -> str:
    return "?" if np.isnan(value) else f"{value:.3f}"


def _pairs_sheet(study: "xr.Dataset", *, in_lines: bool) -> Sheet:
    """Return the contested pairs; what turns them below the table, where its lines are short."""
    total = int(study.attrs["contested"])
    found = study.isel(pair=slice(_MOST_PAIRS))
    shown = found.sizes["pair"]
    columns = [
        Column("#", [str(k + 1) for k in range(shown)]),
        *(
            Column(side, [str(x) for x in found[f"pair_{which}"].values], numeric=False, name=True)
            for side, which in (("first", "above"), ("second", "below"))
        ),
        Column("for", [str(x) for x in found["pair_for"].values]),
        Column("against", [str(x) for x in found["pair_against"].values]),
        Column("P", [shared.chance(p, study) for p in found["pair_superiority"].values]),
    ]
    why = [str(x) for x in found["pair_why"].values]
    if not in_lines:
        columns.append(Column("what turns them", why, numeric=False))
    key = (
        f"for, against: methods with the first above the second, and the other way round. P: that "
        f"the first is above, by {study.attrs['reference']}."
    )
    more = f", the first {shown} of {total}" if total > shown else ""
    lines = [f"{k + 1}: {text}." for k, text in enumerate(why)] if in_lines else []
    return Sheet(lead=[f"Contested pairs{more}."], columns=columns, footer=[key, *lines])


def _loo_sheet(study: "xr.Dataset") -> Sheet:
    def numbers(name: str, places: int) -> list[str]:
        return [f"{x:.{places}f}" for x in study[name].to_numpy()]

    columns = [
        Column("method", [str(x) for x in study["loo_analysis"].to_numpy()], numeric=False),
        Column("elpd", numbers("elpd", 1)),
        Column("se", numbers("elpd_se", 1)),
        Column("difference", numbers("elpd_diff", 1)),
        Column("its se", numbers("elpd_diff_se", 1)),
        Column("parameters", numbers("p_loo", 1)),
        Column("weight", numbers("loo_weight", 2)),
        Column("largest k-hat", numbers("k_hat_max", 2)),
        Column("high", [str(int(x)) for x in study["k_hat_high"].to_numpy()]),
    ]
    key = (
        "elpd: expected log predictive density of cells that are left out (higher is better), and "
        "differences from the best. parameters: effective number. weight: by stacking. high: cells "
        "with k-hat above 0.7, whose part is not to be trusted; k-hat 0: exact."
    )
    return Sheet(lead=["Which model predicts left-out cells."], columns=columns, footer=[key])


def likelihood_footer(study: "xr.Dataset") -> list[str]:
    """Return what has to be known to read the study."""
    attrs = study.attrs
    refused = [
        f"Not ranked: {name}: {why}"
        for name, why in zip(study["refused"].values, study["reason"].values, strict=True)
    ]
    draws = (
        f"Population: {attrs['population']}; {4 * int(attrs['draws']):,} draws of each method, "
        f"independent of those of the others, seed {attrs['seed']}."
    )
    return [
        *map(str, attrs["loo"]),
        *refused,
        draws,
        *map(str, attrs["notes"]),
        f"Data: {attrs['source']}.",
    ]


# ---------------------------------------------------------------- plain values


def likelihood_sensitivity_to_dict(study: "xr.Dataset") -> dict[str, Any]:
    """Return a study of likelihoods and rules as plain values, ready for JSON.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.likelihood_sensitivity`.

    Returns
    -------
    dict
        ``schema_version`` (1), ``answer``, the configuration, ``methods`` (each with a ``table``
        of models), ``tau_b`` between any two with ends over the draws, ``contested`` pairs,
        ``loo`` (``statements`` and ``table``), ``refused`` and ``notes``. What is not known is
        null.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import likelihood_sensitivity_to_dict
    >>> from bayesrank.studies import likelihood_sensitivity
    >>> data = bayesrank.Responses.from_counts([[9, 9, 0], [5, 5, 10]], 10)
    >>> found = likelihood_sensitivity(data, methods=["mean", "borda"], draws=25, random_seed=1)
    >>> [each["method"] for each in likelihood_sensitivity_to_dict(found)["methods"]]
    ['mean', 'borda']
    """
    attrs = study.attrs
    keys = ("reference", "population", "ci_prob", "draws", "seed")
    pairs = ("above", "below", "for", "against", "superiority", "told_apart", "methods_against")
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": " ".join(likelihood_answer(study)),
            **{key: attrs[key] for key in keys},
            "data": {"source": attrs["source"], "hash": attrs["data_hash"]},
            "methods": _methods(study),
            "tau_b": _between(study),
            "contested": [
                {k: study[f"pair_{k}"].values[row].item() for k in (*pairs, "why")}
                for row in range(study.sizes["pair"])
            ],
            "loo": {
                "statements": attrs["loo"],
                "table": [
                    {
                        "method": str(name),
                        **{k: float(study[k].values[row]) for k in _LOO},
                    }
                    for row, name in enumerate(study["loo_analysis"].values)
                ]
                if "elpd" in study
                else [],
            },
            "refused": [
                {"method": str(name), "reason": str(why)}
                for name, why in zip(study["refused"].values, study["reason"].values, strict=True)
            ],
            "notes": attrs["notes"],
        }
    )


def _methods(study: "xr.Dataset") -> list[dict[str, Any]]:
    each = (study.isel(analysis=k) for k in range(study.sizes["analysis"]))
    return [
        {
            "method": str(one["analysis"].item()),
            "drawn": str(one["how"].item()),
            "prior": str(one["prior"].item()),
            "verdict": str(one["verdict"].item()),
            "failed": str(one["failed"].item()) or None,
            "seconds": float(one["seconds"]),
            "table": [
                {"model": str(model), **{name: one[name].values[i].item() for name in _TABLE}}
                for i, model in enumerate(one["system"].values)
            ],
        }
        for one in each
    ]


def _between(study: "xr.Dataset") -> list[dict[str, Any]]:
    names = [str(name) for name in study["analysis"].values]
    values = {k: study[f"tau_b_{k}"].to_numpy() for k in ("between", "mean", "low", "high")}
    return [
        {
            "methods": [names[i], names[j]],
            **{k: float(v[i, j]) for k, v in values.items()},
            "opposed": int(study["opposed"].values[i, j]),
        }
        for i in range(len(names))
        for j in range(i, len(names))
    ]


def _csv_rows(study: "xr.Dataset") -> list[dict[str, Any]]:
    keys = ("method", "drawn", "verdict")
    return [
        {key: one[key] for key in keys} | row
        for one in plain(_methods(study))
        for row in one["table"]
    ]
