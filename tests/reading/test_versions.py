"""Versions of one annotation that a column tells apart, and which reading as one would mix."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

import gamma_align as ga

HEADER = "document,annotator,start,end,category"


def rows(column: str, values: list[str], *, jitter: int = 1, n: int = 20, seed: int = 1) -> pd.DataFrame:
    """Return units of two annotators, once for each value of the column."""
    source = np.random.default_rng(seed)
    table = []
    for value in values:
        for annotator in ("ann", "bob"):
            for index in range(n):
                start = 30 * index + int(source.integers(0, jitter + 1))
                end = start + 15 + int(source.integers(0, jitter + 1))
                category = "xxxy"[int(source.integers(4))]
                table.append((f"d{index % 2}", annotator, start, end, category, value))
    return pd.DataFrame(table, columns=[*HEADER.split(","), column])


def written(tmp_path, frame, name="units.csv"):
    path = tmp_path / name
    frame.to_csv(path, index=False, sep="\t" if name.endswith("tsv") else ",")
    return path


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("guideline", ["v1", "v2"]),
        ("round", ["1", "2", "3"]),
        ("pass", ["first", "second"]),
        ("batch", [*"abcd"]),
    ],
)
@pytest.mark.parametrize("jitter", [0, 1])
def test_a_column_that_tells_versions_apart_is_asked_about_with_cures_that_work(column, values, jitter, tmp_path):
    frame = rows(column, values, jitter=jitter)
    path = written(tmp_path, frame)
    with pytest.raises(ga.InputError, match=repr(column)) as error:
        ga.read(path)
    assert repr({"layer": column}) in str(error.value)
    one = ga.read(path, columns={"layer": column}, layers=[values[-1]])
    last = frame[frame[column] == values[-1]].drop(columns=column)
    assert one.to_frame().equals(ga.read(last).to_frame())
    assert len(ga.read(path, columns={"layer": column}, document="{document}/{layer}")) == 2 * len(values)
    assert ga.read(path, columns={"layer": column}, layers="*").n_units == len(frame)


JSON_SPANS = {
    "a span a line": lambda rows: rows,
    "a record of spans a version": lambda rows: [
        {
            "document": document,
            "annotator": annotator,
            "round": version,
            "spans": [{key: row[key] for key in ("start", "end", "category")} for row in group],
        }
        for (document, annotator, version), group in grouped(rows, "document", "annotator", "round")
    ],
    "lists of spans": lambda rows: [
        {"document": document, "annotator": annotator, "round": version, "spans": [span_list(row) for row in group]}
        for (document, annotator, version), group in grouped(rows, "document", "annotator", "round")
    ],
    "the version in each span of a text": lambda rows: [
        {
            "document": document,
            "annotator": annotator,
            "text": "x" * 900,
            "spans": [{key: row[key] for key in ("start", "end", "category", "round")} for row in group],
        }
        for (document, annotator), group in grouped(rows, "document", "annotator")
    ],
}


def span_list(row):
    return [row["start"], row["end"], row["category"]]


def grouped(rows, *keys):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups.items()


@pytest.mark.parametrize("suffix", [".jsonl", ".json"])
@pytest.mark.parametrize("shape", JSON_SPANS)
def test_a_key_of_json_that_tells_versions_apart_is_asked_about_with_cures_that_work(shape, suffix, tmp_path):
    read_spans = partial(ga.read, format="ner")  # without texts, the content does not tell it
    frame = rows("round", ["1", "2"])
    records = JSON_SPANS[shape](frame.to_dict("records"))
    path = tmp_path / f"spans{suffix}"
    lines = [json.dumps(record) for record in records]
    path.write_text("\n".join(lines) if suffix == ".jsonl" else f"[{','.join(lines)}]", encoding="utf-8")
    with pytest.raises(ga.InputError, match="'round'") as error:
        read_spans(path)
    assert repr({"layer": "round"}) in str(error.value)
    one = read_spans(path, columns={"layer": "round"}, layers=["2"])
    assert one.to_frame().equals(ga.read(frame[frame["round"] == "2"].drop(columns="round")).to_frame())
    assert len(read_spans(path, columns={"layer": "round"}, document="{document}/{layer}")) == 4
    assert read_spans(path, columns={"layer": "round"}, layers="*").n_units == len(frame)
    with pytest.raises(ga.InputError, match="'rund'"):
        read_spans(path, columns={"layer": "rund"}, layers="*")


def test_a_key_of_json_that_tells_versions_apart_is_not_taken_as_the_category(tmp_path):
    frame = rows("guideline", ["v1", "v2"]).drop(columns="category")
    path = tmp_path / "spans.jsonl"
    frame.to_json(path, orient="records", lines=True)
    with pytest.raises(ga.InputError, match="'guideline' may be it"):
        ga.read(path)
    assert ga.read(path, columns={"category": "guideline"}).categories == ("v1", "v2")
    with pytest.raises(ga.InputError, match=repr({"layer": "guideline"}).replace("{", r"\{")):
        ga.read(path, columns={"category": None})


def test_other_keys_of_json_are_no_versions(tmp_path):
    frame = rows("round", ["1", "2"], jitter=0)
    for values in ([f"T{index}" for index in range(len(frame))], ["same"] * len(frame)):
        path = tmp_path / "spans.jsonl"
        frame.assign(round=values).to_json(path, orient="records", lines=True)
        assert ga.read(path).n_units == len(frame)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_without_annotators_the_column_that_tells_units_apart_may_name_them(suffix, tmp_path):
    frame = rows("round", ["1"]).drop(columns="round").rename(columns={"annotator": "who"})
    path = tmp_path / f"units{suffix}"
    if suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    corpus = ga.read(path)
    assert any(repr({"annotator": "who"}) in note for note in corpus.notes)
    assert ga.read(path, columns={"annotator": "who"}).annotators == ("ann", "bob")
    with pytest.raises(ga.InputError):  # no value is made of one annotator
        ga.gamma(corpus)


def test_versions_with_other_categories_are_asked_about_too(tmp_path):
    frame = rows("guideline", ["v1", "v2"])
    frame["category"] = frame.category.where(frame.guideline == "v1", frame.category + "2")
    with pytest.raises(ga.InputError, match="'guideline'"):
        ga.read(written(tmp_path, frame))


def test_several_categories_of_one_span_are_no_versions(tmp_path):
    frame = rows("attribute", ["a"])
    second = frame.iloc[::4].assign(category="z", attribute="b")
    assert ga.read(written(tmp_path, pd.concat([frame, second]))).n_units == len(frame) + len(second)


def test_a_table_in_memory_is_asked_about_too():
    frame = rows("guideline", ["v1", "v2"])
    for read in (ga.read, ga.Corpus.from_frame):
        with pytest.raises(ga.InputError, match="'guideline'"):
            read(frame)
    assert ga.read(frame.drop(columns="guideline")).n_units == len(frame)
    assert ga.read(frame[frame.guideline == "v2"]).n_units == len(frame) / 2


def test_a_folder_of_tables_and_parquet_are_asked_about_too(tmp_path):
    frame = rows("guideline", ["v1", "v2"])
    frame.to_parquet(tmp_path / "units.parquet")
    for path in (tmp_path / "units.parquet",):
        with pytest.raises(ga.InputError, match="'guideline'"):
            ga.read(path)
    folder = tmp_path / "folder"
    for annotator, part in frame.groupby("annotator"):
        (folder / annotator).mkdir(parents=True)
        written(folder / annotator, part.drop(columns=["annotator"]), "all.csv")
    with pytest.raises(ga.InputError, match="'guideline'"):
        ga.read(folder)
    assert ga.read(folder, columns={"layer": "guideline"}, layers="v1").n_units == len(frame) / 2


def test_validate_does_not_offer_to_delete_versions(tmp_path):
    report = ga.validate(written(tmp_path, rows("guideline", ["v1", "v2"], jitter=0)))
    assert any("'guideline'" in problem.cause for problem in report.problems)
    duplicates = next(finding for finding in report.findings if finding.name == "duplicates")
    assert duplicates.count > 0
    assert "duplicates" not in str(duplicates.cure)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(lambda index: f"T{index}", id="a name for each row"),
        pytest.param(lambda _: "same", id="one value"),
        pytest.param(lambda index: ("high", "low")[index % 2], id="a value that does not tell them apart"),
    ],
)
def test_other_columns_are_no_versions(values, tmp_path):
    frame = rows("round", ["1", "2"], jitter=0)
    frame["round"] = [values(index) for index in range(len(frame))]
    assert ga.read(written(tmp_path, frame)).n_units == len(frame)


def test_a_few_repeated_units_are_noted_with_the_column(tmp_path):
    frame = rows("shift", ["day"], n=40)
    night = frame.iloc[[3]].assign(shift="night")
    corpus = ga.read(written(tmp_path, pd.concat([frame, night])))
    assert any("'shift'" in note for note in corpus.notes)
    duplicates = next(
        f for f in ga.validate(written(tmp_path, pd.concat([frame, night]))).findings if f.name == "duplicates"
    )
    assert "fix" not in str(duplicates.cure)


def test_repeated_units_are_said_by_each_measure():
    units = [("d", name, start, start + 4, "x") for name in ("ann", "bob") for start in range(0, 50, 5)]
    corpus = ga.Corpus.from_records([*units, ("d", "ann", 0, 4, "x"), ("d", "ann", 5, 9, "x")])
    for result in (ga.gamma(corpus), ga.pairwise_f1(corpus)):
        assert any("2 units" in note and "'ann'" in note for note in result.notes)
    assert not any("twice" in note for note in ga.gamma(ga.Corpus.from_records(units)).notes)
