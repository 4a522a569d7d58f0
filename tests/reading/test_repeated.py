"""Further records of one text by one annotator are refused, unless the user says which to keep."""

from __future__ import annotations

import json

import pytest

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading.validation.validate import validate

TEXT = "Ada met Bob."


def write_lines(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def prodigy(path, who="ann", times=(None, None)):
    records = []
    for (start, end), time in zip(((0, 3), (8, 11)), times, strict=True):
        span = {"start": start, "end": end, "label": "PER"}
        record = {"text": TEXT, "_input_hash": 1, "_task_hash": 2, "spans": [span], "answer": "accept"}
        record |= {"_annotator_id": who} if who else {}
        records.append(record | ({} if time is None else {"_timestamp": time}))
    return write_lines(path / "export.jsonl", *records)


def label_studio(path, who="ann", times=(None, None)):
    annotations = []
    for number, ((start, end), time) in enumerate(zip(((0, 3), (8, 11)), times, strict=True), 41):
        value = {"start": start, "end": end, "labels": ["PER"]}
        region = {"from_name": "label", "to_name": "text", "type": "labels", "value": value}
        stamp = {} if time is None else {"updated_at": f"2024-05-0{time}T10:00:00.000000Z"}
        annotations.append({"id": number, "completed_by": {"email": who}, "result": [region], **stamp})
    path = path / "export.json"
    path.write_text(json.dumps([{"id": 1, "data": {"text": TEXT}, "annotations": annotations, "predictions": []}]))
    return path


def spans_of_texts(path):
    records = [
        {"document": "1", "annotator": "ann", "text": TEXT, "spans": [[start, end, "PER"]]}
        for start, end in ((0, 3), (8, 11))
    ]
    return write_lines(path / "texts.jsonl", *records)


def tagged_tokens(path):
    records = [
        {"document": "1", "annotator": "ann", "tokens": ["Ada", "met", "Bob"], "ner_tags": tags}
        for tags in (["B-PER", "O", "O"], ["O", "O", "B-PER"])
    ]
    return write_lines(path / "tokens.jsonl", *records)


def doccano(path):
    records = [{"id": 1, "text": TEXT, "label": [[start, end, "PER"]]} for start, end in ((0, 3), (8, 11))]
    return write_lines(path / "ann.jsonl", *records)


def jams(path):
    annotations = [
        {
            "namespace": "chord",
            "annotation_metadata": {"annotator": {"name": "ann"}},
            "data": [{"time": time, "duration": 3, "value": "PER", "confidence": 1}],
        }
        for time in (0, 8)
    ]
    path = path / "song.jams"
    path.write_text(json.dumps({"file_metadata": {"duration": 12}, "annotations": annotations}))
    return path


FORMATS = [prodigy, label_studio, spans_of_texts, tagged_tokens, doccano, jams]


def starts_of(corpus):
    return [(corpus.annotators[code], start) for code, start in zip(corpus.annotator, corpus.start, strict=True)]


@pytest.mark.parametrize("make", FORMATS, ids=lambda make: make.__name__)
def test_repeated_record_is_refused_with_three_cures(tmp_path, make):
    with pytest.raises(InputError, match=r"another record of (document|namespace)") as error:
        ga.read(make(tmp_path))
    for cure in ("repeated='last'", "repeated='first'", "repeated='apart'"):
        assert cure in str(error.value)


@pytest.mark.parametrize("make", FORMATS, ids=lambda make: make.__name__)
def test_one_record_is_kept_under_the_plain_name_or_both_are_apart(tmp_path, make):
    path = make(tmp_path)
    second = 2 if make is tagged_tokens else 8
    assert starts_of(ga.read(path, repeated="first")) == [("ann", 0)]
    assert starts_of(ga.read(path, repeated="last")) == [("ann", second)]
    assert starts_of(ga.read(path, repeated="apart")) == [("ann", 0), ("ann (2)", second)]


def test_the_error_names_file_line_document_and_annotator(tmp_path):
    with pytest.raises(
        InputError,
        match=r"^export\.jsonl, line 2: annotator 'ann' has another record of document '1' \(the first: line 1",
    ):
        ga.read(prodigy(tmp_path))
    with pytest.raises(
        InputError,
        match=r"^export\.json, task 1, annotation 42: annotator 'ann' .* \(the first: task 1, annotation 41\)",
    ):
        ga.read(label_studio(tmp_path))


def test_unnamed_annotators_are_not_assumed_to_be_one(tmp_path):
    path = prodigy(tmp_path, who=None)
    with pytest.raises(InputError, match="does not tell whether one annotator made both or two did") as error:
        ga.read(path)
    assert "one person" not in str(error.value)
    assert "named sessions" in str(error.value)
    (note,) = [note for note in ga.read(path, repeated="apart").notes if "more than one record" in note]
    assert "that may be of one annotator or of several" in note


def test_merging_is_the_cure_for_binary_questions_of_prodigy(tmp_path):
    path = prodigy(tmp_path)
    with pytest.raises(InputError, match=r"options=\{'records': 'merge'\}"):
        ga.read(path)
    assert starts_of(ga.read(path, options={"records": "merge"})) == [("ann", 0), ("ann", 8)]


@pytest.mark.parametrize("make", [prodigy, label_studio])
def test_the_last_record_is_the_last_by_time_if_all_have_a_time(tmp_path, make):
    corpus = ga.read(make(tmp_path, times=(5, 3)), repeated="last")
    assert starts_of(corpus) == [("ann", 0)]
    assert any("by the times of the records" in note for note in corpus.notes)
    corpus = ga.read(make(tmp_path, times=(5, None)), repeated="last")
    assert starts_of(corpus) == [("ann", 8)]
    assert any("by the order of the file" in note for note in corpus.notes)


def test_texts_and_annotators_without_units_follow_the_kept_record(tmp_path):
    path = label_studio(tmp_path)
    (task,) = json.loads(path.read_text())
    task["annotations"][1]["result"] = []
    path.write_text(json.dumps([task]))
    corpus = ga.read(path, repeated="last")
    assert (corpus.documents, corpus.annotators, corpus.n_units) == (("1",), ("ann",), 0)
    assert corpus.texts == (TEXT,)


def test_validate_lists_all_repeated_records(tmp_path):
    path = prodigy(tmp_path)
    path.write_text(path.read_text() * 2)
    assert [problem.location.where for problem in validate(path).problems] == [2, 3, 4]
    assert validate(path, repeated="last").problems == []


def test_other_values_and_tables_are_refused(tmp_path):
    with pytest.raises(SettingsError, match="repeated must be one of refuse, last, first, apart, not 'both'"):
        ga.read(prodigy(tmp_path), repeated="both")
    table = tmp_path / "units.csv"
    table.write_text("document,annotator,start,end,category\nd,a,0,1,x\n")
    with pytest.raises(SettingsError, match="repeated: 'last' is for records of texts"):
        ga.read(table, repeated="last")
