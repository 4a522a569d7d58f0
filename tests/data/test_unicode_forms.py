"""Names in two forms of Unicode (composed and decomposed) are one name, wherever they come in."""

from __future__ import annotations

import json
import unicodedata

import pandas as pd
import pytest

import gamma_align as ga

COMPOSED = "José"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)
ROWS = [
    ("d", "ann", 0, 4, "x"),
    ("d", COMPOSED, 0, 4, "x"),
    ("d", "ann", 6, 9, "y"),
    ("d", DECOMPOSED, 6, 9, "y"),
]
IN_ROLE = {
    "document": [(COMPOSED, "ann", 0, 4, "x"), (DECOMPOSED, "bob", 0, 4, "x")],
    "annotator": ROWS,
    "category": [("d", "ann", 0, 4, COMPOSED), ("d", "bob", 0, 4, DECOMPOSED)],
}
COLUMNS = ("document", "annotator", "start", "end", "category")


def names(corpus: ga.Corpus, role: str) -> tuple[str, ...]:
    values: tuple[str, ...] = getattr(corpus, {"category": "categories"}.get(role, f"{role}s"))
    return values


def check(corpus: ga.Corpus, role: str) -> None:
    assert [name for name in names(corpus, role) if not name.isascii()] == [COMPOSED]
    assert any("Unicode" in note and role in note for note in corpus.notes)


@pytest.mark.parametrize("role", IN_ROLE)
def test_names_in_two_forms_are_one_in_tables_of_every_kind(role, tmp_path):
    rows = IN_ROLE[role]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    check(ga.Corpus.from_records(rows), role)
    check(ga.read(frame), role)
    path = tmp_path / "units.csv"
    frame.to_csv(path, index=False)
    check(ga.read(path), role)
    check(ga.read(path, document="{document}"), role)
    (tmp_path / "spans.jsonl").write_text(
        "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in rows)
    )
    check(ga.read(tmp_path / "spans.jsonl"), role)


def test_names_in_one_form_stay_as_they_are_written():
    corpus = ga.Corpus.from_records([(DECOMPOSED, "ann", 0, 4, "x"), (DECOMPOSED, "bob", 0, 4, "x")])
    assert corpus.documents == (DECOMPOSED,)
    assert corpus.notes == ()


def test_gamma_is_that_of_the_same_rows_in_one_form():
    one_form = [tuple(COMPOSED if value == DECOMPOSED else value for value in row) for row in ROWS]
    assert ga.gamma(ga.Corpus.from_records(ROWS)).gamma == ga.gamma(ga.Corpus.from_records(one_form)).gamma


def test_extents_and_declared_annotators_hold_for_both_forms():
    corpus = ga.Corpus.from_records(
        IN_ROLE["document"], annotations=[(COMPOSED, "ann"), (DECOMPOSED, "bob")], extents={DECOMPOSED: (0, 10)}
    )
    assert corpus.documents == (COMPOSED,)
    assert corpus.extents.tolist() == [[0, 10]]


def test_merged_corpora_have_one_annotator_and_two_copies_are_refused():
    first = ga.Corpus.from_records([("d", "ann", 0, 4, "x"), ("d", COMPOSED, 0, 4, "x")])
    second = ga.Corpus.from_records([("e", DECOMPOSED, 0, 4, "x")])
    merged = first.merge(second)
    assert set(merged.annotators) == {"ann", COMPOSED}
    assert any("Unicode" in note for note in merged.notes)
    with pytest.raises(ga.InputError, match="both corpora"):
        first.merge(ga.Corpus.from_records([("d", DECOMPOSED, 6, 9, "x")]))


def brat(folder, document, units):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{document}.txt").write_text("Ada met Bob in Rome.")
    lines = (f"T{i}\t{label} {start} {end}\t{text}\n" for i, (label, start, end, text) in enumerate(units, 1))
    (folder / f"{document}.ann").write_text("".join(lines))


def test_files_whose_names_have_two_forms_are_one_document(tmp_path):
    brat(tmp_path / "ann", COMPOSED, [("PER", 0, 3, "Ada"), ("LOC", 15, 19, "Rome")])
    brat(tmp_path / "bob", DECOMPOSED, [("PER", 0, 3, "Ada")])
    corpus = ga.read(tmp_path)
    assert len(corpus.documents) == 1
    assert corpus.annotators == ("ann", "bob")
    assert any("Unicode" in note for note in corpus.notes)


def test_two_files_of_one_annotator_in_two_forms_are_refused(tmp_path):
    for form in (COMPOSED, DECOMPOSED):
        brat(tmp_path / form, "d", [("PER", 0, 3, "Ada")])
    with pytest.raises(ga.InputError):
        ga.read(tmp_path)


def test_texts_are_found_under_the_other_form(tmp_path):
    rows = [(COMPOSED, "ann", 0, 3, "x"), (COMPOSED, "bob", 0, 3, "x")]
    pd.DataFrame(rows, columns=COLUMNS).to_csv(tmp_path / "units.csv", index=False)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / f"{DECOMPOSED}.txt").write_text("Ada met Bob.")
    for texts in (tmp_path / "texts", {DECOMPOSED: "Ada met Bob."}):
        assert ga.read(tmp_path / "units.csv", texts=texts).texts == ("Ada met Bob.",)


def test_items_have_one_coder_one_item_and_one_category():
    long = [("i1", "ann", COMPOSED), ("i1", "bob", DECOMPOSED), ("i2", "ann", "x"), ("i2", "bob", "x")]
    table = ga.ItemTable.from_records(long)
    assert set(table.categories) == {COMPOSED, "x"}
    assert any("Unicode" in note for note in table.notes)
    assert ga.ItemTable.from_records([("i1", COMPOSED, "x"), ("i2", DECOMPOSED, "x")]).coders == (COMPOSED,)
    assert len(ga.ItemTable.from_records([(COMPOSED, "ann", "x"), (DECOMPOSED, "bob", "x")])) == 1
    wide = ga.ItemTable.from_columns({"ann": [COMPOSED, "x"], "bob": [DECOMPOSED, "x"]})
    assert len(wide.categories) == 2
    assert len(ga.ItemTable.from_matrix([[COMPOSED, DECOMPOSED], ["x", "x"]]).categories) == 2
    with pytest.raises(ga.InputError, match="Unicode"):
        ga.ItemTable.from_columns({COMPOSED: ["x"], DECOMPOSED: ["x"]})
