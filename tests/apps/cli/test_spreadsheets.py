"""CSV for spreadsheets, and text for terminals: neither runs what a label or a name contains."""

from __future__ import annotations

import argparse
import csv
import io
import re

import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.apps.cli import _messages
from gamma_align.apps.cli._parser import Parser
from gamma_align.apps.cli._program import _COMMANDS, _fill
from gamma_align.data.wording import spreadsheet_text, terminal_text
from gamma_align.errors import SettingsError
from gamma_align.present.writers.data import csv_text

FORMULAS = ("=1+1", "+cmd", "-2+3", "@SUM(A1)", "\tx", "\rx", "\nx", "\uff1d1", "-", "--", "-inf", "=")
HARMLESS = ("PER", "'=1", " =1", "a=1", "1-2", "", "-3", "+4.5", "-1e-05", ".5", "γ")
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def corpus(tmp_path):
    """Return the path of a corpus whose document, annotator and category are formulas."""
    path = tmp_path / "units.csv"
    rows = [
        ("=d", "@anna", 0, 5, "+x"),
        ("=d", "-bert", 0, 6, "+x"),
        ("=d", "@anna", 7, 9, "-1"),
        ("=d", "-bert", 8, 9, "y"),
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("document", "annotator", "start", "end", "category"), *rows])
    return path


def cells(text, delimiter=","):
    return {cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) for cell in row}


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_gets_an_apostrophe(text):
    assert spreadsheet_text(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_any_other_text_stays(text):
    assert spreadsheet_text(text) == text


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8")), min_size=2, max_size=3), min_size=1))
def test_csv_is_read_as_it_was_written_with_and_without_apostrophes(rows):
    written = list(csv.reader(io.StringIO(csv_text(rows), newline=""), strict=True))
    assert written == rows
    safe = list(csv.reader(io.StringIO(csv_text(rows, is_safe=True), newline=""), strict=True))
    assert safe == [[spreadsheet_text(cell) for cell in row] for row in rows]


def test_numbers_stay_numbers():
    assert csv_text([("=a", -1.5, -2, None)], is_safe=True) == "'=a,-1.5,-2,\n"


@pytest.mark.parametrize(
    "command",
    [
        ("measure", "--samples", 2),
        ("families", "--samples", 2),
        ("disagreements", "--samples", 2),
        ("evaluate", "--reference", "@anna"),
        ("evaluate",),
        ("consensus",),
    ],
)
def test_csv_of_every_command_is_safe_on_request(corpus, command):
    name, *options = command
    plain = run(name, corpus, *options, "--csv", "--quiet")
    safe = run(name, corpus, *options, "--csv", "--csv-safe", "--quiet")
    assert (plain.returncode, safe.returncode) == (0, 0), plain.stderr + safe.stderr
    assert cells(safe.stdout) == set(map(spreadsheet_text, cells(plain.stdout)))
    assert {cell[:1] for cell in cells(plain.stdout)} & set("=@+-")
    assert not [cell for cell in cells(safe.stdout) if cell[:1] in set("=@+")]


@pytest.mark.parametrize("command", [*_COMMANDS])
def test_every_command_that_writes_csv_has_the_option(command):
    parser = Parser(fill=_fill, prog="gamma-align")
    parser.prepare([command])
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    names = {action.dest for action in commands.choices[command]._actions}
    assert bool(names & {"csv", "to"}) == ("csv_safe" in names)


def test_a_corpus_is_written_safely_on_request(corpus, tmp_path):
    for out, delimiter in ((tmp_path / "new.csv", ","), (tmp_path / "new.tsv", "\t")):
        assert run("convert", corpus, out, "--csv-safe").returncode == 0
        assert {"'=d", "'@anna", "'-bert", "'+x", "-1", "y"} <= cells(out.read_text(encoding="utf-8"), delimiter)
    ga.write(ga.read(corpus), tmp_path / "folder", format="csv", csv_safe=True)
    assert "'=d" in cells((tmp_path / "folder" / "documents.csv").read_text(encoding="utf-8"))
    printed = run("convert", corpus, "-", "--to", "csv", "--csv-safe").stdout
    assert printed == (tmp_path / "new.csv").read_text(encoding="utf-8")
    shuffled = run("shuffle", corpus, "--annotator", "@anna", "-m", "0", "--csv-safe", "--quiet").stdout
    assert "'=d" in cells(shuffled)


@pytest.mark.parametrize(
    "arguments",
    [
        ("measure", "--samples", 2),
        ("measure", "--samples", 2, "--json"),
        ("consensus", "-o", "gold"),
        ("shuffle", "--annotator", "@anna", "-m", "0", "--json"),
        ("shuffle", "--annotator", "@anna", "-m", "0", "--to", "tool"),
        ("validate",),
    ],
)
def test_without_csv_the_option_is_refused(corpus, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(arguments[0], corpus, *arguments[1:], "--csv-safe")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--csv-safe" in done.stderr
    assert not (tmp_path / "gold").exists()


def test_python_refuses_it_for_other_formats(corpus, tmp_path):
    with pytest.raises(SettingsError, match="csv_safe"):
        ga.write(ga.read(corpus), tmp_path / "new.jsonl", csv_safe=True)
    assert not (tmp_path / "new.jsonl").exists()


@given(st.text())
def test_no_control_character_reaches_a_terminal(text):
    shown = terminal_text(text)
    assert not CONTROLS.search(shown)
    assert CONTROLS.search(text) or shown == text


def test_messages_have_no_control_characters(tmp_path):
    path = tmp_path / "units\x1b]0;title\x07.csv"
    path.write_text("document,annotator,start,end,category\nd,\x1b[31mann,5,3,x\n", encoding="utf-8")
    done = run("validate", path)
    assert done.returncode == 3
    assert "\\x1b" in done.stdout + done.stderr
    assert not CONTROLS.search((done.stdout + done.stderr).replace("\n", ""))


@pytest.mark.parametrize("form", [(), ("--csv",), ("--markdown",), ("--latex",), ("--json",)])
def test_no_form_of_a_result_has_control_characters_on_a_terminal(tmp_path, form, monkeypatch):
    path = tmp_path / "units.csv"
    rows = ("d\x1b[2J,anna,0,5,\x9bx", "d\x1b[2J,b\u202eert,0,6,\x9bx")
    path.write_text("\n".join(["document,annotator,start,end,category", *rows, ""]), encoding="utf-8")
    to_pipe = run("measure", path, "--samples", 2, *form)
    assert to_pipe.returncode == 0, to_pipe.stderr
    monkeypatch.setattr(_messages, "_is_terminal", lambda _: True)
    to_terminal = run("measure", path, "--samples", 2, *form)
    assert to_terminal.stdout == terminal_text(to_pipe.stdout)
    assert ("\x1b" in to_pipe.stdout) == (form == ("--csv",))
