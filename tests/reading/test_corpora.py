"""Each corpus of the repository can be read and has the figures in its README."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from places import CORPORA

from gamma_align.errors import InputError
from gamma_align.reading.read import read
from gamma_align.reading.tables.item_tables import read_items

PAST_THE_END = {"toxic_spans": (92, 85), "ami_diarization": (3, 1)}


def readme_table():
    """The table of the README: one dictionary a corpus, by column."""
    text = (CORPORA / "README.md").read_text(encoding="utf-8").split("`items/` holds")[0]
    lines = [line for line in text.splitlines() if line[:1] == "|"]
    header, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {row[0]: dict(zip(header, row, strict=True)) for row in rows}


TABLE = readme_table()


def figures(corpus, name):
    """What the README says about a corpus, computed."""
    document = corpus.unit_document
    pairs = len(set(zip(document.tolist(), corpus.annotator.tolist(), strict=True)))
    lengths = pq.read_table(CORPORA / name / "documents.parquet")["length"].drop_null().to_numpy()
    range_text = [f"{f(corpus.n_annotators):g}" for f in (np.min, np.median, np.max)]
    return {
        "documents": str(len(corpus)),
        "annotators": str(len(corpus.annotators)),
        "annotators a document (min/median/max)": "/".join(range_text),
        "units": str(corpus.n_units),
        "categories": str(len(corpus.categories)),
        "unit of length": corpus.length_unit,
        "length (min/median/max)": "/".join(f"{f(lengths):g}" for f in (np.min, np.median, np.max)),
        "nothing marked": f"{100 * (1 - pairs / len(corpus.seen)):.1f} %",
    }


def items_table():
    """The table of tables of items, one dictionary a table."""
    text = (CORPORA / "README.md").read_text(encoding="utf-8")
    paragraphs = text.split("`items/` holds")[1].split("\n\n")
    lines = next(paragraph for paragraph in paragraphs if paragraph[:1] == "|").splitlines()
    header, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {row[0]: dict(zip(header, row, strict=True)) for row in rows}


def test_the_readme_lists_every_table_of_items():
    assert set(items_table()) == {path.stem for path in (CORPORA / "items").iterdir()}


@pytest.mark.parametrize("name", items_table())
def test_a_table_of_items_has_the_figures_of_the_readme(name):
    row, table = items_table()[name], read_items(CORPORA / "items" / f"{name}.parquet")
    figures_read = [len(table), len(table.coders), table.n_categories, table.judgments.sum()]
    assert [int(row[column]) for column in ("items", "coders", "categories", "judgments")] == figures_read
    assert row["licence"]
    assert row["attribution"]


def test_the_readme_lists_every_corpus():
    folders = {path.name for path in CORPORA.iterdir() if (path / "units.parquet").exists()}
    assert set(TABLE) == folders


@pytest.mark.parametrize("name", TABLE)
def test_a_corpus_has_the_figures_of_the_readme(name):
    corpus = read(CORPORA / name, outside="extend")
    row = TABLE[name]
    assert figures(corpus, name) == {column: row[column] for column in figures(corpus, name)}
    assert row["licence"]
    assert row["attribution"]


@pytest.mark.parametrize("name", sorted(set(TABLE) - set(PAST_THE_END)))
def test_a_corpus_with_valid_bounds_is_read_unchanged(name):
    assert read(CORPORA / name).notes == ()


@pytest.mark.parametrize("name", PAST_THE_END)
def test_units_past_the_end_are_refused_with_all_rows(name):
    units, _ = PAST_THE_END[name]
    with pytest.raises(InputError, match=rf"units\.parquet: {units} units outside the declared extent") as error:
        read(CORPORA / name)
    listed = [line for line in str(error.value).splitlines() if line.startswith("  row ")]
    assert len(listed) == units


@pytest.mark.parametrize("name", PAST_THE_END)
def test_units_past_the_end_are_read_on_request(name):
    units, documents = PAST_THE_END[name]
    (note,) = read(CORPORA / name, outside="extend").notes
    assert note.startswith(f"units.parquet: {units} units outside the declared extent; {documents} document")


def test_corpora_have_the_flaws_in_the_readme():
    salami = read(CORPORA / "salami")
    assert int((salami.n_annotators == 1).sum()) == 475
    assert int((salami.start == salami.end).sum()) == 2
    toxic = read(CORPORA / "toxic_spans", outside="extend")
    assert {"", "Insu", "Identity based "} <= set(toxic.categories)


@pytest.mark.parametrize("name", TABLE)
def test_tables_have_no_metadata_of_a_machine(name):
    tables = sorted((CORPORA / name).glob("*.parquet"))
    assert len(tables) == 3
    assert [pq.read_schema(table).metadata for table in tables] == [None] * 3


PYGAMMA = {
    "2by1000": (2, 2000, 4),
    "2by2000": (2, 4000, 4),
    "2by5000": (2, 9998, 4),
    "3by100": (3, 372, 4),
    "3by500": (3, 1500, 4),
    "5by100": (5, 500, 4),
    "AlexPaulSuzan": (3, 16, 7),
    "annotation_dalton": (4, 12, 3),
    "annotation_paul_suzann_alex": (3, 18, 7),
    "annotation_paul_suzann_alex_additional_unit": (3, 7, 2),
    "annotation_paul_suzann_alex_almost_same": (5, 11, 5),
    "annotation_paul_suzann_alex_single_unit_cat": (5, 10, 2),
    "annotation_paul_suzann_alex_single_unit_temp": (2, 4, 2),
    "example_figure10": (3, 6, 2),
    "example_figure19": (2, 5, 1),
    "null_disorder": (2, 2000, 4),
}


def test_every_file_of_pygamma_agreement_is_there():
    assert {path.stem for path in (CORPORA / "pygamma").iterdir()} == set(PYGAMMA)


@pytest.mark.parametrize("name", PYGAMMA)
def test_files_of_pygamma_agreement_are_read(name):
    path = CORPORA / "pygamma" / f"{name}.csv"
    corpus = read(path)
    lines = [line.split(",") for line in path.read_text().split("\n") if line]
    assert (len(corpus.annotators), corpus.n_units, len(corpus.categories)) == PYGAMMA[name]
    assert corpus.n_units == len(lines)
    assert sorted((u.annotator, u.category, u.start, u.end) for u in corpus[name].units()) == sorted(
        (annotator, label, float(start), float(end)) for annotator, label, start, end in lines
    )
    (note,) = corpus.notes
    assert note == (
        f"{name}.csv: no header: read as annotator,category,start,end "
        "(pygamma-agreement's order; a first row with names says another)"
    )
