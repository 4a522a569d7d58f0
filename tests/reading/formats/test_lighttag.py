"""LightTag: a job's examples, and everyone who made an annotation of them."""

import json

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

SAMPLE = FORMATS / "lighttag" / "job.json"
TEXT = "Ada met Bob."


def tagged(start, end, tag="PER", **more):
    return {"start": start, "end": end, "tag": tag, **more}


def by(*people):
    return [{"annotator": name, "annotator_id": number} for number, name in enumerate(people, 1)]


def saved(folder, *examples, key="examples"):
    path = folder / "job.json"
    path.write_text(json.dumps({key: list(examples), "relations": {}}), encoding="utf-8")
    return path


def units(corpus):
    return {name: [tuple(unit) for unit in corpus[name].units()] for name in corpus.documents}


def test_the_sample_has_two_annotators_of_three_texts():
    corpus = ga.read(SAMPLE)
    assert units(corpus) == {
        "ex-1": [
            ("ada", 4, 9, "RIVER"),
            ("ada", 24, 29, "CITY"),
            ("ada", 36, 41, "CITY"),
            ("bob", 4, 9, "RIVER"),
            ("bob", 24, 29, "CITY"),
        ],
        "ex-2": [],
        "ex-3": [("bob", 0, 4, "CITY")],
    }
    assert [corpus[name].annotators for name in corpus.documents] == [("ada", "bob"), ("ada", "bob"), ("bob",)]
    assert corpus.texts[0][36:41] == "Rouen"
    assert ga.read(SAMPLE, options={"document": "metadata.file"}).documents == ("a.txt", "b.txt", "c.txt")


def test_annotators_without_a_name_have_a_number_that_can_be_named(tmp_path):
    people = [{"annotator_id": 7, "annotator": ""}]
    path = saved(tmp_path, {"content": TEXT, "annotations": [tagged(0, 3, annotated_by=people)]})
    assert units(ga.read(path)) == {"1": [("7", 0, 3, "PER")]}
    assert units(ga.read(path, options={"users": {7: "ada"}})) == {"1": [("ada", 0, 3, "PER")]}


def test_old_exports_are_of_one_annotator_named_by_the_file(tmp_path):
    examples = [{"content": TEXT, "annotations": [tagged(0, 3)]}, {"content": "No.", "annotations": []}]
    corpus = ga.read(saved(tmp_path, *examples, key="annotations_and_examples"))
    assert units(corpus) == {"1": [("job", 0, 3, "PER")], "2": []}
    assert any("1 annotations do not tell who made them" in note for note in corpus.notes)


def test_repeated_examples_are_kept_apart(tmp_path):
    examples = [{"example_id": "x", "content": TEXT, "seen_by": by("ada"), "annotations": []}] * 2
    assert ga.read(saved(tmp_path, *examples), repeated="apart")["x"].annotators == ("ada", "ada (2)")


def test_uncovered_values_are_refused_unless_offsets_are_utf_16(tmp_path):
    example = {"content": "🙂 Ada", "annotations": [tagged(3, 6, value="Ada", annotated_by=by("bob"))]}
    with pytest.raises(InputError, match="example 1: the unit covers 'da', but the file says 'Ada'"):
        ga.read(saved(tmp_path, example))
    assert units(ga.read(saved(tmp_path, example), offsets="utf-16")) == {"1": [("bob", 2, 5, "PER")]}


@pytest.mark.parametrize(
    ("example", "message"),
    [
        (3, "example 1: the example is 3, not an object"),
        ({"content": 3}, "example 1: 'content' of the example is 3, not a string"),
        ({"content": TEXT, "seen_by": [3]}, "example 1: who annotated is 3, not an object"),
        ({"content": TEXT, "seen_by": [{}]}, "example 1: 'annotator_id' of who annotated is null"),
        ({"content": TEXT, "annotations": [tagged(0, 3, None)]}, "example 1: 'tag' of the annotation is null"),
        ({"content": TEXT, "annotations": [{"end": 3, "tag": "PER"}]}, "example 1: the annotation has no 'start'"),
        ({"content": TEXT, "annotations": [tagged(3, 0)]}, "example 1: the unit ends at 0, before its start 3"),
    ],
)
def test_invalid_examples_are_refused_with_their_number(tmp_path, example, message):
    with pytest.raises(InputError, match=message):
        ga.read(saved(tmp_path, example), format="lighttag")


def test_other_json_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"job.json: has no list of examples or annotations_and_examples"):
        ga.read(saved(tmp_path, key="rows"), format="lighttag")
