"""Does the model fit: predictive checks, calibration of predictions, leave-one-out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from arviz_stats.base.array import array_stats
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayesrank.checks import predictive
from bayesrank.exceptions import ArgumentError
from bayesrank.reports.page._report_figures import histogram_figure, predictive_figure
from bayesrank.reports.posterior._context import Context
from bayesrank.reports.posterior._parts import (
    NO_MODEL,
    Finding,
    ReportCheck,
    ReportSection,
    Word,
    not_run,
)
from bayesrank.reports.posterior._replays import Replay, replayed

type Floats = NDArray[np.float64]

_COVERAGE, _MARGIN = 0.9, 0.03
_BINS = 10
# Of the cells, for calibration to be about them.
_ENOUGH = 0.5
_NOT_OF_CELLS = "the likelihood of this model is that of whole models, and not of their cells."


@dataclass(frozen=True, eq=False)
class Replays:
    """The replay of a context, made once when it is asked for, or why there is none."""

    context: Context

    @cached_property
    def found(self) -> Replay | str:
        """The replay, or the reason why there is none."""
        context = self.context
        if context.model is None:
            return "a rule has no likelihood." if context.is_rule else NO_MODEL
        try:
            return replayed(context)
        except (ArgumentError, NotImplementedError) as error:
            return f"{str(error).rstrip('.')}."


def predictions(context: Context) -> Finding:
    """Return posterior predictive checks of what matters to a ranking."""
    title = "Posterior predictive checks"
    recorded: list[dict[str, Any]] = context.record.diagnostics.get("predictive", [])
    if context.model is None and recorded:
        return Finding(
            ReportSection("predictive", title, sentences=("As recorded with the posterior.",)),
            [
                _predictive_check(c["name"], c.get("value"), float(c["threshold"]), c["verdict"],
                                  c["sentence"])
                for c in recorded
            ],
        )  # fmt: skip
    if context.model is None:
        why = "a rule predicts no data." if context.is_rule else NO_MODEL
        return not_run("predictive", title, "posterior predictive", why)
    try:
        found = predictive(
            context.posterior, context.model, ci_prob=context.ci_prob, random_seed=context.rng
        )
    except (ArgumentError, NotImplementedError) as error:
        return not_run("predictive", title, "posterior predictive", str(error))
    figure = predictive_figure(found.dataset, context.named(), level=context.level)
    section = ReportSection(
        "predictive",
        title,
        sentences=(
            (f"Would the model, as fitted, produce data like those observed? "
            f"{found.dataset.attrs['draws']:,} data sets were drawn from it, and compared in what "
            f"a ranking rests on. A misfit does not make the draws wrong, but the model's words "
            f"about new data are then to be taken with care."),
        ),
        figures=() if figure is None else (figure,),
        values={
            "statistics": [
                {key: found.dataset[key].to_numpy()[k] for key in
                 ("kind", "item", "observed", "mean", "low", "high", "p_value")}
                for k in range(found.dataset.sizes["statistic"])
            ]
        },
    )  # fmt: skip
    checks = [
        _predictive_check(c.name, c.value, c.threshold, c.verdict, c.sentence) for c in found.checks
    ]
    return Finding(section, checks)


def _predictive_check(
    name: str, value: object, threshold: float, verdict: str, sentence: str
) -> ReportCheck:
    word: Word = "pass" if verdict == "pass" else "warn" if verdict == "fail" else "not run"
    number = float(value) if isinstance(value, (int, float)) else None
    return ReportCheck("predictive", f"{name}, p", number, threshold, word, sentence)


def calibration(context: Context, replays: Replays) -> Finding:
    """Return whether predictive intervals hold the share of cells that they should."""
    title = "Calibration of predictions"
    if _exact(context) is not None:
        why = (
            "every cell has probabilities of its own here, so that nothing but its prior predicts "
            "a cell that is left out."
        )
        return not_run("calibration", title, "calibration", why)
    replay = replays.found
    if isinstance(replay, str):
        return not_run("calibration", title, "calibration", replay)
    if not replay.of_cells:
        return not_run("calibration", title, "calibration", _NOT_OF_CELLS)
    weights, _, khat = _smoothed(replay.log_likelihood)
    good = khat <= _good_below(len(weights))
    if good.mean() < _ENOUGH:
        why = "most cells cannot be left out by reweighting: see k-hat in the next section."
        return not_run("calibration", title, "calibration", why)
    weights, predicted = weights[:, good], replay.predicted[:, good]
    below = (weights * (predicted < replay.observed[good])).sum(axis=0)
    equal = (weights * (predicted == replay.observed[good])).sum(axis=0)
    # Counts are whole numbers: among draws that equal what was observed, its place is random.
    place = below + context.rng.random(below.shape) * equal
    n = len(place)
    tail = (1 - _COVERAGE) / 2
    inside = float(((place >= tail) & (place <= 1 - tail)).mean())
    margin = max(_MARGIN, 4 * float(np.sqrt(_COVERAGE * (1 - _COVERAGE) / n)))
    low, high = _COVERAGE - margin, _COVERAGE + margin
    verdict: Word = "pass" if low <= inside <= high else "warn"
    words = {
        True: "as many as there should be, within what chance does",
        False: "predictions are too sure of themselves"
        if inside < low
        else "predictions are less sure than they could be",
    }
    sentence = (
        f"{100 * inside:.1f} % of {n:,} cells lie in the {100 * _COVERAGE:g} % interval that is "
        f"predicted without them: {words[verdict == 'pass']}."
    )
    check = ReportCheck("calibration", "coverage of 90 %", inside, _COVERAGE, verdict, sentence)
    share = np.histogram(place, bins=_BINS, range=(0, 1))[0] / n
    spread = 2 * float(np.sqrt((1 / _BINS) * (1 - 1 / _BINS) / n))
    figure = histogram_figure(
        id="pit",
        title="Where what was observed lies in its prediction",
        reading=(
            "Each cell is predicted without itself. If predictions are calibrated, all bars are of "
            "like height; a heap in the middle means that they are too wide, heaps at both ends "
            "that they are too narrow."
        ),
        counts=share,
        edges=np.linspace(0, 1, _BINS + 1),
        band=(1 / _BINS - spread, 1 / _BINS + spread),
        column="Place in the prediction",
    )
    section = ReportSection(
        "calibration", title, figures=(figure,), values={"coverage": inside, "cells": n}
    )
    return Finding(section, (check,))


def leave_one_out(context: Context, replays: Replays) -> Finding:
    """Return the predictive accuracy for cells that are left out, and whether k-hat lets one."""
    title = "Leave-one-out (LOO)"
    exact = _exact(context)
    if exact is not None:
        return exact(title)
    found = replays.found
    logs = found.log_likelihood if isinstance(found, Replay) else _given(context)
    if logs is None:
        return not_run("loo", title, "LOO, k-hat", str(found))
    if isinstance(found, Replay) and not found.of_cells:
        return not_run("loo", title, "LOO, k-hat", _NOT_OF_CELLS)
    _, elpd, khat = _smoothed(logs)
    n, draws = len(elpd), len(logs)
    threshold = _good_below(draws)
    bad = int((khat > threshold).sum())
    total, error = float(elpd.sum()), float(np.sqrt(n * elpd.var()))
    lpd = float((logsumexp(logs, axis=0) - np.log(draws)).sum())
    worst = float(khat.max()) if np.isfinite(khat.max()) else None
    verdict: Word = "pass" if bad == 0 else "warn"
    sentence = (
        f"k-hat is {float(khat.max()):.2f} or less for all {n:,} cells: LOO can be relied on."
        if bad == 0
        else f"{bad:,} of {n:,} cells have a k-hat above {threshold:.2f}: the posterior leans on "
        f"each of them, and the LOO figure below is no more than rough."
    )
    figure = histogram_figure(
        id="khat",
        title="k-hat of the cells",
        reading=(
            f"How much the posterior would change without a cell. Above {threshold:.2f} the cell "
            f"cannot be left out by reweighting."
        ),
        counts=np.histogram(np.clip(khat, -0.5, 1.5), bins=20, range=(-0.5, 1.5))[0],
        edges=np.linspace(-0.5, 1.5, 21),
        mark=threshold,
        column="k-hat",
        whole=True,
    )
    return Finding(
        ReportSection(
            "loo",
            title,
            sentences=(
                (
                    "The unit that is left out is a cell: all trials of a model on a question, or "
                    "all comparisons of a pair. The figure is for comparing models of the same "
                    "cells."
                ),
            ),
            facts=(
                ("Expected log predictive density", f"{total:,.1f}, standard error {error:,.1f}"),
                ("Effective parameters", f"{lpd - total:,.1f}"),
                ("Cells", f"{n:,}"),
            ),
            figures=(figure,),
            values={"elpd": total, "se": error, "p": lpd - total, "khat_max": worst},
        ),
        (ReportCheck("loo", "LOO, k-hat", worst, threshold, verdict, sentence),),
    )


def _exact(context: Context) -> Callable[[str], Finding] | None:
    """Return LOO of single trials in closed form, where cells have Dirichlets of their own."""
    model, attachment = context.known_model, context.attachment
    if model is None or attachment is None or "prior_concentration" not in model.named_vars:
        return None
    if context.record.method != "exact":
        return None
    prior: Any = model["prior_concentration"]
    counts = np.asarray(getattr(attachment.data, "counts"), dtype=np.float64)  # noqa: B009
    total = np.broadcast_to(prior.get_value(), counts.shape) + counts

    def finding(title: str) -> Finding:
        seen = counts > 0
        left = np.where(seen, total - 1.0, 1.0)
        each = np.log(left / np.maximum(total.sum(axis=-1, keepdims=True) - 1.0, 1e-300))
        n = counts.sum()
        elpd = float((counts * each)[seen].sum())
        error = float(np.sqrt(n * ((counts * each**2)[seen].sum() / n - (elpd / n) ** 2)))
        check = ReportCheck(
            "loo",
            "LOO, exact",
            elpd / n,
            None,
            "pass",
            "Leaving one trial out has a closed form here, so that there is no k-hat to look at.",
        )
        section = ReportSection(
            "loo",
            title,
            sentences=(
                (
                    "The unit that is left out is a single trial. The figure is for comparing "
                    "models of the same trials."
                ),
            ),
            facts=(
                ("Expected log predictive density", f"{elpd:,.1f}, standard error {error:,.1f}"),
                ("Of a trial", f"{elpd / n:.4f}"),
                ("Trials", f"{n:,.0f}"),
            ),
            values={"elpd": elpd, "se": error, "trials": int(n)},
        )
        return Finding(section, (check,))

    return finding


def _given(context: Context) -> Floats | None:
    """Return the log-likelihoods that a posterior brings along, shape (draw, cell)."""
    if "log_likelihood" not in context.posterior.children:
        return None
    group = context.posterior["log_likelihood"].to_dataset()
    parts = []
    for variable in group.data_vars.values():
        if not {"chain", "draw"} <= set(variable.dims):
            return None
        values = variable.transpose("chain", "draw", ...).to_numpy()
        parts.append(values.reshape(values.shape[0] * values.shape[1], -1))
    if not parts:
        return None
    flat = np.concatenate(parts, axis=1)
    return flat[:, np.isfinite(flat).all(axis=0)]


def _good_below(draws: int) -> float:
    """Return the k-hat up to which so many draws can leave a cell out."""
    return min(1 - 1 / float(np.log10(draws)), 0.7)


def _smoothed(logs: Floats) -> tuple[Floats, Floats, Floats]:
    """Return weights (draw, cell) that leave each cell out, its log density without it, k-hat."""
    # The function takes what is to be left out, and turns it round itself.
    smoothed, khat = array_stats.psislw(logs, axis=0)
    log_weights: Floats = np.moveaxis(np.asarray(smoothed), -1, 0)
    total: Any = logsumexp(log_weights, axis=0)
    log_weights = log_weights - total
    elpd: Any = logsumexp(log_weights + logs, axis=0)
    # What has no tail to fit cannot be judged, and is not relied on.
    return np.exp(log_weights), elpd, np.nan_to_num(np.asarray(khat), nan=np.inf)
