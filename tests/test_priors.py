"""Priors as values, and auxiliary outcomes matched to data."""

import json
import subprocess
import sys

import numpy as np
import pytest

from bayesrank import EmpiricalPrior, Prior, Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.priors.distribution import DISTRIBUTIONS

NESTED = Prior("Normal", mu=0, sigma=Prior("HalfNormal", sigma=1))


def test_importing_priors_loads_no_pymc():
    code = (
        "import sys, bayesrank.priors;"
        "heavy = {'pymc', 'pytensor', 'scipy', 'pandas', 'xarray', 'arviz'} & set(sys.modules);"
        "sys.exit(repr(sorted(heavy)) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_prior_is_a_value():
    same = Prior("Normal", sigma=Prior("HalfNormal", sigma=1.0), mu=0.0)
    assert same == NESTED
    assert hash(same) == hash(NESTED)
    assert Prior("Normal", mu=1) != Prior("Normal", mu=2)
    assert str(NESTED) == "Normal(mu=0, sigma=HalfNormal(sigma=1))"
    assert eval(repr(NESTED)) == NESTED
    assert str(Prior("Dirichlet", a=[1, 0.5])) == "Dirichlet(a=[1, 0.5])"
    assert not NESTED.is_fixed
    assert Prior("HalfNormal").is_fixed
    with pytest.raises(AttributeError):
        NESTED.distribution = "Cauchy"


@pytest.mark.parametrize("prior", [NESTED, Prior("Dirichlet", a=[1, 2]), Prior("HalfNormal")])
def test_prior_travels_as_json(prior):
    assert Prior.from_dict(json.loads(json.dumps(prior.to_dict()))) == prior


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Prior("Nromal"), "Did you mean 'Normal'"),
        (lambda: Prior("Normal", mean=0), "Normal has no parameter 'mean'; it has mu, sigma"),
        (lambda: Prior("Gamma", apha=0), "Did you mean 'alpha'"),
        (lambda: Prior("Normal", mu=np.nan), "Normal mu=nan must be a finite number"),
        (lambda: Prior("Normal", mu="0x"), "finite number"),
        (lambda: Prior("Model"), "no prior distribution 'Model'"),
        (lambda: Prior.from_dict({"name": "Normal"}), "described by"),
        (lambda: Prior.from_dict({"distribution": "Normal", "parameters": [1]}), "described by"),
        (
            lambda: Prior.from_dict(
                {"distribution": "Normal", "parameters": {"mu": {"distribution": "os.system"}}}
            ),
            "described by",
        ),
    ],
)
def test_bad_priors(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()


def test_create_variable():
    import pymc as pm

    with pm.Model(coords={"system": ["a", "b", "c"]}) as model:
        NESTED.create_variable("strength", dims="system")
    assert [v.name for v in model.free_RVs] == ["strength_sigma", "strength"]
    assert model.named_vars_to_dims["strength"] == ("system",)
    assert pm.draw(model["strength"], random_seed=1).shape == (3,)
    with pm.Model(), pytest.raises(ArgumentError, match=r"cannot make Beta\(alpha=1\) for 'p'"):
        Prior("Beta", alpha=1).create_variable("p")


def test_every_distribution_and_parameter_is_pymcs():
    import inspect

    import pymc as pm

    for name, parameters in DISTRIBUTIONS.items():
        distribution = getattr(pm, name)
        source = inspect.signature(distribution.dist).parameters
        for parameter in parameters:
            assert parameter in source, (name, parameter)


# ---------------------------------------------------------------- auxiliary outcomes


def data(**options):
    return Responses.from_counts(
        [[3, 1, 2], [0, 2, 2]], 4, systems=["a", "b"], questions=["x", "y", "z"], **options
    )


def test_shared_outcomes():
    prior = EmpiricalPrior([[0, 1], [1, 1], [1, -1]], weight=0.5, alpha=2)
    assert prior.shared
    assert prior.pseudo_counts(data()).tolist() == [[[0.5, 0.5], [0, 1], [0, 0.5]]]
    assert prior.alignment(data()) is None
    assert str(prior) == (
        "Dirichlet(2) plus auxiliary outcomes shared by all models (up to 2 a question, weight 0.5)"
    )


def test_own_outcomes_and_their_alignment():
    prior = EmpiricalPrior([[[1], [1], [0]], [[0], [0], [1]]])
    assert not prior.shared
    assert prior.pseudo_counts(data())[0].tolist() == [[0, 1], [0, 1], [1, 0]]
    assert prior.alignment(data()) == 1.0
    turned = EmpiricalPrior([[[0], [0], [1]], [[1], [1], [0]]])
    assert turned.alignment(data()) == -1.0
    tied = EmpiricalPrior([[[0], [0], [1]], [[0], [1], [0]]])
    assert tied.alignment(data()) is None


def test_responses_are_matched_by_name():
    greedy = Responses.from_counts(
        [[1, 1, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0]],
        1,
        systems=["b", "other", "a"],
        questions=["z", "x", "w", "y"],
    )
    counts = EmpiricalPrior(greedy).pseudo_counts(data())
    assert counts[:, :, 1].tolist() == [[0, 0, 1], [1, 1, 1]]


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (
            lambda: EmpiricalPrior([[0], [1]]),
            r"\(question\) = \(2,\); the data have 2 models and 3",
        ),
        (lambda: EmpiricalPrior(np.zeros((3, 3, 1))), r"\(system, question\) = \(3, 3\)"),
        (lambda: EmpiricalPrior([[0], [1], [2]]), "hold category 2; the data have the categories"),
        (
            lambda: EmpiricalPrior(data().select(systems=["a"])),
            "no auxiliary outcomes for model 'b'",
        ),
        (
            lambda: EmpiricalPrior(data().select(questions=["x", "z"])),
            "no auxiliary outcomes for question 'y'",
        ),
        (lambda: EmpiricalPrior(np.full((2, 3, 1), -1)), "a model has none at all"),
        (lambda: EmpiricalPrior([[0.5], [1], [0]]), "auxiliary outcomes: outcome 0.5"),
    ],
)
def test_outcomes_that_do_not_match(prior, message):
    with pytest.raises(InputError, match=message):
        prior().pseudo_counts(data())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: EmpiricalPrior([0, 1]), r"shape \(2,\)"),
        (lambda: EmpiricalPrior([[0]], weight=-1), "weight=-1"),
        (lambda: EmpiricalPrior([[0]], alpha=0), "alpha=0"),
    ],
)
def test_bad_empirical_arguments(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()
