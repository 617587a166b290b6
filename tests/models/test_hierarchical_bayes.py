"""The hierarchical model: its log density, its fits against Stan, its populations and refusals."""

import dataclasses
import json

import arviz as az
import numpy as np
import pytensor.tensor as pt
import pytest
from scipy import stats
from scipy.special import expit

import bayesrank
from bayesrank import Prior, Responses, simulate_responses
from bayesrank._record import read_record
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.models import hierarchical_bayes
from bayesrank.models._attach import attached
from bayesrank.models.hierarchical_bayes import _expected, centring

CASES = ("questions", "trials", "questions_of_tasks", "tasks")


@pytest.fixture(scope="session")
def data(gallery):
    text = (gallery / "hierarchical_bayes" / "data.json").read_text(encoding="utf-8")
    return json.loads(text)


@pytest.fixture(scope="session")
def stan(gallery):
    text = (gallery / "hierarchical_bayes" / "reference.json").read_text(encoding="utf-8")
    return json.loads(text)["references"]


def responses_of(case):
    tasks = case["stan"]["task"]
    return Responses.from_counts(
        case["stan"]["k"], case["stan"]["n"], systems=case["systems"],
        tasks=tasks if max(tasks) > 1 else None,
    )  # fmt: skip


@pytest.fixture(scope="session")
def fits(data):
    """One compiled model each with and without tasks; the populations share the draws' seed."""
    found = {}
    for name, case in data.items():
        model = hierarchical_bayes(responses_of(case))
        population = {1: "questions", 2: "trials", 3: "tasks"}[case["stan"]["population"]]
        found[name] = bayesrank.sample(
            model, population=population, draws=2500, random_seed=3, target_accept=0.97
        )
    return found


# ---------------------------------------------------------------- structure and density


def small(**options):
    return simulate_responses(systems=["a", "b"], questions=6, trials=3, random_seed=1, **options)


@pytest.mark.parametrize("tasks", [None, 3])
def test_structure(tasks):
    model = hierarchical_bayes(small(tasks=tasks))
    assert model.named_vars_to_dims["score"] == ("system",)
    assert ("task" in model.coords) == (tasks is not None)
    populations = attached(model).populations
    assert populations == ("questions", "trials", *(["tasks"] if tasks else []))
    assert all(not d.startswith("model") for d in model.coords)


def test_log_density_is_scipys():
    counts = Responses.from_counts([[3, 0, 1], [2, 2, 0]], [[4, 4, 1], [4, 4, 0]])
    model = hierarchical_bayes(counts)
    logp = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    transform = model.rvs_to_transforms[model["difficulty_offset"]]
    rng = np.random.default_rng(1)
    for _ in range(5):
        sds = rng.random(3) + 0.2
        mu, level, b = rng.normal(), rng.normal(size=2), rng.normal(size=2)
        g, shift = rng.normal(size=(2, 3)), rng.normal()
        point = {
            "level_mu": mu, "level": level, "difficulty_offset_zerosum__": b,
            "interaction_offset": g, "level_sigma_log__": np.log(sds[0]),
            "difficulty_sd_log__": np.log(sds[1]), "interaction_sd_log__": np.log(sds[2]),
            "difficulty_shift": shift,
        }  # fmt: skip
        # The offsets are effects divided by sd to the power of 1 - c.
        c_b, c_g = (model[f"{x}_centring"].get_value() for x in ("difficulty", "interaction"))
        b = transform.backward(pt.as_tensor(b)).eval()
        expectation = level[:, None] - sds[1] ** (1 - c_b) * b
        p = expit(expectation + sds[2] ** (1 - c_g) * (g - c_g * expectation))
        seen = counts.observed
        expected = (
            stats.norm(0, 2).logpdf(mu)
            + stats.norm(mu, sds[0]).logpdf(level).sum()
            + stats.norm(0, sds[1] ** c_b).logpdf(b).sum()
            - stats.norm(0, sds[1] ** c_b).logpdf(0)  # one of three is determined by the others
            + stats.norm.logpdf(shift)
            + stats.norm(c_g * expectation, sds[2] ** c_g).logpdf(g).sum()
            + stats.halfnorm(scale=[1.5, 2.5]).logpdf(sds[:2]).sum()
            + stats.gamma(2, scale=1 / 3).logpdf(sds[2])
            + stats.binom(counts.n_trials[seen], p[seen]).logpmf(counts.successes[seen]).sum()
        )
        assert logp(point) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("sd", [0.0, 0.7, 2.5, 4.5])
def test_the_integral_is_the_mean_over_a_normal(sd):
    z = np.linspace(-9, 9, 20001)
    weights = stats.norm.pdf(z) / stats.norm.pdf(z).sum()
    location = np.array([-3.0, 0.2, 4.0])
    expected = (expit(location[:, None] + sd * z) * weights).sum(axis=1)
    np.testing.assert_allclose(_expected(location, sd).eval(), expected, atol=2e-5)


def test_effects_are_centred_as_far_as_trials_hold_them_fast():
    few, interaction = centring(np.array([[0, 1, 1000], [0, 1, 1000]]))
    assert interaction[0, 0] == 0
    assert interaction[0, 1] < 0.1
    assert interaction[0, 2] > 0.95
    assert 0 < few < centring(np.full((2, 3), 9))[0] < centring(np.full((9, 3), 9))[0] < 1


# ---------------------------------------------------------------- against Stan


@pytest.mark.parametrize("case", CASES)
def test_reference_passed_its_checks(stan, case):
    assert all(stan[case]["checks_made"].values())


@pytest.mark.parametrize("case", CASES)
def test_nuts_agrees_with_stan(stan, fits, case):
    score, reference = fits[case]["posterior"]["score"], stan[case]["score"]
    assert score["system"].to_numpy().tolist() == reference["system"]
    for kind, ours in (
        ("mean", score.mean(("chain", "draw"))),
        ("sd", score.std(("chain", "draw"))),
    ):
        mcse = az.mcse(score, method=kind).to_numpy()
        reach = 4 * np.hypot(mcse, reference[f"mcse_{kind}"])
        assert (np.abs(ours.to_numpy() - reference[kind]) < reach).all(), kind


def test_the_record_says_what_the_score_is(fits):
    record = read_record(fits["questions"])
    assert (record.method, record.population) == ("nuts", "questions")
    assert record.estimand == "expected probability of success on new questions like these"
    assert "difficulty_sd HalfNormal(sigma=2.5)" in record.prior
    assert record.notes == (
        "1 cell without a trial is filled in by the model, as if missing by chance.",
    )
    assert read_record(fits["trials"]).estimand.startswith("mean over these questions")
    posterior = fits["trials"]["posterior"]
    assert "score_trials" not in posterior
    assert "interaction_offset" not in posterior
    sd = {name: fits[name]["posterior"]["score"].std(("chain", "draw")) for name in CASES}
    assert (sd["questions"] > sd["trials"]).all()


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": {"dificulty_sd": Prior("HalfNormal", sigma=1)}}, "Did you mean 'difficulty_sd'"),
        ({"prior": {"task_difficulty_sd": Prior("HalfNormal", sigma=1)}}, "takes a prior here"),
    ],
)
def test_bad_priors(options, message):
    with pytest.raises(ArgumentError, match=message):
        hierarchical_bayes(small(), **options)


def test_bad_data_and_populations():
    with pytest.raises(ArgumentError, match="have 3 categories"):
        hierarchical_bayes(Responses.from_array([[[0, 1, 2]]]))
    with pytest.raises(InputError, match="one question"):
        hierarchical_bayes(Responses.from_counts([[1], [2]], 3))
    with pytest.raises(InputError, match="weighting='task'"):
        hierarchical_bayes(small(), weighting="task")
    for population in ("tasks", "prompts"):
        with pytest.raises(ArgumentError, match="use one of 'questions', 'trials'"):
            bayesrank.sample(hierarchical_bayes(small()), population=population)
    one = dataclasses.replace(small(), tasks=("same",) * 6)
    assert attached(hierarchical_bayes(one)).populations == ("questions", "trials")


def test_own_priors_reach_the_model():
    prior = {"interaction_sd": Prior("Exponential", lam=2)}
    model = hierarchical_bayes(small(), prior=prior)
    assert "Exponential" in attached(model).prior
    assert type(model["interaction_sd"].owner.op).__name__ == "ExponentialRV"


def test_one_trial_a_question_is_said():
    single = simulate_responses(systems=2, questions=6, trials=1, random_seed=1)
    assert any("one trial a question" in n for n in attached(hierarchical_bayes(single)).notes)
    assert attached(hierarchical_bayes(small())).notes == ()
