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
        (("--population", "judges"), "no column for 'judge'"),
        (("--judges", "tie"), "no column for 'judge'"),
        (("--categories", "2"), "--categories cannot be used with a battle log"),
    ],
)
def test_options_for_trials_are_refused(run, battles, options, words):
    done = run("rank", battles, *options)
    assert done.status == 2
    assert done.out == ""
    assert words in done.err
    assert done.err.strip().count("\n") == 0


JUDGED = "model_a,model_b,winner,judge,language\n" + "".join(
    f"{a},{b},{winner},j{k % 7},{'en' if k % 2 else 'de'}\n"
    for k, (a, b, winner) in enumerate(BATTLES * 4)
)


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text(JUDGED)
    return path


def test_new_judges(run, judged):
    done = run("rank", judged, "--population", "judges", "--draws", 100, "--format", "json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert (found["population"], found["method"]) == ("judges", "bootstrap")
    assert found["observations"]["judges"] == 7
    assert [row["model"] for row in found["table"]] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (("--ties", "rao_kupper"), {"ties": "rao_kupper"}),
        (("--ties", "drop", "--side"), {"ties": "drop", "side": True}),
        (("--judges", "both"), {"judges": "both", "side": False}),
        (("--score-scale", "elo"), {"score_scale": "elo"}),
        (("--score-scale", "log-odds"), {"score_scale": "log_odds", "ties": "davidson"}),
        (("--parts", "category"), {"categories": True, "periods": False}),
    ],
)
def test_options_of_the_model_reach_it(run, judged, monkeypatch, options, settings):
    """What is built and sampled is what was asked for; sampling itself is tested elsewhere."""
    import bayesrank

    seen = {}

    def build(comparisons, **given):
        seen.update(given, factors=set(comparisons.factors))
        raise bayesrank.exceptions.ArgumentError("enough")

    monkeypatch.setattr(bayesrank.models, "bradley_terry", build)
    done = run("rank", judged, *options)
    assert (done.status, "enough" in done.err) == (2, True)
    assert {name: seen[name] for name in settings} == settings
    kept = {"--judges": {"judge"}, "--parts": {"category"}}
    assert seen["factors"] == kept.get(options[0], set())


def test_elo_is_shown(run, battles):
    done = run("rank", battles, "--method", "laplace", "--seed", 1, "--score-scale", "elo")
    assert done.status == 0, done.err
    assert "Elo points" in done.out


def test_clear_wins_of_arena_hard_count_as_often_as_asked(run, tmp_path, monkeypatch):
    import bayesrank

    row = {
        "model": "m",
        "baseline": "b",
        "games": [{"score": "A>>B"}, {"score": "A=B"}],
    }
    path = tmp_path / "judgments.jsonl"
    path.write_text(json.dumps(row) + "\n")
    seen = []

    def build(comparisons, **_):
        seen.append(comparisons)
        raise bayesrank.exceptions.ArgumentError("enough")

    monkeypatch.setattr(bayesrank.models, "bradley_terry", build)
    run("rank", path, "--strong", 3)
    assert seen[0].n_comparisons.sum() == 4
    preferences = tmp_path / "preferences.csv"
    preferences.write_text("generator_1,generator_2,preference\na,b,1.25\nb,a,2\n")
    assert "--weighted" not in run("rank", preferences).out
    assert len(seen) == 1  # degrees of preference are refused as counts
    run("rank", preferences, "--weighted")
    assert seen[1].weighted


def test_comparisons_of_trials_are_about_new_questions(run, tmp_path):
    rows = ["model,question,trial,outcome"]
    for k, model in enumerate("abc"):
        for q in range(12):
            rows += [f"{model},q{q},{t},{int((q + t + k) % 4 > k)}" for t in range(2)]
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(rows) + "\n")
    ask = ("rank", path, "--model", "bradley-terry", "--draws", 100, "--format", "json")
    done = run(*ask)
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert (found["population"], found["method"]) == ("questions", "bootstrap")
    assert [row["model"] for row in found["table"]] == ["a", "b", "c"]
    done = run(*ask, "--population", "battles", "--method", "laplace")
    assert json.loads(done.out)["population"] == "battles"
    done = run("rank", path, "--model", "bradley-terry", "--method", "nuts")
    assert done.status == 2
    assert "population='battles'" in done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--ties", "half"), "--ties cannot be used with a log of trials"),
        (("--side", "--judges", "tie"), "--side, --judges cannot be used with a log of trials"),
        (("--model", "bradley-terry", "--side"), "--side cannot be used with a log of trials und"),
        (("--model", "bradley-terry", "--weighting", "task"), "--weighting cannot be used"),
    ],
)
def test_options_for_battles_are_refused_for_trials(run, log, options, words):
    done = run("rank", log, *options)
    assert (done.status, done.out) == (2, "")
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
