"""What a comparison of rules says in sentences: the answer, the orders, what was refused."""

from collections.abc import Iterable, Mapping
from string import ascii_uppercase
from typing import TYPE_CHECKING

import numpy as np

from bayesrank._text import quoted
from bayesrank.data._html import plural
from bayesrank.ranking.digits import number_text
from bayesrank.reports._cells import joined

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

__all__ = [
    "answer",
    "footer",
    "letters",
    "members",
    "number",
    "orders_in_words",
    "span",
    "without_intervals",
]

# What a sentence names before it only counts.
_MOST_DISPUTES = 3


def number(value: float) -> str:
    """Return tau-b with the digits that tell orders of up to fifty models apart."""
    return "?" if not np.isfinite(value) else number_text(value, places=3)


def span(low: float, high: float) -> str:
    """Return an interval of tau-b, or nothing where there is none."""
    known = np.isfinite(low) and np.isfinite(high)
    return joined([number(low)], [number(high)])[0] if known else ""


def letters(numbers: Iterable[int]) -> list[str]:
    """Return orders as letters: A, B, ..., Z, AA, AB, ..."""
    found: list[str] = []
    for each in numbers:
        text, rest = "", int(each)
        while rest:
            rest, letter = divmod(rest - 1, len(ascii_uppercase))
            text = ascii_uppercase[letter] + text
        found.append(text)
    return found


def members(found: "xr.Dataset") -> dict[str, list[tuple[str, list[str]]]]:
    """Return the rules of each order: what decides it by algebra (or nothing), and which rules."""
    names = [str(name) for name in found["rule"].to_numpy()]
    theorem = [str(text) for text in found["theorem"].to_numpy()]
    orders: dict[str, dict[str, list[str]]] = {}
    for letter, name, key in zip(letters(found["order"].to_numpy()), names, theorem, strict=True):
        # A theorem about one rule alone makes nothing equal.
        shared = key if theorem.count(key) > 1 else ""
        orders.setdefault(letter, {}).setdefault(shared, []).append(name)
    return {
        letter: sorted(groups.items(), key=lambda group: not group[0])
        for letter, groups in orders.items()
    }


def answer(found: "xr.Dataset", contested: "pd.DataFrame") -> list[str]:
    """Return what came out: how many orders there are, what moves them, and what is contested."""
    reference, n = str(found.attrs["reference"]), found.sizes["rule"]
    models, orders = found.sizes["system"], int(found["order"].max())
    lines = [
        "".join(
            (
                f"{plural(n, 'rule')} give {plural(orders, 'order')} of {plural(models, 'model')}.",
                _alike(found),
            )
        )
    ]
    others = found.isel(rule=slice(1, None))
    tau = others["tau_b"].to_numpy()
    if np.isfinite(tau).any():
        far = int(np.nanargmin(tau))
        middle, least = (number(float(t)) for t in (np.nanmedian(tau), tau[far]))
        lines.append(
            f"Rules move the order: the median of tau-b to {reference} is {middle}, the least is "
            f"{least} ({others['rule'].to_numpy()[far]}). New {_anew(found)} move it too: "
            f"{reference} agrees with its own order by {_self_tau(found)}."
        )
    if contested.empty:
        return [*lines, "No two rules order a pair of models oppositely."]
    count, pairs = len(contested), models * (models - 1) // 2
    apart = int(np.count_nonzero(contested["told_apart"].to_numpy()))
    told = {0: "none", count: "all"}.get(apart, f"{apart}")
    lines.append(
        f"{plural(count, 'pair')} of {pairs:,} {'is' if count == 1 else 'are'} ordered oppositely "
        f"by some rules; {reference} itself tells {told} of them apart at {_level(found)}."
        f"{_disputes(contested)}"
    )
    return lines


def _alike(found: "xr.Dataset") -> str:
    first = found["order"].to_numpy() == 1
    others = int(first.sum()) - 1
    if not others:
        return f" None of the others has the order of {found.attrs['reference']}."
    theorem = found["theorem"].to_numpy()
    proven = int((first & (theorem == theorem[0])).sum()) - 1 if theorem[0] else 0
    by = f", {proven} by algebra" if proven else ""
    return f" {others} of the others {_have(others)} the order of {found.attrs['reference']}{by}."


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def _anew(found: "xr.Dataset") -> str:
    population = str(found.attrs["population"])
    return "runs" if population == "trials" else population


def _self_tau(found: "xr.Dataset") -> str:
    mean, low, high = (float(found.attrs[f"self_tau_b{end}"]) for end in ("", "_low", "_high"))
    return f"tau-b {number(mean)} on average ({span(low, high)})"


def _disputes(contested: "pd.DataFrame") -> str:
    """Say which pairs are told apart and contested all the same: there the rule decides."""
    columns = ("above", "below", "rules_for", "rules_against", "told_apart")
    rows = zip(*(contested[name].tolist() for name in columns), strict=True)
    sure = sorted((row for row in rows if row[-1]), key=lambda row: -row[3])
    if not sure:
        return ""
    named = [
        f"{quoted(above, 40)} over {quoted(below, 40)} ({votes} to {against})"
        for above, below, votes, against, _ in sure[:_MOST_DISPUTES]
    ]
    more = f" and {len(sure) - len(named)} more" if len(sure) > len(named) else ""
    return f" There the rule decides: {', '.join(named)}{more}."


def orders_in_words(found: "xr.Dataset") -> list[str]:
    """Return one line for each order of several rules: equal by algebra, or on these data only."""
    lines: list[str] = []
    for letter, groups in members(found).items():
        if sum(len(names) for _, names in groups) < 2:
            continue
        parts = [
            f"equal by algebra ({key}): {', '.join(names)}"
            if key
            else f"equal on these data{' only' * (len(groups) > 1)}: {', '.join(names)}"
            for key, names in groups
        ]
        lines.append(f"{letter}, {'; '.join(parts)}.")
    return lines


def without_intervals(found: "xr.Dataset") -> list[str]:
    """Return which rules could not be drawn, or not rank at all, and why: each reason once."""
    own = {
        str(name): str(why)
        for name, why in zip(
            found["rule"].to_numpy(), found["why_no_interval"].to_numpy(), strict=True
        )
        if str(why)
    }
    refused = {
        str(name): str(why)
        for name, why in zip(found["refused"].to_numpy(), found["reason"].to_numpy(), strict=True)
    }
    return [
        *(f"No intervals: {line}" for line in _by_reason(own)),
        *(f"Not ranked: {line}" for line in _by_reason(refused)),
    ]


def _by_reason(reasons: Mapping[str, str]) -> list[str]:
    """Return lines such as ``elo, glicko: ...``; most reasons begin with the name of their rule."""
    rules: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        bare = reason.removeprefix(f"{name.partition(':')[0]} ")
        rules.setdefault(bare, []).append(name)
    return [f"{', '.join(names)}: {reason}" for reason, names in rules.items()]


def footer(found: "xr.Dataset") -> list[str]:
    """Return what has to be known to read the comparison."""
    reference, attrs = str(found.attrs["reference"]), found.attrs
    order = (
        f"Order: rules of one letter order these models alike, ties included; A is that of "
        f"{reference}."
    )
    tau_b = (
        f"tau-b: agreement with the order of {reference} on the observed data (1 the same, -1 "
        f"reversed); paired: {_level(found)} of the draws, each rule against {reference} in the "
        f"same draw."
    )
    draws = (
        f"Population: {attrs['population']}; {attrs['draws']:,} draws, the same for all rules. "
        f"Prior: {attrs['prior']}."
    )
    lines = [order, tau_b, draws]
    tau, low, high = (found[v].to_numpy() for v in ("tau_b", "tau_b_low", "tau_b_high"))
    if ((tau < low - 1e-9) | (tau > high + 1e-9)).any():
        lines.append(
            "Some tau-b, which come from the observed data, lie outside their intervals: draws "
            "hold more noise than the data, and other ties."
        )
    return [*lines, *(str(note) for note in attrs["notes"]), f"Data: {attrs['source']}."]


def _level(found: "xr.Dataset") -> str:
    return f"{100 * float(found.attrs['ci_prob']):g} %"
