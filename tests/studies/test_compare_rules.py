"""Rules side by side: equal by algebra or on the data, agreement over shared draws, refusals."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.stats import kendalltau

import bayesrank
from bayesrank import Comparisons, Responses, rules
from bayesrank.exceptions import BayesrankError, BayesrankWarning
from bayesrank.studies import compare_rules, contested_pairs

DATA = bayesrank.simulate_responses(systems=6, questions=30, trials=4, random_seed=3)
ODD = ["nanson", "inverse_difficulty", "pass_at_k", "majority_judgment", "elo"]
ALIKE = ["mean", "hodge_rank", "davidson", "rasch", "thompson", "threshold_spectrum"]


@pytest.fixture(scope="module")
def found():
    return compare_rules(DATA, rules=[*ALIKE, *ODD], draws=200, random_seed=1)


@pytest.fixture(scope="module")
def everything():
    return compare_rules(DATA, draws=8, random_seed=1)


def test_rules_equal_by_algebra_agree_in_every_draw(found):
    alike = found.sel(rule=["bayes", *ALIKE])
    assert (alike["theorem"] == "the mean").all()
    assert (alike["order"] == 1).all()
    # One draw that was not shared would tell them apart somewhere.
    for end in ("tau_b_low", "tau_b_mean", "tau_b_high"):
        np.testing.assert_array_equal(alike[end], 1.0)


def test_agreement_is_kendalls_tau_b(found):
    rank = found["rank"].to_numpy()
    for i, j in itertools.combinations(range(len(rank)), 2):
        expected = kendalltau(rank[i], rank[j]).statistic
        assert found["tau_b_between"].to_numpy()[i, j] == pytest.approx(expected)
    np.testing.assert_array_equal(found["tau_b"], found["tau_b_between"][0])


def test_agreement_in_draws_is_that_of_the_same_seed(found):
    draws = {
        # One prior for all rules, though nanson alone would have another.
        name: rules.posterior(name, DATA, draws=200, prior="pooled", random_seed=1)["posterior"][
            "score"
        ]
        .to_numpy()
        .reshape(-1, 6)
        for name in ("bayes", "nanson")
    }
    taus = [kendalltau(a, b).statistic for a, b in zip(*draws.values(), strict=True)]
    low, high = np.nanquantile(taus, [0.025, 0.975])
    one = found.sel(rule="nanson")
    assert float(one["tau_b_low"]) == pytest.approx(low)
    assert float(one["tau_b_high"]) == pytest.approx(high)
    own = [kendalltau(draw, found["rank"].to_numpy()[0]).statistic for draw in draws["bayes"]]
    assert found.attrs["self_tau_b"] == pytest.approx(-np.mean(own))


def test_ranks_are_those_of_the_rule_and_intervals_those_of_its_posterior(found):
    for name in ("bayes", "nanson", "pass_at_k"):
        one = found.sel(rule=name)
        np.testing.assert_array_equal(one["score"], rules.get(name)(DATA))
        ranking = bayesrank.rank(rules.posterior(name, DATA, draws=200, random_seed=1))
        for end in ("rank_low", "rank_high"):
            np.testing.assert_array_equal(one[end], ranking.dataset[end])


def test_rules_share_an_order_iff_they_rank_alike(everything):
    rank, order = (everything[v].to_numpy() for v in ("rank", "order"))
    alike = (rank[:, np.newaxis] == rank[np.newaxis]).all(axis=2)
    np.testing.assert_array_equal(order[:, np.newaxis] == order[np.newaxis], alike)
    assert everything["rule"].values[0] == everything.attrs["reference"] == "bayes"
    # From near to far, without gaps.
    tau = everything["tau_b"].to_numpy()
    assert (np.diff(order) >= 0).all()
    assert (np.diff(tau[np.unique(order, return_index=True)[1]]) <= 1e-12).all()
    assert set(order) == set(range(1, order.max() + 1))


def test_every_fast_rule_is_there_or_refused(everything):
    names = {*everything["rule"].values, *everything["refused"].values}
    assert names == {rule.name for rule in rules.catalogue() if rule.fast}
    quiet = everything["why_no_interval"] == ""
    assert np.isfinite(everything["rank_low"].values[quiet]).all()
    assert np.isnan(everything["rank_low"].values[~quiet]).all()


def test_streams_have_ranks_and_no_draws_of_trials(found):
    assert "take population='questions'" in str(found["why_no_interval"].sel(rule="elo").item())
    assert np.isfinite(found["tau_b"].sel(rule="elo"))
    assert np.isnan(found["rank_low"].sel(rule="elo")).all()


def test_draws_of_their_own_have_no_paired_interval():
    names = ["mean", "borda", "elo", "majority_judgment"]
    found = compare_rules(DATA, rules=names, population="questions", draws=40, random_seed=1)
    assert np.isfinite(found["rank_low"]).all()
    paired = np.isfinite(found["tau_b_low"])
    assert paired.sel(rule=["mean", "borda"]).all()
    assert not paired.sel(rule=["elo", "majority_judgment"]).any()
    assert found["tau_b_low"].sel(rule="mean") == 1.0
    assert any("whole, with replacement" in note for note in found.attrs["notes"])


def test_new_trials_are_drawn_for_rules_of_single_trials():
    names = ["mean", "borda", "elo"]
    found = compare_rules(DATA, rules=names, counts="predictive", draws=8, random_seed=1)
    assert np.isfinite(found["rank_low"]).all()
    assert found["tau_b_low"].sel(rule="mean") == 1.0
    assert np.isnan(found["tau_b_low"].sel(rule="elo"))


def test_slow_rules_are_drawn_where_they_are_named_only(monkeypatch):
    catalogue = tuple(rules.get(name) for name in ("mean", "kemeny_young"))
    monkeypatch.setattr("bayesrank.studies._rule_draws.catalogue", lambda: catalogue)
    found = compare_rules(DATA, rules="all", draws=4, random_seed=1)
    assert str(found["why_no_interval"].sel(rule="kemeny_young").item()).startswith("slow")
    named = compare_rules(DATA, rules=["kemeny_young"], draws=4, random_seed=1)
    assert np.isfinite(named["rank_low"]).all()


def test_counts_of_rules_for_each_pair(found):
    rank, above = found["rank"].to_numpy(), found["above"].to_numpy()
    for i, j in itertools.permutations(range(6), 2):
        assert above[i, j] == sum(row[i] < row[j] for row in rank)
    np.testing.assert_array_equal(
        found["superiority"],
        bayesrank.rank(rules.posterior("bayes", DATA, draws=200, random_seed=1)).dataset[
            "superiority"
        ],
    )


def test_contested_pairs_by_going_through_all(everything):
    pairs = contested_pairs(everything)
    rank, names = everything["rank"].to_numpy(), everything["system"].values.tolist()
    expected = {
        frozenset((names[i], names[j]))
        for i, j in itertools.combinations(range(6), 2)
        if (rank[:, i] < rank[:, j]).any() and (rank[:, i] > rank[:, j]).any()
    }
    assert {
        frozenset(pair) for pair in zip(pairs["above"], pairs["below"], strict=True)
    } == expected
    assert len(pairs) == len(expected) > 0
    least = pairs[["rules_for", "rules_against"]].min(axis=1)
    assert (least.diff().dropna() <= 0).all()
    assert least.iloc[0] > least.iloc[-1]
    for row in pairs.itertuples():
        i, j = names.index(row.above), names.index(row.below)
        assert rank[0, i] <= rank[0, j]
        assert row.rules_for + row.rules_against + row.tied == len(rank)
        assert row.against == tuple(everything["rule"].values[rank[:, i] > rank[:, j]])
        ahead = everything["superiority"].to_numpy()
        assert row.told_apart == (max(ahead[i, j], ahead[j, i]) >= 0.95)
    assert len(contested_pairs(everything, most=1)) == 1


def test_pairs_between_two_rules_are_those_they_oppose(found):
    for one, other in itertools.combinations(found["rule"].values.tolist(), 2):
        pairs = contested_pairs(found, between=(one, other))
        assert len(pairs) == int(found["opposed"].sel(rule=one, rule_bis=other))


def test_order_of_the_models_does_not_matter():
    turned = DATA.select(systems=DATA.systems[::-1])
    names = ["mean", "nanson", "bradley_terry"]
    one, other = (compare_rules(d, rules=names, draws=4, random_seed=1) for d in (DATA, turned))
    np.testing.assert_array_equal(one["rank"].values[:, ::-1], other["rank"])
    np.testing.assert_allclose(one["tau_b"], other["tau_b"])


def test_options_and_weights_are_part_of_a_rule():
    chosen = [rules.get("minimax", ties="ignore"), "minimax", rules.get("pass_at_k", k=1)]
    found = compare_rules(DATA, rules=chosen, draws=4, random_seed=1)
    assert set(found["rule"].values) == {"bayes", "minimax", "minimax:ties=ignore", "pass_at_k:k=1"}
    assert found["theorem"].sel(rule="pass_at_k:k=1").item() == "the mean"


def test_categories_and_their_weights():
    rng = np.random.default_rng(4)
    data = Responses.from_array(rng.integers(0, 3, (4, 12, 3)))
    found = compare_rules(data, rules=["mean", "thompson", "max_at_k"], draws=8, random_seed=1)
    assert "3 categories" in str(found["reason"].sel(refused="thompson").item())
    weighted = compare_rules(
        data, rules=["mean", "thompson"], weights=[0, 0, 1], draws=8, random_seed=1
    )
    np.testing.assert_allclose(
        weighted["score"].sel(rule="mean"), rules.mean(data, weights=[0, 0, 1])
    )
    assert weighted.sizes["refused"] == 0


def test_the_reference_can_be_any_rule(found):
    other = compare_rules(DATA, rules=["mean"], reference="nanson", draws=8, random_seed=1)
    assert other["rule"].values.tolist() == ["nanson", "mean"]
    expected = float(found["tau_b"].sel(rule="nanson"))
    assert float(other["tau_b"].sel(rule="mean")) == pytest.approx(expected)


def test_comparisons_are_held_against_bradley_terry():
    battles = Comparisons.from_counts("aab", "bcc", [8, 7, 6], [3, 2, 4], ties=[1, 0, 2])
    found = compare_rules(battles, draws=20, random_seed=1)
    assert found.attrs["reference"] == "bradley_terry"
    assert found.attrs["population"] == "battles"
    assert "comparisons have none" in str(found["reason"].sel(refused="mean").item())
    assert found["theorem"].sel(rule="plackett_luce").item().startswith("wins of pairs")
    # Nobody ever beat a: its strength has no finite maximum without a prior.
    beaten = Comparisons.from_counts("aab", "bcc", [8, 7, 6], [0, 0, 4])
    found = compare_rules(beaten, draws=20, random_seed=1)
    assert found.attrs["reference"] == "bradley_terry:prior=gaussian"
    assert "no finite maximum" in str(found["reason"].sel(refused="bradley_terry").item())


def test_uneven_trials_are_said_to_part_bayes_from_the_mean():
    data = Responses.from_counts([[6], [880]], [[7], [1100]])
    found = compare_rules(data, rules=["mean"], draws=8, random_seed=1)
    assert any("need not be that of the mean" in note for note in found.attrs["notes"])
    assert found["theorem"].values.tolist() == ["", "the mean"]
    assert found["order"].values.tolist() == [1, 2]


def test_what_rounding_parts_is_said():
    data = Responses.from_counts([[90], [50], [10], [5]], 100)
    steep = rules.get("alpharank", alpha=100.0, scale="probability")
    found = compare_rules(data, rules=["mean", steep], draws=8, random_seed=1)
    assert any("differ by rounding" in note for note in found.attrs["notes"])


def test_what_rules_warn_of_is_said_once():
    data = Responses.from_counts([[1, 4, 6], [5, 7, 9]], 10)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        compare_rules(data, rules=["mean", "borda"], population="questions", draws=8, random_seed=1)
    assert len([w for w in said if issubclass(w.category, BayesrankWarning)]) == 1


def test_a_caller_hears_how_far_the_work_is():
    heard = []
    compare_rules(
        DATA,
        rules=["mean", "borda"],
        draws=4,
        random_seed=1,
        progress=lambda label, number, total: heard.append((label, number, total)),
    )
    assert heard == [("bayes", 1, 3), ("mean", 2, 3), ("borda", 3, 3)]


def test_the_same_seed_gives_the_same_and_a_file_holds_it(tmp_path):
    import xarray as xr

    one, again = (compare_rules(DATA, rules=ODD, draws=8, random_seed=5) for _ in range(2))
    assert one.identical(again)
    one.to_netcdf(tmp_path / "rules.nc", engine="h5netcdf")
    back = xr.load_dataset(tmp_path / "rules.nc", engine="h5netcdf")
    xr.testing.assert_equal(one, back)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare_rules(DATA, rules="fats"), "Did you mean 'fast'"),
        (lambda: compare_rules(DATA, rules="borda"), "One rule is a list: ['borda']"),
        (lambda: compare_rules(DATA, rules=["shulze"]), "Did you mean 'schulze'"),
        (lambda: compare_rules(DATA, rules=[]), "rules is empty"),
        (lambda: compare_rules(DATA, rules=["borda", "borda"]), "named twice"),
        (lambda: compare_rules(DATA, rules=["mean"], reference="bays"), "no rule 'bays'"),
        (lambda: compare_rules(DATA, rules=["mean"], reference="elo"), "population='questions'"),
        (lambda: compare_rules(DATA, rules=["mean"], population="tasks"), "no task column"),
        (lambda: compare_rules(DATA, rules=["mean"], population="battles"), "is not known"),
        (lambda: compare_rules(DATA, rules=["mean"], draws=0), "draws=0"),
        (lambda: compare_rules(DATA, rules=["mean"], ci_prob=1.0), "ci_prob=1.0"),
        (lambda: compare_rules(DATA.select(systems=DATA.systems[:1])), "nothing to compare"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(BayesrankError) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_pairs_of_rules_that_were_not_compared(found):
    with pytest.raises(BayesrankError, match="no rule 'bord'"):
        contested_pairs(found, between=("mean", "bord"))
    with pytest.raises(BayesrankError, match="names of two rules"):
        contested_pairs(found, between=("mean",))
