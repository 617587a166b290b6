"""What the pages of a site say of its benchmarks and models, as plain values for templates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank.ranking._words import table_order
from bayesrank.reports.page import _words
from bayesrank.reports.page._battles import counted_as
from bayesrank.reports.page._intervals import span
from bayesrank.reports.page._names import pieces, short_names
from bayesrank.reports.page._parts import PartCell

if TYPE_CHECKING:
    from bayesrank.ranking import Ranking
    from bayesrank.reports.site.changes import Changes

__all__ = ["Appearance", "BenchmarkFacts", "ModelFacts", "appearances"]

_SHADES = 9
_FEW = 8
_NAME, _SHORT = 120, 60


@dataclass(frozen=True)
class ModelFacts:
    """A model, whatever it is ranked on.

    Attributes
    ----------
    name, page : str
        Its name, and its page within the site.
    tags, aliases : sequence of str
        Short words about it, and its other names.
    link, href : str
        Where more is told, as text; and the same where it is a web address, else empty.
    """

    name: str
    page: str
    tags: Sequence[str]
    link: str
    href: str
    aliases: Sequence[str]

    @property
    def pieces(self) -> list[str]:
        """Its name in pieces between which a line may break."""
        return pieces(self.short)

    @property
    def short(self) -> str:
        """Its name, short enough for a table."""
        return short_names([self.name], width=_NAME)[0]


@dataclass(frozen=True)
class BenchmarkFacts:
    """A ranked benchmark, as the index and the pages of models speak of it.

    Attributes
    ----------
    name, description, folder : str
        As it is shown, and its folder within the site.
    answer : str
        Who is best, and how surely.
    facts : sequence of (str, str)
        What has to be known to read the answer.
    failed : bool
        Whether the posterior failed its checks.
    checks : str
        The verdict in words.
    changes : Changes or None
        What moved since the previous build.
    new : bool
        Whether the previous build has no such benchmark.
    cells : mapping of str to PartCell
        Rank and interval of each model.
    """

    name: str
    description: str
    folder: str
    answer: str
    facts: Sequence[tuple[str, str]]
    failed: bool
    checks: str
    changes: "Changes | None"
    new: bool
    cells: Mapping[str, PartCell]

    @property
    def href(self) -> str:
        """Its page within the site."""
        return f"{self.folder}/index.html"

    @classmethod
    def of(
        cls,
        ranking: "Ranking",
        *,
        name: str,
        description: str,
        folder: str,
        changes: "Changes | None",
        new: bool,
    ) -> "BenchmarkFacts":
        """Return what pages say of a ranking."""
        record = ranking.record
        return cls(
            name=name,
            description=description,
            folder=folder,
            answer=ranking.answer(),
            facts=[
                ("Population", _words.population(record.population)),
                ("Observed", _words.observed(record.observations)),
                ("Checks of the posterior", _words.verdict(record)),
            ],
            failed=record.verdict == "fail",
            checks=_words.verdict(record),
            changes=changes,
            new=new,
            cells=_cells(ranking),
        )


@dataclass(frozen=True)
class Appearance:
    """One model in one benchmark.

    Attributes
    ----------
    benchmark : BenchmarkFacts
        Where.
    row : dict
        The cells of the table, as text; ``rank_interval``, ``models``, ``trials``, ``missing``.
    place : tuple of float
        Start of the rank interval, the rank, and the end, between 0 for the best and 1.
    ahead, behind, level : sequence of str
        Models that it is told apart from, and those that it is not told apart from; short names.
    parts : sequence of (str, str)
        Rank and interval in each part.
    """

    benchmark: BenchmarkFacts
    row: dict[str, Any]
    place: tuple[float, float, float]
    ahead: Sequence[str]
    behind: Sequence[str]
    level: Sequence[str]
    parts: Sequence[tuple[str, str]]

    def told(self) -> list[tuple[str, str]]:
        """Return whom it is told apart from, in words."""
        return [
            ("Ahead of", _some(self.ahead)),
            ("Behind", _some(self.behind)),
            ("Not told apart from", _some(self.level)),
            *(
                [("By part", "; ".join(f"{name}: {rank}" for name, rank in self.parts))]
                if self.parts
                else []
            ),
        ]


def appearances(
    benchmark: BenchmarkFacts, ranking: "Ranking", parts: "Mapping[str, Ranking]"
) -> dict[str, Appearance]:
    """Return what the page of each model says of a benchmark, by name."""
    data = ranking.dataset
    order = table_order(data)
    models = len(order)
    cells = ranking.table_text().to_dict("records")
    names = short_names([ranking.systems[i] for i in order], width=_SHORT)
    low, high, rank = (
        data[name].to_numpy()[order].astype(np.int64) for name in ("rank_low", "rank_high", "rank")
    )
    surely = data["superiority"].to_numpy()[np.ix_(order, order)] >= data.attrs["ci_prob"]
    apart = surely | surely.T
    np.fill_diagonal(apart, val=True)
    counted = _counted(ranking)
    of_parts = {name: _part_ranks(part) for name, part in parts.items()}
    found: dict[str, Appearance] = {}
    for i, position in enumerate(order):
        model = ranking.systems[position]
        found[model] = Appearance(
            benchmark=benchmark,
            row={
                **{str(key): str(value) for key, value in cells[i].items()},
                **{name: column[position] for name, column in counted.items()},
                "rank_interval": span(low[i], high[i]),
                "models": models,
                "score_interval": f"{cells[i]['score_low']} to {cells[i]['score_high']}",
                "may_be_best": low[i] == 1,
                "sure": low[i] == high[i],
            },
            place=((low[i] - 1) / models, (rank[i] - 0.5) / models, high[i] / models),
            ahead=[names[j] for j in np.flatnonzero(surely[i])],
            behind=[names[j] for j in np.flatnonzero(surely[:, i])],
            level=[names[j] for j in np.flatnonzero(~apart[i])],
            parts=[(name, ranks[model]) for name, ranks in of_parts.items()],
        )
    return found


def _counted(ranking: "Ranking") -> dict[str, list[str]]:
    """Return how often each model was observed, and missing, in the order of the posterior."""
    data = ranking.dataset
    found = {
        name: [f"{int(n):,}" for n in data[name].to_numpy()]
        if name in data
        else ["–"] * len(ranking.systems)
        for name in ("trials", "missing")
    }
    if counted_as(ranking.record) != "Trials":
        # A battle without a winner is nobody's.
        found["missing"] = ["–"] * len(ranking.systems)
    return found


def _part_ranks(part: "Ranking") -> dict[str, str]:
    """Return rank and interval of each model in a part."""
    columns = (part.dataset[name].to_numpy() for name in ("rank", "rank_low", "rank_high"))
    return {
        name: f"{rank}" if low == high else f"{rank} ({span(low, high)})"
        for name, rank, low, high in zip(part.systems, *columns, strict=True)
    }


def _some(names: Sequence[str]) -> str:
    """Return how many models, and the first of them by name."""
    if not names:
        return "no model"
    shown = names[:_FEW]
    more = len(names) - len(shown)
    told = ", ".join(shown) + (f" and {more:,} more" if more else "")
    return told if len(names) == 1 else f"{len(names):,} models: {told}"


def _cells(ranking: "Ranking") -> dict[str, PartCell]:
    data = ranking.dataset
    rank, low, high = (data[name].to_numpy() for name in ("rank", "rank_low", "rank_high"))
    models = len(rank)
    place = (models - rank) / max(models - 1, 1)
    shade = 1 + np.minimum((place * _SHADES).astype(np.int64), _SHADES - 1)
    return {
        name: PartCell(str(r), "" if a == b else span(a, b), int(s), "")
        for name, r, a, b, s in zip(ranking.systems, rank, low, high, shade, strict=True)
    }
