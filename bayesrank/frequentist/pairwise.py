"""The tests of ordered pairs by name: what each reads, and what it says of every pair."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import quoted
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.frequentist.clustered import (
    cluster_errors,
    cluster_robust_p_values,
    random_effects_p_values,
)
from bayesrank.frequentist.degenerate import Degenerate, constant_p_value
from bayesrank.frequentist.evidence import Estimates, UnitScores
from bayesrank.frequentist.mcnemar import mcnemar_p_values
from bayesrank.frequentist.paired_t import paired_t_p_values, yuen_p_values
from bayesrank.frequentist.pairs import rounding
from bayesrank.frequentist.resampling import (
    Resampler,
    Studentize,
    resample_estimates,
    resample_units,
)
from bayesrank.frequentist.signflip import signflip_p_values
from bayesrank.frequentist.stepdown import bootstrap_p_values
from bayesrank.frequentist.unmatched import welch_p_values, z_p_values
from bayesrank.frequentist.wilcoxon import wilcoxon_p_values

__all__ = ["PairTest", "Test", "compare_pairs", "score_errors"]

type Test = Literal[
    "t",
    "wilcoxon",
    "yuen",
    "signflip",
    "mcnemar",
    "bootstrap",
    "welch",
    "z",
    "cluster",
    "random_effects",
    "stratified_z",
]
PAIRED = ("t", "wilcoxon", "yuen", "signflip", "mcnemar", "bootstrap")
CLUSTERED = ("cluster", "random_effects")
UNMATCHED = ("welch", "z")
TESTS = (*PAIRED, *UNMATCHED, *CLUSTERED, "stratified_z")
# Tests whose statistic is a mean difference over its standard error, which resamples can copy.
STUDENTISED = ("t", "bootstrap", "z", "stratified_z")


@dataclass(frozen=True)
class PairTest:
    """One test and its options.

    Attributes
    ----------
    name : str
        One of the tests.
    margin : float
        Smallest difference that matters.
    degenerate : {"signflip", "reject", "retain"}
        What to say of constant differences.
    trim : float
        Share cut off at each end by Yuen's test.
    resamples : int
        Resamples, or random sign patterns.
    studentize : {"fixed", "resample"}
        Standard errors that resamples are divided by.
    resampled : bool
        Whether the multiple testing needs resamples too.
    """

    name: Test
    margin: float
    degenerate: Degenerate
    trim: float
    resamples: int
    studentize: Studentize
    resampled: bool


@dataclass(frozen=True)
class Comparison:
    """One-sided p-values of all ordered pairs, and resampled statistics where they were asked for.

    Attributes
    ----------
    p_values : ndarray, shape (system, system_bis)
        For "system beats system_bis"; NaN on the diagonal.
    resampler : Resampler or None
        Source of resampled statistics.
    statistics : ndarray, shape (system, system_bis), or None
        What the resampled statistics are held against.
    smallest : float
        The smallest p-value that the test could have given; 0 if there is no such floor.
    """

    p_values: NDArray[np.float64]
    resampler: Resampler | None
    statistics: NDArray[np.float64] | None
    smallest: float


def compare_pairs(
    evidence: UnitScores | Estimates, test: PairTest, *, generator: np.random.Generator
) -> Comparison:
    """Test every ordered pair of systems.

    Parameters
    ----------
    evidence : UnitScores or Estimates
        What the test reads.
    test : PairTest
        The test and its options.
    generator : numpy.random.Generator
        Source of resamples.

    Returns
    -------
    Comparison
    """
    if isinstance(evidence, Estimates):
        p = z_p_values(
            evidence.estimate, evidence.variance, margin=test.margin, degenerate=test.degenerate
        )
        if not test.resampled:
            return Comparison(p, None, None, 0.0)
        resampler = resample_estimates(
            evidence.estimate,
            evidence.covariance,
            evidence.variance,
            generator=generator,
            resamples=test.resamples,
        )
        statistics = resampler.statistics(margin=test.margin, constant=p)
        return Comparison(p, resampler, statistics, 0.0)
    if not (test.resampled or test.name == "bootstrap"):
        floor = _signflip_floor(evidence, test) if test.name == "signflip" else 0.0
        return Comparison(_p_values(evidence, test, generator), None, None, floor)
    resampler = resample_units(
        evidence.values,
        generator=generator,
        resamples=test.resamples,
        studentize=test.studentize,
    )
    n = evidence.values.shape[1]
    fixed = constant_p_value(
        resampler.difference - test.margin,
        rule=test.degenerate,
        certain=0.5**n,
        tolerance=rounding(evidence.values),
    )
    statistics = resampler.statistics(margin=test.margin, constant=fixed)
    if test.name == "bootstrap":
        p = bootstrap_p_values(resampler, statistics, fixed)
        np.fill_diagonal(p, np.nan)
        return Comparison(p, resampler, statistics, 1 / (test.resamples + 1))
    return Comparison(_p_values(evidence, test, generator), resampler, statistics, 0.0)


def score_errors(
    evidence: UnitScores | Estimates, test: PairTest
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return each system's score, its standard error, and the quantile factor's degrees of freedom.

    Parameters
    ----------
    evidence : UnitScores or Estimates
        What the test reads.
    test : PairTest
        A test on clusters has cluster-robust errors; the others have those of a mean of units.

    Returns
    -------
    score, error, freedom : ndarray, shape (system,)
        Infinite degrees of freedom stand for the normal distribution.
    """
    if isinstance(evidence, Estimates):
        return evidence.estimate, evidence.error, np.full(evidence.estimate.shape, np.inf)
    values = evidence.values
    if test.name in CLUSTERED and evidence.clusters is not None:
        freedom = np.full(len(values), float(evidence.clusters.max()))
        return values.mean(axis=1), cluster_errors(values, evidence.clusters), freedom
    n = np.count_nonzero(~np.isnan(values), axis=1)
    error = np.nanstd(values, axis=1, ddof=1) / np.sqrt(n)
    freedom = np.full(len(values), np.inf) if test.name == "z" else n - 1.0
    return np.nanmean(values, axis=1), error, freedom


def _p_values(
    evidence: UnitScores, test: PairTest, generator: np.random.Generator
) -> NDArray[np.float64]:
    values, margin, degenerate = evidence.values, test.margin, test.degenerate
    if test.name == "wilcoxon":
        return wilcoxon_p_values(values, margin=margin)
    if test.name == "yuen":
        return yuen_p_values(values, margin=margin, trim=test.trim, degenerate=degenerate)
    if test.name == "signflip":
        return signflip_p_values(
            values, generator=generator, margin=margin, resamples=test.resamples
        )
    if test.name == "mcnemar":
        _check_binary(evidence, margin)
        return mcnemar_p_values(values)
    if test.name in UNMATCHED:
        return welch_p_values(values, margin=margin, degenerate=degenerate, normal=test.name == "z")
    if test.name in CLUSTERED and evidence.clusters is not None:
        clustered = cluster_robust_p_values if test.name == "cluster" else random_effects_p_values
        return clustered(values, clusters=evidence.clusters, margin=margin, degenerate=degenerate)
    return paired_t_p_values(values, margin=margin, degenerate=degenerate)


def _check_binary(evidence: UnitScores, margin: float) -> None:
    if margin != 0.0:
        msg = f"margin={margin:g}: McNemar's test has no margin; use test='t'."
        raise ArgumentError(msg)
    odd = (evidence.values != 0.0) & (evidence.values != 1.0)
    if odd.any():
        i, j = (int(x[0]) for x in np.nonzero(odd))
        msg = (
            f"McNemar's test needs outcomes 0 or 1; model {quoted(evidence.systems[i])} has the "
            f"score {evidence.values[i, j]:g} on {evidence.unit} {quoted(evidence.name_unit(j))}. "
            f"Use test='wilcoxon' or test='t'."
        )
        raise InputError(msg)


def _signflip_floor(evidence: UnitScores, test: PairTest) -> float:
    n = evidence.values.shape[1]
    return max(0.5**n, 1 / (test.resamples + 1))
