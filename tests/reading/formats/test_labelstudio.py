"""Label Studio: tasks, their annotations, and results that are skipped."""

import json
from collections import Counter

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError

SAMPLES = FORMATS / "labelstudio"
TEXT = "Ada met Bob."


def region(start, end, *labels, kind="labels", layer="label", **value):
    return {"type": kind, "from_name": layer, "value": {"start": start, "end": end, kind: list(labels), **value}}


def done(annotator, *result, **extra):
    return {"id": 1, "completed_by": annotator, "result": list(result), **extra}


def task(number, *annotations, data=None, **extra):
    return {"id": number, "data": {"text": TEXT} if data is None else data, "annotations": list(annotations), **extra}


def saved(folder, tasks, name="export.json"):
    path = folder / name
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def units(corpus):
    return {name: [tuple(unit) for unit in corpus[name].units()] for name in corpus.documents}


def told(corpus, words):
    return any(words in note for note in corpus.notes)


# --- the samples -------------------------------------------------------------------------------------------


def test_the_sample_has_a_project_an_annotator():
    corpus = ga.read(SAMPLES / "all_annotations_export.json")
    all_units = [unit for document in corpus.documents for unit in corpus[document].units()]
    assert len(corpus.documents) == 13
    assert Counter(unit.category for unit in all_units) == {"SYMPTOM": 15, "MEDICATION": 12, "ANATOMY": 6, "DISEASE": 6}
    assert Counter(unit.annotator for unit in all_units) == {"2": 10, "3": 16, "6": 13}
    at = corpus.documents.index("1090")
    assert corpus.texts[at][131:138] == "coração"
    assert ("6", 131, 138, "ANATOMY") in units(corpus)["1090"]


def test_projects_are_joined_by_the_requested_key():
    users = {"6": "elisa", "3": "bruno", "2": "ana"}
    options = {"document": "data.external_id", "users": users}
    corpus = ga.read(SAMPLES / "all_annotations_export.json", options=options)
    assert len(corpus.documents) == 10
    shared = [name for name in corpus.documents if corpus[name].annotators == ("bruno", "elisa")]
    assert shared == ["ner_saude_doc_0005", "ner_saude_doc_0017", "ner_saude_doc_0029"]
    assert len(units(corpus)["ner_saude_doc_0005"]) == 3 + 4


def test_boxes_are_skipped():
    corpus = ga.read(SAMPLES / "csv_test.json")
    assert units(corpus) == {"1": [], "2": []}
    assert corpus["1"].annotators == ("hakan@heartex.com",)
    assert told(corpus, "3 results that are no spans are left out: 3 of rectanglelabels")
    assert told(corpus, "2 predictions are left out")


def test_an_export_without_tasks_is_refused():
    with pytest.raises(InputError, match=r"labelstudio_annotated_export.json"):
        ga.read(SAMPLES / "labelstudio_annotated_export.json", format="labelstudio")


# --- whose annotations -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotator", "name"),
    [
        (7, "7"),
        ({"id": 7, "email": "ada@example.com"}, "ada@example.com"),
        ({"id": 7, "email": "", "username": "ada"}, "ada"),
        ({"id": 7}, "7"),
        (None, "export"),
    ],
)
def test_completed_by_names_the_annotator(tmp_path, annotator, name):
    path = saved(tmp_path, [task(1, done(annotator, region(0, 3, "PER")))])
    assert units(ga.read(path)) == {"1": [(name, 0, 3, "PER")]}


def test_old_completions_are_annotations(tmp_path):
    completion = {"created_username": "ada, 3", "result": [region(0, 3, "PER")]}
    path = saved(tmp_path, {"id": 4, "data": {"text": TEXT}, "completions": [completion]})
    assert units(ga.read(path)) == {"4": [("ada, 3", 0, 3, "PER")]}


def test_cloud_storage_files_have_one_annotation_each(tmp_path):
    for number, annotator in enumerate(("ada", "bob")):
        record = {**done({"email": annotator}, region(0, 3, "PER")), "task": {"id": 5, "data": {"text": TEXT}}}
        saved(tmp_path, record, name=f"{number}.json")
    assert units(ga.read(tmp_path)) == {"5": [("ada", 0, 3, "PER"), ("bob", 0, 3, "PER")]}


def test_one_project_an_annotator_is_named_by_its_file(tmp_path):
    for name, bounds in (("ada", (0, 3)), ("bob", (8, 11))):
        saved(tmp_path, [task(1, done(1, region(*bounds, "PER")))], name=f"{name}.json")
    corpus = ga.read(f"{tmp_path}/{{annotator}}.json")
    assert units(corpus) == {"1": [("ada", 0, 3, "PER"), ("bob", 8, 11, "PER")]}


def test_repeated_annotations_of_a_task_are_kept_apart(tmp_path):
    path = saved(tmp_path, [task(1, done(1, region(0, 3, "PER")), done(1, region(8, 11, "PER")), done(2))])
    corpus = ga.read(path, repeated="apart")
    assert corpus["1"].annotators == ("1", "1 (2)", "2")
    assert units(corpus) == {"1": [("1", 0, 3, "PER"), ("1 (2)", 8, 11, "PER")]}
    assert told(corpus, "kept apart as '1', '1 (2)'")


# --- what is left out, unless asked for --------------------------------------------------------------------


def test_skipped_annotations_and_unannotated_tasks_are_counted(tmp_path):
    skipped = done(2, region(0, 3, "PER"), was_cancelled=True)
    corpus = ga.read(saved(tmp_path, [task(1, done(1), skipped), task(2), task(3, skipped)]))
    assert units(corpus) == {"1": []}
    assert corpus["1"].annotators == ("1",)
    assert told(corpus, "2 annotations that were skipped")
    assert told(corpus, "2 tasks have no annotation of anyone")


def test_drafts_and_predictions_are_read_on_request(tmp_path):
    extra = {
        "drafts": [{"user": "cleo", "result": [region(4, 7, "ACT")]}],
        "predictions": [{"model_version": "v1", "result": [region(8, 11, "PER")]}],
    }
    path = saved(tmp_path, [task(1, done(1, region(0, 3, "PER")), **extra)])
    corpus = ga.read(path)
    assert corpus["1"].annotators == ("1",)
    assert told(corpus, "1 drafts are left out")
    assert told(corpus, "1 predictions are left out")
    corpus = ga.read(path, options={"drafts": "yes", "predictions": True})
    assert units(corpus) == {
        "1": [("1", 0, 3, "PER"), ("draft of cleo", 4, 7, "ACT"), ("model v1", 8, 11, "PER")],
    }


def test_ground_truth_is_read_with_a_note_or_skipped(tmp_path):
    path = saved(tmp_path, [task(1, done(1, region(0, 3, "PER"), ground_truth=True), done(2))])
    assert told(ga.read(path), "1 annotations are marked as ground truth")
    corpus = ga.read(path, options={"ground_truth": "no"})
    assert corpus["1"].annotators == ("2",)
    assert told(corpus, "1 annotations marked as ground truth are left out")


def test_json_min_is_refused(tmp_path):
    record = {"text": TEXT, "id": 1, "label": [{"start": 0, "end": 3, "labels": ["PER"]}], "annotator": 1}
    path = saved(tmp_path, [{**record, "annotation_id": 3, "lead_time": 2.5}])
    with pytest.raises(
        InputError, match=r"export.json: this is Label Studio's JSON-MIN, .*; export the project as JSON"
    ):
        ga.read(path)


# --- regions -----------------------------------------------------------------------------------------------


def test_each_label_of_a_region_is_a_unit(tmp_path):
    corpus = ga.read(saved(tmp_path, [task(1, done(1, region(0, 3, "PER", "SUBJ"), region(8, 11)))]))
    assert units(corpus) == {"1": [("1", 0, 3, "PER"), ("1", 0, 3, "SUBJ")]}
    assert told(corpus, "1 regions without a label are left out")


def test_tags_are_layers(tmp_path):
    both = done(1, region(0, 3, "PER", layer="names"), region(4, 7, "ACT", layer="verbs"))
    path = saved(tmp_path, [task(1, both), task(2, done(1))])
    with pytest.raises(InputError, match=r"units in 2 layers: names \(1 units\), verbs \(1 units\)"):
        ga.read(path)
    assert units(ga.read(path, layers="verbs")) == {"1": [("1", 4, 7, "ACT")], "2": []}


def test_regions_of_a_recording_are_in_seconds(tmp_path):
    heard = {**region(0.5, 1.25, "COUGH", channel=0), "original_length": 12.5}
    path = saved(
        tmp_path, [task(1, done(1, heard), data={"audio": "/a.wav"}), task(2, done(1), data={"audio": "/b.wav"})]
    )
    corpus = ga.read(path)
    assert corpus.length_unit == "s"
    assert units(corpus) == {"1": [("1", 0.5, 1.25, "COUGH")], "2": []}
    assert corpus.extents[0].tolist() == [0, 12.5]


def test_time_series_have_no_unit_of_length(tmp_path):
    path = saved(tmp_path, [task(1, done(1, region(1592250751951, 1592250755000, "Run", kind="timeserieslabels")))])
    corpus = ga.read(path)
    assert corpus.length_unit is None
    assert units(corpus) == {"1": [("1", 1592250751951, 1592250755000, "Run")]}


def test_marked_up_text_is_read_by_its_global_offsets(tmp_path):
    where = {"startOffset": 0, "endOffset": 3}
    places = {"globalOffsets": {"start": 8, "end": 11}, **where}
    mark = region("/p[1]/text()[1]", "/p[1]/text()[1]", "PER", kind="hypertextlabels", **places)
    corpus = ga.read(saved(tmp_path, [task(1, done(1, mark), data={"text": "<p>Ada met Bob.</p>"})]))
    assert units(corpus) == {"1": [("1", 8, 11, "PER")]}
    assert told(corpus, "bounds in marked-up text are not checked")
    bare = region("/p[1]/text()[1]", "/p[1]/text()[1]", "PER", kind="hypertextlabels", **where)
    with pytest.raises(InputError, match="task 1: a region of hypertextlabels has no globalOffsets"):
        ga.read(saved(tmp_path, [task(1, done(1, bare))]))


def test_texts_and_recordings_are_read_one_at_a_time(tmp_path):
    heard = {**region(0.5, 1.25, "COUGH", channel=0, layer="noise"), "original_length": 12.5}
    path = saved(tmp_path, [task(1, done(1, region(0, 3, "PER"))), task(2, done(1, heard), data={"audio": "/a.wav"})])
    with pytest.raises(InputError, match="2 layers"):
        ga.read(path)
    assert units(ga.read(path, layers="noise"))["2"] == [("1", 0.5, 1.25, "COUGH")]
    assert units(ga.read(path, layers="label"))["1"] == [("1", 0, 3, "PER")]


# --- texts -------------------------------------------------------------------------------------------------


def test_text_is_the_only_string_or_the_requested_key(tmp_path):
    mark = done(1, region(0, 3, "PER", text="Ada"))
    path = saved(tmp_path, [task(1, mark, data={"body": TEXT, "n": 3}), task(2, done(1), data={"body": "No.", "n": 4})])
    assert ga.read(path).texts == (TEXT, "No.")
    path = saved(tmp_path, [task(1, mark, data={"body": TEXT, "title": "Ada"})])
    assert ga.read(path).texts is None
    assert ga.read(path, options={"text": "body"}).texts == (TEXT,)


def test_offsets_before_2022_are_utf_16(tmp_path):
    path = saved(tmp_path, [task(1, done(1, region(3, 6, "PER", text="Ada")), data={"text": "🙂 Ada"})])
    with pytest.raises(InputError, match="utf-16"):
        ga.read(path)
    assert units(ga.read(path, offsets="utf-16")) == {"1": [("1", 2, 5, "PER")]}


def test_escaped_line_ends_of_old_versions_are_line_ends(tmp_path):
    path = saved(tmp_path, [task(1, done(1, region(0, 7, "PER", text="Ada\\nmet")), data={"text": "Ada\nmet Bob."})])
    assert units(ga.read(path)) == {"1": [("1", 0, 7, "PER")]}


# --- what is wrong -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([3], "record 1: the task is 3, not an object"),
        ([{"id": 1, "data": {}}], "record 1: the task has no 'annotations'"),
        ([task([])], "record 1: 'id' of the record is a list of 0"),
        ([task(1, 3)], "task 1: an annotation is 3, not an object"),
        ([task(1, done([]))], "task 1: 'completed_by' of the annotation is a list of 0"),
        ([task(1, done(1, 3))], "task 1: a region is 3, not an object"),
        ([task(1, done(1, {"type": "labels"}))], "task 1: the region has no 'value'"),
        ([task(1, done(1, region("x", 3, "PER")))], "task 1: the region has 'x' as 'start', not a number"),
        ([task(1, done(1, region(3, 0, "PER")))], "task 1: the unit ends at 0, before its start 3"),
        ([task(1, done(1, region(0, 3, 5)))], "task 1: a label of the region is 5, not a string"),
        ([task(1, done(1, region(0, 3, "PER", kind="labels", text=4)))], "task 1: 'text' of the region is 4"),
        ({"tasks": [3]}, "line 1: a task is 3, not an object"),
        ({"projects": [{"tasks": {}}]}, "'tasks' of a project is an object"),
        ([], "no tasks in it"),
    ],
)
def test_invalid_tasks_are_refused_with_their_id(tmp_path, tasks, message):
    with pytest.raises(InputError, match=message):
        ga.read(saved(tmp_path, tasks), format="labelstudio")


def test_invalid_options_are_refused(tmp_path):
    path = saved(tmp_path, [task(1, done(1))])
    with pytest.raises(SettingsError, match="the option drafts is yes or no, not 'perhaps'"):
        ga.read(path, options={"drafts": "perhaps"})
    with pytest.raises(SettingsError, match="labelstudio has no option 'draft'"):
        ga.read(path, options={"draft": "yes"})
    with pytest.raises(SettingsError, match="the option users maps ids to names"):
        ga.read(path, options={"users": 3})


# --- videos and dialogues ----------------------------------------------------------------------------------

DIALOGUE = [
    {"author": "A", "text": "Ada met Bob."},
    {"author": "B", "text": "In Rome?"},
    {"author": "A", "text": "Yes."},
]


def phrase(first, start, last, end, *labels, text=None, **value):
    value |= {"start": str(first), "startOffset": start, "end": str(last), "endOffset": end}
    value |= {} if text is None else {"text": text}
    return {"type": "paragraphlabels", "from_name": "label", "value": {**value, "paragraphlabels": list(labels)}}


def frames(*ranges, label="RUN"):
    value = {"ranges": [{"start": start, "end": end} for start, end in ranges], "timelinelabels": [label]}
    return {"type": "timelinelabels", "from_name": "label", "value": value}


def test_ranges_of_frames_are_units_with_their_last_frame(tmp_path):
    annotations = [done("ada", frames((3, 5)), frames((9, 9), (12, 20), label="SIT")), done("bob", frames((4, 5)))]
    corpus = ga.read(saved(tmp_path, [task(1, *annotations, data={"video": "v.mp4"})]))
    assert units(corpus) == {
        "1": [("ada", 3, 6, "RUN"), ("ada", 9, 10, "SIT"), ("ada", 12, 21, "SIT"), ("bob", 4, 6, "RUN")]
    }
    assert corpus.length_unit == "frame"
    assert told(corpus, "count frames")
    assert not told(corpus, "no spans")


def test_paragraphs_are_joined_and_their_offsets_are_places_in_the_text(tmp_path):
    result = [phrase(0, 8, 0, 11, "PER", text="Bob"), phrase(0, 4, 1, 7, "MEETING", text="met Bob.\n\nIn Rome")]
    corpus = ga.read(saved(tmp_path, [task(1, done(1, *result), done(2), data={"dialogue": DIALOGUE})]))
    assert corpus.texts == ("Ada met Bob.\nIn Rome?\nYes.",)
    assert units(corpus) == {"1": [("1", 4, 20, "MEETING"), ("1", 8, 11, "PER")]}


def test_a_phrase_that_is_not_in_its_paragraph_is_refused(tmp_path):
    path = saved(tmp_path, [task(1, done(1, phrase(0, 8, 0, 11, "PER", text="Ada")), data={"dialogue": DIALOGUE})])
    with pytest.raises(InputError, match="covers 'Bob'"):
        ga.read(path)


@pytest.mark.parametrize("bounds", [(0, 8, 0, 13), (3, 0, 3, 1), (0, -1, 0, 3)])
def test_a_phrase_outside_of_the_paragraphs_is_refused(tmp_path, bounds):
    path = saved(tmp_path, [task(1, done(1, phrase(*bounds, "PER")), data={"dialogue": DIALOGUE})])
    with pytest.raises(InputError, match="not among the 3 paragraphs of the task"):
        ga.read(path)


def test_paragraphs_that_are_not_in_the_file_are_asked_for_and_the_cure_reads_them(tmp_path):
    path = saved(tmp_path, [task(1, done(1, phrase(0, 8, 0, 11, "PER")), data={"dialogue": "https://example.com/d"})])
    with pytest.raises(InputError, match="the paragraphs are not in the file"):
        ga.read(path)
    both = {"dialogue": DIALOGUE, "summary": DIALOGUE[:1]}
    path = saved(tmp_path, [task(1, done(1, phrase(1, 3, 1, 7, "LOC")), data=both)])
    with pytest.raises(InputError, match="options="):
        ga.read(path)
    assert units(ga.read(path, options={"text": "dialogue"})) == {"1": [("1", 16, 20, "LOC")]}


def test_phrases_with_and_without_global_offsets_are_not_mixed(tmp_path):
    old, new = phrase(0, 8, 0, 11, "PER"), phrase(0, 0, 0, 3, "PER", globalOffsets={"start": 0, "end": 3})
    path = saved(tmp_path, [task(1, done(1, old), done(2, new), data={"dialogue": DIALOGUE})])
    with pytest.raises(InputError, match="with and without globalOffsets"):
        ga.read(path)


def test_a_taxonomy_labels_a_region_that_nothing_else_labels(tmp_path):
    alone = {"id": "r1", "type": "taxonomy", "value": {"start": 0, "end": 3, "text": "Ada", "taxonomy": [["PER", "F"]]}}
    labelled = {**region(8, 11, "PER"), "id": "r2"}
    about = {"id": "r2", "type": "taxonomy", "value": {"start": 8, "end": 11, "taxonomy": [["PER", "M"]]}}
    whole = {"id": "t", "type": "taxonomy", "value": {"taxonomy": [["NEWS"]]}}
    corpus = ga.read(saved(tmp_path, [task(1, done(1, alone, labelled, about, whole))]), layers="*")
    assert units(corpus) == {"1": [("1", 0, 3, "PER/F"), ("1", 8, 11, "PER")]}
    assert told(corpus, "2 results that are no spans are left out: 2 of taxonomy")


def test_regions_without_labels_are_not_said_to_be_no_spans(tmp_path):
    comment = {"id": "r1", "type": "textarea", "value": {"start": 0, "end": 3, "text": ["who?"]}}
    corpus = ga.read(saved(tmp_path, [task(1, done(1, comment, region(8, 11, "PER")))]))
    assert told(corpus, "1 results with bounds, but without labels, are left out: 1 of textarea")
    assert not told(corpus, "no spans")
