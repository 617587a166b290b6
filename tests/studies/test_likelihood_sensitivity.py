"""Models and rules of the same data: agreement, contested pairs, leave-one-out, refusals."""

import warnings

import arviz as az
import numpy as np
import pytest
import xarray as xr
from scipy import stats

import bayesrank
from bayesrank import Comparisons, Responses, models
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.studies import likelihood_sensitivity
from bayesrank.studies._disagreement import reasons
from bayesrank.studies._loo import compared, loo_of_battles, loo_of_cells, loo_of_uniform
from bayesrank.studies._methods import default_methods

FEW = {"draws": 50, "random_seed": 1}
DATA = bayesrank.simulate_responses(systems=5, questions=20, trials=4, random_seed=3)
METHODS = ["bayes-at-n", "bayes-at-n:pooled", "mean", "borda", "inverse_difficulty", "elo"]


@pytest.fixture(scope="module")
def study():
    return likelihood_sensitivity(DATA, methods=METHODS, **FEW)


def test_agreement_is_a_matrix_with_ones_on_the_diagonal(study):
    tau = study["tau_b_between"].values
    np.testing.assert_array_equal(tau, tau.T)
    np.testing.assert_array_equal(np.diag(tau), 1.0)
    for name in ("mean", "low", "high"):
        between = study[f"tau_b_{name}"].values
        np.testing.assert_allclose(between, between.T)
    assert (study["tau_b_low"] <= study["tau_b_mean"]).all()
    assert (study["tau_b_mean"] <= study["tau_b_high"]).all()
    # Independent draws: a method does not agree with itself in full.
    assert (np.diag(study["tau_b_mean"]) < 1.0).all()


def test_methods_are_as_they_are_alone(study):
    tree = bayesrank.sample(models.bayes_at_n(DATA), draws=50, random_seed=1)
    found = bayesrank.rank(tree).dataset
    own = study.isel(analysis=0)
    for name in ("score", "rank", "p_best"):
        np.testing.assert_array_equal(own[name].values, found[name].values)
    assert study["how"].values[0] == "exact"
    assert (study["seconds"] > 0).all()
    # Elo goes through single trials, and has no draws of these.
    assert study["refused"].values.tolist() == ["elo"]
    assert "population='questions'" in str(study["reason"].values[0])


def test_contested_pairs_come_with_what_turns_them():
    data = Responses.from_counts([[9, 9, 0], [5, 5, 10]], 10)
    found = likelihood_sensitivity(data, methods=["mean", "borda"], **FEW)
    assert found.attrs["contested"] == found.sizes["pair"] == 1
    assert found["pair_above"].values.tolist() == ["model 2"]
    assert found["pair_methods_against"].values.tolist() == ["borda"]
    assert "ahead on 1 questions and behind on 2" in str(found["pair_why"].values[0])
    same = likelihood_sensitivity(data, methods=["mean", "bayes-at-n"], **FEW)
    assert same.sizes["pair"] == same.attrs["contested"] == 0


def test_missing_cells_hard_questions_and_ties_are_told_apart():
    n = [[10, 10, 0], [10, 10, 10]]
    why = reasons(Responses.from_counts([[9, 8, 0], [9, 9, 1]], n), None, np.zeros(2))
    assert why(0, 1).startswith("missing cells: on the 2 questions asked of both, the second")
    hard = Responses.from_counts([[9, 3], [5, 6], [9, 0]], 10)
    assert "hard questions: the second is ahead on the harder half by 0.300" in reasons(
        hard, None, np.zeros(3)
    )(0, 1)
    tied = Responses.from_counts([[5, 5, 5, 6], [5, 5, 5, 4]], 10)
    assert "ties: equal on 3 of 4 questions" in reasons(tied, None, np.zeros(2))(0, 1)
    close = Responses.from_counts([[6, 6], [5, 5]], 10)
    assert "a small gap (0.100)" in reasons(close, None, np.zeros(2))(0, 1)


def test_ties_and_opponents_of_battles_are_named():
    # a wins more of what is decided, and ties more; c beats weak d only.
    data = Comparisons.from_counts(
        ["a", "b", "c"], ["b", "d", "d"], [6, 9, 9], [4, 9, 1], ties=[30, 0, 0]
    )
    strength = np.array([1.0, 0.5, 0.4, -2.0])
    why = reasons(data, None, strength)
    place = {name: k for k, name in enumerate(data.systems)}
    said = why(place["a"], place["c"])
    assert "opponents: the first wins less" in said
    assert "they never met" in said
    mixed = Comparisons.from_counts(["a", "b"], ["c", "c"], [6, 10], [2, 8], ties=[20, 0])
    why = reasons(mixed, None, np.zeros(3))
    assert why(0, 1).startswith(
        "ties: as half a win each 0.571 against 0.556"
    ) or "ties" not in why(0, 1)


# ---------------------------------------------------------------- leave-one-out


def rasch_draws(systems=3, questions=4):
    rng = np.random.default_rng(1)
    dims = "chain", "draw"
    return xr.Dataset(
        {
            "ability": ((*dims, "system"), rng.normal(0, 0.3, (4, 100, systems))),
            "difficulty": ((*dims, "question"), rng.normal(0, 0.3, (4, 100, questions))),
        }
    )


SMALL = Responses.from_counts(
    [[3, 2, 4, 1], [2, 2, 3, 0], [1, 0, 2, 0]], [[5, 5, 5, 5], [5, 5, 5, 0], [5, 5, 5, 5]]
)


def test_left_out_cells_are_those_of_arviz():
    posterior = rasch_draws()
    found = loo_of_cells(posterior, None, SMALL)
    system, question = np.nonzero(SMALL.observed)
    eta = posterior["ability"].values[..., system] - posterior["difficulty"].values[..., question]
    n, k = SMALL.n_trials[system, question], SMALL.successes[system, question]
    tree = az.from_dict(
        {
            "posterior": {"x": np.zeros((4, 100))},
            "log_likelihood": {"k": stats.binom(n, 1 / (1 + np.exp(-eta))).logpmf(k)},
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of k-hat, which is what is compared
        wanted = az.loo(tree, reff=1.0)
    np.testing.assert_allclose(found["elpd_i"], wanted.elpd_i.values.ravel(), rtol=1e-6)
    np.testing.assert_allclose(found["pareto_k"], wanted.pareto_k.values.ravel(), rtol=1e-6)


def test_the_interaction_of_a_left_out_cell_is_integrated_out():
    model = models.hierarchical_bayes(SMALL)
    rasch = rasch_draws()
    share = float(model["difficulty_centring"].get_value())
    sd = 1.3
    hierarchical = xr.Dataset(
        {
            "level": rasch["ability"],
            "difficulty_offset": rasch["difficulty"] / sd ** (1 - share),
            "difficulty_sd": xr.full_like(rasch["ability"][..., 0], sd),
            "interaction_sd": xr.full_like(rasch["ability"][..., 0], 1e-6),
        }
    )
    same = loo_of_cells(hierarchical, model, SMALL)
    np.testing.assert_allclose(
        same["elpd_i"], loo_of_cells(rasch, None, SMALL)["elpd_i"], rtol=1e-6
    )
    # With much of it, counts at the ends become as likely as those in the middle.
    wide = loo_of_cells(hierarchical.assign(interaction_sd=same_like(rasch, 4.0)), model, SMALL)
    ends = SMALL.successes[SMALL.observed] == 0
    assert (wide["elpd_i"][ends] > same["elpd_i"][ends]).all()


def same_like(posterior, value):
    return xr.full_like(posterior["ability"][..., 0], value)


def test_bayes_at_n_knows_nothing_of_a_left_out_cell():
    found = loo_of_uniform(SMALL)
    np.testing.assert_allclose(np.exp(found["elpd_i"]), 1 / 6)
    k = SMALL.successes[SMALL.observed]
    own = stats.betabinom(5, 1 + k, 6 - k).logpmf(k)
    np.testing.assert_allclose(found["p_i"], own + np.log(6))


def test_left_out_pairs_are_trinomial():
    data = Comparisons.from_counts(["a", "b"], ["b", "c"], [6, 4], [2, 3], ties=[3, 1])
    model = models.bradley_terry(data)
    rng = np.random.default_rng(1)
    posterior = xr.Dataset(
        {
            "strength": (("chain", "draw", "system"), np.zeros((4, 50, 3))),
            "tie": (("chain", "draw"), np.zeros((4, 50)) + 1e-9 * rng.normal(size=(4, 50))),
        }
    )
    found = loo_of_battles(posterior, model, ties="davidson")
    want = [stats.multinomial(sum(c), [1 / 3] * 3).logpmf(c) for c in ((6, 3, 2), (4, 1, 3))]
    np.testing.assert_allclose(sorted(found["elpd_i"]), sorted(want), rtol=1e-6)


def test_models_are_compared_cell_by_cell():
    rng = np.random.default_rng(1)
    one = rng.normal(-1, 0.1, 200)
    zero = np.zeros(200)
    cells = {
        "worse": {"elpd_i": one - rng.normal(0.5, 0.2, 200), "pareto_k": zero, "p_i": zero + 0.1},
        "better": {"elpd_i": one, "pareto_k": zero + 0.9, "p_i": zero},
    }
    found = compared(cells, 400)
    assert found["loo_analysis"].values.tolist() == ["better", "worse"]
    gap = cells["worse"]["elpd_i"] - one
    assert found["elpd_diff"].values[1] == pytest.approx(gap.sum())
    assert found["elpd_diff_se"].values[1] == pytest.approx(np.sqrt(200) * gap.std(), rel=0.02)
    assert found["k_hat_high"].values.tolist() == [200, 0]


# ---------------------------------------------------------------- what is chosen, and refused


def test_the_default_leaves_out_what_takes_long_and_says_so():
    names, notes = default_methods(DATA)
    assert {"hierarchical", "rasch", "2pl", "mean", "davidson"} <= set(names)
    assert notes == []
    large = Responses.from_counts(np.ones((30, 100), dtype=int), 2)
    names, (note,) = default_methods(large)
    assert "hierarchical" not in names
    assert "3,000 cells" in note
    three = Responses.from_array([[[0, 2], [1, 1]], [[2, 2], [0, 1]]])
    assert not {"rasch", "bayes-at-n:pooled"} & set(default_methods(three)[0])


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        (["bayes-at-n", "rash"], "Did you mean 'rasch'"),
        (["bayes-at-n", "bradley-terry:davidson"], "is for comparisons"),
        (["mean", "mean"], "named twice"),
        (["mean"], "two methods at least"),
    ],
)
def test_unknown_methods_are_refused(methods, message):
    with pytest.raises(ArgumentError, match=message):
        likelihood_sensitivity(DATA, methods=methods, **FEW)


def test_data_that_nothing_can_rank_are_refused(tmp_path):
    with pytest.raises(InputError, match="fewer than two methods can rank these data"):
        likelihood_sensitivity(DATA, methods=["mean", "elo"], **FEW)
    with pytest.raises(InputError, match="one model"):
        likelihood_sensitivity(DATA.select(systems=[DATA.systems[0]]), **FEW)
    options = {**FEW, "folder": tmp_path / "study"}
    one = likelihood_sensitivity(DATA, methods=["mean", "borda"], **options)
    assert one.identical(likelihood_sensitivity(DATA, methods=["mean", "borda"], **options))
    with pytest.raises(ArgumentError, match="holds a study with methods = "):
        likelihood_sensitivity(DATA, methods=["mean", "copeland"], **options)


@pytest.mark.slow
def test_tie_models_share_an_outcome():
    data = Comparisons.from_counts(
        ["a", "b", "c"], ["b", "c", "a"], [60, 40, 20], [20, 30, 30], ties=[10, 10, 30]
    )
    names = ["bradley-terry:davidson", "bradley-terry:rao_kupper"]
    found = likelihood_sensitivity(data, methods=[*names, "win_rate"], draws=200, random_seed=1)
    assert set(found["loo_analysis"].values) == set(names)
    assert found["elpd_diff"].values[0] == 0.0
    assert "share an outcome" in found.attrs["loo"][0]
    np.testing.assert_array_equal(found["rank"].values[0], found["rank"].values[1])
