"""Every rule by name: what it may use, what it promises, and how it is called.

A rule is a documented public function ``name(data, *, options) -> DataArray``, and beside it a
kernel ``(evidence, *, options) -> scores (batch, system)`` that all of its callers share: the
function itself, and the posteriors. `rule` registers the two together.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter, getdoc, signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank._validate import did_you_mean
from bayesrank.data import Comparisons
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.priors.empirical import EmpiricalPrior
from bayesrank.rules._evidence import PAIRINGS, Data, Evidence, evidence_of
from bayesrank.rules._options import (
    Check,
    auxiliary_weight,
    category_weights,
    one_of,
    outcomes,
)

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Rule", "Theorem", "Uses", "catalogue", "get", "names", "rule", "score"]

type Floats = NDArray[np.float64]
type Kernel = Callable[..., Floats]
type Uses = Literal["counts", "pairs", "events", "stream"]
type Theorem = Literal["always", "one trial", "never"]

# Values that are shown as they are.
_PLAIN = (str, int, float, bool, tuple, EmpiricalPrior)


@dataclass(frozen=True, eq=False, repr=False)
class Rule:
    """A ranking rule with its options bound.

    Attributes
    ----------
    name : str
        Canonical name, such as ``schulze``.
    family : str
        Family, such as ``voting``.
    summary : str
        One line.
    uses : {"counts", "pairs", "events", "stream"}
        What of the data it uses: counts per question, pair counts, who succeeded on one trial of
        one question, or all that in order.
    comparisons : bool
        Whether it ranks paired comparisons too.
    monotone : bool
        Whether a model that gains a success never falls.
    order_invariant : bool
        Whether the order of questions and trials does not matter.
    replication_invariant : bool
        Whether the order of the models stays when all trials are observed twice.
    fast : bool
        Whether it is cheap enough to be evaluated on thousands of draws.
    binary : bool
        Whether outcomes have to be success or failure (or category weights of 0 and 1).
    options : mapping of str to object
        Its options, checked.
    kernel, checks, theorem : callable, and mapping of str to callable
        What it does, how it checks its options, and what `equals_mean` asks.
    """

    name: str
    family: str
    summary: str
    uses: Uses
    kernel: Kernel
    checks: Mapping[str, Check]
    options: Mapping[str, Any]
    comparisons: bool
    monotone: bool
    order_invariant: bool
    replication_invariant: bool
    fast: bool
    binary: bool
    theorem: Callable[[Mapping[str, Any]], Theorem]

    @property
    def equals_mean(self) -> Theorem:
        """Where the rule orders complete binary data as the mean does, by a theorem.

        ``"always"``, ties included, where all models have the same number of trials on all
        questions; ``"one trial"`` only where that number is 1; ``"never"``.
        """
        return self.theorem(self.options)

    def bind(self, **options: Any) -> "Rule":
        """Return the rule with other options.

        Parameters
        ----------
        **options
            Values of some of `options`.

        Returns
        -------
        Rule

        Raises
        ------
        ArgumentError
            For an option that the rule does not have, or a value that it does not take.
        """
        checked = dict(self.options)
        for name, value in options.items():
            if name not in self.checks:
                have = ", ".join(self.checks) or "none"
                near = did_you_mean(name, self.checks)
                msg = f"rule {self.name} has no option {name!r}; it has {have}.{near}"
                raise ArgumentError(msg)
            checked[name] = self.checks[name](value, name)
        return replace(self, options=MappingProxyType(checked))

    def evidence(self, data: Data) -> Evidence:
        """Return what the rule uses of data, as a batch of one; refuse what it cannot use.

        Parameters
        ----------
        data : Responses or Comparisons
            The observations.

        Returns
        -------
        Evidence

        Raises
        ------
        InputError
            For comparisons where questions are needed, counts where trials are, or more than two
            categories without weights.
        """
        if isinstance(data, Comparisons):
            if not self.comparisons:
                msg = f"{data.source}: {self.name} {_WHY_NOT[self.uses]}; give responses."
                raise InputError(msg)
            return evidence_of(data)
        weights = self.options.get("weights")
        if self.binary and weights is None and data.n_categories > 2:
            way_out = (
                ": say which are a success, weights=[0, ..., 1]"
                if "weights" in self.options
                else ""
            )
            msg = (
                f"{data.source}: outcomes have {data.n_categories} categories; {self.name} needs "
                f"success or failure{way_out}."
            )
            raise InputError(msg)
        found = evidence_of(
            data,
            weights=weights,
            pairing=self.options.get("pairing", "expected"),
            prior=self._auxiliary(),
        )
        if self.binary and not found.binary:
            msg = f"{self.name} needs success or failure: weights of 0 and 1, not {weights}."
            raise ArgumentError(msg)
        needs_trials = self.uses in {"events", "stream"} or found.pairing == "trial"
        if needs_trials and data.outcomes is None:
            way_out = "use pairing='expected'" if "pairing" in self.options else "give the trials"
            msg = (
                f"{data.source}: {self.name} needs the outcome of every trial, and only counts are "
                f"here; {way_out}."
            )
            raise InputError(msg)
        return found

    def _auxiliary(self) -> EmpiricalPrior | None:
        """Return auxiliary outcomes, given as such or as a prior."""
        if self.options.get("prior_outcomes") is None:
            prior = self.options.get("prior")
            return prior if isinstance(prior, EmpiricalPrior) else None
        return EmpiricalPrior(
            self.options["prior_outcomes"], weight=self.options.get("weight", 1.0)
        )

    def evaluate(self, evidence: Evidence) -> Floats:
        """Return scores of a batch of data sets.

        Parameters
        ----------
        evidence : Evidence
            The batch.

        Returns
        -------
        ndarray of float64, shape (batch, system)
            Higher is better.
        """
        kernel = partial(
            self.kernel, **{n: v for n, v in self.options.items() if n not in _OF_EVIDENCE}
        )
        scores = np.concatenate([kernel(block) for block in evidence.blocks()])
        if scores.shape != (evidence.batch, len(evidence.systems)):
            scores = np.broadcast_to(scores, (evidence.batch, len(evidence.systems))).copy()
        return scores + 0.0  # no negative zeros

    def __call__(self, data: Data) -> "xr.DataArray":
        """Return the scores of data, ``score(system)``, higher is better."""
        import xarray as xr

        return xr.DataArray(
            self.evaluate(self.evidence(data))[0],
            dims=("system",),
            coords={"system": list(data.systems)},
            name="score",
            attrs={"rule": self.name, "options": self.options_text},
        )

    def __repr__(self) -> str:
        """Name and options."""
        return f"<Rule {self.name}({self.options_text})>"

    @property
    def options_text(self) -> str:
        """The options in words: ``ties=half, variant=margin``; those not given are left out."""
        given = ((name, value) for name, value in self.options.items() if value is not None)
        return ", ".join(
            f"{name}={value if isinstance(value, _PLAIN) else 'given'}" for name, value in given
        )


# Options that say how evidence is built; kernels do not see them.
_OF_EVIDENCE: Mapping[str, Check] = MappingProxyType(
    {
        "weights": category_weights,
        "pairing": one_of(*PAIRINGS),
        "prior_outcomes": outcomes,
        "weight": auxiliary_weight,
    }
)

_WHY_NOT = {
    "counts": "scores questions, and comparisons have none",
    "pairs": "needs pair counts of responses",
    "events": "needs all models on the same trial, and a comparison has two",
    "stream": "needs the order of all trials, which comparisons have lost",
}

_RULES: dict[str, Rule] = {}


def rule[**P, R](
    *,
    family: str,
    uses: Uses,
    kernel: Kernel,
    comparisons: bool = False,
    monotone: bool = False,
    order_invariant: bool = True,
    replication_invariant: bool = True,
    fast: bool = True,
    equals_mean: Theorem | Callable[[Mapping[str, Any]], Theorem] = "never",
    binary: bool = False,
    **checks: Check,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Register a public function as a rule, with its kernel and the checks of its options.

    Names, summary and defaults are those of the function. Its options ``weights``,
    ``pairing``, ``prior_outcomes`` and ``weight`` say how evidence is built, have their checks
    here, and do not reach the kernel.
    """

    def register(function: Callable[P, R]) -> Callable[P, R]:
        name: str = function.__name__  # pyright: ignore[reportAttributeAccessIssue]
        options = {
            p.name: p.default
            for p in signature(function).parameters.values()
            if p.kind is Parameter.KEYWORD_ONLY
        }
        known = {n: checks[n] if n in checks else _OF_EVIDENCE[n] for n in options}
        _RULES[name] = Rule(
            name=name,
            family=family,
            summary=(getdoc(function) or "").split("\n", 1)[0],
            uses=uses,
            kernel=kernel,
            checks=MappingProxyType(known),
            options=MappingProxyType(options),
            comparisons=comparisons,
            monotone=monotone,
            order_invariant=order_invariant,
            replication_invariant=replication_invariant,
            fast=fast,
            binary=binary,
            theorem=equals_mean if callable(equals_mean) else _constant(equals_mean),
        )
        return function

    return register


def _constant(value: Theorem) -> Callable[[Mapping[str, Any]], Theorem]:
    return lambda _options: value


def names() -> tuple[str, ...]:
    """Return the names of all rules.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from bayesrank import rules
    >>> "schulze" in rules.names()
    True
    """
    return tuple(_RULES)


def catalogue() -> tuple[Rule, ...]:
    """Return all rules with their default options, family by family.

    Returns
    -------
    tuple of Rule

    Examples
    --------
    >>> from bayesrank import rules
    >>> next(rule.family for rule in rules.catalogue() if rule.name == "borda")
    'voting'
    """
    return tuple(_RULES.values())


def get(name: str, **options: Any) -> Rule:
    """Return a rule by its name, with options bound.

    Parameters
    ----------
    name : str
        Canonical name; `names` lists them.
    **options
        Options of the rule, as its function takes them.

    Returns
    -------
    Rule
        Callable on data.

    Raises
    ------
    ArgumentError
        For an unknown name or option (near ones are suggested), or a value that is not taken.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> schulze = rules.get("schulze", ties="half")
    >>> schulze(Responses.from_counts([[3, 7, 5], [5, 9, 1]], 10)).values
    array([0., 1.])
    """
    if name not in _RULES:
        msg = f"no rule {name!r}; `bayesrank rules list` shows all.{did_you_mean(name, _RULES)}"
        raise ArgumentError(msg)
    return _RULES[name].bind(**options)


def score(name: str, data: Data, **options: Any) -> "xr.DataArray":
    """Return the scores that a rule gives data: what each public function returns."""
    return get(name, **options)(data)
