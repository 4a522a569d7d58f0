"""Spans in JSON Lines and Parquet, as NER projects store them."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gamma_align as ga

TEXT = "Anna met Ben in Rome"
PEOPLE = {
    "ann": [(0, 4, "PER"), (9, 12, "PER"), (16, 20, "LOC")],
    "ben": [(0, 4, "PER"), (16, 20, "ORG")],
}
UNITS = sorted(
    ("d1", who, float(start), float(end), label) for who, spans in PEOPLE.items() for start, end, label in spans
)
TOKENS = TEXT.split()
TAGS = {
    "ann": ["B-PER", "O", "B-PER", "O", "B-LOC"],
    "ben": ["B-PER", "O", "O", "O", "B-ORG"],
}
BY_TOKEN = sorted(
    ("d1", who, float(place), float(place + 1), tag[2:])
    for who, tags in TAGS.items()
    for place, tag in enumerate(tags)
    if tag != "O"
)
NAMES = ["O", "B-PER", "B-LOC", "B-ORG"]


def units(corpus):
    return sorted((name, *unit) for name in corpus for unit in corpus[name].units())


def write(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def dicts(spans, start="start", end="end", label="label"):
    return [dict(zip((start, end, label), span, strict=True)) for span in spans]


EACH_WITH_ITS_ANNOTATOR = {
    "a span a line": [
        {"doc_id": "d1", "annotator": who, "start": start, "end": end, "label": label}
        for _, who, start, end, label in UNITS
    ],
    "other names": [
        {"document_id": "d1", "coder": who, "begin": start, "to": end, "type": label}
        for _, who, start, end, label in UNITS
    ],
    "entities": [
        {"id": "d1", "text": TEXT, "annotator": who, "entities": dicts(spans)} for who, spans in PEOPLE.items()
    ],
    "spans": [
        {"doc_id": "d1", "text": TEXT, "worker": who, "spans": dicts(spans, "start_char", "end_char", "tag")}
        for who, spans in PEOPLE.items()
    ],
    "labels": [{"id": "d1", "text": TEXT, "user": who, "labels": spans} for who, spans in PEOPLE.items()],
    "category first": [
        {"id": "d1", "text": TEXT, "user": who, "entities": [(label, start, end) for start, end, label in spans]}
        for who, spans in PEOPLE.items()
    ],
    "a dictionary by annotator": [{"id": "d1", "text": TEXT, "annotations": PEOPLE}],
    "a list by annotator": [
        {
            "id": "d1",
            "text": TEXT,
            "annotations": [{"annotator": who, "spans": dicts(spans)} for who, spans in PEOPLE.items()],
        }
    ],
    "spans with their annotator": [
        {
            "id": "d1",
            "text": TEXT,
            "entities": [{**span, "rater": who} for who, spans in PEOPLE.items() for span in dicts(spans)],
        }
    ],
}


@pytest.mark.parametrize("records", EACH_WITH_ITS_ANNOTATOR.values(), ids=EACH_WITH_ITS_ANNOTATOR)
def test_every_layout_gives_the_same_units(tmp_path, records):
    assert units(ga.read(write(tmp_path / "spans.jsonl", records))) == UNITS
    (tmp_path / "list.json").write_text(json.dumps(records), encoding="utf-8")
    assert units(ga.read(tmp_path / "list.json")) == UNITS


@pytest.mark.parametrize("extra", [{"sentence_id": 5}, {"item": 5}, {"doc": 5, "file": 6}])
def test_spans_within_a_text_need_no_document(tmp_path, extra):
    spans = [{**span, **extra} for span in dicts(PEOPLE["ann"])]
    path = write(tmp_path / "d1.jsonl", [{"doc_id": "d1", "annotator": "ann", "text": TEXT, "entities": spans}])
    assert units(ga.read(path)) == [unit for unit in UNITS if unit[1] == "ann"]


@pytest.mark.parametrize("layout", ["{who}.jsonl", "{who}/texts.jsonl"])
@pytest.mark.parametrize("key", ["entities", "spans", "labels"])
def test_the_annotator_is_the_file_or_the_folder(tmp_path, layout, key):
    for who, spans in PEOPLE.items():
        content = spans if key == "labels" else dicts(spans)
        write(tmp_path / layout.format(who=who), [{"doc_id": "d1", "text": TEXT, key: content}])
    corpus = ga.read(tmp_path)
    assert units(corpus) == UNITS
    assert corpus.texts == (TEXT,)


def test_spans_of_a_file_an_annotator(tmp_path):
    for who, spans in PEOPLE.items():
        write(tmp_path / f"{who}.jsonl", [{"doc_id": "d1", **span} for span in dicts(spans)])
    assert units(ga.read(tmp_path)) == UNITS


def test_spans_without_a_document_belong_to_the_file(tmp_path):
    records = [
        {key: value for key, value in record.items() if key != "doc_id"}
        for record in next(iter(EACH_WITH_ITS_ANNOTATOR.values()))
    ]
    corpus = ga.read(write(tmp_path / "talk.jsonl", records))
    assert corpus.documents == ("talk",)
    assert corpus.annotators == ("ann", "ben")


class TestTags:
    def test_names(self, tmp_path):
        records = [{"id": "d1", "annotator": who, "tokens": TOKENS, "ner_tags": tags} for who, tags in TAGS.items()]
        corpus = ga.read(write(tmp_path / "tags.jsonl", records))
        assert units(corpus) == BY_TOKEN
        assert corpus.length_unit == "token"
        assert corpus["d1"].extent == (0, 5)

    def test_a_dictionary_by_annotator(self, tmp_path):
        assert units(ga.read(write(tmp_path / "t.jsonl", [{"id": "d1", "words": TOKENS, "tags": TAGS}]))) == BY_TOKEN

    def test_categories_alone(self, tmp_path):
        tags = {who: [tag.removeprefix("B-") for tag in names] for who, names in TAGS.items()}
        corpus = ga.read(write(tmp_path / "t.jsonl", [{"id": "d1", "tokens": TOKENS, "labels": tags}]))
        assert units(corpus) == BY_TOKEN
        assert any("categories alone" in note for note in corpus.notes)

    def test_numbers_with_their_names(self, tmp_path):
        for who, tags in TAGS.items():
            numbers = [NAMES.index(tag) for tag in tags]
            write(tmp_path / "data" / f"{who}.jsonl", [{"id": "d1", "tokens": TOKENS, "ner_tags": numbers}])
        (tmp_path / "names.json").write_text(json.dumps(NAMES), encoding="utf-8")
        with pytest.raises(ga.InputError, match=r"numbers of tags; .* with options=\{'labels': …\}"):
            ga.read(tmp_path / "data")
        assert units(ga.read(tmp_path / "data", options={"labels": NAMES})) == BY_TOKEN
        assert units(ga.read(tmp_path / "data", options={"labels": str(tmp_path / "names.json")})) == BY_TOKEN


class TestParquet:
    def test_tags_with_the_names_of_a_dataset(self, tmp_path):
        feature = {"feature": {"names": NAMES, "_type": "ClassLabel"}, "_type": "Sequence"}
        metadata = {"huggingface": json.dumps({"info": {"features": {"ner_tags": feature}}})}
        for who, tags in TAGS.items():
            numbers = [NAMES.index(tag) for tag in tags]
            table = pa.table({"id": ["d1"], "tokens": [TOKENS], "ner_tags": [numbers]}).replace_schema_metadata(
                metadata
            )
            pq.write_table(table, tmp_path / f"{who}.parquet")
        assert units(ga.read(tmp_path)) == BY_TOKEN

    def test_texts_with_spans(self, tmp_path):
        rows = EACH_WITH_ITS_ANNOTATOR["entities"]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "train.parquet")
        assert units(ga.read(tmp_path / "train.parquet")) == UNITS


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": TEXT, "entities": [{"label": "PER"}]}, r"a span has no 'start'; its keys are label"),
        ({"text": TEXT, "entities": [[1, 2, 3, 4]]}, r"no \[start, end, category\]"),
        ({"tokens": TOKENS, "ner_tags": ["O"]}, "1 tags for 5 tokens"),
        ({"tokens": TOKENS, "ner_tags": ["B-PER", "PER", *"OOO"]}, "'PER' is no tag: O, B-<category>"),
        (
            {"text": TEXT, "annotator": "a", "coder": "b", "spans": []},
            "'annotator' and 'coder' may each be the annotator",
        ),
        ({"text": TEXT, "spans": [{"start": 0, "end": 3, "label": {}}]}, "category of a span"),
        ({"text": TEXT, "spans": [{"start": 0, "end": 3, "label": "x", "type": "y"}]}, "may each be the category"),
        ({"text": TEXT, "spans": [{"start": 0, "end": 90, "label": "x"}]}, "90"),
    ],
)
def test_faults_are_named_with_their_line(tmp_path, record, message):
    path = write(tmp_path / "spans.jsonl", [{"text": TEXT, "spans": []}, record])
    with pytest.raises(ga.InputError, match=message) as caught:
        ga.read(path, annotator="x")
    assert "spans.jsonl" in str(caught.value)


def spans_file(tmp_path, spans, text="Ada met Bob in Rome and left.", name="ann.jsonl"):
    path = tmp_path / name
    path.write_text(json.dumps({"id": "d", "text": text, "spans": spans}) + "\n")
    return path


@pytest.mark.parametrize("key", ["technique", "kind", "concept", "value", "aspect", "Kategorie", "name"])
def test_the_only_text_of_spans_is_their_category(tmp_path, key):
    spans = [
        {"start": 0, "end": 3, key: "PER"},
        {"start": 8, "end": 11, key: "PER"},
        {"start": 15, "end": 19, key: "LOC"},
    ]
    corpus = ga.read(spans_file(tmp_path, spans))
    assert corpus.categories == ("LOC", "PER")
    assert any(repr(key) in note and "category" in note for note in corpus.notes)
    flat = tmp_path / "flat.jsonl"
    flat.write_text("".join(json.dumps({"document": "d", "annotator": "ann", **span}) + "\n" for span in spans))
    assert ga.read(flat).categories == ("LOC", "PER")


@pytest.mark.parametrize(("start", "end"), [("start", "end"), ("from", "to"), ("begin", "stop")])
def test_the_covered_text_identifiers_and_remarks_are_no_category(start, end, tmp_path):
    spans = [
        {start: 0, end: 3, "value": "Ada", "id": "T1", "comment": "sure", "kind": "PER"},
        {start: 15, end: 19, "value": "Rome", "id": "T2", "comment": "unsure", "kind": "LOC"},
    ]
    assert ga.read(spans_file(tmp_path, spans)).categories == ("LOC", "PER")
    for span in spans:
        del span["kind"]
    assert ga.read(spans_file(tmp_path, spans)).categories == ()


@pytest.mark.parametrize(
    "second",
    [{"start": 15, "end": 19, "kind": "LOC", "polarity": "good"}, {"start": 15, "end": 19, "polarity": "good"}],
    ids=["in one span", "in two spans"],
)
def test_several_texts_of_spans_are_asked_about_with_a_working_cure(tmp_path, second):
    path = spans_file(tmp_path, [{"start": 0, "end": 3, "kind": "PER"}, second])
    with pytest.raises(ga.InputError, match="'kind', 'polarity'") as error:
        ga.read(path)
    assert "'category': 'kind'" in str(error.value)
    assert "PER" in ga.read(path, columns={"category": "kind"}).categories
    assert ga.read(path, columns={"category": None}).categories == ()


def test_texts_that_do_not_repeat_are_asked_about(tmp_path):
    text = "a " * 30
    spans = [{"start": i, "end": i + 1, "thought": f"about {i}"} for i in range(0, 40, 2)]
    with pytest.raises(ga.InputError, match="'thought' may be it"):
        ga.read(spans_file(tmp_path, spans, text))


def test_units_without_category_are_not_said_to_have_the_same():
    notes = ga.gamma(ga.Corpus.from_records([("d", "ann", 0, 4), ("d", "bob", 0, 4)])).notes
    assert any("no unit has a category" in note for note in notes)
    assert not any("same category" in note for note in notes)


def test_keys_that_are_no_texts_are_named_if_units_have_no_category(tmp_path):
    corpus = ga.read(spans_file(tmp_path, [{"start": 0, "end": 3, "severity": 2}]))
    assert any("'severity'" in note for note in corpus.notes)


def test_recognised_keys_are_noted(tmp_path):
    records = [{"article": "d1", "annotator": "ann", "start": 0, "end": 4, "kind": "PER"}]
    path = write(tmp_path / "spans.jsonl", records)
    with pytest.raises(ga.InputError, match=r"'article' may be it.*columns=.'document': 'article'"):
        ga.read(path)
    corpus = ga.read(path, columns={"document": "article", "category": "kind"})
    assert units(corpus) == [("d1", "ann", 0.0, 4.0, "PER")]


class TestUnknownKeys:
    RECORDS = (
        {"art": "d1", "who": "ann", "s": 0, "e": 4, "kind": "PER"},
        {"art": "d1", "who": "ben", "s": 1, "e": 4, "kind": "PER"},
    )
    COLUMNS = {"document": "art", "annotator": "who", "start": "s", "end": "e", "category": "kind"}  # noqa: RUF012

    def test_unknown_keys_are_listed_with_a_working_cure(self, tmp_path):
        path = write(tmp_path / "spans.jsonl", self.RECORDS)
        with pytest.raises(
            ga.InputError, match=r"first record has the keys art, who, s, e, kind.*columns=\{'document': …, "
        ):
            ga.read(path)
        assert ga.read(path, columns=self.COLUMNS).annotators == ("ann", "ben")

    def test_a_folder_too(self, tmp_path):
        for record in self.RECORDS:
            write(tmp_path / f"{record['who']}.jsonl", [record])
        with pytest.raises(ga.InputError, match=r"ann\.jsonl \(keys art, who, s, e, kind\), ben\.jsonl .*columns="):
            ga.read(tmp_path)
        assert ga.read(tmp_path, columns=self.COLUMNS).annotators == ("ann", "ben")

    def test_a_folder_of_tables(self, tmp_path):
        for who in ("ann", "ben"):
            (tmp_path / f"{who}.csv").write_text("art,s,e,kind\nd1,0,4,PER\n", encoding="utf-8")
        with pytest.raises(ga.InputError, match=r"no file is of a known format: ann\.csv, ben\.csv"):
            ga.read(tmp_path)
        columns = {name: key for name, key in self.COLUMNS.items() if name != "annotator"}
        with pytest.raises(ga.InputError, match=r"annotator=, or take the file names with annotator='\{file\}'"):
            ga.read(tmp_path, columns=columns)
        assert ga.read(tmp_path, columns=columns, annotator="{file}").annotators == ("ann", "ben")


@pytest.mark.parametrize(
    "record",
    [
        {"document": "d1", "annotator": "ann", "start": 0, "end": 4, "category": "PER"},
        {"document": "d1", "annotator": "ann", "text": "Anna sings", "spans": [[0, 4, "PER"]]},
        {"document": "d1", "text": "Anna sings", "annotations": [{"annotator": "ann", "spans": [[0, 4, "PER"]]}]},
        {"document": "d1", "text": "Anna sings", "annotations": {"ann": [[0, 4, "PER"]]}},
        {"document": "d1", "text": "Anna sings", "annotations": {"ann": [{"start": 0, "end": 4, "label": "PER"}]}},
    ],
)
def test_records_may_have_our_own_names(record, tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    assert [*ga.read(tmp_path / "a.jsonl")["d1"].units()] == [("ann", 0, 4, "PER")]


TRAINING = {
    "spacy.json": [["Ada sings", {"entities": [[0, 3, "PER"]]}], ["No one", {"entities": []}]],
    "annotator.json": {
        "classes": ["PER"],
        "annotations": [["Ada sings", {"entities": [[0, 3, "PER"]]}], ["No one", {"entities": []}], None],
    },
    "turks.json": [
        {
            "content": "Ada sings",
            "annotation": [{"label": ["PER"], "points": [{"start": 0, "end": 2, "text": "Ada"}]}],
            "metadata": {"status": "done"},
        },
        {"content": "No one", "annotation": None},
    ],
}


@pytest.mark.parametrize("name", TRAINING)
def test_training_data_of_characters(name, tmp_path):
    (tmp_path / name).write_text(json.dumps(TRAINING[name]), encoding="utf-8")
    corpus = ga.read(tmp_path / name, annotator="ann")
    assert [*corpus["1"].units()] == [("ann", 0, 3, "PER")]
    assert (corpus.documents, corpus.texts, [*corpus["2"].units()]) == (("1", "2"), ("Ada sings", "No one"), [])


def test_gliner_ends_include_the_last_token(tmp_path):
    records = [{"tokenized_text": ["Ada", "King", "sings"], "ner": [[0, 1, "PER"], [2, 2, "ACT"]]}]
    (tmp_path / "train.json").write_text(json.dumps(records), encoding="utf-8")
    corpus = ga.read(tmp_path / "train.json", annotator="ann")
    assert [*corpus["1"].units()] == [("ann", 0, 2, "PER"), ("ann", 2, 3, "ACT")]
    assert (corpus.length_unit, corpus.extents.tolist()) == ("token", [[0, 3]])


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"tokenized_text": ["Ada"], "ner": [[0, "PER"]]}, "is no .first token, last token, category."),
        ({"tokenized_text": ["Ada"], "ner": [[0, None, "PER"]]}, "the last token of a span"),
        ({"content": "Ada", "annotation": [{"label": ["PER"], "points": [{"start": 0, "end": "2"}]}]}, "'end'"),
        ({"content": "Ada", "annotation": [{"label": [], "points": [{"start": 0, "end": 1, "text": "Ada"}]}]}, "cover"),
    ],
)
def test_invalid_training_data_are_refused_with_their_record(record, message, tmp_path):
    (tmp_path / "train.json").write_text(json.dumps([record]), encoding="utf-8")
    with pytest.raises(ga.InputError, match=f"record 1: .*{message}"):
        ga.read(tmp_path / "train.json", annotator="ann", format="ner")


@pytest.mark.parametrize("annotators", [("ann", "ann"), ("ann", "ben")], ids=["one annotator", "two annotators"])
@pytest.mark.parametrize(
    "records",
    [
        ({"text": "Ada sings", "spans": [[0, 3, "PER"]]}, {"text": "In Rome", "spans": [[3, 7, "LOC"]]}),
        ({"tokens": ["Ada", "sings"], "ner_tags": ["B-PER", "O"]}, {"tokens": ["Rome"], "ner_tags": ["B-LOC"]}),
        ({"tokenized_text": ["Ada"], "ner": [[0, 0, "PER"]]}, {"tokenized_text": ["Rome"], "ner": [[0, 0, "LOC"]]}),
    ],
    ids=["spans", "tags", "spans of tokens"],
)
def test_two_texts_of_one_document_are_refused(tmp_path, records, annotators):
    lines = [
        {"doc_id": "d1", "part": f"d1-{number}", "annotator": annotator, **record}
        for number, (record, annotator) in enumerate(zip(records, annotators, strict=True))
    ]
    path = tmp_path / "parts.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with pytest.raises(ga.InputError, match=r"line 2: document 'd1' has another text than in line 1.*columns="):
        ga.read(path)
    assert ga.read(path, columns={"document": "part"}).documents == ("d1-0", "d1-1")


def test_sidecars_beside_tables_of_events_are_not_read(tmp_path):
    (tmp_path / "ana_events.json").write_text(
        '{"onset": {"Description": "start"}, "duration": {"Description": "length"}}', encoding="utf-8"
    )
    (tmp_path / "ana_events.tsv").write_text("onset\tduration\ttrial_type\n1\t2\tx\n", encoding="utf-8")
    corpus = ga.read(tmp_path, columns={"category": "trial_type"}, annotator="ana")
    assert [tuple(unit)[1:] for unit in corpus.continuum(0).units()] == [(1, 3, "x")]
