"""``bayesrank study budgets``: the order of battles as votes come in."""

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bayesrank._text import quoted
from bayesrank._validate import validate_choice, validate_count
from bayesrank.cli._battles import are_battles
from bayesrank.cli._messages import progress
from bayesrank.cli._models import first_models
from bayesrank.cli._options import parse_columns
from bayesrank.cli._output import check_outputs, publish
from bayesrank.exceptions import ArgumentError

_CHAINS = 4
_KEPT = {"judges": "judge", "prompts": "prompt", "sessions": "session"}


def budgets(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    prefixes: int = 10,
    resample: str | None = None,
    period: Literal["year", "quarter", "month", "week", "day"] | None = None,
    method: Literal["laplace", "nuts"] = "laplace",
    ties: Literal["davidson", "rao_kupper", "half", "drop"] = "davidson",
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    models: str | None = None,
    draws: int = 250,
    seed: int | None = None,
    ci_prob: float = 0.95,
    jobs: int = 1,
    folder: Path | None = None,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Rank battles by the first votes, more and more of them: when leader and order settle.

    Parameters
    ----------
    files
        Battle logs (CSV, TSV, Parquet, JSON lines), read as one.
    prefixes
        Into how many prefixes the votes are cut, by their time where the log has it.
    resample
        Ask about new prompts, judges or sessions, instead of treating votes as independent.
    period
        Read times as dates, and keep the period that a vote falls in; by default the column of
        times is taken as it is written, and sorted.
    method
        Posterior of a prefix: laplace, a normal approximation at the mode, or nuts.
    ties
        How ties are modelled.
    column
        Which column is what, for example winner=verdict or period=day; can be repeated.
    models
        Only the first so many models of the log, or some by name, as in a,b,c.
    draws
        Draws a chain (of four).
    seed
        Seed of the random numbers, to repeat a run.
    ci_prob
        Probability of all intervals, and that at which two models are told apart.
    jobs
        Processes; -1 for all cores.
    folder
        Folder where finished prefixes are kept, so that a killed study goes on from there.
    format
        How to print it; csv has a row for each prefix and model.
    output
        Write it to this file instead of printing.
    html
        Also write the page, one self-contained file, to this path.
    title
        Title of the page.
    overwrite
        Replace output files that exist.
    """
    columns = parse_columns(column)
    validate_count(draws, name="--draws")
    unit = None
    if resample is not None:
        unit = _KEPT[validate_choice(resample, tuple(_KEPT), name="--resample")]
    check_outputs([output, html], overwrite=overwrite, inputs=files)
    # What libraries print while they work is no result.
    with contextlib.redirect_stdout(sys.stderr), progress() as show:
        told = any(role in columns for role in ("first", "second", "winner"))
        if not told and not are_battles(files, model=None):
            msg = f"{quoted(str(files[0]))} holds trials; budgets are about battles."
            raise ArgumentError(msg)
        from bayesrank.readers import read_comparisons
        from bayesrank.readers.battles import factors_of

        timed = all("period" in factors_of(file, columns=columns) for file in files)
        keep = [name for name in ("period" if timed else None, unit) if name is not None]
        data = read_comparisons(files, columns=columns, keep=keep, period=period)
        from bayesrank import reports, studies

        found = studies.battle_budgets(
            first_models(data, models),
            prefixes=prefixes,
            resample=resample,  # pyright: ignore[reportArgumentType]
            method=method,
            ties=ties,
            draws=_CHAINS * draws,
            ci_prob=ci_prob,
            random_seed=seed,
            n_jobs=jobs,
            folder=folder,
            progress=show,
        )
    return publish(
        found,
        render=reports.render_budgets,
        page=reports.budgets_page,
        format=format,
        output=output,
        html=html,
        title=title,
        overwrite=overwrite,
    )
