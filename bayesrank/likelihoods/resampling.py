"""Bayesian bootstrap weights whose spread is right for few units too."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from bayesrank._text import listed, quoted
from bayesrank._validate import as_generator, validate_count
from bayesrank.exceptions import InputError
from bayesrank.typing import FloatArray, RandomSeed

__all__ = ["UnitWeights", "unit_weights"]

# Below this many units no Dirichlet has the variance of a t mean; the draws are stretched instead.
FEWEST = 6


@dataclass(frozen=True, eq=False)
class UnitWeights:
    """Random weights of units (questions, tasks, prompts), shared by all models within a draw.

    Attributes
    ----------
    draws : ndarray of float64, shape (draw, unit)
        Weights with mean `base`. Never negative unless `stretched`.
    base : ndarray of float64, shape (unit,)
        What each unit counts in the score itself; sums to 1.
    stretched : bool
        Whether some stratum has fewer than six units, so that its weights were stretched about
        their mean and may be negative: good for means, not for rules.
    """

    draws: FloatArray
    base: FloatArray
    stretched: bool

    def means(self, scores: FloatArray, share: FloatArray) -> FloatArray:
        """Return weighted means of unit scores, renormalised over what each model has.

        Parameters
        ----------
        scores : ndarray, shape (system, unit)
            Score of each unit; ignored where `share` is 0.
        share : ndarray, shape (system, unit)
            How much of a unit a model has been observed on, 0 to 1.

        Returns
        -------
        ndarray of float64, shape (draw, system)
        """
        filled = np.where(share > 0.0, scores, 0.0)
        if not self.stretched:
            return (self.draws @ (share * filled).T) / (self.draws @ share.T)
        # A ratio of stretched weights may divide by nothing; its linearisation cannot.
        held = share @ self.base
        centre = (share * filled) @ self.base / held
        deviation = share * (filled - centre[:, np.newaxis]) / held[:, np.newaxis]
        return centre + (self.draws - self.base) @ deviation.T


def unit_weights(
    n: int,
    *,
    base: FloatArray,
    strata: NDArray[np.intp] | None = None,
    stratum_names: Sequence[str] = (),
    kind: str = "unit",
    random_seed: RandomSeed = None,
) -> UnitWeights:
    r"""Draw weights of the Bayesian bootstrap, corrected for small samples.

    Parameters
    ----------
    n : int
        Number of draws.
    base : ndarray, shape (unit,)
        What each unit counts in the score; scaled to sum to 1.
    strata : ndarray of int, shape (unit,), optional
        Units are resampled within their stratum, whose total weight stays. One by default.
    stratum_names : sequence of str, optional
        Names of the strata, for messages.
    kind : str, default "unit"
        What a unit is, for messages.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness.

    Returns
    -------
    UnitWeights

    Raises
    ------
    InputError
        For a stratum of one unit: nothing is known of how units differ.

    Notes
    -----
    With M units the plain bootstrap, Dirichlet(1, ..., 1), gives a mean the variance
    :math:`\frac{M-1}{M+1} s^2/M`: too little, and no tail. From six units on the weights are
    Dirichlet(a, ..., a) with :math:`a = (M-4)/M`, which has the variance of a t distribution with
    M - 1 degrees of freedom. Below, plain draws are stretched about their mean by
    :math:`\sqrt{(M+1)/(M-1)}\; t_{.975, M-1}/1.96`.

    References
    ----------
    .. [1] Rubin, D. B. (1981). The Bayesian bootstrap. Annals of Statistics 9(1), 130-134.
       https://doi.org/10.1214/aos/1176345338

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods import unit_weights
    >>> weights = unit_weights(1000, base=np.ones(10), random_seed=1)
    >>> weights.draws.shape, bool(np.allclose(weights.draws.sum(axis=1), 1))
    ((1000, 10), True)
    """
    n = validate_count(n, name="n")
    rng = as_generator(random_seed)
    base = np.asarray(base, dtype=np.float64) / np.sum(base)
    codes = np.zeros(len(base), dtype=np.intp) if strata is None else strata
    sizes = np.bincount(codes)
    alone = np.flatnonzero(sizes == 1)
    if alone.size:
        names = [stratum_names[int(i)] for i in alone] if stratum_names else []
        where = f" in {listed(names)}" if names else ""
        msg = (
            f"only one {kind}{where}: how {kind}s differ cannot be seen; "
            f"take a population that holds the {kind}s fixed."
        )
        raise InputError(msg)
    draws = np.empty((n, len(base)))
    for stratum, size in enumerate(sizes.tolist()):
        units = np.flatnonzero(codes == stratum)
        few = size < FEWEST
        relative = 1.0 + stretch(size) * (relative_weights(n, size, rng) - 1.0)
        weighted = relative * base[units]
        # The stratum's share of the score is part of the question asked, not of the sample.
        if not few:
            weighted *= base[units].sum() / weighted.sum(axis=1, keepdims=True)
        draws[:, units] = weighted
    return UnitWeights(draws, base, stretched=bool((sizes < FEWEST).any()))


def relative_weights(n: int, size: int, rng: np.random.Generator) -> FloatArray:
    """Return weights with mean 1, shape (draw, unit), of the Bayesian bootstrap.

    From six units on they have the spread of a t distribution; below, what they are used for has
    to be stretched by `stretch` about its value without weights.
    """
    return size * rng.dirichlet(np.full(size, 1.0 if size < FEWEST else (size - 4.0) / size), n)


def stretch(size: int) -> float:
    """Return what draws from plain weights of fewer than six units are stretched by, else 1."""
    if size >= FEWEST or size < 2:
        return 1.0
    return float(np.sqrt((size + 1.0) / (size - 1.0)) * student.ppf(0.975, size - 1) / 1.959964)


def few_units_sentence(sizes: dict[str, int], *, kind: str) -> str | None:
    """Return a warning where strata have fewer than six units, or None."""
    few = {name: size for name, size in sizes.items() if size < FEWEST}
    if not few:
        return None
    name, size = min(few.items(), key=lambda item: item[1])
    where = f" in {quoted(name)}" if name else ""
    return (
        f"Only {size} {kind}s{where}: the interval is stretched to a t interval, "
        f"and a few more {kind}s would tell far more."
    )
