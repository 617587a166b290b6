"""The configuration of a board: read strictly, refused in one line that names the place."""

from pathlib import Path

import pytest

from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.reports import BoardBenchmark, BoardConfig, BoardModel
from tests.boards import write_log

EXAMPLE = Path(__file__).parents[2] / "examples/board/leaderboard.toml"
BENCHMARK = '[[benchmark]]\nname = "Sums"\nsources = "*.csv"\n'


@pytest.fixture
def read(tmp_path):
    for name in ("b.csv", "a.csv"):
        write_log(tmp_path / name, {"amber": 0.8, "basil": 0.4})

    def call(text):
        file = tmp_path / "board.toml"
        file.write_text(text, encoding="utf-8")
        return BoardConfig.from_toml(file)

    return call


def test_all_of_it_is_read(read, tmp_path):
    config = read(
        'title = "T"\ndescription = "D"\n[board]\nby = "lcb:0.05"\nci_prob = 0.9\nci_kind = "hdi"\n'
        'top_k = 1\noverall = "mean"\nprevious = "old"\nurl = "https://a.example/b"\ndraws = 50\n'
        'seed = 3\n[[benchmark]]\nname = "Sums"\ndescription = "d"\nsources = ["a.csv", "*.csv"]\n'
        'model = "bayes-at-n"\npopulation = ["questions", "prompts"]\nprior = "pooled"\n'
        'missing = "failure"\nweights = [0, 0.5, 1]\ncategories = 3\nmethod = "exact"\n'
        'columns = { system = "agent" }\noptions = { weighting = "task" }\ndraws = 60\n'
        '[[benchmark]]\nname = "Ranks"\nsources = "b.csv"\nrule = "borda"\nseed = 9\n'
        '[models."amber"]\ntags = ["hot"]\nlink = "https://a.example"\naliases = ["Amber-1"]\n'
    )
    assert (config.title, config.description) == ("T", "D")
    assert (config.by, config.ci_prob, config.ci_kind) == (("quantile", 0.05), 0.9, "hdi")
    assert (config.top_k, config.overall, config.previous) == (1, "mean", tmp_path / "old")
    sums, ranks = config.benchmarks
    assert [file.name for file in sums.sources] == ["a.csv", "b.csv"]
    assert (sums.draws, ranks.draws, ranks.seed) == (60, 50, 9)
    assert sums.population == ("questions", "prompts")
    assert sums.weights == (0.0, 0.5, 1.0)
    assert sums.options == {"weighting": "task"}
    assert config.models["amber"] == BoardModel(("hot",), "https://a.example", ("Amber-1",))


def test_seed_of_a_benchmark_does_not_depend_on_the_others(read):
    one = '[board]\nseed = 3\n[[benchmark]]\nname = "B"\nsources = "b.csv"\n'
    two = one + '[[benchmark]]\nname = "A"\nsources = "a.csv"\n'
    (alone,) = read(one).benchmarks
    first, second = read(two).benchmarks
    assert alone.seed == first.seed
    assert first.seed != second.seed


def test_the_example_is_one():
    config = BoardConfig.from_toml(EXAMPLE)
    assert [b.model for b in config.benchmarks] == ["bayes-at-n", "bradley-terry"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("titel = 1\n" + BENCHMARK, r"no key 'titel' is known here\. Did you mean 'title'"),
        (BENCHMARK + 'priors = "pooled"\n', r"benchmark 'Sums': no key 'priors'.*'prior'"),
        (BENCHMARK + "[board]\ntopk = 3\n", r"board: no key 'topk'.*'top_k'"),
        (BENCHMARK + '[models."m"]\ntag = []\n', r"model 'm': no key 'tag'.*'tags'"),
        ("title = 3\n" + BENCHMARK, "title must be text"),
        (BENCHMARK + "[board]\ntop_k = true\n", "top_k must be a whole number"),
        (BENCHMARK + "[board]\nci_prob = 1.5\n", "ci_prob=1.5 must lie strictly between"),
        (BENCHMARK + '[board]\nby = "lcb:2"\n', "write a level between 0 and 1"),
        (BENCHMARK + '[board]\nby = "meen"\n', "'mean'"),
        (BENCHMARK + '[board]\nurl = "ftp://a.example"\n', "no http or https address"),
        (BENCHMARK + '[board]\noverall = "median"\n', "overall='median' is not known"),
        (BENCHMARK + 'model = "bayes"\n', "model='bayes' is not known.*bayes-at-n"),
        (BENCHMARK + 'rule = "bordo"\n', "rule='bordo' is not known.*borda"),
        (BENCHMARK + 'rule = "borda"\nmodel = "rasch"\n', "two ways to rank"),
        (BENCHMARK + 'missing = "zero"\n', "missing='zero' is not known"),
        (BENCHMARK + 'model = "rasch"\nprior = "pooled"\n', "'rasch' takes no prior; bayes-at-n"),
        (
            BENCHMARK + 'model = "bradley-terry"\noptions = { tie = 1 }\n',
            r"no option 'tie'.*Did you mean 'ties'",
        ),
        (BENCHMARK + "draws = 0\n", "draws=0 must be a whole number of at least 1"),
        (BENCHMARK + BENCHMARK, "benchmark 'Sums' appears twice"),
        ('[[benchmark]]\nname = "Sums"\n', "benchmark 'Sums' needs 'sources'"),
        ('[[benchmark]]\nsources = "a.csv"\n', "benchmark number 1 needs 'name'"),
        ('[[benchmark]]\nname = "A"\nsources = "no*.csv"\n', r"there is no file 'no\*\.csv'"),
        ('[[benchmark]]\nname = "A"\nsources = [1]\n', "each entry must be text"),
        ("title = 'T'\n", "a leaderboard needs a benchmark"),
        ("benchmark = 3\n", "benchmark must be a list"),
        ("[[benchmark]\n", "no valid TOML"),
        (BENCHMARK + '[models."a"]\naliases = ["a"]\n', "model 'a' appears twice"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(read, text, told):
    with pytest.raises(InputError, match=rf"board\.toml: .*{told}") as error:
        read(text)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml cannot be read"):
        BoardConfig.from_toml(tmp_path / "none.toml")


def test_a_name_with_a_bracket_is_first_of_all_a_name(read, tmp_path):
    write_log(tmp_path / "log[1].csv", {"amber": 0.8, "basil": 0.4})
    config = read('[[benchmark]]\nname = "A"\nsources = "log[1].csv"\n')
    assert config.benchmarks[0].sources == (tmp_path / "log[1].csv",)


def test_a_mean_of_draws_needs_a_seed_for_each(tmp_path):
    twice = tuple(BoardBenchmark(name, (tmp_path,), seed=1) for name in "ab")
    with pytest.raises(ArgumentError, match="a seed of its own"):
        BoardConfig(twice, overall="mean")
