"""Posteriors of rules: what they are about, against known answers, and what is refused."""

import numpy as np
import pytest

import bayesrank
from bayesrank import Comparisons, Responses, rules
from bayesrank._record import read_record
from bayesrank.exceptions import BayesrankError, BayesrankWarning
from bayesrank.likelihoods import bootstrap_scores, dirichlet_posterior
from bayesrank.rules._cell_draws import _redrawn

DATA = bayesrank.simulate_responses(systems=4, questions=24, trials=5, random_seed=3)
BATTLES = Comparisons.from_counts(
    ["a", "a", "b"] * 8, ["b", "c", "c"] * 8, [3, 2, 2] * 8, [1, 1, 2] * 8, ties=[1, 0, 1] * 8,
    factors={"judge": [f"j{i // 3}" for i in range(24)]},
)  # fmt: skip

PROMPTED = bayesrank.simulate_responses(systems=4, questions=24, trials=2, prompts=8, random_seed=3)


def scores(*args, **options):
    return rules.posterior(*args, random_seed=1, **options)["posterior"]["score"]


def test_a_posterior_is_ranked_and_says_what_it_is():
    tree = rules.posterior(
        rules.get("schulze", ties="ignore"), DATA, population="questions", draws=200, random_seed=1
    )
    record = read_record(tree)
    assert (record.population, record.method) == ("questions", "bootstrap")
    assert record.model == "schulze (ties=ignore)"
    assert "24 questions are resampled" in record.notes[0]
    assert tree["posterior"]["score"].sizes == {"chain": 4, "draw": 50, "system": 4}
    assert tree["constant_data"]["trials"].values.tolist() == [120] * 4
    ranking = bayesrank.rank(tree)
    assert "schulze" in bayesrank.reports.render(ranking)
    assert 0 <= ranking.dataset["p_best"].values.min() <= 1


def test_the_same_seed_gives_the_same_draws():
    again = [scores("borda", DATA, population="questions", draws=40) for _ in range(2)]
    np.testing.assert_array_equal(*again)
    trials = [scores("borda", DATA, draws=40) for _ in range(2)]
    np.testing.assert_array_equal(*trials)


@pytest.mark.parametrize(("prior", "alpha"), [("jeffreys", 0.5), ("uniform", 1.0)])
def test_trials_of_the_mean_are_the_exact_posterior(prior, alpha):
    found = scores("mean", DATA, prior=prior, draws=4000).values.reshape(-1, 4)
    exact = dirichlet_posterior(DATA, concentration=alpha).draws(4000, random_seed=2)
    np.testing.assert_allclose(found.mean(axis=0), exact.mean(axis=0), atol=0.005)
    np.testing.assert_allclose(found.std(axis=0), exact.std(axis=0), rtol=0.08)


def test_questions_of_the_mean_are_the_bootstrap_of_observed_scores():
    found = scores("mean", DATA, population="questions", draws=4000).values.reshape(-1, 4)
    known = bootstrap_scores(DATA, ("questions",), draws=4000, random_seed=2).draws
    np.testing.assert_allclose(found.mean(axis=0), known.mean(axis=0), atol=0.01)
    np.testing.assert_allclose(found.std(axis=0), known.std(axis=0), rtol=0.08)


@pytest.mark.parametrize("name", ["bradley_terry", "davidson", "rasch", "hodge_rank", "borda"])
@pytest.mark.parametrize("population", ["trials", "questions"])
def test_draws_order_models_as_the_rule_does_on_all_data(name, population):
    options = {"prior": "gaussian"} if "prior" in rules.get(name).options else {}
    rule = rules.get(name, **options)
    found = scores(rule, DATA, population=population, draws=200).values.reshape(-1, 4)
    centre = rule(DATA).values
    assert (found.mean(axis=0).argsort() == centre.argsort()).all()
    if name == "borda" and population == "trials":
        # Observed counts of voters carry noise that pulls Borda's scores towards each other. So
        # does the pooled prior; the usual one of voting rules does not.
        drawn = scores(rule, DATA, population=population, draws=200, prior="pooled")
        found = drawn.values.reshape(-1, 4)
        assert (found.mean(axis=0).argsort() == centre.argsort()).all()
    if population == "questions" or name in ("hodge_rank", "borda"):
        assert (np.abs(found.mean(axis=0) - centre) < 2 * found.std(axis=0) + 0.05).all()


def test_votes_are_drawn_under_abilities_and_difficulties_unless_a_prior_is_named():
    usual, crossed, pooled, mean = (
        rules.posterior(name, DATA, draws=40, random_seed=1, prior=prior)
        for name, prior in (("borda", None), ("borda", "crossed"), ("borda", "pooled"),
                            ("mean", None))
    )  # fmt: skip
    np.testing.assert_array_equal(usual["posterior"]["score"], crossed["posterior"]["score"])
    words = [read_record(tree).prior for tree in (usual, pooled, mean)]
    assert ["abilities and difficulties" in said for said in words] == [True, False, False]
    spread = [float(tree["posterior"]["score"].std("system").mean()) for tree in (usual, pooled)]
    assert spread[0] > spread[1]


@pytest.mark.parametrize("name", ["elo", "majority_judgment"])
def test_whole_questions_are_resampled_for_streams(name):
    tree = rules.posterior(name, DATA, population="questions", draws=20, random_seed=1)
    assert "whole, with replacement" in read_record(tree).notes[0]


def test_predictive_counts_of_the_mean_are_beta_binomial():
    found = scores("mean", DATA, prior="jeffreys", counts="predictive", draws=4000)
    found = found.values.reshape(-1, 4)
    k, n = DATA.successes + 0.5, DATA.n_trials + 1.0
    p = k / n
    # Of five new trials, with the uncertainty of their probability.
    variance = (p * (1 - p) / 5 * (n + 5) / (n + 1)).sum(axis=1) / p.shape[1] ** 2
    np.testing.assert_allclose(found.mean(axis=0), p.mean(axis=1), atol=0.006)
    np.testing.assert_allclose(found.std(axis=0), np.sqrt(variance), rtol=0.08)
    tree = rules.posterior("mean", DATA, counts="predictive", draws=4, random_seed=1)
    assert "noise of those trials" in read_record(tree).notes[0]
    # Whole trials: of five, the mean over 24 questions is a multiple of 1 / 120.
    np.testing.assert_allclose(found * 120, np.rint(found * 120), atol=1e-9)


@pytest.mark.parametrize("name", ["elo", "davidson_luce", "bradley_terry"])
def test_new_trials_take_the_place_of_the_old_for_rules_of_single_trials(name):
    rule = rules.get(name)
    if "prior" in rule.options:
        rule = rule.bind(prior="gaussian")
    if "pairing" in rule.options:
        rule = rule.bind(pairing="trial")
    found = scores(rule, DATA, counts="predictive", draws=80).values.reshape(-1, 4)
    centre = rule(DATA).values
    assert (np.abs(found.mean(axis=0) - centre) < 2 * found.std(axis=0)).all()
    # All is certain, but for the prior: so are the new trials.
    sure = Responses.from_array(np.tile([[[1] * 400], [[0] * 400]], (1, 3, 1)))
    again = scores(rules.get("elo"), sure, counts="predictive", draws=4, prior="jeffreys")
    assert (again.sel(system="model 1") > again.sel(system="model 2")).all()


def test_missing_trials_stay_missing_where_new_ones_are_drawn():
    outcomes = np.array([[[1, -1, 1], [0, 1, -1]], [[0, 1, 1], [1, 1, 0]]])
    evidence = rules.get("elo").evidence(Responses.from_array(outcomes))
    drawn = _redrawn(evidence, np.tile([0.5, 0.5], (2, 2, 1)), np.random.default_rng(1))
    np.testing.assert_array_equal(drawn.outcomes < 0, outcomes < 0)
    np.testing.assert_array_equal(drawn.known_counts[0].sum(axis=2), (outcomes >= 0).sum(axis=2))
    np.testing.assert_array_equal(drawn.known_counts[0, :, :, 1], (drawn.outcomes == 1).sum(axis=2))


def test_prompts_of_the_mean_are_the_bootstrap_of_observed_means():
    found = scores("mean", PROMPTED, population="prompts", draws=4000).values.reshape(-1, 4)
    known = bootstrap_scores(PROMPTED, ("prompts",), draws=4000, random_seed=2).draws
    np.testing.assert_allclose(found.mean(axis=0), known.mean(axis=0), atol=0.005)
    np.testing.assert_allclose(found.std(axis=0), known.std(axis=0), rtol=0.08)
    np.testing.assert_allclose(np.corrcoef(found.T), np.corrcoef(known.T), atol=0.08)


def test_prompts_that_are_alike_leave_nothing_uncertain_and_missing_ones_are_said():
    once = bayesrank.simulate_responses(systems=3, questions=9, trials=2, random_seed=1).outcomes
    same = Responses.from_array(np.tile(once, 8), prompts=[f"p{i // 2}" for i in range(16)])
    for name in ("borda", "schulze", "hodge_rank"):
        found = scores(name, same, population="prompts", draws=8).values.reshape(-1, 3)
        np.testing.assert_allclose(found, np.tile(rules.get(name)(same).values, (8, 1)), atol=1e-9)
    outcomes = np.tile(once, 8)
    outcomes[0, 0, :2] = -1
    holed = Responses.from_array(outcomes, prompts=[f"p{i // 2}" for i in range(16)])
    tree = rules.posterior("borda", holed, population="prompts", draws=4, random_seed=1)
    assert "1 cells lack a prompt" in read_record(tree).notes[-1]


def test_tasks_are_resampled_whole():
    data = Responses.from_counts(
        np.tile([[1, 9], [5, 5]], 8), 10, tasks=[f"t{i // 2}" for i in range(16)]
    )
    # All tasks are alike, so nothing is uncertain.
    found = scores("mean", data, population="tasks", draws=40).values
    np.testing.assert_allclose(found, 0.5)


def test_few_questions_are_warned_of_and_stretched():
    data = Responses.from_counts([[1, 4, 6], [5, 7, 9]], 10)
    with pytest.warns(BayesrankWarning, match="Only 3 questions"):
        found = scores("mean", data, population="questions", draws=2000).values.reshape(-1, 2)
    own = data.successes / 10
    # The spread of a t interval with two degrees of freedom.
    expected = own.std(axis=1, ddof=1) / 3**0.5 * np.sqrt(2 / 3) * 4.303 / 1.96 / np.sqrt(2 / 3)
    np.testing.assert_allclose(found.std(axis=0), expected, rtol=0.15)


@pytest.mark.parametrize("population", [None, "judges"])
def test_comparisons(population):
    rule = rules.get("bradley_terry", prior="gaussian")
    tree = rules.posterior(rule, BATTLES, population=population, draws=100, random_seed=1)
    found = tree["posterior"]["score"].values.reshape(-1, 3)
    assert read_record(tree).population == (population or "battles")
    assert (found.mean(axis=0).argsort() == rule(BATTLES).values.argsort()).all()
    # Each judge saw the same: only battles differ.
    assert (found.std(axis=0) < 1e-6).all() == (population == "judges")


def test_induced_comparisons_resample_questions():
    pairs = Comparisons.from_responses(DATA)
    own = scores("borda", pairs, draws=400).values.reshape(-1, 4)
    assert own.std(axis=0).min() > 0
    assert read_record(rules.posterior("borda", pairs, draws=4)).population == "questions"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rules.posterior("shulze", DATA), "Did you mean 'schulze'"),
        (lambda: rules.posterior("borda", DATA, population="question"), "Did you mean"),
        (lambda: rules.posterior("borda", DATA, population="tasks"), "no task column"),
        (lambda: rules.posterior("borda", DATA, population="prompts"), "no prompt column"),
        (lambda: rules.posterior("elo", DATA), "take population='questions'"),
        (lambda: rules.posterior("elo", DATA, counts="predicted"), "Did you mean 'predictive'"),
        (
            lambda: rules.posterior("borda", DATA, population="questions", counts="expected"),
            "leave it out",
        ),
        (lambda: rules.posterior("elo", PROMPTED, population="prompts"), "goes through single"),
        (lambda: rules.posterior("pass_at_k", PROMPTED, population="prompts"), "counts attempts"),
        (
            lambda: rules.posterior(
                "mean", Responses.from_array([[[0, 1]]], prompts=["p", "p"]), population="prompts"
            ),
            "only one prompt",
        ),
        (
            lambda: rules.posterior(rules.get("nash", pairing="trial"), DATA),
            "use pairing='expected'",
        ),
        (
            lambda: rules.posterior("borda", DATA, population="questions", prior="pooled"),
            "leave it out",
        ),
        (
            lambda: rules.posterior(
                "borda", Responses.from_counts([[1], [2]], 3), population="questions"
            ),
            "only one question",
        ),
        (
            lambda: rules.posterior("mean", Responses.from_array([[[0, 1, 2]]]), prior="pooled"),
            "use prior='jeffreys'",
        ),
        (lambda: rules.posterior("mean", BATTLES), "give responses"),
        (lambda: rules.posterior("borda", BATTLES, population="prompts"), "prompt"),
        (lambda: rules.posterior("borda", [[1, 2]]), "not list"),
        (lambda: rules.posterior("borda", DATA, draws=0), "draws=0"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(BayesrankError) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
