"""Ranking rules side by side as plain values, for JSON and CSV."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank.reports import _rule_words as words
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from numpy.typing import NDArray

__all__ = ["best_models", "contested_among", "csv_rows", "rules_to_dict"]

_SCHEMA_VERSION = 1
_MOST_OF_TWO = 10


def best_models(comparison: "xr.Dataset") -> "NDArray[np.intp]":
    """Return positions of the models from the best down, by the reference.

    Parameters
    ----------
    comparison : xarray.Dataset
        From `bayesrank.studies.compare_rules`.

    Returns
    -------
    ndarray of int
        Models that the reference ties stand in the order of their mean rank by all rules.
    """
    rank = comparison["rank"].to_numpy()
    return np.lexsort((rank.mean(axis=0), rank[0]))


def contested_among(comparison: "xr.Dataset", **options: Any) -> "pd.DataFrame":
    """Return `bayesrank.studies.contested_pairs` of a comparison."""
    # All rules come with the studies: who renders something else should not wait for them.
    from bayesrank.studies.contested import contested_pairs

    return contested_pairs(comparison, **options)


def rules_to_dict(
    comparison: "xr.Dataset", *, contested: "pd.DataFrame | None" = None
) -> dict[str, Any]:
    """Return a comparison of rules as plain values, ready for JSON.

    Parameters
    ----------
    comparison : xarray.Dataset
        From `bayesrank.studies.compare_rules`.
    contested : pandas.DataFrame, optional
        From `bayesrank.studies.contested_pairs` of it.

    Returns
    -------
    dict
        ``schema_version`` (1), ``answer``, ``reference``, ``population``, ``prior``, ``ci_prob``,
        ``draws``, ``seed``, ``data``, ``self_tau_b`` with ends, ``rules`` (for each its ``tau_b``
        with mean and ends, ``order``, ``theorem``, ``why_no_interval`` and a ``table`` of
        ``model, score, rank, rank_low, rank_high``), ``orders`` (the rules of each, equal by
        ``algebra`` or not), ``disagreements`` (for each two orders ``tau_b``, the number of
        ``opposed`` pairs, and up to 10 of them, the surest first), ``contested`` pairs and
        ``refused`` rules. What is not known is null.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import rules_to_dict
    >>> from bayesrank.studies import compare_rules
    >>> data = bayesrank.Responses.from_counts([[9, 9, 0], [5, 5, 10]], 10)
    >>> found = compare_rules(data, rules=["mean", "borda"], draws=40, random_seed=1)
    >>> [order["rules"] for order in rules_to_dict(found)["orders"]]
    [['bayes', 'mean'], ['borda']]
    """
    pairs = contested_among(comparison) if contested is None else contested
    found = comparison.isel(system=best_models(comparison))
    attrs = found.attrs
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": " ".join(words.answer(found, pairs)),
            **{k: attrs[k] for k in ("reference", "population", "prior", "ci_prob", "draws")},
            "seed": attrs["seed"],
            "data": {"source": attrs["source"], "hash": attrs["data_hash"]},
            **{k: attrs[k] for k in ("self_tau_b", "self_tau_b_low", "self_tau_b_high")},
            "rules": _rules(found),
            "orders": [
                {
                    "order": letter,
                    "rules": [name for _, names in groups for name in names],
                    "equal": [
                        {"by": f"algebra: {key}" if key else "these data", "rules": names}
                        for key, names in groups
                    ],
                }
                for letter, groups in words.members(found).items()
            ],
            "disagreements": _disagreements(found),
            "contested": pairs.to_dict(orient="records"),
            "refused": _refused(found),
            "notes": attrs["notes"],
        }
    )


def _refused(found: "xr.Dataset") -> list[dict[str, Any]]:
    both = zip(found["refused"].to_numpy(), found["reason"].to_numpy(), strict=True)
    return [{"rule": str(name), "reason": str(why)} for name, why in both]


def _rules(found: "xr.Dataset") -> list[dict[str, Any]]:
    letters = words.letters(found["order"].to_numpy())
    each = (found.isel(rule=k) for k in range(found.sizes["rule"]))
    return [
        {
            "rule": str(one["rule"].item()),
            "family": str(one["family"].item()),
            "order": letter,
            "theorem": str(one["theorem"].item()) or None,
            **{v: float(one[v]) for v in ("tau_b", "tau_b_mean", "tau_b_low", "tau_b_high")},
            "why_no_interval": str(one["why_no_interval"].item()) or None,
            "table": _table(one),
        }
        for letter, one in zip(letters, each, strict=True)
    ]


def _table(one: "xr.Dataset") -> list[dict[str, Any]]:
    values = {v: one[v].to_numpy() for v in ("score", "rank", "rank_low", "rank_high")}
    return [
        {"model": str(model), **{name: _whole(name, column[i]) for name, column in values.items()}}
        for i, model in enumerate(one["system"].to_numpy())
    ]


def _whole(name: str, value: float) -> float | None:
    if name == "score":
        return float(value)
    return int(value) if np.isfinite(value) else None


def _disagreements(found: "xr.Dataset") -> list[dict[str, Any]]:
    """Return how far any two orders are apart, by their first rules."""
    letters = words.letters(found["order"].to_numpy())
    first = {letter: letters.index(letter) for letter in dict.fromkeys(letters)}
    names = [str(name) for name in found["rule"].to_numpy()]
    tau, opposed = (found[v].to_numpy() for v in ("tau_b_between", "opposed"))
    rows: list[dict[str, Any]] = []
    each = list(first.items())
    for k, (one, i) in enumerate(each):
        for other, j in each[k + 1 :]:
            pairs = contested_among(found, between=(names[i], names[j]), most=_MOST_OF_TWO)
            rows.append(
                {
                    "orders": [one, other],
                    "tau_b": float(tau[i, j]),
                    "opposed": int(opposed[i, j]),
                    "pairs": pairs[["above", "below"]].to_numpy().tolist(),
                }
            )
    return rows


def csv_rows(comparison: "xr.Dataset") -> list[dict[str, Any]]:
    """Return a row for each rule and model, and one for each rule that ranks nothing."""
    found = comparison.isel(system=best_models(comparison))
    keys = ("rule", "family", "order", "theorem", "tau_b", "tau_b_mean", "tau_b_low", "tau_b_high")
    cells = ("model", "score", "rank", "rank_low", "rank_high")
    rows = [
        {key: rule[key] for key in keys} | row | {"reason": rule["why_no_interval"]}
        for rule in plain(_rules(found))
        for row in rule["table"]
    ]
    empty: dict[str, Any] = dict.fromkeys((*keys, *cells))
    return [*rows, *(empty | refused for refused in _refused(found))]
