"""Which rules order data alike by algebra, whatever the outcomes: theorems, and where they hold.

Each theorem is one entry of `THEOREMS`: what decides the order, in words, and which rules on which
data it is about. Rules with the same key order the data alike, ties included; that other rules
order some data alike is a property of those data.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from bayesrank.rules._evidence import Evidence
from bayesrank.rules._registry import Rule

__all__ = ["THEOREMS", "Theorem", "order_key"]

_FLAT = (None, "uniform")
_SUCCESS = (0.0, 1.0)


@dataclass(frozen=True)
class Theorem:
    """What decides the order of several rules.

    Attributes
    ----------
    decides : str
        What decides it, in words, with the same options for the same key.
    because : str
        Why, and where: one sentence for readers.
    key : callable
        Options that have to be equal, of a rule on data that the theorem is about; None otherwise.
    """

    decides: str
    because: str
    key: Callable[[Rule, Evidence], tuple[object, ...] | None]


def order_key(rule: Rule, evidence: Evidence) -> str | None:
    """Return what decides the order of a rule on these data, or None where no theorem says.

    Parameters
    ----------
    rule : Rule
        With its options.
    evidence : Evidence
        From `evidence_of` of the data.

    Returns
    -------
    str or None
        Two rules with the same text order the data alike, ties included.
    """
    for theorem in THEOREMS:
        if (options := theorem.key(rule, evidence)) is not None:
            return theorem.decides.format(*options)
    return None


def _mean(rule: Rule, evidence: Evidence) -> tuple[()] | None:
    """Match rules that are the mean, or are ordered by it on complete data with equal trials."""
    if evidence.pair_counts is not None or not _plain(rule, evidence):
        return None
    if rule.name == "mean" or _attempts_needed(rule) == (1, 1) or _is_share_of_successes(rule):
        return ()
    if not (evidence.complete and evidence.same_trials):
        return None
    if rule.options.get("pairing") == "trial" and not _matched(evidence):
        return None
    if rule.equals_mean == "always":
        return ()
    once = bool((evidence.known_trials == 1).all())
    return () if rule.equals_mean == "one trial" and once else None


def _attempts(rule: Rule, evidence: Evidence) -> tuple[int, int] | None:
    """Match metrics that ask for so many successes in so many attempts."""
    if evidence.pair_counts is not None or not _plain(rule, evidence):
        return None
    return _attempts_needed(rule)


def _wins(rule: Rule, evidence: Evidence) -> tuple[str, object] | None:
    """Match the two names of one likelihood of who won against whom."""
    if rule.name not in ("bradley_terry", "plackett_luce") or not _plain(rule, evidence):
        return None
    prior: object = rule.options["prior"]
    if rule.options.get("ties", "drop") != "drop" or not isinstance(prior, str | float | None):
        return None
    return str(rule.options["pairing"]), "none" if prior in _FLAT else prior


def _plain(rule: Rule, evidence: Evidence) -> bool:
    """Whether outcomes are failures and successes, and the rule takes them as such."""
    if evidence.pair_counts is not None:
        return True
    weights = rule.options.get("weights")
    return tuple(evidence.known_weights) == _SUCCESS and weights in (None, _SUCCESS)


def _matched(evidence: Evidence) -> bool:
    return evidence.outcomes is not None and bool((evidence.outcomes >= 0).all())


def _at_least_a_share(options: Mapping[str, Any]) -> int:
    return max(1, ceil(Fraction(repr(options["tau"])) * options["k"]))


# How many of k attempts have to succeed.
_SUCCESSES: dict[str, Callable[[Mapping[str, Any]], int]] = {
    "pass_at_k": lambda options: 1,  # noqa: ARG005
    "max_at_k": lambda options: 1,  # noqa: ARG005
    "pass_hat_k": lambda options: options["k"],
    "g_pass_at_k": _at_least_a_share,
    "maj_at_k": lambda options: options["k"] // 2 + 1,
}


def _attempts_needed(rule: Rule) -> tuple[int, int] | None:
    """Return how many successes of how many attempts a metric is the probability of."""
    k: int = rule.options.get("k", 0)
    if rule.name in _SUCCESSES:
        return _SUCCESSES[rule.name](rule.options), k
    # Of two or three attempts only the last success is beyond half of them.
    return (k, k) if rule.name == "mg_pass_at_k" and k in (2, 3) else None


def _is_share_of_successes(rule: Rule) -> bool:
    """Whether a metric's mean over sets of attempts is the mean of the outcomes."""
    if rule.name in ("auc_at_k", "geometric_at_k"):
        return rule.options["k"] == 1
    return rule.name == "threshold_spectrum" and rule.options["threshold_weights"] is None


THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        "the mean",
        "On complete 0/1 data with the same number of trials everywhere, a pair's share of wins "
        "is 1/2 plus half the difference of the means, and sums of successes are sufficient.",
        _mean,
    ),
    Theorem(
        "{0} of {1} attempts succeed",
        "The metrics are the probability of the same event, or a multiple of it.",
        _attempts,
    ),
    Theorem(
        "wins of pairs (pairing {0}, prior {1})",
        "Plackett-Luce on pair counts is Bradley-Terry.",
        _wins,
    ),
)
