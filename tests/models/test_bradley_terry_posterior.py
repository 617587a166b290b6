"""Posteriors of Bradley-Terry models: against Stan, published figures, and the maximum."""

import json

import arviz as az
import numpy as np
import pandas as pd
import pytest

import bayesrank
from bayesrank import Comparisons, Prior, models
from bayesrank._record import read_record
from bayesrank.exceptions import BayesrankWarning

CASES = [
    "davidson",
    *(pytest.param(c, marks=pytest.mark.slow) for c in ("binary", "rao_kupper", "side", "judges")),
]


@pytest.fixture(scope="session")
def references(gallery):
    folder = gallery / "bradley_terry"
    return tuple(
        json.loads((folder / name).read_text(encoding="utf-8"))
        for name in ("data.json", "reference.json")
    )


def model_of(case):
    """Build the model of one data set of models/bradley_terry/data.json."""
    names, stan = case["systems"], case["stan"]
    n = np.array(stan["n"])
    comparisons = Comparisons.from_counts(
        [names[k - 1] for k in stan["i"]],
        [names[k - 1] for k in stan["j"]],
        n[:, 0],
        n[:, 2],
        ties=n[:, 1],
        factors={"judge": stan["judge"]},
        systems=names,
        sided=True,
    )
    return models.bradley_terry(comparisons, **case["options"])


@pytest.mark.parametrize("case", ["binary", "davidson", "rao_kupper", "side", "judges"])
def test_reference_passed_its_checks(references, case):
    assert all(references[1]["references"][case]["checks_made"].values())


@pytest.mark.parametrize("case", CASES)
def test_nuts_agrees_with_stan_and_passes(references, case):
    data, made = references
    posterior = bayesrank.sample(
        model_of(data[case]), draws=2000, random_seed=11, nuts={"target_accept": 0.99}
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


@pytest.mark.shared
def test_tennis_posterior_has_the_published_mean_ranks(shared_data):
    frame = pd.read_csv(shared_data / "tennis_agresti_bpcs.csv")
    games = Comparisons.from_frame(
        frame.assign(winner=1 - frame.y), first="player0", second="player1", sided=False
    )
    model = models.bradley_terry(games, prior={"strength": Prior("ZeroSumNormal", sigma=3.0)})
    posterior = bayesrank.sample(model, random_seed=5)
    score = posterior["posterior"]["score"]
    ranks = (score < score.rename(system="other")).sum("other")
    mean = 1 + ranks.mean(("chain", "draw"))
    want = {"Graf": 1.37, "Seles": 2.12, "Navratilova": 3.02, "Sabatini": 3.69, "Sanchez": 4.80}
    for name, value in want.items():
        assert float(mean.sel(system=name)) == pytest.approx(value, abs=0.06)
    win = 1 / (1 + np.exp(-(score.sel(system="Graf") - score.sel(system="Sanchez"))))
    assert float(win.mean()) == pytest.approx(0.88, abs=0.02)


def test_a_model_that_always_wins_has_a_posterior_like_its_prior():
    data = Comparisons.from_counts(["a", "b"], ["b", "c"], [6, 3], [0, 3])
    with pytest.warns(BayesrankWarning, match="'a' has won every comparison"):
        model = models.bradley_terry(data, prior={"strength": Prior("ZeroSumNormal", sigma=2.0)})
    posterior = bayesrank.sample(model, random_seed=1)
    score = posterior["posterior"]["score"]
    assert np.isfinite(score).all()
    # The prior sd of a strength is 2 sqrt(2/3) = 1.63.
    assert 0.5 < float(score.sel(system="a").std()) < 1.63
    assert 1 < float(score.sel(system="a").mean()) < 4
    assert any("prior alone" in note for note in read_record(posterior).notes)
