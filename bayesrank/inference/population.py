"""What the uncertainty is about: which population a model's posterior speaks of."""

from bayesrank._record import NOT_STATED
from bayesrank._validate import validate_choice
from bayesrank.models._attach import Attachment

# Every population there is a method for. A model without attached facts may state any of them.
POPULATIONS = ("trials",)


def resolve_population(population: str | None, attachment: Attachment | None) -> str:
    """Return the population asked for, or the model's own, or refuse one it has no method for."""
    supported = POPULATIONS if attachment is None else attachment.populations
    if population is None:
        return NOT_STATED if attachment is None else supported[0]
    return validate_choice(population, supported, name="population")
