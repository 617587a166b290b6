"""`sample`: routes, seeds, provenance, the groups of a posterior."""

import json

import numpy as np
import pymc as pm
import pytest
import xarray as xr

import bayesrank
from bayesrank import Responses
from bayesrank._record import NOT_STATED, read_record
from bayesrank.exceptions import ArgumentError, ChecksFailedError
from bayesrank.inference.seeds import Seeds


@pytest.fixture(scope="module")
def responses():
    outcomes = np.random.default_rng(0).integers(0, 2, size=(3, 5, 4)).astype(float)
    outcomes[1, 2, 3] = np.nan
    return Responses.from_array(outcomes, systems=["a", "<b>", "c"])


@pytest.fixture(scope="module")
def model(responses):
    return bayesrank.models.bayes_at_n(responses)


@pytest.fixture(scope="module")
def own_posterior():
    """A user's own model, without anything attached."""
    with pm.Model(coords={"system": ["x", "y"]}) as own:
        strength = pm.Normal("strength", dims="system")
        pm.Normal("seen", strength, 0.5, observed=np.array([0.3, -0.3]), dims="system")
        pm.Deterministic("score", strength, dims="system")
    return bayesrank.sample(own, random_seed=2, chains=4, draws=500, tune=500)


def test_auto_is_exact(model, responses):
    posterior = bayesrank.sample(model, random_seed=1)
    score = posterior["posterior"]["score"]
    assert score.dims == ("chain", "draw", "system")
    assert score.shape == (4, 1000, 3)
    assert score.dtype == np.float64
    assert score["system"].to_numpy().tolist() == ["a", "<b>", "c"]
    assert list(posterior["posterior"].data_vars) == ["score"]
    record = read_record(posterior)
    assert (record.method, record.population, record.model) == ("exact", "trials", "bayes-at-n")
    assert record.verdict == "pass"
    assert posterior["constant_data"]["trials"].to_numpy().tolist() == [20, 19, 20]
    assert posterior["constant_data"]["missing"].to_numpy().tolist() == [0, 1, 0]
    assert record.observations == responses.describe()


def test_exact_draws_have_the_closed_form_moments(model, responses):
    score = bayesrank.sample(model, random_seed=4)["posterior"]["score"]
    from bayesrank.likelihoods import dirichlet_posterior

    exact = dirichlet_posterior(responses)
    gap = (score.mean(("chain", "draw")).to_numpy() - exact.mean()) / exact.sd()
    assert np.abs(gap).max() < 4.5 / np.sqrt(4000)


def test_probabilities_on_request(model):
    posterior = bayesrank.sample(model, random_seed=1, keep_probabilities=True, draws=200)
    p = posterior["posterior"]["probability"]
    assert p.dims == ("chain", "draw", "system", "question")
    assert p.mean("question").to_numpy() == pytest.approx(
        posterior["posterior"]["score"].to_numpy()
    )


def test_the_same_seed_gives_the_same_draws(model):
    a, b = (bayesrank.sample(model, random_seed=7, draws=50) for _ in range(2))
    assert (a["posterior"]["score"] == b["posterior"]["score"]).all()
    c = bayesrank.sample(model, random_seed=8, draws=50)
    assert not (a["posterior"]["score"] == c["posterior"]["score"]).any()


@pytest.mark.parametrize("given", [None, 5, np.random.SeedSequence(9), np.random.default_rng(3)])
def test_the_recorded_seed_repeats_the_run(model, given):
    first = bayesrank.sample(model, random_seed=given, draws=50)
    seed = read_record(first).provenance["seed"]
    again = bayesrank.sample(model, random_seed=seed, draws=50)
    assert (first["posterior"]["score"] == again["posterior"]["score"]).all()


def test_streams_of_a_seed_differ_and_children_are_recorded():
    seeds = Seeds.of(1)
    numbers = [seeds.integer(s) for s in ("prior", "posterior", "predictive", "bootstrap")]
    assert len(set(numbers)) == 4
    child = Seeds.of(np.random.SeedSequence(1).spawn(2)[1])
    assert child.spawn_key == (1,)
    assert child.integer("posterior") != numbers[1]
    assert Seeds.of(np.random.SeedSequence([1, 2])).entropy == [1, 2]
    with pytest.raises(ArgumentError, match="random_seed=-1"):
        Seeds.of(-1)


def test_provenance(model, responses):
    provenance = read_record(bayesrank.sample(model, random_seed=1, draws=200)).provenance
    assert provenance["seed"] == 1
    assert provenance["config"] == {
        "method": "exact",
        "population": "trials",
        "draws": 200,
        "chains": 4,
    }
    assert provenance["data"]["hash"] == responses.data_hash()
    assert provenance["data"]["rows"] == 60
    assert provenance["data"]["missing"] == 1
    assert {"python", "bayesrank", "pymc", "numpy", "nutpie"} <= set(provenance["versions"])
    assert provenance["time"].endswith("+00:00")
    assert provenance["model"]["weights"] == [0.0, 1.0]


def test_netcdf_round_trip(model, tmp_path):
    posterior = bayesrank.sample(model, random_seed=1, draws=200)
    posterior.to_netcdf(tmp_path / "fit.nc", engine="h5netcdf")
    with xr.open_datatree(tmp_path / "fit.nc", engine="h5netcdf") as read:
        assert read_record(read) == read_record(posterior)
        assert (read["posterior"]["score"] == posterior["posterior"]["score"]).all()
        names = read["posterior"]["system"].to_numpy().tolist()
        assert names == ["a", "<b>", "c"]
        assert (read["constant_data"]["trials"] == posterior["constant_data"]["trials"]).all()


def test_a_models_own_nuts_posterior(own_posterior, tmp_path):
    record = read_record(own_posterior)
    assert (record.method, record.population) == ("nuts", NOT_STATED)
    config = record.provenance["config"]
    assert config["nuts_sampler"] == "nutpie"
    assert {"cores", "tune", "chains", "draws"} <= set(config)
    assert own_posterior["posterior"]["score"].dims == ("chain", "draw", "system")
    assert "strength" in own_posterior["posterior"]
    names = [check["name"] for check in record.diagnostics["checks"]]
    assert names == ["divergences", "r_hat", "ess_bulk", "ess_tail", "e_bfmi"]
    assert record.verdict == "pass"
    own_posterior.to_netcdf(tmp_path / "own.nc", engine="h5netcdf")
    with xr.open_datatree(tmp_path / "own.nc", engine="h5netcdf") as read:
        assert read_record(read) == record
        assert "diverging" in read["sample_stats"]
    json.loads(record.to_json())


def test_strict_raises(model):
    with pytest.raises(ChecksFailedError, match=r"failed its checks: .*bulk ESS"):
        bayesrank.sample(model, random_seed=1, draws=50, strict=True)
    record = read_record(bayesrank.sample(model, random_seed=1, draws=50))
    assert record.verdict == "fail"
    assert read_record(bayesrank.sample(model, random_seed=1, strict=True)).verdict == "pass"


def unnamed():
    with pm.Model() as model:
        pm.Normal("skill")
    return model


def wrong_dims():
    with pm.Model(coords={"model": ["a", "b"]}) as model:
        pm.Normal("score", dims="model")
    return model


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "exat"}, "Did you mean 'exact'"),
        ({"population": "questons"}, r"population='questons' is not known; use one of 'trials'"),
        ({"draws": 0}, "draws=0"),
        ({"chains": 1.5}, "chains=1.5"),
        ({"target_accept": 0.9}, "exact draws take no sampler settings: target_accept"),
    ],
)
def test_bad_arguments(model, options, message):
    with pytest.raises(ArgumentError, match=message):
        bayesrank.sample(model, **options)


def test_a_model_without_a_score_says_how_to_give_it_one():
    with pytest.raises(ArgumentError, match="no variable 'score'; a ranking needs"):
        bayesrank.sample(unnamed())
    with pytest.raises(ArgumentError, match=r"a 'score' of dims \('model',\)"):
        bayesrank.sample(wrong_dims())
    with pytest.raises(ArgumentError, match="it has no exact posterior"):
        bayesrank.sample(bare_score(), method="exact")


def bare_score():
    with pm.Model(coords={"system": ["a", "b"]}) as model:
        pm.Normal("score", dims="system")
    return model


def test_unknown_sampler_settings_are_an_argument_error():
    with pytest.raises(ArgumentError, match="foo"):
        bayesrank.sample(bare_score(), draws=10, tune=10, foo=1)
