"""Populations, greedy decodes and coarse grids through every format and as pages."""

import csv
import io
import json

import html5lib
import numpy as np
import pytest

import bayesrank
from bayesrank import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.reports import (
    FORMATS,
    greedy_page,
    populations_page,
    populations_to_dict,
    quadrature_page,
    render_greedy,
    render_populations,
    render_quadrature,
)
from bayesrank.reports.greedy import greedy_answer
from bayesrank.reports.populations import neighbours_sheet, ranks_sheet, scores_sheet
from bayesrank.reports.quadrature import quadrature_answer
from bayesrank.studies import greedy_prior, populations, quadrature_artefact
from tests.payloads import HOSTILE

DATA = bayesrank.simulate_responses(systems=5, questions=24, trials=4, random_seed=3)
NAMES = [h for h in HOSTILE if len(h) < 1000][:8]


def hostile_populations():
    counts = np.random.default_rng(1).integers(0, 5, (len(NAMES), 9))
    data = Responses.from_counts(counts, 4, systems=NAMES, source=NAMES[0])
    return populations(data, draws=10, random_seed=1)


def decodes(tasks=("easy",) * 12 + ("hard",) * 12):
    data = bayesrank.simulate_responses(systems=6, questions=24, trials=6, random_seed=2)
    data = Responses.from_counts(data.successes, 6, tasks=list(tasks))
    greedy = (data.successes > 3).astype(int)[:, :, np.newaxis]
    return greedy_prior(data, greedy, trials=[1, 3, 6], resamples=6, random_seed=1)


def grids():
    return quadrature_artefact(DATA, nodes=[21], random_seed=1)


@pytest.fixture(scope="module")
def found():
    return populations(DATA, draws=50, random_seed=1)


STUDIES = pytest.mark.parametrize(
    ("study", "render", "page"),
    [
        (hostile_populations, render_populations, populations_page),
        (decodes, render_greedy, greedy_page),
        (grids, render_quadrature, quadrature_page),
    ],
)


@STUDIES
def test_every_format_is_plain_text(study, render, page):
    result = study()
    for each in FORMATS:
        text = render(result, format=each)
        assert text.endswith("\n")
        assert not any(ch for ch in text if ch != "\n" and not ch.isprintable())
        if each == "json":
            assert json.loads(text)["schema_version"] == 1
        if each == "csv":
            rows = list(csv.DictReader(io.StringIO(text)))
            assert rows
            assert not any(line.startswith(('"=', '"+', '"@')) for line in text.splitlines())
        if each == "md":
            assert "<script" not in text
    with pytest.raises(ArgumentError, match="Did you mean 'table'"):
        render(result, format="tabel")
    text = page(result, title="<b>Ours</b>")
    assert "<title>&lt;b&gt;Ours&lt;/b&gt;</title>" in text
    assert text == page(result, title="<b>Ours</b>")
    assert text.count("<script") == 0
    html5lib.HTMLParser(strict=True).parse(text)


def cells(sheet):
    return [dict(zip(sheet.header, row, strict=True)) for row in sheet.rows]


def test_populations_stand_side_by_side(found):
    ranks, pairs = cells(ranks_sheet(found)), cells(neighbours_sheet(found))
    best = [*found["above"].to_numpy(), found["below"].to_numpy()[-1]]
    assert [row["model"] for row in ranks] == best
    assert [row["model"] for row in cells(scores_sheet(found))] == best
    for population in ("trials", "questions"):
        one = found.sel(population=population)
        for row in ranks:
            low, high = (int(one[f"rank_{e}"].sel(system=row["model"])) for e in ("low", "high"))
            assert row[population] == (f"{low}–{high}" if low < high else f"{low}")
        for k, row in enumerate(pairs):
            assert row[population].endswith("*") == bool(one["told_apart"][k])
    text = render_populations(found)
    apart = found["told_apart"].sum("pair").to_numpy()
    first = f"of 4: {apart[0]} under trials, {apart[1]} under questions."
    assert first in text.splitlines()[0]
    assert "Where the variance comes from" in text


def test_populations_as_plain_values(found):
    read = json.loads(render_populations(found, format="json"))
    assert read == json.loads(json.dumps(populations_to_dict(found)))
    assert [one["population"] for one in read["populations"]] == ["trials", "questions"]
    one = read["populations"][1]
    row = one["table"][0]
    assert row["score"] == pytest.approx(
        float(found["score"].sel(population="questions", system=row["model"]))
    )
    assert one["pairs"][0]["above"] == row["model"]
    for row in read["variance"]:
        assert sum(row["share"].values()) == pytest.approx(1.0)
    rows = list(csv.DictReader(io.StringIO(render_populations(found, format="csv"))))
    assert len(rows) == 10
    assert [row["next"] for row in rows[:5]] == [r["model"] for r in rows[1:5]] + [""]


def test_pages_hold_the_shares_and_say_where_there_are_none(found):
    page = populations_page(found)
    assert 'id="shares-model-title"' in page
    assert 'id="shares-gap-title"' in page
    alone = populations(Responses.from_counts([[9], [2]], 10), draws=20, random_seed=1)
    page = populations_page(alone)
    assert "shares-model-title" not in page
    assert "one population to look at" in page


def test_one_trial_a_cell_is_a_question_mark_and_not_zero():
    once = bayesrank.simulate_responses(systems=3, questions=20, trials=1, random_seed=1)
    study = populations(once, draws=20, random_seed=1)
    assert "trials: not known with one trial a cell" in populations_page(study)
    last = render_populations(study).split("Where the uncertainty comes from", 1)[1]
    assert "?" in last


def test_more_models_than_a_page_draws_are_said():
    counts = np.random.default_rng(1).integers(0, 9, (62, 6))
    study = populations(Responses.from_counts(counts, 8), among=["trials"], draws=5, random_seed=1)
    assert "The 50 best of 62 models are drawn" in populations_page(study)
    assert "the first 60 of 62 models" in render_populations(study)
    assert (
        len(json.loads(render_populations(study, format="json"))["populations"][0]["table"]) == 62
    )


def test_the_greedy_answer_says_gain_loss_or_chance():
    study = decodes()
    lines = greedy_answer(study)
    gain, error = (
        float(study[name].isel(benchmark=-1, trials=0).sel(prior="1"))
        for name in ("delta_tau", "delta_tau_mcse")
    )
    word = "no more than chance" if abs(gain) <= 2 * error else "raises" if gain > 0 else "lowers"
    assert word in lines[0]
    assert f"{gain:+.3f}" in lines[0]
    text = render_greedy(study)
    assert "the least aligned first" in text
    assert 'id="alignment-title"' in greedy_page(study)
    alone = decodes(tasks=("easy",) * 24)
    assert "the least aligned first" not in render_greedy(alone)
    assert 'id="alignment-title"' not in greedy_page(alone)


def test_the_answer_of_coarse_grids_follows_the_numbers():
    study = grids()
    lines = quadrature_answer(study)
    coarse = float(study["self_tau_b"].sel(rule="bound, 21 nodes"))
    assert f"tau-b {coarse:.3f}" in lines[0]
    assert lines[1] == "Computed exactly, the bound has the order of the mean in every draw."
    # Trials that differ between cells: no theorem, and no such sentence.
    uneven = study.copy(deep=True)
    uneven["mean_tau_b"].loc[{"rule": "bound, exact"}] = 0.9
    assert "agrees with the mean by tau-b 0.900" in quadrature_answer(uneven)[1]
