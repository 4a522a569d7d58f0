"""Exported projects of INCEpTION: annotators, states, formats of the files, and curation."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from uima_files import ADA, BOB, archive, as_json, descriptor, xmi
from uima_oracles import SAMPLES, SUITE

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import HEAD, Source

PROJECTS = SAMPLES / "inception_export"
CURATED = PROJECTS / "Export+Test+-+Curated+annotation+project_3_6_1.zip"
RECOMMENDERS = PROJECTS / "test-project-with-recommenders.zip"

TSV = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=my.types.Entity|value\n\n\n#Text=Ada 😊 met Bob\n"
    "1-1\t0-3\tAda\t{}\t\n1-2\t4-6\t😊\t_\t\n1-3\t7-10\tmet\t_\t\n1-4\t11-14\tBob\t{}\t\n"
)
CAS = json.dumps(as_json([("my.types.Person", {"begin": 11, "end": 14, "value": "PER"})]))


def zipped(files):
    out = io.BytesIO()
    archive(out, files)
    return out.getvalue()


def project(**states):
    """Return the project's own file; `states` are of the users, in talk.txt."""
    documents = [{"name": "talk.txt", "user": user, "state": state} for user, state in states.items()]
    return json.dumps({"name": "Talk", "source_documents": [{"name": "talk.txt"}], "annotation_documents": documents})


FILES = {
    "source/talk.txt": "Ada 😊 met Bob",
    "annotation_ser/talk.txt/INITIAL_CAS.ser": b"\xac\xed",
    "annotation_ser/talk.txt/anna.ser": b"\xac\xed",
    "annotation/talk.txt/INITIAL_CAS.tsv": TSV.format("x", "x"),
    "annotation/talk.txt/anna.tsv": TSV.format("PER", "_"),
    "annotation/talk.txt/b.ert.zip": zipped({"talk.xmi": xmi(ADA, BOB), "TypeSystem.xml": descriptor()}),
    "annotation/talk.txt/cleo.json": CAS,
    "curation/talk.txt/CURATION_USER.tsv": TSV.format("PER", "PER"),
    "exportedproject123.json": project(anna="FINISHED", cleo="IN_PROGRESS"),
    "log/project.log": "…",
}


def units(corpus):
    return [tuple(unit) for name in corpus.documents for unit in corpus[name].units()]


# --- what is read ------------------------------------------------------------------------------------------


def test_each_user_is_read_in_the_format_of_the_file(tmp_path):
    corpus = ga.read(archive(tmp_path / "project.zip", FILES), layers="*")
    assert corpus.documents == ("talk.txt",)
    assert corpus.annotators == ("anna", "b.ert", "cleo")
    assert units(corpus) == [
        ("anna", 0, 3, "PER"),
        ("b.ert", 0, 3, "PER"),
        ("b.ert", 10, 13, "PER"),
        ("cleo", 10, 13, "PER"),
    ]
    assert corpus.texts == ("Ada 😊 met Bob",)
    assert "project.zip: 1 annotations are not finished (state IN_PROGRESS), and read" in corpus.notes
    assert any("read as a project of INCEpTION" in note for note in corpus.notes)
    assert sum("'my.types.Entity': the category of a unit is its feature 'value'" in note for note in corpus.notes) == 1


def test_curation_is_an_annotator_on_request(tmp_path):
    path = archive(tmp_path / "project.zip", FILES)
    for asked in (True, "true"):
        corpus = ga.read(path, layers="*", options={"curation": asked})
        assert corpus.annotators == ("CURATION_USER", "anna", "b.ert", "cleo")
        assert [unit[1:] for unit in units(corpus) if unit[0] == "CURATION_USER"] == [(0, 3, "PER"), (10, 13, "PER")]


def test_unstarted_and_ignored_annotations_are_skipped(tmp_path):
    files = FILES | {"exportedproject123.json": project(anna="NEW", cleo="IGNORE")}
    corpus = ga.read(archive(tmp_path / "project.zip", files), layers="*")
    assert corpus.annotators == ("b.ert",)
    assert "project.zip: 1 annotations in the state NEW are left out" in corpus.notes
    assert "project.zip: 1 annotations in the state IGNORE are left out" in corpus.notes


def test_finished_annotations_can_be_selected(tmp_path):
    path = archive(tmp_path / "project.zip", FILES)
    corpus = ga.read(path, layers="*", options={"states": "FINISHED"})
    assert corpus.annotators == ("anna", "b.ert")
    assert "project.zip: 1 annotations in the state IN_PROGRESS are left out" in corpus.notes
    all_units = ["FINISHED", "IN_PROGRESS", "NEW", "IGNORE"]
    assert ga.read(path, layers="*", options={"states": all_units}).annotators == ("anna", "b.ert", "cleo")


def test_missing_finished_annotations_are_noted(tmp_path):
    files = FILES | {"exportedproject123.json": project(anna="FINISHED", dora="FINISHED", emil="NEW")}
    corpus = ga.read(archive(tmp_path / "project.zip", files), layers="*")
    assert "project.zip: annotated in the project, and not in the archive: talk.txt/dora" in corpus.notes


def test_documents_are_kept_apart_and_empty_annotations_count(tmp_path):
    files = {
        "annotation/one.txt/anna.tsv": TSV.format("PER", "_"),
        "annotation/one.txt/bert.tsv": TSV.format("_", "_"),
        "annotation/two.txt/bert.tsv": TSV.format("_", "LOC"),
    }
    corpus = ga.read(archive(tmp_path / "project.zip", files))
    assert corpus["one.txt"].annotators == ("anna", "bert")
    assert units(corpus) == [("anna", 0, 3, "PER"), ("bert", 10, 13, "LOC")]


def test_tokens_and_options_reach_the_readers_of_the_files(tmp_path):
    files = {"annotation/talk.txt/anna.tsv": TSV.format("PER[1]", "PER[1]")}
    assert units(ga.read(archive(tmp_path / "one.zip", files), positions="tokens")) == [("anna", 0, 4, "PER")]
    files = {"annotation/talk.txt/anna.json": CAS}
    path = archive(tmp_path / "two.zip", files)
    assert units(ga.read(path, options={"view": "_InitialView", "states": "FINISHED"}))[0][1:3] == (10, 13)
    with pytest.raises(InputError, match=r"two\.zip:annotation/talk\.txt/anna\.json: there is no view 'other'"):
        ga.read(path, options={"view": "other"})
    with pytest.raises(SettingsError, match="no option 'curated'"):
        ga.read(path, options={"curated": True})


def test_formats_that_count_tokens_keep_their_unit_of_length(tmp_path):
    files = {f"annotation/talk.txt/{name}.conll": "Ada B-PER\nmet O\nBob B-PER\n" for name in ("anna", "bert")}
    corpus = ga.read(archive(tmp_path / "project.zip", files))
    assert corpus.length_unit == "token"
    assert [unit[:3] for unit in units(corpus)] == [("anna", 0, 1), ("anna", 2, 3), ("bert", 0, 1), ("bert", 2, 3)]


def test_an_archive_packed_anew_within_a_folder(tmp_path):
    files = {f"project/{name}": data for name, data in FILES.items()}
    assert ga.read(archive(tmp_path / "again.zip", files), layers="*").annotators == ("anna", "b.ert", "cleo")


def test_an_unpacked_project_is_read_by_a_template(tmp_path):
    for name in ("anna", "bert"):
        (tmp_path / "annotation" / "talk.txt").mkdir(parents=True, exist_ok=True)
        (tmp_path / "annotation" / "talk.txt" / f"{name}.tsv").write_text(TSV.format("PER", "_"), encoding="utf-8")
    corpus = ga.read(f"{tmp_path}/annotation/{{document}}/{{annotator}}.tsv")
    assert (corpus.documents, corpus.annotators) == (("talk.txt",), ("anna", "bert"))


def test_the_suite_as_a_project(tmp_path):
    files = {
        f"annotation/{name}/anna.tsv": (SUITE / name / "reference.tsv").read_bytes()
        for name in ("testSentenceWithEmoji", "testMultiTokenStackedSpanWithFeatureValue")
    }
    corpus = ga.read(archive(tmp_path / "project.zip", files))
    assert corpus.documents == ("testMultiTokenStackedSpanWithFeatureValue", "testSentenceWithEmoji")
    assert units(corpus) == [
        ("anna", 0, 16, "LOCATION"),
        ("anna", 0, 16, "PERSON"),
        ("anna", 10, 11, None),
    ]


# --- what is refused ---------------------------------------------------------------------------------------


def test_java_objects_are_refused_with_the_cure():
    with pytest.raises(
        InputError, match=r"recommenders\.zip: has 1 annotations as Java objects.*secondary format 'UIMA"
    ):
        ga.read(RECOMMENDERS)


def test_plain_text_is_no_annotation():
    match = (
        r"zip:annotation/example_sentence\.txt/admin\.txt: is of a format that does not hold annot.*secondary format"
    )
    with pytest.raises(InputError, match=match):
        ga.read(CURATED)


def test_the_curation_of_the_sample_is_one_chunk(tmp_path):
    with zipfile.ZipFile(CURATED) as sample:
        text = sample.read("curation/example_sentence.txt/CURATION_USER.tsv")
    corpus = ga.read(archive(tmp_path / "a.zip", {"curation/t/CURATION_USER.tsv": text, "annotation/t/a.tsv": text}))
    assert units(corpus) == [("a", 0, 4, None)]
    assert corpus.texts == ("This is an example sentence.",)


REFUSED = {
    "nobody annotated": (
        {"annotation/talk.txt/INITIAL_CAS.tsv": "x"},
        "nobody has annotated a document of this project",
    ),
    "no annotation at all": ({"annotation/talk.txt/anna.pdf": b"%PDF"}, "anna.pdf: is of a format that does not hold"),
    "an archive of several": (
        {"annotation/t/anna.zip": zipped({"a.xmi": xmi(), "b.xmi": xmi(), "TypeSystem.xml": descriptor()})},
        r"project\.zip:annotation/t/anna\.zip: has 2 files in it",
    ),
    "a file in it that is wrong": (
        {"annotation/t/anna.tsv": TSV.format("A", "B") + "nonsense\n"},
        r"project\.zip:annotation/t/anna\.tsv, line 10: 'nonsense' is no row",
    ),
    "a project file that is a list": (
        {"annotation/t/anna.tsv": TSV.format("A", "B"), "exportedproject.json": "[]"},
        "exportedproject.json: the project is a list of 0",
    ),
    "a state that is a number": (
        {
            "annotation/t/anna.tsv": TSV.format("A", "B"),
            "exportedproject.json": '{"annotation_documents": [{"name": "t", "user": "anna", "state": 1}]}',
        },
        "'state' of an entry of 'annotation_documents' is 1, not a string",
    ),
    "a nested archive that is none": (
        {"annotation/t/anna.zip": b"PK\x03\x04nonsense"},
        "anna.zip: is of a format that",
    ),
}


@pytest.mark.parametrize(("files", "match"), REFUSED.values(), ids=REFUSED)
def test_unreadable_members_are_refused_with_their_path(tmp_path, files, match):
    with pytest.raises(InputError, match=match):
        ga.read(archive(tmp_path / "project.zip", files))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"curation": "perhaps"}, "'curation' is true or false, not 'perhaps'"),
        ({"states": "DONE"}, "'states' is of NEW, IN_PROGRESS, FINISHED, IGNORE, not 'DONE'"),
    ],
)
def test_unknown_options_are_refused(tmp_path, options, match):
    with pytest.raises(SettingsError, match=match):
        ga.read(archive(tmp_path / "project.zip", FILES), options=options)


# --- which archive is whose --------------------------------------------------------------------------------


def claims(path):
    return [fmt.name for fmt in formats.matching_formats(Source(path, path.name).head)]


def test_archives_are_recognised_by_their_members(tmp_path):
    assert claims(CURATED) == claims(RECOMMENDERS) == ["inception"]
    assert claims(archive(tmp_path / "project.zip", FILES)) == ["inception"]
    source = {"source/talk.xmi": xmi(), "annotation_ser/talk.xmi/anna.ser": b""}
    assert claims(archive(tmp_path / "source.zip", source)) == ["inception"]
    assert claims(archive(tmp_path / "one.zip", {"talk.xmi": xmi(), "TypeSystem.xml": descriptor()})) == ["uima-xmi"]
    assert claims(archive(tmp_path / "other.zip", {"talk.txt": "Ada"})) == []


def test_members_are_listed_without_unpacking(tmp_path):
    path = archive(tmp_path / "a.zip", {"b/c.txt": "x", "a.txt": "y"})
    assert Source(path, "a.zip").head.members == ("b/c.txt", "a.txt")
    data = path.read_bytes()
    for wrong in (b"", b"PK", data[:-10], data[: len(data) // 2], b"Ada" * HEAD):
        path.write_bytes(wrong)
        assert Source(path, "a.zip").head.members == ()
