"""Intervals of rules cover what they are about: the rule on the true probabilities."""

import numpy as np
import pytest
from scipy.special import expit

import bayesrank
from bayesrank import Responses, rules
from bayesrank._record import read_record
from bayesrank.ranking import rank_scores
from bayesrank.rules._evidence import evidence_of

MODELS, QUESTIONS, TRIALS, STUDIES, DRAWS = 5, 30, 8, 60, 200
STREAMS = 40
# One of each family, and the populations under which its scores are held to it, not ranks alone.
BOTH = ("trials", "questions")
RULES = {
    "mean": BOTH,
    "bradley_terry": BOTH,
    "plackett_luce": BOTH,
    "hodge_rank": BOTH,
    "pagerank": BOTH,
    "borda": ("trials",),
    "schulze": (),
    "rasch": (),
}


def truth(rng, *, shared=True):
    """Return the probabilities of some questions, and a function for those of more."""
    ability = rng.normal(0.3, 0.7, (MODELS, 1))

    def probabilities(questions):
        difficulty = rng.normal(0.0, 1.0, questions if shared else (MODELS, questions))
        return expit(ability - difficulty + rng.normal(0.0, 0.7, (MODELS, questions)))

    return probabilities(QUESTIONS), probabilities


def target(rule, probability):
    """Return the rule on the probabilities: what it tends to with ever more trials."""
    whole = Responses.from_counts(np.ones(probability.shape, dtype=int), 1)
    return rule.evaluate(evidence_of(whole).with_draws(probability[np.newaxis]))[0]


def of_streams(rule, probability, rng):
    """Return what a rating has on average, over streams of new trials."""
    total = np.zeros(MODELS)
    for _ in range(STREAMS):
        p = probability() if callable(probability) else probability
        stream = rng.random((*p.shape, TRIALS)) < p[..., np.newaxis]
        total += rule(Responses.from_array(stream.astype(int))).values
    return total / STREAMS


def hits(tree, value):
    """Return the share of models whose interval of the score, and of the rank, covers."""
    found = bayesrank.rank(tree, ci_kind="eti").dataset
    score = (found["score_low"] - 1e-12 <= value) & (value <= found["score_high"] + 1e-12)
    place = rank_scores(value)
    ranked = (found["rank_low"] <= place) & (place <= found["rank_high"])
    return float(score.mean()), float(ranked.mean())


def covers(found):
    """Whether a coverage is .95 or above, but for four Monte Carlo errors of its studies."""
    return np.mean(found) > 0.95 - 4 * np.std(found) / len(found) ** 0.5 - 0.01


def rule_named(name):
    return rules.get(name, prior="gaussian") if name == "rasch" else rules.get(name)


@pytest.mark.slow
@pytest.mark.parametrize("population", BOTH)
@pytest.mark.parametrize("name", RULES)
def test_intervals_cover_the_rule_on_true_probabilities(name, population):
    rule, rng, found = rule_named(name), np.random.default_rng(7), []
    for study in range(STUDIES):
        p, more = truth(rng)
        data = Responses.from_array((rng.random((*p.shape, TRIALS)) < p[..., np.newaxis]) * 1)
        draws = DRAWS // 2 if name == "rasch" else DRAWS
        tree = rules.posterior(rule, data, population=population, draws=draws, random_seed=study)
        # Of these questions, or of very many like these.
        found.append(hits(tree, target(rule, p if population == "trials" else more(2000))))
    scores, ranks = np.transpose(found)
    assert covers(ranks), ranks.mean()
    assert population not in RULES[name] or covers(scores), scores.mean()


@pytest.mark.slow
@pytest.mark.parametrize("population", ["trials", "questions"])
def test_rank_intervals_of_ratings_cover_what_streams_give_on_average(population):
    rule, rng, found = rules.get("elo"), np.random.default_rng(8), []
    counts = "predictive" if population == "trials" else None
    for study in range(STUDIES // 2):
        p, more = truth(rng)
        data = Responses.from_array((rng.random((*p.shape, TRIALS)) < p[..., np.newaxis]) * 1)
        tree = rules.posterior(
            rule, data, population=population, counts=counts, draws=DRAWS, random_seed=study
        )
        about = p if population == "trials" else lambda more=more: more(QUESTIONS)
        found.append(hits(tree, of_streams(rule, about, rng))[1])
    assert covers(found), np.mean(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prior", "trials", "shared"),
    [("crossed", 2, True), ("crossed", 8, False), ("pooled", 8, False), ("pooled", 128, True)],
)
def test_borda_scores_cover_as_the_notes_of_their_prior_say(prior, trials, shared):
    """Pooled, where models find the same questions hard, they cover .8 at 8 trials."""
    rule, rng, found = rules.get("borda"), np.random.default_rng(9), []
    for study in range(STUDIES):
        p, _ = truth(rng, shared=shared)
        data = Responses.from_counts(rng.binomial(trials, p), trials)
        tree = rules.posterior(rule, data, prior=prior, draws=DRAWS, random_seed=study)
        found.append(hits(tree, target(rule, p))[0])
    assert covers(found), np.mean(found)


def test_voting_rules_say_that_their_intervals_cover_too_little():
    data = Responses.from_counts([[3, 7], [5, 9]], 10)
    for name, prior, said in (
        ("borda", "pooled", True),
        ("schulze", "pooled", True),
        ("mean", "pooled", False),
        ("borda", None, False),
    ):
        tree = rules.posterior(name, data, prior=prior, draws=4, random_seed=1)
        notes = read_record(tree).notes
        assert any("cover less often" in note for note in notes) == said
