"""The paper is built: two to four pages, with all references, and figures that are those of the tables of results."""

from __future__ import annotations

import importlib
import re

import pytest

for tool in ("matplotlib", "pypandoc", "typst"):
    pytest.importorskip(tool)

pytestmark = pytest.mark.release
build_paper = importlib.import_module("build_paper")  # which needs them


def test_the_paper_is_built_in_two_to_four_pages(tmp_path):
    build_paper.build(tmp_path / "paper.pdf")
    pages = re.findall(rb"/Type\s*/Page\b", (tmp_path / "paper.pdf").read_bytes())
    assert 2 <= len(pages) <= 4


def test_the_paper_has_all_its_references():
    text = build_paper.PAPER.read_text(encoding="utf-8")
    cited = set(re.findall(r"@([a-z]+(?:-[a-z0-9]+)*)", text))
    listed = set(re.findall(r"<ref-([\w-]+)>", build_paper.typst_source()))
    assert len(cited) > 5
    assert listed == cited


def test_each_measured_figure_is_in_the_text():
    source = build_paper.typst_source()
    text = build_paper.PAPER.read_text(encoding="utf-8")
    shown = [match["shown"] for match in build_paper.figures.LINK.finditer(text)]
    assert shown
    assert [figure for figure in shown if figure not in source] == []
