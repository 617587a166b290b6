"""Rules against choix and evalica, where their definitions are the same; else, how they differ."""

import choix
import evalica
import numpy as np
import pytest
from evalica import Winner

from bayesrank import Comparisons, Events, Responses, rules
from bayesrank.likelihoods import fit_setwise

RNG = np.random.default_rng(5)
N = 6
FIRST, SECOND = np.triu_indices(N, 1)
WINS, LOSSES, TIES = (RNG.integers(low, 9, len(FIRST)) for low in (1, 1, 0))
NONE = np.zeros_like(TIES)
DECIDED = Comparisons.from_counts(FIRST, SECOND, WINS, LOSSES)
GAMES = Comparisons.from_counts(FIRST, SECOND, WINS, LOSSES, ties=TIES)
PRECISE = {"tolerance": 1e-13, "limit": 100_000}


def centred(x):
    x = np.asarray(x, dtype=float)
    return x - x.mean()


def pairs(wins=WINS, losses=LOSSES):
    """Return (winner, loser) of each game, as choix takes them."""
    won = np.repeat(np.stack([FIRST, SECOND], axis=1), wins, axis=0)
    lost = np.repeat(np.stack([SECOND, FIRST], axis=1), losses, axis=0)
    return [(int(i), int(j)) for i, j in np.concatenate([won, lost])]


def battles(*, ties, wins=WINS, losses=LOSSES):
    """Return both sides and the winner of each game, as evalica takes them."""
    each = np.stack([wins, losses, TIES if ties else NONE], axis=1)
    sides = np.repeat(np.arange(len(FIRST)), each.sum(axis=1))
    kinds = np.tile([Winner.X, Winner.Y, Winner.Draw], len(FIRST))
    winners = [Winner(int(w)) for w in np.repeat(kinds, each.ravel())]
    return FIRST[sides].tolist(), SECOND[sides].tolist(), winners


def in_order(result):
    """Return evalica's scores in the order of the models."""
    return result.scores.sort_index().to_numpy()


@pytest.mark.parametrize("fit", [choix.opt_pairwise, choix.ilsr_pairwise, choix.mm_pairwise])
def test_bradley_terry_is_that_of_choix(fit):
    options = {"tol": 1e-10} if fit is choix.opt_pairwise else {"tol": 1e-12, "max_iter": 100_000}
    theirs = centred(fit(N, pairs(), **options))
    atol = 1e-5 if fit is choix.opt_pairwise else 1e-8
    np.testing.assert_allclose(rules.bradley_terry(DECIDED), theirs, atol=atol)
    np.testing.assert_allclose(rules.plackett_luce(DECIDED), theirs, atol=atol)


def test_a_gaussian_prior_is_the_regularisation_of_choix():
    # Theirs adds alpha times the sum of squares; strengths sum to zero at the maximum.
    theirs = choix.opt_pairwise(N, pairs(), alpha=0.5, tol=1e-10)
    np.testing.assert_allclose(rules.bradley_terry(DECIDED, prior=1.0), theirs, atol=1e-5)


def test_rank_centrality_is_that_of_choix():
    theirs = choix.rank_centrality(N, pairs())
    np.testing.assert_allclose(
        centred(np.log(rules.rank_centrality(DECIDED))), centred(theirs), atol=1e-10
    )


def test_plackett_luce_of_rankings_is_that_of_choix():
    rankings = [RNG.permutation(N)[: RNG.integers(2, N + 1)].tolist() for _ in range(60)]
    names = [f"m{i}" for i in range(N)]
    events = Events.from_rankings([[names[i] for i in r] for r in rankings], systems=names)
    theirs = choix.ilsr_rankings(N, rankings, tol=1e-12, max_iter=100_000)
    found = fit_setwise(events, kind="plackett_luce_exact").strength
    np.testing.assert_allclose(found, centred(theirs), atol=1e-8)


@pytest.mark.parametrize("name", ["plackett_luce_exact", "davidson_luce", "bradley_terry_luce"])
def test_one_winner_of_each_trial_is_the_choice_model_of_choix(name):
    best = RNG.choice(N, size=80, p=np.arange(1, N + 1) / 21.0)
    outcomes = (np.arange(N)[:, np.newaxis] == best).astype(int)
    rest = [(int(b), tuple(i for i in range(N) if i != b)) for b in best]
    theirs = choix.ilsr_top1(N, rest, tol=1e-12, max_iter=100_000)
    found = rules.get(name)(Responses.from_array(outcomes[:, np.newaxis, :]))
    np.testing.assert_allclose(found, centred(theirs), atol=1e-7)


def test_bradley_terry_with_half_ties_is_that_of_evalica():
    theirs = in_order(evalica.bradley_terry(*battles(ties=True), **PRECISE))
    found = rules.bradley_terry(GAMES, ties="half")
    np.testing.assert_allclose(found, centred(np.log(theirs)), atol=1e-8)


def test_davidson_is_the_method_of_newman_in_evalica():
    # Newman's model of ties is Davidson's: nu = 2 v.
    theirs = in_order(evalica.newman(*battles(ties=True), **PRECISE))
    np.testing.assert_allclose(rules.davidson(GAMES), centred(np.log(theirs)), atol=1e-7)


def test_borda_of_comparisons_is_the_average_win_rate_of_evalica():
    # Points against N - 1 rivals. Our win_rate counts decided votes and leaves ties out.
    theirs = in_order(evalica.average_win_rate(*battles(ties=True)))
    np.testing.assert_allclose(rules.borda(GAMES), (N - 1) * theirs, atol=1e-10)
    decided = in_order(evalica.average_win_rate(*battles(ties=False)))
    assert rules.win_rate(GAMES).values.argmax() == decided.argmax()


def test_pagerank_by_columns_is_that_of_evalica_where_pairs_met_equally_often():
    # Theirs counts games, ours shares of them. Their `eigen` multiplies by the transpose of the
    # wins, which puts those on top who lost to the best; our `spectral` has no counterpart there.
    wins = RNG.integers(1, 10, len(FIRST))
    games = Comparisons.from_counts(FIRST, SECOND, wins, 10 - wins)
    theirs = evalica.pagerank(*battles(ties=False, wins=wins, losses=10 - wins), **PRECISE)
    found = rules.pagerank(games, variant="columns")
    np.testing.assert_allclose(found, in_order(theirs), atol=1e-10)


def test_elo_is_that_of_evalica_game_by_game():
    n_games = 300
    sides = np.array([RNG.choice(N, 2, replace=False) for _ in range(n_games)])
    kinds = RNG.choice([Winner.X, Winner.Y, Winner.Draw], n_games)
    winners = [Winner(int(w)) for w in kinds]
    outcomes = np.full((N, 1, n_games), -1)
    game = np.arange(n_games)
    outcomes[sides[:, 0], 0, game] = [w != Winner.Y for w in winners]
    outcomes[sides[:, 1], 0, game] = [w != Winner.X for w in winners]
    theirs = evalica.elo(*sides.T.tolist(), winners, initial=1500.0, k=32.0)
    found = rules.elo(Responses.from_array(outcomes), ties="draw")
    np.testing.assert_allclose(found, in_order(theirs), atol=1e-8)
