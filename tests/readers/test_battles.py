"""Battle logs from files: every form and format, factors, covariates, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest

from bayesrank import Comparisons, read_comparisons
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.readers._battle_columns import find_battles
from bayesrank.readers.battles import is_battle_log

ROWS = [
    ("x", "y", "model_a", "en", "ann", 5, 3),
    ("y", "x", "model_b", "en", "ann", 2, 2),
    ("x", "y", "tie", "de", "bob", 1, 4),
    ("x", "z", "tie (bothbad)", "de", "bob", 1, 1),
    ("z", "y", "model_b", "en", "bob", 7, 1),
    ("z", "y", None, "en", "bob", 7, 1),
]
NAMES = ["model_a", "model_b", "winner", "language", "judge", "len_a", "len_b"]
FRAME = pd.DataFrame(ROWS, columns=NAMES)


def write(folder, kind, frame=FRAME):
    path = folder / f"battles.{kind}"
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif kind == "json":
        frame.to_json(path, orient="records")
    else:
        frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "parquet", "json", "jsonl"])
def test_every_format_equals_the_frame(tmp_path, kind):
    path = write(tmp_path, kind)
    got = read_comparisons(path, keep=["judge", "category"], covariates={"n": ("len_a", "len_b")})
    want = Comparisons.from_frame(
        FRAME, judge="judge", category="language", covariates={"n": ("len_a", "len_b")}
    )
    assert got.data_hash() == want.data_hash()
    assert got.missing == 1
    assert got.sided
    assert read_comparisons(path).collapse().data_hash() == want.collapse().data_hash()


@pytest.mark.parametrize(
    ("first", "second", "winner", "labels"),
    [
        ("left", "right", "winner", ["left", "right", "tie"]),
        ("generator_1", "generator_2", "preference", [1, 2, 1.5]),
        ("generator_1", "generator_2", "preference", [1, 2, 0]),
        ("model_1", "model_2", "Winner", ["A", "B", "draw"]),
    ],
)
def test_other_names_of_columns(tmp_path, first, second, winner, labels):
    frame = pd.DataFrame({first: ["x"] * 3, second: ["y"] * 3, winner: labels})
    got = read_comparisons(write(tmp_path, "csv", frame))
    assert (got.wins[0], got.losses[0], got.ties[0]) == (1, 1, 1)


def test_counts_of_pairs_have_no_side(tmp_path):
    frame = pd.DataFrame(
        {"model_a": ["x", "z"], "model_b": ["y", "y"], "win_a": [3, 1], "win_b": [1, 0],
         "tie": [0, 2], "tie_bothbad": [1, 0]}
    )  # fmt: skip
    got = read_comparisons(write(tmp_path, "csv", frame))
    want = Comparisons.from_counts(
        frame.model_a, frame.model_b, frame.win_a, frame.win_b, ties=frame.tie,
        ties_bothbad=frame.tie_bothbad, systems=["x", "y", "z"],
    )  # fmt: skip
    assert got.data_hash() == want.collapse().data_hash()
    assert not got.sided


def test_arena_hard_judgments(tmp_path):
    rows = [
        {"uid": "q1", "category": "c", "judge": "j", "model": "m", "baseline": "b",
         "games": [{"score": "A>>B", "judgment": "."}, {"score": "A=B", "judgment": "."}]},
        {"uid": "q2", "category": "c", "judge": "j", "model": "m", "baseline": "b",
         "games": [{"score": "B>A"}, {"score": None}]},
    ]  # fmt: skip
    path = tmp_path / "m.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    got = read_comparisons(path)
    assert got.systems == ("b", "m")
    # Game 1: the baseline is A and wins clearly, then the model is A and ties; then it wins as B.
    assert got.win_matrix().tolist() == [[0, 1], [1, 0]]
    assert got.ties.sum() == 1
    assert got.missing == 1
    assert read_comparisons(path, strong=3).win_matrix().tolist() == [[0, 3], [1, 0]]


def test_degrees_of_preference_need_saying(tmp_path):
    frame = pd.DataFrame({"generator_1": ["x"], "generator_2": ["y"], "preference": [1.25]})
    path = write(tmp_path, "csv", frame)
    with pytest.raises(InputError, match=r"1\.25.*weighted=True"):
        read_comparisons(path)
    assert read_comparisons(path, weighted=True).wins.tolist() == [0.75]


def test_members_of_objects_are_covariates(tmp_path):
    rows = [
        {"model_a": "x", "model_b": "y", "winner": "tie", "conv": {"n_a": 5, "n_b": 2}},
        {"model_a": "x", "model_b": "y", "winner": "model_a", "conv": {"n_a": 1, "n_b": 2}},
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(rows))
    got = read_comparisons(path, covariates={"n": ("conv.n_a", "conv.n_b")})
    assert sorted(got.covariates["n"].tolist()) == [-1, 3]


def test_several_files_are_one_log_of_one_form(tmp_path):
    one, two = tmp_path / "1.csv", tmp_path / "2.csv"
    FRAME[:3].to_csv(one, index=False)
    FRAME[3:].to_csv(two, index=False)
    whole = Comparisons.from_frame(FRAME)
    assert read_comparisons([one, two]).data_hash() == whole.data_hash()
    pd.DataFrame({"model_a": ["x"], "model_b": ["y"], "win_a": [1], "win_b": [0]}).to_csv(
        two, index=False
    )
    with pytest.raises(InputError, match=r"holds counts and .* holds battles"):
        read_comparisons([one, two])


TIMES = [
    ("2024-05-31T23:30:00Z", "2024-06-01T01:30:00+02:00"),
    ("2024-05-31 23:30:00", "2024-06-01"),
    (1717198200, 1717200000),
    (1717198200.5, 1717200000.25),
    (1717198200500, 1717200000250),
]


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_times_fall_into_periods(tmp_path, kind, times):
    frame = pd.DataFrame(
        {"model_a": ["x", "x"], "model_b": ["y", "y"], "winner": ["model_a"] * 2, "tstamp": times}
    )
    path = write(tmp_path, kind, frame)
    second = "2024-05" if "+02:00" in str(times[1]) else "2024-06"
    by_month = read_comparisons(path, period="month").factor("period").levels
    assert by_month == tuple(dict.fromkeys(("2024-05", second)))
    for period, level in (("day", "2024-05-31"), ("week", "2024-W22"), ("quarter", "2024-Q2"),
                          ("year", "2024")):  # fmt: skip
        levels = read_comparisons(path, period=period).factor("period").levels
        assert levels[0] == level
        assert len(levels) == (2 if period == "day" and second == "2024-06" else 1)


def test_timestamps_of_parquet_are_times_and_other_factors_stay(tmp_path):
    frame = FRAME.assign(date=pd.date_range("2023-11-15", periods=6, freq="30D", tz="Asia/Tokyo"))
    got = read_comparisons(write(tmp_path, "parquet", frame), keep=["judge"], period="quarter")
    assert got.factor("period").levels == ("2023-Q4", "2024-Q1")
    assert got.factor("judge").levels == ("ann", "bob")
    assert got.n_comparisons.sum() == 5


@pytest.mark.parametrize("time", ["soon", 2024, 20240531, None, "2024-05"])
def test_what_is_no_time_is_refused(tmp_path, time):
    path = write(tmp_path, "csv", FRAME.assign(tstamp=["2024-05-31"] * 5 + [time]))
    with pytest.raises(InputError, match=r"column 'tstamp' holds '.*', which is no time"):
        read_comparisons(path, period="month")


def test_battles_repeated_in_and_between_files_are_counted_once(tmp_path):
    one, two = tmp_path / "1.csv", tmp_path / "2.csv"
    log = FRAME.assign(id=range(6))
    pd.concat([log[:4], log[1:2]]).to_csv(one, index=False)
    log[2:].to_csv(two, index=False)
    got = read_comparisons([one, two], battle_id="id")
    assert got.data_hash() == Comparisons.from_frame(FRAME).data_hash()
    assert (got.duplicates, got.missing) == (3, 1)
    assert read_comparisons([one, two]).n_comparisons.sum() == 8
    log.assign(winner="model_a")[2:].to_csv(two, index=False)
    with pytest.raises(InputError, match=r"battle id '.' stands for two different battles"):
        read_comparisons([one, two], battle_id="id")
    log.assign(id=[0, 1, None, 3, 4, 5]).to_csv(two, index=False)
    with pytest.raises(InputError, match="1 rows have no battle id"):
        read_comparisons(two, battle_id="id")


def test_fractional_counts_are_weights_where_asked_for(tmp_path):
    frame = pd.DataFrame({"model_a": ["x"], "model_b": ["y"], "win_a": [2.5], "win_b": [1]})
    path = write(tmp_path, "csv", frame)
    with pytest.raises(InputError, match=r"'2\.5'; whole numbers .*weighted=True makes a quasi"):
        read_comparisons(path)
    got = read_comparisons(path, weighted=True)
    assert (got.wins[0], got.weighted) == (2.5, True)


@pytest.mark.shared
def test_real_logs(shared_data):
    crowd = read_comparisons(shared_data / "llmfao_crowd-comparisons.csv", keep=["judge"])
    facts = crowd.describe()
    assert (facts["models"], facts["comparisons"], facts["judges"]) == (59, 8931, 124)
    food = read_comparisons(shared_data / "evalica_food.csv")
    assert food.describe()["comparisons"] == 30
    arena = read_comparisons(shared_data / "chatbot_arena_20240814_pairs.csv").describe()
    assert (arena["models"], arena["pairs"], arena["comparisons"]) == (129, 3460, 1670250)
    assert (arena["ties"], arena["ties_bothbad"]) == (281121, 295254)


def bad(tmp_path, header, rows, **arguments):
    path = tmp_path / "bad.csv"
    pd.DataFrame(rows, columns=header).to_csv(path, index=False)
    return read_comparisons(path, **arguments)


BATTLE = ["model_a", "model_b", "winner"]
PAIR = ["model_a", "model_b", "win_a", "win_b"]


@pytest.mark.parametrize(
    ("columns", "rows", "arguments", "error", "message"),
    [
        (BATTLE, [("x", "x", "tie")] * 2, {}, InputError, r"2 battles of a model against itself"),
        (BATTLE, [("x", "y", "model_c")], {}, InputError, "'model_c', which names no winner"),
        (BATTLE, [("x", None, "tie")], {}, InputError, "a row does not name its second model"),
        (BATTLE, [("x", "y", None)], {}, InputError, "no row of the log names a winner"),
        (PAIR, [("x", "y", 1, 2), ("z", "y", 3, -1)], {}, InputError,
         r"row 2: .*'win_b' holds '-1'"),
        (PAIR, [("x", "y", 0.5, 2)], {}, InputError, r"row 1: column 'win_a' holds '0\.5'"),
        (PAIR, [("x", "y", None, 2)], {}, InputError, "row 1: column 'win_a'"),
        (PAIR, [("x", "y", None, 2)], {"weighted": True}, InputError, "row 1: column 'win_a'"),
        (PAIR, [("x", "y", -0.5, 2)], {"weighted": True}, InputError, r"holds '-0\.5'; numbers"),
        (PAIR, [("x", "y", "inf", 2)], {"weighted": True}, InputError, "holds 'inf'; numbers"),
        (PAIR, [("x", "y", 1, 2)] * 2, {}, InputError, "'x', 'y' has 2 rows of counts"),
        (PAIR, [("x", "x", 1, 2)], {}, InputError, "of a model against itself"),
        (PAIR, [("x", "y", 1, 2)], {"battle_id": "id"}, ArgumentError, "one battle a row"),
        (BATTLE, [("x", "y", "tie")], {"battle_id": "winer"}, ArgumentError, "mean 'winner'"),
        (BATTLE, [("x", "y", "tie")], {"period": "months"}, ArgumentError, "mean 'month'"),
        (BATTLE, [("x", "y", "tie")], {"period": "month"}, InputError, "'period', which period="),
        (PAIR, [("x", "y", 1, 2), ("y", "x", 1, 2)], {}, InputError, "'x', 'y' has 2 rows"),
        (["model", "question", "correct"], [("x", "q", 1)], {}, InputError, "no battle log"),
        (BATTLE, [("x", "y", "tie")], {"keep": ["judge"]}, InputError, "no column for 'judge'"),
        (BATTLE, [("x", "y", "tie")], {"keep": ["jugde"]}, ArgumentError, "Did you mean 'judge'"),
        (BATTLE, [("x", "y", "tie")], {"columns": {"first": "modelA"}}, InputError, "'model_a'"),
        (BATTLE, [("x", "y", "tie")], {"covariates": {"n": ("a", "b")}}, InputError, "covariate"),
    ],
)  # fmt: skip
def test_bad_logs_are_refused(tmp_path, columns, rows, arguments, error, message):
    with pytest.raises(error, match=message):
        bad(tmp_path, columns, rows, **arguments)


def test_a_battle_log_is_told_from_an_evaluation_log():
    assert find_battles(["model", "question", "correct"]) is None
    assert find_battles(NAMES).form == "battles"
    assert find_battles(["model_a", "model_b"]) is None
    found = find_battles(["id", "prompt", "model_x", "worker", "winner", "left", "right"])
    assert (found.roles["first"], found.roles["judge"]) == ("left", "worker")


def test_files_are_told_apart(tmp_path):
    assert is_battle_log(write(tmp_path, "csv"))
    answers = pd.DataFrame({"model": ["x"], "question": ["q"], "correct": [1]})
    assert not is_battle_log(write(tmp_path, "csv", answers))
    archive = tmp_path / "log.npz"
    np.savez(archive, outcomes=np.zeros((1, 1, 1)))
    assert not is_battle_log(archive)


def test_many_battles_become_few_cells(tmp_path):
    rng = np.random.default_rng(1)
    n = 20_000
    a = rng.integers(0, 5, n)
    frame = pd.DataFrame(
        {"model_a": a, "model_b": (a + rng.integers(1, 5, n)) % 5,
         "winner": rng.choice(["model_a", "model_b", "tie"], n)}
    )  # fmt: skip
    got = read_comparisons(write(tmp_path, "parquet", frame))
    assert len(got.first) == 20
    assert got.n_comparisons.sum() == n
