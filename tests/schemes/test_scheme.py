"""What a scheme refuses: uncovered and doubly covered cases, and everything else that is wrong."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesrank.exceptions import ArgumentError, BayesrankError, InputError
from bayesrank.schemes import Category, Scheme, Threshold
from tests.payloads import HOSTILE

P33 = Threshold("p33", "token_ratio", 33)
P66 = Threshold("p66", "token_ratio", 66)


def scheme(*rules, match="exclusive", **fields):
    categories = tuple(Category(f"c{i}", float(i), rule) for i, rule in enumerate(rules))
    return Scheme("s", categories, match=match, **fields)


def refused(*rules, **fields):
    with pytest.raises(ArgumentError) as error:
        scheme(*rules, **fields)
    text = str(error.value)
    assert text.startswith("scheme 's'")
    assert text.isprintable()
    return text


# ------------------------------------------------------------------ exhaustive and exclusive


def test_an_uncovered_case_is_shown():
    text = refused("is_correct and has_box", "not is_correct")
    assert "no category covers the case: is_correct = 1, has_box = 0" in text
    # The signal that does not matter is not shown.
    text = refused("is_correct and has_box", "not is_correct and (has_box or not has_box)")
    assert "is_correct = 1, has_box = 0" in text
    text = refused("is_correct", "not is_correct and completion_bpt > 1")
    assert "case: is_correct = 0, completion_bpt < 1" in text


def test_a_case_covered_twice_is_shown():
    text = refused("is_correct", "not is_correct or has_box")
    assert "categories 'c0', 'c1' both cover the case: is_correct = 1, has_box = 1" in text
    assert scheme("is_correct", "not is_correct or has_box", match="first").n_categories == 2


def test_the_value_at_a_bound_belongs_somewhere():
    assert "completion_bpt = 1" in refused("completion_bpt < 1", "completion_bpt > 1")
    assert "completion_bpt = 1" in refused("completion_bpt <= 1", "completion_bpt >= 1")
    scheme("completion_bpt < 1", "completion_bpt >= 1")


def test_a_category_no_case_reaches():
    text = refused("is_correct", "not is_correct", "is_correct and not is_correct")
    assert "no case reaches category 'c2': it cannot hold" in text
    text = refused("is_correct", "not is_correct", "has_box", match="first")
    assert "no case reaches category 'c2': earlier ones cover all of it" in text


def test_numbers_are_in_their_order():
    scheme("compass_A < 0.4", "compass_A >= 0.4 and compass_A < 0.6", "compass_A >= 0.6")
    text = refused("compass_A < 0.6", "compass_A >= 0.4")
    assert "both cover" in text
    assert "compass_A > 0.4" in text
    text = refused("compass_A < 0.6", "compass_A >= 0.6", "compass_A < 0.4 and compass_A > 0.6")
    assert "cannot hold" in text


def test_percentiles_of_one_sample_are_in_their_order():
    """P33 <= P66, so three ranges cover everything; equal ones are possible."""
    middle = "token_ratio > p33 and token_ratio <= p66"
    rules = ("token_ratio <= p33", middle, "token_ratio > p66")
    scheme(*rules, thresholds=(P33, P66))
    turned = (Threshold("p33", "token_ratio", 66), Threshold("p66", "token_ratio", 33))
    assert "both cover the case: token_ratio" in refused(*rules, thresholds=turned)
    same = (Threshold("p33", "token_ratio", 50), Threshold("p66", "token_ratio", 50))
    assert "no case reaches category 'c1'" in refused(*rules, thresholds=same)


@pytest.mark.parametrize(
    "other",
    [
        Threshold("p66", "token_ratio", 66, among="is_correct"),
        Threshold("p66", "token_ratio", 66, per="pooled"),
    ],
)
def test_percentiles_of_different_samples_have_no_order(other):
    rules = ("token_ratio <= p33", "token_ratio > p33 and token_ratio <= p66", "token_ratio > p66")
    assert "both cover" in refused(*rules, thresholds=(P33, other))


def test_a_percentile_and_a_number_have_no_order():
    rules = ("token_ratio <= p33", "token_ratio > p33 and token_ratio <= 2", "token_ratio > 2")
    assert "both cover" in refused(*rules, thresholds=(P33,))


def test_the_largest_signal_is_one():
    three = [f"argmax(compass_A, compass_B, compass_C) == compass_{x}" for x in "ABC"]
    scheme(*three)
    assert "compass_C is the largest" in refused(*three[:2])
    # At .5 or more against less than .5, the larger is known.
    text = refused(
        *three,
        "compass_A >= 0.5 and compass_B < 0.5 and compass_C < 0.5 and not "
        "argmax(compass_A, compass_B, compass_C) == compass_A",
    )
    assert "no case reaches category 'c3'" in text
    scheme(
        "compass_A >= 0.5 and compass_B < 0.5",
        "compass_A < 0.5 or compass_B >= 0.5",
    )


def test_of_signals_at_one_number_the_first_is_the_largest():
    wins = "argmax(compass_A, compass_B) == compass_{}"
    level = "compass_A == 0.5 and compass_B == 0.5"
    scheme(f"{level} and {wins.format('A')}", f"not ({level} and {wins.format('A')})")
    text = refused(f"{level} and {wins.format('B')}", f"not ({level} and {wins.format('B')})")
    assert "no case reaches category 'c0'" in text
    # Just below a number and just above it are not level.
    apart = f"compass_A < 0.5 and compass_B > 0.5 and {wins.format('A')}"
    assert "no case reaches category 'c0'" in refused(apart, f"not ({apart})")


LEVELS = (0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9)
GRID = [
    dict(zip(("is_correct", "compass_A", "compass_B", "p33", "p66", "token_ratio"), v, strict=True))
    for v in itertools.product((0, 1), LEVELS, LEVELS, *[[0.0]] * 2, [0.0])
] + [
    {"is_correct": c, "compass_A": a, "compass_B": b, "p33": low, "p66": high, "token_ratio": t}
    for c, a, b in itertools.product((0, 1), (0.3, 0.5, 0.7), (0.3, 0.5, 0.7))
    for low, high in itertools.combinations_with_replacement((1, 2, 3), 2)
    for t in (0, 1, 1.5, 2, 2.5, 3, 4)
]
ATOMS = (
    "is_correct",
    "compass_A >= 0.6",
    "compass_A < 0.4",
    "compass_B > 0.4",
    "argmax(compass_A, compass_B) == compass_A",
)
ORDERED = ("is_correct", "token_ratio <= p33", "token_ratio > p66", "token_ratio < p66")


@st.composite
def rules(draw):
    """Mostly partitions: the two sides of predicates, sometimes with something broken."""
    chosen = draw(st.sampled_from((ATOMS, ORDERED)))
    leaf = st.sampled_from(chosen)
    one = draw(st.tuples(leaf, st.sampled_from(("and", "or")), leaf))
    first = f"({one[0]} {one[1]} {one[2]})"
    second = draw(leaf)
    parts = [f"{first} and {second}", f"{first} and not ({second})", f"not {first}"]
    if draw(st.booleans()):
        at = draw(st.integers(0, 2))
        parts[at] = draw(st.sampled_from([f"({parts[at]}) and {draw(leaf)}", draw(leaf)]))
    return parts


@given(rules(), st.sampled_from(("exclusive", "first")))
def test_verdict_is_that_of_all_cases_by_force(parts, match):
    held = []
    for values in GRID:
        known = values | {
            "argmax": lambda a, b: a if a >= b else b,
        }
        row = []
        for text in parts:
            text = text.replace(
                "argmax(compass_A, compass_B) == compass_A", "compass_A >= compass_B"
            )
            row.append(bool(eval(text, {}, known)))
        held.append(row)
    exhaustive = all(any(row) for row in held)
    exclusive = match == "first" or all(sum(row) <= 1 for row in held)
    decides = [row.index(True) for row in held if any(row)] if match == "first" else None
    reached = (
        set(decides) == {0, 1, 2}
        if decides is not None
        else all(any(row[i] for row in held) for i in range(3))
    )
    uses_percentiles = any("p33" in t or "p66" in t for t in parts)
    thresholds = (P33, P66) if uses_percentiles else ()
    if exhaustive and exclusive and reached:
        scheme(*parts, match=match, thresholds=thresholds)
        return
    text = refused(*parts, match=match, thresholds=thresholds)
    if not exhaustive:
        assert "no category covers" in text
    elif not exclusive:
        assert "both cover" in text
    else:
        assert "no case reaches" in text


# ------------------------------------------------------------------ all else that is wrong


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"definitions": (("wrong", "not is_corect"),)}, "Did you mean 'is_correct'"),
        ({"definitions": (("a", "b"), ("b", "a"))}, "'b', which is not known"),
        ({"definitions": (("a", "a"),)}, "'a', which is not known"),
        ({"definitions": (("is_correct", "has_box"),)}, "has the name of a signal"),
        ({"definitions": (("and", "has_box"),)}, "letters, digits"),
        ({"definitions": (("a b", "has_box"),)}, "letters, digits"),
        ({"thresholds": (Threshold("p", "has_box", 50),)}, "'has_box' is 0 or 1"),
        ({"thresholds": (Threshold("p", "latency", 50),)}, "no signal 'latency'"),
        ({"thresholds": (P33, P33)}, "has the name of a threshold"),
        ({"thresholds": (Threshold("p", "token_ratio", 50, among="is_corect"),)}, "is_corect"),
        (
            {"thresholds": (P33, Threshold("p", "token_ratio", 50, among="token_ratio > p33"))},
            "its condition uses the threshold 'p33'",
        ),
        ({"signals": (("outcome", "number"),)}, "name of a column of every log"),
        ({"signals": (("is_correct", "flag"),)}, "has the name of a signal"),
        ({"signals": (("latency", "text"),)}, "kind of signal 'latency'"),
        ({"match": "last"}, "match='last'"),
    ],
)
def test_names_and_definitions(fields, words):
    assert words in refused("is_correct", "not is_correct", **fields)


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), "x", None])
def test_weights_are_finite(weight):
    with pytest.raises(ArgumentError, match="weight of category 'c'"):
        Category("c", weight, "is_correct")


@pytest.mark.parametrize("percentile", [0, 100, -1, 101, float("nan"), "x"])
def test_percentiles_are_between_0_and_100(percentile):
    with pytest.raises(ArgumentError, match="percentile of 'p'"):
        Threshold("p", "token_ratio", percentile)


def test_categories_are_two_and_have_different_names():
    assert "number of categories" in refused("is_correct or not is_correct")
    with pytest.raises(ArgumentError, match="'c' appears twice"):
        Scheme("s", (Category("c", 0, "is_correct"), Category("c", 1, "not is_correct")))
    with pytest.raises(ArgumentError, match="needs a name"):
        Scheme(" ", (Category("c", 0, "is_correct"), Category("d", 1, "not is_correct")))


def test_too_many_cases_are_refused():
    many = " or ".join(f"token_ratio > {i}" for i in range(9))
    assert "9 bounds" in refused(many, f"not ({many})")
    each = ("token_ratio", "prompt_bpt", "completion_bpt", "compass_A", "compass_B", "compass_C")
    wide = " and ".join(f"{s} > {i}" for s in each for i in range(4))
    assert "too many to check" in refused(wide, f"not ({wide})")


def test_weights_can_be_replaced():
    found = scheme("is_correct", "not is_correct").with_weights([2, -1])
    assert found.weights == (2.0, -1.0)
    with pytest.raises(
        ArgumentError, match=r"3 weights were given for the 2 categories 'c0', 'c1'"
    ):
        found.with_weights([1, 2, 3])
    with pytest.raises(ArgumentError, match="finite"):
        found.with_weights([1, float("nan")])


def test_thresholds_can_be_pooled_and_the_notes_say_so():
    rules = ("token_ratio <= p33", "token_ratio > p33")
    own = scheme(*rules, thresholds=(P33,))
    assert "every model the same share" in " ".join(own.notes())
    pooled = own.with_thresholds("pooled")
    assert "all models together" in " ".join(pooled.notes())
    assert "same share" not in " ".join(pooled.notes())
    with pytest.raises(ArgumentError, match="thresholds='both'"):
        own.with_thresholds("both")


# ------------------------------------------------------------------ TOML

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(texts.filter(str.strip), texts.filter(str.strip), texts, st.floats(-1e9, 1e9))
def test_toml_round_trip(name, first, text, weight):
    found = Scheme(
        name,
        (
            Category(first + " 1", weight, "is_correct and token_ratio > p"),
            Category("2", 1, "rest"),
        ),
        thresholds=(Threshold("p", "token_ratio", 12.5, "not is_correct", "pooled"),),
        definitions=(("rest", "not (is_correct and token_ratio > p)"),),
        signals=(("latency", "number"),),
        axis=f"axis {text}",
        letter=text,
        description=text,
        weights_from=text,
        representative=True,
        near_duplicate_of=text,
    )
    assert Scheme.from_toml(found.to_toml()) == found


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_survive_toml_and_messages_stay_one_line(text):
    found = Scheme(text, (Category(text, 0, "is_correct"), Category("d", 1, "not is_correct")))
    assert Scheme.from_toml(found.to_toml()) == found
    assert found.to_toml().replace("\n", "").isprintable()
    with pytest.raises(BayesrankError) as error:
        Scheme(text, (Category(text, 0, "is_correct"), Category("d", 1, "is_correct")))
    assert str(error.value).isprintable()


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(ArgumentError, match="surrogate"):
        Category("\ud800", 0, "is_correct")


GOOD = """
name = "x"
[[categories]]
name = "a"
weight = 0
when = "is_correct"
[[categories]]
name = "b"
weight = 1
when = "not is_correct"
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "x"', "name = x", "no valid TOML"),
        ('name = "x"', "", "needs 'name'"),
        ('name = "x"', "name = 3", "name must be text"),
        ('name = "x"', 'name = "x"\nrepresentative = "yes"', "true or false"),
        ('name = "x"', 'name = "x"\nwieghts = 3', "no key 'wieghts' is known"),
        ('name = "x"', 'name = "x"\nsignals = 3', "signals must be a table"),
        ('name = "x"', 'name = "x"\n[thresholds]\np = 3', "threshold 'p' must be a table"),
        ('name = "x"', 'name = "x"\n[thresholds.p]\nsignal = "token_ratio"', "'percentile'"),
        ("weight = 0", "weight = '0'", "category number 1, weight must be a number"),
        ("weight = 0", "weight = true", "must be a number"),
        ("weight = 0", "weight = nan", "finite"),
        ("weight = 0", "weight = 1" + "0" * 400, "finite"),
        ("weight = 0", "wieght = 0", "Did you mean 'weight'"),
        ("weight = 0", "", "category number 1 needs 'weight'"),
        ("[[categories]]", "[[category]]", "Did you mean 'categories'"),
        ('"not is_correct"', '"not is_corect"', "Did you mean 'is_correct'"),
    ],
)
def test_bad_toml_names_the_file(old, new, words):
    assert Scheme.from_toml(GOOD).weights == (0.0, 1.0)
    with pytest.raises(InputError) as error:
        Scheme.from_toml(GOOD.replace(old, new), source="mine.toml")
    assert str(error.value).startswith("mine.toml: ")
    assert words in str(error.value)
    assert str(error.value).isprintable()


def test_deep_toml_is_refused():
    with pytest.raises(InputError, match="no valid TOML"):
        Scheme.from_toml("name = " + "[" * 100_000)
