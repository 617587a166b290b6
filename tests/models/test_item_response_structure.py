"""Item response models: several dimensions and several tasks have the priors of the card."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from scipy.special import expit

from bayesrank import Prior, Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.models import item_response
from bayesrank.models._attach import attached
from bayesrank.models._item_dimensions import axes_of
from bayesrank.models._item_tasks import create_tasks
from tests.items import small, values_at

# Only Python's mode is used here, which needs no BLAS; PyTensor warns where it finds none.
pytestmark = pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS")


def draws(variables, n=3000):
    return pm.draw(variables, n, random_seed=1, mode="FAST_COMPILE")


# ---------------------------------------------------------------- dimensions


@pytest.mark.parametrize("d", [2, 3])
def test_axes_are_fixed_by_a_triangle_with_a_positive_diagonal(d):
    k = np.random.default_rng(4).binomial(9, 0.5, (6, 8))
    responses = Responses.from_counts(k, 9)
    model = item_response(responses, kind="2pl", dimensions=d)
    _, v = values_at(model)
    patterns = axes_of(responses, d).patterns
    np.testing.assert_allclose(patterns.T @ patterns, np.eye(d), atol=1e-12)
    np.testing.assert_allclose(patterns[:, 0], 8**-0.5)
    triangle = patterns.T @ v["loading"]
    np.testing.assert_allclose(np.triu(triangle, 1), 0.0, atol=1e-12)
    assert (np.diag(triangle) > 0).all()
    np.testing.assert_allclose(v["ability_dimension"].sum(axis=0), 0.0, atol=1e-9)
    assert any("could be turned" in n for n in attached(model).notes)


@pytest.mark.parametrize("d", [2, 3])
def test_the_rule_of_the_axes_leaves_the_prior_of_probabilities_alone(d):
    """Products of independent normal abilities and loadings, whatever axes they are told on."""
    n, m, mean_sd, sd = 5, 7, 1.2, 0.6
    responses = Responses.from_counts(np.random.default_rng(2).binomial(6, 0.5, (n, m)), 6)
    prior = {"loading_sd": sd, "loading_mean": Prior("Normal", mu=0, sigma=mean_sd)}
    model = item_response(responses, kind="2pl", dimensions=d, prior=prior)
    theta, loading, mean = draws(
        [model[x] for x in ("ability_dimension", "loading", "loading_mean")]
    )
    rng = np.random.default_rng(3)
    free = rng.normal(size=(3000, n, d))
    free -= free.mean(axis=1, keepdims=True)
    centre = mean_sd * rng.normal(size=(3000, 1, d))
    plain = centre + sd * rng.normal(size=(3000, m, d))
    for ours, theirs in (
        (theta @ loading.swapaxes(1, 2), free @ plain.swapaxes(1, 2)),
        (theta @ mean[..., None], free @ centre.swapaxes(1, 2)),
    ):
        for power in (2, 4):
            x, y = ((z**power).mean(axis=(1, 2)) for z in (ours, theirs))
            reach = 4.5 * np.hypot(x.std(), y.std()) / 3000**0.5
            assert abs(x.mean() - y.mean()) < reach
    # And the mean of these questions goes with that of their population.
    together = np.einsum("sld,smd,sle,se->s", theta, loading, theta, mean) / (n * m)
    alone = np.einsum("sld,smd,sle,se->s", free, plain, free, centre[:, 0]) / (n * m)
    reach = 4.5 * np.hypot(together.std(), alone.std()) / 3000**0.5
    assert abs(together.mean() - alone.mean()) < reach


def test_chains_start_from_what_the_logits_suggest():
    rng = np.random.default_rng(3)
    theta = rng.normal(size=(40, 2))
    loading = np.column_stack([np.full(12, 1.2), np.repeat([1.5, -1.5], 6)])
    k = rng.binomial(200, expit(theta @ loading.T))
    found = axes_of(Responses.from_counts(k, 200), 2)
    assert abs(found.patterns[:, 1] @ np.repeat([1.0, -1.0], 6)) / 12**0.5 > 0.98
    assert np.corrcoef(found.ability[:, 0], theta[:, 0])[0, 1] > 0.95
    assert abs(np.corrcoef(found.ability[:, 1], theta[:, 1])[0, 1]) > 0.95


@pytest.mark.parametrize("prior", [1.0, Prior("Normal", mu=1, sigma=1), Prior("HalfNormal")])
def test_the_mean_loading_is_the_same_in_any_direction(prior):
    with pytest.raises(ArgumentError, match="same in any direction"):
        item_response(small(), kind="2pl", dimensions=2, prior={"loading_mean": prior})


# ---------------------------------------------------------------- tasks


def test_difficulties_of_tasks_have_the_prior_of_their_story():
    """What is sampled for its geometry is: normal tasks, normal questions of them, their mean."""
    sizes, between, sd, spread = np.array([2, 5, 20]), 0.8, 1.5, 2.0
    priors = {"task_difficulty_sd": between, "ability_mean": Prior("Normal", mu=0.5, sigma=spread)}
    with pm.Model(coords={"task": list("xyz")}):
        found = create_tasks(priors, pt.as_tensor(sd), sizes)
        wanted = [found.difficulty, found.mean, found.shift, found.origin]
    difficulty, mean, shift, origin = draws(wanted, 20_000)
    np.testing.assert_allclose(difficulty.sum(axis=1), 0.0, atol=1e-9)
    here = difficulty + origin[:, None]
    population = np.column_stack([here - shift, shift, mean + origin])
    want = np.diag([between**2] * 3 + list(sd**2 / sizes) + [spread**2])
    np.testing.assert_allclose(np.cov(population.T), want, atol=0.06 * np.sqrt(want.max()))
    assert (mean + origin).mean() == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("tasks", ["independent", "correlated"])
def test_what_models_are_better_at_adds_up_to_zero(tasks):
    known = {"task_sd": 0.7, "ability_sd": 1.0} if tasks == "independent" else {}
    model = item_response(small(), tasks=tasks, prior=known)
    by_task, overall = draws([model["ability_by_task"], model["ability"]])
    apart = by_task - by_task.mean(axis=1, keepdims=True)
    # On each task the models' average is that of their overall abilities.
    np.testing.assert_allclose(by_task.mean(axis=1)[:, 0], overall.mean(axis=1), atol=1e-9)
    np.testing.assert_allclose(by_task.mean(axis=1)[:, 1], overall.mean(axis=1), atol=1e-9)
    if tasks == "independent":
        want = (1.0 + 0.7**2) * (1 - 1 / 4)
        np.testing.assert_allclose((apart**2).mean(axis=(0, 1)), want, rtol=0.06)


@pytest.mark.parametrize("tasks", ["independent", "correlated"])
def test_one_model_on_several_tasks_has_one_ability(tasks):
    responses = Responses.from_counts([[3, 1, 4, 0]], 4, tasks=list("xxyy"))
    model = item_response(responses, tasks=tasks)
    _, v = values_at(model)
    assert v["ability_by_task"].shape == (1, 2)
    np.testing.assert_allclose(v["ability_by_task"][0], v["ability"][0])
    assert np.isfinite(v["score"]).all()
