"""The page of what changed between two versions: each unit that is not the same is drawn, with its fate."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from browser import browser, cut_text, opened, violations
from places import CORPORA

import gamma_align as ga

TEXT = "Anna Lee met Bob in Rome. " + "Nothing happened for a long while. " * 12 + "Then Carl Olsen left for Oslo."


def version(rows, text=TEXT):
    corpus = ga.Corpus.from_records(rows, extents={"d": (0, len(text))})
    return replace(corpus, texts=(text,), length_unit="char")


def unit(words, label, annotator="gold", text=TEXT):
    start = text.index(words)
    return "d", annotator, start, start + len(words), label


OLD = [unit("Anna Lee", "PER"), unit("Bob", "PER"), unit("Rome", "LOC"), unit("Carl", "PER"), unit("Oslo", "LOC")]
NEW = [
    *(unit("Anna", "PER"), unit("Lee", "PER"), unit("Bob", "PER"), unit("Rome", "ORG")),
    *(unit("Carl Olsen", "PER"), unit("while", "TIME")),
]


def report_of(old=OLD, new=NEW, **options):
    return ga.html_changes(version(old), version(new), names=("v1", "v2"), units=True, **options)


def titles(page):
    """Return what is said of each unit of the wide drawings."""
    wide = "".join(re.findall(r'<div class="broad">(.*?)</div>', page, re.DOTALL))
    return re.findall(r"<title>(.*?)</title>", wide)


def test_each_unit_of_both_versions_has_its_fate_in_the_drawing():
    found = titles(report_of().html)
    assert "A · PER · 0–8 · “Anna Lee” · split" in found
    assert "B · PER · 5–8 · “Lee” · split" in found
    assert [title.split(" · ")[-1] for title in found if "Rome" in title] == ["relabelled", "relabelled"]
    assert [title.split(" · ")[-1] for title in found if "Carl" in title] == ["moved", "moved"]
    assert [title.split(" · ")[-1] for title in found if "Oslo" in title] == ["removed"]
    assert [title.split(" · ")[-1] for title in found if "while" in title] == ["added"]
    assert [title.split(" · ")[-1] for title in found if "Bob" in title] == ["same", "same"]


def test_only_parts_with_changes_are_drawn():
    drawings = re.findall(r'aria-label="(d, gold, characters [\d,]+ to [\d,]+)"', report_of().html)
    assert len(drawings) == 2
    assert drawings[0].startswith("d, gold, characters 0 to 1")


def test_equal_units_of_one_version_are_drawn_once_each():
    twice = [*OLD, unit("Oslo", "LOC")]
    found = [title for title in titles(report_of(twice, OLD).html) if "Oslo" in title]
    assert sorted(title.split(" · ")[-1] for title in found) == ["removed", "same", "same"]


def test_a_page_of_the_same_units_has_no_drawing():
    page = report_of(OLD, OLD).html
    assert "10 units in both versions are not the same" in re.sub(r"<[^>]+>| ", " ", page).replace("  ", " ")
    assert not titles(page)


def test_tables_have_labels_as_they_are_and_intervals_that_do_not_seem_to_contain_zero():
    rows = [(*row[:4], row[4].lower()) for row in OLD]
    page = ga.html_changes(version(rows), version(rows[:2]), names=("v1", "v2"), units=True).html
    heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', page)
    assert {"loc", "per"} <= {*heads}
    assert "Loc" not in heads
    corpus = ga.read(CORPORA / "novels_ner")
    report = ga.html_changes(corpus, corpus.drop(annotators="user2"), samples=3, causes=False)
    row = report.comparison["gamma"]
    three = f"[{row.low:.3f}, {row.high:.3f}]".replace("-", "−")
    assert f"<small>{three}" in report.html
    assert f"95 % interval {three[1:-1].replace(', ', ' to ')}" in report.html


def test_names_and_labels_are_escaped():
    rows = [(document, "<b>", start, end, "<i>x") for document, _, start, end, _ in OLD]
    page = ga.html_changes(version(rows), version(rows[:2]), names=("<u>", "v2"), units=True).html
    assert "&lt;u&gt;" in page
    assert "&lt;i&gt;x" in page
    assert "<u>" not in page
    assert "<i>x" not in page


def test_a_renamed_document_is_drawn_under_its_new_name():
    new = version(NEW).rename(documents={"d": "e"})
    page = ga.html_changes(version(OLD), new, units=True).html
    assert 'aria-label="e, gold, characters' in page
    assert titles(page) == titles(report_of().html)


def test_units_whose_text_is_gone_are_listed_and_not_drawn():
    text = TEXT.replace("Bob", "")
    rows = [unit("Anna Lee", "PER", text=text)]
    report = ga.html_changes(version(OLD[:2]), version(rows, text), units=True, align_text=True)
    assert [row.fate for row in report.units.changed] == ["lost"]
    assert "lost" in report.html
    assert not titles(report.html)


@pytest.mark.parametrize("seed", range(20))
def test_every_unit_of_any_two_versions_is_drawn_with_the_fate_that_is_counted(seed):
    draw = np.random.default_rng(seed)

    def units():
        starts = draw.integers(30, size=draw.integers(1, 9)).tolist()
        return [("d", "gold", start, start + int(draw.integers(1, 8)), "xy"[draw.integers(2)]) for start in starts]

    old, new = ([*units(), ("d", "gold", 40, 44, label)] for label in "xy")
    report = ga.html_changes(*(ga.Corpus.from_records(rows, extents={"d": (0, 50)}) for rows in (old, new)), units=True)
    drawn = Counter((title[0], title.split(" · ")[-1]) for title in titles(report.html) if " · " in title)
    words = {"both": "moved and relabelled"}
    counts = {
        (side, words.get(row.fate, row.fate)): count
        for row in report.units.counts
        for side, count in (("A", row.first), ("B", row.second))
        if count
    }
    assert drawn == counts


def test_without_text_both_versions_are_drawn_along_the_axis():
    old, new = (replace(version(rows), texts=None, length_unit=None) for rows in (OLD, NEW))
    found = titles(ga.html_changes(old, new, units=True).html)
    assert "A · PER · 0–8 · split" in found


def test_page_of_two_groups_of_people_has_the_units_of_those_in_both():
    corpus = ga.read(CORPORA / "novels_ner").select(documents=["Emma", "Ulysses", "Dracula"])
    first, second = (corpus.select(annotators=names) for names in (["user1", "user2"], ["user2", "user3"]))
    report = ga.html_changes(first, second, samples=3)
    assert report.units.changed == ()
    assert "user1 marks" in report.html or "user3 marks" in report.html or "leaves out" in report.html
    apart = ga.html_changes(first.select(annotators=["user1", "user2"]), corpus.drop(annotators=["user1", "user2"]),
                            units=True)  # fmt: skip
    assert "no annotator is in both" in apart.notes[-1]


def test_report_is_the_same_as_compare_and_unit_changes():
    corpus = ga.read(CORPORA / "novels_ner").select(documents=["Emma", "Ulysses", "Dracula"])
    other = corpus.drop(categories="PERSON")
    report = ga.html_changes(corpus, other, samples=3)
    assert report.comparison.to_dict() == ga.compare(corpus, other, samples=3).to_dict()
    assert report.units.to_dict() == ga.unit_changes(corpus, other).to_dict()
    assert report.html == ga.html_changes(corpus, other, samples=3).html


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("changes")
    report_of().write(folder / "gold.html")
    corpus = ga.read(CORPORA / "novels_ner").select(documents=["Emma", "Ulysses"])
    units = [(name, *unit) for name in corpus.documents for unit in corpus[name].units()]
    fewer = ga.Corpus.from_records(
        [row for number, row in enumerate(units) if number % 60],
        extents={name: tuple(corpus[name].extent) for name in corpus.documents},
    )
    fewer = replace(fewer, texts=corpus.texts, length_unit=corpus.length_unit)
    ga.html_changes(corpus, fewer, samples=3).write(folder / "novels.html")
    return folder


@pytest.mark.surfaces
@pytest.mark.parametrize("name", ["gold", "novels"])
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_page_is_accessible_fits_and_loads_no_other_file(pages, name, width, scheme):
    path = pages / f"{name}.html"
    with browser() as running, opened(running, path, width=width, color_scheme=scheme) as page:
        page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
        while page.locator("[data-unfold]").count():
            page.locator("[data-unfold]").first.click()
        assert violations(page) == []
        assert page.messages == []
        assert page.requests == [path.as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert cut_text(page, ".chip, .key, table") == []
        assert page.locator(".excerpt svg:visible").count() > 1
        if name == "novels":
            assert page.locator("details.whole svg:visible").count() > 1
