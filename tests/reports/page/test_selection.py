import json
from base64 import b64decode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesrank import rank
from bayesrank.ranking import rank_scores
from bayesrank.reports.page._selection import MOST_BYTES, thinned_order, thinned_positions
from tests.pages import names, posterior_of, scores_of


def unpacked(scores):
    packed = thinned_order(scores).to_json()
    size = packed["bytes"]
    numbers = np.frombuffer(b64decode(packed["order"]), dtype=f"<u{size}")
    return numbers.reshape(-1, scores.sizes["system"])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [2, 9, 256, 257])
def test_the_order_within_each_draw_survives_packing(n, ties):
    scores = scores_of(names(n), draws=30, ties=ties)
    dense = rank_scores(scores.values.reshape(-1, n), method="dense")
    np.testing.assert_array_equal(unpacked(scores), dense - 1)


@pytest.mark.parametrize("ties", [False, True])
def test_ranks_within_a_selection_are_those_of_the_scores(ties):
    scores = scores_of(names(9), ties=ties, spread=4.0)
    chosen = [1, 3, 8]
    order = unpacked(scores)[:, chosen].astype(int)
    kept = scores.isel(draw=thinned_positions(1000, 250), system=chosen)
    np.testing.assert_array_equal(
        rank_scores(-order), rank_scores(kept.values.reshape(len(order), -1))
    )


@given(draws=st.integers(1, 5000), most=st.integers(1, 1000))
def test_thinning_is_even(draws, most):
    kept = thinned_positions(draws, most)
    assert len(kept) == min(draws, most)
    assert kept[0] == 0
    assert kept[-1] < draws
    steps = np.diff(kept)
    assert len(steps) == 0 or (steps.min() >= 1 and np.ptp(steps) <= 1)


def test_every_chain_is_thinned_alike_and_the_words_say_so():
    thinned = thinned_order(scores_of(["a", "b"], chains=4, draws=1000))
    assert thinned.order.shape == (1000, 2)
    assert thinned.words == "1,000 of the 4,000 draws of the posterior, evenly thinned"
    assert thinned_order(scores_of(["a", "b"], draws=20)).words == "all 80 draws of the posterior"


def test_many_models_get_fewer_draws():
    scores = scores_of(names(1000), chains=2, draws=200)
    assert unpacked(scores).nbytes <= MOST_BYTES


def test_what_the_page_ships_holds_no_name():
    ranking = rank(posterior_of(scores_of(["Ada", "Bob"], draws=20)))
    assert "Ada" not in json.dumps(thinned_order(ranking.scores).to_json())
