"""One ranked benchmark of a site, with the names that its pages show."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import xarray as xr

import bayesrank
from bayesrank._text import quoted
from bayesrank.exceptions import InputError

if TYPE_CHECKING:
    from bayesrank.ranking import Ranking
    from bayesrank.reports.site.changes import Changes
    from bayesrank.reports.site.config import BoardConfig

__all__ = ["Entry", "entry_of", "renamed"]


@dataclass(frozen=True, eq=False)
class Entry:
    """A benchmark as it is ranked, or the mean over all of them.

    Attributes
    ----------
    name, description : str
        As pages show them.
    folder : str
        Its folder within the site.
    ranking : Ranking
        Of models under the names that pages show.
    parts : mapping of str to Ranking
        Rankings of its parts (tasks, categories, languages), where the posterior has them.
    changes : Changes or None
        What moved since the previous build.
    """

    name: str
    description: str
    folder: str
    ranking: "Ranking"
    parts: "Mapping[str, Ranking]"
    changes: "Changes | None" = None

    @property
    def failed(self) -> bool:
        """Whether the posterior failed its checks."""
        return self.ranking.record.verdict == "fail"

    def with_changes(self, changes: "Changes | None") -> "Entry":
        """Return the same with what moved."""
        return replace(self, changes=changes)


def entry_of(
    posterior: xr.DataTree, config: "BoardConfig", *, name: str, description: str, folder: str
) -> Entry:
    """Return a posterior as a ranked benchmark."""
    options: dict[str, Any] = {
        key: getattr(config, key) for key in ("by", "ci_prob", "ci_kind", "top_k")
    }
    # Few models are no reason to refuse a board that is about the first places.
    options["top_k"] = min(config.top_k, posterior["posterior"].sizes["system"])
    found = posterior["posterior"]
    parts = [str(part) for part in found["part"].to_numpy()] if "part_score" in found else []
    return Entry(
        name=name,
        description=description,
        folder=folder,
        ranking=bayesrank.rank(posterior, **options),
        parts={part: bayesrank.rank(posterior, part=part, **options) for part in parts},
    )


def renamed(posterior: xr.DataTree, config: "BoardConfig", *, benchmark: str) -> xr.DataTree:
    """Return a posterior whose models have the names that pages show."""
    known = {alias: name for name, model in config.models.items() for alias in model.aliases}
    names = [str(name) for name in posterior["posterior"]["system"].to_numpy()]
    if not any(name in known for name in names):
        return posterior
    shown = [known.get(name, name) for name in names]
    for name in shown:
        if shown.count(name) > 1:
            both = [quoted(n) for n, s in zip(names, shown, strict=True) if s == name]
            msg = (
                f"benchmark {quoted(benchmark)} ranks {' and '.join(both)}, which are one model by "
                f"their aliases; leave the alias out, or one of them out of the data."
            )
            raise InputError(msg)
    groups = {
        path: node.to_dataset().assign_coords(system=shown)
        for path, node in posterior.children.items()
    }
    return xr.DataTree.from_dict(groups)
