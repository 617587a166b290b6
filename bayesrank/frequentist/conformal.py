"""Prediction intervals for the rank that a system will have on a new task."""

from typing import Any
from warnings import warn

import numpy as np
import xarray as xr

from bayesrank._validate import validate_probability
from bayesrank.data import Responses
from bayesrank.exceptions import BayesrankWarning
from bayesrank.frequentist.evidence import Estimates
from bayesrank.frequentist.reading import MissingUnits, read_evidence
from bayesrank.ranking.ranks import rank_bounds

__all__ = ["rank_prediction_intervals"]


def rank_prediction_intervals(
    scores: Any, *, unit: str | None = None, alpha: float = 0.05, missing: MissingUnits = "error"
) -> xr.Dataset:
    r"""Predict the rank of each system on one more unit of the same kind.

    If the new unit is exchangeable with the `n` seen ones, a system's rank on it lies between the
    order statistics :math:`\lfloor (n+1) \alpha/2 \rfloor` and
    :math:`\lceil (n+1)(1-\alpha/2) \rceil` of its ranks so far with probability at least
    :math:`1 - \alpha`, whatever the distribution. The whole set of ranks of a tie is covered.

    Parameters
    ----------
    scores : data frame or Responses
        A frame or array of units x systems, or responses with a `unit`.
    unit : {"task", "question", "prompt", "observation"}, optional
        What the new unit is; "task" for responses by default.
    alpha : float, default 0.05
        One minus the coverage.
    missing : {"error", "drop-units"}, default "error"
        Refuse missing scores, or leave out units that lack one.

    Returns
    -------
    xarray.Dataset
        On ``system``: ``rank_low``, ``rank_high`` and ``rank_median`` over the seen units.

    Raises
    ------
    ArgumentError
        For an unknown unit, or `alpha` outside (0, 1).
    InputError
        For missing scores, fewer than two systems or two units.

    Warns
    -----
    BayesrankWarning
        For too few units to say anything: fewer than 2 / `alpha` - 1.

    References
    ----------
    .. [1] Vovk, Gammerman and Shafer (2005). Algorithmic Learning in a Random World. Springer.
       https://doi.org/10.1007/b106715

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.frequentist import rank_prediction_intervals
    >>> scores = np.array([[3.0, 2, 1]] * 9 + [[1.0, 2, 3]] * 10)
    >>> rank_prediction_intervals(scores, alpha=0.1)["rank_high"].values.tolist()
    [3, 2, 3]
    """
    alpha = validate_probability(alpha, name="alpha")
    if unit is None and isinstance(scores, Responses):
        unit = "task"
    evidence = read_evidence(
        scores, unit=unit, task=None, test="wilcoxon", missing=missing, clusters=None
    )
    assert not isinstance(evidence, Estimates)
    best, worst = rank_bounds(evidence.values, axis=0)
    n_systems, n = evidence.values.shape
    lower = int(np.floor((n + 1) * (alpha / 2) + _ROUNDING))
    # The same as ceil((n + 1) (1 - alpha / 2)), without a second rounding.
    upper = n + 1 - lower
    if lower == 0:
        msg = (
            f"{n} units ({evidence.unit}) say nothing at alpha={alpha:g}: every rank is possible. "
            f"At least {int(np.ceil(2 / alpha)) - 1} units are needed."
        )
        warn(msg, BayesrankWarning, stacklevel=2)
        low, high = np.ones(n_systems, dtype=np.int64), np.full(n_systems, n_systems)
    else:
        low = np.partition(best, lower - 1, axis=1)[:, lower - 1]
        high = np.partition(worst, upper - 1, axis=1)[:, upper - 1]
    return xr.Dataset(
        {
            "rank_low": ("system", low),
            "rank_high": ("system", high),
            "rank_median": ("system", np.median((best + worst) / 2, axis=1)),
        },
        coords={"system": list(evidence.systems)},
        attrs={
            "unit": evidence.unit,
            "population": evidence.population,
            "units": n,
            "dropped_units": evidence.dropped,
            "coverage": f"the rank on one new {evidence.unit}, each model on its own",
            "method": "conformal order statistics",
            "alpha": alpha,
        },
    )


# (n + 1) a / 2 is meant exactly: for n = 19 and a = 1 - .9 it is 1, and not the .9999... of floats.
_ROUNDING = 1e-9
