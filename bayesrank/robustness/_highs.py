"""HiGHS through SciPy, for programs in 0/1 variables with rows that have to reach a lower bound."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, milp

from bayesrank.exceptions import BayesrankError

# Standard output belongs to the process: two threads that take it away and give it back at once
# could leave it nowhere.
_ONE_AT_A_TIME = Lock()


def binary_minimum(
    objective: NDArray[np.float64], matrix: NDArray[np.float64], lower: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return the rounded optimum of a feasible program; the caller has to check its rows."""
    with _ONE_AT_A_TIME, _nothing_on_stdout():
        answer = milp(
            objective,
            integrality=np.ones(len(objective)),
            bounds=Bounds(0.0, 1.0),
            constraints=(matrix, lower, np.inf),
            options={"mip_rel_gap": 0.0},
        )
    if answer.x is None or not answer.success:
        msg = f"HiGHS found no optimal training set: {answer.message}"
        raise BayesrankError(msg)
    return answer.x > 0.5


@contextmanager
def _nothing_on_stdout() -> Generator[None]:
    """Send the process's standard output nowhere for a moment.

    When HiGHS repairs a solution it prints a line for its developers, past every option and past
    sys.stdout, into whatever a command is just writing: a JSON document, for instance.
    """
    try:
        sys.stdout.flush()
        kept = os.dup(1)
    except (AttributeError, OSError, ValueError):  # no standard output, so nothing to protect
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(nowhere)
        os.close(kept)
