"""Questions about tables of items: what they propose reads the table, and each known doubt is asked about."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.reading.files import workbooks

RANDOM = np.random.default_rng(23)
N_ITEMS = 40
TRUTH = RANDOM.choice(["pos", "neg", "neu"], N_ITEMS)
JUDGED = {
    name: np.where(RANDOM.random(N_ITEMS) < 0.75, TRUTH, RANDOM.choice(["pos", "neg", "neu"], N_ITEMS)).tolist()
    for name in ("Anna", "Ben", "Clara")
}
IDS = [f"t{number:02}" for number in range(N_ITEMS)]
ALPHA = ga.krippendorff_alpha(ga.ItemTable.from_columns(JUDGED)).value


def write(path, columns, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([[*columns], *zip(*columns.values(), strict=True)])
    return path


def question_of(path):
    with pytest.raises(InputError) as caught:
        ga.read_items(path)
    return caught.value


def proposed(path):
    """Return α of the table as each proposal of its question reads it."""
    return [ga.krippendorff_alpha(ga.read_items(path, map=each)).value for each in question_of(path).proposals]


def one_by_one(*names):
    rows = [(item, coder, cells[index]) for index, item in enumerate(IDS) for coder, cells in JUDGED.items()]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def with_blanks(word):
    return {name: [word if (row + len(name)) % 9 == 0 else cell for row, cell in enumerate(cells)]
            for name, cells in JUDGED.items()}  # fmt: skip


@pytest.mark.parametrize(
    "columns",
    [
        {"id": IDS, **JUDGED, "gold": TRUTH.tolist()},
        {"id": IDS, **JUDGED, "Bedingung": RANDOM.choice(["a", "b"], N_ITEMS).tolist()},
        one_by_one("V1", "V2", "V3"),
        {"key": IDS, **JUDGED, "Total": [*JUDGED["Anna"][1:], "pos"]},
        {"x": IDS, **JUDGED},
    ],
)
def test_what_a_question_proposes_reads_the_table(tmp_path, columns):
    assert proposed(write(tmp_path / "x.csv", columns))[-1] == pytest.approx(ALPHA)


def test_what_a_question_about_json_proposes_reads_it(tmp_path):
    columns = {"id": IDS, **JUDGED, "gold": TRUTH.tolist()}
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    (tmp_path / "x.json").write_text(json.dumps(records))
    assert proposed(tmp_path / "x.json") == [pytest.approx(ALPHA)]


@pytest.mark.parametrize("code", ["99", "-9", "999"])
def test_a_code_among_texts_may_be_missing(tmp_path, code):
    path = write(tmp_path / "x.csv", {"id": IDS, **with_blanks(code)})
    missing = ga.krippendorff_alpha(ga.ItemTable.from_columns(with_blanks(None))).value
    assert proposed(path)[0] == pytest.approx(missing)


def test_a_category_called_true_or_no_has_counts(tmp_path):
    counts = {"true": [3, 4, 0, 1, 2, 3, 0, 4], "false": [0, 0, 3, 3, 1, 1, 4, 0]}
    assert proposed(write(tmp_path / "x.csv", {"id": IDS[:8], **counts}))
    unanimous = {"true": [0, 0, 1, 2, 0, 1, 0, 2], "false": [2, 1, 0, 0, 1, 0, 2, 0]}
    assert proposed(write(tmp_path / "z.csv", {"id": IDS[:8], **unanimous}))
    assert question_of(write(tmp_path / "y.csv", {"id": IDS[:8], "yes": counts["true"], "no": counts["false"]}))


def test_names_of_columns_that_are_judgments_too_are_names_in_a_map(tmp_path):
    letters = dict(zip(("pos", "neg", "neu"), "ABC", strict=True))
    judged = dict(zip("ABC", ([letters[cell] for cell in cells] for cells in JUDGED.values()), strict=True))
    path = write(tmp_path / "x.csv", {"id": IDS, **judged, "gold": TRUTH.tolist()})
    assert proposed(path) == [pytest.approx(ALPHA)]


def test_words_of_missing_judgments_are_proposed_as_both(tmp_path):
    path = write(tmp_path / "x.csv", {"id": IDS, **with_blanks("none")})
    missing = ga.ItemTable.from_columns(with_blanks(None))
    category = ga.ItemTable.from_columns(with_blanks("a category"))
    assert proposed(path) == [pytest.approx(ga.krippendorff_alpha(table).value) for table in (missing, category)]


def test_layouts_are_proposed(tmp_path):
    path = write(tmp_path / "x.csv", {f"q{number}": cells for number, cells in enumerate(JUDGED.values())}
                 | {f"q{number}": JUDGED["Anna"] for number in range(3, 8)})  # fmt: skip
    question = question_of(path)
    assert [each["form"] for each in question.proposals] == ["items-wide"]  # coders in rows have no names here
    shares = {name: [0.25, 0.5, 0.1] * 5 for name in ("a", "b")} | {"c": [0.5, 0.0, 0.8] * 5}
    assert [each["form"] for each in question_of(write(tmp_path / "y.csv", shares)).proposals] == ["items-wide"]


def test_decimal_commas_stay_numbers_in_what_is_proposed(tmp_path):
    numbers = [[round(float(value), 1) for value in RANDOM.normal(50, 9, N_ITEMS)] for _ in range(2)]
    coders = {"Anna": numbers[0], "Ben": [round(x + y / 20, 1) for x, y in zip(*numbers, strict=True)]}
    alpha = ga.krippendorff_alpha(ga.ItemTable.from_columns(coders), distance="interval").value
    cells = {name: [str(value).replace(".", ",") for value in column] for name, column in coders.items()}
    mean = [str(sum(pair) / 2).replace(".", ",") for pair in zip(*coders.values(), strict=True)]
    path = write(tmp_path / "x.csv", {**cells, "result": mean}, ";")
    tables = [ga.read_items(path, map=each) for each in question_of(path).proposals]
    assert ga.krippendorff_alpha(tables[-1], distance="interval").value == pytest.approx(alpha)


@pytest.mark.parametrize(
    ("names", "is_long"),
    [(("paperID", "Attribute"), True), (("paperID", "Merkmal"), False), (("Datei", "Aspekt"), True)],
)
def test_two_columns_that_only_together_name_an_item_are_proposed(tmp_path, names, is_long):
    keys = {names[0]: [item[1] for item in IDS], names[1]: [f"m{item[2]}" for item in IDS]}
    if not is_long:
        assert proposed(write(tmp_path / "x.csv", {**keys, **JUDGED}))[0] == pytest.approx(ALPHA)
        return
    rows = one_by_one("item", "annotator", "label")
    keys = {name: [cells[IDS.index(item)] for item in rows["item"]] for name, cells in keys.items()}
    path = write(tmp_path / "x.csv", {**keys, "annotator": rows["annotator"], "label": rows["label"]})
    assert proposed(path)[0] == pytest.approx(ALPHA)


@pytest.mark.parametrize("name", ["Total", "Summe", "score", "总计"])
def test_a_coder_with_the_name_of_a_remark_is_asked_about(tmp_path, name):
    error = question_of(write(tmp_path / "x.csv", {"id": IDS, **JUDGED, name: JUDGED["Ben"]}))
    assert repr(name) in str(error)
    assert len(ga.read_items(write(tmp_path / "x.csv", {"id": IDS, **JUDGED, name: [*range(40)]})).coders) == 3


@pytest.mark.parametrize("word", ["votes", "Stimmen", "voti", "голоса", "票数"])
def test_counts_are_told_by_their_words_in_many_languages(tmp_path, word):
    columns = {f"joy {word}": [2, 0, 2, 1, 0], f"anger {word}": [1, 1, 1, 2, 3], "x": [9, 8, 70, 6, 5]}
    assert any(each["form"] == "counts" for each in question_of(write(tmp_path / "x.csv", columns)).proposals)


@pytest.mark.parametrize("stem", ["gold", "final_v2", "Konsens", "majority-vote", "эталон", "all"])
def test_a_file_with_the_name_of_a_result_is_asked_about(tmp_path, stem):
    for name, cells in {**JUDGED, stem: TRUTH.tolist()}.items():
        write(tmp_path / f"{name}.csv", {"id": IDS, "label": cells})
    assert f"{stem!r} may be a result" in str(question_of(tmp_path))


def test_a_folder_with_one_table_of_items_is_read(tmp_path):
    write(tmp_path / "judgments.csv", {"id": IDS, **JUDGED})
    (tmp_path / "README.md").write_text("about")
    assert ga.krippendorff_alpha(ga.read_items(tmp_path)).value == pytest.approx(ALPHA)


def test_a_text_in_a_folder_is_no_table_of_items(tmp_path):
    (tmp_path / "one.txt").write_text("a b\nc d\n")
    (tmp_path / "one.ann").write_text("T1\tx 0 1\ta\n")
    assert "a folder" in str(question_of(tmp_path))


def test_a_workbook_is_parsed_once(tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in ([*["id"], *JUDGED], *zip(IDS, *JUDGED.values(), strict=True)):
        book.active.append([*row])
    book.save(tmp_path / "x.xlsx")
    parse = workbooks.sheets
    calls = []
    monkeypatch.setattr(workbooks, "sheets", lambda *arguments: calls.append(arguments) or parse(*arguments))
    assert ga.krippendorff_alpha(ga.read_items(tmp_path / "x.xlsx")).value == pytest.approx(ALPHA)
    assert len(calls) == 1
