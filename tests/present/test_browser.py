"""The report in a browser: it loads no other file, is accessible, opens cases, and fits the width of the window."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from browser import browser, cut_text, opened, violations
from crowds import make_crowd
from five_labels import five_labels
from places import CORPORA
from playwright.sync_api import expect

import gamma_align as ga

pytestmark = pytest.mark.surfaces

NOVELS = CORPORA / "novels_ner"
WIDTHS = (320, 390, 760, 1280)
NOVELS_OPTIONS = {"reference": "user3", "remarks": ["user3 is the agreed version."], "asked": 0.8}
REPORTS = {  # corpus, number of its documents if not all, options of the report
    "novels": (NOVELS, None, NOVELS_OPTIONS),
    "four novels": (NOVELS, 4, NOVELS_OPTIONS),
    "hearst": (CORPORA / "hearst_kazantseva", None, {}),
    "a night": (CORPORA / "dreem_sleep_dodh", 1, {}),
    "brat": (CORPORA / "formats" / "brat" / "multi_annotator_project", None, {}),
}
OTHER_REPORTS = ("hearst", "a night", "brat")


def make_five_labels_with_text():
    text, rows = five_labels()
    return replace(ga.Corpus.from_records(rows, extents={"d": (0, len(text))}), texts=(text,))


def make_five_labels_without_text():
    return ga.Corpus.from_records(five_labels()[1])


CORPUS_MAKERS = {"five labels": make_five_labels_with_text, "five labels without text": make_five_labels_without_text}


@pytest.fixture(scope="module")
def running():
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Return a function from names to paths of reports, which are written at the first call."""
    folder = tmp_path_factory.mktemp("reports")

    def path_of(name):
        path = folder / f"{name}.html"
        if not path.exists():
            source, n_documents, options = REPORTS.get(name, (None, None, {}))
            corpus = CORPUS_MAKERS[name]() if source is None else ga.read(source)
            if n_documents is not None:
                corpus = corpus.select(documents=corpus.documents[:n_documents])
            ga.html_report(corpus, title=name, samples=3, **options).write(path)
        return path

    return path_of


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [
        *(("four novels", scheme, width) for scheme in ("light", "dark") for width in (390, 1280)),
        *((name, *looks) for name in OTHER_REPORTS for looks in (("dark", 390), ("light", 1280))),
        *(("five labels", "light", width) for width in WIDTHS),
    ],
)
def test_report_is_accessible_and_loads_no_other_file(running, reports, name, scheme, width):
    path = reports(name)
    with opened(running, path, width=width, color_scheme=scheme) as page:
        open_cards(page)
        assert violations(page) == []
        assert page.messages == []
        assert page.requests == [path.as_uri()]


def open_cards(page):
    """Unfold all tables and open the cards behind the first count."""
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    while page.locator("[data-unfold]").count():
        page.locator("[data-unfold]").first.click()
    page.locator("a[data-cases]").first.click()
    assert page.locator("#cases .card").count() > 0


@pytest.mark.parametrize("name", CORPUS_MAKERS)
@pytest.mark.parametrize("width", WIDTHS)
def test_cards_tables_and_labels_show_all_characters(running, reports, name, width):
    with opened(running, reports(name), width=width) as page:
        open_cards(page)
        assert page.locator(".card .chip").count() > 0
        assert cut_text(page, ".card, .chip, .key, table") == []


@pytest.mark.parametrize("name", ["novels", *OTHER_REPORTS])
@pytest.mark.parametrize("width", WIDTHS)
def test_page_does_not_scroll_sideways(running, reports, name, width):
    with opened(running, reports(name), width=width) as page:
        open_cards(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.fixture(scope="module")
def crowd_reports(tmp_path_factory):
    """The paths of the reports of 35 and 60 annotators, of which all pairs are shown, and of 80."""
    folder = tmp_path_factory.mktemp("crowds")
    for n_annotators, n_documents, share_seen in ((35, 6, 1.0), (60, 20, 0.3), (80, 20, 0.3)):
        corpus = make_crowd(n_annotators, n_documents, share_seen)
        ga.html_report(corpus, samples=3).write(folder / f"{n_annotators}.html")
    return {n_annotators: folder / f"{n_annotators}.html" for n_annotators in (35, 60, 80)}


@pytest.mark.parametrize(
    ("n_annotators", "scheme", "width"),
    [
        *((35, scheme, width) for scheme in ("light", "dark") for width in WIDTHS),
        (60, "light", 390),
        (60, "dark", 1280),
        (80, "light", 320),
    ],
)
def test_pairs_of_a_crowd_are_accessible_at_all_widths(running, crowd_reports, n_annotators, scheme, width):
    with opened(running, crowd_reports[n_annotators], width=width, color_scheme=scheme) as page:
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert cut_text(page, ".heat th span, .heat tbody th") == []
        assert page.messages == []


def test_the_map_of_pairs_is_used_by_keys(running, crowd_reports):
    with opened(running, crowd_reports[35]) as page:
        cells = page.locator("table.heat [data-pair]")
        assert cells.count() == 35 * 34 // 2
        assert page.locator('table.heat [data-pair][tabindex="0"]').count() == 1
        cells.first.focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):  # above is the end of the shorter row
            page.keyboard.press(key)
        line = page.locator(".heat-line").inner_text()
        names = page.locator("table.heat tbody th")
        assert line.startswith(f"{names.nth(1).inner_text()} and {names.nth(2).inner_text()}")
        n_differ, n_places = map(int, re.search(r"differ in (\d+) of (\d+) places", line).groups())
        assert n_differ < n_places
        page.keyboard.press("Enter")
        expect(page.locator("#cases > h3")).to_contain_text(f"{n_differ} cases: ")
        assert page.locator("#cases .card").count() == min(n_differ, 20)
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.dataset.cases").startswith("p-")


def test_the_address_of_a_pair_of_a_crowd_opens_its_cases(running, crowd_reports):
    path = crowd_reports[35]
    with opened(running, path) as page:
        key = page.locator("table.heat a[data-cases]").nth(5).get_attribute("data-cases")
        page.goto(f"{path.as_uri()}#{key}")
        page.reload()
        expect(page.locator("#cases > h3")).to_contain_text("differ")


def test_of_a_larger_crowd_the_pairs_at_both_ends_are_listed(running, crowd_reports):
    with opened(running, crowd_reports[80]) as page:
        assert page.locator("table.heat").count() == 0
        for title in ("Pairs of most disorder", "Pairs of least disorder"):
            table = page.get_by_role("region", name=title)
            assert table.locator("tbody tr").count() == 8
            link = table.locator("a[data-cases]").first
            n_differ = int(link.inner_text())
            link.click()
            expect(page.locator("#cases > h3")).to_contain_text(f"{n_differ} cases: ")


def test_counts_open_as_many_cards(running, reports):
    with opened(running, reports("novels")) as page:
        for key in ("w-his", "d-VanityFair", "p-user1-user2", "without-user2", "s-2", "c-PERSON-PERX"):
            link = page.locator(f'a[data-cases="{key}"]').first
            number = int(link.inner_text().split()[0].replace(",", ""))
            link.click()
            while page.locator("#cases > button").count():
                page.locator("#cases > button").click()
            assert page.locator("#cases .card").count() == number, key
            assert page.evaluate("decodeURIComponent(location.hash)") == f"#{key}"
        page.keyboard.press("Escape")
        assert page.locator("#cases").count() == 0


def test_address_opens_its_cases(running, reports):
    path = reports("novels")
    with opened(running, path) as page:
        page.goto(f"{path.as_uri()}#w-his")
        page.reload()
        assert "123" in page.locator("#cases > h3").inner_text()
        address = page.locator("#cases .card").first.get_attribute("data-address")
        page.goto(f"{path.as_uri()}#{address}")
        assert page.locator("#cases .card").count() == 1
        assert page.locator("#cases .card").get_attribute("data-address") == address
        page.goto(f"{path.as_uri()}#w-hither")  # an occurrence that is folded, or none at all
        assert page.messages == []


def test_page_without_javascript_shows_all_unfolded_parts(running, reports):
    with opened(running, reports("novels"), java_script_enabled=False) as page:
        words = page.locator("main").inner_text()
        for heading in ("What to settle", "Words people disagree on", "Disagreements", "Documents", "Annotators"):
            assert heading in words
        assert page.locator("main .card").count() == 5
        assert "12 of 439 texts" in words
        assert not page.locator("button:visible").count()


@pytest.mark.parametrize("width", [390, 1280])
def test_lanes_of_a_card_align_all_characters(running, reports, width):
    with opened(running, reports("novels"), width=width) as page:
        page.locator('a[data-cases="k-1"], a[data-cases="k-2"]').first.click()
        apart, lanes = page.evaluate(
            """() => {
              let apart = 0, lanes = 0;
              for (const card of document.querySelectorAll(".card")) {
                const places = [...card.querySelectorAll(".lane .text")].map((lane) => {
                  const walker = document.createTreeWalker(lane, NodeFilter.SHOW_TEXT), found = [];
                  const box = lane.getBoundingClientRect();
                  for (let node; (node = walker.nextNode()); )
                    for (let i = 0; i < node.length; i++) {
                      const range = new Range();
                      range.setStart(node, i); range.setEnd(node, i + 1);
                      const at = range.getBoundingClientRect();
                      found.push([at.left - box.left, Math.round((at.top - box.top) / 10)]);
                    }
                  return found;
                });
                lanes += places.length;
                for (const other of places.slice(1))
                  other.forEach(([x, line], i) => {
                    apart = Math.max(apart, Math.abs(x - places[0][i][0]), 100 * Math.abs(line - places[0][i][1]));
                  });
              }
              return [apart, lanes];
            }"""
        )
        assert lanes >= 15
        assert apart <= 0.5


def test_keys_move_the_focus_between_cards(running, reports):
    with opened(running, reports("novels")) as page:
        focused = "document.activeElement.dataset.address ?? null"
        page.keyboard.press("w")
        worst = page.evaluate(focused)
        assert worst == page.locator("main .card").first.get_attribute("data-address")
        page.keyboard.press("j")
        second = page.evaluate(focused)
        assert second not in (None, worst)
        page.keyboard.press("k")
        assert page.evaluate(focused) == worst
        link = page.locator('a[data-cases="w-his"]')
        link.focus()
        page.keyboard.press("Enter")
        assert "123" in page.evaluate("document.activeElement.textContent")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.dataset.cases") == "w-his"


def test_columns_of_documents_sort_in_both_directions(running, reports):
    with opened(running, reports("novels")) as page:
        head = page.get_by_role("button", name="Share of the disorder")
        page.get_by_role("button", name="γ", exact=True).click()
        assert page.locator("th[aria-sort=ascending]").inner_text().startswith("γ")
        assert page.locator("#documents tbody th").first.inner_text() == "VanityFair"
        head.click()
        shares = page.locator("table.sortable tbody tr td:nth-child(7)").evaluate_all(
            "cells => cells.map(cell => parseFloat(cell.dataset.value))"
        )
        assert len(shares) == 12
        assert shares == sorted(shares, reverse=True)
        assert page.locator("th[aria-sort=descending]").inner_text().startswith("Share")
        head.click()
        assert page.locator("th[aria-sort=ascending]").count() == 1


def test_folded_rows_are_inserted_when_they_unfold(running, reports):
    with opened(running, reports("novels")) as page:
        rows = page.locator("#words tbody tr")
        assert rows.count() == 12
        page.locator("#words [data-unfold]").click()
        assert rows.count() == 439
        assert page.locator("#words [data-unfold]").count() == 0


def test_citation_is_copied(running, reports):
    with opened(running, reports("novels"), permissions=["clipboard-read", "clipboard-write"]) as page:
        page.get_by_role("button", name="Copy sentence").click()
        expect(page.locator("#copied")).to_have_text(re.compile("Copied|Selected"))
        assert page.locator("#sentence").inner_text().startswith("γ = 0.8")


def test_printed_page_is_light_and_has_no_buttons(running, reports):
    with opened(running, reports("novels"), color_scheme="dark") as page:
        paper = "getComputedStyle(document.body).backgroundColor"
        assert page.evaluate(paper) != "rgb(255, 255, 255)"
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate(paper) == "rgb(255, 255, 255)"
        assert not page.locator("button:visible:not(th button)").count()
        assert page.locator("th button:visible").count() == 6  # heads of columns stay
        assert page.pdf(format="A4").startswith(b"%PDF")
