"""`sample(population=...)`: the right scores, the right words, and what is refused."""

import warnings

import numpy as np
import pytest
import xarray as xr

import bayesrank
from bayesrank import EmpiricalPrior, Responses, simulate_responses
from bayesrank._record import read_record
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.models import bayes_at_n

DESIGN = {"systems": ["a", "b", "c"], "questions": 40, "tasks": 8, "prompts": 7, "trials": 1}


@pytest.fixture(scope="module")
def responses():
    return simulate_responses(random_seed=1, **DESIGN)


@pytest.fixture(scope="module")
def model(responses):
    return bayes_at_n(responses)


@pytest.mark.parametrize(
    ("population", "name", "said"),
    [
        ("tasks", "tasks", "mean over new tasks like these of"),
        ("prompts", "prompts", "mean over these questions, under new prompts like these, of"),
        (("prompts", "tasks"), "tasks x prompts", "new tasks like these, under new prompts"),
        ("tasks x prompts", "tasks x prompts", "new tasks like these, under new prompts"),
    ],
)
def test_a_resampled_population_is_recorded(model, population, name, said):
    posterior = bayesrank.sample(model, population=population, random_seed=1)
    record = read_record(posterior)
    assert (record.population, record.method, record.verdict) == (name, "bootstrap", "pass")
    assert posterior["posterior"].attrs["population"] == name
    assert said in record.estimand
    assert record.prior.startswith("none: observed scores are resampled")
    assert not any("shrunk" in note for note in record.notes)
    assert "Bayesian bootstrap" in record.diagnostics["statement"]
    assert posterior["posterior"]["score"].dims == ("chain", "draw", "system")
    assert posterior["constant_data"]["trials"].to_numpy().tolist() == [280, 280, 280]


def test_scores_are_the_observed_ones_and_wider_than_those_of_trials(model, responses):
    new = bayesrank.sample(model, population="tasks", random_seed=1)["posterior"]["score"]
    observed = responses.question_scores().mean(axis=1)
    error = 4.5 * new.std(("chain", "draw")) / np.sqrt(4000)
    assert (np.abs(new.mean(("chain", "draw")) - observed) < error).all()
    old = bayesrank.sample(model, random_seed=1)["posterior"]["score"]
    assert (new.std(("chain", "draw")) > 1.5 * old.std(("chain", "draw"))).all()


def test_seeds_repeat_and_draws_are_shared_by_the_chains_only_as_a_shape(model):
    first, again = (
        bayesrank.sample(model, population="prompts", random_seed=3, draws=40, chains=2)
        for _ in range(2)
    )
    assert (first["posterior"]["score"] == again["posterior"]["score"]).all()
    assert first["posterior"]["score"].shape == (2, 40, 3)


def test_netcdf_round_trip(model, tmp_path):
    posterior = bayesrank.sample(model, population=("tasks", "prompts"), random_seed=1, draws=200)
    posterior.to_netcdf(tmp_path / "fit.nc", engine="h5netcdf")
    with xr.open_datatree(tmp_path / "fit.nc", engine="h5netcdf") as read:
        assert read_record(read) == read_record(posterior)
        assert (read["posterior"]["score"] == posterior["posterior"]["score"]).all()


def test_few_units_warn_and_one_is_an_error():
    few = bayes_at_n(Responses.from_counts([[3, 5, 9]], 10))
    with pytest.warns(BayesrankWarning, match="Only 3 questions"):
        posterior = bayesrank.sample(few, population="questions", random_seed=1)
    assert any("Only 3 questions" in note for note in read_record(posterior).notes)
    one = bayes_at_n(Responses.from_counts([[3]], 10))
    with pytest.raises(InputError, match="only one question"):
        bayesrank.sample(one, population="questions")


def test_auxiliary_outcomes_count_and_the_uniform_prior_does_not():
    counts = Responses.from_counts(np.full((1, 8), 3), 10)
    plain = bayesrank.sample(bayes_at_n(counts), population="questions", draws=100)
    np.testing.assert_allclose(plain["posterior"]["score"], 0.3)
    prior = EmpiricalPrior(np.ones((8, 2)), weight=0.5)
    moved = bayesrank.sample(bayes_at_n(counts, prior=prior), population="questions", draws=100)
    np.testing.assert_allclose(moved["posterior"]["score"], 4 / 11)
    record = read_record(moved)
    assert record.prior.startswith("auxiliary outcomes counted like trials (weight 0.5)")
    assert any("shared by all models" in note for note in record.notes)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"population": "judges"}, ArgumentError, "use one of 'trials', 'questions', 'tasks'"),
        ({"population": ("question", "prompts")}, ArgumentError, "Did you mean 'questions x pro"),
        ({"population": "tasks", "method": "nuts"}, ArgumentError, "models.hierarchical_bayes"),
        ({"population": "tasks", "method": "exact"}, ArgumentError, "resampling what was observed"),
        ({"method": "bootstrap"}, ArgumentError, "population='trials' is not one of them"),
        ({"population": "tasks", "foo": 1}, ArgumentError, "take no sampler settings: foo"),
    ],
)
def test_what_does_not_go_together_is_refused(model, options, error, message):
    with pytest.raises(error, match=message):
        bayesrank.sample(model, **options)


def test_units_the_data_do_not_name_are_refused():
    model = bayes_at_n(Responses.from_counts([[3, 4, 2]], 10))
    with pytest.raises(InputError, match="no task column"):
        bayesrank.sample(model, population="tasks")
    with pytest.raises(InputError, match="no prompt column"):
        bayesrank.sample(model, population=("questions", "prompts"))


def test_changed_data_are_not_resampled():
    model = bayes_at_n(Responses.from_counts([[3, 4, 2, 1, 1, 2, 4]], 10))
    model.set_data("n_correct_observed", np.full((1, 7), 9))
    with pytest.raises(ArgumentError, match="build it anew"):
        bayesrank.sample(model, population="questions")


@pytest.mark.parametrize("method", ["exact", "nuts"])
def test_every_task_counts_the_same_under_trials(method):
    """Two tasks of one and of five questions: the posterior mean is that of the task means."""
    counts = Responses.from_counts([[8, 1, 2, 1, 3, 2]], 8, tasks=["x", *"yyyyy"])
    model = bayes_at_n(counts, weighting="task")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        posterior = bayesrank.sample(model, method=method, random_seed=2, chains=4)
    p = (np.array([8, 1, 2, 1, 3, 2]) + 1) / 10
    share = np.array([0.5, *[0.1] * 5])
    score = posterior["posterior"]["score"].to_numpy().ravel()
    sd = np.sqrt((share**2 * p * (1 - p) / 11).sum())
    assert score.mean() == pytest.approx((share * p).sum(), abs=4.5 * sd / np.sqrt(1500))
    assert score.std() == pytest.approx(sd, rel=0.1)
    assert "every task counting the same" in read_record(posterior).estimand


def test_a_question_not_answered_leaves_its_weight_to_its_task():
    counts = Responses.from_counts([[9, 0, 1, 1], [9, 9, 1, 1]], [[9, 0, 9, 9], [9] * 4],
                                   tasks=["x", "x", "y", "y"])  # fmt: skip
    model = bayes_at_n(counts, weighting="task")
    assert model["question_share"].get_value().tolist() == [[0.5, 0, 0.25, 0.25], [0.25] * 4]
