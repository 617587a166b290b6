"""Item response models: covariates, notes and warnings, and what is refused."""

import numpy as np
import pytest
from scipy.special import expit

import bayesrank
from bayesrank import Responses, simulate_responses
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.models import item_response
from bayesrank.models._attach import attached
from bayesrank.models._item_covariates import columns
from tests.items import small

# Only Python's mode is used here, which needs no BLAS; PyTensor warns where it finds none.
pytestmark = pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS")

# ---------------------------------------------------------------- covariates


def test_numbers_and_dates_are_standardised_and_labels_are_dummies():
    labels = ("q1", "q2", "q3", "q4")
    found = columns(
        {
            "length": {"q4": 7, "q3": 5, "q2": 3, "q1": 1},
            "when": ["2024-01-01", "2024-01-02", "2024-01-01", "2024-01-02"],
            "level": ["easy", "hard", "mid", "hard"],
        },
        labels,
        kind="question",
    )
    assert found.names == ("length", "when", "level: hard", "level: mid")
    np.testing.assert_allclose(found.values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(found.values[:, :2].std(axis=0), 1)
    np.testing.assert_allclose(found.values[:, 2], [-0.5, 0.5, -0.5, 0.5])
    assert found.scales["length"] == (4.0, pytest.approx(np.sqrt(5)))


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([1, 2, 3], ArgumentError, "has 3 values; there are 4 questions"),
        ([1, 2, None, 4], InputError, "no value for question 'q3'"),
        ([1, np.nan, 3, 4], InputError, "no value for question 'q2'"),
        ({"q1": 1, "q2": 2}, InputError, "no value for question 'q3', 'q4'"),
        ([2, 2, 2, 2], InputError, "is the same for every question"),
        (list("aaaa"), InputError, "is the same for every question"),
        (list("abcd"), InputError, "a level of its own for every question"),
    ],
)
def test_bad_covariates(values, error, message):
    with pytest.raises(error, match=message):
        columns({"x": values}, ("q1", "q2", "q3", "q4"), kind="question")


# ---------------------------------------------------------------- notes and warnings


def test_perfect_and_zero_models_and_constant_questions_are_said():
    responses = Responses.from_counts([[3, 3, 3], [0, 0, 0], [3, 1, 2]], 3, systems=list("abc"))
    notes = " ".join(attached(item_response(responses)).notes)
    assert "'a' succeeded in every trial" in notes
    assert "'b' succeeded in no trial" in notes
    assert "% of what is known of it" in notes
    constant = Responses.from_counts([[3, 0, 3], [3, 0, 1]], 3)
    assert "2 questions were solved always or never" in " ".join(
        attached(item_response(constant)).notes
    )


def test_one_model_one_question_and_cells_without_trials_are_said():
    one = " ".join(attached(item_response(Responses.from_counts([[1, 2]], 3))).notes)
    assert "There is one model" in one
    single = " ".join(attached(item_response(Responses.from_counts([[1], [2]], 3))).notes)
    assert "There is one question" in single
    holes = Responses.from_counts([[1, 0, 0], [2, 1, 0]], [[3, 0, 0], [3, 3, 0]])
    notes = " ".join(attached(item_response(holes)).notes)
    assert "3 cells have no trials" in notes
    assert "1 question was never asked" in notes


def test_guessing_that_the_data_do_not_tell_is_warned_of_with_the_priors_share():
    with pytest.warns(BayesrankWarning, match=r"from its prior mostly \(about \d+%\)"):
        item_response(small(), kind="3pl")
    rng = np.random.default_rng(1)
    p = 0.25 + 0.75 * expit(np.linspace(-5, 3, 30)[:, None] - rng.normal(size=8))
    many = Responses.from_counts(rng.binomial(40, p), 40)
    model = item_response(many, kind="3pl")  # a warning would be an error here
    assert not any("Guessing" in note for note in attached(model).notes)


def test_discrimination_that_few_trials_cannot_tell_is_said():
    notes = attached(item_response(small(), kind="2pl")).notes
    assert any("discriminate is known from the prior mostly" in n for n in notes)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"kind": "2lp"}, ArgumentError, "Did you mean '2pl'"),
        ({"marginal": "always"}, ArgumentError, "marginal='always'"),
        ({"score_scale": "logit"}, ArgumentError, "score_scale"),
        ({"tasks": "separate"}, ArgumentError, "'independent', 'correlated'"),
        ({"trend": "quadratic"}, ArgumentError, "'linear', 'random_walk'"),
        ({"dimensions": 2}, ArgumentError, "use kind='2pl'"),
        ({"dimensions": 4, "kind": "2pl"}, ArgumentError, "at most 3"),
        ({"dimensions": 2, "kind": "2pl", "score_scale": "ability"}, ArgumentError, "accuracy"),
        ({"dimensions": 2, "kind": "2pl", "tasks": "independent"}, ArgumentError, "together"),
        (
            {"dimensions": 2, "kind": "2pl", "system_covariates": {"x": [1, 2, 3, 4]}},
            ArgumentError,
            "leave dimensions= out",
        ),
        ({"trend": "linear"}, InputError, "only counts are known"),
        ({"overdispersion": "yes"}, ArgumentError, "True or False"),
        ({"tasks": "independent", "testlets": True}, ArgumentError, "for each task"),
        ({"tasks": "independent", "anchors": {"a": 1.0}}, ArgumentError, "cannot be used together"),
        ({"testlets": ["f"] * 5}, ArgumentError, "has 5 families; there are 6 questions"),
        ({"testlets": ["f"] * 6}, InputError, "all questions are of one family"),
        ({"testlets": {"question 1": "f"}}, InputError, "no family for question"),
        ({"kind": "3pl-fixed-guessing"}, ArgumentError, "needs guessing="),
        ({"guessing": 0.2}, ArgumentError, "kind='rasch' has none"),
        ({"kind": "3pl-fixed-guessing", "guessing": 1.0}, ArgumentError, r"lie in \[0, 1\)"),
        ({"kind": "3pl-fixed-guessing", "guessing": [0.1]}, ArgumentError, "has 1 chances"),
        ({"kind": "3pl-fixed-guessing", "guessing": {"x": 0.1}}, ArgumentError, "no chance for"),
        ({"anchors": {"z": 1.0}}, ArgumentError, "no model 'z'"),
        ({"prior": {"dificulty_sd": 1.0}}, ArgumentError, "Did you mean 'difficulty_sd'"),
        ({"prior": {"difficulty_sd": -1.0}}, ArgumentError, "between 0 and inf"),
        ({"prior": {"correlation": 0.1}}, ArgumentError, "does not have"),
        ({"tasks": "correlated", "prior": {"task_ability_sd": 1.0}}, ArgumentError, "every task"),
        ({"kind": "3pl", "prior": {"guessing": 0.2}}, ArgumentError, "3pl-fixed-guessing"),
        ({"marginal": True, "kind": "2pl"}, ArgumentError, "kind='2pl' does not go with it"),
        ({"marginal": True, "anchors": {"a": 1.0}}, ArgumentError, "anchors= does not go"),
    ],
)
def test_what_cannot_be_built_is_one_line(options, error, message):
    with pytest.raises(error, match=message) as caught:
        item_response(small(), **options)
    assert "\n" not in str(caught.value)


def test_data_that_an_option_cannot_be_used_with():
    with pytest.raises(ArgumentError, match="have 3 categories"):
        item_response(Responses.from_array([[[0, 1, 2]]]))
    with pytest.raises(InputError, match="one trial, which has no order"):
        item_response(Responses.from_array([[1, 0], [0, 1]]), trend="linear")
    with pytest.raises(InputError, match="these questions have none"):
        item_response(small(tasks=False), tasks="independent")
    with pytest.raises(InputError, match="takes the task of a question as its family"):
        item_response(small(tasks=False), testlets=True)
    with pytest.raises(InputError, match="there is one of each"):
        item_response(Responses.from_array([[1, 0], [0, 1]]), overdispersion=True)
    with pytest.raises(InputError, match="more than 2 questions and more than 2 models"):
        item_response(Responses.from_counts([[1, 2]], 3), kind="2pl", dimensions=2)
    many = simulate_responses(systems=3, questions=42, trials=2, tasks=21, random_seed=1)
    with pytest.raises(InputError, match=r"at most 20 tasks; there are 21.*independent"):
        item_response(many, tasks="correlated")
    with pytest.raises(ArgumentError, match="use one of 'trials', 'questions'"):
        bayesrank.sample(item_response(small()), population="tasks")


def test_populations_and_settings_are_recorded():
    model = item_response(small(), tasks="independent", prior={"ability_sd": 1.0})
    facts = attached(model)
    assert facts.populations == ("trials", "questions", "tasks")
    assert "ability_sd = 1" in facts.prior
    assert any("A part is a task" in note for note in facts.notes)
    correlated = attached(item_response(small(), tasks="correlated"))
    assert correlated.populations == ("trials", "questions")
    assert facts.settings["tasks"] == "independent"
