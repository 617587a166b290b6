"""Bayes@N with auxiliary outcomes whose weight is learned: two means a model, no cells."""

from dataclasses import dataclass

import numpy as np
import pymc as pm
from numpy.typing import ArrayLike, NDArray

from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods import CommensuratePosterior
from bayesrank.likelihoods.commensurate import SLOPE_LOG_SD, SPREAD_SCALE
from bayesrank.likelihoods.unit_scores import Weighting
from bayesrank.models import _bayes_notes as notes
from bayesrank.models._attach import Attachment, attach
from bayesrank.models._resampling import Resampling, estimand, these_questions
from bayesrank.priors import EmpiricalPrior, LearnedWeight
from bayesrank.priors.learned import means_of
from bayesrank.typing import FloatArray


def learned_weight_model(
    responses: Responses,
    prior: EmpiricalPrior,
    *,
    weights: ArrayLike | None,
    weighting: Weighting,
) -> pm.Model:
    """Build the model in which the weight of auxiliary outcomes is a parameter like others."""
    if prior.alpha != 1.0:
        msg = (
            f"alpha={prior.alpha:g} is the Dirichlet beneath auxiliary outcomes of a given weight; "
            f"with weight='learned' there is none. Leave alpha out, or use weight='moments'."
        )
        raise ArgumentError(msg)
    w = responses.category_weights(weights)
    posterior = CommensuratePosterior(means_of(responses, prior, weights=w, weighting=weighting))
    model = _build(responses, posterior)
    means = posterior.means
    found = LearnedWeight(
        posterior.weight(),
        "learned",
        trial_sd=float(np.sqrt(means.trial_variance)),
        shift_sd=float(np.sqrt(means.excess_variance())),
    )
    sentences = notes.missing_cells(responses) + notes.learned(prior, responses, found, w)
    attach(
        model,
        Attachment(
            family="bayes-at-n",
            data=responses,
            trials=responses.n_trials.sum(axis=1),
            missing=responses.missing.sum(axis=1),
            prior=_in_words(posterior),
            estimand=estimand(responses, w, weighting, which=these_questions(responses)),
            populations=("trials",),
            settings={"weights": w.tolist(), "weighting": weighting, "prior": str(prior)},
            notes=sentences,
            large=("latent_score",),
            exact=_Exact(posterior),
            nuts={"target_accept": 0.95},  # spread and shift near 0 need small steps
            resampling=_resampling(responses, prior, found, w, weighting, sentences),
        ),
    )
    return model


def _build(responses: Responses, posterior: CommensuratePosterior) -> pm.Model:
    means = posterior.means
    middle, reach = (means.high + means.low) / 2.0, posterior.range
    data = {
        "sampled_mean_observed": means.sampled,
        "sampled_variance": means.sampled_variance,
        "auxiliary_mean_observed": means.auxiliary,
        "auxiliary_variance": means.auxiliary_variance,
    }
    with pm.Model(coords={"system": list(responses.systems)}) as model:
        a, v, g, u = (pm.Data(name, values, dims="system") for name, values in data.items())
        level = pm.Normal("level", mu=middle, sigma=reach)
        auxiliary_level = pm.Normal("auxiliary_level", mu=middle, sigma=reach)
        spread = pm.HalfNormal("spread", sigma=SPREAD_SCALE * reach)
        slope = pm.LogNormal("slope", mu=0.0, sigma=SLOPE_LOG_SD)
        shift_sd = pm.HalfCauchy("shift_sd", beta=posterior.shift_scale)
        latent = pm.Normal("latent_score", mu=level, sigma=spread, dims="system")
        pm.Normal("sampled_mean", mu=latent, sigma=pm.math.sqrt(v), observed=a, dims="system")
        pm.Normal(
            "auxiliary_mean",
            mu=auxiliary_level + slope * (latent - level),
            sigma=pm.math.sqrt(u + shift_sd**2),
            observed=g,
            dims="system",
        )
        # A normal does not know where scores end.
        pm.Deterministic("score", pm.math.clip(latent, means.low, means.high), dims="system")
        one_trial = pm.Data("trial_variance", means.trial_variance)
        decodes = pm.Data("decodes", means.decodes)
        weight = one_trial * slope / (pm.math.mean(u) + shift_sd**2) / decodes
        pm.Deterministic("weight", weight)
    return model


@dataclass(frozen=True, eq=False)
class _Exact:
    """Independent draws from the posterior, its hyperparameters from their grid."""

    posterior: CommensuratePosterior

    def __call__(
        self, n: int, *, rng: np.random.Generator, keep_probabilities: bool
    ) -> dict[str, FloatArray]:
        hyper = self.posterior.hyper_draws(n, random_seed=rng)
        latent = self.posterior.scores_of(hyper, random_seed=rng)
        means = self.posterior.means
        return {
            "score": np.clip(latent, means.low, means.high),
            "level": hyper.level,
            "auxiliary_level": hyper.auxiliary_level,
            "spread": hyper.spread,
            "slope": hyper.slope,
            "shift_sd": hyper.shift_sd,
            "weight": self.posterior.weights_of(hyper),
            **({"latent_score": latent} if keep_probabilities else {}),
        }


def _in_words(posterior: CommensuratePosterior) -> str:
    return (
        f"scores of models normal, mean and spread learned; auxiliary means follow them with slope "
        f"lognormal (sigma {SLOPE_LOG_SD:g}) and a shift of each model (sd half-Cauchy, scale "
        f"{posterior.shift_scale:.2g}), from which the weight of auxiliary outcomes follows"
    )


def _resampling(
    responses: Responses,
    prior: EmpiricalPrior,
    found: LearnedWeight,
    w: NDArray[np.float64],
    weighting: Weighting,
    sentences: tuple[str, ...],
) -> Resampling:
    return Resampling(
        responses,
        w,
        weighting,
        pseudo_counts=found.weight * prior.counts(responses),
        prior=f"auxiliary outcomes counted like trials (weight {found.weight:.3g}, learned)",
        notes=sentences,
    )
