"""Priors as plain values: they print, compare, hash and travel as JSON, and load no PyMC.

A `Prior` names a PyMC distribution and its parameters, which may be priors themselves. An
`EmpiricalPrior` takes auxiliary outcomes, such as greedy decodes, as pseudo-counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean, validate_finite
from bayesrank.data import Responses
from bayesrank.data import _arrays as arrays
from bayesrank.exceptions import ArgumentError, InputError

if TYPE_CHECKING:
    from pytensor.tensor.variable import TensorVariable

__all__ = ["EmpiricalPrior", "Prior"]

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

type Parameter = float | tuple[float, ...] | Prior


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

        parameters = {
            key: value.create_variable(f"{name}_{key}") if isinstance(value, Prior) else value
            for key, value in self.parameters
        }
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


@dataclass(frozen=True, eq=False, repr=False, init=False)
class EmpiricalPrior:
    r"""Auxiliary outcomes as pseudo-counts: :math:`\mathrm{Dirichlet}(\alpha + W n^0)` per cell.

    Parameters
    ----------
    outcomes : array_like or Responses
        Categories 0, 1, ..., with NaN or -1 where missing: of shape (question, decode), shared by
        all models, or (system, question, decode), each model its own. Responses are each model's
        own, and are matched to the data by the names of models and questions.
    weight : float, default 1.0
        What an auxiliary outcome counts, against 1 for an observed trial.
    alpha : float, default 1.0
        Concentration of the symmetric Dirichlet prior beneath.

    Notes
    -----
    Outcomes shared by all models cannot change their order where all have equally many trials.
    A model's own outcomes can: one decode at weight 1 orders models like the mean over N + 1
    trials, so decodes that differ from sampling (greedy ones) move the order towards theirs.

    Examples
    --------
    >>> from bayesrank import EmpiricalPrior
    >>> print(EmpiricalPrior([[0, 2], [1, 2]]))
    Dirichlet(1) plus auxiliary outcomes shared by all models (up to 2 a question, weight 1)
    """

    responses: Responses
    shared: bool
    labelled: bool
    weight: float
    alpha: float

    def __init__(
        self, outcomes: ArrayLike | Responses, *, weight: float = 1.0, alpha: float = 1.0
    ) -> None:
        set_ = object.__setattr__
        labelled = isinstance(outcomes, Responses)
        set_(self, "labelled", labelled)
        set_(self, "weight", validate_finite(weight, name="weight", minimum=0.0))
        set_(self, "alpha", validate_finite(alpha, name="alpha", minimum=0.0))
        if self.alpha == 0.0:
            msg = "alpha=0 gives categories that were never seen no chance; take a small number."
            raise ArgumentError(msg)
        if labelled:
            set_(self, "shared", False)
            set_(self, "responses", outcomes)
            return
        array = np.asarray(outcomes)
        if array.ndim not in (2, 3):
            msg = (
                f"auxiliary outcomes have shape {array.shape}; (question, decode), shared, or "
                f"(system, question, decode), each model's own, was expected."
            )
            raise ArgumentError(msg)
        set_(self, "shared", array.ndim == 2)
        array = array[np.newaxis] if self.shared else array
        set_(self, "responses", _as_responses(array))

    def pseudo_counts(self, responses: Responses) -> NDArray[np.float64]:
        """Return the weighted counts that enter the posterior of `responses`.

        Parameters
        ----------
        responses : Responses
            The data they are a prior for.

        Returns
        -------
        ndarray of float64, shape (system, question, category) or (1, question, category)

        Raises
        ------
        InputError
            For models or questions that do not match, or categories the data do not have.
        """
        counts = self._matched(responses).counts
        width = responses.n_categories
        if counts.shape[2] > width and counts[:, :, width:].any():
            msg = (
                f"auxiliary outcomes hold category {counts.any(axis=(0, 1)).nonzero()[0].max()}; "
                f"the data have the categories 0 to {width - 1} (declare more with categories=)."
            )
            raise InputError(msg)
        padded = np.zeros((*counts.shape[:2], width))
        shared_width = min(width, counts.shape[2])
        padded[:, :, :shared_width] = counts[:, :, :shared_width]
        return self.weight * padded

    def alignment(self, responses: Responses, *, weights: ArrayLike | None = None) -> float | None:
        """Return Kendall's tau-b between the order of auxiliary and of observed mean scores.

        Parameters
        ----------
        responses : Responses
            The data.
        weights : array_like, shape (category,), optional
            Score of each category; by default 0, ..., 1 in equal steps.

        Returns
        -------
        float or None
            None where there is no order to compare: shared outcomes, one model, or all tied.
        """
        if self.shared or len(responses.systems) < 2:
            return None
        from scipy.stats import kendalltau

        w = responses.category_weights(weights)
        counts = self.pseudo_counts(responses)
        total = counts.sum(axis=2)
        own = np.divide(counts @ w, total, out=np.full(total.shape, np.nan), where=total > 0)
        pair = [_means(own), _means(responses.question_scores(weights))]
        known = np.isfinite(pair).all(axis=0)
        orders = [np.round(means[known], 12) for means in pair]  # equal means are ties
        if known.sum() < 2 or min(np.ptp(o) for o in orders) == 0.0:
            return None
        tau, _ = kendalltau(*orders)
        return float(tau)

    def _matched(self, responses: Responses) -> Responses:
        own = self.responses
        if not self.labelled:
            shape = (1 if self.shared else len(responses.systems), len(responses.questions))
            if own.counts.shape[:2] != shape:
                kind = "question" if self.shared else "system, question"
                msg = (
                    f"auxiliary outcomes have shape ({kind}) = "
                    f"{own.counts.shape[1 if self.shared else 0 : 2]}; the data have "
                    f"{len(responses.systems)} models and {len(responses.questions)} questions."
                )
                raise InputError(msg)
            return own
        for kind, wanted, there in (
            ("model", responses.systems, own.systems),
            ("question", responses.questions, own.questions),
        ):
            known = set(there)
            absent = [label for label in wanted if label not in known]
            if absent:
                msg = (
                    f"{own.source}: no auxiliary outcomes for {kind} {listed(absent)}; every "
                    f"{kind} of the data needs its own, under the same name."
                )
                raise InputError(msg)
        return own.select(systems=responses.systems, questions=responses.questions)

    def __str__(self) -> str:
        whose = "shared by all models" if self.shared else "of each model"
        most = int(self.responses.n_trials.max())
        return (
            f"Dirichlet({self.alpha:g}) plus auxiliary outcomes {whose} "
            f"(up to {most} a question, weight {self.weight:g})"
        )

    def __repr__(self) -> str:
        return f"<EmpiricalPrior: {self}>"


def _as_responses(outcomes: NDArray[Any]) -> Responses:
    """Return auxiliary outcomes as counts; a model without any is fine here."""
    array = arrays.as_outcomes(outcomes, source="auxiliary outcomes")
    if (array < 0).all(axis=(1, 2)).any():
        msg = "auxiliary outcomes: a model has none at all; leave the prior out, or give it some."
        raise InputError(msg)
    return Responses.from_array(array, source="auxiliary outcomes")


def _means(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return means over questions, NaN where there is none."""
    known = np.isfinite(scores)
    n = known.sum(axis=1)
    total = np.where(known, scores, 0.0).sum(axis=1)
    return np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
