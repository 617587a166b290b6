"""A study of priors as text in any format: settings, ranks side by side, power-scaling."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank._text import quoted
from bayesrank.reports import _sensitivity_cells as shared
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "prior_answer",
    "prior_footer",
    "prior_sensitivity_to_dict",
    "prior_sheets",
    "render_prior_sensitivity",
]

_SCHEMA_VERSION = 1
# Above this, scores move visibly with a power of the prior; k-hat below the other can be believed.
_SENSITIVE, _GOOD_K = 0.05, 0.7
# Changes of a probability, and of an expected rank, that are worth a word.
_MOVED, _MOVED_RANKS = 0.05, 0.5
_TABLE = ("score", "score_low", "score_high", "rank", "rank_low", "rank_high", "p_best")
_LABEL_WIDTH = 30


def render_prior_sensitivity(
    study: "xr.Dataset",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return a study of priors as text: who leads under which, and what power-scaling says.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.prior_sensitivity`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`; "csv" has a row for each setting and model.
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
    >>> from bayesrank.reports import render_prior_sensitivity
    >>> from bayesrank.studies import prior_sensitivity
    >>> data = bayesrank.Responses.from_counts([[9, 2], [6, 6]], 10)
    >>> found = prior_sensitivity(data, draws=50, random_seed=1)
    >>> print(render_prior_sensitivity(found).splitlines()[0])
    'model 2' leads under all 4 priors.
    """
    return in_format(
        format,
        width=width,
        sheets=lambda: prior_sheets(study, width=width if format == "table" else None),
        plain=lambda: prior_sensitivity_to_dict(study),
        rows=lambda: _csv_rows(study),
    )


def prior_answer(study: "xr.Dataset") -> list[str]:
    """Return what came out: who leads, where that changes, and whether the prior decides."""
    lines = [shared.leaders([str(n) for n in study["leader"].to_numpy()], of="priors")]
    lines += [_change(study.isel(change=k)) for k in range(study.sizes["change"])]
    prior = study["sensitivity"].sel(part="prior").to_numpy()
    moved = int((prior >= _SENSITIVE).sum())
    if not np.isfinite(study["k_hat"].sel(part="prior")).any():
        lines.append("The usual prior is flat, and has no power to scale.")
    elif not moved:
        lines.append(
            "No score moves with the power of the usual prior: the data decide "
            f"(largest sensitivity {prior.max():.3f}, {_SENSITIVE:g} is much)."
        )
    else:
        names = study["system"].to_numpy()
        worst = int(prior.argmax())
        lines.append(
            f"{moved} of {len(prior)} scores move with the power of the usual prior, most that of "
            f"{quoted(str(names[worst]))} (sensitivity {prior[worst]:.2f}): "
            f"{study['diagnosis'].to_numpy()[worst]}."
        )
    failed = [
        str(setting)
        for setting, verdict in zip(study["setting"].values, study["verdict"].values, strict=True)
        if verdict == "fail"
    ]
    if failed:
        lines.append(
            f"Draws failed their checks under {len(failed)} of {study.sizes['setting']} priors; "
            f"more draws may help."
        )
    return lines


def _change(one: "xr.Dataset") -> str:
    text = {k: str(one[k].item()) for k in ("change_sweep", "change_from", "change_to")}
    who = f"{quoted(str(one['leader_before'].item()))} to {quoted(str(one['leader_after'].item()))}"
    low, high = (float(one[f"change_{end}_value"]) for end in ("from", "to"))
    if np.isfinite(low) and np.isfinite(high):
        return (
            f"The leader changes from {who} where the {text['change_sweep']} goes from {low:.3g} "
            f"to {high:.3g}."
        )
    return f"The leader changes from {who} from {text['change_from']} to {text['change_to']}."


def prior_sheets(study: "xr.Dataset", *, width: int | None = None) -> list[Sheet]:
    """Return what every text format shows: settings, ranks, power-scaling of scores, decisions.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.prior_sensitivity`.
    width : int, optional
        Characters a line has room for.

    Returns
    -------
    list of Sheet
    """
    return [
        _settings_sheet(study),
        shared.ranks_sheet(study, dim="setting", what="priors", width=width),
        _scores_sheet(study),
        _decisions_sheet(study),
    ]


def _settings_sheet(study: "xr.Dataset") -> Sheet:
    best = study["p_best"].to_numpy()
    leader = [str(name) for name in study["leader"].to_numpy()]
    place = {str(name): k for k, name in enumerate(study["system"].to_numpy())}
    rank = study["rank"].to_numpy()
    columns = [
        Column("#", [str(k + 1) for k in range(len(leader))]),
        Column(
            "prior", [str(s) for s in study["setting"].values], numeric=False, most=_LABEL_WIDTH
        ),
        Column("leader", leader, numeric=False, name=True),
        Column(
            "P(best)",
            [shared.chance(best[k, place[name]], study) for k, name in enumerate(leader)],
        ),
        Column("tau-b", ["?" if np.isnan(t) else f"{t:.3f}" for t in study["tau_b"].values]),
        Column("moved", [str(m) for m in np.abs(rank - rank[:1]).max(axis=1)]),
        Column("checks", [str(v) for v in study["verdict"].values], numeric=False),
        Column("seconds", shared.seconds(study["seconds"].values)),
    ]
    key = (
        f"P(best): of the leader. tau-b: to the order under {study['setting'].values[0]}. moved: "
        f"the most ranks that a model moves. x: factor of the prior's scale."
    )
    return Sheet(lead=prior_answer(study), columns=columns, footer=[key])


def _scores_sheet(study: "xr.Dataset") -> Sheet:
    found = shared.base_first(study)
    names = [str(name) for name in found["system"].to_numpy()]
    columns = [
        Column("model", names, numeric=False, name=True),
        *(
            Column(part, [f"{s:.3f}" for s in found["sensitivity"].sel(part=part).values])
            for part in ("prior", "likelihood")
        ),
        Column("which means", [str(d) for d in found["diagnosis"].values], numeric=False),
    ]
    key = (
        f"How fast the distribution of a score changes with the power of the prior, or of the "
        f"likelihood (cumulative Jensen-Shannon distance by log2 of the power); from "
        f"{_SENSITIVE:g} on it moves. Scaled: the priors of "
        f"{', '.join(study.attrs['scaled_variables'])}."
    )
    return Sheet(lead=["Power-scaling of scores."], columns=columns, footer=[key])


def _decisions_sheet(study: "xr.Dataset") -> Sheet:
    names = study["system"].to_numpy()
    first, second = (str(names[int(study[k])]) for k in ("base_leader", "runner_up"))
    rows: list[tuple[str, ...]] = []

    base = float(study["base_p_best"]), float(study["base_p_ahead"])
    rows.append(("as it is", "1", *(shared.chance(p, study) for p in base), "", "", ""))
    for part in study["part"].values:
        for power in study.attrs["powers"]:
            one = study.sel(part=part, power=power)
            k_hat = float(one["k_hat"])
            if np.isnan(k_hat):
                continue
            moved = float(np.abs(one["scaled_rank_mean"] - study["base_rank_mean"]).max())
            now = float(one["scaled_p_best"]), float(one["scaled_p_ahead"])
            rows.append(
                (
                    str(part),
                    f"{power:g}",
                    *(shared.chance(p, study) for p in now),
                    f"{moved:.2f}",
                    "exact" if bool(study["exact_powers"]) else f"{k_hat:.2f}",
                    decision_in_words(study, now, base, moved, k_hat),
                )
            )
    headers = ("scaled", "power", "P(best)", "P(1 > 2)", "ranks", "k-hat", "which means")
    words = (0, 6)
    columns = [
        Column(header, [row[k] for row in rows], numeric=k not in words)
        for k, header in enumerate(headers)
    ]
    key = (
        f"P(best): of {first}; P(1 > 2): that it is above {second}. ranks: the most that an "
        f"expected rank moves. "
        + (
            "Posteriors of the powers are known exactly: nothing is reweighted."
            if bool(study["exact_powers"])
            else f"Draws are reweighted; from a k-hat of {_GOOD_K:g} on, that cannot be believed."
        )
    )
    return Sheet(
        lead=["Decisions if the prior, or the data, counted less or more."],
        columns=columns,
        footer=[key, *prior_footer(study)],
    )


def decision_in_words(
    study: "xr.Dataset",
    now: tuple[float, float],
    base: tuple[float, float],
    moved: float,
    k_hat: float,
) -> str:
    """Return whether the decision moves, or that the weights cannot tell."""
    if not bool(study["exact_powers"]) and k_hat >= _GOOD_K:
        return "not known: too few draws bear it"
    if now[1] < 0.5 <= base[1]:
        return "the leader falls behind"
    if max(abs(a - b) for a, b in zip(now, base, strict=True)) >= _MOVED or moved >= _MOVED_RANKS:
        return "moves"
    return "stays"


def prior_footer(study: "xr.Dataset") -> list[str]:
    """Return what has to be known to read the study."""
    attrs = study.attrs
    how = "exact draws" if attrs["method"] == "exact" else f"draws by {attrs['method']}"
    made = (
        f"Model: {attrs['model']}; varied: the prior of {attrs['parameter']}. Population: "
        f"{attrs['population']}; {4 * int(attrs['draws']):,} {how} for each prior, "
        f"{shared.level(study)} intervals, seed {attrs['seed']}."
    )
    spent = float(attrs["compile_seconds"])
    compiled = f"One model was compiled for each family of priors, all in {spent:.0f} s."
    return [
        made,
        *([compiled] if spent else []),
        *(str(note) for note in attrs["notes"]),
        f"Data: {attrs['source']}.",
    ]


# ---------------------------------------------------------------- plain values


def prior_sensitivity_to_dict(study: "xr.Dataset") -> dict[str, Any]:
    """Return a study of priors as plain values, ready for JSON.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.prior_sensitivity`.

    Returns
    -------
    dict
        ``schema_version`` (1), ``answer``, the configuration, ``settings`` (each with its
        ``leader`` and a ``table`` of models), ``changes`` of the leader, ``power_scaling``
        (``scores``, and ``decisions`` for each part and power) and ``notes``. What is not known is
        null.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import prior_sensitivity_to_dict
    >>> from bayesrank.studies import prior_sensitivity
    >>> data = bayesrank.Responses.from_counts([[9, 2], [6, 6]], 10)
    >>> found = prior_sensitivity_to_dict(prior_sensitivity(data, draws=50, random_seed=1))
    >>> [each["setting"] for each in found["settings"]]
    ['uniform', 'Dirichlet(0.5)', 'Dirichlet(2)', 'pooled']
    """
    attrs = study.attrs
    keys = ("model", "method", "parameter", "population", "ci_prob", "draws", "seed", "powers")
    scores = study[["sensitivity", "diagnosis"]]
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": " ".join(prior_answer(study)),
            **{key: attrs[key] for key in keys},
            "data": {"source": attrs["source"], "hash": attrs["data_hash"]},
            "settings": _settings(study),
            "changes": [
                {
                    name.removeprefix("change_"): study[name].values[k].item()
                    for name in (
                        *("change_sweep", "change_from", "change_to", "leader_before"),
                        *("leader_after", "change_from_value", "change_to_value"),
                    )
                }
                for k in range(study.sizes["change"])
            ],
            "power_scaling": {
                "scaled": attrs["scaled_variables"],
                "scores": [
                    {
                        "model": str(name),
                        "prior": float(scores["sensitivity"].sel(part="prior")[k]),
                        "likelihood": float(scores["sensitivity"].sel(part="likelihood")[k]),
                        "diagnosis": str(scores["diagnosis"].values[k]),
                    }
                    for k, name in enumerate(study["system"].values)
                ],
                "leader": str(study["system"].values[int(study["base_leader"])]),
                "runner_up": str(study["system"].values[int(study["runner_up"])]),
                "exact": bool(study["exact_powers"]),
                "decisions": [
                    {
                        "part": str(part),
                        "power": float(power),
                        "k_hat": float(one["k_hat"]),
                        "p_best": float(one["scaled_p_best"]),
                        "p_ahead": float(one["scaled_p_ahead"]),
                        "rank_mean": one["scaled_rank_mean"].values.tolist(),
                    }
                    for part in study["part"].values
                    for power in study["power"].values
                    for one in [study.sel(part=part, power=power)]
                ],
            },
            "notes": attrs["notes"],
        }
    )


def _settings(study: "xr.Dataset") -> list[dict[str, Any]]:
    each = (study.isel(setting=k) for k in range(study.sizes["setting"]))
    return [
        {
            "setting": str(one["setting"].item()),
            "sweep": str(one["sweep"].item()),
            "value": float(one["value"]),
            "leader": str(one["leader"].item()),
            "tau_b": float(one["tau_b"]),
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


def _csv_rows(study: "xr.Dataset") -> list[dict[str, Any]]:
    keys = ("setting", "sweep", "value", "leader", "tau_b", "verdict")
    return [
        {key: one[key] for key in keys} | row
        for one in plain(_settings(study))
        for row in one["table"]
    ]
