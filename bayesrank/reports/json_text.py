"""Plain values as JSON that any program reads and no terminal acts on."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["plain", "to_json_text"]


def plain(value: Any) -> Any:
    """Return a value in the types that JSON has; what is not finite becomes null.

    Parameters
    ----------
    value : object
        Mappings, sequences, NumPy values and plain ones, nested in any way.

    Returns
    -------
    object
        The same in dicts, lists, strings, numbers, booleans and None.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.reports.json_text import plain
    >>> plain({"a": np.array([1.0, np.nan]), "b": np.int64(2)})
    {'a': [1.0, None], 'b': 2}
    """
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def to_json_text(value: Mapping[str, Any]) -> str:
    """Return a mapping as indented JSON in plain ASCII, so that names come back exactly.

    Parameters
    ----------
    value : mapping
        What to write; see `plain`.

    Returns
    -------
    str
        JSON, the last line ended.
    """
    return json.dumps(plain(value), indent=2, ensure_ascii=True, allow_nan=False) + "\n"
