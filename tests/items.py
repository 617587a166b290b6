"""Item response models at random points, and data they are tried on."""

import warnings

import numpy as np
from scipy import stats

from bayesrank import Prior, Responses
from bayesrank.exceptions import BayesrankWarning
from bayesrank.models import item_response

TRIALS = np.array([[4, 4, 0, 3, 2, 5], [4, 4, 4, 4, 4, 4], [1, 0, 4, 4, 2, 5], [2, 2, 2, 2, 2, 2]])


def small(*, tasks=True, seed=1):
    """Four models and six questions with unequal trials, two cells without one, two tasks."""
    k = np.random.default_rng(seed).binomial(TRIALS, 0.6)
    return Responses.from_counts(
        k, TRIALS, systems=list("abcd"), tasks=["x", "x", "y", "y", "y", "x"] if tasks else None
    )


def ordered(trials=6):
    outcomes = np.random.default_rng(2).integers(0, 2, (3, 5, trials))
    outcomes[0, 0, 0] = -1
    return Responses.from_array(outcomes)


def values_at(model, seed=3):
    """A random unconstrained point, and the named variables there."""
    rng = np.random.default_rng(seed)
    point = {n: rng.normal(0, 0.6, np.shape(v)) for n, v in model.initial_point().items()}
    names = [*model.free_RVs, *model.deterministics]
    outputs = model.replace_rvs_by_values(names)
    f = model.compile_fn(outputs, inputs=model.value_vars, point_fn=False, mode="FAST_COMPILE",
                         on_unused_input="ignore")  # fmt: skip
    found = f(*[point[v.name] for v in model.value_vars])
    return point, dict(zip([v.name for v in names], found, strict=True))


def likelihood(model, point):
    """The log-density of the counts alone, without the binomial coefficient."""
    return float(model.compile_logp(vars=[model["n_correct"]], mode="FAST_COMPILE")(point))


def expected_likelihood(responses, p, rho=None):
    seen = responses.observed
    n, k, p = responses.n_trials[seen], responses.successes[seen], p[seen]
    coefficient = stats.binom(n, 0.5).logpmf(k) + n * np.log(2)
    if rho is None:
        return (stats.binom(n, p).logpmf(k) - coefficient).sum()
    nu = (1 - rho) / rho
    return (stats.betabinom(n, p * nu, (1 - p) * nu).logpmf(k) - coefficient).sum()


STRUCTURES = {
    "rasch": {},
    "2pl": {"kind": "2pl"},
    "3pl": {"kind": "3pl"},
    "fixed": {"kind": "3pl-fixed-guessing", "guessing": [0.0, 0.2, 0.5, 0.1, 0.0, 0.3]},
    "independent": {"tasks": "independent", "kind": "2pl"},
    "correlated": {"tasks": "correlated"},
    "dimensions": {"kind": "2pl", "dimensions": 2},
    "testlets": {"testlets": True, "kind": "2pl"},
    "overdispersion": {"overdispersion": True},
    "overdispersed 3pl": {"overdispersion": True, "kind": "3pl"},
    "anchors": {"anchors": {"a": 0.5, "c": Prior("Normal", mu=0, sigma=1)}, "kind": "2pl"},
    "covariates": {
        "question_covariates": {"level": list("aabbab")},
        "system_covariates": {"size": {"d": 8, "a": 1, "b": 3, "c": 4}},
    },
}


def build(responses, options):
    with warnings.catch_warnings():  # that guessing is not known is tested elsewhere
        warnings.simplefilter("ignore", BayesrankWarning)
        return item_response(responses, **options)
