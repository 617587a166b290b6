"""``bayesrank study populations``: one log under each population, side by side."""

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from bayesrank._text import quoted
from bayesrank._validate import validate_count
from bayesrank.cli._battles import are_battles, refuse_of_trials
from bayesrank.cli._messages import progress
from bayesrank.cli._models import first_models
from bayesrank.cli._options import parse_columns, parse_weights
from bayesrank.cli._output import check_outputs, publish
from bayesrank.exceptions import ArgumentError

if TYPE_CHECKING:
    from bayesrank.data import Comparisons

# What of a battle log can be resampled, by the column that is kept for it.
_CLUSTERS = {
    "judge": "judges",
    "prompt": "prompts",
    "session": "sessions",
    "category": "categories",
    "period": "periods",
}


def populations(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    population: str | None = None,
    prior: Literal["pooled", "uniform"] | None = None,
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    weighting: Literal["question", "task"] | None = None,
    categories: int | None = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] | None = None,
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
    """Rank a log under each population: new trials, questions, tasks, prompts, side by side.

    Parameters
    ----------
    files
        Logs of trials or of battles (CSV, TSV, Parquet, JSON lines, NPZ), read as one.
    population
        Populations to look at, as in trials,tasks,"questions x prompts" (both new at once); by
        default all that the log has: trials, questions, tasks, prompts. Of battles: battles,
        judges, prompts, sessions; categories and periods where they are named.
    prior
        Prior of the outcome probabilities, for trials: pooled (the default, which does not shrink
        scores), or uniform.
    weights
        Score of each outcome category, for example 0,0.5,1; equal steps by default.
    weighting
        What counts the same in a score: every question (the default), or every task.
    categories
        Number of outcome categories; by default what the log holds.
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    missing
        Leave missing outcomes out (mask, the default), or count them as failures.
    models
        Only the first so many models of the log, or some by name, as in a,b,c.
    draws
        Draws a chain (of four).
    seed
        Seed of the random numbers, to repeat a run.
    ci_prob
        Probability of all intervals.
    jobs
        Processes; -1 for all cores.
    folder
        Folder where finished populations are kept, so that a killed study goes on from there.
    format
        How to print it; csv has a row for each population and model.
    output
        Write it to this file instead of printing.
    html
        Also write the page, one self-contained file, to this path.
    title
        Title of the page.
    overwrite
        Replace output files that exist.
    """
    columns, values = parse_columns(column), parse_weights(weights)
    among = None if population is None else _populations(population)
    validate_count(draws, name="--draws")
    check_outputs([output, html], overwrite=overwrite, inputs=files)
    # What libraries print while they work is no result.
    with contextlib.redirect_stdout(sys.stderr), progress() as show:
        from bayesrank import reports, studies
        from bayesrank.readers import read_responses

        if are_battles(files, model=None):
            given = {
                "--prior": prior,
                "--weights": weights,
                "--weighting": weighting,
                "--categories": categories,
                "--missing": missing,
            }
            refuse_of_trials(str(files[0]), given)
            data: Any = _battles(files, columns=columns, among=among)
        else:
            data = read_responses(
                files, columns=columns, categories=categories, missing=missing or "mask"
            )
        found = studies.populations(
            first_models(data, models),
            among=among,
            prior=prior,
            weights=values,
            weighting=weighting or "question",
            draws=draws,
            ci_prob=ci_prob,
            random_seed=seed,
            n_jobs=jobs,
            folder=folder,
            progress=show,
        )
    return publish(
        found,
        render=reports.render_populations,
        page=reports.populations_page,
        format=format,
        output=output,
        html=html,
        title=title,
        overwrite=overwrite,
    )


def _populations(text: str) -> list[str]:
    """Return populations from ``trials,questions x prompts``."""
    found = [" x ".join(each.strip() for each in part.split(" x ")) for part in text.split(",")]
    if not all(found):
        msg = f"--population {quoted(text)} holds an empty name; write trials,questions."
        raise ArgumentError(msg)
    return found


def _battles(
    files: Sequence[Path], *, columns: dict[str, str], among: Sequence[str] | None
) -> "Comparisons":
    """Read battles with everything that can be resampled, or with what is asked for."""
    from bayesrank.readers import read_comparisons
    from bayesrank.readers.battles import factors_of

    has = [factors_of(file, columns=columns) for file in files]
    keep = [
        factor
        for factor, name in _CLUSTERS.items()
        if all(factor in found for found in has)
        and (name in among if among is not None else factor not in ("category", "period"))
    ]
    return read_comparisons(files, columns=columns, keep=keep)
