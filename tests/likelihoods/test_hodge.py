"""Hodge decomposition: the ranking rule's reference scores, and the split against brute force."""

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesrank import Comparisons, Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods import _hodge_cycles as cycles
from bayesrank.likelihoods import hodge_decomposition, hodge_flow, hodge_scores


def comparisons_of(pairs, wins, losses, ties=None):
    first, second = zip(*pairs, strict=True)
    n = 1 + max(max(first), max(second))
    return Comparisons.from_counts(
        first, second, wins, losses, ties=ties, systems=[str(k) for k in range(n)]
    )


def random_comparisons(n, share, seed, *, most=9):
    rng = np.random.default_rng(seed)
    pairs = [p for p in combinations(range(n), 2) if rng.random() < share] or [(0, n - 1)]
    counts = rng.integers(0, most, (3, len(pairs)))
    counts[0] += counts.sum(axis=0) == 0
    return comparisons_of([*pairs, (n - 2, n)], *np.c_[counts, [1, 0, 0]])


def brute(flow, weight):
    """Split a flow with explicit operators on lists of edges and triangles."""
    n = len(flow)
    edges = [e for e in combinations(range(n), 2) if weight[e] > 0]
    place = {e: k for k, e in enumerate(edges)}
    gradient = np.zeros((len(edges), n))
    for k, (i, j) in enumerate(edges):
        gradient[k, [i, j]] = 1, -1
    triangles = [
        t for t in combinations(range(n), 3) if all(p in place for p in combinations(t, 2))
    ]
    curl = np.zeros((len(triangles), len(edges)))
    for k, (a, b, c) in enumerate(triangles):
        curl[k, [place[a, b], place[b, c], place[a, c]]] = 1, 1, -1
    y = np.array([flow[e] for e in edges])
    root = np.sqrt([weight[e] for e in edges])
    potential = np.linalg.lstsq(gradient * root[:, None], y * root)[0]
    residual = root * (y - gradient @ potential)
    phi = np.linalg.lstsq(curl.T / root[:, None], residual)[0]
    local = curl.T @ phi / root
    return gradient @ potential, *(float(v @ v) for v in (root * y, residual, local)), triangles


@pytest.mark.shared
def test_scores_are_those_of_the_rule(shared_data):
    oracle = json.loads((shared_data.parent / "reference/ranking_rules_oracle.json").read_text())
    seen = 0
    for name, cases in oracle["rank"].items():
        outcomes = np.asarray(oracle["inputs"][name]["R"])
        won = Comparisons.from_responses(Responses.from_array(outcomes), pairing="trial")
        for case in cases.values():
            if case.get("fn") != "hodge_rank":
                continue
            options = {
                "edges": case["kwargs"].get("pairwise_stat", "binary"),
                "weights": case["kwargs"].get("weight_method", "total"),
            }
            found = hodge_decomposition(won, **options)["potential"]
            np.testing.assert_allclose(found, case["ref_scores"], atol=1e-8)
            seen += 1
    assert seen > 30


@given(st.integers(3, 8), st.floats(0.2, 1.0), st.integers(0, 10**6))
def test_the_split_is_that_of_explicit_operators(n, share, seed):
    data = random_comparisons(n, share, seed)
    flow, weight = hodge_flow(data.win_matrix(), data.tie_matrix())
    fitted, whole, cyclic, local, triangles = brute(flow, weight)
    found = hodge_decomposition(data, worst=1000)
    scale = whole or 1.0
    assert float(found["cyclic_share"]) == pytest.approx(cyclic / scale, abs=1e-9)
    assert float(found["curl_share"]) == pytest.approx(local / scale, abs=1e-5)
    assert float(found["harmonic_share"]) == pytest.approx((cyclic - local) / scale, abs=1e-5)
    assert int(found["triads"]) == len(triangles)
    np.testing.assert_allclose(found["flow"] - found["residual"], fitted, atol=1e-9)
    turned = sum(
        flow[a, b] > 0 and flow[b, c] > 0 and flow[c, a] > 0
        for t in triangles
        for a, b, c in (t, t[::-1])
    )
    assert int(found["intransitive"]) == turned
    assert found.sizes["triad"] == len(triangles)
    assert (np.diff(found["share"]) <= 1e-15).all()


@given(st.integers(4, 9), st.floats(0.25, 0.7), st.integers(0, 10**6))
def test_a_graph_said_to_have_no_hole_has_none(n, share, seed):
    data = random_comparisons(n, share, seed)
    flow, weight = hodge_flow(data.win_matrix(), data.tie_matrix())
    rng = np.random.default_rng(seed)
    flow = np.where(weight > 0, rng.normal(size=flow.shape), 0.0)
    flow = np.triu(flow) - np.triu(flow).T
    _, _, cyclic, local, _ = brute(flow, weight)
    if cycles._without_holes(weight > 0):
        assert local == pytest.approx(cyclic, abs=1e-8)


def test_a_square_without_diagonals_is_a_global_cycle():
    square = comparisons_of([(0, 1), (1, 2), (2, 3), (3, 0)], [3] * 4, [1] * 4)
    found = hodge_decomposition(square)
    assert float(found["harmonic_share"]) == pytest.approx(1.0)
    assert float(found["curl_share"]) == pytest.approx(0.0)
    assert int(found["triads"]) == 0
    assert found.sizes["triad"] == 0
    with_diagonal = comparisons_of(
        [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], [3, 3, 3, 3, 2], [1, 1, 1, 1, 2]
    )
    assert float(hodge_decomposition(with_diagonal)["harmonic_share"]) == 0.0


def test_the_worst_triad_is_named_in_the_order_of_its_circle():
    # 0 beats 2, 2 beats 1, 1 beats 0; model 3 loses to all in proportion.
    pairs = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    found = hodge_decomposition(comparisons_of(pairs, [2, 8, 2, 9, 9, 9], [8, 2, 8, 1, 1, 1]))
    names = found["triad_system"][0].to_numpy().tolist()
    assert "".join(names) in "02102"
    assert float(found["curl"][0]) == pytest.approx(1.8)
    assert int(found["intransitive"]) == 1
    assert float(found["share"][0]) == pytest.approx(3.24 / 30 * 100 / float(energy(found)))


def energy(found):
    return (found["weight"] * found["flow"] ** 2).sum()


@given(st.integers(3, 7), st.integers(0, 10**6))
def test_a_flow_of_differences_has_no_residual(n, seed):
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n)
    weight = np.triu(rng.integers(1, 50, (n, n)).astype(float), 1)
    weight += weight.T
    flow = score[:, None] - score
    np.testing.assert_allclose(hodge_scores(flow, weight), score - score.mean(), atol=1e-9)


@given(st.integers(0, 10**6))
def test_draws_are_solved_as_one_by_one_whatever_links_them(seed):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 3, (2, 6, 5, 5)).astype(float)
    wins[..., range(5), range(5)] = 0
    flow, weight = hodge_flow(wins, np.zeros_like(wins), edges="log_odds")
    weight[0, :2] *= 0
    together = hodge_scores(flow, weight)
    for draw in np.ndindex(2, 6):
        one = hodge_scores(flow[draw], weight[draw])
        np.testing.assert_allclose(together[draw], one, atol=1e-10)
        labels = cycles.components(weight[draw] > 0)
        np.testing.assert_allclose(np.bincount(labels, one), 0, atol=1e-9)


def test_groups_that_never_met_are_each_centred():
    data = comparisons_of([(0, 1), (2, 3)], [3, 9], [1, 1])
    found = hodge_decomposition(data)
    np.testing.assert_allclose(found["potential"], [0.25, -0.25, 0.4, -0.4])
    assert found["component"].to_numpy().tolist() == [0, 0, 1, 1]
    assert float(found["cyclic_share"]) == 0.0


@pytest.mark.parametrize("edges", ["binary", "log_odds"])
def test_what_chance_leaves_is_what_equal_models_show(edges):
    rng = np.random.default_rng(5)
    pairs = list(combinations(range(8), 2))
    observed, expected = [], []
    for _ in range(150):
        win, loss, tie = rng.multinomial(60, [0.4, 0.4, 0.2], len(pairs)).T
        found = hodge_decomposition(comparisons_of(pairs, win, loss, tie), edges=edges)
        whole = float(energy(found))
        observed.append(float(found["cyclic_share"]) * whole)
        expected.append(float(found["chance_share"]) * whole)
    error = np.std(observed) / np.sqrt(len(observed))
    assert np.mean(observed) == pytest.approx(np.mean(expected), abs=4 * error)


def test_turning_pairs_round_and_renaming_change_nothing():
    data = random_comparisons(7, 0.8, 3)
    turned = Comparisons.from_counts(
        [data.systems[j] for j in data.second],
        [data.systems[i] for i in data.first],
        data.losses,
        data.wins,
        ties=data.ties,
        systems=data.systems[::-1],
    )
    a, b = hodge_decomposition(data), hodge_decomposition(turned)
    np.testing.assert_allclose(a["potential"], b["potential"][::-1], atol=1e-12)
    for name in ("cyclic_share", "chance_share", "harmonic_share", "triads", "intransitive"):
        assert float(a[name]) == pytest.approx(float(b[name]))
    np.testing.assert_allclose(a["share"], b["share"], atol=1e-12)


def test_weights_and_edges_by_hand():
    wins, ties = np.array([[0.0, 6.0], [2.0, 0.0]]), np.array([[0.0, 4.0], [4.0, 0.0]])
    flow, weight = hodge_flow(wins, ties)
    assert flow.tolist() == [[0, 4 / 12], [-4 / 12, 0]]
    assert weight[0, 1] == 12
    assert hodge_flow(wins, ties, weights="decisive")[1][0, 1] == 8
    assert hodge_flow(wins, ties, weights="uniform")[1][0, 1] == 1
    odds, _ = hodge_flow(wins, ties, edges="log_odds", epsilon=1.0)
    assert odds[0, 1] == pytest.approx(np.log(11 / 7))
    # A pair of ties only has no decisive comparison, and so no edge.
    only = hodge_flow(0 * wins, ties, weights="decisive")
    assert not only[0].any()
    assert not only[1].any()


def test_options_are_checked():
    data = comparisons_of([(0, 1)], [1], [0])
    for options in ({"edges": "ternary"}, {"weights": "all"}, {"epsilon": -1}, {"worst": -1}):
        with pytest.raises(ArgumentError, match=next(iter(options))):
            hodge_decomposition(data, **options)


@pytest.mark.shared
def test_the_arena_has_no_hole_and_few_circles(shared_data):
    from bayesrank import read_comparisons

    found = hodge_decomposition(read_comparisons(shared_data / "chatbot_arena_20240814_pairs.csv"))
    assert float(found["cyclic_share"]) == pytest.approx(0.0363, abs=5e-4)
    assert float(found["harmonic_share"]) == 0.0
    assert (int(found["triads"]), int(found["intransitive"])) == (50312, 848)
