"""The pages of a site in the browser: quiet, safe, readable at any width, axe clean."""

from dataclasses import replace
from pathlib import Path

import pytest

from bayesrank.reports import BoardBenchmark, BoardConfig, BoardModel, build_board
from tests.boards import save
from tests.pages import names
from tests.payloads import HOSTILE, XSS

pytestmark = pytest.mark.browser

PAGES = ("index.html", "overall/index.html", "benchmarks/math/index.html", "models/first.html")
ALL = pytest.mark.parametrize("page", PAGES)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Two benchmarks and their mean, what moved, tags, a failed check and a long name."""
    folder = tmp_path_factory.mktemp("site")
    models = ["first", *names(11), "a_very_long_name_" * 8]
    old = save(folder / "old.nc", models[::-1], spread=0.1)
    math = save(folder / "math.nc", models, spread=0.1)
    code = save(folder / "code.nc", models[:8], spread=0.1, seed=2, verdict="fail")
    before = BoardConfig((BoardBenchmark("Math", (old,)),))
    config = BoardConfig(
        (
            BoardBenchmark("Math", (math,), description="Sums and products."),
            BoardBenchmark("Code of a very long name", (code,)),
        ),
        title="A board",
        description="What it is about.",
        models={"first": BoardModel(("open weights", "small"), "https://a.example/first")},
        overall="mean",
        previous=build_board(before, output=folder / "before").folder,
    )
    return build_board(config, output=folder / "site", fragment=True).folder


@pytest.fixture
def open_site(open_page):
    """Open a page where it lies, so that its links lead somewhere."""

    def opened(file, **options):
        it = open_page("<!doctype html><title>empty</title>", **options)
        it.messages.clear()
        it.requests.clear()
        it.page.goto(file.as_uri())
        return it

    return opened


@ALL
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 320)])
def test_axe_finds_no_violation(open_site, axe, site, page, scheme, width):
    it = open_site(
        site / page, color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True
    )
    for handle in it.page.locator("summary").all():
        handle.click()
    it.page.evaluate(axe)
    found = it.page.evaluate("axe.run()")
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in found["violations"]] == []


@ALL
@pytest.mark.parametrize("width", [320, 1280])
def test_page_never_scrolls_sideways_and_is_quiet(open_site, site, page, width):
    it = open_site(site / page, viewport={"width": width, "height": 800})
    for handle in it.page.locator("summary").all():
        handle.click()
    assert it.page.evaluate("document.documentElement.scrollWidth") <= width
    it.assert_quiet()


@ALL
def test_page_reads_without_a_script(open_site, site, page):
    it = open_site(site / page, java_script_enabled=False)
    assert "failed its checks" in it.page.locator("body").inner_text() or "math" in page
    assert it.page.locator("tbody tr").count() >= 3


def test_links_lead_from_page_to_page(open_site, site):
    it = open_site(site / "index.html")
    it.page.get_by_role("link", name="Math").first.click()
    it.page.get_by_role("link", name="first", exact=True).click()
    assert it.page.locator("h1").inner_text() == "first"
    it.page.get_by_role("link", name="A board").click()
    assert it.page.title() == "A board"


def test_models_are_selected_by_their_tags_and_ranked_again(open_site, site):
    it = open_site(site / "benchmarks/math/index.html")
    page = it.page
    page.get_by_label("Show models named or tagged").fill("weights")
    assert page.locator("#board tbody tr:visible").count() == 1
    page.get_by_label("Show models named or tagged").fill("model_")
    page.get_by_role("button", name="Select all shown").click()
    page.get_by_role("button", name="Rank the 11 selected").click()
    ranks = page.locator("#board tbody tr:visible td.rank").all_inner_texts()
    assert ranks == [str(rank) for rank in range(1, 12)]
    it.assert_quiet()


def test_fragment_fits_into_another_page(open_page, axe, site):
    host = (
        '<!doctype html><html lang="en"><title>Host</title><body><main><h1>Host</h1>'
        f'{(site / "fragment.html").read_text()}<p id="after">After</p></main></body></html>'
    )
    it = open_page(host, viewport={"width": 320, "height": 800})
    assert it.page.evaluate("document.documentElement.scrollWidth") <= 320
    assert it.page.locator("#after").evaluate("e => getComputedStyle(e).fontSize") == "16px"
    it.page.evaluate(axe)
    assert it.page.evaluate("axe.run()")["violations"] == []
    it.assert_quiet()


def test_no_hostile_text_runs_or_fetches_anything(open_site, tmp_path):
    systems = [name for name in HOSTILE if "\0" not in name and len(name) < 1000]
    fit = save(tmp_path / "fit.nc", systems)
    links = {name: BoardModel((XSS[10],), XSS[19]) for name in systems}
    config = BoardConfig(
        (BoardBenchmark(XSS[0], (fit,), description=XSS[5]),), title=XSS[2], models=links
    )
    site = build_board(replace(config), output=tmp_path / "site", fragment=True).folder
    pages = [*site.glob("*.html"), *site.glob("*/*/*.html"), *sorted(site.glob("models/*"))[::12]]
    for file in pages:
        it = open_site(file)
        it.page.wait_for_timeout(30)
        it.assert_quiet()
