"""The tally of counts against SciPy's likelihood, and means over cells against exact laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods import _cell_sums, dirichlet_posterior
from bayesrank.likelihoods._cell_sums import DistinctCells
from bayesrank.likelihoods.dirichlet_multinomial import count_tally, draw_counts

COUNTS = np.array(
    [
        [[3, 1, 0, 1], [0, 0, 0, 5], [1, 0, 0, 0], [0, 0, 0, 0]],
        [[1, 0, 0, 40], [0, 1, 0, 4], [2, 2, 0, 2], [4, 1, 0, 0]],
    ]
)
DRAWS = 40_000


def by_scipy(counts, mean, concentration):
    """Sum SciPy's log-probabilities over cells."""
    return np.array(
        [
            sum(stats.dirichlet_multinomial(k * phi, c.sum()).logpmf(c) for c in cells)
            for cells, phi, k in zip(counts, mean, concentration, strict=True)
        ]
    )


@pytest.mark.parametrize("concentration", [1e-3, 0.7, 20.0, 1e6])
def test_the_tally_is_scipys_likelihood(concentration):
    mean = np.random.default_rng(1).dirichlet(np.ones(4), size=2)
    kappa = np.array([concentration, 2 * concentration])
    found = count_tally(COUNTS).log_likelihood(mean, kappa)
    # SciPy subtracts logarithms of gamma functions; at 1e6 it has lost five digits.
    np.testing.assert_allclose(found, by_scipy(COUNTS, mean, kappa), rtol=1e-6)


def test_two_categories_are_the_beta_binomial():
    tally = count_tally(np.array([[[4, 1], [0, 7]]]))
    found = tally.log_likelihood(np.array([[0.3, 0.7]]), np.array([5.0]))
    expected = stats.betabinom([5, 7], 0.7 * 5, 0.3 * 5).logpmf([1, 7]).sum()
    assert found[0] == pytest.approx(expected, rel=1e-12)


cells = st.lists(
    st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=6
).map(np.array)  # fmt: skip


@given(cells, st.permutations(range(3)), st.integers(0, 2**16))
def test_names_and_order_change_nothing(counts, order, seed):
    rng = np.random.default_rng(seed)
    phi, kappa = rng.dirichlet(np.ones(3)), rng.gamma(2.0)
    one = count_tally(counts[np.newaxis]).log_likelihood(phi[np.newaxis], np.array([kappa]))
    shuffled = rng.permutation(counts)[np.newaxis][:, :, order]
    other = count_tally(shuffled).log_likelihood(phi[np.newaxis, order], np.array([kappa]))
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@given(cells, st.integers(0, 2**16))
def test_merging_categories_leaves_a_factor_without_the_concentration_of_the_others(counts, seed):
    """P(counts) = P(merged) x P(split | merged), the second free of the merged ones' rest."""
    rng = np.random.default_rng(seed)
    phi, kappa = rng.dirichlet(np.ones(3)), rng.gamma(2.0)
    whole = count_tally(counts[np.newaxis]).log_likelihood(phi[np.newaxis], np.array([kappa]))
    add_up = np.array([[1, 0], [0, 1], [0, 1]])
    merged = count_tally((counts @ add_up)[np.newaxis])
    split = count_tally(counts[np.newaxis, :, 1:])
    inside = phi[1:] / phi[1:].sum()
    parts = merged.log_likelihood((phi @ add_up)[np.newaxis], np.array([kappa]))
    parts += split.log_likelihood(inside[np.newaxis], np.array([kappa * phi[1:].sum()]))
    np.testing.assert_allclose(whole, parts, rtol=1e-9, atol=1e-9)


def test_the_cost_does_not_grow_with_the_questions():
    tally, more = count_tally(COUNTS), count_tally(np.tile(COUNTS, (1, 50, 1)))
    assert len(more.place) == len(tally.place)
    assert (more.repeats == 50 * tally.repeats).all()
    assert count_tally(np.zeros((1, 2, 3), dtype=np.int64)).place.size == 0


def test_shapes_that_do_not_fit():
    with pytest.raises(ArgumentError, match="2 models and 4 categories"):
        count_tally(COUNTS).log_likelihood(np.ones((1, 4)) / 4, np.ones(1))


def test_drawn_counts_have_the_moments_of_the_law():
    phi, kappa, n = np.array([0.5, 0.2, 0.3]), 1.5, 8
    rng = np.random.default_rng(3)
    drawn = draw_counts(np.full(DRAWS, n), mean=phi, concentration=np.array(kappa), rng=rng)
    law = stats.dirichlet_multinomial(kappa * phi, n)
    assert (drawn.sum(axis=1) == n).all()
    error = 4.5 * drawn.std(axis=0) / np.sqrt(DRAWS)
    assert (np.abs(drawn.mean(axis=0) - law.mean()) < error).all()
    np.testing.assert_allclose(np.cov(drawn.T), law.cov(), atol=0.15)
    one = draw_counts(
        np.array([[3, 0]]), mean=phi[np.newaxis], concentration=np.array([0.0]), rng=rng
    )
    assert one.sum() == 3


# ---------------------------------------------------------------- means over cells


def fixed(cells, *, prior, n=DRAWS, seed=1):
    """Draw means over cells under one fixed prior."""
    prior = np.asarray(prior, dtype=np.float64)
    mean = np.tile(prior / prior.sum(), (n, 1))
    return cells.scores(mean, np.full(n, prior.sum()), rng=np.random.default_rng(seed))


@pytest.mark.parametrize("weights", [[0, 0.1, 0.1, 1.0], [-2.0, 0.3, 0.0, 1.0], [0, 1, 1, 0]])
def test_means_follow_the_exact_law(weights):
    """Under a fixed prior the law is that of Bayes@N, which is known in closed form."""
    w, prior = np.array(weights, dtype=float), np.array([0.5, 1.0, 0.4, 2.0])
    responses = Responses(("a", "b"), tuple("qrst"), COUNTS, np.zeros((2, 4), dtype=np.int64))
    exact = dirichlet_posterior(responses, weights=w, concentration=prior)
    for i in range(2):
        share = responses.observed[i] / responses.observed[i].sum()
        drawn = fixed(DistinctCells.of(COUNTS[i], share, w), prior=prior)
        law = np.sort(exact.draws(DRAWS, random_seed=5)[:, i])
        assert stats.ks_2samp(drawn, law).pvalue > 1e-3
        assert drawn.mean() == pytest.approx(exact.mean()[i], abs=4.5 * drawn.std() / 200)


def test_many_cells_are_drawn_as_well_as_one_by_one(monkeypatch):
    """The expansion against the plain mean, with unequal shares and skewed cells."""
    rng = np.random.default_rng(2)
    counts = rng.multinomial(2, [0.8, 0.15, 0.05], size=900)
    share = np.where(np.arange(900) < 450, 2.0, 1.0) / 1350
    cells = DistinctCells.of(counts, share, np.array([0.0, 0.2, 1.0]))
    assert len(cells.repeats) < 20
    quick = fixed(cells, prior=[0.7, 0.2, 0.1], n=8000)
    monkeypatch.setattr(_cell_sums, "_MANY", 1e9)
    plain = fixed(cells, prior=[0.7, 0.2, 0.1], n=8000, seed=2)
    assert stats.ks_2samp(quick, plain).pvalue > 1e-3
    assert stats.ks_2samp(quick, plain + 0.1 * plain.std()).pvalue < 1e-3  # it could be told


def test_blocks_of_any_size_hold_every_cell(monkeypatch):
    counts = np.random.default_rng(2).multinomial(3, [0.6, 0.4], size=500)
    cells = DistinctCells.of(counts, np.full(500, 1 / 500), np.array([0.0, 1.0]))
    nu = counts + np.array([1.2, 0.8])
    expected = (nu[:, 1] / nu.sum(axis=1)).mean()
    monkeypatch.setattr(_cell_sums, "_AT_ONCE", 7)
    for many in (1.0, 1e9):
        monkeypatch.setattr(_cell_sums, "_MANY", many)
        drawn = fixed(cells, prior=[1.2, 0.8], n=200)
        assert drawn.mean() == pytest.approx(expected, abs=4.5 * drawn.std() / np.sqrt(200))


def test_extreme_priors_and_one_weight():
    cells = DistinctCells.of(COUNTS[1], np.full(4, 0.25), np.array([0.0, 0.5, 0.7, 1.0]))
    for prior in ([1e-200] * 4, [1e9] * 4):
        drawn = fixed(cells, prior=prior, n=50)
        assert np.isfinite(drawn).all()
        assert ((drawn >= 0) & (drawn <= 1)).all()
    one = DistinctCells.of(COUNTS[1], np.full(4, 0.25), np.full(4, 0.3))
    assert (fixed(one, prior=[1, 1, 1, 1], n=5) == 0.3).all()
