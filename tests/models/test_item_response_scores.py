"""Item response models: what scores are, axes of dimensions, the marginal model."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from bayesrank import Responses
from bayesrank.models import item_response
from bayesrank.models._attach import attached
from bayesrank.models._item_design import points_of
from bayesrank.models._item_scores import mean_of_logistic
from tests.items import STRUCTURES, build, small, values_at

# Only Python's mode is used here, which needs no BLAS; PyTensor warns where it finds none.
pytestmark = pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS")


@pytest.mark.parametrize("sd", [0.0, 0.7, 2.5, 4.5])
def test_the_integral_is_the_mean_over_a_normal(sd):
    z = np.linspace(-9, 9, 20001)
    weights = stats.norm.pdf(z) / stats.norm.pdf(z).sum()
    location = np.array([-3.0, 0.2, 4.0])
    want = (expit(location[:, None] + sd * z) * weights).sum(axis=1)
    np.testing.assert_allclose(mean_of_logistic(location, sd).eval(), want, atol=2e-5)


@pytest.mark.parametrize("name", ["2pl", "dimensions"])
def test_the_score_on_new_questions_is_the_mean_over_their_distribution(name):
    known = {"prior": {"log_discrimination_sd": 0.7}} if name == "2pl" else {}
    model = build(small(), {**STRUCTURES[name], **known})
    _, v = values_at(model)
    rng = np.random.default_rng(5)
    n = 400_000
    if name == "2pl":
        shift = v["ability_mean"] - v["level_mean"]
        z = rng.standard_normal(n)
        sd, rho = v["difficulty_sd"], v["correlation"]
        b = sd * (rho * z + np.sqrt(1 - rho**2) * rng.standard_normal(n)) - shift
        a = np.exp(0.7 * z)
        p = [expit(a * (theta - b)).mean() for theta in v["ability"]]
    else:
        shift = v["ability_mean"] - v["level_mean"]
        b = v["difficulty_sd"] * rng.standard_normal(n) - shift
        lam = v["loading_mean"] + v["loading_sd"] * rng.standard_normal((n, 2))
        p = [expit(v["level_mean"] + lam @ t - b).mean() for t in v["ability_dimension"]]
    np.testing.assert_allclose(v["score_questions"], p, atol=0.004)


def test_the_score_scale_ability():
    model = item_response(small(), score_scale="ability")
    _, v = values_at(model)
    np.testing.assert_allclose(v["score"], v["ability"])
    shift = v["ability_mean"] - v["level_mean"]
    np.testing.assert_allclose(v["score_questions"], v["ability"] + shift)
    by_task = item_response(small(), score_scale="ability", tasks="independent")
    _, v = values_at(by_task)
    np.testing.assert_allclose(v["part_score"], v["ability_by_task"].T)
    np.testing.assert_allclose(v["score"], v["ability_by_task"].mean(axis=1))
    anchored = item_response(small(), score_scale="ability", anchors={"b": 2.5})
    _, v = values_at(anchored)
    assert v["score"][1] == 2.5
    assert "scale of the anchors" in attached(anchored).estimand


def test_points_stand_for_questions_alike_in_task_and_covariates():
    task = np.array([0, 0, 1, 1, 1])
    points = points_of(task, np.array([[0.0], [1.0], [0.0], [0.0], [1.0]]))
    assert sorted(points.weight) == pytest.approx([0.2, 0.2, 0.2, 0.4])
    assert points.weight.sum() == pytest.approx(1)
    x = np.random.default_rng(1).normal(size=(300, 1))
    many = points_of(np.repeat([0, 1, 2], [150, 149, 1]), x)
    assert len(many.question) <= 34
    assert many.weight.sum() == pytest.approx(1)
    assert 299 in many.question  # a task of one question is not lost
    assert (x[many.question, 0] * many.weight).sum() == pytest.approx(x.mean(), abs=0.05)


# ---------------------------------------------------------------- the marginal model


def test_the_marginal_model_has_no_difficulties_and_the_same_scores():
    model = item_response(small(), marginal=True)
    assert {v.name for v in model.free_RVs} == {
        *("ability_mean", "ability_sd", "difficulty_sd", "ability_average", "ability_offset"),
    }
    facts = attached(model)
    assert facts.populations == ("trials", "questions")
    assert facts.settings["marginal"] is True
    assert any("integrated out" in note for note in facts.notes)


def test_auto_integrates_many_alike_questions_only():
    few, many = (Responses.from_counts(np.ones((2, m), dtype=int), 3) for m in (20, 300))
    assert attached(item_response(few)).settings["marginal"] is False
    assert attached(item_response(many)).settings["marginal"] is True
    assert attached(item_response(many, marginal=False)).settings["marginal"] is False
    assert attached(item_response(many, kind="2pl")).settings["marginal"] is False


def test_accuracy_of_many_questions_is_averaged_on_a_grid():
    from bayesrank.models._item_marginal import accuracy

    rng = np.random.default_rng(1)
    theta, b = rng.normal(size=(2, 3, 5)), rng.normal(0, 2, (2, 3, 900))
    want = expit(theta[..., :, None] - b[..., None, :]).mean(axis=-1)
    np.testing.assert_allclose(accuracy(theta, b), want, atol=5e-5)
    np.testing.assert_allclose(accuracy(theta, b[..., :300]), expit(
        theta[..., :, None] - b[..., None, :300]).mean(axis=-1))  # fmt: skip
