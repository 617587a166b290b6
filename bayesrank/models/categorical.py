"""Categories, partially pooled: what a model's questions have in common, and what models have."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods._cell_sums import DistinctCells
from bayesrank.likelihoods.unit_scores import Weighting, question_shares
from bayesrank.models import _bayes_notes as notes
from bayesrank.models._attach import Attachment, View, attach
from bayesrank.models._category_counts import observe_categories
from bayesrank.models._resampling import estimand, these_questions
from bayesrank.models._sticks import create_probabilities
from bayesrank.priors import Prior
from bayesrank.typing import FloatArray

__all__ = ["categorical"]

PRIORS = {
    "composition": Prior("Dirichlet", a=1.0),
    "agreement": Prior("LogNormal", mu=float(np.log(10.0)), sigma=1.0),
    "concentration": Prior(
        "LogNormal", mu=Prior("Normal", mu=float(np.log(10.0)), sigma=1.4), sigma=0.5
    ),
}


def categorical(
    responses: Responses,
    weights: ArrayLike | None = None,
    *,
    weighting: Weighting = "question",
    prior: Mapping[str, Prior] | None = None,
) -> pm.Model:
    r"""Build the hierarchical Dirichlet-multinomial model, pooled over questions and models.

    The category probabilities of a model vary from question to question by a Dirichlet around
    a mean of its own, :math:`p_{lm} \sim \mathrm{Dirichlet}(\kappa_l \phi_l)`, and the means of
    models vary around a composition of all. The probabilities of cells are integrated out, so that
    the cost does not depend on the number of questions. Categories of equal weight can be merged
    without changing the score, where a prior for each cell alone cannot.

    Parameters
    ----------
    responses : Responses
        Counts of shape (system, question, category).
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    weighting : {"question", "task"}, default "question"
        What counts the same in the score: every question, or every task. With "task" there is only
        the population "trials": the model knows no tasks.
    prior : mapping of str to Prior, optional
        Priors of ``composition`` (a Dirichlet: the mean of models), ``agreement`` (its
        concentration: how alike models are) and ``concentration`` (how alike the questions of each
        model are; parameters that are priors are shared by models). The others keep their defaults.

    Returns
    -------
    pymc.Model
        Coordinates ``system``, ``question``, ``category``; ``probability_mean`` of dims (system,
        category) and ``probability_concentration`` of dims (system,). Populations: "questions"
        (``score``, the weights times ``probability_mean``) and "trials" (``score_trials``, the mean
        over the questions a model was observed on, drawn given the rest).

    Raises
    ------
    ArgumentError
        For weights that do not fit, or a prior that the model does not have.
    InputError
        For ``weighting="task"`` without tasks.

    References
    ----------
    .. [1] Mosimann, J. E. (1962). On the compound multinomial distribution, the multivariate
       beta-distribution, and correlations among proportions. Biometrika 49(1-2), 65-82.
       https://doi.org/10.1093/biomet/49.1-2.65
    .. [2] Gelman, A. et al. (2013). Bayesian Data Analysis, 3rd edition, chapter 5. CRC Press.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.Responses.from_array([[[0, 2, 1], [1, 1, 2]], [[0, 0, 1], [2, 1, 0]]])
    >>> model = bayesrank.models.categorical(responses, [0, 0.25, 1])
    >>> model.named_vars_to_dims["probability_mean"]
    ('system', 'category')
    """
    w = responses.category_weights(weights)
    share = question_shares(responses, weighting=weighting)
    priors = _priors(prior)
    alpha = _composition(priors["composition"], responses.n_categories)
    coords = {
        "system": list(responses.systems),
        "question": list(responses.questions),
        "category": np.arange(responses.n_categories),
    }
    with pm.Model(coords=coords) as model:
        pm.Data("category_weights", w, dims="category")
        base: Any = pm.Data("composition_concentration", alpha, dims="category")
        composition: Any = pm.Dirichlet("composition", a=base, dims="category")
        agreement: Any = priors["agreement"].create_variable("agreement")
        # One pseudo-question beside the composition: a category that nobody used would otherwise
        # have a concentration near 0, and its logarithm no scale.
        around = agreement * composition + base / base.sum()
        mean = create_probabilities("probability_mean", around, responses.counts)
        concentration = priors["concentration"].create_variable(
            "probability_concentration", dims="system"
        )
        observe_categories(responses, mean, concentration)
        pm.Deterministic("score", (mean * model["category_weights"]).sum(axis=1), dims="system")
    views = _views(responses, w, weighting)
    default = next(iter(views))
    attach(
        model,
        Attachment(
            family="categorical",
            data=responses,
            trials=responses.n_trials.sum(axis=1),
            missing=responses.missing.sum(axis=1),
            prior="; ".join(f"{name} {p}" for name, p in priors.items()),
            estimand=views[default].estimand,
            populations=tuple(views),
            settings={
                "weights": w.tolist(),
                "weighting": weighting,
                "prior": {name: p.to_dict() for name, p in priors.items()},
            },
            notes=_notes(responses),
            nuts={"target_accept": 0.95},
            views=views,
            caveats=_caveats(responses),
            completion=_Cells(responses, w, share),
        ),
    )
    return model


def _priors(given: Mapping[str, Prior] | None) -> dict[str, Prior]:
    known = dict(PRIORS)
    for name, chosen in (given or {}).items():
        if name not in known:
            msg = (
                f"no parameter {quoted(str(name))} takes a prior here; categorical has "
                f"{', '.join(known)}.{did_you_mean(str(name), known)}"
            )
            raise ArgumentError(msg)
        known[name] = chosen
    return known


def _composition(prior: Prior, n_categories: int) -> FloatArray:
    """Return the concentration of each category in the prior of the composition."""
    if prior.distribution != "Dirichlet" or not prior.is_fixed:
        msg = f"prior={prior} of the composition must be a Dirichlet of numbers."
        raise ArgumentError(msg)
    alpha = np.asarray(dict(prior.parameters).get("a", 1.0), dtype=np.float64)
    if alpha.shape not in ((), (n_categories,)) or not (alpha > 0).all():
        msg = (
            f"prior={prior} needs one positive number, or one for each of {n_categories} "
            f"categories."
        )
        raise ArgumentError(msg)
    return np.broadcast_to(alpha, n_categories).copy()


def _views(responses: Responses, w: NDArray[np.float64], weighting: Weighting) -> dict[str, View]:
    here = estimand(responses, w, weighting, which=these_questions(responses))
    trials = {"trials": View("score_trials", here)}
    if weighting == "task":
        return trials
    new = estimand(responses, w, weighting, which="new questions like these")
    return {"questions": View("score", new), **trials}


def _notes(responses: Responses) -> tuple[str, ...]:
    unused = int((responses.counts.sum(axis=(0, 1)) == 0).sum())
    if not unused:
        return ()
    what = "1 category was" if unused == 1 else f"{unused} categories were"
    keeps = "keeps its" if unused == 1 else "keep their"
    return (f"{what} never observed, and {keeps} prior.",)


def _caveats(responses: Responses) -> dict[str, str]:
    """Return what has to be said under one population only."""
    here = list(notes.missing_cells(responses))
    if (responses.n_trials <= 1).all():
        here.append(
            "With one trial a question, how questions differ is known from the prior only, "
            "which takes them to be rather alike: these intervals are conservative."
        )
    new = (
        "Questions are taken to be other ones for each model, so that differences between models "
        "are less uncertain than they seem: bayes_at_n with the population 'questions' pairs them."
    )
    found = {"questions": new} if len(responses.systems) > 1 else {}
    return {**found, "trials": " ".join(here)} if here else found


@dataclass(frozen=True, eq=False)
class _Cells:
    """Draws the score on these questions, given the mean and concentration of each model."""

    responses: Responses
    weights: FloatArray
    share: FloatArray

    def __call__(self, posterior: xr.Dataset, *, rng: np.random.Generator) -> xr.Dataset:
        dims = ("chain", "draw", "system")
        mean = posterior["probability_mean"].transpose(*dims, "category").to_numpy()
        concentration = posterior["probability_concentration"].transpose(*dims).to_numpy()
        score = np.empty(concentration.shape)
        for i, counts in enumerate(self.responses.counts):
            cells = DistinctCells.of(counts, self.share[i], self.weights)
            found = cells.scores(
                mean[:, :, i].reshape(-1, mean.shape[-1]), concentration[:, :, i].ravel(), rng=rng
            )
            score[:, :, i] = found.reshape(score.shape[:2])
        return posterior.assign(score_trials=(dims, score))
