"""Normal effects, in the units in which they are sampled well."""

from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray

# Information of a binary trial in squared logits, at success rates that are usual.
TRIAL_INFORMATION = 0.15


def data_share(information: FloatArray, typical: float) -> FloatArray:
    """Return the share of the data in the precision of each effect, if it is of typical size.

    That is how far to centre it.
    """
    return information / (information + 1.0 / typical**2)


def partly_centred(
    name: str,
    location: Tensor,
    sd: Tensor,
    centring: FloatArray | float,
    *,
    dims: Any,
    scale: Tensor | float = 1.0,
) -> Tensor:
    """Create normal effects about a location, between centred (1) and standard (0).

    An effect that the data hold fast is sampled best on its own scale, one that they leave to its
    prior best in units of its standard deviation. The model is the same for any of them, and for
    any `scale`: what is sampled is the effect times that.
    """
    whose = dims if np.ndim(centring) else None
    c: Tensor = pm.Data(f"{name}_centring", np.asarray(centring, dtype=np.float64), dims=whose)
    location, sd = location * scale, sd * scale
    offset: Tensor = pm.Normal(f"{name}_offset", mu=c * location, sigma=sd**c, dims=dims)
    return (location + sd ** (1.0 - c) * (offset - c * location)) / scale


def contrasts(
    name: str,
    sd: Tensor,
    group: NDArray[np.intp],
    centring: float,
    *,
    location: Tensor | None = None,
    scale: Tensor | float = 1.0,
) -> Tensor:
    """Create normal effects that add up to zero within each group, about a location that does.

    One effect a group is determined by the others, through a rotation, so that the density is
    that of independent normal effects given that their sums are zero. `scale` is as in
    `partly_centred`.
    """
    sizes = np.bincount(group)
    last = np.array([np.flatnonzero(group == g)[-1] for g in range(len(sizes))])
    free = np.setdiff1d(np.arange(len(group)), last)
    if not len(free):
        return pt.zeros(len(group)) if location is None else location
    c: Tensor = pm.Data(f"{name}_centring", centring)
    wide = sd * scale
    member = group[free]
    moved: Tensor = pt.zeros(len(free))
    about: Tensor = pt.as_tensor(0.0)
    if location is not None:
        about = pt.as_tensor(location) * scale
        moved = c * (about[free] - about[last[member]] / (1.0 + np.sqrt(sizes[member])))
    y: Tensor = pm.Normal(f"{name}_offset", mu=moved, sigma=wide**c, shape=len(free))
    y = y - moved
    total = np.eye(len(sizes))[:, member] @ y if len(sizes) > 1 else y.sum()[None]
    norm = total / (np.sqrt(sizes) + sizes)
    filled = pt.concatenate([y - norm[member], -total / np.sqrt(sizes)])
    order = np.argsort(np.concatenate([free, last]))
    return (about + filled[order] * wide ** (1.0 - c)) / scale
