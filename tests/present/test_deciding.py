"""Decisions in the report: marked in a browser, saved, opened again, and followed by the consensus."""

from __future__ import annotations

import csv
import io
import json

import pytest
from browser import browser, opened, violations
from places import CORPORA
from playwright.sync_api import expect

import gamma_align as ga

NOVEL = ga.read(CORPORA / "novels_ner").select(documents="Frankenstein")


@pytest.fixture(scope="module")
def running():
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("deciding") / "report.html"
    ga.html_report(NOVEL, title="novel", samples=3).write(path)
    return path


def decide(page, element, choice, note="", **fields):
    """Decide on a finding or card."""
    element.get_by_role("button", name="Decide").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Whose reading holds?").select_option(choice)
    for name, value in fields.items():
        dialog.get_by_label(name, exact=True).fill(value)
    dialog.get_by_role("textbox", name="Note").fill(note)
    dialog.get_by_role("button", name="Decide").click()


def saved(page, button, folder):
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button, exact=True).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


@pytest.mark.surfaces
def test_decisions_are_marked_saved_opened_and_followed(running, report, tmp_path):
    with opened(running, report) as page:
        expect(page.get_by_text("No decisions")).to_be_visible()
        finding, cards = page.locator(".finding").first, page.locator("#cards .card")
        decide(page, finding, "all but user2, by votes", "possessives, too")
        expect(finding.locator(".decided")).to_have_text("decided: all but user2 (possessives, too)")
        decide(page, cards.nth(0), "no unit")
        decide(page, cards.nth(1), "a new unit", Start="10", End="17", Label="PERX")
        decide(page, cards.nth(2), "nobody's: a note alone", "ask again")
        expect(page.get_by_text("4 decisions")).to_be_visible()
        path = saved(page, "Save", tmp_path)
        rows = list(csv.DictReader(io.StringIO(saved(page, "Save as CSV", tmp_path).read_text())))
        assert page.messages == []
    assert [row["reading"] for row in rows] == ["all but user2", "no unit", "10–17 PERX", ""]
    assert rows[0]["finding"].startswith("words user2 leaves out my his")
    result = ga.consensus(NOVEL, decisions=path)
    assert [row.state for row in result.decisions] == ["settled", "settled", "settled", "noted"]
    assert result.decisions[0].places > 50
    assert (10, 17, True) in {(unit.start, unit.end, unit.is_decided) for unit in result.units}

    with opened(running, report) as page:
        page.locator("[data-decisions=file]").set_input_files(path)
        expect(page.locator("#cards .card").nth(0).locator(".decided")).to_have_text("decided: no unit")
        card = page.locator("#cards .card").nth(1)
        card.get_by_role("button", name="Decide").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_label("End", exact=True)).to_have_value("17")
        dialog.get_by_role("button", name="Take back").click()
        expect(card.locator(".decided")).to_have_text("")
        expect(page.get_by_text("3 decisions")).to_be_visible()
        before = json.loads(path.read_text())["decisions"]
        kept = json.loads(saved(page, "Save", tmp_path).read_text())["decisions"]
        assert kept == [before[0], before[1], before[3]]


@pytest.mark.surfaces
def test_cards_that_open_later_are_marked(running, report):
    with opened(running, report) as page:
        first = page.locator("#cards .card").first
        decide(page, first, "no unit")
        address = first.get_attribute("data-address")
        page.goto(f"{report.as_uri()}#{address}")
        expect(page.locator("#cases .card .decided").first).to_have_text("decided: no unit")


@pytest.mark.surfaces
def test_a_new_unit_does_not_end_before_it_starts(running, report):
    with opened(running, report) as page:
        card = page.locator("#cards .card").first
        decide(page, card, "a new unit", Start="20", End="10", Label="PERX")
        expect(page.get_by_role("dialog")).to_be_visible()  # the browser says what is wrong
        page.get_by_role("button", name="Cancel").click()
        expect(card.locator(".decided")).to_have_text("")


@pytest.mark.surfaces
def test_another_file_is_refused_in_words(running, report, tmp_path):
    (tmp_path / "other.json").write_text('{"schema_version": 2}')
    with opened(running, report) as page:
        page.locator("[data-decisions=file]").set_input_files(tmp_path / "other.json")
        expect(page.get_by_role("status").filter(has_text="no file of decisions")).to_be_visible()


@pytest.mark.surfaces
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_dialog_is_accessible(running, report, scheme):
    with opened(running, report, width=390, color_scheme=scheme) as page:
        page.locator("#cards .card").first.get_by_role("button", name="Decide").click()
        page.get_by_label("Whose reading holds?").select_option("a new unit")
        assert violations(page) == []


def test_names_that_are_not_those_of_the_data_cannot_decide():
    html = ga.html_report(NOVEL, anonymous=True, samples=3).html
    assert "data-subject=" not in html
    assert "<dialog" not in html


@pytest.mark.surfaces
def test_a_finding_that_was_written_by_hand_is_recognised(running, report, tmp_path):
    finding = {
        "kind": "words",
        "annotator": "user2",
        "words": ["my", "his", "your", "mine", "their"],
        "direction": "leaves out",
    }
    decisions = [{"finding": finding, "reading": {"others": "user2"}}]
    path = tmp_path / "by_hand.json"
    path.write_text(json.dumps({"schema_version": 1, "decisions": decisions}))
    with opened(running, report) as page:
        page.locator("[data-decisions=file]").set_input_files(path)
        expect(page.locator(".finding .decided").first).to_have_text("decided: all but user2")
        rows = list(csv.DictReader(io.StringIO(saved(page, "Save as CSV", tmp_path).read_text())))
        assert [row["finding"] for row in rows] == ["words user2 leaves out my his your mine their"]
        assert page.messages == []
