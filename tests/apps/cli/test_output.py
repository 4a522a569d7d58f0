"""How JSON is written: valid, indented, and an entry of a list in a line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamma_align.present.writers.json_text import json_pieces
from gamma_align.requests.shell import COMMAND_LINE

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


@given(st.dictionaries(st.text(), VALUES))
def test_what_is_written_reads_as_it_was(data):
    assert json.loads("".join(json_pieces(data, COMMAND_LINE))) == data


def test_entries_of_lists_stand_in_a_line_unless_they_have_such_lists_themselves():
    data = {
        "seed": 0,
        "names": ["a", "b"],
        "none": [],
        "documents": [
            {"document": "ä", "gamma": {"value": 0.5, "reason": None}},
            {"document": "b", "extent": [0.0, 9.5], "units": [{"start": 1.0}, {"start": 2.0}]},
        ],
    }
    assert "".join(json_pieces(data, COMMAND_LINE)).splitlines() == [
        "{",
        '  "seed": 0,',
        '  "names": ["a", "b"],',
        '  "none": [],',
        '  "documents": [',
        '    {"document": "ä", "gamma": {"value": 0.5, "reason": null}},',
        "    {",
        '      "document": "b",',
        '      "extent": [0.0, 9.5],',
        '      "units": [',
        '        {"start": 1.0},',
        '        {"start": 2.0}',
        "      ]",
        "    }",
        "  ]",
        "}",
    ]


def test_nothing_is_written_as_json_that_is_none():
    with pytest.raises(ValueError, match="not JSON compliant"):
        "".join(json_pieces({"documents": [{"value": float("nan")}]}, COMMAND_LINE))
