"""A posterior report as an executed notebook whose cells can be changed."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bayesrank._text import visible
from bayesrank._validate import import_extra
from bayesrank.exceptions import InputError

__all__ = ["report_notebook"]

# Names that statements give to what is read, and to what is built of it.
_READ = ("responses", "comparisons", "greedy", "auxiliary", "scheme")
_MODEL = ("prior", "rule", "model")
_SAMPLED = "posterior = bayesrank.read_posterior("
_WARNING = re.compile(r"(?:^|\s)(\w*Warning): (.*)")


def report_notebook(
    code: Sequence[str],
    *,
    title: str = "Posterior report",
    rank_options: str = "",
    report_options: str = "",
    execute: bool = True,
    folder: Path | None = None,
) -> str:
    r"""Return the analysis as a notebook: read, model, sample, rank, checks, figures.

    Parameters
    ----------
    code : sequence of str
        Statements that lead to ``posterior``, and to ``model`` where there is one; `bayesrank` is
        imported before them.
    title : str, default "Posterior report"
        Heading.
    rank_options, report_options : str, optional
        Arguments of `bayesrank.rank` and of `bayesrank.reports.posterior_report`, as source.
    execute : bool, default True
        Whether the cells are run, so that the notebook holds what they show.
    folder : Path, optional
        Folder that file names are relative to; by default the current one. The notebook does not
        say which.

    Returns
    -------
    str
        A notebook of format 4.5. Cells have the same identifiers every time, and nothing in it says
        when or where it was run.

    Raises
    ------
    MissingExtraError
        Without the extra ``notebook`` (and ``plot``, for the figures), where it is to be run.
    InputError
        For a cell that fails.

    Examples
    --------
    >>> import json
    >>> from bayesrank.reports import report_notebook
    >>> code = ["posterior = bayesrank.read_posterior('fit.nc')"]
    >>> notebook = json.loads(report_notebook(code, execute=False))
    >>> [cell["id"] for cell in notebook["cells"]][:3]
    ['cell-01', 'cell-02', 'cell-03']
    """
    nbformat = import_extra("nbformat", extra="notebook", purpose="a notebook")
    book = nbformat.v4.new_notebook(
        metadata={
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    cells = _cells(code, title=title, rank_options=rank_options, report_options=report_options)
    makers = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    book.cells = [
        makers[kind](text, id=f"cell-{k:02d}") for k, (kind, text) in enumerate(cells, start=1)
    ]
    if execute:
        _execute(book, folder=Path() if folder is None else folder)
    nbformat.validate(book)
    return nbformat.writes(book) + "\n"


def _cells(
    code: Sequence[str], *, title: str, rank_options: str, report_options: str
) -> list[tuple[str, str]]:
    """Return kind and text of each cell."""
    stages: dict[str, list[str]] = {"read": [], "model": [], "sample": []}
    for statement in code:
        name = statement.partition(" = ")[0]
        if name in _READ or statement.startswith(_SAMPLED):
            stages["read"].append(statement)
        else:
            stages["model" if name in _MODEL else "sample"].append(statement)
    has_model = any(s.startswith("model = ") for s in stages["model"])
    told = ", ".join(
        part for part in ("posterior", "model=model" if has_model else "", report_options) if part
    )
    ranked = ", ".join(part for part in ("posterior", rank_options) if part)
    blocks: list[tuple[str, str, Iterable[str]]] = [
        ("Read", "What was observed, or a posterior that was saved.", stages["read"]),
        ("Model", "How the data came about, and the prior.", stages["model"]),
        ("Sample", "The seed makes the draws come out the same.", stages["sample"]),
        (
            "Rank",
            "Who is best, how surely, and who cannot be told apart.",
            [f"ranking = bayesrank.rank({ranked})", "ranking"],
        ),
        (
            "Checks",
            (
                "Each with its value, the threshold, a verdict and one sentence. "
                "`report.to_html()` is the page, `report.to_json()` the same for programs."
            ),
            [f"report = bayesrank.reports.posterior_report({told})", "report"],
        ),
        ("Figures", "", ["bayesrank.plots.plot_rank_intervals(ranking);"]),
        ("", "", ["bayesrank.plots.plot_superiority(ranking);"]),
    ]
    cells = [
        (
            "markdown",
            (
                f"# {_plain(title)}\n\nEvery cell can be changed and run again: other data, "
                f"another model or prior, another population."
            ),
        ),
        ("code", "import bayesrank"),
    ]
    for heading, text, lines in blocks:
        lines = list(lines)
        if not lines:
            continue
        if heading:
            cells.append(("markdown", f"## {heading}" + (f"\n\n{text}" if text else "")))
        cells.append(("code", "\n".join(lines)))
    return cells


def _plain(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return "".join(c if c.isalnum() or c in " .,:" else f"&#{ord(c)};" for c in visible(text))


def _execute(book: Any, *, folder: Path) -> None:
    nbclient = import_extra("nbclient", extra="notebook", purpose="running a notebook")
    import_extra("ipykernel", extra="notebook", purpose="running a notebook")
    import_extra("matplotlib", extra="plot", purpose="the figures of a notebook")
    client = nbclient.NotebookClient(
        book,
        timeout=None,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )
    # A backend that is set for scripts would keep figures out of the notebook.
    environment = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"}
    try:
        client.execute(env=environment)
    except nbclient.exceptions.CellExecutionError as error:
        reason = visible(f"{error.ename}: {error.evalue}")[:500]
        msg = f"a cell of the notebook failed: {reason}"
        raise InputError(msg) from error
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs = [kept for output in cell.outputs if (kept := _cleaned(output))]


def _cleaned(output: Any) -> Any:
    """Return an output without where on this machine a warning came from."""
    if output.output_type != "stream" or output.name != "stderr":
        return output
    told = [f"{m[1]}: {m[2]}" for line in output.text.splitlines() if (m := _WARNING.search(line))]
    if not told:
        return None
    output.text = "\n".join(told) + "\n"
    return output
