"""``bayesrank rank`` on battle logs: recognised by their columns, then ranked or refused."""

import json

import pytest

HEADER = "model_a,model_b,winner\n"
BATTLES = [("a", "b", "model_a")] * 8 + [("b", "c", "model_a")] * 7 + [("a", "c", "tie")] * 2
BATTLES += [("c", "a", "model_b")] * 5 + [("b", "a", "model_a")] * 2 + [("c", "b", "model_a")]


@pytest.fixture
def battles(tmp_path):
    path = tmp_path / "battles.csv"
    path.write_text(HEADER + "".join(",".join(row) + "\n" for row in BATTLES))
    return path


def test_a_battle_log_is_recognised_and_ranked(run, battles, tmp_path):
    saved = tmp_path / "fit.nc"
    done = run(
        "rank", battles, "--method", "laplace", "--seed", 1, "--format", "json", "--save", saved
    )
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert [row["model"] for row in found["table"]] == ["a", "b", "c"]
    assert found["population"] == "battles"
    assert found["method"] == "laplace"
    assert found["observations"]["comparisons"] == len(BATTLES)
    again = run("rank", saved)
    assert again.status == 0
    assert "Population: battles" in again.out
    assert "Observed: 3 models, 3 pairs, 25 comparisons." in again.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--weights", "0,1"), "--weights cannot be used with a battle log"),
        (("--missing", "failure"), "--missing cannot be used with a battle log"),
        (("--population", "questions"), "population='questions' is not known"),
        (("--method", "exact"), "no exact posterior"),
    ],
)
def test_options_for_trials_are_refused(run, battles, options, words):
    done = run("rank", battles, *options)
    assert done.status == 2
    assert done.out == ""
    assert words in done.err
    assert done.err.strip().count("\n") == 0


def test_battles_and_trials_are_not_mixed(run, battles, log):
    done = run("rank", battles, log)
    assert done.status == 2
    assert "holds battles and" in done.err


def test_an_unknown_winner_is_named(run, battles):
    battles.write_text(HEADER + "a,b,model_a\na,b,nobody\n")
    done = run("rank", battles)
    assert done.status == 2
    assert "nobody" in done.err
