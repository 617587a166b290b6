"""A ranking: who is best, how surely, and who cannot be told apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._html import framed
from bayesrank._html import table as html_table
from bayesrank._record import Record
from bayesrank._text import shortened
from bayesrank._validate import validate_finite
from bayesrank.ranking import _words
from bayesrank.ranking._input import names_of, select_systems
from bayesrank.ranking._summary import (
    Options,
    stack_chains,
    summarise,
    superiority_beyond,
    superiority_dataset,
)
from bayesrank.ranking.cliques import group_labels, maximal_cliques
from bayesrank.ranking.diagnostics import diagnose
from bayesrank.ranking.orders import KemenyOrder, ModalOrder, kemeny_order, modal_order
from bayesrank.ranking.ranks import rank_bounds

__all__ = ["Ranking"]

_INTERVALS = ("score", "score_low", "score_high", "rank_low", "rank_high")
_NUMBERS = ("rank", *_INTERVALS, "p_best", "p_top_k")


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """A posterior over scores, turned into a posterior over ranks; `bayesrank.rank` makes one.

    Attributes
    ----------
    dataset : xarray.Dataset
        All quantities, systems in the order of the posterior. On (system,): ``score`` (the mean, or
        the median or quantile that `by` sorts by), ``score_sd``, ``score_low``, ``score_high``,
        ``score_mcse``; ``rank`` (by `by`, equal values share the smallest rank); ``rank_low``,
        ``rank_high`` (marginal credible interval), ``rank_low_joint``, ``rank_high_joint``
        (simultaneous: all systems at once), ``rank_mean``, ``rank_median``; ``p_best``,
        ``p_top_k``, each with ``_mcse``; ``sucra``; ``trials`` and ``missing`` where known. On
        (system, place), place 1 to L:
        ``rank_probability`` and its ``_mcse``. On (system, system_bis): ``superiority``, the
        probability that the first is above the second, and its ``_mcse``. Attributes: ``by``,
        ``quantile`` (if sorted by one), ``ci_prob``, ``ci_kind``, ``top_k``, ``chains``, ``draws``
        (per chain), ``effective_draws``, ``tied_draws`` (draws with a tie), ``selected_from`` and
        ``kemeny_gap`` where they apply.
    record : Record
        What the posterior says of itself: population, model, prior, method, observations, checks.
    scores : xarray.DataArray, dims (chain, draw, system)
        The draws.

    Notes
    -----
    Ties within a draw: P(best) and ``rank_probability`` split them equally, so that rows and
    columns of the latter sum to 1; expected and median rank use average ranks; interval ends use
    the smallest and the largest rank that a tie allows; superiority counts neither side. Monte
    Carlo errors come from batch means.

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> import bayesrank
    >>> draws = np.random.default_rng(1).normal([0.9, 0.5, 0.0], 0.1, size=(4, 500, 3))
    >>> score = xr.DataArray(
    ...     draws, dims=("chain", "draw", "system"), coords={"system": ["a", "b", "c"]}
    ... )
    >>> ranking = bayesrank.rank(score)
    >>> ranking.groups()
    (('a',), ('b',), ('c',))
    >>> ranking.table()["model"].tolist()
    ['a', 'b', 'c']
    """

    dataset: xr.Dataset
    record: Record
    scores: xr.DataArray

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the ranked systems, in the order of the posterior."""
        return names_of(self.scores)

    # ---------------------------------------------------------------- tables

    def table(self) -> pd.DataFrame:
        """Return the ranking as a frame, best first.

        Returns
        -------
        pandas.DataFrame
            Columns rank, model, score, score_low, score_high, rank_low, rank_high, p_best, p_top_k
            and group (letters: two models share one iff they are not told apart). Unrounded; models
            of equal rank stand in the order of their expected ranks.

        See Also
        --------
        table_text : The same for print, with the digits that the draws support.
        """
        columns = {name: self.dataset[name].to_numpy() for name in _NUMBERS}
        frame = pd.DataFrame({**columns, "model": self.systems, "group": self._letters})
        ordered = frame.iloc[_words.table_order(self.dataset)].reset_index(drop=True)
        return ordered[["rank", "model", *_NUMBERS[1:], "group"]]

    def table_text(self) -> pd.DataFrame:
        """Return the table as text, best first, every number with the digits it deserves.

        Returns
        -------
        pandas.DataFrame of str
            Columns as in `table`. Digits follow the Monte Carlo error; 0 and 1 from finite draws
            are bounds (see `bayesrank.ranking.probability_text`); a shared rank ends in "="; names
            have no invisible characters, but are not escaped for any format.
        """
        cells = _words.table_cells(self.dataset, self._letters)
        return cells.iloc[_words.table_order(self.dataset)].reset_index(drop=True)

    def answer(self) -> str:
        """Return who is best, and how surely, in one plain sentence.

        A model is said to be best if its probability of being best reaches ``ci_prob``, or if it is
        above every other model, one at a time, with that probability. Otherwise the sentence names
        the models that cannot be told apart from the leader, with their probabilities of being
        best.

        Returns
        -------
        str
        """
        return _words.answer(self.dataset, self.record)

    def footer(self) -> tuple[str, ...]:
        """Return what every table and page has to state, as lines of plain text.

        Returns
        -------
        tuple of str
            Population, score and order; intervals; columns; model, prior, method and draws; what
            was observed and missing; verdict of the diagnostics; then notes.
        """
        return _words.footer(self.dataset, self.record)

    # ---------------------------------------------------------------- comparisons

    def superiority(self, *, delta: float = 0.0) -> xr.Dataset:
        """Return the probability that one system is above another by more than `delta`.

        Parameters
        ----------
        delta : float, default 0.0
            Difference that has to be exceeded, in the unit of the score.

        Returns
        -------
        xarray.Dataset
            ``probability`` and ``mcse`` on (system, system_bis). With ``delta=0`` ties count for
            neither: P(i > j) + P(j > i) + P(tie) = 1.

        Raises
        ------
        ArgumentError
            For a `delta` that is not finite.
        """
        delta = validate_finite(delta, name="delta")
        if delta != 0:
            return superiority_beyond(self.scores, delta)
        values = self.dataset["superiority"].to_numpy(), self.dataset["superiority_mcse"].to_numpy()
        return superiority_dataset(self.systems, *values, delta=delta)

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups of systems that are not told apart.

        Two systems are not told apart if neither is above the other with probability ``ci_prob``.
        Groups are the maximal sets of systems without such a pair, so they can overlap: a and b,
        b and c, yet not a and c. Past 1,000 groups (contrived posteriors), a selection that still
        holds every pair.

        Returns
        -------
        tuple of tuples of str
            Best first, and groups by their best members. Every system is in at least one.
        """
        names = self.systems
        return tuple(tuple(names[i] for i in clique) for clique in self._cliques)

    @cached_property
    def _cliques(self) -> tuple[tuple[int, ...], ...]:
        """Groups as positions, in table order."""
        order = np.array(_words.table_order(self.dataset))
        above = self.dataset["superiority"].to_numpy()[np.ix_(order, order)]
        apart = np.maximum(above, above.T) >= self.dataset.attrs["ci_prob"]
        cliques, _ = maximal_cliques(~apart)
        return tuple(tuple(int(order[i]) for i in clique) for clique in cliques)

    @cached_property
    def _letters(self) -> list[str]:
        return group_labels(self._cliques, len(self.systems))

    # ---------------------------------------------------------------- orders

    def most_probable_order(self) -> ModalOrder:
        """Return the order of all systems that came up in most draws, and how probable it is.

        Returns
        -------
        ModalOrder
            ``systems, ranks, probability, mcse, equally_often``. With many systems each order comes
            up about once: see ``equally_often`` before quoting it.
        """
        low, _ = rank_bounds(stack_chains(self.scores))
        return modal_order(
            low,
            names=self.systems,
            n_chains=self.scores.sizes["chain"],
            expected=self.dataset["rank_mean"].to_numpy(),
        )

    def kemeny(self) -> KemenyOrder:
        """Return the order of least expected Kendall distance to the true one.

        Returns
        -------
        KemenyOrder
            ``systems, ranks, distance, gap, exact``. Exact if at most 12 systems lie on common
            majority cycles (and often beyond), else the best found with a proven bound on the gap.
        """
        return kemeny_order(
            self.dataset["superiority"].to_numpy(),
            names=self.systems,
            n_draws=self.scores.sizes["chain"] * self.scores.sizes["draw"],
        )

    def select(self, systems: Sequence[str]) -> Self:
        """Return the ranking among some of the systems, computed anew from their draws.

        Parameters
        ----------
        systems : sequence of str
            Names to keep, in the order wanted.

        Returns
        -------
        Ranking

        Raises
        ------
        ArgumentError
            For a name that is not there or comes twice, or for no name.
        """
        attrs = self.dataset.attrs
        options = Options(
            by=attrs["by"],
            quantile=attrs.get("quantile"),
            ci_prob=attrs["ci_prob"],
            ci_kind=attrs["ci_kind"],
            top_k=attrs["top_k"],
            independent=self.record.independent,
        )
        scores = select_systems(self.scores, systems)
        dataset = summarise(scores, options)
        whole = attrs.get("selected_from", len(self.systems))
        if len(systems) < whole:
            dataset.attrs["selected_from"] = whole
        return type(self)(dataset=dataset, record=self.record, scores=scores)

    # ---------------------------------------------------------------- trust

    def diagnostics(self) -> xr.Dataset:
        """Return R-hat and effective sample sizes of scores, ranks and P(best); computed once.

        Returns
        -------
        xarray.Dataset
            ``r_hat, ess_bulk, ess_tail, constant`` on (quantity, system), the quantities being
            "score", "rank" and "p_best". NaN where a quantity is constant over the draws (a system
            that is never, or always, the best): nothing can be diagnosed there. Attributes
            ``r_hat_max, ess_bulk_min, ess_tail_min``: the worst values.
        """
        return self._diagnostics

    @cached_property
    def _diagnostics(self) -> xr.Dataset:
        return diagnose(self.scores)

    # ---------------------------------------------------------------- display

    def to_html(
        self, *, title: str | None = None, parts: "Mapping[str, Ranking] | None" = None
    ) -> str:
        """Return the leaderboard page: one self-contained file.

        Parameters
        ----------
        title : str, optional
            Title of the page; by default it names how many models were ranked, and on what.
        parts : mapping of str to Ranking, optional
            Rankings of parts by name, from ``bayesrank.rank(posterior, part=...)``, for a table of
            ranks in each.

        Returns
        -------
        str
            HTML without any reference to the outside; scripts only sort, filter and re-rank.
        """
        # The one way up: a ranking offers its page, and pages know rankings.
        from bayesrank.reports.page import leaderboard_page

        return leaderboard_page(self, title=title, parts=parts)

    def __repr__(self) -> str:
        """One line: how many systems, who leads, how surely, by what and from how many draws."""
        best = _words.table_order(self.dataset)[0]
        attrs = self.dataset.attrs
        n = len(self.systems)
        return (
            f"<Ranking: {n} model{'' if n == 1 else 's'}, best {shortened(self.systems[best])} "
            f"(P {_words.best_cells(self.dataset)[best]}), by {_words.sorted_by(self.dataset)}, "
            f"{attrs['chains']} x {attrs['draws']} draws, population {self.record.population}>"
        )

    def _repr_html_(self, most: int = 50) -> str:
        cells = self.table_text()
        shown = cells.head(most)
        attrs = self.dataset.attrs
        percent = f"{100 * attrs['ci_prob']:g} %"
        header = ("rank", "model", "score", f"{percent} interval", f"{percent} of ranks", "P(best)",
                  f"P(top {attrs['top_k']})", "group")  # fmt: skip
        rows = [
            (r["rank"], r["model"], r.score, f"{r.score_low} to {r.score_high}",
             f"{r.rank_low} to {r.rank_high}", r.p_best, r.p_top_k, r.group)
            for _, r in shown.iterrows()
        ]  # fmt: skip
        more = len(cells) - most
        caption = f"Population: {self.record.population}" + (
            f"; first {most} models shown, {more} more in table()" if more > 0 else ""
        )
        content = html_table(caption, header, rows, heading=1, words=(7,))
        return framed(self.answer(), content, self.footer())
