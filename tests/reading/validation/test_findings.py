"""What validating counts, against the definitions written out unit by unit; what repairs change, and nothing else."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import InputError, Location, SettingsError
from gamma_align.reading.marks.seconds import TOLERANCE
from gamma_align.reading.validation import findings as checks
from gamma_align.reading.validation.columns import UnitColumns
from gamma_align.reading.validation.repairs import DESCRIPTIONS, REPAIRS, repaired
from gamma_align.reading.validation.validate import validate

BOUND = st.one_of(
    st.integers(0, 6).map(float), st.sampled_from([1 + 2e-7, 2 - 3e-6, 2 + TOLERANCE / 2, 3 + 2e-5, 4 - 2 * TOLERANCE])
)
UNIT = st.tuples(
    st.sampled_from(["d", "e"]), st.sampled_from(["Ann", "Bob", "Cy"]), st.sampled_from(["", "L"]), BOUND, BOUND,
    st.sampled_from([None, "x", "X", "x ", "y", ""]),
)  # fmt: skip


def columns(units, extents=((0, 5), (np.nan, np.nan)), seen=()):
    """Return (document, annotator, layer, start, end, category) tuples as columns, rows named by their number."""
    documents, annotators, layers, labels = ("d", "e"), ("Ann", "Bob", "Cy"), ("", "L"), ("", "X", "x", "x ", "y")
    code = {name: {label: at for at, label in enumerate(names)} for name, names in
            (("document", documents), ("annotator", annotators), ("layer", layers), ("label", labels))}  # fmt: skip
    rows = [
        (code["document"][d], code["annotator"][a], code["layer"][y], -1 if c is None else code["label"][c])
        for d, a, y, _, _, c in units
    ]
    codes = np.array(rows, dtype=np.int64).reshape(-1, 4)
    pairs = {(d, a) for d, a, _, _ in rows} | {(code["document"][d], code["annotator"][a]) for d, a in seen}
    return UnitColumns(
        documents, annotators, layers, labels, codes[:, 0], codes[:, 1], codes[:, 2], codes[:, 3],
        np.array([u[3] for u in units], dtype=np.float64), np.array([u[4] for u in units], dtype=np.float64),
        np.arange(len(units)), lambda row: Location("f", row + 1),
        np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2), np.array(extents, dtype=np.float64),
    )  # fmt: skip


def ordered(units):
    return [(d, a, y, min(s, e), max(s, e), c) for d, a, y, s, e, c in units]


UNITS = st.lists(UNIT, max_size=12).map(ordered)


def finding(found, name):
    (one,) = [each for each in checks.findings(found) if each.name == name]
    return one


def indices(mask):
    return np.flatnonzero(mask).tolist()


@given(UNITS)
def test_units_that_overlap(units):
    expected = [
        at
        for at, one in enumerate(units)
        if any(
            one[:3] == other[:3] and min(one[4], other[4]) > max(one[3], other[3])
            for k, other in enumerate(units)
            if k != at
        )
    ]
    assert indices(checks.overlapping(columns(units))) == expected


@given(UNITS)
def test_units_that_are_there_before(units):
    assert indices(checks.repeated(columns(units))) == [at for at, one in enumerate(units) if one in units[:at]]


@given(UNITS)
def test_ends_beside_a_start(units):
    nearest, adjacent = checks.nearest_starts(columns(units))
    for at, one in enumerate(units):
        starts = [other[3] for other in units if other[:3] == one[:3]]
        best = min(abs(start - one[4]) for start in starts)
        assert abs(nearest[at] - one[4]) == best
        near = 0 < best < TOLERANCE
        assert adjacent[at] == (near and nearest[at] > one[3])


@given(UNITS)
def test_units_outside_and_without_length(units):
    found = columns(units)
    assert indices(checks.outside(found)) == [at for at, u in enumerate(units) if u[0] == "d" and u[4] > 5]
    assert finding(found, "zero-length").count == sum(u[3] == u[4] for u in units)


@given(UNITS, st.lists(st.tuples(st.sampled_from(["d", "e"]), st.sampled_from(["Ann", "Bob", "Cy"]))))
def test_annotators_without_units(units, seen):
    void = {pair for pair in seen if not any(u[:2] == pair for u in units)}
    found = finding(columns(units, seen=seen), "without-units")
    assert found.count == len(void)
    assert set(found.places) <= {f"document {d!r}, annotator {a!r}" for d, a in void}


@given(UNITS)
def test_documents_of_one_annotator(units):
    people = {d: {u[1] for u in units if u[0] == d} for d in ("d", "e")}
    assert finding(columns(units), "one-annotator").count == sum(len(found) < 2 for found in people.values())


@given(UNITS)
def test_spellings(units):
    count = {label: sum(u[5] == label for u in units) for label in ("x", "X")}
    moved = checks.spellings(columns(units), str.casefold)
    if not all(count.values()):
        assert moved == {}
    else:  # as frequent: the one that sorts first
        assert moved == ({1: 2} if count["x"] > count["X"] else {2: 1})


@given(UNITS)
def test_groups_without_a_category_in_common(units):
    used = {name: {u[5] for u in units if u[1] == name and u[5] is not None} for name in ("Ann", "Bob", "Cy")}
    groups = []
    for name, labels in used.items():
        if labels:
            joined = [group for group in groups if any(used[other] & labels for other in group)]
            groups = [group for group in groups if group not in joined] + [{name}.union(*joined)]
    groups_of = checks.alphabets(columns(units).annotator, columns(units).label)
    found = [{("Ann", "Bob", "Cy")[code] for code in group} for group in groups_of]
    assert sorted(map(sorted, found)) == sorted(map(sorted, groups))
    assert finding(columns(units), "alphabets").count == (len(groups) if len(groups) > 1 else 0)


def test_names_alike():
    path = CORPORA / "btc_crowd"
    assert finding(validate(path).columns, "names").count == 0
    rows = [("d 1", "Ann", 0, 1), ("D1", "ann ", 0, 1), ("d2", "Bob", 0, 1)]
    corpus = ga.Corpus.from_records(rows)
    found = columns([])
    names = dataclasses.replace(
        found,
        documents=corpus.documents,
        annotators=corpus.annotators,
        seen=np.stack([np.repeat(np.arange(3), corpus.n_annotators), corpus.seen], axis=1),
    )
    assert finding(names, "names").places == ("annotator 'ann ' and 'Ann'", "document 'd 1' and 'D1'")


def test_nothing_is_found_in_nothing():
    found = checks.findings(columns([]))
    assert {each.name: each.count for each in found if each.count} == {"one-annotator": 2}


def test_a_finding_tells_the_first_places():
    units = [("d", "Ann", "", 1, 2, "x")] * 5
    found = finding(columns(units), "duplicates")
    assert found.count == 4
    assert found.places == tuple(
        f"f, line {line}: document 'd', annotator 'Ann', unit [1, 2] 'x'" for line in (2, 3, 4)
    )


# --- real data: what FORMATS counted of them, and others did (the numbers of each corpus's publication or README) ---


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("toxic_spans", {"duplicates": 65, "zero-length": 0, "past-end": 92, "blanks": 1, "alphabets": 0}),
        ("salami", {"duplicates": 0, "zero-length": 2, "past-end": 0, "one-annotator": 475}),
        ("ami_diarization", {"duplicates": 0, "past-end": 3, "alphabets": 2, "without-units": 0}),
        ("btc_crowd", {"duplicates": 0, "past-end": 0, "without-units": 5197}),
        ("llm_span_d2t_iaa", {"duplicates": 1, "past-end": 0}),
    ],
)
def test_counts_of_real_corpora(name, counts):
    found = {each.name: each.count for each in validate(CORPORA / name).findings}
    assert {check: found[check] for check in counts} == counts


# --- repairs ---


def rows_of(found):
    names = zip(
        found.document.tolist(), found.annotator.tolist(), found.layer.tolist(), found.start.tolist(),
        found.end.tolist(), found.label.tolist(), strict=True,
    )  # fmt: skip
    return [
        (found.documents[d], found.annotators[a], found.layers[y], s, e, None if c < 0 else found.labels[c])
        for d, a, y, s, e, c in names
    ]


@given(UNITS)
def test_each_repair_changes_what_it_says_and_leaves_nothing_of_it(units):
    for name in REPAIRS:
        after, done = repaired(columns(units), [name])
        assert finding(after, name).count == 0
        still = dict(zip(after.row.tolist(), rows_of(after), strict=True))
        changed = [row for row, unit in enumerate(rows_of(columns(units))) if still.get(row) != unit]
        assert sum(each.count for each in done) == len(changed)
        assert {each.name for each in done} == {name}
        again, none = repaired(after, [name])
        assert rows_of(again) == rows_of(after)
        assert sum(each.count for each in none) == 0


@given(UNITS)
def test_no_repair_no_change(units):
    after, done = repaired(columns(units), [])
    assert rows_of(after) == rows_of(columns(units))
    assert done == []


@given(UNITS)
def test_all_repairs_leave_units_that_can_be_measured(units):
    after, _ = repaired(columns(units), DESCRIPTIONS)
    counts = {each.name: each.count for each in checks.findings(after)}
    assert {name: counts[name] for name in REPAIRS} == dict.fromkeys(REPAIRS, 0)
    assert sorted(set(rows_of(after)), key=repr) == sorted(rows_of(after), key=repr)
    assert after.corpus().n_units == len(after)


def test_each_repair_on_a_unit_of_its_own():
    units = [
        ("d", "Ann", "", 0, 1, "x "),
        ("d", "Ann", "", 1, 2 - 3e-6, "x"),
        ("d", "Ann", "", 2, 2, "X"),
        ("d", "Ann", "", 2, 3, "x"),
        ("d", "Ann", "", 2, 3, "x"),
        ("d", "Bob", "", 4, 6, "y"),
        ("d", "Bob", "", 6, 6, "y"),
        ("e", "Bob", "", 4, 6, None),
    ]
    after, done = repaired(columns(units), DESCRIPTIONS)
    assert rows_of(after) == [
        ("d", "Ann", "", 0, 1, "x"),
        ("d", "Ann", "", 1, 2, "x"),
        ("d", "Ann", "", 2, 3, "x"),
        ("d", "Bob", "", 4, 5, "y"),
        ("e", "Bob", "", 4, 6, None),
    ]
    assert [(each.name, each.count) for each in done] == [
        ("blanks", 1),
        ("case", 1),
        ("adjacency", 1),
        ("past-end", 1),
        ("past-end", 1),
        ("zero-length", 1),
        ("duplicates", 1),
    ]
    assert done[2].places == ("f, line 2: document 'd', annotator 'Ann', unit [1, 1.999997] 'x'",)


def test_what_a_repair_leaves_behind_is_there_for_the_next():
    units = [("d", "Ann", "", 1, 5, "x"), ("d", "Ann", "", 1, 7, "x ")]
    after, _ = repaired(columns(units), ["duplicates", "past-end", "blanks"])
    assert rows_of(after) == [("d", "Ann", "", 1, 5, "x")]


def test_who_marked_nothing_after_a_repair_saw_the_document_all_the_same():
    after, _ = repaired(columns([("d", "Ann", "", 1, 1, "x"), ("d", "Bob", "", 1, 2, "x")]), ["zero-length"])
    corpus = after.corpus()
    assert corpus["d"].annotators == ("Ann", "Bob")
    assert corpus["d"].extent == (0, 5)


def test_a_repair_that_there_is_not():
    with pytest.raises(SettingsError, match="no repair 'everything'; there are swapped-bounds, blanks, case"):
        repaired(columns([]), ["everything"])


def test_units_outside_are_refused_as_reading_does():
    with pytest.raises(InputError, match="f, line 1: document 'd'"):
        columns([("d", "Ann", "", 4, 6, "x")]).corpus()
    assert columns([("d", "Ann", "", 4, 6, "x")]).corpus(outside="extend")["d"].extent == (0, 6)


def test_columns_of_a_real_corpus_make_the_corpus_that_is_read():
    for name in ("novels_ner", "salami", "btc_crowd"):
        made, read = validate(CORPORA / name).columns.corpus(), ga.read(CORPORA / name)
        for field in ("documents", "annotators", "categories", "length_unit"):
            assert getattr(made, field) == getattr(read, field)
        for field in ("seen_offsets", "seen", "unit_offsets", "annotator", "start", "end", "category", "extents"):
            np.testing.assert_array_equal(getattr(made, field), getattr(read, field))
