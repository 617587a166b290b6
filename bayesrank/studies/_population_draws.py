"""Which populations data have, by name, and the draws of scores under one of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import quoted
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods.unit_scores import Weighting

type Floats = NDArray[np.float64]

# Populations of battles that are looked at where none is named, and the factor of their units.
_FACTORS = {
    "judges": "judge",
    "prompts": "prompt",
    "sessions": "session",
}
_MORE_FACTORS = {**_FACTORS, "categories": "category", "periods": "period"}


@dataclass(frozen=True, eq=False)
class Asked:
    """Data with what a score of them is.

    Attributes
    ----------
    data : Responses or Comparisons
        The observations.
    prior : str or None
        Prior of outcome probabilities; None for comparisons.
    weights : tuple of float or None
        Score of each category, if given.
    weighting : str
        What counts the same in a score.
    """

    data: Responses | Comparisons
    prior: Literal["pooled", "uniform"] | None
    weights: tuple[float, ...] | None
    weighting: Weighting

    @classmethod
    def of(
        cls,
        data: Responses | Comparisons,
        *,
        prior: Literal["pooled", "uniform"] | None,
        weights: ArrayLike | None,
        weighting: Weighting,
    ) -> Self:
        """Choose the prior, and refuse what comparisons have no use for."""
        if isinstance(data, Comparisons):
            given = {"prior": prior, "weights": weights}
            refused = [name for name, value in given.items() if value is not None]
            refused += ["weighting"] if weighting != "question" else []
            if refused:
                msg = f"{', '.join(refused)}: comparisons have no scores of trials; leave it out."
                raise ArgumentError(msg)
            return cls(data, None, None, weighting)
        chosen = ("pooled" if data.n_categories == 2 else "uniform") if prior is None else prior
        values = None if weights is None else tuple(data.category_weights(weights).tolist())
        return cls(data, chosen, values, weighting)

    @property
    def settings(self) -> dict[str, Any]:
        """What decides the numbers beside the data."""
        if isinstance(self.data, Comparisons):
            return {"model": "bradley-terry"}
        return {
            "model": "bayes-at-n",
            "prior": self.prior,
            "weights": None if self.weights is None else list(self.weights),
            "weighting": self.weighting,
        }

    def model(self) -> Any:
        """Return the model that speaks of the data's own population, and is resampled for others.

        Returns
        -------
        pymc.Model
        """
        # Studies of rules need no PyMC, and should not wait for it.
        from bayesrank.models import bayes_at_n, bradley_terry

        if isinstance(self.data, Comparisons):
            return bradley_terry(self.data)
        return bayes_at_n(
            self.data, weights=self.weights, weighting=self.weighting, prior=self.prior
        )

    def draw(self, population: str, *, draws: int, seed: int) -> tuple[Floats, str]:
        """Return scores, shape (chain, draw, system), and their record, as `sample` gives them."""
        from bayesrank.inference import sample

        tree = sample(
            self.model(),
            population=population.split(" x ") if " x " in population else population,
            draws=draws,
            random_seed=seed,
            progressbar=False,
        )
        found = tree["posterior"]
        scores = found["score"].transpose("chain", "draw", "system").to_numpy()
        return scores, str(found.attrs["bayesrank"])


def names_of(asked: Asked, among: Sequence[str | Sequence[str]]) -> list[str]:
    """Return populations by name, crossed ones joined by " x "; refuse what is not known."""
    from bayesrank.inference.population import resolve_population
    from bayesrank.models._attach import attached

    attachment = attached(asked.model())
    names: list[str] = []
    for each in [among] if isinstance(among, str) else among:
        crossed = each.split(" x ") if isinstance(each, str) else list(each)
        name = resolve_population(crossed if len(crossed) > 1 else crossed[0], attachment)
        if name in names:
            msg = f"population {quoted(name)} is named twice; name each once."
            raise ArgumentError(msg)
        names.append(name)
    if not names:
        msg = "among is empty; name a population, or leave it out for all that the data have."
        raise ArgumentError(msg)
    return names


def natural(data: Responses | Comparisons) -> tuple[list[str], list[str]]:
    """Return the populations that data have two units of, and what is said of the others."""
    units = _units(data)
    chosen = [name for name, count in units.items() if count is None or count > 1]
    one = [name for name, count in units.items() if count == 1]
    none = [name for name, count in units.items() if count == 0]
    notes: list[str] = []
    if none:
        notes.append(f"These data do not name {_or(none)}, so nothing is said of new ones.")
    if one:
        notes.append(
            f"These data have one unit of {_or(one)} alone, which cannot show how others differ."
        )
    if len(chosen) == 1:
        notes.append(f"There is one population to look at, {chosen[0]}; nothing to set beside it.")
    return chosen, notes


def _units(data: Responses | Comparisons) -> dict[str, int | None]:
    """Return how many units of each population there are; None for single observations."""
    if isinstance(data, Responses):
        return {
            "trials": None,
            "questions": len(data.questions),
            "tasks": len(set(data.tasks or ())),
            "prompts": len(set(data.prompts or ())),
        }
    if data.induced is not None:
        return {
            "questions": len(data.induced.responses.questions),
            "tasks": len(set(data.induced.responses.tasks or ())),
        }
    sizes = {
        name: len(data.factors[factor].levels) if factor in data.factors else 0
        for name, factor in _FACTORS.items()
    }
    return {"battles": None, **sizes}


def units_in_words(data: Responses | Comparisons, population: str) -> str:
    """Return what a population varies, such as "120 questions"."""
    counts = _units(data)
    if isinstance(data, Comparisons):
        total = round(float(data.n_comparisons.sum()))
        counts |= {
            name: len(data.factors[factor].levels)
            for name, factor in _MORE_FACTORS.items()
            if factor in data.factors
        }
    else:
        total = int(data.n_trials.sum())
    parts = population.split(" x ")
    return " x ".join(f"{total if counts.get(p) is None else counts[p]:,} {p}" for p in parts)


def _or(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
