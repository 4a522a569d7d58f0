"""Tables of a coder each: the coders come from the names of files, folders or sheets, and items are joined."""

import csv
import json

import numpy as np
import openpyxl
import pytest

import gamma_align as ga
from gamma_align.errors import InputError

N = 60
CODERS = ("ann", "bob", "cem")
LABELS = ("joy", "anger", "calm")


def truth(seed=0):
    """Return the judgments of three coders on sixty texts."""
    rng = np.random.default_rng(seed)
    gold = [str(rng.choice(LABELS)) for _ in range(N)]
    return {
        coder: [label if rng.random() < share else str(rng.choice(LABELS)) for label in gold]
        for coder, share in zip(CODERS, (0.9, 0.7, 0.5), strict=True)
    }


TRUTH = truth()
EXPECTED = ga.krippendorff_alpha(ga.ItemTable.from_matrix([*zip(*TRUTH.values(), strict=True)])).value


def rows_of(coder, texts=None):
    texts = texts or [f"text number {index}" for index in range(N)]
    return [("text", "emotion"), *zip(texts, TRUTH[coder], strict=True)]


def saved(path, rows):
    path.parent.mkdir(exist_ok=True, parents=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def alpha(path, **settings):
    return ga.krippendorff_alpha(ga.read_items(path, **settings)).value


def by_file(folder, coder):
    return saved(folder / f"{coder}.csv", rows_of(coder))


def by_folder(folder, coder):
    return saved(folder / coder / "labels.csv", rows_of(coder))


def by_document(folder, coder):
    header, *rows = rows_of(coder)
    for part in (0, 1):
        path = saved(folder / coder / f"part{part}.csv", [header, *rows[part::2]])
    return path


def shuffled(folder, coder):
    header, *rows = rows_of(coder)
    np.random.default_rng(len(rows) + ord(coder[0])).shuffle(rows)
    return saved(folder / f"{coder}.csv", [header, *rows])


def numbered_anew(folder, coder):
    """Each coder's table has a number of the row, which says nothing about the item."""
    header, *rows = rows_of(coder)
    np.random.default_rng(len(rows) + ord(coder[0])).shuffle(rows)
    return saved(folder / f"{coder}.csv", [("no", *header), *((index, *row) for index, row in enumerate(rows, 1))])


def repeated_texts(folder, coder):
    """Texts occur several times, and the rows have one order."""
    return saved(folder / f"{coder}.csv", rows_of(coder, [f"text {index % 7}" for index in range(N)]))


@pytest.mark.parametrize("form", [by_file, by_folder, by_document, shuffled, repeated_texts])
def test_tables_of_a_coder_each_are_joined(tmp_path, form):
    for coder in CODERS:
        form(tmp_path, coder)
    table = ga.read_items(tmp_path)
    assert {*table.coders} == {*CODERS}
    assert len(table) == N
    assert ga.krippendorff_alpha(table).value == pytest.approx(EXPECTED)
    assert float(ga.look(tmp_path).values[0].value) == pytest.approx(EXPECTED)


def test_files_may_be_named_one_by_one(tmp_path):
    paths = [by_folder(tmp_path, coder) for coder in CODERS]
    assert alpha(paths) == pytest.approx(EXPECTED)


def test_sheets_may_be_of_a_coder_each(tmp_path):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for coder in CODERS:
        sheet = book.create_sheet(coder)
        for row in rows_of(coder):
            sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    assert alpha(tmp_path / "book.xlsx") == pytest.approx(EXPECTED)


def test_items_that_a_coder_did_not_judge_are_missing(tmp_path):
    saved(tmp_path / "ann.csv", rows_of("ann"))
    saved(tmp_path / "bob.csv", rows_of("bob")[: N - 10])
    table = ga.read_items(tmp_path)
    assert len(table) == N
    both = [*zip(TRUTH["ann"], TRUTH["bob"][: N - 11] + [None] * 11, strict=True)]
    assert ga.krippendorff_alpha(table).value == pytest.approx(
        ga.krippendorff_alpha(ga.ItemTable.from_matrix(both)).value
    )


def test_a_second_column_of_judgments_is_asked_about(tmp_path):
    for coder in CODERS:
        header, *rows = rows_of(coder)
        sure = [(*row, len(row[1]) % 3 + 1 if coder == "ann" else 2) for row in rows]
        saved(tmp_path / f"{coder}.csv", [(*header, "grade"), *sure])
    with pytest.raises(InputError) as caught:
        ga.read_items(tmp_path)
    assert len(caught.value.proposals) == 2
    found = {each["roles"]["category"]: alpha(tmp_path, map=each) for each in caught.value.proposals}
    assert found["emotion"] == pytest.approx(EXPECTED)
    assert found["grade"] != pytest.approx(EXPECTED)


def test_numbers_of_rows_name_no_items_if_texts_do(tmp_path):
    for coder in CODERS:
        numbered_anew(tmp_path, coder)
    with pytest.raises(InputError) as caught:
        ga.read_items(tmp_path)
    found = {each["roles"]["item"]: alpha(tmp_path, map=each) for each in caught.value.proposals}
    assert [*found] == ["text", "no"]
    assert found["text"] == pytest.approx(EXPECTED)


@pytest.mark.parametrize("name", ["gold", "final_labels", "majority", "consensus"])
def test_a_file_that_may_be_a_result_is_asked_about(tmp_path, name):
    for coder in ("ann", "bob"):
        by_file(tmp_path, coder)
    saved(tmp_path / f"{name}.csv", rows_of("cem"))
    with pytest.raises(InputError, match=name):
        ga.read_items(tmp_path)


def test_parts_of_a_table_are_no_coders(tmp_path):
    """Files of other items are not of a coder each, whatever their names."""
    header, *rows = rows_of("ann")
    saved(tmp_path / "monday.csv", [header, *rows[:30]])
    saved(tmp_path / "tuesday.csv", [header, *rows[30:]])
    with pytest.raises(InputError):
        ga.read_items(tmp_path)


def test_files_with_a_column_of_annotators_are_no_coders(tmp_path):
    for part in (0, 1):
        rows = [(f"t{index}", coder, TRUTH[coder][index]) for index in range(20) for coder in ("ann", "bob")]
        saved(tmp_path / f"part{part}.csv", [("text", "annotator", "emotion"), *rows])
    with pytest.raises(InputError):
        ga.read_items(tmp_path)


def test_columns_of_the_same_values_are_coders_and_files_documents(tmp_path):
    for night in range(3):
        columns = [TRUTH[coder][night * 20 : night * 20 + 20] for coder in CODERS]
        rows = [(epoch, *labels) for epoch, labels in enumerate(zip(*columns, strict=True), 1)]
        saved(tmp_path / f"night{night}.csv", [("epoch", *CODERS), *rows])
    with pytest.raises(InputError):
        ga.read_items(tmp_path)


def test_files_of_json_may_name_their_coder_in_each_record(tmp_path):
    for coder in CODERS:
        header, *rows = rows_of(coder)
        records = [
            {**dict(zip(header, row, strict=True)), "note": f"because {row}", "annotator": f"{coder}_1", "model": "m1"}
            for row in rows
        ]
        (tmp_path / f"{coder}.json").write_text(json.dumps(records), encoding="utf-8")
    table = ga.read_items([tmp_path / f"{coder}.json" for coder in CODERS])
    assert {*table.coders} == {f"{coder}_1" for coder in CODERS}
    assert ga.krippendorff_alpha(table).value == pytest.approx(EXPECTED)


def test_lists_of_stages_in_json_are_of_a_scorer_and_night_each(tmp_path):
    """As in the repositories of the Dreem Open Datasets: scorers/dataset/scorer/record.json."""
    for coder in CODERS:
        (tmp_path / coder).mkdir()
        for night in range(2):
            stages = [LABELS.index(label) for label in TRUTH[coder][night * 30 : night * 30 + 30]]
            (tmp_path / coder / f"night{night}.json").write_text(json.dumps(stages), encoding="utf-8")
    assert alpha(tmp_path) == pytest.approx(EXPECTED)


def numbered(names):
    """Return tables whose rows are numbered, and nothing else is alike."""
    for name, coder in zip(names, CODERS, strict=False):
        yield name, [("no", "emotion"), *enumerate(TRUTH[coder], 1)]


def test_numbers_of_rows_alone_are_asked_about(tmp_path):
    """Documents of one person are numbered alike, too."""
    for name, rows in numbered(("monday", "tuesday")):
        saved(tmp_path / f"{name}.csv", rows)
    with pytest.raises(InputError) as caught:
        ga.read_items(tmp_path)
    (proposed,) = caught.value.proposals
    assert {*ga.read_items(tmp_path, map=proposed).coders} == {"monday", "tuesday"}


def test_numbers_of_rows_name_items_if_files_are_named_as_coders(tmp_path):
    for name, rows in numbered(("coder1", "coder2", "coder3")):
        saved(tmp_path / f"{name}.csv", rows)
    assert alpha(tmp_path) == pytest.approx(EXPECTED)


def test_tables_of_other_texts_under_the_same_numbers_are_no_coders(tmp_path):
    for name, rows in numbered(("monday", "tuesday")):
        texts = [(*row, f"{name} said number {index}") for index, row in enumerate(rows[1:])]
        saved(tmp_path / f"{name}.csv", [(*rows[0], "text"), *texts])
    with pytest.raises(InputError) as caught:
        ga.read_items(tmp_path)
    assert not caught.value.proposals


def test_a_constant_column_may_be_a_coder(tmp_path):
    for night in range(3):
        rows = [(epoch, "joy", label) for epoch, label in enumerate(TRUTH["ann"][night * 20 : night * 20 + 20], 1)]
        saved(tmp_path / f"night{night}.csv", [("epoch", "Kay", "Lou"), *rows])
    with pytest.raises(InputError) as caught:
        ga.read_items(tmp_path)
    assert not caught.value.proposals
