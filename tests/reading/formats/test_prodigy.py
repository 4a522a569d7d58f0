"""Prodigy: answers, their annotators and texts that were answered more than once."""

import json
from collections import Counter

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError

SAMPLES = FORMATS / "prodigy"
TEXT = "Ada met Bob."
TOKENS = [
    {"text": word, "start": start, "end": start + len(word), "id": number, "ws": True}
    for number, (word, start) in enumerate((("Ada", 0), ("met", 4), ("Bob", 8), (".", 11)))
]


def span(start, end, label="PER", **more):
    return {"start": start, "end": end, **({} if label is None else {"label": label}), **more}


def answer(number, *spans, said="accept", text=TEXT, **more):
    return {"text": text, "_input_hash": number, "_task_hash": 9, "spans": list(spans), "answer": said, **more}


def saved(folder, *records, name="anna.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def units(corpus):
    return {name: [tuple(unit) for unit in corpus[name].units()] for name in corpus.documents}


def told(corpus, words):
    return any(words in note for note in corpus.notes)


# --- the sample --------------------------------------------------------------------------------------------


def test_file_names_the_annotator_of_the_sample():
    corpus = ga.read(SAMPLES / "decide_madrid_oscar.jsonl")
    every = [unit for document in corpus.documents for unit in corpus[document].units()]
    assert len(corpus.documents) == 20
    assert Counter(unit.category for unit in every) == {"PREMISE": 19, "CLAIM": 17, "MAJOR_CLAIM": 1}
    assert {unit.annotator for unit in every} == {"decide_madrid_oscar"}
    assert sum(not list(corpus[document].units()) for document in corpus.documents) == 5
    at = corpus.documents.index("371473144")
    assert corpus.texts[at] == "Pero si esto está ya en el programa y es una prioridad."
    assert [tuple(unit)[1:] for unit in corpus["371473144"].units()] == [(5, 35, "CLAIM"), (38, 54, "CLAIM")]


def test_the_sample_in_tokens():
    corpus = ga.read(SAMPLES / "decide_madrid_oscar.jsonl", positions="tokens")
    assert corpus.length_unit == "token"
    assert [tuple(unit)[1:] for unit in corpus["371473144"].units()] == [(1, 8, "CLAIM"), (9, 12, "CLAIM")]
    assert corpus.extents[corpus.documents.index("371473144")].tolist() == [0, 13]


# --- whose answers -----------------------------------------------------------------------------------------


def test_named_sessions_are_annotators(tmp_path):
    records = [
        answer(1, span(0, 3), _annotator_id="ner-anna", _session_id="ner-anna"),
        answer(1, span(8, 11), _session_id="ner-bert"),
        answer(2, _annotator_id="ner-bert"),
    ]
    corpus = ga.read(saved(tmp_path, *records, name="export.jsonl"))
    assert units(corpus) == {"1": [("ner-anna", 0, 3, "PER"), ("ner-bert", 8, 11, "PER")], "2": []}
    assert corpus["2"].annotators == ("ner-bert",)


def test_times_are_not_annotators(tmp_path):
    records = [answer(number, _annotator_id=f"2022-03-1{number}_18-17-51") for number in range(3)]
    corpus = ga.read(saved(tmp_path, *records))
    assert {name for document in corpus.documents for name in corpus[document].annotators} == {"anna"}
    assert told(corpus, "3 records name a time as their annotator")


def test_annotator_is_read_from_the_requested_key(tmp_path):
    path = saved(tmp_path, answer(1, meta={"who": "cleo"}))
    assert ga.read(path, options={"annotator": "meta.who"})["1"].annotators == ("cleo",)
    with pytest.raises(InputError, match=r"line 1: 'who' \(the option annotator\) is null"):
        ga.read(path, options={"annotator": "who"})


def test_files_are_joined_on_the_hash_of_the_input(tmp_path):
    saved(tmp_path, answer(-5, span(0, 3)), answer(6))
    saved(tmp_path, answer(6), answer(-5, span(8, 11)), name="bert.jsonl")
    assert units(ga.read(tmp_path)) == {"-5": [("anna", 0, 3, "PER"), ("bert", 8, 11, "PER")], "6": []}


# --- what is left out --------------------------------------------------------------------------------------


def test_only_accepted_answers_are_read(tmp_path):
    records = [answer(1, span(0, 3)), answer(2, said="reject"), answer(3, said="ignore"), answer(4, said="ignore")]
    corpus = ga.read(saved(tmp_path, *records))
    assert corpus.documents == ("1",)
    assert told(corpus, "1 records with answer 'reject' are left out")
    assert told(corpus, "2 records with answer 'ignore' are left out")


def test_highlights_without_a_label_are_no_units(tmp_path):
    corpus = ga.read(saved(tmp_path, answer(1, span(0, 3, None), span(8, 11), span(4, 7, ""))))
    assert units(corpus) == {"1": [("anna", 8, 11, "PER")]}
    assert told(corpus, "2 spans without a label")


# --- several records of one text ---------------------------------------------------------------------------

SEVERAL = (answer(1, span(0, 3)), answer(2), answer(1, span(8, 11)), answer(1))


def test_several_records_of_a_text_are_kept_apart(tmp_path):
    corpus = ga.read(saved(tmp_path, *SEVERAL), repeated="apart")
    assert units(corpus)["1"] == [("anna", 0, 3, "PER"), ("anna (2)", 8, 11, "PER")]
    assert corpus["1"].annotators == ("anna", "anna (2)", "anna (3)")
    assert told(corpus, "1 times a text has more than one record that may be of one annotator or of several")


def test_records_of_a_text_are_merged_on_request(tmp_path):
    corpus = ga.read(saved(tmp_path, *SEVERAL), options={"records": "merge"})
    assert units(corpus) == {"1": [("anna", 0, 3, "PER"), ("anna", 8, 11, "PER")], "2": []}


def test_last_record_of_a_text_is_kept_on_request(tmp_path):
    corpus = ga.read(saved(tmp_path, *SEVERAL), options={"records": "last"})
    assert units(corpus) == {"1": [], "2": []}
    assert told(corpus, "2 records are left out for a later one")


# --- tokens, recordings, records without a hash ------------------------------------------------------------


def test_bounds_count_tokens_on_request(tmp_path):
    path = saved(tmp_path, answer(1, span(0, 7), tokens=TOKENS))
    corpus = ga.read(path, positions="tokens")
    assert units(corpus) == {"1": [("anna", 0, 2, "PER")]}
    assert corpus.extents.tolist() == [[0, 4]]
    with pytest.raises(InputError, match=r"anna.jsonl: .*no tokens"):
        ga.read(saved(tmp_path, answer(1, span(0, 7))), positions="tokens")


def test_spans_of_recordings_are_in_seconds(tmp_path):
    record = {"audio": "a.wav", "_input_hash": 1, "answer": "accept", "audio_spans": [span(0.5, 1.25, "COUGH", id="x")]}
    silent = {"audio": "b.wav", "_input_hash": 2, "answer": "accept"}
    corpus = ga.read(saved(tmp_path, record, silent))
    assert corpus.length_unit == "s"
    assert units(corpus) == {"1": [("anna", 0.5, 1.25, "COUGH")], "2": []}


def test_a_text_without_a_hash_is_its_own_name(tmp_path):
    record = {key: value for key, value in answer(0, span(0, 3)).items() if key != "_input_hash"}
    assert ga.read(saved(tmp_path, record)).documents == (TEXT,)


def test_a_span_that_does_not_cover_its_text_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"the unit covers 'met', but the file says 'Ada'"):
        ga.read(saved(tmp_path, answer(1, span(4, 7, text="Ada"))))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (answer(1, said="perhaps"), "line 1: the answer is 'perhaps', not 'accept', 'reject' or 'ignore'"),
        (answer([]), "line 1: '_input_hash' of the record is a list of 0"),
        (answer(1, 3), "line 1: a span is 3, not an object"),
        (answer(1, {"start": 3, "label": "PER"}), "line 1: the unit has no 'end'"),
        (answer(1, span(0, 3, 5)), "line 1: 'label' of the span is 5, not a string"),
        (answer(1, tokens=[{"start": 0}]), "line 1: a token has no 'end'"),
        (answer(1, _annotator_id={}), "line 1: '_annotator_id' of the record is an object"),
    ],
)
def test_invalid_lines_are_refused_with_their_number(tmp_path, record, message):
    with pytest.raises(InputError, match=message):
        ga.read(saved(tmp_path, record))


def test_unknown_record_options_are_refused(tmp_path):
    with pytest.raises(SettingsError, match="the option records is one of 'apart', 'merge', 'last', not 'first'"):
        ga.read(saved(tmp_path, answer(1)), options={"records": "first"})
