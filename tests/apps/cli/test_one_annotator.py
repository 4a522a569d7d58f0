"""One file of one annotator, in whatever format: validated, converted, and measured once there is a second one."""

from __future__ import annotations

import json

import pytest
from command_line import run

import gamma_align as ga

TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

0
10
<exists>
1
"IntervalTier"
"units"
0
10
2
0
3
"x"
3
10
""
"""
EAF = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2020-01-01T00:00:00Z" FORMAT="3.0" VERSION="3.0">
<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
<TIME_ORDER><TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="b" TIME_VALUE="3000"/></TIME_ORDER>
<TIER TIER_ID="units" LINGUISTIC_TYPE_REF="t"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="x"
 TIME_SLOT_REF1="a" TIME_SLOT_REF2="b"><ANNOTATION_VALUE>x</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="t" TIME_ALIGNABLE="true"/>
</ANNOTATION_DOCUMENT>
"""
GLOZZ = """<?xml version="1.0" encoding="UTF-8"?>
<annotations>
<metadata corpusHashcode="7-0"/>
<unit id="u"><characterisation><type>x</type><featureSet/></characterisation><positioning>
<start><singlePosition index="0"/></start><end><singlePosition index="3"/></end></positioning></unit>
</annotations>
"""
JAMS = {
    "annotations": [
        {"namespace": "chord", "annotation_metadata": {}, "data": [{"time": 0, "duration": 3, "value": "x"}]}
    ],
    "file_metadata": {"duration": 10},
}
FILES = {
    "textgrid": {".TextGrid": TEXTGRID},
    "elan": {".eaf": EAF},
    "glozz": {".aa": GLOZZ, ".ac": "One two"},
    "jams": {".jams": json.dumps(JAMS)},
    "brat": {".ann": "T1\tx 0 3\tOne\n", ".txt": "One two"},
    "conll": {".conll": "Ada\tB-x\nKing\tI-x\nof\tI-x\nLovelace\tO\n"},
    "tokens": {".csv": "Token,Tag\nAda,B-x\nKing,I-x\nof,I-x\nLovelace,O\n"},
    "table": {".csv": "start,end,label\n0,3,x\n"},
    "audacity": {".txt": "0.000000\t3.000000\tx\n"},
    "ner": {".jsonl": '{"doc": "talk", "text": "One two", "entities": [{"start": 0, "end": 3, "label": "x"}]}\n'},
}


def written(folder, shape, stem="talk"):
    """Write the files of a shape, and return the path of the first."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, text in FILES[shape].items():
        (folder / f"{stem}{suffix}").write_text(text, encoding="utf-8")
    return folder / f"{stem}{next(iter(FILES[shape]))}"


@pytest.mark.parametrize("shape", FILES)
def test_one_file_is_validated_and_converted_and_measured_once_there_is_a_second(tmp_path, shape):
    path = written(tmp_path / "one", shape)
    for done in (run("validate", path), run("convert", path, tmp_path / "out.jsonl")):
        assert done.returncode == 0, done.stderr
        assert "'talk'" in done.stderr or "the file names are used instead: talk" in done.stderr
    corpus = ga.read(tmp_path / "out.jsonl")
    assert [(name, *unit) for name in corpus for unit in corpus[name].units()] == [("talk", "talk", 0, 3, "x")]
    refused = run("measure", path)
    assert refused.returncode == 3
    assert "only one annotator: 'talk', on 'talk'" in refused.stderr
    cures = ("PATH/{annotator}/{document}", "with --annotators-from '{layer}'", "with --documents-from NAME")
    assert all(cure in refused.stderr for cure in cures)
    written(tmp_path / "ben", shape)
    named = run("measure", f"{tmp_path}/{{annotator}}/{{document}}{path.suffix}", "--samples", "2", "--json")
    assert json.loads(named.stdout)["annotators"] == {"ben": 1, "one": 1}
    paths = [written(tmp_path / "two", shape, who) for who in ("ann", "ben")]
    measured = run("measure", *paths, "--documents-from", "NAME", "--samples", "2", "--json")
    assert measured.returncode == 0, measured.stderr
    assert json.loads(measured.stdout)["annotators"] == {"ann": 1, "ben": 1}


@pytest.mark.parametrize("shape", ["elan", "textgrid"])
def test_tiers_of_one_file_are_annotators_if_said(tmp_path, shape):
    path = written(tmp_path, shape)
    text = path.read_text(encoding="utf-8")
    if shape == "elan":
        tier = text[text.index("<TIER") : text.index("<LING")]
        text = text.replace(tier, tier + tier.replace("units", "others").replace('"x"', '"y"'))
    else:
        text = text.replace("<exists>\n1", "<exists>\n2") + "".join(text.partition('"Interval')[1:]).replace(
            "units", "others"
        )
    path.write_text(text, encoding="utf-8")
    assert run("measure", path, "--layers", "*").returncode == 3
    cured = run("measure", path, "--annotators-from", "{layer}", "--samples", "2", "--json")
    assert json.loads(cured.stdout)["annotators"] == {"others": 1, "units": 1}


def test_a_name_is_made_up_only_where_nobody_is_named(tmp_path):
    path = written(tmp_path, "elan")
    text = path.read_text(encoding="utf-8")
    tier = text[text.index("<TIER") : text.index("<LING")]
    named = tier.replace("units", "named").replace('"x"', '"y"').replace("<TIER ", '<TIER ANNOTATOR="ann" ')
    path.write_text(text.replace(tier, tier + named), encoding="utf-8")
    with pytest.raises(ga.InputError, match="tier 'units' has no ANNOTATOR attribute"):
        ga.read(path, layers="units")
    with pytest.raises(ga.InputError, match="tier 'units' has no ANNOTATOR attribute"):
        ga.read(f"{tmp_path}/{{document}}.eaf", layers="units")
    path.write_text(text, encoding="utf-8")
    assert ga.read(tmp_path).annotators == ("talk",)
