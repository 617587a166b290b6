"""The Ranking: tables, the answer, the statement under it, selections, orders, diagnostics."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from arviz_stats.sampling_diagnostics import ess, rhat

import bayesrank
from bayesrank._record import Record, write_record
from bayesrank.exceptions import ArgumentError

COLUMNS = [
    "rank", "model", "score", "score_low", "score_high", "rank_low", "rank_high", "p_best",
    "p_top_k", "group",
]  # fmt: skip


@pytest.fixture(scope="module")
def ranking(close_race):
    return bayesrank.rank(close_race)


def test_table_is_sorted_and_unrounded(ranking):
    table = ranking.table()
    assert list(table.columns) == COLUMNS
    assert table["rank"].tolist() == [1, 2, 3, 4, 5, 6]
    assert table["model"].tolist() == ["m5", "m4", "m3", "m2", "m1", "m0"]
    by_name = table.set_index("model")
    for name in COLUMNS[2:-1]:
        np.testing.assert_array_equal(
            by_name[name].loc[list(ranking.systems)], ranking.dataset[name].values
        )


def test_printed_table_has_the_digits_of_the_error(ranking):
    text = ranking.table_text()
    assert list(text.columns) == COLUMNS
    assert text.map(lambda cell: isinstance(cell, str)).all(axis=None)
    # sd .04 of 4,000 draws: an error of .0006, so three decimals
    assert text["score"].str.fullmatch(r"0\.\d{3}").all()
    assert text["p_best"].iloc[0] == f"{ranking.dataset['p_best'].values[5]:.2f}"
    assert text["p_best"].iloc[-1].startswith("<")


def test_ties_in_print(scores_of):
    text = bayesrank.rank(scores_of([[1.0, 1.0, 0.0]] * 50)).table_text()
    assert text["rank"].tolist() == ["1=", "1=", "3"]
    assert text["p_top_k"].tolist() == ["1", "1", "1"]  # of three, by definition


def test_groups_and_letters_agree_with_the_pairs(ranking):
    above = ranking.dataset["superiority"]
    letters = ranking.table().set_index("model")["group"]
    groups = ranking.groups()
    for i in ranking.systems:
        for j in ranking.systems:
            pair = (
                float(above.sel(system=i, system_bis=j)),
                float(above.sel(system=j, system_bis=i)),
            )
            together = i == j or max(pair) < 0.95
            assert any({i, j} <= set(group) for group in groups) == together
            assert bool(set(letters[i]) & set(letters[j])) == together
    order = ranking.table()["model"].tolist()
    places = [[order.index(name) for name in group] for group in groups]
    assert places == sorted(places)
    assert all(group == sorted(group) for group in places)


# ---------------------------------------------------------------- words


def race(scores_of, means, sd=0.1, **options):
    rng = np.random.default_rng(11)
    return bayesrank.rank(scores_of(rng.normal(means, sd, size=(4, 1000, len(means)))), **options)


def test_answer_where_one_is_best(scores_of):
    sentence = race(scores_of, [0.0, 2.0, 1.0]).answer()
    assert sentence.startswith("With probability above 0.99")
    assert sentence.endswith(", m1 is the best of 3 models.")


def test_answer_where_nobody_is(scores_of):
    sentence = race(scores_of, [0.5, 0.45, 0.1]).answer()
    assert sentence.startswith(
        "No single model is shown to be the best of 3: m0 comes first with probability 0.6"
    )
    assert sentence.endswith("cannot be told apart from it.")
    assert "m1 (0.3" in sentence
    assert "m2" not in sentence


def test_answer_names_few(scores_of):
    sentence = race(scores_of, [0.5] * 12).answer()
    assert "and 7 more cannot" in sentence
    assert race(scores_of, [0.5] * 6).answer().count("(") == 5


def test_answer_where_one_is_above_each_other_one(scores_of):
    sentence = race(scores_of, [0.5] + [0.25] * 5).answer()
    assert sentence.startswith("With probability 0.8")
    assert "and it is above each other one with probability 0.9" in sentence


def test_answer_says_where_the_table_has_another_first(scores_of):
    sentence = race(scores_of, [0.0, -0.02], sd=[0.01, 1.0], by=("quantile", 0.05)).answer()
    assert "heads the table" not in sentence
    draws = np.random.default_rng(3).normal([0.0, -0.2, -0.3], [0.01, 2.0, 2.0], size=(4, 1000, 3))
    sentence = bayesrank.rank(scores_of(draws)).answer()
    assert sentence.endswith("; sorted by posterior mean score, m0 heads the table.")


def test_answer_of_one_model_and_of_a_failed_posterior(scores_of):
    alone = race(scores_of, [0.5])
    assert alone.answer() == "Only one model was ranked, m0."
    failed = replace(alone, record=Record(diagnostics={"verdict": "fail", "checks": []}))
    assert failed.answer().startswith("Not to be relied on, for the posterior failed its checks: ")


def test_footer_states_everything(close_race):
    posterior = xr.DataTree.from_dict({"/posterior": close_race.to_dataset()})
    record = Record(
        population="trials",
        method="exact",
        model="bayes_at_n",
        prior="uniform",
        estimand="mean over 89 questions",
        observations={
            "models": 6, "questions": 89, "trials": 5000, "missing": 418, "missing_as": "mask"
        },
        diagnostics={
            "verdict": "fail",
            "checks": [
                {"name": "r_hat", "verdict": "fail", "sentence": "R-hat is 1.2, above 1.01."},
                {"name": "ess", "verdict": "pass", "sentence": "ESS is fine."},
            ],
        },
        notes=("Scores are shrunk.",),
    )  # fmt: skip
    write_record(posterior, record)
    ranking = bayesrank.rank(posterior, ci_prob=0.9, ci_kind="hdi", systems=["m1", "m5"])
    text = "\n".join(ranking.footer())
    for fact in (
        "Population: trials. Score: mean over 89 questions. Sorted by posterior mean score",
        "90 % shortest (highest-density) intervals",
        "Model: bayes_at_n. Prior: uniform. Method: exact; 4,000 independent draws.",
        "6 models, 89 questions, 5,000 trials. Missing: 418 (left out).",
        "Diagnostics: FAILED. R-hat is 1.2, above 1.01.",
        "Re-ranked among 2 of 6 models.",
        "Scores are shrunk.",
    ):
        assert fact in text
    assert "ESS" not in text


def test_footer_of_a_bare_posterior_hides_nothing(scores_of):
    text = "\n".join(bayesrank.rank(scores_of([[1.0, 1.0]] * 9)).footer())
    assert "Population: not stated." in text
    assert "Missing: not stated." in text
    assert "Diagnostics: not run." in text
    assert "9 of 9 draws have ties" in text
    assert "equal ranks (=) are ties" in text


def test_html_is_inert(scores_of):
    names = ["<script>alert(1)</script>", "\x1b[31m\u202ered"]
    view = bayesrank.rank(scores_of([[1.0, 2.0]] * 9, names))._repr_html_()
    assert "<script" not in view
    assert "\x1b" not in view
    assert "\u202e" not in view
    assert "Population: not stated." in view
    many = bayesrank.rank(scores_of([range(60)] * 9))._repr_html_()
    assert many.count("<tr>") == 51
    assert "10 more in table()" in many


def test_repr(ranking):
    assert repr(ranking).startswith("<Ranking: 6 models, best m5 (P 0.")


# ---------------------------------------------------------------- selections and orders


def test_selection_is_the_ranking_of_these_draws(close_race, ranking):
    names = ["m4", "m0", "m5"]
    chosen = ranking.select(names)
    direct = bayesrank.rank(close_race.sel(system=names))
    xr.testing.assert_equal(chosen.dataset, direct.dataset)
    assert chosen.dataset.attrs["selected_from"] == 6
    assert chosen.select(["m0", "m4"]).dataset.attrs["selected_from"] == 6
    xr.testing.assert_equal(bayesrank.rank(close_race, systems=names).dataset, chosen.dataset)
    assert "selected_from" not in ranking.select(list(ranking.systems)).dataset.attrs
    with pytest.raises(ArgumentError, match="no model 'm7'"):
        ranking.select(["m7"])


def test_selection_keeps_the_options(close_race):
    ranking = bayesrank.rank(
        close_race, by=("quantile", 0.1), ci_prob=0.8, ci_kind="hdi", top_k=2
    ).select(["m1", "m2", "m3"])
    assert ranking.dataset.attrs["quantile"] == 0.1
    assert ranking.dataset.attrs["ci_prob"] == 0.8
    assert (ranking.dataset.attrs["ci_kind"], ranking.dataset.attrs["top_k"]) == ("hdi", 2)


def test_most_probable_order(scores_of):
    draws = [[3, 2, 1], [3, 2, 1], [1, 2, 3], [2, 2, 1]] * 25
    order = bayesrank.rank(scores_of(draws)).most_probable_order()
    assert (order.systems, order.ranks) == (("m0", "m1", "m2"), (1, 2, 3))
    assert (order.probability, order.equally_often) == (0.5, 1)
    assert 0 <= order.mcse < 0.1
    # Two orders came up as often: the one nearest to the expected ranks is taken.
    draws = [[3, 2, 1]] * 4 + [[1, 2, 3]] * 4 + [[3, 1, 2]]
    order = bayesrank.rank(scores_of(draws)).most_probable_order()
    assert order.systems == ("m0", "m1", "m2")
    assert order.equally_often == 2
    tie = bayesrank.rank(scores_of([[1, 2, 1]] * 3)).most_probable_order()
    assert (tie.systems, tie.ranks) == (("m1", "m0", "m2"), (1, 2, 2))


def test_kemeny_order_is_what_by_kemeny_ranks(close_race):
    ranking = bayesrank.rank(close_race, by="kemeny")
    order = ranking.kemeny()
    assert order.exact
    assert ranking.dataset.attrs["kemeny_gap"] == 0
    assert ranking.table()["model"].tolist() == list(order.systems)
    above = ranking.dataset["superiority"].sel(system=list(order.systems))
    above = above.sel(system_bis=list(order.systems)).values
    assert order.distance == pytest.approx(np.tril(above, -1).sum())


def test_kemeny_gap_is_in_the_footer(close_race):
    ranking = bayesrank.rank(close_race, by="kemeny")
    ranking.dataset.attrs["kemeny_gap"] = 0.25
    assert any("not proven best" in line for line in ranking.footer())


# ---------------------------------------------------------------- trust


def test_diagnostics_are_those_of_arviz(close_race, ranking):
    table = ranking.diagnostics()
    best = (close_race == close_race.max("system")).astype(float)
    rank = (-close_race).stack(all=("chain", "draw")).reduce(_ranks, "system").unstack("all")
    for quantity, draws in (("score", close_race), ("p_best", best), ("rank", rank)):
        for k, name in enumerate(ranking.systems):
            cell = table.sel(quantity=quantity, system=name)
            one = draws.isel(system=k).transpose("chain", "draw")
            if bool(cell["constant"]):
                assert float(one.max()) == float(one.min())
                assert np.isnan(cell["r_hat"])
                continue
            assert float(cell["r_hat"]) == pytest.approx(float(rhat(one)))
            assert float(cell["ess_bulk"]) == pytest.approx(float(ess(one, method="bulk")))
            assert float(cell["ess_tail"]) == pytest.approx(float(ess(one, method="tail")))
    assert table.attrs["r_hat_max"] == pytest.approx(float(table["r_hat"].max()))
    assert table.attrs["ess_bulk_min"] == pytest.approx(float(table["ess_bulk"].min()))
    assert ranking.diagnostics() is table


def test_diagnostics_split_ties(scores_of):
    score = scores_of(np.random.default_rng(1).integers(0, 3, size=(4, 200, 3)))
    table = bayesrank.rank(score).diagnostics()
    is_best = score == score.max("system")
    share = (is_best / is_best.sum("system")).isel(system=0)
    assert float(table["ess_bulk"].sel(quantity="p_best", system="m0")) == pytest.approx(
        float(ess(share.transpose("chain", "draw"), method="bulk"))
    )


def _ranks(values, axis):
    return np.argsort(np.argsort(values, axis=axis), axis=axis) + 1


def test_diagnostics_see_chains_that_disagree(scores_of):
    draws = np.random.default_rng(1).normal(size=(4, 500, 3))
    draws[0, :, 0] += 3
    table = bayesrank.rank(scores_of(draws)).diagnostics()
    assert float(table["r_hat"].sel(quantity="score", system="m0")) > 1.1
    assert float(table["r_hat"].sel(quantity="p_best", system="m0")) > 1.1
    assert float(table["r_hat"].sel(quantity="score", system="m1")) < 1.02


def test_constant_quantities_have_no_diagnostics(scores_of):
    table = bayesrank.rank(scores_of([[1.0, 0.0]] * 40)).diagnostics()
    assert table["constant"].all()
    assert np.isnan(table.attrs["r_hat_max"])


def test_dataset_survives_netcdf(ranking, tmp_path):
    ranking.dataset.to_netcdf(tmp_path / "ranking.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "ranking.nc", engine="h5netcdf") as back:
        pd.testing.assert_series_equal(
            back["p_best"].to_series(),
            ranking.dataset["p_best"].to_series(),
            check_index_type=False,
        )
        assert back.attrs["by"] == "mean"
