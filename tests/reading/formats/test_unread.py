"""Widespread formats that are not read: the message names the likely format and the cure."""

import json
import re

import pytest

import gamma_align as ga
from gamma_align.errors import InputError

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
FILES = {
    "events.json": (
        '{"onset": {"Description": "start"}, "duration": {"Description": "length"}}',
        "a sidecar of BIDS",
    ),
    "dev.jsonl": ('{"doc_key": "d", "sentences": [["Ada"]], "ner": [[[0, 0, "PER"]]]}', "DyGIE++'s JSON"),
    "p.json": ('{"text": "Ada", "denotations": [{"span": {"begin": 0, "end": 3}}]}', "PubAnnotation's JSON"),
    "d.bdocjs": ('{"annotation_sets": {}, "text": "Ada"}', "a document of GATE in JSON"),
    "h.json": ('{"rows": [{"uri": "u", "target": [{"selector": []}]}]}', "annotations of hypothes.is"),
    "sgd.json": ('[{"dialogue_id": "1", "turns": [{"exclusive_end": 3}]}]', "a dialogue with slots (SGD)"),
    "f.xml": (XML + '<FoLiA xmlns="http://ilk.uvt.nl/folia"></FoLiA>', "FoLiA"),
    "e.naf": (XML + '<NAF version="v3"></NAF>', "NAF"),
    "t.xml": (XML + '<D-Spin version="0.4"></D-Spin>', "TCF (WebLicht)"),
    "a.apf.xml": (XML + '<!DOCTYPE source_file SYSTEM "apf.dtd">\n<source_file/>', "ACE's APF"),
    "an.xml": (
        XML + "<data><annotations><entity><parentsType>T</parentsType></entity></annotations></data>",
        "annotations of Anafora",
    ),
    "mae.xml": (XML + "<Task><TEXT><![CDATA[Ada]]></TEXT><TAGS/></Task>", "annotations of MAE (or i2b2)"),
    "x.svl": ("<sv>\n<data/></sv>", "a layer of Sonic Visualiser"),
    "c.cha": ("@UTF8\n@Begin\n*CHI:\tyes .\n@End\n", "a transcript in CHAT"),
    "n.ttl": ("@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .\n", "NIF in Turtle"),
}


@pytest.mark.parametrize("name", FILES)
def test_unread_formats_are_named(name, tmp_path):
    text, what = FILES[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    for path in (tmp_path / name, tmp_path):
        with pytest.raises(InputError) as refused:
            ga.read(path)
        assert f" looks like {what}" in str(refused.value)
        assert "which is not read; " in str(refused.value)


ROOTS = {
    "plain": "<sentences><sentence/></sentences>",
    "declared": f'{XML}<sentences lang="en"/>',
    "after a comment": "<!-- <text> -->\n<!DOCTYPE sentences [<!ELEMENT sentences ANY>]>\n<sentences></sentences>",
}


@pytest.mark.parametrize("text", ROOTS.values(), ids=ROOTS)
@pytest.mark.parametrize("name", ["d.xml", "d.data"])
def test_xml_of_another_format_is_named_by_its_root(name, text, tmp_path):
    (tmp_path / name).write_text(text, encoding="utf-8")
    for path in (tmp_path / name, tmp_path):
        with pytest.raises(InputError, match="XML with the root element <sentences>") as refused:
            ga.read(path)
        assert "empty" not in str(refused.value)


def test_inclusive_ends_are_mentioned(tmp_path):
    (tmp_path / "dev.jsonl").write_text(FILES["dev.jsonl"][0], encoding="utf-8")
    with pytest.raises(InputError, match="end one more than there, where it is the last token of the unit"):
        ga.read(tmp_path / "dev.jsonl")


def test_table_with_another_suffix_is_read(tmp_path):
    path = tmp_path / "anna.selections.txt"
    path.write_text("Begin Time (s)\tEnd Time (s)\tSpecies\n0.5\t1.5\tWOTH\n", encoding="utf-8")
    for settings in ({}, {"format": "tsv", "columns": {"category": "Species"}}):
        (unit,) = ga.read(path, **settings)["anna.selections"].units()
        assert (unit.start, unit.end, unit.category) == (0.5, 1.5, "WOTH")


def test_columns_of_whole_numbers_are_no_labels_in_seconds(tmp_path):
    (tmp_path / "annotatedData.txt").write_text("193\t209\t183\n209\t250\t244\n", encoding="utf-8")
    for path in (tmp_path / "annotatedData.txt", tmp_path):
        with pytest.raises(InputError, match="columns of whole numbers without names; put a header above them"):
            ga.read(path)
    corpus = ga.read(tmp_path / "annotatedData.txt", format="audacity")
    assert corpus.length_unit == "s"


@pytest.mark.parametrize("folder", [False, True])
def test_nested_json_is_refused_with_readable_layouts(folder, tmp_path):
    nested = [{"text": "Ada sings", "id": 1, "opinions": [{"Source": [["Ada"], ["0:3"]]}]}]
    (tmp_path / "dev.json").write_text(json.dumps(nested), encoding="utf-8")
    with pytest.raises(InputError, match=r"of (a|no) known layout: .*keys text, id, opinions") as refused:
        ga.read(tmp_path if folder else tmp_path / "dev.json")
    assert "columns=" not in str(refused.value)
    layouts = re.findall(r"\{[^}]+\}", str(refused.value))
    for number, layout in enumerate(layouts):
        (tmp_path / f"{number}.jsonl").write_text(layout, encoding="utf-8")
        assert [*ga.read(tmp_path / f"{number}.jsonl")["d1"].units()] == [("ann", 0, 4, "PER")]
    assert len(layouts) == 2


def test_a_table_of_tokens_without_tags_is_told_from_a_table_of_units(tmp_path):
    """A name such as ``sentstart`` is no start of units."""
    path = tmp_path / "d.tsv"
    path.write_text("tok\tlemma\tsentstart\trede\nEier\tEi\tyes\tdirekt.1\nher\ther\tno\tdirekt.1\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        ga.read(tmp_path)
    assert "format='conll'" in str(caught.value)
