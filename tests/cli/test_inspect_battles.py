"""``bayesrank inspect`` on battle logs."""

import json

import pytest

HEADER = "model_a,model_b,winner,judge\n"
ROWS = [
    *[("rock", "scissors", "model_a", "x")] * 4,
    *[("scissors", "paper", "model_a", "x")] * 4,
    *[("paper", "rock", "model_a", "y")] * 3,
    ("paper", "rock", "tie", "y"),
    ("rock", "king", "model_b", "y"),
    ("pawn", "rock", "", "y"),
    ("pawn", "rock", "model_b", "z"),
]


@pytest.fixture
def battles(tmp_path):
    path = tmp_path / "battles.csv"
    path.write_text(HEADER + "".join(",".join(row) + "\n" for row in ROWS))
    return path


def words(text):
    return " ".join(text.split())


def test_table(run, battles):
    result = run("inspect", battles)
    assert result.status == 0, result.err
    assert result.err == ""
    lead, table, footer = result.out.split("\n\n")
    assert words(lead).endswith(
        "battles.csv: 5 models, 5 pairs, 14 comparisons, 1 tie, 1 without a winner, no duplicate."
    )
    assert [row.split() for row in table.splitlines()[2:]] == [
        ["king", "1", "1", "1", "0", "0", "1.000"],
        ["rock", "10", "4", "5", "4", "1", "0.550"],
        ["scissors", "8", "2", "4", "4", "0", "0.500"],
        ["paper", "8", "2", "3", "4", "1", "0.438"],
        ["pawn", "1", "1", "0", "1", "0", "0.000"],
    ]
    said = words(footer)
    assert "All models are linked by comparisons, but wins do not lead from each to every" in said
    assert "Opponents of a model: 1 to 4, median 2. 50 % of all pairs met" in said
    assert "Only wins: 'king'. Only losses: 'pawn'." in said
    assert "Judges: 3, with 1 to 8 comparisons, median 5." in said
    assert "Sides: the model shown first won 84.6 % of the comparisons that were not tied" in said
    assert "Intransitive triads: 1 of 1." in said
    assert "Worst triads: paper > rock > scissors > paper (2.75 ± " in said


def test_json(run, battles):
    found = json.loads(run("inspect", battles, "--format", "json").out)
    assert (found["schema_version"], found["kind"]) == (1, "battles")
    assert (found["models"], found["comparisons"], found["missing"]) == (5, 14, 1)
    assert found["graph"]["only_wins"] == ["king"]
    assert not found["graph"]["strongly_connected"]
    assert found["comparisons_by_judge"] == {"x": 8, "y": 5, "z": 1}
    assert found["first_share"] == pytest.approx(11 / 13)
    cycles = found["cycles"]
    assert (cycles["triads"], cycles["intransitive"], cycles["harmonic_share"]) == (1, 1, 0.0)
    assert sorted(cycles["worst_triads"][0]["systems"]) == ["paper", "rock", "scissors"]
    assert cycles["worst_triads"][0]["curl"] == pytest.approx(2.75)
    rock = next(row for row in found["models_table"] if row["model"] == "rock")
    assert rock == {
        "model": "rock",
        "comparisons": 10,
        "opponents": 4,
        "wins": 5,
        "losses": 4,
        "ties": 1,
        "win_rate": 0.55,
    }


def test_counts_of_pairs_say_that_sides_and_judges_are_not_recorded(run, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("model_a,model_b,win_a,win_b,tie\na,b,3,1,0\nc,d,2,2,1\n")
    said = words(run("inspect", path).out)
    assert "Judges: not recorded. Sides: not recorded." in said
    assert "The comparisons fall into 2 groups of models (2, 2) that never met" in said
    assert "Circles: no three models all met one another." in said
    found = json.loads(run("inspect", path, "--format", "json").out)
    assert found["graph"]["components"] == [["a", "b"], ["c", "d"]]
    assert found["comparisons_by_judge"] is None


def test_options_about_trials_are_refused(run, battles):
    for options in (("--categories", 3), ("--missing", "failure")):
        done = run("inspect", battles, *options)
        assert done.status == 2
        assert "cannot be used with battle logs" in done.err


@pytest.mark.shared
def test_the_crowd(run, shared_data):
    found = json.loads(
        run("inspect", shared_data / "llmfao_crowd-comparisons.csv", "--format", "json").out
    )
    assert (found["models"], found["comparisons"], found["ties"]) == (59, 8931, 3471)
    assert len(found["comparisons_by_judge"]) > 100
    assert found["cycles"]["cyclic_share"] > found["cycles"]["chance_share"]
