"""Exact abilities against coarse grids, as text in any format."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank.ranking.digits import number_text
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "quadrature_answer",
    "quadrature_footer",
    "quadrature_sheet",
    "quadrature_to_dict",
    "render_quadrature",
]

_SCHEMA_VERSION = 1
_EXACT, _GROUPED = "bound, exact", "mean, grouped"
_NUMBERS = (
    *("self_tau_b", "self_tau_b_sd", "self_tau_b_mcse", "gain", "gain_mcse"),
    *("gold_tau_b", "gold_tau_b_sd", "gold_tau_b_mcse", "mean_tau_b"),
    *("values", "values_all", "tied", "tied_all", "undefined"),
)


def render_quadrature(
    study: "xr.Dataset",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return how consistent exact abilities and coarse grids are with themselves, as text.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.quadrature_artefact`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`; "csv" has a row for each method.
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
    >>> from bayesrank.reports import render_quadrature
    >>> from bayesrank.studies import quadrature_artefact
    >>> data = simulate_responses(systems=8, questions=40, trials=10, random_seed=1)
    >>> found = quadrature_artefact(data, nodes=[21], random_seed=1)
    >>> print(render_quadrature(found, width=200).splitlines()[1])
    Computed exactly, the bound has the order of the mean in every draw.
    """
    return in_format(
        format,
        width=width,
        sheets=lambda: [quadrature_sheet(study)],
        plain=lambda: quadrature_to_dict(study),
        rows=lambda: _rows(study),
    )


def quadrature_answer(study: "xr.Dataset") -> list[str]:
    """Return what came out: the gain of the bound on the first grid, and what is left of it.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.quadrature_artefact`.

    Returns
    -------
    list of str
    """
    nodes = int(study.attrs["nodes"][0])
    coarse, mean = (study.sel(rule=m) for m in (f"bound, {nodes} nodes", "mean"))
    exact, grouped = (study.sel(rule=m) for m in (_EXACT, _GROUPED))
    first = (
        f"At one trial the lower bound of Rasch abilities on {nodes} fixed nodes agrees with "
        f"itself at all trials by tau-b {_tau(coarse['self_tau_b'])}, the mean by "
        f"{_tau(mean['self_tau_b'])}."
    )
    if float(exact["mean_tau_b"]) == 1.0:
        then = "Computed exactly, the bound has the order of the mean in every draw."
    else:
        then = (
            f"Computed exactly, the bound agrees with the mean by tau-b "
            f"{_tau(exact['mean_tau_b'])}, and with itself by {_tau(exact['self_tau_b'])}."
        )
    why = (
        f"On {nodes} nodes it takes {float(coarse['values']):.1f} different values for "
        f"{study.attrs['models']} models and ties {_percent(coarse['tied'])} of the pairs; the "
        f"mean ties {_percent(mean['tied'])}. The mean rounded to 0.1, which ties "
        f"{_percent(grouped['tied'])}, differs from the mean by {_gain(grouped)}; the bound on "
        f"{nodes} nodes by {_gain(coarse)}."
    )
    return [first, then, why]


def quadrature_sheet(study: "xr.Dataset") -> Sheet:
    """Return the methods with their agreement, and how many models they tie.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.quadrature_artefact`.

    Returns
    -------
    Sheet
    """
    each = [study.isel(rule=i) for i in range(study.sizes["rule"])]
    columns = [
        Column("method", [str(m) for m in study["rule"].to_numpy()], numeric=False),
        Column("itself", [_with_sd(one, "self_tau_b") for one in each]),
        Column("over mean", [_gain(one) for one in each]),
        Column("gold", [_with_sd(one, "gold_tau_b") for one in each]),
        Column("as mean", [_tau(one["mean_tau_b"]) for one in each]),
        Column("values", [f"{float(one['values']):.1f}" for one in each]),
        Column("at all", [f"{int(one['values_all'])}" for one in each]),
        Column("tied", [_percent(one["tied"]) for one in each]),
        Column("at all", [_percent(one["tied_all"]) for one in each]),
    ]
    return Sheet(quadrature_answer(study), columns, quadrature_footer(study))


def quadrature_footer(study: "xr.Dataset") -> list[str]:
    """Return what has to be known to read the study.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.quadrature_artefact`.

    Returns
    -------
    list of str
    """
    attrs = study.attrs
    drawn = (
        f"itself, gold: tau-b of the order at one trial to that of the same method, and to that of "
        f"Bayes@N, at all trials ({attrs['trials']:,} a cell at least); mean ± sd over "
        f"{attrs['draws']} draws ({attrs['sampled']}). over mean: how much more consistent with "
        f"itself than the mean in the same draw, ± Monte Carlo error. as mean: tau-b to the mean "
        f"in the same draw."
    )
    what = (
        f"bound: the {attrs['quantile']:g} quantile of the posterior of an ability; EAP: its mean. "
        f"Grids: Gauss and Hermite, fixed, {attrs['em_steps']} steps of EM; they are here to be "
        f"looked at, and no rule of this package computes so."
    )
    ties = (
        "values, tied: how many different scores the models get, and the share of pairs that are "
        "tied, at one trial and at all. tau-b divides by the pairs that are not tied, so that a "
        "method that ties what it cannot hold apart agrees more with itself."
    )
    lost = int(study["undefined"].max())
    left_out = [f"In {lost} draws a method tied all models; they are left out."] if lost else []
    size = f"{attrs['models']} models, {attrs['questions']} questions"
    return [drawn, what, ties, *left_out, f"Data: {attrs['source']} ({size})."]


def quadrature_to_dict(study: "xr.Dataset") -> dict[str, Any]:
    """Return the study as plain values, ready for JSON.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.quadrature_artefact`.

    Returns
    -------
    dict
        ``schema_version`` (1), ``answer``, the configuration, ``data``, and ``table``: a row for
        each rule with ``rule``, ``family`` and the numbers of the study.

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.reports import quadrature_to_dict
    >>> from bayesrank.studies import quadrature_artefact
    >>> data = simulate_responses(systems=8, questions=40, trials=10, random_seed=1)
    >>> found = quadrature_artefact(data, nodes=[21], random_seed=1)
    >>> quadrature_to_dict(found)["table"][2]["mean_tau_b"]
    1.0
    """
    attrs = study.attrs
    keys = ("nodes", "em_steps", "quantile", "draws", "sampled", "trials", "seed")
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": " ".join(quadrature_answer(study)),
            **{key: attrs[key] for key in keys},
            "data": {"source": attrs["source"], "hash": attrs["data_hash"]},
            "table": _rows(study),
        }
    )


def _rows(study: "xr.Dataset") -> list[dict[str, Any]]:
    columns = {name: study[name].to_numpy() for name in ("rule", "family", *_NUMBERS)}
    return [
        {name: column[i].item() for name, column in columns.items()}
        for i in range(study.sizes["rule"])
    ]


def _tau(value: "xr.DataArray") -> str:
    tau = float(value)
    return "?" if np.isnan(tau) else number_text(tau, places=3)


def _with_sd(one: "xr.Dataset", name: str) -> str:
    return f"{_tau(one[name])} ± {_tau(one[f'{name}_sd'])}"


def _gain(one: "xr.Dataset") -> str:
    gain, error = float(one["gain"]), float(one["gain_mcse"])
    if np.isnan(gain):
        return "?"
    return "0" if gain == 0.0 and error == 0.0 else f"{gain:+.3f} ± {error:.3f}"


def _percent(value: "xr.DataArray") -> str:
    return f"{100 * float(value):.0f} %"
