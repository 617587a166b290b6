"""Posteriors of Bradley-Terry models: against Stan, published figures, and the maximum."""

import json

import arviz as az
import numpy as np
import pandas as pd
import pytest

import bayesrank
from bayesrank import Comparisons, Prior, models
from bayesrank._record import read_record
from bayesrank.data._cells import Factor
from bayesrank.exceptions import BayesrankWarning

ALL_CASES = (
    "davidson",
    "binary",
    "rao_kupper",
    "side",
    "judges",
    "categories",
    "periods",
    "anchors",
    "covariates",
)
CASES = ["davidson", *(pytest.param(c, marks=pytest.mark.slow) for c in ALL_CASES[1:])]


@pytest.fixture(scope="session")
def references(gallery):
    folder = gallery / "bradley_terry"
    return tuple(
        json.loads((folder / name).read_text(encoding="utf-8"))
        for name in ("data.json", "reference.json")
    )


def comparisons_of(case):
    """Build the comparisons of one data set of models/bradley_terry/data.json."""
    names, stan = case["systems"], case["stan"]
    n, x = np.array(stan["n"], dtype=float), np.array(stan["x"], dtype=float)
    factors = {"judge": Factor.from_labels(stan["judge"], name="judge")}
    if "parts" in case:
        labels = [case["parts"][k - 1] for k in stan["part"]]
        name = {1: "category", 2: "period"}[stan["structure"]]
        factors[name] = Factor.from_labels(labels, name=name)
    return Comparisons(
        systems=tuple(names),
        first=np.array(stan["i"]) - 1,
        second=np.array(stan["j"]) - 1,
        wins=n[:, 0],
        losses=n[:, 2],
        ties=n[:, 1],
        ties_bothbad=0 * n[:, 0],
        factors=factors,
        covariates={name: x[:, k] for k, name in enumerate(case.get("covariates", ()))},
        sided=True,
    )


def model_of(case):
    """Build the model of one data set of models/bradley_terry/data.json."""
    names, stan = case["systems"], case["stan"]
    anchors = {
        names[k - 1]: v for k, v in zip(stan["fixed_at"], stan["fixed_value"], strict=True)
    } | {
        names[k - 1]: Prior("Normal", mu=mu, sigma=sigma)
        for k, mu, sigma in zip(
            stan["informed_at"], stan["informed_mean"], stan["informed_sd"], strict=True
        )
    }
    return models.bradley_terry(comparisons_of(case), anchors=anchors, **case["options"])


@pytest.mark.parametrize("case", ALL_CASES)
def test_reference_passed_its_checks(references, case):
    assert all(references[1]["references"][case]["checks_made"].values())


def assert_agrees(ours, reference):
    for kind, values in (
        ("mean", ours.mean(("chain", "draw"))),
        ("sd", ours.std(("chain", "draw"))),
    ):
        with np.errstate(invalid="ignore"):  # a fixed strength has no error: NaN
            error = np.nan_to_num(az.mcse(ours, method=kind).to_numpy())
        reach = 4 * np.hypot(error, reference[f"mcse_{kind}"]) + 1e-12
        assert (np.abs(values.to_numpy() - reference[kind]) < reach).all(), kind


@pytest.mark.parametrize("case", CASES)
def test_nuts_agrees_with_stan_and_passes(references, case):
    data, made = references
    model, want = model_of(data[case]), made["references"][case]
    settings = {"draws": 2000, "random_seed": 11, "nuts": {"target_accept": 0.99}}
    posterior = bayesrank.sample(model, **settings)
    assert read_record(posterior).verdict == "pass"
    score = posterior["posterior"]["score"]
    assert score["system"].to_numpy().tolist() == want["score"]["system"]
    assert_agrees(score, want["score"])
    if "part_score" in want:
        assert_agrees(posterior["posterior"]["part_score"], want["part_score"])
    if "score_categories" in want:
        wider = bayesrank.sample(model, population="categories", **settings)
        assert_agrees(wider["posterior"]["score"], want["score_categories"])
        assert_agrees(wider["posterior"]["part_score"], want["part_score"])


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


def test_a_pair_that_never_met_the_others_is_held_by_the_prior_alone():
    data = Comparisons.from_counts(["a", "c"], ["b", "d"], [40, 3], [20, 2])
    prior = {"strength": Prior("Normal", mu=0.0, sigma=2.0)}
    with pytest.warns(BayesrankWarning, match="2 groups of models"):
        model = models.bradley_terry(data, prior=prior)
    posterior = bayesrank.sample(model, method="laplace", random_seed=1)
    score = posterior["posterior"]["score"].stack(sample=("chain", "draw"))
    s = {name: score.sel(system=name).to_numpy() for name in "abcd"}
    # Of a + b against c + d the likelihood says nothing: it keeps its prior, N(0, 4 x 2^2).
    level = s["a"] + s["b"] - s["c"] - s["d"]
    assert level.std() == pytest.approx(4.0, rel=0.06)
    assert abs(level.mean()) < 0.4
    assert (s["a"] - s["b"]).std() < 0.5
    assert any("the prior alone decides" in note for note in read_record(posterior).notes)


def test_parts_are_ranked_from_one_posterior(tmp_path):
    """One language turns the order, and the model that was not seen there follows the others."""
    data = Comparisons.from_counts(
        ["a", "a", "b", "a"], ["b", "c", "c", "b"], [60, 70, 55, 20], [40, 30, 45, 80],
        factors={"category": ["en", "en", "en", "de"]},
    )  # fmt: skip
    model = models.bradley_terry(data, categories=True)
    for population in ("battles", "categories"):
        posterior = bayesrank.sample(
            model, method="laplace", population=population, draws=500, random_seed=2
        )
        path = tmp_path / f"{population}.nc"
        posterior.to_netcdf(path)
        saved = bayesrank.read_posterior(path)
        assert saved["posterior"]["score"].dims == ("chain", "draw", "system")
        english, german = (bayesrank.rank(saved, part=p) for p in ("en", "de"))
        assert english.table()["model"].tolist() == ["a", "b", "c"]
        order = german.table()["model"].tolist()
        assert order.index("b") < order.index("a")
        sd = [float(r.dataset["score_sd"].sel(system="c")) for r in (english, german)]
        assert sd[1] > sd[0]
        assert "(part 'de')" in german.record.estimand


def by_judge(votes):
    """Pairs a, b of several judges: (wins of a, wins of b)."""
    wins, losses = np.array(votes).T
    n = len(votes)
    return Comparisons.from_counts(
        ["a"] * n + ["b"] * n,
        ["b"] * n + ["c"] * n,
        [*wins, *losses],
        [*losses, *wins],
        ties=[1] * (2 * n),
        factors={"judge": [f"j{k}" for k in range(n)] * 2},
    )


def test_a_unanimous_judge_does_not_take_over():
    """Six judges find a somewhat better; one, always sure of the opposite, has as many votes."""
    many = [(26, 14)] * 6
    judged = {}
    for name, votes in (("without", many), ("with", [*many, (0, 40)])):
        model = models.bradley_terry(by_judge(votes), judges="both")
        posterior = bayesrank.sample(model, method="nuts", random_seed=4, draws=500,
                                     nuts={"target_accept": 0.95})  # fmt: skip
        judged[name] = posterior["posterior"]
    s = judged["with"]["score"]
    assert float((s.sel(system="a") > s.sel(system="b")).mean()) > 0.8
    r = judged["with"]["reliability"]
    assert np.isfinite(r).all()
    # Maximum likelihood would send its reliability to infinity, and the strengths to its side.
    assert float(r.sel(judge="j6").mean()) < 3
    assert float(r.sel(judge="j6").quantile(0.975)) < 10
    gap = {k: float((p["score"].sel(system="a") - p["score"].sel(system="b")).mean())
           for k, p in judged.items()}  # fmt: skip
    assert 0 < gap["with"] < gap["without"]
