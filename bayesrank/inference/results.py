"""From draws to a finished posterior: checked, arranged, and with a record of how it was made."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._record import Record, write_record
from bayesrank.checks import Diagnostics, diagnose
from bayesrank.exceptions import BayesrankWarning, ChecksFailedError
from bayesrank.inference.provenance import provenance
from bayesrank.inference.seeds import Seeds
from bayesrank.models._attach import Attachment

_CHANGED = (
    "The model was changed after it was built: its data and prior are not those described here."
)


@dataclass(frozen=True)
class Resampled:
    """What has to be said of draws that come from resampled observations.

    Attributes
    ----------
    prior, estimand : str
        One line of prose each.
    notes : tuple of str
        Sentences to print.
    warnings : tuple of str
        Those that deserve a warning: too few units.
    """

    prior: str
    estimand: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def finished(
    tree: xr.DataTree,
    attachment: Attachment | None,
    population: str,
    *,
    method: str,
    settings: dict[str, Any],
    seeds: Seeds,
    as_built: bool,
    verdict: Diagnostics | None = None,
    resampled: Resampled | None = None,
    keep_probabilities: bool = False,
    strict: bool = False,
) -> xr.DataTree:
    """Return a posterior that can be ranked, or with `strict` raise where a check fails.

    Parameters
    ----------
    tree : DataTree
        The draws.
    attachment : Attachment or None
        What the factory knows of the model.
    population, method : str
        As recorded.
    settings : dict
        Of the run, for provenance.
    seeds : Seeds
        Of the run.
    as_built : bool
        Whether the model has the data and the prior that `attachment` describes.
    verdict : Diagnostics, optional
        Of a method that judges itself; by default the draws are checked here.
    resampled : Resampled, optional
        What replaces the words of `attachment` where observations were resampled.
    keep_probabilities, strict : bool
        As in `sample`.

    Returns
    -------
    DataTree
    """
    if attachment is not None and attachment.completion is not None and resampled is None:
        posterior = tree["posterior"].to_dataset()
        rng = seeds.generator("predictive")
        tree["posterior"] = xr.DataTree(attachment.completion(posterior, rng=rng))
    diagnostics = diagnose(tree, source=method) if verdict is None else verdict
    tree = _arranged(tree, attachment, population, keep_probabilities=keep_probabilities)
    record = _record(attachment, population, resampled, as_built=as_built)
    config = {"method": method, "population": population, **settings}
    write_record(
        tree,
        replace(
            record,
            population=population,
            method=method,
            diagnostics=diagnostics.to_dict(),
            provenance=provenance(seeds, config, attachment),
        ),
    )
    for sentence in resampled.warnings if resampled is not None else ():
        warnings.warn(sentence, BayesrankWarning, stacklevel=3)
    if strict and diagnostics.failed:
        sentences = " ".join(check.sentence for check in diagnostics.failed)
        msg = f"the posterior failed its checks: {sentences} More draws or tune may help."
        raise ChecksFailedError(msg)
    return tree


def _arranged(
    tree: xr.DataTree,
    attachment: Attachment | None,
    population: str,
    *,
    keep_probabilities: bool,
) -> xr.DataTree:
    """Return the groups a ranking needs, without what has a value per cell unless asked for."""
    posterior = tree["posterior"].to_dataset()
    names = [str(name) for name in posterior["system"].to_numpy()]
    posterior = posterior.assign_coords(system=names)
    if attachment is not None and attachment.views:
        # One posterior, one score: those of other populations are for another fit to show.
        view = attachment.views.get(population)
        chosen = "score" if view is None else view.variable
        for prefix in ("", "part_"):  # overall, and part by part where there are parts
            score = posterior.get(f"{prefix}{chosen}")
            if score is None:  # parts whose scores are the same for every population
                continue
            others = [f"{prefix}{view.variable}" for view in attachment.views.values()]
            posterior = posterior.drop_vars(others, errors="ignore")
            posterior = posterior.assign({f"{prefix}score": score})
    posterior["score"] = posterior["score"].astype(np.float64).transpose("chain", "draw", "system")
    if attachment is not None and not keep_probabilities:
        posterior = posterior.drop_vars(list(attachment.large), errors="ignore")
        unused = set(posterior.dims) - {d for v in posterior.data_vars.values() for d in v.dims}
        posterior = posterior.drop_dims(unused)
    groups = {"posterior": posterior}
    if "sample_stats" in tree.children:
        stats = tree["sample_stats"].to_dataset()
        groups["sample_stats"] = stats[[n for n in stats if stats[n].dtype.kind in "fiub"]]
    if attachment is not None:
        groups["constant_data"] = xr.Dataset(
            {
                "trials": ("system", attachment.trials.astype(np.int64)),
                "missing": ("system", attachment.missing.astype(np.int64)),
            },
            {"system": names},
        )
    return xr.DataTree.from_dict(groups)


def _record(
    attachment: Attachment | None,
    population: str,
    resampled: Resampled | None,
    *,
    as_built: bool,
) -> Record:
    if attachment is None:
        return Record(model="user's own")
    view = attachment.views.get(population)
    record = Record(
        model=attachment.family,
        prior=attachment.prior,
        estimand=attachment.estimand if view is None else view.estimand,
        observations=attachment.data.describe(),
        notes=attachment.notes,
    )
    if resampled is not None:
        return replace(
            record, prior=resampled.prior, estimand=resampled.estimand, notes=resampled.notes
        )
    if population in attachment.caveats:
        record = record.with_notes(attachment.caveats[population])
    return record if as_built else record.with_notes(_CHANGED)
