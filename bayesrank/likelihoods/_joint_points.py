"""What the climb to a joint maximum of an item response model goes through: points and steps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesrank.likelihoods.item_response import ItemTerms

__all__ = ["Blocks", "JointPoint", "Move"]

type Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointPoint:
    """A point, and the objective there.

    Attributes
    ----------
    ability : ndarray, shape (system,)
    items : ndarray, shape (parameter, question)
        Difficulty, log discrimination, and logit of guessing over its bound, as far as free.
    value : float
        Log-likelihood plus log priors.
    log_likelihood : float
    steps : int
    converged : bool
    terms : ItemTerms or None
        Of the cells, while the climb goes on.
    """

    ability: Floats
    items: Floats
    value: float
    log_likelihood: float
    steps: int = 0
    converged: bool = False
    terms: ItemTerms | None = None


@dataclass(frozen=True, eq=False)
class Blocks:
    """Gradients, and negative second derivatives in blocks.

    Attributes
    ----------
    by_ability : ndarray, shape (system,)
    by_item : ndarray, shape (question, parameter)
    ability : ndarray, shape (system,)
    item : ndarray, shape (question, parameter, parameter)
    between : tuple of ndarray, shape (system, question)
        One for each parameter.
    slope : ndarray, shape (question,)
        Discriminations.
    """

    by_ability: Floats
    by_item: Floats
    ability: Floats
    item: Floats
    between: tuple[Floats, ...]
    slope: Floats


@dataclass(frozen=True, eq=False)
class Move:
    """A step, and what it promises.

    Attributes
    ----------
    ability : ndarray, shape (system,)
    items : ndarray, shape (parameter, question)
    gain : float
        Twice what the quadratic model says that it gains.
    left : float
        The same without questions that abilities do not feel any more.
    by_question : ndarray, shape (question,)
        What questions have of the gain by parameters of their own.
    size : float
        The gain with all its parts counted as positive.
    """

    ability: Floats
    items: Floats
    gain: float
    left: float
    by_question: Floats
    size: float
