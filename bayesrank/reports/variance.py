"""Where the uncertainty of scores comes from, as text and as JSON."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bayesrank._text import shortened
from bayesrank._validate import validate_choice, validate_count
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import to_json_text
from bayesrank.reports.terminal import sheet_to_terminal

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["render_variance", "variance_sheet", "variance_to_dict"]

_SCHEMA_VERSION = 1


def render_variance(
    components: "xr.Dataset",
    *,
    format: Literal["table", "json"] = "table",  # noqa: A002
    width: int = 100,
    source: str = "",
) -> str:
    """Return which sources the variance of each score, and of each gap, comes from.

    Parameters
    ----------
    components : xarray.Dataset
        From `bayesrank.studies.variance_components`.
    format : {"table", "json"}, default "table"
        Text for a terminal, or JSON; see `variance_to_dict`.
    width : int, default 100
        Characters a line of text has room for.
    source : str, optional
        Name of the data, printed above the table.

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
    >>> from bayesrank.reports import render_variance
    >>> from bayesrank.studies import variance_components
    >>> found = variance_components(simulate_responses(systems=2, random_seed=1))
    >>> print(render_variance(found).splitlines()[0])
    Where the uncertainty comes from: mostly questions.
    """
    validate_choice(format, ("table", "json"), name="format")
    if format == "json":
        return to_json_text(variance_to_dict(components, source=source))
    width = validate_count(width, name="width")
    return sheet_to_terminal(variance_sheet(components, source), width=width)


def variance_to_dict(components: "xr.Dataset", *, source: str = "") -> dict[str, Any]:
    """Return variance components as plain values, ready for JSON.

    Parameters
    ----------
    components : xarray.Dataset
        From `bayesrank.studies.variance_components`.
    source : str, optional
        Name of the data.

    Returns
    -------
    dict
        ``schema_version`` (1), ``source``, ``weighting``, and ``table``: a row for each model and
        each gap between neighbours, with ``kind``, ``model``, ``above`` (the better one of a gap),
        ``estimate``, ``sd``, and by source ``variance``, ``share`` and ``narrower`` (null where
        one trial a cell cannot tell trials from questions).

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.reports import variance_to_dict
    >>> from bayesrank.studies import variance_components
    >>> found = variance_components(simulate_responses(systems=2, random_seed=1))
    >>> [row["kind"] for row in variance_to_dict(found)["table"]]
    ['model', 'model', 'gap']
    """
    sources = [str(s) for s in components["source"].to_numpy()]
    rows: list[dict[str, Any]] = []
    for t in range(components.sizes["term"]):
        term = components.isel(term=t)
        gap = str(term["kind"].item()) == "gap"
        rows.append(
            {
                "kind": "gap" if gap else "model",
                "model": str(term["second"].item()),
                "above": str(term["first"].item()) if gap else None,
                "estimate": float(term["estimate"]),
                "sd": float(np.sqrt(np.nansum(term["variance"]))),
                **{
                    name: dict(zip(sources, map(_known, term[name].to_numpy()), strict=True))
                    for name in ("variance", "share", "narrower")
                },
            }
        )
    return {
        "schema_version": _SCHEMA_VERSION,
        "source": source,
        "weighting": str(components.attrs["weighting"]),
        "table": rows,
    }


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def variance_sheet(components: "xr.Dataset", source: str = "") -> Sheet:
    """Return the shares of the variance of each score, and of each gap between neighbours.

    Parameters
    ----------
    components : xarray.Dataset
        From `bayesrank.studies.variance_components`.
    source : str, optional
        Name of the data, printed above the table.

    Returns
    -------
    Sheet
    """
    found = variance_to_dict(components)
    rows, sources = found["table"], [str(s) for s in components["source"].to_numpy()]
    kind = components["kind"].to_numpy() == "model"
    share = np.nan_to_num(components["share"].to_numpy()[kind]).mean(axis=0)
    lead = [f"Where the uncertainty comes from: mostly {sources[int(share.argmax())]}."]
    if source:
        lead.append(f"Data: {shortened(source, 200)}.")
    columns = [
        Column("model", [row["model"] for row in rows], numeric=False, name=True),
        Column("behind", [row["above"] or "" for row in rows], numeric=False, name=True),
        Column("score or gap", [f"{row['estimate']:.3f}" for row in rows]),
        Column("sd", [f"{row['sd']:.4f}" for row in rows]),
        *(Column(name, [_percent(row["share"][name]) for row in rows]) for name in sources),
        Column("to halve", [_best(row["narrower"]) for row in rows], numeric=False),
    ]
    halved = (
        "To halve: the source whose variance is best halved (twice as many trials, questions, "
        "tasks or prompts), and by how much the interval would shrink."
    )
    footer = [
        "Shares of the variance of a score, and of the gap to the model before it, by source.",
        halved,
    ]
    if any(row["share"].get("trials", 0.0) is None for row in rows):
        footer.append(
            "?: one trial a cell cannot tell trials from questions, whose share holds both."
        )
    return Sheet(lead=lead, columns=columns, footer=footer)


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{100 * share:.0f} %"


def _best(narrower: dict[str, float | None]) -> str:
    known = {name: value for name, value in narrower.items() if value is not None}
    name = max(known, key=lambda n: known[n])
    return f"{name}, -{100 * known[name]:.0f} %" if known[name] > 0 else "nothing"
