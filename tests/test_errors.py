"""Errors are facts: each surface renders location, cause and cure in its own language."""

from __future__ import annotations

import copy

import pytest

from gamma_align.apps.service.refusal import HTTP, refusal_of
from gamma_align.errors import (
    PYTHON,
    Call,
    Cure,
    Entry,
    Fix,
    InputError,
    Install,
    Location,
    MissingExtraError,
    Note,
    Set,
    SettingsError,
    render,
)
from gamma_align.requests.shell import COMMAND_LINE

SWAPPED = InputError(
    "the unit ends at 3, before its start 5", Cure("correct it, or {}", Fix("swapped-bounds")), Location("units.csv", 7)
)
LABELS = Cure("map the labels with {}", Set("labels", {"theirs": "ours"}))


@pytest.mark.parametrize(
    ("surface", "cure"),
    [
        (PYTHON, "correct it, or let ga.validate(path).fix('swapped-bounds') do it"),
        (COMMAND_LINE, "correct it, or let gamma-align validate --fix swapped-bounds do it"),
    ],
    ids=["python", "command line"],
)
def test_each_surface_renders_the_cure_in_its_language(surface, cure):
    assert SWAPPED.render(surface) == f"units.csv, line 7: the unit ends at 3, before its start 5; {cure}"


def test_str_of_an_error_speaks_python():
    assert str(SWAPPED) == SWAPPED.render(PYTHON)


@pytest.mark.parametrize(
    ("cure", "python", "command_line", "http"),
    [
        (
            LABELS,
            "map the labels with labels={'theirs': 'ours'}",
            "map the labels with --labels theirs=ours",
            'map the labels with the setting "labels": {"theirs": "ours"}',
        ),
        (Cure("use {}", Set("layers", ["A", "B"])), "use layers=['A', 'B']", "use --layers A,B", None),
        (Cure("set {}", Set("annotator")), "set annotator=", "set --annotators-from", None),
        (
            Cure("set {}", Set("options", {"chains": True})),
            "set options={'chains': True}",
            "set --option chains=true",
            'set the setting "option": {"chains": true}',
        ),
        (
            Cure("name them with {}", Entry("columns", "start", ("end",))),
            "name them with columns={'start': …, 'end': …}",
            "name them with --column start=… --column end=…",
            'name them with the setting "column": {"start": …, "end": …}',
        ),
        (
            Cure("round them with {}", Call("write", "convert", Set("decimals", 3))),
            "round them with ga.write(…, decimals=3)",
            "round them with gamma-align convert --decimals 3",
            None,
        ),
        (Cure("see {}", Call("formats", "convert --list")), "see ga.formats", "see gamma-align convert --list", None),
        (Cure("{}", Install("parquet")), "run  pip install 'gamma-align[parquet]'", None, None),
        (Cure("write {a}"), "write {a}", "write {a}", "write {a}"),
    ],
)
def test_references_are_rendered_for_the_surface(cure, python, command_line, http):
    assert cure.render(PYTHON) == python
    assert command_line is None or cure.render(COMMAND_LINE) == command_line
    assert http is None or cure.render(HTTP) == http


@pytest.mark.parametrize(
    "error", [SWAPPED, MissingExtraError("pandas", "frames", "a data frame"), SettingsError("a", LABELS)]
)
def test_errors_can_be_copied_to_another_process(error):
    received = copy.copy(error)  # as pickle does, by __reduce__
    assert type(received) is type(error)
    assert received.problem == error.problem
    assert str(received) == str(error)


def test_errors_over_http_have_fields_and_actions():
    error = SettingsError("units are outside", Cure("use {}", Set("outside", "extend")), Location.for_option("outside"))
    assert refusal_of(error).to_dict()["error"] == {
        "code": "usage",
        "message": "units are outside",
        "cure": 'use the setting "outside": "extend"',
        "where": {"field": "outside"},
        "more": 0,
        "actions": [{"set": {"outside": "extend"}}],
    }


def test_a_document_with_a_semicolon_in_its_name_stays_in_the_message():
    error = refusal_of(InputError("document 'x; y' has no units", "add some", Location("f.csv", 2))).to_dict()["error"]
    assert (error["message"], error["cure"]) == ("document 'x; y' has no units", "add some")
    assert error["where"] == {"file": "f.csv", "line": 2}


def test_a_note_is_a_text_that_can_be_rendered_again():
    note = copy.copy(Note("bounds are counted in tokens", LABELS))
    assert note == "bounds are counted in tokens; map the labels with labels={'theirs': 'ours'}"
    assert render(note, COMMAND_LINE) == "bounds are counted in tokens; map the labels with --labels theirs=ours"
    assert render("a text", COMMAND_LINE) == "a text"


def test_a_prefix_keeps_the_cure():
    assert SWAPPED.prefixed("a and b").problem.cure == SWAPPED.problem.cure
    assert str(SWAPPED.prefixed("a and b")).startswith("a and b: units.csv, line 7: the unit ends")


def test_a_path_is_removed_from_the_cure_too():
    inner = Cure("give the path '{}'", "work/{annotator}/{document}.ann")
    cure = Cure("{}, or set {}", inner, Set("annotator", "{file}"))
    changed = InputError("two", cure).change_text(lambda text: text.replace("work/", ""))
    assert str(changed) == "two; give the path '{annotator}/{document}.ann', or set annotator='{file}'"
