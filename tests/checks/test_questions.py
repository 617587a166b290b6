"""Fit of questions: planted faults are found by name, sound questions are left alone."""

import numpy as np
import pytest
import xarray as xr

import bayesrank
from bayesrank import Responses
from bayesrank.checks import information_curve, question_fit
from bayesrank.checks.questions import _Draw, _of_draw
from bayesrank.exceptions import ArgumentError, InputError

L, M, N = 25, 40, 20


def logistic(x):
    return 1 / (1 + np.exp(-x))


def posterior_of(ability, difficulty, **more):
    """A posterior that knows its parameters, two draws of each."""
    dims = {"ability": "system", "difficulty": "question", "discrimination": "question"}
    variables = {"ability": ability, "difficulty": difficulty, **more}
    coords = {
        "system": [f"model {i + 1}" for i in range(len(ability))],
        "question": [f"question {i + 1}" for i in range(len(difficulty))],
    }
    return xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {
                    name: (("chain", "draw", dims.get(name, "question")), np.tile(v, (1, 200, 1)))
                    for name, v in variables.items()
                },
                coords,
            )
        }
    )


@pytest.fixture(scope="module")
def faulty():
    rng = np.random.default_rng(0)
    ability, difficulty = np.linspace(-2, 2, L), rng.normal(0, 1.2, M)
    slope = np.ones(M)
    slope[[5, 11, 20]] = -1, 0, 3
    k = rng.binomial(N, logistic(slope * (ability[:, None] - difficulty)))
    k[:, 30] = N
    responses = Responses.from_counts(k, N)
    return posterior_of(ability, difficulty), responses


def test_planted_faults_are_named(faulty):
    fit = question_fit(*faulty, random_seed=1)
    verdict = fit["verdict"].values
    assert verdict[5] == "reversed"
    assert verdict[11] == "flat"
    assert verdict[20] == "misfits"
    assert verdict[30] == "constant"
    # Its counts bound no slope of its own; all others have one.
    assert np.flatnonzero(np.isnan(fit["slope"])).tolist() == [30]
    others = np.delete(verdict, [5, 11, 20, 30])
    assert (others == "fits").sum() >= len(others) - 1
    assert fit["infit"][5] > 3
    assert fit.attrs["top"] == ["model 25", "model 24", "model 23"]


def test_infit_and_outfit_are_mean_squared_residuals():
    ability, difficulty = np.array([0.5, -1.0]), np.array([0.2])
    k, n = np.array([[3.0], [1.0]]), np.array([[4.0], [5.0]])
    draw = _Draw(ability[:, None], difficulty, np.ones(1), np.zeros(1))
    found = _of_draw(draw, k, n, np.array([0, 1]), np.random.default_rng(0))
    p = logistic(ability - 0.2)
    variance = n[:, 0] * p * (1 - p)
    squares = (k[:, 0] - n[:, 0] * p) ** 2
    assert found["outfit"][0] == pytest.approx((squares / variance).mean())
    assert found["infit"][0] == pytest.approx(squares.sum() / variance.sum())
    gap = (p[0] - p[1]) ** 2 / (p * (1 - p)).sum()
    assert found["separation"][0] == pytest.approx(gap)


def test_slope_is_one_where_the_model_is_right_and_covers_it():
    rng = np.random.default_rng(3)
    ability, difficulty = rng.normal(0, 1, 60), rng.normal(0, 1, 200)
    a = np.exp(rng.normal(0, 0.3, 200))
    k = rng.binomial(8, logistic(a * (ability[:, None] - difficulty)))
    posterior = posterior_of(ability, difficulty, discrimination=a)
    fit = question_fit(posterior, Responses.from_counts(k, 8), random_seed=2)
    covered = ((fit["slope_low"] <= 1) & (fit["slope_high"] >= 1)).mean()
    assert 0.95 - 4 * np.sqrt(0.95 * 0.05 / 200) <= covered <= 1
    # Misfits are rare: one in a hundred or so at the bound that 400 draws can resolve.
    assert (fit["verdict"] != "fits").sum() <= 6


def test_cells_without_trials_say_nothing():
    rng = np.random.default_rng(4)
    ability, difficulty = np.linspace(-1, 1, 12), np.linspace(-1, 1, 6)
    n = np.full((12, 6), 10)
    n[:3, 0] = 0
    k = rng.binomial(n, logistic(ability[:, None] - difficulty))
    whole = question_fit(posterior_of(ability, difficulty), Responses.from_counts(k, n))
    some = question_fit(
        posterior_of(ability[3:], difficulty),
        Responses.from_counts(k[3:], n[3:], systems=[f"model {i + 1}" for i in range(9)]),
    )
    np.testing.assert_allclose(whole["outfit"][0], some["outfit"][0])
    np.testing.assert_allclose(whole["accuracy"][0], some["accuracy"][0])


def test_information_of_rasch_is_variance_and_guessing_takes_some_away():
    difficulty = np.array([-1.0, 0.0, 2.0])
    curve = information_curve(posterior_of(np.array([-1.0, 1.0]), difficulty), low=-2, high=2)
    p = logistic(curve["ability"].values[:, None] - difficulty)
    np.testing.assert_allclose(curve["information"], (p * (1 - p)).sum(axis=1))
    np.testing.assert_allclose(curve["standard_error"], curve["information"] ** -0.5)
    guessed = information_curve(
        posterior_of(np.array([-1.0, 1.0]), difficulty, guessing=np.full(3, 0.25)), low=-2, high=2
    )
    # Of a question with guessing: a^2 (q / p) ((p - g) / (1 - g))^2.
    p3 = 0.25 + 0.75 * p
    exact = ((1 - p3) / p3 * ((p3 - 0.25) / 0.75) ** 2).sum(axis=1)
    np.testing.assert_allclose(guessed["information"], exact)


def test_works_from_a_fit_and_on_tasks():
    rng = np.random.default_rng(5)
    k = rng.binomial(10, logistic(np.linspace(-1, 1, 8)[:, None] - rng.normal(0, 1, 12)))
    responses = Responses.from_counts(k, 10, tasks=["x", "y"] * 6)
    model = bayesrank.models.item_response(responses, tasks="independent")
    posterior = bayesrank.sample(
        model, draws=100, tune=200, chains=2, random_seed=1, progressbar=False
    )
    fit = question_fit(posterior, responses, random_seed=1)
    assert fit.sizes == {"question": 12}
    assert np.isfinite(fit["infit"]).all()


def test_other_posteriors_are_refused_in_one_line(faulty):
    posterior, responses = faulty
    with pytest.raises(InputError, match="other questions"):
        question_fit(posterior, responses.select(questions=responses.questions[:3]))
    bare = xr.DataTree.from_dict({"posterior": posterior["posterior"].to_dataset()[["ability"]]})
    with pytest.raises(ArgumentError, match="item response models"):
        question_fit(bare, responses)
    many = (
        posterior["posterior"]
        .to_dataset()
        .assign(loading=(("chain", "draw", "question"), np.ones((1, 200, M))))
    )
    with pytest.raises(ArgumentError, match="one ability"):
        question_fit(xr.DataTree.from_dict({"posterior": many}), responses)
    with pytest.raises(ArgumentError, match="must lie below"):
        information_curve(posterior, low=1, high=0)
