"""factgenie: annotator groups, categories by number, and texts that are elsewhere."""

import json
import shutil
from collections import Counter

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

SAMPLES = FORMATS / "factgenie"
NAMES = ["Contradictory", "Not checkable", "Misleading", "Incoherent", "Repetitive", "Other"]
TEXT = "It was 🙂 warm."


def record(*annotations, group=1, number=0):
    found = {"dataset": "d", "split": "test", "setup_id": "m", "example_idx": number}
    return {**found, "annotations": list(annotations), **({} if group is None else {"annotator_group": group})}


def mark(kind, text, start):
    return {"type": kind, "text": text, "start": start}


def saved(folder, *records, name="anna.jsonl", config=None):
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in records), encoding="utf-8")
    if config is not None:
        (folder / "config.yaml").write_text(config, encoding="utf-8")
    return path


def units(corpus):
    return {name: [tuple(unit) for unit in corpus[name].units()] for name in corpus.documents}


def told(corpus, words):
    return any(words in note for note in corpus.notes)


# --- the sample --------------------------------------------------------------------------------------------


def test_sample_has_the_expected_units():
    corpus = ga.read(SAMPLES / "annotations.jsonl")
    every = [unit for document in corpus.documents for unit in corpus[document].units()]
    assert len(corpus.documents) == 7
    assert Counter(unit.annotator for unit in every) == {"4": 51, "14": 39, "23": 17}
    counts = Counter({2: 53, 0: 35, 1: 9, 3: 6, 4: 2, 5: 2})
    assert Counter(unit.category for unit in every) == {NAMES[kind]: count for kind, count in counts.items()}
    assert corpus["d2t-football|iaa|llama3-3|0"].annotators == ("14", "23", "4")
    assert ("4", 240, 260, "Repetitive") in units(corpus)["d2t-football|iaa|phi3-5|0"]
    assert told(corpus, "the texts are not in the file")


def test_the_samples_categories_without_its_configuration(tmp_path):
    shutil.copy(SAMPLES / "annotations.jsonl", tmp_path)
    corpus = ga.read(tmp_path / "annotations.jsonl")
    categories = {unit.category for document in corpus.documents for unit in corpus[document].units()}
    assert categories == {"0", "1", "2", "3", "4", "5"}
    assert told(corpus, "107 units have the number of their category")
    assert told(corpus, "options={'labels': …}")
    assert told(corpus, "options={'outputs': …}")
    corpus = ga.read(tmp_path / "annotations.jsonl", options={"labels": NAMES})
    assert {unit.category for document in corpus.documents for unit in corpus[document].units()} == set(NAMES)


# --- names of categories -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "category"),
    [
        (
            "a: 1\nannotation_span_categories:\n- name: Bad\n- color: red\n  name: Very bad\nb:\n- name: No\n",
            "Very bad",
        ),
        ("annotation_span_categories:\n  - name: 'Bad'\n  - name: \"So: bad\"\n", "So: bad"),
        ("annotation_span_categories:\n- name: Bad\n- name: &anchor Worse\n", "1"),
        ("annotation_span_categories: [{name: Bad}, {name: Worse}]\n", "1"),
        ("annotation_span_categories:\n- name: Bad\n- color: red\n", "1"),
    ],
)
def test_configuration_beside_the_file_names_categories(tmp_path, config, category):
    corpus = ga.read(saved(tmp_path, record(mark(1, "warm", 9)), config=config))
    assert units(corpus) == {"d|test|m|0": [("1", 9, 13, category)]}
    assert told(corpus, "config.yaml: no names of categories that can be read") == (category == "1")


def test_metadata_of_newer_campaigns_names_categories(tmp_path):
    path = saved(tmp_path, record(mark(1, "warm", 9)))
    (tmp_path / "metadata.json").write_text(
        json.dumps({"config": {"annotation_span_categories": [{"name": "Bad"}, {"name": "Worse"}]}})
    )
    assert units(ga.read(path)) == {"d|test|m|0": [("1", 9, 13, "Worse")]}


def test_category_number_without_a_name_is_refused(tmp_path):
    with pytest.raises(InputError, match="line 1: 'type' of the annotation is 7, and there are names for 0, 1"):
        ga.read(saved(tmp_path, record(mark(7, "warm", 9))), options={"labels": ["Bad", "Worse"]})


# --- annotators, texts, offsets ----------------------------------------------------------------------------


def test_models_are_named_by_their_file(tmp_path):
    saved(tmp_path, record(mark("Bad", "warm", 9), group=None))
    saved(tmp_path, record(group=None), name="bert.jsonl")
    corpus = ga.read(tmp_path)
    assert corpus.annotators == ("anna", "bert")
    assert units(corpus) == {"d|test|m|0": [("anna", 9, 13, "Bad")]}


def test_a_group_twice_is_kept_apart(tmp_path):
    corpus = ga.read(saved(tmp_path, record(mark("Bad", "warm", 9)), record()), repeated="apart")
    assert corpus.annotators == ("1", "1 (2)")


def test_outputs_give_the_texts(tmp_path):
    outputs = {"dataset": "d", "split": "test", "setup_id": "m", "example_idx": 0, "output": TEXT}
    (tmp_path / "outputs.jsonl").write_text(json.dumps(outputs) + "\n", encoding="utf-8")
    path = saved(tmp_path, record(mark("Bad", "🙂 warm", 7)))
    corpus = ga.read(path, options={"outputs": "outputs.jsonl"})
    assert corpus.texts == (TEXT,)
    assert units(corpus) == {"d|test|m|0": [("1", 7, 13, "Bad")]}
    assert not told(corpus, "the texts are not in the file")
    for offsets in ("utf-16", "bytes"):
        corpus = ga.read(path, options={"outputs": "outputs.jsonl"}, offsets=offsets)
        assert units(corpus) == {"d|test|m|0": [("1", 7, 13, "Bad")]}
    saved(tmp_path, record(mark("Bad", "cold", 9)))
    with pytest.raises(InputError, match="the unit covers 'warm', but the file says 'cold'"):
        ga.read(path, options={"outputs": "outputs.jsonl"})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**record(), "dataset": None}, "line 1: 'dataset' of the record is null"),
        ({**record(), "annotations": {}}, "line 1: 'annotations' of the record is an object"),
        ({**record(), "annotator_group": []}, "line 1: 'annotator_group' is a list of 0"),
        (record(3), "line 1: an annotation is 3, not an object"),
        (record(mark(1, None, 3)), "line 1: 'text' of the annotation is null, not a string"),
        (record(mark(1, "warm", "9")), "line 1: 'start' of the annotation is '9', not an integer"),
        (record(mark(None, "warm", 9)), "line 1: 'type' of the annotation is null"),
    ],
)
def test_invalid_lines_are_refused_with_their_number(tmp_path, row, message):
    with pytest.raises(InputError, match=message):
        ga.read(saved(tmp_path, row), format="factgenie")
