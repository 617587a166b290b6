"""--prior-weight learned: the table says what was learned, and that greedy and sampled disagree."""

import json

import numpy as np
import pytest
from scipy.special import expit


@pytest.fixture
def logs(tmp_path):
    """Return a log, and one of greedy decodes at odds with it."""
    rng = np.random.default_rng(3)
    logit = rng.normal(0, 1, (6, 1)) - rng.normal(0, 2, 30)
    greedy = rng.random(logit.shape) < expit(3 * (logit + 2 * rng.normal(0, 1, (6, 1))))
    tables = {"log.csv": (rng.binomial(4, expit(logit)), 4), "greedy.csv": (greedy.astype(int), 1)}
    for name, (successes, trials) in tables.items():
        rows = [
            f"m{i},q{m},{successes[i, m]},{trials}" for i in range(6) for m in range(30)
        ]  # fmt: skip
        text = "\n".join(["model,question,successes,trials", *rows]) + "\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "log.csv", tmp_path / "greedy.csv"


@pytest.mark.parametrize("weight", ["learned", "moments"])
def test_the_footer_says_what_was_learned(run, logs, weight):
    log, greedy = logs
    result = run(
        "rank", log, "--prior-from", greedy, "--prior-weight", weight, "--seed", 1, "--draws", 200
    )
    assert result.status == 0
    said = " ".join(result.out.split())
    assert "Learned weight: an auxiliary outcome counts as 0." in said
    assert "Auxiliary and observed scores disagree" in said


def test_json_carries_it(run, logs):
    log, greedy = logs
    arguments = ("rank", log, "--prior-from", greedy, "--prior-weight", "learned", "--seed", 1)
    result = run(*arguments, "--format", "json")
    page = json.loads(result.out)
    assert page["method"] == "exact"
    assert any("Learned weight" in note for note in page["notes"])


def test_a_word_that_is_no_weight(run, logs):
    log, greedy = logs
    result = run("rank", log, "--prior-from", greedy, "--prior-weight", "lerned")
    assert result.status == 2
    assert "--prior-weight" in result.err
    assert result.err.count("\n") == 1
