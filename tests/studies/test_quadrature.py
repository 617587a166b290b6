"""Exact bounds have the mean's order; coarse ones tie models, and ties agree with themselves."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import kendalltau, norm

import bayesrank
from bayesrank import Responses, rules
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.ranking import rank_scores
from bayesrank.studies import quadrature_artefact
from bayesrank.studies._coarse_grid import CoarseGrid, strict_nanson

DATA = bayesrank.simulate_responses(systems=10, questions=60, trials=20, random_seed=1)


@pytest.fixture(scope="module")
def found():
    return quadrature_artefact(DATA, nodes=[21, 161], random_seed=1)


def test_exact_abilities_have_the_order_of_the_mean_in_every_draw(found):
    for name in ("EAP, exact", "bound, exact"):
        one, mean = found.sel(rule=name), found.sel(rule="mean")
        assert one["mean_tau_b"].item() == 1.0
        assert one["mean_tau_b_sd"].item() == 0.0
        for value in ("self_tau_b", "gold_tau_b", "tied", "tied_all", "values"):
            assert one[value].item() == pytest.approx(mean[value].item())
        assert (one["gain"].item(), one["gain_mcse"].item()) == (0.0, 0.0)


def test_they_are_the_rules_of_the_package():
    one = Responses.from_array(np.asarray(DATA.outcomes)[:, :, :1])
    exact = rules.rasch_mml(one, quantile=0.05).to_numpy()
    mean = np.asarray(DATA.outcomes)[:, :, 0].mean(axis=1)
    np.testing.assert_array_equal(rank_scores(exact), rank_scores(mean))


def test_the_coarse_bound_takes_few_values_and_is_never_in_another_order(found):
    coarse, exact = found.sel(rule="bound, 21 nodes"), found.sel(rule="bound, exact")
    assert coarse["values"].item() < 0.7 * exact["values"].item()
    assert coarse["tied"].item() > 2 * exact["tied"].item()
    # Only ties: a posterior mean on a grid is strictly monotone in the total, up to rounding.
    assert found["mean_tau_b"].sel(rule="EAP, 21 nodes").item() == 1.0


@pytest.mark.slow
def test_the_advantage_is_that_of_ties():
    gains: dict[str, list[float]] = {}
    for seed in range(8):
        data = bayesrank.simulate_responses(
            systems=20, questions=60, trials=20, random_seed=100 + seed
        )
        one = quadrature_artefact(data, nodes=[21], random_seed=seed)
        for name in ("bound, 21 nodes", "bound, exact", "mean, grouped"):
            gains.setdefault(name, []).append(one["gain"].sel(rule=name).item())
    mean = {name: np.mean(values) for name, values in gains.items()}
    error = {name: np.std(values, ddof=1) / 8**0.5 for name, values in gains.items()}
    assert mean["bound, 21 nodes"] > 3 * error["bound, 21 nodes"] > 0
    assert mean["mean, grouped"] > 3 * error["mean, grouped"] > 0
    assert gains["bound, exact"] == [0.0] * 8


def test_figures_by_hand(found):
    outcomes = np.asarray(DATA.outcomes)
    every = outcomes.mean(axis=(1, 2))
    taus = [kendalltau(outcomes[:, :, t].mean(axis=1), every).statistic for t in range(20)]
    mean = found.sel(rule="mean")
    assert found.attrs["draws"] == 20
    assert found.attrs["sampled"] == "each trial"
    assert mean["self_tau_b"].item() == pytest.approx(np.mean(taus))
    assert mean["self_tau_b_sd"].item() == pytest.approx(np.std(taus, ddof=1))
    assert mean["self_tau_b_mcse"].item() == pytest.approx(np.std(taus, ddof=1) / 20**0.5)
    assert mean["gold_tau_b"].item() == pytest.approx(np.mean(taus))
    values = [len(set(outcomes[:, :, t].sum(axis=1).tolist())) for t in range(20)]
    assert mean["values"].item() == pytest.approx(np.mean(values))
    assert mean["values_all"].item() == len(set(outcomes.sum(axis=(1, 2)).tolist()))


def test_counts_are_drawn_without_replacement_and_repeat():
    counts = Responses.from_counts(DATA.successes, 20)
    one = quadrature_artefact(counts, nodes=[21], draws=12, random_seed=4)
    assert one.attrs["sampled"] == "random trials"
    again = quadrature_artefact(counts, nodes=[21], draws=12, random_seed=4)
    assert again.equals(one)
    other = quadrature_artefact(counts, nodes=[21], draws=12, random_seed=5)
    assert not other["self_tau_b"].equals(one["self_tau_b"])


def test_a_fine_grid_gives_the_integral():
    k, n = np.array([[3.0, 1.0, 0.0], [9.0, 7.0, 4.0]]), np.full((2, 3), 10.0)
    eap, bound = CoarseGrid(161, 400).fit(k, n, quantile=0.05)
    # Difficulties at which EM stands: the same again after one more step.
    more, _ = CoarseGrid(161, 401).fit(k, n, quantile=0.05)
    np.testing.assert_allclose(more, eap, atol=1e-6)
    coarse, coarse_bound = CoarseGrid(3, 400).fit(k, n, quantile=0.05)
    assert np.abs(coarse - eap).max() > 0.05
    assert set(np.round(coarse_bound, 6)) <= set(np.round([-(3**0.5), 0.0, 3**0.5], 6))
    # Without EM the difficulties are centred logits of the smoothed means.
    total = k.sum(axis=0)
    b = np.log((20 - total + 0.5) / (total + 0.5))
    b -= b.mean()

    def density(x, row):
        p = expit(x - b)
        return norm.pdf(x) * np.prod(p ** k[row] * (1 - p) ** (10 - k[row]))

    start, _ = CoarseGrid(161, 0).fit(k, n, quantile=0.05)
    for row in range(2):
        mass = quad(density, -8, 8, args=(row,), epsabs=0)[0]
        first = quad(lambda x, row=row: x * density(x, row), -8, 8, epsabs=0)[0]
        assert start[row] == pytest.approx(first / mass, abs=1e-6)
    assert (bound < eap).all()


def test_strict_nanson_keeps_those_at_the_mean():
    # Borda points among all four: a 5, b 3, c 3, d 1 of two questions; the mean is 3.
    counts = Responses.from_counts([[9, 9], [7, 5], [5, 7], [1, 1]], 10)
    assert strict_nanson(counts).tolist() == [2.0, 1.0, 1.0, 0.0]
    assert rules.nanson(counts).to_numpy().tolist() == [1.0, 0.0, 0.0, 0.0]
    assert strict_nanson(Responses.from_counts([[3, 3], [3, 3]], 10)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nodes": []}, "must be sizes that increase"),
        ({"nodes": [81, 21]}, "must be sizes that increase"),
        ({"nodes": [1]}, "nodes=1"),
        ({"draws": 1}, "draws=1"),
        ({"quantile": 2.0}, "quantile=2.0"),
        ({"em_steps": -1}, "em_steps=-1"),
    ],
)
def test_bad_arguments_are_one_line(options, message):
    with pytest.raises(ArgumentError, match=message):
        quadrature_artefact(DATA, **options)


def test_bad_data_are_one_line():
    with pytest.raises(InputError, match="2 models have too few orders"):
        quadrature_artefact(Responses.from_counts([[3, 4], [5, 6]], 10))
    with pytest.raises(InputError, match="a budget of 2 trials"):
        quadrature_artefact(Responses.from_counts([[1, 0], [0, 1], [1, 1]], 1))
    graded = Responses.from_array(np.random.default_rng(1).integers(0, 3, (3, 4, 4)))
    with pytest.raises(InputError, match="have 3 categories"):
        quadrature_artefact(graded)
