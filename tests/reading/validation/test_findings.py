"""Findings equal their definitions, written out unit by unit; repairs change the units they name and no others."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import PYTHON, InputError, Location, SettingsError
from gamma_align.reading.marks.seconds import TOLERANCE
from gamma_align.reading.options import REPAIR_DESCRIPTIONS
from gamma_align.reading.validation import findings as checks
from gamma_align.reading.validation.columns import UnitColumns
from gamma_align.reading.validation.repairs import REPAIRS, repaired
from gamma_align.reading.validation.validate import validate
from gamma_align.requests.shell import COMMAND_LINE

BOUND = st.one_of(
    st.integers(0, 6).map(float), st.sampled_from([1 + 2e-7, 2 - 3e-6, 2 + TOLERANCE / 2, 3 + 2e-5, 4 - 2 * TOLERANCE])
)
UNIT = st.tuples(
    st.sampled_from(["d", "e"]), st.sampled_from(["Ann", "Bob", "Cy"]), st.sampled_from(["", "L"]), BOUND, BOUND,
    st.sampled_from([None, "x", "X", "x ", "y", ""]),
)  # fmt: skip


DOCUMENTS, ANNOTATORS, LAYERS, LABELS = ("d", "e"), ("Ann", "Bob", "Cy"), ("", "L"), ("", "X", "x", "x ", "y")


def make_columns(units, extents=((0, 5), (np.nan, np.nan)), seen=()):
    """Return (document, annotator, layer, start, end, category) tuples as columns, each in a line of its own."""
    codes = np.array(
        [
            (DOCUMENTS.index(d), ANNOTATORS.index(a), LAYERS.index(y), -1 if c is None else LABELS.index(c))
            for d, a, y, _, _, c in units
        ],
        dtype=np.int64,
    ).reshape(-1, 4)
    pairs = {*map(tuple, codes[:, :2].tolist()), *((DOCUMENTS.index(d), ANNOTATORS.index(a)) for d, a in seen)}
    bounds = np.array([unit[3:5] for unit in units], dtype=np.float64).reshape(-1, 2)
    return UnitColumns(
        DOCUMENTS, ANNOTATORS, LAYERS, LABELS, codes[:, 0], codes[:, 1], codes[:, 2], codes[:, 3],
        bounds[:, 0], bounds[:, 1],
        np.arange(len(units)), lambda row: Location("f", row + 1),
        np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2), np.array(extents, dtype=np.float64),
    )  # fmt: skip


def with_bounds_in_order(units):
    return [(d, a, y, min(s, e), max(s, e), c) for d, a, y, s, e, c in units]


UNITS = st.lists(UNIT, max_size=12).map(with_bounds_in_order)


def finding_of(columns, name):
    (finding,) = [finding for finding in checks.findings(columns) if finding.name == name]
    return finding


def counts_of(columns):
    return {finding.name: finding.count for finding in checks.findings(columns)}


def indices(mask):
    return np.flatnonzero(mask).tolist()


def overlap(one, other):
    return one[:3] == other[:3] and min(one[4], other[4]) > max(one[3], other[3])


@given(UNITS)
def test_overlapping_units_share_length_with_another_unit_of_their_owner(units):
    expected = [
        index
        for index, unit in enumerate(units)
        if any(overlap(unit, other) for other in [*units[:index], *units[index + 1 :]])
    ]
    assert indices(checks.overlapping(make_columns(units))) == expected


@given(UNITS)
def test_repeated_units_equal_an_earlier_one(units):
    repeated = checks.repeated(make_columns(units))
    assert indices(repeated) == [index for index, unit in enumerate(units) if unit in units[:index]]


@given(UNITS)
def test_an_end_is_adjacent_to_the_nearest_start_within_the_tolerance(units):
    nearest, is_adjacent = checks.nearest_starts(make_columns(units))
    for index, unit in enumerate(units):
        starts = [other[3] for other in units if other[:3] == unit[:3]]
        gap = min(abs(start - unit[4]) for start in starts)
        assert abs(nearest[index] - unit[4]) == gap
        assert is_adjacent[index] == (0 < gap < TOLERANCE and nearest[index] > unit[3])


@given(UNITS)
def test_units_outside_the_extent_and_units_without_length_are_counted(units):
    columns = make_columns(units)
    assert indices(checks.outside(columns)) == [
        index for index, unit in enumerate(units) if unit[0] == "d" and unit[4] > 5
    ]
    assert finding_of(columns, "zero-length").count == sum(unit[3] == unit[4] for unit in units)


@given(UNITS, st.lists(st.tuples(st.sampled_from(["d", "e"]), st.sampled_from(["Ann", "Bob", "Cy"]))))
def test_annotators_who_marked_nothing_are_counted(units, seen):
    pairs_without_units = {pair for pair in seen if not any(unit[:2] == pair for unit in units)}
    finding = finding_of(make_columns(units, seen=seen), "without-units")
    assert finding.count == len(pairs_without_units)
    assert set(finding.places) <= {f"document {d!r}, annotator {a!r}" for d, a in pairs_without_units}


@given(UNITS)
def test_documents_of_one_annotator_are_counted(units):
    annotators = {document: {unit[1] for unit in units if unit[0] == document} for document in DOCUMENTS}
    count = finding_of(make_columns(units), "one-annotator").count
    assert count == sum(len(names) < 2 for names in annotators.values())


@given(UNITS)
def test_the_most_frequent_spelling_replaces_the_other(units):
    counts = {label: sum(unit[5] == label for unit in units) for label in ("x", "X")}
    expected = {}
    if all(counts.values()):  # of equally frequent spellings, the first in order is taken
        expected = {1: 2} if counts["x"] > counts["X"] else {2: 1}
    assert checks.spellings(make_columns(units), str.casefold) == expected


@given(UNITS)
def test_annotators_are_grouped_by_common_categories(units):
    used = {name: {unit[5] for unit in units if unit[1] == name} - {None} for name in ANNOTATORS}
    groups = []
    for name, labels in used.items():
        if labels:
            joined = [group for group in groups if any(used[other] & labels for other in group)]
            groups = [group for group in groups if group not in joined] + [{name}.union(*joined)]
    columns = make_columns(units)
    computed = [{ANNOTATORS[code] for code in group} for group in checks.alphabets(columns.annotator, columns.label)]
    assert sorted(map(sorted, computed)) == sorted(map(sorted, groups))
    assert finding_of(columns, "alphabets").count == (len(groups) if len(groups) > 1 else 0)


def test_names_that_differ_in_case_or_blanks_are_found():
    rows = [("d 1", "Ann", 0, 1), ("D1", "ann ", 0, 1), ("d2", "Bob", 0, 1)]
    corpus = ga.Corpus.from_records(rows)
    columns = dataclasses.replace(
        make_columns([]),
        documents=corpus.documents,
        annotators=corpus.annotators,
        seen=np.stack([np.repeat(np.arange(3), corpus.n_annotators), corpus.seen], axis=1),
    )
    assert finding_of(columns, "names").places == ("annotator 'ann ' and 'Ann'", "document 'd 1' and 'D1'")


def test_names_of_a_real_corpus_are_different():
    assert finding_of(validate(CORPORA / "btc_crowd").columns, "names").count == 0


def test_data_without_units_have_only_documents_of_one_annotator():
    counts = counts_of(make_columns([]))
    assert {name: count for name, count in counts.items() if count} == {"one-annotator": 2}


def test_a_finding_lists_its_first_places():
    finding = finding_of(make_columns([("d", "Ann", "", 1, 2, "x")] * 5), "duplicates")
    assert finding.count == 4
    assert finding.places == tuple(
        f"f, line {line}: document 'd', annotator 'Ann', unit [1, 2] 'x'" for line in (2, 3, 4)
    )


def test_the_cure_of_a_finding_names_options_in_the_language_of_the_surface():
    cure = finding_of(make_columns([]), "spelling").cure
    assert cure.render(PYTHON) == (
        "take the more frequent one (ga.validate(path).fix('spelling')), or choose one with labels={'one': 'other'}"
    )
    assert cure.render(COMMAND_LINE) == (
        "take the more frequent one (gamma-align validate --fix spelling), or choose one with --labels one=other"
    )


# --- real data: counts by separate scripts, or by the publication or README of the corpus ---


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("toxic_spans", {"duplicates": 65, "zero-length": 0, "past-end": 92, "blanks": 1, "alphabets": 0}),
        ("salami", {"duplicates": 0, "zero-length": 2, "past-end": 0, "one-annotator": 475}),
        ("ami_diarization", {"duplicates": 0, "past-end": 3, "alphabets": 2, "without-units": 0}),
        ("btc_crowd", {"duplicates": 0, "past-end": 0, "without-units": 5197}),
        ("llm_span_d2t_iaa", {"duplicates": 1, "past-end": 0}),
    ],
)
def test_findings_of_real_corpora_equal_independent_counts(name, expected):
    counts = {finding.name: finding.count for finding in validate(CORPORA / name).findings}
    assert {check: counts[check] for check in expected} == expected


# --- repairs ---


def rows_of(columns):
    names = zip(
        columns.document.tolist(), columns.annotator.tolist(), columns.layer.tolist(), columns.start.tolist(),
        columns.end.tolist(), columns.label.tolist(), strict=True,
    )  # fmt: skip
    return [
        (columns.documents[d], columns.annotators[a], columns.layers[y], s, e, None if c < 0 else columns.labels[c])
        for d, a, y, s, e, c in names
    ]


@pytest.mark.parametrize("name", REPAIRS)
@given(units=UNITS)
def test_a_repair_reports_all_its_changes_and_leaves_nothing_to_repair(name, units):
    columns = make_columns(units)
    after, changes = repaired(columns, [name])
    assert finding_of(after, name).count == 0
    remaining = dict(zip(after.row.tolist(), rows_of(after), strict=True))
    changed = [row for row, unit in enumerate(rows_of(columns)) if remaining.get(row) != unit]
    assert sum(change.count for change in changes) == len(changed)
    assert {change.name for change in changes} == {name}
    repaired_twice, second_changes = repaired(after, [name])
    assert rows_of(repaired_twice) == rows_of(after)
    assert sum(change.count for change in second_changes) == 0


@given(UNITS)
def test_units_are_unchanged_without_repairs(units):
    after, changes = repaired(make_columns(units), [])
    assert rows_of(after) == rows_of(make_columns(units))
    assert changes == []


@given(UNITS)
def test_all_repairs_together_leave_measurable_units(units):
    after, _ = repaired(make_columns(units), REPAIR_DESCRIPTIONS)
    counts = counts_of(after)
    assert {name: counts[name] for name in REPAIRS} == dict.fromkeys(REPAIRS, 0)
    assert sorted(set(rows_of(after)), key=repr) == sorted(rows_of(after), key=repr)
    assert after.corpus().n_units == len(after)


def test_each_repair_changes_the_unit_that_needs_it():
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
    after, changes = repaired(make_columns(units), REPAIR_DESCRIPTIONS)
    assert rows_of(after) == [
        ("d", "Ann", "", 0, 1, "x"),
        ("d", "Ann", "", 1, 2, "x"),
        ("d", "Ann", "", 2, 3, "x"),
        ("d", "Bob", "", 4, 5, "y"),
        ("e", "Bob", "", 4, 6, None),
    ]
    assert [(change.name, change.count) for change in changes] == [
        ("blanks", 1),
        ("spelling", 1),
        ("adjacency", 1),
        ("past-end", 1),
        ("past-end", 1),
        ("zero-length", 1),
        ("duplicates", 1),
    ]
    assert changes[2].places == ("f, line 2: document 'd', annotator 'Ann', unit [1, 1.999997] 'x'",)


def test_repairs_apply_to_the_results_of_earlier_repairs():
    units = [("d", "Ann", "", 1, 5, "x"), ("d", "Ann", "", 1, 7, "x ")]
    after, _ = repaired(make_columns(units), ["duplicates", "past-end", "blanks"])
    assert rows_of(after) == [("d", "Ann", "", 1, 5, "x")]


def test_an_annotator_whose_units_a_repair_drops_still_saw_the_document():
    after, _ = repaired(make_columns([("d", "Ann", "", 1, 1, "x"), ("d", "Bob", "", 1, 2, "x")]), ["zero-length"])
    corpus = after.corpus()
    assert corpus["d"].annotators == ("Ann", "Bob")
    assert corpus["d"].extent == (0, 5)


def test_unknown_repair_is_refused_with_the_list_of_repairs():
    with pytest.raises(SettingsError, match="no repair 'everything'; choose from swapped-bounds, blanks, spelling"):
        repaired(make_columns([]), ["everything"])


def test_a_corpus_of_units_outside_their_extent_is_refused():
    with pytest.raises(InputError, match="f, line 1: document 'd'"):
        make_columns([("d", "Ann", "", 4, 6, "x")]).corpus()
    assert make_columns([("d", "Ann", "", 4, 6, "x")]).corpus(outside="extend")["d"].extent == (0, 6)


@pytest.mark.parametrize("name", ["novels_ner", "salami", "btc_crowd"])
def test_columns_of_real_corpora_make_the_corpora_that_read_returns(name):
    corpus, read = validate(CORPORA / name).columns.corpus(), ga.read(CORPORA / name)
    for field in ("documents", "annotators", "categories", "length_unit"):
        assert getattr(corpus, field) == getattr(read, field)
    for field in ("seen_offsets", "seen", "unit_offsets", "annotator", "start", "end", "category", "extents"):
        np.testing.assert_array_equal(getattr(corpus, field), getattr(read, field))


STARTS = [3, 11, 26, 31, 47, 58, 74, 79, 95]


def units_of_two(change):
    """Return units of two annotators, those of the second one changed by a function."""
    first = [("e", "Ann", "", start, start + 2 + start % 3, "x") for start in STARTS]
    second = [("e", "Bob", "", change(start), change(start + 2 + start % 3), "x") for start in STARTS]
    return [*first, *second]


@pytest.mark.parametrize(
    ("change", "name", "place"),
    [
        (lambda position: 1000 * position, "scale", "Positions of Bob are "),
        (lambda position: position + 5, "offset", "In e, the units of "),
    ],
)
def test_positions_in_another_unit_or_moved_by_a_constant_are_found_without_an_alignment(change, name, place):
    columns = make_columns(units_of_two(change))
    assert finding_of(columns, name).count == 1
    assert finding_of(columns, name).places[0].startswith(place)
    other = "offset" if name == "scale" else "scale"
    assert finding_of(columns, other).count == 0
    same = make_columns(units_of_two(lambda position: position))
    assert finding_of(same, name).count == 0
