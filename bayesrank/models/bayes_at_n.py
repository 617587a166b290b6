"""Bayes@N: independent outcome probabilities per model and question, and their mean score."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
import pymc as pm
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, BayesrankWarning
from bayesrank.likelihoods import DirichletPosterior, dirichlet_posterior, pooled_posterior
from bayesrank.likelihoods.unit_scores import Weighting, question_shares
from bayesrank.models import _bayes_notes as notes
from bayesrank.models._attach import Attachment, ExactSampler, attach
from bayesrank.models._commensurate import learned_weight_model
from bayesrank.models._pooled import Pooled, PooledExact, by_name, require_binary
from bayesrank.models._pooled import notes as pooled_notes
from bayesrank.models._resampling import Resampling, estimand, these_questions
from bayesrank.priors import EmpiricalPrior, Prior, learned_weight
from bayesrank.typing import FloatArray

__all__ = ["bayes_at_n"]

type ProbabilityPrior = (
    Literal["uniform", "pooled"] | Prior | EmpiricalPrior | Mapping[str, Prior | EmpiricalPrior]
)
type _Chosen = Prior | EmpiricalPrior | Pooled


def bayes_at_n(
    responses: Responses,
    *,
    weights: ArrayLike | None = None,
    weighting: Weighting = "question",
    prior: ProbabilityPrior | None = None,
) -> pm.Model:
    r"""Build the Bayes@N model: every model and question has outcome probabilities of its own.

    Binary outcomes are Beta-binomial and categorical ones Dirichlet-multinomial, on counts. A
    model's ``score`` is the mean over the questions it was observed on of the expected weight of
    a new trial. The posterior is known in closed form, and `bayesrank.sample` draws from that.

    Parameters
    ----------
    responses : Responses
        Counts of shape (system, question, category).
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    weighting : {"question", "task"}, default "question"
        What counts the same in the score: every question, or every task.
    prior : {"uniform", "pooled"}, Prior, EmpiricalPrior or mapping, optional
        Prior of ``probability``, "uniform" by default. "pooled" learns one Beta for each model
        from all its questions: its intervals cover where those of the uniform prior do not (binary
        outcomes). Or ``Prior("Dirichlet", a=...)`` with one number
        or one per category, ``Prior("Beta", alpha=..., beta=...)`` for binary outcomes, or
        auxiliary outcomes as an `EmpiricalPrior`; or any of these as ``{"probability": ...}``.
        Parameters that are priors themselves are learned from the data, by NUTS. What auxiliary
        outcomes count is learned with ``EmpiricalPrior(..., weight="learned")``, in a model of the
        two mean scores of each model, or plugged in with ``weight="moments"``.

    Returns
    -------
    pymc.Model
        Coordinates ``system``, ``question``, ``category``; ``probability`` of dims (system,
        question), or (system, question, category) beyond two categories; ``score`` of dims
        (system,). All data are `pymc.Data`. It can be extended inside ``with model:``.

    Raises
    ------
    ArgumentError
        For a prior that is none of these, or weights that do not fit.
    InputError
        For auxiliary outcomes that do not match the data.

    Warns
    -----
    BayesrankWarning
        Where the models' own auxiliary outcomes order them differently from the trials.

    References
    ----------
    .. [1] Hariri, M., Samandar, A., Hinczewski, M. and Chaudhary, V. (2025). Don't Pass@k: A
       Bayesian framework for large language model evaluation. arXiv:2510.04265.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.Responses.from_counts([[3, 7], [5, 9]], 10, systems=["a", "b"])
    >>> model = bayesrank.models.bayes_at_n(responses)
    >>> model.named_vars_to_dims["score"]
    ('system',)
    """
    w = responses.category_weights(weights)
    chosen = _checked(prior, responses)
    more: tuple[str, ...] = ()
    if isinstance(chosen, EmpiricalPrior) and chosen.weight == "learned":
        return learned_weight_model(responses, chosen, weights=weights, weighting=weighting)
    if isinstance(chosen, EmpiricalPrior) and isinstance(chosen.weight, str):
        found = learned_weight(
            responses, chosen, method=chosen.weight, weights=w, weighting=weighting
        )
        more = notes.learned(chosen, responses, found, w)
        chosen = chosen.with_weight(found.weight)
    alpha = _concentration(chosen, responses)
    shares = question_shares(responses, weighting=weighting)
    with pm.Model(coords=_coords(responses)) as model:
        pm.Data("category_weights", w, dims="category")
        if responses.n_categories == 2:
            expected = _binary(responses, chosen, alpha)
        else:
            expected = _categorical(responses, chosen, alpha)
        share = pm.Data("question_share", shares, dims=("system", "question"))
        pm.Deterministic("score", (share * expected).sum(axis=1), dims="system")
    sentences, warning = _notes(chosen, responses, weights, alpha, w, learned=more)
    if warning is not None:
        warnings.warn(warning, BayesrankWarning, stacklevel=2)
    attach(
        model,
        Attachment(
            family="bayes-at-n",
            data=responses,
            trials=responses.n_trials.sum(axis=1),
            missing=responses.missing.sum(axis=1),
            prior=_in_words(chosen, responses.n_categories),
            estimand=estimand(responses, w, weighting, which=these_questions(responses)),
            populations=("trials",),
            settings={"weights": w.tolist(), "weighting": weighting, "prior": str(chosen)},
            notes=sentences,
            large=("probability",),
            exact=_exact(responses, chosen, alpha, w, weighting),
            resampling=_resampling(responses, chosen, w, weighting, learned=more),
        ),
    )
    return model


def _coords(responses: Responses) -> dict[str, object]:
    return {
        "system": list(responses.systems),
        "question": list(responses.questions),
        "category": np.arange(responses.n_categories),
    }


def _binary(responses: Responses, prior: _Chosen, alpha: NDArray[np.float64] | None) -> Any:
    """Return the expected weight of each cell, shape (system, question)."""
    dims = ("system", "question")
    w = pm.modelcontext(None)["category_weights"]
    if alpha is not None:
        a: Any = pm.Data("prior_concentration", alpha, dims=(*dims, "category"))
        probability = pm.Beta("probability", alpha=a[:, :, 1], beta=a[:, :, 0], dims=dims)
    elif isinstance(prior, Pooled):
        probability = prior.create_variable()
    elif (common := _learned_concentration(prior)) is not None:
        probability = pm.Beta("probability", alpha=common, beta=common, dims=dims)
    else:
        probability = cast("Prior", prior).create_variable("probability", dims=dims)
    n = pm.Data("n_trials", responses.n_trials, dims=dims)
    k = pm.Data("n_correct_observed", responses.successes, dims=dims)
    pm.Binomial("n_correct", n=n, p=probability, observed=k, dims=dims)
    return w[0] + (w[1] - w[0]) * probability


def _categorical(responses: Responses, prior: _Chosen, alpha: NDArray[np.float64] | None) -> Any:
    """Return the expected weight of each cell, shape (system, question)."""
    dims = ("system", "question", "category")
    w = pm.modelcontext(None)["category_weights"]
    if alpha is not None:
        a = pm.Data("prior_concentration", alpha, dims=dims)
    else:
        a = _learned_concentration(prior) * np.ones(responses.counts.shape)
    probability = pm.Dirichlet("probability", a=a, dims=dims)
    n = pm.Data("n_trials", responses.n_trials, dims=dims[:2])
    counts = pm.Data("counts_observed", responses.counts, dims=dims)
    pm.Multinomial("counts", n=n, p=probability, observed=counts, dims=dims)
    return (w * probability).sum(axis=-1)


def _learned_concentration(prior: _Chosen) -> Any:
    """Return the one concentration that all categories share, where it has a prior of its own."""
    value = dict(cast("Prior", prior).parameters).get("a")
    return value.create_variable("probability_a") if isinstance(value, Prior) else None


# ---------------------------------------------------------------- the prior


def _checked(prior: ProbabilityPrior | None, responses: Responses) -> _Chosen:
    n_categories = responses.n_categories
    if isinstance(prior, str):
        if (named := by_name(prior)) is not None:
            require_binary(responses)
            return named
        prior = None
    if prior is None:
        return Prior("Dirichlet", a=1.0)
    if isinstance(prior, Mapping):
        for name in prior:
            if name != "probability":
                msg = (
                    f"no parameter {quoted(str(name))} takes a prior here; "
                    f"bayes_at_n has 'probability'.{did_you_mean(str(name), ['probability'])}"
                )
                raise ArgumentError(msg)
        return _checked(prior.get("probability"), responses)
    if isinstance(prior, EmpiricalPrior):
        return prior
    allowed = ("Beta", "Dirichlet") if n_categories == 2 else ("Dirichlet",)
    if getattr(prior, "distribution", None) not in allowed:
        msg = (
            f"prior={prior} cannot be used for outcomes of {n_categories} categories; use a Prior "
            f"{' or '.join(allowed)}, or an EmpiricalPrior."
        )
        raise ArgumentError(msg)
    return prior


def _concentration(prior: _Chosen, responses: Responses) -> NDArray[np.float64] | None:
    """Return Dirichlet concentrations per cell and category; None where they are learned."""
    shape = responses.counts.shape
    if isinstance(prior, EmpiricalPrior):
        return np.broadcast_to(prior.alpha + prior.pseudo_counts(responses), shape)
    if isinstance(prior, Pooled) or not prior.is_fixed:
        return None
    parameters = dict(prior.parameters)
    if prior.distribution == "Beta":
        if set(parameters) != {"alpha", "beta"}:
            msg = f"prior={prior} needs both alpha (successes) and beta (failures)."
            raise ArgumentError(msg)
        values = [parameters["beta"], parameters["alpha"]]
    else:
        values = parameters.get("a", 1.0)
    alpha = np.asarray(values, dtype=np.float64)
    if alpha.shape not in ((), shape[2:]) or not (alpha > 0).all():
        msg = f"prior={prior} needs one positive number, or one for each of {shape[2]} categories."
        raise ArgumentError(msg)
    return np.broadcast_to(alpha, shape)


def _notes(
    prior: _Chosen,
    responses: Responses,
    weights: ArrayLike | None,
    alpha: NDArray[np.float64] | None,
    w: NDArray[np.float64],
    *,
    learned: tuple[str, ...],
) -> tuple[tuple[str, ...], str | None]:
    sentences = notes.missing_cells(responses)
    warning = None
    if learned:
        sentences += learned
    elif isinstance(prior, EmpiricalPrior):
        more, warning = notes.empirical(prior, responses, weights)
        sentences += more
    elif isinstance(prior, Pooled):
        sentences += pooled_notes(responses)
    elif alpha is not None:
        total = float(alpha[0, 0].sum())
        sentences += notes.shrinkage(responses, total, float(alpha[0, 0] @ w / total))
        sentences += notes.order(responses)
    return sentences, warning


def _in_words(prior: _Chosen, n_categories: int) -> str:
    if isinstance(prior, EmpiricalPrior | Pooled):
        return str(prior)
    if prior == Prior("Dirichlet", a=1.0):
        return f"uniform on the probabilities of {n_categories} outcomes, Dirichlet(1)"
    return f"{prior} on the outcome probabilities"


def _resampling(
    responses: Responses,
    prior: _Chosen,
    w: NDArray[np.float64],
    weighting: Weighting,
    *,
    learned: tuple[str, ...],
) -> Resampling:
    """Return how to resample observed scores: auxiliary outcomes count, the rest of a prior not."""
    if not isinstance(prior, EmpiricalPrior):
        return Resampling(responses, w, weighting)
    return Resampling(
        responses,
        w,
        weighting,
        pseudo_counts=prior.pseudo_counts(responses),
        prior=(
            f"auxiliary outcomes counted like trials (weight {prior.weight:.3g}); the Dirichlet "
            f"beneath them plays no role where observed scores are resampled"
        ),
        notes=learned or notes.empirical(prior, responses, w)[0],
    )


# ---------------------------------------------------------------- the exact posterior


def _exact(
    responses: Responses,
    prior: _Chosen,
    alpha: NDArray[np.float64] | None,
    w: NDArray[np.float64],
    weighting: Weighting,
) -> ExactSampler | None:
    if isinstance(prior, Pooled):
        return PooledExact(pooled_posterior(responses, weighting=weighting), w)
    if alpha is None:
        return None
    return _Exact(
        dirichlet_posterior(responses, weights=w, concentration=alpha, weighting=weighting)
    )


@dataclass(frozen=True, eq=False)
class _Exact:
    posterior: DirichletPosterior

    def __call__(
        self, n: int, *, rng: np.random.Generator, keep_probabilities: bool
    ) -> dict[str, FloatArray]:
        if not keep_probabilities:
            return {"score": self.posterior.draws(n, random_seed=rng)}
        probability = self.posterior.probability_draws(n, random_seed=rng)
        score = self.posterior.scores_of(probability)
        binary = probability.shape[-1] == 2
        return {"score": score, "probability": probability[..., 1] if binary else probability}
