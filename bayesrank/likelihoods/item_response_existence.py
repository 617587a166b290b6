"""Whether the likelihood of an item response model has a finite maximum, and who is to blame."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bmat, csr_array
from scipy.sparse.csgraph import connected_components

from bayesrank._text import listed

__all__ = ["constant_questions", "why_no_ability", "why_no_difficulty"]

type Floats = NDArray[np.float64]


def constant_questions(k: Floats, n: Floats) -> NDArray[np.bool_]:
    """Return which questions all systems always got right, or always wrong, or never saw."""
    total, trials = k.sum(axis=0), n.sum(axis=0)
    return (total <= 0.0) | ((n - k).sum(axis=0) <= 0.0) | (trials <= 0.0)


def why_no_ability(
    k: Floats, n: Floats, systems: tuple[str, ...], questions: tuple[str, ...], *, linked: bool
) -> str | None:
    """Return why the likelihood has no finite maximum in the abilities, or None where it has one.

    Rasch is a paired comparison of systems with questions: the maximum is finite if and only if
    one gets from everyone to everyone along "succeeded on" and "was failed by" (Fischer 1981).

    Parameters
    ----------
    k, n : ndarray, shape (system, question)
        Successes and trials.
    systems, questions : tuple of str
        Names for the message.
    linked : bool
        Whether nothing but the data relates systems and questions to each other; with a prior of
        difficulties, only systems that always succeed or always fail have no finite ability.

    Returns
    -------
    str or None
    """
    right, wrong = k > 0.0, (n - k) > 0.0
    for always, what in ((~wrong.any(axis=1), "correct"), (~right.any(axis=1), "wrong")):
        extreme = [systems[i] for i in np.flatnonzero(always)]
        if extreme:
            return f"model {listed(extreme)} was always {what}, so its ability is not bounded"
    if not linked:
        return None
    graph = bmat([[None, csr_array(right)], [csr_array(wrong).T, None]], format="csr")
    pieces, label = connected_components(graph, directed=True, connection="strong")
    if pieces == 1:
        return None
    L = len(systems)
    group = label == np.argmin(np.bincount(label))
    models = [systems[i] for i in np.flatnonzero(group[:L])]
    asked = [questions[j] for j in np.flatnonzero(group[L:])]
    named = [
        f"{kind} {listed(names)}"
        for kind, names in (("model", models), ("question", asked))
        if names
    ]
    return f"the outcomes do not bound {' and '.join(named)} against the others"


def why_no_difficulty(k: Floats, n: Floats, questions: tuple[str, ...]) -> str | None:
    """Return why difficulties have no finite maximum where abilities have a prior, or None.

    Difficulties sum to zero. A question that was always answered correctly is easier than any
    bound only if another one is harder than any, one that was never: each alone is held by the
    prior of abilities, both together run off in opposite directions.

    Parameters
    ----------
    k, n : ndarray, shape (system, question)
        Successes and trials.
    questions : tuple of str
        Names for the message.

    Returns
    -------
    str or None
    """
    seen = n.sum(axis=0) > 0.0
    right, wrong = (seen & (x.sum(axis=0) <= 0.0) for x in (n - k, k))
    if not (right.any() and wrong.any()):
        return None
    easy, hard = (listed([questions[j] for j in np.flatnonzero(x)]) for x in (right, wrong))
    return (
        f"question {easy} was always answered correctly and question {hard} never, so their "
        f"difficulties run off in opposite directions"
    )
