"""What a factory knows of its model beyond PyMC: the data, the prior in words, the exact posterior.

`bayesrank.inference` reads it. A model without it, a user's own, is sampled by NUTS.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pymc as pm
import xarray as xr
from numpy.typing import NDArray

from bayesrank.data import Comparisons, Events, Responses
from bayesrank.models._refitting import Refitting
from bayesrank.models._resampling import Resampling
from bayesrank.typing import FloatArray

_ATTRIBUTE = "_bayesrank_attachment"


class ExactSampler(Protocol):
    """Draws from a posterior known in closed form."""

    def __call__(
        self, n: int, *, rng: np.random.Generator, keep_probabilities: bool
    ) -> Mapping[str, FloatArray]:
        """Return variables of the model by name, each with `n` independent draws in front."""
        ...


class Completion(Protocol):
    """Draws of what a model integrated out, given what was sampled."""

    def __call__(self, posterior: xr.Dataset, *, rng: np.random.Generator) -> xr.Dataset:
        """Return the posterior with more variables."""
        ...


@dataclass(frozen=True)
class View:
    """What a model's score is under one population.

    Attributes
    ----------
    variable : str
        The variable of the model that holds it, of dims ("system",).
    estimand : str
        What it is, one line of prose.
    """

    variable: str
    estimand: str


@dataclass(frozen=True, eq=False)
class Attachment:
    """Facts that a model factory leaves on its model.

    Attributes
    ----------
    family : str
        Name of the model family, as on the command line.
    data : Responses, Comparisons or Events
        What was observed; populations beyond its own units resample it.
    trials, missing : ndarray of int64, shape (system,)
        Observed and missing trials of each model.
    prior : str
        One line of prose.
    estimand : str
        What the score is, one line of prose.
    populations : tuple of str
        What the model itself says the uncertainty can be about.
    settings : dict
        Arguments of the factory as plain values, for provenance.
    notes : tuple of str
        What a reader has to know, one sentence each.
    large : tuple of str
        Variables with a value per cell, kept in a posterior only on request.
    exact : ExactSampler or None
        The closed form, where there is one.
    views : dict of str to View
        What the score is under populations that the model itself speaks of, where that is not
        ``score``.
    nuts : dict
        Settings of the sampler that suit the model, unless the user gives others.
    resampling : Resampling, Refitting or None
        How to resample what was observed, for the populations that the model does not speak of.
    default : str
        The population that is meant where none is named; the first of `populations` by default.
    caveats : dict of str to str
        Notes that hold under one population only.
    completion : Completion or None
        What comes after the sampler, where the model integrated something out.
    """

    family: str
    data: Responses | Comparisons | Events
    trials: NDArray[np.int64]
    missing: NDArray[np.int64]
    prior: str
    estimand: str
    populations: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    large: tuple[str, ...] = ()
    exact: ExactSampler | None = None
    views: dict[str, View] = field(default_factory=dict)
    nuts: dict[str, Any] = field(default_factory=dict)
    resampling: Resampling | Refitting | None = None
    default: str = ""
    caveats: dict[str, str] = field(default_factory=dict)

    def unwanted(self, *, keep_probabilities: bool) -> tuple[str, ...]:
        """Return variables that need not be drawn; what is integrated out may need them all."""
        return () if keep_probabilities or self.completion is not None else self.large

    completion: Completion | None = None


def attach(model: pm.Model, attachment: Attachment) -> None:
    """Leave facts on a finished model, with a fingerprint of what they are true of."""
    setattr(model, _ATTRIBUTE, (attachment, _fingerprint(model)))


def attached(model: pm.Model) -> Attachment | None:
    """Return the facts a factory left, or None."""
    found = getattr(model, _ATTRIBUTE, None)
    return None if found is None else found[0]


def is_as_built(model: pm.Model) -> bool:
    """Whether variables and data are as the factory left them: its exact posterior holds then."""
    found = getattr(model, _ATTRIBUTE, None)
    return found is not None and found[1] == _fingerprint(model)


def _fingerprint(model: pm.Model) -> str:
    digest = hashlib.sha256()
    for kind in ("free_RVs", "observed_RVs", "deterministics", "potentials"):
        digest.update(f"{kind}:{sorted(v.name for v in getattr(model, kind))};".encode())
    for variable in sorted(model.data_vars, key=lambda v: v.name):
        value = np.ascontiguousarray(variable.get_value(borrow=True))
        digest.update(f"{variable.name}{value.shape}{value.dtype}".encode())
        digest.update(value.data)
    return digest.hexdigest()
