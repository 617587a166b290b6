"""How far the tasks of a leaderboard agree on the order of the models."""

import numpy as np

from bayesrank.exceptions import InputError
from bayesrank.ranking import rank_scores
from bayesrank.robustness._scores import Scores, as_score_matrix

__all__ = ["kendall_w"]


def kendall_w(scores: Scores) -> float:
    r"""Return Kendall's coefficient of concordance of the tasks, corrected for ties.

    Parameters
    ----------
    scores : DataFrame, DataArray, Responses or array_like, shape (system, task)
        As in `training_robustness`; each task ranks the models.

    Returns
    -------
    float
        1 where all tasks order the models alike, 0 where their ranks cancel out.

    Raises
    ------
    InputError
        For missing scores, fewer than two models or tasks, or where every task ties all models.

    Notes
    -----
    With n models, m tasks, S the sum of squares of the models' rank sums about their mean and
    ties of sizes t in each task, :math:`W = 12 S / (m^2 (n^3 - n) - m \sum (t^3 - t))`.

    References
    ----------
    .. [1] Kendall, M. G. and Babington Smith, B. (1939). The problem of m rankings. Annals of
       Mathematical Statistics 10(3), 275-287. https://doi.org/10.1214/aoms/1177732186

    Examples
    --------
    >>> from bayesrank.robustness import kendall_w
    >>> kendall_w([[3, 30], [2, 20], [1, 10]])
    1.0
    >>> kendall_w([[3, 1], [2, 2], [1, 3]])
    0.0
    """
    matrix = as_score_matrix(scores)
    n, m = matrix.scores.shape
    ranks = rank_scores(matrix.scores, method="average", axis=0)
    sums = ranks.sum(axis=1)
    spread = float(((sums - sums.mean()) ** 2).sum())
    ties = sum(
        float((sizes**3 - sizes).sum())
        for sizes in (np.unique(column, return_counts=True)[1].astype(float) for column in ranks.T)
    )
    most = m**2 * (n**3 - n) - m * ties
    if most <= 0:
        msg = "every task ties all models: there is no order to agree on."
        raise InputError(msg)
    return 12.0 * spread / most
