"""Item response models as rules: abilities that change over trials, and several abilities."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.exceptions import InputError
from bayesrank.likelihoods import fit_dynamic_item_response, fit_mirt
from bayesrank.rules._evidence import Data, Evidence
from bayesrank.rules._item_fits import (
    StartPrior,
    as_ranked,
    counts,
    priors_of,
    refuse_unbounded,
    start_prior,
)
from bayesrank.rules._options import count, one_of, positive
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["At", "Change", "dynamic_irt", "mirt"]

type Floats = NDArray[np.float64]
type Change = Literal["growth", "state_space"]
type At = Literal["mean", "first", "last"]


def _read(ability: Floats, at: At) -> Floats:
    if at == "mean":
        return ability.mean(axis=1)
    return ability[:, 0 if at == "first" else -1]


def _dynamic_irt(evidence: Evidence, *, trend: Change, at: At, prior: StartPrior) -> Floats:
    events = evidence.events
    periods = int(events.trial.max()) + 1
    shape = periods, len(evidence.questions), len(evidence.systems)
    outcome = np.moveaxis(events.outcome.reshape(shape), (0, 1, 2), (2, 1, 0))
    if periods < 2:
        msg = f"{evidence.source}: one trial a question shows no change; use rasch."
        raise InputError(msg)
    sd = priors_of(prior, evidence).ability
    found: list[Floats] = []
    for weights in evidence.question_weights:
        n = (outcome >= 0) * weights[:, np.newaxis]
        k = (outcome == 1) * weights[:, np.newaxis]
        bounded = sd is not None or trend == "state_space"
        refuse_unbounded(evidence, k.sum(axis=2), n.sum(axis=2), bounded=bounded)
        fit = fit_dynamic_item_response(
            (k, n), trend=trend, ability_sd=sd if isinstance(sd, float) else None
        )
        found.append(_read(fit.ability, at))
    return as_ranked(evidence, found, sufficient=False)


@rule(
    family="item response",
    uses="stream",
    kernel=_dynamic_irt,
    binary=True,
    order_invariant=False,
    replication_invariant=False,
    fast=False,
    trend=one_of("growth", "state_space"),
    at=one_of("mean", "first", "last"),
    prior=start_prior,
)
def dynamic_irt(
    data: Data,
    *,
    trend: Change = "growth",
    at: At = "last",
    prior: StartPrior = None,
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    """Rasch abilities that change from trial to trial, linearly or as a random walk.

    The trials of a question count as ordered in time. Abilities that do not change are `rasch`.

    Parameters
    ----------
    data : Responses
        Outcomes of all trials, in their order.
    trend : {"growth", "state_space"}
        A line with a weak penalty on its slope, or a random walk.
    at : {"last", "mean", "first"}
        Score by the ability on the last trial, on the average one, or on the first.
    prior : {None, "gaussian", "uniform"} or float, optional
        Prior of the ability at the start, as in `rasch`.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, ability in logits.

    Raises
    ------
    InputError
        For counts without trials, one trial a question, comparisons, and where an ability is not
        finite.

    References
    ----------
    .. [1] Embretson, S. E. (1991). A multidimensional latent trait model for measuring learning
       and change. Psychometrika 56(3), 495-515. https://doi.org/10.1007/BF02294487

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> trials = Responses.from_array([[[0, 0, 1, 1], [0, 1, 1, 1]], [[1, 0, 1, 0], [0, 1, 0, 1]]])
    >>> rules.dynamic_irt(trials, trend="state_space").values.argmax()
    np.int64(0)
    """
    return score("dynamic_irt", data, trend=trend, at=at, prior=prior, weights=weights)


def _mirt(evidence: Evidence, *, dimensions: int, loading_sd: float) -> Floats:
    found: list[Floats] = []
    for (k, n), weights in zip(
        counts(evidence),
        np.broadcast_to(
            evidence.question_weights, (evidence.batch, len(evidence.questions))
        ),
        strict=True,
    ):  # fmt: skip
        try:
            fit = fit_mirt((k, n), dimensions=dimensions, loading_sd=loading_sd)
        except InputError as error:
            msg = str(error).replace("counts:", f"{evidence.source}:", 1)
            raise InputError(msg) from error
        # Constant questions load on nothing.
        found.append(fit.ability @ (weights @ fit.loading) / weights.sum())
    return as_ranked(evidence, found, sufficient=False)


@rule(
    family="item response",
    uses="counts",
    kernel=_mirt,
    binary=True,
    fast=False,
    replication_invariant=False,
    dimensions=count(2),
    loading_sd=positive,
)
def mirt(
    data: Data,
    *,
    dimensions: int = 2,
    loading_sd: float = 2.0,
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    r"""Several abilities that make up for each other, as they count on the average question.

    A trial succeeds with probability :math:`\sigma(d_m + a_m \cdot \theta_l)`. The score is
    :math:`\bar a \cdot \theta_l`, with the mean loadings and the posterior means of abilities: it
    does not depend on how the axes are turned.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions.
    dimensions : int, default 2
        Number of abilities, 2 or 3.
    loading_sd : float, default 2
        Standard deviation of the loadings around 0.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, logits above the average model.

    Raises
    ------
    InputError
        For comparisons, or too few models or questions.
    ArgumentError
        For more dimensions than can be integrated over.

    References
    ----------
    .. [1] Reckase, M. D. (2009). Multidimensional Item Response Theory. Springer.
       https://doi.org/10.1007/978-0-387-89976-3

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank import rules
    >>> data = bayesrank.simulate_responses(systems=5, questions=6, random_seed=1)
    >>> rules.mirt(data).sizes["system"]
    5
    """
    return score("mirt", data, dimensions=dimensions, loading_sd=loading_sd, weights=weights)
