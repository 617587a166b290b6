"""Studies of priors and of likelihoods through every format."""

import csv
import io
import json

import numpy as np
import pytest

import bayesrank
from bayesrank import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.reports import (
    FORMATS,
    likelihood_sensitivity_to_dict,
    prior_sensitivity_to_dict,
    render_likelihood_sensitivity,
    render_prior_sensitivity,
)
from bayesrank.reports.sensitivity_priors import decision_in_words, prior_sheets
from bayesrank.studies import likelihood_sensitivity, prior_sensitivity
from tests.payloads import HOSTILE

DATA = bayesrank.simulate_responses(systems=5, questions=20, trials=4, random_seed=3)
GREEDY = (DATA.successes.max(axis=0) - DATA.successes > 1).astype(int)[:, :, np.newaxis]


@pytest.fixture(scope="module")
def priors():
    return prior_sensitivity(DATA, prior_from=GREEDY, prior_weights=[1, 4], draws=50, random_seed=1)


@pytest.fixture(scope="module")
def methods():
    return likelihood_sensitivity(
        DATA, methods=["bayes-at-n", "mean", "borda", "elo"], draws=50, random_seed=1
    )


def test_settings_are_numbered_and_models_stand_side_by_side(priors):
    settings, ranks, scores, decisions = prior_sheets(priors)
    assert settings.columns[1].cells == priors["setting"].values.tolist()
    assert settings.header[:4] == ("#", "prior", "leader", "P(best)")
    first = priors["rank"].values[0]
    names = ranks.columns[0].cells
    best = np.argsort(first, kind="stable")
    assert names == priors["system"].values[best].tolist()
    for k in range(1, priors.sizes["setting"]):
        now = priors["rank"].values[k][best]
        want = ["·" if a == b else str(a) for a, b in zip(now, first[best], strict=True)]
        assert ranks.columns[2 + k].cells == want
    assert set(scores.columns[3].cells) == {"not asked: a flat prior"}
    # Only the powers that were asked for, of the part that has any.
    assert decisions.columns[0].cells == ["as it is", "likelihood", "likelihood"]
    assert decisions.columns[5].cells == ["", "exact", "exact"]


def test_the_answer_says_where_the_leader_changes(priors):
    text = render_prior_sensitivity(priors)
    leaders = priors["leader"].values
    assert len(set(leaders)) > 1, "the auxiliary outcomes of this test turn the order"
    assert "The leader changes from" in text
    assert "weight of auxiliary outcomes goes from" in text
    data = prior_sensitivity_to_dict(priors)
    assert data["changes"][0]["leader_before"] == leaders[0]


def test_decisions_in_words(priors):
    sampled = priors.assign(exact_powers=False)
    assert decision_in_words(sampled, (0.6, 0.7), (0.6, 0.7), 0.0, 0.9).startswith("not known")
    assert decision_in_words(sampled, (0.6, 0.7), (0.6, 0.7), 0.0, 0.3) == "stays"
    assert decision_in_words(sampled, (0.5, 0.7), (0.6, 0.7), 0.0, 0.3) == "moves"
    assert decision_in_words(sampled, (0.6, 0.7), (0.6, 0.7), 0.6, 0.3) == "moves"
    behind = decision_in_words(sampled, (0.4, 0.45), (0.5, 0.55), 0.1, 0.3)
    assert behind == "the leader falls behind"
    assert decision_in_words(priors, (0.6, 0.7), (0.6, 0.7), 0.0, 0.9) == "stays"


def test_methods_pairs_and_statements(methods):
    text = render_likelihood_sensitivity(methods, width=120)
    alike = (methods["tau_b_between"].values == 1.0).all()
    said = "All methods show the same order." if alike else "Between two methods tau-b is"
    assert said in text
    assert "independent of those of the others" in text
    assert "Not ranked: elo" in text
    assert "Rules predict no outcome" in text
    if methods.sizes["pair"]:
        assert f"1: {methods['pair_why'].values[0]}" in " ".join(text.split())


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("study", ["priors", "methods"])
def test_every_format(request, study, format):  # noqa: A002
    found = request.getfixturevalue(study)
    render, to_dict, dim = {
        "priors": (render_prior_sensitivity, prior_sensitivity_to_dict, "setting"),
        "methods": (render_likelihood_sensitivity, likelihood_sensitivity_to_dict, "analysis"),
    }[study]
    text = render(found, format=format)
    assert text.endswith("\n")
    if format == "json":
        assert json.loads(text) == json.loads(json.dumps(to_dict(found)))
        assert (
            len(json.loads(text)["settings" if study == "priors" else "methods"])
            == found.sizes[dim]
        )
    if format == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == found.sizes[dim] * found.sizes["system"]
        assert rows[0]["model"] == found["system"].values[0]
    with pytest.raises(ArgumentError, match="format"):
        render(found, format="tabel")


def test_hostile_names_stay_text():
    names = [h for h in HOSTILE if 0 < len(h) < 200][:4]
    data = Responses.from_counts([[9, 9], [5, 5], [1, 2], [3, 3]], 10, systems=names)
    found = likelihood_sensitivity(data, methods=["mean", "borda"], draws=25, random_seed=1)
    priors = prior_sensitivity(data, draws=25, random_seed=1)
    for text in (render_likelihood_sensitivity(found), render_prior_sensitivity(priors)):
        assert "\x1b" not in text
        assert "\u202e" not in text
