"""Several records of a text by one annotator are refused, kept apart, or reduced to one; never merged silently."""

import json

import pytest

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks.marks import Marks
from gamma_align.reading.marks.names import Copies, Copy


def answer(start, end, annotator=None):
    span = {"start": start, "end": end, "label": "PER"}
    return {"text": "Ada met Bob.", "_input_hash": 1, "spans": [span], "answer": "accept", "_annotator_id": annotator}


def write_records(path, *records):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_names_are_counted_for_each_text_and_layer(tmp_path):
    copies = Copies(Source(tmp_path / "anna.jsonl", "anna.jsonl"), "apart")
    names = [copies.annotator(*key) for key in (("a", "x"), ("a", "x"), ("b", "x"), ("a", "x", "layer"), ("a", "x"))]
    assert names == ["x", "x (2)", "x", "x", "x (3)"]
    assert [copies.annotator("a", None) for _ in range(2)] == [None, "anna (2)"]
    marks = Marks("anna.jsonl")
    copies.finish(marks)
    assert marks.notes[0].startswith("anna.jsonl: 2 times a text has more than one record of the same annotator")


def test_no_note_without_repeated_records(tmp_path):
    copies = Copies(Source(tmp_path / "anna.jsonl", "anna.jsonl"), "refuse")
    marks = Marks("anna.jsonl")
    assert copies.annotator("a", "x") == "x"
    assert copies.finish(marks) == frozenset()
    assert marks.notes == marks.problems == []


def test_a_copy_is_a_name_with_its_annotator():
    assert (Copy("x", 2), Copy("x", 2).name, Copy("x", 2).number) == ("x (2)", "x", 2)
    assert (Copy(None, 3, "anna"), Copy(None, 3, "anna").name) == ("anna (3)", None)


@pytest.mark.parametrize(
    ("path", "choices"),
    [
        ("anna/export.jsonl", {"annotator": "anna"}),
        ("anna/export.jsonl", {"annotator": "{folder}"}),
        ("{annotator}/export.jsonl", {}),
        ("{annotator}/{_}.jsonl", {"annotator": "{annotator}"}),
    ],
)
@pytest.mark.parametrize("annotator", [None, "cleo"])
def test_copies_stay_apart_if_the_user_or_the_path_names_the_annotator(tmp_path, path, choices, annotator):
    write_records(tmp_path / "anna" / "export.jsonl", answer(0, 3, annotator), answer(8, 11, annotator))
    if "{folder}" in choices.values():
        path = "{_}/export.jsonl"
    corpus = ga.read(f"{tmp_path}/{path}", repeated="apart", **choices)
    assert [tuple(unit) for unit in corpus["1"].units()] == [("anna", 0, 3, "PER"), ("anna (2)", 8, 11, "PER")]


def test_a_path_that_would_merge_annotators_of_a_file_is_refused(tmp_path):
    write_records(tmp_path / "anna.jsonl", answer(0, 3, "ner-anna"), answer(8, 11, "ner-bert"))
    with pytest.raises(InputError, match=r"anna.jsonl: the file tells annotators 'ner-anna' and 'ner-bert' apart"):
        ga.read(f"{tmp_path}/{{annotator}}.jsonl")
    assert ga.read(f"{tmp_path}/{{_}}.jsonl")["1"].annotators == ("ner-anna", "ner-bert")


def test_an_annotator_with_the_name_of_a_copy_is_no_copy(tmp_path):
    write_records(
        tmp_path / "anna.jsonl", answer(0, 3, "x"), answer(4, 7, "x (2)"), answer(8, 11, "x"), answer(8, 11, "x")
    )
    corpus = ga.read(tmp_path / "anna.jsonl", repeated="apart")
    assert [unit[:2] for unit in corpus["1"].units()] == [("x", 0), ("x (2)", 4), ("x (3)", 8), ("x (4)", 8)]
    write_records(tmp_path / "anna.jsonl", answer(0, 3, "x"), answer(4, 7, "x"), answer(8, 11, "x (2)"))
    corpus = ga.read(tmp_path / "anna.jsonl", repeated="apart")
    assert [unit[:2] for unit in corpus["1"].units()] == [("x", 0), ("x (2)", 4), ("x (2) (2)", 8)]
