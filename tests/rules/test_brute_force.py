"""Rules against their definitions carried out in full, and against published scores."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog, minimize

import bayesrank
from bayesrank import Comparisons, Responses, rules


def centred(values):
    values = np.asarray(values)
    return values - values.mean()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("log", "golden"),
    [
        ("evalica_food.csv", "evalica_food_golden.csv"),
        ("llmfao_crowd-comparisons.csv", "evalica_llmfao_golden.csv"),
    ],
)
def test_published_scores_of_evalica(shared_data, log, golden):
    data = bayesrank.read_comparisons(shared_data / log)
    known = pd.read_csv(shared_data / golden)
    for algorithm, own in (
        ("bradley_terry", rules.bradley_terry(data, ties="half")),
        ("newman", rules.davidson(data)),
    ):
        scores = known[known["algorithm"] == algorithm].set_index("item")["score"]
        expected = centred(np.log(scores.loc[list(data.systems)]))
        np.testing.assert_allclose(centred(own), expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_nash_by_linear_programming(seed):
    # Generic games have one equilibrium, which any program finds.
    rng = np.random.default_rng(seed)
    size = 5
    i, j = np.triu_indices(size, 1)
    n = rng.integers(200, 400, len(i))
    wins = rng.binomial(n, rng.beta(1, 1, len(i)))
    data = Comparisons.from_counts(i, j, wins, n - wins)
    share = np.full((size, size), 0.5)
    share[i, j], share[j, i] = wins / n, 1 - wins / n
    payoff = 2 * share - 1
    # Maximise the least payoff v of a mixture x against every model.
    found = linprog(
        [*np.zeros(size), -1.0],
        A_ub=np.column_stack([-payoff.T, np.ones(size)]),
        b_ub=np.zeros(size),
        A_eq=[[*np.ones(size), 0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * size + [(None, None)],
    )
    mixture = found.x[:size]
    assert found.x[size] == pytest.approx(0.0, abs=1e-9)
    order = [data.systems.index(str(k)) for k in range(size)]
    for kind, expected in (
        ("weight", mixture),
        ("equilibrium", share @ mixture),
        ("advantage", payoff @ mixture),
    ):
        own = rules.nash(data, score_type=kind).values[order]
        np.testing.assert_allclose(own, expected, atol=1e-8)


def log_likelihood(strength, outcomes):
    """Return the log-probability that winners come before losers, as a sum over all orders."""
    size = len(strength)
    total = 0.0
    for winners in outcomes:
        above = set(np.flatnonzero(winners))
        if not 0 < len(above) < size:
            continue
        chance = 0.0
        for order in permutations(range(size)):
            if set(order[: len(above)]) != above:
                continue
            left, probability = strength.sum(), 1.0
            for model in order:
                probability *= strength[model] / left
                left -= strength[model]
            chance += probability
        total += np.log(chance)
    return total


@pytest.mark.parametrize("seed", [1, 2])
def test_plackett_luce_by_its_likelihood_over_all_orders(seed):
    outcomes = np.random.default_rng(seed).integers(0, 2, (4, 12, 1))
    events = outcomes[:, :, 0].T
    found = minimize(
        lambda free: -log_likelihood(np.exp([*free, 0.0]), events),
        np.zeros(3),
        method="BFGS",
        options={"gtol": 1e-8},
    )
    own = rules.plackett_luce_exact(Responses.from_array(outcomes)).values
    np.testing.assert_allclose(own, centred([*found.x, 0.0]), atol=2e-5)


@pytest.mark.parametrize("seed", range(3))
def test_davidson_by_its_likelihood(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 20, (3, 3))  # wins, losses and ties of three pairs
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    data = Comparisons.from_counts("aab", "bcc", *counts[:2], ties=counts[2])

    def deviance(free):
        theta, tie = np.array([free[0], free[1], 0.0]), free[2]
        terms = np.stack([theta[first], theta[second], tie + (theta[first] + theta[second]) / 2])
        return -(counts * (terms - np.logaddexp.reduce(terms, axis=0))).sum()

    found = minimize(deviance, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(rules.davidson(data), centred([*found.x[:2], 0.0]), atol=1e-5)


def test_thompson_by_all_outcomes_of_a_grid():
    # P(first above second) of two Beta posteriors, summed over a fine grid.
    data = Responses.from_counts([[3], [5]], 10)
    grid = (np.arange(20_000) + 0.5) / 20_000
    density = [grid**k * (1 - grid) ** (10 - k) for k in (3, 5)]
    one, other = (d / d.sum() for d in density)
    ahead = (one * (np.cumsum(other) - other / 2)).sum()
    expected = [-(1 + 1 - ahead), -(1 + ahead)]
    np.testing.assert_allclose(rules.thompson(data), expected, atol=1e-6)


def test_minimax_and_copeland_over_all_small_elections():
    # Every way in which two questions can grade three models from 0 to 2.
    grades = np.array(list(product(range(3), repeat=6))).reshape(-1, 3, 2)
    for counts in grades[::13]:
        data = Responses.from_counts(counts, 2)
        votes = (counts[:, np.newaxis] > counts[np.newaxis]).sum(axis=2)
        votes = votes + 0.5 * (counts[:, np.newaxis] == counts[np.newaxis]).sum(axis=2)
        np.fill_diagonal(votes, 0)
        np.testing.assert_array_equal(rules.copeland(data), np.sign(votes - votes.T).sum(axis=1))
        worst = np.maximum(votes.T - votes, 0).max(axis=1)
        np.testing.assert_array_equal(rules.minimax(data), -worst)
