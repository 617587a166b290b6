"""The signals of a completion that the shipped schemes look at."""

from typing import Literal

__all__ = ["SIGNALS", "SignalKind"]

type SignalKind = Literal["flag", "number"]

SIGNALS: dict[str, tuple[SignalKind, str]] = {
    "has_box": ("flag", "the final answer stands in a box"),
    "is_correct": ("flag", "the answer is right"),
    "token_ratio": ("number", "tokens of the completion against a reference length"),
    "repeated_pattern": ("flag", "the completion repeats itself without end"),
    "prompt_bpt": ("number", "bits per token of the prompt under the model"),
    "completion_bpt": ("number", "bits per token of the completion under the model"),
    "compass_A": ("number", "probability that a verifier gives to: right"),
    "compass_B": ("number", "probability that a verifier gives to: wrong"),
    "compass_C": ("number", "probability that a verifier gives to: invalid"),
}
"""Kind and meaning by name: a flag is 0 or 1."""
