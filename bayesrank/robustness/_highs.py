"""HiGHS through SciPy, for programs in 0/1 variables with rows that have to reach a lower bound."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, milp

from bayesrank.exceptions import BayesrankError
from bayesrank.ranking._highs import nothing_on_stdout


def binary_minimum(
    objective: NDArray[np.float64], matrix: NDArray[np.float64], lower: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return the rounded optimum of a feasible program; the caller has to check its rows."""
    with nothing_on_stdout():
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
