"""The covering program, and that no answer of a solver is taken on trust."""

import itertools
import os

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bayesrank.exceptions import BayesrankError
from bayesrank.robustness import _highs
from bayesrank.robustness._cover import (
    cheapest_cover,
    cover_with_fewest_of,
    covers,
    lower_bound,
)
from bayesrank.robustness._optimal_sets import tasks_in_every_set


def all_sets(m):
    return np.array(list(itertools.product([False, True], repeat=m)))


@st.composite
def programs(draw):
    m, r = draw(st.integers(1, 9)), draw(st.integers(1, 12))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, draw(st.sampled_from([2, 5, 10**6])), size=(r, m))
    needs = np.maximum(1, (rows.sum(axis=1) * rng.uniform(0.1, 1.0, size=r)).astype(np.int64))
    assume((rows.sum(axis=1) >= needs).all())
    kind = draw(st.sampled_from(["equal", "whole", "any"]))
    costs = {"equal": np.full(m, 2.5), "whole": rng.integers(1, 5, m) * 1.0}.get(
        kind, rng.uniform(0.1, 3.0, m)
    )
    return rows, needs, costs


@given(programs())
def test_cheapest_cover_and_its_bound(program):
    rows, needs, costs = program
    sets = all_sets(rows.shape[1])
    good = sets[(sets @ rows.T >= needs).all(axis=1)]
    least = (good @ costs).min()
    chosen = cheapest_cover(rows, needs, costs)
    assert covers(rows, needs, chosen)
    assert costs[chosen].sum() == pytest.approx(least)
    assert lower_bound(rows, needs, costs) <= least * (1 + 1e-12)


@given(programs())
def test_tasks_in_every_set(program):
    rows, needs, costs = program
    sets = all_sets(rows.shape[1])
    good = sets[(sets @ rows.T >= needs).all(axis=1)]
    best = good[good @ costs <= (good @ costs).min() * (1 + 1e-9)]
    every = tasks_in_every_set(rows, needs, costs, cheapest_cover(rows, needs, costs))
    np.testing.assert_array_equal(every, best.all(axis=0))


HARD = (np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 1, 1]]), np.array([1, 1, 1, 2]))


def test_an_insufficient_answer_of_the_solver_is_refused(monkeypatch):
    real = _highs.milp
    lies = iter([[0, 0, 0, 1], [1, 1, 0, 0]])

    def sometimes_wrong(*arguments, **options):
        answer = real(*arguments, **options)
        lie = next(lies, None)
        if lie is not None:
            answer.x = np.array(lie, dtype=float)
        return answer

    monkeypatch.setattr(_highs, "milp", sometimes_wrong)
    rows, needs = HARD
    costs = np.array([1.0, 1.3, 2.1, 1.2])
    chosen = cheapest_cover(rows, needs, costs)
    assert covers(rows, needs, chosen)
    sets = all_sets(4)
    good = sets[(sets @ rows.T >= needs).all(axis=1)]
    assert costs[chosen].sum() == pytest.approx((good @ costs).min())


def test_tasks_in_every_set_without_trust_in_the_solver(monkeypatch):
    rows, needs = HARD
    costs = np.array([1.0, 1.3, 2.1, 1.2])
    chosen = cheapest_cover(rows, needs, costs)
    expected = tasks_in_every_set(rows, needs, costs, chosen)
    monkeypatch.setattr(
        "bayesrank.robustness._optimal_sets.cover_with_fewest_of", lambda *_, **__: None
    )
    np.testing.assert_array_equal(tasks_in_every_set(rows, needs, costs, chosen), expected)


def test_a_dearer_set_than_the_limit_says_nothing(monkeypatch):
    rows, needs = HARD
    real = _highs.milp

    def dearer(*arguments, **options):
        answer = real(*arguments, **options)
        answer.x = np.ones(4)
        return answer

    monkeypatch.setattr(_highs, "milp", dearer)
    some = np.ones(4, dtype=bool)
    assert cover_with_fewest_of(some, rows, needs, np.ones(4), limit=3.0) is None


def test_a_solver_without_an_answer_is_an_error(monkeypatch):
    real = _highs.milp

    def lost(*arguments, **options):
        answer = real(*arguments, **options)
        answer.x, answer.message = None, "lost"
        return answer

    monkeypatch.setattr(_highs, "milp", lost)
    with pytest.raises(BayesrankError, match="lost"):
        _highs.binary_minimum(np.ones(2), np.ones((1, 2)), np.ones(1))


def test_what_the_solver_prints_does_not_reach_standard_output(monkeypatch, capfd):
    real = _highs.milp

    def talkative(*arguments, **options):
        os.write(1, b"for developers only")
        return real(*arguments, **options)

    monkeypatch.setattr(_highs, "milp", talkative)
    _highs.binary_minimum(np.ones(2), np.ones((1, 2)), np.ones(1))
    os.write(1, b"for the reader")
    assert capfd.readouterr().out == "for the reader"
