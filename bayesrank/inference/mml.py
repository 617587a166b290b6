"""Marginal maximum likelihood as a labelled dataset: the quick look at an item response model."""

from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtri

from bayesrank._validate import validate_choice, validate_probability
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods.item_response import ItemKind
from bayesrank.likelihoods.item_response_fit import ItemPriors
from bayesrank.likelihoods.mml import fit_mml
from bayesrank.likelihoods.mml_questions import fit_mml_questions

__all__ = ["mml"]


def mml(
    responses: Responses,
    *,
    kind: ItemKind = "rasch",
    integrate: Literal["systems", "questions"] = "systems",
    quantile: float | None = None,
    ability_sd: float | None = None,
    prior: ItemPriors | None = None,
    slope_sd: float | None = None,
    guessing: float = 0.0,
) -> xr.Dataset:
    r"""Estimate an item response model by marginal maximum likelihood.

    The quadrature follows the width of each posterior, and the climb goes on to convergence: the
    numbers do not depend on a grid. Uncertainty of what is estimated, rather than integrated out,
    is not in the posterior standard deviations; `bayesrank.sample` has it.

    Parameters
    ----------
    responses : Responses
        Binary counts of shape (system, question).
    kind : {"rasch", "2pl", "3pl", "3pl-fixed-guessing"}, default "rasch"
        Which of easiness, discrimination and guessing differ between questions.
    integrate : {"systems", "questions"}, default "systems"
        What is integrated out. "systems": abilities are :math:`N(0, 1)`, and ``ability`` is their
        posterior mean (EAP). "questions" (Rasch only): difficulties are normal about 0, and
        ``ability`` is the maximum, in logits.
    quantile : float, optional
        Also return this quantile of each ability, for a lower confidence bound.
    ability_sd : float, optional
        Standard deviation of abilities in logits in a Rasch model, where it is known.
    prior : ItemPriors, optional
        Bound and prior of free guessing.
    slope_sd : float, optional
        Standard deviation of a normal prior of discriminations around 1; flat by default.
    guessing : float, default 0
        Probability of success without knowing the answer, for ``kind="3pl-fixed-guessing"``.

    Returns
    -------
    Dataset
        ``ability``, ``ability_sd`` and on request ``ability_quantile`` of dims (system,);
        ``difficulty``, ``easiness``, ``discrimination`` and ``guessing`` of dims (question,), with
        logit of knowing the answer = discrimination x ability + easiness; ``log_likelihood``
        without binomial coefficients. Rasch discrimination with systems integrated out is the
        standard deviation of abilities in logits. With questions integrated out, ``difficulty_sd``
        are posterior standard deviations and ``difficulty_spread`` that of the population.

    Raises
    ------
    ArgumentError
        For options that do not go with each other.
    InputError
        Where a maximum is not finite; the message names who is to blame.

    References
    ----------
    .. [1] Bock, R. D. and Aitkin, M. (1981). Marginal maximum likelihood estimation of item
       parameters: application of an EM algorithm. Psychometrika 46(4), 443-459.
       https://doi.org/10.1007/BF02293801

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.simulate_responses(systems=4, questions=30, random_seed=1)
    >>> bayesrank.inference.mml(responses)["ability"].sizes["system"]
    4
    """
    validate_choice(integrate, ("systems", "questions"), name="integrate")
    q = None if quantile is None else validate_probability(quantile, name="quantile")
    variables: dict[str, Any]
    if integrate == "questions":
        if kind != "rasch" or ability_sd is not None or slope_sd is not None:
            msg = (
                "integrate='questions' integrates out difficulties that are alike: it is for "
                "kind='rasch' without ability_sd= or slope_sd=; use integrate='systems'."
            )
            raise ArgumentError(msg)
        found = fit_mml_questions(responses)
        difficulty = found.difficulty
        ones = np.ones(len(difficulty))
        variables = {
            "discrimination": ("question", ones),
            "easiness": ("question", -difficulty),
            "guessing": ("question", 0.0 * ones),
            "difficulty_sd": ("question", found.difficulty_sd),
            "difficulty_spread": found.spread,
        }
        at_quantile = None if q is None else _normal_quantile(found.ability, found.ability_sd, q)
    else:
        found = fit_mml(
            responses,
            kind=kind,
            ability_sd=ability_sd,
            prior=prior,
            slope_sd=slope_sd,
            guessing=guessing,
        )
        difficulty = found.difficulty
        variables = {
            "discrimination": ("question", found.discrimination),
            "easiness": ("question", found.easiness),
            "guessing": ("question", found.guessing),
        }
        at_quantile = None if q is None else found.quantile_of(q)
    variables |= {
        "ability": ("system", found.ability),
        "ability_sd": ("system", found.ability_sd),
        "difficulty": ("question", difficulty),
        "log_likelihood": found.log_likelihood,
    }
    if at_quantile is not None:
        variables["ability_quantile"] = ("system", at_quantile)
    attrs: dict[str, Any] = {
        "kind": kind,
        "integrate": integrate,
        "source": responses.source,
    }
    if q is not None:
        attrs["quantile"] = q
    return xr.Dataset(
        variables,
        {"system": list(responses.systems), "question": list(responses.questions)},
        attrs,
    )


def _normal_quantile(
    mean: NDArray[np.float64], sd: NDArray[np.float64], quantile: float
) -> NDArray[np.float64]:
    """Return a quantile of the normal distribution about each maximum."""
    return mean + sd * ndtri(quantile)
