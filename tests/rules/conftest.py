"""The confirmed figures of the ranking rules and metrics."""

import json

import pytest


@pytest.fixture(scope="session")
def oracle(shared_data):
    return json.loads((shared_data.parent / "reference" / "ranking_rules_oracle.json").read_text())


@pytest.fixture(scope="session")
def metrics_oracle(shared_data):
    return json.loads((shared_data.parent / "reference" / "metrics_oracle.json").read_text())
