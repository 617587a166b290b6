"""Intervals of rules cover what they are about: the rule on the true probabilities."""

import numpy as np
import pytest
from scipy.special import expit

from bayesrank import Responses, rules
from bayesrank._record import read_record
from bayesrank.rules._evidence import evidence_of

MODELS, QUESTIONS, TRIALS, STUDIES = 5, 30, 8, 120


def truth(rng, questions=QUESTIONS):
    ability = rng.normal(0.3, 0.7, MODELS)
    difficulty = rng.normal(0.0, 1.0, questions)
    own = rng.normal(0.0, 0.7, (MODELS, questions))
    return ability, expit(ability[:, np.newaxis] - difficulty + own)


def target(rule, probability):
    """Return the rule on the probabilities: what it tends to with ever more trials."""
    whole = Responses.from_counts(np.ones(probability.shape, dtype=int), 1)
    return rule.evaluate(evidence_of(whole).with_draws(probability[np.newaxis]))[0]


def covered(draws, value):
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    return (low - 1e-12 <= value) & (value <= high + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mean", "bradley_terry", "hodge_rank", "pagerank"])
def test_scores_under_new_trials(name):
    rule = rules.get(name)
    rng = np.random.default_rng(7)
    hits = []
    for study in range(STUDIES):
        _, p = truth(rng)
        data = Responses.from_counts(rng.binomial(TRIALS, p), TRIALS)
        draws = rules.posterior(rule, data, draws=200, random_seed=study)
        found = np.asarray(draws["posterior"]["score"]).reshape(-1, MODELS)
        hits.append(covered(found, target(rule, p)).mean())
    error = np.std(hits) / STUDIES**0.5
    assert np.mean(hits) > 0.95 - 4 * error - 0.01, np.mean(hits)


def test_voting_rules_say_that_their_intervals_cover_too_little():
    data = Responses.from_counts([[3, 7], [5, 9]], 10)
    for name, said in (("borda", True), ("schulze", True), ("mean", False)):
        notes = read_record(rules.posterior(name, data, draws=4, random_seed=1)).notes
        assert any("cover less often" in note for note in notes) == said


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mean", "hodge_rank", "bradley_terry"])
def test_scores_under_new_questions(name):
    rule = rules.get(name)
    rng = np.random.default_rng(8)
    hits = []
    for study in range(STUDIES):
        ability, p = truth(rng)
        data = Responses.from_counts(rng.binomial(TRIALS, p), TRIALS)
        draws = rules.posterior(
            rule, data, population="questions", draws=200, random_seed=study
        )  # fmt: skip
        found = np.asarray(draws["posterior"]["score"]).reshape(-1, MODELS)
        # Of the same models on very many questions.
        many = 4000
        all_of_them = expit(
            ability[:, np.newaxis]
            - rng.normal(0.0, 1.0, many)
            + rng.normal(0.0, 0.7, (MODELS, many))
        )
        hits.append(covered(found, target(rule, all_of_them)).mean())
    error = np.std(hits) / STUDIES**0.5
    assert np.mean(hits) > 0.95 - 4 * error - 0.01, np.mean(hits)
