"""Maximum likelihood of paired comparisons against published figures, and where there is none."""

import json
from itertools import combinations_with_replacement, product
from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesrank import Comparisons, Responses
from bayesrank.data import comparison_graph
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import fit_paired, why_no_maximum
from bayesrank.likelihoods.paired import TIES

# Davidson (1970), example 2: preferences among six puddings (first, second, wins, losses, ties).
PUDDING = np.array(
    [
        [1, 2, 19, 22, 16], [1, 3, 16, 19, 12], [2, 3, 19, 19, 10], [1, 4, 18, 23, 13],
        [2, 4, 23, 19, 9], [3, 4, 19, 20, 15], [1, 5, 13, 19, 18], [2, 5, 16, 20, 12],
        [3, 5, 16, 15, 17], [4, 5, 17, 14, 16], [1, 6, 18, 21, 12], [2, 6, 22, 20, 12],
        [3, 6, 13, 18, 10], [4, 6, 14, 19, 18], [5, 6, 11, 21, 12],
    ]
)  # fmt: skip


@pytest.fixture(scope="module")
def reference(shared_data):
    return json.loads((shared_data.parent / "reference" / "reference_values.json").read_text())


def pudding(rows=PUDDING):
    names = [[str(x) for x in rows[:, k]] for k in (0, 1)]
    return Comparisons.from_counts(
        *names, rows[:, 2], rows[:, 3], ties=rows[:, 4], systems=list("123456")
    )


def test_davidson_pudding():
    fit = fit_paired(pudding())
    difference, se = fit.relative_to("1")
    # The published fit stopped after 7 iterations, with three digits settled.
    np.testing.assert_allclose(difference[1:], [0.2202, 0.1530, 0.1753, 0.1339, 0.3771], atol=3e-4)
    np.testing.assert_allclose(se[1:], [0.1872, 0.1935, 0.1882, 0.1927, 0.1924], atol=6e-5)
    assert fit.tie == pytest.approx(-0.2919, abs=6e-5)
    assert fit.tie_se == pytest.approx(0.0825, abs=6e-5)
    assert fit.log_likelihood == pytest.approx(-809.7095, abs=6e-5)


def test_rao_kupper_pudding():
    fit = fit_paired(pudding(), ties="rao_kupper")
    difference, se = fit.relative_to("1")
    np.testing.assert_allclose(difference[1:], [0.1737, 0.12, 0.1399, 0.105, 0.298], atol=6e-5)
    np.testing.assert_allclose(se[1:], [0.148, 0.1522, 0.148, 0.1493, 0.1514], atol=6e-5)
    assert np.exp(fit.tie) == pytest.approx(1.7485, abs=6e-5)
    assert fit.log_likelihood == pytest.approx(-809.6971, abs=6e-5)


def test_wikipedia_example():
    fit = fit_paired(
        Comparisons.from_counts("AABC", "BDCD", [2, 1, 5, 1], [3, 4, 3, 3]), ties="drop"
    )
    by_name = dict(zip(fit.systems, np.exp(fit.strength), strict=True))
    assert [by_name[x] for x in "ABCD"] == pytest.approx([0.640, 1.043, 0.660, 2.270], abs=6e-4)


@pytest.mark.shared
@pytest.mark.parametrize("side", [False, True])
def test_baseball_with_and_without_home(reference, shared_data, side):
    frame = pd.read_csv(shared_data / "baseball_agresti.csv")
    games = Comparisons.from_counts(
        frame["home.team"], frame["away.team"], frame["home.wins"], frame["away.wins"], sided=True
    )
    fit = fit_paired(games, ties="drop", side=side)
    want = reference["bt_baseball_agresti"]["home" if side else "no_home"]
    difference, se = fit.relative_to("Baltimore")
    for name, d, e in zip(fit.systems, difference, se, strict=True):
        if name != "Baltimore":
            assert [d, e] == pytest.approx(want[name], abs=6e-5)
    assert fit.log_likelihood == pytest.approx(want["kernel_loglik_own"], abs=6e-5)
    if side:
        assert [fit.side, fit.side_se] == pytest.approx(want["at.home"], abs=6e-5)


@pytest.mark.shared
def test_tennis(reference, shared_data):
    frame = pd.read_csv(shared_data / "tennis_agresti_bpcs.csv")
    # y = 0: the first won.
    games = Comparisons.from_frame(
        frame.assign(winner=1 - frame.y), first="player0", second="player1", sided=False
    )
    want = reference["bt_tennis_agresti"]
    fit = fit_paired(games, ties="drop")
    difference, se = fit.relative_to("Seles")
    for name, d, e in zip(fit.systems, difference, se, strict=True):
        if name != "Seles":
            assert [d, e] == pytest.approx(want["mle"][name], abs=6e-5)
    assert fit.log_likelihood == pytest.approx(want["loglik"], abs=6e-5)


@pytest.mark.shared
def test_llmfao_ties_and_left_side(reference, shared_data):
    frame = pd.read_csv(shared_data / "llmfao_crowd-comparisons.csv")
    battles = Comparisons.from_frame(frame, first="left", second="right", judge="worker")
    want = reference["llmfao"]["crowd"]
    assert battles.describe()["comparisons"] == want["n"]
    assert len(battles.systems) == want["models"]
    assert len(battles.factor("judge").levels) == want["workers"]
    fit = fit_paired(battles, side=True)
    assert np.exp(fit.tie) == pytest.approx(want["davidson_nu_own"], abs=6e-3)
    assert fit.side == pytest.approx(want["left_bias_logodds_own"], abs=6e-4)


@pytest.mark.shared
def test_arena(reference, shared_data):
    frame = pd.read_csv(shared_data / "chatbot_arena_20240814_pairs.csv")
    pairs = Comparisons.from_counts(
        frame.model_a, frame.model_b, frame.win_a, frame.win_b,
        ties=frame.tie, ties_bothbad=frame.tie_bothbad,
    )  # fmt: skip
    want = reference["chatbot_arena_davidson"]
    fit = fit_paired(pairs)
    assert np.exp(fit.tie) == pytest.approx(want["nu_all_ties"], abs=6e-5)
    assert fit.log_likelihood == pytest.approx(want["ll_all_ties"], abs=6e-3)
    order = np.argsort(-fit.strength)[:10]
    assert [fit.systems[i] for i in order] == list(want["top10_all_ties_centered"])
    assert fit.strength[order] == pytest.approx(
        list(want["top10_all_ties_centered"].values()), abs=6e-5
    )
    only = Comparisons.from_counts(
        frame.model_a, frame.model_b, frame.win_a, frame.win_b, ties=frame.tie
    )
    assert np.exp(fit_paired(only).tie) == pytest.approx(want["nu_tie_only"], abs=6e-5)


# ---------------------------------------------------------------- exact small cases


def test_accuracy_and_bradley_terry_disagree_on_the_counterexample():
    columns = [(0, 1, 1)] * 2 + [(1, 0, 0)] * 3 + [(1, 1, 0)] * 3
    responses = Responses.from_array(np.array(columns).T)
    accuracy = responses.question_scores().mean(axis=1)
    assert accuracy.argsort()[::-1].tolist() == [0, 1, 2]
    pairs = Comparisons.from_responses(responses, pairing="trial")
    fit = fit_paired(pairs, ties="drop")
    strengths = np.exp(fit.strength - fit.strength[2])
    assert strengths == pytest.approx([4.464913, 4.595807, 1], abs=1e-6)


def enumerated():
    """Win matrices of all datasets of 3 models and M <= 7 questions of one trial each."""
    types = [c for c in product((0, 1), repeat=3) if 0 < sum(c) < 3]
    for m in range(1, 8):
        for informative in range(m + 1):
            # The others are constant, all right or all wrong, and leave the wins as they are.
            fillings = m - informative + 1
            for chosen in combinations_with_replacement(types, informative):
                yield np.array(chosen).reshape(-1, 3), fillings


def test_no_smaller_dataset_disagrees():
    """L = 3, N = 1, M <= 7: 1,506 datasets with a strict order and a connected win graph."""
    found = disagreeing = 0
    for columns, fillings in enumerated():
        wins = columns.sum(axis=0)
        if len(set(wins.tolist())) < 3:
            continue
        W = columns.T @ (1 - columns)
        pairs = Comparisons.from_counts(
            list("001"), list("122"), [W[0, 1], W[0, 2], W[1, 2]], [W[1, 0], W[2, 0], W[2, 1]],
            systems=list("012"),
        )  # fmt: skip
        if not comparison_graph(pairs).strongly_connected:
            continue
        found += fillings
        strength = fit_paired(pairs, ties="drop").strength
        disagreeing += fillings * (strength.argsort().tolist() != wins.argsort().tolist())
    assert (found, disagreeing) == (1506, 0)


# ---------------------------------------------------------------- existence


@pytest.mark.parametrize(
    ("arguments", "ties", "message"),
    [
        ((["a"], ["b"], [3], [0]), "drop", "'a' never lost"),
        ((["a", "b"], ["b", "c"], [3, 2], [1, 0]), "drop", "'c' never won"),
        ((["a", "c"], ["b", "d"], [1, 1], [1, 1]), "drop", "'c', 'd' and the other models never"),
        ((["a"], ["b"], [2], [0], [2]), "davidson", "all go one way"),
        ((["a", "c", "a"], ["b", "d", "c"], [1, 1, 2], [1, 1, 0]), "drop", "all go one way"),
    ],
)
def test_no_maximum_says_why_and_names_models(arguments, ties, message):
    *columns, tied = arguments if len(arguments) == 5 else (*arguments, None)
    comparisons = Comparisons.from_counts(*columns, ties=tied)
    with pytest.raises(InputError, match=rf"{message}.*prior_sd="):
        fit_paired(comparisons, ties=ties)
    fit = fit_paired(comparisons, ties=ties, prior_sd=1.0)
    assert np.isfinite(fit.strength).all()


def test_davidson_of_two_models_only_approaches_its_supremum():
    # W_01 = 2, T = 2: the likelihood climbs to -4 log 2 without reaching it.
    comparisons = Comparisons.from_counts(["0"], ["1"], [2], [0], ties=[2])
    assert why_no_maximum(comparisons, ties="davidson") is not None
    wide = fit_paired(comparisons, prior_sd=1e3)
    assert -4 * log(2) - 0.4 < wide.log_likelihood < -4 * log(2)


@given(arrays(np.int64, (3, 3), elements=st.integers(0, 2)), st.integers(0, 2))
def test_davidson_exists_exactly_where_a_wide_prior_does_not_matter(W, tied):
    np.fill_diagonal(W, 0)
    T = [tied, 0, 1]
    if W.sum() == 0:
        return
    pairs = Comparisons.from_counts(
        list("001"), list("122"), [W[0, 1], W[0, 2], W[1, 2]], [W[1, 0], W[2, 0], W[2, 1]],
        ties=T, systems=list("012"),
    )  # fmt: skip
    wide = [np.abs(fit_paired(pairs, prior_sd=sd).strength).max() for sd in (30.0, 3000.0)]
    exists = why_no_maximum(pairs, ties="davidson") is None
    if exists:
        np.testing.assert_allclose(
            fit_paired(pairs).strength, fit_paired(pairs, prior_sd=1e4).strength, atol=0.05
        )
    if wide[1] > wide[0] + 1.5:
        assert not exists


def test_sides_that_explain_everything_have_no_maximum():
    home = Comparisons.from_counts(["a", "b"], ["b", "a"], [3, 3], [0, 0], sided=True)
    assert why_no_maximum(home, ties="drop") is None
    assert why_no_maximum(home, ties="drop", side=True) == "sides explain every result"


@pytest.mark.parametrize("ties", TIES)
def test_fit_does_not_depend_on_orientation_or_order(ties):
    rng = np.random.default_rng(5)
    turned = PUDDING.copy()
    flip = rng.random(len(turned)) < 0.5
    turned[flip] = turned[flip][:, [1, 0, 3, 2, 4]]
    one, two = (fit_paired(pudding(rows), ties=ties) for rows in (PUDDING, turned[::-1]))
    np.testing.assert_allclose(one.strength, two.strength, atol=1e-10)
    np.testing.assert_allclose(one.covariance, two.covariance, atol=1e-10)
    assert one.log_likelihood == pytest.approx(two.log_likelihood, abs=1e-9)


def test_davidson_orders_a_complete_design_like_wins_plus_half_ties():
    rng = np.random.default_rng(6)
    i, j = np.triu_indices(5, 1)
    counts = rng.multinomial(12, [0.4, 0.3, 0.3], size=len(i))
    names = list("abcde")
    pairs = Comparisons.from_counts(
        [names[k] for k in i], [names[k] for k in j], *counts[:, :2].T,
        ties=counts[:, 2], systems=names,
    )  # fmt: skip
    points = pairs.win_matrix().sum(axis=1) + pairs.tie_matrix().sum(axis=1) / 2
    fit = fit_paired(pairs)
    order = np.argsort(fit.strength)
    assert (np.diff(points[order]) >= 0).all()
    same = np.isclose(points[:, None], points)
    assert np.allclose((fit.strength[:, None] - fit.strength)[same], 0, atol=1e-9)


def test_a_common_prior_mean_shifts_and_own_means_pull():
    base = fit_paired(pudding(), prior_sd=0.5)
    moved = fit_paired(pudding(), prior_sd=0.5, prior_mean=2.0)
    np.testing.assert_allclose(moved.strength, base.strength + 2, atol=1e-8)
    assert base.strength.sum() == pytest.approx(0, abs=1e-8)
    pulled = fit_paired(pudding(), prior_sd=0.05, prior_mean=np.arange(6.0))
    assert (np.diff(pulled.strength) > 0.5).all()


@pytest.mark.parametrize(("counts", "message"), [((3, 1, 0), "no ties"), ((0, 0, 4), "but ties")])
@pytest.mark.parametrize("ties", ["davidson", "rao_kupper"])
def test_a_tie_parameter_needs_ties_and_others_whatever_the_prior(counts, message, ties):
    w, loss, t = ([c] for c in counts)
    with pytest.raises(InputError, match=message):
        fit_paired(Comparisons.from_counts("a", "b", w, loss, ties=t), ties=ties, prior_sd=1)


def test_arguments_are_checked():
    with pytest.raises(ArgumentError, match="shown first"):
        fit_paired(pudding(), side=True)
    with pytest.raises(ArgumentError, match="nothing to estimate"):
        fit_paired(pudding(), prior_sd=0)
