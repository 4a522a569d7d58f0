"""Settings of the HTTP API: the declared options, checked by the parser of the command line."""

from __future__ import annotations

import pytest

from gamma_align.apps.service.refusal import refusal_of
from gamma_align.apps.service.settings import arguments_of, options, schema
from gamma_align.apps.service.work import COMMANDS
from gamma_align.errors import SettingsError


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
        ("evaluate", {"iou": 0}, "iou", "must be above 0 and at most 1, not 0"),
    ],
)
def test_an_error_names_the_setting_that_was_sent(command, settings, field, message, tmp_path):
    with pytest.raises(SettingsError) as raised:
        arguments_of(command, settings, [], tmp_path)
    refusal = refusal_of(raised.value)
    assert refusal.location == {"field": field}
    assert refusal.message.startswith(message)


def test_tables_and_lists_become_the_arguments_of_their_options(tmp_path):
    rows = [["", "A", "B"], ["A", 0, 0.5], ["B", 0.5, 0]]
    settings = {"distance_matrix": rows, "order": ["A, or", "B"], "document": ["a,b", "c"], "align_text": True}
    settings |= {"labels": {"A,": "B=", "C": None}, "option": {"x": [1], "y": "z"}, "column": ["document=doc"]}
    arguments = arguments_of("measure", settings, ["units.csv"], tmp_path)
    assert arguments.distance_matrix.read_text(encoding="utf-8").splitlines() == [",A,B", "A,0,0.5", "B,0.5,0"]
    assert arguments.order == ("A, or", "B")
    assert arguments.keep_documents == ["a,b", "c"]
    assert arguments.read_align_text is True
    assert arguments.read_labels == {"A,": "B=", "C": None}
    assert arguments.read_options == [("x", [1]), ("y", "z")]
    assert arguments.read_columns == [("document", "doc")]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_setting_names_a_file_or_a_worker_of_the_machine(command):
    not_served = {"output", "to", "quiet", "json", "csv", "svg", "plot", "junit", "work", "texts", "jobs", "backend"}
    assert not options(command).keys() & not_served
    properties = schema(command)["properties"]
    assert all(setting["description"] for setting in properties.values())
    assert all({"type", "enum", "anyOf"} & setting.keys() for setting in properties.values())
