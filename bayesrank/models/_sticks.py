r"""Dirichlet probabilities of several models in coordinates that NUTS can walk in.

A Dirichlet is broken into independent sticks, :math:`v_c \sim \mathrm{Beta}(a_c, b_c)` with what is
left for later categories in b. Each is sampled as :math:`z`, where
:math:`\operatorname{logit} v = (1 - w) \mu + \sigma^{1 - w} z` and :math:`\mu, \sigma` are about
the mean and standard deviation that the Beta gives it: on its own scale where the data hold it
fast (w = 1), in units of the prior where they leave it to that (w = 0). The model is the same for
any w.
"""

from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray

# What `centring` takes the concentration of the prior to be.
_TYPICAL = 10.0
_LEAST = 1e-3


def create_probabilities(name: str, concentration: Tensor, counts: NDArray[np.int64]) -> Tensor:
    """Create Dirichlet probabilities of dims (system, category) in the open model.

    `concentration` is of dims (category,); `counts` tell where the data hold probabilities fast.
    """
    model: Any = pm.modelcontext(None)
    model.add_coord("stick", np.arange(counts.shape[2] - 1))
    a = concentration[:-1]
    b = pt.cumsum(concentration[:0:-1])[::-1]
    dims = ("system", "stick")
    w: Tensor = pm.Data(f"{name}_centring", centring(counts), dims=dims)
    z: Tensor = pm.CustomDist(
        f"{name}_offset",
        a,
        b,
        w,
        logp=_log_density,
        random=_draw,
        signature="(),(),()->()",
        dims=dims,
    )
    location, scale = _place(a, b, w)
    stick = location + scale * z
    # log v of each, and the log of what all before it leave.
    left = pt.cumsum(-pt.softplus(stick), axis=1)
    none = pt.zeros_like(left[:, :1])
    before = pt.concatenate([none, left], axis=1)
    found = before + pt.concatenate([-pt.softplus(-stick), none], axis=1)
    return pm.Deterministic(name, pt.exp(found), dims=("system", "category"))


def centring(counts: NDArray[np.int64]) -> FloatArray:
    """Return how far to centre each stick: its data's share in its precision.

    A question tells of a category once, however often it is there: questions differ.
    """
    seen = (counts > 0).sum(axis=1).astype(np.float64)
    typical = _TYPICAL * (seen.sum(axis=0) + 1.0) / (seen.sum() + seen.shape[1])
    data, prior = _information(seen), _information(typical[np.newaxis])
    return data / (data + prior)


def _information(by_category: FloatArray) -> FloatArray:
    """Return what counts tell of the logits of sticks."""
    first = by_category[:, :-1]
    rest = by_category[:, :0:-1].cumsum(axis=1)[:, ::-1]
    return first * rest / np.maximum(first + rest, _LEAST)


def _place(a: Any, b: Any, w: Any) -> tuple[Any, Any]:
    """Return location and scale of the logit of a stick in its coordinate."""
    spread = 1.0 / a + 1.0 / b + 0.5 / a**2 + 0.5 / b**2
    return (1.0 - w) * (pt.log(a) - pt.log(b)), spread ** (0.5 * (1.0 - w))


def _log_density(value: Tensor, a: Tensor, b: Tensor, w: Tensor) -> Tensor:
    location, scale = _place(a, b, w)
    stick = location + scale * value
    own = -a * pt.softplus(-stick) - b * pt.softplus(stick)
    return own + pt.gammaln(a + b) - pt.gammaln(a) - pt.gammaln(b) + pt.log(scale)


def _draw(
    a: FloatArray,
    b: FloatArray,
    w: FloatArray,
    rng: np.random.Generator,
    size: tuple[int, ...] | None,
) -> FloatArray:
    stick = _log_gamma(a, rng, size) - _log_gamma(b, rng, size)
    spread = 1.0 / a + 1.0 / b + 0.5 / a**2 + 0.5 / b**2
    return (stick - (1.0 - w) * (np.log(a) - np.log(b))) / spread ** (0.5 * (1.0 - w))


def _log_gamma(
    shape: FloatArray, rng: np.random.Generator, size: tuple[int, ...] | None
) -> FloatArray:
    """Return logarithms of Gamma variables, which themselves underflow where `shape` is small."""
    return np.log(rng.gamma(shape + 1.0, size=size)) - rng.exponential(size=size) / shape
