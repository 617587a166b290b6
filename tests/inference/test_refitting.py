"""A compiled model: fitted to other data without compiling, as a model built on them would be."""

import numpy as np
import pytest

import bayesrank
from bayesrank import Comparisons, inference
from bayesrank._record import read_record
from bayesrank.exceptions import ArgumentError
from bayesrank.inference import flat as module
from bayesrank.inference.laplace import find_laplace
from bayesrank.models import bradley_terry

ROWS, COLUMNS = np.triu_indices(5, 1)


def comparisons(seed, n=60):
    counts = np.random.default_rng(seed).multinomial(n, [0.5, 0.3, 0.2], size=len(ROWS))
    return Comparisons.from_counts(
        [f"m{k}" for k in ROWS], [f"m{k}" for k in COLUMNS], *counts[:, :2].T, ties=counts[:, 2]
    )


def observed(data):
    counts = np.stack([data.wins, data.ties, data.losses], axis=1)
    return {"outcomes_observed": counts, "n_comparisons": counts.sum(axis=1)}


@pytest.fixture(scope="module")
def compiled():
    return inference.compiled(bradley_terry(comparisons(1)))


def test_a_refit_equals_a_fresh_fit_and_compiles_nothing(compiled, monkeypatch):
    other = comparisons(2)
    monkeypatch.setattr(module, "_compiled", None)  # a second compilation would call it
    refit = compiled.with_data(**observed(other))
    one = refit.laplace(random_seed=5)
    two = refit.sample(random_seed=5, draws=400)
    monkeypatch.undo()
    fresh = bradley_terry(other)
    np.testing.assert_allclose(
        find_laplace(refit.flat).mode, find_laplace(module.flatten(fresh)).mode, atol=1e-6
    )
    again = bayesrank.sample(fresh, method="laplace", random_seed=5)
    np.testing.assert_allclose(
        one["posterior"]["score"], again["posterior"]["score"], rtol=1e-5, atol=1e-6
    )
    sampled = bayesrank.sample(fresh, random_seed=5, draws=400)
    np.testing.assert_allclose(
        two["posterior"]["score"].mean(("chain", "draw")),
        sampled["posterior"]["score"].mean(("chain", "draw")),
        atol=5 * float(two["posterior"]["score"].std(("chain", "draw")).max()) / np.sqrt(500),
    )


def test_records_say_whose_data_these_are(compiled):
    own = read_record(compiled.laplace(random_seed=1))
    assert (own.method, own.population, own.model) == ("laplace", "battles", "bradley-terry")
    assert not any("was changed" in note for note in own.notes)
    refit = compiled.with_data(**observed(comparisons(3))).laplace(random_seed=1)
    assert any("was changed after it was built" in note for note in read_record(refit).notes)


def test_data_are_copies(compiled):
    compiled.data["outcomes_observed"][:] = 0
    assert compiled.data["outcomes_observed"].sum() == 600


def test_what_cannot_be_compiled_is_refused(compiled):
    with pytest.raises(ArgumentError, match="no data 'outcomes'"):
        compiled.with_data(outcomes=[1])
    with pytest.raises(ArgumentError, match="for init use whiten=False"):
        compiled.sample(init="adapt_diag")
    with pytest.raises(ArgumentError, match="draws"):
        compiled.sample(draws=0)


def test_it_can_be_sampled_in_its_own_coordinates(compiled):
    posterior = compiled.sample(whiten=False, draws=200, tune=300, random_seed=1)
    assert read_record(posterior).provenance["config"]["whiten"] is False
    whitened = compiled.sample(draws=200, random_seed=1)
    gap = posterior["posterior"]["score"] - whitened["posterior"]["score"]
    error = whitened["posterior"]["score"].std(("chain", "draw")) * np.sqrt(2 / 400)
    assert bool((np.abs(gap.mean(("chain", "draw"))) < 5 * error).all())
