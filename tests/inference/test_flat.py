"""A model as functions of a flat point: PyMC's own density, its variables, and other data."""

import numpy as np
import pymc as pm
import pytest

import bayesrank
from bayesrank import Comparisons
from bayesrank.exceptions import ArgumentError
from bayesrank.inference import flat as module
from bayesrank.inference.flat import flatten
from bayesrank.models import bradley_terry


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(3)
    i, j = np.triu_indices(5, 1)
    counts = rng.multinomial(12, [0.5, 0.3, 0.2], size=len(i))
    data = Comparisons.from_counts(
        [f"m{k}" for k in i], [f"m{k}" for k in j], *counts[:, :2].T, ties=counts[:, 2]
    )
    return bradley_terry(data)


@pytest.fixture(scope="module")
def flat(model):
    return flatten(model)


def as_point(flat, x):
    """The value variables of PyMC at a flat point."""
    model = flat.model
    start = model.initial_point(random_seed=0)
    found = {}
    for variable in model.free_RVs:
        name = model.rvs_to_values[variable].name
        found[name] = x[flat.slices[variable.name]].reshape(np.shape(start[name]))
    return found


def test_density_and_gradient_are_those_of_pymc(model, flat):
    logp = model.compile_logp(mode="FAST_COMPILE")
    dlogp = model.compile_dlogp(mode="FAST_COMPILE")
    rng = np.random.default_rng(1)
    for _ in range(3):
        x = rng.normal(0, 1.5, len(flat.start))
        value, slope = flat.density(x)
        assert value == pytest.approx(float(logp(as_point(flat, x))), rel=1e-12)
        np.testing.assert_allclose(slope, dlogp(as_point(flat, x)), rtol=1e-8, atol=1e-9)


def test_variables_are_those_of_pymc_block_by_block(model, flat, monkeypatch):
    points = np.random.default_rng(2).normal(0, 1, (7, len(flat.start)))
    whole = flat.variables(points, flat.names)
    monkeypatch.setattr(module, "_BLOCK", 64)  # blocks of a point or two
    assert set(whole) == {v.name for v in (*model.free_RVs, *model.deterministics)}
    for name, values in flat.variables(points, flat.names).items():
        np.testing.assert_array_equal(values, whole[name])
    transformed = np.exp(points[:, flat.slices["strength_sigma"]])[:, 0]
    np.testing.assert_allclose(whole["strength_sigma"], transformed)
    np.testing.assert_allclose(whole["strength"].sum(axis=1), 0, atol=1e-12)
    sd, standard = whole["strength_sigma"], whole["strength_standard"]
    np.testing.assert_allclose(whole["strength"], sd[:, None] * standard)


def test_other_data_are_another_density_and_leave_the_first_alone(flat):
    x = flat.start + 0.1
    before = flat.density(x)[0]
    counts = flat.data["outcomes_observed"]
    doubled = flat.with_data({"outcomes_observed": 2 * counts})
    prior = flat.with_data({"outcomes_observed": 0 * counts}).density(x)[0]
    assert doubled.density(x)[0] - prior == pytest.approx(2 * (before - prior))
    assert flat.density(x)[0] == before
    model_data = flat.model["outcomes_observed"].get_value()
    np.testing.assert_array_equal(model_data, counts)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"outcome_observed": [1]}, "no data 'outcome_observed'.*Did you mean 'outcomes_observed'"),
        ({"outcomes_observed": [1, 2]}, "have shape \\(2,\\), and the model was built for"),
        ({"outcomes_observed": np.full((10, 3), 0.5)}, "no whole numbers need a model of weighted"),
    ],
)
def test_data_that_do_not_fit_are_refused(flat, data, message):
    with pytest.raises(ArgumentError, match=message):
        flat.with_data(data)


def test_a_model_is_compiled_once_and_anew_where_it_changed(monkeypatch):
    calls = []
    original = module._compiled
    monkeypatch.setattr(module, "_compiled", lambda *a: calls.append(1) or original(*a))
    with pm.Model(coords={"system": ["a", "b"]}) as model:
        x = pm.Normal("x", dims="system")
        y = pm.Data("y", [1.0, 2.0], dims="system")
        pm.Normal("seen", x, observed=y, dims="system")
        pm.Deterministic("score", 1.0 * x, dims="system")
    first = flatten(model)
    model.set_data("y", [3.0, 5.0])
    second = flatten(model)
    assert len(calls) == 1
    assert first.data["y"].tolist() == [1, 2]
    assert second.data["y"].tolist() == [3, 5]
    with model:
        pm.Potential("more", -(x[0] ** 2))
    point = np.ones(2)
    assert flatten(model).density(point)[0] == pytest.approx(second.density(point)[0] - 1)
    assert len(calls) == 2


def test_chains_can_run_at_the_same_time(flat):
    from concurrent.futures import ThreadPoolExecutor

    points = list(np.random.default_rng(5).normal(0, 1, (40, len(flat.start))))
    one_by_one = [flat.density(x)[0] for x in points]
    with ThreadPoolExecutor(4) as pool:
        assert [value for value, _ in pool.map(flat.density, points)] == one_by_one


def test_a_large_variable_is_not_computed_unless_it_is_asked_for(monkeypatch):
    responses = bayesrank.Responses.from_counts([[3, 7], [5, 9]], 10)
    model = bayesrank.models.bayes_at_n(responses)
    asked = []
    original = module.FlatModel.variables
    monkeypatch.setattr(
        module.FlatModel,
        "variables",
        lambda self, points, names: asked.append(tuple(names)) or original(self, points, names),
    )
    bayesrank.sample(model, method="laplace", draws=10, random_seed=1)
    bayesrank.sample(model, method="laplace", draws=10, random_seed=1, keep_probabilities=True)
    assert set(asked[1]) - set(asked[0]) != set()
    assert "score" in asked[0]
