"""The atlas of tasks: what its file holds, which tasks are similar, and the table on the page."""

from __future__ import annotations

import json
import runpy

import pytest
from places import CORPORA, ROOT

import gamma_align as ga
from gamma_align.insight.look.atlas import FILE, kind_of, similar_tasks

ROWS = json.loads(FILE.read_text(encoding="utf-8"))
TOOL = runpy.run_path(str(ROOT / "tools" / "atlas" / "make.py"))


@pytest.mark.parametrize("row", [row for row in ROWS if row["corpus"] in ("hearst_kazantseva", "novels_ner", "salami")])
def test_a_row_is_what_its_corpus_gives(row):
    (task,) = (task for task in TOOL["TASKS"] if task.corpus == row["corpus"])
    assert TOOL["row_of"](task) == row


def test_the_page_has_the_table_of_the_file():
    text = TOOL["PAGE"].read_text(encoding="utf-8")
    assert TOOL["page"](text, ROWS) == text


def test_each_corpus_has_a_licence():
    page = (CORPORA / "README.md").read_text(encoding="utf-8")
    assert all(f"| {row['corpus']} |" in page for row in ROWS)


def test_a_corpus_is_not_similar_to_itself():
    novels = ga.read(CORPORA / "novels_ner")
    assert "novels_ner" not in [task.corpus for task in similar_tasks(novels)]
    part = novels.select(documents=["Emma"])
    assert {task.corpus for task in similar_tasks(part)} >= {"novels_ner", "btc_crowd"}


@pytest.mark.parametrize(
    ("units", "kind"),
    [
        ({"ann": [(0, 4), (9, 12)], "bob": [(0, 4), (20, 40)]}, "spans"),
        ({"ann": [(0, 4), (4, 12)], "bob": [(0, 6), (6, 12)]}, "segments"),
        ({"ann": [(0.5, 4), (4, 12)], "bob": [(0, 6), (6, 12)]}, "times"),
        ({"ann": [(0, 4)], "bob": []}, "segments"),
    ],
)
def test_the_kind_of_units_is_told_by_their_bounds(units, kind):
    assert kind_of(ga.read(units)) == kind
