"""Where the next trials or votes go, as text in any format."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank.reports import _plan_words as words
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["allocation_to_dict", "render_allocation"]

_SCHEMA_VERSION = 1
_FEWEST, _MODELS, _PAIRS = 10, 30, 20


def render_allocation(
    allocation: "xr.Dataset",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return where the next trials or votes go, as text.

    Parameters
    ----------
    allocation : xarray.Dataset
        From `bayesrank.studies.allocate`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`; "csv" has a row for each model and question with trials
        to add, or for each pair with votes.
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
    >>> from bayesrank import Responses
    >>> from bayesrank.reports import render_allocation
    >>> from bayesrank.studies import allocate
    >>> data = Responses.from_counts([[9, 5], [8, 5], [1, 0]], 10, systems=["a", "b", "c"])
    >>> print(render_allocation(allocate(data, budget=4, random_seed=1), format="csv"))
    "model","question","trials"
    "a","question 2",2
    "b","question 2",2
    <BLANKLINE>
    """
    return in_format(
        format,
        width=width,
        sheets=lambda: _allocation_sheets(allocation),
        plain=lambda: allocation_to_dict(allocation),
        rows=lambda: _places(allocation),
    )


def _allocation_sheets(found: "xr.Dataset") -> list[Sheet]:
    votes = found.attrs["resource"] == "votes"
    more = found["more"].to_numpy()
    order = np.lexsort((-found["score"].to_numpy(), -more))
    order = order[(more[order] > 0) | (np.arange(len(order)) < _FEWEST)][:_MODELS]
    names = found["system"].to_numpy()
    n = int(found.attrs["draws"])
    columns = [
        Column("model", [str(names[i]) for i in order], numeric=False, name=True),
        Column("score", [words.score(float(found["score"][i])) for i in order]),
        Column("P(best)", [words.chance(float(found["p_best"][i]), n) for i in order]),
        Column(f"{found.attrs['resource']} now", [f"{int(found['now'][i]):,}" for i in order]),
        Column("more", [f"{int(more[i]):,}" for i in order]),
    ]
    left = found.sizes["system"] - len(order)
    footer = [f"{left} more models get none or few; csv and json have all."] if left else []
    if not votes:
        cells = int((found["more_of"] > 0).sum())
        footer.append(f"{cells:,} cells of model and question get trials; csv and json name them.")
        table = Sheet(words.allocation_answer(found), columns, [*footer, *words.footer(found)])
        return [table]
    rows = _places(found)[:_PAIRS]
    left = found.sizes["contest"] - len(rows)
    pairs = Sheet(
        lead=["Pairs to ask about."],
        columns=[
            Column("first", [row["first"] for row in rows], numeric=False, name=True),
            Column("second", [row["second"] for row in rows], numeric=False, name=True),
            Column("votes", [f"{row['votes']:,}" for row in rows]),
        ],
        footer=[*([f"{left} more pairs are in csv and json."] if left > 0 else []),
                *words.footer(found)],
    )  # fmt: skip
    return [Sheet(words.allocation_answer(found), columns, footer), pairs]


def allocation_to_dict(allocation: "xr.Dataset") -> dict[str, Any]:
    """Return an allocation as plain values, ready for JSON.

    Parameters
    ----------
    allocation : xarray.Dataset
        From `bayesrank.studies.allocate`.

    Returns
    -------
    dict
        ``schema_version`` (1), ``answer``, ``budget``, ``resource``, ``population``, ``models`` (a
        row for each: ``more``, ``share``, ``now``, ``score``, ``p_best``), ``places`` (model,
        question and trials; or both models and votes), ``data``, ``seed`` and ``notes``.

    Examples
    --------
    >>> from bayesrank import Comparisons
    >>> from bayesrank.reports import allocation_to_dict
    >>> from bayesrank.studies import allocate
    >>> votes = Comparisons.from_counts(["a", "b"], ["b", "c"], [3, 2], [1, 2])
    >>> found = allocation_to_dict(allocate(votes, budget=10, random_seed=1))
    >>> sum(place["votes"] for place in found["places"])
    10
    """
    attrs = allocation.attrs
    values = ("more", "share", "now", "score", "p_best")
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": " ".join(words.allocation_answer(allocation)),
            **{key: attrs[key] for key in ("budget", "resource", "population", "prior", "draws")},
            "models": [
                {"model": name, **dict(zip(values, row, strict=True))}
                for name, row in zip(
                    allocation["system"].to_numpy(),
                    zip(*(allocation[v].to_numpy() for v in values), strict=True),
                    strict=True,
                )
            ],
            "places": _places(allocation),
            "data": {"source": attrs["source"], "hash": attrs["data_hash"]},
            "seed": attrs["seed"],
            "notes": attrs["notes"],
        }
    )


def _places(found: "xr.Dataset") -> list[dict[str, Any]]:
    if "more_of" in found:
        more = found["more_of"].to_numpy()
        systems, questions = (found[v].to_numpy() for v in ("system", "question"))
        return [
            {
                "model": str(systems[i]),
                "question": str(questions[j]),
                "trials": int(more[i, j]),
            }
            for i, j in np.argwhere(more > 0)
        ]
    columns = (found[v].to_numpy() for v in ("first", "second", "votes"))
    return [
        {"first": str(first), "second": str(second), "votes": int(votes)}
        for first, second, votes in zip(*columns, strict=True)
    ]
