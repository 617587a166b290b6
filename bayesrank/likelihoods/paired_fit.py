"""Maximum of the likelihood (or posterior density) of paired comparisons, by Newton's method."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesrank._validate import positions, validate_choice, validate_finite
from bayesrank.data import Comparisons
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.paired import TIES, CellTerms, TieRule, paired_terms
from bayesrank.likelihoods.paired_existence import tie_parameter_unbounded, why_no_maximum

__all__ = ["PairedFit", "fit_paired"]

type Floats = NDArray[np.float64]

_STEPS = 200
# Newton's decrement, twice the log-likelihood still to gain, at which the fit has converged.
_DECREMENT = 1e-16


@dataclass(frozen=True, eq=False)
class PairedFit:
    """Strengths at the maximum, with their covariance.

    Attributes
    ----------
    systems : tuple of str
        The models.
    strength : ndarray, shape (system,)
        Log-odds; they sum to zero without a prior.
    covariance : ndarray, shape (parameter, parameter)
        Inverse information of strengths, then side, then tie parameter, as far as estimated.
    side, tie : float or None
        Log-odds of a win on the first side between equals; log nu or log theta.
    log_likelihood : float
        Without multinomial coefficients, and without the prior.
    steps : int
        Newton steps taken.
    """

    systems: tuple[str, ...]
    strength: Floats
    covariance: Floats
    side: float | None
    tie: float | None
    log_likelihood: float
    steps: int

    @property
    def side_se(self) -> float:
        """Standard error of the side effect; NaN without one."""
        return self._se(len(self.systems)) if self.side is not None else float("nan")

    @property
    def tie_se(self) -> float:
        """Standard error of the tie parameter; NaN without one."""
        return self._se(-1) if self.tie is not None else float("nan")

    def _se(self, position: int) -> float:
        return float(np.sqrt(self.covariance[position, position]))

    def relative_to(self, system: str) -> tuple[Floats, Floats]:
        """Return strengths minus that of one model, and their standard errors.

        Parameters
        ----------
        system : str
            The model that gets strength zero.

        Returns
        -------
        difference, se : ndarray, shape (system,)

        Raises
        ------
        ArgumentError
            For a model that is not there.
        """
        at = int(positions([system], self.systems, kind="model")[0])
        n = len(self.systems)
        C = self.covariance[:n, :n]
        variance = np.diag(C) + C[at, at] - 2 * C[at]
        return self.strength - self.strength[at], np.sqrt(np.maximum(variance, 0.0))


def fit_paired(
    comparisons: Comparisons,
    *,
    ties: TieRule = "davidson",
    side: bool = False,
    prior_sd: float | None = None,
    prior_mean: Floats | float = 0.0,
) -> PairedFit:
    r"""Find the strengths that maximise the likelihood, or the posterior density.

    Parameters
    ----------
    comparisons : Comparisons
        Who won against whom; both kinds of ties are ties. Factors and covariates are ignored.
    ties : {"davidson", "rao_kupper", "half", "drop"}, default "davidson"
        How ties are modelled.
    side : bool, default False
        Whether to estimate the effect of being shown first.
    prior_sd : float, optional
        Standard deviation of independent normal priors on the strengths (log-odds); without it,
        maximum likelihood.
    prior_mean : float or ndarray, shape (system,), default 0
        Means of these priors; a common one shifts all strengths and changes no difference.

    Returns
    -------
    PairedFit

    Raises
    ------
    InputError
        Where the maximum is not finite: the message says which models are to blame.
    ArgumentError
        For a side effect of comparisons without sides.

    References
    ----------
    .. [1] Hunter, D. R. (2004). MM algorithms for generalized Bradley-Terry models. Annals of
       Statistics 32(1), 384-406. https://doi.org/10.1214/aos/1079120141

    Examples
    --------
    >>> from bayesrank import Comparisons
    >>> from bayesrank.likelihoods import fit_paired
    >>> fit = fit_paired(Comparisons.from_counts(["a"], ["b"], [3], [1]), ties="drop")
    >>> fit.relative_to("b")[0].round(4)
    array([1.0986, 0.    ])
    """
    validate_choice(ties, TIES, name="ties")
    if side and not comparisons.sided:
        msg = f"{comparisons.source}: a side effect needs to know which model was shown first."
        raise ArgumentError(msg)
    if (reason := tie_parameter_unbounded(comparisons, ties=ties)) is not None:
        msg = f"{comparisons.source}: {reason}."
        raise InputError(msg)
    if prior_sd is None:
        reason = why_no_maximum(comparisons, ties=ties, side=side)
        if reason is not None:
            msg = (
                f"{comparisons.source}: no finite maximum likelihood ({reason}); "
                f"a prior (prior_sd=) makes it finite."
            )
            raise InputError(msg)
    elif validate_finite(prior_sd, name="prior_sd", minimum=0.0) == 0.0:
        msg = "prior_sd=0 leaves nothing to estimate."
        raise ArgumentError(msg)
    problem = _Problem(comparisons.collapse(sided=side), ties, side, prior_sd, prior_mean)
    return problem.solve()


class _Problem:
    """The objective in (strength, side, tie), minus the derivatives that a Newton step needs."""

    def __init__(
        self,
        comparisons: Comparisons,
        ties: TieRule,
        side: bool,
        prior_sd: float | None,
        prior_mean: Floats | float,
    ) -> None:
        self.comparisons = comparisons
        self.ties: TieRule = ties
        self.side = side
        self.tied = comparisons.ties + comparisons.ties_bothbad
        self.n = len(comparisons.systems)
        self.has_tie = ties in ("davidson", "rao_kupper")
        self.precision = 0.0 if prior_sd is None else prior_sd**-2.0
        self.mean = np.broadcast_to(np.asarray(prior_mean, dtype=np.float64), (self.n,))

    def solve(self) -> PairedFit:
        x = np.zeros(self.n + self.side + self.has_tie)
        x[: self.n] = self.mean if self.precision else 0.0
        if self.has_tie:
            x[-1] = 0.5 if self.ties == "rao_kupper" else 0.0
        value, terms = self.evaluate(x)
        for step in range(1, _STEPS + 1):  # noqa: B007
            gradient, information = self.derivatives(x, terms)
            # Strengths are free up to a shift; this holds the shift without touching anything else.
            information[: self.n, : self.n] += 0.0 if self.precision else 1.0
            move = np.linalg.solve(information, gradient)
            decrement = float(gradient @ move)
            if decrement < _DECREMENT * max(1.0, abs(value)):
                break
            x, value, terms = self.search(x, move, value, decrement)
        else:
            msg = f"{self.comparisons.source}: Newton's method did not converge."
            raise InputError(msg)
        covariance = np.linalg.inv(information)
        if not self.precision:
            covariance[: self.n, : self.n] -= 1.0 / self.n**2
        return PairedFit(
            systems=self.comparisons.systems,
            strength=x[: self.n],
            covariance=covariance,
            side=float(x[self.n]) if self.side else None,
            tie=float(x[-1]) if self.has_tie else None,
            log_likelihood=float(terms.value.sum()),
            steps=step,
        )

    def search(
        self, x: Floats, move: Floats, value: float, decrement: float
    ) -> tuple[Floats, float, CellTerms]:
        """Halve the step until it gains enough, and a threshold stays positive."""
        scale = 1.0
        if self.ties == "rao_kupper" and x[-1] + move[-1] <= 0:
            scale = 0.9 * x[-1] / -move[-1]
        for _ in range(60):
            trial = x + scale * move
            found, terms = self.evaluate(trial)
            if found >= value + 1e-4 * scale * decrement or scale * decrement < 1e-13 * abs(value):
                return trial, found, terms
            scale /= 2
        msg = f"{self.comparisons.source}: the search for the maximum stalled."
        raise InputError(msg)

    def evaluate(self, x: Floats) -> tuple[float, CellTerms]:
        s = x[: self.n]
        eta = s[self.comparisons.first] - s[self.comparisons.second]
        if self.side:
            eta = eta + x[self.n]
        terms = paired_terms(
            eta,
            float(x[-1]) if self.has_tie else 0.0,
            self.comparisons.wins,
            self.comparisons.losses,
            self.tied,
            ties=self.ties,
        )
        penalty = self.precision * np.square(s - self.mean).sum() / 2
        return float(terms.value.sum() - penalty), terms

    def derivatives(self, x: Floats, terms: CellTerms) -> tuple[Floats, Floats]:
        """Return the gradient, and the negative second derivatives."""
        n, i, j = self.n, self.comparisons.first, self.comparisons.second
        gradient = np.zeros(len(x))
        H = np.zeros((len(x), len(x)))

        def per_model(values: Floats) -> Floats:
            return np.bincount(i, values, n) - np.bincount(j, values, n)

        gradient[:n] = per_model(terms.d_eta) - self.precision * (x[:n] - self.mean)
        both = np.bincount(i * n + j, terms.eta_eta, n * n).reshape(n, n)
        H[:n, :n] = -both - both.T
        H[np.arange(n), np.arange(n)] += both.sum(axis=0) + both.sum(axis=1) + self.precision
        if self.side:
            gradient[n] = terms.d_eta.sum()
            H[n, n] = terms.eta_eta.sum()
            H[n, :n] = H[:n, n] = per_model(terms.eta_eta)
        if self.has_tie:
            gradient[-1] = terms.d_tie.sum()
            H[-1, -1] = terms.tie_tie.sum()
            H[-1, :n] = H[:n, -1] = per_model(terms.eta_tie)
            if self.side:
                H[-1, n] = H[n, -1] = terms.eta_tie.sum()
        return gradient, H
