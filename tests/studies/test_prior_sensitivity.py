"""The study of priors: exact settings, where the leader changes, scales as data, refusals."""

import numpy as np
import pytest

import bayesrank
from bayesrank import Comparisons, EmpiricalPrior, Prior, Responses, models
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.likelihoods import dirichlet_posterior
from bayesrank.priors.distribution import scales_as_data
from bayesrank.studies import prior_sensitivity
from bayesrank.studies._prior_settings import families_of, leaf_of, scaled

FEW = {"draws": 100, "random_seed": 1}
DATA = Responses.from_counts([[6, 5, 4, 5], [5, 5, 4, 4], [2, 1, 0, 3]], 8, systems=["a", "b", "c"])
# Greedy decodes that say the opposite: b has all, a none.
GREEDY = [[[0], [0], [0], [0]], [[1], [1], [1], [1]], [[0], [0], [0], [0]]]
BATTLES = Comparisons.from_counts(
    ["a", "b", "c"], ["b", "c", "a"], [6, 4, 2], [2, 3, 3], ties=[1, 1, 0]
)


@pytest.fixture(scope="module")
def study():
    return prior_sensitivity(
        DATA, prior_from=GREEDY, prior_weights=[0, 0.5, 1, 4, "moments"], **FEW
    )


def test_a_sweep_at_weight_one_is_the_factory_s_own_posterior(study):
    with pytest.warns(BayesrankWarning, match="order the models differently"):
        model = models.bayes_at_n(DATA, prior=EmpiricalPrior(GREEDY, weight=1.0))
    assert any("order the models differently" in note for note in study.attrs["notes"])
    tree = bayesrank.sample(model, draws=100, random_seed=1)
    found = bayesrank.rank(tree).dataset
    own = study.sel(setting="auxiliary x1")
    for name in ("score", "rank", "rank_low", "rank_high", "p_best"):
        np.testing.assert_array_equal(own[name].values, found[name].values)
    assert own["value"] == 1.0
    # Weight 0 is the uniform prior, and is there once.
    assert "auxiliary x0" not in study["setting"].values
    assert study["setting"].values[0] == "uniform"
    assert study["tau_b"].values[0] == 1.0


def test_the_change_of_the_leader_is_found_between_two_weights(study):
    change = study.isel(change=0)
    assert study.sizes["change"] == 1
    assert str(change["change_sweep"].item()) == "weight of auxiliary outcomes"
    assert (change["leader_before"].item(), change["leader_after"].item()) == ("a", "b")
    # In posterior means: 20 of 32 against 18, a question 8 trials; b catches up at weight w where
    # (18 + 4 + 4 w) = (20 + 4), w = 1/2.
    assert change["change_from_value"] <= 0.5 <= change["change_to_value"]
    assert set(study["leader"].sel(setting=["uniform", "auxiliary x0.5"]).values) <= {"a", "b"}
    assert study["leader"].sel(setting="auxiliary x4") == "b"


def test_no_change_where_all_agree():
    found = prior_sensitivity(DATA.select(systems=["a", "c"]), **FEW)
    assert found.sizes["change"] == 0
    assert set(found["leader"].values) == {"a"}
    assert found["setting"].values.tolist() == [
        "uniform",
        "Dirichlet(0.5)",
        "Dirichlet(2)",
        "pooled",
    ]


def test_utilities_turn_the_order():
    counts = np.array([[[0, 8, 0]] * 3, [[4, 0, 4]] * 3])
    outcomes = [[np.repeat([0, 1, 2], row) for row in model] for model in counts]
    data = Responses.from_array(outcomes, systems=["middle", "extremes"])
    sweep = [[0, 0.8, 1], [0, 0.2, 1]]
    found = prior_sensitivity(data, weights=[0, 0.7, 1], weights_sweep=sweep, **FEW)
    assert "pooled" not in found["setting"].values
    leaders = dict(zip(found["setting"].values, found["leader"].values, strict=True))
    assert leaders["uniform"] == leaders["utilities 0,0.8,1"] == "middle"
    assert leaders["utilities 0,0.2,1"] == "extremes"
    assert found["change_sweep"].values.tolist() == ["utilities"]
    assert found["change_to"].values.tolist() == ["utilities 0,0.2,1"]


def test_powers_of_bayes_at_n_are_known_exactly(study):
    assert bool(study["exact_powers"])
    for power in (0.8, 1.25):
        counts = power * DATA.counts + 1.0
        exact = (counts[..., 1] / counts.sum(axis=-1)).mean(axis=1)
        found = study["scaled_score"].sel(part="likelihood", power=power).values
        sd = dirichlet_posterior(DATA).sd()
        assert (np.abs(found - exact) < 5 * sd / np.sqrt(400)).all()
    # The uniform prior is flat.
    assert (study["sensitivity"].sel(part="prior") == 0).all()
    assert np.isnan(study["k_hat"].sel(part="prior")).all()
    assert (study["scaled_p_best"].sel(part="prior") == study["base_p_best"]).all()
    assert (study["sensitivity"].sel(part="likelihood") > 0).all()
    assert "flat" in study.attrs["notes"][0]


def test_a_finished_folder_is_read_and_another_study_is_refused(tmp_path):
    said: list[str] = []
    options = {**FEW, "folder": tmp_path / "study"}
    one = prior_sensitivity(DATA, **options)
    two = prior_sensitivity(DATA, **options, progress=lambda name, *_: said.append(name))
    assert one.identical(two)
    assert said == []
    with pytest.raises(ArgumentError, match="holds a study with settings = "):
        prior_sensitivity(DATA, scales=[0.1], **options)
    with pytest.raises(ArgumentError, match="holds a study with data_hash = "):
        prior_sensitivity(DATA.select(systems=["a", "b"]), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "bayes-at-m"}, "Did you mean 'bayes-at-n'"),
        ({"model": "bradley-terry"}, "model='bradley-terry' is not for responses"),
        ({"families": ["poled"]}, "Did you mean 'pooled'"),
        ({"model": "hierarchical", "families": ["Student"]}, "Did you mean 'StudentT'"),
        ({"model": "hierarchical", "parameter": "dificulty_sd"}, "Did you mean 'difficulty_sd'"),
        ({"model": "hierarchical", "weights": [0, 1]}, "does not take weights="),
        ({"parameter": "ability"}, "does not take parameter="),
        ({"scales": [0.0]}, "must be above 0"),
        ({"powers": [1.0]}, "not 1, at which nothing changes"),
        ({"method": "nutz"}, "Did you mean 'nuts'"),
        ({"prior_from": GREEDY, "prior_weights": ["lerned"]}, "Did you mean 'learned'"),
        ({"prior_from": GREEDY, "prior_weights": []}, "prior_weights is empty"),
        ({"weights_sweep": [[0, 0.5, 1]]}, "weights"),
        ({"draws": 3}, "draws=3"),
    ],
)
def test_what_cannot_be_studied_is_refused_in_one_line(options, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        prior_sensitivity(DATA, **{**FEW, **options})
    assert "\n" not in str(caught.value)


def test_one_model_and_other_models_outcomes_are_refused():
    with pytest.raises(InputError, match="one model leads"):
        prior_sensitivity(DATA.select(systems=["a"]), **FEW)
    with pytest.raises(InputError, match="auxiliary outcomes have shape"):
        prior_sensitivity(DATA, prior_from=[[[1]], [[0]]], **FEW)
    with pytest.raises(ArgumentError, match="is not for comparisons"):
        prior_sensitivity(BATTLES, model="hierarchical", **FEW)


def test_families_keep_centre_and_scale():
    default = Prior(
        "Normal", mu=Prior("Normal", mu=0, sigma=2), sigma=Prior("HalfNormal", sigma=1.5)
    )
    found, sweeps = families_of("ability", default, ["Cauchy", "Laplace"], [2.0])
    assert [str(each.prior) for each in found] == [
        "Normal(mu=Normal(mu=0, sigma=2), sigma=HalfNormal(sigma=1.5))",
        "Cauchy(alpha=Normal(mu=0, sigma=2), beta=HalfNormal(sigma=1.5))",
        "Laplace(mu=Normal(mu=0, sigma=2), b=HalfNormal(sigma=1.5))",
    ]
    assert [s.label for s in found[1].settings] == ["Cauchy x1", "Cauchy x2"]
    assert [s.sweep for s in found[0].settings] == ["base", "scale of Normal"]
    assert [sweep.name for sweep in sweeps][-1] == "family"
    leaf = leaf_of(found[1].prior)
    assert (leaf.distribution, scaled(leaf, 2.0)) == ("HalfNormal", 3.0)
    gamma, _ = families_of("interaction_sd", Prior("Gamma", alpha=2, beta=4), ["HalfNormal"], [2.0])
    assert str(gamma[1].prior) == "HalfNormal(sigma=0.5)"
    assert scaled(leaf_of(gamma[0].prior), 2.0) == 2.0
    with pytest.raises(ArgumentError, match="no scale to vary"):
        families_of("guessing", Prior("Beta", alpha=5, beta=17), None, [2.0])


def test_a_scale_that_is_data_is_that_of_a_model_built_with_it():
    def prior(sigma):
        return {"strength": Prior("StudentT", nu=4, mu=0, sigma=Prior("HalfNormal", sigma=sigma))}

    with scales_as_data() as created:
        model = models.bradley_terry(BATTLES, prior=prior(1.5))
    assert "strength_sigma" in [name for _, name in created]
    model.set_data("strength_sigma_sigma", 3.0)
    built = models.bradley_terry(BATTLES, prior=prior(3.0))
    assert "strength_sigma_sigma" not in built
    point = {k: v + 0.3 for k, v in built.initial_point(random_seed=1).items()}
    one, other = (m.compile_logp(mode="FAST_COMPILE")(point) for m in (model, built))
    assert one == pytest.approx(other, rel=1e-8)


@pytest.mark.slow
def test_battles_go_through_all_scales_of_one_compiled_model():
    found = prior_sensitivity(BATTLES, families=["Normal"], scales=[0.1], draws=200, random_seed=1)
    assert found["setting"].values.tolist() == ["Normal x1", "Normal x0.1"]
    assert found.attrs["scaled_variables"] == ["strength_sigma", "tie"]
    # A narrow prior draws strengths together.
    spread = np.ptp(found["score"].values, axis=1)
    assert spread[1] < 0.5 * spread[0]
    np.testing.assert_allclose(found["score"].sum("system"), 0.0, atol=1e-9)
    assert np.isfinite(found["k_hat"]).all()
    assert not bool(found["exact_powers"])
