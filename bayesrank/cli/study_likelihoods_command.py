"""``bayesrank study likelihoods``: the order under other models and rules of the same data."""

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from bayesrank.cli._battles import are_battles, refuse_of_trials
from bayesrank.cli._messages import progress
from bayesrank.cli._models import first_models
from bayesrank.cli._options import parse_columns, parse_weights
from bayesrank.cli._output import check_outputs, publish
from bayesrank.cli._rules import parse_rule, split_names

# As `bayesrank.studies` calls them; imported, they would load all of it to parse an option.
_MODELS = (
    *("bayes-at-n", "bayes-at-n:pooled", "hierarchical", "rasch", "2pl"),
    *(f"bradley-terry:{ties}" for ties in ("davidson", "rao_kupper", "half", "drop")),
)


def likelihoods(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    models: str | None = None,
    methods: str | None = None,
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    categories: int | None = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] | None = None,
    draws: int = 500,
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
    """Rank a log by models of different likelihoods and by rules, and compare them.

    Parameters
    ----------
    files
        Logs of trials, counts or battles (CSV, TSV, Parquet, JSON lines, NPZ), read as one.
    models
        Only the first so many models of the log, or some by name, as in a,b,c.
    methods
        Models, bayes-at-n, bayes-at-n:pooled, hierarchical, rasch, 2pl, of battles
        bradley-terry:davidson (or :rao_kupper, :half, :drop), and names of bayesrank rules list
        with their options, as in bayes-at-n,rasch,borda,minimax:ties=ignore. The others are held
        against the first.
    weights
        Score of each outcome category, for example 0,0.5,1; equal steps by default.
    categories
        Number of outcome categories; by default what the log holds.
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    missing
        Leave missing outcomes out (mask, the default), or count them as failures.
    draws
        Draws a chain (of four).
    seed
        Seed of the random numbers, to repeat a run.
    ci_prob
        Probability of all intervals.
    jobs
        Processes; -1 for all cores.
    folder
        Folder where finished methods are kept, so that a killed study goes on from there.
    format
        How to print it; csv has a row for each method and model.
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
    chosen = None if methods is None else _methods(methods)
    check_outputs([output, html], overwrite=overwrite, inputs=files)
    battles = are_battles(files, model=None)
    if battles:
        given = {"--weights": weights, "--categories": categories, "--missing": missing}
        refuse_of_trials(str(files[0]), given)
    # What libraries print while they work is no result.
    with contextlib.redirect_stdout(sys.stderr), progress() as show:
        import bayesrank
        from bayesrank import reports, studies

        reading: dict[str, Any] = {"columns": columns}
        if not battles:
            reading |= {"categories": categories, "missing": missing or "mask"}
        read: Any = bayesrank.read_comparisons if battles else bayesrank.read_responses
        data = first_models(read(files, **reading), models)
        found = studies.likelihood_sensitivity(
            data,
            methods=chosen,
            weights=values,
            draws=draws,
            random_seed=seed,
            ci_prob=ci_prob,
            n_jobs=jobs,
            folder=folder,
            progress=show,
        )
    return publish(
        found,
        render=reports.render_likelihood_sensitivity,
        page=reports.likelihood_sensitivity_page,
        format=format,
        output=output,
        html=html,
        title=title,
        overwrite=overwrite,
    )


def _methods(text: str) -> list[Any]:
    """Return models by name and rules with their options from ``rasch,borda,minimax:ties=half``."""
    parts = split_names(text, option="--methods", hint="write NAME,NAME,...")
    # A name without options is looked up with those of models, and so has near ones among both.
    with_options = [":" in part and part not in _MODELS for part in parts]
    return [
        parse_rule(part, option="--methods") if options else part
        for part, options in zip(parts, with_options, strict=True)
    ]
