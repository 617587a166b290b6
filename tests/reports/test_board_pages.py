"""The pages of a site: hostile text stays text, and links lead where they should."""

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesrank.reports import BoardBenchmark, BoardConfig, BoardModel, build_board
from bayesrank.reports.site.config import is_web_link
from bayesrank.reports.site.slugs import slugs
from tests.boards import MODELS, save, two_benchmarks
from tests.payloads import HOSTILE, XSS

# netCDF text ends at a NUL.
NAMES = [name for name in HOSTILE if "\0" not in name]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Path:
    """A site in which every text is hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    one, two = save(folder / "one.nc", NAMES), save(folder / "two.nc", NAMES[:20], verdict="fail")
    config = BoardConfig(
        (
            BoardBenchmark(XSS[0], (one,), description=XSS[5]),
            BoardBenchmark(XSS[3], (two,), description=XSS[6]),
        ),
        title=XSS[2],
        description=XSS[1],
        models={
            name: BoardModel(tags=(XSS[10], name[:50]), link=link, aliases=(f"alias {XSS[7]} {i}",))
            for i, (name, link) in enumerate(
                zip(NAMES, [*XSS, "javascript:alert(1)"], strict=False)
            )
        },
    )
    return build_board(config, output=folder / "site", fragment=True).folder


def trees(site):
    for file in sorted(site.rglob("*.html")):
        text = file.read_text("utf-8")
        yield file, text, html5lib.parse(text, namespaceHTMLElements=False)


def test_hostile_text_makes_no_element_and_no_link(hostile):
    for file, _, tree in trees(hostile):
        for element in tree.iter():
            if not isinstance(element.tag, str):
                continue
            assert element.tag not in ("img", "iframe", "object", "base", "link"), file
            assert not [name for name in element.attrib if str(name).startswith("on")], file
            href = element.get("href")
            if href is not None:
                assert not urlsplit(href).scheme, file
                assert (file.parent / unquote(href)).exists(), (file, href)
        scripts = [s.get("type") for s in tree.iter("script")]
        expected = ["application/json", None] if file.name == "index.html" else []
        if file.parent == hostile:
            expected = []
        assert scripts == expected, file


def test_hostile_names_have_plain_files(hostile):
    for file in (hostile / "models").iterdir():
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,80}\.html", file.name)
    assert len(list((hostile / "models").iterdir())) == len(NAMES)


def test_pages_pass_a_strict_parser(tmp_path):
    built = build_board(two_benchmarks(tmp_path), output=tmp_path / "site")
    parser = html5lib.HTMLParser(strict=True)
    for file in built.folder.rglob("*.html"):
        parser.parse(file.read_text("utf-8"))


def test_only_web_addresses_become_links(tmp_path):
    links = {"amber": "https://spice.example/a?b=1&c=2", "basil": "javascript:alert(1)"}
    models = {name: BoardModel(link=link) for name, link in links.items()}
    config = replace(two_benchmarks(tmp_path), models=models)
    folder = build_board(config, output=tmp_path / "site").folder
    assert (
        'href="https://spice.example/a?b=1&amp;c=2"' in (folder / "models/amber.html").read_text()
    )
    page = (folder / "models/basil.html").read_text()
    assert "<p>javascript:alert(1)</p>" in page


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("https://a.example/x", True),
        ("http://a.example", True),
        ("HTTPS://a.example", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("//a.example", False),
        ("https:///x", False),
        ("https://a.example/ onload=", False),
        ("\thttps://a.example", False),
        ("https://a.example\\@b.example", False),
        ("https://аpple.example", False),
        ("https://[", False),
        ("", False),
    ],
)
def test_what_a_web_address_is(text, link):
    assert is_web_link(text) is link


def test_fragment_reaches_nothing_but_itself(tmp_path):
    config = replace(two_benchmarks(tmp_path), url="https://site.example/board/")
    built = build_board(config, output=tmp_path / "site", fragment=True)
    text = (built.folder / "fragment.html").read_text()
    assert not re.search(r"<(!doctype|html|head|body|script|meta|link)\b", text, re.IGNORECASE)
    assert not re.search(r"\s(id|for|aria-labelledby)=", text)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    selectors = [s.strip() for rule in style.split("}")[:-1] for s in rule.split("{")[0].split(",")]
    assert all(s.startswith(".bayesrank-board") for s in selectors)
    assert 'href="https://site.example/board/models/amber.html"' in text
    plain = build_board(replace(config, url=None), output=tmp_path / "site", fragment=True)
    assert "href" not in (plain.folder / "fragment.html").read_text()


def test_a_site_without_a_fragment_has_none(tmp_path):
    config = two_benchmarks(tmp_path)
    build_board(config, output=tmp_path / "site", fragment=True)
    build_board(config, output=tmp_path / "site")
    assert not (tmp_path / "site/fragment.html").exists()


# ---------------------------------------------------------------- file names


def test_names_that_differ_in_case_alone_have_files_of_their_own():
    found = slugs(["GPT-4", "gpt-4", "gpt 4", "other/model"])
    assert len({slug.casefold() for slug in found.values()}) == 4
    assert all(found[name].startswith("gpt-4-") for name in ("GPT-4", "gpt-4", "gpt 4"))
    assert found["other/model"] == "other-model"


@pytest.mark.parametrize("name", ["con", "NUL", "com1", "index", "", "漢字", "../..", "."])
def test_reserved_and_empty_names_get_a_hash(name):
    assert re.fullmatch(r"([a-z0-9]+-)?[0-9a-f]{10}", slugs([name])[name])


@given(st.lists(st.text(max_size=80), unique=True, max_size=12))
def test_file_names_are_safe_and_never_meet(names):
    found = slugs([*names, *(name.swapcase() for name in names if name.swapcase() not in names)])
    assert len(set(found.values())) == len(found)
    assert all(re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", slug) for slug in found.values())
    assert all(len(slug) < 90 for slug in found.values())


def test_a_name_that_looks_like_another_with_its_hash_does_not_meet_it():
    made = slugs(["A b", "a-b"])
    found = slugs(["A b", "a-b", *made.values()])
    assert len(set(found.values())) == 4


def test_models_of_the_same_names_are_in_both(tmp_path):
    built = build_board(two_benchmarks(tmp_path), output=tmp_path / "site")
    text = (built.folder / "index.html").read_text()
    assert text.count("not ranked here") == 1
    assert [name for name in MODELS if f"models/{name}.html" in text] == list(MODELS)
