"""How far the answer would move with another weight of the prior, and of the data."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bayesrank.checks._power_scaling import THRESHOLD, reweighted
from bayesrank.checks._power_scaling import sensitivity as power_scaling
from bayesrank.likelihoods import DirichletPosterior
from bayesrank.reports.page._figures import Twin
from bayesrank.reports.posterior._context import Context
from bayesrank.reports.posterior._fit import Replays
from bayesrank.reports.posterior._parts import Finding, ReportCheck, ReportSection, Word, not_run
from bayesrank.reports.posterior._replays import Replay

type Floats = NDArray[np.float64]

_TITLE = "Sensitivity to the prior and to the data"
_MOVES = 0.1
_POWERS = (0.8, 1.25)
_MOST_NAMED, _SHOWN = 12, 0.005
# Weights with a larger k-hat say nothing.
_TOO_FAR = 0.7
_OTHERWISE = {
    "prior": "half and twice the prior",
    "data": "data that count a fifth less, or a quarter more",
}
_MOST_CELLS = 100_000


def sensitivity(context: Context, replays: Replays) -> Finding:
    """Return power-scaling sensitivity of scores, and what becomes of P(best)."""
    exact = _exact(context)
    if exact is not None:
        return exact
    found = replays.found
    if not isinstance(found, Replay):
        found = _given(context)
    if found is None:
        why = (
            "a rule has no prior of its own; compare other --prior with bayesrank rank."
            if context.is_rule
            else f"{replays.found} Rank the log under other priors instead: bayesrank study priors."
        )
        return not_run("sensitivity", _TITLE, "power scaling", why)
    likelihood = found.log_likelihood.sum(axis=1)
    checks, values = [], {}
    for part, logs in (("prior", found.log_prior), ("data", likelihood)):
        moved = power_scaling(found.score[np.newaxis], logs[np.newaxis])
        at = int(np.argmax(moved))
        values[part] = dict(zip(context.names, moved.tolist(), strict=True))
        checks.append(_check(part, float(moved[at]), context.names[at]))
    best = _best(found.score)
    table = [("as it is", best.mean(axis=0), np.nan)]
    for part, logs in (("prior", found.log_prior), ("data", likelihood)):
        for power in _POWERS:
            other = reweighted(logs, power)
            table.append((f"{part} to the power {power:g}", other.mean(best), other.k_hat))
    told = (
        f" The prior that is scaled is that of {', '.join(found.prior_of)}."
        if found.prior_of
        else ""
    )
    return Finding(
        ReportSection(
            "sensitivity",
            _TITLE,
            sentences=(
                (
                    "The prior, or the likelihood, is raised to a power a little below and above "
                    "1, and the scores are held against themselves: below 0.05 they hardly move. "
                    f"P(best) is that of draws reweighted to stronger powers.{told}"
                ),
            ),
            tables=(_table(context, table),),
            values={"cjs": values},
        ),
        checks,
    )


def _check(part: str, value: float, name: str) -> ReportCheck:
    if part == "data":
        verdict: Word = "pass" if value >= THRESHOLD else "warn"
        sentence = f"Scores follow the data, most of all that of {name}" + (
            "." if verdict == "pass" else ", but hardly: the data say little."
        )
    else:
        verdict = "pass" if value < THRESHOLD else "warn"
        sentence = f"The score that follows the prior most is that of {name}" + (
            ", and it hardly does."
            if verdict == "pass"
            else ": state the prior wherever it is quoted, and rank under another one too."
        )
    return ReportCheck("sensitivity", f"power scaling, {part}", value, THRESHOLD, verdict, sentence)


def _best(score: Floats) -> Floats:
    """Return the share of being best of each model in each draw, ties split."""
    first = score == score.max(axis=1, keepdims=True)
    return first / first.sum(axis=1, keepdims=True)


def _table(context: Context, rows: Sequence[tuple[str, Floats, float]]) -> Twin:
    """Return P(best) of the models that may be first, a column a scenario."""
    most = np.max([p for _, p, _ in rows], axis=0)
    shown = [int(i) for i in np.argsort(-most, kind="stable")[:_MOST_NAMED] if most[i] >= _SHOWN]
    cells = [(context.names[i], *(f"{p[i]:.2f}" for _, p, _ in rows)) for i in shown]
    if any(np.isfinite(khat) for _, _, khat in rows):
        words = [
            "–" if np.isnan(khat) else f"{khat:.2f}" + (" (too far)" if khat > _TOO_FAR else "")
            for _, _, khat in rows
        ]
        cells.append(("k-hat of the weights", *words))
    header = ("P(best) of", *(scenario for scenario, _, _ in rows))
    return Twin("P(best) under other weights of the prior and of the data", header, cells)


def _given(context: Context) -> Replay | None:
    """Return the terms that a posterior brings along."""
    tree = context.posterior
    if not {"log_prior", "log_likelihood"} <= set(tree.children):
        return None
    scores = context.ranking.scores.isel(system=context.order).transpose("chain", "draw", "system")
    n = scores.sizes["chain"] * scores.sizes["draw"]
    terms: dict[str, Floats] = {}
    for group in ("log_prior", "log_likelihood"):
        parts = [
            v.transpose("chain", "draw", ...).to_numpy().reshape(n, -1).sum(axis=1)
            for v in tree[group].to_dataset().data_vars.values()
        ]
        terms[group] = np.sum(parts, axis=0)
    return Replay(
        score=scores.to_numpy().reshape(n, -1),
        log_likelihood=terms["log_likelihood"][:, np.newaxis],
        log_prior=terms["log_prior"],
        prior_of=tuple(map(str, tree["log_prior"].to_dataset().data_vars)),
        observed=np.empty(0),
        predicted=np.empty((n, 0)),
    )


def _exact(context: Context) -> Finding | None:
    """Draw the exact posterior anew under other weights of the prior and of the data."""
    model, attachment = context.known_model, context.attachment
    if model is None or attachment is None or context.record.method != "exact":
        return None
    posterior: Any = getattr(attachment.exact, "posterior", None)
    if not isinstance(posterior, DirichletPosterior):
        return None
    if posterior.concentration.size > _MOST_CELLS:
        return not_run("sensitivity", _TITLE, "other priors", "there are too many cells for it.")
    data: Any = model["prior_concentration"]
    alpha = np.broadcast_to(data.get_value(), posterior.concentration.shape)
    counts = posterior.concentration - alpha
    scores = context.ranking.scores.isel(system=context.order).transpose("chain", "draw", "system")
    flat = scores.to_numpy().reshape(-1, scores.sizes["system"])
    means = [flat.mean(axis=0)]
    rows: list[tuple[str, Floats, float]] = [("as it is", _best(flat).mean(axis=0), np.nan)]
    for name, concentration in (
        ("half the prior's weight", counts + alpha / 2),
        ("twice the prior's weight", counts + 2 * alpha),
        *((f"data to the power {a:g}", a * counts + alpha) for a in _POWERS),
    ):
        other = DirichletPosterior(
            concentration, posterior.weights, posterior.observed, posterior.share
        )
        drawn = other.draws(2000, random_seed=context.rng)[:, context.order].astype(np.float64)
        means.append(drawn.mean(axis=0))
        rows.append((name, _best(drawn).mean(axis=0), np.nan))
    leader = int(np.argmax(rows[0][1]))
    checks = []
    for part, some in (("prior", slice(1, 3)), ("data", slice(3, 5))):
        moved = max(float(np.abs(p - rows[0][1]).max()) for _, p, _ in rows[some])
        first = {int(np.argmax(p)) for _, p, _ in rows[some]}
        swaps = max(_swaps(means[0], mean) for mean in means[some])
        verdict: Word = "pass" if moved <= _MOVES and first == {leader} else "warn"
        places = "1 pair changes places" if swaps == 1 else f"{swaps:,} pairs change places"
        sentence = (
            f"With {_OTHERWISE[part]}, P(best) moves by {moved:.2f} at most, "
            f"{places if swaps else 'the order of mean scores stays'}, and "
            + (
                f"{context.names[leader]} stays first most often."
                if first == {leader}
                else "another model is first most often."
            )
        )
        checks.append(
            ReportCheck("sensitivity", f"weight of the {part}", moved, _MOVES, verdict, sentence)
        )
    return Finding(
        ReportSection(
            "sensitivity",
            _TITLE,
            sentences=(
                "The posterior is known in closed form and was drawn anew for each scenario.",
            ),
            tables=(_table(context, rows),),
            values={
                "p_best": {
                    name: dict(zip(context.names, p.tolist(), strict=True)) for name, p, _ in rows
                }
            },
        ),
        checks,
    )


def _swaps(one: Floats, other: Floats) -> int:
    """Return how many pairs stand in opposite order."""
    a, b = rankdata(-one), rankdata(-other)
    opposite = (a[:, None] - a) * (b[:, None] - b) < 0
    return int(opposite.sum() // 2)
