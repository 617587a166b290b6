r"""Probabilities of cells whose questions are hard for all models, in closed form but for a grid.

A cell's probability is :math:`\mathrm{Beta}(\kappa \mu_{lm}, \kappa (1 - \mu_{lm}))` about
:math:`\mu_{lm} = \sigma(\theta_l - b_m)`: models differ in ability, questions in difficulty, and
:math:`\kappa` says how far cells depart from both. Abilities and difficulties have weak priors and
are normal about their mode; :math:`\kappa` has its marginal posterior on a grid, by Laplace's
approximation, which counts what abilities and difficulties take from the data.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, expit

from bayesrank._validate import as_generator, validate_count
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods.item_response_fit import ItemPriors, fit_item_response
from bayesrank.typing import RandomSeed

__all__ = ["CrossedPosterior", "crossed_posterior"]

type Floats = NDArray[np.float64]

_ABILITY_SD, _DIFFICULTY_SD = 2.0, 2.0
# Logarithms of kappa: from probabilities that are nearly 0 or 1 to ones that hardly depart.
_GRID = np.linspace(-1.0, 7.0, 33)


@dataclass(frozen=True, eq=False)
class CrossedPosterior:
    """Posterior of the probabilities of all cells.

    Attributes
    ----------
    successes, trials : ndarray, shape (system, question)
        Counts.
    ability, difficulty : ndarray, shapes (system,) and (question,)
        Modes, in logits.
    concentration : ndarray, shape (node,)
        Values of kappa.
    weight : ndarray, shape (node,)
        Their posterior probabilities.
    """

    successes: Floats
    trials: Floats
    ability: Floats
    difficulty: Floats
    concentration: Floats
    weight: Floats

    def probability_draws(self, draws: int, *, random_seed: RandomSeed = None) -> Floats:
        """Draw the probabilities of success of all cells.

        Parameters
        ----------
        draws : int
            Number of draws, independent of each other.
        random_seed : int, Generator, SeedSequence or None
            Source of randomness.

        Returns
        -------
        ndarray, shape (draw, system, question)
        """
        rng = as_generator(random_seed)
        L, M = self.successes.shape
        nodes = rng.choice(len(self.weight), validate_count(draws, name="draws"), p=self.weight)
        ability = rng.standard_normal((draws, L))
        difficulty = rng.standard_normal((draws, M))
        for node in np.unique(nodes):
            at = nodes == node
            W, questions, schur = self._information(float(self.concentration[node]))
            shift = np.linalg.solve(np.linalg.cholesky(schur).T, ability[at].T).T
            # Given abilities, difficulties are independent: all follow a common shift.
            follow = (shift @ W) / questions
            ability[at] = self.ability + shift
            difficulty[at] = self.difficulty + follow + difficulty[at] / np.sqrt(questions)
        # Far out probabilities would round to 0 or 1, which no Beta has as its mean.
        mean = expit(np.clip(ability[:, :, np.newaxis] - difficulty[:, np.newaxis, :], -30.0, 30.0))
        kappa = self.concentration[nodes][:, np.newaxis, np.newaxis]
        failures = self.trials - self.successes
        p = rng.beta(kappa * mean + self.successes, kappa * (1.0 - mean) + failures)
        return np.asarray(p, dtype=np.float64)

    def _information(self, kappa: float) -> tuple[Floats, Floats, Floats]:
        """Return that of cells, of difficulties, and of abilities with difficulties taken out."""
        return _information(self.ability, self.difficulty, self.trials, kappa)


def crossed_posterior(data: Responses) -> CrossedPosterior:
    """Return the posterior of cell probabilities under abilities and difficulties.

    Parameters
    ----------
    data : Responses
        Outcomes of success and failure.

    Returns
    -------
    CrossedPosterior

    Raises
    ------
    ArgumentError
        For more than two categories.

    References
    ----------
    .. [1] Tierney, L. and Kadane, J. B. (1986). Accurate approximations for posterior moments and
       marginal densities. Journal of the American Statistical Association 81(393), 82-86.
       https://doi.org/10.1080/01621459.1986.10478240

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.likelihoods import crossed_posterior
    >>> data = bayesrank.simulate_responses(systems=4, questions=20, trials=5, random_seed=1)
    >>> crossed_posterior(data).probability_draws(3, random_seed=1).shape
    (3, 4, 20)
    """
    if data.n_categories != 2:
        msg = (
            f"{data.source}: abilities and difficulties are about success or failure, and outcomes "
            f"have {data.n_categories} categories."
        )
        raise ArgumentError(msg)
    k, n = data.successes.astype(np.float64), data.n_trials.astype(np.float64)
    priors = ItemPriors(ability=_ABILITY_SD, difficulty_sd=_DIFFICULTY_SD)
    fit = fit_item_response((k, n), prior=priors)
    ability, difficulty = fit.ability, np.nan_to_num(fit.difficulty)
    mean = expit(ability[:, np.newaxis] - difficulty)
    level = np.empty(len(_GRID))
    for i, kappa in enumerate(np.exp(_GRID)):
        a, b = kappa * mean, kappa * (1.0 - mean)
        _, questions, schur = _information(ability, difficulty, n, float(kappa))
        volume = np.log(questions).sum() + np.linalg.slogdet(schur)[1]
        level[i] = (betaln(a + k, b + n - k) - betaln(a, b)).sum() - 0.5 * volume
    weight = np.exp(level - level.max())
    return CrossedPosterior(k, n, ability, difficulty, np.exp(_GRID), weight / weight.sum())


def _information(
    ability: Floats, difficulty: Floats, n: Floats, kappa: float
) -> tuple[Floats, Floats, Floats]:
    p = expit(ability[:, np.newaxis] - difficulty)
    # Successes of a cell vary together: n of them tell as much as so many alone.
    W = n * (kappa + 1.0) / (kappa + n) * p * (1.0 - p)
    questions = W.sum(axis=0) + _DIFFICULTY_SD**-2.0
    schur = np.diag(W.sum(axis=1) + _ABILITY_SD**-2.0) - (W / questions) @ W.T
    return W, questions, schur
