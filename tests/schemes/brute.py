"""The shipped schemes a second time, by hand: one function each, row by row in plain Python."""

from collections.abc import Callable
from types import SimpleNamespace


def percentile(values: list[float], p: float) -> float:
    """Linear between order statistics."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * p / 100
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def facts(rows: list[dict], *, pooled: bool = False) -> list[SimpleNamespace]:
    """What the issue derives from signals, for rows without a missing signal."""
    found = []
    bounds = {}
    for row in rows:
        group = "" if pooled else row["model"]
        if group not in bounds:
            peers = [r for r in rows if pooled or r["model"] == group]
            bounds[group] = {
                "P40": percentile([r["completion_bpt"] for r in peers], 40),
                "wrong P60": percentile(
                    [r["completion_bpt"] for r in peers if r["is_correct"] == 0], 60
                ),
                "P90": percentile([r["prompt_bpt"] for r in peers], 90),
                "P33": percentile([r["token_ratio"] for r in peers], 33),
                "P66": percentile([r["token_ratio"] for r in peers], 66),
            }
        bound = bounds[group]
        votes = {label: row[f"compass_{label}"] for label in "ABC"}
        found.append(
            SimpleNamespace(
                right=row["is_correct"] == 1,
                box=row["has_box"] == 1,
                repeated=row["repeated_pattern"] == 1,
                invalid=row["repeated_pattern"] == 1 or votes["C"] >= 0.5,
                confident=row["completion_bpt"] <= bound["P40"],
                wrong_confident=row["is_correct"] == 0
                and row["completion_bpt"] <= bound["wrong P60"],
                unusual=row["prompt_bpt"] >= bound["P90"],
                economical=row["token_ratio"] <= bound["P33"],
                verbose=row["token_ratio"] > bound["P66"],
                label=max("ABC", key=votes.__getitem__),
                high=votes["A"] >= 0.6,
            )
        )
    return found


def _first(*held: bool) -> int:
    return held.index(True)


def _verifier(f: SimpleNamespace) -> int:
    return 0 if f.repeated else 1 + "CBA".index(f.label)


def _by_right(f: SimpleNamespace, more: bool) -> int:
    return 2 * f.right + more


BY_LETTER: dict[str, Callable[[SimpleNamespace], int]] = {
    "A": lambda f: int(f.right),
    "H": lambda f: int(f.right and not f.invalid),
    "S": lambda f: 2 if f.right else int(f.box),
    "Y": lambda f: 0 if f.invalid else 1 + f.right,
    "C": lambda f: 2 + f.confident if f.right else int(not f.wrong_confident),
    "I": lambda f: 2 + f.confident if f.right else int(not f.wrong_confident),
    "J": lambda f: 2 if f.right else int(not f.wrong_confident),
    "V": lambda f: _first(
        f.invalid, f.wrong_confident, not f.right, f.right and not f.confident, f.right
    ),
    "B": lambda f: _by_right(f, f.box),
    "P": lambda f: 1 + f.right if f.box else 0,
    "T": lambda f: 0 if f.repeated else 1 + _by_right(f, f.box),
    "F": lambda f: _by_right(f, not f.verbose),
    "G": lambda f: 0 if not f.right else _first(False, f.verbose, not f.economical, True),
    "M": lambda f: _first(
        f.invalid,
        not f.right and f.verbose,
        not f.right,
        f.verbose,
        not f.economical,
        True,
    ),
    "D": _verifier,
    "K": lambda f: 2 + f.high if f.right else int(not f.high),
    "O": _verifier,
    "U": lambda f: 2 + (f.label == "A") if f.right else int(f.label != "A"),
    "Z": lambda f: "CBA".index(f.label) + (f.label == "A" and f.high),
    "E": lambda f: _by_right(f, f.unusual),
    "N": lambda f: _by_right(f, f.unusual),
    "W": lambda f: 2 + f.unusual if f.right else int(not f.wrong_confident),
    "L": lambda f: 2 if f.right else int(not f.box),
    "Q": lambda f: 2 if f.right else int(not f.box or f.repeated),
    "R": lambda f: _first(
        f.invalid, f.wrong_confident, not f.right, not f.box, f.verbose, not f.high, True
    ),
}
