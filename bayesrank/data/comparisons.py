"""Comparisons: who won against whom, how often, and how often neither did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._validate import did_you_mean, positions, validate_choice, validate_labels
from bayesrank.data import _battles, _cell_views, _cells, _html, _reweighting
from bayesrank.data._cells import OUTCOMES, Factor
from bayesrank.data._pairing import Induced
from bayesrank.data._reweighting import Reweighting
from bayesrank.data.responses import Responses
from bayesrank.exceptions import ArgumentError, InputError

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Comparisons"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """Outcomes of paired comparisons, reduced to counts per cell.

    A cell is an ordered pair of models, and where these matter its judge, category, period, prompt
    and covariates. Use a constructor: `from_counts`, `from_frame`, `from_responses`, or
    `bayesrank.read_comparisons` for a file. Everything is checked once, then never changes: the
    arrays are read-only.

    Attributes
    ----------
    systems : tuple of str
        The ranked models, ``L`` of them.
    first, second : ndarray of int64, shape (cell,)
        Positions in `systems` of the two models of a cell.
    wins, losses, ties, ties_bothbad : ndarray of float64, shape (cell,)
        How often the first won, the second won, both were called equal, and both were called bad.
    factors : dict of str to Factor
        What else a cell is labelled with: ``judge``, ``category`` (task, language), ``period``
        (time), ``prompt``, ``session``.
    covariates : dict of str to ndarray of float64, shape (cell,)
        Differences, first minus second, for example of the lengths of two answers.
    sided : bool
        Whether the first is the model that was shown first (on the left, at home).
    expected : bool
        Whether the counts are expectations (then they need not be whole numbers).
    weighted : bool
        Whether the counts are weights; a likelihood of them is a quasi-likelihood.
    missing, duplicates : int
        Battles without a winner, and repeated battles, that were left out.
    source : str
        Where the data came from, for messages and records.
    induced : Induced or None
        The responses that `from_responses` made them from.
    reweighting : Reweighting or None
        How `reweighted` weighted them.

    See Also
    --------
    Responses : Outcomes of models on questions in repeated trials.
    comparison_graph : What the graph of comparisons can tell.

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
    factors: Mapping[str, Factor] = field(default_factory=dict)
    covariates: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    sided: bool = False
    expected: bool = False
    weighted: bool = False
    missing: int = 0
    duplicates: int = 0
    source: str = field(default="counts")
    induced: Induced | None = None
    reweighting: Reweighting | None = None

    def __post_init__(self) -> None:
        """Check labels and counts, that no model meets itself, and that no cell comes twice."""
        set_ = object.__setattr__
        set_(self, "systems", validate_labels(self.systems, kind="model"))
        if self.n_comparisons.sum() == 0:
            msg = f"{self.source}: no comparisons; there must be a pair of models that met."
            raise InputError(msg)
        _cells.check_factors(self.factors, len(self.first))
        _cells.check_pairs(
            self.systems,
            self.first,
            self.second,
            [*(f.codes for f in self.factors.values()), *self.covariates.values()],
            sided=self.sided,
            source=self.source,
        )
        for name in ("first", "second", *OUTCOMES):
            array = np.asarray(getattr(self, name)).view()
            array.flags.writeable = False
            set_(self, name, array)
        for name in ("factors", "covariates"):
            set_(self, name, MappingProxyType(dict(getattr(self, name))))

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
        factors: Mapping[str, Sequence[object]] | None = None,
        systems: Sequence[object] | None = None,
        sided: bool = False,
        weighted: bool = False,
        source: str = "counts",
    ) -> Self:
        """Build comparisons from counts per pair.

        Parameters
        ----------
        first, second : sequence of labels, shape (cell,)
            The two models of each pair.
        wins, losses : array_like of int, shape (cell,)
            How often the first and the second won.
        ties, ties_bothbad : array_like of int, shape (cell,), optional
            How often neither won: called equal, or called bad both.
        factors : mapping of str to sequence of labels, shape (cell,), optional
            Any of ``judge``, ``category``, ``period``, ``prompt``, ``session``.
        systems : sequence of labels, optional
            All models, in the order wanted; by default in the order of first appearance.
        sided : bool, default False
            Whether `first` is the model shown first; then a pair may come in both orders.
        weighted : bool, default False
            Whether the counts may be fractions: weights in a quasi-likelihood.
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
            tuple(map(str, systems))
            if systems is not None
            else tuple(dict.fromkeys(x for pair in zip(*names, strict=False) for x in pair))
        )
        zero = np.zeros(len(names[0]), dtype=np.int64)
        columns = {
            name: _cells.as_weights(
                zero if values is None else values, name=name, source=source, weighted=weighted
            )
            for name, values in zip(OUTCOMES, (wins, losses, ties, ties_bothbad), strict=True)
        }
        labels = dict(factors or {})
        _cells.check_same_length(
            {"first": len(names[0]), "second": len(names[1])}
            | {name: column.size for name, column in columns.items()}
            | {name: len(column) for name, column in labels.items()},
            source=source,
        )
        return cls(
            systems=known,
            first=positions(names[0], known, kind="model").astype(np.int64),
            second=positions(names[1], known, kind="model").astype(np.int64),
            wins=columns["wins"],
            losses=columns["losses"],
            ties=columns["ties"],
            ties_bothbad=columns["ties_bothbad"],
            factors={n: Factor.from_labels(column, name=n) for n, column in labels.items()},
            sided=sided,
            weighted=weighted,
            source=source,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        first: str = "model_a",
        second: str = "model_b",
        winner: str = "winner",
        judge: str | None = None,
        category: str | None = None,
        period: str | None = None,
        prompt: str | None = None,
        session: str | None = None,
        covariates: Mapping[str, tuple[str, str]] | None = None,
        weight: str | None = None,
        battle_id: str | None = None,
        systems: Sequence[object] | None = None,
        sided: bool = True,
        weighted: bool = False,
        source: str = "frame",
    ) -> Self:
        """Build comparisons from a battle log: a frame with one battle a row.

        Parameters
        ----------
        frame : data frame
            Of pandas, Polars, PyArrow or any library that Narwhals knows.
        first, second : str
            Columns with the two models, the one that was shown first and the other.
        winner : str
            Column with who won: ``model_a``, ``model_b``, ``tie``, ``tie (bothbad)``, ``left``,
            ``right``, ``A``, ``B``; the first's score 1, 0.5 or 0; or a preference 1, 1.5 or 2 (in
            a column called so, or where a number above 1 occurs). Missing ones are left out and
            counted.
        judge, category, period, prompt, session : str, optional
            Columns that label a battle.
        covariates : mapping of str to pair of str, optional
            Per covariate the columns with its value for the first and for the second model.
        weight : str, optional
            Column with the weight of a battle; whole numbers, unless `weighted`.
        battle_id : str, optional
            Column with an id per battle: repeated battles are dropped and counted.
        systems : sequence of labels, optional
            All models, in the order wanted; by default sorted by name.
        sided : bool, default True
            Whether the order of the two columns is the side on which they were shown.
        weighted : bool, default False
            Whether fractions may occur: weights and degrees of preference in a quasi-likelihood.
        source : str, default "frame"
            Name of the data in messages and records.

        Returns
        -------
        Comparisons

        Raises
        ------
        InputError
            For unknown winners (listed), a model against itself, an id for two battles, bad
            weights, or degrees of preference without `weighted`.
        ArgumentError
            For a column that is not there; near ones are suggested.

        Examples
        --------
        >>> import pandas as pd
        >>> from bayesrank import Comparisons
        >>> log = pd.DataFrame(
        ...     {"model_a": ["x", "y", "x"], "model_b": ["y", "x", "y"],
        ...      "winner": ["model_a", "tie", "model_a"]}
        ... )
        >>> Comparisons.from_frame(log).win_matrix()
        array([[0., 2.],
               [0., 0.]])
        """
        fields = _battles.cells_from_frame(
            frame,
            columns={"first": first, "second": second, "winner": winner, "weight": weight},
            factors={
                "judge": judge,
                "category": category,
                "period": period,
                "prompt": prompt,
                "session": session,
            },
            covariates=covariates or {},
            battle_id=battle_id,
            systems=systems,
            sided=sided,
            weighted=weighted,
            source=source,
        )
        return cls(**fields)

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
        if pairing == "trial" and responses.outcomes is None:
            msg = (
                f"{responses.source}: matched trials need the trial outcomes, and only counts "
                f"are here; use pairing='expected'."
            )
            raise ArgumentError(msg)
        induced = Induced(responses, pairing)
        won, met = induced.counts()
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
            induced=induced,
            source=responses.source,
        )

    @property
    def n_comparisons(self) -> NDArray[np.float64]:
        """Comparisons per cell, shape (cell,)."""
        return self.wins + self.losses + self.ties + self.ties_bothbad

    def win_matrix(self) -> NDArray[np.float64]:
        """Return how often each model won against each other one.

        Returns
        -------
        ndarray of float64, shape (system, system)
            Wins of the row's model against the column's.
        """
        return _cell_views.square(self, self.wins, self.losses)

    def tie_matrix(self) -> NDArray[np.float64]:
        """Return how often each two models tied, in either way.

        Returns
        -------
        ndarray of float64, shape (system, system)
            Symmetric.
        """
        ties = self.ties + self.ties_bothbad
        return _cell_views.square(self, ties, ties)

    def factor(self, name: str) -> Factor:
        """Return a factor, such as ``judge``; an error says which there are.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        Factor
            Its ``levels``, and ``codes(cell)``, the level of each cell.
        """
        if name not in self.factors:
            have = f"they have {', '.join(self.factors)}" if self.factors else "they have no factor"
            near = did_you_mean(name, self.factors)
            msg = f"{self.source}: the comparisons have no {name}; {have}.{near}"
            raise ArgumentError(msg)
        return self.factors[name]

    def collapse(
        self, *, keep: Sequence[str] = (), sided: bool = False, covariates: bool = False
    ) -> Self:
        """Return the comparisons with cells summed over what is not kept.

        Parameters
        ----------
        keep : sequence of str, optional
            Factors that still tell cells apart.
        sided : bool, default False
            Whether the side on which a model was shown does, where it is known.
        covariates : bool, default False
            Whether covariates do.

        Returns
        -------
        Comparisons
            Cells sorted by pair.

        Raises
        ------
        ArgumentError
            For a factor that is not there.

        Examples
        --------
        >>> from bayesrank import Comparisons
        >>> both = Comparisons.from_counts(["a", "b"], ["b", "a"], [3, 1], [1, 2], sided=True)
        >>> both.collapse().wins
        array([5.])
        """
        return replace(
            self,
            **_cell_views.summed(
                self,
                {name: self.factor(name) for name in keep},
                dict(self.covariates) if covariates else {},
                sided=sided and self.sided,
            ),
        )

    def select(self, systems: Sequence[str]) -> Self:
        """Return the comparisons among some models, in the order given.

        Parameters
        ----------
        systems : sequence of str
            Models to keep.

        Returns
        -------
        Comparisons

        Raises
        ------
        ArgumentError
            For a model that is not there; near names are suggested.
        InputError
            Where no two of them met.

        Examples
        --------
        >>> from bayesrank import Comparisons
        >>> three = Comparisons.from_counts(["a", "b"], ["b", "c"], [3, 2], [1, 2])
        >>> three.select(["c", "b"]).losses
        array([2.])
        """
        wanted = positions(systems, self.systems, kind="model")
        kept = None if self.induced is None else self.induced.among(systems)
        return replace(self, **_cell_views.among(self, wanted), induced=kept)

    def reweighted(self, factor: str, *, target: Mapping[str, float]) -> Self:
        """Return the comparisons weighted so that a factor's levels have the shares of a target.

        Post-stratification: a comparison of level :math:`k` gets a weight in proportion to target
        share over observed share. The weights sum to Kish's effective number of comparisons, so
        that on average one counts for as much as it tells.

        Parameters
        ----------
        factor : str
            Such as ``category`` or ``prompt``.
        target : mapping of str to float
            Share of each level among the comparisons that a ranking is to be about; they are
            divided by their sum. A level with share 0 is left out.

        Returns
        -------
        Comparisons
            Marked as ``weighted``: a likelihood of them is a quasi-likelihood. `describe` has the
            target and the effective number under ``reweighting``.

        Raises
        ------
        ArgumentError
            For a factor that is not there, a level without a share, or a negative share.
        InputError
            For a level that was never seen and has a share, or comparisons weighted before.

        References
        ----------
        .. [1] Kish, L. (1992). Weighting for unequal Pi. Journal of Official Statistics 8(2),
           183-200.

        Examples
        --------
        >>> from bayesrank import Comparisons
        >>> by_language = Comparisons.from_counts(
        ...     ["a", "a"], ["b", "b"], [60, 10], [20, 10], factors={"category": ["en", "de"]}
        ... )
        >>> even = by_language.reweighted("category", target={"en": 0.5, "de": 0.5})
        >>> even.n_comparisons.round(6), even.wins.round(6)
        (array([32., 32.]), array([24., 16.]))
        """
        return replace(self, **_reweighting.reweighted(self, factor, target))

    def to_xarray(self) -> "xr.Dataset":
        """Return the counts as a labelled dataset.

        Returns
        -------
        xarray.Dataset
            ``wins, losses, ties, ties_bothbad (cell)``; ``first``, ``second`` and the factors as
            coordinates by name.

        Examples
        --------
        >>> from bayesrank import Comparisons
        >>> Comparisons.from_counts(["a"], ["b"], [3], [1]).to_xarray()["wins"].item()
        3.0
        """
        return _cell_views.to_xarray(self)

    def describe(self) -> dict[str, Any]:
        """Return what was observed, as plain numbers for records and tables.

        Returns
        -------
        dict
            ``models, pairs`` (that met), ``cells, comparisons, ties, ties_bothbad, missing,
            duplicates``, the number of levels of each factor (``judges``, ...), ``sided, expected,
            weighted, source``; ``graph``, see `ComparisonGraph.describe`; and ``reweighting`` where
            there was one.

        Examples
        --------
        >>> from bayesrank import Comparisons
        >>> Comparisons.from_counts(["a"], ["b"], [3], [1]).describe()["comparisons"]
        4
        """
        return _cell_views.describe(self)

    def data_hash(self) -> str:
        """Return a hash of labels and counts, whatever file or order of cells they came in.

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
        return _cell_views.data_hash(self)

    def __repr__(self) -> str:
        """One line: models, pairs, comparisons, ties."""
        return _html.comparisons_line(self)

    def _repr_html_(self) -> str:
        return _html.comparisons_html(self)
