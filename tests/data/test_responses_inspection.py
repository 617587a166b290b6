"""What inspection finds."""

from dataclasses import asdict
from json import dumps

from bayesrank import Responses
from bayesrank.data.inspection import inspect


def test_by_hand() -> None:
    responses = Responses.from_array(
        [
            [[1, 1], [1, 1], [1, -1]],
            [[0, 0], [0, 0], [0, -1]],
            [[1, 0], [1, 1], [-1, -1]],
        ],
        systems=["all", "none", "some"],
        questions=["x", "y", "z"],
    )
    found = inspect(responses)
    assert (found.models, found.questions, found.categories, found.rows) == (3, 3, 2, 18)
    assert (found.trials, found.missing, found.duplicates) == (14, 4, 0)
    assert found.trials_per_cell == (0, 2.0, 2)
    assert found.missing_by_model == {"all": 1, "none": 1, "some": 2}
    assert found.constant_models == {"all": 1, "none": 0}
    assert found.constant_questions == {}
    assert found.cells_without_trials == (("some", "z"),)
    assert found.trials_kept
    assert (found.tasks, found.prompts) == (None, None)
    assert dumps(asdict(found))


def test_constant_questions_and_categories() -> None:
    found = inspect(Responses.from_array([[2, 0], [2, 1]], tasks=["s", "t"]))
    assert found.constant_questions == {"question 1": 2}
    assert found.constant_models == {}
    assert found.tasks == 2
    assert not inspect(Responses.from_counts([[1]], 2)).trials_kept
