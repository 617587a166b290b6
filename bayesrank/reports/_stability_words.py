"""What a stability study says in sentences, and its methods in classes of equal order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayesrank.data._html import plural
from bayesrank.ranking.digits import number_text

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Class", "answer", "best", "classes", "equal_in_words", "footer", "number", "spread"]

_UNKNOWN = "–"
# By so much more than usual, ties explain why an order is steady.
_MANY_TIES = 0.05
_TARGETS = {
    "gold": "the order of all trials",
    "self": "its own order of all trials",
}


@dataclass(frozen=True)
class Class:
    """Methods whose orders are the same in every subsample and on all trials.

    Attributes
    ----------
    label : str
        Its first method, and how many more there are.
    methods : tuple of str
        All of them.
    row : int
        Position of the first.
    """

    label: str
    methods: tuple[str, ...]
    row: int


def classes(study: "xr.Dataset") -> list[Class]:
    """Return the classes of a study, the one nearest to the gold standard first."""
    names, equal = _names(study), study["equal"].to_numpy()
    found: list[Class] = []
    for number_of in dict.fromkeys(equal.tolist()):
        rows = np.flatnonzero(equal == number_of)
        own = tuple(names[i] for i in rows)
        more = f" +{len(own) - 1}" if len(own) > 1 else ""
        found.append(Class(names[rows[0]] + more, own, int(rows[0])))
    return found


def number(value: float) -> str:
    """Return tau-b with the digits that tell orders of up to fifty models apart."""
    return _UNKNOWN if not np.isfinite(value) else number_text(float(value), places=3)


def spread(mean: float, sd: float) -> str:
    """Return a mean and a standard deviation in one cell."""
    if not np.isfinite(mean):
        return _UNKNOWN
    return number(mean) + (f" ± {number(sd)}" if np.isfinite(sd) else "")


def percent(share: float) -> str:
    """Return a share in whole percents; what rounds to 0 or 100 and is not, as a bound."""
    if not np.isfinite(share):
        return _UNKNOWN
    whole = round(100 * share)
    if whole == 0 and share > 0:
        return "<1"
    return ">99" if whole == 100 and share < 1 else str(whole)


def tie(names: Sequence[str], *, most: int = 1) -> str:
    """Return methods that share a place: ``bayes (21-way tie)``."""
    if len(names) <= most:
        return ", ".join(names) or "none"
    return f"{names[0]} ({len(names)}-way tie)"


def best(study: "xr.Dataset", target: str, budget: int) -> list[str]:
    """Return the methods that none does better than at a budget (its position)."""
    names = _names(study)
    first = study[f"best_{target}"].to_numpy()[:, budget]
    return [names[i] for i in np.flatnonzero(first)]


def lead(study: "xr.Dataset", target: str, budget: int) -> str:
    """Return by how much the best lead, with its standard error."""
    gap, error = (float(study[f"lead_{target}{end}"][budget]) for end in ("", "_se"))
    return "" if not np.isfinite(gap) else f"{gap:.4f} ± {error:.4f}"


def answer(study: "xr.Dataset") -> list[str]:
    """Return what came out: who is best with few trials, and how the methods agree on all."""
    n = int(study["trials"][0])
    count = plural(n, "trial")
    lines: list[str] = []
    for target, words in _TARGETS.items():
        names = best(study, target, 0)
        if not names:
            return [f"With {count} a cell no method ranks every subsample."]
        row = _names(study).index(names[0])
        tau = spread(*(float(study[f"tau_{target}{end}"][row, 0]) for end in ("", "_sd")))
        if target == "gold":
            lines.append(
                f"With {count} a cell, {tie(names)} comes nearest to {words} of "
                f"{plural(study.sizes['system'], 'model')}: tau-b {tau}."
            )
            lines += _lead_told(study)
        else:
            lines.append(
                f"Most consistent with {words}: {tie(names)}, tau-b {tau}.{_ties(study, row)}"
            )
    agree = study["consensus_mean"].to_numpy()
    if np.isfinite(agree).any():
        row = int(np.nanargmax(agree))
        alike = [
            name for name, a in zip(_names(study), agree, strict=True) if a >= agree[row] - 1e-9
        ]
        lines.append(
            f"On all trials {tie(alike)} agrees most with the other methods: "
            f"{number(agree[row])} on average."
        )
    return lines


def _ties(study: "xr.Dataset", row: int) -> str:
    """Say where an order is steady for the ties it holds: what it does not say cannot move."""
    tied, usual = float(study["tied"][row]), float(study["tied"].median())
    if tied < usual + _MANY_TIES:
        return ""
    return (
        f" It leaves {percent(tied)} % of all pairs tied on all trials (half of the methods "
        f"{percent(usual)} % or less): what it does not say cannot move."
    )


def _lead_told(study: "xr.Dataset") -> list[str]:
    """Say whether the lead of the best is more than the noise of the subsamples."""
    gap, error = (float(study[f"lead_gold{end}"][0]) for end in ("", "_se"))
    if not np.isfinite(gap) or bool(study.attrs["recorded_trials"]):
        return []
    sure = "more than" if gap > 2 * error else "within"
    line = (
        f"Its lead over the next best, {gap:.4f}, is {sure} two standard errors of these "
        f"subsamples ({error:.4f} each)."
    )
    return [line]


def equal_in_words(study: "xr.Dataset") -> list[str]:
    """Return a line for each class of several methods: equal by algebra, or here only."""
    names, theorem = _names(study), study["theorem"].to_numpy()
    key = {name: str(text) for name, text in zip(names, theorem, strict=True)}
    lines: list[str] = []
    for one in classes(study):
        if len(one.methods) < 2:
            continue
        by: dict[str, list[str]] = {}
        for name in one.methods:
            alike = [other for other in one.methods if key[other] == key[name]]
            by.setdefault(key[name] if len(alike) > 1 else "", []).append(name)
        parts = [
            f"by algebra ({text}): {', '.join(own)}"
            if text
            else f"in every subsample here: {', '.join(own)}"
            for text, own in sorted(by.items(), key=lambda part: not part[0])
        ]
        lines.append(f"{one.label}: equal {'; '.join(parts)}.")
    return lines


def overview(study: "xr.Dataset") -> list[str]:
    """Return how accuracies are spread over the models."""
    lines: list[str] = []
    for name, what in (
        ("accuracy_overview", "Accuracy"),
        ("greedy_overview", "Auxiliary outcomes"),
    ):
        if name in study:
            low, mean, high, sd = (number(float(x)) for x in study[name].to_numpy())
            lines.append(f"{what} of the models: {low} to {high}, mean {mean}, sd {sd}.")
    if "alignment" in study:
        lines.append(
            "Agreement of the auxiliary outcomes' order with the gold standard: tau-b "
            f"{number(float(study['alignment']))}."
        )
    return lines


def refusals(study: "xr.Dataset") -> list[str]:
    """Return which methods cannot rank the data, or some subsamples, and why: each reason once."""
    whole = zip(study["refused_rule"].to_numpy(), study["why"].to_numpy(), strict=True)
    lost = study["refused"].to_numpy().max(axis=1)
    some = [
        (name, str(why))
        for name, why, share in zip(_names(study), study["reason"].to_numpy(), lost, strict=True)
        if share > 0
    ]
    return [
        *(f"Not ranked: {line}" for line in _by_reason([(str(n), str(w)) for n, w in whole])),
        *(f"Some subsamples not ranked: {line}" for line in _by_reason(some)),
    ]


def _by_reason(reasons: Sequence[tuple[str, str]]) -> list[str]:
    found: dict[str, list[str]] = {}
    for name, why in reasons:
        bare = why.removeprefix(f"{name.partition(':')[0]} ")
        found.setdefault(bare, []).append(name)
    return [f"{', '.join(names)}: {why}" for why, names in found.items()]


def how(study: "xr.Dataset") -> str:
    """Return how subsamples were made."""
    attrs = study.attrs
    if attrs["recorded_trials"]:
        return f"each of the {attrs['resamples']} recorded trials in turn"
    return f"{attrs['resamples']} random draws of trials without replacement"


def footer(study: "xr.Dataset") -> list[str]:
    """Return what has to be known to read the study."""
    tau = (
        f"tau-b: mean ± sd over subsamples ({how(study)}). gold: to {study.attrs['reference']}; "
        "self: to the method's own order of all trials."
    )
    undefined = study["undefined"].to_numpy()
    lines = [tau]
    if (undefined > 0).any():
        worst = np.unravel_index(int(undefined.argmax()), undefined.shape)
        lines.append(
            "Subsamples in which a method ties all models have no tau-b and are left out: "
            f"{percent(float(undefined[worst]))} % of those of {_names(study)[int(worst[0])]} with "
            f"{plural(int(study['trials'][int(worst[1])]), 'trial')}."
        )
    return [
        *lines,
        *(str(note) for note in study.attrs["notes"]),
        f"Seed {study.attrs['seed']}. Data: {study.attrs['source']}.",
    ]


def _names(study: "xr.Dataset") -> list[str]:
    return [str(name) for name in study["rule"].to_numpy()]
