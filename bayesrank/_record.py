"""What a posterior says of itself: one JSON string in the attributes of its ``posterior`` group."""

import json
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import xarray as xr

ATTRIBUTE = "bayesrank"
NOT_STATED = "not stated"
# Methods whose draws do not depend on each other: there is no chain to mix.
_INDEPENDENT = ("exact", "bootstrap")


@dataclass(frozen=True)
class Record:
    """The facts printed under every table; a posterior made elsewhere has only defaults.

    Attributes
    ----------
    population : str
        What the uncertainty is about; several joined by " x ".
    method : str
        How the posterior was obtained, for example "exact" or "nuts".
    model : str
        Name of the model family or rule.
    prior : str
        One line of prose.
    estimand : str
        What the score is, one line of prose.
    observations : dict
        ``Responses.describe()`` or its like.
    diagnostics : dict
        ``verdict`` ("pass", "fail" or "not run") and ``checks``, a list of dicts with ``name``,
        ``value``, ``threshold``, ``verdict`` and ``sentence``.
    notes : tuple of str
        What a reader has to know, one sentence each.
    provenance : dict
        Versions, seed, settings, data hash, time.
    """

    population: str = NOT_STATED
    method: str = NOT_STATED
    model: str = NOT_STATED
    prior: str = NOT_STATED
    estimand: str = "score"
    observations: dict[str, Any] = field(default_factory=dict)
    diagnostics: dict[str, Any] = field(
        default_factory=lambda: {"verdict": "not run", "checks": []}
    )
    notes: tuple[str, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Whether the posterior passed its checks: "pass", "fail" or "not run"."""
        return str(self.diagnostics.get("verdict", "not run"))

    @property
    def independent(self) -> bool:
        """Whether draws are independent, so that each counts in full."""
        return self.method in _INDEPENDENT

    def with_notes(self, *notes: str) -> Self:
        """Return the record with more notes, each once."""
        return replace(self, notes=tuple(dict.fromkeys((*self.notes, *notes))))

    def to_json(self) -> str:
        """Return the record as one JSON string."""
        return json.dumps({"schema_version": 1, **asdict(self)}, ensure_ascii=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the record a JSON string holds; unknown keys of later versions are left out."""
        known = {f.name for f in fields(cls)}
        values: dict[str, Any] = {k: v for k, v in json.loads(text).items() if k in known}
        values["notes"] = tuple(values.get("notes", ()))
        return cls(**values)


def read_record(posterior: "xr.DataTree") -> Record:
    """Return the record of a posterior, or defaults where it has none."""
    text = posterior["posterior"].attrs.get(ATTRIBUTE)
    return Record() if text is None else Record.from_json(text)


def write_record(posterior: "xr.DataTree", record: Record) -> None:
    """Store a record on a posterior, with the population also as a plain attribute."""
    posterior["posterior"].attrs.update(
        {ATTRIBUTE: record.to_json(), "population": record.population}
    )
