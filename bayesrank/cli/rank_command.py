"""``bayesrank rank``: a log or a saved posterior in, a ranking out."""

import contextlib
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bayesrank._files import write_text
from bayesrank.cli._fit_options import AS_IT_COMES, FitOptions
from bayesrank.cli._fitting import parts_of, save_posterior
from bayesrank.cli._messages import say
from bayesrank.cli._options import parse_by
from bayesrank.cli._output import check_outputs, emit, line_width
from bayesrank.cli._reading import compare_log


def rank(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    fit: FitOptions = AS_IT_COMES,
    by: str = "mean",
    ci_prob: float = 0.95,
    ci_kind: Literal["eti", "hdi"] = "eti",
    top_k: int = 3,
    part: str | None = None,
    compare_frequentist: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    save: Path | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Rank the models of a log of repeated trials, of battles, or of a saved posterior.

    Parameters
    ----------
    files
        Logs (CSV, TSV, Parquet, JSON lines, NPZ), read as one; or one posterior (.nc).
    by
        Order by mean, median, lcb:0.05 (a low quantile of the score), expected-rank, p-best or
        kemeny.
    ci_prob
        Probability of all intervals.
    ci_kind
        Intervals of scores with equal tails (eti), or the shortest (hdi).
    top_k
        Places that P(top k) is about.
    part
        Rank one part (a category, a language, a period) of a model that has parts.
    compare_frequentist
        Show confidence intervals of ranks and scores beside the credible ones.
    format
        How to print the ranking.
    output
        Write the ranking to this file instead of printing it.
    html
        Also write the leaderboard page, one self-contained file, to this path.
    title
        Title of the page.
    save
        Write the posterior to this netCDF file, to be ranked again without the data.
    overwrite
        Replace output files that exist.
    strict
        Exit with status 1 if the posterior fails its checks.
    """
    order = parse_by(by)
    refused = {"--compare-frequentist": compare_frequentist or None}
    fit.check(refused=refused)
    check_outputs([output, html, save], overwrite=overwrite, inputs=fit.inputs(files))
    # What libraries print while they work is no result.
    with contextlib.redirect_stdout(sys.stderr):
        posterior = fit.fit(
            files, needs_data={"--save": save, **refused}, refused=refused
        ).posterior
        import bayesrank

        ranked = partial(
            bayesrank.rank, posterior, by=order, ci_prob=ci_prob, ci_kind=ci_kind, top_k=top_k
        )
        ranking = ranked(part=part)
        compared = None
        if compare_frequentist:
            compared = compare_log(ranking, files, categories=fit.categories, **fit.reading)
    if save is not None:
        save_posterior(posterior, save, overwrite=overwrite)
    if html is not None:
        each = {} if part is not None else {name: ranked(part=name) for name in parts_of(posterior)}
        write_text(html, ranking.to_html(title=title, parts=each), overwrite=overwrite)
    emit(
        bayesrank.reports.render(
            ranking, format=format, width=line_width(output), compared=compared
        ),
        output=output,
        overwrite=overwrite,
    )
    if strict and ranking.record.verdict == "fail":
        say("the posterior failed its checks (--strict).", kind="error")
        return 1
    return 0
