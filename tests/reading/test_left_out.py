"""A file of the kind that is read is never left out of a folder silently: it is read, or reading stops."""

from __future__ import annotations

import json

import pytest

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.reading.validation.validate import validate

LAB = "0.0 1.5 a\n1.5 3.0 b\n"
HTK = "0 15000000 a\n15000000 30000000 b\n"
TRACK = "0.0\t1.5\ta\n1.5\t3.0\tb\n"


def write_files(base, files):
    for name, text in files.items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(text, encoding="utf-8")
    return base


def prodigy(number=1):
    span = {"start": 0, "end": 3, "label": "PER"}
    return json.dumps({"text": "Ada met Bob.", "_input_hash": number, "_task_hash": 2, "spans": [span]}) + "\n"


@pytest.mark.parametrize("labels", [LAB, HTK], ids=["music", "htk"])
def test_comments_of_label_files_are_left_out_and_counted(tmp_path, labels):
    corpus = ga.read(write_files(tmp_path, {"ann/talk.lab": f"# by Ann\n{labels}", "ben/talk.lab": labels}))
    assert (corpus.documents, corpus.annotators, corpus.n_units) == (("talk",), ("ann", "ben"), 4)
    assert "ann/talk.lab: 1 lines of comments (#) are left out" in corpus.notes


WRONG = {
    "a header": (
        {"ann/talk.lab": LAB, "ben/talk.lab": f"start end label\n{LAB}"},
        r"ben/talk\.lab, line 1: 'start end",
    ),
    "another name": (
        {"ann/talk.lab": LAB, "ben/other.lab": "no labels\n"},
        r"ben/other\.lab, line 1: 'no labels' is no",
    ),
    "a general suffix with units": (
        {"ann/talk.txt": TRACK, "ben/song.txt": f"mine\n{TRACK}"},
        r"ben/song\.txt, line 1",
    ),
    "one name": ({"ann/talk.txt": TRACK, "ben/talk.txt": "nothing\n"}, r"ben/talk\.txt, line 1: 'nothing' is no label"),
    "damaged JSON": ({"ann.jsonl": prodigy(), "ben.jsonl": "{broken\n"}, r"ben\.jsonl, line 1"),
    "a comment above JSON": ({"ann.jsonl": prodigy(), "ben.jsonl": f"// Ben\n{prodigy()}"}, r"ben\.jsonl, line 1"),
    "an empty export": ({"ann.jsonl": prodigy(), "ben.jsonl": ""}, r"ben\.jsonl: the file is empty"),
}


@pytest.mark.parametrize(("files", "message"), WRONG.values(), ids=WRONG)
def test_unreadable_file_of_the_format_stops_reading(tmp_path, files, message):
    with pytest.raises(InputError, match=message) as error:
        ga.read(write_files(tmp_path, files))
    assert "if it is no annotation, move it out of the folder or give a path with {annotator}" in str(error.value)


def test_validate_lists_all_unreadable_files(tmp_path):
    write_files(tmp_path, {"ann/talk.lab": LAB, "ben/talk.lab": "?\n", "cleo/talk.lab": "!\n"})
    assert [problem.location.file for problem in validate(tmp_path).problems] == ["ben/talk.lab", "cleo/talk.lab"]


def test_a_path_leaves_files_out(tmp_path):
    write_files(tmp_path, {"ann/talk.lab": LAB, "ben/talk.lab": LAB, "ben/notes.lab": "none\n"})
    assert ga.read(f"{tmp_path}/{{annotator}}/talk.lab", document="talk").annotators == ("ann", "ben")


@pytest.mark.parametrize("suffix", [".lab", ".txt"])
def test_an_empty_label_file_is_an_annotation_without_units(tmp_path, suffix):
    files = {f"ann/talk{suffix}": TRACK, f"ben/talk{suffix}": "\n"}
    corpus = ga.read(write_files(tmp_path, files))
    assert corpus.annotators == ("ann", "ben")
    assert f"ben/talk{suffix}: the file is empty: it is read as an annotation without units" in corpus.notes
    assert not any("not read" in note for note in corpus.notes)


@pytest.mark.parametrize(
    "files",
    [
        {"ann/talk.txt": TRACK, "ben/talk.txt": TRACK, "ben/words.txt": "He talks of trains.\n"},
        {"ann/talk.txt": TRACK, "ben/talk.txt": TRACK, "README.txt": TRACK.replace(".", "")},
        {"ann.jsonl": prodigy(), "ben.jsonl": prodigy(), "settings.jsonl": '{"labels": ["PER"]}\n'},
        {"ann.csv": "start,end,annotator\n0,1,ann\n", "about.csv": "document,year\nd,2020\n"},
    ],
    ids=["text", "readme", "json", "table"],
)
def test_other_files_of_a_general_suffix_are_left_out_with_a_note(tmp_path, files):
    corpus = ga.read(write_files(tmp_path, files))
    assert any("1 other file is not read" in note for note in corpus.notes)
