"""Responses: what models answered to questions in repeated trials, reduced to counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import listed, quoted
from bayesrank._validate import positions, validate_choice, validate_labels
from bayesrank.data import _arrays, _html
from bayesrank.data._frames import read_frame
from bayesrank.data._xarray import read_xarray
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.typing import MissingAs

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Responses"]


@dataclass(frozen=True, eq=False, repr=False)
class Responses:
    r"""Outcomes of models on questions in repeated trials.

    Use a constructor: `from_array`, `from_counts`, `from_frame`, `from_xarray`, or
    `bayesrank.read_responses` for a file. Everything is checked once, then never changes: the
    arrays are read-only.

    Attributes
    ----------
    systems : tuple of str
        The ranked models, ``L`` of them.
    questions : tuple of str
        Labels of the ``M`` questions.
    counts : ndarray of int64, shape (system, question, category)
        How often each category was observed. Binary outcomes have the categories 0 (failure) and
        1 (success). This is all that most models need.
    missing : ndarray of int64, shape (system, question)
        Trials that were recorded without an outcome.
    tasks : tuple of str or None
        The task (subject, benchmark) of each question.
    outcomes : ndarray of int16 or None, shape (system, question, trial)
        The outcome of each trial, -1 where there is none; None when only counts were given.
    prompts : tuple of str or None
        The prompt variant of each trial.
    rows : int
        Rows (or cells of an array) that were read.
    duplicates : int
        Exact duplicates that were dropped.
    missing_as : {"mask", "failure"}
        What a missing outcome counts as.
    source : str
        Where the data came from, for messages and records.

    See Also
    --------
    bayesrank.read_responses : Read a log.
    Comparisons : Paired comparisons.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> responses = Responses.from_array([[[1, 1], [0, 1]], [[1, 0], [0, -1]]])
    >>> responses
    <Responses: 2 models x 2 questions, 2 categories, 7 trials (1 to 2 a cell), 1 missing>
    >>> responses.successes
    array([[2, 1],
           [1, 0]])
    """

    systems: tuple[str, ...]
    questions: tuple[str, ...]
    counts: NDArray[np.int64]
    missing: NDArray[np.int64]
    tasks: tuple[str, ...] | None = None
    outcomes: NDArray[np.int16] | None = None
    prompts: tuple[str, ...] | None = None
    rows: int = 0
    duplicates: int = 0
    missing_as: MissingAs = "mask"
    source: str = field(default="array")

    def __post_init__(self) -> None:
        """Check shapes, labels and that there is something to rank."""
        set_ = object.__setattr__
        set_(self, "systems", validate_labels(self.systems, kind="model"))
        set_(self, "questions", validate_labels(self.questions, kind="question"))
        shape = (len(self.systems), len(self.questions))
        if self.counts.ndim != 3 or self.counts.shape[:2] != shape:
            msg = f"counts have shape {self.counts.shape}; {shape} x categories was expected."
            raise ArgumentError(msg)
        if min(shape) == 0:
            msg = f"{self.source}: no observations; there must be a model and a question."
            raise InputError(msg)
        if self.n_categories < 2:
            msg = f"{self.source}: outcomes need at least two categories, 0 and 1."
            raise InputError(msg)
        for name, values, length in (
            ("tasks", self.tasks, shape[1]),
            ("prompts", self.prompts, None if self.outcomes is None else self.outcomes.shape[2]),
        ):
            if values is not None and len(values) != length:
                msg = f"{name} has {len(values)} labels; {length} were expected."
                raise ArgumentError(msg)
        if self.outcomes is not None and self.outcomes.shape[:2] != shape:
            msg = f"outcomes have shape {self.outcomes.shape}; {shape} x trials was expected."
            raise ArgumentError(msg)
        silent = [s for s, n in zip(self.systems, self.n_trials.sum(axis=1), strict=True) if n == 0]
        if silent:
            msg = (
                f"{self.source}: no outcome at all for model {listed(silent)}; "
                f"drop it, or count its missing trials as failures (missing='failure')."
            )
            raise InputError(msg)
        for name in ("counts", "missing", "outcomes"):
            array = getattr(self, name)
            if array is not None:
                array = array.view()
                array.flags.writeable = False
                set_(self, name, array)

    @classmethod
    def from_array(
        cls,
        outcomes: ArrayLike,
        *,
        systems: Sequence[object] | None = None,
        questions: Sequence[object] | None = None,
        tasks: Sequence[object] | None = None,
        prompts: Sequence[object] | None = None,
        categories: int | None = None,
        missing: MissingAs = "mask",
        source: str = "array",
    ) -> Self:
        """Build responses from an array of trial outcomes.

        Parameters
        ----------
        outcomes : array_like, shape (system, question, trial) or (system, question)
            Categories 0, 1, ..., C; NaN or -1 where an outcome is missing.
        systems, questions : sequence of labels, optional
            Names; by default ``model 1``, ... and ``question 1``, ... in the order of the array.
        tasks : sequence of labels, shape (question,), optional
            The task (subject, benchmark) of each question.
        prompts : sequence of labels, shape (trial,), optional
            The prompt variant of each trial.
        categories : int, optional
            Number of categories; by default the largest observed category plus one, at least two.
        missing : {"mask", "failure"}, default "mask"
            Leave missing outcomes out, or count them as category 0.
        source : str, default "array"
            Name of the data in messages and records.

        Returns
        -------
        Responses

        Raises
        ------
        InputError
            For an outcome that is no category, or a model without any outcome.
        ArgumentError
            For labels of the wrong length.

        Examples
        --------
        >>> from bayesrank import Responses
        >>> Responses.from_array([[1, 0, 1], [0, 0, 1]], systems=["a", "b"]).systems
        ('a', 'b')
        """
        validate_choice(missing, ("mask", "failure"), name="missing")
        array = _arrays.as_outcomes(outcomes, source=source)
        systems = _arrays.labels(systems, array.shape[0], kind="model")
        questions = _arrays.labels(questions, array.shape[1], kind="question")
        absent = array < 0
        width = _arrays.category_count(int(array.max(initial=0)) + 1, categories, source=source)
        if missing == "failure":
            array = np.where(absent, np.int16(0), array)
        return cls(
            systems=tuple(map(str, systems)),
            questions=tuple(map(str, questions)),
            counts=_arrays.count_categories(array, width),
            missing=absent.sum(axis=2, dtype=np.int64),
            tasks=None if tasks is None else tuple(map(str, tasks)),
            outcomes=array,
            prompts=None if prompts is None else tuple(map(str, prompts)),
            rows=array.size,
            missing_as=missing,
            source=source,
        )

    @classmethod
    def from_counts(
        cls,
        successes: ArrayLike,
        trials: ArrayLike,
        *,
        systems: Sequence[object] | None = None,
        questions: Sequence[object] | None = None,
        tasks: Sequence[object] | None = None,
        source: str = "counts",
    ) -> Self:
        """Build binary responses from successes and trials per cell.

        Parameters
        ----------
        successes : array_like of int, shape (system, question)
            Successes per cell.
        trials : array_like of int, shape (system, question) or broadcastable to it
            Trials per cell; 0 where a model was not observed on a question.
        systems, questions : sequence of labels, optional
            Names; by default ``model 1``, ... and ``question 1``, ...
        tasks : sequence of labels, shape (question,), optional
            The task (subject, benchmark) of each question.
        source : str, default "counts"
            Name of the data in messages and records.

        Returns
        -------
        Responses

        Raises
        ------
        InputError
            For counts that are negative, fractional, or successes above trials.

        Examples
        --------
        >>> from bayesrank import Responses
        >>> Responses.from_counts([[3, 7], [5, 9]], 10)
        <Responses: 2 models x 2 questions, 2 categories, 40 trials (10 a cell), none missing>
        """
        k = _arrays.as_counts(successes, name="successes", source=source)
        if k.ndim != 2:
            msg = f"{source}: successes have {k.ndim} dimensions; (system, question) was expected."
            raise ArgumentError(msg)
        n = np.broadcast_to(_arrays.as_counts(trials, name="trials", source=source), k.shape)
        names = _arrays.labels(systems, k.shape[0], kind="model")
        labels = _arrays.labels(questions, k.shape[1], kind="question")
        if (k > n).any():
            i, j = (int(x[0]) for x in np.nonzero(k > n))
            msg = (
                f"{source}: {k[i, j]} successes in {n[i, j]} trials for model "
                f"{quoted(str(names[i]))} on question {quoted(str(labels[j]))}."
            )
            raise InputError(msg)
        return cls(
            systems=tuple(map(str, names)),
            questions=tuple(map(str, labels)),
            counts=np.stack([n - k, k], axis=2),
            missing=np.zeros(k.shape, dtype=np.int64),
            tasks=None if tasks is None else tuple(map(str, tasks)),
            rows=k.size,
            source=source,
        )

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        columns: Mapping[str, str | None] | None = None,
        missing: MissingAs = "mask",
        categories: int | None = None,
        keep_trials: bool = True,
        memory_limit: str | None = None,
    ) -> Self:
        """Build responses from a data frame: one trial a row, counts, or one column a question.

        Parameters
        ----------
        frame : pandas, polars or pyarrow table, DuckDB relation, or any frame narwhals knows
            A relation is reduced where it is, whatever its size.
        columns, missing, categories, keep_trials, memory_limit
            As in `bayesrank.read_responses`.

        Returns
        -------
        Responses

        Raises
        ------
        InputError, ArgumentError
            As in `bayesrank.read_responses`, and for an object that is no frame.

        Examples
        --------
        >>> import pandas as pd
        >>> from bayesrank import Responses
        >>> log = pd.DataFrame({"model": ["a", "a", "b"], "item": [1, 2, 1], "score": [1, 0, 1]})
        >>> Responses.from_frame(log)
        <Responses: 2 models x 2 questions, 2 categories, 3 trials (0 to 1 a cell), none missing>
        """
        return cls(**read_frame(frame, columns, missing, categories, keep_trials, memory_limit))

    @classmethod
    def from_xarray(cls, data: "xr.Dataset | xr.DataArray") -> Self:
        """Build responses from what `to_xarray` returns, or from an array of outcomes.

        Parameters
        ----------
        data : xarray.Dataset or xarray.DataArray
            ``counts(system, question, category)``, or outcomes on ``(system, question[, trial])``,
            NaN or -1 where missing; names, ``task`` and ``prompt`` come from the coordinates.

        Returns
        -------
        Responses

        Raises
        ------
        InputError
            For other dims or variables, and as in `from_array`.

        Examples
        --------
        >>> from bayesrank import Responses
        >>> Responses.from_xarray(Responses.from_counts([[3, 7]], 10).to_xarray()).successes
        array([[3, 7]])
        """
        return read_xarray(cls, data)

    @property
    def n_categories(self) -> int:
        """Number of categories an outcome can take; two for success and failure."""
        return self.counts.shape[2]

    @property
    def n_trials(self) -> NDArray[np.int64]:
        """Observed trials per cell, shape (system, question)."""
        return self.counts.sum(axis=2)

    @property
    def successes(self) -> NDArray[np.int64]:
        """Successes per cell of binary responses, shape (system, question)."""
        if self.n_categories != 2:
            msg = f"successes need binary outcomes; these have {self.n_categories} categories."
            raise ArgumentError(msg)
        return self.counts[:, :, 1]

    @property
    def observed(self) -> NDArray[np.bool_]:
        """Cells with at least one observed trial, shape (system, question)."""
        return self.n_trials > 0

    @property
    def is_balanced(self) -> bool:
        """Whether every cell has the same number of observed trials."""
        n = self.n_trials
        return bool((n == n.flat[0]).all())

    def question_scores(self, weights: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the observed score of each cell.

        Parameters
        ----------
        weights : array_like, shape (category,), optional
            Score of each category; by default 0, ..., 1 in equal steps.

        Returns
        -------
        ndarray of float64, shape (system, question)
            Mean of the category weights over the trials of a cell; NaN without a trial.

        Examples
        --------
        >>> from bayesrank import Responses
        >>> Responses.from_counts([[3, 7]], 10).question_scores()
        array([[0.3, 0.7]])
        """
        w = self.category_weights(weights)
        n = self.n_trials
        total = self.counts @ w
        return np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)

    def category_weights(self, weights: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return checked category weights; by default 0, ..., 1 in equal steps.

        Parameters
        ----------
        weights : array_like, shape (category,), optional
            Score of each category, finite.

        Returns
        -------
        ndarray of float64, shape (category,)

        Raises
        ------
        ArgumentError
            For weights of the wrong length or that are not finite.

        Examples
        --------
        >>> from bayesrank import Responses
        >>> Responses.from_array([[0, 2, 1]]).category_weights()
        array([0. , 0.5, 1. ])
        """
        if weights is None:
            return np.linspace(0.0, 1.0, self.n_categories)
        return _arrays.as_weights(weights, self.n_categories)

    def select(
        self, *, systems: Sequence[str] | None = None, questions: Sequence[str] | None = None
    ) -> Self:
        """Return the responses of some models, or to some questions, in the order given.

        Parameters
        ----------
        systems, questions : sequence of str, optional
            Labels to keep; all by default.

        Returns
        -------
        Responses

        Raises
        ------
        ArgumentError
            For a label that is not there; near ones are suggested.

        Examples
        --------
        >>> from bayesrank import Responses
        >>> both = Responses.from_counts([[3, 7], [5, 9]], 10, systems=["a", "b"])
        >>> both.select(systems=["b"]).successes
        array([[5, 9]])
        """
        rows = positions(systems, self.systems, kind="model")
        columns = positions(questions, self.questions, kind="question")
        cells = np.ix_(rows, columns)
        return replace(
            self,
            systems=tuple(self.systems[i] for i in rows),
            questions=tuple(self.questions[j] for j in columns),
            counts=self.counts[cells],
            missing=self.missing[cells],
            tasks=None if self.tasks is None else tuple(self.tasks[j] for j in columns),
            outcomes=None if self.outcomes is None else self.outcomes[cells],
        )

    def to_xarray(self) -> "xr.Dataset":
        """Return the counts, missing trials and outcomes as a labelled dataset.

        Returns
        -------
        xarray.Dataset
            ``counts(system, question, category)``, ``missing(system, question)`` and, where kept,
            ``outcome(system, question, trial)``; ``task`` and ``prompt`` as coordinates.

        Examples
        --------
        >>> from bayesrank import Responses
        >>> dict(Responses.from_counts([[3, 7]], 10).to_xarray().sizes)
        {'system': 1, 'question': 2, 'category': 2}
        """
        return _arrays.to_xarray(self)

    def describe(self) -> dict[str, Any]:
        """Return what was observed, as plain numbers for records and tables.

        Returns
        -------
        dict
            ``models, questions, trials, missing, duplicates, rows, cells_without_trials`` (counts),
            ``trials_per_cell`` as minimum, median and maximum, ``missing_as`` and ``source``.

        Examples
        --------
        >>> from bayesrank import Responses
        >>> Responses.from_counts([[3, 7]], 10).describe()["trials"]
        20
        """
        return _arrays.describe(self)

    def data_hash(self) -> str:
        """Return a hash of labels and counts: equal for equal data, whatever file it came from.

        Returns
        -------
        str
            Sixteen hexadecimal digits.

        Examples
        --------
        >>> from bayesrank import Responses
        >>> a = Responses.from_counts([[3, 7]], 10).data_hash()
        >>> a == Responses.from_counts([[3, 7]], 10).data_hash()
        True
        """
        return _arrays.data_hash(self)

    def __repr__(self) -> str:
        """One line: models, questions, categories, trials, missing and duplicates."""
        return _html.responses_line(self)

    def _repr_html_(self) -> str:
        return _html.responses_html(self)
