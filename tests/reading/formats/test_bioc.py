"""BioC in XML and JSON."""

import json
import re

import pytest
from defusedxml import ElementTree
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

FOLDER = FORMATS / "bioc"


def units(corpus):
    return sorted(
        (continuum.document, *unit)
        for continuum in map(corpus.continuum, range(len(corpus)))
        for unit in continuum.units()
    )


def from_the_tree(path):
    """Return the annotations by a reader of another kind: every element `annotation`, wherever it is."""
    found = []
    for document in ElementTree.parse(path).iter("document"):
        for annotation in document.iter("annotation"):
            infons = {infon.get("key"): infon.text for infon in annotation.iter("infon")}
            place = annotation.find("location")
            start = int(place.get("offset"))
            end = start + int(place.get("length"))
            found.append((document.findtext("id"), infons["annotator"], start, end, infons["type"]))
    return sorted(found)


def test_xml_and_json_hold_the_same_units():
    expected = from_the_tree(FOLDER / "two_annotators.xml")
    for name in ("two_annotators.xml", "two_annotators.json"):
        assert units(ga.read(FOLDER / name)) == expected


def saved(folder, annotations, **more):
    passage = {"offset": 10, "infons": {}, "text": "Aspirin helps.", "annotations": annotations}
    document = {"id": "d", "infons": {}, "passages": [passage], **more}
    path = folder / "c.json"
    path.write_text(json.dumps({"source": "", "documents": [document]}), encoding="utf-8")
    return path


def annotation(offset, length, **infons):
    return {"id": "1", "infons": infons, "text": "", "locations": [{"offset": offset, "length": length}]}


def test_positions_begin_with_the_first_passage(tmp_path):
    path = saved(tmp_path, [{**annotation(10, 7, type="Chemical"), "text": "Aspirin"}])
    assert units(ga.read(path)) == [("d", "c", 0, 7, "Chemical")]


def test_another_infon_may_be_the_category(tmp_path):
    path = saved(tmp_path, [{**annotation(10, 7, kind="x"), "text": "Aspirin"}])
    corpus = ga.read(path)
    assert corpus.categories == ()
    assert any("no infon 'type'" in note and "'kind'" in note for note in corpus.notes)
    assert ga.read(path, options={"category": "kind"}).categories == ("x",)


def test_text_that_an_annotation_does_not_cover_is_refused(tmp_path):
    path = saved(tmp_path, [{**annotation(11, 7, type="x"), "text": "Aspirin"}])
    with pytest.raises(InputError, match=r"c\.json, document 1, annotation 1: .*'Aspirin'"):
        ga.read(path)


def test_a_document_without_annotations_was_seen_if_the_path_names_the_annotator(tmp_path):
    assert units(ga.read(saved(tmp_path, []))) == []
    assert ga.read(saved(tmp_path, [])).annotators == ("c",)


@pytest.mark.parametrize("change", [('"offset": 10, "inf', '"offset": "x", "inf'), ('"locations"', '"places"')])
def test_damaged_annotations_are_refused_with_their_place(change, tmp_path):
    path = saved(tmp_path, [annotation(10, 7, type="x")])
    path.write_text(path.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape("c.json, document 1")):
        ga.read(path, format="bioc")


def test_overlapping_passages_are_refused(tmp_path):
    second = {"offset": 12, "infons": {}, "text": "Gout.", "annotations": []}
    first = {"offset": 0, "infons": {}, "text": "Aspirin helps.", "annotations": []}
    path = saved(tmp_path, [], passages=[first, second])
    with pytest.raises(InputError, match="within the text of the passage before it"):
        ga.read(path)
