"""The pages without a script in the browser: quiet, safe, readable at any width, axe clean."""

import numpy as np
import pandas as pd
import pytest

from bayesrank import Responses
from bayesrank.frequentist import rank_intervals
from bayesrank.reports.page import (
    intervals_page,
    robustness_page,
    rules_page,
    stability_page,
)
from bayesrank.robustness import training_robustness
from bayesrank.studies import compare_rules, stability
from tests.pages import names
from tests.payloads import HOSTILE, XSS

pytestmark = pytest.mark.browser
LONG = ["a_very_long_name_" * 8, "x" * 10_000]


def intervals_of(models, title=None):
    values = np.random.default_rng(1).normal(size=(30, len(models)))
    values += np.linspace(2, 0, len(models))
    frame = pd.DataFrame(values, columns=models)
    return intervals_page(rank_intervals(frame, coverage="simultaneous"), title=title)


def robustness_of(models, title=None):
    values = np.random.default_rng(1).random((len(models), 24))
    frame = pd.DataFrame(
        values, index=models, columns=list(dict.fromkeys([*LONG, *models, *names(40)]))[:24]
    )
    found = [training_robustness(frame, operator=o) for o in ("mean", "median", "win_rate")]
    return robustness_page(found, title=title)


def rules_of(models, title=None):
    counts = np.random.default_rng(1).integers(0, 5, (len(models), 12))
    data = Responses.from_counts(counts, 4, systems=models)
    chosen = ["mean", "borda", "nanson", "pass_at_k", "elo"]
    found = compare_rules(data, rules=chosen, draws=20, random_seed=1)
    return rules_page(found, title=title)


def stability_of(models, title=None):
    counts = np.random.default_rng(1).integers(0, 5, (len(models), 12))
    data = Responses.from_counts(counts, 4, systems=models)
    chosen = ["mean", "borda", "nanson", "pass_at_k", "elo"]
    found = stability(data, methods=chosen, trials=[1, 2], resamples=4, random_seed=1)
    return stability_page(found, title=title)


PAGES = pytest.mark.parametrize("page_of", [intervals_of, robustness_of, rules_of, stability_of])


@PAGES
def test_no_hostile_text_runs_or_fetches_anything(open_page, page_of):
    it = open_page(page_of([h for h in HOSTILE if len(h) < 1000], title=XSS[2]))
    for handle in it.page.locator("summary").all():
        handle.click()
    it.page.wait_for_timeout(200)
    it.assert_quiet()
    assert it.page.title() == XSS[2]


@PAGES
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 320)])
def test_axe_finds_no_violation(open_page, axe, page_of, scheme, width):
    it = open_page(
        page_of(names(12)), color_scheme=scheme, viewport={"width": width, "height": 800}
    )
    for handle in it.page.locator("summary").all():
        handle.click()
    it.page.evaluate(axe)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = it.page.evaluate("(values) => axe.run({runOnly: values})", tags)["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []


@PAGES
@pytest.mark.parametrize("width", [320, 360, 768, 1440])
def test_the_page_never_scrolls_sideways(open_page, page_of, width):
    page = open_page(page_of([*LONG, *names(10)]), viewport={"width": width, "height": 800}).page
    for handle in page.locator("summary").all():
        handle.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
