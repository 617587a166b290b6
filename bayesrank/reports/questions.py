"""Which questions fit, and which still tell the best models apart: text in any format."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank._text import listed, quoted
from bayesrank.data._html import plural
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["questions_answer", "questions_sheet", "questions_to_dict", "render_questions"]

_SCHEMA_VERSION = 1
_VALUES = (
    *("difficulty", "difficulty_low", "difficulty_high", "accuracy", "discrimination"),
    *("infit", "infit_p", "outfit", "outfit_p", "slope", "slope_low", "slope_high"),
    *("separation", "separation_share"),
)
# The gravest first: what a reader should look at stands at the top.
_GRAVE = ("reversed", "flat", "misfits", "constant", "fits")
_MEANING = {
    "reversed": "able models fail it and weak ones succeed: look at its answer key",
    "flat": "it tells able models hardly from weak ones",
    "misfits": "it tells models apart otherwise than the model says",
    "constant": "all succeed or all fail, so that it tells nothing",
}


def render_questions(fit: "xr.Dataset", *, format: Format = "table", width: int = 100) -> str:  # noqa: A002
    """Return how questions fit as text.

    Parameters
    ----------
    fit : xarray.Dataset
        From `bayesrank.checks.question_fit`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`.
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
    >>> from bayesrank.reports import render_questions
    >>> responses = bayesrank.simulate_responses(systems=6, questions=8, random_seed=1)
    >>> model = bayesrank.models.item_response(responses)
    >>> posterior = bayesrank.sample(model, method="laplace", draws=100, random_seed=1)
    >>> fit = bayesrank.checks.question_fit(posterior, responses, random_seed=1)
    >>> render_questions(fit, format="csv").splitlines()[0][:20]
    '"question","verdict"'
    """
    return in_format(
        format,
        width=width,
        sheets=lambda: [questions_sheet(fit)],
        plain=lambda: questions_to_dict(fit),
        rows=lambda: questions_to_dict(fit)["table"],
    )


def questions_to_dict(fit: "xr.Dataset") -> dict[str, Any]:
    """Return how questions fit as plain values, ready for JSON.

    Parameters
    ----------
    fit : xarray.Dataset
        From `bayesrank.checks.question_fit`.

    Returns
    -------
    dict
        ``schema_version`` (1), ``source``, ``top`` (the best models), ``ci_prob``, and ``table``: a
        row a question with its ``verdict`` and the variables of `question_fit`.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import questions_to_dict
    >>> responses = bayesrank.simulate_responses(systems=6, questions=8, random_seed=1)
    >>> model = bayesrank.models.item_response(responses)
    >>> posterior = bayesrank.sample(model, method="laplace", draws=100, random_seed=1)
    >>> fit = bayesrank.checks.question_fit(posterior, responses, random_seed=1)
    >>> len(questions_to_dict(fit)["table"])
    8
    """
    columns = {name: fit[name].to_numpy() for name in _VALUES}
    names, verdicts = fit["question"].to_numpy(), fit["verdict"].to_numpy()
    return {
        "schema_version": _SCHEMA_VERSION,
        "source": str(fit.attrs["source"]),
        "top": [str(name) for name in fit.attrs["top"]],
        "ci_prob": float(fit.attrs["ci_prob"]),
        "table": [
            {
                "question": str(names[m]),
                "verdict": str(verdicts[m]),
                **{name: plain(values[m]) for name, values in columns.items()},
            }
            for m in range(len(names))
        ],
    }


def questions_answer(fit: "xr.Dataset") -> tuple[str, ...]:
    """Return what the questions are worth in sentences.

    Parameters
    ----------
    fit : xarray.Dataset
        From `bayesrank.checks.question_fit`.

    Returns
    -------
    tuple of str
        First which questions do not fit, then which tell the best models apart.
    """
    names = np.array([str(q) for q in fit["question"].to_numpy()], dtype=object)
    verdict = fit["verdict"].to_numpy()
    odd = int(np.isin(verdict, ("reversed", "flat", "misfits")).sum())
    lines = [
        f"{odd} of {plural(len(names), 'question')} do not fit."
        if odd
        else f"No question of {len(names)} is shown not to fit."
    ]
    for kind, meaning in _MEANING.items():
        if (found := names[verdict == kind]).size:
            lines.append(f"{kind.capitalize()} ({meaning}): {listed(list(found), most=8)}.")
    share = fit["separation_share"].to_numpy()
    order = np.argsort(-share, kind="stable")
    half = min(int(np.searchsorted(np.cumsum(share[order]), 0.5)) + 1, len(names))
    top = [quoted(str(name)) for name in fit.attrs["top"]]
    lines.append(
        f"Half of what tells the best {len(top)} models ({', '.join(top)}) apart is in {half} of "
        f"{plural(len(names), 'question')}, first of all {listed(list(names[order[:3]]))}."
    )
    return tuple(lines)


def questions_sheet(fit: "xr.Dataset") -> Sheet:
    """Return what every text format shows of questions.

    Parameters
    ----------
    fit : xarray.Dataset
        From `bayesrank.checks.question_fit`.

    Returns
    -------
    Sheet
        The answer, a row a question with the gravest first, and how to read it.
    """
    verdict = fit["verdict"].to_numpy()
    grave = np.array([_GRAVE.index(str(v)) for v in verdict])
    order = np.lexsort((-fit["separation_share"].to_numpy(), grave))
    data = fit.isel(question=order)

    def cells(name: str, digits: int = 2) -> list[str]:
        return [_number(v, digits) for v in data[name].to_numpy()]

    def span(name: str) -> list[str]:
        return [
            f"{_number(low, 2)} to {_number(high, 2)}"
            for low, high in zip(data[f"{name}_low"], data[f"{name}_high"], strict=True)
        ]

    draws = int(fit.attrs["draws"])

    def chances(name: str) -> list[str]:
        least = 1.0 / (1 + draws)
        return [f"<{least:.1g}" if p <= least else f"{p:.2f}" for p in data[name].to_numpy()]

    level = f"{100 * fit.attrs['ci_prob']:g}%"
    return Sheet(
        lead=questions_answer(fit),
        columns=[
            Column(
                "question", [str(q) for q in data["question"].to_numpy()], numeric=False, name=True
            ),
            Column("verdict", [str(v) for v in data["verdict"].to_numpy()], numeric=False),
            Column("difficulty", cells("difficulty")),
            Column(f"{level} ETI", span("difficulty")),
            Column("accuracy", cells("accuracy")),
            Column("infit", cells("infit")),
            Column("p", chances("infit_p")),
            Column("outfit", cells("outfit")),
            Column("slope", cells("slope")),
            Column(
                "tells apart", [f"{100 * v:.1f} %" for v in data["separation_share"].to_numpy()]
            ),
        ],
        footer=[
            f"Data: {fit.attrs['source']}. Difficulty in logits, 0 on average.",
            "Infit, outfit: mean squared residuals, 1 where a question fits.",
            "p: two-sided posterior predictive p-value of infit.",
            "Slope: how well it tells models apart; 1 as the model says, below 0 able models fail.",
            "Constant questions have no slope (?): nothing bounds it.",
            "Tells apart: its share of what tells neighbours among the best models apart.",
        ],
    )


def _number(value: float, digits: int) -> str:
    return "?" if not np.isfinite(value) else f"{value:.{digits}f}"
