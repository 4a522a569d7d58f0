"""Words for "missing", such as NA, are no categories of items."""

import numpy as np
import polars as pl
import pytest

import gamma_align as ga
from gamma_align.apps.cli import main
from gamma_align.data.missing_words import WORDS
from gamma_align.errors import InputError
from gamma_align.requests.shell import COMMAND_LINE

RANDOM = np.random.default_rng(11)
LABELS = ["GOOD", "BAD", "MIXED"]
CODERS = ["mira", "jonas", "tove"]
TRUTH = RANDOM.choice(LABELS, 40)
MATRIX = [
    [str(label) if RANDOM.random() < 0.7 else str(RANDOM.choice(LABELS)) for _ in CODERS] for label in TRUTH.tolist()
]
for row in RANDOM.choice(40, 8, replace=False).tolist():
    MATRIX[row][row % 3] = None
ALPHA = ga.krippendorff_alpha(ga.ItemTable.from_matrix(MATRIX)).value


def matrix_with(word, matrix=MATRIX):
    return [[word if cell is None else cell for cell in row] for row in matrix]


def wide_file(tmp_path, word, matrix=MATRIX):
    path = tmp_path / "ratings.csv"
    rows = [["item", *CODERS], *([f"i{index}", *row] for index, row in enumerate(matrix_with(word, matrix)))]
    path.write_text("\n".join(map(",".join, rows)) + "\n")
    return path


def long_columns(word):
    cells = [cell for row in matrix_with(word) for cell in row]
    items = [index for index in range(len(MATRIX)) for _ in CODERS]
    return {"item": items, "annotator": CODERS * len(MATRIX), "category": cells}


def alpha(table):
    return ga.krippendorff_alpha(table).value


@pytest.mark.parametrize("word", WORDS)
def test_words_of_r_and_pandas_are_missing_and_counted(tmp_path, word):
    table = ga.read_items(wide_file(tmp_path, word))
    assert alpha(table) == pytest.approx(ALPHA)
    assert any(f"'{word}' (8 cells)" in note for note in table.notes)
    assert alpha(ga.ItemTable.from_matrix(matrix_with(word))) == pytest.approx(ALPHA)
    assert alpha(ga.ItemTable.from_columns(long_columns(word))) == pytest.approx(ALPHA)
    assert alpha(pl.DataFrame(matrix_with(word), schema=CODERS, orient="row")) == pytest.approx(ALPHA)
    kept = ga.read_items(wide_file(tmp_path, word), na=[""])
    assert word in kept.categories
    assert not kept.notes


def test_numbers_beside_the_word_stay_numbers(tmp_path):
    numbers = [[None if cell is None else str(LABELS.index(cell)) for cell in row] for row in MATRIX]
    assert ga.read_items(wide_file(tmp_path, "NA", numbers)).labels.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("word", ["None", "none", "n/a", "-", "?", ".", "NONE", "na"])
def test_other_words_are_asked_about_and_both_cures_work(tmp_path, word):
    path = wide_file(tmp_path, word)
    with pytest.raises(InputError) as error:
        ga.read_items(path)
    message = error.value.render(COMMAND_LINE)
    assert f"'{word}' (8 cells)" in message
    assert "--na ''" in message
    assert alpha(ga.read_items(path, na=[word])) == pytest.approx(ALPHA)
    assert word in ga.read_items(path, na=[""]).categories
    assert word in ga.read_items(path, categories=[*LABELS, word]).categories


def test_a_word_is_asked_about_if_it_may_be_a_category(tmp_path):
    full_row = [*MATRIX[:5], [None] * 3, *MATRIX[6:]]
    with pytest.raises(InputError, match="all judgments of an item"):
        ga.read_items(wide_file(tmp_path, "NA", full_row))
    assert ga.read_items(wide_file(tmp_path, "NA", full_row), na=["NA"]).notes == ()
    with pytest.raises(InputError, match="other cells are blank"):
        ga.ItemTable.from_matrix([["a", "b"], ["a", None], ["NA", "b"]])


def test_several_words_are_asked_about_with_one_command():
    with pytest.raises(InputError) as error:
        ga.ItemTable.from_matrix([["a", "b"], ["a", "none"], ["-", "b"], ["NA", "a"]])
    assert "set --na none --na -;" in error.value.render(COMMAND_LINE)
    table = ga.ItemTable.from_matrix([["a", "b"], ["a", "none"], ["-", "b"], ["NA", "a"]], na=["none", "-"])
    assert table.rows()[1:] == [("a", None), (None, "b"), (None, "a")]


def test_names_of_items_are_no_judgments():
    table = ga.ItemTable.from_columns({"item": ["NA", "none"], "ann": ["x", "y"], "bob": ["x", "x"]})
    assert table.items == ("NA", "none")


# ------------------------------------------------------------------------------------- tables of units


def units_file(tmp_path, word, header="document,annotator,start,end,category"):
    path = tmp_path / "units.csv"
    path.write_text(f"{header}\nd,ann,0,5,A\nd,bob,0,5,{word}\nd,ann,6,9,B\nd,bob,6,9,B\n")
    return path


def categories_of(corpus):
    return sorted(unit.category or "" for unit in corpus["d"].units())


@pytest.mark.parametrize("word", WORDS)
def test_units_whose_category_is_such_a_word_have_none(tmp_path, word):
    corpus = ga.read(units_file(tmp_path, word))
    assert categories_of(corpus) == ["", "A", "B", "B"]
    assert any(f"'{word}' (1 cell)" in note for note in corpus.notes)
    assert categories_of(ga.read(units_file(tmp_path, word), labels={"B": "C"})) == ["", "A", "C", "C"]
    kept = ga.read(units_file(tmp_path, word), na=[""])
    assert categories_of(kept) == sorted(["A", "B", "B", word])
    assert not kept.notes
    assert [finding.count for finding in ga.validate(units_file(tmp_path, word)).findings if finding.count] == []


def test_other_words_are_asked_about_in_a_column_of_another_name(tmp_path):
    path = units_file(tmp_path, "none", "document,annotator,start,end,label")
    with pytest.raises(InputError, match=r"'none' \(1 cell\) may mean a missing category"):
        ga.read(path)
    assert categories_of(ga.read(path, na=["none"])) == ["", "A", "B", "B"]
    assert categories_of(ga.read(path, na=[""])) == ["A", "B", "B", "none"]


def test_a_column_named_category_keeps_its_other_words(tmp_path):
    corpus = ga.read(units_file(tmp_path, "none"))
    assert categories_of(corpus) == ["A", "B", "B", "none"]
    assert not corpus.notes


@pytest.mark.parametrize("word", ["NA", "null", " NaN"])
@pytest.mark.parametrize(("name", "fmt"), [("units.csv", None), ("units.tsv", None), ("a/", "csv"), ("b", "pygamma")])
def test_writing_a_category_that_will_be_read_as_none_says_how_to_read_it(word, name, fmt, tmp_path):
    corpus = ga.Corpus.from_records([("d", "a", 0, 3, word), ("d", "b", 0, 3, "x")])
    path = f"{tmp_path}/{name}"
    with pytest.warns(ga.GammaAlignWarning, match=r"na=\[''\]"):
        ga.write(corpus, path, format=fmt)
    assert ga.read(path, format=fmt).categories == ("x",)
    assert ga.read(path, format=fmt, na=[""]).categories == tuple(sorted([word, "x"]))


def test_writing_other_categories_warns_of_nothing(tmp_path):
    corpus = ga.Corpus.from_records([("d", "a", 0, 3, "none"), ("d", "b", 0, 3, "nap")])
    ga.write(corpus, tmp_path / "units.csv")
    assert ga.read(tmp_path / "units.csv").categories == corpus.categories
    other = ga.Corpus.from_records([("d", "a", 0, 3, "NA"), ("d", "b", 0, 3, "x")])
    for name in ("units.parquet", "units.jsonl"):
        ga.write(other, tmp_path / name)
        assert ga.read(tmp_path / name).categories == other.categories


def test_convert_says_that_a_category_will_be_read_as_none(tmp_path, capsys):
    corpus = ga.Corpus.from_records([("d", "a", 0, 3, "NA"), ("d", "b", 0, 3, "x")])
    ga.write(corpus, tmp_path / "units.jsonl")
    for out in (str(tmp_path / "units.csv"), "-"):
        assert main(["convert", str(tmp_path / "units.jsonl"), out, *(["--to", "csv"] if out == "-" else [])]) == 0
        assert capsys.readouterr().err.count("--na ''") == 1
