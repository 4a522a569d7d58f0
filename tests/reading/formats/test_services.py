"""Exports of annotation services are recognised by their beginnings."""

import pytest
from places import FORMATS

from gamma_align.reading import formats
from gamma_align.reading.files.sources import Head, Source

SAMPLES = FORMATS
CLAIMED = {
    "argilla/flattened.json": "argilla",
    "argilla/nested.json": "argilla",
    "doccano/new_format_example.jsonl": "doccano",
    "doccano/new_format_relations_example.jsonl": "doccano",
    "doccano/old_format_user_ids.jsonl": "doccano",
    "factgenie/annotations.jsonl": "factgenie",
    "factgenie/config.yaml": None,
    "labelstudio/all_annotations_export.json": "labelstudio",
    "labelstudio/annotation_export_summary.json": None,
    "labelstudio/csv_test.json": "labelstudio",
    "labelstudio/labelstudio_annotated_export.json": None,
    "labelstudio/labelstudio_annotated_export_summary.json": None,
    "lighttag/job.json": "lighttag",
    "mqm_tsv/sxs_ende_head.tsv": "mqm",
    "prodigy/decide_madrid_oscar.jsonl": "prodigy",
}


def names(head):
    return [fmt.name for fmt in formats.matching_formats(head)]


@pytest.mark.parametrize(("path", "name"), CLAIMED.items())
def test_each_sample_matches_only_its_format(path, name):
    source = Source(SAMPLES / path, path)
    assert names(source.head) == ([] if name is None else [name])


def test_all_sample_folders_are_tested():
    folders = {path.partition("/")[0] for path in CLAIMED}
    there = {str(path.relative_to(SAMPLES)) for folder in folders for path in (SAMPLES / folder).iterdir()}
    assert there == set(CLAIMED)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"id": 1, "text": "a", "label": []}', "doccano"),
        ('{"id": 1, "data": "a", "label": [[0, 1, "X"]], "meta": {}}', "doccano"),
        ('{"id": 1, "text": "a", "label": ["dull"]}', None),
        ('{"id": 1, "text": "a", "label": "dull"}', None),
        ('{"id": 1, "text": "a"}', None),
        ('[{"text": "a", "_input_hash": 1, "spans": []}]', "prodigy"),
        ('{"image": "a.png", "_input_hash": 1, "choice": []}', None),
        ('[{"id": 1, "annotations": [], "drafts": [], "predictions": [], "data": {"text": "a"}}]', "labelstudio"),
        ('{"id": 1, "result": [], "task": {"id": 1, "data": {"text": "a"}}}', "labelstudio"),
        ('[{"id": 1, "text": "a", "annotation_id": 2, "lead_time": 3.5}]', "labelstudio"),
        ('{"examples": [{"content": "a", "annotations": []}]}', "lighttag"),
        ('{"examples": ["a"]}', None),
        ('{"id": "a", "fields": {"text": "a"}, "responses": {}}', "argilla"),
    ],
)
def test_small_files_match_only_their_format(text, name):
    assert names(Head("file.json", ".json", text.encode())) == ([] if name is None else [name])
