"""Rules held against their definitions, spelled out and searched in full for few models."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import linprog, minimize
from scipy.stats import beta, rankdata

from bayesrank import Comparisons, Responses, rules
from bayesrank.rules._beta_ranks import expected_ranks
from bayesrank.rules._chains import log_stationary, stationary
from bayesrank.rules._equilibrium import maximum_entropy_equilibrium
from bayesrank.rules._evidence import evidence_of
from bayesrank.rules._locking import lock_victories
from tests.rules.strategies import responses

FEW = settings(max_examples=15)


def votes_of(data, ties):
    k = data.successes
    L = len(k)
    return np.array(
        [
            [
                (k[i] > k[j]).sum() + (0.5 * (k[i] == k[j]).sum() if ties == "half" else 0)
                if i != j
                else 0.0
                for j in range(L)
            ]
            for i in range(L)
        ]
    )


@FEW
@given(data=responses())
def test_votes_and_borda_points(data):
    evidence = evidence_of(data)
    for ties in ("half", "ignore"):
        np.testing.assert_array_equal(evidence.votes(ties)[0], votes_of(data, ties))
    ranks = rankdata(-data.successes, axis=0)
    np.testing.assert_array_equal(rules.borda(data), (len(ranks) - ranks).sum(axis=1))


@FEW
@given(data=responses(models=(2, 4)), ties=st.sampled_from(["half", "ignore"]))
def test_schulze_over_all_paths(data, ties):
    P = votes_of(data, ties)
    L = len(P)

    def strongest(i, j):
        best = 0.0
        rest = [k for k in range(L) if k not in (i, j)]
        for size in range(len(rest) + 1):
            for between in permutations(rest, size):
                path = [i, *between, j]
                steps = list(pairwise(path))
                if all(P[a, b] > P[b, a] for a, b in steps):
                    best = max(best, min(P[a, b] for a, b in steps))
        return best

    beaten = [sum(strongest(i, j) > strongest(j, i) for j in range(L) if j != i) for i in range(L)]
    np.testing.assert_array_equal(rules.schulze(data, ties=ties), beaten)


@FEW
@given(data=responses(models=(2, 5)), ties=st.sampled_from(["half", "ignore"]))
def test_kemeny_over_all_orders(data, ties):
    P = votes_of(data, ties)
    L = len(P)
    orders = list(permutations(range(L)))
    agreeing = [sum(P[a, b] for a, b in combinations(order, 2)) for order in orders]
    best = [o for o, a in zip(orders, agreeing, strict=True) if a == max(agreeing)]
    always = [
        sum(all(o.index(j) < o.index(i) for o in best) for j in range(L) if j != i)
        for i in range(L)
    ]
    np.testing.assert_array_equal(rules.kemeny_young(data, ties=ties), L - 1 - np.array(always))


@given(seed=st.integers(0, 500))
@FEW
def test_ranked_pairs_without_equal_strengths(seed):
    rng = np.random.default_rng(seed)
    L = 4
    P = rng.permutation(L * L).reshape(L, L).astype(float)
    np.fill_diagonal(P, 0)
    margin = np.maximum(P - P.T, 0) + rng.random((L, L)) * 1e-3 * (P > P.T)
    locked = set()

    def reaches(a, b):
        seen, todo = {a}, [a]
        while todo:
            x = todo.pop()
            new = {d for c, d in locked if c == x} - seen
            seen |= new
            todo += new
        return b in seen

    for i, j in sorted(np.argwhere(margin > 0).tolist(), key=lambda e: -margin[e[0], e[1]]):
        if not reaches(j, i):
            locked.add((i, j))
    below = [sum(reaches(i, j) for j in range(L) if j != i) for i in range(L)]
    np.testing.assert_array_equal(lock_victories(margin[None], P[None])[0], below)


def test_ranked_pairs_drop_what_circles_only():
    # a > b is strong; b > c and c > a are equal, and close a circle with it: a > b stays.
    votes = np.array([[0.0, 9, 3], [1, 0, 6], [7, 4, 0]])
    margin = np.maximum(votes - votes.T, 0)
    margin[2, 0] = margin[1, 2]
    votes[2, 0] = votes[1, 2]
    np.testing.assert_array_equal(lock_victories(margin[None], votes[None])[0], [1, 0, 0])


@FEW
@given(data=responses(), rank_ties=st.sampled_from(["average", "min", "max", "dense"]))
def test_elimination_by_its_definition(data, rank_ties):
    k = data.successes
    for rule, last_only in ((rules.nanson, False), (rules.baldwin, True)):
        left, leaves = list(range(len(k))), np.zeros(len(k))
        for number in range(len(k)):
            points = (len(left) - rankdata(-k[left], axis=0, method=rank_ties)).sum(axis=1)
            leaves[left] = number
            if np.ptp(points) == 0:
                break
            limit = points.min() if last_only else points.mean()
            left = [i for i, p in zip(left, points, strict=True) if p > limit + 1e-9]
        np.testing.assert_array_equal(rule(data, rank_ties=rank_ties), leaves)


def removed_medians(grades):
    left, found = sorted(grades), []
    while left:
        found.append(left.pop((len(left) - 1) // 2))
    return found


@FEW
@given(data=responses(questions=(1, 7)))
def test_majority_judgment_by_removing_medians(data):
    rows = [removed_medians(row) for row in data.successes.tolist()]
    below = [sum(other < row for other in rows) for row in rows]
    np.testing.assert_array_equal(rules.majority_judgment(data), below)


@FEW
@given(data=responses(questions=(1, 6)))
def test_majority_judgment_of_weights_that_are_copies(data):
    rng = np.random.default_rng(data.successes.sum())
    times = rng.integers(0, 4, size=len(data.questions))
    times[0] += 1
    copied = Responses.from_array(np.repeat(data.outcomes, times, axis=1))
    weighted = evidence_of(data).with_weights(times[np.newaxis].astype(float))
    found = rules.get("majority_judgment").evaluate(weighted)[0]
    np.testing.assert_array_equal(found, rules.majority_judgment(copied))


@FEW
@given(data=responses(trials=(2, 4)))
def test_metrics_over_all_subsets_of_trials(data):
    subsets = list(combinations(range(data.outcomes.shape[2]), 2))
    x = np.stack([data.outcomes[:, :, list(s)].sum(axis=2) for s in subsets])
    np.testing.assert_allclose(rules.pass_at_k(data, k=2), (x >= 1).mean(axis=(0, 2)), atol=1e-14)
    np.testing.assert_allclose(rules.pass_hat_k(data, k=2), (x == 2).mean(axis=(0, 2)), atol=1e-14)
    best = np.stack([data.outcomes[:, :, list(s)].max(axis=2) for s in subsets])
    np.testing.assert_allclose(rules.max_at_k(data, k=2), best.mean(axis=(0, 2)), atol=1e-14)


def test_threshold_is_the_ceiling_of_an_exact_fraction():
    data = Responses.from_counts([[7]], 10)
    # 0.7 * 10 is 7.000000000000001 in floats, which would ask for eight successes.
    assert rules.g_pass_at_k(data, k=10, tau=0.7).item() == pytest.approx(1.0)


def test_odd_k_is_not_twice_the_integral_over_tau():
    data = Responses.from_counts([[7]], 10)
    assert rules.mg_pass_at_k(data, k=3).item() == pytest.approx(0.19, abs=0.01)


def test_probabilities_replace_the_trials_of_latent_evidence():
    p = np.array([[[0.2, 0.7], [0.9, 0.5]]])
    latent = evidence_of(Responses.from_counts([[1, 1], [1, 1]], 2)).with_draws(p)
    k = 5  # more than the trials
    for name, expected in (
        ("pass_at_k", 1 - (1 - p) ** k),
        ("pass_hat_k", p**k),
        ("max_at_k", 1 - (1 - p) ** k),
        ("threshold_spectrum", p),
    ):
        found = rules.get(name, k=k).evaluate(latent)
        np.testing.assert_allclose(found, expected.mean(axis=2), atol=1e-14)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((1.0, 1.0, 5.0), (1.0, 9.0, 3.0)),
        ((1.0, 301.0, 30.0), (301.0, 1.0, 271.0)),
        ((40.0, 35.0, 200.0), (1000.0, 900.0, 50.0)),
    ],
)
def test_expected_ranks_by_numerical_integration(a, b):
    found = expected_ranks(np.array([a]), np.array([b]))[0]
    for i in range(3):
        total = 1.0
        for j in {0, 1, 2} - {i}:
            one, other = beta(a[i], b[i]), beta(a[j], b[j])
            low, high = one.ppf(1e-14), one.ppf(1 - 1e-14)
            total += quad(
                lambda x, f=one, g=other: f.pdf(x) * g.sf(x), low, high, epsabs=1e-11, limit=500
            )[0]
        assert found[i] == pytest.approx(total, abs=1e-7)
    assert found.sum() == pytest.approx(6.0, abs=1e-12)


def test_expected_ranks_of_what_is_far_apart():
    found = expected_ranks(np.array([[900.0, 100.0, 500.0]]), np.array([[100.0, 900.0, 500.0]]))
    np.testing.assert_allclose(found, [[1, 3, 2]], atol=1e-12)


@given(seed=st.integers(0, 1000))
@FEW
def test_stationary_distributions_are_stationary(seed):
    rng = np.random.default_rng(seed)
    steps = rng.random((2, 5, 5)) ** 6
    steps /= steps.sum(axis=2, keepdims=True)
    found = stationary(steps)
    np.testing.assert_allclose(np.einsum("bi,bij->bj", found, steps), found, rtol=1e-12)
    np.testing.assert_allclose(log_stationary(np.log(steps)), np.log(found), rtol=1e-10)


def test_strong_selection_does_not_underflow():
    data = Responses.from_counts([[90], [50], [10], [5]], 100)
    scores = rules.alpharank(data, alpha=100.0).values
    assert np.isfinite(scores).all()
    assert (np.diff(scores) < -10).all()
    assert rules.alpharank(data, alpha=100.0, scale="probability").values[3] == 0.0


def test_alpharank_of_weak_selection_is_even():
    data = Responses.from_counts([[90], [50], [10]], 100)
    scores = rules.alpharank(data, alpha=1e-9, scale="probability")
    np.testing.assert_allclose(scores, 1 / 3, atol=1e-7)


def antisymmetric(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 9))
    thin = rng.random((size, size)) < rng.choice([0.3, 0.6, 1.0])
    game = np.triu(rng.integers(-2, 3, size=(size, size)) * thin, 1).astype(float)
    return game - game.T


def game_of(size, upper):
    game = np.zeros((size, size))
    game[np.triu_indices(size, 1)] = upper
    return game - game.T


# On the way to the most even mixture several bounds are crossed at once; and one is met that has
# to be left again.
CROSSING = game_of(
    8, np.fromstring("0 -2 0 0 -3 -3 1 0 0 0 0 0 -2 -1 0 2 3 0 0 2 3 0 1 -1 -1 3 -2 -1", sep=" ")
)
LEAVING = game_of(
    13,
    np.fromstring(
        "0 -2 0 -1 -1 2 0 -2 0 0 0 1 0 1 0 0 2 0 0 -1 1 0 0 0 -1 1 0 2 0 0 0 0 0 -1 0 0 0 2 0 0 "
        "0 -1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2 -2 0 2 0 0 -1 0 0 0 0 0 0 2 0 0 2 0",
        sep=" ",
    ),
)


@pytest.mark.parametrize("game", [CROSSING, LEAVING, *map(antisymmetric, range(30))])
def test_equilibrium_is_one_and_the_most_even(game):
    size = len(game)
    mixture = maximum_entropy_equilibrium(game)
    assert mixture.sum() == pytest.approx(1.0, abs=1e-12)
    assert (mixture >= 0).all()
    assert (mixture @ game >= -1e-9).all()

    def disorder(x):
        return -(x * np.log(np.maximum(x, 1e-300))).sum()

    # Against another method, and against equilibria that linear programs find.
    found = minimize(
        lambda x: -disorder(x),
        np.full(size, 1 / size),
        method="SLSQP",
        bounds=[(0, 1)] * size,
        constraints=[
            {"type": "eq", "fun": lambda x: x.sum() - 1},
            {"type": "ineq", "fun": lambda x: x @ game},
        ],
        options={"ftol": 1e-13, "maxiter": 500},
    )
    if found.success and (found.x @ game >= -1e-9).all():
        assert disorder(mixture) >= -found.fun - 1e-7
    rng = np.random.default_rng(size)
    for _ in range(5):
        other = linprog(
            rng.normal(size=size),
            A_ub=-game.T,
            b_ub=np.zeros(size),
            A_eq=np.ones((1, size)),
            b_eq=[1.0],
        ).x
        for mixed in (other, (mixture + other) / 2):
            assert disorder(mixture) >= disorder(np.maximum(mixed, 0)) - 1e-9


def test_equilibrium_shares_the_weight_of_copies():
    # Scissors, paper, stone, and stone once more: the copy takes half of the stone's third.
    one = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], dtype=float)
    game = one[np.ix_([0, 1, 2, 2], [0, 1, 2, 2])]
    np.testing.assert_allclose(
        maximum_entropy_equilibrium(game), [1 / 3, 1 / 3, 1 / 6, 1 / 6], atol=1e-10
    )


def test_hodge_rank_of_sparse_comparisons():
    # On a line of pairs every outcome is met exactly.
    line = Comparisons.from_counts(["a", "b"], ["b", "c"], [3, 6], [1, 2])
    np.testing.assert_allclose(rules.hodge_rank(line), [0.5, 0.0, -0.5], atol=1e-12)


def test_spectral_score_is_an_eigenvector():
    data = Responses.from_counts([[3, 7], [5, 9], [1, 8]], 10)
    evidence = evidence_of(data)
    matrix = (evidence.wins[0] + evidence.ties[0] / 2 + 1) / (20 + 2)
    np.fill_diagonal(matrix, 0)
    scores = rules.spectral(data).values
    ratio = matrix @ scores / scores
    np.testing.assert_allclose(ratio, ratio[0])
    assert scores.sum() == pytest.approx(1)


def test_pagerank_is_a_balance():
    data = Responses.from_counts([[3, 7], [5, 9], [1, 8]], 10)
    share = evidence_of(data).shares[0]
    np.fill_diagonal(share, 0)
    lazy = share + np.diag(share.sum(axis=1))
    for variant, links in (("lazy", lazy / 2), ("columns", share / share.sum(axis=0))):
        np.testing.assert_allclose(links.sum(axis=0), 1)
        scores = rules.pagerank(data, damping=0.6, variant=variant).values
        np.testing.assert_allclose(scores, 0.4 / 3 + 0.6 * links @ scores)
