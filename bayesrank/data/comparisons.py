"""Comparisons: who won against whom, how often, and how often neither did."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import quoted
from bayesrank._validate import validate_choice, validate_labels
from bayesrank.data import _arrays, _html, _pairing
from bayesrank.data.responses import Responses
from bayesrank.exceptions import ArgumentError, InputError

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Comparisons"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """Outcomes of paired comparisons, reduced to counts per ordered pair.

    Use a constructor: `from_counts` or `from_responses`. Everything is checked once, then never
    changes: the arrays are read-only.

    Attributes
    ----------
    systems : tuple of str
        The ranked models, ``L`` of them.
    first, second : ndarray of int64, shape (pair,)
        Positions in `systems` of the two models of a pair.
    wins, losses, ties, ties_bothbad : ndarray of float64, shape (pair,)
        How often the first won, the second won, both were called equal, and both were called bad.
    expected : bool
        Whether the counts are expectations (then they need not be whole numbers).
    source : str
        Where the data came from, for messages and records.

    See Also
    --------
    Responses : Outcomes of models on questions in repeated trials.

    Examples
    --------
    >>> from bayesrank import Comparisons
    >>> Comparisons.from_counts(["a", "b"], ["b", "c"], [3, 2], [1, 2], ties=[1, 0])
    <Comparisons: 3 models, 2 pairs, 9 comparisons, 1 tie>
    """

    systems: tuple[str, ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    wins: NDArray[np.float64]
    losses: NDArray[np.float64]
    ties: NDArray[np.float64]
    ties_bothbad: NDArray[np.float64]
    expected: bool = False
    source: str = field(default="counts")

    def __post_init__(self) -> None:
        """Check labels, counts and that no model meets itself or a pair comes twice."""
        set_ = object.__setattr__
        set_(self, "systems", validate_labels(self.systems, kind="model"))
        if len(self.first) == 0:
            msg = f"{self.source}: no comparisons; there must be a pair of models that met."
            raise InputError(msg)
        same = np.flatnonzero(self.first == self.second)
        if same.size:
            name = self.systems[int(self.first[same[0]])]
            msg = f"{self.source}: pair {same[0] + 1} compares {quoted(name)} with itself; drop it."
            raise InputError(msg)
        code = self.first * len(self.systems) + self.second
        _, where, times = np.unique(code, return_index=True, return_counts=True)
        if (times > 1).any():
            row = int(where[times > 1][0])
            names = self.systems[int(self.first[row])], self.systems[int(self.second[row])]
            msg = (
                f"{self.source}: the pair {quoted(names[0])}, {quoted(names[1])} has more than one "
                f"row of counts; add them up or drop the copies."
            )
            raise InputError(msg)
        for name in ("first", "second", "wins", "losses", "ties", "ties_bothbad"):
            array = np.asarray(getattr(self, name)).view()
            array.flags.writeable = False
            set_(self, name, array)

    # ---------------------------------------------------------------- constructors

    @classmethod
    def from_counts(
        cls,
        first: Sequence[object],
        second: Sequence[object],
        wins: ArrayLike,
        losses: ArrayLike,
        *,
        ties: ArrayLike | None = None,
        ties_bothbad: ArrayLike | None = None,
        systems: Sequence[object] | None = None,
        source: str = "counts",
    ) -> Self:
        """Build comparisons from counts per pair.

        Parameters
        ----------
        first, second : sequence of labels, shape (pair,)
            The two models of each pair.
        wins, losses : array_like of int, shape (pair,)
            How often the first and the second won.
        ties, ties_bothbad : array_like of int, shape (pair,), optional
            How often neither won: called equal, or called bad both.
        systems : sequence of labels, optional
            All models, in the order wanted; by default in the order of first appearance.
        source : str, default "counts"
            Name of the data in messages and records.

        Returns
        -------
        Comparisons

        Raises
        ------
        InputError
            For counts that are negative or fractional, a model against itself, or a pair twice.
        ArgumentError
            For columns of different lengths, or a model that `systems` does not name.

        Examples
        --------
        >>> from bayesrank import Comparisons
        >>> Comparisons.from_counts(["a"], ["b"], [3], [1]).win_matrix()
        array([[0., 3.],
               [1., 0.]])
        """
        names = [*map(str, first)], [*map(str, second)]
        known = (
            [*map(str, systems)] if systems is not None else [*dict.fromkeys(_interleave(*names))]
        )
        zero = np.zeros(len(names[0]), dtype=np.int64)
        columns = {
            name: _arrays.as_counts(zero if values is None else values, name=name, source=source)
            for name, values in (
                ("wins", wins),
                ("losses", losses),
                ("ties", ties),
                ("ties_bothbad", ties_bothbad),
            )
        }
        lengths = {"first": len(names[0]), "second": len(names[1])}
        lengths |= {name: column.size for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            msg = f"{source}: the columns have different lengths: {lengths}."
            raise ArgumentError(msg)
        return cls(
            systems=tuple(known),
            first=_arrays.positions(names[0], tuple(known), kind="model").astype(np.int64),
            second=_arrays.positions(names[1], tuple(known), kind="model").astype(np.int64),
            wins=columns["wins"].astype(np.float64),
            losses=columns["losses"].astype(np.float64),
            ties=columns["ties"].astype(np.float64),
            ties_bothbad=columns["ties_bothbad"].astype(np.float64),
            source=source,
        )

    @classmethod
    def from_responses(
        cls, responses: Responses, *, pairing: Literal["expected", "trial"] = "expected"
    ) -> Self:
        """Build the comparisons that responses induce: on a question, the better outcome wins.

        Comparisons on the same question are not independent of each other: uncertainty computed
        as if they were is too small.

        Parameters
        ----------
        responses : Responses
            Outcomes; a higher category is better.
        pairing : {"expected", "trial"}, default "expected"
            Expected counts over all pairings of the trials of a question, which do not depend on
            the order of trials: ``W_ij = sum_m min(n_im, n_jm) P(outcome_im > outcome_jm)``. Or
            matched counts, trial 1 against trial 1, which need the trial outcomes.

        Returns
        -------
        Comparisons
            One pair for each two models with a question in common.

        Raises
        ------
        ArgumentError
            For ``pairing="trial"`` without trial outcomes.
        InputError
            Where no two models share a question.

        Examples
        --------
        >>> from bayesrank import Comparisons, Responses
        >>> responses = Responses.from_counts([[3, 2], [1, 2]], 4, systems=["a", "b"])
        >>> Comparisons.from_responses(responses).win_matrix()
        array([[0.  , 3.25],
               [1.25, 0.  ]])
        """
        validate_choice(pairing, ("expected", "trial"), name="pairing")
        if pairing == "trial":
            if responses.outcomes is None:
                msg = (
                    f"{responses.source}: matched trials need the trial outcomes, and only counts "
                    f"are here; use pairing='expected'."
                )
                raise ArgumentError(msg)
            won, met = _pairing.matched_counts(responses.outcomes, responses.n_categories)
        else:
            won, met = _pairing.expected_counts(responses.counts)
        first, second = np.nonzero(np.triu(met, k=1) > 0)
        wins, losses = won[first, second], won[second, first]
        # Sums of products of fractions leave crumbs of 1e-16 where there are no ties at all.
        ties = np.maximum(met[first, second] - wins - losses, 0.0)
        return cls(
            systems=responses.systems,
            first=first,
            second=second,
            wins=wins,
            losses=losses,
            ties=ties,
            ties_bothbad=np.zeros(len(first)),
            expected=pairing == "expected",
            source=responses.source,
        )

    # ---------------------------------------------------------------- quantities

    @property
    def n_comparisons(self) -> NDArray[np.float64]:
        """Comparisons per pair, shape (pair,)."""
        return self.wins + self.losses + self.ties + self.ties_bothbad

    def win_matrix(self) -> NDArray[np.float64]:
        """Return how often the row's model won against the column's, shape (system, system)."""
        return self._square(self.wins, self.losses)

    def tie_matrix(self) -> NDArray[np.float64]:
        """Return ties of both kinds of each two models, symmetric, shape (system, system)."""
        ties = self.ties + self.ties_bothbad
        return self._square(ties, ties)

    def _square(
        self, forward: NDArray[np.float64], backward: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        total = np.zeros((len(self.systems), len(self.systems)))
        np.add.at(total, (self.first, self.second), forward)
        np.add.at(total, (self.second, self.first), backward)
        return total

    def to_xarray(self) -> "xr.Dataset":
        """Return the counts as a labelled dataset.

        Returns
        -------
        xarray.Dataset
            ``wins, losses, ties, ties_bothbad (pair)`` with the names of ``first`` and ``second``
            as coordinates.

        Examples
        --------
        >>> from bayesrank import Comparisons
        >>> Comparisons.from_counts(["a"], ["b"], [3], [1]).to_xarray()["wins"].item()
        3.0
        """
        import xarray as xr

        names = np.array(self.systems, dtype=object)
        counts = ("wins", "losses", "ties", "ties_bothbad")
        return xr.Dataset(
            {name: ("pair", getattr(self, name)) for name in counts},
            coords={
                "first": ("pair", names[self.first]),
                "second": ("pair", names[self.second]),
                "system": list(self.systems),
            },
            attrs={"expected": self.expected, "source": self.source},
        )

    def describe(self) -> dict[str, Any]:
        """Return what was observed, as plain numbers for records and tables.

        Returns
        -------
        dict
            ``models, pairs, comparisons, ties, ties_bothbad, expected, source``.

        Examples
        --------
        >>> from bayesrank import Comparisons
        >>> Comparisons.from_counts(["a"], ["b"], [3], [1]).describe()["comparisons"]
        4
        """
        return {
            "models": len(self.systems),
            "pairs": len(self.first),
            "comparisons": _number(self.n_comparisons.sum()),
            "ties": _number(self.ties.sum()),
            "ties_bothbad": _number(self.ties_bothbad.sum()),
            "expected": self.expected,
            "source": self.source,
        }

    def data_hash(self) -> str:
        """Return a hash of labels and counts, whatever file or order of pairs they came in.

        Returns
        -------
        str
            Sixteen hexadecimal digits.

        Examples
        --------
        >>> from bayesrank import Comparisons
        >>> len(Comparisons.from_counts(["a"], ["b"], [3], [1]).data_hash())
        16
        """
        order = np.lexsort((self.second, self.first))
        digest = hashlib.sha256(_arrays.label_bytes(self.systems))
        for name in ("first", "second", "wins", "losses", "ties", "ties_bothbad"):
            digest.update(np.asarray(getattr(self, name)[order], dtype="<f8").tobytes())
        return digest.hexdigest()[:16]

    def __repr__(self) -> str:
        """One line: models, pairs, comparisons, ties."""
        return _html.comparisons_line(self)

    def _repr_html_(self) -> str:
        return _html.comparisons_html(self)


def _interleave(first: list[str], second: list[str]) -> list[str]:
    return [name for pair in zip(first, second, strict=False) for name in pair]


def _number(total: np.floating[Any]) -> int | float:
    """Return a whole number as an integer."""
    return int(total) if float(total).is_integer() else round(float(total), 6)
