"""The posterior report: numbers against references, checks complete, reasons where none ran."""

import json
import re

import arviz as az
import numpy as np
import pytest
import xarray as xr
from scipy.special import betaln

import bayesrank
from bayesrank import Comparisons, Responses
from bayesrank._record import Record, read_record, write_record
from bayesrank.checks._power_scaling import reweighted, sensitivity
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.reports import posterior_report, render_report, report_notebook
from bayesrank.reports.posterior._decision import maybe_first
from bayesrank.reports.posterior._fit import _smoothed
from bayesrank.reports.posterior._graph import Graph, Node, _simplified, model_graph
from bayesrank.reports.posterior._sensitivity import _best
from tests.pages import posterior_of, scores_of
from tests.payloads import HOSTILE

SECTIONS = (
    *("question", "data", "model", "prior", "sampler", "ranks", "predictive", "calibration"),
    *("loo", "sensitivity", "decision", "multiplicity", "limits", "reproduction"),
)
DATA = bayesrank.simulate_responses(systems=5, questions=12, trials=4, random_seed=2)


@pytest.fixture(scope="module")
def exact():
    model = bayesrank.models.bayes_at_n(DATA)
    return model, bayesrank.sample(model, random_seed=1)


@pytest.fixture(scope="module")
def report(exact):
    return posterior_report(exact[1], model=exact[0], command="bayesrank report x", random_seed=1)


def test_parts_and_figures_have_ids_of_their_own(report):
    ids = re.findall(r'\bid="([^"]*)"', report.to_html())
    assert {"prior-title", "prior-predictive-title", "predictive-models-title"} <= set(ids)
    assert len(ids) == len(set(ids))


@pytest.fixture(scope="module")
def battles():
    rng = np.random.default_rng(1)
    i, j = np.triu_indices(5, 1)
    strength = np.linspace(0.8, -0.8, 5)
    wins = rng.binomial(18, 1 / (1 + np.exp(strength[j] - strength[i])))
    names = np.array(["a", "b", "c", "d", "e"])
    data = Comparisons.from_counts(names[i], names[j], wins, 18 - wins, ties=np.full(10, 2))
    model = bayesrank.models.bradley_terry(data)
    posterior = bayesrank.sample(model, draws=250, tune=300, random_seed=1)
    return posterior_report(posterior, model=model, random_seed=1)


def check(report, name):
    return next(c for c in report.checks if c.name == name)


def section(report, name):
    return next(s for s in report.sections if s.id == name)


# ------------------------------------------------------------------ numbers


def test_leave_one_out_is_that_of_arviz():
    rng = np.random.default_rng(1)
    logs = rng.normal(-1.0, rng.uniform(0.1, 1.5, 12), size=(4, 250, 12))
    tree = az.from_dict({"posterior": {"x": logs[..., 0]}, "log_likelihood": {"y": logs}})
    expected = az.loo(tree, reff=1.0, var_name="y")
    weights, elpd, khat = _smoothed(logs.reshape(1000, 12))
    assert elpd.sum() == pytest.approx(expected.elpd)
    np.testing.assert_allclose(khat, expected.pareto_k)
    np.testing.assert_allclose(weights.sum(axis=0), 1)


def test_a_trial_is_left_out_in_closed_form():
    counts = np.array([[3, 0, 4]])
    data = Responses.from_counts(counts, 5)
    model = bayesrank.models.bayes_at_n(data, prior=bayesrank.Prior("Beta", alpha=2, beta=1))
    posterior = bayesrank.sample(model, draws=50, random_seed=1)
    found = section(posterior_report(posterior, model=model, random_seed=1), "loo").values
    marginal = lambda k, n: betaln(2 + k, 1 + n - k)  # noqa: E731
    elpd = sum(
        k * (marginal(k, 5) - marginal(k - 1, 4)) + (5 - k) * (marginal(k, 5) - marginal(k, 4))
        for k in counts[0]
    )
    assert found["elpd"] == pytest.approx(elpd)
    assert found["trials"] == 15


def test_power_scaling_is_that_of_arviz():
    rng = np.random.default_rng(2)
    scores = rng.normal([0.0, 1.0], 1.0, size=(4, 250, 2))
    prior = -0.5 * (scores[..., 1] - 2.0) ** 2
    tree = az.from_dict(
        {
            "posterior": {"score": scores},
            "log_prior": {"m": prior},
            "log_likelihood": {"y": -0.5 * scores},
        },
        dims={"score": ["system"]},
    )
    expected = az.psense(tree, var_names=["score"], group="prior")["score"].to_numpy()
    found = sensitivity(scores.reshape(1, 1000, 2), prior.reshape(1, 1000))
    np.testing.assert_allclose(found, expected, rtol=0.02, atol=1e-3)
    assert found[1] > 0.1 > found[0]


def test_reweighting_follows_the_stronger_term():
    scores = np.random.default_rng(3).normal(size=(4000, 2))
    best = _best(scores)
    favoured = 0.5 * scores[:, 0]
    stronger = reweighted(favoured, 1.8)
    up, khat = stronger.mean(best), stronger.k_hat
    down = reweighted(favoured, 0.2).mean(best)
    even = reweighted(favoured, 1.0).mean(best)
    # Normal draws tilted by exp(t x) have mean t: P(first) is Phi(t / sqrt 2).
    assert up[0] == pytest.approx(0.6114, abs=0.04)
    assert down[0] == pytest.approx(0.3886, abs=0.04)
    assert even[0] == pytest.approx(0.5, abs=0.04)
    assert khat < 0.5


def test_ties_share_being_best():
    np.testing.assert_allclose(_best(np.array([[1.0, 1.0, 0.0]])), [[0.5, 0.5, 0.0]])


# ------------------------------------------------------------------ shape


def assert_complete(report):
    assert tuple(s.id for s in report.sections) == SECTIONS
    for c in report.checks:
        assert c.section in SECTIONS
        assert c.verdict in ("pass", "warn", "fail", "not run")
        assert c.sentence.endswith(".")
        assert (c.value is None) or np.isfinite(c.value)
        assert c.verdict != "not run" or c.value is None


def test_sections_come_in_order_and_checks_are_complete(report):
    assert_complete(report)
    names = {c.name for c in report.checks}
    assert {"R-hat of ranks", "bulk ESS of ranks", "MCSE of P(best)", "missing outcomes"} <= names
    assert {"prior predictive", "accuracy, p", "LOO, exact", "weight of the prior"} <= names


@pytest.mark.slow
def test_a_report_on_battles_is_complete(battles):
    assert_complete(battles)
    names = {c.name for c in battles.checks}
    assert dict(section(battles, "data").facts)["Linked"] == "all models, by battles"
    assert check(battles, "coverage of 90 %").verdict == "pass"
    assert {"linked models", "LOO, k-hat", "coverage of 90 %", "power scaling, prior"} <= names


def test_json_has_a_schema_that_stays(report):
    found = json.loads(report.to_json())
    assert found["schema_version"] == 1
    assert set(found) == {
        *("schema_version", "kind", "title", "answer", "verdict", "status", "checks", "sections"),
        "ranking",
    }
    assert set(found["checks"][0]) == {
        *("section", "name", "value", "threshold", "verdict", "sentence"),
    }
    assert set(found["sections"][0]) == {
        *("id", "title", "sentences", "facts", "formulas", "graph", "tables", "values"),
    }
    assert found["sections"][2]["graph"]["mermaid"].startswith("flowchart TD")
    assert found["ranking"]["schema_version"] == 1
    assert found["sections"][-1]["values"]["command"] == "bayesrank report x"


def test_the_same_seed_gives_the_same_report(exact, report):
    again = posterior_report(exact[1], model=exact[0], command="bayesrank report x", random_seed=1)
    assert again.to_json() == report.to_json()
    assert again.to_html() == report.to_html()


def test_the_data_are_told(report):
    facts = dict(section(report, "data").facts)
    assert facts["Hash of the data"] == DATA.data_hash()
    assert "5 models, 12 questions, 240 trials" in facts["Observed"]


def test_a_notebook_repr_holds_every_check(report):
    html = report._repr_html_()
    assert html.count("<tr>") == len(report.checks) + 1
    assert "<PosteriorReport: " in repr(report)


def test_text_names_what_did_not_pass(report):
    text = render_report(report)
    assert text.splitlines()[0].startswith(report.answer[:60])
    for c in report.checks:
        assert c.name in text


# ------------------------------------------------------------------ decisions


def of_scores(values, record=None):
    draws = xr.DataArray(
        values,
        dims=("chain", "draw", "system"),
        coords={"system": [f"m{i}" for i in range(values.shape[2])]},
        name="score",
    )
    return posterior_of(draws, record)


def test_not_enough_data_is_an_answer():
    draws = np.random.default_rng(1).normal([0.1, 0.0, -9.0], 1.0, size=(4, 500, 3))
    found = posterior_report(of_scores(draws))
    assert found.answer.startswith("Not enough data to name a best model: m0 comes first")
    assert found.answer.endswith("one of 2: m0, m1.")
    values = section(found, "decision").values
    assert values["enough_data"] is False
    assert values["may_be_first"] == ["m0", "m1"]


def test_a_sure_best_is_named():
    draws = np.random.default_rng(1).normal([9.0, 0.0, -9.0], 1.0, size=(4, 500, 3))
    found = posterior_report(of_scores(draws))
    assert found.answer == "m0 is the best of 3 models, with probability above 0.998."
    assert section(found, "decision").values["enough_data"] is True
    pairs = section(found, "multiplicity").values
    assert (pairs["pairs"], pairs["told_apart"]) == (3, 3)


def test_one_model_needs_no_decision():
    found = posterior_report(of_scores(np.random.default_rng(1).normal(size=(4, 200, 1))))
    assert "nothing to decide" in found.answer
    assert found.to_html()


def test_the_fewest_models_that_reach_the_probability():
    class Fake:
        best_first = xr.Dataset({"p_best": ("system", [0.5, 0.3, 0.15, 0.05])})
        ci_prob = 0.95

    assert maybe_first(Fake()) == [0, 1, 2]


def test_expected_wrong_orders_add_up():
    draws = np.random.default_rng(4).normal([2.0, 0.0], 1.0, size=(4, 1000, 2))
    found = posterior_report(of_scores(draws), ci_prob=0.9)
    p = (draws[..., 0] > draws[..., 1]).mean()
    assert section(found, "multiplicity").values["expected_wrong"] == pytest.approx(1 - p)


# ------------------------------------------------------------------ what is not at hand


def test_a_posterior_alone_says_what_it_would_take(exact):
    found = posterior_report(exact[1])
    assert check(found, "calibration").verdict == "not run"
    assert "needs the model and the log" in check(found, "posterior predictive").sentence
    # The family is known: its story, maths and graph are told.
    assert section(found, "model").formulas
    assert section(found, "model").graph is not None


def test_a_posterior_made_elsewhere_is_checked_and_reported():
    draws = scores_of(["a", "b", "c"])
    tree = xr.DataTree.from_dict({"posterior": draws.to_dataset(name="score")})
    found = posterior_report(tree, data=DATA)
    assert "made elsewhere" in section(found, "model").sentences[0]
    assert check(found, "r_hat").verdict == "pass"
    assert section(found, "data").values["models"] == 5
    assert read_record(tree).observations == {}  # the posterior itself is left alone


def test_terms_that_a_posterior_brings_are_used():
    rng = np.random.default_rng(5)
    draws = scores_of(["a", "b"], draws=250)
    logs = rng.normal(-1, 0.2, size=(4, 250, 7))
    tree = xr.DataTree.from_dict(
        {
            "posterior": draws.to_dataset(name="score"),
            "log_likelihood": xr.Dataset({"y": (("chain", "draw", "cell"), logs)}),
            "log_prior": xr.Dataset({"m": (("chain", "draw"), logs[..., 0])}),
        }
    )
    found = posterior_report(tree)
    assert section(found, "loo").values["elpd"] == pytest.approx(
        _smoothed(logs.reshape(1000, 7))[1].sum()
    )
    assert check(found, "power scaling, prior").value is not None


def test_a_rule_has_no_model():
    found = posterior_report(bayesrank.rules.posterior("borda", DATA, draws=1000, random_seed=1))
    assert "rule" in check(found, "prior predictive").sentence
    assert found.verdict in ("pass", "warn")


def test_a_resampled_population_says_why_nothing_is_predicted():
    model = bayesrank.models.bayes_at_n(DATA)
    posterior = bayesrank.sample(model, population="questions", random_seed=1)
    found = posterior_report(posterior, model=model, random_seed=1)
    assert "no likelihood" in check(found, "posterior predictive").sentence


def test_recorded_predictions_are_told(exact):
    model, posterior = exact
    recorded = bayesrank.checks.predictive(posterior, model, draws=50, random_seed=1).recorded(
        posterior
    )
    assert check(posterior_report(recorded), "accuracy, p").value is not None


def test_failed_checks_are_marked():
    rng = np.random.default_rng(1)
    apart = rng.normal([0.0, 1.0], 1.0, size=(4, 200, 2)) + np.arange(4)[:, None, None]
    found = posterior_report(of_scores(apart, Record()))
    assert found.verdict == "fail"
    assert "may be wrong" in found.status()
    assert check(found, "R-hat of scores").verdict == "fail"
    assert 'class="status-line fail"' in found.to_html()


def test_a_prior_that_the_data_contradict_is_a_warning():
    data = Responses.from_counts(np.full((3, 60), 10) - [[0], [1], [2]], 10)
    model = bayesrank.models.bayes_at_n(data)
    found = posterior_report(bayesrank.sample(model, random_seed=1), model=model, random_seed=1)
    assert check(found, "prior predictive").verdict == "warn"
    assert check(found, "prior predictive").value == 0.0
    assert found.verdict == "warn"


def test_other_data_are_refused(exact):
    other = bayesrank.models.bayes_at_n(
        bayesrank.simulate_responses(systems=5, questions=12, trials=4, random_seed=3)
    )
    with pytest.raises(ArgumentError, match="other data"):
        posterior_report(exact[1], model=other)


def test_a_posterior_without_score_is_one_clear_line():
    tree = xr.DataTree.from_dict({"posterior": xr.Dataset({"theta": (("chain", "draw"), [[1.0]])})})
    with pytest.raises((ArgumentError, InputError), match="score") as caught:
        posterior_report(tree)
    assert "\n" not in str(caught.value)


# ------------------------------------------------------------------ graph and notebook


def test_arrows_that_others_imply_are_left_out():
    kinds = ("free", "free", "computed", "observed", "computed")
    nodes = tuple(Node(str(i), kind) for i, kind in enumerate(kinds))
    found = _simplified(nodes, {(0, 1), (1, 2), (0, 2), (2, 3), (0, 3), (1, 4)})
    assert [n.name for n in found.nodes] == ["0", "1", "2", "3"]
    assert found.edges == ((0, 1), (1, 2), (2, 3))
    assert found.layers() == [[0], [1], [2], [3]]


def test_the_graph_of_a_model_is_its_own():
    found = model_graph(bayesrank.models.bayes_at_n(DATA))
    assert {(n.name, n.kind) for n in found.nodes} == {
        *(("probability", "free"), ("n_correct", "observed"), ("score", "score")),
    }


@pytest.mark.parametrize("name", [h for h in HOSTILE if len(h) < 200])
def test_hostile_names_of_variables_are_text_in_mermaid(name):
    label = Graph((Node(name, "free", name),), ()).mermaid().splitlines()
    assert len(label) == 2
    assert not set(label[1].removeprefix('  n0(["').removesuffix('"])').replace("<br/>", "")) & set(
        "<>\"'`[]{}\\"
    )


def test_a_notebook_has_its_cells_and_the_same_identifiers():
    code = ["responses = bayesrank.read_responses(['x.csv'])", "model = m", "posterior = p"]
    text = report_notebook(code, title="<b>*x*</b>", report_options="random_seed=1", execute=False)
    assert text == report_notebook(
        code, title="<b>*x*</b>", report_options="random_seed=1", execute=False
    )
    book = json.loads(text)
    assert [c["id"] for c in book["cells"]] == [f"cell-{k:02d}" for k in range(1, 16)]
    headings = ["".join(c["source"]).split("\n")[0] for c in book["cells"]]
    for word in ("## Read", "## Model", "## Sample", "## Rank", "## Checks", "## Figures"):
        assert word in headings
    assert "<b>" not in headings[0]
    assert "posterior_report(posterior, model=model, random_seed=1)" in text


def test_records_are_not_changed_by_a_report(exact):
    before = read_record(exact[1])
    posterior_report(exact[1])
    assert read_record(exact[1]) == before
    write_record(exact[1], before)
