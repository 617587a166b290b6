"""Posteriors of set events: against Stan, and against the maximum."""

import json

import arviz as az
import numpy as np
import pytest

import bayesrank
from bayesrank import Events, Responses, models
from bayesrank._record import read_record
from bayesrank.likelihoods import fit_setwise

CASES = [
    ("plackett_luce", "rankings"),
    *(
        pytest.param(*case, marks=pytest.mark.slow)
        for case in (
            ("plackett_luce", "levels"),
            ("plackett_luce", "winners"),
            ("davidson_luce", "one_set"),
            ("davidson_luce", "several_sets"),
        )
    ),
]


@pytest.fixture(scope="session")
def references(gallery):
    return {
        family: tuple(
            json.loads((gallery / family / name).read_text(encoding="utf-8"))
            for name in ("data.json", "reference.json")
        )
        for family in ("plackett_luce", "davidson_luce")
    }


def model_of(family, case):
    """Build the model of one data set of models/<family>/data.json."""
    names, stan = case["systems"], case["stan"]
    rankings = []
    for e, n in enumerate(stan["n"]):
        who = stan["who"][e][:n]
        level = (
            stan["level"][e][:n]
            if family == "plackett_luce"
            else [1] * stan["k"][e] + [2] * (n - stan["k"][e])
        )
        rankings.append(
            [
                [names[w - 1] for w, v in zip(who, level, strict=True) if v == value]
                for value in sorted(set(level))
            ]
        )
    events = Events.from_rankings(rankings, weights=stan["times"], systems=names)
    if family == "plackett_luce":
        return models.plackett_luce(events)
    return models.davidson_luce(events, most_winners=stan["D"])


@pytest.mark.parametrize("family", ["plackett_luce", "davidson_luce"])
def test_reference_passed_its_checks(references, family):
    data, made = references[family]
    assert set(data) == set(made["references"])
    for reference in made["references"].values():
        assert all(reference["checks_made"].values())


@pytest.mark.parametrize(("family", "case"), CASES)
def test_nuts_agrees_with_stan_and_passes(references, family, case):
    data, made = references[family]
    posterior = bayesrank.sample(
        model_of(family, data[case]), draws=2000, random_seed=11, nuts={"target_accept": 0.99}
    )
    assert read_record(posterior).verdict == "pass"
    score, want = posterior["posterior"]["score"], made["references"][case]["score"]
    assert score["system"].to_numpy().tolist() == want["system"]
    for kind, ours in (
        ("mean", score.mean(("chain", "draw"))),
        ("sd", score.std(("chain", "draw"))),
    ):
        reach = 4 * np.hypot(az.mcse(score, method=kind).to_numpy(), want[f"mcse_{kind}"])
        assert (np.abs(ours.to_numpy() - want[kind]) < reach).all(), kind


@pytest.mark.slow
@pytest.mark.parametrize("family", ["plackett_luce", "davidson_luce"])
def test_with_many_events_the_posterior_is_about_the_maximum(family):
    rng = np.random.default_rng(3)
    p = np.array([0.75, 0.65, 0.5, 0.35])[:, None, None]
    outcomes = (rng.random((4, 300, 5)) < p).astype(int)
    events = Events.from_responses(Responses.from_array(outcomes)).collapse()
    kind = {"plackett_luce": "plackett_luce_exact"}.get(family, family)
    fit = fit_setwise(events, kind=kind)
    posterior = bayesrank.sample(getattr(models, family)(events), random_seed=4)
    score = posterior["posterior"]["score"]
    sd = score.std(("chain", "draw")).to_numpy()
    gap = score.mean(("chain", "draw")).to_numpy() - fit.strength
    assert (np.abs(gap) < 0.25 * sd).all()
    ranking = bayesrank.rank(posterior)
    assert ranking.table()["model"].tolist() == ["model 1", "model 2", "model 3", "model 4"]
    assert ranking.record.population == "events"
    assert "events" in ranking.to_html()
