"""Argilla: records nested and flattened, responses that count and those that do not."""

import json

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError

SAMPLES = FORMATS / "argilla"
ONE, TWO = (f"00000000-0000-0000-0000-00000000000{number}" for number in (1, 2))
TEXT = "Ada met Bob."


def span(start, end, label="PER"):
    return {"start": start, "end": end, "label": label}


def flat(number, *responses, question="spans", text=TEXT, **more):
    """Return a flattened record; a response is (user, status, value)."""
    columns = zip(("users", "status", "values"), zip(*responses, strict=True), strict=True) if responses else ()
    found = {name: list(column) for name, column in columns}
    return {
        "id": number,
        "status": "pending",
        "text": text,
        f"{question}.responses": found.get("values"),
        f"{question}.responses.users": found.get("users"),
        f"{question}.responses.status": found.get("status"),
        **more,
    }


def saved(folder, *records, name="export.json"):
    path = folder / name
    path.write_text(json.dumps(list(records)), encoding="utf-8")
    return path


def units(corpus):
    return {name: [tuple(unit) for unit in corpus[name].units()] for name in corpus.documents}


def told(corpus, words):
    return any(words in note for note in corpus.notes)


@pytest.mark.parametrize("name", ["nested.json", "flattened.json"])
def test_the_samples_are_one_record(name):
    corpus = ga.read(SAMPLES / name)
    assert units(corpus) == {
        "2c50042e-cf22-4d99-82d1-a9fac377cd59": [(ONE, 0, 3, "PER"), (TWO, 0, 3, "PER"), (TWO, 8, 11, "PER")],
    }
    assert corpus.texts == ("Ada met Bob",)
    assert told(corpus, "2 responses do not tell whether they were submitted")


def test_users_are_named_by_a_mapping():
    corpus = ga.read(SAMPLES / "nested.json", options={"users": {ONE: "ada", TWO: "bob"}})
    assert corpus.annotators == ("ada", "bob")


# --- which responses count ---------------------------------------------------------------------------------


def test_only_submitted_responses_are_read(tmp_path):
    responses = [
        ("a", "submitted", [span(0, 3)]),
        ("b", "draft", [span(8, 11)]),
        ("c", "discarded", None),
        ("d", "submitted", []),
    ]
    path = saved(tmp_path, flat(1, *responses), flat(2, ("a", "submitted", [])), flat(3))
    corpus = ga.read(path)
    assert units(corpus) == {"1": [("a", 0, 3, "PER")], "2": []}
    assert corpus["1"].annotators == ("a", "d")
    assert told(corpus, "1 responses that are drafts are left out")
    assert told(corpus, "1 discarded responses are left out")
    corpus = ga.read(path, options={"status": "submitted, draft"})
    assert units(corpus)["1"] == [("a", 0, 3, "PER"), ("b", 8, 11, "PER")]


def test_questions_are_layers_and_other_questions_are_skipped(tmp_path):
    record = flat(1, ("a", "submitted", [span(0, 3)]))
    record |= {f"kind{part}": value for part, value in ((".responses", ["dull"]), (".responses.users", ["a"]))}
    corpus = ga.read(saved(tmp_path, record))
    assert units(corpus) == {"1": [("a", 0, 3, "PER")]}
    assert told(corpus, "1 responses to questions that are not about spans")
    two = record | {"verbs.responses": [[span(4, 7, "ACT")]], "verbs.responses.users": ["b"]}
    with pytest.raises(InputError, match=r"2 layers: spans \(1 units\), verbs \(1 units\)"):
        ga.read(saved(tmp_path, two))
    assert units(ga.read(saved(tmp_path, two), layers="verbs")) == {"1": [("b", 4, 7, "ACT")]}


def test_two_responses_of_one_user_are_kept_apart(tmp_path):
    path = saved(tmp_path, flat(1, ("a", "submitted", [span(0, 3)]), ("a", "submitted", [span(8, 11)])))
    corpus = ga.read(path, repeated="apart")
    assert units(corpus) == {"1": [("a", 0, 3, "PER"), ("a (2)", 8, 11, "PER")]}


def test_spans_of_a_data_set_are_lists_of_starts_ends_and_labels(tmp_path):
    columns = {"start": [0, 8], "end": [3, 11], "label": ["PER", "PER"]}
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(flat(number, ("a", "submitted", columns))) + "\n" for number in (1, 2)))
    both = [("a", 0, 3, "PER"), ("a", 8, 11, "PER")]
    assert units(ga.read(path)) == {"1": both, "2": both}


def test_argilla_1_has_all_values_of_a_user_in_one_response(tmp_path):
    response = {"user_id": "a", "status": "submitted", "values": {"spans": {"value": [span(0, 3)]}}}
    corpus = ga.read(saved(tmp_path, {"id": "x", "fields": {"body": TEXT}, "responses": [response]}))
    assert units(corpus) == {"x": [("a", 0, 3, "PER")]}
    assert corpus.texts == (TEXT,)


# --- texts, offsets, documents -----------------------------------------------------------------------------


def test_offsets_are_utf_16_by_default(tmp_path):
    path = saved(tmp_path, flat(1, ("a", "submitted", [span(3, 6)]), text="🙂 Ada"))
    corpus = ga.read(path)
    assert units(corpus) == {"1": [("a", 2, 5, "PER")]}
    assert told(corpus, "1 texts have characters beyond U+FFFF")
    assert units(ga.read(path, offsets="code-points", outside="extend")) == {"1": [("a", 3, 6, "PER")]}


def test_text_field_is_required_if_there_are_several(tmp_path):
    record = {"id": 1, "fields": {"prompt": "Who?", "answer": TEXT}, "responses": {}}
    record["responses"] = {"spans": [{"user_id": "a", "value": [span(0, 3)]}]}
    with pytest.raises(InputError, match="record 1: several of the fields 'prompt', 'answer' may be the text"):
        ga.read(saved(tmp_path, record))
    assert ga.read(saved(tmp_path, record), options={"field": "answer"}).texts == (TEXT,)


def test_documents_are_named_by_the_requested_key(tmp_path):
    path = saved(tmp_path, flat(1, ("a", "submitted", []), file="a.txt"))
    assert ga.read(path, options={"document": "file"}).documents == ("a.txt",)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (flat(1, ("a", "finished", [])), "record 1: the status of a response is 'finished'"),
        (flat(1, ("a", "submitted", [span(0, 3)]), ("b", "submitted", [3])), "record 1: a span is 3, not an object"),
        (flat(1, (None, "submitted", [span(0, 3)])), "record 1: 'user_id' of the response is null"),
        (flat(1, ("a", "submitted", [{"start": 0, "end": 3}])), "record 1: the span has no 'label'"),
        (flat(1, ("a", "submitted", [span(0, None)])), "record 1: the unit has null as 'end'"),
        (
            {**flat(1, ("a", "submitted", [])), "spans.responses.users": []},
            "1 responses in 'spans.responses', of 0 users",
        ),
        (
            flat(1, ("a", "submitted", {"start": [1], "end": []})),
            "lists of starts, ends and labels that differ in length",
        ),
    ],
)
def test_invalid_records_are_refused_with_their_number(tmp_path, record, message):
    with pytest.raises(InputError, match=message):
        ga.read(saved(tmp_path, record))


def test_invalid_options_are_refused(tmp_path):
    with pytest.raises(SettingsError, match="argilla has no option 'fields'"):
        ga.read(saved(tmp_path, flat(1)), options={"fields": "text"})
    with pytest.raises(SettingsError, match="the option status lists 'submitted', 'draft', 'discarded', not 'done'"):
        ga.read(saved(tmp_path, flat(1)), options={"status": "done"})
