"""Every usual name of every column, and what happens when two could be meant."""

import pytest

from bayesrank.data._columns import SYNONYMS, normal, recognise
from bayesrank.exceptions import ArgumentError, InputError

LONG = {"system": "model", "question": "question", "outcome": "outcome"}
COUNTS = {"system": "model", "question": "question", "successes": "successes", "trials": "trials"}


def find(*names: str, **told):
    return recognise(names, told, source="log.csv")


@pytest.mark.parametrize(
    ("role", "name"),
    [(role, name) for role, groups in SYNONYMS.items() for group in groups for name in group],
)
def test_every_synonym(role, name) -> None:
    others = COUNTS if role in COUNTS and role not in LONG else LONG
    names = [n for r, n in others.items() if r != role]
    columns = find(*names, name, "latency")
    if (role, name) != ("task", "task_id"):
        assert getattr(columns, role) == name
    assert columns.form == ("counts" if others is COUNTS else "long")


@pytest.mark.parametrize("name", ["Model", "MODEL", " model ", "Model Name", "model-name"])
def test_case_and_punctuation_do_not_matter(name) -> None:
    assert find(name, "Question ID", "Is.Correct").system == name


def test_task_id_is_a_question_or_a_task() -> None:
    alone = find("model", "task_id", "reward")
    assert (alone.question, alone.task) == ("task_id", None)
    beside_task = find("model", "task", "task_id", "reward")
    assert (beside_task.question, beside_task.task) == ("task_id", "task")
    beside_question = find("model", "task_id", "question", "reward")
    assert (beside_question.question, beside_question.task) == ("question", "task_id")


def test_first_of_several_names_is_taken() -> None:
    columns = find("model", "model_name", "question", "question_id", "seed", "epoch", "score")
    assert columns.system == "model"
    assert columns.question == "question_id"
    assert columns.trial == "epoch"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("model", "agent", "question", "score"), "'model', 'agent' could each be the model"),
        (("model", "question", "score", "correct"), "'correct', 'score' could each be the outcome"),
        (("model", "Model", "question", "score"), "'model', 'Model' could each be the model"),
        (("model", "question", "trial", "Trial", "score"), "could each be the trial"),
        (("model", "question", "correct", "total"), "can be read in two ways"),
        (("model", "question", "score", "successes", "trials"), "can be read in two ways"),
    ],
)
def test_what_is_truly_ambiguous_is_an_error(names, words) -> None:
    with pytest.raises(InputError, match=words) as caught:
        find(*names)
    assert "columns={" in str(caught.value)


@pytest.mark.parametrize(
    ("names", "told", "form"),
    [
        (("model", "question", "correct", "total"), {"outcome": "correct"}, "long"),
        (("model", "question", "correct", "total"), {"successes": "correct"}, "counts"),
        (("model", "question", "score", "k", "n"), {"successes": "k", "trials": "n"}, "counts"),
        (("model", "question", "score", "k", "n"), {"outcome": "score"}, "long"),
    ],
)
def test_being_told_settles_it(names, told, form) -> None:
    assert find(*names, **told).form == form


def test_a_log_of_trials_with_a_count_column_is_a_log_of_trials() -> None:
    assert find("model", "question", "trial", "score", "count").form == "long"


def test_told_names_are_used_and_free_their_synonyms() -> None:
    columns = find("model", "agent", "item", "y", system="agent", outcome="y")
    assert (columns.system, columns.question, columns.outcome) == ("agent", "item", "y")
    assert find("model", "question", "trial", "score", trial=None).trial is None
    assert columns.told == {"system", "outcome"}


def test_wide_form() -> None:
    columns = find("model", "q1", "q2")
    assert columns.form == "wide"
    assert columns.questions_in_columns == ("q1", "q2")
    assert find("model", "trial", "q1").questions_in_columns == ("q1",)


def test_unknown_role_and_unknown_column() -> None:
    with pytest.raises(ArgumentError, match=r"'modle' is not known"):
        find("model", "question", "score", modle="model")
    with pytest.raises(InputError, match=r"no column 'scroe'.*Did you mean 'score'"):
        find("model", "question", "score", outcome="scroe")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("modle", "question", "score"), "no column for the model.*Is it 'modle'"),
        (("model", "questoin", "score"), "no column for the question.*Is it 'questoin'"),
        (("model", "question", "text"), "no column for the outcome; there are 'model'"),
        (("model", "question", "trials"), "no column for the successes"),
        (("model", "question", "wins"), "no column for the trials"),
        ((), "no column for the model"),
    ],
)
def test_missing_columns(names, words) -> None:
    with pytest.raises(InputError, match=words):
        find(*names)


def test_normal() -> None:
    assert normal(" Task.ID ") == "task_id"
