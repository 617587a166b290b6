"""Who is in which set, as a matrix: dense where that is quicker, sparse where it would not fit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# From this share of filled entries on, a dense product is quicker than a sparse one.
_DENSE_FROM = 0.05


def incidence(
    rows: NDArray[np.integer[Any]],
    columns: NDArray[np.integer[Any]],
    shape: tuple[int, int],
    values: NDArray[np.float64] | None = None,
) -> Any:
    """Return a matrix with `values`, by default 1, at (rows, columns) and 0 elsewhere.

    A NumPy array or a SciPy sparse one: the products of both with an array are written alike.
    """
    if len(rows) >= _DENSE_FROM * shape[0] * shape[1]:
        matrix = np.zeros(shape)
        matrix[rows, columns] = 1.0 if values is None else values
        return matrix
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(rows)) if values is None else values, (rows, columns)), shape)


def dense(matrix: Any) -> NDArray[np.float64]:
    """Return an incidence matrix, or a product of some, as a NumPy array."""
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def rows_scaled(matrix: Any, factor: NDArray[np.float64]) -> Any:
    """Return the matrix with each row multiplied by a number."""
    return masked(matrix, factor[:, np.newaxis])


def masked(matrix: Any, values: NDArray[np.float64]) -> Any:
    """Return values where the matrix has entries, times these; as sparse as the matrix is."""
    return matrix * values if isinstance(matrix, np.ndarray) else matrix.multiply(values).tocsr()
