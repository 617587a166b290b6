"""What auxiliary outcomes as a prior do to the order at few trials, as text in any format."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank.ranking.digits import number_text
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "benchmarks_sheet",
    "budgets_sheet",
    "greedy_answer",
    "greedy_footer",
    "greedy_to_dict",
    "render_greedy",
]

_SCHEMA_VERSION = 1
# Gains of more Monte Carlo errors than this are gains, and not chance.
_SURE = 2.0
_NUMBERS = ("tau_b", "tau_b_sd", "delta_tau", "delta_tau_mcse", "sd_reduction", "weight")


def render_greedy(
    study: "xr.Dataset",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return what auxiliary outcomes as a prior do to the order at few trials, as text.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.greedy_prior`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`; "csv" has a row for each benchmark, prior and budget.
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
    >>> import numpy as np
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.reports import render_greedy
    >>> from bayesrank.studies import greedy_prior
    >>> data = simulate_responses(systems=6, questions=20, trials=8, random_seed=1)
    >>> greedy = (data.successes > 4).astype(int)[:, :, np.newaxis]
    >>> found = greedy_prior(data, greedy, trials=[1, 4], resamples=20, random_seed=1)
    >>> render_greedy(found).splitlines()[0].startswith("At 1 trial a cell the prior of weight 1")
    True
    """
    return in_format(
        format,
        width=width,
        sheets=lambda: [budgets_sheet(study), *benchmarks_sheet(study)],
        plain=lambda: greedy_to_dict(study),
        rows=lambda: greedy_to_dict(study)["table"],
    )


def greedy_answer(study: "xr.Dataset") -> list[str]:
    """Return what each prior does to the order at the smallest budget, on all benchmarks together.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.greedy_prior`.

    Returns
    -------
    list of str
    """
    at = study.isel(benchmark=-1, trials=0)
    budget = int(at["trials"])
    uniform = at.sel(prior="uniform")
    lines = [
        f"At {budget} {'trial' if budget == 1 else 'trials'} a cell {_effect(at.isel(prior=k))}"
        for k in range(1, at.sizes["prior"])
    ]
    lines.append(
        f"The uniform prior agrees with the order of all trials by tau-b {_tau(uniform['tau_b'])}. "
        f"The order of the auxiliary outcomes agrees with it by {_tau(at['alignment'])}."
    )
    return lines


def _effect(one: "xr.Dataset") -> str:
    gain, error = float(one["delta_tau"]), float(one["delta_tau_mcse"])
    what = _prior(str(one["prior"].item()))
    if abs(gain) <= _SURE * error:
        does = "changes the agreement with the order of all trials by no more than chance"
    else:
        does = f"{'raises' if gain > 0 else 'lowers'} the agreement with the order of all trials"
    less = float(one["sd_reduction"])
    spread = f"{100 * abs(less):.0f} % {'less' if less >= 0 else 'more'} spread"
    return f"the {what} {does}: tau-b {gain:+.3f} ± {error:.3f}, {spread}."


def _prior(name: str) -> str:
    return {
        "moments": "weight by moments",
        "learned": "learned weight",
    }.get(name, f"prior of weight {name}")


def budgets_sheet(study: "xr.Dataset") -> Sheet:
    """Return every budget and prior, on all benchmarks together.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.greedy_prior`.

    Returns
    -------
    Sheet
    """
    found = study.isel(benchmark=-1)
    cells = [
        found.isel(trials=b, prior=k)
        for b in range(found.sizes["trials"])
        for k in range(found.sizes["prior"])
    ]
    return Sheet(
        greedy_answer(study),
        [
            Column("trials", [str(int(c["trials"])) for c in cells]),
            Column("prior", [str(c["prior"].item()) for c in cells], numeric=False),
            *_columns(cells),
        ],
        greedy_footer(study),
    )


def benchmarks_sheet(study: "xr.Dataset") -> list[Sheet]:
    """Return every benchmark at the smallest budget, if there are several.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.greedy_prior`.

    Returns
    -------
    list of Sheet
        One, or none.
    """
    if study.sizes["benchmark"] < 2:
        return []
    found = study.isel(trials=0)
    order = np.argsort(found["alignment"].to_numpy()[:-1], kind="stable")
    cells = [
        found.isel(benchmark=int(i), prior=k)
        for i in (*order, found.sizes["benchmark"] - 1)
        for k in range(1, found.sizes["prior"])
    ]
    columns = [
        Column("benchmark", [str(c["benchmark"].item()) for c in cells], numeric=False, name=True),
        Column("accuracy", [number_text(float(c["accuracy"]), places=3) for c in cells]),
        Column("alignment", [_tau(c["alignment"]) for c in cells]),
        Column("prior", [str(c["prior"].item()) for c in cells], numeric=False),
        *_columns(cells),
    ]
    budget = int(found["trials"])
    key = "alignment: tau-b between the orders of auxiliary outcomes and of all trials."
    return [Sheet([f"Benchmarks at {budget} a cell, the least aligned first."], columns, [key])]


def _columns(cells: "list[xr.Dataset]") -> list[Column]:
    own = [str(c["prior"].item()) != "uniform" for c in cells]
    pairs = list(zip(cells, own, strict=True))
    return [
        Column("tau-b", [f"{_tau(c['tau_b'])} ± {_tau(c['tau_b_sd'])}" for c in cells]),
        Column(
            "gain",
            [
                f"{float(c['delta_tau']):+.3f} ± {float(c['delta_tau_mcse']):.3f}" if o else ""
                for c, o in pairs
            ],
        ),
        Column(
            "sd less by", [f"{100 * float(c['sd_reduction']):.0f} %" if o else "" for c, o in pairs]
        ),
        Column("weight", [f"{float(c['weight']):.2f}" if o else "" for c, o in pairs]),
    ]


def greedy_footer(study: "xr.Dataset") -> list[str]:
    """Return what has to be known to read the study.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.greedy_prior`.

    Returns
    -------
    list of str
    """
    attrs = study.attrs
    how = (
        f"tau-b: agreement of Bayes@N on so many trials with the order of all trials under the "
        f"uniform prior, mean ± sd over {attrs['resamples']} subsamples. gain: over the uniform "
        f"prior on the same subsamples, ± Monte Carlo error."
    )
    more = (
        "sd less by: which part of the sd of the uniform prior is gone. weight: what an auxiliary "
        "outcome counts against a trial, on average over the subsamples."
    )
    return [how, more, f"Seed: {attrs['seed']}.", f"Data: {attrs['source']}."]


def greedy_to_dict(study: "xr.Dataset") -> dict[str, Any]:
    """Return the study as plain values, ready for JSON.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.greedy_prior`.

    Returns
    -------
    dict
        ``schema_version`` (1), ``answer``, the configuration, ``data``, and ``table``: a row for
        each benchmark, prior and budget, with ``alignment`` and ``accuracy`` of the benchmark.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.reports import greedy_to_dict
    >>> from bayesrank.studies import greedy_prior
    >>> data = simulate_responses(systems=6, questions=20, trials=8, random_seed=1)
    >>> greedy = (data.successes > 4).astype(int)[:, :, np.newaxis]
    >>> found = greedy_prior(data, greedy, trials=[1, 4], resamples=20, random_seed=1)
    >>> [row["prior"] for row in greedy_to_dict(found)["table"]][:3]
    ['uniform', 'uniform', '1']
    """
    attrs = study.attrs
    values = {name: study[name].to_numpy() for name in _NUMBERS}
    of_benchmarks = {name: study[name].to_numpy() for name in ("alignment", "accuracy")}
    rows = [
        {
            "benchmark": str(benchmark),
            "prior": str(prior),
            "trials": int(trials),
            **{name: float(value[i, j, k]) for name, value in values.items()},
            **{name: float(value[i]) for name, value in of_benchmarks.items()},
        }
        for i, benchmark in enumerate(study["benchmark"].to_numpy())
        for j, prior in enumerate(study["prior"].to_numpy())
        for k, trials in enumerate(study["trials"].to_numpy())
    ]
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": " ".join(greedy_answer(study)),
            **{key: attrs[key] for key in ("prior_weights", "resamples", "reference", "seed")},
            "data": {"source": attrs["source"], "hash": attrs["data_hash"]},
            "table": rows,
        }
    )


def _tau(value: "xr.DataArray") -> str:
    tau = float(value)
    return "?" if np.isnan(tau) else number_text(tau, places=3)
