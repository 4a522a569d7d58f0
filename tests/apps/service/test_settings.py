"""Settings of the HTTP API: the declared options, as JSON."""

from __future__ import annotations

from functools import partial

import pytest

from gamma_align.apps.cli._parser import Parser
from gamma_align.apps.cli._subcommands import fill_subcommand
from gamma_align.apps.service.refusal import refusal_of
from gamma_align.apps.service.settings import options, schema, values_of
from gamma_align.apps.service.work import COMMANDS
from gamma_align.errors import SettingsError
from gamma_align.requests.commands import options_of


@pytest.mark.parametrize(
    ("command", "settings", "field", "message"),
    [
        ("align", {"document": True}, "document", "True is neither a text nor a number"),
        ("align", {"annotator": [[]]}, "annotator", "[] is neither a text nor a number"),
        ("align", {"annotators_from": ["a"], "documents": "d"}, "documents", "there is no such setting"),
        ("align", {"trim": "yes"}, "trim", "must be true or false, not 'yes'"),
        ("align", {"distance_matrix": [1]}, "distance_matrix", "a table is a list of rows, each a list of cells"),
        ("shuffle", {"annotator": ["Ann, 2nd"]}, "annotator", "'Ann, 2nd' has a comma, which none of these names has"),
        ("shuffle", {"magnitude": [0, 2]}, "magnitude", "must be from 0 to 1 (0 is no errors), not 2"),
        ("items", {"column": {"who": "x"}}, "column", "'who=x' is not item=…, annotator=… or category=…"),
        ("align", {"map": "maps/own.json"}, "map", "a map is sent as a text of JSON"),
        ("items", {"map": "own.json"}, "map", "a map is sent as a text of JSON"),
        ("evaluate", {"iou": 0}, "iou", "must be above 0 and at most 1, not 0"),
    ],
)
def test_an_error_names_the_setting_that_was_sent(command, settings, field, message, tmp_path):
    with pytest.raises(SettingsError) as raised:
        values_of(command, settings, tmp_path)
    refusal = refusal_of(raised.value)
    assert refusal.location == {"field": field}
    assert refusal.message.startswith(message)


def test_tables_and_lists_become_the_values_of_their_options(tmp_path):
    rows = [["", "A", "B"], ["A", 0, 0.5], ["B", 0.5, 0]]
    settings = {"distance_matrix": rows, "order": ["A, or", "B"], "document": ["a,b", "c"], "align_text": True}
    settings |= {"labels": {"A,": "B=", "C": None}, "option": {"x": [1], "y": "z"}, "column": ["document=doc"]}
    values = values_of("measure", settings, tmp_path)
    assert values["distance_matrix"].read_text(encoding="utf-8").splitlines() == [",A,B", "A,0,0.5", "B,0.5,0"]
    assert values["order"] == ("A, or", "B")
    assert values["keep_documents"] == ["a,b", "c"]
    assert values["read_align_text"] is True
    assert values["read_labels"] == {"A,": "B=", "C": None}
    assert values["read_options"] == [("x", [1]), ("y", "z")]
    assert values["read_columns"] == [("document", "doc")]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_setting_names_a_file_or_a_worker_of_the_machine(command):
    not_served = {"output", "to", "quiet", "json", "csv", "svg", "plot", "junit", "work", "texts", "jobs", "dask"}
    assert not options(command).keys() & not_served
    properties = schema(command)["properties"]
    assert all(setting["description"] for setting in properties.values())
    assert all({"type", "enum", "anyOf"} & setting.keys() for setting in properties.values())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_request_has_the_options_of_its_command(command):
    parser = Parser(fill=partial(fill_subcommand, command), prog=command)
    parser.fill()
    shown = {name: declared.option for name, declared in parser.declared.items()}
    asked = {named.name: named.option for named in options_of(command)}
    assert asked.items() <= shown.items()
    of_the_shell = {"pairs", "work", "dask"} if command == "measure" else set()
    assert {name for name in shown.keys() - asked if parser.declared[name].section != "output"} == of_the_shell


def test_an_option_that_is_a_flag_in_a_shell_takes_its_word(tmp_path):
    assert values_of("align", {"soft": "cover"}, tmp_path)["alignment"] == "cover"


def test_a_setting_that_is_needed_is_named(tmp_path):
    with pytest.raises(SettingsError) as raised:
        values_of("shuffle", {}, tmp_path)
    assert refusal_of(raised.value).location == {"field": "magnitude"}
