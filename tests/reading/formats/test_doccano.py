"""doccano: new and old exports, files and zips, and exports that do not name their annotators."""

import json
import zipfile
from collections import Counter

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError

SAMPLES = FORMATS / "doccano"
TEXT = "Ada met Bob."


def saved(folder, *records, name="anna.jsonl"):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def archive(folder, **members):
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name, records in members.items():
            file.writestr(f"{name}.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    return path


def new(number, *labels, text=TEXT, **extra):
    return {"id": number, "text": text, "label": list(labels), **extra}


def old(number, *annotations):
    keys = ("user", "label", "start_offset", "end_offset")
    return {"id": number, "text": TEXT, "annotations": [dict(zip(keys, item, strict=True)) for item in annotations]}


def units(corpus):
    return {name: [tuple(unit) for unit in corpus[name].units()] for name in corpus.documents}


# --- the samples -------------------------------------------------------------------------------------------


def test_the_old_sample_has_three_users_and_two_numbers_for_labels():
    corpus = ga.read(SAMPLES / "old_format_user_ids.jsonl")
    assert corpus.documents == tuple(str(number) for number in range(131, 147))
    all_units = [unit for document in corpus.documents for unit in corpus[document].units()]
    assert Counter(unit.annotator for unit in all_units) == {"1": 194, "2": 187, "3": 187}
    assert Counter(unit.category for unit in all_units) == {"18": 481, "3": 87}
    assert ("3", 244, 256, "3") in all_units
    assert corpus.texts[0][244:256] == "White Rabbit"
    assert [len(text) for text in corpus.texts][:4] == [289, 733, 329, 704]
    assert any("568 units have the number of their label" in note for note in corpus.notes)
    for option in ("labels", "users"):
        assert any(f"options={{'{option}': …}}" in note for note in corpus.notes)


def test_names_of_numbers_come_from_a_mapping_a_list_or_a_file(tmp_path):
    file = tmp_path / "labels.json"
    file.write_text(json.dumps([{"id": 18, "text": "PERX"}, {"id": 3, "text": "PERSON"}]))
    for labels in ({18: "PERX", 3: "PERSON"}, {"18": "PERX", "3": "PERSON"}, str(file), file):
        options = {"labels": labels, "users": ["", "one", "two", "three"]}
        corpus = ga.read(SAMPLES / "old_format_user_ids.jsonl", options=options)
        assert corpus["131"].annotators == ("one", "three", "two")
        assert Counter(unit.category for unit in corpus["131"].units()) == {"PERX": 17, "PERSON": 1}
        assert not any("number of their" in note for note in corpus.notes)


def test_the_new_samples():
    corpus = ga.read(SAMPLES / "new_format_example.jsonl")
    assert units(corpus) == {
        "1": [("new_format_example", 0, 2, "ORG"), ("new_format_example", 11, 17, "MISC")],
        "2": [("new_format_example", 0, 15, "PERSON")],
        "3": [("new_format_example", 10, 15, "PERSON")],
    }
    assert corpus.texts[2] == "President Obama"
    corpus = ga.read(SAMPLES / "new_format_relations_example.jsonl")
    assert [(unit.start, unit.end, unit.category) for unit in corpus["1"].units()] == [
        (0, 6, "ORG"),
        (22, 39, "DATE"),
        (44, 54, "PERSON"),
        (59, 70, "PERSON"),
    ]


# --- a file an annotator -----------------------------------------------------------------------------------


def test_a_zip_has_an_annotator_in_each_member(tmp_path):
    path = archive(tmp_path, anna=[new(1, [0, 3, "PER"]), new(2)], bert=[new(1, [8, 11, "PER"])], cleo=[])
    corpus = ga.read(path)
    assert units(corpus) == {"1": [("anna", 0, 3, "PER"), ("bert", 8, 11, "PER")], "2": []}
    assert corpus["2"].annotators == ("anna",)
    assert any("1 texts without a label are taken as seen" in note for note in corpus.notes)


def test_a_folder_has_an_annotator_in_each_file(tmp_path):
    saved(tmp_path, new(1, [0, 3, "PER"]))
    saved(tmp_path, new(1, [8, 11, "PER"]), name="bert.jsonl")
    for path in (tmp_path, f"{tmp_path}/{{annotator}}.jsonl"):
        assert units(ga.read(path)) == {"1": [("anna", 0, 3, "PER"), ("bert", 8, 11, "PER")]}


def test_different_texts_are_refused_with_the_first_difference(tmp_path):
    path = archive(tmp_path, anna=[new(1, [0, 3, "PER"])], bert=[new(1, [0, 3, "PER"], text="Ada saw Bob.")])
    with pytest.raises(InputError, match="document '1': the annotators' texts differ: from character 4"):
        ga.read(path, format="doccano")


@pytest.mark.parametrize("kind", ["file", "zip"])
def test_shared_labels_are_refused_without_an_annotator(tmp_path, kind):
    record = new(1, [0, 3, "PER"])
    path = saved(tmp_path, record, name="all.jsonl") if kind == "file" else archive(tmp_path, all=[record])
    with pytest.raises(InputError, match=r"all.jsonl: doccano does not name the annotators .* annotator='all'"):
        ga.read(path, format="doccano")
    assert units(ga.read(path, format="doccano", annotator="all")) == {"1": [("all", 0, 3, "PER")]}


def test_old_export_with_names_is_refused_without_an_annotator(tmp_path):
    path = saved(tmp_path, {"id": 1, "text": TEXT, "annotation_approver": None, "labels": [[0, 3, "PER"]]})
    with pytest.raises(InputError, match=r"anna.jsonl: doccano does not name the annotators in an old export"):
        ga.read(path)
    assert units(ga.read(path, annotator="all")) == {"1": [("all", 0, 3, "PER")]}


def test_the_same_text_twice_in_a_file_is_two_annotations(tmp_path):
    corpus = ga.read(saved(tmp_path, new(1, [0, 3, "PER"]), new(1, [8, 11, "PER"])), repeated="apart")
    assert units(corpus) == {"1": [("anna", 0, 3, "PER"), ("anna (2)", 8, 11, "PER")]}
    assert any("kept apart as 'anna', 'anna (2)'" in note for note in corpus.notes)


def test_annotators_missing_from_texts_of_an_old_export_are_noted(tmp_path):
    corpus = ga.read(saved(tmp_path, old(1, (5, 18, 0, 3), (6, 18, 0, 3)), old(2, (5, 18, 8, 11)), old(3)))
    assert corpus.documents == ("1", "2")
    assert corpus["2"].annotators == ("5",)
    assert any("1 of 4 pairs of document and annotator have no units" in note for note in corpus.notes)
    assert any("1 texts have no annotation of anyone" in note for note in corpus.notes)


# --- documents, offsets, options ---------------------------------------------------------------------------


def test_documents_are_named_by_the_requested_key(tmp_path):
    path = saved(tmp_path, new(7, [0, 3, "PER"], meta={"file": "a.txt"}), new(8, meta={"file": "b.txt"}))
    assert ga.read(path).documents == ("7", "8")
    assert ga.read(path, options={"document": "meta.file"}).documents == ("a.txt", "b.txt")
    with pytest.raises(InputError, match=r"anna.jsonl, line 1: 'meta.name' \(the option document\) is null"):
        ga.read(path, options={"document": "meta.name"})


def test_offsets_of_2018_are_utf_16(tmp_path):
    path = saved(tmp_path, new(1, [3, 6, "PER"], text="🙂 Ada"))
    assert units(ga.read(path, offsets="utf-16")) == {"1": [("anna", 2, 5, "PER")]}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("x", "line 1: the record is 'x', not an object"),
        ([1], "record 1: the record is 1, not an object"),
        ({"id": 1, "label": []}, "line 1: the record has no 'text'"),
        ({"id": [], "text": "a", "label": []}, "line 1: 'id' of the record is a list of 0, not a name or a number"),
        (new(1, [0, 3]), r"line 1: a list of 2 is no \[start, end, label\]"),
        (new(1, "PER"), r"line 1: 'PER' is no \[start, end, label\]; export labelled spans"),
        (new(1, [0, "3", "PER"]), "line 1: the end of the unit is '3', not a finite number"),
        (new(1, [3, 0, "PER"]), "line 1: the unit ends at 0, before its start 3"),
        (new(1, [0, 10**30, "PER"]), "line 1: the end of the unit is an integer of 100 bits"),
        (old(1, (None, 18, 0, 3)), "line 1: 'user' of the annotation is null"),
        (old(1, (1, 18, 0, None)), "line 1: the unit has null as 'end_offset', not a number"),
    ],
)
def test_invalid_lines_are_refused_with_their_number(tmp_path, record, message):
    with pytest.raises(InputError, match=message):
        ga.read(saved(tmp_path, record), format="doccano")


def test_all_problems_are_counted(tmp_path):
    path = saved(tmp_path, new(1, [3, 0, "PER"], [0, 3, "PER"]), [], new(2, [9, 8, "PER"]))
    with pytest.raises(InputError, match=r"line 1: .* \(2 more; ga.validate lists them all\)"):
        ga.read(path)


def test_empty_zips_and_invalid_options_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"export.zip: no <annotator>.jsonl with texts"):
        ga.read(archive(tmp_path, anna=[]), format="doccano")
    with pytest.raises(SettingsError, match="doccano has no option 'label'; its options are 'document': the key"):
        ga.read(saved(tmp_path, new(1)), options={"label": "x"})
    with pytest.raises(InputError, match=r"names.json: there is no such file, which the option labels names"):
        ga.read(saved(tmp_path, old(1, (1, 18, 0, 3))), options={"labels": "names.json"})
    (tmp_path / "names.json").write_text("3")
    with pytest.raises(InputError, match=r"names.json: has no names for the option labels"):
        ga.read(saved(tmp_path, old(1, (1, 18, 0, 3))), options={"labels": "names.json"})


def test_classified_texts_do_not_match_doccano(tmp_path):
    path = saved(tmp_path, {"id": 1, "text": TEXT, "label": ["dull"]})
    with pytest.raises(InputError, match=r"anna.jsonl"):
        ga.read(path)
