"""What moved since an earlier build of the same leaderboard."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank.ranking._words import table_cells, table_order
from bayesrank.ranking.digits import probability_text
from bayesrank.reports.page._intervals import span
from bayesrank.typing import FloatArray

if TYPE_CHECKING:
    from bayesrank.ranking import Ranking

__all__ = ["Change", "Changes", "changes_between"]

NEW, GONE, UP, DOWN, SAME = "new", "gone", "up", "down", "not shown to have moved"


@dataclass(frozen=True)
class Change:
    """One model before and now.

    Attributes
    ----------
    model : str
        Its name.
    what : str
        "new", "gone", "up" or "down" where the rank intervals do not meet, or that it is not shown
        to have moved.
    before, now : dict
        ``rank``, ``ranks`` (the interval) and ``p_best`` as text, and ``p_best_value``; empty where
        it was not there. Ranks are among the models of both builds.
    ahead : str
        Probability that its score is above what it was; empty where scores cannot be compared.
    """

    model: str
    what: str
    before: dict[str, Any]
    now: dict[str, Any]
    ahead: str = ""


@dataclass(frozen=True)
class Changes:
    """What moved in one benchmark.

    Attributes
    ----------
    same : bool
        Whether it is the same posterior.
    rows : sequence of Change
        In the order of the ranking now; those that are gone last.
    notes : sequence of str
        What has to be known to compare both.
    """

    same: bool
    rows: Sequence[Change] = ()
    notes: Sequence[str] = ()

    def named(self, what: str) -> list[str]:
        """Return the models of one kind of change."""
        return [row.model for row in self.rows if row.what == what]

    @property
    def sentence(self) -> str:
        """The whole in one sentence."""
        if self.same:
            return "The posterior is that of the previous build: nothing moved."
        counted = {
            "new": len(self.named(NEW)),
            "gone": len(self.named(GONE)),
            "moved up": len(self.named(UP)),
            "moved down": len(self.named(DOWN)),
        }
        told = [f"{n} {what}" for what, n in counted.items() if n]
        if told:
            return f"{', '.join(told)}; no other model is shown to have moved."
        return "No model is shown to have moved."


def changes_between(before: "Ranking", now: "Ranking") -> Changes:
    """Return what moved from one ranking of a benchmark to the next.

    Ranks are compared among the models that both rank: a new model at the top moves nobody.
    """
    if before.scores.equals(now.scores):
        return Changes(same=True)
    old, new = set(before.systems), set(now.systems)
    common = [name for name in now.systems if name in old]
    gone = [name for name in before.systems if name not in new]
    notes = _notes(before, now)
    comparable = before.record.estimand == now.record.estimand
    then, today = (_cells(ranking, common) for ranking in (before, now))
    ahead = _ahead(before, now, common) if comparable else {}
    rows = [
        _change(name, then.get(name), today.get(name), ahead.get(name, ""))
        for name in (*(now.systems[i] for i in table_order(now.dataset)), *gone)
    ]
    if gone or len(common) < len(now.systems):
        notes.append("Ranks before and now are among the models that both builds have.")
    return Changes(same=False, rows=rows, notes=notes)


def _change(
    name: str, before: dict[str, Any] | None, now: dict[str, Any] | None, ahead: str
) -> Change:
    if before is None or now is None:
        return Change(name, NEW if before is None else GONE, before or {}, now or {})
    if now["high"] < before["low"]:
        what = UP
    elif now["low"] > before["high"]:
        what = DOWN
    else:
        what = SAME
    return Change(name, what, before, now, ahead)


def _cells(ranking: "Ranking", common: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what is compared, by model: among the common ones, and of the others P(best) alone."""
    if not common:
        return {name: {} for name in ranking.systems}
    whole = len(common) == len(ranking.systems)
    found = ranking if whole else ranking.select(common)
    data = found.dataset
    texts = table_cells(data, [""] * len(common))
    cells: dict[str, dict[str, Any]] = {name: {} for name in ranking.systems}
    for i, name in enumerate(found.systems):
        low, high = (int(data[v].to_numpy()[i]) for v in ("rank_low", "rank_high"))
        cells[name] = {
            "rank": str(texts["rank"].iloc[i]),
            "low": low,
            "high": high,
            "ranks": span(low, high),
            "p_best": str(texts["p_best"].iloc[i]),
            "p_best_value": float(data["p_best"].to_numpy()[i]),
        }
    return cells


def _ahead(before: "Ranking", now: "Ranking", common: Sequence[str]) -> dict[str, str]:
    """Return the probability that a score is above what it was, both posteriors independent."""
    worth = min(int(r.dataset.attrs["effective_draws"]) for r in (before, now))
    found: dict[str, str] = {}
    for name in common:
        old, new = (r.scores.sel(system=name).to_numpy().ravel() for r in (before, now))
        p = _above(new, old)
        mcse = math.sqrt(max(p * (1 - p), 1 / worth) / worth)
        found[name] = probability_text(p, mcse=mcse, n_draws=worth)
    return found


def _above(new: FloatArray, old: FloatArray) -> float:
    """Return the share of pairs in which the first is larger, half of those that tie."""
    ordered = np.sort(old)
    below = np.searchsorted(ordered, new, side="left")
    upto = np.searchsorted(ordered, new, side="right")
    return float((below + upto).mean() / (2 * old.size))


def _notes(before: "Ranking", now: "Ranking") -> list[str]:
    told = {
        "population": (before.record.population, now.record.population),
        "model": (before.record.model, now.record.model),
        "score": (before.record.estimand, now.record.estimand),
    }
    return [
        f"The {what} is another than before: {old} then, {new} now."
        for what, (old, new) in told.items()
        if old != new
    ]
