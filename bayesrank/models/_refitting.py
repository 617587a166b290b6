"""What strengths are under other judges, prompts or questions: comparisons resampled and refitted.

The clusters of `bayesrank.likelihoods.paired_bootstrap` say which comparisons come together; here
is what they mean for a model of paired comparisons.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.data import Comparisons
from bayesrank.exceptions import BayesrankWarning
from bayesrank.likelihoods.paired_bootstrap import Clusters, clusters_of
from bayesrank.models._paired_design import Options, outcome_shares

# Population: the factor that names its units, or None for what comparisons were induced by.
_FACTORS = {
    "judges": "judge",
    "prompts": "prompt",
    "sessions": "session",
    "categories": "category",
    "periods": "period",
}
_INDUCED = ("questions", "tasks")


@dataclass(frozen=True, eq=False)
class Refitting:
    """How to fit a model of paired comparisons again to resampled ones.

    Attributes
    ----------
    comparisons : Comparisons
        What was observed.
    options : Options
        Of the model.
    build : callable
        Builds the same model for other comparisons.
    """

    comparisons: Comparisons
    options: Options
    build: Callable[[Comparisons], pm.Model]

    @property
    def units(self) -> tuple[tuple[str, ...], ...]:
        """What can be resampled."""
        if self.comparisons.induced is not None:
            return tuple((unit,) for unit in _INDUCED)
        return tuple((unit,) for unit in _FACTORS)

    def weighted_model(self) -> pm.Model:
        """Return the model for counts that need not be whole; its warnings were given before."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayesrankWarning)
            return self.build(replace(self.comparisons, weighted=True))

    def clusters(self, population: str) -> Clusters:
        """Return the comparisons by the units of a population, summed to the model's cells."""
        return clusters_of(
            self.comparisons,
            _FACTORS.get(population, population),
            keep=self.options.kept,
            sided=bool(self.options.side),
        )

    def observed(
        self, counts: NDArray[np.float64], like: Mapping[str, NDArray[np.float64]]
    ) -> dict[str, NDArray[np.float64]]:
        """Return the data of the model for counts of shape (cell, outcome) as `Clusters` has them.

        `like` are data of the model: which it has, and in which shape.
        """
        found = {"outcomes_observed": counts @ outcome_shares(self.options)}
        if "tie_kinds_observed" in like:
            kinds = counts[:, [3, 2]]
            pooled = len(like["tie_kinds_observed"]) != len(kinds)
            found["tie_kinds_observed"] = kinds.sum(axis=0, keepdims=True) if pooled else kinds
        return found
