"""Posteriors of ordinal models: Stan, a published latent regression, and judge scores."""

import json

import arviz as az
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayesrank
from bayesrank import Prior, Responses
from bayesrank._record import read_record
from bayesrank.models import ordinal

KINDS = {1: "graded", 2: "partial-credit", 3: "rating-scale"}
CASES = [
    "rating_scale",
    *(pytest.param(c, marks=pytest.mark.slow) for c in ("graded", "partial_credit")),
]


@pytest.fixture(scope="session")
def stan(gallery):
    folder = gallery / "ordinal"
    return tuple(
        json.loads((folder / name).read_text(encoding="utf-8"))
        for name in ("data.json", "reference.json")
    )


def model_of(case, **options):
    """Build the model of one data set of models/ordinal/data.json."""
    data = case["stan"]
    counts = np.array(data["y"])
    responses = Responses(
        systems=tuple(case["systems"]),
        questions=tuple(f"q{m}" for m in range(data["M"])),
        counts=counts,
        missing=np.zeros(counts.shape[:2], dtype=np.int64),
    )
    return ordinal(
        responses, kind=KINDS[data["kind"]], weights=data["weight"],
        score_range=(0, data["K"] - 1), **options,
    )  # fmt: skip


@pytest.fixture(scope="session")
def fits(stan):
    """One fit a case, made when a test asks for it."""
    kept = {}

    def fit(case):
        if case not in kept:
            data = stan[0][case]
            kept[case] = bayesrank.sample(
                model_of(data),
                population={1: "trials", 2: "questions"}[data["stan"]["population"]],
                draws=2000,
                random_seed=11,
                target_accept=0.95,
            )
        return kept[case]

    return fit


@pytest.mark.parametrize("case", ["rating_scale", "graded", "partial_credit"])
def test_reference_passed_its_checks(stan, case):
    assert all(stan[1]["references"][case]["checks_made"].values())


@pytest.mark.parametrize("case", CASES)
def test_nuts_agrees_with_stan(stan, fits, case):
    score, want = fits(case)["posterior"]["score"], stan[1]["references"][case]["score"]
    assert score["system"].to_numpy().tolist() == want["system"]
    for kind, ours in (
        ("mean", score.mean(("chain", "draw"))),
        ("sd", score.std(("chain", "draw"))),
    ):
        reach = 4 * np.hypot(az.mcse(score, method=kind).to_numpy(), want[f"mcse_{kind}"])
        assert (np.abs(ours.to_numpy() - want[kind]) < reach).all(), kind


def test_the_record_and_what_is_kept(fits):
    tree = fits("rating_scale")
    record = read_record(tree)
    assert (record.model, record.method, record.population) == ("ordinal", "nuts", "questions")
    assert record.estimand == "expected weight of the score on new questions like these"
    assert "threshold ~ ZeroSumNormal(sigma=1.5)" in record.prior
    assert record.notes[0] == (
        "Scores are ordered categories, 0 to 4, worth 0 = 1, 1 = 2, 2 = 3, 3 = 4, 4 = 5."
    )
    assert record.notes[1].startswith("Nobody got score 2; it keeps what the prior gives")
    assert record.observations["categories"] == 5
    kept = set(tree["posterior"].data_vars)
    assert {"score", "ability", "difficulty", "threshold"} <= kept
    assert not {"score_questions", "threshold_free", "ability_offset"} & kept
    assert bayesrank.rank(tree).table()["score"].between(1, 5).all()


# ---------------------------------------------------------------- published, and judge scores


@pytest.mark.shared
@pytest.mark.slow
def test_verbal_aggression_latent_regression(shared_data):
    """Lambda of edstan's generalised partial credit model: -0.85, 0.33, 0.60, -0.28.

    edstan writes alpha theta - beta with betas that add up to zero, theta with standard deviation
    one, male as -0.5 and 0.5, and anger by two standard deviations. Its priors are wide, and so
    are these, but not the same: 0.05 is half a posterior standard deviation.
    """
    frame = pd.read_csv(shared_data / "verbal_aggression_edstan.csv")
    people = frame.drop_duplicates("person").set_index("person")
    table = frame.pivot_table(index="person", columns="item", values="poly")
    male, anger = (people.loc[table.index, c].to_numpy(dtype=float) for c in ("male", "anger"))
    coded = male - 0.5
    scaled = (anger - anger.mean()) / (2 * anger.std(ddof=1))
    both = coded * scaled
    prior = {
        "ability_mean": Prior("Normal", mu=0, sigma=10), "ability_sd": 1.0, "difficulty_sd": 3.0,
        "log_discrimination_mean": Prior("Normal", mu=0, sigma=1), "correlation": 0.0,
        "threshold": Prior("ZeroSumNormal", sigma=3),
        "system_effect": Prior("Normal", mu=0, sigma=2),
    }  # fmt: skip
    model = ordinal(
        Responses.from_array(table.to_numpy()),
        kind="partial-credit",
        system_covariates={"male": coded, "anger": scaled, "both": both},
        prior=prior,
    )
    posterior = bayesrank.sample(model, draws=500, random_seed=1)["posterior"]
    columns = np.stack([coded, scaled, both])
    # Covariates are standardised.
    effects = posterior["system_effect"].to_numpy() / columns.std(axis=1)
    a, b = (posterior[name].to_numpy() for name in ("discrimination", "difficulty"))
    # Where betas, a (b + t), add up to zero.
    origin = (a * b).sum(axis=-1) / a.sum(axis=-1)
    start = posterior["level_mean"].to_numpy() - effects @ columns.mean(axis=1) - origin
    found = [start.mean(), *effects.mean(axis=(0, 1))]
    np.testing.assert_allclose(found, [-0.85, 0.33, 0.60, -0.28], atol=0.05)


@pytest.mark.shared
@pytest.mark.slow
def test_judge_scores_order_the_models_as_their_means_do(shared_data):
    path = shared_data / "arenabench_scores.csv"
    responses = bayesrank.read_responses(path)
    posterior = bayesrank.sample(ordinal(responses), random_seed=1, draws=500)
    record = read_record(posterior)
    assert record.verdict == "pass"
    assert "Scores are ordered categories, 1 to 10" in record.notes[0]
    score = posterior["posterior"]["score"]
    means = pd.read_csv(path).groupby("model")["score"].mean()
    mean = score.mean(("chain", "draw")).to_series()
    observed = means[mean.index]
    assert stats.kendalltau(mean, observed).statistic > 0.85
    # A graded model weighs answers, and does not reproduce means; they stay within its intervals
    # for most models.
    inside = np.abs(mean - observed) < 2 * score.std(("chain", "draw")).to_series()
    assert inside.sum() >= 12
    # No pair that the means order one way is ordered the other way with any certainty.
    draws = score.stack(sample=("chain", "draw")).to_numpy()
    above = (draws[:, None] > draws[None]).mean(axis=2)
    lower = observed.to_numpy()[:, None] < observed.to_numpy()[None]
    assert above[lower].max() < 0.9
    ranking = bayesrank.rank(posterior)
    assert ranking.table()["model"].tolist()[:2] == ["gpt-4-turbo", "gpt-4-0314"]
