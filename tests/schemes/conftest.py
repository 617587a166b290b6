"""Simulated signals that several tests share."""

import pandas as pd
import pytest

from bayesrank import schemes


@pytest.fixture(scope="session")
def signals() -> pd.DataFrame:
    return schemes.simulate_signals(systems=4, questions=10, trials=4, random_seed=7)
