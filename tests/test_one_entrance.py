"""`read`, `validate` and the measures take the same data, in files or in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from places import CORPORA

import gamma_align as ga

RECORDS = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y")]
COLUMNS = {
    "document": ["d1", "d1", "d2"],
    "annotator": ["ann", "bob", "ann"],
    "start": [0, 1, 2],
    "end": [4, 5, 5],
    "category": ["x", "x", "y"],
}
SPANS = {"d1": {"ann": [(0, 4, "x")], "bob": [(1, 5, "x")]}, "d2": {"ann": [(2, 5, "y")]}}
CORPUS = ga.Corpus.from_records(RECORDS)
FORMS = [RECORDS, COLUMNS, SPANS, pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), CORPUS]
IDS = ["records", "columns", "spans", "pandas", "polars", "corpus"]


@pytest.mark.parametrize("source", FORMS, ids=IDS)
def test_read_accepts_data_in_memory(source):
    assert ga.read(source) == CORPUS


def test_read_accepts_a_continuum():
    assert ga.read(CORPUS["d1"]) == ga.Corpus.from_continua([CORPUS["d1"]])


@pytest.mark.parametrize("source", FORMS, ids=IDS)
def test_validate_accepts_data_in_memory(source):
    report = ga.validate(source)
    assert (report.problems, len(report.columns), report.files) == ([], 3, 0)


def test_validate_lists_all_problems_of_a_frame():
    frame = pd.DataFrame(COLUMNS | {"end": [-4, 5, -5]})
    problems = [str(problem) for problem in ga.validate(frame).problems]
    assert len(problems) == 2
    assert "row 1" in problems[0]
    assert "row 3" in problems[1]
    swapped = ga.validate(frame, swap=True)
    assert (swapped.problems, len(swapped.swapped)) == ([], 2)


def test_columns_of_a_frame_are_named_like_columns_of_a_file():
    frame = pd.DataFrame(COLUMNS).rename(columns={"document": "article"})
    assert ga.read(frame, columns={"document": "article"}) == CORPUS
    assert ga.validate(frame, columns={"document": "article"}).problems == []
    dicts = frame.to_dict("records")
    assert ga.read(dicts, columns={"document": "article"}) == CORPUS


def test_settings_of_files_are_refused_for_data_in_memory():
    with pytest.raises(ga.SettingsError, match=r"format is for files, .* columns=, outside= and texts="):
        ga.read(COLUMNS, format="csv")
    with pytest.raises(ga.SettingsError, match=r"layers is for files"):
        ga.validate(COLUMNS, layers="x")
    with pytest.raises(ga.SettingsError, match=r"a Corpus has no columns to name"):
        ga.read(CORPUS, columns={"document": "article"})


class TestItems:
    ROWS = [["x", "x"], ["y", "x"], ["y", "y"], ["x", "x"]]  # noqa: RUF012  (never changed)
    TABLE = ga.ItemTable.from_matrix(ROWS)

    @pytest.mark.parametrize(
        "source",
        [
            ROWS,
            np.array(ROWS),
            pd.DataFrame(ROWS, columns=["1", "2"]),
            {"1": ["x", "y", "y", "x"], "2": ["x", "x", "y", "x"]},
            [{"1": first, "2": second} for first, second in ROWS],
        ],
        ids=["lists", "array", "frame", "columns", "records"],
    )
    def test_measures_of_items_accept_judgments_in_any_form(self, source):
        assert ga.krippendorff_alpha(source) == ga.krippendorff_alpha(self.TABLE)
        assert ga.item_agreement(source)["kappa"] == ga.item_agreement(self.TABLE)["kappa"]
        assert ga.by_category(source) == ga.by_category(self.TABLE)
        np.testing.assert_array_equal(ga.coincidence_matrix(source), ga.coincidence_matrix(self.TABLE))

    def test_measures_of_items_accept_a_path(self):
        path = CORPORA / "items" / "dreem_dodh_epochs.parquet"
        assert ga.item_coefficient(path, "pi", interval=None) == ga.item_coefficient(
            ga.read_items(path), "pi", interval=None
        )

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            (["x", "y"], r"\[\[1, 2\], \[2, 2\]\], items in rows and coders in columns, not a list of str"),
            ([1, 2], r"krippendorff_alpha\(\) takes .* not a list of int"),
            (3, r"not an int"),
            ([], r"no judgments"),
            (
                [("i1", "ann", "x"), ("i1", "bob", "y"), ("i2", "ann", "x")],
                r"three coders, or .*ItemTable\.from_matrix.*ItemTable\.from_records",
            ),
            (CORPUS, r"a Corpus.*gamma\(\).*ItemTable\.from_continuum"),
        ],
    )
    def test_other_sources_are_refused_with_the_accepted_ones(self, source, message):
        with pytest.raises(ga.InputError, match=message):
            ga.krippendorff_alpha(source)

    def test_a_matrix_that_may_have_coders_in_rows_is_asked_about(self):
        with pytest.raises(ga.InputError, match="row-per-coder"):
            ga.krippendorff_alpha([[1] * 11 + [2], [1] * 10 + [2, 2]])
