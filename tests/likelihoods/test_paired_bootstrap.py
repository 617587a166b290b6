"""Comparisons by unit: weights of one give the counts, and weighted ones are sums by hand."""

import numpy as np
import pytest

from bayesrank import Comparisons, simulate_responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.paired_bootstrap import clusters_of
from bayesrank.likelihoods.resampling import relative_weights, stretch


@pytest.fixture(scope="module")
def judged():
    """Battles of four models by three judges in two languages, on both sides."""
    rng = np.random.default_rng(4)
    n = 60
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    rows = np.stack([first, second, rng.integers(0, 3, n), rng.integers(0, 2, n)], axis=1)
    cells = np.unique(rows, axis=0)
    counts = rng.integers(0, 5, (len(cells), 4)) + np.array([1, 0, 0, 0])
    names = [f"m{k}" for k in range(4)]
    return Comparisons.from_counts(
        [names[k] for k in cells[:, 0]],
        [names[k] for k in cells[:, 1]],
        *counts[:, :2].T,
        ties=counts[:, 2],
        ties_bothbad=counts[:, 3],
        factors={"judge": [f"j{k}" for k in cells[:, 2]], "category": cells[:, 3].tolist()},
        systems=names,
        sided=True,
    )


def outcomes(comparisons):
    c = comparisons
    return np.stack([c.wins, c.losses, c.ties, c.ties_bothbad], axis=1)


@pytest.mark.parametrize("sided", [False, True])
@pytest.mark.parametrize("keep", [(), ("category",), ("judge",), ("judge", "category")])
def test_weights_of_one_give_the_cells_of_collapse_in_their_order(judged, keep, sided):
    clusters = clusters_of(judged, "judge", keep=keep, sided=sided)
    coarse = judged.collapse(keep=keep, sided=sided)
    assert (clusters.size, clusters.cells, clusters.kind) == (3, len(coarse.first), "judge")
    np.testing.assert_allclose(clusters.weighted(np.ones((1, 3)))[0], outcomes(coarse))


def test_each_judge_counts_by_its_weight(judged):
    clusters = clusters_of(judged, "judge")
    weights = np.array([[2.0, 0.0, 0.5], [0.0, 1.0, 0.0]])
    found = clusters.weighted(weights)
    coarse = judged.collapse()
    total = np.zeros((2, *outcomes(coarse).shape))
    place = {pair: k for k, pair in enumerate(zip(coarse.first, coarse.second, strict=True))}
    for cell in range(len(judged.first)):
        i, j = int(judged.first[cell]), int(judged.second[cell])
        counts = outcomes(judged)[cell]
        if i > j:
            i, j, counts = j, i, counts[[1, 0, 2, 3]]
        total[:, place[i, j]] += weights[:, judged.factors["judge"].codes[cell], None] * counts
    np.testing.assert_allclose(found, total)


@pytest.mark.parametrize("pairing", ["expected", "trial"])
def test_a_question_that_counts_twice_is_one_that_was_asked_twice(pairing):
    responses = simulate_responses(systems=4, questions=5, trials=3, missing=0.2, random_seed=3)
    comparisons = Comparisons.from_responses(responses, pairing=pairing)
    clusters = clusters_of(comparisons, "questions")
    assert (clusters.kind, clusters.size) == ("question", 5)
    np.testing.assert_allclose(
        clusters.weighted(np.ones((2, 5)))[1], outcomes(comparisons.collapse())
    )
    weights = np.array([2.0, 0, 1, 1, 1])
    kept = [responses.questions[k] for k in (0, 2, 3, 4)]
    once = Comparisons.from_responses(responses.select(questions=kept), pairing=pairing)
    first = Comparisons.from_responses(responses.select(questions=kept[:1]), pairing=pairing)
    for name in ("win_matrix", "tie_matrix"):
        by_hand = getattr(once, name)() + getattr(first, name)()
        counts = clusters.weighted(weights[None])[0]
        pairs = comparisons.collapse()
        column = counts[:, 0] if name == "win_matrix" else counts[:, 2]
        np.testing.assert_allclose(column, by_hand[pairs.first, pairs.second], atol=1e-12)


def test_tasks_are_held_fixed_or_are_new():
    responses = simulate_responses(systems=3, questions=24, tasks=3, trials=1, random_seed=1)
    comparisons = Comparisons.from_responses(responses)
    rng = np.random.default_rng(0)
    by_question = clusters_of(comparisons, "questions")
    assert by_question.strata.max() == 2
    totals = np.concatenate([b.sum(axis=(1, 2)) for b in by_question.blocks(20, rng)])
    np.testing.assert_allclose(totals, comparisons.n_comparisons.sum())  # of each task, and so all
    by_task = clusters_of(comparisons, "tasks")
    assert (by_task.kind, by_task.size) == ("task", 3)
    np.testing.assert_allclose(
        by_task.weighted(np.ones((1, 3)))[0], outcomes(comparisons.collapse())
    )
    few = simulate_responses(systems=3, questions=9, tasks=3, trials=1, random_seed=1)
    assert clusters_of(Comparisons.from_responses(few), "questions").strata.max() == 0


def test_selected_models_remember_where_they_came_from():
    responses = simulate_responses(systems=4, questions=7, trials=2, random_seed=3)
    chosen = Comparisons.from_responses(responses).select(list(responses.systems[::-2]))
    clusters = clusters_of(chosen, "questions")
    np.testing.assert_allclose(clusters.weighted(np.ones((1, 7)))[0], outcomes(chosen.collapse()))


def test_what_cannot_be_resampled_is_refused(judged):
    with pytest.raises(ArgumentError, match="no prompt; they have judge, category"):
        clusters_of(judged, "prompt")
    one = Comparisons.from_counts(["a"], ["b"], [3], [1], factors={"judge": ["j"]})
    with pytest.raises(InputError, match="only one judge"):
        clusters_of(one, "judge")
    responses = simulate_responses(systems=3, questions=8, trials=1, random_seed=1)
    with pytest.raises(InputError, match="no task column"):
        clusters_of(Comparisons.from_responses(responses), "tasks")


@pytest.mark.parametrize("size", [3, 5, 6, 20])
def test_the_spread_of_weights_is_that_of_a_t_mean(size):
    """The variance of a weighted mean, times the square of the stretch, against its formula."""
    rng = np.random.default_rng(2)
    values = np.arange(size, dtype=float)
    means = relative_weights(40_000, size, rng) @ values / size
    sample = values.var(ddof=1) / size
    if size >= 6:
        assert stretch(size) == 1.0
        assert means.var() == pytest.approx(sample * (size - 1) / (size - 3), rel=0.06)
    else:
        assert means.var() == pytest.approx(sample * (size - 1) / (size + 1), rel=0.06)
        from scipy.stats import t

        wanted = sample * (t.ppf(0.975, size - 1) / t.ppf(0.975, 1e9)) ** 2
        assert means.var() * stretch(size) ** 2 == pytest.approx(wanted, rel=0.06)


def test_blocks_are_bounded(judged, monkeypatch):
    from bayesrank.likelihoods import paired_bootstrap as module

    monkeypatch.setattr(module, "_BLOCK", 100)
    clusters = clusters_of(judged, "judge")
    blocks = list(clusters.blocks(9, np.random.default_rng(1)))
    assert sum(len(b) for b in blocks) == 9
    assert len(blocks) > 1
