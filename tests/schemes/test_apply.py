"""Schemes on completions: against plain Python, thresholds by model, and every bad input."""

import math

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayesrank
from bayesrank import schemes
from bayesrank.exceptions import ArgumentError, InputError, OutputExistsError
from bayesrank.schemes import Category, Scheme, Threshold
from tests.payloads import HOSTILE
from tests.schemes.brute import BY_LETTER, facts, percentile

LENGTH = Scheme(
    "length",
    (Category("short", 1.0, "token_ratio <= half"), Category("long", 0.0, "token_ratio > half")),
    thresholds=(Threshold("half", "token_ratio", 50),),
)
WRONG = Scheme(
    "wrong",
    (
        Category("sure", 0.0, "not is_correct and completion_bpt <= p60"),
        Category("else", 1.0, "is_correct or completion_bpt > p60"),
    ),
    thresholds=(Threshold("p60", "completion_bpt", 60, among="not is_correct"),),
)
# Here the threshold decides about right answers too.
ALL_BY_WRONG = Scheme(
    "all by wrong",
    (Category("sure", 0, "completion_bpt <= p60"), Category("else", 1, "completion_bpt > p60")),
    thresholds=WRONG.thresholds,
)


def frame(**columns):
    n = len(columns["model"])
    rest = {"question": [f"q{i}" for i in range(n)], **columns}
    return pd.DataFrame(rest)


def said(error):
    text = str(error.value)
    assert text.isprintable()
    assert len(text) < 800
    return text


# ------------------------------------------------------------------ against plain Python


@pytest.mark.parametrize("thresholds", ["model", "pooled"])
@pytest.mark.parametrize("name", schemes.names())
def test_categories_are_those_of_plain_python(signals, name, thresholds):
    scheme = schemes.load(name)
    rows = signals.to_dict("records")
    expected = [BY_LETTER[scheme.letter](f) for f in facts(rows, pooled=thresholds == "pooled")]
    found = schemes.categorise(scheme, signals, thresholds=thresholds)
    assert found["outcome"].tolist() == expected
    assert found["category"].tolist() == [scheme.category_names[c] for c in expected]
    responses = schemes.apply(scheme, signals, thresholds=thresholds)
    assert responses.n_categories == scheme.n_categories
    table = pd.crosstab(signals["model"], pd.Series(expected)).reindex(
        columns=range(scheme.n_categories), fill_value=0
    )
    assert responses.counts.sum(axis=1).tolist() == table.to_numpy().tolist()
    assert responses.missing.sum() == 0


def test_outcomes_are_kept_by_trial(signals):
    found = schemes.apply("efficiency-graded", signals)
    listed = schemes.categorise("efficiency-graded", signals)
    i, j = found.systems.index("model 2"), found.questions.index("question 3")
    cell = listed.query("model == 'model 2' and question == 'question 3'")
    assert found.outcomes[i, j].tolist() == cell["outcome"].tolist()


def test_equal_signals_go_to_the_first_of_argmax():
    votes = {
        "compass_A": [0.4, 0.2, 0.3],
        "compass_B": [0.4, 0.4, 0.3],
        "compass_C": [0.2, 0.4, 0.4],
    }
    data = frame(model=["a"] * 3, repeated_pattern=[0] * 3, **votes)
    found = schemes.categorise("verifier-only", data)["category"]
    assert found.tolist() == ["A-dominant", "B-dominant", "C-dominant"]


def test_order_of_rows_does_not_matter(signals):
    shuffled = signals.sample(frac=1, random_state=3)
    for name in ("balanced-composite", "rare-event"):
        a, b = (schemes.apply(name, data) for data in (signals, shuffled))
        assert a.data_hash() == b.data_hash()


# ------------------------------------------------------------------ thresholds


def test_percentiles_are_each_models_own_and_linear(signals):
    table = schemes.threshold_table("balanced-composite", signals)
    for model, rows in signals.groupby("model"):
        wrong = rows.loc[rows["is_correct"] == 0, "completion_bpt"]
        own = table.loc[model]
        assert own["completion_bpt_p60_wrong"] == pytest.approx(np.percentile(wrong, 60), rel=1e-14)
        assert own["token_ratio_p66"] == pytest.approx(
            np.percentile(rows["token_ratio"], 66), rel=1e-14
        )
    pooled = schemes.threshold_table("balanced-composite", signals, thresholds="pooled")
    assert (pooled.nunique() == 1).all()
    assert pooled["token_ratio_p66"].iloc[0] == pytest.approx(
        np.percentile(signals["token_ratio"], 66), rel=1e-14
    )


def test_own_percentiles_give_every_model_the_same_share(signals):
    """And pooled ones do not: that is what they are for."""
    data = signals.assign(
        token_ratio=signals["token_ratio"] * (1 + 9 * (signals["model"] == "model 1"))
    )
    own, pooled = (
        schemes.apply(LENGTH, data, thresholds=t).counts.sum(axis=1)[:, 0]
        for t in ("model", "pooled")
    )
    assert set(own) == {20}
    assert pooled[0] == 0
    assert (pooled[1:] > 20).any()


def test_thresholds_come_from_the_full_sample(signals):
    part = signals[signals["trial"] == 1]
    full = schemes.categorise("balanced-composite", signals)
    expected = full[full["trial"] == "1"].reset_index(drop=True)
    found = schemes.categorise("balanced-composite", part, thresholds_from=signals)
    pd.testing.assert_frame_equal(found, expected)
    alone = schemes.categorise("balanced-composite", part)
    assert (alone["outcome"] != expected["outcome"]).any()
    # Responses of the full sample can be thinned afterwards.
    whole = schemes.apply("balanced-composite", signals)
    thinned = bayesrank.Responses.from_array(
        whole.outcomes[:, :, :1], categories=whole.n_categories
    )
    applied = schemes.apply("balanced-composite", part, thresholds_from=signals)
    assert (thinned.counts == applied.counts).all()


def test_thresholds_from_need_every_model(signals):
    with pytest.raises(InputError, match="no completions of model 'model 1'") as error:
        schemes.apply(LENGTH, signals, thresholds_from=signals[signals["model"] != "model 1"])
    said(error)
    schemes.apply(
        LENGTH,
        signals,
        thresholds="pooled",
        thresholds_from=signals[signals["model"] != "model 1"],
    )


def test_exact_duplicates_weigh_once(signals):
    twice = pd.concat([signals, signals[signals["token_ratio"] > 1.5]])
    a, b = (schemes.threshold_table("efficiency-adjusted", d) for d in (signals, twice))
    pd.testing.assert_frame_equal(a, b)
    once, again = (schemes.apply("efficiency-adjusted", d) for d in (signals, twice))
    assert (once.counts == again.counts).all()
    assert again.duplicates == len(twice) - len(signals)


def test_a_percentile_is_met_by_the_value_it_is():
    """P90 of eleven values is the tenth, and it counts as out of distribution."""
    data = frame(model=["a"] * 11, is_correct=[1] * 11, prompt_bpt=[float(i) for i in range(11)])
    found = schemes.categorise("ood-robust", data)["outcome"]
    assert (found == 3).sum() == 2


# ------------------------------------------------------------------ missing


def test_a_missing_signal_is_a_missing_outcome(signals):
    data = signals.copy()
    data.loc[3, "compass_A"] = np.nan
    data.loc[5, "token_ratio"] = np.nan
    rows = data.drop(index=[3, 5]).to_dict("records")
    # What is there of the two still counts for the percentiles of other signals.
    found = schemes.categorise("verifier-only", data)
    assert found["outcome"].isna().to_numpy().nonzero()[0].tolist() == [3]
    kept = found.drop(index=[3, 5])["outcome"].tolist()
    assert kept == [BY_LETTER["O"](f) for f in facts(rows)]
    responses = schemes.apply("verifier-only", data)
    assert responses.missing.sum() == 1
    assert responses.n_trials.sum() == len(data) - 1
    as_first = schemes.apply("verifier-only", data, missing="failure")
    assert as_first.counts[..., 0].sum() == responses.counts[..., 0].sum() + 1
    length = schemes.threshold_table("efficiency-adjusted", data).loc["model 1"].item()
    own = data.loc[(data["model"] == "model 1") & data["token_ratio"].notna(), "token_ratio"]
    assert length == pytest.approx(percentile(own.tolist(), 66), rel=1e-14)


def test_what_is_missing_is_not_decided_by_the_rest():
    """A repeated completion is in the first category whatever the verifier says, if it says it."""
    votes = {name: [None, 0.3] for name in ("compass_A", "compass_B", "compass_C")}
    data = frame(model=["a", "a"], repeated_pattern=[1, 1], **votes)
    found = schemes.categorise("verifier-only", data)["outcome"]
    assert found.isna().tolist() == [True, False]


def test_a_category_nobody_used_keeps_its_prior(signals):
    data = signals.assign(repeated_pattern=0)
    responses = schemes.apply("verifier-only", data)
    assert responses.counts.shape[2] == 4
    assert responses.counts[..., 0].sum() == 0
    scheme = schemes.load("verifier-only")
    model = bayesrank.models.bayes_at_n(responses, weights=scheme.weights)
    posterior = bayesrank.sample(model, random_seed=1)
    n = responses.counts + 1.0
    expected = ((n / n.sum(axis=2, keepdims=True)) @ np.array(scheme.weights)).mean(axis=1)
    score = posterior["posterior"]["score"]
    error = score.std(("chain", "draw")) / math.sqrt(4000)
    assert (np.abs(score.mean(("chain", "draw")) - expected) < 5 * error).all()


# ------------------------------------------------------------------ every way in


def test_files_and_frames_give_the_same(signals, tmp_path):
    expected = schemes.apply("balanced-composite", signals).data_hash()
    halves = [tmp_path / f"{i}.csv" for i in range(2)]
    for i, path in enumerate(halves):
        signals[i::2].to_csv(path, index=False)
    whole = {kind: tmp_path / f"s.{kind}" for kind in ("csv", "parquet", "jsonl")}
    signals.to_csv(whole["csv"], index=False)
    pl.from_pandas(signals).write_parquet(whole["parquet"])
    signals.to_json(whole["jsonl"], orient="records", lines=True)
    with duckdb.connect() as con:
        relation = con.read_parquet(str(whole["parquet"]))
        for data in (
            *(*whole.values(), str(whole["csv"]), halves),
            *(pl.from_pandas(signals), pl.from_pandas(signals).lazy(), relation),
            pl.from_pandas(signals).to_arrow(),
        ):
            assert schemes.apply("balanced-composite", data).data_hash() == expected


def test_columns_can_be_told(signals):
    expected = schemes.apply("abstention", signals).data_hash()
    renamed = signals.rename(
        columns={"model": "who", "is_correct": "correct", "has_box": "Has Box"}
    )
    columns = {"system": "who", "is_correct": "correct"}
    assert schemes.apply("abstention", renamed, columns=columns).data_hash() == expected


def test_own_signals(signals):
    scheme = Scheme(
        "slow",
        (Category("slow", 0, "latency > 2"), Category("fast", 1, "latency <= 2")),
        signals=(("latency", "number"),),
    )
    data = frame(model=["a", "b"], latency=[1, 3])
    assert schemes.categorise(scheme, data)["category"].tolist() == ["fast", "slow"]


def test_numbers_as_names_stay_as_they_are():
    data = frame(model=[1, 2], is_correct=[True, False]).assign(question=[7, 7])
    found = schemes.categorise("correctness", data)
    assert found[["model", "question", "outcome"]].to_numpy().tolist() == [
        ["1", "7", 1],
        ["2", "7", 0],
    ]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_categories_in_a_file_can_be_ranked(signals, tmp_path, kind):
    path = tmp_path / f"c.{kind}"
    data = signals.copy()
    data.loc[3, "compass_A"] = np.nan
    schemes.write_categories("conservative", data, path=path)
    again = bayesrank.read_responses(path, categories=4)
    assert (again.counts == schemes.apply("conservative", data).counts).all()
    assert again.missing.sum() == 1
    names = schemes.load("conservative").category_names
    by_name = schemes.read_named_outcomes(path, categories=names, columns={"outcome": "category"})
    assert (by_name.counts == again.counts).all()
    with pytest.raises(OutputExistsError):
        schemes.write_categories("conservative", data, path=path)
    schemes.write_categories("conservative", data, path=path, overwrite=True)


def test_hostile_names_stay_text(tmp_path):
    names = [name for name in HOSTILE if "\0" not in name]
    data = pd.DataFrame(
        {
            "model": np.repeat(names, 4),
            "question": [names[i % 2] for i in range(4 * len(names))],
            "trial": list(range(4)) * len(names),
            "token_ratio": np.arange(4.0 * len(names)),
        }
    )
    responses = schemes.apply(LENGTH, data)
    assert set(responses.systems) == set(names)
    assert (responses.counts.sum(axis=1) == 2).all()
    path = tmp_path / "c.csv"
    schemes.write_categories(LENGTH, data, path=path)
    assert set(bayesrank.read_responses(path).systems) == set(names)
    scheme = Scheme(
        "'; DROP TABLE thresholds; --",
        tuple(
            Category(name, 0, rule)
            for name, rule in zip(
                ("'x' \" ''", '"; SELECT 1'), ("is_correct", "not is_correct"), strict=True
            )
        ),
    )
    found = schemes.categorise(scheme, frame(model=["a", "b"], is_correct=[1, 0]))
    assert found["category"].tolist() == ["'x' \" ''", '"; SELECT 1']


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("scheme", "columns", "words"),
    [
        ("correctness", {"model": ["a"]}, "no column for the signal 'is_correct'"),
        ("correctness", {"model": ["a"], "is_corect": [1]}, "Did you mean 'is_corect'"),
        (
            "correctness",
            {"model": ["a"], "Is correct": [1], "IS_CORRECT": [1]},
            "could each be the signal 'is_correct'",
        ),
        (
            "correctness",
            {"model": ["a", "a"], "is_correct": [1, 2]},
            "row 2: signal 'is_correct' is '2.0'",
        ),
        (
            "correctness",
            {"model": ["a"], "is_correct": ["yes"]},
            "row 1: signal 'is_correct' is 'yes'",
        ),
        (LENGTH, {"model": ["a"], "token_ratio": [float("inf")]}, "a finite number is needed"),
        (LENGTH, {"model": ["a"] * 3, "token_ratio": [1, "x", "y"]}, "'x' (and 1 more like it)"),
        (
            LENGTH,
            {"model": ["a", "a", "b", "b"], "token_ratio": [1, 2, 3, 3]},
            "signal 'token_ratio' of model 'b' is constant (3): its percentile 'half'",
        ),
        (
            LENGTH,
            {"model": ["a", "a", "b"], "token_ratio": [1, 2, 3]},
            "of model 'b' is there once",
        ),
        (
            WRONG,
            {"model": ["a"] * 3, "is_correct": [0, 0, 1], "completion_bpt": [1, 1, 2]},
            "is constant (1) among the 2 completions where 'not is_correct'",
        ),
        (
            ALL_BY_WRONG,
            {"model": ["a", "a", "b"], "is_correct": [0, 0, 1], "completion_bpt": [1, 2, 2]},
            "row 3, model 'b': the category hangs on the threshold 'p60'",
        ),
        (LENGTH, {"model": [None, "a", "a"], "token_ratio": [1, 2, 3]}, "the model name is empty"),
        (
            LENGTH,
            {
                "model": ["a"] * 3,
                "question": ["q"] * 3,
                "trial": [1, 1, 2],
                "token_ratio": [1, 3, 2],
            },
            "rows of one key disagree",
        ),
        (
            "correctness",
            {"model": ["a", "b"], "is_correct": [1, None]},
            "no outcome at all for model 'b'",
        ),
        ("correctness", {"model": [], "is_correct": []}, "no rows"),
    ],
)
def test_bad_completions_get_one_line(scheme, columns, words):
    with pytest.raises(InputError) as error:
        schemes.apply(scheme, frame(**columns))
    assert words in said(error)


def test_a_constant_signal_of_all_models():
    data = frame(model=["a", "b"], token_ratio=[2, 2])
    with pytest.raises(InputError, match="of all models is constant") as error:
        schemes.apply(LENGTH, data, thresholds="pooled")
    assert "use pooled" not in said(error)


def test_one_wrong_answer_or_none_is_no_error():
    """A percentile among one is that one; among none it is needed by no right answer."""
    data = frame(
        model=["a", "a", "b", "b"], is_correct=[0, 1, 1, 1], completion_bpt=[1.0, 2.0, 1.0, 2.0]
    )
    scheme = Scheme(
        "wrong first",
        (
            Category("sure", 0, "not is_correct and completion_bpt <= p60"),
            Category("unsure", 0.5, "not is_correct and completion_bpt > p60"),
            Category("right", 1, "is_correct"),
        ),
        thresholds=WRONG.thresholds,
    )
    assert schemes.categorise(scheme, data)["outcome"].tolist() == [0, 2, 2, 2]
    assert np.isnan(schemes.threshold_table(scheme, data).loc["b", "p60"])


def test_bad_arguments(signals, tmp_path):
    for columns, words in (
        ({"nonsense": "x"}, "'nonsense' is not known here"),
        ({"outcome": "is_correct"}, "'outcome' is not known here"),
    ):
        with pytest.raises(ArgumentError, match=words):
            schemes.apply("correctness", signals, columns=columns)
    for columns, words in (
        ({"is_correct": "x"}, "no column 'x' for the signal"),
        ({"system": "x"}, "no column 'x'"),
        ({"trial": "is_correct"}, "cannot be the trial and a signal"),
    ):
        with pytest.raises(InputError, match=words):
            schemes.apply("correctness", signals, columns=columns)
    with pytest.raises(ArgumentError, match="no data frame"):
        schemes.apply("correctness", 3)
    with pytest.raises(ArgumentError, match="thresholds='both'"):
        schemes.apply("correctness", signals, thresholds="both")
    with pytest.raises(ArgumentError, match="missing='drop'"):
        schemes.apply("correctness", signals, missing="drop")
    with pytest.raises(ArgumentError, match=r"ends in \.csv or \.parquet"):
        schemes.write_categories("correctness", signals, path=tmp_path / "c.xlsx")
    archive = tmp_path / "a.npz"
    np.savez(archive, R=np.zeros((2, 2, 2)))
    for data, words in (
        (archive, "holds no table of completions"),
        (tmp_path / "none.csv", "is not there"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises(InputError, match=words):
            schemes.apply("correctness", data)


def test_files_with_different_columns(signals, tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    signals.to_csv(a, index=False)
    signals.drop(columns="trial").to_csv(b, index=False)
    with pytest.raises(InputError, match="has columns for question, system, but"):
        schemes.apply("correctness", [a, b])
    rows = signals.assign(has_box=signals["has_box"].where(signals.index != 4, 7))
    rows.to_csv(b, index=False)
    with pytest.raises(InputError, match=r"b\.csv, row 5: signal 'has_box' is '7'"):
        schemes.apply("abstention", [a, b])


# ------------------------------------------------------------------ the toy


def test_simulated_signals_are_what_they_say():
    data = schemes.simulate_signals(
        systems=["a", "b"], questions=40, trials=25, missing=0.1, random_seed=1
    )
    assert list(data)[3:] == list(schemes.SIGNALS) or set(data) >= set(schemes.SIGNALS)
    for name, (kind, _) in schemes.SIGNALS.items():
        values = data[name].dropna()
        assert values.isin([0, 1]).all() if kind == "flag" else (values > 0).any()
    votes = data[["compass_A", "compass_B", "compass_C"]]
    assert votes.isna().all(axis=1).mean() == pytest.approx(0.1, abs=0.04)
    assert votes.dropna().sum(axis=1).sub(1).abs().max() < 3e-4
    assert not (data["repeated_pattern"] & (data["is_correct"] | data["has_box"])).any()
    right = data["is_correct"] == 1
    assert data.loc[right, "compass_A"].mean() > 0.6 > 0.4 > data.loc[~right, "compass_A"].mean()
    assert data.loc[right, "token_ratio"].median() < data.loc[~right, "token_ratio"].median()
    again = schemes.simulate_signals(
        systems=["a", "b"], questions=40, trials=25, missing=0.1, random_seed=1
    )
    pd.testing.assert_frame_equal(data, again)
    for options in ({"missing": 1.0}, {"missing": -0.1}, {"trials": 0}, {"systems": 0}):
        with pytest.raises(ArgumentError):
            schemes.simulate_signals(**options)
