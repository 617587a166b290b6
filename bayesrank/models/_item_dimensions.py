"""Several abilities that make up for each other, and how much questions load on each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.models._item_effects import TRIAL_INFORMATION, data_share
from bayesrank.models._item_priors import Known, create
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.priors import Prior
from bayesrank.typing import FloatArray

_TYPICAL_LOADING = 0.5
# How freely the size of what is made a direction may move: like what the data know of its parts.
_FREEDOM = 0.05


@dataclass(frozen=True, eq=False)
class Axes:
    """What holds the axes of several dimensions.

    Attributes
    ----------
    patterns : ndarray of float64, shape (question, dimension)
        Patterns of loadings, orthonormal: the first is what questions share, a constant; the
        others are what they differ in most, by the leading components of the observed logits.
    ability : ndarray of float64, shape (system, dimension)
        Abilities by these components, for chains to start from.
    """

    patterns: FloatArray
    ability: FloatArray


def axes_of(responses: Responses, dimensions: int) -> Axes:
    """Return the axes that the observed logits suggest."""
    share = (responses.successes + 0.5) / (responses.n_trials + 1.0)
    logit = np.log(share / (1.0 - share))
    systems, values, questions = np.linalg.svd(logit - logit.mean(axis=0), full_matrices=False)
    crude = (values[:dimensions, None] * questions[:dimensions]).T
    # The direction of the average loading becomes the first axis; what is left varies about zero.
    turn = np.linalg.qr(np.column_stack([crude.mean(axis=0), np.eye(dimensions)]))[0]
    differ = (crude @ turn)[:, 1:]
    left, _, _ = np.linalg.svd(differ - differ.mean(axis=0), full_matrices=False)
    patterns = np.linalg.qr(np.column_stack([np.ones(len(left)), left]))[0]
    patterns *= np.sign(patterns[0, 0])
    turn, triangle = np.linalg.qr((patterns.T @ crude).T)
    turn = turn * np.where(np.diag(triangle) < 0.0, -1.0, 1.0)
    ability = systems[:, :dimensions] @ turn
    ability = (ability - ability.mean(axis=0)) * np.sqrt(len(ability))
    return Axes(patterns, ability)


@dataclass(frozen=True, eq=False)
class Dimensions:
    """Abilities and loadings.

    Attributes
    ----------
    ability : Tensor, shape (system, dimension)
        Relative to the average of these models, at which difficulties are meant.
    loading : Tensor, shape (question, dimension)
        How much each dimension helps on each question.
    """

    ability: Tensor
    loading: Tensor


def create_dimensions(
    priors: Mapping[str, Known], axes: Axes, n_trials: NDArray[np.int64]
) -> Dimensions:
    """Create abilities and loadings in the open model.

    The likelihood knows their product. Abilities twice as large with loadings half as large have
    the same, and so have abilities that go together more: that is what the root holds, which has
    its prior mostly. Sampled beside it are abilities without their squares and products, and
    loadings times the root, which are known well.
    """
    sd = create("loading_sd", priors["loading_sd"])
    root, plain = _abilities(axes.ability, sd)
    ability: Tensor = pm.Deterministic(
        "ability_dimension", plain @ root.T, dims=("system", "dimension")
    )
    spread = _spread_of_mean(priors["loading_mean"])
    return Dimensions(ability, _loadings(spread, sd, axes.patterns, root, n_trials))


def _abilities(start: FloatArray, loading_sd: Tensor) -> tuple[Tensor, Tensor]:
    """Return the root of squares and products of abilities, and abilities that have none.

    Independent standard normal abilities that add up to zero over models are a rotation, any as
    likely as any other, times a root that follows from Wishart's distribution (Bartlett). The
    root is sampled times the spread of loadings: the data know that product.
    """
    n, d = start.shape
    square: Tensor = pm.Gamma(
        "ability_square",
        (n - 1 - np.arange(d)) / 2.0,
        n / (2.0 * loading_sd**2),
        dims="dimension",
    )
    low = np.tril_indices(d, -1)
    product: Tensor = pm.Normal("ability_product", 0.0, loading_sd / np.sqrt(n), shape=len(low[0]))
    root = (pt.diag(pt.sqrt(square)) + pt.zeros((d, d))[low].set(product)) / loading_sd
    free: Tensor = pm.ZeroSumNormal(
        "ability_dimension_offset",
        dims=("dimension", "system"),
        initval=start.T * np.sqrt((n - 1) / n),
    )
    size = free @ free.T / (n - 1)
    # Only the rotation in these is used, so that the size of them may have any distribution: one
    # that keeps it near one, in place of the normal one.
    away = (size - np.eye(d))[np.tril_indices(d)]
    near = 0.5 * (n - 1) * pt.trace(size) - 0.5 * pt.square(away / _FREEDOM).sum()
    pm.Potential("ability_dimension_size", near)
    rows: list[Tensor] = []
    for i in range(d):
        row = free[i]
        for known in rows:
            row = row - known * (known * free[i]).mean()
        rows.append(row / pt.sqrt(pt.square(row).mean()))
    return root, pt.stack(rows, axis=1)


def _loadings(
    spread: float,
    sd: Tensor,
    patterns: FloatArray,
    root: Tensor,
    n_trials: NDArray[np.int64],
) -> Tensor:
    """Return loadings, normal about their mean over questions, which is created too.

    `spread` is the standard deviation of that mean, in any direction.

    Axes could be turned and mirrored without a change of any probability. They are fixed by the
    products of loadings and patterns, which are a triangle with a positive diagonal: only
    dimension 1 loads on average, only 1 and 2 along the second pattern, and so on. What the rule
    leaves of independent normal loadings is known: roots of chi-squares on the diagonal. So a
    turned model has the same prior, and scores do not depend on the rule.
    """
    n, d = patterns.shape
    share = float(data_share(TRIAL_INFORMATION * n_trials.sum(axis=0), _TYPICAL_LOADING).mean())
    c: Tensor = pm.Data("loading_centring", share)
    loading: list[Tensor] = [sd] * d
    for j in reversed(range(d)):
        others: Tensor = pt.zeros(n)
        for i in range(j + 1, d):
            others = others + loading[i] * root[i, j]
        offset: Tensor = pm.Normal(
            f"loading_offset_{j + 1}",
            mu=others * sd ** (c - 1.0),
            sigma=root[j, j] * sd**c,
            dims="question",
        )
        free = (offset * sd ** (1.0 - c) - others) / root[j, j]
        variance = n * spread**2 + sd**2 if j == 0 else sd**2
        square: Tensor = pm.Gamma(
            f"loading_square_{j + 1}", (d - j) / 2.0, 0.5 / (variance * root[j, j] ** 2)
        )
        # Free loadings have values where the rule wants none, which keep their prior.
        up_to = pt.as_tensor(patterns[:, : j + 1])
        held = pt.concatenate([np.zeros(j), (pt.sqrt(square) / root[j, j])[None]])
        loading[j] = free + up_to @ (held - up_to.T @ free)
    found: Tensor = pm.Deterministic(
        "loading", pt.stack(loading, axis=1), dims=("question", "dimension")
    )
    known = spread**2 / (spread**2 + sd**2 / n)
    shift: Tensor = pm.Normal("loading_shift", dims="dimension")
    mean = known * found.mean(axis=0) + spread * pt.sqrt(1.0 - known) * shift
    pm.Deterministic("loading_mean", mean, dims="dimension")
    return found


def _spread_of_mean(prior: Known) -> float:
    """Return the standard deviation of the mean loading, which is the same in any direction."""
    values: dict[str, Any] = {}
    if isinstance(prior, Prior) and prior.distribution == "Normal" and prior.is_fixed:
        values = {"mu": 0.0, "sigma": 1.0, **dict(prior.parameters)}
    if not values or float(values["mu"]) != 0.0:
        msg = (
            "prior['loading_mean'] is the same in any direction of several dimensions: "
            "Prior('Normal', mu=0, sigma=...), with a number for sigma."
        )
        raise ArgumentError(msg)
    return float(values["sigma"])
