"""Rank language models, and anything else that is scored or compared, with honest uncertainty.

Every public name is resolved on first use: ``import bayesrank`` loads neither PyMC, ArviZ, xarray,
pandas nor SciPy, so that a command line that only prints its help stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayesrank import (
        checks,
        frequentist,
        inference,
        likelihoods,
        models,
        plots,
        priors,
        ranking,
        reports,
        robustness,
        rules,
        schemes,
        studies,
    )
    from bayesrank.data import Comparisons, Events, Responses, simulate_responses
    from bayesrank.inference import sample
    from bayesrank.priors import EmpiricalPrior, Prior
    from bayesrank.ranking import Ranking, rank
    from bayesrank.readers import read_comparisons, read_posterior, read_responses

_NAMES = {
    "Comparisons": "bayesrank.data",
    "EmpiricalPrior": "bayesrank.priors",
    "Events": "bayesrank.data",
    "Prior": "bayesrank.priors",
    "Ranking": "bayesrank.ranking",
    "Responses": "bayesrank.data",
    "rank": "bayesrank.ranking",
    "read_comparisons": "bayesrank.readers",
    "read_posterior": "bayesrank.readers",
    "read_responses": "bayesrank.readers",
    "sample": "bayesrank.inference",
    "simulate_responses": "bayesrank.data",
}
_ROOMS = (
    "checks",
    "frequentist",
    "inference",
    "likelihoods",
    "models",
    "plots",
    "priors",
    "ranking",
    "reports",
    "robustness",
    "rules",
    "schemes",
    "studies",
)

__all__ = [
    "Comparisons",
    "EmpiricalPrior",
    "Events",
    "Prior",
    "Ranking",
    "Responses",
    "checks",
    "frequentist",
    "inference",
    "likelihoods",
    "models",
    "plots",
    "priors",
    "rank",
    "ranking",
    "read_comparisons",
    "read_posterior",
    "read_responses",
    "reports",
    "robustness",
    "rules",
    "sample",
    "schemes",
    "simulate_responses",
    "studies",
]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        value = getattr(import_module(_NAMES[name]), name)
    elif name in _ROOMS:
        value = import_module(f"bayesrank.{name}")
    elif name == "__version__":
        from importlib.metadata import version

        value = version("bayesrank")
    else:
        msg = f"module 'bayesrank' has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, "__version__"])
