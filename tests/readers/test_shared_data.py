"""Real logs, where they are beside the checkout."""

from pathlib import Path

import numpy as np
import pytest

from bayesrank import read_responses
from bayesrank.data.inspection import inspect

pytestmark = pytest.mark.shared


def test_terminal_bench(shared_data: Path) -> None:
    path = shared_data / "terminal_bench_trials.csv"
    found = inspect(read_responses(path))
    assert (found.models, found.questions, found.rows) == (13, 80, 5200)
    assert (found.missing, found.trials, found.duplicates) == (418, 4782, 0)
    assert found.trials_kept
    assert found.trials_per_cell == (0, 5.0, 5)
    assert len(found.cells_without_trials) == 16
    assert sum(found.missing_by_model.values()) == 418
    assert ("ob1-09-10-25", "swe-bench-astropy-1") in found.cells_without_trials
    assert set(found.constant_questions.values()) == {0}
    assert not found.constant_models

    masked, failed = read_responses(path), read_responses(path, missing="failure")
    leaders = [
        r.systems[np.nanmean(r.question_scores(), axis=1).argmax()] for r in (masked, failed)
    ]
    assert leaders == ["ob1-09-10-25", "20250923_droid_claude-4-1-opus"]
    assert failed.is_balanced


@pytest.mark.parametrize(
    ("name", "models", "questions", "cell", "missing", "categories"),
    [
        ("aime2024_counts.csv", 50, 30, (155, 1100), 0, 2),
        ("livecodebench_counts.csv", 16, 348, (10, 10), 0, 2),
        ("swebench_lite.csv", 84, 300, (1, 1), 0, 2),
        ("arenabench_scores.csv", 15, 300, (0, 1), 38, 11),
    ],
)
def test_other_logs(shared_data: Path, name, models, questions, cell, missing, categories) -> None:
    found = inspect(read_responses(shared_data / name))
    assert (found.models, found.questions, found.categories) == (models, questions, categories)
    assert (found.trials_per_cell[0], found.trials_per_cell[2]) == cell
    assert found.missing == missing
    assert found.duplicates == 0
