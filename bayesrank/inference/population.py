"""What the uncertainty is about: which population a posterior speaks of, and who can tell."""

from collections.abc import Sequence

from bayesrank._record import NOT_STATED
from bayesrank._validate import validate_choice
from bayesrank.likelihoods.population import RESAMPLED
from bayesrank.models._attach import Attachment

__all__ = ["Population", "is_resampled", "resolve_population"]

# One population by name, or several that are crossed.
type Population = str | Sequence[str]

_CROSS = " x "
# A model without attached facts may state any of these.
_STATED = ("trials",)


def resolve_population(population: Population | None, attachment: Attachment | None) -> str:
    """Return the population asked for, or the model's own, or refuse one it has no method for."""
    if attachment is None:
        supported = _STATED
    else:
        supported = attachment.populations
        if attachment.resampling is not None:
            more = (_CROSS.join(units) for units in attachment.resampling.units)
            supported = (*supported, *(name for name in more if name not in supported))
    if population is None:
        return NOT_STATED if attachment is None else attachment.default or supported[0]
    units = units_of(population) if isinstance(population, str) else tuple(population)
    # Crossing has no order: the one that is known stands for the other.
    name = _CROSS.join(next((u for u in RESAMPLED if set(u) == set(units)), map(str, units)))
    return validate_choice(name, supported, name="population")


def is_resampled(population: str, attachment: Attachment | None) -> bool:
    """Whether a population is reached by resampling what was observed, not through the model."""
    return (
        attachment is not None
        and attachment.resampling is not None
        and population not in attachment.populations
    )


def units_of(population: str) -> tuple[str, ...]:
    """Return the units that a population resamples."""
    return tuple(population.split(_CROSS))
