"""The stability study: against brute force, its theorems, its refusals, and that it goes on."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from bayesrank import EmpiricalPrior, Responses, rules
from bayesrank.data.simulate import simulate_responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import pooled_posterior
from bayesrank.priors import learned_weight
from bayesrank.ranking import rank_scores
from bayesrank.studies import _stability_tables as tables
from bayesrank.studies import stability
from bayesrank.studies._trial_samples import TrialSamples

SOME = ["bayes", "mean", "hodge_rank", "borda", "elo", "inverse_difficulty"]


def simulated(seed=1, *, systems=6, questions=15, trials=8):
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 1, (systems, 1, 1)) - rng.normal(0, 1.2, (1, questions, 1))
    p = 1 / (1 + np.exp(-logit))
    return (rng.random((systems, questions, trials)) < p).astype(int)


@pytest.fixture(scope="module")
def outcomes():
    return simulated()


@pytest.fixture(scope="module")
def board(outcomes):
    return Responses.from_array(outcomes)


@pytest.fixture(scope="module")
def study(board):
    return stability(
        board, methods=SOME, trials=[1, 3, 8], resamples="all", pools=[4], random_seed=1
    )


def test_one_trial_is_every_recorded_trial_in_turn(outcomes, board, study):
    gold = rules.bayes(board).to_numpy()
    for name in SOME:
        own = rules.get(name)(board).to_numpy()
        each = [
            rules.get(name)(Responses.from_array(outcomes[:, :, [t]])).to_numpy() for t in range(8)
        ]
        ranks = [rank_scores(scores) for scores in each]
        one = study.sel(rule=name, trials=1)
        for target, variable in ((gold, "tau_gold"), (own, "tau_self")):
            expected = [kendalltau(-rank_scores(target), -r).statistic for r in ranks]
            np.testing.assert_allclose(one[f"{variable}_each"], expected, atol=1e-12)
            assert one[variable].item() == pytest.approx(np.mean(expected), abs=1e-12)
            assert one[f"{variable}_sd"].item() == pytest.approx(np.std(expected, ddof=1))


def test_larger_budgets_take_the_trials_that_follow(outcomes, board, study):
    gold = rank_scores(rules.bayes(board).to_numpy())
    taken = outcomes[:, :, [7, 0, 1]]
    scores = rules.get("borda")(Responses.from_array(taken)).to_numpy()
    expected = kendalltau(-gold, -rank_scores(scores)).statistic
    found = study["tau_gold_each"].sel(rule="borda", trials=3).isel(resample=7)
    assert found.item() == pytest.approx(expected, abs=1e-12)


def test_all_trials_are_the_methods_own_order(study):
    last = study.sel(trials=8)
    counted = last.sel(rule=[m for m in SOME if m != "elo"])
    assert (counted["tau_self"] == 1).all()
    assert (counted["tau_self_sd"] == 0).all()
    assert last["tau_gold"].sel(rule="bayes").item() == 1.0
    # Elo follows the order of the trials, and seven of eight begin elsewhere.
    assert last["tau_self_each"].sel(rule="elo").isel(resample=0).item() == 1.0
    assert last["tau_self"].sel(rule="elo").item() < 1.0


def test_methods_that_algebra_makes_equal_are_one_class(study):
    equal = study["equal"].to_series()
    assert equal["bayes"] == equal["mean"] == equal["hodge_rank"]
    assert len({equal[m] for m in ("bayes", "borda", "elo", "inverse_difficulty")}) == 4
    assert study["theorem"].sel(rule="mean").item() == "the mean"
    names = study["rule"].values.tolist()
    rows = [names.index(m) for m in ("bayes", "mean", "hodge_rank")]
    assert max(rows) - min(rows) == 2, "a class stands together"
    assert equal.tolist() == sorted(equal.tolist())


def test_methods_stand_from_near_to_far(study):
    tau = study["tau_gold"].isel(trials=0).values
    assert (np.diff(tau) <= 1e-12).all()


def test_pairs_by_gap_are_counted(outcomes, board, study):
    accuracy = outcomes.mean(axis=(1, 2))
    gold = rank_scores(rules.bayes(board).to_numpy())
    for gap, low, high in tables.GAPS:
        right = tied = total = pairs = 0
        for i, j in combinations(range(6), 2):
            distance = abs(accuracy[i] - accuracy[j])
            if gold[i] == gold[j] or not low - 1e-9 <= distance <= high + 1e-9:
                continue
            pairs += 1
            for t in range(8):
                part = Responses.from_array(outcomes[:, :, [t]])
                r = rank_scores(rules.get("borda")(part).to_numpy())
                total += 1
                tied += r[i] == r[j]
                right += (r[i] - r[j]) * (gold[i] - gold[j]) > 0
        one = study.sel(rule="borda", trials=1, gap=gap)
        assert one["pairs"].item() == pairs
        if pairs:
            assert one["pair_correct"].item() == pytest.approx(right / total)
            assert one["pair_tied"].item() == pytest.approx(tied / total)
            assert one["pair_reversed"].item() == pytest.approx(1 - (right + tied) / total)


def test_ties_on_all_trials_are_counted():
    full = np.array([[1, 2, 2, 4], [1, 1, 1, 1], [4, 3, 2, 1], [1, 1, 3, 3]])
    np.testing.assert_allclose(tables.tied_pairs(full), [1 / 6, 1.0, 0.0, 2 / 6])


def test_consensus_is_the_mean_agreement_with_the_others(study):
    full = study["full_rank"]
    for name in SOME:
        others = [m for m in study["rule"].values if m != name]
        tau = [
            kendalltau(-full.sel(rule=name), -full.sel(rule=other)).statistic for other in others
        ]
        one = study.sel(rule=name)
        assert one["consensus_mean"].item() == pytest.approx(np.mean(tau))
        assert one["consensus_median"].item() == pytest.approx(np.median(tau))
        assert one["consensus_min"].item() == pytest.approx(np.min(tau))
        assert one["consensus_same"].item() == sum(t > 1 - 1e-9 for t in tau)
        assert one["consensus_close"].item() == sum(t >= 0.95 for t in tau)


def test_the_best_are_named_with_their_ties_and_lead(study):
    for target in ("gold", "self"):
        tau = study[f"tau_{target}"].sel(trials=1)
        best = study[f"best_{target}"].sel(trials=1)
        expected = set(study["rule"].values[tau.values >= tau.values.max() - 1e-9])
        assert set(study["rule"].values[best.values]) == expected
        each = study[f"tau_{target}_each"].sel(trials=1)
        rest = int(np.argmax(np.where(best, -2.0, tau)))
        gap = each.isel(rule=int(np.argmax(best.values))) - each.isel(rule=rest)
        assert study[f"lead_{target}"].sel(trials=1).item() == pytest.approx(gap.mean().item())
        error = gap.std(ddof=1).item() / np.sqrt(8)
        assert study[f"lead_{target}_se"].sel(trials=1).item() == pytest.approx(error)


def test_pools_are_ranked_on_their_own(board, study):
    # Fifteen pools of four out of six: all of them, and every method sees the same subsample.
    assert study.attrs["pool_subsets"] == [15]
    one = study.sel(pool=4)
    assert one["pool_tau_gold"].sel(rule="mean").item() == pytest.approx(
        one["pool_tau_gold"].sel(rule="bayes").item()
    )
    again = stability(board, methods=["mean"], resamples="all", pools=[4], random_seed=1)
    np.testing.assert_allclose(
        again["pool_tau_gold"].sel(rule="mean"), study["pool_tau_gold"].sel(rule="mean")
    )
    best = one["pool_best_gold"]
    assert (best >= 0).all()
    assert best.max() <= 1
    assert best.sum() >= 1


def test_pools_against_brute_force(outcomes, board):
    from bayesrank.studies.trial_stability import _drawn_pools

    found = stability(board, methods=["borda", "elo"], resamples="all", pools=[3], random_seed=5)
    pools = _drawn_pools(3, board, 1000, 8, 5)
    gold = rules.bayes(board).to_numpy()
    for name in ("borda", "elo"):
        rule = rules.get(name)
        tau = {"gold": [], "self": []}
        for members, t in zip(pools.members, pools.resample, strict=True):
            few = rank_scores(rule(Responses.from_array(outcomes[members][:, :, [t]])).to_numpy())
            full = rank_scores(rule(Responses.from_array(outcomes[members])).to_numpy())
            tau["gold"].append(kendalltau(-few, -rank_scores(gold[members])).statistic)
            tau["self"].append(kendalltau(-few, -full).statistic)
        one = found.sel(pool=3, rule=name)
        for target, expected in tau.items():
            mean = np.nanmean(expected)
            assert one[f"pool_tau_{target}"].item() == pytest.approx(mean, abs=1e-12)
            sd = np.nanstd(expected, ddof=1)
            assert one[f"pool_tau_{target}_sd"].item() == pytest.approx(sd, abs=1e-12)
        assert one["pool_undefined"].item() == pytest.approx(np.isnan(tau["gold"]).mean())


def test_more_pools_than_asked_for_are_drawn_without_replacement():
    from bayesrank.studies.trial_stability import _drawn_pools

    board = Responses.from_counts(np.arange(24).reshape(12, 2) % 5, 5)
    pools = _drawn_pools(5, board, 300, 50, 1)
    assert pools.members.shape == (300, 5)
    assert (np.diff(pools.members, axis=1) > 0).all()
    seen = np.bincount(pools.members.ravel(), minlength=12) / 300
    sd = np.sqrt(5 / 12 * 7 / 12 / 300)
    assert np.abs(seen - 5 / 12).max() < 4.5 * sd


def test_counts_alone_are_drawn_by_the_hypergeometric(outcomes):
    counts = Responses.from_counts(outcomes.sum(axis=2), 8)
    many = 300
    found = stability(counts, methods=["mean"], resamples=many, pools=(), random_seed=1)
    kept = stability(
        Responses.from_array(outcomes), methods=["mean"], resamples=many, pools=(), random_seed=1
    )
    # Trials are independent: an order of their own in each cell, or one for all, is the same.
    error = np.hypot(found["tau_gold_sd"], kept["tau_gold_sd"]) / np.sqrt(many)
    assert np.abs(found["tau_gold"] - kept["tau_gold"]).item() < 4.5 * error.item()
    samples = TrialSamples(counts, (1, 8), 40, recorded=False, seed=1)
    block = next(samples.blocks())
    assert (block.counts[:, 0].sum(axis=-1) == 1).all()
    assert (block.counts[:, 1] == counts.counts).all()


def test_methods_of_single_trials_need_them(outcomes):
    counts = Responses.from_counts(outcomes.sum(axis=2), 8)
    found = stability(counts, methods=["mean", "elo"], resamples=4, pools=(), random_seed=1)
    assert found["rule"].values.tolist() == ["mean"]
    assert found["refused_rule"].values.tolist() == ["elo"]
    assert "needs the outcome of every trial" in found["why"].item()
    with pytest.raises(InputError, match="no method ranks all trials; elo: elo needs"):
        stability(counts, methods=["elo"], resamples=4, pools=(), random_seed=1)


def test_what_cannot_rank_a_subsample_is_counted(board):
    found = stability(board, methods=["mean", "pass_at_k"], trials=[1, 2], random_seed=1)
    assert found["refused"].sel(rule="pass_at_k").values.tolist() == [1.0, 0.0]
    assert "2 attempts need 2 trials" in found["reason"].sel(rule="pass_at_k").item()
    assert np.isnan(found["tau_gold"].sel(rule="pass_at_k", trials=1))
    assert not found["best_gold"].sel(rule="pass_at_k", trials=1)
    assert any("(1 here)" in note for note in found.attrs["notes"])


def test_a_maximum_that_does_not_exist_is_counted_sample_by_sample():
    # On the first trials each model beats each; on the last one the first beats all.
    rng = np.random.default_rng(4)
    outcomes = rng.integers(0, 2, (3, 12, 4))
    outcomes[0, :, 3], outcomes[1:, :, 3] = 1, 0
    board = Responses.from_array(outcomes)
    found = stability(
        board, methods=["mean", "bradley_terry"], resamples="all", pools=(), random_seed=1
    )
    lost = 0
    for t in range(4):
        try:
            rules.bradley_terry(Responses.from_array(outcomes[:, :, [t]]))
        except InputError:
            lost += 1
    assert 0 < lost < 4
    one = found.sel(rule="bradley_terry", trials=1)
    assert one["refused"].item() == lost / 4
    assert "maxim" in one["reason"].item()
    assert np.isfinite(one["tau_gold_each"]).sum() == 4 - lost
    assert not one["best_gold"]


def test_a_method_that_ties_all_models_has_no_agreement(board):
    def level(responses):
        return np.zeros(len(responses.systems))

    found = stability(board, methods=["mean", ("level", level)], pools=[4], random_seed=1)
    one = found.sel(rule="level", trials=1)
    assert one["undefined"].item() == 1.0
    assert one["refused"].item() == 0.0
    assert np.isnan(one["tau_gold"])
    assert np.isnan(one["consensus_mean"])
    assert found["pool_undefined"].sel(rule="level").item() == 1.0


def test_functions_and_the_learned_prior_are_methods_too(board):
    def accuracy(responses):
        return responses.question_scores().mean(axis=1)

    found = stability(
        board, methods=["mean", "bayes_pooled", ("mine", accuracy)], resamples=5, pools=(),
        random_seed=1,
    )  # fmt: skip
    equal = found["equal"].to_series()
    assert equal["mean"] == equal["mine"]
    np.testing.assert_allclose(
        found["tau_gold_each"].sel(rule="mine"), found["tau_gold_each"].sel(rule="mean")
    )
    assert found["tau_gold"].sel(rule="bayes_pooled").item() > 0.3
    with pytest.raises(InputError, match=r"method 'mine' gives scores of shape \(\)"):
        stability(board, methods=[("mine", lambda _: 1.0)], random_seed=1)


def test_means_of_the_learned_prior_are_those_of_its_draws(board):
    posterior = pooled_posterior(board)
    draws = posterior.draws(4000, random_seed=1)
    error = draws.std(axis=0) / np.sqrt(4000)
    assert (np.abs(posterior.mean_scores() - draws.mean(axis=0)) < 5 * error).all()


@pytest.mark.parametrize("weight", [1.0, "moments"])
def test_auxiliary_outcomes_are_a_method_and_a_third_reference(outcomes, board, weight):
    # Decodes that agree half with the trials: how far to trust them depends on the subsample.
    greedy = (outcomes.mean(axis=2, keepdims=True) > 0.5).astype(int)
    greedy[::2] = simulated(9)[::2, :, :1]
    prior = EmpiricalPrior(greedy, weight=weight)
    found = stability(
        board, methods=["bayes"], auxiliary=prior, resamples="all", pools=[4], random_seed=1
    )
    assert set(found["rule"].values) == {"bayes", "bayes_greedy"}
    np.testing.assert_allclose(found["greedy"], greedy.mean(axis=(1, 2)))
    one = rules.get("bayes", prior_outcomes=greedy, weight=weight)
    full = rank_scores(one(board).to_numpy())
    np.testing.assert_array_equal(found["greedy_reference_rank"], full)
    np.testing.assert_array_equal(found["full_rank"].sel(rule="bayes_greedy"), full)
    # The weight is learned from each subsample, never from all trials.
    tau = [
        kendalltau(-full, -rank_scores(one(Responses.from_array(outcomes[:, :, [t]])).to_numpy()))
        for t in range(8)
    ]
    each = found["tau_self_each"].sel(rule="bayes_greedy", trials=1)
    np.testing.assert_allclose(each, [t.statistic for t in tau], atol=1e-12)
    if weight == "moments":
        learned = learned_weight(board, greedy, method="moments").weight
        fixed = stability(
            board, methods=["bayes"], auxiliary=EmpiricalPrior(greedy, weight=learned),
            resamples="all", pools=(), random_seed=1,
        )  # fmt: skip
        other = fixed["tau_gold_each"].sel(rule="bayes_greedy")
        assert not np.allclose(other, found["tau_gold_each"].sel(rule="bayes_greedy"))
    np.testing.assert_allclose(
        found["tau_greedy"].sel(rule="bayes_greedy"), found["tau_self"].sel(rule="bayes_greedy")
    )
    assert np.isfinite(found["pool_tau_self"].sel(rule="bayes_greedy")).all()


def test_missing_trials_are_left_out(outcomes):
    holed = outcomes.copy()
    holed[0, :, 2] = -1
    holed[3, 4, :3] = -1
    board = Responses.from_array(holed)
    found = stability(board, methods=["mean", "elo"], trials=[1, 5], resamples=6, random_seed=1)
    assert np.isfinite(found["tau_gold"]).all()
    samples = TrialSamples(board, (1, 5), 6, recorded=False, seed=1)
    assert (samples.outcomes(2) >= 0).all()
    for block in samples.blocks():
        assert (block.counts.sum(axis=-1) == np.array([1, 5])[:, None, None]).all()
    with pytest.raises(InputError, match=r"in turn, and model 'model 1' has 7 on question"):
        stability(board, methods=["mean"], resamples="all", random_seed=1)
    with pytest.raises(InputError, match=r"a budget of 6 trials .* 'model 4' has 5 on question"):
        stability(board, methods=["mean"], trials=[6], random_seed=1)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_cell_that_nobody_observed_stays_without_trials(outcomes, recorded):
    holed = outcomes.copy()
    holed[1, 2] = -1
    board = Responses.from_array(holed)
    if not recorded:
        board = Responses.from_counts(board.successes, board.n_trials)
    found = stability(board, methods=["mean", "bayes"], trials="all", resamples=5, random_seed=1)
    assert found["trials"].values.tolist() == list(range(1, outcomes.shape[2] + 1))
    assert "1 cell was never observed, and so in no subsample either." in found.attrs["notes"]
    np.testing.assert_allclose(found["tau_gold"].sel(rule="bayes", trials=outcomes.shape[2]), 1.0)
    samples = TrialSamples(board, (2, 3), 5, recorded=False, seed=1)
    for block in samples.blocks():
        drawn = block.counts.sum(axis=-1)
        assert (drawn[:, :, 1, 2] == 0).all()
        drawn[:, :, 1, 2] = np.array([2, 3])
        assert (drawn == np.array([2, 3])[:, None, None]).all()


def test_categories_take_weights():
    rng = np.random.default_rng(2)
    board = Responses.from_array(rng.integers(0, 3, (5, 12, 6)))
    found = stability(
        board, methods="fast", weights=[0, 1, 0.5], resamples=4, pools=(), random_seed=1
    )
    refused = found["refused_rule"].values.tolist()
    assert "pass_at_k" in refused
    assert {"mean", "bayes", "borda"} <= set(found["rule"].values)
    scores = board.question_scores([0, 1, 0.5]).mean(axis=1)
    np.testing.assert_allclose(found["accuracy"], scores)


@given(st.permutations(range(5)), st.integers(0, 1000))
def test_the_order_of_the_models_does_not_matter(order, seed):
    outcomes = simulated(seed, systems=5, questions=6, trials=4)
    names = [f"m{i}" for i in range(5)]
    options = {"methods": ["mean", "borda"], "resamples": "all", "pools": (), "random_seed": 1}
    one = stability(Responses.from_array(outcomes, systems=names), **options)
    permuted = Responses.from_array(outcomes[order], systems=[names[i] for i in order])
    other = stability(permuted, **options).sel(system=names, rule=one["rule"])
    np.testing.assert_allclose(other["tau_gold"], one["tau_gold"])
    np.testing.assert_array_equal(other["gold_rank"], one["gold_rank"])
    np.testing.assert_allclose(other["pair_correct"], one["pair_correct"])


@given(st.lists(st.permutations(range(6)), min_size=2, max_size=4))
def test_agreement_with_itself_is_one_and_symmetric(orders):
    ranks = np.array(orders)[:, None, None, :] + 1
    own = tables.agreement(ranks, np.array(orders) + 1)
    assert (own == 1.0).all()
    found = tables.consensus(np.array(orders) + 1)
    between = found["tau_between"][1]
    np.testing.assert_array_equal(between, between.T)


def test_simulated_boards_converge():
    data = simulate_responses(systems=6, questions=30, trials=16, random_seed=1)
    found = stability(data, methods=["mean"], trials="all", resamples=20, pools=(), random_seed=1)
    assert found["trials"].values.tolist() == list(range(1, 17))
    tau = found["tau_gold"].sel(rule="mean").values
    assert tau[-1] == 1.0
    assert tau[0] < tau[7] < 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": "fats"}, "Did you mean 'fast'"),
        ({"methods": "borda"}, r"One method is a list: \['borda'\]"),
        ({"methods": []}, "methods is empty"),
        ({"methods": ["shulze"]}, "no method 'shulze'.*Did you mean 'schulze'"),
        ({"methods": ["bayes_poold"]}, "Did you mean 'bayes_pooled'"),
        ({"methods": ["borda", "borda"]}, "'borda' is named twice"),
        ({"methods": ["bayes_greedy"]}, "needs auxiliary outcomes"),
        ({"trials": [2, 1]}, "budgets that increase"),
        ({"trials": []}, "budgets that increase"),
        ({"trials": "every"}, "use 'all' or budgets"),
        ({"trials": [0]}, "trials=0"),
        ({"trials": [9]}, "a budget of 9 trials needs as many in every cell"),
        ({"resamples": 1}, "resamples=1"),
        ({"resamples": "most"}, "resamples='most'"),
        ({"pools": [3, 6]}, "has 6 models, and a pool of 6 is not a part"),
        ({"pools": [4, 3]}, "sizes that increase"),
        ({"pools": [1]}, "pools=1"),
        ({"pools": [3], "pool_subsets": 1}, "pool_subsets=1"),
        ({"auxiliary": [[0]] * 15}, "shared by all models"),
        ({"methods": ["bayes_pooled"], "weights": [0, 1]}, "takes no weights"),
    ],
)
def test_bad_input_is_one_clear_line(board, options, message):
    with pytest.raises((ArgumentError, InputError), match=message) as caught:
        stability(board, random_seed=1, **options)
    assert "\n" not in str(caught.value)


def test_resamples_all_needs_recorded_trials_and_an_order_two_models(outcomes):
    counts = Responses.from_counts(outcomes.sum(axis=2), 8)
    with pytest.raises(InputError, match="only counts are here; give a number"):
        stability(counts, resamples="all")
    with pytest.raises(InputError, match="there is no order"):
        stability(Responses.from_array(outcomes[:1]))


def test_default_pools_are_those_that_fit(board):
    found = stability(board, methods=["mean"], resamples=4, pool_subsets=6, random_seed=1)
    assert found["pool"].values.tolist() == [5]
    assert "No pools of 10 and 15: the board has only 6 models." in found.attrs["notes"]


class StoppedError(Exception):
    pass


def test_a_killed_study_goes_on_and_ends_alike(board, tmp_path):
    def stop(name, number, total):
        if number == 2:
            raise StoppedError

    options = {"methods": ["mean", "borda", "elo"], "trials": [1, 2], "resamples": 5, "pools": [4]}
    folder = tmp_path / "study"
    with pytest.raises(StoppedError):
        stability(board, folder=folder, progress=stop, **options)
    seen = []
    found = stability(
        board,
        folder=folder,
        progress=lambda name, number, _: seen.append((number, name)),
        **options,
    )
    assert [number for number, _ in seen] == [3, 4, 5, 6]
    assert seen[0][1] == "trials-002-elo"
    whole = stability(board, random_seed=found.attrs["seed"], **options)
    assert whole.identical(found)
    for changed in ({"trials": [1, 3]}, {"methods": ["mean"]}, {"pools": ()}):
        with pytest.raises(ArgumentError, match="holds a study with"):
            stability(board, folder=folder, **{**options, **changed})
    other = Responses.from_array(simulated(2))
    with pytest.raises(ArgumentError, match="data_hash"):
        stability(other, folder=folder, **options)


def test_the_same_seed_gives_the_same_and_another_does_not(board):
    options = {"methods": ["mean", "borda"], "resamples": 5, "pools": [4]}
    one, same, other = (stability(board, random_seed=s, **options) for s in (1, 1, 2))
    assert one.identical(same)
    assert not np.array_equal(one["tau_gold_each"], other["tau_gold_each"])
    assert isinstance(stability(board, **options).attrs["seed"], int)


def test_the_result_is_written_and_read_back(study, tmp_path):
    assert study.attrs["trials"] == [1, 3, 8]
    assert study.attrs["data_hash"]
    assert study["accuracy_overview"].sel(statistic="max").item() == study["accuracy"].max().item()
    assert study["tau_gold"].dims == ("rule", "trials")


def test_what_cells_need_travels_to_other_processes(board, monkeypatch):
    def there_and_back(self, task, cells, *, config):
        task, cells = pickle.loads(pickle.dumps((task, cells)))
        return {name: dict(task(cell)) for name, cell in cells.items()}

    options = {"methods": ["mean", "minimax", "elo", "bayes_pooled"], "resamples": 4}
    here = stability(board, pools=[4], random_seed=1, **options)
    monkeypatch.setattr("bayesrank.studies._grid.Grid.run", there_and_back)
    assert stability(board, pools=[4], random_seed=1, **options).identical(here)
