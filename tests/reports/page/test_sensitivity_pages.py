"""Pages of the studies of priors and likelihoods: lines where the ranks are, nothing that runs."""

import re

import html5lib
import numpy as np
import pytest

import bayesrank
from bayesrank import Responses
from bayesrank.reports import likelihood_sensitivity_page, prior_sensitivity_page
from bayesrank.reports.page._bump_figures import bump_figure, tau_figure
from bayesrank.studies import likelihood_sensitivity, prior_sensitivity
from tests.payloads import HOSTILE

DATA = bayesrank.simulate_responses(systems=5, questions=20, trials=4, random_seed=3)


@pytest.fixture(scope="module")
def priors():
    return prior_sensitivity(DATA, draws=50, random_seed=1)


@pytest.fixture(scope="module")
def methods():
    names = ["bayes-at-n", "mean", "borda", "inverse_difficulty"]
    return likelihood_sensitivity(DATA, methods=names, draws=50, random_seed=1)


def figure_of(priors):
    found = priors.isel(system=np.argsort(priors["rank"].values[0], kind="stable"))
    labels = [str(name) for name in found["system"].values]
    return found, bump_figure(found, labels, dim="setting", one="prior", level="95 %")


def test_points_are_at_their_ranks_and_the_twin_has_the_intervals(priors):
    found, figure = figure_of(priors)
    height = 28
    points = [
        float(y) for y in re.findall(r'<circle class="place[^"]*" [^>]*cy="([\d.]+)"', figure.marks)
    ]
    want = [(r - 0.5) * height for r in found["rank"].values.T.ravel()]
    assert sorted(points) == sorted(want)
    settings, systems = found.sizes["setting"], found.sizes["system"]
    assert figure.marks.count('class="bump') == (settings - 1) * systems
    rank, low, high = (found[v].values[1, 0] for v in ("rank", "rank_low", "rank_high"))
    ends = f"{low}" if low == high else f"{low}–{high}"
    assert figure.twin.rows[0][2] == f"{rank} ({ends})"
    # Who leads under some prior is drawn last, above the others.
    assert figure.marks.rindex("bump first") > figure.marks.rindex('"bump"')


def test_the_matrix_holds_agreement_shown_and_between_draws(methods):
    figure = tau_figure(methods, level="95 %")
    assert figure.twin.rows[0][0] == "1 bayes-at-n"
    assert figure.twin.rows[0][1].startswith("1.000; ")
    texts = re.findall(r"<text [^>]*>([^<]+)</text>", figure.marks)
    assert texts[0] == "1.00"


@pytest.mark.parametrize("study", ["priors", "methods"])
def test_pages_are_whole_and_the_same_each_time(request, study):
    found = request.getfixturevalue(study)
    page_of = prior_sensitivity_page if study == "priors" else likelihood_sensitivity_page
    page = page_of(found, title="Ours")
    assert page == page_of(found, title="Ours")
    assert "<title>Ours</title>" in page
    assert "<script" not in page
    html5lib.HTMLParser(strict=True).parse(page)


def test_hostile_names_are_text():
    names = [h for h in HOSTILE if 0 < len(h) < 1000][:6]
    counts = np.random.default_rng(1).integers(0, 8, (len(names), 5))
    data = Responses.from_counts(counts, 8, systems=names)
    priors = prior_sensitivity(data, draws=25, random_seed=1)
    methods = likelihood_sensitivity(data, methods=["mean", "borda"], draws=25, random_seed=1)
    for page in (prior_sensitivity_page(priors), likelihood_sensitivity_page(methods)):
        html5lib.HTMLParser(strict=True).parse(page)
        assert "<script" not in page
        assert "<img" not in page
