"""From any posterior to score draws: what can be ranked, and one clear line where it cannot."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._record import ATTRIBUTE, Record
from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean, positions, validate_labels
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.typing import IntArray

DIMS = ("chain", "draw", "system")
# Counts per system that `sample` leaves beside a posterior, and that tables show where they are.
OBSERVED = ("trials", "missing")

type Posterior = xr.DataTree | xr.Dataset | xr.DataArray


def as_scores(posterior: Posterior) -> tuple[xr.DataArray, Record]:
    """Return checked draws on (chain, draw, system), and what the posterior says of itself."""
    found, attrs = _find_score(posterior)
    scores = _checked(found).assign_coords(_observed_counts(posterior, found))
    return scores, _record_of(attrs)


def _record_of(attrs: Mapping[Any, Any]) -> Record:
    text = attrs.get(ATTRIBUTE)
    return Record() if text is None else Record.from_json(str(text))


def as_part_scores(posterior: Posterior, part: str) -> tuple[xr.DataArray, Record]:
    """Return checked draws of one part, and what the posterior says of itself.

    Trials and missing ones are counted over all parts: they say nothing of one, and stay behind.
    """
    dataset = xr.Dataset() if isinstance(posterior, xr.DataArray) else _find_dataset(posterior)
    if "part_score" not in dataset.data_vars:
        msg = (
            f"part={part!r} needs a posterior with the variable 'part_score' of dims (chain, draw, "
            f"part, system); this one has no parts, so leave part= out."
        )
        raise ArgumentError(msg)
    found = dataset["part_score"]
    if "part" not in found.dims or "part" not in found.coords:
        msg = (
            f"part_score lies on dims ({', '.join(map(str, found.dims))}); it needs (chain, draw, "
            f"part, system), with the names of the parts as a coordinate."
        )
        raise InputError(msg)
    names = [str(name) for name in found["part"].values]
    if part not in names:
        msg = (
            f"no part {quoted(str(part))} here; there are {listed(names, most=12)}."
            f"{did_you_mean(str(part), names)}"
        )
        raise ArgumentError(msg)
    scores = _checked(found.isel(part=names.index(part), drop=True), name="part_score")
    record = _record_of(dataset.attrs)
    return scores, replace(record, estimand=f"{record.estimand} (part {quoted(part)})")


def select_systems(scores: xr.DataArray, systems: Sequence[str] | None) -> xr.DataArray:
    """Return the draws of some systems, in the order given."""
    if systems is None:
        return scores
    if isinstance(systems, str):
        msg = f"systems={systems!r} is one text; give a list of names, such as [{systems!r}]."
        raise ArgumentError(msg)
    if len(systems) == 0:
        msg = "systems is empty; name at least one model, or leave it out to rank all."
        raise ArgumentError(msg)
    where = positions(systems, names_of(scores), kind="model")
    if len(set(where.tolist())) < len(where):
        twice = tuple(name for k, name in enumerate(systems) if name in systems[:k])
        msg = f"systems names {listed(twice)} more than once."
        raise ArgumentError(msg)
    return scores.isel(system=where)


def names_of(scores: xr.DataArray) -> tuple[str, ...]:
    """Return the names of the systems."""
    return tuple(str(name) for name in scores["system"].values)


def _find_score(posterior: Posterior) -> tuple[xr.DataArray, dict[Any, Any]]:
    """Return the variable ``score`` and the attributes beside it."""
    if isinstance(posterior, xr.DataArray):
        return posterior, dict(posterior.attrs)
    dataset = _find_dataset(posterior)
    if "score" not in dataset.data_vars:
        there = listed(tuple(str(name) for name in dataset.data_vars)) or "none"
        msg = (
            f"the posterior has no variable 'score' (variables: {there}); put the quantity to rank "
            f"there, higher is better, on dims (chain, draw, system)."
        )
        raise InputError(msg)
    return dataset["score"], dict(dataset.attrs)


def _find_dataset(posterior: xr.DataTree | xr.Dataset) -> xr.Dataset:
    """Return the variables of a posterior."""
    if isinstance(posterior, xr.DataTree):
        node = posterior["posterior"] if "posterior" in posterior.children else posterior
        dataset = node.to_dataset()
        if not dataset.data_vars:
            groups = listed(tuple(str(name) for name in posterior.children)) or "none"
            msg = f"there is no group 'posterior' to rank; groups that are there: {groups}."
            raise InputError(msg)
        return dataset
    if isinstance(posterior, xr.Dataset):  # pyright: ignore[reportUnnecessaryIsInstance]
        return posterior
    msg = (
        f"rank() takes a posterior (DataTree, Dataset or DataArray), not "
        f"{type(posterior).__name__}; bayesrank.sample() turns a model into one."
    )
    raise ArgumentError(msg)


def _observed_counts(posterior: Posterior, score: xr.DataArray) -> dict[str, tuple[str, IntArray]]:
    """Return how often each system was tried, and missing, in the order of `score`."""
    if not isinstance(posterior, xr.DataTree) or "constant_data" not in posterior.children:
        return {}
    known = posterior["constant_data"].to_dataset()
    if "system" in known.coords and "system" in score.coords:
        known = known.reindex(system=score["system"].values, fill_value=-1)
    return {
        name: ("system", known[name].to_numpy())
        for name in OBSERVED
        if name in known
        and known[name].shape == (score.sizes["system"],)
        and (known[name].to_numpy() >= 0).all()
    }


def _checked(score: xr.DataArray, *, name: str = "score") -> xr.DataArray:
    """Return finite float draws with named systems, on (chain, draw, system)."""
    dims = tuple(str(dim) for dim in score.dims)
    if "system" not in dims or "draw" not in dims:
        msg = (
            f"{name} lies on dims ({', '.join(dims)}); it needs (chain, draw, system), "
            f"the ranked models on 'system'. DataArray.rename() changes a dim's name."
        )
        raise InputError(msg)
    extra = tuple(dim for dim in dims if dim not in DIMS)
    if extra:
        msg = (
            f"{name} has the extra dim {listed(extra)}; average over it or select from it first: "
            f"one score a model and draw is ranked."
        )
        raise InputError(msg)
    if "chain" not in dims:
        score = score.expand_dims("chain")
    score = score.transpose(*DIMS)
    if 0 in score.shape:
        msg = f"{name} has shape {score.shape} on (chain, draw, system): there is nothing to rank."
        raise InputError(msg)
    labels = (
        list(score["system"].values)
        if "system" in score.coords
        else [f"model {k + 1}" for k in range(score.sizes["system"])]
    )
    names = validate_labels(labels, kind="model")
    try:
        values = score.values.astype(np.float64)
    except (TypeError, ValueError):
        msg = f"{name} holds {score.dtype} values; numbers are needed."
        raise InputError(msg) from None
    finite = np.isfinite(values)
    if not finite.all():
        bad = ~finite.all(axis=(0, 1))
        count = int((~finite).any(axis=2).sum())
        msg = (
            f"{name} is not finite (NaN or infinite) for model "
            f"{listed(tuple(n for n, b in zip(names, bad, strict=True) if b))}, in {count} of "
            f"{finite.shape[0] * finite.shape[1]} draws; such draws cannot be ranked."
        )
        raise InputError(msg)
    return xr.DataArray(
        values,
        dims=DIMS,
        coords={dim: score[dim].values for dim in DIMS[:2]} | {"system": np.array(names)},
        name="score",
    )
