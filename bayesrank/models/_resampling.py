"""What a score is beyond these questions: observed scores of units, resampled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesrank.data import Responses
from bayesrank.likelihoods import PopulationDraws, bootstrap_scores
from bayesrank.likelihoods.population import RESAMPLED
from bayesrank.likelihoods.unit_scores import Weighting
from bayesrank.typing import FloatArray

_NEW = {"questions": "new questions like these", "tasks": "new tasks like these"}


@dataclass(frozen=True, eq=False)
class Resampling:
    """How to resample the observed scores of responses, and what is said of the result.

    Attributes
    ----------
    responses : Responses
        What was observed.
    weights : ndarray of float64, shape (category,)
        Score of each category.
    weighting : {"question", "task"}
        What counts the same in the score.
    pseudo_counts : ndarray of float64 or None
        Weighted auxiliary outcomes, counted like trials.
    prior : str
        What is left of the prior, one line of prose.
    notes : tuple of str
        What a reader has to know beside, one sentence each.
    """

    responses: Responses
    weights: NDArray[np.float64]
    weighting: Weighting
    pseudo_counts: FloatArray | None = None
    prior: str = "none: observed scores are resampled, and no prior on cells plays a role"
    notes: tuple[str, ...] = ()

    @property
    def units(self) -> tuple[tuple[str, ...], ...]:
        """What can be resampled: units, alone or crossed."""
        return RESAMPLED

    def draws(self, units: Sequence[str], n: int, *, rng: np.random.Generator) -> PopulationDraws:
        """Return `n` draws of the scores under a population of resampled units."""
        return bootstrap_scores(
            self.responses,
            units,
            weights=self.weights,
            weighting=self.weighting,
            pseudo_counts=self.pseudo_counts,
            draws=n,
            random_seed=rng,
        )

    def estimand(self, units: Sequence[str]) -> str:
        """Return what the score is under a population, one line of prose."""
        new = [_NEW[unit] for unit in units if unit in _NEW]
        which = new[0] if new else these_questions(self.responses)
        if "prompts" in units:
            which += ", under new prompts like these,"
        return estimand(self.responses, self.weights, self.weighting, which=which)


def these_questions(responses: Responses) -> str:
    """Return which questions a score is a mean over, as long as they are fixed."""
    every = responses.observed.all()
    return "these questions" if every else "the questions each was observed on"


def estimand(
    responses: Responses, weights: NDArray[np.float64], weighting: Weighting, *, which: str
) -> str:
    """Return what a score is, one line of prose."""
    equal = ", every task counting the same," if weighting == "task" else ""
    if responses.n_categories == 2 and weights.tolist() == [0.0, 1.0]:
        return f"mean over {which}{equal} of the probability of success"
    shown = ", ".join(f"{x:g}" for x in weights)
    return f"mean over {which}{equal} of the expected outcome, categories weighted {shown}"
