"""What a report is made from, looked up once: posterior, ranking, model, randomness."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pymc as pm
import xarray as xr

from bayesrank._record import Record
from bayesrank.models._attach import Attachment, attached, is_as_built
from bayesrank.ranking._words import table_order
from bayesrank.reports.page._names import short_names
from bayesrank.reports.posterior._families import FAMILIES, RULE, Family

if TYPE_CHECKING:
    from bayesrank.ranking import Ranking

_NAME = 40


@dataclass(frozen=True, eq=False)
class Context:
    """All that sections look at.

    Attributes
    ----------
    posterior : DataTree
        The posterior, checked.
    ranking : Ranking
        Its ranking.
    model : pymc.Model or None
        The model, where it is at hand.
    rng : numpy.random.Generator
        Source of randomness.
    """

    posterior: xr.DataTree
    ranking: "Ranking"
    model: pm.Model | None
    rng: np.random.Generator

    @property
    def record(self) -> Record:
        """What the posterior says of itself."""
        return self.ranking.record

    @property
    def attachment(self) -> Attachment | None:
        """What the factory says of the model."""
        return None if self.model is None else attached(self.model)

    @property
    def known_model(self) -> pm.Model | None:
        """The model, where its factory's facts are still true of it."""
        return self.model if self.model is not None and is_as_built(self.model) else None

    @property
    def is_rule(self) -> bool:
        """Whether a rule was drawn instead of a model."""
        settings: Any = self.record.provenance.get("model", {})
        return isinstance(settings, dict) and "rule" in settings

    @property
    def family(self) -> Family | None:
        """The family in short; None of a model of the user's own."""
        return RULE if self.is_rule else FAMILIES.get(self.record.model)

    @cached_property
    def order(self) -> list[int]:
        """Positions of the models from the best down."""
        return table_order(self.ranking.dataset)

    @cached_property
    def best_first(self) -> xr.Dataset:
        """The ranking's dataset, best first."""
        return self.ranking.dataset.isel(system=self.order, system_bis=self.order)

    @cached_property
    def names(self) -> list[str]:
        """Short names, best first."""
        return short_names([str(n) for n in self.best_first["system"].to_numpy()], width=_NAME)

    def named(self) -> dict[str, str]:
        """Return short names by name."""
        full = [str(n) for n in self.best_first["system"].to_numpy()]
        return dict(zip(full, self.names, strict=True))

    @property
    def ci_prob(self) -> float:
        """Probability of intervals, and of what is called sure."""
        return float(self.ranking.dataset.attrs["ci_prob"])

    @property
    def level(self) -> str:
        """The same in percent."""
        return f"{100 * self.ci_prob:g} %"
