"""``bayesrank rank --part``: one part of a posterior that has parts."""

import json

import pytest

from tests.battle_pages import part_posterior
from tests.payloads import XSS


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "fit.nc"
    part_posterior(["a", "b", "c"], ["english", "german", XSS[0]]).to_netcdf(
        path, engine="h5netcdf"
    )
    return path


def test_one_part_is_printed(run, saved):
    import bayesrank

    done = run("rank", saved, "--part", "german", "--format", "json")
    assert done.status == 0, done.err
    expected = bayesrank.rank(bayesrank.read_posterior(saved), part="german").table()
    found = json.loads(done.out)
    assert [row["model"] for row in found["table"]] == expected["model"].tolist()
    assert [row["score"] for row in found["table"]] == expected["score"].tolist()
    assert found["estimand"].endswith("(part 'german')")
    assert "(part 'german')" in run("rank", saved, "--part", "german").out
    overall = json.loads(run("rank", saved, "--format", "json").out)
    assert "part" not in overall["estimand"]


def test_an_unknown_part_is_named_with_those_that_are_there(run, saved):
    done = run("rank", saved, "--part", "germn")
    assert done.status == 2
    assert "no part 'germn' here; there are 'english', 'german'" in done.err
    assert "Did you mean 'german'?" in done.err


def test_a_posterior_without_parts_says_so(run, log):
    done = run("rank", log, "--part", "german", "--seed", 1)
    assert done.status == 2
    assert "this one has no parts" in done.err


def test_the_page_has_all_parts_and_that_of_a_part_none(run, saved, tmp_path):
    page = tmp_path / "page.html"
    assert run("rank", saved, "--html", page).status == 0
    text = page.read_text("utf-8")
    assert "Ranks part by part" in text
    assert XSS[0] not in text
    assert run("rank", saved, "--html", page, "--part", "english", "--overwrite").status == 0
    assert "Ranks part by part" not in page.read_text("utf-8")
