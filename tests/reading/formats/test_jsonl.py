"""gamma_align's own line-JSON: all that a corpus holds, there and back."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written import content, corpora, corpora_with_texts

import gamma_align as ga
from gamma_align.errors import InputError

LINES = (
    {
        "document": "d1",
        "start": 0,
        "end": 20,
        "unit": "char",
        "text": "Ada met Bob in Rome.",
        "annotations": {
            "anna": [{"start": 8, "end": 11, "category": "PER"}, {"start": 0, "end": 3, "category": "PER"}],
            "bert": [{"start": 0, "end": 3}, {"start": 15, "end": 19, "category": None}],
            "cleo": [],
        },
    },
    {"document": "d2", "unit": "char", "annotations": {"anna": [], "bert": [{"start": 2, "end": 2, "category": ""}]}},
)


def saved(folder, lines, name="talk.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def changed(place, value):
    """Return the lines with one value changed; `place` is the way to it."""
    lines = json.loads(json.dumps(LINES))
    at = lines
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = value
    return lines


# --- what is read ------------------------------------------------------------------------------------------


def test_sample_lines_are_read_exactly(tmp_path):
    corpus = ga.read(saved(tmp_path, LINES))
    assert corpus.documents == ("d1", "d2")
    assert corpus.texts == ("Ada met Bob in Rome.", None)
    assert corpus.length_unit == "char"
    assert corpus.extents.tolist() == [[0, 20], [2, 2]]
    assert corpus["d1"].annotators == ("anna", "bert", "cleo")
    assert list(corpus["d1"].units()) == [
        ("anna", 0, 3, "PER"),
        ("anna", 8, 11, "PER"),
        ("bert", 0, 3, None),
        ("bert", 15, 19, None),
    ]
    assert list(corpus["d2"].units()) == [("bert", 2, 2, "")]
    assert corpus["d2"].annotators == ("anna", "bert")


def test_lines_may_be_spread_out_and_keys_in_any_order(tmp_path):
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(json.dumps(dict(sorted(line.items())), indent=2) for line in LINES), encoding="utf-8")
    assert content(ga.read(path, format="jsonl")) == content(ga.read(saved(tmp_path, LINES, "other.jsonl")))


def test_unread_keys_are_noted(tmp_path):
    lines = changed((0, "annotations", "anna", 0, "score"), 0.5)
    lines[1]["source"] = "web"
    assert any("'score' (1), 'source' (1)" in note for note in ga.read(saved(tmp_path, lines)).notes)


def test_files_of_a_folder_are_one_corpus(tmp_path):
    saved(tmp_path, LINES[:1], "one.jsonl")
    saved(tmp_path, LINES[1:], "two.jsonl")
    whole = tmp_path / "whole"
    whole.mkdir()
    assert content(ga.read(tmp_path)) == content(ga.read(saved(whole, LINES)))


# --- what is wrong -----------------------------------------------------------------------------------------

WRONG = {
    "no number": (
        (0, "annotations", "anna", 1, "start"),
        "0",
        "line 1, document 'd1', annotator 'anna', unit 2: .*'0' as 'start'",
    ),
    "true": ((0, "annotations", "anna", 0, "end"), True, "annotator 'anna', unit 1: .*true as 'end'"),
    "too large": ((0, "annotations", "anna", 0, "end"), 2**60, "line 1: the end of the unit is an integer of 61 bits"),
    "ends before it starts": ((0, "annotations", "anna", 0, "end"), 7, "'anna', unit 1: the unit ends at 7, before"),
    "a unit that is a list": ((0, "annotations", "bert", 1), [0, 3, "PER"], "'bert', unit 2: the unit is a list of 3"),
    "a category that is a number": ((0, "annotations", "bert", 0, "category"), 7, "'bert', unit 1: 'category' of"),
    "units that are none": (
        (0, "annotations", "cleo"),
        None,
        "annotator 'cleo': the annotator's list of units is null",
    ),
    "annotations that are a list": ((1, "annotations"), [], "line 2: 'annotations' of document 'd2' is a list"),
    "no annotations": ((1,), {"document": "d2", "unit": "char"}, "line 2: document 'd2' has no 'annotations'"),
    "a line that is a list": ((1,), [1], "line 2: the line is a list of 1"),
    "a document that is a number": ((1, "document"), 2, "line 2: 'document' of the line is 2, not a string"),
    "a document without name": ((1, "document"), " ", "line 2: the name of the document is ' '"),
    "an annotator without name": ((1, "annotations", ""), [], "line 2: the name of the annotator is ''"),
    "twice the same document": ((1, "document"), "d1", "line 2: document 'd1' is in line 1 already"),
    "another unit of length": ((1, "unit"), "s", "line 2: the document counts in 's', the documents before in 'char'"),
    "half an extent": ((1, "start"), 0, "line 2: the extent of document 'd2' has no 'end'"),
    "an extent that ends before it starts": ((0, "end"), -1, r"line 1: the extent of document 'd1' is \[0, -1\]"),
    "another extent than the text's": (
        (0, "end"),
        21,
        r"line 1: the extent of document 'd1' is \[0, 21\], and its text",
    ),
    "a text that is a list": ((0, "text"), ["Ada"], "line 1: 'text' of document 'd1' is a list of 1"),
    "a unit past the end": ((0, "annotations", "anna", 0, "end"), 21, "line 1: document 'd1', annotator 'anna'"),
}


@pytest.mark.parametrize(("place", "value", "match"), WRONG.values(), ids=WRONG)
def test_invalid_values_are_refused_with_their_location(tmp_path, place, value, match):
    with pytest.raises(InputError, match=rf"(?s)talk\.jsonl.*{match}"):
        ga.read(saved(tmp_path, changed(place, value)), format="jsonl")


def test_all_problems_are_counted(tmp_path):
    lines = changed((0, "annotations", "anna"), [{"start": 0}, {"start": 1, "end": 2}, {"end": 3}, 4])
    with pytest.raises(InputError, match=r"unit 1: the unit has no 'end'.*\(2 more;"):
        ga.read(saved(tmp_path, lines))


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_file_is_refused(tmp_path, text):
    (tmp_path / "talk.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"talk\.jsonl: has no lines"):
        ga.read(tmp_path / "talk.jsonl", format="jsonl")


# --- what is written ---------------------------------------------------------------------------------------


@given(corpus=corpora() | corpora_with_texts())
def test_all_facts_of_a_corpus_survive_a_round_trip(corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "corpus.jsonl"
    ga.write(corpus, path)
    assert content(ga.read(path)) == content(corpus)


@given(corpus=corpora_with_texts(), data=st.data())
def test_texts_are_optional_for_each_document(corpus, data, tmp_path_factory):
    texts = tuple(data.draw(st.sampled_from([text, None])) for text in corpus.texts)
    corpus = replace(corpus, texts=texts if any(text is not None for text in texts) else None)
    folder = tmp_path_factory.mktemp("written") / "new"
    ga.write(corpus, folder, format="jsonl")
    assert [path.name for path in folder.iterdir()] == ["corpus.jsonl"]
    assert content(ga.read(folder)) == content(corpus)


def test_whole_bounds_are_written_as_integers(tmp_path):
    corpus = ga.Corpus.from_records([("d", "a", 1, 2.5, None)])
    ga.write(corpus, tmp_path / "c.jsonl")
    assert json.loads((tmp_path / "c.jsonl").read_text(encoding="utf-8")) == {
        "document": "d",
        "start": 1,
        "end": 2.5,
        "annotations": {"a": [{"start": 1, "end": 2.5, "category": None}]},
    }


REFUSED = {
    "a document that nobody saw": (
        ga.Corpus.from_records([("d", "a", 0, 1, "x")], annotations=[("d", "a")], documents=["d", "e"]),
        "document 'e' has no annotators",
    ),
    "half a character": (ga.Corpus.from_records([("d", "\ud800", 0, 1, "x")]), "half a character"),
    "an extent within the text": (
        replace(ga.Corpus.from_records([("d", "a", 1, 2, "x")]), texts=("Ada",)),
        r"its text has 3 characters and its extent is \[1, 2\]",
    ),
    "an extent beyond the text": (
        replace(ga.Corpus.from_records([("d", "a", 0, 5, "x")]), texts=("Ada",)),
        r"its text has 3 characters and its extent is \[0, 5\]; .* write a folder of tables",
    ),
}


@pytest.mark.parametrize(("corpus", "match"), REFUSED.values(), ids=REFUSED)
def test_unsupported_corpora_are_refused_before_writing(tmp_path, corpus, match):
    with pytest.raises(InputError, match=match):
        ga.write(corpus, tmp_path / "c.jsonl")
    assert not list(tmp_path.iterdir())
