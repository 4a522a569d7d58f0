"""pyannote's annotations as a corpus, with pyannote.core itself."""

import subprocess
import sys

import pytest
from pyannote.core import Annotation, Segment, Timeline

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.reading.formats.pyannote import from_pyannote


def made(*rows, uri="talk"):
    """Return an annotation with tracks (start, end, label)."""
    annotation = Annotation(uri=uri)
    for number, (start, end, label) in enumerate(rows):
        annotation[Segment(start, end), number] = label
    return annotation


def test_tracks_are_units_and_empty_annotations_count():
    rows = [(0, 1.5, "A"), (0, 1.5, "B"), (1, 2, 7)]
    corpus = from_pyannote({"anna": made(*rows), "bert": made()}, extents={"talk": (0, 10)})
    assert list(corpus["talk"].units()) == [("anna", *row[:2], str(row[2])) for row in rows]
    assert corpus["talk"].annotators == ("anna", "bert")
    assert (corpus["talk"].extent, corpus.length_unit) == ((0, 10), "s")


def test_documents_are_named_by_mapping_or_uri():
    corpus = from_pyannote(
        {"anna": {"one": made((0, 1, "A"), uri=None), "two": made((0, 2, "A"))}, "bert": made((0, 3, "A"), uri="two")}
    )
    assert corpus.documents == ("one", "two")
    assert corpus["one"].annotators == ("anna",)
    assert list(corpus["two"].units()) == [("anna", 0, 2, "A"), ("bert", 0, 3, "A")]


def test_annotations_without_uri_are_of_one_document():
    corpus = from_pyannote({name: made((0, 1, "A"), uri=None) for name in ("anna", "bert")})
    assert corpus.documents == ("continuum",)


def test_an_annotation_without_uri_beside_others_is_refused():
    for others in ({"bert": made()}, {"bert": {"talk": made()}}):
        with pytest.raises(
            InputError, match=r"the annotation of 'anna' has no uri, .* \{'anna': \{document: annotation"
        ):
            from_pyannote({"anna": made(uri=None), **others})


def test_the_extent_is_checked():
    annotations = {"anna": made((0, 11, "A"))}
    with pytest.raises(InputError, match="outside the declared extent"):
        from_pyannote(annotations, extents={"talk": (0, 10)})
    assert from_pyannote(annotations, extents={"talk": (0, 10)}, outside="extend")["talk"].extent == (0, 11)


def test_segments_that_nearly_touch_are_counted():
    corpus = from_pyannote({"anna": made((0, 0.1 + 0.2, "A"), (0.3, 1, "B")), "bert": made((0, 0.3, "A"))})
    (note,) = corpus.notes
    assert note.startswith("of 3 units, 1 end after the start of another by less than 1e-05 s")


def test_other_objects_are_refused():
    for other in (Timeline([Segment(0, 1)]), [(0, 1)], None):
        with pytest.raises(InputError, match=rf"annotator 'anna': {type(other).__name__} is no Annotation of pyannote"):
            from_pyannote({"anna": {"talk": other}})


def test_gamma_equals_the_value_of_an_rttm_file(tmp_path):
    rows = {"ref": [(0.5, 1.25, "A"), (1.25, 4, "B")], "sys": [(0.25, 1.5, "1"), (2, 4, "2")]}
    for name, its in rows.items():
        lines = (
            f"SPEAKER talk 1 {start} {end - start} <NA> <NA> {annotator} <NA> <NA>\n" for start, end, annotator in its
        )
        (tmp_path / f"{name}.rttm").write_text("".join(lines), encoding="utf-8")
    ours = from_pyannote({name: made(*its) for name, its in rows.items()})
    assert list(ours["talk"].units()) == list(ga.read(tmp_path)["talk"].units())


@pytest.mark.surfaces
def test_pyannote_is_not_imported():
    code = "import sys, gamma_align.reading.formats.pyannote; sys.exit('pyannote' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
