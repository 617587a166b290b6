"""Confidence intervals for ranks from tests of ordered pairs."""

from collections.abc import Sequence
from typing import Any, TypedDict

import xarray as xr
from scipy import stats

from bayesrank._validate import (
    as_generator,
    validate_choice,
    validate_count,
    validate_finite,
    validate_probability,
)
from bayesrank.exceptions import ArgumentError
from bayesrank.frequentist.adjustment import ADJUSTS, RESAMPLED, Adjust, adjust_pairs
from bayesrank.frequentist.dataset import interval_dataset
from bayesrank.frequentist.degenerate import DEGENERATE, Degenerate
from bayesrank.frequentist.evidence import Estimates, UnitScores
from bayesrank.frequentist.families import COVERAGES, FAMILIES, Coverage, Family, pair_families
from bayesrank.frequentist.pairwise import (
    STUDENTISED,
    TESTS,
    UNMATCHED,
    PairTest,
    Test,
    compare_pairs,
    score_errors,
)
from bayesrank.frequentist.reading import MissingUnits, read_evidence
from bayesrank.frequentist.resampling import STUDENTIZE, Studentize
from bayesrank.typing import RandomSeed

__all__ = ["IntervalOptions", "rank_intervals"]


class IntervalOptions(TypedDict, total=False):
    """Options of `rank_intervals` that functions built on it pass on."""

    test: Test
    coverage: Coverage
    family: Family
    adjust: Adjust
    margin: float
    degenerate: Degenerate
    missing: MissingUnits
    trim: float
    resamples: int
    studentize: Studentize


def rank_intervals(
    scores: Any,
    *,
    unit: str | None = None,
    task: str | None = None,
    test: Test = "t",
    coverage: Coverage = "marginal",
    family: Family = "split",
    adjust: Adjust = "holm",
    alpha: float = 0.05,
    margin: float = 0.0,
    degenerate: Degenerate = "signflip",
    missing: MissingUnits = "error",
    clusters: Sequence[object] | None = None,
    k_fwer: int = 1,
    trim: float = 0.2,
    resamples: int = 10_000,
    studentize: Studentize = "fixed",
    random_seed: RandomSeed = None,
) -> xr.Dataset:
    r"""Compute confidence intervals for the ranks of systems.

    Each ordered pair is tested one-sidedly, and the p-values are adjusted for their number. The
    rank of `j` is then at least one plus the number of systems shown to beat it, and at most the
    number of systems less those it is shown to beat. Where true scores tie, the interval covers all
    ranks that the tie could be given. Rank 1 is best, and higher scores are better.

    Parameters
    ----------
    scores : data frame, Responses or tuple
        A frame or array of units x systems, in which a row holds what all models got on one unit;
        `Responses`, with a `unit`; or a pair (estimate, standard error) or (estimate, covariance).
    unit : {"observation", "question", "task", "prompt"}, optional
        What was sampled, and so what the ranks extrapolate to; "question" for responses. For a
        frame it is a name, by default that of the index.
    task : str, optional
        Of responses: look at this task only.
    test : str, default "t"
        On shared units: "t", "wilcoxon" (Pratt), "yuen", "signflip", "mcnemar" (0/1), "bootstrap";
        on shared units in clusters: "cluster" (CR1), "random_effects" (unequal sizes); on units
        that are not shared, with missing scores allowed: "welch", "z"; of responses with repeated
        trials: "stratified_z", for new trials of the same questions. Estimates are compared by "z".
    coverage : {"marginal", "simultaneous"}, default "marginal"
        Cover the rank of each system with probability 1 - `alpha`, or all ranks at once.
    family : {"split", "joint"}, default "split"
        Of marginal coverage: both ends of an interval at half the level, or both in one family.
    adjust : {"holm", "bonferroni", "maxt", "stepdown"}, default "holm"
        The last two resample units jointly (or draw normal errors of estimates) and so use how
        the statistics depend on each other; for "t", "bootstrap", "z" and "stratified_z".
    alpha : float, default 0.05
        One minus the coverage.
    margin : float, default 0.0
        Smallest difference that matters; the intervals stay valid for the true ranks, but wider.
    degenerate : {"signflip", "reject", "retain"}, default "signflip"
        What to say of a difference that is the same on all `n` units and above the margin:
        ``p = 2**-n``, 0 or 1.
    missing : {"error", "drop-units"}, default "error"
        Refuse missing scores, or leave out units that lack one.
    clusters : sequence of labels, shape (unit,), optional
        Cluster of each unit of a frame; of responses, the task of each question by default.
    k_fwer : int, default 1
        Allow fewer than this many false rejections ("holm" and "bonferroni"); above 1, intervals
        no longer cover with probability 1 - `alpha`.
    trim : float, default 0.2
        Share that "yuen" cuts off at each end.
    resamples : int, default 10_000
        Resamples, or random sign patterns of "signflip".
    studentize : {"fixed", "resample"}, default "fixed"
        Divide resampled differences by the original standard errors, or by each resample's own,
        which takes longer and is cautious for few units.
    random_seed : int, Generator or SeedSequence, optional
        Seed of whatever is resampled.

    Returns
    -------
    xarray.Dataset
        On ``system``: ``rank``, ``rank_low``, ``rank_high``, ``score``, ``score_low``,
        ``score_high`` (an interval for each score on its own). On ``(system, system_bis)``:
        ``p_value`` of "system beats system_bis", ``p_adjusted`` and ``rejected`` in the families of
        ``system``, and ``p_adjusted_reverse`` and ``rejected_reverse`` for "system_bis beats
        system", again in the families of ``system``. Adjusted p-values are on the scale of `alpha`.
        Attributes say unit, population, test, family and all other choices.

    Raises
    ------
    ArgumentError
        For an option that is unknown, or does not go with the others or with the scores.
    InputError
        For missing or infinite scores, for fewer than two systems, or fewer than two units.

    Warns
    -----
    BayesrankWarning
        For fewer than five units, and for too few resamples to reject anything.

    References
    ----------
    .. [1] Al Mohamad, Goeman and van Zwet (2022). Simultaneous confidence intervals for ranks with
       application to ranking institutions. Biometrics 78, 238-247.
       https://doi.org/10.1111/biom.13419
    .. [2] Mogstad, Romano, Shaikh and Wilhelm (2024). Inference for ranks with applications to
       mobility across neighbourhoods and academic achievement across countries. Review of Economic
       Studies 91, 476-518. https://doi.org/10.1093/restud/rdad006
    .. [3] Neuhof and Benjamini (2024). Confident feature ranking. AISTATS 2024.
       https://proceedings.mlr.press/v238/neuhof24a.html

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesrank.frequentist import rank_intervals
    >>> accuracy = pd.DataFrame(
    ...     {
    ...         "a": [0.9, 0.8, 0.9, 0.7, 0.8, 0.9],
    ...         "b": [0.5, 0.4, 0.6, 0.3, 0.4, 0.4],
    ...         "c": [0.4, 0.5, 0.5, 0.3, 0.5, 0.4],
    ...     },
    ...     index=pd.Index(range(6), name="task"),
    ... )
    >>> intervals = rank_intervals(accuracy)
    >>> intervals["rank_low"].values.tolist(), intervals["rank_high"].values.tolist()
    ([1, 2, 2], [1, 3, 3])
    >>> intervals.attrs["population"]
    'tasks'
    """
    validate_choice(test, TESTS, name="test")
    validate_choice(coverage, COVERAGES, name="coverage")
    validate_choice(family, FAMILIES, name="family")
    validate_choice(adjust, ADJUSTS, name="adjust")
    validate_choice(degenerate, DEGENERATE, name="degenerate")
    validate_choice(missing, ("error", "drop-units"), name="missing")
    validate_choice(studentize, STUDENTIZE, name="studentize")
    alpha = validate_probability(alpha, name="alpha")
    k_fwer = validate_count(k_fwer, name="k_fwer")
    evidence = read_evidence(
        scores, unit=unit, task=task, test=test, missing=missing, clusters=clusters
    )
    if isinstance(evidence, Estimates) and test != "stratified_z":
        test = "z"
    pair_test = PairTest(
        name=test,
        margin=validate_finite(margin, name="margin", minimum=0.0),
        degenerate=degenerate,
        trim=trim,
        resamples=validate_count(resamples, name="resamples", minimum=99),
        studentize=studentize,
        resampled=adjust in RESAMPLED,
    )
    _check_resampling(evidence, pair_test, adjust=adjust, k_fwer=k_fwer)
    families = pair_families(len(evidence.systems), coverage=coverage, family=family)
    comparison = compare_pairs(evidence, pair_test, generator=as_generator(random_seed))
    adjusted, rejected = adjust_pairs(
        comparison, families, adjust=adjust, alpha=alpha, k_fwer=k_fwer
    )
    score, error, freedom = score_errors(evidence, pair_test)
    half = stats.t.isf(alpha / 2, freedom) * error
    dataset = interval_dataset(
        evidence.systems,
        score=score,
        score_low=score - half,
        score_high=score + half,
        p_values=comparison.p_values,
        families=families,
        adjusted=adjusted,
        rejected=rejected,
    )
    dataset.attrs = {
        "unit": evidence.unit,
        "population": evidence.population,
        "units": _unit_count(evidence),
        "dropped_units": evidence.dropped if isinstance(evidence, UnitScores) else 0,
        "test": test,
        "coverage": coverage,
        "family": "all ordered pairs" if coverage == "simultaneous" else family,
        "adjust": adjust,
        "alpha": alpha,
        "margin": pair_test.margin,
        "degenerate": degenerate,
        "k_fwer": k_fwer,
        "resamples": pair_test.resamples if _resamples(pair_test) else 0,
        "studentize": studentize if comparison.resampler is not None else "none",
        "task": "all" if task is None else task,
    }
    return dataset


def _check_resampling(
    evidence: UnitScores | Estimates, test: PairTest, *, adjust: Adjust, k_fwer: int
) -> None:
    if k_fwer > 1 and adjust in RESAMPLED:
        msg = f"k_fwer={k_fwer} goes with adjust='holm' or 'bonferroni', not {adjust!r}."
        raise ArgumentError(msg)
    unmatched = isinstance(evidence, UnitScores) and test.name in UNMATCHED
    if adjust in RESAMPLED and (test.name not in STUDENTISED or unmatched):
        msg = (
            f"adjust={adjust!r} resamples studentised mean differences of shared units, which "
            f"test={test.name!r} does not use; use test='t' or adjust='holm'."
        )
        raise ArgumentError(msg)
    if isinstance(evidence, Estimates) and test.studentize == "resample":
        msg = "studentize='resample' needs scores on units; estimates have fixed standard errors."
        raise ArgumentError(msg)


def _resamples(test: PairTest) -> bool:
    return test.resampled or test.name in ("bootstrap", "signflip")


def _unit_count(evidence: UnitScores | Estimates) -> int:
    return evidence.values.shape[1] if isinstance(evidence, UnitScores) else 0
