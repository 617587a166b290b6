"""A ranking in words: the answer in one sentence, the statement under every table, its cells."""

import math
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._record import Record
from bayesrank._text import shortened, visible
from bayesrank.ranking.digits import decimals, number_text, probability_text

_SORTED_BY = {
    "mean": "posterior mean score",
    "median": "posterior median score",
    "quantile": "{quantile:g} quantile of the score",
    "expected_rank": "expected rank",
    "p_best": "probability of being best",
    "kemeny": "order of least expected Kendall distance",
}
_KINDS = {"eti": "equal-tailed intervals", "hdi": "shortest (highest-density) intervals"}
_MOST_NAMED = 4


def sorted_by(dataset: xr.Dataset) -> str:
    """Return what the table is sorted by."""
    return _SORTED_BY[dataset.attrs["by"]].format(quantile=dataset.attrs.get("quantile", math.nan))


def table_order(dataset: xr.Dataset) -> list[int]:
    """Return positions of the systems from the best down: by rank, then by expected rank."""
    keys = (dataset["rank_mean"].to_numpy(), dataset["rank"].to_numpy())
    return [int(i) for i in np.lexsort(keys)]


def probability_cells(dataset: xr.Dataset, name: str, *, certain: bool = False) -> list[str]:
    """Return a probability of every system as text, with the digits its error leaves."""
    n_draws = math.inf if certain else dataset.attrs["effective_draws"]
    return [
        probability_text(float(p), mcse=float(error), n_draws=n_draws)
        for p, error in zip(
            dataset[name].to_numpy(), dataset[f"{name}_mcse"].to_numpy(), strict=True
        )
    ]


def best_cells(dataset: xr.Dataset) -> list[str]:
    """Return P(best) of every system as text; 1 by definition where there is one system only."""
    return probability_cells(dataset, "p_best", certain=dataset.sizes["system"] == 1)


def table_cells(dataset: xr.Dataset, groups: list[str]) -> pd.DataFrame:
    """Return the table as text, in the order of the systems in the dataset."""
    errors = dataset["score_mcse"].to_numpy()
    errors = errors[errors > 0]
    places = decimals(float(np.median(errors))) if errors.size else 4
    rank = dataset["rank"].to_numpy()
    shared = np.bincount(rank)[rank] > 1
    certain = dataset.attrs["top_k"] >= dataset.sizes["system"]
    cells = {
        "rank": [f"{r}=" if tie else f"{r}" for r, tie in zip(rank, shared, strict=True)],
        "model": [visible(str(name)) for name in dataset["system"].to_numpy()],
    }
    for name in ("score", "score_low", "score_high"):
        cells[name] = [number_text(float(x), places=places) for x in dataset[name].to_numpy()]
    for name in ("rank_low", "rank_high"):
        cells[name] = [str(r) for r in dataset[name].to_numpy()]
    cells["p_best"] = best_cells(dataset)
    cells["p_top_k"] = probability_cells(dataset, "p_top_k", certain=certain)
    cells["group"] = groups
    return pd.DataFrame(cells)


def footer(dataset: xr.Dataset, record: Record) -> tuple[str, ...]:
    """Return what every table has to say of itself, in lines of plain text."""
    attrs = dataset.attrs
    n_systems = dataset.sizes["system"]
    percent = f"{100 * attrs['ci_prob']:g} %"
    lines = [
        f"Population: {record.population}. {_estimand(record)}Sorted by {sorted_by(dataset)}; "
        f"rank 1 is best" + (", equal ranks (=) are ties." if _has_ties(dataset) else "."),
        (
            f"Intervals: {percent} {_KINDS[attrs['ci_kind']]} of the score; "
            f"{percent} equal-tailed credible intervals of the rank, each model for itself."
        ),
        (
            f"P(best), P(top {attrs['top_k']}): probability of rank 1, and of rank "
            f"{attrs['top_k']} or better. "
            f"Models that share a group letter are not told apart: neither is above the other with "
            f"probability {attrs['ci_prob']:g}."
        ),
        (
            f"Model: {record.model}. Prior: {record.prior}. Method: {record.method}; "
            f"{_draws(attrs, independent=record.independent)}."
        ),
        _observed(record),
        _diagnosed(record),
    ]
    if "selected_from" in attrs:
        lines.append(f"Re-ranked among {n_systems} of {attrs['selected_from']} models.")
    if attrs.get("kemeny_gap", 0.0) > 0:
        lines.append(
            f"The order is the best one found, not proven best: no order has an expected Kendall "
            f"distance smaller by more than {attrs['kemeny_gap']:.3g} pairs."
        )
    if attrs["tied_draws"]:
        lines.append(
            f"{attrs['tied_draws']:,} of {attrs['chains'] * attrs['draws']:,} draws have ties "
            f"between models; they are split equally."
        )
    lines += record.notes
    return tuple(visible(line) for line in lines if line)


def _has_ties(dataset: xr.Dataset) -> bool:
    return len(np.unique(dataset["rank"].to_numpy())) < dataset.sizes["system"]


def _estimand(record: Record) -> str:
    return "" if record.estimand == "score" else f"Score: {record.estimand.rstrip('.')}. "


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _draws(attrs: dict[str, Any], *, independent: bool) -> str:
    """Return how many draws there are, and what they are worth."""
    if independent:
        return _counted(attrs["effective_draws"], "independent draw")
    return (
        f"{_counted(attrs['chains'], 'chain')} of {_counted(attrs['draws'], 'draw')}, worth about "
        f"{attrs['effective_draws']:,} independent ones for the worst model"
    )


def _observed(record: Record) -> str:
    """Return what was observed and what was missing."""
    facts = record.observations
    parts = [
        _counted(int(facts[f"{noun}s"]), noun)
        for noun in ("model", "question", "trial", "pair", "comparison", "event")
        if facts.get(f"{noun}s") is not None
    ]
    observed = f"Observed: {', '.join(parts)}. " if parts else ""
    missing = facts.get("missing")
    if missing is None:
        return f"{observed}Missing: not stated."
    as_what = ""
    if missing and "missing_as" in facts:
        kinds = {"mask": " (left out)", "failure": " (counted as failures)"}
        as_what = kinds.get(str(facts["missing_as"]), "")
    return f"{observed}Missing: {missing:,}{as_what}."


def _diagnosed(record: Record) -> str:
    """Return the verdict on the posterior, with what failed."""
    failed = [
        str(check.get("sentence") or check.get("name"))
        for check in record.diagnostics.get("checks", [])
        if check.get("verdict") == "fail"
    ]
    verdict = {"pass": "passed", "fail": "FAILED"}.get(record.verdict, record.verdict)
    return f"Diagnostics: {verdict}." + "".join(f" {text.rstrip('.')}." for text in failed)


def answer(dataset: xr.Dataset, record: Record) -> str:
    """Return who is best, and how surely, in one sentence."""
    names = [shortened(str(name)) for name in dataset["system"].to_numpy()]
    sentence = (
        f"Only one model was ranked, {names[0]}." if len(names) == 1 else _contest(dataset, names)
    )
    if record.verdict == "fail":
        return f"Not to be relied on, for the posterior failed its checks: {sentence}"
    return sentence


def _contest(dataset: xr.Dataset, names: list[str]) -> str:
    """Return the answer for two or more systems."""
    ci_prob = dataset.attrs["ci_prob"]
    p_best = dataset["p_best"].to_numpy()
    order = table_order(dataset)
    # The first in the table leads unless another is strictly more often the best.
    leader = order[int(np.argmax(p_best[order]))]
    cells = best_cells(dataset)
    above = dataset["superiority"].to_numpy()
    rivals = [i for i in order if i != leader and above[leader, i] < ci_prob]
    rivals.sort(key=lambda i: -p_best[i])
    n = len(names)
    if p_best[leader] >= ci_prob or not rivals:
        best = (
            f"With probability {_spoken(cells[leader])}, {names[leader]} is the best of {n} models"
        )
        if p_best[leader] >= ci_prob:
            return f"{best}{_table_differs(dataset, leader, names)}."
        least = float(np.delete(above[leader], leader).min())
        return (
            f"{best}, and it is above each other one with probability "
            f"{_spoken(_pair_text(dataset, leader, least))} or more"
            f"{_table_differs(dataset, leader, names)}."
        )
    shown = [f"{names[i]} ({cells[i]})" for i in rivals]
    if len(shown) > _MOST_NAMED + 1:  # "and 1 more" would be no shorter than its name
        shown[_MOST_NAMED:] = [f"{len(shown) - _MOST_NAMED} more"]
    return (
        f"No single model is shown to be the best of {n}: {names[leader]} comes first with "
        f"probability {_spoken(cells[leader])}, and {_joined(shown)} cannot be told apart from it"
        f"{_table_differs(dataset, leader, names)}."
    )


def _pair_text(dataset: xr.Dataset, system: int, probability: float) -> str:
    """Return the least probability of being above another system as text."""
    row = dataset["superiority"].to_numpy()[system]
    other = int(np.flatnonzero(row == probability)[0])
    error = float(dataset["superiority_mcse"].to_numpy()[system, other])
    return probability_text(probability, mcse=error, n_draws=dataset.attrs["effective_draws"])


def _table_differs(dataset: xr.Dataset, leader: int, names: list[str]) -> str:
    """Say so where the table, sorted by something else, has another model first."""
    rank = dataset["rank"].to_numpy()
    if rank[leader] == 1:
        return ""
    first = names[table_order(dataset)[0]]
    return f"; sorted by {sorted_by(dataset)}, {first} heads the table"


def _spoken(text: str) -> str:
    """Return a bound in words."""
    return text.replace("<", "below ").replace(">", "above ")


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
