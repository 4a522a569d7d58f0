"""Potato: spans of each annotator, and answers about whole texts as items."""

import json

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

SAMPLES = FORMATS / "potato"
UNITS = {
    ("r1", "anna", 0, 3, "PERSON"),
    ("r1", "anna", 8, 11, "PERSON"),
    ("r1", "anna", 15, 19, "PLACE"),
    ("r1", "bert", 0, 3, "PERSON"),
    ("r1", "bert", 15, 19, "PLACE"),
    ("r3", "anna", 0, 3, "PERSON"),
    ("r3", "anna", 9, 13, "PLACE"),
    ("r3", "bert", 0, 3, "PERSON"),
    ("r3", "bert", 9, 13, "PERSON"),
}
SENTIMENT = {("r1", "anna"): "neutral", ("r1", "bert"): "positive", ("r2", "anna"): "negative"}
SENTIMENT |= {("r2", "bert"): "negative", ("r3", "anna"): "neutral", ("r3", "bert"): "neutral"}


def answers(folder, **by_annotator):
    """Write files of version 1; each answer is the labels of the text with its values, by schema."""
    for who, records in by_annotator.items():
        (folder / who).mkdir()
        lines = [
            {"id": str(number), "displayed_text": "Ada.", "label_annotations": labels, "span_annotations": {}}
            for number, labels in enumerate(records)
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / who / "annotated_instances.jsonl").write_text(text, encoding="utf-8")
    return folder


def judgments(table):
    return {(str(item), coder): label for item, coder, label in table.to_records()}


@pytest.mark.parametrize("version", ["lines", "states"])
def test_spans_are_units_and_each_text_with_an_answer_was_seen(version):
    corpus = ga.read(SAMPLES / version)
    assert {(name, *unit) for name in corpus for unit in corpus[name].units()} == UNITS
    assert corpus["r2"].annotators == ("anna", "bert")
    assert any("answers about whole texts are left out" in note for note in corpus.notes)
    assert (corpus.texts is not None) == (version == "lines")


def test_spans_are_checked_against_the_text(tmp_path):
    record = json.loads((SAMPLES / "lines" / "anna" / "annotated_instances.jsonl").read_text().splitlines()[0])
    record["span_annotations"][0]["span"] = "Eva"
    (tmp_path / "anna").mkdir()
    (tmp_path / "anna" / "annotated_instances.jsonl").write_text(json.dumps(record))
    with pytest.raises(InputError, match="covers 'Ada', but the file says 'Eva'"):
        ga.read(tmp_path)


def test_an_answer_about_whole_texts_is_an_item():
    assert judgments(ga.read_items(SAMPLES / "lines")) == SENTIMENT
    assert judgments(ga.read_items(SAMPLES / "states", columns={"category": "sentiment"})) == SENTIMENT


def test_each_schema_is_a_question_and_several_labels_are_a_set():
    with pytest.raises(InputError, match="'sentiment', 'aspects'"):
        ga.read_items(SAMPLES / "states")
    table = ga.read_items(SAMPLES / "states", columns={"category": "aspects"})
    assert str(judgments(table)["r2", "anna"]) == "{facts, mood}"


def test_what_is_written_into_one_field_is_the_answer(tmp_path):
    ratings = {"anna": "135", "bert": "134"}
    folder = answers(tmp_path, **{who: [{"age": {"slider": value}} for value in ratings[who]] for who in ratings})
    assert sorted(str(label) for label in judgments(ga.read_items(folder)).values()) == ["1", "1", "3", "3", "4", "5"]


def test_answers_without_spans_are_looked_at_as_items(tmp_path):
    labels = {
        who: [{"tone": {label: "true"}} for label in chosen] for who, chosen in (("anna", "abab"), ("bert", "abba"))
    }
    folder = answers(tmp_path, **labels)
    assert "α" in ga.look(folder).verdict[0]
    with pytest.raises(InputError, match=r"whole texts, and there are no spans.*read_items"):
        ga.read(folder)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("instance_id_to_label_to_value", {"r1": [3]}, "3 is no pair"),
        (
            "instance_id_to_span_to_value",
            {"r1": [[{"schema": "e", "name": "A", "start": 1}, "true"]]},
            "the end of the unit",
        ),
        ("instance_id_to_span_to_value", {"r1": [[{"schema": "e", "start": 1, "end": 2}, "true"]]}, "no 'name'"),
        ("instance_id_to_span_to_value", [], "is a list"),
    ],
)
def test_damaged_answers_are_refused(key, value, message, tmp_path):
    state = json.loads((SAMPLES / "states" / "anna" / "user_state.json").read_text()) | {key: value}
    (tmp_path / "user_state.json").write_text(json.dumps(state))
    with pytest.raises(InputError, match=message):
        ga.read(tmp_path / "user_state.json")
