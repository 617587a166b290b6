"""Logs of lm-evaluation-harness and of Inspect, in the forms that the harnesses write."""

import json
import zipfile

import pytest

from bayesrank import read_comparisons, read_responses
from bayesrank.cli import main
from bayesrank.exceptions import ArgumentError, InputError

DATE = "2026-01-31T12-30-05.123456"
LATER = "2026-02-01T08-00-00.000001"


def sample(doc, filtered="none", **scores):
    return {
        "doc_id": doc, "doc": {"question": "2 + 2"}, "target": "4", "arguments": {},
        "resps": [["4"]], "filtered_resps": ["4"], "filter": filtered,
        "metrics": list(scores), "doc_hash": "a", "prompt_hash": "b", "target_hash": "c", **scores,
    }  # fmt: skip


def lm_eval(folder, *samples, task="gsm8k", date=DATE, model=None):
    folder.mkdir(exist_ok=True)
    path = folder / f"samples_{task}_{date}.jsonl"
    path.write_text("".join(json.dumps(s) + "\n" for s in samples), "utf-8")
    if model is not None:
        (folder / f"results_{date}.json").write_text(json.dumps({"model_name": model}), "utf-8")
    return path


def inspect(path, *samples, model="openai/gpt", run="r1", **header):
    about = {"task": "arithmetic", "model": model, "run_id": run}
    head = {"version": 2, "status": "success", "eval": about, **header}
    if path.suffix == ".json":
        path.write_text(json.dumps({**head, "samples": list(samples)}), "utf-8")
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(head))
        archive.writestr("summaries.json", json.dumps(list(samples)))
    return path


def graded(question, epoch, value, scorer="match", **more):
    return {"id": question, "epoch": epoch, "scores": {scorer: {"value": value}}, **more}


def test_models_tasks_and_documents_of_lm_eval(tmp_path):
    paths = [
        lm_eval(tmp_path / "org__a", sample(0, exact_match=1.0), sample(10, exact_match=0.0),
                sample(9, exact_match=1.0), model="org/a"),
        lm_eval(tmp_path / "org__b", sample(0, exact_match=0.0), sample(9, exact_match=0.0)),
        lm_eval(tmp_path / "org__b", sample(0, exact_match=1), task="arc_easy"),
    ]  # fmt: skip
    found = read_responses(paths)
    assert found.systems == ("org/a", "org__b"), "the results name the model, else the folder"
    assert found.tasks == ("arc_easy", "gsm8k", "gsm8k", "gsm8k")
    assert found.questions[1:] == ("gsm8k/0", "gsm8k/9", "gsm8k/10")
    assert found.successes.tolist() == [[0, 1, 1, 0], [1, 0, 0, 0]]
    assert found.n_trials.tolist() == [[0, 1, 1, 1], [1, 1, 1, 0]]


def test_runs_of_one_task_are_trials(tmp_path):
    both = [lm_eval(tmp_path / "a", sample(0, acc=y), date=d) for y, d in ((1, DATE), (0, LATER))]
    found = read_responses(both)
    assert found.n_trials.tolist() == [[2]]
    assert found.outcomes is not None
    assert found.outcomes.tolist() == [[[1, 0]]], "in the order of their dates"


@pytest.mark.parametrize(
    ("wanted", "successes"),
    [("acc", 1), ("acc_norm,none", 0), ("acc,none", 1)],
)
def test_one_of_several_metrics(tmp_path, wanted, successes):
    path = lm_eval(tmp_path / "a", sample(0, acc=1.0, acc_norm=0.0))
    found = read_responses(path, columns={"outcome": wanted})
    assert found.successes.tolist() == [[successes]]


def test_filters_are_not_trials(tmp_path):
    path = lm_eval(
        tmp_path / "a",
        sample(0, "strict-match", exact_match=0.0),
        sample(0, "flexible-extract", exact_match=1.0),
    )
    with pytest.raises(InputError, match="'exact_match,flexible-extract', 'exact_match,strict-m"):
        read_responses(path)
    with pytest.raises(InputError, match="it holds 'exact_match,flexible-extract'"):
        read_responses(path, columns={"outcome": "exact_match"})
    chosen = read_responses(path, columns={"outcome": "exact_match,strict-match"})
    assert (chosen.successes.tolist(), chosen.n_trials.tolist()) == ([[0]], [[1]])


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_epochs_are_trials_and_failed_samples_are_missing(tmp_path, ending):
    path = inspect(
        tmp_path / f"log.{ending}",
        graded("q1", 1, "C"), graded("q1", 2, "I"), graded("q2", 1, "N"),
        graded("q2", 2, "C", error={"message": "timeout"}),
        {"id": "q3", "epoch": 1}, graded("q3", 2, True),
    )  # fmt: skip
    found = read_responses(path)
    assert found.systems == ("openai/gpt",)
    assert found.successes.tolist() == [[1, 0, 1]]
    assert found.n_trials.tolist() == [[2, 1, 1]]
    assert found.missing.tolist() == [[0, 1, 1]]


def test_partial_grades_are_a_category_between(tmp_path):
    path = inspect(tmp_path / "log.eval", graded("q", 1, "P"), graded("q", 2, "C"))
    assert read_responses(path).counts.tolist() == [[[0, 1, 1]]]


def test_two_runs_are_more_trials_and_one_run_twice_is_not(tmp_path):
    first = inspect(tmp_path / "a.eval", graded("q", 1, 1), run="r1")
    second = inspect(tmp_path / "b.json", graded("q", 1, 0), run="r2")
    again = inspect(tmp_path / "c.json", graded("q", 1, 1), run="r1")
    found = read_responses([first, second, again])
    assert found.n_trials.tolist() == [[2]]
    assert found.duplicates == 1


def test_one_of_several_scorers(tmp_path):
    scores = {"match": {"value": "C"}, "model_graded": {"value": "I"}}
    path = inspect(tmp_path / "log.eval", {"id": "q", "epoch": 1, "scores": scores})
    with pytest.raises(InputError, match=r"holds 'match', 'model_graded'; name one with .*outcome"):
        read_responses(path)
    with pytest.raises(InputError, match=r"scorer 'mach' is not there.*mean 'match'"):
        read_responses(path, columns={"outcome": "mach"})
    assert read_responses(path, columns={"outcome": "model_graded"}).successes.tolist() == [[0]]


def broken_line(folder):
    path = lm_eval(folder / "a", sample(0, acc=1.0))
    path.write_text(path.read_text("utf-8") + "{oops\n", "utf-8")
    return path


BAD = {
    "a fraction": (
        lambda f: lm_eval(f / "a", sample(7, bleu=0.31)),
        "line 1: question '7' has the score 0.31; outcomes are 0, 0.5 or 1",
    ),
    "no number": (
        lambda f: lm_eval(f / "a", sample(7, pair=[1, 2])),
        "line 1: .*'pair'.*no number",
    ),
    "a broken line": (broken_line, "line 2 is not JSON"),
    "no metric": (lambda f: lm_eval(f / "a", sample(7)), "there is no metric to rank by"),
    "no archive": (lambda f: _written(f / "x.eval", "PK"), "inspect log convert --to json"),
    "unfinished": (lambda f: _zip(f / "x.eval", "_journal/start.json"), "header.json"),
    "no model": (lambda f: inspect(f / "x.eval", model=None), "names no model"),
    "invalidated": (lambda f: inspect(f / "x.eval", invalidated=True), "leave it out"),
    "parts": (
        lambda f: inspect(f / "x.eval", graded("q", 1, {"safe": 1, "useful": 0})),
        "sample 'q' has no single score by 'match' with the parts 'safe', 'useful'",
    ),
    "no scores": (lambda f: inspect(f / "x.eval", {"id": "q"}), "there is no scorer to rank by"),
    "no samples": (lambda f: inspect(f / "x.json"), "there is no scorer to rank by"),
}


def _written(path, text):
    path.write_text(text)
    return path


def _zip(path, member):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, "{}")
    return path


@pytest.mark.parametrize("case", BAD)
def test_bad_logs_get_one_line(tmp_path, case):
    write, words = BAD[case]
    with pytest.raises(InputError, match=words) as error:
        read_responses(write(tmp_path))
    assert str(error.value).isprintable()
    assert str(tmp_path.name) in str(error.value), "names the file"


def test_what_harness_logs_are_not(tmp_path):
    log = inspect(tmp_path / "log.eval", graded("q", 1, "C"))
    table = _written(tmp_path / "t.csv", "model,question,outcome\na,q,1\n")
    with pytest.raises(InputError, match=r"t\.csv is a table and others are logs of a harness"):
        read_responses([log, table])
    with pytest.raises(ArgumentError, match="columns= takes outcome only"):
        read_responses(log, columns={"system": "model"})
    with pytest.raises(InputError, match="no battle log"):
        read_comparisons(log)


def test_ranking_from_the_command_line(tmp_path, capsys):
    for number, (model, grades) in enumerate((("org/a", "CCCC"), ("<b>b</b>", "IIIC"))):
        samples = [graded(f"q{i}", 1, grade) for i, grade in enumerate(grades)]
        inspect(tmp_path / f"{number}.eval", *samples, model=model)
    logs = [str(path) for path in sorted(tmp_path.glob("*.eval"))]
    assert main(["rank", *logs, "--seed", "1", "--format", "csv"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[1].startswith('1,"org/a",')
    assert "<b>b</b>" in rows[2]
