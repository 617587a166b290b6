"""Comparisons weighted to a target: shares, effective number, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesrank import Comparisons
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import fit_paired
from tests.battles import battles, turned

THIRDS = {"de": 1, "en": 1, "fr": 1}


def share_of(comparisons, factor):
    codes = comparisons.factor(factor).codes
    n = comparisons.n_comparisons
    return np.bincount(codes, weights=n) / n.sum()


@given(st.tuples(*[st.floats(0.05, 1)] * 3))
def test_levels_have_the_shares_of_the_target(shares):
    data = battles()
    got = data.reweighted("category", target=dict(zip(("de", "en", "fr"), shares, strict=True)))
    np.testing.assert_allclose(share_of(got, "category"), np.array(shares) / sum(shares))
    assert got.weighted
    # Kish: (sum of weights)^2 / sum of squares, over battles of equal weight in a level.
    observed = np.bincount(data.factor("category").codes, weights=data.n_comparisons)
    weight = np.repeat(np.array(shares) / observed, observed.astype(int))
    kish = weight.sum() ** 2 / (weight**2).sum()
    assert got.n_comparisons.sum() == pytest.approx(kish)
    assert got.describe()["reweighting"]["effective"] == pytest.approx(kish, abs=1e-5)
    assert kish <= 300 + 1e-9


def test_observed_shares_change_nothing():
    data = battles()
    observed = dict(zip(("de", "en", "fr"), share_of(data, "category"), strict=True))
    got = data.reweighted("category", target=observed)
    np.testing.assert_allclose(got.wins, data.wins)
    assert got.reweighting.effective == pytest.approx(300)
    np.testing.assert_allclose(fit_paired(got).strength, fit_paired(data).strength)


def test_a_level_with_share_zero_is_left_out():
    data = battles()
    got = data.reweighted("category", target={"de": 2, "en": 0, "fr": 2})
    assert got.factor("category").levels == ("de", "fr")
    only = data.reweighted("category", target={"de": 1, "en": 0, "fr": 0})
    assert only.reweighting.effective == pytest.approx(only.n_comparisons.sum())
    kept = data.factor("category").codes == 0
    np.testing.assert_allclose(np.sort(only.wins), np.sort(data.wins[kept]))


def test_the_order_follows_the_target():
    """A model that is better in one language leads where that language counts for more."""
    data = Comparisons.from_counts(
        ["a", "a"], ["b", "b"], [90, 2], [30, 8], factors={"category": ["en", "de"]}
    )
    gaps = [
        fit_paired(data.reweighted("category", target={"en": 1 - w, "de": w}), ties="drop")
        .relative_to("b")[0][0]
        for w in (0.1, 0.5, 0.9)
    ]  # fmt: skip
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[0] > 0 > gaps[2]
    # Half and half: the mean of 3/4 and 1/5 of wins.
    assert gaps[1] == pytest.approx(np.log(0.475 / 0.525))


def test_weights_survive_collapse_and_selection_and_swapping():
    got = battles(covariate=True).reweighted("category", target=THIRDS)
    one, two = got.collapse(), turned(got).collapse()
    assert one.reweighting == got.reweighting
    np.testing.assert_allclose(one.win_matrix(), got.win_matrix())
    np.testing.assert_allclose(one.wins, two.wins)
    assert got.select(["m1", "m0"]).reweighting == got.reweighting
    assert "category: 'de' 0.333, 'en' 0.333, 'fr' 0.333" in got.reweighting.sentence()
    assert "300 comparisons" in got.reweighting.sentence()


@pytest.mark.parametrize(
    ("factor", "target", "error", "message"),
    [
        ("category", {**THIRDS, "it": 1}, InputError, "no comparison of category 'it'"),
        ("category", {**THIRDS, "eng": 1}, InputError, "Did you mean 'en'"),
        ("category", {"de": 1, "en": 1}, ArgumentError, "gives no share to category 'fr'"),
        ("category", {**THIRDS, "de": -1}, ArgumentError, r"target\['de'\]=-1 must be"),
        ("category", {**THIRDS, "de": np.nan}, ArgumentError, r"target\['de'\]=nan"),
        ("category", dict.fromkeys(THIRDS, 0), ArgumentError, "gives every level the share 0"),
        ("prompt", THIRDS, ArgumentError, "have no prompt; they have judge, category"),
    ],
)
def test_bad_targets_are_refused(factor, target, error, message):
    with pytest.raises(error, match=message) as caught:
        battles().reweighted(factor, target=target)
    assert "\n" not in str(caught.value)


def test_a_level_unseen_with_share_zero_needs_no_battles():
    assert battles().reweighted("category", target={**THIRDS, "it": 0}).weighted


def test_weighting_twice_is_refused():
    once = battles().reweighted("category", target=THIRDS)
    with pytest.raises(InputError, match="weighted already"):
        once.reweighted("judge", target={"j0": 1, "j1": 1, "j2": 1})
