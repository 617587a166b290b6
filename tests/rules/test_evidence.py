"""What rules may use: batches, weights, pairs, votes, events; and what is missing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesrank import Comparisons, Responses, rules
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.ranking import rank_scores
from bayesrank.rules._evidence import evidence_of
from tests.rules.strategies import COUNT_RULES, METRICS, PAIR_RULES, responses

FEW = settings(max_examples=10)
RNG = np.random.default_rng(4)
DATA = Responses.from_array((RNG.random((5, 7, 4)) < 0.6).astype(np.int16))
# A cell without a trial, cells with fewer trials, a question that one model alone has answered.
HOLES = np.array(DATA.outcomes)
HOLES[0, 0] = -1
HOLES[1, 1, 2:] = -1
HOLES[1:, 2] = -1
HOLED = Responses.from_array(HOLES)
SPARSE = Comparisons.from_counts(
    ["a", "b", "c", "d", "a"],
    ["b", "c", "d", "e", "e"],
    [3, 6, 1, 2, 4],
    [1, 2, 3, 2, 1],
    ties=[0, 2, 1, 0, 0],
)
APART = Comparisons.from_counts(["a", "c"], ["b", "d"], [3, 6], [1, 2])


@pytest.mark.parametrize("name", [*COUNT_RULES, *PAIR_RULES, *METRICS])
def test_a_batch_is_its_data_sets_one_by_one(name):
    rule = rules.get(name)
    evidence = rule.evidence(DATA)
    p = np.random.default_rng(1).beta(2, 2, size=(3, 5, 7))
    g = np.random.default_rng(2).dirichlet(np.ones(7), size=3)
    for many, one in (
        (evidence.with_draws(p), lambda b: evidence.with_draws(p[b : b + 1])),
        (evidence.with_weights(g), lambda b: evidence.with_weights(g[b : b + 1])),
        (
            evidence.with_draws(p).with_weights(g),
            lambda b: evidence.with_draws(p[b : b + 1]).with_weights(g[b : b + 1]),
        ),
    ):
        found = rule.evaluate(many)
        assert found.shape == (3, 5)
        for b in range(3):
            np.testing.assert_allclose(found[b], rule.evaluate(one(b))[0], atol=1e-9)


@pytest.mark.parametrize("name", [*COUNT_RULES, *PAIR_RULES, *METRICS])
def test_equal_weights_change_nothing(name):
    rule = rules.get(name)
    evidence = rule.evidence(DATA)
    weighted = evidence.with_weights(np.full((1, 7), 0.3))
    np.testing.assert_allclose(rule.evaluate(weighted)[0], rule(DATA), atol=1e-9)


def test_blocks_of_a_batch_join_to_the_whole(monkeypatch):
    rule = rules.get("schulze")
    evidence = rule.evidence(DATA).with_draws(np.random.default_rng(1).random((5, 5, 7)))
    whole = rule.evaluate(evidence)
    monkeypatch.setattr("bayesrank.rules._evidence._AT_ONCE", 2 * 5 * 7)
    assert len(list(evidence.blocks())) == 3
    np.testing.assert_array_equal(rule.evaluate(evidence), whole)


COPIES = (
    "mean",
    "inverse_difficulty",
    "pass_at_k",
    "borda",
    "copeland",
    "win_rate",
    "minimax",
    "schulze",
    "ranked_pairs",
    "nanson",
    "baldwin",
    "pagerank",
    "rank_centrality",
    "hodge_rank",
    "nash",
    "serial_rank",
)


@pytest.mark.parametrize("name", COPIES)
@FEW
@given(seed=st.integers(0, 999))
def test_whole_weights_are_copies_of_questions(name, seed):
    rng = np.random.default_rng(seed)
    outcomes = (rng.random((4, 5, 2)) < 0.6).astype(np.int16)
    times = rng.integers(0, 4, size=5)
    times[rng.integers(5)] += 2
    rule = rules.get(name)
    evidence = rule.evidence(Responses.from_array(outcomes))
    try:
        copied = rule(Responses.from_array(np.repeat(outcomes, times, axis=1)))
    except InputError:
        assert name == "rank_centrality"
        return
    weighted = rule.evaluate(evidence.with_weights(times[np.newaxis].astype(float)))[0]
    np.testing.assert_array_equal(
        rank_scores(weighted, tolerance=1e-9), rank_scores(copied, tolerance=1e-9)
    )


@FEW
@given(data=responses(trials=(1, 3)), seed=st.integers(0, 99))
def test_pair_counts_are_those_of_comparisons(data, seed):
    for pairing in ("expected", "trial"):
        evidence = evidence_of(data, pairing=pairing)
        pairs = Comparisons.from_responses(data, pairing=pairing)
        np.testing.assert_allclose(evidence.wins[0], pairs.win_matrix(), atol=1e-12)
        np.testing.assert_allclose(evidence.ties[0], pairs.tie_matrix(), atol=1e-12)
    times = np.random.default_rng(seed).integers(0, 3, size=len(data.questions))
    times[0] += 1
    copied = Responses.from_array(np.repeat(data.outcomes, times, axis=1))
    scale = len(times) / times.sum()
    for pairing in ("expected", "trial"):
        weighted = evidence_of(data, pairing=pairing).with_weights(times[None].astype(float))
        expected = evidence_of(copied, pairing=pairing)
        np.testing.assert_allclose(weighted.wins, expected.wins * scale, atol=1e-12)
        np.testing.assert_allclose(weighted.met, expected.met * scale, atol=1e-12)


@FEW
@given(data=responses())
def test_shares_are_differences_of_accuracies(data):
    for pairing in ("expected", "trial"):
        evidence = evidence_of(data, pairing=pairing)
        assert evidence.additive
        a = evidence.accuracy[0]
        expected = 0.5 + (a[:, None] - a) / 2
        np.testing.assert_allclose(evidence.shares[0], expected, atol=1e-14)


def test_matched_trials_that_models_lack_in_turn_are_no_complete_design():
    turns = Responses.from_array([[[1, 0, -1]], [[-1, 1, 0]], [[0, -1, 1]]])
    assert evidence_of(turns).additive
    assert not evidence_of(turns, pairing="trial").additive
    np.testing.assert_allclose(
        rules.hodge_rank(turns, pairing="trial"),
        rules.hodge_rank(Comparisons.from_responses(turns, pairing="trial")),
        atol=1e-12,
    )


@pytest.mark.parametrize("name", [*COUNT_RULES, *PAIR_RULES])
def test_missing_cells_are_left_out(name):
    scores = rules.get(name)(HOLED)
    assert np.isfinite(scores).all()
    assert not evidence_of(HOLED).additive
    # A model's own missing cell is not a failure: its mean is over what it has.
    expected = HOLED.question_scores()[0]
    if name == "mean":
        assert scores.values[0] == pytest.approx(np.nanmean(expected))


def test_a_question_that_one_model_has_answered_casts_no_vote():
    votes = evidence_of(HOLED).votes("half")[0]
    kept = [0, 1, 3, 4, 5, 6]
    pair = Responses.from_array(HOLES[2:][:, kept])
    np.testing.assert_allclose(votes[2:, 2:], evidence_of(pair).votes("half")[0] * 7 / 6)


@pytest.mark.parametrize("name", [*COUNT_RULES, *PAIR_RULES])
@pytest.mark.parametrize("data", [SPARSE, APART], ids=["sparse", "apart"])
def test_comparisons_are_ranked_or_refused_with_the_reason(name, data):
    rule = rules.get(name)
    if not rule.comparisons:
        with pytest.raises(InputError, match="scores questions, and comparisons have none"):
            rule(data)
    elif name == "rank_centrality" and data is APART:
        with pytest.raises(InputError, match="teleport"):
            rule(data)
        assert np.isfinite(rule.bind(teleport=0.1)(data)).all()
    else:
        assert np.isfinite(rule(data)).all()


@pytest.mark.parametrize("name", [n for n in COUNT_RULES if rules.get(n).comparisons])
def test_strength_of_victories_is_a_share_and_not_how_often_two_met(name):
    often = Comparisons.from_counts(
        ["a", "b", "c", "d", "a"],
        ["b", "c", "d", "e", "e"],
        [300, 6, 1, 2, 4],
        [100, 2, 3, 2, 1],
        ties=[0, 2, 1, 0, 0],
    )
    np.testing.assert_allclose(rules.get(name)(often), rules.get(name)(SPARSE), atol=1e-12)


def test_ties_of_comparisons_are_meetings_and_half_a_win():
    evidence = evidence_of(SPARSE)
    assert evidence.met[0, 1, 2] == 10
    assert evidence.shares[0, 1, 2] == pytest.approx(0.7)
    assert evidence.shares[0, 0, 2] == 0.5
    np.testing.assert_allclose(evidence.votes("ignore")[0, 1, 2], 0.6)
    np.testing.assert_allclose(evidence.votes("half")[0, 2, 1], 0.3)
    assert evidence.votes("half")[0, 0, 2] == 0.0


def test_weights_may_not_leave_a_model_without_a_question():
    evidence = evidence_of(HOLED)
    alone = np.zeros((1, 7))
    alone[0, 2] = 1.0
    with pytest.raises(InputError, match="'model 2' has been observed only on"):
        rules.get("mean").evaluate(evidence.with_weights(alone))


def test_events_come_trial_by_trial():
    events = evidence_of(HOLED).events
    assert events.outcome.shape == (28, 5)
    np.testing.assert_array_equal(events.question[:8], [0, 1, 2, 3, 4, 5, 6, 0])
    np.testing.assert_array_equal(events.trial[:8], [0, 0, 0, 0, 0, 0, 0, 1])
    assert events.outcome[0, 0] == -1
    np.testing.assert_array_equal(events.outcome[5], HOLES[:, 5, 0])


def test_events_need_trials_and_two_outcomes():
    with pytest.raises(InputError, match="outcome of every trial"):
        _ = evidence_of(Responses.from_counts([[1, 2]], 3)).events
    three = Responses.from_array([[[0, 1, 2]], [[1, 1, 0]]])
    with pytest.raises(ArgumentError, match="success or failure"):
        _ = evidence_of(three).events
    _ = evidence_of(three, weights=[0, 0, 1]).events


def test_categories_that_weigh_in():
    three = Responses.from_array([[[0, 1, 2]], [[1, 1, 1]]])
    np.testing.assert_allclose(rules.mean(three), [0.5, 0.5])
    np.testing.assert_allclose(rules.mean(three, weights=[0, 0, 1]), [1 / 3, 0])
    np.testing.assert_allclose(rules.pass_at_k(three, weights=[0, 0, 1], k=3), [1, 0])
    # A higher category wins: matched trials 0-1, 1-1 and 2-1.
    np.testing.assert_allclose(rules.hodge_rank(three, pairing="trial"), [0, 0], atol=1e-12)
