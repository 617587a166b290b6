"""Bradley-Terry, Davidson and Rao-Kupper: against other fits, priors, who cannot be fitted."""

import numpy as np
import pytest
from hypothesis import given

from bayesrank import Comparisons, EmpiricalPrior, Responses, rules
from bayesrank.exceptions import ArgumentError, BayesrankError, InputError
from bayesrank.likelihoods import StrengthPrior, fit_paired, fit_setwise
from bayesrank.ranking import rank_scores
from bayesrank.rules._evidence import evidence_of
from bayesrank.rules._strengths import same_where, snapped
from tests.rules.strategies import responses

RNG = np.random.default_rng(1)
FIRST, SECOND = np.triu_indices(6, 1)
GAMES = Comparisons.from_counts(
    FIRST, SECOND, RNG.integers(1, 9, 15), RNG.integers(1, 9, 15), ties=RNG.integers(1, 5, 15)
)
NEVER_LOST = Comparisons.from_counts(["a", "b"], ["b", "c"], [3, 2], [0, 1])


def centred(x):
    return x - x.mean()


@pytest.mark.parametrize(
    ("name", "options", "ties"),
    [
        ("bradley_terry", {}, "drop"),
        ("bradley_terry", {"ties": "half"}, "half"),
        ("davidson", {}, "davidson"),
        ("rao_kupper", {}, "rao_kupper"),
    ],
)
def test_maxima_are_those_of_the_fit_of_one_data_set(name, options, ties):
    rule = rules.get(name, **options)
    expected = centred(fit_paired(GAMES, ties=ties).strength)
    np.testing.assert_allclose(rule(GAMES), expected, atol=1e-9)
    with_prior = centred(fit_paired(GAMES, ties=ties, prior_sd=0.5).strength)
    np.testing.assert_allclose(rule.bind(prior=0.25)(GAMES), with_prior, atol=1e-9)


def test_a_threshold_that_is_known_is_that_of_the_estimate():
    fit = fit_paired(GAMES, ties="rao_kupper")
    found = rules.rao_kupper(GAMES, theta=float(np.exp(fit.tie)))
    np.testing.assert_allclose(found, centred(fit.strength), atol=1e-9)
    with pytest.raises(ArgumentError, match="theta=1 gives ties no chance"):
        rules.rao_kupper(GAMES, theta=1.0)


@pytest.mark.parametrize("family", ["laplace", "cauchy", "gaussian"])
def test_priors_are_those_of_the_fit_of_events(family):
    events = Responses.from_counts([[3, 6], [5, 9], [7, 7]], 10)
    pairs = Comparisons.from_responses(events)
    prior = StrengthPrior("normal" if family == "gaussian" else family)
    found = rules.bradley_terry(events, prior=family).values
    # A maximum: no step in any direction gains.
    wins = pairs.win_matrix()

    def density(s):
        gaps = s[:, None] - s
        return -(wins * np.logaddexp(0, -gaps)).sum() + prior.terms(s).value

    best = density(found)
    for _ in range(50):
        assert density(found + 1e-3 * RNG.standard_normal(3)) <= best + 1e-9


def test_flat_priors_and_common_means_change_nothing():
    flat = rules.bradley_terry(GAMES, prior="uniform")
    np.testing.assert_array_equal(flat, rules.bradley_terry(GAMES))
    moved = StrengthPrior("normal", mean=3.0)
    np.testing.assert_allclose(
        rules.bradley_terry(GAMES, prior=moved), rules.bradley_terry(GAMES, prior="gaussian"),
        atol=1e-12,
    )  # fmt: skip


def test_an_empirical_prior_pulls_towards_greedy_outcomes_without_exploding():
    data = Responses.from_counts([[5, 5], [5, 5], [5, 5]], 10)
    greedy = EmpiricalPrior(np.array([[[1], [1]], [[0], [1]], [[0], [0]]]))
    scores = rules.bradley_terry(data, prior=greedy).values
    assert scores[0] > scores[1] > scores[2]
    assert np.abs(scores).max() < np.log(5)
    none = rules.bradley_terry(data, prior=EmpiricalPrior([[1], [0]])).values
    np.testing.assert_array_equal(none, 0.0)
    with pytest.raises(InputError, match="comparisons have none"):
        rules.bradley_terry(GAMES, prior=greedy)


@given(responses(models=(2, 5), questions=(1, 5), trials=(1, 3)))
def test_davidson_with_a_prior_orders_as_the_mean_ties_included(data):
    mean = rank_scores(rules.mean(data))
    for scores in (
        rules.davidson(data, prior="gaussian"),
        rules.bradley_terry(data, prior=0.5, ties="half"),
    ):
        np.testing.assert_array_equal(rank_scores(scores), mean)


@given(responses(models=(2, 4), questions=(2, 5), trials=(1, 2)))
def test_the_maximum_exists_exactly_where_it_is_said_to(data):
    pairs = Comparisons.from_responses(data)
    for name, ties in (("bradley_terry", "drop"), ("davidson", "davidson")):
        try:
            expected = centred(fit_paired(pairs, ties=ties).strength)
        except InputError:
            if pairs.wins.any() or pairs.losses.any() or ties == "davidson":
                with pytest.raises(InputError):
                    rules.get(name)(data)
            continue
        np.testing.assert_allclose(rules.get(name)(data), expected, atol=1e-7)


def test_the_error_names_the_model_and_the_way_out():
    for name in ("bradley_terry", "plackett_luce"):
        with pytest.raises(InputError, match=r"'a' never lost.*prior='gaussian'"):
            rules.get(name)(NEVER_LOST)
    with pytest.raises(InputError, match="there are no ties; use bradley_terry"):
        rules.davidson(NEVER_LOST)
    assert np.isfinite(rules.davidson(NEVER_LOST, prior="gaussian")).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": "gausian"}, "Did you mean 'gaussian'"),
        ({"prior": -1.0}, "above 0"),
        ({"prior": 0}, "above 0"),
        ({"ties": "halve"}, "Did you mean 'half'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(BayesrankError) as caught:
        rules.get("bradley_terry", **options)
    assert message in str(caught.value)


def test_a_batch_gives_what_each_data_set_gives():
    data = Responses.from_counts(RNG.integers(0, 11, (4, 12)), 10)
    weights = RNG.dirichlet(np.ones(12), 5)
    for name in ("bradley_terry", "davidson", "rao_kupper", "plackett_luce", "rasch"):
        rule = rules.get(name, prior="gaussian")
        evidence = rule.evidence(data)
        together = rule.evaluate(evidence.with_weights(weights))
        for row, own in zip(together, weights, strict=True):
            alone = rule.evaluate(evidence.with_weights(own[np.newaxis]))
            np.testing.assert_allclose(row, alone[0], atol=1e-8)


def test_plackett_luce_is_bradley_terry_on_the_same_wins():
    data = Responses.from_counts([[3, 6], [5, 9], [7, 7]], 10)
    np.testing.assert_array_equal(rules.plackett_luce(data), rules.bradley_terry(data))


@pytest.mark.parametrize("kind", ["plackett_luce_exact", "davidson_luce", "bradley_terry_luce"])
def test_listwise_rules_are_the_fits_of_whole_trials(kind):
    from bayesrank import Events

    trials = Responses.from_array((RNG.random((4, 15, 2)) < 0.5).astype(int))
    prior = StrengthPrior("normal")
    expected = fit_setwise(Events.from_responses(trials), kind=kind, prior=prior).strength
    np.testing.assert_allclose(rules.get(kind, prior=1.0)(trials), centred(expected), atol=1e-6)
    with pytest.raises(InputError, match="outcome of every trial"):
        rules.get(kind)(Responses.from_counts([[1], [2]], 3))


def test_where_no_trial_tells_models_apart_all_are_equal():
    ones = Responses.from_array(np.ones((3, 2, 2), dtype=int))
    for name in ("bradley_terry", "plackett_luce_exact", "davidson_luce"):
        assert (rules.get(name)(ones) == 0).all()


def test_ties_are_taken_from_the_key_and_from_the_optimisers_error():
    scores = np.array([[0.3, 0.3 + 1e-11, -0.6]])
    assert snapped(scores)[0, 0] == snapped(scores)[0, 1]
    far = np.array([[0.3, 0.31, -0.61]])
    np.testing.assert_array_equal(snapped(far), far)
    assert same_where(far, np.array([[5.0, 5.0, 1.0]]))[0, 0] == 0.3
    np.testing.assert_array_equal(same_where(far, np.array([[3.0, 5.0, 1.0]])), far)


def test_evidence_of_comparisons_and_of_what_induced_them_agree():
    data = Responses.from_counts([[3, 6], [5, 9], [7, 7]], 10)
    pairs = Comparisons.from_responses(data)
    for name in ("bradley_terry", "davidson", "rao_kupper"):
        np.testing.assert_allclose(rules.get(name)(pairs), rules.get(name)(data), atol=1e-9)
    assert evidence_of(pairs).pair_counts is not None


@pytest.mark.parametrize("times", [1, 3, 50])
def test_the_mean_and_bradley_terry_disagree_at_every_budget(times):
    a, b, c = (0, 1, 1), (1, 0, 0), (1, 1, 0)
    columns = np.array([a] * 2 + [b] * 3 + [c] * 3).T
    data = Responses.from_array(np.repeat(columns[:, :, np.newaxis], times, axis=2))
    found = rules.bradley_terry(data, pairing="trial").values
    np.testing.assert_allclose(np.exp(found - found[2]), [4.4649, 4.5958, 1.0], atol=5e-5)
    assert rules.mean(data).values.argmax() == 0


@given(responses(models=(2, 4), questions=(2, 4), trials=(1, 2)))
def test_the_order_of_models_questions_and_trials_does_not_matter(data):
    outcomes = data.outcomes
    turned = Responses.from_array(outcomes[::-1, ::-1, ::-1])
    for name in ("bradley_terry", "davidson", "rao_kupper", "davidson_luce", "bradley_terry_luce"):
        rule = rules.get(name, prior="gaussian")
        try:
            expected = rule(data).values[::-1]
        except InputError:  # a number of winners that nothing bounds
            continue
        np.testing.assert_allclose(rule(turned), expected, atol=1e-6)


@given(responses(models=(2, 4), questions=(2, 4), trials=(1, 1)))
def test_a_success_more_never_lowers_a_model(data):
    counts = data.successes
    failed = np.argwhere(counts < 1)
    if not len(failed):
        return
    i, m = failed[0]
    better = counts.copy()
    better[i, m] += 1
    for name in ("bradley_terry", "davidson", "plackett_luce"):
        rule = rules.get(name, prior="gaussian")
        before = rank_scores(rule(data))[i]
        assert rank_scores(rule(Responses.from_counts(better, 1)))[i] <= before
