"""The stopping rule: what looking again and again costs, and what it saves."""

import numpy as np
import pytest

from bayesrank.exceptions import ArgumentError
from bayesrank.studies import stopping_rule


def test_looking_again_raises_the_error_at_level_models():
    found = stopping_rule(
        gaps=[0.0, 0.2], looks=[1, 4, 12], trials=12, repetitions=600, random_seed=1
    )
    null = found.sel(gap=0.0, confidence=0.95)
    # Shrunk by the prior, a single look errs no more often than 2 x 5 %.
    assert 0.03 < float(null["wrong"][0]) < 0.1 + 4 * float(null["wrong_mcse"][0])
    assert (np.diff(null["wrong"].values) > 0).all()
    assert (null["wrong"] == null["stopped"]).all()
    assert (null["wrong_of_stops"] == 1.0).all()
    assert (found["wrong"].sel(confidence=0.99) <= found["wrong"].sel(confidence=0.95)).all()
    clear = found.sel(gap=0.2, confidence=0.95)
    assert (clear["right"] > 0.97).all()
    assert (clear["trials_used"].values[0], clear["trials_used"].values[-1] < 6) == (12.0, True)


def test_a_study_goes_on_from_its_folder(tmp_path):
    options = {"looks": [1], "trials": 2, "repetitions": 20, "random_seed": 3, "folder": tmp_path}
    first = stopping_rule(gaps=[0.0, 0.1], **options)
    (tmp_path / "gap=0.1.npz").unlink()
    assert stopping_rule(gaps=[0.0, 0.1], **options).identical(first)
    with pytest.raises(ArgumentError, match="holds a study with gaps"):
        stopping_rule(gaps=[0.0, 0.2], **options)


def test_several_models_have_more_to_be_wrong_about():
    options = {"gaps": [0.0], "looks": [10], "trials": 10, "repetitions": 400, "random_seed": 1}
    two, five = (stopping_rule(systems=n, **options)["wrong"].values[0, 0, 0] for n in (2, 5))
    assert 0.0 < five < 1.0
    assert two > 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"looks": [3]}, "looks=3 does not divide"),
        ({"looks": []}, "each need a number"),
        ({"gaps": [-0.1]}, "gaps=-0.1"),
        ({"gaps": [0.9]}, "gaps=0.9"),
        ({"confidence": [1.0]}, "confidence=1.0"),
        ({"systems": 1}, "systems=1"),
        ({"repetitions": 0}, "repetitions=0"),
    ],
)
def test_bad_arguments_are_one_line(options, message):
    with pytest.raises(ArgumentError, match=message):
        stopping_rule(**options)


@pytest.mark.slow
def test_the_table_of_the_docs_holds():
    """The error at level models, 30 questions and 20 trials, as docs/how-to/planning.md has it."""
    found = stopping_rule(gaps=[0.0, 0.05], repetitions=3000, random_seed=2).sel(confidence=0.95)
    null = found["wrong"].sel(gap=0.0)
    assert float(null.sel(looks=1)) == pytest.approx(0.08, abs=0.025)
    assert float(null.sel(looks=20)) == pytest.approx(0.27, abs=0.04)
    gap = found.sel(gap=0.05)
    assert float(gap["wrong"].sel(looks=20)) < 0.02
    assert float(gap["trials_used"].sel(looks=20)) < 14.0
    assert float(gap["right"].sel(looks=20)) > float(gap["right"].sel(looks=1))
