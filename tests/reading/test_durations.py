"""Tables of onsets and durations, and of times of a clock."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

import gamma_align as ga

UNITS = [
    ("d", "ann", 63.58, 2.95, "x"),
    ("d", "ann", 66.97, 3.76, "y"),
    ("d", "bob", 63.64, 2.98, "x"),
    ("d", "bob", 66.96, 3.8, "y"),
]
ENDS = [66.53, 70.73, 66.62, 70.76]
EXPECTED = ga.Corpus.from_records([(*unit[:3], end, unit[4]) for unit, end in zip(UNITS, ENDS, strict=True)]).to_frame()


def table(duration: str = "duration", start: str = "onset") -> pd.DataFrame:
    return pd.DataFrame(UNITS, columns=["document", "annotator", start, duration, "category"])


def written(tmp_path, frame, name="units.csv"):
    path = tmp_path / name
    frame.to_csv(path, index=False, sep="\t" if name.endswith("tsv") else ",")
    return path


def clock(seconds: float) -> str:
    return f"00:{int(seconds // 60):02d}:{seconds % 60:06.3f}"


@pytest.mark.parametrize("name", ["units.csv", "units.tsv"])
def test_units_end_at_their_start_plus_their_duration(name, tmp_path):
    path = written(tmp_path, table(), name)
    for corpus in (ga.read(path), ga.read(table()), ga.read(path, document="{document}")):
        assert corpus.to_frame().equals(EXPECTED)
        assert any("duration" in note for note in corpus.notes)
    other = written(tmp_path, table("length"))
    for settings in ({}, {"columns": {"duration": "length"}}):
        assert ga.read(other, **settings).to_frame().equals(EXPECTED)


def test_a_column_of_ends_counts(tmp_path):
    frame = table().assign(end=ENDS, duration=1.0)
    assert ga.read(written(tmp_path, frame)).to_frame().equals(EXPECTED)


def test_units_that_join_each_other_share_the_bound():
    corpus = ga.Corpus.from_columns({"annotator": ["a", "a"], "onset": [0.1, 0.3], "duration": [0.2, 0.1]})
    assert corpus.end.tolist() == [0.3, 0.4]


def test_different_units_of_time_are_asked_about(tmp_path):
    frame = table("duration_ms", "onset_s")
    path = written(tmp_path, frame)
    with pytest.raises(ga.InputError, match="'onset_s' and 'duration_ms'"):
        ga.read(path)
    columns = {"start": "onset_s", "duration": "duration_ms"}
    assert ga.read(path, columns=columns).to_frame().equals(EXPECTED)


def test_a_duration_that_is_no_number_is_named_with_its_line(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text("annotator,onset,duration\nann,1,2\nbob,1,long\n")
    with pytest.raises(ga.InputError, match=r"line 3: duration is 'long'"):
        ga.read(path)


def test_a_folder_of_bids_events_is_read(tmp_path):
    for annotator, part in table().groupby("annotator"):
        (tmp_path / annotator).mkdir()
        events = part[["onset", "duration", "category"]].rename(columns={"category": "trial_type"})
        written(tmp_path / annotator, events, "sub-01_events.tsv")
    for settings in ({}, {"columns": {"category": "trial_type"}}):
        corpus = ga.read(tmp_path, **settings)
        assert corpus.n_units == len(UNITS)
        assert corpus.annotators == ("ann", "bob")
        assert corpus.end.tolist() == EXPECTED.end.tolist()
        assert corpus.categories == ("x", "y")


def test_spans_of_json_have_durations(tmp_path):
    path = tmp_path / "spans.jsonl"
    keys = ("document", "annotator", "start", "duration", "category")
    path.write_text("".join(json.dumps(dict(zip(keys, unit, strict=True))) + "\n" for unit in UNITS))
    assert ga.read(path).to_frame().equals(EXPECTED)


def test_times_of_a_clock_are_seconds(tmp_path):
    frame = pd.DataFrame(EXPECTED)
    for name in ("start", "end"):
        frame[name] = [clock(value) for value in frame[name]]
    path = written(tmp_path, frame)
    for corpus in (ga.read(path), ga.read(frame), ga.read(path, document="{document}")):
        assert corpus.to_frame().equals(EXPECTED)
        assert any("seconds" in note for note in corpus.notes)
    frame["start"] = [text[3:] for text in frame["start"]]
    frame["end"] = [text[3:].replace(".", ",") for text in frame["end"]]
    assert ga.read(written(tmp_path, frame, "short.tsv")).to_frame().equals(EXPECTED)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param("ann,0:01,2.5\nbob,0:01,2.5\n", id="minutes or hours, and numbers"),
        pytest.param("ann,0:01:03,0:01:04\nbob,63,64\n", id="times and numbers in one column"),
        pytest.param("ann,23:59:50,23:59:55\nann,0:00:10,0:00:15\n", id="past midnight"),
        pytest.param("ann,00:01:03:12,00:01:04:00\n", id="frames"),
        pytest.param("ann,0:75:00,0:76:00\n", id="75 minutes after an hour"),
    ],
)
def test_times_of_no_sure_meaning_are_refused(rows, tmp_path):
    path = tmp_path / "units.csv"
    path.write_text(f"annotator,start,end\n{rows}")
    with pytest.raises(ga.InputError, match="not a number"):
        ga.read(path)


MOMENTS = """document,annotator,start,end,category
d,ann,2024-03-01T10:00:05,2024-03-01T10:00:09.500,x
d,bob,2024-03-01T10:00:06.25,2024-03-01T10:00:09,x
d,ann,2024-03-02T00:00:00,2024-03-02T00:00:01,y
"""
SECONDS = [1709287205.0, 1709337600.0, 1709287206.25]


def test_times_with_a_date_are_seconds_since_1970(tmp_path):
    path = tmp_path / "units.csv"
    zoned = re.sub(r"(:\d\d(?:\.\d+)?),", r"\1Z,", MOMENTS)
    for text in (MOMENTS, re.sub(r"(\d)T(\d)", r"\1 \2", MOMENTS), zoned):
        path.write_text(text)
        for corpus in (ga.read(path), ga.read(path, document="{document}"), ga.read(pd.read_csv(path))):
            assert corpus.start.tolist() == SECONDS
            assert corpus.end.tolist() == [1709287209.5, 1709337601.0, 1709287209.0]
            assert any("since 1970" in note for note in corpus.notes)
    frame = pd.read_csv(path)
    frame["start"], frame["end"] = (pd.to_datetime(frame[name], format="ISO8601") for name in ("start", "end"))
    assert ga.read(frame).start.tolist() == SECONDS
    frame.to_parquet(tmp_path / "units.parquet")
    assert ga.read(tmp_path / "units.parquet").start.tolist() == SECONDS


def test_files_of_one_document_count_from_one_moment(tmp_path):
    header, *rows = MOMENTS.splitlines(keepends=True)
    for name in ("ann", "bob"):
        (tmp_path / f"{name}.csv").write_text("".join([header, *(row for row in rows if name in row)]))
    assert ga.read([tmp_path / "ann.csv", tmp_path / "bob.csv"]).start.tolist() == SECONDS


@pytest.mark.parametrize(
    "row",
    [
        pytest.param("ann,2024-03-01T10:00:05,2024-03-01T10:00:09Z", id="a time zone in one only"),
        pytest.param("ann,2024-03-01,2024-03-02", id="days, whose end may be included"),
        pytest.param("ann,2024-03-01T10:00:05,9", id="a number as end"),
        pytest.param("ann,2024-13-01T10:00:05,2024-13-01T10:00:09", id="no month"),
    ],
)
def test_dates_of_no_sure_meaning_are_refused(row, tmp_path):
    path = tmp_path / "units.csv"
    path.write_text(f"annotator,start,end\n{row}\n")
    with pytest.raises(ga.InputError, match="not a number"):
        ga.read(path)


def test_a_few_events_of_an_unknown_name_are_asked_about(tmp_path):
    rows = "0\t30\tjump\n30\t30\trun\n60\t30\tjump\n90\t12\trun\n120\t5\tsit\n"
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "sub-01_events.tsv").write_text(f"onset\tduration\tmanoeuvre\n{rows}")
    with pytest.raises(ga.InputError, match="'manoeuvre' may be it"):
        ga.read(tmp_path)
    assert ga.read(tmp_path, columns={"category": "manoeuvre"}).categories == ("jump", "run", "sit")
    assert ga.read(tmp_path, columns={"category": None}).categories == ()
