"""One fit a family, by each way there is, shared by the tests of this room."""

import json
from pathlib import Path

import numpy as np
import pytest

import bayesrank
from bayesrank import EmpiricalPrior, Responses

GALLERY = Path(__file__).resolve().parents[2] / "models"


@pytest.fixture(scope="session")
def gallery():
    return GALLERY


def bayes_at_n_of(case):
    """Build the model of one data set of models/bayes_at_n/data.json."""
    counts = np.array(case["stan"]["counts"])
    responses = Responses(
        systems=tuple(case["systems"]),
        questions=tuple(f"q{m}" for m in range(counts.shape[1])),
        counts=counts,
        missing=np.zeros(counts.shape[:2], dtype=np.int64),
    )
    extra = case.get("prior_outcomes")
    prior = None if extra is None else EmpiricalPrior(extra)
    return bayesrank.models.bayes_at_n(responses, weights=case["stan"]["weights"], prior=prior)


@pytest.fixture(scope="session")
def bayes_at_n_cases():
    text = (GALLERY / "bayes_at_n" / "data.json").read_text(encoding="utf-8")
    return {name: bayes_at_n_of(case) for name, case in json.loads(text).items()}


@pytest.fixture(scope="session")
def bayes_at_n_nuts(bayes_at_n_cases):
    return {
        name: bayesrank.sample(model, method="nuts", random_seed=11, keep_probabilities=True)
        for name, model in bayes_at_n_cases.items()
    }
