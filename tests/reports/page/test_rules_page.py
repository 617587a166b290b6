"""The page of rules side by side: drawn where the numbers are, and nothing in it can run."""

import re

import html5lib
import numpy as np
import pytest

import bayesrank
from bayesrank import Responses
from bayesrank.reports.page import rules_page
from bayesrank.reports.page._rule_figures import agreement_figure, orders_figure, ranks_figure
from bayesrank.reports.rules_json import best_models
from bayesrank.studies import compare_rules
from tests.payloads import HOSTILE

DATA = bayesrank.simulate_responses(systems=6, questions=30, trials=4, random_seed=3)


@pytest.fixture(scope="module")
def found():
    names = ["mean", "pass_at_k", "nanson", "majority_judgment", "elo"]
    comparison = compare_rules(DATA, rules=names, draws=40, random_seed=1)
    return comparison.isel(system=best_models(comparison))


def labels(found):
    return found["rule"].values.tolist(), found["system"].values.tolist()


def test_cells_hold_ranks_and_their_twins_the_intervals(found):
    figure = ranks_figure(found, *labels(found))
    drawn = [int(t) for t in re.findall(r"<text [^>]*>(\d+)</text>", figure.marks)]
    assert drawn == found["rank"].values.ravel().tolist()
    low, high = (found[v].values[2, 0] for v in ("rank_low", "rank_high"))
    ends = f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
    assert figure.twin.rows[2][1] == f"{found['rank'].values[2, 0]} ({ends})"
    elo = labels(found)[0].index("elo")
    assert figure.twin.rows[elo][1] == f"{found['rank'].values[elo, 0]}"
    assert len(figure.key) == 9


def test_ranks_far_from_the_reference_are_darker(found):
    figure = ranks_figure(found, *labels(found))
    away = np.abs(found["rank"].values - found["rank"].values[:1]).max()
    shades = {int(k) for k in re.findall(r'class="h(\d)"', figure.marks)}
    assert 1 in shades
    assert max(shades) == int(np.searchsorted((1, 2, 3, 4, 6), away, side="right")) + 1


def test_agreement_is_drawn_with_its_interval(found):
    figure = agreement_figure(found, labels(found)[0])
    assert figure.marks.count("<circle") == found.sizes["rule"]
    # Elo has no draws of trials.
    assert figure.marks.count('class="own"') == found.sizes["rule"] - 1
    assert [row[0] for row in figure.twin.rows] == labels(found)[0]
    assert figure.twin.rows[0][1] == "1.000"


def test_orders_stand_against_orders(found):
    figure = orders_figure(found)
    n = int(found["order"].values.max())
    assert len(figure.labels) == len(figure.twin.rows) == n
    alike = int((found["order"] == 1).sum())
    assert figure.labels[0] == f"A bayes +{alike - 1}"
    assert orders_figure(found.isel(rule=slice(1), rule_bis=slice(1))) is None


def test_the_page_opens_with_the_answer_and_is_always_the_same(found):
    page = rules_page(found)
    assert page == rules_page(found)
    assert f"6 rules give {found['order'].values.max()} orders of 6 models." in page
    assert "<script" not in page
    assert "equal by algebra (the mean): bayes, mean" in page
    assert rules_page(found, title="Ours").count("<title>Ours</title>") == 1


def test_models_that_no_rule_orders_still_make_a_page():
    even = Responses.from_counts([[1, 0], [0, 1]], 1)
    page = rules_page(compare_rules(even, rules=["mean", "borda"], draws=8, random_seed=1))
    assert "No two rules order a pair of models oppositely." in page


def test_hostile_names_are_text_and_the_page_is_well_formed():
    names = [h for h in HOSTILE if len(h) < 1000]
    counts = np.random.default_rng(1).integers(0, 5, (len(names), 9))
    data = Responses.from_counts(counts, 4, systems=names)
    page = rules_page(compare_rules(data, rules=["mean", "nanson"], draws=8, random_seed=1))
    parser = html5lib.HTMLParser(strict=False)
    tree = parser.parse(page)
    tags = {
        element.tag.rpartition("}")[2] for element in tree.iter() if isinstance(element.tag, str)
    }
    assert not tags & {"script", "img", "iframe", "object", "link", "a", "form"}
    assert not any(name.startswith("on") for e in tree.iter() for name in getattr(e, "attrib", {}))
