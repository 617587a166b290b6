"""Prefixes of an arena: their counts exactly, their posteriors against the one of all votes."""

import numpy as np
import pandas as pd
import pytest

import bayesrank
from bayesrank import Comparisons
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import fit_paired
from bayesrank.studies import battle_budgets, budgets
from bayesrank.studies._prefixes import in_order


def log(n=600, *, systems=4, judges=12, days=5, seed=1):
    """Votes with a time; strengths fall in steps."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, systems, n)
    b = (a + rng.integers(1, systems, n)) % systems
    p = 1 / (1 + np.exp(-0.7 * (b - a)))
    won, tied = rng.random(n) < p, rng.random(n) < 0.15
    return pd.DataFrame(
        {
            "model_a": [f"m{k}" for k in a],
            "model_b": [f"m{k}" for k in b],
            "winner": np.where(tied, "tie", np.where(won, "model_a", "model_b")),
            "judge": [f"j{k}" for k in rng.integers(0, judges, n)],
            "day": np.sort(rng.integers(0, days, n)),
        }
    )


def votes(frame, *, timed=True):
    return Comparisons.from_frame(frame, judge="judge", period="day" if timed else None)


FRAME = log()
DATA = votes(FRAME)


@pytest.fixture(scope="module")
def found():
    return battle_budgets(DATA, prefixes=[40, 200, 600], draws=1000, random_seed=1)


def test_prefixes_hold_the_first_votes_in_time():
    battles = in_order(DATA, unit="judge", rng=np.random.default_rng(1))
    whole = DATA.collapse()
    for day in range(5):
        n = int((FRAME["day"] <= day).sum())
        part = votes(FRAME[FRAME["day"] <= day]).collapse()
        expected = np.stack([part.wins, part.losses, part.ties, part.ties_bothbad], axis=1)
        at = np.searchsorted(whole.first * 9 + whole.second, part.first * 9 + part.second)
        np.testing.assert_array_equal(battles.counts(n)[at], expected)
        assert battles.counts(n).sum() == n
        assert battles.last_period(n) == str(day)
        assert not battles.splits_period(n)
    assert battles.splits_period(3)
    steps = np.stack([battles.counts(n) for n in (10, 50, 51, 600)])
    assert (np.diff(steps, axis=0) >= 0).all()


def test_votes_of_units_add_up_to_those_of_the_prefix():
    battles = in_order(DATA, unit="judge", rng=np.random.default_rng(1))
    clusters = battles.clusters(100, "judge")
    seen = {battles.unit[r] for r in battles.row[:100]}
    assert clusters.size == len(seen)
    np.testing.assert_array_equal(
        clusters.weighted(np.ones((1, clusters.size)))[0], battles.counts(100)
    )


def test_all_votes_give_the_posterior_of_all_votes(found):
    # Little is left of the prior of the strengths: one with their own spread is as good.
    fit = fit_paired(DATA, prior_sd=1.0)
    sd = np.sqrt(np.diag(fit.covariance)[:4].max() - fit.covariance[0, 1])
    last = found.isel(votes=-1)
    np.testing.assert_allclose(last["score"], fit.strength - fit.strength.mean(), atol=0.3 * sd)
    assert last["leader"].item() == found.attrs["leader"] == "m0"
    assert last["tau_b"].item() == 1.0
    assert last["verdict"].item() == "pass"


def test_fewer_votes_know_less(found):
    width = (found["score_high"] - found["score_low"]).mean("system").to_numpy()
    assert (np.diff(width) < 0).all()
    assert (np.diff(found["told_apart"].values) >= 0).all()
    assert found["votes_of"].sum("system").values.tolist() == [80, 400, 1200]
    assert found["period"].values[-1] == "4"
    assert found.attrs["timed"]
    leaders = found["leader"].values
    since = found["votes"].values.tolist().index(found.attrs["leader_since"])
    assert (leaders[since:] == leaders[-1]).all()
    assert since == 0 or leaders[since - 1] != leaders[-1]


def test_judges_are_resampled_from_the_same_compiled_model(found):
    by_judges = battle_budgets(DATA, prefixes=[600], draws=100, resample="judges", random_seed=1)
    assert by_judges.attrs["population"] == "judges"
    assert by_judges["drawn"].item() == "bootstrap"
    sd = (found["score_high"] - found["score_low"]).isel(votes=-1) / 3.92
    assert (abs(by_judges["score"].isel(votes=0) - found["score"].isel(votes=-1)) < 0.6 * sd).all()


def test_a_study_goes_on_and_refuses_another(tmp_path, found):
    options = {"draws": 1000, "random_seed": 1, "folder": tmp_path}
    first = battle_budgets(DATA, prefixes=[40, 200, 600], **options)
    assert first.identical(found)
    (tmp_path / "votes=200.npz").unlink()
    told = []
    again = battle_budgets(
        DATA, prefixes=[40, 200, 600], progress=lambda *step: told.append(step), **options
    )
    assert again.identical(found)
    assert told == [("votes=200", 3, 3)]
    with pytest.raises(ArgumentError, match="holds a study with prefixes"):
        battle_budgets(DATA, prefixes=[50], **options)
    with pytest.raises(ArgumentError, match="holds a study with ties"):
        battle_budgets(DATA, prefixes=[40, 200, 600], ties="half", **options)


@pytest.mark.slow
def test_resampled_judges_that_differ_make_intervals_wider():
    frame = log(judges=8)
    # Half of the judges turn every vote around.
    odd = frame["judge"].isin(["j0", "j2", "j4"])
    turned = frame["winner"].map({"model_a": "model_b", "model_b": "model_a", "tie": "tie"})
    frame["winner"] = frame["winner"].where(~odd, turned)
    data = votes(frame, timed=False)
    by_votes = battle_budgets(data, prefixes=1, draws=400, random_seed=1)
    by_judges = battle_budgets(data, prefixes=1, draws=400, resample="judges", random_seed=1)
    wide, narrow = (
        float((one["score_high"] - one["score_low"]).mean()) for one in (by_judges, by_votes)
    )
    assert wide > 1.3 * narrow
    assert "carry no time" in by_votes.attrs["notes"][0]


def test_prefixes_without_a_mode_are_drawn_by_nuts():
    class Model:
        def laplace(self, **_):
            raise ArgumentError("no mode inside")

        def sample(self, **settings):
            return settings

    config = {"method": "laplace", "draws": 400}
    settings, drawn = budgets._drawn(Model(), config, np.random.SeedSequence(1))
    assert (drawn, settings["chains"], settings["draws"]) == ("nuts", 4, 500)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resample": "juges"}, "Did you mean 'judges'"),
        ({"resample": "prompts"}, "have no prompt"),
        ({"resample": "judges", "method": "nuts"}, "use one of them"),
        ({"method": "laplac"}, "Did you mean 'laplace'"),
        ({"ties": "drops"}, "Did you mean 'drop'"),
        ({"prefixes": 0}, "prefixes=0"),
        ({"prefixes": 601}, "cannot be cut into 601"),
        ({"prefixes": [30, 20]}, "must be sizes that increase"),
        ({"prefixes": [700]}, "up to 600 votes"),
        ({"ci_prob": 2}, "ci_prob=2"),
        ({"draws": 1}, "draws=1"),
    ],
)
def test_bad_arguments_are_one_line(options, message):
    with pytest.raises(ArgumentError, match=message) as error:
        battle_budgets(DATA, **options)
    assert "\n" not in str(error.value)


def test_weights_and_single_judges_are_refused():
    expected = Comparisons.from_responses(
        bayesrank.Responses.from_counts([[3, 2], [1, 2]], 4, systems=["a", "b"])
    )
    with pytest.raises(InputError, match="single votes"):
        battle_budgets(expected)
    alone = log(60, judges=1)
    with pytest.raises(InputError, match="one of the judges"):
        battle_budgets(votes(alone), prefixes=1, resample="judges")
