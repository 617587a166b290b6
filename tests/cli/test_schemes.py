"""``bayesrank schemes`` and ranking by categories, from the command line."""

import csv
import json
import subprocess
import sys

import pandas as pd
import pytest

import bayesrank
from bayesrank import schemes
from tests.payloads import HOSTILE


@pytest.fixture(scope="module")
def signals(tmp_path_factory):
    path = tmp_path_factory.mktemp("signals") / "signals.csv"
    data = schemes.simulate_signals(systems=4, questions=10, trials=4, random_seed=7, missing=0.02)
    data.to_csv(path, index=False)
    return path


def assert_one_line(result, *words):
    assert result.status == 2
    assert result.out == ""
    assert result.err.startswith("bayesrank: error: ")
    assert result.err.count("\n") == 1
    for word in words:
        assert word in result.err


def flat(text):
    return " ".join(text.split())


def test_help_loads_nothing_heavy_and_names_what_there_is(run):
    program = """
import sys
from bayesrank.cli import main
for arguments in (["schemes", "--help"], ["schemes", "apply", "--help"]):
    assert main(arguments) == 0
heavy = ["pymc", "arviz", "xarray", "pandas", "scipy", "matplotlib", "duckdb", "numba"]
assert not [name for name in heavy if name in sys.modules]
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "schemes" in run("--help").out
    for command, options in {
        ("schemes",): "list show apply",
        ("schemes", "apply"): "--scheme --thresholds --thresholds-from --column --missing -o",
        ("rank",): "--scheme --thresholds --thresholds-from",
    }.items():
        out = run(*command, "--help").out
        for option in options.split():
            assert f"{option} " in out


def test_list(run):
    result = run("schemes", "list")
    assert result.status == 0
    assert result.err == ""
    for name in schemes.names():
        assert name in result.out
    for name in schemes.names(representative=True):
        assert f"{name}*" in result.out
    assert "25 schemes, 8 of them representative" in result.out
    found = json.loads(run("schemes", "list", "--format", "json").out)
    assert [s["name"] for s in found["schemes"]] == list(schemes.names())
    out = run("schemes", "list", "--axis", "efficiency").out
    assert "efficiency-graded" in out
    assert "verifier-graded" not in out


def test_show(run, tmp_path):
    out = flat(run("schemes", "show", "rare-event").out)
    for fact in (
        "wrong and confident",
        "-0.5",
        "completion_bpt_p60_wrong := percentile 60 of completion_bpt among completions where",
        "of each model",
        "Signals: is_correct, completion_bpt, prompt_bpt",
        "own design",
    ):
        assert fact in out
    found = json.loads(run("schemes", "show", "O", "--format", "json").out)
    assert [c["weight"] for c in found["categories"]] == [0, 0, 0.1, 1]
    path = tmp_path / "mine.toml"
    result = run("schemes", "show", "balanced-composite", "--format", "toml", "-o", path)
    assert result.status == 0
    assert schemes.load(path) == schemes.load("balanced-composite")
    assert "The first rule that holds decides" in run("schemes", "show", path).out


def test_apply(run, signals, tmp_path):
    result = run("schemes", "apply", signals, "--scheme", "efficiency-adjusted")
    assert result.status == 0
    assert result.err == ""
    for fact in (
        "4 models, 10 questions, 160 completions, none missing",
        "Categories: 0 wrong and verbose; 1 wrong and efficient",
        "wrong and efficient = 0.2, correct and verbose = 0.75",
        "every model the same share",
    ):
        assert fact in flat(result.out)
    pooled = run("schemes", "apply", signals, "--scheme", "F", "--thresholds", "pooled")
    assert "all models together" in flat(pooled.out)
    assert pooled.out != result.out
    found = json.loads(run("schemes", "apply", signals, "--scheme", "O", "--format", "json").out)
    responses = schemes.apply("verifier-only", signals)
    counts = responses.counts.sum(axis=1).tolist()
    assert [m["counts"] for m in found["models"]] == counts
    assert sum(m["missing"] for m in found["models"]) == responses.missing.sum() > 0


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_apply_writes_categories_that_can_be_ranked(run, signals, tmp_path, kind):
    path = tmp_path / f"categories.{kind}"
    result = run("schemes", "apply", signals, "--scheme", "conservative", "-o", path)
    assert result.status == 0
    assert "wrote the category of 160 completions" in result.err
    assert "A-dominant = 1" in flat(result.out)
    found = bayesrank.read_responses(path, categories=4)
    assert (found.counts == schemes.apply("conservative", signals).counts).all()
    assert_one_line(
        run("schemes", "apply", signals, "--scheme", "O", "-o", path), "exists", "--overwrite"
    )
    assert_one_line(
        run("schemes", "apply", signals, "--scheme", "O", "-o", signals), "is read here"
    )


def test_a_scheme_with_hostile_text_acts_nowhere(run, tmp_path):
    names = [name for name in HOSTILE if "\0" not in name]
    path = tmp_path / "s.toml"
    for text in names[::7]:
        scheme = schemes.Scheme(
            text,
            tuple(
                schemes.Category(f"{text}{i}", i, rule)
                for i, rule in enumerate(("is_correct", "not is_correct"))
            ),
            axis=text,
            description=text,
            weights_from=text,
        )
        path.write_text(scheme.to_toml(), "utf-8")
        log = tmp_path / "log.csv"
        pd.DataFrame({"model": [text] * 2, "question": [1, 2], "is_correct": [1, 0]}).to_csv(
            log, index=False, quoting=csv.QUOTE_ALL
        )
        for arguments in (
            ("schemes", "show", path),
            ("schemes", "show", path, "--format", "json"),
            ("schemes", "show", path, "--format", "toml"),
            ("schemes", "apply", log, "--scheme", path),
        ):
            result = run(*arguments)
            assert result.status == 0
            assert all(ch == "\n" or ch.isprintable() for ch in result.out)


def test_thresholds_from_the_full_sample(run, signals, tmp_path):
    part = tmp_path / "part.csv"
    whole = pd.read_csv(signals)
    whole[whole["trial"] == 1].to_csv(part, index=False)
    arguments = ("schemes", "apply", part, "--scheme", "G")
    own, full = run(*arguments), run(*arguments, "--thresholds-from", signals)
    assert own.status == full.status == 0
    assert own.out != full.out


def test_rank_by_a_scheme(run, signals, tmp_path):
    page = tmp_path / "page.html"
    arguments = ("rank", signals, "--scheme", "verifier-only", "--seed", 1)
    result = run(*arguments, "--html", page)
    assert result.status == 0
    footer = flat(result.out)
    for fact in (
        "Scheme 'verifier-only', categories and weights: repeated = 0, C-dominant = 0",
        "C-dominant = 0, B-dominant = 0.1, A-dominant = 1.",
        "Dirichlet(1)",
        "4 outcomes",
        "(left out)",
    ):
        assert fact in footer
    assert "verifier-only" in page.read_text("utf-8")
    found = json.loads(run(*arguments, "--format", "json").out)
    scheme = schemes.load("verifier-only")
    assert schemes.Scheme.from_toml(found["provenance"]["scheme"]) == scheme
    responses = schemes.apply(scheme, signals)
    model = bayesrank.models.bayes_at_n(responses, weights=scheme.weights)
    table = bayesrank.rank(bayesrank.sample(model, random_seed=1)).table()
    assert [row["model"] for row in found["table"]] == table["model"].tolist()
    assert [row["score"] for row in found["table"]] == pytest.approx(table["score"].tolist())


def test_rank_by_a_scheme_with_options(run, signals, tmp_path):
    pooled = run("rank", signals, "--scheme", "F", "--thresholds", "pooled")
    assert "all models together" in flat(pooled.out)
    assert "every model the same share" in flat(run("rank", signals, "--scheme", "F").out)
    numbers = run("rank", signals, "--scheme", "O", "--weights", "0,0,0,1").out
    assert "B-dominant = 0, A-dominant = 1" in flat(numbers)
    named = "A-dominant=1,B-dominant=0.5,C-dominant=0,repeated=-1"
    assert "repeated = -1, C-dominant = 0, B-dominant = 0.5" in flat(
        run("rank", signals, "--scheme", "O", "--weights", named).out
    )
    mine = tmp_path / "mine.toml"
    mine.write_text(schemes.load("O").to_toml().replace("verifier-only", "mine"), "utf-8")
    assert "Scheme 'mine'" in run("rank", signals, "--scheme", mine).out
    greedy = run("rank", signals, "--scheme", "A", "--prior-from", signals)
    assert greedy.status == 0
    assert "auxiliary" in greedy.out.lower()
    as_first = run("rank", signals, "--scheme", "O", "--missing", "failure")
    assert "counted as" in as_first.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scheme", "verifier-olny"], ["Did you mean 'verifier-only'"]),
        (["--scheme", "none.toml"], ["none.toml cannot be read"]),
        (["--scheme", "O", "--weights", "0,1"], ["2 weights were given for the 4", "'repeated'"]),
        (["--scheme", "O", "--weights", "a=0,b=1"], ["other categories", "'A-dominant'"]),
        (["--scheme", "O", "--categories", "4"], ["--categories cannot be used with --scheme"]),
        (["--scheme", "O", "--tasks"], ["--tasks cannot be used with --scheme"]),
        (["--scheme", "O", "--strong", "3"], ["--strong"]),
        (["--scheme", "O", "--compare-frequentist"], ["--compare-frequentist", "--scheme"]),
        (["--scheme", "O", "--model", "hierarchical"], ["hierarchical", "or categorical"]),
        (["--scheme", "O", "--model", "categorical", "--prior", "pooled"], ["take --prior;"]),
        (["--model", "categorical", "--prior-from", "x.csv"], ["not take --prior-from;"]),
        (["--scheme", "O", "--weights", "0,0,1,inf"], ["'inf' is not finite"]),
        (["--scheme", "O", "--weights", "0,0,1,nan"], ["'nan' is not finite"]),
        (["--scheme", "O", "--prior", "pooled"], ["4 categories"]),
        (["--scheme", "O", "--prior-weight", "2"], ["--prior-from"]),
        (["--scheme", "O", "--column", "is_corect=x"], ["'is_corect' is not known"]),
        (["--scheme", "O", "--column", "compass_A=x"], ["no column 'x'"]),
        (["--thresholds", "pooled"], ["--thresholds", "--scheme"]),
        (["--thresholds-from", "x.csv"], ["--thresholds-from", "--scheme"]),
        (["--weights", "a=1,a=2"], ["'a' is given twice"]),
        (["--weights", "a=1,b"], ["NAME=WEIGHT"]),
        (["--weights", "a=1,b=x"], ["no finite number to 'b'"]),
        (["--weights", "a=1,b=nan"], ["no finite number to 'b'"]),
        (["--weights", "a=1,b=inf"], ["no finite number to 'b'"]),
        (["--weights", "a=1"], ["number of categories"]),
        (["--weights", "a=1,b=0"], ["the outcome is '", "other"]),
        (["--column", "failure=has_box"], ["needs the weight of every category by name"]),
        (["--weights", "a=1,b=0", "--missing", "failure"], ["--missing failure"]),
        (["--weights", "a=1,b=0", "--categories", "2"], ["--weights by name"]),
    ],
)
def test_wrong_usage_of_rank(run, signals, arguments, words):
    assert_one_line(run("rank", signals, *arguments), *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["list", "--axis", "speed"], ["no axis 'speed'", "efficiency"]),
        (["show"], ["NAME"]),
        (["show", "nonsense"], ["no scheme 'nonsense'"]),
        (["apply", "--scheme", "O"], ["SIGNALS_FILE"]),
        (["apply", "none.csv", "--scheme", "O"], ["none.csv"]),
        (["apply", "none.csv"], ["--scheme"]),
        (["nonsense"], ["nonsense"]),
    ],
)
def test_wrong_usage_of_schemes(run, arguments, words):
    assert_one_line(run("schemes", *arguments), *words)


def test_bad_signals(run, signals, tmp_path):
    path = tmp_path / "bad.csv"
    data = pd.read_csv(signals)
    data.drop(columns="compass_B").to_csv(path, index=False)
    assert_one_line(run("rank", path, "--scheme", "O"), "bad.csv", "no column", "'compass_B'")
    data.assign(token_ratio=1.0).to_csv(path, index=False)
    assert_one_line(run("schemes", "apply", path, "--scheme", "F"), "constant", "'token_ratio'")
    pooled = run("rank", path, "--scheme", "F", "--thresholds", "pooled")
    assert_one_line(pooled, "of all models is constant", "use a scheme without it")
    data.assign(is_correct=2).to_csv(path, index=False)
    assert_one_line(run("rank", path, "--scheme", "A"), "bad.csv, row 1", "'is_correct'")


def test_a_saved_posterior_takes_no_scheme(run, signals, tmp_path):
    saved = tmp_path / "fit.nc"
    assert run("rank", signals, "--scheme", "O", "--save", saved).status == 0
    assert "Scheme 'verifier-only'" in run("rank", saved).out
    assert_one_line(run("rank", saved, "--scheme", "O"), "saved posterior", "--scheme")


# ------------------------------------------------------------------ failure modes


@pytest.fixture
def failures(tmp_path):
    """Terminal-Bench in small: missing outcomes have a mode, and a solved trial timed out."""
    rows = [
        *(("a", "q", 1, "unset"), ("a", "r", 1, "agent_timeout"), ("a", "s", 0, "agent_timeout")),
        *(("b", "q", 0, "unset"), ("b", "r", "", "parse_error"), ("b", "s", "", "test_timeout")),
    ]
    path = tmp_path / "trials.csv"
    path.write_text(
        "model,question,outcome,failure_mode\n"
        + "".join(f"{','.join(map(str, r))}\n" for r in rows)
    )
    return path


WEIGHTS = "other=0,parse_error=0,test_timeout=0.1,agent_timeout=0.2,solved=1"


def test_failure_modes_with_weights(run, failures):
    arguments = ("rank", failures, "--column", "failure=failure_mode", "--weights", WEIGHTS)
    result = run(*arguments, "--seed", 1)
    assert result.status == 0
    assert (
        "other = 0, parse_error = 0, test_timeout = 0.1, agent_timeout = 0.2, solved = 1"
        in flat(result.out)
    )
    assert "Missing: 0" in result.out
    found = json.loads(run(*arguments, "--format", "json", "--seed", 1).out)
    assert found["provenance"]["category_weights"]["agent_timeout"] == 0.2
    # One trial each under Dirichlet(1, 1, 1, 1, 1): (1.3 + weight) / 6.
    expected = {"a": (3 * 1.3 + 1 + 1 + 0.2) / 18, "b": (3 * 1.3 + 0.1) / 18}
    for row in found["table"]:
        assert row["score"] == pytest.approx(expected[row["model"]], abs=5 * row["score_mcse"])


def test_failure_modes_without_a_name(run, failures):
    weights = WEIGHTS.removeprefix("other=0,")
    result = run("rank", failures, "--column", "failure=failure_mode", "--weights", weights)
    assert_one_line(result, "row 4", "'unset'", "'other'")


@pytest.mark.shared
def test_terminal_bench_failure_modes(run, shared_data):
    path = shared_data / "terminal_bench_trials.csv"
    result = run("rank", path, "--column", "failure=failure_mode", "--weights", WEIGHTS)
    assert result.status == 0
    assert "13 models, 80 questions, 5,200 trials. Missing: 0" in flat(result.out)
    assert "column 'failure_mode'" in flat(result.out)


@pytest.mark.slow
@pytest.mark.shared
def test_terminal_bench_by_the_pooled_model(run, shared_data, tmp_path):
    """The order is that of Bayes@N; what is shrunk to a fifth each there is not shrunk here."""
    path = shared_data / "terminal_bench_trials.csv"
    page = tmp_path / "page.html"
    arguments = ("rank", path, "--column", "failure=failure_mode", "--weights", WEIGHTS)
    own = (*arguments, "--model", "categorical", "--population", "trials", "--seed", 1)
    found = json.loads(run(*own, "--format", "json", "--html", page).out)
    assert found["diagnostics"]["verdict"] == "pass"
    assert found["provenance"]["category_weights"]["agent_timeout"] == 0.2
    assert "agent_timeout = 0.2" in flat(page.read_text("utf-8"))
    apart = json.loads(run(*arguments, "--seed", 1, "--format", "json").out)
    scores, others = ({row["model"]: row["score"] for row in x["table"]} for x in (found, apart))
    assert sorted(scores, key=scores.get)[-6:] == sorted(others, key=others.get)[-6:]
    assert max(scores.values()) > max(others.values()) + 0.1


@pytest.mark.slow
def test_a_scheme_by_the_pooled_model(run, signals):
    result = run("rank", signals, "--scheme", "R", "--model", "categorical", "--seed", 1)
    assert result.status == 0
    assert "Scheme 'balanced-composite'" in flat(result.out)
    assert "Model: categorical." in flat(result.out)
