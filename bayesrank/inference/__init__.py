"""From a model to a posterior: exact where it is known, by NUTS where it is not."""

from bayesrank.inference.mml import mml
from bayesrank.inference.refitting import CompiledModel, compiled
from bayesrank.inference.sampling import sample

__all__ = ["CompiledModel", "compiled", "mml", "sample"]
