"""Battle logs in frames: winners in every spelling, cells, covariates, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesrank import Comparisons
from bayesrank.exceptions import ArgumentError, InputError

LABELS = [
    (["model_a", "model_b", "tie", "tie (bothbad)"], [1, 1, 1, 1]),
    (["left", "Right", " TIE ", "both bad"], [1, 1, 1, 1]),
    (["A", "B", "draw", "bothbad"], [1, 1, 1, 1]),
    (["A>>B", "B>A", "A=B", "B<A"], [2, 1, 1, 0]),
    (["A<B", "A<<B", "A>B", "B>>A"], [1, 3, 0, 0]),
    ([1, 0, 0.5, 0.5], [1, 1, 2, 0]),
    ([1, 2, 1.5, 0], [1, 1, 2, 0]),
    (["1", "2.0", "1.50", "0.0"], [1, 1, 2, 0]),
    (["model_a", None, float("nan"), ""], [1, 0, 0, 0]),
]


def log(winners, **columns):
    n = len(winners)
    return pd.DataFrame(
        {"model_a": ["x"] * n, "model_b": ["y"] * n, "winner": pd.Series(winners, dtype=object)}
        | columns
    )


@pytest.mark.parametrize(("winners", "counts"), LABELS)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_winners_in_every_spelling(winners, counts, library):
    frame = log(winners)
    if library == "polars":
        frame = pl.from_dicts(
            [{k: v if k != "winner" else None if v is None else str(v) for k, v in row.items()}
             for row in frame.to_dict("records")],
            schema=["model_a", "model_b", "winner"],
        )  # fmt: skip
    got = Comparisons.from_frame(frame)
    assert [got.wins[0], got.losses[0], got.ties[0], got.ties_bothbad[0]] == counts
    assert got.missing == len(winners) - sum(counts)


def test_a_column_called_preference_counts_zero_as_a_tie():
    frame = log([1, 0]).rename(columns={"winner": "preference"})
    got = Comparisons.from_frame(frame, winner="preference")
    assert (got.wins[0], got.losses[0], got.ties[0]) == (1, 0, 1)


def test_degrees_of_preference_are_divided_and_marked():
    frame = log([1.25, 2, 0])
    with pytest.raises(InputError, match=r"1\.25.*weighted=True"):
        Comparisons.from_frame(frame)
    got = Comparisons.from_frame(frame, weighted=True)
    assert (got.wins[0], got.losses[0], got.ties[0]) == (0.75, 1.25, 1)
    assert got.describe()["weighted"]


def test_cells_keep_factors_sides_and_covariates_and_collapse_adds_them_up():
    rng = np.random.default_rng(3)
    n = 400
    models = np.array(["m1", "m2", "m3", "m10"])
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    frame = pd.DataFrame(
        {
            "left": models[a],
            "right": models[b],
            "winner": rng.choice(["left", "right", "tie"], n),
            "worker": rng.integers(9, 12, n),
            "language": rng.choice(["en", "de"], n),
            "words_left": rng.integers(0, 3, n),
            "words_right": rng.integers(0, 3, n),
        }
    )
    got = Comparisons.from_frame(
        frame,
        first="left",
        second="right",
        judge="worker",
        category="language",
        covariates={"length": ("words_left", "words_right")},
        systems=models,
    )
    assert got.sided
    assert got.systems == tuple(models)
    assert got.factor("judge").levels == ("9", "10", "11")
    assert got.n_comparisons.sum() == n
    d = got.to_xarray()
    row = frame[
        (frame.left == "m2") & (frame.right == "m10") & (frame.worker == 10)
        & (frame.language == "en") & (frame.words_left - frame.words_right == 1)
    ]  # fmt: skip
    cell = (
        (d["first"] == "m2") & (d["second"] == "m10") & (d["judge"] == "10")
        & (d["category"] == "en") & (d["length"] == 1)
    )  # fmt: skip
    assert d["wins"].where(cell).sum() == (row.winner == "left").sum()

    pairs = got.collapse()
    assert len(pairs.first) == 6
    assert (pairs.first < pairs.second).all()
    assert not pairs.sided
    np.testing.assert_array_equal(pairs.win_matrix(), got.win_matrix())
    np.testing.assert_array_equal(pairs.tie_matrix(), got.tie_matrix())
    by_judge = got.collapse(keep=["judge"], sided=True)
    assert by_judge.sided
    np.testing.assert_array_equal(by_judge.win_matrix(), got.win_matrix())

    turned = frame.rename(
        columns={"left": "right", "right": "left",
                 "words_left": "words_right", "words_right": "words_left"}
    )  # fmt: skip
    turned["winner"] = turned["winner"].map({"left": "right", "right": "left", "tie": "tie"})
    both = {"first": "left", "second": "right", "covariates": {"l": ("words_left", "words_right")}}
    one, two = (Comparisons.from_frame(f, sided=False, **both) for f in (frame, turned))
    assert one.data_hash() == two.data_hash()


def test_weights_multiply_battles():
    got = Comparisons.from_frame(log(["model_a", "tie"], n=[3, 2]), weight="n")
    assert (got.wins[0], got.ties[0]) == (3, 2)
    with pytest.raises(InputError, match=r"n hold 0\.5.*weighted=True"):
        Comparisons.from_frame(log(["model_a"], n=[0.5]), weight="n")
    with pytest.raises(InputError, match=r"n hold nan in row 2"):
        Comparisons.from_frame(log(["model_a"] * 2, n=[0.5, np.nan]), weight="n", weighted=True)


def test_repeated_battles_are_dropped_and_contradictions_refused():
    same = log(["model_a", "model_a", "tie"], id=[7, 7, 8])
    assert Comparisons.from_frame(same, battle_id="id").duplicates == 1
    other = log(["model_a", "model_b"], id=[7, 7])
    with pytest.raises(InputError, match=r"'7' stands for two different battles \(rows 1 and 2\)"):
        Comparisons.from_frame(other, battle_id="id")


def test_selection_keeps_counts_and_drops_levels():
    frame = pd.DataFrame(
        {"model_a": ["x", "y", "x"], "model_b": ["y", "z", "z"],
         "winner": ["model_a"] * 3, "judge": ["j", "k", "l"]}
    )  # fmt: skip
    got = Comparisons.from_frame(frame, judge="judge").select(["z", "y"])
    assert got.systems == ("z", "y")
    assert got.win_matrix().tolist() == [[0, 0], [1, 0]]
    assert got.factor("judge").levels == ("k",)
    with pytest.raises(ArgumentError, match="no category"):
        got.factor("category")


@pytest.mark.parametrize(
    ("frame", "arguments", "error", "message"),
    [
        (log(["model_a", "model_c", "me"]), {}, InputError, "'me', 'model_c', which names no win"),
        (log([3]), {}, InputError, "holds 3; preferences lie"),
        (log([-0.5]), {}, InputError, "holds -0.5; scores"),
        (log([None]), {}, InputError, "no row of the log names a winner"),
        (log(["tie"]), {"winner": "winer"}, ArgumentError, "Did you mean 'winner'"),
        (log(["tie"]), {"systems": ["x"]}, ArgumentError, "'y', which systems= does not name"),
        (log(["tie"]).assign(model_b="x"), {}, InputError, "1 battle of a model against itself"),
        (log(["tie"]).assign(model_b=None), {}, InputError, "row 1 does not name its second"),
        (log(["tie"], n=["?"]), {"covariates": {"c": ("n", "n")}}, InputError, "covariate 'c'"),
        (5, {}, ArgumentError, "int is no data frame"),
    ],
)
def test_bad_logs_are_refused(frame, arguments, error, message):
    with pytest.raises(error, match=message):
        Comparisons.from_frame(frame, **arguments)
