"""From a posterior to a ranking: the one public entry."""

from collections.abc import Sequence
from typing import Literal

from bayesrank._validate import validate_choice, validate_count, validate_probability
from bayesrank.exceptions import ArgumentError
from bayesrank.ranking._input import Posterior, as_part_scores, as_scores, select_systems
from bayesrank.ranking._summary import Options, Statistic, summarise
from bayesrank.ranking.result import Ranking
from bayesrank.typing import By

__all__ = ["rank"]

_BY = ("mean", "median", "expected_rank", "p_best", "kemeny")


def rank(
    posterior: Posterior,
    *,
    by: By = "mean",
    ci_prob: float = 0.95,
    ci_kind: Literal["eti", "hdi"] = "eti",
    top_k: int = 3,
    systems: Sequence[str] | None = None,
    part: str | None = None,
) -> Ranking:
    """Rank systems by a posterior over their scores.

    Parameters
    ----------
    posterior : DataTree, Dataset or DataArray
        A DataTree with the variable ``score`` in its group ``posterior``, a Dataset with that
        variable, or the scores themselves: dims (chain, draw, system), higher is better. The chain
        may be absent; systems without names are numbered.
    by : {"mean", "median", "expected_rank", "p_best", "kemeny"} or ("quantile", q), default "mean"
        What the order follows: the posterior mean, median or q-quantile of the score (a small q
        is a conservative score, or lower confidence bound), the expected rank, the probability of
        being best, or the order of least expected Kendall distance.
    ci_prob : float, default 0.95
        Probability of all intervals, and the threshold at which two systems are told apart.
    ci_kind : {"eti", "hdi"}, default "eti"
        Intervals of scores: with equal tails, or the shortest. Intervals of ranks have equal tails.
    top_k : int, default 3
        How many places "p_top_k" is about.
    systems : sequence of str, optional
        Rank only these, in this order of input, among themselves.
    part : str, optional
        Rank one part, such as a category, a task or a period, by the variable ``part_score`` of
        dims (chain, draw, part, system), where the posterior has it; by default, overall.

    Returns
    -------
    Ranking

    Raises
    ------
    InputError
        For a posterior without ``score``, without the dim ``system``, with other dims, with draws
        that are not finite, or with names that are empty or the same.
    ArgumentError
        For an argument out of range, or a system or part that is not there.

    References
    ----------
    .. [1] Salanti, Ades, Ioannidis (2011). Graphical methods and numerical summaries for presenting
       results from multiple-treatment meta-analysis (SUCRA). Journal of Clinical Epidemiology
       64(2). https://doi.org/10.1016/j.jclinepi.2010.03.016

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> import bayesrank
    >>> draws = np.random.default_rng(1).normal([0.0, 0.9, 0.5], 0.1, size=(4, 500, 3))
    >>> score = xr.DataArray(
    ...     draws, dims=("chain", "draw", "system"), coords={"system": ["a", "b", "c"]}
    ... )
    >>> bayesrank.rank(score).answer()
    'With probability 0.998, b is the best of 3 models.'
    """
    statistic, quantile = _parsed_by(by)
    scores, record = as_scores(posterior) if part is None else as_part_scores(posterior, part)
    options = Options(
        by=statistic,
        quantile=quantile,
        ci_prob=validate_probability(ci_prob, name="ci_prob"),
        ci_kind=validate_choice(ci_kind, ("eti", "hdi"), name="ci_kind"),
        top_k=validate_count(top_k, name="top_k"),
        independent=record.independent,
    )
    chosen = select_systems(scores, systems)
    dataset = summarise(chosen, options)
    if chosen.sizes["system"] < scores.sizes["system"]:
        dataset.attrs["selected_from"] = scores.sizes["system"]
    return Ranking(dataset=dataset, record=record, scores=chosen)


def _parsed_by(by: By) -> tuple[Statistic, float | None]:
    """Return what to sort by, and the quantile where it is one."""
    if isinstance(by, str):
        return validate_choice(by, _BY, name="by"), None
    match by:
        case ("quantile", q):
            return "quantile", validate_probability(q, name="q in by=('quantile', q)")
        case _:
            choices = ", ".join(repr(choice) for choice in _BY)
            msg = f"by={by!r} is not known; use one of {choices}, or ('quantile', q)."
            raise ArgumentError(msg)
