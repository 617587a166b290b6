"""What a test says where the data do not vary, so that there is no standard error to divide by."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["DEGENERATE", "Degenerate", "constant_p_value"]

type Degenerate = Literal["signflip", "reject", "retain"]
DEGENERATE: tuple[Degenerate, ...] = ("signflip", "reject", "retain")


def constant_p_value(
    excess: NDArray[np.float64],
    *,
    rule: Degenerate,
    certain: float | NDArray[np.float64],
    tolerance: float,
) -> NDArray[np.float64]:
    """Return p-values for constant differences.

    Parameters
    ----------
    excess : ndarray
        The constant difference less the margin.
    rule : {"signflip", "reject", "retain"}
        For an excess above zero: the exact p-value of the randomisation test, 0, or 1.
    certain : float or ndarray
        That exact p-value: ``2**-n`` for `n` paired units.
    tolerance : float
        What still counts as no difference.

    Returns
    -------
    ndarray
        1 wherever the excess is not above zero.
    """
    value = {"signflip": certain, "reject": 0.0, "retain": 1.0}[rule]
    return np.where(excess > tolerance, value, 1.0)
