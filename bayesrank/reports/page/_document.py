"""One page as one file: every printed text visible and escaped, a policy that runs only ours."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bayesrank._text import visible

_PACKAGE = "bayesrank.reports.page"


def _shown(value: object) -> object:
    # Jinja calls this on every printed expression, before it escapes: no template can forget it.
    # Markup is what our own macros and drawings made, out of text that went through here.
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return visible(value)


@cache
def environment() -> Environment:
    """Return the one template environment: escaping on, unknown names refused."""
    return Environment(
        loader=PackageLoader(_PACKAGE, "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(
    template: str, *, styles: Sequence[str], scripts: Sequence[str], **context: object
) -> str:
    """Return a whole page from a template that extends ``base.html.jinja``.

    `styles` and `scripts` name files beside the templates. They are put into the page, and the
    page's content security policy allows exactly their bytes: an injected script, style or style
    attribute is inert, and nothing is ever fetched.
    """
    style = inline_text(styles)
    script = inline_text(scripts)
    return (
        environment()
        .get_template(template)
        .render(
            policy=policy(style=style, script=script),
            # Our own files, inert once the check in `inline_text` has passed.
            style=Markup(style),
            script=Markup(script),
            **context,
        )
    )


def policy(*, style: str, script: str) -> str:
    """Return the content security policy of a page with one style and one script, or none."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {_hash(style)}",
            f"script-src {_hash(script) if script else "'none'"}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def inline_text(names: Sequence[str]) -> str:
    """Return files beside the templates as one text that is safe within an element."""
    folder = files(_PACKAGE) / "templates"
    text = "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
    # A parser turns CR into LF before the browser hashes; "</" could end the element early.
    text = text.replace("\r\n", "\n")
    if "</" in text or "<!--" in text:
        msg = f"{', '.join(names)}: an inline file must hold neither '</' nor '<!--'."
        raise AssertionError(msg)
    return text


def json_block(value: object) -> Markup:
    """Return plain values as JSON for a data block, which nothing in them can end early."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
