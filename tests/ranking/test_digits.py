"""Printed probabilities: digits follow the error, and the draws never claim 0 or 1."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesrank.ranking import probability_text
from bayesrank.ranking.digits import decimals, number_text


@pytest.mark.parametrize(
    ("probability", "mcse", "n_draws", "text"),
    [
        (0.41268, 0.0078, 4000, "0.41"),
        (0.41268, 0.0099, 4000, "0.41"),
        (0.41268, 0.01, 4000, "0.41"),
        (0.41268, 0.011, 4000, "0.4"),
        (0.41268, 0.0009, 4e5, "0.413"),
        (0.9312, 0.004, 4000, "0.93"),
        (0.4, 0.2, 5, "0.4"),
        # never rounded to 0 or 1
        (0.003, 0.0015, 4000, "<0.01"),
        (0.997, 0.0015, 4000, ">0.99"),
        (0.00025, 0.00025, 4000, "<0.001"),
        # 0 and 1 from finite draws: 1 - 0.05 ** (1 / n), rounded up
        (0.0, 0.0, 4000, "<0.0008"),
        (1.0, 0.0, 4000, ">0.9992"),
        (0.0, 0.0, 400, "<0.008"),
        (0.0, math.nan, 10, "<0.3"),
        (0.0, 0.0, 1, "<1"),
        # by definition
        (0.0, 0.0, math.inf, "0"),
        (1.0, 0.0, math.inf, "1"),
        # no usable error: that of independent draws
        (1 / 3, 0.0, 4000, "0.33"),
        (0.5, math.nan, 100, "0.5"),
        (1 - 1e-16, 0.0, 4000, ">0.9992"),
    ],
)
def test_text(probability, mcse, n_draws, text):
    assert probability_text(probability, mcse=mcse, n_draws=n_draws) == text


@given(st.floats(0, 1), st.floats(1e-6, 0.3), st.integers(1, 10**7))
def test_text_is_true_of_the_number(probability, mcse, n_draws):
    text = probability_text(probability, mcse=mcse, n_draws=n_draws)
    value = float(text.lstrip("<>"))
    if text[0] == "<":
        assert probability <= value + 1e-12
    elif text[0] == ">":
        assert probability >= value - 1e-12
    else:
        places = len(text.partition(".")[2])
        assert abs(probability - value) <= 0.5 * 10.0**-places + 1e-12
        assert 10.0**-places >= mcse * (1 - 1e-6) or places == 1
        assert 0 < value < 1


@given(st.floats(1e-9, 1e6))
def test_last_decimal_is_worth_an_error(mcse):
    places = decimals(mcse)
    assert 10.0**-places >= mcse * (1 - 1e-6) or places == 0
    assert 10.0 ** -(places + 1) < mcse * (1 + 1e-6)


def test_bound_holds_the_event_that_never_came_up():
    # An event with the printed probability stays away from all draws in at most 5 % of cases.
    for n in (10, 97, 400, 4000):
        bound = float(probability_text(0.0, mcse=0.0, n_draws=n)[1:])
        assert (1 - bound) ** n <= 0.05


def test_no_minus_zero():
    assert number_text(-0.0004, places=3) == "0.000"
    assert number_text(-1.25, places=1) == "-1.2"
