"""What a posterior of one study is worth as a prior in another."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import xarray as xr

from bayesrank._text import listed
from bayesrank._validate import validate_choice, validate_finite
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.priors import Prior
from bayesrank.ranking._input import as_scores, names_of, select_systems

__all__ = ["anchors_from_posterior"]

# No log-odds are beyond: Elo points, ranks and sums are.
_LARGEST = 50.0


def anchors_from_posterior(
    posterior: xr.DataTree | xr.Dataset | xr.DataArray,
    *,
    scale: Literal["log_odds", "probability"] = "log_odds",
    slope: float = 1.0,
    inflate: float = 1.0,
    systems: Sequence[str] | None = None,
) -> dict[str, Prior]:
    r"""Turn a posterior over scores into priors of strengths, for the models that it knows.

    A small benchmark that all models took is a prior for an arena in which few have met. In each
    draw scores are taken against their mean over these models. Model :math:`l` then gets the prior
    :math:`\mathrm{Normal}(b\,m_l,\ c\,b\,d_l)` with :math:`m` and :math:`d` the mean and standard
    deviation over the draws, :math:`b` the `slope` and :math:`c` the inflation.

    Parameters
    ----------
    posterior : DataTree, Dataset or DataArray
        With scores of dims (chain, draw, system), such as `bayesrank.sample` gives.
    scale : {"log_odds", "probability"}, default "log_odds"
        What the scores are. Of probabilities, such as accuracies, log-odds are taken.
    slope : float, default 1.0
        How many log-odds of winning a comparison one log-odd of the score is worth. Nothing in the
        posterior says so: 1 is a convention, not a finding.
    inflate : float, default 1.0
        What standard deviations are multiplied by. Above 1 the prior says that the benchmark and
        the arena do not ask for quite the same.
    systems : sequence of str, optional
        Only these models, relative to each other; by default all.

    Returns
    -------
    dict of str to Prior
        For ``models.bradley_terry(..., anchors=...)``. Correlations between models are left out.

    Raises
    ------
    InputError
        For a posterior without scores, probabilities outside 0 to 1, or no uncertainty.
    ArgumentError
        For scores that are no log-odds, a slope or inflation that is not positive, or a model that
        is not there.

    Examples
    --------
    >>> import bayesrank
    >>> pilot = bayesrank.Responses.from_counts([[30], [60]], 100, systems=["a", "b"])
    >>> posterior = bayesrank.sample(bayesrank.models.bayes_at_n(pilot), random_seed=1)
    >>> anchors = bayesrank.models.anchors_from_posterior(posterior, scale="probability")
    >>> [round(dict(prior.parameters)["mu"], 1) for prior in anchors.values()]
    [-0.6, 0.6]
    """
    validate_choice(scale, ("log_odds", "probability"), name="scale")
    b, c = (_positive(value, name=name) for name, value in (("slope", slope), ("inflate", inflate)))
    scores = select_systems(as_scores(posterior)[0], systems)
    log_odds = _log_odds(scores) if scale == "probability" else _checked(scores)
    own = log_odds - log_odds.mean(axis=-1, keepdims=True)
    mean, sd = own.mean(axis=(0, 1)), own.std(axis=(0, 1), ddof=1)
    names = names_of(scores)
    certain = [name for name, d in zip(names, sd, strict=True) if not d > 0]
    if certain:
        msg = (
            f"the scores of {listed(certain)} do not vary over the draws: fix such a strength by a "
            f"number, anchors={{{certain[0]!r}: ...}}."
        )
        raise InputError(msg)
    return {
        name: Prior("Normal", mu=b * float(m), sigma=c * b * float(d))
        for name, m, d in zip(names, mean, sd, strict=True)
    }


def _positive(value: float, *, name: str) -> float:
    number = validate_finite(value, name=name, minimum=0.0)
    if number == 0.0:
        msg = f"{name}=0 leaves nothing of the posterior; it must be positive."
        raise ArgumentError(msg)
    return number


def _log_odds(scores: xr.DataArray) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    values = scores.to_numpy()
    if (values <= 0).any() or (values >= 1).any():
        msg = "scale='probability' needs scores strictly between 0 and 1, and some are not."
        raise InputError(msg)
    return np.log(values) - np.log1p(-values)


def _checked(scores: xr.DataArray) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    values = scores.to_numpy()
    if np.abs(values).max() > _LARGEST:
        msg = (
            f"scores reach {np.abs(values).max():,.0f}, which are no log-odds; sample the model "
            f"with score_scale='log_odds'."
        )
        raise ArgumentError(msg)
    if (values >= 0).all() and (values <= 1).all():
        msg = (
            "scores lie between 0 and 1, as probabilities do: say scale='probability', and their "
            "log-odds are taken."
        )
        raise ArgumentError(msg)
    return values
