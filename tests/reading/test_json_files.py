"""JSON of annotation tools: what is no data is refused with its line, and nothing ends in a traceback."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamma_align.errors import InputError
from gamma_align.reading.files import json_files
from gamma_align.reading.files.json_files import FaultError, shape
from gamma_align.reading.files.sources import Head, Source
from gamma_align.reading.marks.marks import Marks

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('a"\\\n€😀{[:,'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab"\\😀', max_size=3), inner, max_size=4),
    max_leaves=12,
)


def source(folder, data, name="file.json"):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return Source(path, name)


def head(data):
    return Head("file.json", ".json", data.encode())


# --- values and their lines --------------------------------------------------------------------------------


@given(st.lists(VALUES, min_size=1, max_size=5), st.sampled_from([None, 1]), st.booleans())
def test_every_value_is_read_back_with_the_line_it_begins_on(tmp_path_factory, values, indent, ascii_only):
    texts = [json.dumps(value, indent=indent, ensure_ascii=ascii_only) for value in values]
    begins, line = [], 1
    for text in texts:
        begins.append(line)
        line += text.count("\n") + 2  # a blank line follows each value
    file = source(tmp_path_factory.mktemp("json"), "\n\n".join(texts))
    assert list(json_files.lines(file)) == list(zip(begins, values, strict=True))


def test_a_document_is_one_value_with_or_without_a_mark(tmp_path):
    for data in (b' \n{"a": [1]}\n', b'\xef\xbb\xbf{"a": [1]}', '{"a": [1]}'.encode("utf-16")):
        assert json_files.document(source(tmp_path, data)) == {"a": [1]}


def test_values_before_a_fault_are_complete(tmp_path):
    found = json_files.lines(source(tmp_path, '{"a": 1}\n\n{"a": }\n'))
    assert next(found) == (1, {"a": 1})
    with pytest.raises(InputError, match="line 3"):
        next(found)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "file.json: the file is empty"),
        (" \n", "file.json: the file is empty"),
        ('{"a": 1}\n{"a": 2}', r"line 2: '\{\"a\": 2\}' follows the end"),
        ('{"a": 1,\n "b": "cut off', r"line 2: the file ends in the middle of a value \(the value begins in line 1\)"),
        ('{"a": 1,\n "b"', "line 2: the file ends in the middle"),
        ("{'a': 1}", r"line 1, column 2: this is no JSON: expecting property name .* there is \"'a': 1\}\""),
        ("[1,\n 2 3]", "line 2, column 4: this is no JSON: expecting ',' delimiter"),
        ("[1,\n NaN]", "line 2: NaN is no number"),
        ('["NaN", \n\n-Infinity]', "line 3: -Infinity is no number"),
        ("[1,\n" + "7" * 5000 + "]", "line 2: an integer of 5,000 digits"),
        ('{"a": {"b": 1},\n "b": {"a": 3,\n "c": 2, "a": 2}}', 'line 3: the key "a" stands twice'),
        ('{"a\\u0062": 1,\n "ab": 2}', "line 1: a key stands twice"),
        ('["x",\n "\\ud83d y"]', r"line 2: \\ud83d is half a character"),
        ('["\\ude00"]', r"line 1: \\ude00 is half a character"),
        ("\n" + "[" * 1_000_000, "line 2: objects or lists in one another"),
        ('{"a":' * 100_000, "line 1: objects or lists in one another"),
        (b'{"a": 1,\n"b": "\xff"}', "line 2: byte 0xff"),
        (b"\x00\x01\x02\x03", "line 1, column 1: this is no JSON"),
    ],
)
def test_invalid_json_is_refused_with_its_line(tmp_path, data, message):
    with pytest.raises(InputError, match=message):
        json_files.document(source(tmp_path, data))


def test_the_line_of_a_fault_far_down_a_file_of_lines(tmp_path):
    file = source(tmp_path, '{"a": "\\ud83d\\ude00"}\n' * 5000 + '{"a": NaN}\n')
    with pytest.raises(InputError, match="line 5001: NaN"):
        list(json_files.lines(file))


def test_strings_that_look_like_faults_are_strings(tmp_path):
    text = '["NaN", "\\\\ud83d", "\\ud83d\\ude00", "' + "7" * 5000 + '", 0.' + "1" * 400 + ', {"a": {"a": 1}}]'
    value = json_files.document(source(tmp_path, text))
    assert value[:3] == ["NaN", "\\ud83d", "😀"]


def test_long_messages_are_clipped(tmp_path):
    with pytest.raises(InputError) as caught:
        json_files.document(source(tmp_path, "[1 " + "x" * 1_000_000))
    assert len(str(caught.value)) < 300


# --- checkers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: json_files.need([1, 2], dict, "the record"), r"the record is a list of 2, not an object \{…\}"),
        (lambda: json_files.need(True, int, "the start"), "the start is true, not an integer"),
        (lambda: json_files.need(None, str, "the text"), "the text is null, not a string"),
        (lambda: json_files.get({}, "text", str), "the record has no 'text'"),
        (lambda: json_files.get({"text": 3}, "text", str), "'text' of the record is 3, not a string"),
        (
            lambda: json_files.maybe({"spans": {}}, "spans", list),
            r"'spans' of the record is an object \{…\}, not a list",
        ),
        (lambda: json_files.number({"start": "3"}, "start"), "the unit has '3' as 'start', not a number"),
        (lambda: json_files.number({"start": False}, "start"), "the unit has false as 'start'"),
        (lambda: json_files.number({}, "end", "the span"), "the span has no 'end'"),
    ],
)
def test_checkers_report_actual_and_expected_kind(check, message):
    with pytest.raises(FaultError, match=message):
        check()


def test_checkers_return_valid_values():
    record = {"text": "", "spans": [], "start": 3, "end": 4.5, "meta": None}
    assert json_files.get(record, "text", str) == ""
    assert json_files.maybe(record, "spans", list) == []
    assert json_files.maybe(record, "meta", dict) is None
    assert (json_files.number(record, "start"), json_files.number(record, "end")) == (3, 4.5)


def test_a_fault_becomes_a_problem_and_the_reader_goes_on():
    marks = Marks("file.json")
    for line in (1, 2):
        with json_files.as_problem(marks, line):
            json_files.need(line, str, "the record")
    assert [str(problem) for problem in marks.problems] == [
        f"file.json, line {line}: the record is {line}, not a string; correct or delete it" for line in (1, 2)
    ]


# --- the beginning of a file -------------------------------------------------------------------------------


def test_shape_contains_keys_and_kinds():
    found = shape(head('{"id": 3, "label": [[0, 2, "ORG"]], "meta": {"a.b": null}, "x": []}\n{"y": "{\\"z\\": 1}"}'))
    assert {"id:num", "label[]", "label[][]", "label[][]:num", "label[][]:str", "meta.a.b:etc", "x[]", "y:str"} <= found
    assert not any("z" in place for place in found)
    assert "[].a[].b" in shape(head('\ufeff [{"a": [{"b": 1'))


@pytest.mark.parametrize("text", ["", "text", "<a/>", "-1", '"a"'])
def test_other_text_has_no_shape(text):
    assert shape(head(text)) == frozenset()


@given(VALUES, st.data())
def test_shape_of_a_beginning_is_a_subset(value, data):
    text = json.dumps([value])
    cut = data.draw(st.integers(1, len(text)))
    keys = {place for place in shape(head(text[:cut])) if ":" not in place.rpartition("]")[2]}
    assert keys <= shape(head(text))


def test_deep_or_unfinished_beginnings_are_scanned_once():
    assert shape(head("[" * 65_536))
    assert shape(head('{"a": "' + '\\"' * 30_000)) == {"", "a"}
