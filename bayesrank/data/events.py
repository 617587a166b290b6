"""Events: which models stood above which others, all at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._validate import positions, validate_labels
from bayesrank.data import _event_build as build
from bayesrank.data import _event_views as views
from bayesrank.data.comparisons import Comparisons
from bayesrank.data.responses import Responses
from bayesrank.exceptions import ArgumentError, InputError

__all__ = ["Events"]


@dataclass(frozen=True, eq=False, repr=False)
class Events:
    """Set events: each orders some of the models, with ties where several share a level.

    A full or partial ranking is an event, and so is "these models above those". Use a constructor:
    `from_rankings`, `from_responses` or `from_frame`. Events that set no model above another one
    are left out and counted; equal events of one question are one, with their number as weight.
    Everything is checked once, then never changes: the arrays are read-only.

    Attributes
    ----------
    systems : tuple of str
        The ranked models, ``L`` of them.
    starts : ndarray of int64, shape (event + 1,)
        Where the entries of each event begin; the last is where all end.
    members : ndarray of int32, shape (entry,)
        Positions in `systems` of the models of an event, sorted by level.
    levels : ndarray of int32, shape (entry,)
        The level of each, 0 for the best.
    weights : ndarray of float64, shape (event,)
        How often each event was observed.
    questions : tuple of str or None
        Labels of the questions that events belong to.
    question : ndarray of int64, shape (event,), or None
        Position in `questions` of the question of each event.
    degenerate : float
        Events without an order that were left out: empty, of one model, or of one level.
    missing : int
        Outcomes or ranks that were missing; their models are absent from the event.
    weighted : bool
        Whether the weights may be fractions; a likelihood of them is a quasi-likelihood.
    source : str
        Where the data came from, for messages and records.

    See Also
    --------
    Comparisons : Events of two models.

    Examples
    --------
    >>> from bayesrank import Events
    >>> Events.from_rankings([["a", "b", "c"], ["b", "a"], [["a", "c"], "b"]])
    <Events: 3 models, 3 events, 2 to 3 models an event, 0 without an order>
    """

    systems: tuple[str, ...]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    levels: NDArray[np.int32]
    weights: NDArray[np.float64]
    questions: tuple[str, ...] | None = None
    question: NDArray[np.int64] | None = None
    degenerate: float = 0.0
    missing: int = 0
    weighted: bool = False
    source: str = "events"

    def __post_init__(self) -> None:
        """Check labels, shapes and weights, and that something is ordered."""
        set_ = object.__setattr__
        set_(self, "systems", validate_labels(self.systems, kind="model"))
        if self.questions is not None:
            set_(self, "questions", validate_labels(self.questions, kind="question"))
        n = len(self.weights)
        if len(self.starts) != n + 1 or len(self.members) != len(self.levels):
            msg = f"{self.source}: entries, starts and weights of events do not match."
            raise ArgumentError(msg)
        bad = np.flatnonzero(~(np.isfinite(self.weights) & (self.weights >= 0)))
        if bad.size:
            msg = (
                f"{self.source}: event {bad[0] + 1} has weight {self.weights[bad[0]]:g}; "
                f"weights are finite and not negative."
            )
            raise InputError(msg)
        if not (self.weights > 0).any():
            msg = f"{self.source}: all events have weight 0; nothing is left to rank by."
            raise InputError(msg)
        for name in ("starts", "members", "levels", "weights", "question"):
            array = getattr(self, name)
            if array is not None:
                array = array.view()
                array.flags.writeable = False
                set_(self, name, array)

    @classmethod
    def from_rankings(
        cls,
        rankings: Sequence[Sequence[object]],
        *,
        weights: ArrayLike | None = None,
        questions: Sequence[object] | None = None,
        systems: Sequence[object] | None = None,
        weighted: bool = False,
        source: str = "rankings",
    ) -> Self:
        """Build events from lists of names, best first.

        Parameters
        ----------
        rankings : sequence of rankings
            Each a list of levels; a level is a name, or a list or set of names that tie. Models
            that are not named took no part.
        weights : array_like, shape (event,), optional
            How often each ranking was observed; by default once.
        questions : sequence of labels, shape (event,), optional
            The question (prompt, task) of each.
        systems : sequence of labels, optional
            All models, in the order wanted; by default in the order of first appearance.
        weighted : bool, default False
            Whether weights may be fractions, as in a quasi-likelihood.
        source : str, default "rankings"
            Name of the data in messages and records.

        Returns
        -------
        Events

        Raises
        ------
        InputError
            For a model twice in a ranking, bad weights, or where no ranking orders anything.
        ArgumentError
            For labels of the wrong length, or a model that `systems` does not name.

        Examples
        --------
        >>> from bayesrank import Events
        >>> Events.from_rankings([["a", ["b", "c"]], ["b", "a"]]).to_comparisons().win_matrix()
        array([[0., 1., 1.],
               [1., 0., 0.],
               [0., 0., 0.]])
        """
        return cls(
            **build.from_rankings(
                rankings,
                weights=weights,
                questions=questions,
                systems=systems,
                weighted=weighted,
                source=source,
            )
        )

    @classmethod
    def from_responses(cls, responses: Responses) -> Self:
        """Build the events that trials make: those who were right above those who were wrong.

        On one trial of one question the models stand in the order of their outcomes. Trials that
        all models, or none, got right order nothing. Models without an outcome took no part.

        Parameters
        ----------
        responses : Responses
            With the outcome of every trial; trial 1 of one model is set against trial 1 of others.

        Returns
        -------
        Events
            With the question of each.

        Raises
        ------
        ArgumentError
            Where only counts are known.
        InputError
            Where no trial tells models apart.

        Examples
        --------
        >>> from bayesrank import Events, Responses
        >>> responses = Responses.from_array([[1, 1, 0], [1, 0, 1]], systems=["a", "b"])
        >>> Events.from_responses(responses)
        <Events: 2 models, 3 questions, 2 events, 2 models an event, 1 without an order>
        """
        return cls(**build.from_responses(responses))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        event: str = "event",
        system: str = "model",
        rank: str = "rank",
        weight: str | None = None,
        question: str | None = None,
        systems: Sequence[object] | None = None,
        weighted: bool = False,
        source: str = "frame",
    ) -> Self:
        """Build events from a frame with one model of one event a row.

        Parameters
        ----------
        frame : data frame
            Of pandas, Polars, PyArrow or any library that Narwhals knows.
        event, system, rank : str
            Columns with the event, the model and its rank: numbers, 1 for the best, equal ones
            tied. A model without a rank took no part and is counted as missing.
        weight : str, optional
            Column with how often the event was observed, the same in all its rows.
        question : str, optional
            Column with the question of the event, the same in all its rows.
        systems : sequence of labels, optional
            All models, in the order wanted; by default sorted by name.
        weighted : bool, default False
            Whether weights may be fractions, as in a quasi-likelihood.
        source : str, default "frame"
            Name of the data in messages and records.

        Returns
        -------
        Events

        Raises
        ------
        InputError
            For a model twice in an event, ranks that are no numbers, bad weights, or where nothing
            is ordered.
        ArgumentError
            For a column that is not there; near ones are suggested.

        Examples
        --------
        >>> import pandas as pd
        >>> from bayesrank import Events
        >>> log = pd.DataFrame(
        ...     {"event": [1, 1, 1, 2, 2], "model": [*"abcab"], "rank": [1, 2, 2, 2, 1]}
        ... )
        >>> Events.from_frame(log).n_levels
        array([2, 2])
        """
        return cls(
            **build.from_frame(
                frame,
                columns={
                    "event": event,
                    "system": system,
                    "rank": rank,
                    "weight": weight,
                    "question": question,
                },
                systems=systems,
                weighted=weighted,
                source=source,
            )
        )

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Models per event, shape (event,)."""
        return np.diff(self.starts)

    @cached_property
    def n_levels(self) -> NDArray[np.int64]:
        """Levels per event, at least two, shape (event,)."""
        return self.levels[self.starts[1:] - 1].astype(np.int64) + 1

    @cached_property
    def event_of_entry(self) -> NDArray[np.int64]:
        """The event that each entry belongs to, shape (entry,)."""
        return np.repeat(np.arange(len(self.weights)), self.sizes)

    @property
    def two_levels(self) -> bool:
        """Whether every event is one set of winners above one set of losers."""
        return bool((self.n_levels == 2).all())

    def select(self, systems: Sequence[str]) -> Self:
        """Return the events among some models, in the order given.

        Parameters
        ----------
        systems : sequence of str
            Models to keep. Events that no longer order anything are left out and counted.

        Returns
        -------
        Events

        Raises
        ------
        ArgumentError
            For a model that is not there; near names are suggested.
        InputError
            Where no event orders two of them.

        Examples
        --------
        >>> from bayesrank import Events
        >>> Events.from_rankings([["a", "b", "c"], ["c", "a"]]).select(["c", "b"])
        <Events: 2 models, 1 event, 2 models an event, 1 without an order>
        """
        wanted = positions(systems, self.systems, kind="model")
        return replace(self, **views.among(self, wanted))

    def reweighted(self, weights: ArrayLike) -> Self:
        """Return the same events with other weights, for example those of a bootstrap.

        Parameters
        ----------
        weights : array_like, shape (event,)
            Real numbers from 0 on.

        Returns
        -------
        Events
            Marked as weighted.

        Raises
        ------
        ArgumentError
            For another number of weights.
        InputError
            For weights that are negative or not finite.

        Examples
        --------
        >>> from bayesrank import Events
        >>> Events.from_rankings([["a", "b"], ["b", "a"]]).reweighted([0.5, 2]).weights
        array([0.5, 2. ])
        """
        values = np.asarray(weights, dtype=np.float64)
        if values.shape != self.weights.shape:
            msg = (
                f"weights have shape {values.shape}; one for each of {len(self.weights)} events "
                f"was expected."
            )
            raise ArgumentError(msg)
        return replace(self, weights=values, weighted=True)

    def collapse(self) -> Self:
        """Return the events without their questions, equal ones merged.

        Returns
        -------
        Events

        Examples
        --------
        >>> from bayesrank import Events
        >>> events = Events.from_rankings([["a", "b"], ["a", "b"]], questions=["p", "q"])
        >>> events.collapse().weights
        array([2.])
        """
        return replace(
            self,
            questions=None,
            **build.merge(
                np.arange(len(self.weights)),
                self.starts,
                self.members,
                self.levels,
                weights=self.weights,
                question=None,
                source=self.source,
            )
            | {"degenerate": self.degenerate},
        )

    def stages(self) -> Self:
        """Return events of two levels: each level of an event above all that is below it.

        A ranking is a sequence of choices: the best of all, the best of the rest, and so on.

        Returns
        -------
        Events
            One for each level but the last, with the weight of its event.

        Examples
        --------
        >>> from bayesrank import Events
        >>> Events.from_rankings([["a", "b", "c"]]).stages().sizes
        array([3, 2])
        """
        return self if self.two_levels else replace(self, **views.stages(self))

    def to_comparisons(self) -> Comparisons:
        """Return the pairs that events imply: each model wins against all on lower levels.

        Pairs of one event are not independent, and pairs of one level are not compared.

        Returns
        -------
        Comparisons
            Marked as expected, since their likelihood is not that of the events.

        Examples
        --------
        >>> from bayesrank import Events
        >>> Events.from_rankings([["a", "b", "c"]]).to_comparisons().win_matrix()
        array([[0., 1., 1.],
               [0., 0., 1.],
               [0., 0., 0.]])
        """
        won = views.pair_wins(self)
        first, second = np.nonzero(np.triu(won + won.T, k=1) > 0)
        return Comparisons(
            systems=self.systems,
            first=first,
            second=second,
            wins=won[first, second],
            losses=won[second, first],
            ties=np.zeros(len(first)),
            ties_bothbad=np.zeros(len(first)),
            expected=True,
            weighted=self.weighted,
            source=self.source,
        )

    def describe(self) -> dict[str, Any]:
        """Return what was observed, as plain numbers for records and tables.

        Returns
        -------
        dict
            ``models, questions, events`` (their weight), ``distinct`` ones, ``models_per_event``
            and ``levels_per_event`` as minimum, median and maximum, ``degenerate, missing,
            weighted, source``.

        Examples
        --------
        >>> from bayesrank import Events
        >>> Events.from_rankings([["a", "b"], ["a", "b"], ["a"]]).describe()["degenerate"]
        1
        """
        return views.describe(self)

    def data_hash(self) -> str:
        """Return a hash of labels, events and weights, whatever order the events came in.

        Returns
        -------
        str
            Sixteen hexadecimal digits.

        Examples
        --------
        >>> from bayesrank import Events
        >>> len(Events.from_rankings([["a", "b"]]).data_hash())
        16
        """
        return views.data_hash(self)

    def __repr__(self) -> str:
        """One line: models, questions, events, and how many models each has."""
        return views.line(self)

    def _repr_html_(self) -> str:
        return views.html(self)
