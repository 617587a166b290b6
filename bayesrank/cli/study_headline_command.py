"""``bayesrank study headline``: bounds of abilities at one trial, exactly and on grids."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bayesrank._validate import validate_count
from bayesrank.cli._messages import progress
from bayesrank.cli._models import first_models
from bayesrank.cli._options import parse_columns, parse_counts
from bayesrank.cli._output import check_outputs, publish
from bayesrank.exceptions import ArgumentError

# What is simulated without a file: the size of the published study.
_MODELS, _QUESTIONS, _TRIALS = 20, 120, 80


def headline(
    *files: Annotated[Path, Parameter(name="FILE")],
    nodes: str = "21,41,81,161",
    em_steps: int = 20,
    resamples: int = 80,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    models: str | None = None,
    seed: int = 1,
    jobs: int = 1,
    folder: Path | None = None,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Hold lower bounds of Rasch abilities at one trial against all trials, exact and on grids.

    Parameters
    ----------
    files
        Logs of binary outcomes, several trials a cell; without one, 20 models on 120 questions of
        80 trials are simulated.
    nodes
        Sizes of the fixed grids.
    em_steps
        Steps of EM on a grid.
    resamples
        Draws of one trial a cell; where single trials are known, each of them is one draw.
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    models
        Only the first so many models of the log, or some by name, as in a,b,c.
    seed
        Seed of the random numbers.
    jobs
        Processes; -1 for all cores.
    folder
        Folder where finished draws are kept, so that a killed study goes on from there.
    format
        How to print it; csv has a row for each method.
    output
        Write it to this file instead of printing.
    html
        Also write the page, one self-contained file, to this path.
    title
        Title of the page.
    overwrite
        Replace output files that exist.
    """
    sizes, columns = parse_counts(nodes, option="--nodes"), parse_columns(column)
    if not files and (columns or models):
        msg = "--column and --models are about a log; name its file."
        raise ArgumentError(msg)
    check_outputs([output, html], overwrite=overwrite, inputs=files)
    from bayesrank import reports, studies
    from bayesrank.data import simulate_responses
    from bayesrank.readers import read_responses

    if files:
        data = first_models(read_responses(files, columns=columns), models)
    else:
        data = simulate_responses(
            systems=_MODELS, questions=_QUESTIONS, trials=_TRIALS, random_seed=seed
        )
    with progress() as show:
        found = studies.quadrature_artefact(
            data,
            nodes=sizes,
            em_steps=em_steps,
            draws=validate_count(resamples, name="--resamples", minimum=2),
            random_seed=seed,
            n_jobs=jobs,
            folder=folder,
            progress=show,
        )
    return publish(
        found,
        render=reports.render_quadrature,
        page=reports.quadrature_page,
        format=format,
        output=output,
        html=html,
        title=title,
        overwrite=overwrite,
    )
