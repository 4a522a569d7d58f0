"""Writing in the formats of tools: all files or none, under names that every system accepts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import gamma_align as ga
from gamma_align.errors import DiskFullError, InputError, SettingsError
from gamma_align.reading.formats import FileFormat
from gamma_align.reading.marks.writable import as_part, as_path
from gamma_align.reading.write import write_files

CORPUS = ga.Corpus.from_records([("d", "a", 0, 1, "x")])


def making(*files, suffix=".x", error=None):
    """Return a format that writes these files, and then fails, if told."""

    def write(_):
        yield from ((name, data.encode()) for name, data in files)
        if error is not None:
            raise error

    return FileFormat("made", "made for this test", (suffix,), lambda _: False, lambda *_: (), write=write)


def below(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_files_are_written_into_a_new_folder(tmp_path):
    write_files(CORPUS, tmp_path / "new" / "out", making(("anna/d1.x", "1"), ("bert/d1.x", "2")))
    assert below(tmp_path) == [
        "new",
        "new/out",
        "new/out/anna",
        "new/out/anna/d1.x",
        "new/out/bert",
        "new/out/bert/d1.x",
    ]
    assert (tmp_path / "new" / "out" / "bert" / "d1.x").read_text() == "2"


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "out").mkdir()
    write_files(CORPUS, tmp_path / "out", making(("d1.x", "1")))
    assert below(tmp_path) == ["out", "out/d1.x"]


def test_a_name_with_the_suffix_of_the_format_is_a_file(tmp_path):
    write_files(CORPUS, tmp_path / "out.X", making(("d1.x", "1")))
    assert (tmp_path / "out.X").read_text() == "1"
    write_files(CORPUS, f"{tmp_path}/folder.x{os.sep}", making(("d1.x", "1")))
    assert below(tmp_path / "folder.x") == ["d1.x"]


def test_several_files_do_not_go_into_one(tmp_path):
    with pytest.raises(InputError, match=r"out\.x: the corpus makes 3 files of made; name a folder: '.*/out/'$"):
        write_files(CORPUS, tmp_path / "out.x", making(("1.x", ""), ("2.x", ""), ("3.x", "")))
    assert below(tmp_path) == []


@pytest.mark.parametrize("error", [InputError("cannot be held"), KeyboardInterrupt(), OSError(5, "Input/output error")])
@pytest.mark.parametrize("name", ["out", "out.x", "new/out"])
def test_interrupted_writing_leaves_nothing(tmp_path, name, error):
    with pytest.raises(type(error)):
        write_files(CORPUS, tmp_path / name, making(("d1.x", "1"), error=error))
    assert below(tmp_path) == []


def test_full_disc_leaves_nothing_and_is_reported(tmp_path, monkeypatch):
    written = []

    def full(path, data):
        if written:
            raise OSError(28, "No space left on device")
        written.append(path)
        return len(data)

    monkeypatch.setattr(Path, "write_bytes", full)
    corpus = ga.Corpus.from_records([("d", "a", 0, 1, "x"), ("e", "a", 0, 1, "x")])
    with pytest.raises(DiskFullError, match=r"cannot write .*out: No space left on device; free space there"):
        ga.write(corpus, tmp_path / "out", format="pygamma")
    assert below(tmp_path) == []


def test_filled_folders_are_not_changed(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(SettingsError, match="the folder is not empty"):
        write_files(CORPUS, tmp_path, making(("d1.x", "1")))
    assert below(tmp_path) == ["mine.txt"]


def test_a_file_is_not_replaced_by_a_folder(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(SettingsError, match="is a file, and a folder is to be written"):
        write_files(CORPUS, tmp_path / "out", making(("d1.x", "1")))
    assert (tmp_path / "out").read_text() == "mine"


def test_current_folder_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="is the folder you are in"):
        write_files(CORPUS, ".", making(("d1.x", "1")))


@pytest.mark.parametrize("name", ["../d1.x", "/d1.x", "a/../../d1.x", "..", "", "..\\d1.x"])
def test_files_outside_the_folder_are_refused(tmp_path, name):
    with pytest.raises(InputError, match=r"^made: the file .* would be outside the folder"):
        write_files(CORPUS, tmp_path / "in" / "out", making(("d0.x", ""), (name, "")))
    assert below(tmp_path) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("d1.x", "d1.x"),
        ("d1.x", "D1.x"),
        ("straße.x", "STRASSE.x"),
        ("\u00e9.x", "e\u0301.x"),
        ("d1.x", "d1.x/d2.x"),
        ("d1.x/d2.x", "D1.x"),
        ("Anna/d1.x", "anna/d2.x"),
    ],
)
def test_files_equal_on_case_insensitive_systems_are_refused(tmp_path, one, other):
    with pytest.raises(InputError, match=r"would be one file or folder on some systems"):
        write_files(CORPUS, tmp_path / "out", making((one, "1"), (other, "2")))
    assert below(tmp_path) == []


@pytest.mark.parametrize("name", ["a:b.x", "CON.x", "what?.x", "end./d.x", "Anna/nul.x"])
def test_names_that_windows_reserves_are_refused_there(tmp_path, monkeypatch, name):
    monkeypatch.setattr("gamma_align.reading.write._ON_WINDOWS", True)
    with pytest.raises(InputError, match="Windows allows no file with the name"):
        write_files(CORPUS, tmp_path / "out", making((name, "1")))
    assert below(tmp_path) == []


def test_read_only_formats_are_refused(tmp_path):
    fmt = FileFormat("made", "", (".x",), lambda _: False, lambda *_: ())
    with pytest.raises(SettingsError, match="made can be read but not written"):
        write_files(CORPUS, tmp_path / "out", fmt)


GOOD = ["d1", "part 1/d1", "Ünïcode", "d.1", "console", "nullify", "com", "Mr.", "d,1;(2)'s"]
BAD = [
    "",
    ".",
    "..",
    ".hidden",
    "a/../b",
    "a//b",
    "/a",
    "a/",
    " a",
    "a ",
    "a. /b",
    "a./b",
    "C:a",
    "a\\b",
    "a\nb",
    "a\0b",
    "a?",
    "\ud800",
    "nul",
    "CON.txt",
    "a/com1",
]


@pytest.mark.parametrize("name", GOOD)
def test_names_that_can_name_files(name):
    assert as_path(name, "document") == name


@pytest.mark.parametrize("name", BAD)
def test_names_invalid_on_any_system_are_refused(name):
    with pytest.raises(InputError, match=r"^the document .* cannot name a file; rename it, or write a format"):
        as_path(name, "document")


@pytest.mark.parametrize("name", ["a/b", "Mr.", *BAD])
def test_parts_of_paths_are_no_paths(name):
    with pytest.raises(InputError, match=r"^the annotator .* cannot name a (file|folder)"):
        as_part(name)
