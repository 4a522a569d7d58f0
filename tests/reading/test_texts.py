"""Texts beside units: found, checked, written."""

import json

import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga

UNITS = """document,annotator,start,end,category
d1,ann,0,4,PER
d1,bob,5,10,X
sub/d2.txt,ann,0,3,PER
sub/d2.txt,bob,0,3,X
"""
TEXTS = {"d1": "Anna sings", "sub/d2.txt": "Ben"}


@pytest.fixture
def units(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text(UNITS)
    return path


def jsonl(path, texts):
    path.write_text("".join(json.dumps({"document": name, "text": text}) + "\n" for name, text in texts.items()))
    return path


def as_folder(path, texts):
    for name, text in texts.items():
        file = path / (name if name.endswith(".txt") else f"{name}.txt")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return path


@pytest.mark.parametrize("form", [jsonl, as_folder])
def test_texts_belong_to_their_documents(units, tmp_path, form):
    corpus = ga.read(units, texts=form(tmp_path / "words", {**TEXTS, "other": "of nobody"}))
    assert dict(zip(corpus.documents, corpus.texts, strict=True)) == TEXTS


RECORDS = [
    ("d1", "ann", 0, 4, "PER"),
    ("d1", "bob", 5, 10, "X"),
    ("sub/d2.txt", "ann", 0, 3, "PER"),
    ("sub/d2.txt", "bob", 0, 3, "X"),
]


@pytest.mark.parametrize("data", ["file", "records", "corpus"])
def test_texts_may_be_a_mapping_for_files_and_for_data_in_memory(units, tmp_path, data):
    source = {"file": units, "records": RECORDS, "corpus": ga.read(RECORDS)}[data]
    expected = ga.read(units, texts=jsonl(tmp_path / "words.jsonl", TEXTS))
    assert ga.read(source, texts=TEXTS) == expected
    report = ga.validate(source, texts=TEXTS)
    assert not report.problems
    assert report.columns.corpus() == expected


def test_data_in_memory_may_have_texts_in_files(tmp_path):
    path = jsonl(tmp_path / "words.jsonl", TEXTS)
    assert ga.read(RECORDS, texts=path) == ga.read(RECORDS, texts=TEXTS)
    with pytest.raises(ga.InputError, match="nowhere"):
        ga.read(RECORDS, texts=tmp_path / "nowhere")


WRONG_MAPPINGS = {
    "no mapping": (["Anna sings"], ga.SettingsError, r"texts is list, neither a path nor .*; give a folder, .* texts="),
    "no text": ({"d1": 3}, ga.SettingsError, r"the text of document 'd1' is 3; both have to be strings; give the text"),
    "missing": (
        {"d1": "Anna sings"},
        ga.InputError,
        r"texts: no text of document 'sub/d2\.txt'; add it \({\"DOCUMENT\": ",
    ),
    "short": ({**TEXTS, "d1": "Anna"}, ga.InputError, r"the unit from 5 to 10 is not within the text of document 'd1'"),
}


@pytest.mark.parametrize("case", WRONG_MAPPINGS)
def test_invalid_mappings_of_texts_are_refused_with_a_cure(units, case):
    texts, error, message = WRONG_MAPPINGS[case]
    for source in (units, RECORDS):
        with pytest.raises(error, match=message):
            ga.read(source, texts=texts)


def test_a_corpus_keeps_its_texts_and_refuses_others():
    corpus = ga.read(RECORDS, texts=TEXTS)
    assert ga.read(corpus, texts=TEXTS) == corpus
    with pytest.raises(ga.InputError, match="document 'd1' has another text with its annotations"):
        ga.read(corpus, texts={**TEXTS, "d1": "Anna SINGS"})


def test_a_document_without_a_declared_extent_is_as_long_as_its_text(units, tmp_path):
    texts = jsonl(tmp_path / "words.jsonl", {**TEXTS, "d1": "Anna sings again"})
    assert ga.read(units, texts=texts).extents.tolist() == [[0, 16], [0, 3]]
    declared = tmp_path / "documents.csv"
    declared.write_text("document,length\nd1,12\nsub/d2.txt,\n")
    assert ga.read(units, documents=declared, texts=texts).extents.tolist() == [[0, 12], [0, 3]]


def test_a_folder_of_tables_finds_its_texts():
    corpus = ga.read(CORPORA / "novels_ner")
    text = corpus.texts[corpus.documents.index("VanityFair")]
    words = {text[int(unit.start) : int(unit.end)] for unit in corpus["VanityFair"].units()}
    assert {"Becky", "she"} <= words


def test_written_folder_has_the_texts(units, tmp_path):
    corpus = ga.read(units, texts=jsonl(tmp_path / "words.jsonl", {**TEXTS, "d1": None}))
    assert corpus.texts == (None, "Ben")
    ga.write(corpus, f"{tmp_path}/out/", format="csv")
    assert ga.read(tmp_path / "out") == corpus
    with pytest.raises(ga.SettingsError, match=r"texts\.jsonl is there"):
        ga.write(ga.read(units), f"{tmp_path}/out/", format="csv")


WRONG = {
    "none": ({"d1": "Anna sings"}, r"no text of document 'sub/d2\.txt'; add it .*, or correct the document's name"),
    "short": (
        {**TEXTS, "d1": "Anna sing"},
        r"units\.csv, line 3: the unit from 5 to 10 is not within the text of document 'd1', which has 9 .*; give the",
    ),
    "twice": (None, r"words, line 2: document 'd1' has another text before; keep one of them"),
    "not a text": ({**TEXTS, "d1": 3}, r"words, line 1: 'text' of the record is 3, not a string"),
}


@pytest.mark.parametrize("case", WRONG)
def test_invalid_texts_are_refused_with_location_and_cure(units, tmp_path, case):
    texts, message = WRONG[case]
    file = jsonl(tmp_path / "words", texts or TEXTS)
    if texts is None:
        file.write_text('{"document": "d1", "text": "a"}\n{"document": "d1", "text": "b"}\n')
    with pytest.raises(ga.InputError, match=message):
        ga.read(units, texts=file)
    assert [problem for problem in ga.validate(units, texts=file).problems if problem.location.file]


def test_a_unit_between_two_characters_is_refused(units, tmp_path):
    units.write_text(UNITS.replace("0,4,PER", "0.5,4,PER"))
    with pytest.raises(ga.InputError, match=r"line 2: the unit from 0\.5 to 4 is not within the text"):
        ga.read(units, texts=jsonl(tmp_path / "words", TEXTS))


def test_texts_must_equal_the_text_of_the_annotations(tmp_path):
    file = tmp_path / "spans.jsonl"
    file.write_text('{"document": "d", "annotator": "ann", "text": "Anna sings", "spans": [[0, 4, "PER"]]}\n')
    assert ga.read(file, texts=jsonl(tmp_path / "same", {"d": "Anna sings"})).texts == ("Anna sings",)
    with pytest.raises(ga.InputError, match="document 'd' has another text with its annotations: from character 5"):
        ga.read(file, texts=jsonl(tmp_path / "other", {"d": "Anna hums"}))


def test_texts_are_for_bounds_that_count_characters(tmp_path):
    texts = jsonl(tmp_path / "texts", {"bpi/ABC1": "words"})
    with pytest.raises(ga.InputError, match="texts are for bounds that count characters, and these count token"):
        ga.read(CORPORA / "btc_crowd", texts=texts)


def test_files_outside_the_folder_are_not_read(units, tmp_path):
    units.write_text("document,annotator,start,end\n../secret,ann,0,4\n")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "words").mkdir()
    with pytest.raises(ga.InputError, match=r"no text of document '\.\./secret'"):
        ga.read(units, texts=tmp_path / "words")


def test_the_command_line_takes_texts(units, tmp_path):
    texts = jsonl(tmp_path / "words.jsonl", TEXTS)
    done = run("convert", units, "-", "--to", "jsonl", "--texts", texts, "--drop", "all")
    assert "Anna sings" in done.stdout
    done = run("measure", units, "--texts", tmp_path / "none.jsonl")
    assert (done.returncode, "there is no such file" in done.stderr) == (3, True)
