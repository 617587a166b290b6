"""Every confirmed score and ranking, and every input that has to be refused."""

import numpy as np
import pytest
from scipy.optimize import brentq

from bayesrank import Responses, rules
from bayesrank.exceptions import BayesrankError
from bayesrank.likelihoods.paired import paired_terms
from bayesrank.likelihoods.setwise_davidson_luce import DavidsonLuce
from bayesrank.ranking import rank_scores
from bayesrank.rules._event_sets import set_events
from tests.rules.oracle_names import LABEL_DEPENDENT, SCORE_IS_A_PLACE, as_theirs, ours

pytestmark = pytest.mark.shared

TENSORS = (
    "random_5x8x4",
    "rasch_8x15x5",
    "single_trial_6x12x1",
    "paper_counterexample_3x8x1",
    "separated_4x6x3",
    "condorcet_cycle_3x3x2",
    "all_ones_3x4x2",
    "all_zeros_3x4x2",
    "minimal_2x1x1",
)

# Maxima that no other fit confirmed, and at which the search of scorio stopped a little early. Its
# strengths are exponentials, large here, so that the error is small in logarithms only.
UNFINISHED = {
    "separated_4x6x3": ("bradley_terry_davidson",),
    "single_trial_6x12x1": ("davidson_luce",),
}


def rule_for(name, options):
    if "pairing" in rules.get(name).options:
        options = {**options, "pairing": "trial"}
    return rules.get(name, **options)


@pytest.mark.parametrize("tensor", TENSORS)
def test_confirmed_scores_and_rankings(oracle, tensor):
    inputs = oracle["inputs"][tensor]
    data = Responses.from_array(np.array(inputs["R"]))
    met = 0
    for key, entry in oracle["rank"][tensor].items():
        known = ours(entry["fn"], entry["kwargs"], inputs)
        if known is None:
            continue
        name, options = known
        scores = rule_for(name, options)(data).values
        met += 1
        if (tensor, name) in LABEL_DEPENDENT:
            assert (scores == scores[0]).all(), key
            continue
        np.testing.assert_array_equal(rank_scores(scores), entry["ranking"], err_msg=key)
        if name not in SCORE_IS_A_PLACE:
            reference = entry.get("ref_scores", entry["scores"])
            theirs = as_theirs(entry["fn"], name, scores)
            if key in UNFINISHED.get(tensor, ()):
                theirs, reference = np.log(theirs), np.log(reference)
            np.testing.assert_allclose(theirs, reference, atol=entry["tol"], rtol=0, err_msg=key)
    assert met >= 55


def test_the_search_ends_nearer_to_the_maximum_than_theirs(oracle):
    def steepest_slope(law, strength):
        at = law(strength - strength.mean())
        return at.value, np.abs(at.gradient).max()

    inputs, entries = oracle["inputs"], oracle["rank"]
    trials = Responses.from_array(np.array(inputs["single_trial_6x12x1"]["R"]))
    events, weights = set_events(rules.get("davidson_luce").evidence(trials))
    law = DavidsonLuce(events.reweighted(weights[0]))
    value, slope = steepest_slope(law, rules.davidson_luce(trials).values)
    theirs = np.log(entries["single_trial_6x12x1"]["davidson_luce"]["scores"])
    assert value > steepest_slope(law, theirs)[0] + 1e-8
    assert slope < 1e-9 < 1e-5 < steepest_slope(law, theirs)[1]

    trials = Responses.from_array(np.array(inputs["separated_4x6x3"]["R"]))
    pairs = rules.get("davidson", pairing="trial").evidence(trials)

    def at(strength, tie):
        eta = (strength[:, np.newaxis] - strength)[np.newaxis]
        terms = paired_terms(eta, tie, pairs.wins, pairs.wins.swapaxes(1, 2), pairs.ties,
                             ties="davidson")  # fmt: skip
        return terms.d_tie.sum(), np.abs(terms.d_eta.sum(axis=2)).max()

    def slope_at_best_tie(strength):
        tie = brentq(lambda x: at(strength, x)[0], -9.0, 9.0, xtol=1e-14, rtol=1e-14)
        return at(strength, tie)[1]

    theirs = np.log(entries["separated_4x6x3"]["bradley_terry_davidson"]["scores"])
    assert slope_at_best_tie(rules.davidson(trials, pairing="trial").values) < 1e-9
    assert slope_at_best_tie(theirs) > 1e-6


def test_confirmed_scores_of_categories(oracle):
    inputs = oracle["inputs"]["multiclass_3x6x5"]
    data = Responses.from_array(np.array(inputs["R"]), categories=3)
    entries = oracle["rank"]["multiclass_3x6x5"]
    greedy = np.array(inputs["R0_shared"])
    for key, options in (
        ("bayes_w", {}),
        ("bayes_w_R0", {"prior_outcomes": greedy}),
        ("bayes_w_q05", {"quantile": 0.05}),
    ):
        scores = rules.bayes(data, weights=inputs["w"], **options)
        np.testing.assert_allclose(scores, entries[key]["ref_scores"], atol=1e-10)
        np.testing.assert_array_equal(rank_scores(scores), entries[key]["ranking"])


@pytest.mark.parametrize("tensor", TENSORS)
def test_refused_inputs_are_refused_in_one_line(oracle, tensor):
    inputs = oracle["inputs"][tensor]
    data = Responses.from_array(np.array(inputs["R"]))
    every = {key: e for t in TENSORS for key, e in oracle["rank"][t].items()}
    for key, why in oracle["refused"][tensor].items():
        if why == "RuntimeError":  # theirs did not converge, which is no fault of the input
            continue
        entry = every.get(key)
        known = None if entry is None else ours(entry["fn"], entry["kwargs"], inputs)
        if known is None:
            continue
        name, options = known
        with pytest.raises(BayesrankError) as caught:
            rule_for(name, options)(data)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("tensor", ["random_5x8x4", "rasch_8x15x5", "all_ones_3x4x2"])
def test_confirmed_metrics(metrics_oracle, oracle, tensor):
    data = Responses.from_array(np.array(oracle["inputs"][tensor]["R"]))
    most = int(data.n_trials.max())
    for model, entries in metrics_oracle[tensor].items():
        i = int(model.removeprefix("model"))
        for k in range(1, most + 1):
            found = {
                f"pass_at_k(k={k})": rules.pass_at_k(data, k=k),
                f"pass_hat_k(k={k})": rules.pass_hat_k(data, k=k),
                f"mg_pass_at_k(k={k})": rules.mg_pass_at_k(data, k=k),
                f"maj_at_k(k={k})": rules.maj_at_k(data, k=k),
                f"auc_at_k(k={k})": rules.auc_at_k(data, k=k),
                f"max_at_k(k={k})": rules.max_at_k(data, k=k),
                f"geom_at_k(k={k})": rules.geometric_at_k(data, k=k),
                f"geom_ds_at_k(k={k})": rules.geometric_at_k(data, k=k, over="means"),
                f"geo_spectrum_at_k(k={k})": rules.geometric_spectrum(data, k=k),
                f"threshold_spectrum_at_k(k={k},uniform)": rules.threshold_spectrum(data, k=k),
            } | {
                f"g_pass_at_k_tau(k={k},tau={tau})": rules.g_pass_at_k(data, k=k, tau=tau)
                for tau in (0.0, 0.25, 0.5, 0.6, 0.75, 1.0)
            }
            for key, scores in found.items():
                assert scores.values[i] == pytest.approx(entries[key], abs=1e-11), key
        assert rules.bayes(data).values[i] == pytest.approx(entries["bayes"][0], abs=1e-11)


def test_confirmed_best_of_k_of_categories(metrics_oracle, oracle):
    inputs = oracle["inputs"]["multiclass_3x6x5"]
    data = Responses.from_array(np.array(inputs["R"]), categories=3)
    for i in range(3):
        for k in range(1, 6):
            found = rules.max_at_k(data, k=k, weights=inputs["w"]).values[i]
            expected = metrics_oracle["multiclass_3x6x5"][f"model{i}"][f"max_at_k(k={k})"]
            assert found == pytest.approx(expected, abs=1e-11)
