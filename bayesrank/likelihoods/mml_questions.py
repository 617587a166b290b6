r"""Rasch abilities at the marginal maximum, with difficulties integrated out.

The same likelihood as with abilities integrated out, seen from the other side: a question of
difficulty :math:`b \sim N(0, \sigma)` "succeeds" where a system fails.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from bayesrank._text import listed
from bayesrank.data import Responses
from bayesrank.exceptions import InputError
from bayesrank.likelihoods.item_response import cell_counts
from bayesrank.likelihoods.mml import fit_mml
from bayesrank.likelihoods.mml_problem import Grouped, Items, MarginalProblem

__all__ = ["QuestionsFit", "fit_mml_questions"]

type Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class QuestionsFit:
    """Abilities at the marginal maximum, and the posterior of each difficulty there.

    Attributes
    ----------
    systems, questions : tuple of str
        Their names.
    ability, ability_sd : ndarray, shape (system,)
        Logits against the mean difficulty of questions like these, and standard errors.
    difficulty, difficulty_sd : ndarray, shape (question,)
        Posterior means and standard deviations, in logits.
    spread : float
        Standard deviation of difficulties.
    log_likelihood : float
        Marginal, without binomial coefficients.
    """

    systems: tuple[str, ...]
    questions: tuple[str, ...]
    ability: Floats
    ability_sd: Floats
    difficulty: Floats
    difficulty_sd: Floats
    spread: float
    log_likelihood: float


def fit_mml_questions(data: Responses | tuple[Floats, Floats]) -> QuestionsFit:
    """Maximise the marginal likelihood of abilities, difficulties being normal.

    Parameters
    ----------
    data : Responses, or tuple of successes and trials
        Arrays are of shape (system, question), and may hold expected or weighted counts.

    Returns
    -------
    QuestionsFit

    Raises
    ------
    InputError
        For systems that were always right or always wrong: their ability is not bounded.

    References
    ----------
    .. [1] De Boeck, P. (2008). Random item IRT models. Psychometrika 73(4), 533-559.
       https://doi.org/10.1007/s11336-008-9092-x

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods import fit_mml_questions
    >>> fit = fit_mml_questions(Responses.from_counts([[3, 7], [5, 9]], 10))
    >>> float(fit.ability[1].round(2)), round(fit.spread, 2)
    (0.98, 0.82)
    """
    k, n, systems, questions, source = cell_counts(data)
    for extreme, what in (
        ((n - k).sum(axis=1) <= 0.0, "correct"),
        (k.sum(axis=1) <= 0.0, "wrong"),
    ):
        if extreme.any():
            names = [systems[i] for i in np.flatnonzero(extreme)]
            msg = (
                f"{source}: model {listed(names)} was always {what}, so its ability is not "
                f"bounded; integrate='systems' gives every ability a distribution."
            )
            raise InputError(msg)
    seen = n.sum(axis=0) > 0.0
    turned = ((n - k)[:, seen].T, n[:, seen].T)
    fit = fit_mml(turned)
    spread = float(fit.discrimination[0])
    difficulty, difficulty_sd = np.zeros(len(questions)), np.full(len(questions), spread)
    difficulty[seen], difficulty_sd[seen] = spread * fit.ability, spread * fit.ability_sd
    problem = MarginalProblem(Grouped.of(*turned, by_sum=True), common_slope=True)
    items = Items(fit.easiness, np.array([spread]), np.zeros(0))
    problem.nodes = problem.place_nodes(items, reach=8.0)
    covariance = np.linalg.inv(observed_information(problem, items))
    return QuestionsFit(
        systems=systems,
        questions=questions,
        ability=-fit.easiness,
        ability_sd=np.sqrt(np.diag(covariance)[:-1]),
        difficulty=difficulty,
        difficulty_sd=difficulty_sd,
        spread=spread,
        log_likelihood=fit.log_likelihood,
    )


def observed_information(problem: MarginalProblem, items: Items) -> Floats:
    """Return negative second derivatives in easiness and the common slope (Louis 1982).

    They are the complete-data information less the variance of the complete-data score.
    """
    data, x = problem.data, problem.nodes.x
    _, p = problem.posterior(items, problem.nodes)
    s = expit(items.easiness[:, None] + items.slope * x)
    weighted = p * data.repeats[:, None]
    J = len(s)
    H = np.zeros((J + 1, J + 1))
    means = p @ s.T * data.n[data.pattern]
    for u, trials in enumerate(data.n):
        of_pattern = weighted[data.pattern == u].sum(axis=0)
        v = s * trials[:, None]
        H[:J, :J] -= (v * of_pattern) @ v.T
        information = (v * (1.0 - s)) * of_pattern
        H[np.arange(J), np.arange(J)] += information.sum(axis=1)
        H[:J, J] += information @ x
        H[J, J] += float((information @ (x * x)).sum())
    H[:J, :J] += (means * data.repeats[:, None]).T @ means
    slope_score = x * (data.k.sum(axis=1)[:, None] - (data.n @ s)[data.pattern])
    average = (p * slope_score).sum(axis=1)
    both = data.n[data.pattern] * ((weighted * slope_score) @ s.T)
    H[:J, J] += both.sum(axis=0) - (means * (data.repeats * average)[:, None]).sum(axis=0)
    H[J, J] -= float((weighted * slope_score**2).sum() - data.repeats @ average**2)
    H[J, :J] = H[:J, J]
    return H
