"""New judges, prompts, questions: comparisons resampled and strengths fitted again, as by hand."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import bayesrank
from bayesrank import Comparisons, Prior, simulate_responses
from bayesrank._record import read_record
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.inference.flat import flatten
from bayesrank.inference.refits import Refits
from bayesrank.likelihoods import fit_paired
from bayesrank.likelihoods.paired_bootstrap import clusters_of
from bayesrank.models import bradley_terry
from bayesrank.models._attach import attached

L, SD = 5, 2.0
ROWS, COLUMNS = np.triu_indices(L, 1)
PRIOR = {"strength": Prior("ZeroSumNormal", sigma=SD), "tie": Prior("Normal", mu=0, sigma=100.0)}


def judged(judges, *, per_pair=3, seed=1):
    """Judges with tastes of their own: their votes are alike, and fewer votes than they look."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(1, -1, L)
    rows = []
    for k in range(judges):
        own = strength + rng.normal(0, 0.8, L)
        for i, j in zip(ROWS, COLUMNS, strict=True):
            p = 0.8 / (1 + np.exp(own[j] - own[i]))
            rows.append((i, j, k, *rng.multinomial(per_pair, [p, 0.8 - p, 0.2])))
    i, j, k, wins, losses, ties = np.array(rows).T
    return Comparisons.from_counts(
        [f"m{x}" for x in i],
        [f"m{x}" for x in j],
        wins,
        losses,
        ties=ties,
        factors={"judge": [f"j{x:03}" for x in k]},
    )


@pytest.fixture(scope="module")
def comparisons():
    return judged(60)


@pytest.fixture(scope="module")
def model(comparisons):
    return bradley_terry(comparisons, prior=PRIOR)


@pytest.fixture(scope="module")
def refitting(model):
    return attached(model).resampling


@pytest.fixture(scope="module")
def flat(refitting):
    return flatten(refitting.weighted_model())


@pytest.fixture(scope="module")
def refits(flat):
    return Refits.of(flat)


def strengths(flat, point):
    return flat.variables(point[None], ["strength"])["strength"][0]


def test_weights_of_one_give_the_mode(comparisons, refitting, flat, refits):
    clusters = refitting.clusters("judges")
    counts = clusters.weighted(np.ones((1, clusters.size)))[0]
    same = flat.with_data(refitting.observed(counts, flat.data))
    for name, values in flat.data.items():
        np.testing.assert_allclose(same.data[name], values)
    np.testing.assert_allclose(refits.again(same), refits.mode, atol=1e-6)
    by_hand = fit_paired(comparisons, prior_sd=SD)
    np.testing.assert_allclose(strengths(flat, refits.mode), by_hand.strength, atol=1e-4)


def test_a_refit_is_the_fit_of_the_weighted_counts(comparisons, refitting, flat, refits):
    rng = np.random.default_rng(5)
    clusters = refitting.clusters("judges")
    coarse = comparisons.collapse()
    for counts in next(iter(clusters.blocks(5, rng))):
        found = refits.again(flat.with_data(refitting.observed(counts, flat.data)))
        wins, losses, ties, _ = counts.T
        weighted = replace(coarse, wins=wins, losses=losses, ties=ties, weighted=True)
        by_hand = fit_paired(weighted, prior_sd=SD)
        # A thousandth of the standard errors, which are near .1.
        np.testing.assert_allclose(strengths(flat, found), by_hand.strength, atol=1e-3)


def test_the_spread_is_that_of_the_sandwich(comparisons, model):
    """Against the cluster-robust covariance, scaled to a t interval by (M - 1) / (M - 3)."""
    posterior = bayesrank.sample(model, population="judges", random_seed=1, draws=500)
    score = posterior["posterior"]["score"]
    by_hand = fit_paired(comparisons, prior_sd=SD)
    inverse = by_hand.covariance
    s, tie = by_hand.strength, by_hand.tie
    slopes = []
    for k in range(60):
        chosen = comparisons.factors["judge"].codes == k
        one = replace(comparisons, factors={}, **{n: getattr(comparisons, n)[chosen] for n in
                      ("first", "second", "wins", "losses", "ties", "ties_bothbad")})  # fmt: skip
        from bayesrank.likelihoods.paired import paired_terms

        terms = paired_terms(
            s[one.first] - s[one.second], tie, one.wins, one.losses, one.ties, ties="davidson"
        )
        slope = np.zeros(L + 1)
        np.add.at(slope, one.first, terms.d_eta)
        np.add.at(slope, one.second, -terms.d_eta)
        slope[-1] = terms.d_tie.sum()
        slopes.append(slope)
    slopes = np.array(slopes)
    spread = slopes - slopes.mean(axis=0)
    covariance = inverse @ (spread.T @ spread) @ inverse * 60 / 59 * 59 / 57
    np.testing.assert_allclose(
        score.std(("chain", "draw")), np.sqrt(np.diag(covariance))[:L], rtol=0.12
    )
    battles = bayesrank.sample(model, method="laplace", random_seed=1)["posterior"]["score"]
    assert bool((score.std(("chain", "draw")) > 1.3 * battles.std(("chain", "draw"))).all())
    error = score.std(("chain", "draw")) / np.sqrt(2000)
    centre = score.mean(("chain", "draw")).to_numpy() - s
    assert (np.abs(centre) < 5 * error + 0.1 * score.std(("chain", "draw"))).all()


def test_what_is_recorded(model):
    posterior = bayesrank.sample(model, population="judges", random_seed=3, draws=60)
    record = read_record(posterior)
    assert (record.population, record.method) == ("judges", "bootstrap")
    assert record.estimand.endswith("under new judges like these")
    assert record.notes[0].startswith("60 judges are resampled, with all of their comparisons")
    assert record.prior.startswith("strength ~ ZeroSumNormal")
    assert {"score", "strength", "tie"} <= set(posterior["posterior"].data_vars)
    again = bayesrank.sample(model, population="judges", random_seed=3, draws=60)
    np.testing.assert_array_equal(again["posterior"]["score"], posterior["posterior"]["score"])


def test_few_judges_warn_and_are_stretched(interpreted):
    few = judged(3, per_pair=12)
    model = bradley_terry(few, prior=PRIOR)
    with pytest.warns(BayesrankWarning, match="Only 3 judges"):
        posterior = bayesrank.sample(model, population="judges", random_seed=1, draws=20)
    assert any("Only 3 judges" in note for note in read_record(posterior).notes)
    assert clusters_of(few, "judge").stretch > 3


def test_one_judge_and_unknown_units_are_errors(comparisons):
    one = bradley_terry(judged(1, per_pair=30), prior=PRIOR)
    with pytest.raises(InputError, match="only one judge: how judges differ cannot be seen"):
        bayesrank.sample(one, population="judges")
    model = bradley_terry(comparisons, prior=PRIOR)
    with pytest.raises(ArgumentError, match="the comparisons have no prompt; they have judge"):
        bayesrank.sample(model, population="prompts")
    with pytest.raises(ArgumentError, match="population='questions' is not known"):
        bayesrank.sample(model, population="questions")
    with pytest.raises(ArgumentError, match=r"draws from a model of battles.*population='battles'"):
        bayesrank.sample(model, population="judges", method="nuts")
    with pytest.raises(ArgumentError, match="take no sampler settings"):
        bayesrank.sample(model, population="judges", cores=1)


@pytest.mark.parametrize(
    "options", [{"side": True, "judges": "both"}, {"ties": "rao_kupper"}, {"ties": "half"}]
)
def test_options_of_the_model_are_kept(options, interpreted):
    data = replace(judged(8, per_pair=20), sided=True)
    model = bradley_terry(data, **options)
    posterior = bayesrank.sample(model, population="judges", random_seed=1, draws=10, chains=1)
    own = bayesrank.sample(model, method="laplace", random_seed=1, draws=400)
    assert set(posterior["posterior"].data_vars) == set(own["posterior"].data_vars)
    gap = posterior["posterior"]["score"] - own["posterior"]["score"].mean(("chain", "draw"))
    assert float(np.abs(gap.mean(("chain", "draw"))).max()) < 0.4


def test_two_kinds_of_ties_and_categories(interpreted):
    rng = np.random.default_rng(3)
    pairs = list(zip(ROWS, COLUMNS, strict=True))
    rows = [(i, j, k, c) for i, j in pairs for k in range(8) for c in "xy"]
    edge = np.array([(j - i) / 2 + (c == "x") * ((i + j) % 3 - 1) for i, j, _, c in rows])
    means = np.stack([4 * np.exp(edge / 2), 4 * np.exp(-edge / 2), 0 * edge + 3, 0 * edge + 2])
    counts = 1 + rng.poisson(means.T)
    data = Comparisons.from_counts(
        [f"m{r[0]}" for r in rows],
        [f"m{r[1]}" for r in rows],
        counts[:, 0],
        counts[:, 1],
        ties=counts[:, 2],
        ties_bothbad=counts[:, 3],
        factors={"prompt": [r[2] for r in rows], "category": [r[3] for r in rows]},
    )
    for options in ({"bothbad": "quality"}, {"categories": True}):
        model = bradley_terry(data, **options)
        refitting = attached(model).resampling
        flat = flatten(refitting.weighted_model())
        clusters = refitting.clusters("prompts")
        counts = clusters.weighted(np.ones((1, clusters.size)))[0]
        for name, values in refitting.observed(counts, flat.data).items():
            np.testing.assert_allclose(values, flat.data[name])
        posterior = bayesrank.sample(model, population="prompts", random_seed=1, draws=3, chains=1)
        assert ("part_score" in posterior["posterior"]) == ("categories" in options)


def test_models_that_do_not_differ(interpreted):
    """There is no joint mode with their scale, which then stays where its prior puts it."""
    counts = np.full(len(ROWS), 100)
    factors = {"judge": np.arange(len(ROWS)) % 10}
    same = Comparisons.from_counts(ROWS.tolist(), COLUMNS.tolist(), counts, counts, factors=factors)
    posterior = bayesrank.sample(
        bradley_terry(same), population="judges", draws=10, chains=1, random_seed=1
    )
    assert float(np.abs(posterior["posterior"]["score"]).max()) < 0.01


def test_induced_comparisons_are_about_new_questions(interpreted):
    responses = simulate_responses(systems=4, questions=40, trials=4, random_seed=2)
    for pairing in ("expected", "trial"):
        model = bradley_terry(Comparisons.from_responses(responses, pairing=pairing))
        new = bayesrank.sample(model, random_seed=1, draws=25, chains=2)
        record = read_record(new)
        assert (record.population, record.method) == ("questions", "bootstrap")
        assert record.notes[0].startswith("40 questions are resampled")
        assert not any("too narrow" in note for note in record.notes)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            old = bayesrank.sample(model, population="battles", method="laplace", random_seed=1)
        assert any("not independent" in note for note in read_record(old).notes)
        one, two = (x["posterior"]["score"].std(("chain", "draw")) for x in (new, old))
        assert float((one / two).mean()) > 1.3


def test_changed_data_are_not_resampled(comparisons):
    model = bradley_terry(comparisons, prior=PRIOR)
    model.set_data("outcomes_observed", 0 * model["outcomes_observed"].get_value())
    with pytest.raises(ArgumentError, match="build it anew"):
        bayesrank.sample(model, population="judges")
