"""JAMS: the SPAM sample against its own JSON, annotators and namespaces, features, old files."""

import json
import math
from decimal import Decimal

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source

SAMPLES = FORMATS
SPAM = SAMPLES / "jams" / "Cerulean_Bob_Dylan-Hurricane.jams"


def annotation(namespace, annotator, *rows, data=None):
    """Return an annotation with rows (time, duration, value)."""
    if data is None:
        data = [dict(zip(("time", "duration", "value", "confidence"), (*row, 1.0), strict=True)) for row in rows]
    return {"namespace": namespace, "annotation_metadata": {"annotator": annotator}, "data": data}


def saved(folder, *annotations, duration=10, name="song.jams"):
    path = folder / name
    file = {"annotations": annotations, "file_metadata": {"duration": duration}, "sandbox": {}}
    path.write_text(json.dumps(file, indent=1), encoding="utf-8")
    return path


def units(corpus):
    (document,) = corpus.documents
    return [tuple(unit) for unit in corpus[document].units()]


# --- the sample ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "count"), [("upper", 158), ("lower", 325)])
def test_the_sample_has_the_observations_of_its_json(level, count):
    namespace = f"segment_salami_{level}"
    file = json.loads(SPAM.read_text(encoding="utf-8"), parse_float=Decimal)
    expected = [
        (each["annotation_metadata"]["annotator"]["name"], float(start), float(start + row["duration"]), row["value"])
        for each in file["annotations"]
        if each["namespace"] == namespace
        for row in each["data"]
        for start in [row["time"]]
    ]
    corpus = ga.read(SPAM, layers=namespace)
    assert units(corpus) == sorted(expected)
    assert len(expected) == count
    assert corpus.annotators == (
        "Colin Hua", "Eleni Vasilia Maltas", "Evan S. Johnson", "John Turner", "Shuli Tang"
    )  # fmt: skip
    assert corpus.extents.tolist() == [[0, 495.49061219999993]]
    assert corpus.length_unit == "s"


def test_observations_of_the_sample_nearly_touch():
    # counted in the file with decimal numbers: 28 of the 153 that have one behind them end after it begins, 52 before,
    # of which 2 by 23 ms
    corpus = ga.read(SPAM, layers="segment_salami_upper")
    assert any("of 158 units, 28 end after and 50 end before" in note for note in corpus.notes)


def test_features_of_the_sample_are_chosen():
    with pytest.raises(
        InputError, match=r"'multi_segment' have the features label, level, .* segment_salami_upper, seg"
    ):
        ga.read(SPAM)
    levels = ga.read(SPAM, layers="multi_segment:level")
    assert (levels.n_units, levels.categories) == (483, ("0", "1"))
    labels = ga.read(SPAM, layers={"multi_segment": "label"})
    assert labels["Cerulean_Bob_Dylan-Hurricane"].start.tolist() == levels.start.tolist()
    with pytest.raises(InputError, match="features label, level, not 'name'; name the category with layers="):
        ga.read(SPAM, layers="multi_segment:name")
    with pytest.raises(InputError, match="'segment_salami_upper' have no features; choose it without ':label'"):
        ga.read(SPAM, layers="segment_salami_upper:label")


def test_proposed_feature_has_values(tmp_path):
    path = saved(tmp_path, annotation("x", "ann", (0, 1, {"id": None, "label": "A"}), (1, 1, {"id": "", "label": "B"})))
    with pytest.raises(InputError, match=r"features id, label, and any may be the category; .*layers='x:label'"):
        ga.read(path)
    assert [unit[3] for unit in units(ga.read(path, layers="x:label"))] == ["A", "B"]


def test_only_the_sample_matches_jams():
    files = [path for path in SAMPLES.rglob("*") if path.is_file()]
    assert [path for path in files if formats.by_name("jams").matches(Source(path, path.name).head)] == [SPAM]


# --- what is read --------------------------------------------------------------------------------------------


def test_namespaces_are_layers_and_annotators_have_names_ids_or_addresses(tmp_path):
    path = saved(
        tmp_path,
        annotation("beat", {"name": "", "id": 17}, (0, 0, 1)),
        annotation("beat", {"email": "b@c.de"}, (0.5, 0, 2)),
        annotation("beat", "cleo"),
        annotation("chord", {"name": "dan", "id": 4}, (0, 1, "C:maj")),
    )
    with pytest.raises(InputError, match=r"2 layers: beat \(2 units\), chord \(1 units\)"):
        ga.read(path)
    corpus = ga.read(path, layers="beat")
    assert corpus["song"].annotators == ("17", "b@c.de", "cleo", "dan")
    assert units(corpus) == [("17", 0, 0, "1"), ("b@c.de", 0.5, 0.5, "2")]


def test_ends_are_sums_of_decimal_numbers(tmp_path):
    assert units(ga.read(saved(tmp_path, annotation("chord", "a", (0.1, 0.2, "C")))))[0][2] == 0.3 != 0.1 + 0.2


def test_repeated_annotators_of_a_namespace_are_kept_apart(tmp_path):
    path = saved(
        tmp_path,
        annotation("chord", "ann", (0, 1, "C")),
        annotation("chord", "ann", (0, 1, "D")),
        annotation("chord", "ann (2)", (0, 1, "E")),
        annotation("beat", "ann", (0, 1, "F")),
    )
    corpus = ga.read(path, layers="*", repeated="apart")
    assert units(corpus) == [
        ("ann", 0, 1, "C"),
        ("ann", 0, 1, "F"),
        ("ann (2)", 0, 1, "E"),
        ("ann (3)", 0, 1, "D"),
    ]
    assert any("annotations (1) of nobody, or of somebody who" in n and "'ann (3)'" in n for n in corpus.notes)


def test_annotations_without_annotator_take_the_path_or_a_number(tmp_path):
    alone = saved(tmp_path, annotation("chord", {}, (0, 1, "C")))
    with pytest.raises(InputError, match="nothing says the annotator"):
        ga.read(f"{alone.parent}/{{document}}.jams")
    assert ga.read(alone).annotators == (alone.stem,)
    assert units(ga.read(alone, annotator="me")) == [("me", 0, 1, "C")]
    several = saved(tmp_path, annotation("chord", {}, (0, 1, "C")), annotation("chord", None, (0, 1, "D")))
    corpus = ga.read(several)
    assert units(corpus) == [("annotation 1", 0, 1, "C"), ("annotation 2", 0, 1, "D")]
    assert any("annotations (2) of nobody" in note for note in corpus.notes)


def test_old_files_have_columns(tmp_path):
    columns = {"time": [0, 1.5], "duration": [1.5, 1], "value": ["a", None], "confidence": [None, None]}
    corpus = ga.read(saved(tmp_path, annotation("segment_open", "ann", data=columns)))
    assert units(corpus) == [("ann", 0, 1.5, "a"), ("ann", 1.5, 2.5, None)]
    columns["value"].append("b")
    with pytest.raises(
        InputError, match=r"song.jams, annotation 1: the columns .* 2 of time, 2 of duration, 3 of value"
    ):
        ga.read(saved(tmp_path, annotation("segment_open", "ann", data=columns)))


def test_other_values_than_texts_are_written_as_json(tmp_path):
    values = [1, 1.0, True, [1, "a"], {"only": "x"}, {"only": 3}]
    rows = [(place, 1, value) for place, value in enumerate(values)]
    corpus = ga.read(saved(tmp_path, annotation("x", "ann", *rows[:4]), annotation("y", "ann", *rows[4:])), layers="*")
    assert [unit[3] for unit in units(corpus)] == ["1", "1.0", "true", '[1, "a"]', "x", "3"]


def test_observations_past_the_end_are_refused_or_extend_it(tmp_path):
    path = saved(tmp_path, annotation("chord", "ann", (0, 10.5, "C")))
    with pytest.raises(InputError, match=r"annotation 1 \(chord\), observation 1: .* extent \[0, 10\]"):
        ga.read(path)
    assert ga.read(path, outside="extend").extents.tolist() == [[0, 10.5]]
    assert ga.read(saved(tmp_path, annotation("c", "ann", (1, 2, "C")), duration=None)).extents.tolist() == [[1, 3]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": "0"}, r"annotation 1 \(chord\), observation 1: the observation has '0' as 'time', not a number"),
        ({"duration": None}, r"the observation has null as 'duration', not a number"),
        ({"duration": -1}, r"the unit ends at -1, before its start 0"),
        ({"time": 1e308, "duration": 1.7e308}, "the end of the unit is inf"),
        ({"time": 10**290, "duration": 10**290}, "the start of the unit is an integer of 964 bits"),
    ],
)
def test_invalid_observations_are_refused_with_their_location(tmp_path, change, message):
    row = {"time": 0, "duration": 1, "value": "x", **change}
    with pytest.raises(InputError, match=rf"song.jams, .*{message}"):
        ga.read(saved(tmp_path, annotation("chord", "ann", data=[row])))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"file_metadata": {}}', "the file has no 'annotations'"),
        ("[]", "the file is a list of 0, not an object"),
        ('{"annotations": [3]}', "song.jams, annotation 1: the annotation is 3, not an object"),
        ('{"annotations": [{"data": []}]}', "annotation 1: the annotation has no 'namespace'"),
        ('{"annotations": [{"namespace": "x", "data": 3}]}', "annotation 1: 'data' of the annotation is 3"),
        ('{"annotations": [], "file_metadata": {"duration": -1}}', "the duration of the file is -1"),
        ('{"annotations": [], "file_metadata": {"duration": 1e999}}', "the duration of the file is inf"),
        ('{"annotations": [], "file_metadata": {"duration": "x"}}', "has 'x' as 'duration'"),
        ('{"annotations": [{"namespace": "x", "data": [{"time": NaN, "duration": 1}]}]}', "start of the unit is nan"),
        ('{"annotations": [NaN,\n{"x": 1, "x": 2}]}', 'line 2: the key "x" stands twice'),
        ('{"annotations": [\n{"namespace": "x"', "line 2: the file ends in the middle"),
        ('{"annotations": [{"namespace": "x", "data": [{"time": 1e999, "duration": -1e999}]}]}', "not a finite number"),
    ],
)
def test_invalid_files_are_refused(tmp_path, text, message):
    path = tmp_path / "song.jams"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        ga.read(path, format="jams", annotator="me")


def test_nan_is_no_category_and_blank_values_are_skipped(tmp_path):
    rows = [(0, 1, "C"), (1, 1, math.nan), (2, 1, {"label": math.nan}), (3, 1, " ")]
    path = saved(tmp_path, annotation("chord", "ann", *rows), duration=math.nan)
    path.write_text(path.read_text(encoding="utf-8").replace('"confidence": 1.0', '"confidence": NaN'))
    corpus = ga.read(path)
    assert units(corpus) == [("ann", 0, 1, "C"), ("ann", 1, 2, None), ("ann", 2, 3, None)]
    assert corpus.extents.tolist() == [[0, 3]]
    notes = " ".join(corpus.notes)
    assert "2 observations have NaN for a value, and no category" in notes
    assert "1 intervals labelled with blanks alone are no units" in notes
    assert "the duration of the file is NaN, so its extent is computed from its units" in notes


def test_songs_of_a_folder_are_documents(tmp_path):
    saved(tmp_path, annotation("chord", "ann", (0, 1, "C")), name="one.jams")
    saved(tmp_path, annotation("chord", "ann"), annotation("chord", "bob", (0, 1, "C")), name="two.jams")
    corpus = ga.read(tmp_path)
    assert corpus.documents == ("one", "two")
    assert corpus["two"].annotators == ("ann", "bob")
