"""Rank language models, and anything else that is scored or compared, with honest uncertainty.

Every public name is resolved on first use: ``import bayesrank`` loads neither PyMC, ArviZ, xarray,
pandas nor SciPy, so that a command line that only prints its help stays quick.
"""

from typing import TYPE_CHECKING, Any

from bayesrank._lazy import lazy

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


_resolve, _listed = lazy(__name__, _NAMES, rooms=_ROOMS)


def __getattr__(name: str) -> Any:
    if name != "__version__":
        return _resolve(name)
    from importlib.metadata import version

    return version("bayesrank")


def __dir__() -> list[str]:
    return sorted([*_listed(), "__version__"])
