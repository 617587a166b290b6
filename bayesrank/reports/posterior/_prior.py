"""The model in words and maths, its priors with reasons, and what they say before any data."""

import logging
import warnings
from typing import Any

import numpy as np
import pymc as pm

from bayesrank._text import shortened
from bayesrank.checks._paired_statistics import OBSERVED
from bayesrank.checks._replicates import _quiet
from bayesrank.exceptions import ArgumentError
from bayesrank.reports.page._figures import Twin
from bayesrank.reports.page._report_figures import histogram_figure
from bayesrank.reports.posterior._context import Context
from bayesrank.reports.posterior._graph import model_graph
from bayesrank.reports.posterior._parts import (
    NO_MODEL,
    Finding,
    ReportCheck,
    ReportSection,
    Word,
    not_run,
)
from bayesrank.reports.posterior._replays import observed_variable

_DRAWS, _MOST_NUMBERS = 500, 12_000_000
_WITHIN, _SHARE = 0.99, 0.9
_MOST_NODES = 40
_BINS = 40


def model(context: Context) -> Finding:
    """Return the model: how it says the data came about, in words, in maths and as a graph."""
    family = context.family
    sentences = [family.story] if family is not None else []
    formulas = () if family is None else family.formulas
    graph = None if family is None else family.graph
    if context.model is not None:
        own = model_graph(context.model)
        graph = own if len(own.nodes) <= _MOST_NODES else graph
    if family is None and context.model is None:
        sentences = [
            (
                "The posterior was made elsewhere and does not say of which model; describe it in "
                "the text that goes with this report."
            )
        ]
    elif family is None:
        sentences = ["The model is the user's own; its graph shows what depends on what."]
    record = context.record
    title = family.title if family is not None else record.model
    settings: Any = record.provenance.get("model", {})
    facts = [("Model", record.model if title == record.model else f"{title} ({record.model})")]
    if isinstance(settings, dict):
        facts += [
            (str(key).replace("_", " ").capitalize(), _setting(value))
            for key, value in settings.items()
            if key not in ("family", "prior") and value not in (None, "", {}, [])
        ]
    return Finding(
        ReportSection(
            "model",
            "Model",
            sentences=tuple(sentences),
            facts=tuple(facts),
            formulas=tuple(formulas),
            graph=graph,
            values={"settings": settings},
        )
    )


def prior(context: Context) -> Finding:
    """Return the priors with their reasons, and the prior predictive on the outcome scale."""
    family, record = context.family, context.record
    tables = []
    if family is not None and family.priors:
        rows = [(name, default, why) for name, default, why in family.priors]
        tables.append(
            Twin("Defaults of this family, and why", ("Parameter", "Default", "Why"), rows,
                 words=(1, 2))
        )  # fmt: skip
    stated = record.prior.rstrip(".")
    base = ReportSection(
        "prior",
        "Priors, and what they say before any data",
        sentences=(f"Prior of this posterior: {stated}.",),
        tables=tuple(tables),
    )
    if context.model is None:
        why = "a rule has no model." if context.is_rule else NO_MODEL
    else:
        try:
            return _predicted(context, base)
        except (ArgumentError, NotImplementedError) as error:
            why = f"{str(error).rstrip('.')}."
    return Finding(base, not_run("prior", base.title, "prior predictive", why).checks)


def _predicted(context: Context, base: ReportSection) -> Finding:
    """Add what the prior predicts of the statistics that a ranking rests on."""
    name, statistics = observed_variable(context)
    built = context.known_model
    assert built is not None
    observed = statistics.observed(built) if name == OBSERVED else statistics.observed()
    size = int(np.prod(_shape(built, name)))
    draws = int(np.clip(_MOST_NUMBERS // max(size, 1), 20, _DRAWS))
    with _quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        logging.getLogger("pymc").setLevel(logging.WARNING)
        found: Any = pm.sample_prior_predictive(
            draws=draws,
            model=built,
            var_names=[name],
            random_seed=int(context.rng.integers(2**31)),
            compile_kwargs={"mode": "FAST_COMPILE"},
        )
    group = "prior_predictive" if "prior_predictive" in found.children else "prior"
    values = found[group][name].to_numpy()[0]
    replicated = (
        statistics.replicated(values, rng=context.rng)
        if name == OBSERVED
        else statistics.replicated(values)
    )
    main = next(iter(observed))
    rows, numbers = [], {}
    for kind, (_, seen) in observed.items():
        drawn = replicated[kind][1]
        low, middle, high = np.nanquantile(drawn, [0.025, 0.5, 0.975])
        rows.append((kind, f"{low:.3g} to {high:.3g}", f"{middle:.3g}", _range(seen)))
        numbers[kind] = {"low": low, "median": middle, "high": high}
    drawn, seen = replicated[main][1], observed[main][1][0]
    known = np.isfinite(seen)
    tail = (1 - _WITHIN) / 2
    ends = np.nanquantile(drawn, [tail, 1 - tail], axis=0)[:, known]
    inside = float(((seen[known] >= ends[0]) & (seen[known] <= ends[1])).mean())
    verdict: Word = "pass" if inside >= _SHARE else "warn"
    sentence = (
        f"The prior expects {'an' if main[0] in 'aeiou' else 'a'} {main} of a model between "
        f"{numbers[main]['low']:.2f} and {numbers[main]['high']:.2f} (95 %); "
        f"{100 * inside:.0f} % of the models lie where it puts {100 * _WITHIN:g} %"
        + (
            "."
            if verdict == "pass"
            else ": the data speak against it, and it draws scores towards itself."
        )
    )
    pooled = drawn[np.isfinite(drawn)]
    figure = histogram_figure(
        id="prior-predictive",
        title=f"What the prior expects: {main} of a model",
        reading=(
            f"Bars: {main} of a model in {draws:,} data sets drawn from the prior alone, on these "
            f"questions and with as many observations. Strokes below: the models as observed."
        ),
        counts=np.histogram(pooled, bins=_BINS, range=(0, 1))[0] / max(pooled.size, 1),
        edges=np.linspace(0, 1, _BINS + 1),
        strokes=seen[known],
        column=main.capitalize(),
    )
    table = Twin(
        "Prior predictive on the scale of outcomes",
        ("Statistic", "95 % of the prior", "Median", "Observed"),
        rows,
        words=(1, 3),
    )
    return Finding(
        ReportSection(
            base.id,
            base.title,
            sentences=base.sentences,
            tables=(*base.tables, table),
            figures=(figure,),
            values={"prior": context.record.prior, "prior_predictive": numbers},
        ),
        (ReportCheck("prior", "prior predictive", inside, _SHARE, verdict, sentence),),
    )


def _shape(built: pm.Model, name: str) -> tuple[int, ...]:
    variable: Any = built[f"{name}_observed"]
    return np.shape(variable.get_value())


def _range(seen: Any) -> str:
    low, high = float(np.nanmin(seen)), float(np.nanmax(seen))
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return shortened(str(value).replace("_", " ") if isinstance(value, str) else str(value), 300)
