"""One seed in, independent streams out: prior, posterior, predictive and bootstrap never share."""

from dataclasses import dataclass

import numpy as np

from bayesrank._validate import validate_count
from bayesrank.typing import RandomSeed

_STREAMS = ("prior", "posterior", "predictive", "bootstrap")


@dataclass(frozen=True)
class Seeds:
    """The entropy of a run, and the streams that descend from it.

    Attributes
    ----------
    entropy : int or list of int
        As recorded: the same number as ``random_seed`` repeats the run.
    spawn_key : tuple of int
        Empty unless a child of a `numpy.random.SeedSequence` was passed.
    """

    entropy: int | list[int]
    spawn_key: tuple[int, ...] = ()

    @classmethod
    def of(cls, random_seed: RandomSeed) -> "Seeds":
        """Return the seeds of a run; None takes fresh entropy, short enough to be typed again."""
        if random_seed is None:
            random_seed = np.random.default_rng()
        if isinstance(random_seed, np.random.Generator):
            return cls(int(random_seed.integers(2**53)))
        if isinstance(random_seed, np.random.SeedSequence):
            entropy = random_seed.entropy
            if entropy is None or isinstance(entropy, int | np.integer):
                return cls(int(entropy or 0), tuple(random_seed.spawn_key))
            return cls([int(e) for e in entropy], tuple(random_seed.spawn_key))
        return cls(validate_count(random_seed, name="random_seed", minimum=0))

    def child(self, stream: str) -> np.random.SeedSequence:
        """Return the seed sequence of one stream."""
        key = (*self.spawn_key, _STREAMS.index(stream))
        return np.random.SeedSequence(self.entropy, spawn_key=key)

    def generator(self, stream: str) -> np.random.Generator:
        """Return a NumPy generator of one stream."""
        return np.random.default_rng(self.child(stream))

    def integer(self, stream: str) -> int:
        """Return a seed of one stream for samplers that take an integer."""
        return int(self.child(stream).generate_state(1, np.uint32)[0])
