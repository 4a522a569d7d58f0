"""Repairs of what `validate` reports, in Python."""

from __future__ import annotations

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


def test_fix_of_an_unknown_repair_is_refused():
    with pytest.raises(ga.SettingsError, match="no repair 'swap'"):
        ga.validate([("ann", 0, 4, "x")]).fix("swap")


def test_fix_cuts_units_at_the_end_of_their_document(tmp_path):
    units = {"annotator": "ann", "start": 0, "end": 9, "category": "x"}, {"annotator": "bob", "start": 1, "end": 4}
    file = tmp_path / "short.jsonl"
    file.write_text(json.dumps({"document": "d", "text": "short", "units": units}))
    assert ga.validate(file).problems
    assert ga.validate(file).fix("past-end").end.tolist() == [5, 4]
