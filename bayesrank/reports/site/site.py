"""The pages and the data of a site, from its ranked benchmarks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import bayesrank
from bayesrank.reports.board_json import ranking_to_dict
from bayesrank.reports.page import _board_pages as made
from bayesrank.reports.page._board_view import BenchmarkFacts, ModelFacts, appearances
from bayesrank.reports.site.config import BoardConfig, BoardModel, is_web_link
from bayesrank.reports.site.entries import Entry
from bayesrank.reports.site.folder import board_head
from bayesrank.reports.site.slugs import slugs

__all__ = ["OVERALL", "Site", "board_of"]

OVERALL = "overall"
_INDEX = "index.html"


@dataclass(frozen=True, eq=False)
class Site:
    """Everything that pages are made from.

    Attributes
    ----------
    config : BoardConfig
        Titles, models and how they are ranked.
    entries : sequence of Entry
        Benchmarks.
    overall : Entry or None
        The mean over them.
    why_no_overall : str
        Why there is none though it was asked for.
    gone : sequence of str
        Benchmarks that only the previous build has.
    compared : bool
        Whether there is a previous build.
    """

    config: BoardConfig
    entries: Sequence[Entry]
    overall: Entry | None
    why_no_overall: str
    gone: Sequence[str]
    compared: bool

    @property
    def all_entries(self) -> list[Entry]:
        """The overall ranking, where there is one, and the benchmarks."""
        return [*([] if self.overall is None else [self.overall]), *self.entries]

    @cached_property
    def models(self) -> dict[str, ModelFacts]:
        """Models by name: in the order of the first ranking that has them."""
        names = list(
            dict.fromkeys(
                str(name) for entry in self.all_entries for name in entry.ranking.table()["model"]
            )
        )
        files = slugs(names)
        return {name: self._model(name, f"models/{files[name]}.html") for name in names}

    def pages(self) -> dict[str, str]:
        """Return the text of each page by its file."""
        known = self.models
        benchmarks = [self._benchmark(entry) for entry in self.all_entries]
        found = {_INDEX: made.index_page(self._head, benchmarks, list(known.values()))}
        for entry, facts in zip(self.all_entries, benchmarks, strict=True):
            found[f"{entry.folder}/{_INDEX}"] = made.benchmark_page(
                facts, entry.ranking, entry.parts, known, site_title=self.config.title
            )
        ranked = [
            appearances(facts, entry.ranking, entry.parts)
            for facts, entry in zip(benchmarks, self.all_entries, strict=True)
        ]
        for name, model in known.items():
            where = [one[name] for one in ranked if name in one]
            found[model.page] = made.model_page(model, where, site_title=self.config.title)
        return found

    def fragment(self) -> str:
        """Return the board to be put into another page."""
        benchmarks = [self._benchmark(entry) for entry in self.all_entries]
        return made.fragment(
            self._head, benchmarks, list(self.models.values()), url=self.config.url
        )

    @property
    def _head(self) -> made.Head:
        return made.Head(
            title=self.config.title,
            description=self.config.description,
            why_no_overall=self.why_no_overall,
            gone=self.gone,
            compared=self.compared,
        )

    def _benchmark(self, entry: Entry) -> BenchmarkFacts:
        return BenchmarkFacts.of(
            entry.ranking,
            name=entry.name,
            description=entry.description,
            folder=entry.folder,
            changes=entry.changes,
            new=self.compared and entry.changes is None,
        )

    def _model(self, name: str, file: str) -> ModelFacts:
        told = self.config.models.get(name, BoardModel())
        link = told.link or ""
        return ModelFacts(
            name=name,
            page=file,
            tags=told.tags,
            link=link,
            href=link if is_web_link(link) else "",
            aliases=told.aliases,
        )


def board_of(
    site: Site, fits: Mapping[str, Mapping[str, Any]], posteriors: Mapping[str, str]
) -> dict[str, Any]:
    """Return what ``board.json`` holds; `posteriors` are hashes of the files by folder."""

    def told(entry: Entry) -> dict[str, Any]:
        changes = entry.changes
        return {
            "name": entry.name,
            "description": entry.description,
            "page": f"{entry.folder}/{_INDEX}",
            "csv": f"{entry.folder}/ranking.csv",
            "posterior": {
                "file": f"{entry.folder}/posterior.nc",
                "sha256": posteriors[entry.folder],
            },
            "failed": entry.failed,
            "ranking": ranking_to_dict(entry.ranking),
            "changes": None
            if changes is None
            else {
                "same": changes.same,
                "notes": changes.notes,
                "models": [vars(row) for row in changes.rows],
            },
        }

    overall: dict[str, Any] | None = None
    if site.overall is not None:
        overall = told(site.overall)
    elif site.why_no_overall:
        overall = {"why_not": site.why_no_overall}
    return {
        **board_head(),
        "bayesrank": bayesrank.__version__,
        "title": site.config.title,
        "description": site.config.description,
        "overall": overall,
        "benchmarks": [{**told(entry), "fit": fits[entry.name]} for entry in site.entries],
        "gone": list(site.gone),
        "models": [
            {
                "name": model.name,
                "page": model.page,
                "tags": model.tags,
                "link": model.link or None,
                "aliases": model.aliases,
            }
            for model in site.models.values()
        ],
    }
