"""A stability study as plain values, for JSON and CSV."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank.reports import _stability_words as words
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["csv_rows", "stability_to_dict"]

_SCHEMA_VERSION = 1
_OF_BUDGETS = (
    *("tau_gold", "tau_gold_sd", "tau_self", "tau_self_sd", "tau_greedy", "tau_greedy_sd"),
    *("refused", "undefined", "best_gold", "best_self"),
)
_OF_METHODS = ("tied", "consensus_mean", "consensus_median", "consensus_min")
_COUNTED = ("consensus_same", "consensus_close")
_OF_POOLS = (
    *("pool_tau_gold", "pool_tau_gold_sd", "pool_best_gold"),
    *("pool_tau_self", "pool_tau_self_sd", "pool_best_self", "pool_undefined"),
)


def stability_to_dict(study: "xr.Dataset") -> dict[str, Any]:
    """Return a stability study as plain values, ready for JSON.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.

    Returns
    -------
    dict
        ``schema_version`` (1), ``answer``, ``config``, ``methods`` (for each its class ``equal``,
        ``theorem``, ``consensus``, and a row for each budget with its ``pairs`` by gap, and its
        ``pools``), ``classes``, ``winners`` by budget, ``models``, ``overview``, ``refused``
        methods and ``notes``. What is not known is null.

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.reports import stability_to_dict
    >>> from bayesrank.studies import stability
    >>> data = simulate_responses(systems=4, questions=20, trials=8, random_seed=1)
    >>> found = stability(data, methods=["mean", "borda"], random_seed=1)
    >>> [each["method"] for each in stability_to_dict(found)["methods"]]
    ['mean', 'borda']
    """
    attrs = dict(study.attrs)
    notes = attrs.pop("notes")
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": " ".join(words.answer(study)),
            "config": attrs,
            "methods": [_method(study, k) for k in range(study.sizes["rule"])],
            "classes": [list(one.methods) for one in words.classes(study)],
            "winners": [_winners(study, b) for b in range(study.sizes["trials"])],
            "models": _models(study),
            "overview": _overview(study),
            "refused": [
                {"method": str(name), "reason": str(why)}
                for name, why in zip(
                    study["refused_rule"].to_numpy(), study["why"].to_numpy(), strict=True
                )
            ],
            "notes": notes,
        }
    )


def _method(study: "xr.Dataset", k: int) -> dict[str, Any]:
    one = study.isel(rule=k)
    return {
        "method": str(one["rule"].item()),
        "equal": int(one["equal"]),
        "theorem": str(one["theorem"].item()) or None,
        "reason": str(one["reason"].item()) or None,
        **{name: float(one[name]) for name in _OF_METHODS},
        **{name: int(one[name]) for name in _COUNTED},
        "budgets": [
            {"trials": int(n), **_values(one.isel(trials=b), _OF_BUDGETS), "pairs": _pairs(one, b)}
            for b, n in enumerate(study["trials"].to_numpy())
        ],
        "pools": [
            {"size": int(size), **_values(one.isel(pool=p), _OF_POOLS)}
            for p, size in enumerate(study["pool"].to_numpy() if "pool" in study.sizes else ())
        ],
    }


def _values(one: "xr.Dataset", names: tuple[str, ...]) -> dict[str, Any]:
    return {name: one[name].item() for name in names if name in one}


def _pairs(one: "xr.Dataset", budget: int) -> list[dict[str, Any]]:
    return [
        {
            "gap": str(gap),
            "pairs": int(one["pairs"][g]),
            **{what: float(one[f"pair_{what}"][budget, g]) for what in _KINDS},
        }
        for g, gap in enumerate(one["gap"].to_numpy())
    ]


_KINDS = ("correct", "tied", "reversed")


def _winners(study: "xr.Dataset", budget: int) -> dict[str, Any]:
    found: dict[str, Any] = {"trials": int(study["trials"][budget])}
    for target in ("gold", "self"):
        found[target] = {
            "methods": words.best(study, target, budget),
            "lead": float(study[f"lead_{target}"][budget]),
            "lead_se": float(study[f"lead_{target}_se"][budget]),
        }
    return found


def _models(study: "xr.Dataset") -> list[dict[str, Any]]:
    order = np.lexsort((-study["accuracy"].to_numpy(), study["gold_rank"].to_numpy()))
    names = [v for v in _OF_MODELS if v in study]
    return [
        {
            "model": str(study["system"][i].item()),
            **{name: study[name].to_numpy()[i].item() for name in names},
        }
        for i in order
    ]


_OF_MODELS = (
    *("accuracy", "gold_score", "gold_rank", "greedy", "greedy_rank", "greedy_reference_rank"),
)


def _overview(study: "xr.Dataset") -> dict[str, Any]:
    names = [str(s) for s in study["statistic"].to_numpy()]
    return {
        key.removesuffix("_overview"): dict(zip(names, study[key].to_numpy().tolist(), strict=True))
        for key in ("accuracy_overview", "greedy_overview")
        if key in study
    } | ({"alignment": float(study["alignment"])} if "alignment" in study else {})


def csv_rows(study: "xr.Dataset") -> list[dict[str, Any]]:
    """Return a row for each method and budget, and one for each method that ranks nothing.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.

    Returns
    -------
    list of dict
        All with the same keys.
    """
    keys = [name for name in _OF_BUDGETS if name in study]
    rows: list[dict[str, Any]] = []
    for k in range(study.sizes["rule"]):
        one = study.isel(rule=k)
        head = {
            "method": str(one["rule"].item()),
            "equal": int(one["equal"]),
            "theorem": str(one["theorem"].item()) or None,
        }
        tail = {"consensus": float(one["consensus_mean"]), "reason": str(one["reason"].item())}
        for b, n in enumerate(study["trials"].to_numpy()):
            values = _values(one.isel(trials=b), tuple(keys))
            rows.append(head | {"trials": int(n)} | values | tail)
    empty: dict[str, Any] = dict.fromkeys(rows[0])
    refused = zip(study["refused_rule"].to_numpy(), study["why"].to_numpy(), strict=True)
    return plain([*rows, *(empty | {"method": str(m), "reason": str(w)} for m, w in refused)])
