"""Populations side by side: the same posteriors as one at a time, pairs and shares by hand."""

import warnings

import numpy as np
import pytest

import bayesrank
from bayesrank import Comparisons, Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.studies import populations, variance_components
from bayesrank.studies._population_draws import natural, units_in_words

DATA = bayesrank.simulate_responses(
    systems=5, questions=24, tasks=3, prompts=7, trials=2, random_seed=3
)
FEW_TASKS = pytest.mark.filterwarnings("ignore:Only 3 tasks")


@pytest.fixture(scope="module")
def found():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return populations(DATA, draws=60, random_seed=1)


@FEW_TASKS
def test_each_population_is_the_posterior_of_the_existing_door(found):
    model = bayesrank.models.bayes_at_n(DATA, prior="pooled")
    for name in found["population"].to_numpy().tolist():
        alone = bayesrank.rank(bayesrank.sample(model, population=name, draws=60, random_seed=1))
        one = found.sel(population=name)
        for value in ("score", "score_low", "score_high", "rank_low", "rank_high", "p_best"):
            np.testing.assert_array_equal(one[value], alone.dataset[value], err_msg=name)


def test_all_populations_that_the_data_have_in_their_order(found):
    assert found["population"].to_numpy().tolist() == ["trials", "questions", "tasks", "prompts"]
    assert found["units"].to_numpy().tolist() == [
        *("1,680 trials", "24 questions", "3 tasks", "7 prompts"),
    ]
    assert found.attrs["data_hash"] == DATA.data_hash()
    assert (found.attrs["seed"], found.attrs["draws"]) == (1, 240)


@FEW_TASKS
def test_pairs_are_neighbours_in_the_observed_order_and_come_from_the_same_draws(found):
    mean = DATA.question_scores().mean(axis=1)
    order = np.argsort(-mean)
    names = np.array(DATA.systems)
    assert found["above"].to_numpy().tolist() == names[order[:-1]].tolist()
    assert found["below"].to_numpy().tolist() == names[order[1:]].tolist()
    tree = bayesrank.sample(
        bayesrank.models.bayes_at_n(DATA), population="tasks", draws=60, random_seed=1
    )
    scores = tree["posterior"]["score"].to_numpy().reshape(-1, 5)
    gap = scores[:, order[:-1]] - scores[:, order[1:]]
    one = found.sel(population="tasks")
    np.testing.assert_allclose(one["gap"], gap.mean(axis=0))
    np.testing.assert_allclose(one["superiority"], (gap > 0).mean(axis=0))
    np.testing.assert_allclose(one["gap_low"], np.quantile(gap, 0.025, axis=0))
    sure = np.maximum((gap > 0).mean(axis=0), (gap < 0).mean(axis=0))
    np.testing.assert_array_equal(one["told_apart"], sure >= 0.95)


def test_shares_are_those_of_the_variance_components_and_add_up_to_1(found):
    alone = variance_components(DATA)
    for name in ("share", "variance", "narrower", "estimate"):
        np.testing.assert_array_equal(found[name], alone[name])
    np.testing.assert_allclose(found["share"].sum("source"), 1.0)
    # Terms stand in the order of the pairs.
    gaps = found.isel(term=found["kind"].to_numpy() == "gap")
    assert gaps["first"].to_numpy().tolist() == found["above"].to_numpy().tolist()


def test_one_population_is_fine_and_said():
    one = populations(Responses.from_counts([[9], [2]], 10), draws=20, random_seed=1)
    assert one["population"].to_numpy().tolist() == ["trials"]
    notes = " ".join(one.attrs["notes"])
    assert "do not name tasks or prompts" in notes
    assert "one unit of questions alone" in notes
    assert "one population to look at, trials" in notes
    assert "No shares of the variance: one question" in notes
    assert "share" not in one


def test_with_one_trial_a_cell_the_share_of_trials_is_not_known():
    once = bayesrank.simulate_responses(systems=3, questions=20, trials=1, random_seed=1)
    one = populations(once, draws=20, random_seed=1)
    assert np.isnan(one["share"].sel(source="trials")).all()
    np.testing.assert_allclose(one["share"].sel(source="questions"), 1.0)


def test_what_cannot_be_drawn_is_left_out_unless_it_is_asked_for():
    outcomes = np.array([[[1, 0, 1, 1], [0, 1, 0, 0]], [[0, 0, -1, -1], [1, 0, -1, -1]]])
    lacking = Responses.from_array(outcomes, prompts=["a", "a", "b", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = populations(lacking, draws=20, random_seed=1)
        crossed = populations(
            DATA, among=["trials", ("prompts", "questions")], draws=20, random_seed=1
        )
    assert one["population"].to_numpy().tolist() == ["trials", "questions"]
    assert any(
        n.startswith("Left out, prompts: model 'model 2' has no outcome with prompt 'b'")
        for n in one.attrs["notes"]
    )
    with pytest.raises(InputError, match="has no outcome with prompt 'b'"):
        populations(lacking, among=["prompts"], draws=20, random_seed=1)
    assert crossed["population"].to_numpy().tolist() == ["trials", "questions x prompts"]
    assert crossed["units"].to_numpy().tolist()[1] == "24 questions x 7 prompts"


def test_categories_take_the_uniform_prior_and_weights():
    outcomes = np.random.default_rng(1).integers(0, 3, (3, 12, 2))
    graded = Responses.from_array(outcomes)
    one = populations(graded, weights=[0, 0, 1], draws=20, random_seed=1)
    model = bayesrank.models.bayes_at_n(graded, weights=[0, 0, 1], prior="uniform")
    alone = bayesrank.rank(bayesrank.sample(model, draws=20, random_seed=1))
    np.testing.assert_array_equal(one["score"].sel(population="trials"), alone.dataset["score"])
    assert one.attrs["prior"] == "uniform"


def test_a_study_goes_on_in_its_folder_and_refuses_another(tmp_path):
    data = bayesrank.simulate_responses(systems=3, questions=8, trials=2, random_seed=1)
    options = {"draws": 20, "random_seed": 1, "folder": tmp_path / "study"}
    whole = populations(data, **options)
    (tmp_path / "study" / "questions.npz").unlink()
    done: list[str] = []
    again = populations(data, **options, progress=lambda name, *_: done.append(name))
    assert done == ["questions"]
    assert again.equals(whole)
    with pytest.raises(ArgumentError, match="holds a study with draws = '20', not '21'"):
        populations(data, **(options | {"draws": 21}))


BATTLES = {
    "first": ["a", "a", "b", "b", "c", "a"] * 8,
    "second": ["b", "c", "c", "a", "a", "b"] * 8,
    "winner": (["model_a", "model_b", "model_a", "model_a", "tie", "model_a"] * 8),
    "judge": [f"judge {i % 7}" for i in range(48)],
}


@pytest.fixture(scope="module")
def battles():
    import pandas as pd

    frame = pd.DataFrame(BATTLES)
    return Comparisons.from_frame(frame, first="first", second="second", judge="judge")


def test_battles_have_populations_of_their_own_and_no_options_of_scores(battles):
    chosen, notes = natural(battles)
    assert chosen == ["battles", "judges"]
    assert notes == ["These data do not name prompts or sessions, so nothing is said of new ones."]
    assert [units_in_words(battles, name) for name in chosen] == ["48 battles", "7 judges"]
    with pytest.raises(ArgumentError, match="prior, weighting: comparisons have no scores"):
        populations(battles, prior="pooled", weighting="task")
    with pytest.raises(ArgumentError, match="Did you mean 'judges'"):
        populations(battles, among=["judge"])


@pytest.mark.slow
def test_judges_are_the_existing_refits(battles):
    one = populations(battles, among=["judges"], draws=25, random_seed=1)
    model = bayesrank.models.bradley_terry(battles)
    alone = bayesrank.rank(
        bayesrank.sample(model, population="judges", draws=25, random_seed=1, progressbar=False)
    )
    np.testing.assert_allclose(one["score"].sel(population="judges"), alone.dataset["score"])
    assert any("no shares of the variance are given" in note for note in one.attrs["notes"])
    assert "share" not in one


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"among": ["trails"]}, ArgumentError, "Did you mean 'trials'"),
        ({"among": ["judges"]}, ArgumentError, "use one of 'trials', 'questions'"),
        ({"among": ["tasks", "tasks"]}, ArgumentError, "'tasks' is named twice"),
        ({"among": []}, ArgumentError, "among is empty"),
        ({"draws": 0}, ArgumentError, "draws=0"),
        ({"ci_prob": 1.5}, ArgumentError, "ci_prob=1.5"),
        ({"prior": "jeffrey"}, ArgumentError, "jeffrey"),
    ],
)
def test_bad_arguments_are_one_line(options, error, message):
    with pytest.raises(error, match=message) as caught:
        populations(DATA, **options)
    assert "\n" not in str(caught.value)


def test_bad_data_are_one_line():
    with pytest.raises(InputError, match="one model comes first under every population"):
        populations(Responses.from_counts([[3, 4]], 10))
    with pytest.raises(InputError, match="no task"):
        populations(Responses.from_counts([[3, 4], [5, 6]], 10), among=["tasks"])
