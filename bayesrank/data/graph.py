"""Who met whom: what a graph of comparisons can and cannot tell."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed
from bayesrank.data import _cell_views
from bayesrank.data.comparisons import Comparisons

__all__ = ["ComparisonGraph", "comparison_graph"]


@dataclass(frozen=True, eq=False)
class ComparisonGraph:
    """Facts about the graph whose nodes are models and whose edges are pairs that met.

    Attributes
    ----------
    components : tuple of tuple of str
        Models that are linked by comparisons, largest group first. Nothing but the prior relates
        models of different groups.
    win_classes : tuple of tuple of str
        Models that can reach each other along wins (``i`` beat ``j`` beat ... beat ``i``), largest
        first. With one class the Bradley-Terry maximum likelihood is finite.
    win_or_tie_classes : tuple of tuple of str
        The same, where a tie is a step in both directions.
    degree : dict of str to int
        Opponents of each model.
    comparisons : dict of str to float
        Comparisons of each model.
    only_wins, only_losses : tuple of str
        Models that won, or lost, all their comparisons: the data set them no upper, or lower, end.
    density : float
        Share of all possible pairs that met.
    effective_pairs : float
        How many equally frequent pairs would be as concentrated as these (inverse Simpson index).
    side_imbalance : float
        Share of comparisons that would have to change sides for every pair to be balanced; NaN
        where no sides are known.

    See Also
    --------
    comparison_graph : Makes one.
    """

    components: tuple[tuple[str, ...], ...]
    win_classes: tuple[tuple[str, ...], ...]
    win_or_tie_classes: tuple[tuple[str, ...], ...]
    degree: Mapping[str, int]
    comparisons: Mapping[str, float]
    only_wins: tuple[str, ...]
    only_losses: tuple[str, ...]
    density: float
    effective_pairs: float
    side_imbalance: float

    @property
    def connected(self) -> bool:
        """Whether comparisons link all models."""
        return len(self.components) == 1

    @property
    def strongly_connected(self) -> bool:
        """Whether wins lead from every model to every other one."""
        return len(self.win_classes) == 1

    def caveats(self) -> tuple[str, ...]:
        """Return what a reader has to know before believing a ranking.

        Returns
        -------
        tuple of str
            One sentence each; empty where there is nothing to say.
        """
        sentences: list[str] = []
        if not self.connected:
            *_, smallest = self.components
            sizes = ", ".join(str(len(c)) for c in self.components[:5])
            sentences.append(
                f"The comparisons fall into {len(self.components)} groups of models ({sizes}"
                f"{', ...' if len(self.components) > 5 else ''}) that never met; between groups "
                f"the prior alone decides (smallest group: {listed(smallest, most=3)})."
            )
        once = tuple(s for s, n in self.comparisons.items() if n == 1)
        if once:
            sentences.append(f"{listed(once, most=3)} took part in one comparison only.")
        for names, what, end in (
            (self.only_wins, "won every comparison", "above"),
            (self.only_losses, "lost every comparison", "below"),
        ):
            if names:
                have, scores = ("has", "score is") if len(names) == 1 else ("have", "scores are")
                sentences.append(
                    f"{listed(names, most=3)} {have} {what}: the {scores} held from {end} by the "
                    f"prior alone."
                )
        if self.connected and len(self.win_or_tie_classes) > 1 and not sentences:
            sentences.append(
                f"{listed(self.win_or_tie_classes[-1], most=3)} and the other models are separated "
                f"by one-sided results: how far apart they are is set by the prior."
            )
        return tuple(sentences)

    def describe(self) -> dict[str, Any]:
        """Return the facts as plain numbers and names, for records and pages.

        Returns
        -------
        dict
            ``components, strongly_connected, win_classes, degree, only_wins`` and their like.
        """
        n = np.array(list(self.comparisons.values()))
        degree = list(self.degree.values())
        return {
            "components": [list(c) for c in self.components] if not self.connected else 1,
            "strongly_connected": self.strongly_connected,
            "win_classes": len(self.win_classes),
            "degree": [min(degree), float(np.median(degree)), max(degree)],
            "comparisons_per_model": [float(n.min()), float(np.median(n)), float(n.max())],
            "only_wins": list(self.only_wins),
            "only_losses": list(self.only_losses),
            "density": self.density,
            "effective_pairs": self.effective_pairs,
            "side_imbalance": None if np.isnan(self.side_imbalance) else self.side_imbalance,
        }


def comparison_graph(comparisons: Comparisons) -> ComparisonGraph:
    """Return what the graph of comparisons says about a ranking of its models.

    Parameters
    ----------
    comparisons : Comparisons
        Who won against whom.

    Returns
    -------
    ComparisonGraph

    References
    ----------
    Ford, L. R. (1957). Solution of a ranking problem from binary comparisons. American
    Mathematical Monthly 64(8), 28-33. https://doi.org/10.1080/00029890.1957.11989117

    Examples
    --------
    >>> from bayesrank import Comparisons
    >>> from bayesrank.data import comparison_graph
    >>> graph = comparison_graph(Comparisons.from_counts(["a", "b"], ["b", "c"], [3, 2], [1, 0]))
    >>> graph.strongly_connected, graph.only_losses
    (False, ('c',))
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    systems = comparisons.systems
    size = len(systems)

    def classes(rows: Any, columns: Any, *, strong: bool) -> tuple[tuple[str, ...], ...]:
        edges = csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
        _, labels = connected_components(edges, directed=strong, connection="strong")
        return _by_size(labels, systems)

    first, second = comparisons.first, comparisons.second
    won, lost = comparisons.wins > 0, comparisons.losses > 0
    tied = comparisons.ties + comparisons.ties_bothbad > 0
    winners = np.concatenate([first[won], second[lost]])
    losers = np.concatenate([second[won], first[lost]])
    n = comparisons.n_comparisons
    met = np.flatnonzero(n > 0)
    low, high = np.minimum(first, second)[met], np.maximum(first, second)[met]
    pairs, where = np.unique(low * size + high, return_inverse=True)
    votes = np.bincount(where, weights=n[met])
    total = _cell_views.totals(comparisons, n, n)
    wins = _cell_views.totals(comparisons, comparisons.wins, comparisons.losses)
    losses = _cell_views.totals(comparisons, comparisons.losses, comparisons.wins)
    degree = np.bincount(np.concatenate([pairs // size, pairs % size]), minlength=size)
    turned = np.bincount(where, weights=np.where(first[met] == low, n[met], -n[met]))
    return ComparisonGraph(
        components=classes(low, high, strong=False),
        win_classes=classes(winners, losers, strong=True),
        win_or_tie_classes=classes(
            np.concatenate([winners, first[tied], second[tied]]),
            np.concatenate([losers, second[tied], first[tied]]),
            strong=True,
        ),
        degree=dict(zip(systems, degree.tolist(), strict=True)),
        comparisons=dict(zip(systems, total.tolist(), strict=True)),
        only_wins=_named(systems, (wins == total) & (total > 0)),
        only_losses=_named(systems, (losses == total) & (total > 0)),
        density=len(pairs) / (size * (size - 1) / 2) if size > 1 else 1.0,
        effective_pairs=float(votes.sum() ** 2 / np.square(votes).sum()) if len(votes) else 0.0,
        side_imbalance=float(np.abs(turned).sum() / (2 * votes.sum()))
        if comparisons.sided and len(votes)
        else float("nan"),
    )


def _named(systems: tuple[str, ...], chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(systems[i] for i in np.flatnonzero(chosen))


def _by_size(labels: NDArray[np.int32], systems: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the names in each class, the largest class first and equal ones in input order."""
    members: dict[int, list[str]] = {}
    for name, label in zip(systems, labels.tolist(), strict=True):
        members.setdefault(label, []).append(name)
    return tuple(tuple(names) for names in sorted(members.values(), key=len, reverse=True))
