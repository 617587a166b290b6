"""Why two models are ordered oppositely by some methods, in words, from the data themselves."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.data import Comparisons, Responses

__all__ = ["reasons"]

type Floats = NDArray[np.float64]

# Equal on this share of the questions, and the ties are said.
_MANY_TIES = 0.5


def reasons(
    data: Responses | Comparisons, weights: ArrayLike | None, strength: Floats
) -> Callable[[int, int], str]:
    """Return a function of two models that says what could turn their order.

    Parameters
    ----------
    data : Responses or Comparisons
        The observations.
    weights : array_like or None
        Score of each category.
    strength : ndarray, shape (system,)
        Scores under the reference, which opponents are weighed by.

    Returns
    -------
    callable
        Of the positions of the model that the reference has above, and of the other.
    """
    if isinstance(data, Comparisons):
        return _of_battles(data, strength)
    return _of_responses(data, weights)


def _of_responses(data: Responses, weights: ArrayLike | None) -> Callable[[int, int], str]:
    scores = data.question_scores(weights)
    seen = np.isfinite(scores)
    filled = np.where(seen, scores, 0.0)
    mean = filled.sum(axis=1) / seen.sum(axis=1)
    ease = filled.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)

    def why(i: int, j: int) -> str:
        both = seen[i] & seen[j]
        if not both.any():
            return "no question was asked of both"
        gap = scores[i, both] - scores[j, both]
        common = float(gap.mean())
        found: list[str] = []
        if not both.all() and (mean[i] - mean[j]) * common < 0:
            found.append(
                f"missing cells: on the {int(both.sum())} questions asked of both, the "
                f"{'second' if common < 0 else 'first'} is ahead by {abs(common):.3f}"
            )
        hard, easy = _by_difficulty(gap, ease[both])
        if hard * easy < 0:
            ahead = ("first", "second") if hard > 0 else ("second", "first")
            found.append(
                f"hard questions: the {ahead[0]} is ahead on the harder half by {abs(hard):.3f}, "
                f"the {ahead[1]} on the easier by {abs(easy):.3f}"
            )
        won, lost = int((gap > 0).sum()), int((gap < 0).sum())
        if (won - lost) * common < 0:
            found.append(
                f"how often against how far: ahead on {won} questions and behind on {lost}, but "
                f"by {abs(common):.3f} {'ahead' if common > 0 else 'behind'} on average"
            )
        tied = len(gap) - won - lost
        if tied > _MANY_TIES * len(gap):
            found.append(f"ties: equal on {tied} of {len(gap)} questions")
        return "; ".join(found) or _close(common)

    return why


def _by_difficulty(gap: Floats, ease: Floats) -> tuple[float, float]:
    """Return mean gaps on the harder and on the easier half of the questions."""
    if len(gap) < 2:
        return 0.0, 0.0
    order = np.argsort(ease, kind="stable")
    half = len(gap) // 2
    return float(gap[order[:half]].mean()), float(gap[order[-half:]].mean())


def _close(gap: float) -> str:
    return f"a small gap ({abs(gap):.3f}), which any weighting can turn"


def _of_battles(data: Comparisons, strength: Floats) -> Callable[[int, int], str]:
    ties = data.ties + data.ties_bothbad
    n = len(data.systems)

    def total(first: Floats, second: Floats) -> Floats:
        return np.bincount(data.first, first, n) + np.bincount(data.second, second, n)

    wins, losses = total(data.wins, data.losses), total(data.losses, data.wins)
    tied = total(ties, ties)
    met = wins + losses + tied
    decided = wins / np.maximum(wins + losses, 1e-12)
    half = (wins + tied / 2.0) / np.maximum(met, 1e-12)
    votes = data.wins + data.losses + ties
    opposed = total(votes * strength[data.second], votes * strength[data.first])
    opponents = opposed / np.maximum(met, 1e-12)

    def why(i: int, j: int) -> str:
        found: list[str] = []
        if (half[i] - half[j]) * (decided[i] - decided[j]) < 0:
            found.append(
                f"ties: as half a win each {half[i]:.3f} against {half[j]:.3f} of the votes, "
                f"without them {decided[i]:.3f} against {decided[j]:.3f}"
            )
        if half[i] < half[j]:
            found.append(
                f"opponents: the first wins less ({half[i]:.3f} against {half[j]:.3f}), of "
                f"{'stronger' if opponents[i] > opponents[j] else 'other'} opponents"
            )
        pair = ((data.first == i) & (data.second == j)) | ((data.first == j) & (data.second == i))
        if not votes[pair].sum() > 0:
            found.append(
                f"they never met, and are compared through others (shares of votes won "
                f"{half[i]:.3f} and {half[j]:.3f})"
            )
        return "; ".join(found) or _close(float(half[i] - half[j]))

    return why
