"""``bayesrank rank --model ordinal``: scores in ordered categories from the command line."""

import json

import pytest


@pytest.fixture
def scores(tmp_path):
    """Three models, six questions, scores 1 to 5, one of them missing."""
    rows = [
        f"{model},q{m},{1 + (m * 3 + k) % 5 if (model, m) != ('c', 5) else ''}"
        for k, model in enumerate("abc")
        for m in range(6)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["model,question,score", *rows]) + "\n")
    return path


@pytest.mark.slow
def test_a_rating_scale_is_fitted_and_said(run, scores, tmp_path):
    page = tmp_path / "page.html"
    result = run(
        "rank", scores, "--model", "rating-scale", "--score-range", "1,5", "--draws", 300,
        "--seed", 1, "--format", "json", "--html", page,
    )  # fmt: skip
    assert result.status == 0, result.err
    found = json.loads(result.out)
    assert (found["population"], found["method"]) == ("trials", "nuts")
    assert found["provenance"]["model"]["kind"] == "rating-scale"
    assert found["provenance"]["model"]["score_range"] == [1, 5]
    assert all(1 < row["score"] < 5 for row in found["table"])
    assert "Scores are ordered categories, 1 to 5." in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--score-range", "1,5"), "--score-range is about ordered categories: name --model ord"),
        (("--model", "ordinal", "--score-range", "1"), "write the lowest and the highest score"),
        (("--model", "ordinal", "--score-range", "1,4.5"), "write the lowest and the highest"),
        (("--model", "ordinal", "--score-range", "1,4"), "score 5 (model 'a', question"),
        (("--model", "graded", "--score-range", "5,1"), "highest score has to be above the low"),
        (("--model", "ordinal", "--weights", "0,1"), "one weight for each of the 5 categories"),
        (("--model", "ordinal", "--weights", "0,1,x"), "--weights: 'x' is not a number"),
        (("--model", "ordinal", "--categories", "3"), "outside the 3 declared categories"),
        (("--model", "graded", "--prior", "pooled"), "--prior cannot be used with --model graded"),
        (("--model", "ordinal", "--ties", "half"), "--ties cannot be used with --model ordinal"),
        (("--model", "ordinals"), "ordinals"),
    ],
)
def test_what_is_refused_is_one_line(run, scores, options, message):
    result = run("rank", scores, *options)
    assert result.status == 2
    assert message in result.err
    assert result.err.count("\n") == 1


def test_scores_that_are_fractions_or_all_the_same(run, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("model,question,score\na,q1,7.5\nb,q1,3\n")
    result = run("rank", path, "--model", "ordinal")
    assert result.status == 2
    assert "outcome '7.5' is a fraction" in result.err
    path.write_text("model,question,score\na,q1,7\nb,q1,7\n")
    result = run("rank", path, "--model", "ordinal")
    assert result.status == 2
    assert "every score is 7, and one category orders nothing" in result.err
    assert result.err.count("\n") == 1
