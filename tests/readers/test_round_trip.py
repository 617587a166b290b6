"""What is written comes back: every format and form, in any order of rows."""

from itertools import pairwise
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesrank import Responses, read_responses, simulate_responses
from bayesrank.data._order import natural_key

FORMATS = (".csv", ".tsv", ".parquet", ".jsonl", ".json")


def seen_as(name: str) -> str:
    return normalize("NFKC", name).strip()


def names(most: int) -> st.SearchStrategy[list[str]]:
    """Names that hold anything a name may hold and can be told apart, in natural order."""
    anything = st.characters(codec="utf-8", exclude_characters="\0")
    name = st.text(anything, min_size=1, max_size=8).filter(seen_as)
    return st.lists(name, min_size=1, max_size=most, unique_by=seen_as).map(
        lambda found: sorted(found, key=natural_key)
    )


@st.composite
def trial_logs(draw: st.DrawFn) -> Responses:
    """Responses with missing trials, every trial recorded, and an outcome for every model."""
    systems, questions = draw(names(3)), draw(names(3))
    shape = (len(systems), len(questions), draw(st.integers(1, 3)))
    outcomes = draw(arrays(np.int64, shape, elements=st.integers(-1, draw(st.integers(1, 3)))))
    outcomes[:, 0, 0] = np.abs(outcomes[:, 0, 0])
    return Responses.from_array(outcomes, systems=systems, questions=questions)


@given(
    responses=trial_logs(), ending=st.sampled_from(FORMATS), rng=st.randoms(use_true_random=False)
)
def test_trials_come_back(logs, tmp_path_factory, responses, ending, rng) -> None:
    rows = logs.trial_rows(responses)
    rng.shuffle(rows)
    path = logs.write(tmp_path_factory.mktemp("log") / f"log{ending}", rows)
    found = read_responses(path, categories=responses.n_categories)
    logs.assert_same(found, responses)
    assert found.rows == len(rows)
    assert found.duplicates == 0


@given(data=st.data(), ending=st.sampled_from(FORMATS))
def test_counts_come_back(logs, tmp_path_factory, data, ending) -> None:
    systems, questions = data.draw(names(3)), data.draw(names(3))
    shape = (len(systems), len(questions))
    n = data.draw(arrays(np.int64, shape, elements=st.integers(0, 2000)))
    n[:, 0] += 1
    k = (n * data.draw(arrays(np.float64, shape, elements=st.floats(0, 1)))).astype(int)
    responses = Responses.from_counts(k, n, systems=systems, questions=questions)
    rows = logs.count_rows(responses)
    path = logs.write(tmp_path_factory.mktemp("log") / f"log{ending}", rows[::-1])
    logs.assert_same(read_responses(path), responses)


@given(responses=trial_logs())
def test_npz_comes_back(logs, tmp_path_factory, responses) -> None:
    path = tmp_path_factory.mktemp("log") / "log.npz"
    np.savez(
        path,
        outcomes=responses.outcomes,
        systems=np.array(responses.systems),
        questions=np.array(responses.questions),
    )
    # NumPy drops NULs at the end of text, which no name here has.
    logs.assert_same(read_responses(path, categories=responses.n_categories), responses)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("missing", ["mask", "failure"])
def test_tasks_and_prompts_come_back(logs, tmp_path: Path, ending, missing) -> None:
    simulated = simulate_responses(
        systems=4, questions=6, tasks=2, prompts=3, trials=2, missing=0.2, random_seed=1
    )
    path = logs.write(tmp_path / f"log{ending}", logs.trial_rows(simulated))
    found = read_responses(path, missing=missing, columns={"prompt": "prompt"})
    expected = Responses.from_array(
        simulated.outcomes,
        systems=simulated.systems,
        questions=simulated.questions,
        tasks=simulated.tasks,
        prompts=simulated.prompts,
        missing=missing,
    )
    # Trials are numbered through the prompts here, so each prompt has its own.
    logs.assert_same(found, expected)


def test_order_of_rows_does_not_matter(logs, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = logs.trial_rows(simulate_responses(systems=12, questions=11, random_seed=rng))
    first = read_responses(logs.write(tmp_path / "a.csv", rows))
    for name in ("b.csv", "c.parquet"):
        rng.shuffle(rows)
        again = read_responses(logs.write(tmp_path / name, rows))
        logs.assert_same(again, first)
        assert again.data_hash() == first.data_hash()
    assert first.systems == tuple(f"model {i}" for i in range(1, 13))


def test_several_files_are_one_log(logs, tmp_path: Path) -> None:
    responses = simulate_responses(systems=4, questions=5, missing=0.1, random_seed=2)
    rows = logs.trial_rows(responses)
    cuts = [0, 40, 41, 100, len(rows)]
    endings = (".csv", ".jsonl", ".parquet", ".tsv")
    paths = [
        logs.write(tmp_path / f"part{i}{ending}", rows[a:b])
        for i, ((a, b), ending) in enumerate(zip(pairwise(cuts), endings, strict=True))
    ]
    found = read_responses(paths)
    logs.assert_same(found, responses)
    assert found.rows == len(rows)
    assert str(paths[0]) in found.source


def test_wide_form_is_the_long_form_turned(read_text) -> None:
    wide = read_text("model,q10,q2,Q2\nb,1,,0\na,true,0,1\nb,0,1,1\n")
    long = read_text(
        "model,question,outcome\nb,q10,1\nb,q2,\nb,Q2,0\na,q10,1\na,q2,0\na,Q2,1\nb,q10,0\n"
        "b,q2,1\nb,Q2,1\n"
    )
    assert wide.questions == long.questions == ("Q2", "q2", "q10")
    np.testing.assert_array_equal(wide.counts, long.counts)
    np.testing.assert_array_equal(wide.missing, long.missing)
    assert wide.missing.sum() == 1


def test_wide_form_with_trials(read_text) -> None:
    found = read_text("model,trial,q1,q2\na,1,1,0\na,2,1,\nb,1,0,0\nb,2,1,1\n")
    assert found.outcomes is not None
    np.testing.assert_array_equal(found.outcomes, [[[1, 1], [0, -1]], [[0, 1], [0, 1]]])
