"""The Bayes@N factory: its log density, its fits against Stan, its notes."""

import json
import warnings

import arviz as az
import numpy as np
import pymc as pm
import pytest
from scipy import stats

import bayesrank
from bayesrank import EmpiricalPrior, Prior, Responses
from bayesrank._record import read_record
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.models import bayes_at_n
from bayesrank.models._attach import attached

CASES = ("binary", "categorical")


def binary(n=4):
    return Responses.from_counts([[3, 1, 2], [0, 2, 2]], n, systems=["a", "b"])


def categorical():
    outcomes = np.random.default_rng(0).integers(0, 3, size=(2, 4, 5))
    return Responses.from_array(outcomes, systems=["a", "b"])


# ---------------------------------------------------------------- structure


@pytest.mark.parametrize("responses", [binary(), categorical()], ids=CASES)
def test_structure(responses):
    model = bayes_at_n(responses)
    assert set(model.coords) == {"system", "question", "category"}
    assert model.named_vars_to_dims["score"] == ("system",)
    assert model.named_vars_to_dims["probability"][:2] == ("system", "question")
    assert len(model.observed_RVs) == 1
    assert {v.name for v in model.data_vars} >= {
        "n_trials",
        "prior_concentration",
        "category_weights",
        "question_share",
    }
    assert attached(model).trials.tolist() == responses.n_trials.sum(axis=1).tolist()


@pytest.mark.parametrize("case", CASES)
def test_log_density_is_scipys(case):
    rng = np.random.default_rng(1)
    responses = binary() if case == "binary" else categorical()
    alpha = 0.5 + rng.random(responses.counts.shape[1:])
    extra = rng.integers(0, responses.n_categories, size=(responses.counts.shape[1], 2))
    model = bayes_at_n(responses, prior=EmpiricalPrior(extra, alpha=0.7, weight=1.5))
    alpha = 0.7 + 1.5 * np.stack(
        [(extra == c).sum(axis=1) for c in range(responses.n_categories)], axis=1
    )
    logp = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    transform = model.rvs_to_transforms[model["probability"]]
    for _ in range(5):
        p = rng.dirichlet(np.ones(responses.n_categories), size=responses.counts.shape[:2])
        value = p[..., 1] if case == "binary" else p
        forward = transform.forward(value, *model["probability"].owner.inputs).eval()
        name = next(v.name for v in model.value_vars)
        expected = sum(
            stats.dirichlet(alpha[j]).logpdf(p[i, j])
            + stats.multinomial(responses.n_trials[i, j], p[i, j]).logpmf(responses.counts[i, j])
            for i in range(p.shape[0])
            for j in range(p.shape[1])
        )
        assert logp({name: forward}) == pytest.approx(expected, rel=1e-9)


def test_permuting_models_and_questions_permutes_the_score():
    responses = categorical()
    turned = responses.select(systems=["b", "a"], questions=responses.questions[::-1])
    draw = {"draws": 400, "chains": 4, "random_seed": 3}
    here = bayesrank.sample(bayes_at_n(responses), **draw)["posterior"]["score"]
    there = bayesrank.sample(bayes_at_n(turned), **draw)["posterior"]["score"]
    for name in "ab":
        a, b = here.sel(system=name), there.sel(system=name)
        gap = float(abs(a.mean() - b.mean()))
        assert gap < 4.5 * float(np.hypot(a.std(), b.std())) / np.sqrt(1600)


# ---------------------------------------------------------------- exact = NUTS = Stan


@pytest.fixture(scope="session")
def stan(gallery):
    text = (gallery / "bayes_at_n" / "reference.json").read_text(encoding="utf-8")
    return json.loads(text)["references"]


@pytest.mark.parametrize("case", CASES)
def test_reference_passed_its_checks(stan, case):
    assert all(stan[case]["checks_made"].values())


def assert_agrees(posterior, reference):
    score = posterior["posterior"]["score"]
    assert score["system"].to_numpy().tolist() == reference["system"]
    for kind, ours in (
        ("mean", score.mean(("chain", "draw"))),
        ("sd", score.std(("chain", "draw"))),
    ):
        mcse = az.mcse(score, method=kind).to_numpy()
        reach = 4 * np.hypot(mcse, reference[f"mcse_{kind}"])
        assert (np.abs(ours.to_numpy() - reference[kind]) < reach).all(), kind


@pytest.mark.parametrize("case", CASES)
def test_exact_agrees_with_stan(stan, bayes_at_n_cases, case):
    posterior = bayesrank.sample(bayes_at_n_cases[case], method="exact", random_seed=1)
    assert_agrees(posterior, stan[case]["score"])
    exact = attached(bayes_at_n_cases[case]).exact.posterior
    for kind, value in (("mean", exact.mean()), ("sd", exact.sd())):
        gap = np.abs(value - stan[case]["score"][kind])
        assert (gap < 4 * np.array(stan[case]["score"][f"mcse_{kind}"])).all(), kind


@pytest.mark.parametrize("case", CASES)
def test_nuts_agrees_with_stan_and_passes(stan, bayes_at_n_nuts, case):
    posterior = bayes_at_n_nuts[case]
    assert read_record(posterior).verdict == "pass"
    assert_agrees(posterior, stan[case]["score"])


@pytest.mark.parametrize("case", CASES)
def test_nuts_agrees_with_the_closed_form(bayes_at_n_cases, bayes_at_n_nuts, case):
    exact = attached(bayes_at_n_cases[case]).exact.posterior
    score = bayes_at_n_nuts[case]["posterior"]["score"]
    mcse = az.mcse(score).to_numpy()
    assert (np.abs(score.mean(("chain", "draw")).to_numpy() - exact.mean()) < 4.5 * mcse).all()
    for q in (0.05, 0.9):
        ess = az.ess(score, method="quantile", prob=q).to_numpy()
        reached = (score <= exact.quantile(q)).mean(("chain", "draw")).to_numpy()
        assert (np.abs(reached - q) < 4.5 * np.sqrt(q * (1 - q) / ess)).all()


# ---------------------------------------------------------------- priors and notes


def record_of(responses, **options):
    posterior = bayesrank.sample(bayes_at_n(responses, **options), draws=100, random_seed=1)
    return read_record(posterior)


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        (Prior("Dirichlet", a=0.5), [3.5 / 5]),
        (Prior("Dirichlet", a=[2, 0.5]), [3.5 / 6.5]),
        (Prior("Beta", alpha=0.5, beta=2), [3.5 / 6.5]),
        ({"probability": Prior("Beta", alpha=1, beta=1)}, [4 / 6]),
        ({}, [4 / 6]),
    ],
)
def test_fixed_priors(prior, expected):
    model = bayes_at_n(Responses.from_counts([[3]], 4), prior=prior)
    assert attached(model).exact.posterior.mean() == pytest.approx(expected)


def test_learned_prior_has_no_closed_form():
    for responses in (binary(), categorical()):
        model = bayes_at_n(responses, prior=Prior("Dirichlet", a=Prior("HalfNormal", sigma=1)))
        assert attached(model).exact is None
        assert "probability_a" in model.named_vars
        with pytest.raises(ArgumentError, match="it has no exact posterior"):
            bayesrank.sample(model, method="exact")
        assert np.isfinite(model.compile_logp(mode="FAST_COMPILE")(model.initial_point()))
    mixed = Prior("Beta", alpha=Prior("Gamma", alpha=2, beta=1), beta=1)
    assert "probability_alpha" in bayes_at_n(binary(), prior=mixed).named_vars


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (Prior("Normal"), "use a Prior Beta or Dirichlet, or an EmpiricalPrior"),
        ({"probabilty": Prior("Beta", alpha=1, beta=1)}, "Did you mean 'probability'"),
        (Prior("Beta", alpha=1), "needs both alpha"),
        (Prior("Beta", mu=0.5, sigma=0.1), "needs both alpha"),
        (Prior("Dirichlet", a=[1, 1, 1]), "one for each of 2 categories"),
        (Prior("Dirichlet", a=0), "one positive number"),
        (2.0, "prior=2.0 cannot be used"),
    ],
)
def test_bad_priors(prior, message):
    with pytest.raises(ArgumentError, match=message):
        bayes_at_n(binary(), prior=prior)


def test_beta_is_for_binary_outcomes():
    with pytest.raises(ArgumentError, match="outcomes of 3 categories; use a Prior Dirichlet"):
        bayes_at_n(categorical(), prior=Prior("Beta", alpha=1, beta=1))


def test_empirical_prior_must_match():
    with pytest.raises(InputError, match="the data have 2 models and 3 questions"):
        bayes_at_n(binary(), prior=EmpiricalPrior([[1]]))


def test_shrinkage_is_said_where_it_is_visible():
    said = "Scores are shrunk towards 0.5: the prior counts as 2 trials a question against 4"
    assert any(note.startswith(said) for note in record_of(binary()).notes)
    assert record_of(binary(80)).notes == ()
    assert any(
        "shrunk towards 0.8" in n
        for n in record_of(binary(), prior=Prior("Beta", alpha=4, beta=1)).notes
    )


def test_missing_cells_are_left_out_and_named():
    responses = Responses.from_counts([[3, 0, 2], [1, 2, 2]], [[4, 0, 4], [4, 4, 4]])
    record = record_of(responses)
    assert any(n.startswith("1 cell without") and "'model 1'" in n for n in record.notes)
    assert any("can change the order" in note for note in record.notes)
    assert record.estimand.startswith("mean over the questions each was observed on")
    model = bayes_at_n(responses)
    assert model["question_share"].get_value()[0].tolist() == [0.5, 0.0, 0.5]


def test_shared_auxiliary_outcomes_say_what_they_can_do():
    shared = EmpiricalPrior([[1], [0], [1]])
    assert any("cannot change the order" in n for n in record_of(binary(), prior=shared).notes)
    ragged = Responses.from_counts([[3, 1, 2], [0, 2, 2]], [[4, 4, 4], [4, 4, 5]])
    assert any("they can change the order" in n for n in record_of(ragged, prior=shared).notes)
    some = EmpiricalPrior([[1, 0], [0, -1], [1, 1]])
    assert any("they can change the order" in n for n in record_of(binary(), prior=some).notes)


def test_own_auxiliary_outcomes_report_their_alignment():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        record = record_of(binary(), prior=EmpiricalPrior([[[1], [1], [0]], [[0], [0], [1]]]))
    assert any("Kendall tau-b 1.000" in note for note in record.notes)
    with pytest.warns(BayesrankWarning, match=r"tau-b -1.00, below 0.5"):
        record = record_of(binary(), prior=EmpiricalPrior([[[0], [0], [1]], [[1], [1], [0]]]))
    assert any("alignment is low" in note for note in record.notes)


# ---------------------------------------------------------------- extension


def test_an_extended_model_is_sampled_as_it_is():
    model = bayes_at_n(binary())
    with model:
        pm.Potential("firm", -50.0 * (model["probability"][0, 0] - 0.9) ** 2)
    with pytest.raises(ArgumentError, match="changed after it was built"):
        bayesrank.sample(model, method="exact")


def test_new_data_make_the_closed_form_void():
    model = bayes_at_n(binary())
    assert read_record(bayesrank.sample(model, draws=100)).method == "exact"
    with model:
        pm.set_data({"n_correct_observed": np.array([[0, 0, 0], [4, 4, 4]])})
    with pytest.raises(ArgumentError, match="changed after it was built"):
        bayesrank.sample(model, method="exact")
