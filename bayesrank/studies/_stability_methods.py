"""Methods of a stability study: rules, Bayesian models with a closed form, a user's functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import pooled_posterior
from bayesrank.rules import Rule, catalogue, get, names
from bayesrank.studies._rule_draws import label_of

__all__ = ["GREEDY", "POOLED", "Function", "Method", "Methods", "chosen_methods"]

type Floats = NDArray[np.float64]
type Function = Callable[[Responses], ArrayLike]
type Methods = Literal["fast", "all"] | Sequence[str | Rule | tuple[str, Function]]

GREEDY = "bayes_greedy"
"""Bayes@N whose prior holds each model's auxiliary outcomes."""
POOLED = "bayes_pooled"
"""Bayes@N under a Beta for each model, learned from its questions: the posterior mean."""
_GROUPS = ("fast", "all")


@dataclass(frozen=True, eq=False)
class Method:
    """What ranks a data set: a rule with its options, or a function from responses to scores.

    Attributes
    ----------
    label : str
        What it is called in the result.
    rule_name : str
        Name of the rule; empty for a function.
    options : mapping of str to object
        Options of the rule.
    function : callable or None
        From responses to a score for each model.
    """

    label: str
    rule_name: str = ""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    function: Function | None = None

    @cached_property
    def rule(self) -> Rule | None:
        """The rule, made from its name: the checks of its options do not travel to processes."""
        return get(self.rule_name, **self.options) if self.rule_name else None

    def __getstate__(self) -> dict[str, Any]:
        """Leave the rule behind; it is made again where it is needed."""
        return {name: value for name, value in self.__dict__.items() if name != "rule"}

    @property
    def needs_trials(self) -> bool:
        """Whether it goes through single trials."""
        rule = self.rule
        return rule is not None and (
            rule.uses in ("events", "stream") or rule.options.get("pairing") == "trial"
        )

    @property
    def learns(self) -> bool:
        """Whether a weight is learned from each data set, which then cannot go in batches."""
        return isinstance(self.options.get("weight"), str)

    def scores(self, responses: Responses) -> Floats:
        """Return the scores of one data set, shape (system,)."""
        if self.rule is not None:
            return self.rule.evaluate(self.rule.evidence(responses))[0]
        assert self.function is not None  # one or the other
        found = np.asarray(self.function(responses), dtype=np.float64)
        if found.shape != (len(responses.systems),):
            msg = (
                f"{responses.source}: method {quoted(self.label)} gives scores of shape "
                f"{found.shape}; one for each of {len(responses.systems)} models was expected."
            )
            raise InputError(msg)
        return found

    def described(self) -> str:
        """Return what decides its numbers, for the configuration of a study."""
        if self.rule is not None:
            return f"{self.label} = {self.rule_name}({self.rule.options_text})"
        function: Any = self.function
        return f"{self.label} = {getattr(function, '__qualname__', type(function).__name__)}"


def chosen_methods(
    methods: Methods, *, weights: ArrayLike | None, greedy: Mapping[str, Any] | None
) -> dict[str, Method]:
    """Return methods by label; `greedy` are the options of `bayes` that make `bayes_greedy`."""
    if isinstance(methods, str):
        if methods not in _GROUPS:
            way_out = did_you_mean(methods, _GROUPS) or f" One method is a list: [{methods!r}]."
            msg = f"methods={methods!r} is not known; use 'fast', 'all' or a list.{way_out}"
            raise ArgumentError(msg)
        chosen: list[str | Rule | tuple[str, Function]] = [
            rule for rule in catalogue() if methods == "all" or rule.fast
        ]
    else:
        chosen = list(methods)
    if not chosen:
        msg = "methods is empty; name at least one, or use 'fast' or 'all'."
        raise ArgumentError(msg)
    if greedy is not None and GREEDY not in chosen:
        chosen.append(GREEDY)
    found: dict[str, Method] = {}
    for each in chosen:
        method = _method(each, weights, greedy)
        if method.label in found:
            msg = f"method {quoted(method.label)} is named twice; name each once."
            raise ArgumentError(msg)
        found[method.label] = method
    return found


def _method(
    each: str | Rule | tuple[str, Function],
    weights: ArrayLike | None,
    greedy: Mapping[str, Any] | None,
) -> Method:
    if isinstance(each, tuple):
        label, function = each
        return Method(label, function=function)
    if each == POOLED:
        if weights is not None:
            msg = f"{POOLED} is for success or failure, and takes no weights; leave it out."
            raise ArgumentError(msg)
        return Method(POOLED, function=_pooled)
    if each == GREEDY:
        if greedy is None:
            msg = f"{GREEDY} needs auxiliary outcomes; give them, or leave it out."
            raise ArgumentError(msg)
        return Method(GREEDY, "bayes", {**greedy, "weights": weights})
    if isinstance(each, str) and each not in names():
        near = did_you_mean(each, [*names(), GREEDY, POOLED])
        msg = f"no method {quoted(each)}; `bayesrank rules list` shows the rules.{near}"
        raise ArgumentError(msg)
    rule = get(each) if isinstance(each, str) else each
    options = dict(rule.options)
    if "weights" in options and options["weights"] is None:
        options["weights"] = weights
    return Method(label_of(rule), rule.name, options)


def _pooled(responses: Responses) -> Floats:
    return np.asarray(pooled_posterior(responses).mean_scores(), dtype=np.float64)
