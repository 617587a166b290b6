"""The page of a stability study: drawn where the numbers are, and nothing in it can run."""

import re

import html5lib
import numpy as np
import pytest

import bayesrank
from bayesrank import Responses
from bayesrank.reports._stability_words import classes
from bayesrank.reports.page import stability_page
from bayesrank.reports.page._stability_figures import (
    agreement_figure,
    curves_figure,
    scatter_figure,
)
from bayesrank.studies import stability
from tests.payloads import HOSTILE

DATA = bayesrank.simulate_responses(systems=7, questions=20, trials=6, random_seed=3)


@pytest.fixture(scope="module")
def study():
    names = ["mean", "bayes", "borda", "inverse_difficulty", "pass_at_k", "elo"]
    return stability(DATA, methods=names, trials=[1, 2, 4], resamples=8, random_seed=1)


def rows(study):
    found = classes(study)
    return study, found, [one.label for one in found]


def test_both_agreements_are_drawn_with_their_spread(study):
    found = [one for one in classes(study) if one.label != "pass_at_k"]
    figure = agreement_figure(study, found, [one.label for one in found])
    assert figure.marks.count('class="op op0"') == len(found)
    assert figure.marks.count('class="op op3"') == len(found)
    assert figure.marks.count('class="error"') == 2 * len(found)


def test_points_have_their_numbers_as_a_table(study):
    figure = scatter_figure(*rows(study))
    known = int(np.isfinite(study["tau_gold"].sel(trials=1)).sum()) - 1  # two in one class
    assert len(figure.twin.rows) == known
    first = figure.twin.rows[0]
    one = study.isel(rule=classes(study)[0].row).sel(trials=1)
    assert first[2:] == (f"{one['tau_gold'].item():.3f}", f"{one['tau_self'].item():.3f}")
    drawn = figure.marks.count("<circle")
    assert drawn >= known - 1
    assert (drawn == known) == (not figure.note)
    single = study.isel(rule=[0])
    assert scatter_figure(*rows(single)) is None


def test_curves_join_the_budgets_that_are_known(study):
    figure = curves_figure(*rows(study))
    names = [text for _, text in figure.key]
    assert "pass_at_k" in names
    assert len(figure.key) == len(classes(study))
    # Two steps each, one for the rule that cannot rank single trials.
    assert figure.marks.count('class="course') == 2 * len(names) - 1
    assert figure.twin.header == ("Method", "1", "2", "4")
    assert figure.twin.rows[names.index("pass_at_k")][1] == "–"
    one = stability(DATA, methods=["mean"], resamples=3, pools=(), random_seed=1)
    assert curves_figure(*rows(one)) is None


def test_the_page_opens_with_the_answer_and_is_always_the_same(study):
    page = stability_page(study)
    assert page == stability_page(study)
    assert "With 1 trial a cell, " in page
    assert "<script" not in page
    for title in ("Best method at each budget", "Consensus", "Pairs of models", "Pools of models"):
        assert title in page
    assert stability_page(study, title="Ours").count("<title>Ours</title>") == 1


def test_where_nothing_is_ranked_there_is_still_a_page():
    none = stability(DATA, methods=["pass_at_k"], resamples=3, pools=(), random_seed=1)
    page = stability_page(none)
    assert "no method ranks every subsample" in page
    assert 'id="agreement"' not in page


def test_hostile_names_are_text_and_the_page_is_well_formed():
    names = [h for h in HOSTILE if len(h) < 1000]
    counts = np.random.default_rng(1).integers(0, 5, (len(names), 9))
    data = Responses.from_counts(counts, 4, systems=names)
    hostile = ("<script>alert(1)</script>", lambda r: r.question_scores().mean(axis=1))
    page = stability_page(
        stability(
            data, methods=["borda", hostile], trials=[1, 2], resamples=3, pools=(), random_seed=1
        )
    )
    tree = html5lib.HTMLParser(strict=False).parse(page)
    tags = {e.tag.rpartition("}")[2] for e in tree.iter() if isinstance(e.tag, str)}
    assert not tags & {"script", "img", "iframe", "object", "link", "a", "form"}
    assert not any(name.startswith("on") for e in tree.iter() for name in getattr(e, "attrib", {}))
    assert not re.search(r"<script>alert", page)
