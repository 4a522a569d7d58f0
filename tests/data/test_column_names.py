"""Columns are recognised by their usual names unless these are ambiguous, and are never ignored silently."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.data.column_names import ROLES, USUAL, plain, recognised
from gamma_align.requests.shell import COMMAND_LINE

OUR_NAMES = list(ROLES)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("doc_id annotator start end label", "doc_id annotator start end label"),
        ("document_id coder begin end tag", "document_id coder begin end tag"),
        ("filename rater onset offset type", "filename rater onset offset type"),
        ("file user from to entity", "file user from to entity"),
        ("recording tier start stop class", "recording tier start stop class"),
        ("text_id worker_id start_char end_char entity_type", "text_id worker_id start_char end_char entity_type"),
        ("DocID Annotator Start End Label", "DocID Annotator Start End Label"),
    ],
)
def test_usual_names_are_recognised_with_a_note(header, names):
    result = recognised(header.split(), {})
    assert result.names == dict(zip(ROLES, names.split(), strict=True))
    assert "as category" in result.notes[0]


def test_our_names_are_recognised_without_a_note():
    assert recognised([*OUR_NAMES, "label", "doc_id", "text"], {}) == (dict(zip(ROLES, ROLES, strict=True)), ())


def test_names_given_by_the_user_override_our_names():
    given_names = {"category": "coarse", "document": None}
    assert recognised([*OUR_NAMES, "coarse"], given_names).names == {
        "category": "coarse",
        "annotator": "annotator",
        "start": "start",
        "end": "end",
    }


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (
            "annotator start end label type",
            "'label' and 'type' may each be the category; choose one with --column",
        ),
        ("document user rater start end", "'user' and 'rater' may each be the annotator"),
        ("document annotator start end coarse_label", r"--column category=coarse_label; .* --no-categories"),
        ("document annotator start end Species", r"--column category=Species; .* --no-categories"),
        ("document annotator start end entity_classes", r"--column category=entity_classes"),
        ("document annotator Observation_type start end Behavior Behavior_type", r"--column category=Behavior"),
        ("annotator start end Media_file_name Observation_id Behavior", r"--column document=Media_file_name"),
        ("annotator start end category line_number", r"--column document=line_number; .* --one-document"),
        (
            "File annotator start end category Line",
            r"layer=Line and --documents-from '{document}/{layer}', .* doc",
        ),
        (
            "document annotator start end category sentence_id",
            r"--column layer=sentence_id .* --column document=document",
        ),
        ("annotator start end category clip_nr", r"--column document=clip_nr; .* --one-document"),
    ],
)
def test_ambiguous_columns_are_refused_with_options_as_cure(header, message):
    with pytest.raises(ga.InputError) as error:
        recognised(header.split(), {})
    assert re.search(message, error.value.render(COMMAND_LINE))


@pytest.mark.parametrize("header", ["annotator start end category text", "annotator start end category document_text"])
def test_columns_that_describe_a_document_do_not_name_it(header):
    assert "document" not in recognised(header.split(), {}).names


@pytest.mark.parametrize("given_names", [{"document": "file"}, {"document": None}, {"layer": "line"}])
def test_a_column_of_lines_is_accepted_if_the_user_names_the_document_or_layer(given_names):
    recognised(["file", "line", "annotator", "start", "end", "label"], given_names)


@pytest.mark.parametrize("name", ["line_text", "sentence_length", "pages_read"])
def test_columns_that_describe_a_line_do_not_number_it(name):
    assert recognised([*OUR_NAMES, name], {}).names["document"] == "document"


def test_an_offset_is_an_end_only_if_there_is_a_start():
    assert "end" not in recognised(["annotator", "offset", "length"], {}).names


def test_a_known_role_needs_no_column():
    result = recognised(["user", "start", "end", "label", "doc_id"], {}, known=("annotator",))
    assert "annotator" not in result.names


@given(st.permutations([(role, name) for role in ROLES for name in USUAL[role].split()[:1]]))
def test_recognition_does_not_depend_on_the_order_of_columns(columns):
    assert recognised([name for _, name in columns], {}).names == dict(columns)


@given(st.lists(st.text(max_size=12), max_size=6))
def test_any_header_is_recognised_or_refused(header):
    try:
        result = recognised(header, {})
    except ga.InputError:
        return
    assert set(result.names.values()) <= set(header)
    assert len(set(result.names.values())) == len(result.names)


def test_usual_names_have_only_one_role():
    names = [name for role in ROLES for name in USUAL[role].split()]
    assert len(set(names)) == len(names)
    assert [plain(name) for name in names] == names
