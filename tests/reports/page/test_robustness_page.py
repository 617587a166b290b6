"""The page of robustness: marks where the numbers are, and nothing in it can run."""

import re

import html5lib
import numpy as np
import pandas as pd
import pytest

from bayesrank import Responses
from bayesrank.reports.page import robustness_page
from bayesrank.reports.page._dots import dots_figure, sets_figure, shares
from bayesrank.robustness import posterior_robustness, training_robustness
from tests.payloads import HOSTILE

SCORES = pd.DataFrame(
    [[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]], index=["a", "b", "c"], columns=list("wxyz")
)


@pytest.fixture(scope="module")
def found():
    return [
        training_robustness(SCORES, operator=o, ceiling=10)
        for o in ("win_rate", "mean", "majority")
    ]


def test_marks_stand_at_their_numbers(found):
    figure = dots_figure(found, [], list("abc"), note="", texts=[["1", "0", "1"]] * 3)
    # Columns 0 to 4: k = 0 in the middle of the first fifth, k = 1 of the second.
    at = {0: "10%", 1: "30%"}
    expected = [at[k] for i in range(3) for k in (int(r["k"][i]) for r in found)]
    assert re.findall(r'<svg x="(.*?)" y="[\d.]+" width="1"', figure.marks) == expected
    assert [text for _, text in figure.key] == [
        "by the win rate",
        "by the mean",
        "by pairwise majority",
    ]


def test_what_is_never_enough_has_a_column_of_its_own():
    never = training_robustness([[1.0, 1.0], [0.5, 0.5]], strict=True)
    figure = dots_figure([never], [], ["a", "b"], note="", texts=[["0", "never"]])
    assert ">never</text>" in figure.axis
    assert re.findall(r'<svg x="(.*?)"', figure.marks)[-1] == "87.5%"


def test_sets_are_shaded_by_share(found):
    share = shares(found[0])
    np.testing.assert_allclose(share[0], [1 / 3, 1 / 3, 0, 1 / 3])
    figure = sets_figure(found[0], list("abc"), list("wxyz"), note="")
    assert figure.twin.rows[0] == ("a", "33", "33", "", "33")
    assert figure.title == "Tasks in an optimal set, by the win rate"


def test_the_page_opens_with_the_answer_and_is_always_the_same(found):
    page = robustness_page(found)
    assert page == robustness_page(found)
    assert "First by the win rate now: b. To make " in page
    assert "Half of the 3 models need at most, of 4 tasks" in page
    assert "<script" not in page


def test_intervals_and_their_population_are_shown():
    responses = Responses.from_counts([[80, 70], [60, 50]], 100, tasks=["x", "y"])
    uncertain = posterior_robustness(responses, random_seed=1)
    page = robustness_page(training_robustness(responses), uncertain=uncertain)
    assert "trials: new runs on these same questions" in page
    assert 'class="reach"' in page
    assert "95 % credible interval" in page


def test_many_models_and_tasks_are_thinned():
    values = np.random.default_rng(1).random((60, 70))
    page = robustness_page(training_robustness(values))
    assert (
        "The 50 of 60 models that need fewest tasks are drawn; the table below holds all." in page
    )
    assert "The 60 of 70 tasks that sets hold most often are shown." in page


def test_no_name_adds_an_element():
    values = np.random.default_rng(1).random((30, 30))

    def elements(rows, columns):
        result = training_robustness(pd.DataFrame(values, index=rows, columns=columns))
        page = robustness_page(result, title=rows[0])
        return len(list(html5lib.parse(page, namespaceHTMLElements=False).iter()))

    plain = [f"n{i}" for i in range(30)]
    for start in range(0, len(HOSTILE) - 30, 30):
        names = list(HOSTILE[start : start + 30])
        assert elements(names, names) == elements(plain, plain)
