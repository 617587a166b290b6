"""Item response models with options: the defaults of `sample` pass its checks, and truth is found.

One small data set each, from the model's own story; options that go together share one.
"""

import numpy as np
import pytest
from scipy.special import expit

import bayesrank
from bayesrank import Prior, Responses
from bayesrank._record import read_record
from bayesrank.models import item_response

pytestmark = pytest.mark.slow

L, M, N = 10, 30, 6
SYSTEMS = [f"model {x}" for x in range(L)]
FAMILY = np.arange(M) % 5
TASK = np.arange(M) % 3


def truth(seed):
    """Abilities, difficulties and a generator to go on with."""
    rng = np.random.default_rng(seed)
    return rng, rng.normal(0.3, 1.0, L), rng.normal(0.0, 1.2, M)


def counted(p, rng, **labels):
    return Responses.from_counts(rng.binomial(N, p), N, systems=SYSTEMS, **labels)


def dimensions():
    rng, _, b = truth(1)
    loading = np.column_stack([rng.normal(1.0, 0.4, M), rng.normal(0.0, 0.9, M)])
    p = expit(rng.normal(size=(L, 2)) @ loading.T - b)
    return counted(p, rng), {"kind": "2pl", "dimensions": 2}, p, {}


def linear():
    rng, theta, b = truth(2)
    size = rng.normal(size=L)
    slope = rng.normal(0.8, 0.4, L)
    path = (theta + 0.8 * size)[:, None] + slope[:, None] * np.linspace(-0.5, 0.5, N)
    p = expit(path[:, None, :] - b[:, None])
    data = Responses.from_array(rng.binomial(1, p), systems=SYSTEMS)
    options = {"trend": "linear", "system_covariates": {"size": size.tolist()}}
    return data, options, p[:, :, -1], {"system_effect": 0.8 * size.std(), "slope_mean": 0.8}


def random_walk():
    rng, theta, b = truth(3)
    path = theta[:, None] + np.cumsum(rng.normal(0, 0.3, (L, N)), axis=1)
    p = expit(path[:, None, :] - b[:, None])
    data = Responses.from_array(rng.binomial(1, p), systems=SYSTEMS)
    return data, {"trend": "random_walk"}, p[:, :, -1], {"walk_sd": 0.3 * (N - 1) ** 0.5}


def families():
    rng, theta, b = truth(4)
    length, rho = rng.normal(size=M), 0.15
    own = rng.normal(0, 0.6, (L, 5))[:, FAMILY]
    p = expit(theta[:, None] + own - b - 0.9 * length)
    nu = (1 - rho) / rho
    data = counted(rng.beta(p * nu + 1e-9, (1 - p) * nu + 1e-9), rng)
    options = {
        "testlets": [f"family {f}" for f in FAMILY],
        "overdispersion": True,
        "question_covariates": {"length": length.tolist()},
    }
    found = {"overdispersion": rho, "testlet_sd": 0.6, "question_effect": 0.9 * length.std()}
    return data, options, p, found


def anchored():
    rng, theta, b = truth(5)
    theta[0] = 0.5
    p = 0.2 + 0.8 * expit(theta[:, None] - b)
    options = {
        "kind": "3pl-fixed-guessing",
        "guessing": 0.2,
        "anchors": {SYSTEMS[0]: 0.5, SYSTEMS[1]: Prior("Normal", mu=theta[1], sigma=0.5)},
    }
    return counted(p, rng), options, p, {}


def tasks(kind):
    rng, theta, b = truth(6)
    own = rng.normal(0, 0.5, (L, 3))
    p = expit((theta[:, None] + own)[:, TASK] - b - np.array([0.6, -0.4, 0.0])[TASK])
    data = counted(p, rng, tasks=[f"task {t}" for t in TASK])
    found = {"task_sd": 0.5} if kind == "independent" else {}
    return data, {"tasks": kind}, p, found


CASES = {
    "dimensions": dimensions,
    "linear trend, system covariate": linear,
    "random walk": random_walk,
    "testlets, overdispersion, question covariate": families,
    "anchors, known guessing": anchored,
    "independent tasks": lambda: tasks("independent"),
    "correlated tasks": lambda: tasks("correlated"),
}


@pytest.mark.parametrize("case", CASES)
def test_checks_pass_and_truth_is_found_within_its_uncertainty(case):
    data, options, p, parameters = CASES[case]()
    posterior = bayesrank.sample(item_response(data, **options), random_seed=1)
    record = read_record(posterior)
    assert record.verdict == "pass", record.diagnostics
    group = posterior["posterior"]
    wanted = {"score": p.mean(axis=1), **parameters}
    if "part_score" in group:
        wanted["part_score"] = np.stack([p[:, t == TASK].mean(axis=1) for t in range(3)])
    for name, value in wanted.items():
        draws = group[name]
        z = (draws.mean(("chain", "draw")) - value) / draws.std(("chain", "draw"))
        # Of n standard normals: the mean square, and the largest.
        n = z.size
        assert float((z**2).mean()) < 1 + 4 * (2 / n) ** 0.5, (name, z.to_numpy())
        assert float(np.abs(z).max()) < 4, (name, z.to_numpy())
