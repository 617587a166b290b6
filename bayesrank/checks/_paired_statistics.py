"""What is looked at in comparisons: win rates, ties, the side, and triads that go in circles."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pymc as pm
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bayesrank.checks._statistics import Statistics
from bayesrank.data import Comparisons
from bayesrank.data._cells import group
from bayesrank.likelihoods._hodge_cycles import count_intransitive, count_triads
from bayesrank.models._attach import Attachment

type Floats = NDArray[np.float64]

OBSERVED = "outcomes"


@dataclass(frozen=True, eq=False)
class PairedStatistics:
    """Statistics of the counts of a paired-comparison model.

    Attributes
    ----------
    systems : tuple of str
        Names of models.
    first, second : ndarray, shape (comparison,)
        The two models of each cell of the model.
    ties : int or None
        Where ties are among the outcomes, None where they are not.
    judges : tuple of str, and judge : ndarray or None
        Names of judges, and the judge of each cell, where the model knows them.
    sides : Sides or None
        How sides are told, None where they are not known.
    """

    systems: tuple[str, ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    ties: int | None
    judges: tuple[str, ...]
    judge: NDArray[np.int64] | None
    sides: "Sides | None"

    @classmethod
    def of(cls, model: pm.Model, attachment: Attachment) -> Self:
        """Return the statistics of a model of comparisons."""
        data = attachment.data
        assert isinstance(data, Comparisons)
        labels = [str(label) for label in model.coords["outcome"] or ()]
        first, second = (_value(model, name) for name in ("first", "second"))
        judged = "judge_index" in model.named_vars
        return cls(
            systems=data.systems,
            first=first,
            second=second,
            ties=labels.index("tie") if "tie" in labels else None,
            judges=tuple(map(str, model.coords["judge"] or ())) if judged else (),
            judge=_value(model, "judge_index") if judged else None,
            sides=Sides.of(model, attachment, first),
        )

    @property
    def size(self) -> int:
        """Numbers of one replicate."""
        return len(self.first) * (2 if self.ties is None else 3)

    def observed(self, model: pm.Model) -> Statistics:
        """Return the statistics of what was observed."""
        counts = _value(model, "outcomes_observed")[np.newaxis]
        side = None if self.sides is None else self.sides.observed
        return self._of_counts(counts, side)

    def replicated(self, counts: NDArray[Any], *, rng: np.random.Generator) -> Statistics:
        """Return the statistics of replicates, shape (draw, comparison, outcome)."""
        side = None if self.sides is None else self.sides.replicated(counts, rng=rng)
        return self._of_counts(counts, side)

    def _of_counts(self, counts: NDArray[Any], side: Floats | None) -> Statistics:
        win, loss = counts[..., 0].astype(float), counts[..., -1].astype(float)
        tie = np.zeros_like(win) if self.ties is None else counts[..., self.ties].astype(float)
        total = win + loss + tie
        size = len(self.systems)
        as_first, as_second = _adder(self.first, size), _adder(self.second, size)
        points = (win + tie / 2) @ as_first + (loss + tie / 2) @ as_second
        took_part = total @ as_first + total @ as_second
        found: Statistics = {"win rate": (self.systems, _share(points, took_part))}
        if self.ties is not None:
            found["tie rate"] = (("all",), _share(tie.sum(-1), total.sum(-1))[:, np.newaxis])
            if self.judge is not None:
                by_judge = _adder(self.judge, len(self.judges))
                rate = _share(tie @ by_judge, total @ by_judge)
                found["tie rate of a judge"] = (self.judges, rate)
        if side is not None:
            found["side advantage"] = (("first less second",), side[:, np.newaxis])
        triads = self._intransitive(win - loss, total)
        if triads is not None:
            found["intransitive triads"] = (("share of triads",), triads[:, np.newaxis])
        return found

    def _intransitive(self, margin: Floats, total: Floats) -> Floats | None:
        """Return the share of triads that go in a circle by the majority of each pair."""
        size = len(self.systems)
        turned = self.first > self.second
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        pairs, pair = np.unique(low * size + high, return_inverse=True)
        met = np.zeros((size, size), dtype=np.bool_)
        seen = pairs[np.bincount(pair, total[0]) > 0]
        met[seen // size, seen % size] = True
        triads = count_triads(met | met.T)
        if triads == 0:
            return None
        margins = np.where(turned, -margin, margin) @ _adder(pair, len(pairs))
        shares = np.empty(len(margins))
        for draw, row in enumerate(margins):
            ahead = np.zeros((size, size), dtype=np.bool_)
            ahead[pairs // size, pairs % size] = row > 0
            ahead[pairs % size, pairs // size] = row < 0
            shares[draw] = count_intransitive(ahead) / triads
        return shares


@dataclass(frozen=True, eq=False)
class Sides:
    """How comparisons of each cell fall on the two sides.

    A model without a side effect has one cell for both orders of a pair: which of its outcomes
    fell on which order is then drawn anew, given how often each order was shown.

    Attributes
    ----------
    observed : ndarray, shape (1,)
        How much more often the model shown first won, as a share of the decisive comparisons.
    shown : ndarray of int64, shape (comparison,), or None
        Comparisons in which the first model of the cell was shown first; None for all.
    """

    observed: Floats
    shown: NDArray[np.int64] | None

    @classmethod
    def of(
        cls, model: pm.Model, attachment: Attachment, first: NDArray[np.int64]
    ) -> "Sides | None":
        """Return how sides are told, or None where they are not or counts are not whole."""
        data = attachment.data
        counts = _value(model, "outcomes_observed")
        if not isinstance(data, Comparisons) or not data.sided or counts.dtype.kind != "i":
            return None
        won, lost = data.wins.sum(), data.losses.sum()
        if won + lost == 0:
            return None
        observed = np.array([(won - lost) / (won + lost)])
        if "side" in model.named_vars:
            return cls(observed, None)
        settings = attachment.settings
        keep = [
            name
            for name, there in (
                ("judge", "judge_index" in model.named_vars),
                ("category", settings.get("categories")),
                ("period", settings.get("periods")),
            )
            if there
        ]
        shown = _shown_first(data, keep=keep, ties=counts.shape[1] == 3)
        # Cells that are not those of the model would be shared out wrongly.
        return cls(observed, shown) if len(shown) == len(first) else None

    def replicated(self, counts: NDArray[Any], *, rng: np.random.Generator) -> Floats:
        """Return the side advantage of each replicate, shape (draw,)."""
        win, loss = counts[..., 0], counts[..., -1]
        if self.shown is None:
            return _share((win - loss).sum(-1), (win + loss).sum(-1))
        tie = counts.sum(-1) - win - loss
        won_shown = rng.hypergeometric(win, loss + tie, np.minimum(self.shown, win + loss + tie))
        left = np.minimum(self.shown, win + loss + tie) - won_shown
        lost_shown = rng.hypergeometric(loss, tie, left)
        # The second model of a cell was shown first in the comparisons that remain.
        first_won = won_shown + (loss - lost_shown)
        decisive = (win + loss).sum(-1)
        return _share(2 * first_won.sum(-1) - decisive, decisive)


def _shown_first(data: Comparisons, *, keep: list[str], ties: bool) -> NDArray[np.int64]:
    """Return in how many comparisons of each unsided cell its first model was shown first."""
    fine = data.collapse(keep=keep, sided=True, covariates=bool(data.covariates))
    turned = fine.first > fine.second
    values = [np.where(turned, -v, v) for v in fine.covariates.values()]
    low, high = np.minimum(fine.first, fine.second), np.maximum(fine.first, fine.second)
    codes = [fine.factors[name].codes for name in keep]
    where, cell = group([low, high, *codes, *values])
    n = fine.n_comparisons if ties else fine.wins + fine.losses
    shown = np.bincount(cell, np.where(turned, 0.0, n), len(where))
    return shown.astype(np.int64)


def _value(model: pm.Model, name: str) -> NDArray[Any]:
    variable: Any = model[name]
    return np.asarray(variable.get_value())


def _adder(codes: NDArray[np.integer], size: int) -> Any:
    """Return a sparse matrix that sums cells by code."""
    ones = np.ones(len(codes))
    return csr_array((ones, (np.arange(len(codes)), codes)), shape=(len(codes), size))


def _share(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)
