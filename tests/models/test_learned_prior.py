"""Bayes@N with a learned weight: density, Stan, NUTS and closed form are one posterior."""

import json

import arviz as az
import numpy as np
import nutpie
import pymc as pm
import pytest
from scipy import stats
from scipy.special import expit

import bayesrank
from bayesrank import EmpiricalPrior, Responses
from bayesrank._record import read_record
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods import CommensuratePosterior, PairedMeans
from bayesrank.models import bayes_at_n
from bayesrank.models._attach import attached
from bayesrank.models._commensurate import _build
from tests.sbc import assert_uniform

CASES = ("agreeing", "shifted")
SHARED = ("level", "auxiliary_level", "spread", "slope", "shift_sd", "weight")


def simulated(seed, *, systems=8, questions=40, trials=4, shift=0.0):
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 1, (systems, 1)) - rng.normal(0, 2, questions)
    logit = logit + rng.normal(0, 0.7, logit.shape)
    own = rng.normal(0, 1, (systems, 1)) * shift
    p = expit(logit)
    greedy = (rng.random(p.shape) < expit(3 * (logit + own))).astype(int)
    return Responses.from_counts(rng.binomial(trials, p), trials), greedy[:, :, None], p.mean(1)


def posterior_of(case):
    """Return the closed form of one data set of models/bayes_at_n_learned/data.json."""
    values = {k: np.array(v) if isinstance(v, list) else v for k, v in case["stan"].items()}
    del values["L"]
    return CommensuratePosterior(PairedMeans(**values))


def model_of(case):
    names = case["systems"]
    stub = Responses.from_counts(np.zeros((len(names), 1), dtype=int), 1, systems=names)
    return _build(stub, posterior_of(case))


@pytest.fixture(scope="session")
def cases(gallery):
    return json.loads((gallery / "bayes_at_n_learned" / "data.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def stan(gallery):
    text = (gallery / "bayes_at_n_learned" / "reference.json").read_text(encoding="utf-8")
    return json.loads(text)["references"]


def test_log_density_is_that_of_the_story(cases):
    case = cases["shifted"]
    model, data = model_of(case), case["stan"]
    logp = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    rng = np.random.default_rng(1)
    normal = stats.norm.logpdf
    for _ in range(3):
        m, c, s = rng.normal(0, 1), rng.normal(0, 1), rng.normal(0, 1, 6)
        spread, slope, shift = rng.gamma(2, 0.3, 3)
        expected = (
            normal(m, 0, 2) + normal(c, 0, 2) + stats.halfnorm.logpdf(spread, scale=0.6)
            + stats.lognorm.logpdf(slope, 0.3) + stats.halfcauchy.logpdf(shift, scale=0.008**0.5)
            + normal(s, m, spread).sum()
            + normal(data["sampled"], s, np.sqrt(data["sampled_variance"])).sum()
            + normal(data["auxiliary"], c + slope * (s - m),
                     np.sqrt(np.array(data["auxiliary_variance"]) + shift**2)).sum()
        )  # fmt: skip
        point = {
            "level": m, "auxiliary_level": c, "latent_score": s, "spread_log__": np.log(spread),
            "slope_log__": np.log(slope), "shift_sd_log__": np.log(shift),
        }  # fmt: skip
        assert float(logp(point)) == pytest.approx(expected)


@pytest.mark.parametrize("case", CASES)
def test_reference_passed_its_checks(stan, case):
    assert all(stan[case]["checks_made"].values())


@pytest.mark.parametrize("case", CASES)
def test_closed_form_agrees_with_stan(cases, stan, case):
    n = 40_000
    posterior = posterior_of(cases[case])
    hyper = posterior.hyper_draws(n, random_seed=1)
    score = np.clip(posterior.scores_of(hyper, random_seed=2), posterior.means.low, 1.0)
    ours = {name: getattr(hyper, name, None) for name in SHARED[:-1]}
    ours |= {"weight": posterior.weights_of(hyper), "score": score}
    for name, draws in ours.items():
        reference = stan[case][name]
        own = draws.std(axis=0) / np.sqrt(n)
        # The grid widens what it holds by a twelfth of its step: some thousandths of an sd.
        slack = 0.01 * draws.std(axis=0)
        reach = 4.5 * np.hypot(own, reference["mcse_mean"]) + slack
        assert (np.abs(draws.mean(axis=0) - reference["mean"]) < reach).all(), name
        np.testing.assert_allclose(draws.std(axis=0), reference["sd"], rtol=0.05, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_nuts_agrees_with_stan(cases, stan, case):
    nuts = bayesrank.sample(
        model_of(cases[case]), draws=2000, random_seed=3, progressbar=False, target_accept=0.95
    )
    assert int(nuts["sample_stats"]["diverging"].sum()) == 0
    for name in (*SHARED, "score"):
        draws, reference = nuts["posterior"][name], stan[case][name]
        reach = 4.5 * np.hypot(az.mcse(draws).to_numpy(), reference["mcse_mean"])
        gap = draws.mean(("chain", "draw")).to_numpy() - reference["mean"]
        assert (np.abs(gap) < reach).all(), name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS")
def test_nuts_is_calibrated(cases):
    """Ranks of truths drawn from the prior are uniform; compiled once."""
    model, kept = model_of(cases["agreeing"]), 99
    names = ["score", "level", "spread", "slope", "shift_sd", "weight"]
    wanted = [*(model[name] for name in names), model["sampled_mean"], model["auxiliary_mean"]]
    drawn = pm.draw(wanted, 150, random_seed=5, mode="FAST_COMPILE")
    compiled = nutpie.compile_pymc_model(model, var_names=names)
    ranks = {name: [] for name in names}
    for k in range(150):
        data = {"sampled_mean_observed": drawn[-2][k], "auxiliary_mean_observed": drawn[-1][k]}
        fit = nutpie.sample(
            compiled.with_data(**data), draws=4 * kept, tune=400, chains=1, cores=1, seed=k,
            progress_bar=False, target_accept=0.95,
        )  # fmt: skip
        rng = np.random.default_rng(k)
        for name, truth in zip(names, drawn, strict=False):
            draws = fit["posterior"][name].to_numpy()[0, ::4]
            below, same = (draws < truth[k]).sum(axis=0), (draws == truth[k]).sum(axis=0)
            # Scores at the ends of the range are ties.
            ranks[name].append(np.ravel(below + rng.integers(0, same + 1)))
    assert_uniform(ranks, kept=kept, bins=10)


@pytest.mark.slow
@pytest.mark.parametrize(("trials", "shift"), [(1, 0.0), (1, 1.0), (4, 0.3), (4, 3.0)])
def test_intervals_cover_logistic_truths(trials, shift):
    """Truths that are not of the model's own making: scores and weights are still about right."""
    hits = []
    for seed in range(60):
        data, greedy, truth = simulated(seed, systems=12, trials=trials, shift=shift)
        model = bayes_at_n(data, prior=EmpiricalPrior(greedy, weight="learned"))
        draws = attached(model).exact.posterior.draws(1000, random_seed=seed)
        low, high = np.quantile(draws, [0.025, 0.975], axis=0)
        hits.append(((low <= truth) & (truth <= high)).mean())
    error = np.std(hits) / np.sqrt(len(hits))
    assert np.mean(hits) > 0.93 - 4 * error


# ---------------------------------------------------------------- what a result says


def sampled(shift, *, weight="learned", **options):
    data, greedy, _ = simulated(3, shift=shift)
    model = bayes_at_n(data, prior=EmpiricalPrior(greedy, weight=weight))
    return bayesrank.sample(model, random_seed=1, draws=500, **options)


def test_a_result_says_what_was_learned():
    posterior = sampled(0.0)
    record = read_record(posterior)
    assert record.method == "exact"
    assert record.population == "trials"
    assert "from which the weight of auxiliary outcomes follows" in record.prior
    (note,) = record.notes
    assert note.startswith("Learned weight: an auxiliary outcome counts as 2.")
    assert note.endswith("Kendall tau-b 1.000 between their order and that of the observed trials.")
    found = posterior["posterior"]
    assert set(found.data_vars) == {"score", *SHARED}
    assert found["score"].dims == ("chain", "draw", "system")
    assert found["weight"].dims == ("chain", "draw")
    assert float(found["score"].max()) <= 1
    ranking = bayesrank.rank(posterior)
    assert ranking.table().shape[0] == 8


@pytest.mark.parametrize("weight", ["learned", "moments"])
def test_disagreement_is_said_and_weighs_little(weight):
    record = read_record(sampled(2.0, weight=weight))
    assert record.notes[0].startswith("Learned weight: an auxiliary outcome counts as 0.0")
    assert record.notes[1].startswith("Auxiliary and observed scores disagree: from model to model")


@pytest.mark.parametrize("weight", ["learned", "moments"])
def test_other_questions_resample_with_the_learned_weight(weight):
    data, greedy, _ = simulated(3, shift=1.0)
    prior = EmpiricalPrior(greedy, weight=weight)
    learned = bayesrank.sample(
        bayes_at_n(data, prior=prior), population="questions", random_seed=1, draws=100
    )
    fixed = prior.with_weight(bayesrank.priors.learned_weight(data, greedy, method=weight).weight)
    assert prior.alignment(data) > 0.5  # no warning of the fixed weight
    other = bayesrank.sample(
        bayes_at_n(data, prior=fixed), population="questions", random_seed=1, draws=100
    )
    np.testing.assert_allclose(learned["posterior"]["score"], other["posterior"]["score"])
    assert "weight 0." in read_record(learned).prior


def test_moments_are_the_fixed_prior_of_that_weight():
    data, greedy, _ = simulated(4, shift=0.3)
    weight = bayesrank.priors.learned_weight(data, greedy).weight
    one, other = (
        attached(bayes_at_n(data, prior=EmpiricalPrior(greedy, weight=w))).exact.posterior
        for w in ("moments", weight)
    )
    np.testing.assert_allclose(one.mean(), other.mean(), rtol=1e-12)


def test_categories_with_weights():
    rng = np.random.default_rng(1)
    outcomes = rng.integers(0, 3, (4, 20, 3))
    data = Responses.from_array(outcomes)
    prior = EmpiricalPrior(outcomes[:, :, :1], weight="learned")
    score = bayesrank.sample(
        bayes_at_n(data, prior=prior, weights=[-1, 0, 3]), random_seed=1, keep_probabilities=True
    )["posterior"]
    assert float(score["score"].min()) >= -1
    mean = data.question_scores([-1, 0, 3]).mean(axis=1)
    np.testing.assert_allclose(score["score"].mean(("chain", "draw")), mean, atol=0.5)
    assert score["latent_score"].dims == ("chain", "draw", "system")


def test_alpha_is_for_weights_that_are_given():
    data, greedy, _ = simulated(3)
    with pytest.raises(ArgumentError, match="Leave alpha out, or use weight='moments'"):
        bayes_at_n(data, prior=EmpiricalPrior(greedy, weight="learned", alpha=0.5))
