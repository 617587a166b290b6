"""``bayesrank board``: a configuration in, a leaderboard site out."""

import contextlib
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from bayesrank._text import listed, quoted
from bayesrank.cli._messages import progress, say


def board(
    config: Annotated[Path, Parameter(name="CONFIG")],
    *,
    output: Annotated[Path, Parameter(alias="-o")],
    fragment: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    jobs: int = 1,
) -> int:
    """Build a leaderboard site: an index, a page a benchmark, a page a model, and their data.

    Fits of the build that is there are taken again where data, settings and version are the same.

    Parameters
    ----------
    config
        Configuration (TOML): title, [[benchmark]] tables, [models."NAME"] tables, and [board].
    output
        Folder of the site: a new or an empty one, or one of an earlier build, which is replaced.
    fragment
        Also write fragment.html, the board to be put into another page.
    strict
        Exit with status 1, and replace nothing, if a posterior fails its checks.
    jobs
        Benchmarks that are fitted at the same time; -1 for as many as there are cores.
    """
    # What libraries print while they work is no result.
    with contextlib.redirect_stdout(sys.stderr), progress() as show:
        from bayesrank.reports import BoardConfig, build_board

        built = build_board(
            BoardConfig.from_toml(config),
            output=output,
            fragment=fragment,
            strict=strict,
            n_jobs=jobs,
            progress=show,
        )
    if built.fitted:
        say(f"fitted: {listed(built.fitted, most=20)}.")
    if built.reused:
        say(f"taken from an earlier build: {listed(built.reused, most=20)}.")
    for note in built.notes:
        say(note)
    if built.failed:
        say(
            f"the posterior of {listed(built.failed, most=20)} failed its checks; "
            f"the pages say so, and --strict would stop.",
            kind="warning",
        )
    say(f"the site is in {quoted(str(output), 200)}.")
    return 0
