"""The page of a posterior report: complete without a script, and nothing in it can run."""

import html5lib
import numpy as np
import pytest

from bayesrank._record import Record
from bayesrank.reports import posterior_report
from bayesrank.reports.page._report_figures import histogram_figure
from bayesrank.reports.page._report_graph import formula_html, graph_svg
from bayesrank.reports.posterior._families import FAMILIES
from bayesrank.reports.posterior._graph import Graph, Node
from tests.pages import names, posterior_of, record_of, scores_of
from tests.payloads import HOSTILE


def parsed(page):
    tree = html5lib.HTMLParser(strict=False, namespaceHTMLElements=False).parse(page)
    return [element for element in tree.iter() if isinstance(element.tag, str)]


@pytest.fixture(scope="module")
def page():
    return posterior_report(posterior_of(scores_of(names(14))), title="Ours").to_html()


def test_every_section_has_a_heading_and_a_link(page):
    elements = parsed(page)
    ids = [e.attrib["id"] for e in elements if "id" in e.attrib]
    assert len(ids) == len(set(ids))
    links = [e.attrib["href"] for e in elements if e.tag.rpartition("}")[2] == "a"]
    assert len(links) == 14
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_the_page_opens_with_the_decision_and_the_verdict(page):
    assert page.index("<h1>Ours</h1>") < page.index('class="answer')
    assert page.index('class="answer') < page.index('class="status-line')
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_each_check_is_a_row_with_a_word_and_a_shape():
    report = posterior_report(posterior_of(scores_of(names(4))))
    page = report.to_html()
    tables = [e for e in parsed(page) if "checks" in e.attrib.get("class", "").split()]
    rows = [row for table in tables for row in table.iter() if row.tag.endswith("tr")]
    assert len(rows) - len(tables) == len(report.checks)
    assert page.count('class="shape"') >= len(report.checks)


def test_hostile_text_is_text_everywhere():
    some = [h for h in HOSTILE if len(h) < 1000]
    text = " ".join(some)[:2000]
    record = record_of(
        len(some),
        population=text,
        model=text,
        prior=text,
        estimand=text,
        notes=tuple(some),
        observations={"source": text, "models": 3, "missing": 1},
        provenance={"command": text, "model": {"family": text}, "data": {"hash": text}},
        diagnostics={
            "verdict": "fail",
            "statement": text,
            "checks": [{"name": text, "verdict": "fail", "sentence": text, "value": 1.0}],
        },
    )
    report = posterior_report(
        posterior_of(scores_of(some, draws=200), record),
        title=text,
        command=text,
    )
    elements = parsed(report.to_html())
    tags = {e.tag.rpartition("}")[2] for e in elements}
    assert not tags & {"script", "img", "iframe", "object", "link", "form", "template", "input"}
    assert not any(name.startswith("on") for e in elements for name in e.attrib)
    assert all(e.attrib["href"].startswith("#") for e in elements if "href" in e.attrib)
    assert report.to_json().isascii()
    tags = {e.tag for e in parsed(report._repr_html_())}
    assert not tags & {"script", "img", "iframe", "object", "link", "form", "input"}


def test_indices_and_letters_are_set_as_maths():
    assert formula_html("p_{lm} ~ Beta(1)") == "<i>p</i><sub><i>lm</i></sub> ~ Beta(1)"
    assert formula_html("e^{η/2} < x") == "<i>e</i><sup><i>η</i>/2</sup> &lt; <i>x</i>"
    assert formula_html("Σ_{j in S} s") == ("Σ<sub><i>j</i> in S</sub> <i>s</i>")
    assert "<b" not in formula_html("a<b>_{<b>}")


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_every_family_has_its_story(family):
    assert family.story.endswith(".")
    assert family.formulas
    assert family.priors
    assert all(line.endswith(".") for line in family.limits)
    assert [n.kind for n in family.graph.nodes].count("score") == 1
    svg = graph_svg(family.graph)
    assert svg.count("<rect") == len(family.graph.nodes)
    assert svg.count('class="edge"') == len(family.graph.edges)
    assert all("_{" not in formula_html(line) for line in family.formulas)


def test_nodes_of_a_graph_do_not_overlap():
    graph = Graph(
        tuple(Node(str(i), "free") for i in range(6)), ((0, 3), (1, 3), (2, 4), (3, 5), (4, 5))
    )
    layers = graph.layers()
    assert sorted(k for row in layers for k in row) == list(range(6))
    depth = {k: level for level, row in enumerate(layers) for k in row}
    assert all(depth[a] < depth[b] for a, b in graph.edges)


def test_bars_are_as_high_as_their_counts():
    figure = histogram_figure(
        id="x",
        title="t",
        reading="r",
        counts=np.array([1, 0, 4]),
        edges=np.array([0.0, 1.0, 2.0, 3.0]),
        column="c",
        whole=True,
    )
    assert figure.marks.count("<rect") == 2
    assert [row[1] for row in figure.twin.rows] == ["1", "4"]
    assert 'height="96.0"' in figure.marks
    assert 'height="24.0"' in figure.marks


def test_many_models_make_a_page_of_bounded_figures():
    many = posterior_report(posterior_of(scores_of(names(70), draws=100), Record()))
    page = many.to_html()
    assert "The 50 best of 70 models are drawn" in page
