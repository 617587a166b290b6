"""The mean over benchmarks: one joint posterior of posteriors that are independent."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from bayesrank._record import Record, write_record
from bayesrank._text import listed, quoted

if TYPE_CHECKING:
    from bayesrank.ranking import Ranking

__all__ = ["overall_posterior", "why_no_overall"]

# Populations under which benchmarks are independent of one another: their questions are others.
_POPULATIONS = ("trials", "questions")
_LARGEST_SCORE = 1.0


def why_no_overall(rankings: "Mapping[str, Ranking]") -> str:
    """Return why benchmarks have no joint posterior of a mean score, or nothing where they have."""
    if len(rankings) < 2:
        return "There is one benchmark, so there is nothing to combine."
    records = {name: ranking.record for name, ranking in rankings.items()}
    for name, record in records.items():
        if record.population not in _POPULATIONS:
            return (
                f"Benchmarks are combined where each is about new trials or new questions; "
                f"{quoted(name)} is about {quoted(record.population)}."
            )
    for what in ("population", "estimand"):
        first, *rest = ((name, getattr(record, what)) for name, record in records.items())
        for name, value in rest:
            if value != first[1]:
                told = "score" if what == "estimand" else what
                return (
                    f"The benchmarks have no common {told}: {quoted(first[0])} has "
                    f"{quoted(first[1], 120)}, {quoted(name)} has {quoted(value, 120)}."
                )
    for name, ranking in rankings.items():
        scores = ranking.scores
        if float(scores.min()) < 0 or float(scores.max()) > _LARGEST_SCORE:
            return f"Scores of {quoted(name)} are no shares from 0 to 1, so a mean says nothing."
    shapes = {ranking.scores.sizes["chain"] * ranking.scores.sizes["draw"] for ranking in
              rankings.values()}  # fmt: skip
    if len(shapes) > 1:
        return "The benchmarks have posteriors of different numbers of draws."
    if len(_common(list(rankings.values()))) < 2:
        return "Fewer than two models are in every benchmark."
    return ""


def overall_posterior(rankings: "Mapping[str, Ranking]") -> xr.DataTree:
    """Return the posterior of the mean score over benchmarks, each counting the same.

    Models and priors of the benchmarks have nothing in common, so that their joint posterior is
    the product of theirs: a draw of each, side by side, is a draw of it.
    """
    found = list(rankings.values())
    common = _common(found)
    stacked = np.stack(
        [ranking.scores.sel(system=common).to_numpy().reshape(-1, len(common)) for ranking in found]
    )
    # The longest chains that all have: their number is the same, their shape may differ.
    chains = min(ranking.scores.sizes["chain"] for ranking in found)
    mean = stacked.mean(axis=0)
    draws = len(mean) // chains
    score = xr.DataArray(
        mean[: chains * draws].reshape(chains, draws, len(common)),
        dims=("chain", "draw", "system"),
        coords={"chain": np.arange(chains), "draw": np.arange(draws), "system": common},
    )
    groups = {"posterior": xr.Dataset({"score": score})}
    if all({"trials", "missing"} <= set(ranking.dataset) for ranking in found):
        groups["constant_data"] = xr.Dataset(
            {
                name: (
                    "system",
                    sum(ranking.dataset[name].sel(system=common).to_numpy() for ranking in found),
                )
                for name in ("trials", "missing")
            },
            coords={"system": common},
        )
    tree = xr.DataTree.from_dict(groups)
    write_record(tree, _record(rankings, common, tree))
    return tree


def _record(rankings: "Mapping[str, Ranking]", common: Sequence[str], tree: xr.DataTree) -> Record:
    from bayesrank.checks import diagnose  # it loads PyMC, and most reports need none

    records = {name: ranking.record for name, ranking in rankings.items()}
    methods = {record.method for record in records.values()}
    method = methods.pop() if len(methods) == 1 else "several methods"
    checks = diagnose(tree, source=method).to_dict()
    failed = [name for name, record in records.items() if record.verdict == "fail"]
    if failed:
        sentence = f"The posterior of {listed(failed)} failed its own checks."
        own = {"name": "benchmarks", "value": len(failed), "threshold": 0, "verdict": "fail"}
        checks["verdict"] = "fail"
        checks["checks"] = [*checks.get("checks", []), {**own, "sentence": sentence}]
    left = sorted({n for r in rankings.values() for n in r.systems} - set(common))
    told = listed(list(records), most=12)
    notes = [
        f"The score is the mean over {len(records)} benchmarks ({told}), each counting the same.",
        "The benchmarks were fitted apart: what one says of a model enters no other.",
    ]
    if left:
        notes.append(f"Left out, since not in every benchmark: {listed(left, most=20)}.")
    first = next(iter(records.values()))
    observed = [record.observations for record in records.values()]
    return Record(
        population=first.population,
        method=method,
        model="mean over benchmarks",
        prior="independent over benchmarks; each as its page says",
        estimand=f"mean over {len(records)} benchmarks of the {first.estimand}",
        observations={
            "models": len(common),
            **{
                key: sum(int(one.get(key) or 0) for one in observed)
                for key in ("questions", "trials", "missing")
            },
        },
        diagnostics=checks,
        notes=tuple(notes),
    )


def _common(rankings: "Sequence[Ranking]") -> list[str]:
    """Return the models that all rank, in the order of the first."""
    every = set[str].intersection(*(set(ranking.systems) for ranking in rankings))
    return [name for name in rankings[0].systems if name in every]
