"""Repairs of what `validate` reports, in Python."""

from __future__ import annotations

import inspect
import json

import pytest

import gamma_align as ga


def test_fix_returns_the_corpus_after_repairs():
    report = ga.validate([("ann", 0, 4, "x"), ("bob", 6, 2, " x")])
    assert len(report.problems) == 1
    corpus = report.fix("swapped-bounds", "blanks")
    assert corpus.end.tolist() == [4, 6]
    assert corpus.categories == ("x",)


def test_fix_raises_the_first_problem_that_remains():
    report = ga.validate([("ann", 0, 4, "x"), ("bob", 6, 2, "x")])
    with pytest.raises(ga.InputError, match="row 2: the unit ends at 2, before its start 6"):
        report.fix("blanks")


def test_fix_refuses_an_unknown_repair():
    with pytest.raises(ga.SettingsError, match="no repair 'swap'"):
        ga.validate([("ann", 0, 4, "x")]).fix("swap")


@pytest.fixture
def short_text(tmp_path):
    """Return a file with a unit that ends after the text."""
    units = {"annotator": "ann", "start": 0, "end": 9, "category": "x"}, {"annotator": "bob", "start": 1, "end": 4}
    file = tmp_path / "short.jsonl"
    file.write_text(json.dumps({"document": "d", "text": "short", "units": units}))
    return file


def test_fix_cuts_units_at_the_end_of_their_document(short_text):
    assert ga.validate(short_text).problems
    assert ga.validate(short_text).fix("past-end").end.tolist() == [5, 4]


def test_fix_keeps_the_extended_extents_of_the_validation(short_text):
    assert ga.validate(short_text, outside="extend").fix("blanks").end.tolist() == [9, 4]


def test_validate_has_the_keyword_arguments_of_read():
    keywords = dict(inspect.signature(ga.validate).parameters)
    del keywords["source"], keywords["swap"]
    assert keywords.items() <= inspect.signature(ga.read).parameters.items()
    assert len(keywords) == len(inspect.signature(ga.read).parameters) - 1
