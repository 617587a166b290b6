"""Rankings through every format: the same facts, and nothing a reader needs left out."""

import csv
import io
import json

import numpy as np
import pytest
import xarray as xr

import bayesrank
from bayesrank._record import Record, write_record
from bayesrank.exceptions import ArgumentError
from bayesrank.reports import FORMATS, render


def ranked(draws, systems, *, record=None, **options) -> bayesrank.Ranking:
    score = xr.DataArray(draws, dims=("chain", "draw", "system"), coords={"system": list(systems)})
    posterior = xr.DataTree.from_dict({"posterior": score.to_dataset(name="score")})
    if record is not None:
        write_record(posterior, record)
    return bayesrank.rank(posterior, **options)


@pytest.fixture
def draws():
    return np.random.default_rng(5).normal([0.2, 0.9, 0.5, 0.5], 0.05, size=(4, 250, 4))


@pytest.fixture
def ranking(draws) -> bayesrank.Ranking:
    record = Record(
        population="questions",
        method="exact",
        model="some-family",
        prior="a flat prior",
        observations={"models": 4, "questions": 7, "trials": 99, "missing": 12},
        diagnostics={"verdict": "pass", "checks": []},
        notes=("A note to be read.",),
    )
    return ranked(draws, "dabc", record=record, ci_prob=0.8, ci_kind="hdi")


def test_json_keeps_numbers_and_names(ranking):
    found = json.loads(render(ranking, format="json"))
    table = ranking.table()
    for row, expected in zip(found["table"], table.to_dict("records"), strict=True):
        assert {name: row[name] for name in expected} == expected
        own = ranking.dataset.sel(system=row["model"])
        for name in ("score_mcse", "p_best_mcse", "p_top_k_mcse", "rank_mean"):
            assert row[name] == own[name].item()
    assert found["groups"] == [list(group) for group in ranking.groups()]
    assert found["answer"] == ranking.answer()
    assert found["notes"] == ["A note to be read."]
    for name in ("population", "method", "model", "prior", "estimand", "observations"):
        assert found[name] == getattr(ranking.record, name)
    assert (found["by"], found["ci_prob"], found["ci_kind"]) == ("mean", 0.8, "hdi")


def test_json_says_which_quantile(draws):
    found = json.loads(render(ranked(draws, "dabc", by=("quantile", 0.1)), format="json"))
    assert found["by"] == ["quantile", 0.1]


def test_csv_says_everything_in_each_row(ranking):
    rows = list(csv.DictReader(io.StringIO(render(ranking, format="csv"))))
    assert [row["model"] for row in rows] == ranking.table()["model"].tolist()
    for row in rows:
        facts = {
            "population": "questions",
            "prior": "a flat prior",
            "method": "exact",
            "model_family": "some-family",
            "ci_prob": "0.8",
            "ci_kind": "hdi",
            "missing": "12",
            "diagnostics": "pass",
            "sorted_by": "mean",
            "quantile": "",
        }
        assert row.items() >= facts.items()
        assert float(row["score_low"]) < float(row["score"]) < float(row["score_high"])


@pytest.mark.parametrize("name", ["table", "md", "latex"])
def test_text_formats_say_everything(ranking, name):
    text = " ".join(render(ranking, format=name).replace("\\%", "%").split())
    for fact in (
        ranking.answer(),
        "Population: questions.",
        "Prior: a flat prior.",
        "80 % shortest (highest-density) intervals",
        "80% HDI",
        "Missing: 12",
        "Diagnostics: passed.",
        "A note to be read.",
    ):
        assert fact in text


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_the_same_each_time_and_ends_its_last_line(ranking, name):
    text = render(ranking, format=name)
    assert text == render(ranking, format=name)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_probabilities_from_finite_draws_are_bounds_in_text_and_numbers_in_data(ranking):
    row = next(line for line in render(ranking).splitlines() if line.split()[1:2] == ["a"])
    assert ">0.99" in row
    found = json.loads(render(ranking, format="json"))
    assert [row["p_best"] for row in found["table"] if row["model"] == "a"] == [1.0]


def test_shared_ranks_line_up(draws):
    draws[..., 3] = draws[..., 2]
    rows = render(ranked(draws, "dabc")).splitlines()[4:8]
    assert [row.split()[0] for row in rows] == ["1", "2=", "2=", "4"]
    assert {row[2] for row in rows} == {"1", "2", "4"}


@pytest.mark.parametrize(
    ("by", "headers"),
    [
        ("mean", "| score |"),
        ("median", "| median |"),
        (("quantile", 0.05), "| 0.05 quantile |"),
        ("expected_rank", "| expected rank | P(best) |"),
    ],
)
def test_the_table_shows_what_it_is_sorted_by(draws, by, headers):
    assert headers in render(ranked(draws, "dabc", by=by), format="md")


def test_the_expected_rank_stands_in_its_own_row(draws):
    text = render(ranked(draws, "dabc", by="expected_rank"), format="md")
    cells = {row.split(" | ")[1]: row.split(" | ")[5] for row in text.splitlines()[4:8]}
    assert cells["a"] == "1.00"
    assert cells["d"] == "4.00"


def test_intervals_of_negative_scores_have_no_ambiguous_dash(draws):
    text = render(ranked(draws - 1, "dabc"))
    assert " to -" in text
    assert "–-" not in text


def test_one_model_and_no_record():
    text = render(ranked(np.zeros((1, 4, 1)), ["only"]))
    assert text.startswith("Only one model was ranked, only.")
    assert "Population: not stated." in text
    json.loads(render(ranked(np.zeros((1, 4, 1)), ["only"]), format="json"))


def test_unknown_format_and_width(ranking):
    with pytest.raises(ArgumentError, match="Did you mean 'json'"):
        render(ranking, format="jsn")
    with pytest.raises(ArgumentError, match="width"):
        render(ranking, width=0)
