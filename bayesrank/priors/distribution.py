"""A distribution by name: a plain value until a model is built from it."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean, validate_finite
from bayesrank.exceptions import ArgumentError

if TYPE_CHECKING:
    from pytensor.tensor.variable import TensorVariable

__all__ = ["DISTRIBUTIONS", "Prior"]

# The PyMC distributions a prior may name, with their parameters. A closed list: names come from
# files too, and nothing else of PyMC is to be reached through them.
DISTRIBUTIONS: dict[str, tuple[str, ...]] = {
    "Beta": ("alpha", "beta", "mu", "sigma", "nu"),
    "Cauchy": ("alpha", "beta"),
    "Dirichlet": ("a",),
    "Exponential": ("lam", "scale"),
    "Gamma": ("alpha", "beta", "mu", "sigma"),
    "Gumbel": ("mu", "beta"),
    "HalfCauchy": ("beta",),
    "HalfNormal": ("sigma",),
    "HalfStudentT": ("nu", "sigma"),
    "InverseGamma": ("alpha", "beta", "mu", "sigma"),
    "Kumaraswamy": ("a", "b"),
    "Laplace": ("mu", "b"),
    "LogNormal": ("mu", "sigma"),
    "Logistic": ("mu", "s"),
    "LogitNormal": ("mu", "sigma"),
    "Normal": ("mu", "sigma"),
    "SkewNormal": ("mu", "sigma", "alpha"),
    "StudentT": ("nu", "mu", "sigma"),
    "TruncatedNormal": ("mu", "sigma", "lower", "upper"),
    "Uniform": ("lower", "upper"),
    "Weibull": ("alpha", "beta"),
    "ZeroSumNormal": ("sigma",),
}

# The parameter that stretches a distribution, or (Gamma, Exponential by rate) its inverse. Others
# have none that leaves their centre where it is.
SCALES: dict[str, str] = {
    "Cauchy": "beta",
    "Exponential": "scale",
    "Gamma": "beta",
    "HalfCauchy": "beta",
    "HalfNormal": "sigma",
    "HalfStudentT": "sigma",
    "Laplace": "b",
    "Logistic": "s",
    "Normal": "sigma",
    "StudentT": "sigma",
    "ZeroSumNormal": "sigma",
}

type Parameter = float | tuple[float, ...] | Prior

_created: ContextVar["list[tuple[Prior, str]] | None"] = ContextVar("created", default=None)


@contextmanager
def scales_as_data() -> "Generator[list[tuple[Prior, str]]]":
    """Make scales that are numbers `pymc.Data` of the models built inside: ``variable_scale``.

    So a model that was compiled once serves priors of any scale. Yields a list that fills up with
    the priors that variables were created from, and their names.
    """
    created: list[tuple[Prior, str]] = []
    token = _created.set(created)
    try:
        yield created
    finally:
        _created.reset(token)


@dataclass(frozen=True, init=False, repr=False)
class Prior:
    """A distribution by name, with numbers or further priors as its parameters.

    Parameters
    ----------
    distribution : str
        Name of a PyMC distribution.
    **parameters : float, sequence of float, or Prior
        Its parameters, by PyMC's names.

    Raises
    ------
    ArgumentError
        For a distribution or parameter that is not known; near names are suggested.

    Examples
    --------
    >>> from bayesrank import Prior
    >>> prior = Prior("Normal", mu=0, sigma=Prior("HalfNormal", sigma=1))
    >>> print(prior)
    Normal(mu=0, sigma=HalfNormal(sigma=1))
    >>> prior == Prior.from_dict(prior.to_dict())
    True
    """

    distribution: str
    parameters: tuple[tuple[str, Parameter], ...]

    def __init__(self, distribution: str, /, **parameters: float | Sequence[float] | Self) -> None:
        if distribution not in DISTRIBUTIONS:
            msg = (
                f"no prior distribution {quoted(str(distribution))}; known are "
                f"{', '.join(DISTRIBUTIONS)}.{did_you_mean(str(distribution), DISTRIBUTIONS)}"
            )
            raise ArgumentError(msg)
        known = DISTRIBUTIONS[distribution]
        for name in parameters:
            if name not in known:
                msg = (
                    f"{distribution} has no parameter {quoted(name)}; it has "
                    f"{', '.join(known)}.{did_you_mean(name, known)}"
                )
                raise ArgumentError(msg)
        values = tuple(
            (name, _parameter(parameters[name], f"{distribution} {name}"))
            for name in known
            if name in parameters
        )
        object.__setattr__(self, "distribution", distribution)
        object.__setattr__(self, "parameters", values)

    @property
    def is_fixed(self) -> bool:
        """Whether all parameters are numbers."""
        return not any(isinstance(value, Prior) for _, value in self.parameters)

    def to_dict(self) -> dict[str, Any]:
        """Return the prior as plain values for JSON.

        Returns
        -------
        dict
            ``distribution`` and ``parameters``, nested as the prior is.
        """
        return {
            "distribution": self.distribution,
            "parameters": {
                name: value.to_dict()
                if isinstance(value, Prior)
                else list(value)
                if isinstance(value, tuple)
                else value
                for name, value in self.parameters
            },
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the prior that `to_dict` described.

        Parameters
        ----------
        values : mapping
            ``distribution`` and ``parameters``.

        Returns
        -------
        Prior

        Raises
        ------
        ArgumentError
            For anything that is not such a description.
        """
        if set(values) != {"distribution", "parameters"} or not isinstance(
            values["parameters"], Mapping
        ):
            msg = "a prior is described by 'distribution' and 'parameters', a mapping of names."
            raise ArgumentError(msg)
        parameters = {
            str(name): cls.from_dict(cast("Mapping[str, Any]", value))
            if isinstance(value, Mapping)
            else value
            for name, value in cast("Mapping[str, Any]", values["parameters"]).items()
        }
        return cls(str(values["distribution"]), **parameters)

    def create_variable(
        self, name: str, *, dims: str | Sequence[str] | None = None
    ) -> "TensorVariable[Any, Any]":
        """Create the random variable in the PyMC model that is open.

        Parameters
        ----------
        name : str
            Name of the variable; parameters that are priors become ``name_parameter``.
        dims : str or sequence of str, optional
            Dimensions of the variable; those of its parameters are scalar.

        Returns
        -------
        TensorVariable

        Raises
        ------
        ArgumentError
            Where PyMC cannot make the distribution from these parameters.

        Examples
        --------
        >>> import pymc as pm
        >>> from bayesrank import Prior
        >>> with pm.Model(coords={"system": ["a", "b"]}) as model:
        ...     strength = Prior("Normal", sigma=Prior("HalfNormal")).create_variable(
        ...         "strength", dims="system"
        ...     )
        >>> [variable.name for variable in model.free_RVs]
        ['strength_sigma', 'strength']
        """
        import pymc as pm

        parameters: dict[str, Any] = {
            key: value.create_variable(f"{name}_{key}") if isinstance(value, Prior) else value
            for key, value in self.parameters
        }
        created = _created.get()
        if created is not None:
            created.append((self, name))
            scale = SCALES.get(self.distribution, "")
            if isinstance(parameters.get(scale), float):
                parameters[scale] = pm.Data(f"{name}_{scale}", parameters[scale])
        try:
            return getattr(pm, self.distribution)(name, **parameters, dims=dims)
        except (TypeError, ValueError) as error:
            msg = f"PyMC cannot make {self} for {quoted(name)}: {error}"
            raise ArgumentError(msg) from error

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={_shown(value)}" for name, value in self.parameters)
        return f"{self.distribution}({inside})"

    def __repr__(self) -> str:
        inside = "".join(f", {name}={value!r}" for name, value in self.parameters)
        return f"Prior({self.distribution!r}{inside})"


def _parameter(value: object, name: str) -> Parameter:
    if isinstance(value, Prior):
        return value
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
        return validate_finite(cast("float", value), name=name)
    return tuple(validate_finite(cast("float", v), name=name) for v in value)


def _shown(value: Parameter) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(f'{v:g}' for v in value)}]"
    return str(value) if isinstance(value, Prior) else f"{value:g}"
