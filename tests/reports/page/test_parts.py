"""Ranks part by part, beside the overall ones."""

import html5lib
import pytest

from bayesrank import rank
from bayesrank.exceptions import ArgumentError
from bayesrank.reports.page import leaderboard_page
from bayesrank.reports.page._parts import MOST_PARTS, parts_table
from tests.battle_pages import part_posterior, part_rankings
from tests.pages import names, ranking_of
from tests.payloads import HOSTILE, XSS


def page_of(systems, parts, **options):
    ranking, by_part = part_rankings(part_posterior(systems, parts, **options))
    return leaderboard_page(ranking, parts=by_part)


def parsed(page):
    return html5lib.parse(page, namespaceHTMLElements=False)


def table_of(page):
    return parsed(page).find(".//section[@class='parts']//table")


def words_of(element):
    return " ".join(" ".join(element.itertext()).split())


def test_every_cell_is_the_rank_in_that_part():
    parts = ["english", "german", "coding"]
    ranking, by_part = part_rankings(part_posterior(names(7), parts))
    table = table_of(ranking.to_html(parts=by_part))
    assert [words_of(th) for th in table.findall("thead/tr/th")] == ["Model", "Overall", *parts]
    frame = ranking.table()
    rows = table.findall("tbody/tr")
    assert [words_of(row[0]) for row in rows] == frame["model"].tolist()
    assert [int(words_of(row[1])) for row in rows] == frame["rank"].tolist()
    seen = set()
    for row, name, overall in zip(rows, frame["model"], frame["rank"], strict=True):
        for cell, part in zip(row[2:], parts, strict=True):
            data = by_part[part].dataset.sel(system=name)
            rank_, low, high = (int(data[v]) for v in ("rank", "rank_low", "rank_high"))
            mark = ""
            if high < overall:
                mark = "▲ better than overall"
            elif low > overall:
                mark = "▼ worse than overall"
            seen.add(mark)
            interval = "" if low == high else f"{low} to {high}"
            assert words_of(cell) == " ".join(f"{rank_} {mark} {interval}".split())
    assert len(seen) == 3


def test_better_ranks_are_darker():
    ranking, by_part = part_rankings(part_posterior(names(9), ["a", "b"]))
    order = ranking.dataset.sortby("rank")
    found = parts_table(by_part, order, level="95 %")
    for _, _, cells in found.rows:
        for cell in cells:
            assert cell.shade == 10 - int(cell.rank)


def test_what_is_left_out_is_said():
    page = page_of(names(60), [f"2024-{k}" for k in range(30)], draws=20)
    text = words_of(parsed(page).find(".//section[@class='parts']"))
    assert "The 50 best of 60 models are shown." in text
    assert f"The last {MOST_PARTS} of 30 parts are shown." in text
    header = [words_of(th) for th in table_of(page).findall("thead/tr/th")]
    assert header[2:] == [f"2024-{k}" for k in range(6, 30)]


def test_without_parts_there_is_no_panel():
    assert "Ranks part by part" not in leaderboard_page(ranking_of(names(3)))
    assert "Ranks part by part" not in leaderboard_page(ranking_of(names(3)), parts={})


def test_parts_of_other_models_are_refused():
    other = ranking_of(["x", "y"])
    with pytest.raises(ArgumentError, match="of other models"):
        leaderboard_page(ranking_of(names(3)), parts={"german": other})


def elements(page):
    return [
        (str(e.tag), tuple(sorted(map(str, e.attrib))))
        for e in parsed(page).iter()
        if e.tag != "wbr"
    ]


@pytest.mark.parametrize("start", range(0, len(XSS), 10))
def test_hostile_names_of_parts_stay_text(start):
    hostile = XSS[start : start + 10]
    plain = [f"plain {k}" for k in range(len(hostile))]
    assert elements(page_of(names(3), hostile, draws=20)) == elements(
        page_of(names(3), plain, draws=20)
    )


def test_names_of_parts_can_be_read_back_and_are_bounded():
    hostile = [h for h in HOSTILE if len(h) <= 40 and h.isprintable()][:MOST_PARTS]
    header = [words_of(th) for th in table_of(page_of(["a", "b"], hostile, draws=20))[1][0]]
    assert header[2:] == [" ".join(h.split()) for h in hostile]
    assert "x" * 41 not in page_of(["a", "b"], ["x" * 10_000, "c"], draws=20)


def test_a_part_is_ranked_on_a_page_of_its_own():
    posterior = part_posterior(names(4), ["english", "german"])
    text = words_of(parsed(leaderboard_page(rank(posterior, part="german"))).find(".//header"))
    assert "(part 'german')" in text


def test_pages_with_parts_stay_small():
    page = page_of(names(300), [f"part {k}" for k in range(MOST_PARTS)], draws=10)
    assert len(page.encode()) < 1_500_000
