"""Ordinal models: density against NumPy, structure, scores, notes and refusals."""

import numpy as np
import pymc as pm
import pytest
from scipy import stats
from scipy.special import expit

import bayesrank
from bayesrank import Prior, Responses
from bayesrank.checks._response_statistics import ResponseStatistics
from bayesrank.checks.questions import information_curve
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import category_log_probabilities, ordinal_log_likelihood
from bayesrank.models import item_response, ordinal
from bayesrank.models._attach import attached
from bayesrank.models._ordinal_scores import normal_points
from bayesrank.models._ordinal_thresholds import usual_gaps

# Only Python's mode is used here, which needs no BLAS; PyTensor warns where it finds none.
pytestmark = pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS")

TRIALS = np.array([[4, 4, 0, 3, 2], [4, 4, 4, 4, 4], [1, 0, 4, 4, 5], [2, 2, 2, 2, 2]])


def counted(trials=TRIALS, *, low=1, categories=4, seed=1):
    """Scores low, low + 1, ... of models on questions, with unequal trials and empty cells."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(categories), trials.shape)
    counts = np.zeros((*trials.shape, low + categories), dtype=np.int64)
    counts[:, :, low:] = rng.multinomial(trials, p)
    return Responses(
        systems=tuple("abcdefgh"[: len(trials)]),
        questions=tuple(f"q{m}" for m in range(trials.shape[1])),
        counts=counts,
        missing=np.zeros(trials.shape, dtype=np.int64),
    )


def single(**options):
    return counted(np.minimum(TRIALS, 1), **options)


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
    """The log-density of each cell, without the multinomial coefficient."""
    f = model.compile_logp(vars=[model["counts"]], sum=False, mode="FAST_COMPILE")
    return np.asarray(f(point)[0])


# ---------------------------------------------------------------- density

KINDS = {
    "graded": {},
    "partial-credit": {"kind": "partial-credit"},
    "rating-scale": {"kind": "rating-scale"},
    "rating scale with slopes": {"kind": "rating-scale", "discrimination": True},
    "partial credit of Masters": {"kind": "partial-credit", "discrimination": False},
}


@pytest.mark.parametrize(
    ("name", "data"),
    [*((name, counted) for name in KINDS), *((name, single) for name in list(KINDS)[:3])],
)
def test_the_likelihood_and_the_score_are_those_of_numpy(name, data):
    responses = data()
    model = ordinal(responses, **KINDS[name])
    point, v = values_at(model)
    a = v.get("discrimination", np.ones(5))
    own = v.get("question_threshold", v["threshold"])
    kind = KINDS[name].get("kind", "graded")
    want, slope = ordinal_log_likelihood(
        v["ability"], v["difficulty"], thresholds=own, counts=responses.counts[:, :, 1:],
        kind=kind, discrimination=a,
    )  # fmt: skip
    assert likelihood(model, point).sum() == pytest.approx(want, rel=1e-9)
    log_p = category_log_probabilities(
        a * (v["ability"][:, None] - v["difficulty"]), a[:, None] * own, kind=kind
    )
    expected = (np.exp(log_p) @ [1, 2, 3, 4]).mean(axis=1)
    np.testing.assert_allclose(v["score"], expected, rtol=1e-9)
    # Each cell has a term of its own.
    system, question = np.nonzero(responses.observed)
    terms = (responses.counts[:, :, 1:] * log_p).sum(axis=2)[system, question]
    np.testing.assert_allclose(likelihood(model, point), terms, rtol=1e-9)
    # Thresholds and difficulties say where zero is.
    np.testing.assert_allclose(np.sum(own, axis=-1), 0, atol=1e-12)
    assert v["difficulty"].sum() == pytest.approx(0, abs=1e-12)
    assert set(slope) == {"ability", "difficulty", "thresholds", "discrimination"}


@pytest.mark.parametrize(("name", "data"), [("graded", single), ("rating-scale", counted)])
def test_the_gradient_is_finite_and_that_of_the_density(name, data):
    model = ordinal(data(), **KINDS[name])
    point, _ = values_at(model)
    f = model.compile_logp(mode="FAST_COMPILE")
    slope = model.compile_dlogp(mode="FAST_COMPILE")(point)
    assert np.isfinite(slope).all()
    step = {n: np.random.default_rng(4).normal(size=np.shape(x)) for n, x in point.items()}
    up, down = ({n: x + s * 1e-6 * step[n] for n, x in point.items()} for s in (1, -1))
    along = np.concatenate([np.ravel(step[v.name]) for v in model.value_vars])
    assert (f(up) - f(down)) / 2e-6 == pytest.approx(slope @ along, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(("options", "twin"), [({}, "2pl"), ({"kind": "rating-scale"}, "rasch")])
def test_two_categories_are_item_response_priors_and_all(options, twin):
    responses = counted(low=0, categories=2)
    ours, theirs = ordinal(responses, **options), item_response(responses, kind=twin,
                                                               marginal=False)  # fmt: skip
    assert any("this is item_response with kind=" in n for n in attached(ours).notes)
    names = {v.name for v in theirs.value_vars}
    assert names == {v.name for v in ours.value_vars}
    points = [values_at(ours, seed)[0] for seed in (1, 2)]
    # Centring differs: compare what is sampled in the same units.
    for data in ours.data_vars:
        if data.name.endswith("_centring"):
            data.set_value(theirs[data.name].get_value())
    ours, theirs = (m.compile_logp(mode="FAST_COMPILE") for m in (ours, theirs))
    for point in points:
        assert float(ours(point)) == pytest.approx(float(theirs(point)), rel=1e-9)


def test_the_story_of_thresholds():
    """Densities of the common thresholds and of the questions' own, by SciPy."""
    model = ordinal(counted())
    point, v = values_at(model)
    terms = dict(zip([x.name for x in model.free_RVs],
                     model.compile_logp(vars=model.free_RVs, sum=False, mode="FAST_COMPILE")(point),
                     strict=True))  # fmt: skip
    # Spacings are gaps in units of those at which a typical model gets all scores alike.
    np.testing.assert_allclose(usual_gaps(4), [np.log(3), np.log(3)])
    np.testing.assert_allclose(np.diff(v["threshold"]), usual_gaps(4) * v["threshold_spacing"])
    log_spacing = np.log(v["threshold_spacing"])
    want = stats.norm.logpdf(log_spacing).sum()  # a density of the logarithms
    assert terms["threshold_spacing"].sum() == pytest.approx(want)
    c = model["threshold_centring"].get_value()
    apart = np.log(np.diff(v["question_threshold"])) - np.log(np.diff(v["threshold"]))
    scale = v["threshold_sd"] ** (1 - c)
    want = (stats.norm.logpdf(apart / v["threshold_sd"]) - np.log(v["threshold_sd"])).sum()
    # Jacobian: from offsets to logarithms of gaps.
    found = terms["threshold_offset"].sum() - apart.size * np.log(scale)
    assert found == pytest.approx(want)


def test_missing_cells_do_not_exist_and_counts_are_not_rows():
    model = ordinal(counted())
    assert model["counts_observed"].get_value().shape == (18, 4)
    n = model["n_trials"].get_value()
    assert n.min() == 1
    assert n.sum() == TRIALS.sum()
    many = TRIALS * 1000
    assert ordinal(counted(many))["counts_observed"].get_value().shape == (18, 4)


@pytest.mark.parametrize("name", ["graded", "partial-credit", "rating-scale"])
def test_draws_of_counts_keep_the_trials(name):
    model = ordinal(counted(), **KINDS[name])
    drawn = pm.draw(model["counts"], 3, random_seed=1, mode="FAST_COMPILE")
    assert drawn.shape[1:] == (18, 4)
    assert (drawn.sum(axis=2) == model["n_trials"].get_value()).all()


# ---------------------------------------------------------------- scores


def on_new_questions(v, kind, weights, n=400_000):
    """Mean weight on simulated new questions, shape (system,), and its error."""
    rng = np.random.default_rng(5)
    T = len(weights) - 1
    common = v["threshold"]
    z = rng.standard_normal((n, 2 + T))
    sd, rho = v["difficulty_sd"], v.get("correlation", 0.0)
    a, b = np.ones(n), sd * z[:, 0]
    if "log_discrimination_sd" in v:
        a = np.exp(v["log_discrimination_sd"] * z[:, 1])
        b = sd * (rho * z[:, 1] + np.sqrt(1 - rho**2) * z[:, 0])
    own = np.broadcast_to(common, (n, T))
    if "threshold_sd" in v and kind == "graded":
        gaps = np.diff(common) * np.exp(v["threshold_sd"] * z[:, 2 : 1 + T])
        own = np.concatenate([np.zeros((n, 1)), gaps.cumsum(axis=1)], axis=1)
        own = own - own.mean(axis=1, keepdims=True)
    elif "threshold_sd" in v:
        eps = v["threshold_sd"] * z[:, 2:]
        own = common + eps - eps.mean(axis=1, keepdims=True)
    mean, error = [], []
    for theta in v["ability"] + v["shift"]:
        p = np.exp(category_log_probabilities(a * (theta - b), a[:, None] * own, kind=kind))
        score = p @ weights
        mean.append(score.mean())
        error.append(score.std() / np.sqrt(n))
    return np.array(mean), np.array(error)


@pytest.mark.parametrize("name", ["graded", "partial-credit", "rating-scale"])
def test_the_score_on_new_questions_is_the_mean_over_simulated_ones(name):
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    model = ordinal(counted(categories=5), score_range=(1, 5), **KINDS[name])
    _, v = values_at(model, seed=8)
    # By how much these questions are harder by chance, from the two scores of ability.
    v["shift"] = v["ability_mean"] - v["level_mean"]
    mean, error = on_new_questions(v, KINDS[name].get("kind", "graded"), weights)
    # The integral is over few points: a thousandth of the range, and the error of the simulation.
    np.testing.assert_array_less(np.abs(v["score_questions"] - mean), 0.004 + 4 * error)


@pytest.mark.parametrize("dimensions", [1, 2, 5, 9])
def test_points_have_the_moments_of_standard_normals(dimensions):
    z = normal_points(dimensions)
    assert len(z) == 2 * dimensions
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(z.T @ z / len(z), np.eye(dimensions), atol=1e-12)


def test_weights_and_scales_of_the_score():
    responses = counted()
    _, v = values_at(ordinal(responses))
    _, w = values_at(ordinal(responses, weights=[0, 0, 1, 1]))
    # Scores of 3 and more: the second of three thresholds.
    a, t = v["discrimination"], v["question_threshold"][:, 1]
    reached = expit(a * (v["ability"][:, None] - v["difficulty"] - t))
    np.testing.assert_allclose(w["score"], reached.mean(axis=1), rtol=1e-9)
    model = ordinal(responses, score_scale="ability")
    _, u = values_at(model)
    np.testing.assert_allclose(u["score"], u["ability"])
    views = attached(model).views
    assert views["trials"].estimand.startswith("ability in logits against the average difficulty")
    assert (
        attached(ordinal(responses)).estimand == "mean over these questions of the expected score"
    )
    weighted = attached(ordinal(responses, weights=[0, 0, 1, 1]))
    assert "expected weight of the score" in weighted.estimand
    assert "worth 1 = 0, 2 = 0, 3 = 1, 4 = 1" in weighted.notes[0]


def test_permuting_models_permutes_the_likelihood():
    responses = counted()
    order = [2, 0, 3, 1]
    other = responses.select(systems=[responses.systems[i] for i in order])
    one, two = ordinal(responses), ordinal(other)
    point, _ = values_at(one)
    turned = {**point, "ability_offset": point["ability_offset"][order]}
    for data in two.data_vars:
        if data.name == "ability_centring":
            data.set_value(one[data.name].get_value()[order])
    f = [m.compile_logp(mode="FAST_COMPILE") for m in (one, two)]
    assert f[0](point) == pytest.approx(f[1](turned), rel=1e-10)


def test_covariates_of_models_move_abilities():
    responses = counted()
    model = ordinal(responses, system_covariates={"size": {"a": 1, "b": 2, "c": 4, "d": 9}})
    assert model.named_vars_to_dims["system_effect"] == ("system_covariate",)
    assert attached(model).settings["system_covariates"]["size"]["mean"] == 4.0
    point, v = values_at(model)
    size = (np.array([1, 2, 4, 9]) - 4) / np.std([1, 2, 4, 9])
    c = model["ability_centring"].get_value()
    # Offsets at their location leave abilities at the regression.
    _, free = values_at(model)
    want = v["level_mean"] + size * v["system_effect"][0]
    scale = np.exp(np.log(v["discrimination"]).mean())
    sd = v["ability_sd"] * scale
    back = want * scale + sd ** (1 - c) * (point["ability_offset"] - c * want * scale)
    np.testing.assert_allclose(free["ability"], back / scale, rtol=1e-9)


# ---------------------------------------------------------------- categories


def test_scores_are_categories_from_the_lowest_to_the_highest():
    responses = counted(low=3, categories=3)
    found = attached(ordinal(responses))
    assert found.settings["score_range"] == [3, 5]
    assert found.settings["weights"] == [3.0, 4.0, 5.0]
    assert found.notes[0].startswith("Scores are ordered categories, 3 to 5; where the scale is")
    assert found.data.n_categories == 3
    wide = ordinal(responses, score_range=(1, 10))
    assert wide.coords["category"] == tuple(range(1, 11))
    assert wide.coords["step"][0] == "1 | 2"
    notes = attached(wide).notes
    assert notes[0] == "Scores are ordered categories, 1 to 10."
    assert notes[1].startswith("Nobody got scores 1, 2, 6, 7, 8, 9, 10; they keep what the prior")


def test_outcomes_of_trials_are_kept_as_categories():
    responses = Responses.from_array([[[3, 5], [4, -1]], [[5, 3], [3, 3]]])
    data = attached(ordinal(responses)).data
    assert data.outcomes.tolist() == [[[0, 2], [1, -1]], [[2, 0], [0, 0]]]


def test_a_category_nobody_used_costs_nothing_and_keeps_its_prior():
    responses = counted(categories=3)
    for kind in ("graded", "rating-scale"):
        model = ordinal(responses, kind=kind, score_range=(0, 5))
        point, v = values_at(model)
        assert np.isfinite(likelihood(model, point)).all()
        assert len(v["threshold"]) == 5


def test_notes():
    one = attached(ordinal(counted(TRIALS[:1, :2]))).notes
    assert any(n.startswith("There is one model") for n in one)
    alone = attached(ordinal(counted(TRIALS[:, :1]))).notes
    assert any(n.startswith("There is one question") for n in alone)
    counts = np.zeros((2, 3, 3), dtype=np.int64)
    counts[0, :, 2] = 4
    counts[1, :, 0] = 4
    ends = Responses(("top", "bottom"), ("x", "y", "z"), counts, np.zeros((2, 3), dtype=np.int64))
    notes = attached(ordinal(ends)).notes
    assert any(n.startswith("'top' got the highest score only") for n in notes)
    assert any(n.startswith("'bottom' got the lowest score only") for n in notes)
    sparse = attached(ordinal(single())).notes
    assert any("thresholds lie is known from those of all questions mostly" in n for n in sparse)
    assert any("2 cells have no trials" in n for n in sparse)
    assert not any("mostly" in n for n in attached(ordinal(counted(TRIALS * 500))).notes)


def test_priors_by_name_and_in_words():
    model = ordinal(counted(), kind="partial-credit", prior={"threshold_sd": 0.3,
                    "threshold": Prior("Normal", mu=0, sigma=2)})  # fmt: skip
    said = attached(model).prior
    assert "threshold ~ Normal(mu=0, sigma=2); threshold_sd = 0.3" in said
    # A logit a step is as many logits as there are steps: scales shrink by 2 over categories.
    assert "ability_mean ~ Normal(mu=0, sigma=1)" in said
    assert "ability_mean ~ Normal(mu=0, sigma=2)" in attached(ordinal(counted())).prior
    _, v = values_at(model)
    assert v["threshold"].sum() == pytest.approx(0, abs=1e-12)


# ---------------------------------------------------------------- refusals

BAD = {
    "kind": ({"kind": "grade"}, ArgumentError, "kind='grade' is not known; use one of 'graded'"),
    "weights": ({"weights": [0, 1]}, ArgumentError, r"one weight for each of the 4 categories"),
    "infinite": ({"weights": [0, 1, 2, np.inf]}, ArgumentError, "must be finite"),
    "equal": ({"weights": [1, 1, 1, 1]}, ArgumentError, "weights= are 1 for every category"),
    "above": (
        {"score_range": (1, 3)}, InputError,
        r"array: score 4 \(model '.', question 'q.'\) is outside the range 1 to 3\.",
    ),
    "below": ({"score_range": (2, 9)}, InputError, "score 1 .* is outside the range 2 to 9"),
    "turned": ({"score_range": (4, 1)}, ArgumentError, "highest score has to be above the lowest"),
    "no range": ({"score_range": 10}, ArgumentError, "score_range=10 is no range"),
    "fraction": ({"score_range": (1, 4.5)}, ArgumentError, "highest of score_range=4.5 must be"),
    "negative": ({"score_range": (-1, 4)}, ArgumentError, "lowest of score_range=-1 must be"),
    "too wide": ({"score_range": (0, 100)}, InputError, "101 ordered categories; at most 32"),
    "scale": ({"score_scale": "accuracy"}, ArgumentError, "score_scale='accuracy' is not known"),
    "slopes": ({"discrimination": "yes"}, ArgumentError, "discrimination='yes' is not known"),
    "prior": (
        {"prior": {"threshold": 0.0}}, ArgumentError,
        r"prior= names 'threshold', which this model does not have; .* Did you mean 'threshold_sd'",
    ),
    "spacing": ({"prior": {"threshold_spacing": 0.0}}, ArgumentError, "must lie between 0 and inf"),
    "covariate": (
        {"system_covariates": {"size": [1, 2]}}, ArgumentError, "has 2 values; there are 4 models",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused_is_one_line(name):
    options, error, message = BAD[name]
    with pytest.raises(error, match=message) as caught:
        ordinal(counted(), **options)
    assert "\n" not in str(caught.value)


def test_one_category_orders_nothing():
    responses = Responses.from_array([[7, 7], [7, 7]])
    with pytest.raises(InputError, match="every score is 7, and one category orders nothing"):
        ordinal(responses)
    assert attached(ordinal(responses, score_range=(1, 10))).settings["score_range"] == [1, 10]


def test_scores_that_are_no_whole_numbers():
    with pytest.raises(InputError, match=r"outcome 7\.5 .* is no category; use 0, 1"):
        Responses.from_array([[7.5, 3.0]])


def test_questions_of_success_and_failure_are_not_looked_for():
    model = ordinal(counted(TRIALS[:2, :3]))
    rng = np.random.default_rng(1)
    dims = {n: model.named_vars_to_dims[n] for n in ("score", "ability", "difficulty", "threshold")}
    sizes = {"system": 2, "question": 3, "step": 3}
    import xarray as xr

    posterior = xr.DataTree.from_dict({"posterior": xr.Dataset({
        n: (("chain", "draw", *d), rng.normal(size=(2, 50, *(sizes[x] for x in d))))
        for n, d in dims.items()
    })})  # fmt: skip
    with pytest.raises(ArgumentError, match="several ordered categories"):
        information_curve(posterior)


def test_replicates_are_looked_at_by_their_scores():
    model = ordinal(counted())
    looked_at = ResponseStatistics.of(model, attached(model).data)
    observed = looked_at.observed()
    again = looked_at.replicated(model["counts_observed"].get_value()[np.newaxis])
    for name, (labels, values) in observed.items():
        assert again[name][0] == labels
        np.testing.assert_allclose(again[name][1], values)
    n = TRIALS[1]
    cells = counted().counts[1] @ np.arange(5) / n
    assert observed["accuracy"][1][0, 1] == pytest.approx(cells.mean())


def test_it_is_public():
    assert bayesrank.models.ordinal is ordinal
