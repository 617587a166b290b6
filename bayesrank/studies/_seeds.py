"""One number that repeats a study, whatever randomness it was given."""

from bayesrank._validate import as_generator, validate_count
from bayesrank.typing import RandomSeed


def seed_of(random_seed: RandomSeed) -> int:
    """Return a whole number: the one given, or one that was drawn."""
    if isinstance(random_seed, int):
        return validate_count(random_seed, name="random_seed", minimum=0)
    return int(as_generator(random_seed).integers(2**53))
