"""Find out all that a report says."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pymc as pm
import xarray as xr

from bayesrank._record import read_record, write_record
from bayesrank._validate import as_generator
from bayesrank.checks import diagnose
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.models._attach import attached
from bayesrank.ranking import Ranking, rank
from bayesrank.reports.page import _words
from bayesrank.reports.posterior import _computation, _decision, _fit, _observed, _prior
from bayesrank.reports.posterior._context import Context
from bayesrank.reports.posterior._parts import Finding
from bayesrank.reports.posterior._sensitivity import sensitivity
from bayesrank.reports.posterior.report import PosteriorReport
from bayesrank.typing import RandomSeed


def built(
    posterior: xr.DataTree,
    *,
    model: pm.Model | None,
    data: Responses | Comparisons | None,
    ranked: Mapping[str, Any],
    title: str | None,
    command: str | None,
    code: Sequence[str],
    random_seed: RandomSeed,
) -> PosteriorReport:
    """Return the report; see `posterior_report`, `ranked` being the options of `rank`."""
    tree, ranking = _checked(posterior, model, data, ranked)
    context = Context(posterior=tree, ranking=ranking, model=model, rng=as_generator(random_seed))
    replays = _fit.Replays(context)
    found: list[Finding] = [
        _observed.question(context),
        _observed.observations(context),
        _prior.model(context),
        _prior.prior(context),
        _computation.sampler(context),
        _computation.ranks(context),
        _fit.predictions(context),
        _fit.calibration(context, replays),
        _fit.leave_one_out(context, replays),
        sensitivity(context, replays),
        _decision.decision(context),
        _decision.multiplicity(context),
        _decision.limits(context),
        _decision.reproduction(context, command=command, code=code),
    ]
    record = ranking.record
    return PosteriorReport(
        title=title or f"Posterior report: {_words.title_of(record, len(context.names))}",
        answer=_decision.verdict_in_words(context),
        sections=tuple(finding.section for finding in found),
        checks=tuple(check for finding in found for check in finding.checks),
        ranking=ranking,
        summary=(
            ("Population", _words.population(record.population)),
            ("Score", record.estimand),
            ("Observed", _words.observed(record.observations)),
            ("Model", f"{record.model}, {record.method}"),
        ),
    )


def _checked(
    posterior: xr.DataTree,
    model: pm.Model | None,
    data: Responses | Comparisons | None,
    ranked: Mapping[str, Any],
) -> tuple[xr.DataTree, Ranking]:
    """Return the posterior with a record of its checks and data, and its ranking."""
    ranking = rank(posterior, **ranked)
    tree = posterior.copy()
    record = read_record(tree)
    attachment = None if model is None else attached(model)
    known: Any = record.provenance.get("data", {}).get("hash")
    held = {"model": None if attachment is None else attachment.data, "data": data}
    for name, own in held.items():
        if own is not None and known is not None and own.data_hash() != known:
            msg = f"the posterior is of other data than `{name}`; give what it was drawn of."
            raise ArgumentError(msg)
    changed = record
    if data is not None and not record.observations:
        changed = replace(changed, observations=data.describe())
    if record.verdict == "not run":
        source = record.method if record.independent else "nuts"
        changed = replace(changed, diagnostics=diagnose(tree, source=source).to_dict())
    if changed is not record:
        write_record(tree, changed)
        ranking = replace(ranking, record=changed)
    return tree, ranking
