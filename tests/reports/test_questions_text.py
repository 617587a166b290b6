"""How questions fit, as text and as a page."""

import csv
import io
import json

import html5lib
import numpy as np
import pytest

from bayesrank import Responses
from bayesrank.checks import question_fit
from bayesrank.reports import questions_page, questions_to_dict, render_questions
from tests.checks.test_questions import logistic, posterior_of
from tests.payloads import HOSTILE


def made(names=None):
    rng = np.random.default_rng(1)
    ability, difficulty = np.linspace(-2, 2, 20), np.linspace(-1, 1, 8)
    slope = np.ones(8)
    slope[2] = -1
    k = rng.binomial(20, logistic(slope * (ability[:, None] - difficulty)))
    posterior = posterior_of(ability, difficulty)
    if names is None:
        return posterior, question_fit(posterior, Responses.from_counts(k, 20), random_seed=1)
    group = posterior["posterior"].to_dataset().assign_coords(question=names)
    posterior["posterior"] = type(posterior)(group)
    return posterior, question_fit(
        posterior, Responses.from_counts(k, 20, questions=names), random_seed=1
    )


@pytest.fixture(scope="module")
def both():
    return made()


def test_the_bad_question_comes_first_and_is_named(both):
    text = render_questions(both[1])
    assert text.startswith("1 of 8 questions do not fit.\nReversed (")
    assert "'question 3'" in text.splitlines()[1]
    rows = [line for line in text.splitlines() if line.startswith("question ")]
    assert rows[1].startswith("question 3")  # after the header
    assert "<0.002" in rows[1]


def test_formats_hold_the_same_questions(both):
    fit = both[1]
    found = json.loads(render_questions(fit, format="json"))
    assert found == json.loads(json.dumps(questions_to_dict(fit)))
    rows = list(csv.DictReader(io.StringIO(render_questions(fit, format="csv"))))
    assert [row["question"] for row in rows] == [f"question {i}" for i in range(1, 9)]
    assert float(rows[2]["slope"]) == pytest.approx(fit["slope"].values[2])
    assert render_questions(fit, format="md").count("| question") == 9
    assert sum(row["separation_share"] for row in found["table"]) == pytest.approx(1)


def test_the_page_draws_every_question_and_model_and_is_always_the_same(both):
    posterior, fit = both
    page = questions_page(fit, posterior)
    assert page == questions_page(fit, posterior)
    assert page.count('<line class="question"') == 7 + 1  # and one in the key
    assert page.count('<line class="question odd"') == 1 + 1
    assert page.count('<circle class="point"') == 20 + 1
    assert "<script" not in page


def test_hostile_names_stay_text():
    names = list(HOSTILE)[:8]
    posterior, fit = made(names)
    page = questions_page(fit, posterior)
    tree = html5lib.parse(page, namespaceHTMLElements=False)
    assert not list(tree.iter("script"))
    assert not list(tree.iter("img"))
    assert "\x1b" not in render_questions(fit)
