"""The gate: what passes, what fails, and the sentence that names the worst."""

import json

import numpy as np
import pytest
import xarray as xr

from bayesrank.checks import diagnose
from bayesrank.checks import diagnostics as module


def tree(score, *, diverging=None, energy=None, **more):
    coords = {"system": [f"s{i}" for i in range(score.shape[2])]}
    variables = {"score": (("chain", "draw", "system"), score), **more}
    groups = {"posterior": xr.Dataset(variables, coords)}
    if energy is not None:
        shape = score.shape[:2]
        groups["sample_stats"] = xr.Dataset(
            {
                "diverging": (
                    ("chain", "draw"),
                    np.zeros(shape, bool) if diverging is None else diverging,
                ),
                "energy": (("chain", "draw"), energy),
            }
        )
    return xr.DataTree.from_dict(groups)


@pytest.fixture
def good():
    return np.random.default_rng(0).normal(size=(4, 500, 3))


@pytest.fixture
def energy():
    return np.random.default_rng(1).normal(size=(4, 500))


def by_name(found):
    return {check.name: check for check in found.checks}


def test_good_draws_pass(good, energy):
    found = diagnose(tree(good, energy=energy))
    assert found.verdict == "pass"
    assert [c.verdict for c in found.checks] == ["pass"] * 5
    assert found.failed == ()
    assert "no check failed" in found.statement
    assert json.loads(json.dumps(found.to_dict()))["checks"][1]["name"] == "r_hat"


def test_exact_draws_are_said_to_be(good):
    found = diagnose(tree(good), source="exact")
    assert found.verdict == "pass"
    assert found.statement.startswith("2,000 independent draws from the exact posterior")
    assert [c.name for c in found.checks] == ["r_hat", "ess_bulk", "ess_tail"]


def test_a_chain_apart_fails_and_is_named(good, energy):
    good[2, :, 1] += 0.5
    check = by_name(diagnose(tree(good, energy=energy)))["r_hat"]
    assert check.verdict == "fail"
    assert check.value > 1.01
    assert "score['s1'] misses < 1.01" in check.sentence


def test_too_few_effective_draws_fail(energy):
    steps = np.random.default_rng(2).normal(size=(4, 500, 2))
    for t in range(1, 500):
        steps[:, t, 1] = 0.95 * steps[:, t - 1, 1] + 0.3 * steps[:, t, 1]
    found = by_name(diagnose(tree(steps, energy=energy)))
    assert found["ess_bulk"].verdict == "fail"
    assert "score['s1']" in found["ess_bulk"].sentence
    assert diagnose(tree(steps[:, :90]), source="exact").verdict == "fail"


def test_divergences_fail(good, energy):
    diverging = np.zeros((4, 500), bool)
    diverging[0, 3] = True
    found = diagnose(tree(good, energy=energy, diverging=diverging))
    assert found.verdict == "fail"
    assert by_name(found)["divergences"].value == 1.0
    assert "1 divergent transitions." in found.statement


def test_low_energy_fraction_fails(good):
    walk = np.random.default_rng(3).normal(size=(4, 500)).cumsum(axis=1)
    check = by_name(diagnose(tree(good, energy=walk)))["e_bfmi"]
    assert check.verdict == "fail"
    assert check.value < 0.3


def test_other_parameters_are_looked_at(good, energy):
    scale = np.random.default_rng(4).normal(size=(4, 500))
    scale[0] += 1
    found = by_name(diagnose(tree(good, energy=energy, scale=(("chain", "draw"), scale))))
    assert "of scale misses" in found["r_hat"].sentence


def test_large_variables_are_passed_over(good, energy, monkeypatch):
    monkeypatch.setattr(module, "MOST_VALUES", 3)
    bad = np.arange(2000.0).reshape(4, 500)[:, :, None] * np.ones(4)
    found = diagnose(tree(good, energy=energy, cell=(("chain", "draw", "n"), bad)))
    assert found.verdict == "pass"


def test_constant_values_have_no_diagnostics(good, energy):
    good[:, :, 0] = 0.25
    assert diagnose(tree(good, energy=energy)).verdict == "pass"
    good[:] = 0.25
    found = diagnose(tree(good), source="exact")
    assert found.verdict == "pass"
    assert {c.verdict for c in found.checks} == {"not run"}


def test_a_value_that_is_not_a_number_fails(good, energy):
    good[0, 0, 2] = np.nan
    found = diagnose(tree(good, energy=energy))
    assert found.verdict == "fail"
    assert by_name(found)["r_hat"].value is None
    assert "score['s2']" in by_name(found)["r_hat"].sentence


def test_missing_statistics_are_said_to_be(good):
    found = diagnose(tree(good))
    assert found.verdict == "pass"
    assert "divergences and e_bfmi not available" in found.statement


def test_a_handful_of_draws_fails():
    found = diagnose(tree(np.random.default_rng(0).normal(size=(1, 3, 2))), source="exact")
    assert found.verdict == "fail"
    assert "at least four draws" in found.statement
