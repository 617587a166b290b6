import hashlib
import json
import re
from base64 import b64encode

import html5lib
import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from bayesrank.reports.page._document import environment, json_block, policy
from bayesrank.reports.page._svg import cells_path, dots_path, element, percent
from tests.payloads import HOSTILE, XSS

SVG = "{http://www.w3.org/2000/svg}"


def printed(text: object, template: str = "{{ text }}") -> str:
    return environment().from_string(template).render(text=text)


def test_whatever_a_template_prints_is_escaped_and_visible():
    assert printed("<b>\x1b\u202e") == "&lt;b&gt;\\x1b\\u202e"
    assert printed('"', '<p title="{{ text }}">') == '<p title="&#34;">'
    assert printed(Markup("<b>ours</b>")) == "<b>ours</b>"
    assert printed(3) == "3"


def test_text_that_passes_through_a_macro_is_treated_once():
    template = "{% macro cell(it) %}<td>{{ it }}</td>{% endmacro %}{{ cell(text) }}"
    assert printed("<\n", template) == "<td>&lt;\\n</td>"


def test_a_name_the_template_does_not_know_is_an_error():
    with pytest.raises(UndefinedError):
        printed("", "{{ typo }}")


@pytest.mark.parametrize("payload", HOSTILE, ids=range(len(HOSTILE)))
def test_no_payload_adds_an_element(payload):
    template = "<!doctype html><title>{{ text }}</title><p title='{{ text }}'>{{ text }}"
    page = printed(payload, template)
    tags = [e.tag for e in html5lib.parse(page, namespaceHTMLElements=False).iter()]
    assert tags == ["html", "head", "title", "body", "p"]


def test_the_policy_names_the_hash_of_the_bytes_and_nothing_else_that_could_run():
    digest = b64encode(hashlib.sha256(b"run()").digest()).decode()
    text = policy(style="p {}", script="run()")
    assert f"script-src 'sha256-{digest}'" in text
    assert "default-src 'none'" in text
    assert "unsafe" not in text


def test_json_in_a_data_block_cannot_end_it():
    block = json_block({"a": "</script><!--<script>&", "b": [1, 2.5]})
    assert not re.search("[<>&]", block)
    assert json.loads(block) == {"a": "</script><!--<script>&", "b": [1, 2.5]}


@pytest.mark.parametrize("payload", XSS, ids=range(len(XSS)))
def test_drawings_escape_texts_and_attributes(payload):
    page = f"<!doctype html>{element('svg', element('text', payload, class_=payload))}"
    tags = [e.tag for e in html5lib.parse(page, namespaceHTMLElements=False).iter()]
    assert tags == ["html", "head", "body", f"{SVG}svg", f"{SVG}text"]


def test_an_element_is_written_as_svg_wants_it():
    drawn = element("line", class_="a", stroke_width=2, viewBox="0 0 1 1")
    assert drawn == '<line class="a" stroke-width="2" viewBox="0 0 1 1"/>'
    assert percent(1 / 3) == "33.33%"
    assert percent(0.5) == "50%"
    assert percent(0.0) == "0%"


def test_cells_of_one_row_that_touch_are_drawn_as_one():
    assert cells_path([(0, 2), (0, 1), (1, 2), (0, 4)]) == "M1 0H3v1H1zM4 0H5v1H4zM2 1H3v1H2z"
    assert dots_path([(1, 2)]) == "M2.5 1.5h0"
