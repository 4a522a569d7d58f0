"""gamma-align validate, as people run it: exit 0 just where the other commands read the files, else every problem."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT
from pyarrow import parquet

import gamma_align as ga
from gamma_align.apps.cli import main
from gamma_align.errors import InputError, MissingExtraError
from gamma_align.reading.options import REPAIR_DESCRIPTIONS
from gamma_align.reading.validation.validate import validate

CORPORA = ROOT / "corpora"
BRAT = CORPORA / "formats" / "brat" / "multi_annotator_project"
BAD = """document,annotator,start,end,category
d,Ann,0,10,x
d,Ann,0,10,x
d,,3,4,x
d,Bob,ten,12,x
d,Bob,12,11,y
d,Bob,13,15
d,Bob,13,15,Y
d,Bob,16,16,y
d,Bob,17,nan,y
d,Bob,18,19,y\N{SPACE}
"""


def look(path, *more):
    """Return the exit code and what is found, as JSON has it."""
    done = run("validate", path, "--json", *more)
    return done.returncode, json.loads(done.stdout)


def problems(data):
    return [(each["file"], each["line"], each["what"]) for each in data["problems"]]


def count(data, name):
    (found,) = [each for each in data["findings"] if each["name"] == name]
    return found["count"]


@pytest.fixture
def bad(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(BAD, encoding="utf-8")
    return path


@pytest.fixture
def annotated(tmp_path):
    """Return a function that writes brat files: (annotator, lines, text) each, of one document."""

    def write(*people):
        for name, lines, text in people:
            folder = tmp_path / "brat" / name
            folder.mkdir(parents=True)
            (folder / "d.ann").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            if text is not None:
                (folder / "d.txt").write_text(text, encoding="utf-8")
        return tmp_path / "brat"

    return write


# --- the report


def test_a_real_project_is_all_right():
    done = run("validate", BRAT)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "multi_annotator_project: 28 files, read as brat standoff (.ann)"
    assert lines[2:5] == [
        "documents      7  lengths in char",
        "annotators     4  of a document: 4",
        "units       1567  of an annotator in a document: 13 to 106, median 55",
    ]
    assert lines[-1] == "no problems"
    assert [line.split()[0] for line in done.stderr.splitlines()] == ["gamma-align:"] * 3
    assert run("validate", BRAT, "--quiet").stderr == ""


def test_counts_are_those_of_the_files():
    """Counted here from the files themselves."""
    code, data = look(BRAT)
    files = sorted(BRAT.glob("*/*.ann"))
    lines = [line.split("\t")[1].split(" ")[0] for file in files for line in file.read_text("utf-8").splitlines()]
    assert code == 0
    assert data["found"]["units"] == len(lines)
    assert {each["category"]: each["units"] for each in data["found"]["categories"]} == {
        label: lines.count(label) for label in set(lines)
    }
    assert data["files"] == len(files)
    assert (data["found"]["documents"], data["found"]["annotators"]) == (7, 4)
    assert data["found"]["length_unit"] == "char"
    sizes = [len(file.read_text("utf-8").splitlines()) for file in files]
    assert data["found"]["units_of_an_annotator_in_a_document"] == {
        "min": min(sizes),
        "median": float(np.median(sizes)),
        "max": max(sizes),
    }
    assert data["problems"] == []


def test_every_problem_of_a_table_has_its_line(bad):
    code, data = look(bad)
    assert code == 3
    assert problems(data) == [
        ("bad.csv", 4, "the annotator is empty; every row of units needs one"),
        ("bad.csv", 5, "start is 'ten', not a number"),
        (
            "bad.csv",
            6,
            (
                "the unit ends at 11, before its start 12; swap the bounds (gamma-align validate --fix "
                "swapped-bounds), or check that the columns are start and end, not start and length"
            ),
        ),
        ("bad.csv", 7, "4 fields, but the first row has 5; fill the row up, with empty cells if need be"),
        ("bad.csv", 10, "end is missing (or NaN); a bound is a finite number"),
    ]
    assert data["found"]["units"] == 5
    names = ("duplicates", "zero-length", "spelling", "blanks", "past-end")
    assert [count(data, name) for name in names] == [1, 1, 1, 1, 0]


def test_problems_are_printed_with_their_number(bad):
    done = run("validate", bad)
    assert done.returncode == 3
    lines = done.stdout.splitlines()
    at = lines.index("5 problems")
    assert lines[at + 1] == "  bad.csv, line 4: the annotator is empty; every row of units needs one"
    assert len(lines) == at + 6
    assert done.stderr.endswith(f"gamma-align: error: {bad}: 5 problems\n")


def test_a_file_that_fails_as_a_whole_is_one_problem_and_the_others_are_looked_at(annotated):
    folder = annotated(
        ("Ann", ["T1\tx 0 3\tOne"], "One two"), ("Bob", ["T1\tx 4 7\ttwo"], "One two"), ("Cy", [], "One two")
    )
    (folder / "Bob" / "d.ann").write_bytes(b"T1\tx 0 3\tOne\nT2\tx 4 7\t\xff\xfe\n")
    code, data = look(folder)
    assert code == 3
    (problem,) = problems(data)
    assert problem[:2] == ("Bob/d.ann", 2)
    assert "is not UTF-8" in problem[2]
    assert data["found"]["units"] == 1
    assert data["found"]["annotators"] == 2


def test_rows_that_are_none_in_several_files(annotated):
    folder = annotated(
        ("Ann", ["T1\tx 0 3\tOne", "T2\tx 9", "T3\tx 4 7\ttwo"], "One two"),
        ("Bob", ["T1\tx 7 4\ttwo", "T2\tx 4 7\ttwo"], "One two"),
    )
    code, data = look(folder)
    assert code == 3
    assert [problem[:2] for problem in problems(data)] == [("Ann/d.ann", 2), ("Bob/d.ann", 1)]
    assert data["found"]["units"] == 3


def test_every_unit_that_does_not_cover_its_text(annotated):
    folder = annotated(
        ("Ann", ["T1\tx 0 3\tOne", "T2\tx 4 7\ttwo"], "One two three"),
        ("Bob", ["T1\tx 1 4\tOne", "T2\tx 5 8\ttwo", "T3\tx 8 13\tthree"], "One two three"),
    )
    code, data = look(folder)
    assert code == 3
    assert [problem[:2] for problem in problems(data)] == [("Bob/d.ann", 1), ("Bob/d.ann", 2)]
    assert "the unit covers 'ne ', but the file says 'One'" in problems(data)[0][2]
    assert count(data, "mismatch") == 2
    kept, data = look(folder, "--mismatch", "keep")
    assert (kept, data["problems"], count(data, "mismatch")) == (0, [], 2)


def test_every_annotator_whose_text_differs(annotated):
    folder = annotated(
        ("Ann", ["T1\tx 0 3\tOne"], "One two"),
        ("Bob", ["T1\tx 0 3\tOne"], "One  two"),
        ("Cy", ["T1\tx 5 8\tOne"], "Well One two"),
    )
    code, data = look(folder)
    assert code == 3
    assert [problem[0] for problem in problems(data)] == ["Bob/d.ann", "Cy/d.ann"]
    assert "from character 4 on, 'One two' of 'Ann' is 'One  two' of 'Bob'" in problems(data)[0][2]
    assert count(data, "texts") == 2
    mapped, data = look(folder, "--align-text")
    assert (mapped, data["problems"], count(data, "texts")) == (0, [], 2)


def test_units_past_the_end_each_with_the_extent(tmp_path):
    (tmp_path / "units.csv").write_text(
        "document,annotator,start,end\nd,Ann,0,10\nd,Ann,8,12\nd,Bob,11,12\nd,Bob,1,9\n", encoding="utf-8"
    )
    (tmp_path / "documents.csv").write_text("document,length,unit\nd,10,s\n", encoding="utf-8")
    code, data = look(tmp_path)
    assert code == 3
    assert [problem[:2] for problem in problems(data)] == [("units.csv", 3), ("units.csv", 4)]
    assert "unit [8, 12], extent [0, 10]; correct the unit" in problems(data)[0][2]
    assert "--fix past-end" in problems(data)[0][2]
    taken, data = look(tmp_path, "--outside", "extend")
    assert (taken, count(data, "past-end")) == (0, 2)


def test_tables_beside_the_units_are_looked_at_row_by_row(tmp_path):
    (tmp_path / "units.csv").write_text(
        "document,annotator,start,end\nd,Ann,0,10\nd,Zoe,8,9\nf,Ann,1,2\n", encoding="utf-8"
    )
    (tmp_path / "annotations.csv").write_text("document,annotator\nd,Ann\nf,Ann\nd,\n", encoding="utf-8")
    (tmp_path / "documents.csv").write_text("document,length\nd,10\nd,11\n", encoding="utf-8")
    code, data = look(tmp_path)
    assert code == 3
    assert [(file, line, what.split(";")[0]) for file, line, what in problems(data)] == [
        ("annotations.csv", 3, "document 'f' is not listed in documents.csv"),
        ("annotations.csv", 4, "the annotator is empty"),
        ("documents.csv", 3, "document 'd' is listed twice, first in line 2"),
        ("units.csv", 3, "a unit of annotator 'Zoe', not declared for document 'd' in annotations.csv"),
        ("units.csv", 4, "document 'f' is not listed in documents.csv"),
    ]


def test_places_are_lines_where_labels_are_chosen_too(tmp_path):
    path = tmp_path / "u.csv"
    path.write_text("document,annotator,start,end,category\nd,A,0,1,x\nd,A,0,1,x\nd,B,1,2,z\n", encoding="utf-8")
    code, data = look(path, "--labels", "z=x")
    assert code == 0
    (duplicate,) = [each["first"] for each in data["findings"] if each["name"] == "duplicates"]
    assert duplicate == ["u.csv, line 3: document 'd', annotator 'A', unit [0, 1] 'x'"]


def test_parquet_has_rows_for_lines(tmp_path):
    parquet.write_table(
        pa.table({"annotator": ["A", None, "B"], "start": [0.0, 1, 5], "end": [1.0, 2, 4]}), tmp_path / "u.parquet"
    )
    code, data = look(tmp_path / "u.parquet")
    assert code == 3
    assert [(each["line"], each["where"], each["what"].split(";")[0]) for each in data["problems"]] == [
        (None, "row 2", "the annotator is missing"),
        (None, "row 3", "the unit ends at 4, before its start 5"),
    ]


def test_layers_are_counted_and_asked_for():
    path = CORPORA / "formats" / "jams"
    code, data = look(path / "Cerulean_Bob_Dylan-Hurricane.jams", "--layers", "*")
    assert code in (0, 3)
    assert data["found"] is None or all(each["units"] for each in data["found"]["layers"])


def test_there_is_nothing_to_look_at(tmp_path):
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "nothing", tmp_path / "empty"):
        done = run("validate", path)
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.startswith("gamma-align: error: ")


def test_a_wrong_column_is_a_problem_and_a_wrong_option_a_mistake(bad):
    code, data = look(bad, "--column", "start=begin")
    assert code == 3
    assert "no column 'begin'" in problems(data)[0][2]
    assert data["found"] is None
    done = run("validate", bad, "--option", "category=N")
    assert (done.returncode, done.stdout) == (2, "")


# --- exit 0 exactly where the others read

CELL = st.sampled_from(["0", "1", "2.5", "7", "9", "11", "x", "", "nan", "-1", "1e400"])
ROW = st.tuples(st.sampled_from(["d", "e", "", "d "]), st.sampled_from(["Ann", "Bob", "", "Cy"]), CELL, CELL).map(
    ",".join
)


@given(st.lists(st.one_of(ROW, ROW, ROW, st.sampled_from(["d,Ann", "", 'd,"Ann,1,2', "d,Bob,1,2,3"])), max_size=5))
def test_there_are_problems_exactly_where_it_is_not_read(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("c")
    (folder / "units.csv").write_text("\n".join(["document,annotator,start,end", *rows, ""]), encoding="utf-8")
    (folder / "documents.csv").write_text("document,length\nd,10\ne,10\n", encoding="utf-8")
    (folder / "annotations.csv").write_text("document,annotator\nd,Ann\ne,Ann\nd,Bob\ne,Bob\n", encoding="utf-8")
    found = validate(folder)
    corpus, told = read_or_told(folder)
    lines = {problem.location.where for problem in found.problems}
    assert (corpus is None) == bool(found.problems), (told, found.problems)
    if corpus is None:
        assert not lines - {None} or any(f"line {line}" in told for line in lines), (told, found.problems)
        return
    made = found.columns.corpus()
    for field in ("start", "end", "extents", "seen", "annotator"):
        np.testing.assert_array_equal(getattr(made, field), getattr(corpus, field))


def read_or_told(path, **settings):
    """Return the corpus and no words, or none and why."""
    try:
        return ga.read(path, **settings), ""
    except InputError as error:
        return None, str(error)
    except MissingExtraError as error:
        pytest.skip(str(error))


def validated_or_told(path, **settings):
    """Return what is found and no words, or, where there is nothing to look at, none and why."""
    try:
        return validate(path, **settings), ""
    except InputError as error:
        return None, str(error)


def samples():
    """Return a file of each folder and suffix: each reader's own tests have all of them."""
    files = [path for path in sorted((CORPORA / "formats").rglob("*")) if path.is_file() and path.suffix != ".md"]
    kinds = {
        (path.relative_to(CORPORA / "formats").parts[0], path.suffix, path.stat().st_size % 4): path for path in files
    }
    return [path for path in kinds.values() if path.stat().st_size < 1 << 19]


@pytest.mark.parametrize("extra", [{}, {"layers": ["*"]}], ids=["as it is", "all layers"])
@pytest.mark.parametrize("path", samples(), ids=lambda path: path.relative_to(CORPORA / "formats").as_posix())
def test_a_sample_is_right_exactly_where_it_is_read(path, extra):
    corpus, told = read_or_told(path, **extra)
    if corpus is None:
        found, why = validated_or_told(path, **extra)
        assert why == told if found is None else found.problems
        return
    found = validate(path, **extra)
    assert found.problems == []
    assert list(found.notes) == list(corpus.notes)
    made = found.columns.corpus()
    for field in ("documents", "annotators", "length_unit", "texts"):
        assert getattr(made, field) == getattr(corpus, field), field
    for field in ("seen_offsets", "seen", "unit_offsets", "annotator", "start", "end", "extents"):
        np.testing.assert_array_equal(getattr(made, field), getattr(corpus, field))


# --- repairs


def test_repairs_are_reported_and_written_elsewhere(bad, tmp_path):
    text = "\n".join(line for at, line in enumerate(BAD.split("\n"), 1) if at not in (4, 5, 7, 10))
    bad.write_text(text, encoding="utf-8")
    done = run("validate", bad, "--fix", ",".join(REPAIR_DESCRIPTIONS), "-o", tmp_path / "good.csv")
    assert done.returncode == 0
    assert done.stdout.split("no problems\n\n")[1].splitlines() == [
        "swapped-bounds: 1 unit, bounds swapped of units that ended before they started",
        "  bad.csv, line 4: the unit ends at 11, before its start 12",
        "blanks: 1 unit, blanks at the edge of the category removed",
        "  bad.csv, line 7: document 'd', annotator 'Bob', unit [18, 19] 'y '",
        "spelling: 1 unit, category 'Y' written 'y', which is more frequent",
        "  bad.csv, line 5: document 'd', annotator 'Bob', unit [13, 15] 'Y'",
        "adjacency: 0 units, end moved by less than 1e-05 to the start of the annotator's next unit",
        "past-end: 0 units, cut where the extent of their document ends",
        "past-end: 0 units, left out, as a whole outside the extent of their document",
        "zero-length: 1 unit, left out, without length",
        "  bad.csv, line 6: document 'd', annotator 'Bob', unit [16, 16] 'y'",
        "duplicates: 1 unit, left out, there before with the same bounds and category",
        "  bad.csv, line 3: document 'd', annotator 'Ann', unit [0, 10] 'x'",
    ]
    assert bad.read_text(encoding="utf-8") == text
    assert (tmp_path / "good.csv").read_text(encoding="utf-8").splitlines() == [
        "document,annotator,start,end,category",
        "d,Ann,0,10,x",
        "d,Bob,11,12,y",
        "d,Bob,13,15,y",
        "d,Bob,18,19,y",
    ]
    assert look(tmp_path / "good.csv")[0] == 0


def test_where_a_problem_remains_nothing_is_written(bad, tmp_path):
    done = run("validate", bad, "--fix", "duplicates,swapped-bounds", "-o", tmp_path / "good.csv")
    assert done.returncode == 3
    assert done.stderr.endswith(f"{bad}: 4 problems; {tmp_path / 'good.csv'} is not written\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.csv"]


def test_toxic_spans_repaired(tmp_path):
    """The corpus as published: 65 repeated units, 92 past the end, one of them twice (FORMATS, 2 and 5)."""
    fixes = ["--fix", "past-end,duplicates", "-o", tmp_path / "out"]
    code, data = look(CORPORA / "toxic_spans", *fixes)
    assert code == 0
    done = {(each["name"], each["what"][:3]): each["units"] for each in data["repairs"]}
    assert done["past-end", "cut"] + done["past-end", "lef"] == 92
    fixed, published = ga.read(tmp_path / "out"), ga.read(CORPORA / "toxic_spans", outside="extend")
    assert fixed.n_units == published.n_units - done["past-end", "lef"] - done["duplicates", "lef"]
    assert len(fixed.seen) == len(published.seen)
    assert (fixed.end <= np.repeat(fixed.extents[:, 1], np.diff(fixed.unit_offsets))).all()


def test_swapped_bounds_of_files(annotated, tmp_path):
    folder = annotated(("Ann", ["T1\tx 3 0\tOne", "T2\ty 4 7\ttwo"], "One two"), ("Bob", ["T1\tx 0 3\tOne"], "One two"))
    done = run("validate", folder, "--fix", "swapped-bounds", "-o", tmp_path / "out", "--to", "brat")
    assert done.returncode == 0
    assert "swapped-bounds: 1 unit, bounds swapped of units that ended before they started" in done.stdout
    assert "  Ann/d.ann, line 1: the unit ends at 0, before its start 3" in done.stdout
    assert (tmp_path / "out" / "Ann" / "d.ann").read_text(encoding="utf-8") == "T1\tx 0 3\tOne\nT2\ty 4 7\ttwo\n"


def test_labels_are_mapped_before_tables_are_repaired(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text("document,annotator,start,end,category\nd,A,0,1,x\nd,A,0,1,X\nd,B,1,0,z\n", encoding="utf-8")
    fixes = ("--labels", "X=x,z=w", "--fix", "duplicates,swapped-bounds", "-o", tmp_path / "out.csv", "--quiet")
    done = run("validate", path, *fixes)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1:] == ["d,A,0,1,x", "d,B,0,1,w"]


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (["--fix", "duplicates"], 2, "--fix NAMES and -o OUT go together"),
        (["-o", "out.csv"], 2, "--fix NAMES and -o OUT go together"),
        (["--fix", "everything", "-o", "out.csv"], 2, "'everything' is not one of swapped-bounds, blanks"),
        (["--fix", "blanks", "-o", "units.csv"], 2, "which is never changed"),
        (["--fix", "blanks", "-o", "no/out.csv"], 2, "there is no folder"),
        (["--fix", "blanks", "-o", "out.xyz"], 2, ".xyz are not written"),
    ],
)
def test_usage(tmp_path, monkeypatch, more, code, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "units.csv").write_text(
        "document,annotator,start,end,category\nd,A,0,1,x\nd,B,0,1,x\n", encoding="utf-8"
    )
    done = run("validate", "units.csv", *more)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["units.csv"]


def test_help_names_every_repair_and_what_it_does(capsys):
    assert main(["validate", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    for name, what in REPAIR_DESCRIPTIONS.items():
        assert f"{name}: {what}" in told


@pytest.mark.surfaces
def test_a_reader_that_stops_reading_is_no_error():
    command = f"{sys.executable} -m gamma_align.apps.cli validate {CORPORA / 'toxic_spans'} --quiet | head -c 100"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("toxic_spans: 3 files")


def test_a_table_without_header_is_not_told_to_have_one(tmp_path, capsys):
    path = tmp_path / "talk.csv"
    path.write_text("Ann,x,0,4\nBen,x,1,4\n", encoding="utf-8")
    assert main(["validate", str(path)]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("talk.csv: 1 file, read as comma-separated tables of units\n")
    assert "talk.csv: no header: read as annotator,category,start,end" in told.err


def test_a_map_that_is_saved_reads_the_table_alike(tmp_path):
    tables = {
        "own.csv": "Datei;Kodierer/in;Beginn;Ende;Kategorie\nd1;Anna;0;4;PER\nd1;Ben;0;4;PER\nd1;Anna;16;20;LOC\n",
        "usual.csv": "doc_id,coder,onset,offset,label\nd,Ann,0,10,x\nd,Bob,0,9,x\n",
    }
    for name, text in tables.items():
        table, saved = tmp_path / name, tmp_path / f"{name}.json"
        table.write_text(text, encoding="utf-8")
        assert run("validate", table, "--save-map", saved).returncode == 0
        assert ga.read(table, map=saved).to_frame().equals(ga.read(table).to_frame())
        again = tmp_path / "again.json"
        assert run("validate", table, "--map", saved, "--save-map", again).returncode == 0
        assert again.read_text() == saved.read_text()


def test_no_map_is_saved_of_a_format_or_of_several_paths(tmp_path):
    saved = tmp_path / "map.json"
    for paths, message in (((BRAT,), "no map is needed"), ((BRAT, CORPORA / "pygamma" / "2by1000.csv"), "one path")):
        done = run("validate", *paths, "--save-map", saved)
        assert done.returncode != 0
        assert message in done.stderr
    assert not saved.exists()
