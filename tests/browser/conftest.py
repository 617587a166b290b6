"""Debian's Chromium, and a page in it that notices every request, message and dialog."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Opened:
    """A page, and all that it did which a page must not do."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.messages: list[str] = []
        self.requests: list[str] = []
        self.failures: list[tuple[str, str | None]] = []
        self.dialogs: list[str] = []
        page.on("console", lambda m: self.messages.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda e: self.messages.append(f"error: {e}"))
        page.on("request", lambda r: self.requests.append(r.url))
        page.on("requestfailed", self._failed)
        page.on("dialog", self._dismiss)

    def _failed(self, request: Any) -> None:
        self.failures.append((request.url.rpartition("/")[2], request.failure))

    def _dismiss(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def assert_quiet(self) -> None:
        """No message, no dialog, and no request but the one for the file itself."""
        assert self.messages == []
        assert self.dialogs == []
        assert self.requests == [self.page.url]


type OpenPage = Callable[..., Opened]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium; in CI it has to be there."""
    path = shutil.which("chromium")
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("chromium is not installed: apt-get install chromium")
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser, tmp_path: Path) -> Iterator[OpenPage]:
    """Open the text of a page as a file; options are those of a browser context."""
    contexts: list[Any] = []

    def opened(text: str, **options: Any) -> Opened:
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(text, encoding="utf-8")
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        it = Opened(context.new_page())
        it.page.goto(path.as_uri())
        return it

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, whose path BAYESRANK_AXE names; in CI it has to be there."""
    path = os.environ.get("BAYESRANK_AXE")
    if not path:
        if os.environ.get("CI"):
            pytest.fail("BAYESRANK_AXE does not name axe.min.js of the npm package axe-core")
        pytest.skip("BAYESRANK_AXE does not name axe.min.js of the npm package axe-core")
    return Path(path).read_text(encoding="utf-8")
