"""Pages of plans and budgets: drawn where the numbers are, and nothing in them can run."""

import re

import html5lib
import numpy as np
import pytest

from bayesrank import Responses
from bayesrank.reports import budgets_page, plan_page
from bayesrank.reports.page._courses import axis_of
from bayesrank.reports.page.budgets import agreement_figure, ranks_figure
from bayesrank.studies import plan
from tests.budget_studies import study
from tests.payloads import HOSTILE

CLOSE = Responses.from_counts([[12, 15, 9], [11, 14, 9], [2, 3, 1]], 20, systems=["a", "b", "c"])


@pytest.fixture(scope="module", params=["top1", "adjacent"])
def found(request):
    return plan(CLOSE, goal=request.param, futures=300, random_seed=1)


def test_a_plan_opens_with_its_answer(found):
    page = plan_page(found)
    assert page == plan_page(found)
    html5lib.HTMLParser(strict=True).parse(page)
    assert re.search(r'<p class="answer \w+">(About|Not within)', page)
    assert "The same as a table" in page
    assert "script" not in re.sub(r"script-src|for &#39;script&#39;|for 'script'", "", page)
    assert plan_page(found, title="Ours <b>").count("Ours &lt;b&gt;") == 2


def test_budgets_draw_ranks_with_their_intervals_in_the_twin():
    figure = ranks_figure(study())
    drawn = [int(t) for t in re.findall(r"<text [^>]*>(\d+)</text>", figure.marks)]
    assert drawn == [2, 1, 1, 1, 2, 2, 3, 3, 3]
    assert figure.twin.rows[0] == ("a", "2 (1–3)", "1 (1–2)", "1 (1–2)")
    curves = agreement_figure(study())
    assert curves.marks.count("<path") == 9
    assert curves.twin.rows[-1] == ("2,000", "1.000", "1.000", "0.900")
    html5lib.HTMLParser(strict=True).parse(budgets_page(study(timed=True)))


def test_hostile_names_stay_text():
    names = list(HOSTILE)[:40]
    page = budgets_page(study(names, sizes=[100, 90_000, 3_000_000]))
    html5lib.HTMLParser(strict=True).parse(page)
    assert "<script" not in page
    assert "<img" not in page
    rng = np.random.default_rng(1)
    data = Responses.from_counts(rng.binomial(5, 0.5, (40, 10)), 5, systems=names)
    for goal in ("top1", "adjacent"):
        page = plan_page(plan(data, goal=goal, futures=100, random_seed=1))
        html5lib.HTMLParser(strict=True).parse(page)
        assert "<script" not in page


def test_one_size_and_narrow_ranges_have_an_axis():
    for sizes in ([7], [100, 130], [1, 10**9]):
        scale, axis = axis_of(np.array(sizes))
        assert "<text" in axis
        assert scale.at(float(np.log10(sizes[0]))).endswith("%")
    assert "<html" in budgets_page(study(sizes=[40, 50]).isel(votes=[1]))
