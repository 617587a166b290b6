"""The hierarchical Dirichlet-multinomial: its density, its fits against Stan, what it says."""

import json

import arviz as az
import numpy as np
import pymc as pm
import pytest
from scipy import stats
from scipy.special import logit

import bayesrank
from bayesrank import Prior, Responses
from bayesrank._record import read_record
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.models import categorical
from bayesrank.models._attach import attached, is_as_built

CASES = ("questions", "trials", "binary")
POPULATIONS = {"questions": "questions", "trials": "trials", "binary": "trials"}


def responses_of(counts, systems=None, **options):
    counts = np.asarray(counts)
    names = systems or [f"m{i}" for i in range(len(counts))]
    return Responses(
        systems=tuple(names),
        questions=tuple(f"q{m}" for m in range(counts.shape[1])),
        counts=counts,
        missing=np.zeros(counts.shape[:2], dtype=np.int64),
        **options,
    )


@pytest.fixture(scope="session")
def cases(gallery):
    text = (gallery / "categorical" / "data.json").read_text(encoding="utf-8")
    return json.loads(text)


@pytest.fixture(scope="session")
def stan(gallery):
    text = (gallery / "categorical" / "reference.json").read_text(encoding="utf-8")
    return json.loads(text)["references"]


def fitted(case, population, **options):
    counts = responses_of(case["stan"]["counts"], case["systems"])
    model = categorical(counts, case["stan"]["weights"])
    return bayesrank.sample(model, population=population, random_seed=3, **options)


@pytest.fixture(scope="session")
def fit(cases):
    """The one fit of the fast tests."""
    return fitted(cases["trials"], "trials")


# ---------------------------------------------------------------- structure and density

COUNTS = np.array([[[3, 1, 0], [0, 0, 5], [0, 0, 0]], [[1, 0, 4], [0, 1, 4], [2, 2, 2]]])


def simplex(p):
    """Return a simplex in PyMC's coordinates."""
    return np.log(p[:-1]) - np.log(p).mean()


def sticks_of(phi, a, w):
    """Return the coordinates of probabilities, and the log-derivative of these by those."""
    left = 1 - np.concatenate([[0], phi.cumsum()[:-2]])
    v = phi[:-1] / left
    b = a[:0:-1].cumsum()[::-1]
    a = a[:-1]
    scale = np.sqrt(1 / a + 1 / b + 0.5 / a**2 + 0.5 / b**2) ** (1 - w)
    z = (logit(v) - (1 - w) * np.log(a / b)) / scale
    return z, np.log(left * v * (1 - v) * scale).sum()


def around(values):
    n = len(values["composition"])
    return values["agreement"] * values["composition"] + 1 / n


def point_of(model, values):
    """Return constrained values as the model's unconstrained point."""
    w = model["probability_mean_centring"].get_value()
    z = [
        sticks_of(p, around(values), c)[0]
        for p, c in zip(values["probability_mean"], w, strict=True)
    ]
    return {
        "composition_simplex__": simplex(values["composition"]),
        "agreement_log__": np.log(values["agreement"]),
        "probability_concentration_mu": values["typical"],
        "probability_concentration_log__": np.log(values["concentration"]),
        "probability_mean_offset": np.array(z),
    }


def some_values(rng, counts):
    systems, _, categories = counts.shape
    return {
        "composition": rng.dirichlet(np.ones(categories)),
        "agreement": rng.gamma(5.0),
        "typical": rng.normal(),
        "concentration": rng.gamma(2.0, size=systems),
        "probability_mean": rng.dirichlet(np.ones(categories), size=systems),
    }


def log_density_of(model, counts, values):
    """The card, in SciPy."""
    phi, kappa = values["probability_mean"], values["concentration"]
    w = model["probability_mean_centring"].get_value()
    found = (
        stats.dirichlet(np.ones(counts.shape[2])).logpdf(values["composition"])
        + stats.lognorm(1.0, scale=10).logpdf(values["agreement"])
        + stats.norm(np.log(10), 1.4).logpdf(values["typical"])
        + stats.lognorm(0.5, scale=np.exp(values["typical"])).logpdf(kappa).sum()
    )
    for cells, k, p, c in zip(counts, kappa, phi, w, strict=True):
        found += stats.dirichlet(around(values)).logpdf(p) + sticks_of(p, around(values), c)[1]
        for cell in cells[cells.sum(axis=1) > 0]:
            found += stats.dirichlet_multinomial(k * p, cell.sum()).logpmf(cell)
    return found


@pytest.mark.parametrize("counts", [COUNTS, COUNTS[:, :, :2], COUNTS[:1]])
def test_log_density_is_scipys(counts):
    counts = counts.copy()
    counts[0, 0, 0] += 9
    model = categorical(responses_of(counts))
    logp = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    rng = np.random.default_rng(1)
    for _ in range(3):
        values = some_values(rng, counts)
        expected = log_density_of(model, counts, values)
        assert logp(point_of(model, values)) == pytest.approx(expected, rel=1e-8)


def test_two_categories_are_the_beta_binomial():
    counts = COUNTS[:, :, :2]
    model = categorical(responses_of(counts))
    logp = model.compile_logp(model["counts"], mode="FAST_COMPILE", sum=False)
    values = some_values(np.random.default_rng(2), counts)
    kappa = values["concentration"]
    found = logp(point_of(model, values))[0]
    for i in range(2):
        b, a = kappa[i] * values["probability_mean"][i]
        expected = stats.betabinom(counts[i].sum(axis=1), a, b).logpmf(counts[i, :, 1]).sum()
        assert found[i] == pytest.approx(expected, rel=1e-9)


def test_categories_of_equal_weight_can_be_merged():
    """Draws of the prior and of its data, merged, are draws of the merged prior and data.

    Then the posterior of the score is the same too: what is left of the counts, how they split
    within a merged category, has a likelihood of its own (the tests of the tally show it).
    """
    add_up = np.array([[1, 0], [0, 1], [0, 1]])
    whole = categorical(responses_of(COUNTS), [0, 1, 1])
    own = {"composition": Prior("Dirichlet", a=[1.0, 2.0])}
    merged = categorical(responses_of(COUNTS @ add_up), prior=own)
    assert merged["composition_concentration"].get_value().tolist() == [1.0, 2.0]
    names = ("composition", "probability_mean", "counts")
    a, b = (
        pm.draw([m[name] for name in names], draws=4000, random_seed=4, mode="FAST_COMPILE")
        for m in (whole, merged)
    )
    for ours, theirs in zip(a, b, strict=True):
        left, right = (x.reshape(4000, -1, x.shape[-1])[..., 0] for x in (ours @ add_up, theirs))
        for x, y in zip(left.T, right.T, strict=True):
            assert stats.ks_2samp(x, y).pvalue > 1e-4


def test_names_of_categories_change_nothing():
    """Sticks are broken in the order of the categories: the density of the means has none."""
    order = [2, 0, 1]
    pairs = ((COUNTS, [0, 0.2, 1]), (COUNTS[:, :, order], [1, 0, 0.2]))
    values = some_values(np.random.default_rng(5), COUNTS)
    found = []
    for (counts, weights), o in zip(pairs, ([0, 1, 2], order), strict=True):
        model = categorical(responses_of(counts), weights)
        named = {
            name: v[..., o] if name in ("composition", "probability_mean") else v
            for name, v in values.items()
        }
        logp = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
        w = model["probability_mean_centring"].get_value()
        means = zip(named["probability_mean"], w, strict=True)
        jacobian = sum(sticks_of(p, around(named), c)[1] for p, c in means)
        found.append(logp(point_of(model, named)) - jacobian)
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_the_density_is_finite_where_sampling_starts():
    model = categorical(responses_of(COUNTS * 40), [0, 0.5, 1])
    start = point_of(model, some_values(np.random.default_rng(1), COUNTS))
    logp = model.compile_logp(mode="FAST_COMPILE")
    for scale in (0.0, 1.0, 5.0):
        rng = np.random.default_rng(3)
        point = {name: v + scale * rng.normal(size=np.shape(v)) for name, v in start.items()}
        assert np.isfinite(logp(point))


# ---------------------------------------------------------------- against Stan


@pytest.mark.parametrize("case", CASES)
def test_reference_passed_its_checks(stan, case):
    assert all(stan[case]["checks_made"].values())


def assert_agrees(values, reference):
    for kind, ours in (
        ("mean", values.mean(("chain", "draw"))),
        ("sd", values.std(("chain", "draw"))),
    ):
        mcse = az.mcse(values, method=kind).to_numpy()
        reach = 4.5 * np.hypot(mcse, np.array(reference[f"mcse_{kind}"]))
        assert (np.abs(ours.to_numpy() - np.array(reference[kind])) < reach).all(), kind


def agrees_with_stan(fit, reference):
    posterior = fit["posterior"]
    assert posterior["score"]["system"].to_numpy().tolist() == reference["score"]["system"]
    assert_agrees(posterior["score"], reference["score"])
    mean = posterior["probability_mean"].transpose("chain", "draw", "system", "category")
    assert_agrees(mean, reference["phi"])
    assert_agrees(np.log(posterior["probability_concentration"]), reference["log_kappa"])


def test_nuts_agrees_with_stan(stan, fit):
    agrees_with_stan(fit, stan["trials"])


@pytest.mark.slow
@pytest.mark.parametrize("case", ["questions", "binary"])
def test_nuts_agrees_with_stan_in_other_cases(stan, cases, case):
    agrees_with_stan(fitted(cases[case], POPULATIONS[case], draws=2500), stan[case])


# ---------------------------------------------------------------- what it says


def test_the_record_says_what_the_score_is(fit):
    record = read_record(fit)
    assert (record.method, record.population, record.model) == ("nuts", "trials", "categorical")
    assert record.estimand == (
        "mean over the questions each was observed on of the expected outcome, categories "
        "weighted 0, 0.25, 0.25, 1"
    )
    assert record.prior.startswith("composition Dirichlet(a=1); agreement LogNormal(")
    assert record.notes == (
        "1 category was never observed, and keeps its prior.",
        (
            "1 cell without an observed trial is left out of the model's mean; scored on fewer "
            "questions than the others: 'b'."
        ),
    )
    assert record.verdict == "pass"
    assert "score_trials" not in fit["posterior"]
    assert fit["constant_data"]["trials"].to_numpy().tolist() == [39, 35, 39]
    total = fit["posterior"]["probability_mean"].sum("category")
    np.testing.assert_allclose(total, 1.0)


def test_populations_and_their_caveats():
    both = attached(categorical(responses_of(COUNTS), [0, 0.5, 1]))
    assert both.populations == ("questions", "trials")
    assert "pairs them" in both.caveats["questions"]
    assert "left out" in both.caveats["trials"]
    single = attached(categorical(responses_of(np.eye(3, dtype=int)[:1][:, [0, 2]][np.newaxis])))
    assert "one trial a question" in single.caveats["trials"]
    assert "questions" not in single.caveats
    assert attached(categorical(responses_of(COUNTS[:, :, :2]))).views["questions"].estimand == (
        "mean over new questions like these of the probability of success"
    )


def test_tasks_count_the_same_on_these_questions_only():
    responses = responses_of(COUNTS, tasks=("x", "x", "y"))
    found = attached(categorical(responses, weighting="task"))
    assert found.populations == ("trials",)
    with pytest.raises(ArgumentError, match="use one of 'trials'"):
        bayesrank.sample(categorical(responses, weighting="task"), population="questions")
    with pytest.raises(InputError, match="weighting='task'"):
        categorical(responses_of(COUNTS), weighting="task")


def test_the_model_predicts_counts(cases, fit):
    case = cases["trials"]
    model = categorical(responses_of(case["stan"]["counts"], case["systems"]), [0, 0.25, 0.25, 1])
    found = bayesrank.checks.predictive(fit, model, draws=100, random_seed=1)
    assert {str(k) for k in found.dataset["kind"].to_numpy()} == {
        "accuracy", "spread of questions", "agreement of trials",
    }  # fmt: skip
    assert found.verdict == "pass"


def test_data_of_the_model_are_what_was_given():
    model = categorical(responses_of(COUNTS), [0, 0.5, 1])
    assert (model["counts_observed"].get_value() == COUNTS).all()
    assert model["category_weights"].get_value().tolist() == [0, 0.5, 1]
    assert all(not str(d).startswith("model") for d in model.coords)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"agrement": Prior("Gamma", alpha=1, beta=1)}, "Did you mean 'agreement'"),
        ({"composition": Prior("Beta", alpha=1, beta=1)}, "must be a Dirichlet of numbers"),
        ({"composition": Prior("Dirichlet", a=Prior("HalfNormal"))}, "must be a Dirichlet"),
        ({"composition": Prior("Dirichlet", a=[1, 1])}, "one for each of 3 categories"),
        ({"composition": Prior("Dirichlet", a=0)}, "one positive number"),
    ],
)
def test_bad_priors(prior, message):
    with pytest.raises(ArgumentError, match=message):
        categorical(responses_of(COUNTS), prior=prior)


@pytest.mark.parametrize(
    ("weights", "message"),
    [([0, 1], "one weight for each of the 3"), ([0, np.nan, 1], "must be finite")],
)
def test_bad_weights(weights, message):
    with pytest.raises(ArgumentError, match=message):
        categorical(responses_of(COUNTS), weights)


def test_own_priors_reach_the_model():
    gamma = Prior("Gamma", alpha=2, beta=1)
    model = categorical(responses_of(COUNTS), prior={"agreement": gamma, "concentration": gamma})
    for name in ("agreement", "probability_concentration"):
        assert type(model[name].owner.op).__name__ == "GammaRV"
    assert attached(model).prior.count("Gamma") == 2


def test_a_changed_model_is_told():
    model = categorical(responses_of(COUNTS))
    assert is_as_built(model)
    model.set_data("category_weights", np.array([0.0, 0.0, 1.0]))
    assert not is_as_built(model)
