"""gamma-align convert, as people run it: what is written, what is refused, and that the input is never touched."""

import json
import os
import signal
import subprocess
import sys
import tempfile

import numpy as np
import pytest
from command_line import command, in_a_process, run
from places import FORMATS, ROOT

import gamma_align as ga
from gamma_align.apps.cli import main
from gamma_align.apps.cli._messages import ExitCode
from gamma_align.reading import formats
from gamma_align.reading.tables import table_formats

BRAT = ROOT / "corpora" / "formats" / "brat" / "multi_annotator_project"
ROWS = "document,annotator,start,end,category\nd,Ann,0,10,x\nd,Ann,12,20,y\nd,Bob,1,10,x\n"


@pytest.fixture
def units(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def same(one, other):
    for field in ("documents", "annotators", "categories", "length_unit", "texts"):
        assert getattr(one, field) == getattr(other, field), field
    for field in ("seen_offsets", "seen", "unit_offsets", "annotator", "start", "end", "category", "extents"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


def refused(code, done, *words):
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


# --- what is written


def test_brat_to_lines_of_json_and_back(tmp_path):
    done = run("convert", BRAT, tmp_path / "all.jsonl")
    assert (done.returncode, done.stdout) == (0, "")
    assert f"gamma-align: note: {tmp_path / 'all.jsonl'}: 7 documents, 4 annotators, 1567 units\n" in done.stderr
    assert "read as brat standoff (.ann)" in done.stderr
    corpus = ga.read(BRAT)
    same(ga.read(tmp_path / "all.jsonl"), corpus)
    back = run("convert", tmp_path / "all.jsonl", tmp_path / "back", "--to", "brat", "--quiet")
    assert (back.returncode, back.stdout, back.stderr) == (0, "", "")
    same(ga.read(tmp_path / "back"), corpus)
    assert sorted(path.name for path in (tmp_path / "back").iterdir()) == ["Lisa", "Maria", "Max", "Peter"]


@pytest.mark.parametrize(
    ("name", "made"), [("out", "out/units.parquet"), ("out.tsv", "out.tsv"), ("o/", "o/units.csv")]
)
def test_the_name_of_the_target_says_the_format(units, tmp_path, name, made):
    more = ["--to", "csv"] if name == "o/" else []
    assert main(["convert", str(units), f"{tmp_path}/{name}", *more]) == 0
    assert (tmp_path / made).is_file()
    same(ga.read(f"{tmp_path}/{name}"), ga.read(units))


@pytest.mark.surfaces
@pytest.mark.parametrize("name", ["csv", "tsv", "parquet", "jsonl", "pygamma"])
def test_standard_output_takes_any_format_of_one_file(units, tmp_path, name):
    done = in_a_process("convert", units, "-", "--to", name, "--drop", "all", cwd=tmp_path, text=False, encoding=None)
    assert (done.returncode, [path.name for path in tmp_path.iterdir()]) == (0, ["units.csv"])
    assert b"gamma-align: note: standard output: 1 document, 2 annotators, 3 units" in done.stderr
    copy = tmp_path / f"d{formats.by_name(name).suffixes[0]}"
    copy.write_bytes(done.stdout)
    same(ga.read(copy, format=name), ga.read(units))


@pytest.mark.surfaces
def test_a_pipe_of_commands(units):
    piped = run("convert", units, "-", "--to", "jsonl", "--quiet")
    assert (piped.returncode, piped.stderr) == (0, "")
    program = command("convert", "-", "-", "--to", "csv")
    done = subprocess.run(program, input=piped.stdout, capture_output=True, text=True, check=True)
    assert done.stdout == ROWS


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-"], 2, "add --to FORMAT"),
        (["-", "--to", "brat"], 3, "standard output: the corpus makes 56 files of brat; name a folder"),
        (["-", "--to", "csv"], 3, "standard output: one file of units would lose the extents of 7 documents"),
        (["-", "--to", "conll"], 2, "conll can be read but not written"),
        (["-", "--to", "webanno"], 2, "argument --to: format must be one of"),
    ],
)
def test_standard_output_takes_no_folder_and_no_unknown_format(tmp_path, arguments, code, words):
    done = run("convert", BRAT, *arguments, cwd=tmp_path)
    refused(code, done, words)
    assert tempfile.gettempdir() not in done.stderr.replace(str(BRAT), "")  # the checkout may lie there
    assert list(tmp_path.iterdir()) == []


def test_results_go_to_standard_output_too_and_repaired_files_do_not(units, tmp_path):
    measured = run("measure", units, "--samples", 5, "-o", "-", cwd=tmp_path)
    assert (measured.returncode, measured.stdout[:11]) == (0, "annotators:")
    printed, tool = (
        run("shuffle", units, "--annotator", "Ann", "-m", 0, "-o", "-", "--to", name, cwd=tmp_path)
        for name in ("jsonl", "tool")
    )
    assert [done.returncode for done in (printed, tool)] == [0, 0]
    assert json.loads(printed.stdout.splitlines()[0])
    assert "0,10" in tool.stdout
    done = run("validate", units, "--fix", "spelling", "-o", "-", cwd=tmp_path)
    refused(2, done, "'-' is standard output, where the report")
    assert [path.name for path in tmp_path.iterdir()] == ["units.csv"]


def test_what_may_be_lost_is_said_and_bounds_are_rounded(tmp_path, capsys):
    song = str(FORMATS / "jams" / "Cerulean_Bob_Dylan-Hurricane.jams")
    layer = ["--layers", "segment_salami_upper"]
    assert main(["convert", song, str(tmp_path / "song.eaf"), *layer]) == ExitCode.INVALID_INPUT
    assert "--decimals 3" in capsys.readouterr().err
    assert main(["convert", song, str(tmp_path / "song.eaf"), *layer, "--decimals", "3"]) == 0
    assert "rounded to 3 decimals" in capsys.readouterr().err
    assert ga.read(tmp_path / "song.eaf").n_units == 158
    assert main(["convert", song, str(tmp_path / "song.csv"), *layer, "--to", "pygamma"]) == ExitCode.INVALID_INPUT
    assert "--drop extents,length-unit" in capsys.readouterr().err
    more = ["--to", "pygamma", "--drop", "extents,length-unit"]
    assert main(["convert", song, str(tmp_path / "song.csv"), *layer, *more]) == 0
    assert "not written: the extents of 1 documents, the unit of length" in capsys.readouterr().err
    assert ga.read(tmp_path / "song.csv").n_units == 158


def test_reading_options_hold(units, tmp_path, capsys):
    assert main(["convert", str(units), str(tmp_path / "out.csv"), "--labels", "x=z,y="]) == 0
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines() == [
        "document,annotator,start,end,category",
        "d,Ann,0,10,z",
        "d,Bob,1,10,z",
    ]
    assert "1 units of categories that were not requested are left out" in capsys.readouterr().err


def test_texts_that_one_table_does_not_hold_are_told(tmp_path):
    spans = tmp_path / "spans.jsonl"
    spans.write_text('{"document": "d", "annotator": "ann", "text": "Anna", "spans": [[0, 4, "PER"]]}\n')
    done = run("convert", spans, tmp_path / "units.csv", "--drop", "length-unit")
    assert done.returncode == 0
    assert "units.csv: a single table has no place for texts; --to jsonl" in done.stderr
    assert ga.read(tmp_path / "units.csv").texts is None


def test_a_folder_of_tables_holds_the_texts(tmp_path):
    done = run("convert", BRAT, tmp_path / "tables")
    assert (done.returncode, "texts" in done.stderr) == (0, False)
    assert ga.read(tmp_path / "tables").texts == ga.read(BRAT).texts


def test_a_file_that_exists_is_replaced_whole(units, tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("old", encoding="utf-8")
    assert main(["convert", str(units), str(target), "--quiet"]) == 0
    same(ga.read(target), ga.read(units))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "units.csv"]


# --- what is refused, before anything is written


def test_what_the_format_cannot_hold_is_told_and_nothing_is_written(tmp_path):
    source = tmp_path / "all.jsonl"
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "units.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "c" / "annotations.csv").write_text("document,annotator\nd,Ann\nd,Bob\nd,Cy\n", encoding="utf-8")
    assert main(["convert", str(tmp_path / "c"), str(source), "--quiet"]) == 0
    refused(3, run("convert", source, tmp_path / "out.csv"), "1 annotators who marked nothing", "write a folder")
    refused(3, run("convert", source, tmp_path / "out", "--to", "brat"), "brat keeps the text beside the units")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.jsonl", "c"]


def test_the_input_is_never_written_over(units, tmp_path):
    before = units.read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(units)
    for target in (units, f"{tmp_path}/./units.csv", link):
        refused(2, run("convert", units, target), "which is never changed")
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / "units.csv").write_bytes(before)
    for target in (folder, folder / "new", folder / "units.parquet"):
        refused(2, run("convert", folder, target), "which is never changed")
    assert [path.name for path in folder.iterdir()] == ["units.csv"]
    refused(2, run("convert", tmp_path / "{document}.csv", units, "--quiet"), "is one of the files of")
    assert units.read_bytes() == before


def test_a_template_may_be_written_beside(units, tmp_path):
    assert main(["convert", str(tmp_path / "{document}.csv"), str(tmp_path / "all.jsonl"), "--quiet"]) == 0
    assert ga.read(tmp_path / "all.jsonl").documents == ("units",)
    refused(3, run("convert", tmp_path / "{annotator}" / "{document}.ann", tmp_path / "all.jsonl"), "no file matches")
    assert units.read_text(encoding="utf-8") == ROWS


def test_places_that_cannot_be_written_to(units, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").write_text("here", encoding="utf-8")
    refused(2, run("convert", units, tmp_path / "full"), "not empty")
    refused(2, run("convert", units, tmp_path / "no" / "out.csv"), "there is no folder")
    refused(2, run("convert", units, tmp_path / "out.xyz"), ".xyz are not written")
    refused(2, run("convert", units, tmp_path / "out.xyz", "--to", "nonsense"), "format must be one of")
    refused(2, run("convert", units, tmp_path / "out", "--to", "doccano"), "doccano can be read but not written")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "units.csv"]


def test_wrong_input_is_named(tmp_path):
    refused(3, run("convert", tmp_path / "nothing.csv", tmp_path / "out.csv"), "nothing.csv", "no such file")
    bad = tmp_path / "bad.csv"
    bad.write_text(ROWS.replace("12,20", "20,12"), encoding="utf-8")
    refused(3, run("convert", bad, tmp_path / "out.csv"), "bad.csv, line 3", "before its start")
    assert not (tmp_path / "out.csv").exists()


def test_two_paths_are_needed(capsys):
    assert main(["convert", "in.csv"]) == 2
    assert "OUT" in capsys.readouterr().err


@pytest.mark.surfaces
@pytest.mark.parametrize("target", ["out", "out.csv"])
def test_ctrl_c_leaves_nothing_half_written(units, tmp_path, target):
    program = (
        "import os, signal, sys\n"
        "from gamma_align.apps.cli import main\n"
        "from gamma_align.reading.files import atomic\n"
        "real = os.fsync\n"
        "def stop(number):\n"
        "    real(number)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "atomic.os.fsync = stop\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", program, "convert", str(units), str(tmp_path / target), "--to", "csv"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, env=dict(os.environ))
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, "gamma-align: error: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["units.csv"]


# --- the list of formats


def test_the_list_names_every_format_once():
    done = run("convert", "--list")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["format", "files", "annotator", "in", "extra"]
    names = [line.split()[0] for line in lines[1:]]
    assert sorted(names) == sorted({*table_formats.TABLES, *formats.formats()})
    told = {line.split()[0]: line for line in lines[1:]}
    for name, fmt in formats.formats().items():
        written = fmt.write is not None or name in table_formats.TABLES
        assert ("read, written" in told[name]) is written
        assert all(suffix in told[name] for suffix in fmt.suffixes[:1])
        assert fmt.extra is None or f" {fmt.extra} " in told[name]
    assert " parquet " in told["parquet"]


def test_every_format_is_explained(capsys):
    for name in formats.formats():
        assert main(["convert", "--about", name]) == 0
        told = capsys.readouterr().out
        assert "Conventions" in told, name
    assert main(["convert", "--about", "nonsense"]) == 2
    assert "not 'nonsense'" in capsys.readouterr().err


def test_extras_the_list_names_exist():
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for fmt in formats.formats().values():
        assert fmt.extra is None or f"\n{fmt.extra} = [" in declared, fmt.name


def test_every_written_format_is_read_again(tmp_path):
    """One small corpus that every format can hold, to each of them and back, on the command line."""
    lines = [
        {
            "document": name,
            "start": 0,
            "end": end,
            "unit": unit,
            **({"text": f"one two three {end}".ljust(end)} if unit == "char" else {}),
            "annotations": {
                who: [{"start": 0, "end": 3 + at, "category": "x"}, {"start": 8, "end": 13, "category": "y"}]
                for at, who in enumerate(("Ann", "Bob"))
            },
        }
        for name, unit, end in (("d1", "char", 16), ("d2", "char", 17), ("t1", "s", 16), ("t2", "s", 17))
    ]
    for unit in ("char", "s"):
        text = "".join(json.dumps(line) + "\n" for line in lines if line["unit"] == unit)
        (tmp_path / f"{unit}.jsonl").write_text(text, encoding="utf-8")
    written = {name for name, fmt in formats.formats().items() if fmt.write is not None} | {*table_formats.TABLES}
    done = {}
    for name in sorted(written):
        for unit in ("char", "s"):
            target = tmp_path / f"{name}-{unit}"
            code = main(["convert", str(tmp_path / f"{unit}.jsonl"), str(target), "--to", name, "--quiet"])
            if code == 0:
                done.setdefault(name, []).append(unit)
                source = ga.read(tmp_path / f"{unit}.jsonl")
                if name == "labelstudio":  # annotators are written as models, for others to annotate after them
                    read = ga.read(target, options={"predictions": "yes", "document": "data.document"})
                    read = read.rename(annotators={f"model {who}": who for who in source.annotators})
                else:
                    read = ga.read(target)
                assert list(units_of(read)) == list(units_of(source)), (name, unit)
    assert set(done) == written - {"pygamma"}  # which holds no extents


def units_of(corpus):
    for at in range(len(corpus)):
        for unit in corpus.continuum(at).units():
            yield corpus.documents[at], *unit
