"""Under a flat prior the mode of the posterior is the published maximum, its curvature the SE."""

import json

import numpy as np
import pandas as pd
import pytest

from bayesrank import Comparisons, Prior
from bayesrank.inference.flat import flatten
from bayesrank.inference.laplace import find_laplace
from bayesrank.models import bradley_terry
from tests.likelihoods.test_paired_fit import pudding

FLAT = Prior("Normal", mu=0.5, sigma=1e4)


@pytest.fixture(scope="module")
def reference(shared_data):
    return json.loads((shared_data.parent / "reference" / "reference_values.json").read_text())


def flat_mode(comparisons, reference_model, **options):
    """Mode and SE of every parameter with one strength fixed at zero, under flat priors."""
    parameters = ["strength", *(["side"] if options.get("side") else [])]
    if options["ties"] != "drop":
        parameters.append("tie")
    model = bradley_terry(
        comparisons,
        anchors={reference_model: 0.0},
        bothbad="pool",
        prior=dict.fromkeys(parameters, FLAT),
        **options,
    )
    flat = flatten(model)
    fit = find_laplace(flat)
    both = np.stack([fit.mode, np.sqrt(np.square(fit.factor).sum(axis=1))], axis=1)
    found = {name: both[where] for name, where in flat.slices.items()}
    names = [n for n in comparisons.systems if n != reference_model]
    return dict(zip(names, found["strength_free"], strict=True)) | {
        name: found[name][0] for name in parameters[1:]
    }


def test_davidson_pudding():
    got = flat_mode(pudding(), "1", ties="davidson")
    mode, se = np.array([got[k] for k in "23456"]).T
    np.testing.assert_allclose(mode, [0.2202, 0.1530, 0.1753, 0.1339, 0.3771], atol=4e-4)
    np.testing.assert_allclose(se, [0.1872, 0.1935, 0.1882, 0.1927, 0.1924], atol=1e-4)
    assert got["tie"] == pytest.approx([-0.2919, 0.0825], abs=1e-4)
    assert np.exp(got["tie"][0]) == pytest.approx(0.7468, abs=1e-4)


def test_rao_kupper_pudding():
    got = flat_mode(pudding(), "1", ties="rao_kupper")
    mode, se = np.array([got[k] for k in "23456"]).T
    np.testing.assert_allclose(mode, [0.1737, 0.12, 0.1399, 0.105, 0.298], atol=1e-4)
    np.testing.assert_allclose(se, [0.148, 0.1522, 0.148, 0.1493, 0.1514], atol=1e-4)
    assert np.exp(got["tie"][0]) == pytest.approx(1.7485, abs=1e-4)


def test_wikipedia_example():
    data = Comparisons.from_counts("AABC", "BDCD", [2, 1, 5, 1], [3, 4, 3, 3])
    got = flat_mode(data, "A", ties="drop")
    s = np.array([0.0, *(got[k][0] for k in "BCD")])
    want = [0.640, 1.043, 0.660, 2.270]
    np.testing.assert_allclose(np.exp(s - s.mean()), want, atol=6e-4)


@pytest.mark.shared
@pytest.mark.parametrize("side", [False, True])
def test_baseball_with_and_without_home(reference, shared_data, side):
    frame = pd.read_csv(shared_data / "baseball_agresti.csv")
    games = Comparisons.from_counts(
        frame["home.team"], frame["away.team"], frame["home.wins"], frame["away.wins"], sided=True
    )
    got = flat_mode(games, "Baltimore", ties="drop", side=side)
    want = reference["bt_baseball_agresti"]["home" if side else "no_home"]
    for name in games.systems:
        if name != "Baltimore":
            assert got[name] == pytest.approx(want[name], abs=1e-4)
    if side:
        assert got["side"] == pytest.approx(want["at.home"], abs=1e-4)


@pytest.mark.shared
def test_llmfao_ties_and_left_side(reference, shared_data):
    frame = pd.read_csv(shared_data / "llmfao_crowd-comparisons.csv")
    battles = Comparisons.from_frame(frame, first="left", second="right")
    got = flat_mode(battles, battles.systems[0], ties="davidson", side=True)
    want = reference["llmfao"]["crowd"]
    assert np.exp(got["tie"][0]) == pytest.approx(want["davidson_nu_own"], abs=6e-3)
    assert got["side"][0] == pytest.approx(want["left_bias_logodds_own"], abs=6e-4)


@pytest.mark.shared
def test_arena(reference, shared_data):
    frame = pd.read_csv(shared_data / "chatbot_arena_20240814_pairs.csv")
    pairs = Comparisons.from_counts(
        frame.model_a, frame.model_b, frame.win_a, frame.win_b,
        ties=frame.tie, ties_bothbad=frame.tie_bothbad,
    )  # fmt: skip
    got = flat_mode(pairs, "gpt-4o-2024-05-13", ties="davidson")
    want = reference["chatbot_arena_davidson"]
    assert np.exp(got.pop("tie")[0]) == pytest.approx(want["nu_all_ties"], abs=1e-4)
    s = {name: mode for name, (mode, _) in got.items()} | {"gpt-4o-2024-05-13": 0.0}
    centre = np.mean(list(s.values()))
    top = sorted(s, key=lambda name: -s[name])[:10]
    assert top == list(want["top10_all_ties_centered"])
    for name in top:
        assert s[name] - centre == pytest.approx(want["top10_all_ties_centered"][name], abs=1e-4)
