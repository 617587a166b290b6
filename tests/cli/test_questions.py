"""`bayesrank questions`: from a log to the questions that do not fit."""

import json

import numpy as np
import pytest

from bayesrank.cli import main


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    rng = np.random.default_rng(2)
    ability, difficulty = np.linspace(-2, 2, 12), np.linspace(-1, 1, 6)
    sign = np.array([1, 1, 1, -1, 1, 1])
    p = 1 / (1 + np.exp(-sign * (ability[:, None] - difficulty)))
    lines = ["model,question,successes,trials"]
    lines += [f"m{i},q{j},{rng.binomial(30, p[i, j])},30" for i in range(12) for j in range(6)]
    path = tmp_path_factory.mktemp("questions") / "counts.csv"
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_the_reversed_question_is_named_on_paper_and_page(log, tmp_path, capsys):
    page, table = tmp_path / "q.html", tmp_path / "q.json"
    options = ["--model", "rasch", "--method", "laplace", "--draws", "100", "--seed", "1"]
    status = main(
        ["questions", str(log), *options, "--html", str(page), "--format", "json", "-o", str(table)]
    )
    assert status == 0
    rows = json.loads(table.read_text("utf-8"))["table"]
    assert [row["question"] for row in rows if row["verdict"] == "reversed"] == ["q3"]
    assert "q3" in page.read_text("utf-8")
    assert main(["questions", str(log), *options, "--html", str(page)]) == 2
    assert "overwrite" in capsys.readouterr().err
