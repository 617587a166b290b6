"""Item response models: density against SciPy, structure, scores, notes and refusals."""

import warnings

import numpy as np
import pymc as pm
import pytest
from scipy import stats
from scipy.special import expit, log1p

import bayesrank
from bayesrank import Prior, Responses, simulate_responses
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.models import item_response
from bayesrank.models._attach import attached
from bayesrank.models._item_covariates import columns
from bayesrank.models._item_design import leading_questions, points_of
from bayesrank.models._item_questions import contrasts
from bayesrank.models._item_scores import mean_of_logistic

# Only Python's mode is used here, which needs no BLAS; PyTensor warns where it finds none.
pytestmark = pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS")

TRIALS = np.array([[4, 4, 0, 3, 2, 5], [4, 4, 4, 4, 4, 4], [1, 0, 4, 4, 2, 5], [2, 2, 2, 2, 2, 2]])


def small(*, tasks=True, seed=1):
    """Four models and six questions with unequal trials, two cells without one, two tasks."""
    k = np.random.default_rng(seed).binomial(TRIALS, 0.6)
    return Responses.from_counts(
        k, TRIALS, systems=list("abcd"), tasks=["x", "x", "y", "y", "y", "x"] if tasks else None
    )


def ordered(trials=6):
    outcomes = np.random.default_rng(2).integers(0, 2, (3, 5, trials))
    outcomes[0, 0, 0] = -1
    return Responses.from_array(outcomes)


def values_at(model, seed=3):
    """A random unconstrained point, and the named variables there."""
    rng = np.random.default_rng(seed)
    point = {n: rng.normal(0, 0.6, np.shape(v)) for n, v in model.initial_point().items()}
    names = [*model.free_RVs, *model.deterministics]
    outputs = model.replace_rvs_by_values(names)
    f = model.compile_fn(outputs, inputs=model.value_vars, point_fn=False, mode="FAST_COMPILE",
                         on_unused_input="ignore")  # fmt: skip
    found = f(*[point[v.name] for v in model.value_vars])
    return point, dict(zip([v.name for v in names], found, strict=True))


def likelihood(model, point):
    """The log-density of the counts alone, without the binomial coefficient."""
    return float(model.compile_logp(vars=[model["n_correct"]], mode="FAST_COMPILE")(point))


def expected_likelihood(responses, p, rho=None):
    seen = responses.observed
    n, k, p = responses.n_trials[seen], responses.successes[seen], p[seen]
    coefficient = stats.binom(n, 0.5).logpmf(k) + n * np.log(2)
    if rho is None:
        return (stats.binom(n, p).logpmf(k) - coefficient).sum()
    nu = (1 - rho) / rho
    return (stats.betabinom(n, p * nu, (1 - p) * nu).logpmf(k) - coefficient).sum()


# ---------------------------------------------------------------- density

STRUCTURES = {
    "rasch": {},
    "2pl": {"kind": "2pl"},
    "3pl": {"kind": "3pl"},
    "fixed": {"kind": "3pl-fixed-guessing", "guessing": [0.0, 0.2, 0.5, 0.1, 0.0, 0.3]},
    "independent": {"tasks": "independent", "kind": "2pl"},
    "correlated": {"tasks": "correlated"},
    "dimensions": {"kind": "2pl", "dimensions": 2},
    "testlets": {"testlets": True, "kind": "2pl"},
    "overdispersion": {"overdispersion": True},
    "overdispersed 3pl": {"overdispersion": True, "kind": "3pl"},
    "anchors": {"anchors": {"a": 0.5, "c": Prior("Normal", mu=0, sigma=1)}, "kind": "2pl"},
    "covariates": {
        "question_covariates": {"level": list("aabbab")},
        "system_covariates": {"size": {"d": 8, "a": 1, "b": 3, "c": 4}},
    },
}


def build(responses, options):
    with warnings.catch_warnings():  # that guessing is not known is tested elsewhere
        warnings.simplefilter("ignore", BayesrankWarning)
        return item_response(responses, **options)


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_likelihood_is_scipys(name):
    responses = small()
    model = build(responses, STRUCTURES[name])
    point, v = values_at(model)
    b, a = v["difficulty"], v.get("discrimination", np.ones(6))
    task = np.array([0, 0, 1, 1, 1, 0])
    if name == "dimensions":
        together = v["ability_dimension"] @ v["loading"].T
        level = v["level_mean"]
        eta = level + together - b
    else:
        level = v["ability_by_task"][:, task] if "ability_by_task" in v else v["ability"][:, None]
        extra = 0.0
        if name == "testlets":
            c = model["testlet_centring"].get_value()
            extra = (v["testlet_offset"] * v["testlet_sd"] ** (1 - c))[:, task]
        eta = a * (level - b + extra)
    p = expit(eta)
    g = v.get("guessing", np.array(STRUCTURES[name].get("guessing", 0.0)))
    p = g + (1 - g) * p
    want = expected_likelihood(responses, p, v.get("overdispersion"))
    assert likelihood(model, point) == pytest.approx(want, rel=1e-9)
    # The score on these questions, and that parts make up the whole.
    np.testing.assert_allclose(v["score"], p.mean(axis=1), rtol=1e-9)
    if "part_score" in v:
        np.testing.assert_allclose(v["part_score"][1], p[:, task == 1].mean(axis=1), rtol=1e-9)
        for kind in ("", "_questions"):
            whole = v[f"part_score{kind}"].T @ np.array([0.5, 0.5])
            np.testing.assert_allclose(v[f"score{kind}"], whole, rtol=1e-9)
    assert (v["score_questions"] > 0).all()
    assert (v["score_questions"] < 1).all()


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ({"anchors": {"a": 1.0}}, {"difficulty_mean": 0.5, "ability_mean": 0.0}),
        ({"kind": "2pl", "dimensions": 2}, {"loading_mean": 1.0, "loading_sd": 0.5}),
        ({"system_covariates": {"size": [1, 2, 3, 5]}}, {"system_effect": 0.5, "ability_sd": 1.0}),
    ],
)
def test_any_parameter_can_be_known(options, known):
    model = item_response(small(), prior=known, **options)
    assert not set(known) & {v.name for v in model.free_RVs}
    _, v = values_at(model)
    assert np.isfinite(v["score_questions"]).all()


@pytest.mark.parametrize("trend", ["linear", "random_walk"])
def test_the_likelihood_of_ordered_trials_is_bernoullis(trend):
    responses = ordered()
    model = item_response(responses, trend=trend)
    point, v = values_at(model)
    eta = v["ability_by_period"][:, None, :] - v["difficulty"][None, :, None]
    right, p = responses.outcomes, expit(eta)
    want = np.where(right == 1, np.log(p), np.where(right == 0, log1p(-p), 0.0)).sum()
    assert likelihood(model, point) == pytest.approx(want, rel=1e-9)
    np.testing.assert_allclose(v["ability"], v["ability_by_period"][:, -1])
    np.testing.assert_allclose(v["score"], p[:, :, -1].mean(axis=1))


def test_many_ordered_trials_are_counted_in_periods():
    model = item_response(ordered(trials=50), trend="linear")
    assert len(model.coords["period"]) == 20
    assert model["n_trials"].get_value().sum() == 3 * 5 * 50 - 1
    assert len(model.coords["cell"]) == 3 * 5 * 20


def test_the_density_is_finite_at_any_ability():
    responses = Responses.from_counts([[2, 0]], 3)
    model = item_response(responses, kind="3pl-fixed-guessing", guessing=[0.25, 0.0])
    point = model.initial_point()
    density = model.compile_logp(vars=[model["n_correct"]], mode="FAST_COMPILE")
    slope = model.compile_dlogp(mode="FAST_COMPILE")
    for eta in (-800.0, -40.0, 0.0, 40.0, 800.0):
        point["ability_offset"] = np.array([eta])
        assert np.isfinite(density(point)), eta
        assert np.isfinite(slope(point)).all(), eta


# ---------------------------------------------------------------- priors and parametrisation


def prior_draws(model, *names, n=3000):
    return pm.draw([model[x] for x in names], n, random_seed=1, mode="FAST_COMPILE")


@pytest.mark.parametrize("per_cell", [1, 200])
def test_the_prior_is_the_same_in_every_parametrisation(per_cell):
    responses = Responses.from_counts(np.zeros((3, 4), dtype=int), per_cell)
    model = item_response(responses, kind="2pl", prior={"difficulty_sd": 2.0, "ability_sd": 1.5})
    names = "difficulty", "ability", "ability_mean", "discrimination"
    b, theta, mean, a = prior_draws(model, *names)
    # Contrasts of independent effects, in units of their standard deviation.
    assert (b[:, 0] - b[:, 3]).std() == pytest.approx(2.0 * np.sqrt(2), rel=0.06)
    assert (theta[:, 0] - theta[:, 2]).std() == pytest.approx(1.5 * np.sqrt(2), rel=0.06)
    np.testing.assert_allclose(b.sum(axis=1), 0.0, atol=1e-9)
    # An ability is the population's, less the average difficulty of these questions.
    assert theta[:, 0].std() == pytest.approx(np.sqrt(2**2 + 2.0**2 / 4 + 1.5**2), rel=0.06)
    assert mean.std() == pytest.approx(2.0, rel=0.06)
    # A normal whose standard deviation is Gamma(2, 4) has variance 2/16 + 1/4.
    assert np.log(a).std() == pytest.approx(np.sqrt(0.375), rel=0.08)


def test_difficulty_moves_with_discrimination_by_the_correlation():
    responses = Responses.from_counts(np.zeros((3, 40), dtype=int), 5)
    prior = {"difficulty_sd": 1.0, "correlation": 0.7, "log_discrimination_sd": 0.5}
    model = item_response(responses, kind="2pl", prior=prior)
    b, a = prior_draws(model, "difficulty", "discrimination", n=300)
    assert np.corrcoef(b.ravel(), np.log(a).ravel())[0, 1] == pytest.approx(0.7, abs=0.03)


def test_contrasts_are_normal_given_that_sums_are_zero():
    group = np.array([0, 1, 0, 1, 1, 2])
    with pm.Model() as model:
        x = pm.Deterministic("x", contrasts("c", 2.0, group, 0.3))
    draws = pm.draw(x, 4000, random_seed=1, mode="FAST_COMPILE")
    for g, size in enumerate((2, 3, 1)):
        np.testing.assert_allclose(draws[:, group == g].sum(axis=1), 0, atol=1e-9)
        sd = 2.0 * np.sqrt(1 - 1 / size)
        np.testing.assert_allclose(draws[:, group == g].std(axis=0), sd, rtol=0.05)
    within = np.cov(draws[:, group == 1].T)
    np.testing.assert_allclose(within, 4 * (np.eye(3) - 1 / 3), atol=0.25)
    assert model["c_offset"].type.shape == (3,)


def test_renaming_and_reordering_permutes_the_likelihood():
    responses, order = small(), [2, 0, 3, 1]
    moved = responses.select(systems=[responses.systems[i] for i in order])
    one, two = item_response(responses), item_response(moved)
    point, _ = values_at(one)
    turned = {**point, "ability_offset": point["ability_offset"][order]}
    for m in (one, two):
        m.set_data("ability_centring", np.zeros(4))
    assert likelihood(two, turned) == pytest.approx(likelihood(one, point))


# ---------------------------------------------------------------- scores


@pytest.mark.parametrize("sd", [0.0, 0.7, 2.5, 4.5])
def test_the_integral_is_the_mean_over_a_normal(sd):
    z = np.linspace(-9, 9, 20001)
    weights = stats.norm.pdf(z) / stats.norm.pdf(z).sum()
    location = np.array([-3.0, 0.2, 4.0])
    want = (expit(location[:, None] + sd * z) * weights).sum(axis=1)
    np.testing.assert_allclose(mean_of_logistic(location, sd).eval(), want, atol=2e-5)


@pytest.mark.parametrize("name", ["2pl", "dimensions"])
def test_the_score_on_new_questions_is_the_mean_over_their_distribution(name):
    known = {"prior": {"log_discrimination_sd": 0.7}} if name == "2pl" else {}
    model = build(small(), {**STRUCTURES[name], **known})
    _, v = values_at(model)
    rng = np.random.default_rng(5)
    n = 400_000
    if name == "2pl":
        shift = v["ability_mean"] - v["level_mean"]
        z = rng.standard_normal(n)
        sd, rho = v["difficulty_sd"], v["correlation"]
        b = sd * (rho * z + np.sqrt(1 - rho**2) * rng.standard_normal(n)) - shift
        a = np.exp(0.7 * z)
        p = [expit(a * (theta - b)).mean() for theta in v["ability"]]
    else:
        shift = v["ability_mean"] - v["level_mean"]
        b = v["difficulty_sd"] * rng.standard_normal(n) - shift
        lam = v["loading_mean"] + v["loading_sd"] * rng.standard_normal((n, 2))
        p = [expit(v["level_mean"] + lam @ t - b).mean() for t in v["ability_dimension"]]
    np.testing.assert_allclose(v["score_questions"], p, atol=0.004)


def test_the_score_scale_ability():
    model = item_response(small(), score_scale="ability")
    _, v = values_at(model)
    np.testing.assert_allclose(v["score"], v["ability"])
    shift = v["ability_mean"] - v["level_mean"]
    np.testing.assert_allclose(v["score_questions"], v["ability"] + shift)
    by_task = item_response(small(), score_scale="ability", tasks="independent")
    _, v = values_at(by_task)
    np.testing.assert_allclose(v["part_score"], v["ability_by_task"].T)
    np.testing.assert_allclose(v["score"], v["ability_by_task"].mean(axis=1))
    anchored = item_response(small(), score_scale="ability", anchors={"b": 2.5})
    _, v = values_at(anchored)
    assert v["score"][1] == 2.5
    assert "scale of the anchors" in attached(anchored).estimand


def test_points_stand_for_questions_alike_in_task_and_covariates():
    task = np.array([0, 0, 1, 1, 1])
    points = points_of(task, np.array([[0.0], [1.0], [0.0], [0.0], [1.0]]))
    assert sorted(points.weight) == pytest.approx([0.2, 0.2, 0.2, 0.4])
    assert points.weight.sum() == pytest.approx(1)
    x = np.random.default_rng(1).normal(size=(300, 1))
    many = points_of(np.repeat([0, 1, 2], [150, 149, 1]), x)
    assert len(many.question) <= 34
    assert many.weight.sum() == pytest.approx(1)
    assert 299 in many.question  # a task of one question is not lost
    assert (x[many.question, 0] * many.weight).sum() == pytest.approx(x.mean(), abs=0.05)


def test_leading_questions_span_the_dimensions():
    rng = np.random.default_rng(3)
    theta = rng.normal(size=(60, 2))
    loading = np.tile([[0.3, 0.3]], (12, 1))
    loading[4], loading[9] = (3.0, 0.0), (0.0, 2.5)
    k = rng.binomial(200, expit(theta @ loading.T))
    assert sorted(leading_questions(Responses.from_counts(k, 200), 2)) == [4, 9]


def test_axes_are_fixed_by_zeros_and_signs():
    responses = small(tasks=False)
    model = item_response(responses, kind="2pl", dimensions=2)
    _, v = values_at(model)
    first, second = leading_questions(responses, 2)
    assert v["loading"][first, 1] == 0.0
    assert v["loading"][first, 0] > 0
    assert v["loading"][second, 1] > 0
    assert any("Dimensions are fixed by questions" in n for n in attached(model).notes)


# ---------------------------------------------------------------- covariates


def test_numbers_and_dates_are_standardised_and_labels_are_dummies():
    labels = ("q1", "q2", "q3", "q4")
    found = columns(
        {
            "length": {"q4": 7, "q3": 5, "q2": 3, "q1": 1},
            "when": ["2024-01-01", "2024-01-02", "2024-01-01", "2024-01-02"],
            "level": ["easy", "hard", "mid", "hard"],
        },
        labels,
        kind="question",
    )
    assert found.names == ("length", "when", "level: hard", "level: mid")
    np.testing.assert_allclose(found.values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(found.values[:, :2].std(axis=0), 1)
    np.testing.assert_allclose(found.values[:, 2], [-0.5, 0.5, -0.5, 0.5])
    assert found.scales["length"] == (4.0, pytest.approx(np.sqrt(5)))


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([1, 2, 3], ArgumentError, "has 3 values; there are 4 questions"),
        ([1, 2, None, 4], InputError, "no value for question 'q3'"),
        ([1, np.nan, 3, 4], InputError, "no value for question 'q2'"),
        ({"q1": 1, "q2": 2}, InputError, "no value for question 'q3', 'q4'"),
        ([2, 2, 2, 2], InputError, "is the same for every question"),
        (list("aaaa"), InputError, "is the same for every question"),
        (list("abcd"), InputError, "a level of its own for every question"),
    ],
)
def test_bad_covariates(values, error, message):
    with pytest.raises(error, match=message):
        columns({"x": values}, ("q1", "q2", "q3", "q4"), kind="question")


# ---------------------------------------------------------------- the marginal model


def test_the_marginal_model_has_no_difficulties_and_the_same_scores():
    model = item_response(small(), marginal=True)
    assert {v.name for v in model.free_RVs} == {
        *("ability_mean", "ability_sd", "difficulty_sd", "ability_average", "ability_offset"),
    }
    facts = attached(model)
    assert facts.populations == ("trials", "questions")
    assert facts.settings["marginal"] is True
    assert any("integrated out" in note for note in facts.notes)


def test_auto_integrates_many_alike_questions_only():
    few, many = (Responses.from_counts(np.ones((2, m), dtype=int), 3) for m in (20, 300))
    assert attached(item_response(few)).settings["marginal"] is False
    assert attached(item_response(many)).settings["marginal"] is True
    assert attached(item_response(many, marginal=False)).settings["marginal"] is False
    assert attached(item_response(many, kind="2pl")).settings["marginal"] is False


def test_accuracy_of_many_questions_is_averaged_on_a_grid():
    from bayesrank.models._item_marginal import accuracy

    rng = np.random.default_rng(1)
    theta, b = rng.normal(size=(2, 3, 5)), rng.normal(0, 2, (2, 3, 900))
    want = expit(theta[..., :, None] - b[..., None, :]).mean(axis=-1)
    np.testing.assert_allclose(accuracy(theta, b), want, atol=5e-5)
    np.testing.assert_allclose(accuracy(theta, b[..., :300]), expit(
        theta[..., :, None] - b[..., None, :300]).mean(axis=-1))  # fmt: skip


# ---------------------------------------------------------------- notes and warnings


def test_perfect_and_zero_models_and_constant_questions_are_said():
    responses = Responses.from_counts([[3, 3, 3], [0, 0, 0], [3, 1, 2]], 3, systems=list("abc"))
    notes = " ".join(attached(item_response(responses)).notes)
    assert "'a' succeeded in every trial" in notes
    assert "'b' succeeded in no trial" in notes
    assert "% of what is known of it" in notes
    constant = Responses.from_counts([[3, 0, 3], [3, 0, 1]], 3)
    assert "2 questions were solved always or never" in " ".join(
        attached(item_response(constant)).notes
    )


def test_one_model_one_question_and_cells_without_trials_are_said():
    one = " ".join(attached(item_response(Responses.from_counts([[1, 2]], 3))).notes)
    assert "There is one model" in one
    single = " ".join(attached(item_response(Responses.from_counts([[1], [2]], 3))).notes)
    assert "There is one question" in single
    holes = Responses.from_counts([[1, 0, 0], [2, 1, 0]], [[3, 0, 0], [3, 3, 0]])
    notes = " ".join(attached(item_response(holes)).notes)
    assert "3 cells have no trials" in notes
    assert "1 question was never asked" in notes


def test_guessing_that_the_data_do_not_tell_is_warned_of_with_the_priors_share():
    with pytest.warns(BayesrankWarning, match=r"from its prior mostly \(about \d+%\)"):
        item_response(small(), kind="3pl")
    rng = np.random.default_rng(1)
    p = 0.25 + 0.75 * expit(np.linspace(-5, 3, 30)[:, None] - rng.normal(size=8))
    many = Responses.from_counts(rng.binomial(40, p), 40)
    model = item_response(many, kind="3pl")  # a warning would be an error here
    assert not any("Guessing" in note for note in attached(model).notes)


def test_discrimination_that_few_trials_cannot_tell_is_said():
    notes = attached(item_response(small(), kind="2pl")).notes
    assert any("discriminate is known from the prior mostly" in n for n in notes)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"kind": "2lp"}, ArgumentError, "Did you mean '2pl'"),
        ({"marginal": "always"}, ArgumentError, "marginal='always'"),
        ({"score_scale": "logit"}, ArgumentError, "score_scale"),
        ({"tasks": "separate"}, ArgumentError, "'independent', 'correlated'"),
        ({"trend": "quadratic"}, ArgumentError, "'linear', 'random_walk'"),
        ({"dimensions": 2}, ArgumentError, "use kind='2pl'"),
        ({"dimensions": 4, "kind": "2pl"}, ArgumentError, "at most 3"),
        ({"dimensions": 2, "kind": "2pl", "score_scale": "ability"}, ArgumentError, "accuracy"),
        ({"dimensions": 2, "kind": "2pl", "tasks": "independent"}, ArgumentError, "together"),
        (
            {"dimensions": 2, "kind": "2pl", "system_covariates": {"x": [1, 2, 3, 4]}},
            ArgumentError,
            "leave dimensions= out",
        ),
        ({"trend": "linear"}, InputError, "only counts are known"),
        ({"overdispersion": "yes"}, ArgumentError, "True or False"),
        ({"tasks": "independent", "testlets": True}, ArgumentError, "for each task"),
        ({"tasks": "independent", "anchors": {"a": 1.0}}, ArgumentError, "cannot be used together"),
        ({"testlets": ["f"] * 5}, ArgumentError, "has 5 families; there are 6 questions"),
        ({"testlets": ["f"] * 6}, InputError, "all questions are of one family"),
        ({"testlets": {"question 1": "f"}}, InputError, "no family for question"),
        ({"kind": "3pl-fixed-guessing"}, ArgumentError, "needs guessing="),
        ({"guessing": 0.2}, ArgumentError, "kind='rasch' has none"),
        ({"kind": "3pl-fixed-guessing", "guessing": 1.0}, ArgumentError, r"lie in \[0, 1\)"),
        ({"kind": "3pl-fixed-guessing", "guessing": [0.1]}, ArgumentError, "has 1 chances"),
        ({"kind": "3pl-fixed-guessing", "guessing": {"x": 0.1}}, ArgumentError, "no chance for"),
        ({"anchors": {"z": 1.0}}, ArgumentError, "no model 'z'"),
        ({"prior": {"dificulty_sd": 1.0}}, ArgumentError, "Did you mean 'difficulty_sd'"),
        ({"prior": {"difficulty_sd": -1.0}}, ArgumentError, "between 0 and inf"),
        ({"prior": {"correlation": 0.1}}, ArgumentError, "does not have"),
        ({"tasks": "correlated", "prior": {"task_ability_sd": 1.0}}, ArgumentError, "every task"),
        ({"kind": "3pl", "prior": {"guessing": 0.2}}, ArgumentError, "3pl-fixed-guessing"),
        ({"marginal": True, "kind": "2pl"}, ArgumentError, "kind='2pl' does not go with it"),
        ({"marginal": True, "anchors": {"a": 1.0}}, ArgumentError, "anchors= does not go"),
    ],
)
def test_what_cannot_be_built_is_one_line(options, error, message):
    with pytest.raises(error, match=message) as caught:
        item_response(small(), **options)
    assert "\n" not in str(caught.value)


def test_data_that_an_option_cannot_be_used_with():
    with pytest.raises(ArgumentError, match="have 3 categories"):
        item_response(Responses.from_array([[[0, 1, 2]]]))
    with pytest.raises(InputError, match="one trial, which has no order"):
        item_response(Responses.from_array([[1, 0], [0, 1]]), trend="linear")
    with pytest.raises(InputError, match="these questions have none"):
        item_response(small(tasks=False), tasks="independent")
    with pytest.raises(InputError, match="takes the task of a question as its family"):
        item_response(small(tasks=False), testlets=True)
    with pytest.raises(InputError, match="there is one of each"):
        item_response(Responses.from_array([[1, 0], [0, 1]]), overdispersion=True)
    with pytest.raises(InputError, match="more than 2 questions and more than 2 models"):
        item_response(Responses.from_counts([[1, 2]], 3), kind="2pl", dimensions=2)
    many = simulate_responses(systems=3, questions=42, trials=2, tasks=21, random_seed=1)
    with pytest.raises(InputError, match=r"at most 20 tasks; there are 21.*independent"):
        item_response(many, tasks="correlated")
    with pytest.raises(ArgumentError, match="use one of 'trials', 'questions'"):
        bayesrank.sample(item_response(small()), population="tasks")


def test_populations_and_settings_are_recorded():
    model = item_response(small(), tasks="independent", prior={"ability_sd": 1.0})
    facts = attached(model)
    assert facts.populations == ("trials", "questions", "tasks")
    assert "ability_sd = 1" in facts.prior
    assert any("A part is a task" in note for note in facts.notes)
    correlated = attached(item_response(small(), tasks="correlated"))
    assert correlated.populations == ("trials", "questions")
    assert facts.settings["tasks"] == "independent"
