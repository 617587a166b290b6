"""``bayesrank report``: the posterior report of a log or of a saved posterior."""

import contextlib
import secrets
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from bayesrank._files import write_text
from bayesrank.cli._fit_options import AS_IT_COMES, FitOptions
from bayesrank.cli._fitting import is_saved_posterior
from bayesrank.cli._messages import say
from bayesrank.cli._options import parse_by
from bayesrank.cli._output import check_outputs, emit, line_width

_SEEDS = 2**31


def report(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    html: Path | None = None,
    notebook: Path | None = None,
    json: Path | None = None,
    fit: FitOptions = AS_IT_COMES,
    models: str | None = None,
    by: str = "mean",
    ci_prob: float = 0.95,
    ci_kind: Literal["eti", "hdi"] = "eti",
    top_k: int = 3,
    title: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Report on a posterior: model, prior, checks, sensitivity, decision, limits.

    Parameters
    ----------
    files
        Logs (CSV, TSV, Parquet, JSON lines, NPZ), read as one; or one posterior (.nc).
    html
        Write the report to this path, one self-contained page.
    notebook
        Write it to this path as an executed notebook (.ipynb) whose cells can be changed.
    json
        Write it to this path as JSON.
    models
        Keep the first so many models of the log, or those named, as in a,b,c.
    by
        Order by mean, median, lcb:0.05 (a low quantile of the score), expected-rank, p-best or
        kemeny.
    ci_prob
        Probability of all intervals, and what a model's probability of being best has to reach.
    ci_kind
        Intervals of scores with equal tails (eti), or the shortest (hdi).
    top_k
        Places that P(top k) is about.
    title
        Title of the report.
    overwrite
        Replace output files that exist.
    strict
        Exit with status 1 if a check fails.
    """
    ranked: dict[str, Any] = {
        "by": parse_by(by),
        "ci_prob": ci_prob,
        "ci_kind": ci_kind,
        "top_k": top_k,
    }
    fit.check(refused={})
    inputs = fit.inputs(files)
    check_outputs([html, notebook, json], overwrite=overwrite, inputs=inputs)
    # The notebook draws the same numbers again, and so does whoever repeats the command.
    seed = secrets.randbelow(_SEEDS) if fit.seed is None else fit.seed
    if not is_saved_posterior(files, needs_data=[]):
        fit = replace(fit, seed=seed)
    # What libraries print while they work is no result.
    with contextlib.redirect_stdout(sys.stderr):
        fitted = fit.fit(
            files, needs_data={"--models": models}, refused={}, whole=True, models=models
        )
        from bayesrank import reports

        found = reports.posterior_report(
            fitted.posterior,
            model=fitted.model,
            data=fitted.data,  # pyright: ignore[reportArgumentType]
            **ranked,
            title=title,
            command=_published(fit.command("report", files, more={"--models": models}), inputs),
            code=[_published(statement, inputs) for statement in fitted.code],
            random_seed=seed,
        )
        book = None
        if notebook is not None:
            given = {k: v for k, v in ranked.items() if v != _USUAL[k]}
            options = [f"{key}={value!r}" for key, value in given.items()]
            book = reports.report_notebook(
                fitted.code,
                title=found.title,
                rank_options=", ".join(options),
                report_options=", ".join([*options, f"random_seed={seed}"]),
            )
    if html is not None:
        write_text(html, found.to_html(), overwrite=overwrite)
    if json is not None:
        write_text(json, found.to_json(), overwrite=overwrite)
    if book is not None and notebook is not None:
        write_text(notebook, book, overwrite=overwrite)
    emit(reports.render_report(found, width=line_width(None)), output=None, overwrite=overwrite)
    if strict and found.verdict == "fail":
        say("the posterior failed its checks (--strict).", kind="error")
        return 1
    return 0


def _published(text: str, inputs: Sequence[Path]) -> str:
    """Return text without the folders of this machine: files by whole path are named alone."""
    for path in inputs:
        if path.is_absolute():
            text = text.replace(str(path), path.name)
    return text


_USUAL = {"by": "mean", "ci_prob": 0.95, "ci_kind": "eti", "top_k": 3}
