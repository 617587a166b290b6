"""Credible and confidence intervals side by side, as a sheet and as plain values."""

from typing import TYPE_CHECKING, Any

from bayesrank.reports._cells import (
    best_first,
    joined,
    places_for,
    rank_cells,
    score_cells,
    span_cells,
)
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports._test_words import tested
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["comparison_rows", "comparison_sheet", "comparison_to_dict"]

_VALUES = ("rank", "rank_low", "rank_high", "score", "score_low", "score_high")
_HEADS = {"credible": "credible", "confidence": "confid."}


def comparison_sheet(compared: "xr.Dataset") -> Sheet:
    """Return both answers model by model.

    Parameters
    ----------
    compared : xarray.Dataset
        From `bayesrank.frequentist.compare_with_ranking`.

    Returns
    -------
    Sheet
    """
    bayes = compared.sel(kind="credible")
    order = best_first(bayes["rank"].to_numpy(), bayes["score"].to_numpy())
    rows = compared.isel(system=order)
    attrs = compared.attrs
    level = f"{100 * attrs['level']:g} %"
    width = (compared["score_high"] - compared["score_low"]).to_numpy()
    places = places_for(width / 4.0)
    columns = [
        Column("rank", rank_cells(rows["rank"].sel(kind="credible").to_numpy())),
        Column("model", [str(s) for s in rows["system"].to_numpy()], numeric=False, name=True),
    ]
    kinds = {kind: rows.sel(kind=kind) for kind in _HEADS}
    columns += [
        Column(
            f"ranks, {_HEADS[kind]}",
            span_cells(part["rank_low"].to_numpy(), part["rank_high"].to_numpy()),
        )
        for kind, part in kinds.items()
    ]
    for kind, part in kinds.items():
        low, high = (
            score_cells(part[name].to_numpy(), places=places)
            for name in ("score_low", "score_high")
        )
        score = score_cells(part["score"].to_numpy(), places=places)
        ends = joined(low, high)
        columns.append(
            Column(
                f"score, {_HEADS[kind]}", [f"{s} ({e})" for s, e in zip(score, ends, strict=True)]
            )
        )
    scope = "for each model on its own" if attrs["coverage"] == "marginal" else "for all at once"
    return Sheet(
        lead=(_answer(compared, level),),
        columns=columns,
        footer=(
            f"Population of both: {attrs['population']}. Rank intervals at {level}, {scope}.",
            f"Credible: given the data and the prior, the rank is inside with probability {level}.",
            (
                f"Confidence: covers the true rank in {level} of repetitions, whatever it is. "
                f"{tested(attrs['test'])} of each ordered pair, adjusted by Holm's method."
            ),
            *attrs["notes"],
        ),
    )


def comparison_to_dict(compared: "xr.Dataset") -> dict[str, Any]:
    """Return both answers as plain values: settings, and a table with a row a model.

    Parameters
    ----------
    compared : xarray.Dataset
        As for `comparison_sheet`.

    Returns
    -------
    dict
        The attributes of the dataset, and ``table``: ``model``, and ``credible`` and
        ``confidence``, each with ``rank, rank_low, rank_high, score, score_low, score_high``.
    """
    columns = {v: compared[v].transpose("kind", "system").to_numpy().tolist() for v in _VALUES}
    kinds = [str(kind) for kind in compared["kind"].to_numpy()]
    table = [
        {"model": str(name)}
        | {kind: {v: columns[v][k][i] for v in _VALUES} for k, kind in enumerate(kinds)}
        for i, name in enumerate(compared["system"].to_numpy())
    ]
    return plain(compared.attrs | {"table": table})


def comparison_rows(compared: "xr.Dataset") -> dict[str, dict[str, Any]]:
    """Return the confidence intervals as columns of their own, by model."""
    return {
        row["model"]: {f"confidence_{name}": value for name, value in row["confidence"].items()}
        | {"confidence_test": compared.attrs["test"], "confidence_unit": compared.attrs["unit"]}
        for row in comparison_to_dict(compared)["table"]
    }


def _answer(compared: "xr.Dataset", level: str) -> str:
    """Say how far the two agree."""
    low, high = compared["rank_low"].to_numpy(), compared["rank_high"].to_numpy()
    same = int(((low[0] == low[1]) & (high[0] == high[1])).sum())
    n = compared.sizes["system"]
    narrower = int(((high[0] - low[0]) < (high[1] - low[1])).sum())
    wider = int(((high[0] - low[0]) > (high[1] - low[1])).sum())
    if same == n:
        return f"Both answers give all {n} models the same rank interval at {level}."
    return (
        f"Of {n} models, {same} have the same rank interval at {level} either way; the credible "
        f"one is narrower for {narrower} and wider for {wider}."
    )
