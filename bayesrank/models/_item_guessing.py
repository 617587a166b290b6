"""Chances of success without ability, where they are known."""

from collections.abc import Mapping, Sequence

import numpy as np

from bayesrank._text import listed, quoted
from bayesrank._validate import validate_finite
from bayesrank.exceptions import ArgumentError
from bayesrank.models._item_options import Options
from bayesrank.typing import FloatArray

type Guessing = float | Sequence[float] | Mapping[str, float] | None


def known_guessing(
    guessing: Guessing, options: Options, questions: tuple[str, ...]
) -> FloatArray | None:
    """Return the known chance of each question, or None where nothing is known of it."""
    fixed = options.kind == "3pl-fixed-guessing"
    if guessing is None:
        if fixed:
            msg = (
                "kind='3pl-fixed-guessing' needs guessing=: the chance of success without ability, "
                "such as 0.25, or one for each question."
            )
            raise ArgumentError(msg)
        return None
    if not fixed:
        msg = (
            f"guessing= is a known chance, and kind={options.kind!r} has none; use "
            f"kind='3pl-fixed-guessing', or prior={{'guessing': Prior(...)}} with kind='3pl'."
        )
        raise ArgumentError(msg)
    if isinstance(guessing, Mapping):
        absent = [q for q in questions if q not in guessing]
        if absent:
            msg = f"guessing= has no chance for question {listed(absent)}."
            raise ArgumentError(msg)
        values: list[float] = [guessing[q] for q in questions]
    elif isinstance(guessing, Sequence | np.ndarray):
        values = list(guessing)
    else:
        values = [guessing] * len(questions)
    if len(values) != len(questions):
        msg = f"guessing= has {len(values)} chances; there are {len(questions)} questions."
        raise ArgumentError(msg)
    numbers = np.array(
        [
            validate_finite(v, name=f"guessing of {quoted(q)}")
            for q, v in zip(questions, values, strict=True)
        ]
    )
    wrong = np.flatnonzero((numbers < 0.0) | (numbers >= 1.0))
    if wrong.size:
        q = wrong[0]
        msg = f"guessing of {quoted(questions[q])} is {numbers[q]:g}; chances lie in [0, 1)."
        raise ArgumentError(msg)
    return numbers
