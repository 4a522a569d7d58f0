"""Errors of real annotation files: each is refused with the file, or repaired with a note, in all formats.

The numbered troubles are those met in twenty published data sets (toxic spans, Broad Twitter Corpus, SPAM, SALAMI, AMI,
ECO-CollecTF, qamr, doccano's, Prodigy's and Label Studio's exports, …); each file here is made small in the test.
"""

import json
import zipfile

import numpy as np
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.reading.validation.repairs import repaired
from gamma_align.reading.validation.validate import validate

TEXT = "One two three"


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def brat(folder, **people):
    """Write brat files of one document; (lines, text) an annotator."""
    for name, (lines, text) in people.items():
        put(folder / name / "d.ann", "".join(f"{line}\n" for line in lines))
        put(folder / name / "d.txt", text)
    return folder


def units(corpus):
    return [(corpus.documents[at], *unit) for at in range(len(corpus)) for unit in corpus.continuum(at).units()]


def found(path, **settings):
    return {each.name: each.count for each in validate(path, **settings).findings}


def problems(path, **settings):
    return [str(problem) for problem in validate(path, **settings).problems]


# --- 1. annotators who marked nothing


def doccano(folder):
    for name, label in (("Ann", [[0, 3, "x"]]), ("Bob", [])):
        put(folder / f"{name}.jsonl", json.dumps({"id": 1, "text": TEXT, "label": label}) + "\n")
    return folder


def conll(folder):
    put(folder / "Ann" / "d.conll", "One\tB-x\ntwo\tO\nthree\tO\n")
    put(folder / "Bob" / "d.conll", "One\tO\ntwo\tO\nthree\tO\n")
    return folder


def textgrid(folder):
    for name, label in (("Ann", "x"), ("Bob", "")):
        head = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n2\n<exists>\n1\n'
        grid = f'{head}"IntervalTier"\n"words"\n0\n2\n2\n0\n1\n"{label}"\n1\n2\n""\n'
        put(folder / name / "d.TextGrid", grid)
    return folder


def tables(folder):
    put(folder / "units.csv", "document,annotator,start,end\nd,Ann,0,3\n")
    put(folder / "annotations.csv", "document,annotator\nd,Ann\nd,Bob\n")
    return folder


def brat_of_nobody(folder):
    return brat(folder, Ann=(["T1\tx 0 3\tOne"], TEXT), Bob=([], TEXT))


@pytest.mark.parametrize("make", [doccano, conll, textgrid, tables, brat_of_nobody])
def test_1_annotators_without_units_are_kept_and_counted(tmp_path, make):
    path = make(tmp_path / "c")
    corpus = ga.read(path)
    assert [corpus.continuum(0).annotators, corpus.n_units] == [("Ann", "Bob"), 1]
    assert found(path)["without-units"] == 1


def test_1_annotators_without_units_are_not_lost_in_a_table(tmp_path):
    corpus = ga.read(tables(tmp_path / "c"))
    with pytest.raises(InputError, match="would lose 1 annotators who marked nothing"):
        ga.write(corpus, tmp_path / "units.csv")
    ga.write(corpus, tmp_path / "all", format="csv")
    assert ga.read(tmp_path / "all").continuum(0).annotators == ("Ann", "Bob")


# --- 2. units past the end of the document


def test_2_past_the_end_of_the_text(tmp_path):
    folder = brat(tmp_path / "c", Ann=(["T1\tx 4 20\ttwo three"], TEXT), Bob=(["T1\tx 4 7\ttwo"], TEXT))
    with pytest.raises(
        InputError, match=r"(?s)1 unit outside the declared extent.*Ann/d.ann, line 1.*extent \[0, 13\]"
    ):
        ga.read(folder)
    (message,) = problems(folder)
    assert message.startswith(
        "Ann/d.ann, line 1: document 'd', annotator 'Ann', unit [4, 20], extent [0, 13]; correct the unit"
    )
    corpus = ga.read(folder, outside="extend")
    assert corpus["d"].extent == (0, 20)
    assert "1 unit outside the declared extent; 1 document was extended" in "; ".join(corpus.notes)
    cut, (done, _) = repaired(validate(folder, outside="extend").columns, ["past-end"])
    assert (done.count, cut.end.tolist()) == (1, [13, 7])


def test_2_past_the_end_only_because_offsets_count_utf_16(tmp_path):
    """As in toxic_spans as published: after a character beyond the basic plane its offsets are one too large."""
    text = "\N{GRINNING FACE} idiot"
    path = put(tmp_path / "Ann.jsonl", json.dumps({"id": 1, "text": text, "label": [[3, 8, "Insult"]]}) + "\n")
    with pytest.raises(InputError, match=r"unit \[3, 8\], extent \[0, 7\]"):
        ga.read(path)
    corpus = ga.read(path, offsets="utf-16")
    assert text[int(corpus.start[0]) : int(corpus.end[0])] == "idiot"


def test_2_past_the_end_of_a_recording(tmp_path):
    put(tmp_path / "sys.rttm", "SPEAKER talk 1 8.0 3.5 <NA> <NA> A <NA> <NA>\n")
    put(tmp_path / "talk.uem", "talk 1 0.000 10.000\n")
    with pytest.raises(InputError, match=r"unit \[8, 11.5\], extent \[0, 10\]"):
        ga.read(tmp_path / "sys.rttm")
    assert found(tmp_path / "sys.rttm")["past-end"] == 1


# --- 3. offsets that do not match their own text


def test_3_each_mismatching_unit_is_listed_with_the_cure(tmp_path):
    lines = ["T1\tx 0 3\tOne", "T2\tx 4 8\ttwo", "T3\ty 8 12\tthree"]
    folder = brat(tmp_path / "c", Ann=(lines, TEXT), Bob=(["T1\tx 0 3\tOne"], TEXT))
    with pytest.raises(InputError, match=r"Ann/d.ann, line 3: the unit covers 'thre', but the file says 'three'"):
        ga.read(folder)
    (message,) = problems(folder)  # "two " is what it says, blanks apart
    assert message.startswith("Ann/d.ann, line 3: the unit covers 'thre', but the file says 'three'")
    assert "mismatch='keep'" in message
    corpus = ga.read(folder, mismatch="keep")
    assert corpus.n_units == 4
    assert any("1 such units, kept" in note for note in corpus.notes)


def test_3_offsets_of_label_studio_before_2022(tmp_path):
    text = "\N{GRINNING FACE} two"
    region = {
        "id": "r",
        "type": "labels",
        "from_name": "label",
        "to_name": "text",
        "value": {"start": 3, "end": 6, "text": "two", "labels": ["x"]},
    }
    task = {"id": 1, "data": {"text": text}, "annotations": [{"id": 1, "completed_by": 7, "result": [region]}]}
    path = put(tmp_path / "export.json", json.dumps([task]))
    with pytest.raises(InputError, match=r"export.json.*(covers 'wo'|offsets='utf-16')"):
        ga.read(path)
    corpus = ga.read(path, offsets="utf-16")
    assert (corpus.start.tolist(), corpus.end.tolist()) == ([2], [5])


# --- 4. the annotators' texts differ


def test_4_different_texts_are_refused_or_mapped(tmp_path):
    folder = brat(tmp_path / "c", Ann=(["T1\tx 4 7\ttwo"], TEXT), Bob=(["T1\tx 5 8\ttwo"], "One  two three"))
    with pytest.raises(InputError, match=r"from character 4 on, '.*two three' of 'Ann' is '.* two three' of 'Bob'"):
        ga.read(folder)
    corpus = ga.read(folder, align_text=True)
    assert units(corpus) == [("d", "Ann", 4, 7, "x"), ("d", "Bob", 4, 7, "x")]
    assert any("'Bob' mapped onto the text of 'Ann'" in note for note in corpus.notes)


def test_4_changed_tokens_of_workers_are_refused(tmp_path):
    """conll_crowd: in 342 of 1,964 files somebody typed into the tokens, and every later index is off."""
    put(tmp_path / "Ann.conll", "in\tO\nTOKYO\tB-LOC\ntoday\tO\n\n")
    put(tmp_path / "Bob.conll", "in\tO\nTOKYO/B-/B-MISCLOC\tO\ntoday\tO\n\n")
    with pytest.raises(InputError, match=r"(?s)'?TOKYO.*TOKYO/B-/B-MISCLOC"):
        ga.read(str(tmp_path / "{annotator}.conll"), document="d")


# --- 5. the same unit twice


def test_5_only_exact_duplicates_are_counted_and_removed_on_request(tmp_path):
    path = put(tmp_path / "u.csv", "A,x,0,3\nA,x,0,3\nA,y,0,3\nB,x,0,3\n")
    assert ga.read(path).n_units == 4
    look = validate(path)
    assert look.problems == []
    assert found(path)["duplicates"] == 1
    kept, (done,) = repaired(look.columns, ["duplicates"])
    assert (done.count, done.places) == (1, ("u.csv, line 2: document 'u', annotator 'A', unit [0, 3] 'x'",))
    assert units(kept.corpus()) == [("u", "A", 0, 3, "x"), ("u", "A", 0, 3, "y"), ("u", "B", 0, 3, "x")]


# --- 6. units without length


def test_6_units_without_length_are_units(tmp_path):
    folder = brat(
        tmp_path / "c", Ann=(["T1\tx 4 4\t", "T2\tx 4 7\ttwo"], TEXT), Bob=(["T1\tx 0 13\tOne two three"], TEXT)
    )
    assert units(ga.read(folder))[0] == ("d", "Ann", 4, 4, "x")
    assert (problems(folder), found(folder)["zero-length"]) == ([], 1)
    kept, (done,) = repaired(validate(folder).columns, ["zero-length"])
    assert (done.count, len(kept)) == (1, 2)


# --- 7. overlap and nesting inside one annotator are normal


def test_7_overlaps_are_no_problem(tmp_path):
    path = put(tmp_path / "u.csv", "A,x,0,10\nA,y,2,4\nA,x,10,12\nB,x,0,10\n")
    assert (problems(path), found(path)["overlaps"]) == ([], 2)
    assert ga.gamma(ga.read(path), samples=30).gamma.is_available
    with pytest.raises(InputError, match=r"annotator 'A': units .* overlap"):
        ga.unitizing_alpha(ga.read(path))


# --- 8. bounds that all but touch


def test_8_float_adjacency_is_noted_and_closed_on_request(tmp_path):
    onset, duration = 0.1, 0.2  # their sum is not 0.3
    path = put(tmp_path / "u.csv", f"A,x,{onset},{onset + duration!r}\nA,y,0.3,0.5\nB,x,0.1,0.299998\nB,y,0.3,0.5\n")
    assert onset + duration > 0.3
    assert (problems(path), found(path)["adjacency"], found(path)["overlaps"]) == ([], 2, 2)
    closed, (done,) = repaired(validate(path).columns, ["adjacency"])
    assert done.count == 2
    assert closed.corpus().end.tolist() == [0.3, 0.5, 0.3, 0.5]
    with pytest.raises(InputError, match="overlap"):
        ga.unitizing_alpha(ga.read(path))
    assert ga.unitizing_alpha(closed.corpus()).u.is_available


def test_8_float_adjacency_is_noted_and_never_changed_silently():
    path = CORPORA / "formats" / "jams" / "Cerulean_Bob_Dylan-Hurricane.jams"
    settings = {"layers": {"multi_segment": "label"}}
    counted = found(path, **settings)["adjacency"]
    notes = [note for note in ga.read(path, **settings).notes if "as rounded times do" in note]
    assert bool(notes) == bool(counted)


# --- 9. discontinuous units


def discontinuous_brat(folder):
    return brat(folder, Ann=(["T1\tx 0 3;8 13\tOne three"], TEXT), Bob=(["T1\tx 0 13\tOne two three"], TEXT))


def discontinuous_table(folder):
    head = "document,annotator,start,end,category,unit\n"
    return put(folder / "d.csv", f"{head}d,Ann,0,3,x,u1\nd,Ann,8,13,x,u1\nd,Bob,0,13,x,\n")


@pytest.mark.parametrize("make", [discontinuous_brat, discontinuous_table])
def test_9_discontinuous_units_are_one_or_several_or_refused(tmp_path, make):
    path = make(tmp_path / "c")
    corpus = ga.read(path, discontinuous="whole")
    assert units(corpus) == [("d", "Ann", 0, 13, "x"), ("d", "Bob", 0, 13, "x")]
    assert any("1 discontinuous units are read as one each" in note for note in corpus.notes)
    assert units(ga.read(path, discontinuous="parts"))[:2] == [("d", "Ann", 0, 3, "x"), ("d", "Ann", 8, 13, "x")]
    with pytest.raises(InputError, match=r"line [12]: the unit has 2 parts"):
        ga.read(path, discontinuous="refuse")


# --- 10. categories that are not what they seem


def test_10_numbers_for_names(tmp_path):
    label = {"label": 18, "start_offset": 0, "end_offset": 3, "user": 3}
    path = put(tmp_path / "old.jsonl", json.dumps({"id": 1, "text": TEXT, "annotations": [label]}) + "\n")
    corpus = ga.read(path)
    assert (corpus.categories, corpus.annotators) == (("18",), ("3",))
    assert sum("name them with options=" in note for note in corpus.notes) == 2
    named = ga.read(path, options={"labels": {"18": "PERSON"}, "users": {"3": "Ann"}})
    assert (named.categories, named.annotators) == (("PERSON",), ("Ann",))


def test_10_the_category_is_in_the_normalisation_line(tmp_path):
    """eco_collectf: the type is always ECO, what it is stands in the N line."""
    lines = [
        "T1\tECO 0 3\tOne",
        "N1\tReference T1 ECO:0000315\tmutant",
        "T2\tECO 4 7\ttwo",
        "N2\tReference T2 ECO:7\tx",
    ]
    folder = brat(tmp_path / "c", Ann=(lines, TEXT), Bob=(lines[:2], TEXT))
    assert ga.read(folder).categories == ("ECO",)
    assert ga.read(folder, options={"category": "N"}).categories == ("ECO:0000315", "ECO:7")


def test_10_cut_off_strings_and_spellings(tmp_path):
    rows = "A,Insult,0,3\nA,Insu,4,7\nB,insult,0,3\nB,Identity based ,4,7\nB,Insult,5,6\n"
    path = put(tmp_path / "u.csv", rows)
    assert {name: found(path)[name] for name in ("spelling", "blanks")} == {"spelling": 1, "blanks": 1}
    mapped = ga.read(path, labels={"Insu": "Insult", "insult": "Insult", "Identity based ": "Identity based Attack"})
    assert mapped.categories == ("Identity based Attack", "Insult")
    fixed, done = repaired(validate(path).columns, ["blanks", "spelling"])
    assert [each.count for each in done] == [1, 1]
    assert fixed.corpus().categories == ("Identity based", "Insu", "Insult")


def test_10_the_empty_string_is_a_category_of_its_own():
    counted = validate(CORPORA / "toxic_spans").columns
    void = counted.labels.index("")
    assert np.count_nonzero(counted.label == void) == 14
    assert np.count_nonzero(counted.label < 0) == 0


def test_10_chords_are_labels_like_others(tmp_path):
    path = put(tmp_path / "u.csv", 'A,"G:7(#9,b13)",0,1\nB,"C:maj/3",0,1\nB,N,1,2\n')
    assert ga.read(path).categories == ("C:maj/3", "G:7(#9,b13)", "N")


def test_10_clusters_of_systems_have_no_category_in_common_with_names(tmp_path):
    for name, speakers in (("ref", ("FEO072", "MEE071")), ("sys", ("0", "1"))):
        lines = (f"SPEAKER t 1 {at}.0 1.0 <NA> <NA> {annotator} <NA> <NA>\n" for at, annotator in enumerate(speakers))
        put(tmp_path / f"{name}.rttm", "".join(lines))
    assert found(tmp_path)["alphabets"] == 2
    mapped = {"labels": {"0": "FEO072", "1": "MEE071"}}
    assert found(tmp_path, **mapped)["alphabets"] == 0
    assert ga.read(tmp_path, **mapped).categories == ("FEO072", "MEE071")


# --- 11. several records of one text, and answers that are none


def prodigy(path, *records):
    lines = [
        {
            "text": TEXT,
            "_input_hash": 7,
            "_task_hash": at,
            "spans": spans,
            "tokens": [],
            "_view_id": "ner_manual",
            "answer": answer,
            "_annotator_id": annotator,
        }
        for at, (annotator, answer, spans) in enumerate(records)
    ]
    return put(path, "".join(json.dumps(line) + "\n" for line in lines))


def test_11_rejected_and_ignored_answers_are_left_out_and_counted(tmp_path):
    span = {"start": 0, "end": 3, "label": "x"}
    path = prodigy(
        tmp_path / "p.jsonl",
        ("Ann", "accept", [span]),
        ("Bob", "reject", [span]),
        ("Cy", "ignore", []),
        ("Di", "accept", [{"start": 4, "end": 7}]),
    )
    corpus = ga.read(path)
    assert (corpus.annotators, corpus.n_units) == (("Ann", "Di"), 1)
    assert corpus.notes[1:] == (
        "p.jsonl: 1 records with answer 'reject' are left out",
        "p.jsonl: 1 records with answer 'ignore' are left out",
        "p.jsonl: 1 spans without a label (highlights of patterns or models) are left out",
    )


def test_11_several_records_of_one_text_are_one_document_kept_apart(tmp_path):
    span = {"start": 0, "end": 3, "label": "x"}
    path = prodigy(tmp_path / "p.jsonl", ("Ann", "accept", [span]), ("Ann", "accept", []), ("Bob", "accept", [span]))
    corpus = ga.read(path, repeated="apart")
    assert len(corpus) == 1
    assert corpus.annotators == ("Ann", "Ann (2)", "Bob")
    assert ga.read(path, options={"records": "merge"}).annotators == ("Ann", "Bob")


# --- 12. files that are not what they say


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("kafka.xml", "<TEI><text><body>\n<p>a < b</p>\n</body></text></TEI>\n", "kafka.xml, line 2"),
        ("lewidi.json", '[{"id": 1, "data": {"text": "a"}, "annotations": [}]\n', "lewidi.json, line 1"),
        ("empty.tsv", "", "empty.tsv"),
        ("empty.jsonl", "", "empty.jsonl"),
        ("units.tsv", b"document\tannotator\tstart\tend\nd\t\xff\t0\t1\n", "units.tsv, line 2"),
    ],
)
@pytest.mark.parametrize("fmt", [None, "of its kind"])
def test_12_malformed_files_are_named(tmp_path, name, content, message, fmt):
    formats = {"kafka.xml": "tei", "lewidi.json": "labelstudio", "empty.jsonl": "jsonl"}
    settings = {} if fmt is None or name not in formats else {"format": formats[name]}
    with pytest.raises(InputError) as refusal:
        ga.read(put(tmp_path / name, content), **settings)
    assert (message if settings or name.endswith(".tsv") else name) in str(refusal.value)


def test_12_empty_files_among_others_are_noted(tmp_path):
    folder = tmp_path / "c"
    for name in ("Ann", "Bob"):
        put(folder / f"{name}.tsv", "" if name == "Bob" else "document\tannotator\tstart\tend\nd\tAnn\t0\t1\n")
    message = problems(folder, format="tsv")
    assert len(message) == 1
    assert message[0].startswith("Bob.tsv: the file is empty")


@pytest.mark.parametrize("content", [b"\x00\x01 garbage \xff", b"<html>no annotation</html>\n"])
def test_12_damaged_files_among_others_are_refused(tmp_path, content):
    folder = brat(tmp_path / "c", Ann=(["T1\tx 0 3\tOne"], TEXT), Bob=([], TEXT))
    put(folder / "Bob" / "d.ann", content)
    put(folder / "README", "who annotated what")
    with pytest.raises(InputError, match=r"Bob/d\.ann, line 1"):
        ga.read(folder)
    with pytest.raises(InputError, match=r"Bob/d\.ann, line 1"):
        ga.read(str(folder / "{annotator}" / "{document}.ann"))
    assert [message.split(":")[0] for message in problems(folder)] == ["Bob/d.ann, line 1"]
    assert validate(folder).columns.annotators[0] == "Ann"


def test_12_damaged_files_of_a_template_are_refused(tmp_path):
    doccano(tmp_path / "c")
    put(tmp_path / "c" / "Bob.jsonl", "no json\n")
    with pytest.raises(InputError, match=r"Bob\.jsonl, line 1"):
        ga.read(str(tmp_path / "c" / "{annotator}.jsonl"))


def test_12_a_damaged_archive_is_named(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Ann.jsonl", json.dumps({"id": 1, "text": TEXT, "label": []}) + "\n")
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match=r"export\.zip"):
        ga.read(path, format="doccano")


# --- 13. names that look like numbers, and categories that look like nothing


def test_13_names_are_strings(tmp_path):
    path = put(tmp_path / "u.csv", "document,annotator,start,end,category\n007,1,0,1,NA\n7,1,0,1,\n007,02,0,1,null\n")
    corpus = ga.read(path, na=[""])
    assert corpus.documents == ("007", "7")
    assert corpus.annotators == ("02", "1")
    assert corpus.categories == ("", "NA", "null")
    assert ga.read(path).categories == ("",)  # by default such words are no category, with a note


def test_13_parquet_of_numbers(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    table = {"document": [955, 10], "annotator": [1, 2], "start": [0, 0], "end": [1, 1], "category": ["", None]}
    parquet.write_table(pa.table(table), tmp_path / "u.parquet")
    corpus = ga.read(tmp_path / "u.parquet")
    assert (corpus.documents, corpus.annotators, corpus.categories) == (("10", "955"), ("1", "2"), ("",))
    assert sorted(corpus.category.tolist()) == [-1, 0]


# --- 14. one annotator twice in a document


def test_14_repeated_annotators_are_kept_apart_with_a_note(tmp_path):
    data = [{"time": 0.0, "duration": 1.0, "value": "A", "confidence": 1}]
    annotation = {"namespace": "segment_open", "annotation_metadata": {"annotator": {"name": "Ann"}}, "data": data}
    jams = {"file_metadata": {"duration": 4, "title": "s"}, "annotations": [annotation, annotation]}
    corpus = ga.read(put(tmp_path / "s.jams", json.dumps(jams)), repeated="apart")
    assert corpus.annotators == ("Ann", "Ann (2)")
    assert any("Ann (2)" in note or "kept apart" in note for note in corpus.notes)


def test_14_two_files_of_one_annotator_and_document_are_not_merged(tmp_path):
    for name in ("round1", "round2"):
        brat(tmp_path / name, Ann=(["T1\tx 0 3\tOne"], TEXT))
    with pytest.raises(InputError, match=r"annotator 'Ann' has marked document 'd' in round1/Ann/d.ann too"):
        ga.read(str(tmp_path / "{_}" / "{annotator}" / "{document}.ann"))
    apart = ga.read(str(tmp_path / "{document}" / "{annotator}" / "d.ann"))
    assert apart.documents == ("round1", "round2")
