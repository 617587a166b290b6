"""Did the sampler do its work: diagnostics of parameters, and of the scores and ranks reported."""

from typing import Any

import numpy as np

from bayesrank.ranking.digits import number_text
from bayesrank.reports.page._figures import Twin
from bayesrank.reports.posterior._context import Context
from bayesrank.reports.posterior._parts import Finding, ReportCheck, ReportSection, Word

_R_HAT, _R_HAT_FAILS = 1.01, 1.05
_ESS, _ESS_FAILS = 400.0, 100.0
# The Monte Carlo error of a score, in its standard deviations; and of a probability.
_MCSE_OF_SD, _MCSE_OF_P = 0.05, 0.02
_MOST_ROWS = 200
_METHODS = {
    "exact": "independent draws from the posterior, which is known in closed form",
    "bootstrap": "the Bayesian bootstrap of what was observed",
    "nuts": "Hamiltonian Monte Carlo (NUTS)",
    "numpyro": "Hamiltonian Monte Carlo (NUTS, NumPyro)",
    "laplace": "a normal approximation at the mode, judged by importance sampling",
}


def sampler(context: Context) -> Finding:
    """Return how the draws came about, and the checks that are recorded of them."""
    record, attrs = context.record, context.ranking.dataset.attrs
    diagnostics = record.diagnostics
    checks = [
        ReportCheck(
            "sampler",
            str(check.get("name", "")),
            _number(check.get("value")),
            _number(check.get("threshold")),
            _word(check.get("verdict")),
            str(check.get("sentence", "")),
        )
        for check in diagnostics.get("checks", [])
    ]
    statement = str(diagnostics.get("statement", ""))
    facts = [
        ("Method", f"{record.method}: {_METHODS[record.method]}")
        if record.method in _METHODS
        else ("Method", record.method),
        ("Draws", f"{attrs['chains']:,} chains of {attrs['draws']:,}"),
        ("Worth", f"{attrs['effective_draws']:,} independent draws, for the worst model"),
    ]
    if attrs["tied_draws"]:
        facts.append(("Draws with ties", f"{attrs['tied_draws']:,}; ties are split equally"))
    return Finding(
        ReportSection(
            "sampler",
            "Sampler and its diagnostics",
            sentences=(f"{statement[0].upper()}{statement[1:]}",) if statement else (),
            facts=tuple(facts),
            values={"method": record.method, "config": record.provenance.get("config", {})},
        ),
        checks,
    )


def ranks(context: Context) -> Finding:
    """Return R-hat, effective sample sizes and Monte Carlo errors of scores and of ranks."""
    found = context.ranking.diagnostics()
    data = context.best_first
    names = context.names
    checks: list[ReportCheck] = []
    for quantity, noun in (("score", "scores"), ("rank", "ranks")):
        part = found.sel(quantity=quantity).isel(system=context.order)
        checks.append(_mixing(part["r_hat"].to_numpy(), names, noun))
        checks += [
            _size(part[f"ess_{kind}"].to_numpy(), names, noun, kind) for kind in ("bulk", "tail")
        ]
    sd, error = data["score_sd"].to_numpy(), data["score_mcse"].to_numpy()
    share = np.divide(error, sd, out=np.zeros(len(sd)), where=sd > 0)
    checks.append(
        _error(
            "MCSE of scores",
            share,
            names,
            _MCSE_OF_SD,
            "of the standard deviation of the score of",
            percent=True,
        )
    )
    for name, words in (("p_best", "P(best)"), ("p_top_k", f"P(top {data.attrs['top_k']})")):
        errors = data[f"{name}_mcse"].to_numpy()
        checks.append(_error(f"MCSE of {words}", errors, names, _MCSE_OF_P, f"on {words} of"))
    return Finding(
        ReportSection(
            "ranks",
            "Diagnostics of scores and of ranks",
            sentences=(
                (
                    "What is reported is checked itself: scores, and the rank of each model draw "
                    "by draw. MCSE is the Monte Carlo error: how far a number would move with "
                    "other draws."
                ),
            ),
            tables=(_table(context, found),),
            values={key: found.attrs[key] for key in ("r_hat_max", "ess_bulk_min", "ess_tail_min")},
        ),
        checks,
    )


def _table(context: Context, found: Any) -> Twin:
    data = context.best_first
    score, rank = (found.sel(quantity=q).isel(system=context.order) for q in ("score", "rank"))
    columns = [
        [f"{v:.4g}" for v in data["score_sd"].to_numpy()],
        [f"{v:.2g}" for v in data["score_mcse"].to_numpy()],
        *(
            [_cell(v, places) for v in part[name].to_numpy()]
            for part in (score, rank)
            for name, places in (("r_hat", 3), ("ess_bulk", 0), ("ess_tail", 0))
        ),
        [f"{v:.2g}" for v in data["p_best_mcse"].to_numpy()],
    ]
    header = (
        *("Model", "Score sd", "Score MCSE", "R-hat", "Bulk ESS", "Tail ESS"),
        *("Rank R-hat", "Rank bulk ESS", "Rank tail ESS", "P(best) MCSE"),
    )
    rows = list(zip(context.names, *columns, strict=True))[:_MOST_ROWS]
    return Twin("Convergence and Monte Carlo errors, best model first", header, rows)


def _cell(value: float, places: int) -> str:
    return "constant" if not np.isfinite(value) else number_text(float(value), places=places)


def _mixing(values: np.ndarray, names: list[str], noun: str) -> ReportCheck:
    name = f"R-hat of {noun}"
    known = np.isfinite(values)
    if not known.any():
        return _none(name, _R_HAT, noun)
    at = int(np.argmax(np.where(known, values, -np.inf)))
    worst = float(values[at])
    verdict: Word = "pass" if worst < _R_HAT else "warn" if worst < _R_HAT_FAILS else "fail"
    sentence = f"The largest R-hat of {noun} is {worst:.4f}, of {names[at]}" + (
        "; chains agree."
        if verdict == "pass"
        else "; chains do not agree well enough: take more draws."
    )
    return ReportCheck("ranks", name, worst, _R_HAT, verdict, sentence)


def _size(values: np.ndarray, names: list[str], noun: str, kind: str) -> ReportCheck:
    name = f"{kind} ESS of {noun}"
    known = np.isfinite(values)
    if not known.any():
        return _none(name, _ESS, noun)
    at = int(np.argmin(np.where(known, values, np.inf)))
    worst = float(values[at])
    verdict: Word = "pass" if worst > _ESS else "warn" if worst > _ESS_FAILS else "fail"
    sentence = f"The draws of {noun} are worth {worst:,.0f} independent ones or more" + (
        "." if verdict == "pass" else f", fewest for {names[at]}: take more draws."
    )
    return ReportCheck("ranks", name, worst, _ESS, verdict, sentence)


def _error(
    name: str,
    values: np.ndarray,
    names: list[str],
    threshold: float,
    of_what: str,
    *,
    percent: bool = False,
) -> ReportCheck:
    at = int(np.argmax(values))
    worst = float(values[at])
    verdict: Word = "pass" if worst <= threshold else "warn"
    shown = f"{100 * worst:.2g} %" if percent else f"{worst:.2g}"
    sentence = f"The largest Monte Carlo error is {shown} {of_what} {names[at]}" + (
        "." if verdict == "pass" else ": take more draws before quoting its digits."
    )
    return ReportCheck("ranks", name, worst, threshold, verdict, sentence)


def _none(name: str, threshold: float, noun: str) -> ReportCheck:
    sentence = f"Not run: the {noun} are the same in every draw, or there are too few draws."
    return ReportCheck("ranks", name, None, threshold, "not run", sentence)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _word(value: object) -> Word:
    return {"pass": "pass", "fail": "fail", "warn": "warn"}.get(str(value), "not run")  # pyright: ignore[reportReturnType]
