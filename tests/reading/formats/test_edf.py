"""Annotations in EDF+ and BDF+."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

FOLDER = FORMATS / "edf"


def edf(annotations, *, n_records=1, duration=0, bdf=False, signal=False):
    """Return a file with the annotations, (onset, duration, text) as written, spread over the records."""
    width, kind = (3, "BDF") if bdf else (2, "EDF")
    per = -(-len(annotations) // n_records) or 1
    lists = []
    for record in range(n_records):
        stamps = [f"+{record * duration}\x14\x14\0".encode()]
        for onset, length, text in annotations[record * per : (record + 1) * per]:
            time = f"{onset}\x15{length}" if length else onset
            stamps.append(f"{time}\x14{text}\x14\0".encode())
        lists.append(b"".join(stamps))
    size = max(map(len, lists))
    size += -size % width
    samples = [5, size // width] if signal else [size // width]
    labels = ["EEG", f"{kind} Annotations"] if signal else [f"{kind} Annotations"]

    def field(value, length):
        return str(value).encode().ljust(length)

    n = len(labels)
    head = b"\xffBIOSEMI" if bdf else field("0", 8)
    head += field("X", 80) + field("X", 80) + field("02.11.26", 8) + field("22.00.00", 8) + field(256 * (n + 1), 8)
    head += field(f"{kind}+C", 44) + field(n_records, 8) + field(duration, 8) + field(n, 4)
    head += b"".join(field(label, 16) for label in labels) + b" " * (200 * n)
    head += b"".join(field(count, 8) for count in samples) + b" " * (32 * n)
    skipped = bytes(5 * width) if signal else b""
    return head + b"".join(skipped + stamps.ljust(size, b"\0") for stamps in lists)


def saved(folder, data, name="night.edf"):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def units(corpus):
    return [tuple(unit) for unit in corpus.continuum(0).units()]


NIGHT = [("+0", "30", "Sleep stage W"), ("+30", "30", "Sleep stage W"), ("+60", "60", "Sleep stage N2")]


@pytest.mark.parametrize("bdf", [False, True])
@pytest.mark.parametrize("n_records", [1, 3])
def test_successive_epochs_of_a_stage_are_one_unit(bdf, n_records, tmp_path):
    path = saved(tmp_path, edf(NIGHT, n_records=n_records, duration=120 // n_records, bdf=bdf, signal=True))
    corpus = ga.read(path)
    assert units(corpus) == [("night", 0, 60, "Sleep stage W"), ("night", 60, 120, "Sleep stage N2")]
    assert corpus.length_unit == "s"
    assert corpus.continuum(0).extent == (0, 120)


def test_the_samples_have_the_durations_that_their_bytes_say():
    for path in FOLDER.rglob("*.edf"):
        stages = re.findall(rb"\+\d+\x15(\d+)\x14(Sleep stage [^?\x14]+)\x14", path.read_bytes())
        corpus = ga.read(path)
        assert sum(end - start for _, start, end, _ in units(corpus)) == sum(int(length) for length, _ in stages)


def test_other_annotations_are_another_layer_and_may_have_no_length(tmp_path):
    path = saved(tmp_path, edf([*NIGHT, ("+12.5", "", "Lights off"), ("+70.1", "0.2", "Arousal")]))
    with pytest.raises(InputError, match="units in 2 layers"):
        ga.read(path)
    assert units(ga.read(path, layers="events")) == [
        ("night", 12.5, 12.5, "Lights off"),
        ("night", 70.1, 70.3, "Arousal"),
    ]


def test_onset_and_duration_are_added_as_decimals(tmp_path):
    path = saved(tmp_path, edf([("+0.1", "0.2", "Sleep stage R"), ("+0.3", "0.4", "Sleep stage R")]))
    assert units(ga.read(path)) == [("night", 0.1, 0.7, "Sleep stage R")]


def test_a_recording_without_annotations_is_refused(tmp_path):
    path = saved(tmp_path, edf([], signal=True))
    with pytest.raises(InputError, match="signals and no annotations"):
        ga.read(path)


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    path = saved(tmp_path, edf(NIGHT, n_records=3, duration=40, signal=True)[:-20])
    with pytest.raises(InputError, match=r"night\.edf: the file ends in record 3 of 3"):
        ga.read(path)


def test_an_invalid_time_is_refused_with_its_record(tmp_path):
    path = saved(tmp_path, edf([("+x", "30", "Sleep stage W")]))
    with pytest.raises(InputError, match=r"night\.edf, record 1: '\+x"):
        ga.read(path, format="edf")


TIMES = st.decimals(0, 100_000, places=3)


@given(st.lists(st.tuples(TIMES, TIMES, st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1)), min_size=1))
def test_any_annotations_are_read_as_they_are_written(tmp_path_factory, annotations):
    data = edf([(f"+{onset}", f"{length}", f"e{text}") for onset, length, text in annotations])
    corpus = ga.read(saved(tmp_path_factory.mktemp("edf"), data))
    expected = [("night", float(onset), float(onset + length), f"e{text}") for onset, length, text in annotations]
    assert sorted(units(corpus)) == sorted(expected)
