"""Tables in the layouts of programs: Raven, BORIS, The Observer XT."""

import csv
import io
from pathlib import Path

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

FOLDER = FORMATS / "declared"


def units(corpus):
    return [(name, *unit) for name in corpus.documents for unit in corpus[name].units()]


def test_a_selection_of_raven_in_two_views_is_one_unit():
    found = units(ga.read(FOLDER / "raven"))
    for who in ("ana", "ben"):
        text = (FOLDER / "raven" / who / "wood.selections.txt").read_text(encoding="utf-8")
        selections = {
            row["Selection"]: (float(row["Begin Time (s)"]), float(row["End Time (s)"]), row["Species"])
            for row in csv.DictReader(io.StringIO(text), delimiter="\t")
        }
        assert [unit[2:] for unit in found if unit[1] == who] == list(selections.values())


def test_both_exports_of_boris_have_the_observation_as_document(tmp_path):
    for name in ("ana_aggregated.tsv", "ben_tabular.tsv"):
        (tmp_path / name).write_bytes((FOLDER / "boris" / name).read_bytes())
    assert units(ga.read(tmp_path, annotator="{file}")) == [
        ("monday", "ana_aggregated", 1.5, 9.25, "eat"),
        ("monday", "ana_aggregated", 12.0, 12.0, "call"),
        ("monday", "ben_tabular", 1.75, 9.0, "eat"),
        ("monday", "ben_tabular", 12.2, 12.2, "call"),
    ]


@pytest.mark.parametrize("commas", [False, True])
def test_states_of_the_observer_last_from_start_to_stop(commas, tmp_path):
    text = (FOLDER / "noldus" / "ana.csv").read_text(encoding="utf-8")
    head, _, body = text.partition("\n")
    path = tmp_path / "ana.csv"
    path.write_text(f"{head}\n{body.replace('.', ',') if commas else body}", encoding="utf-8")
    assert units(ga.read(path)) == [("monday", "ana", 1.5, 9.25, "eat"), ("monday", "ana", 12.0, 12.0, "call")]


TABULAR = "Time\tSubject\tBehavior\tBehavior type\n{}"


def test_several_subjects_are_layers(tmp_path):
    path = tmp_path / "ana.tsv"
    path.write_text(TABULAR.format("1\ta\tcall\tPOINT\n2\tb\tcall\tPOINT\n"), encoding="utf-8")
    with pytest.raises(InputError, match=r"units in 2 layers: a \(1 units\), b \(1 units\)"):
        ga.read(path)
    assert [unit[2] for unit in units(ga.read(path, layers="*"))] == [1, 2]


@pytest.mark.parametrize(
    ("rows", "cause"),
    [("1\ta\teat\tSTART\n", "line 2: 'eat' starts and does not stop"), ("1\ta\teat\tHALT\n", "line 2: .*'HALT'")],
)
def test_events_that_are_no_units_are_refused_with_their_line(rows, cause, tmp_path):
    path = tmp_path / "ana.tsv"
    path.write_text(TABULAR.format(rows), encoding="utf-8")
    with pytest.raises(InputError, match=cause):
        ga.read(path)


def test_other_tables_with_such_columns_are_left_alone(tmp_path):
    path = Path(tmp_path / "own.tsv")
    path.write_text("document\tannotator\tSelection\tstart\tend\nd\ta\t1\t0\t2\nd\tb\t1\t0\t3\n", encoding="utf-8")
    assert [unit[1] for unit in units(ga.read(path))] == ["a", "b"]


@pytest.mark.parametrize("read", [ga.read, ga.look])
def test_subjects_of_aggregated_events_are_asked_about_as_layers(read, tmp_path):
    """Neither the column of media nor that of subjects makes it a table whose columns are unknown, or one of items."""
    columns = "Observation id\tMedia file\tSubject\tBehavior\tStart (s)\tStop (s)\n"
    rows = "monday\tm.mp4\ta\teat\t1\t2\nmonday\tm.mp4\tb\teat\t3\t4\n"
    for name in ("ana", "ben"):
        (tmp_path / f"{name}.tsv").write_text(columns + rows, encoding="utf-8")
    with pytest.raises(InputError, match=r"units in 2 layers: a \(2 units\), b \(2 units\)"):
        read(tmp_path)
