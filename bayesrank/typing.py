"""Types that appear in signatures of more than one room."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["By", "FloatArray", "IntArray", "MissingAs", "RandomSeed"]

type FloatArray = NDArray[np.floating[Any]]
type IntArray = NDArray[np.integer[Any]]
type RandomSeed = int | np.random.Generator | np.random.SeedSequence | None
type MissingAs = Literal["mask", "failure"]
type By = Literal["mean", "median", "expected_rank", "p_best", "kemeny"] | tuple[str, float]
