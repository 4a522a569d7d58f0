"""Batch: the canonical order depends on what was marked, never on rows or names."""

import numpy as np
import pytest
from both_kernels import by_each_kind
from hypothesis import given
from hypothesis import strategies as st

from gamma_align import Corpus
from gamma_align.columns import ranges
from gamma_align.data.batch import Batch, canonical_annotators

NAMES = ["ann", "bob", "cy", "dee", "eve"]
RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["d1", "d2"]),
        st.sampled_from(NAMES),
        st.integers(0, 3),
        st.integers(3, 5),
        st.sampled_from([None, "x", "y"]),
    ),
    max_size=24,
)


def built(records, names=NAMES):
    annotations = [(document, name) for document in ("d1", "d2") for name in names]
    return Corpus.from_records(records, annotations=annotations, documents=["d1", "d2"])


def columns(batch):
    return {name: getattr(batch, name).tolist() for name in Batch.__dataclass_fields__}


@given(RECORDS, st.randoms(use_true_random=False))
def test_row_order_gives_the_same_batch(records, random):
    shuffled = random.sample(records, len(records))
    assert columns(Batch.from_corpus(built(shuffled))[0]) == columns(Batch.from_corpus(built(records))[0])


@given(RECORDS, st.permutations(NAMES))
def test_renaming_annotators_gives_the_same_batch(records, names):
    new = dict(zip(NAMES, names, strict=True))
    renamed = [(document, new[name], *bounds) for document, name, *bounds in records]
    assert columns(Batch.from_corpus(built(renamed))[0]) == columns(Batch.from_corpus(built(records))[0])


def test_renaming_annotators_that_differ_only_in_the_middle_gives_the_same_batch():
    ends = [("d", annotator, start, start + 1) for annotator in "ab" for start in (0, 10)]
    original = Corpus.from_records([*ends, ("d", "a", 4, 5), ("d", "b", 6, 7)])
    renamed = Corpus.from_records([*ends, ("d", "b", 4, 5), ("d", "a", 6, 7)])
    first, second = Batch.from_corpus(original)[0], Batch.from_corpus(renamed)[0]
    assert columns(first) == columns(second)
    assert first.annotator.tolist() == [0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize("categories", [("x", "y"), ("y", "x")])
def test_renaming_annotators_that_differ_only_in_category_gives_the_same_batch(categories):
    first, second = categories
    corpus = Corpus.from_records([("d", "a", 0, 1, first), ("d", "b", 0, 1, second)])
    assert Batch.from_corpus(corpus)[0].category.tolist() == [0, 1]


@given(RECORDS, st.sampled_from([0.5, 2, 8]), st.integers(-9, 9))
def test_translation_and_scale_keep_the_order(records, scale, shift):
    moved = [(*names, start * scale + shift, end * scale + shift, c) for *names, start, end, c in records]
    batch, moved_batch = Batch.from_corpus(built(records))[0], Batch.from_corpus(built(moved))[0]
    assert moved_batch.annotator.tolist() == batch.annotator.tolist()
    assert moved_batch.start.tolist() == [start * scale + shift for start in batch.start.tolist()]


@given(RECORDS)
def test_units_are_in_canonical_order_with_their_rows(records):
    corpus = built(records)
    batch, rows = Batch.from_corpus(corpus)
    keys = list(
        zip(
            *(getattr(batch, n).tolist() for n in ("instance", "start", "end", "annotator", "category")),
            strict=True,
        )
    )
    assert keys == sorted(keys)
    assert sorted(rows.tolist()) == list(range(corpus.n_units))
    assert batch.end.tolist() == corpus.end[rows].tolist()
    assert batch.category.tolist() == corpus.category[rows].tolist()
    assert batch.annotator.tolist() == canonical_annotators(corpus)[rows].tolist()
    assert batch.offsets.tolist() == corpus.unit_offsets.tolist()
    assert batch.n_annotators.tolist() == [5, 5]


@given(RECORDS)
def test_canonical_numbers_are_one_to_one_with_annotators(records):
    corpus = built(records)
    document = corpus.unit_document
    numbers = canonical_annotators(corpus)
    triples = set(zip(document.tolist(), corpus.annotator.tolist(), numbers.tolist(), strict=True))
    assert len({(d, name) for d, name, _ in triples}) == len({(d, number) for d, _, number in triples}) == len(triples)


def test_annotators_are_ordered_by_first_unit_last_unit_and_count():
    records = [
        ("d", "z", 0, 1),
        ("d", "z", 5, 6),
        ("d", "y", 0, 1),
        ("d", "y", 2, 3),
        ("d", "y", 5, 6),
        ("d", "x", 0, 2),
        ("d", "w", 0, 1),
        ("d", "w", 4, 6),
    ]
    corpus = Corpus.from_records(records, annotations=[("d", name) for name in "vwxyz"])
    numbers = dict(
        zip((corpus.annotators[code] for code in corpus.annotator), canonical_annotators(corpus), strict=True)
    )
    assert numbers == {"w": 0, "z": 1, "y": 2, "x": 3}
    assert Batch.from_corpus(corpus)[0].n_annotators.tolist() == [5]


def test_mean_units_includes_annotators_without_units_and_is_nan_without_annotators():
    corpus = Corpus.from_records(
        [("d", "a", 0, 1), ("d", "a", 1, 2), ("d", "b", 0, 1)],
        annotations=[("d", "a"), ("d", "b"), ("d", "c"), ("e", "a")],
        documents=["f"],
    )
    np.testing.assert_array_equal(Batch.from_corpus(corpus)[0].mean_units, [1, 0, np.nan])


@given(RECORDS, st.lists(st.integers(0, 1), max_size=5))
def test_take_returns_the_instances_in_the_order_of_the_index(records, index):
    batch = Batch.from_corpus(built(records))[0]
    taken = batch.take(np.array(index, dtype=np.int64))
    assert len(taken) == len(index)
    for row, instance in enumerate(index):
        taken_units = slice(taken.offsets[row], taken.offsets[row + 1])
        units = slice(batch.offsets[instance], batch.offsets[instance + 1])
        assert set(taken.instance[taken_units].tolist()) <= {row}
        for name in ("annotator", "start", "end", "category"):
            assert getattr(taken, name)[taken_units].tolist() == getattr(batch, name)[units].tolist()
    assert taken.n_units == taken.offsets[-1]
    assert taken.n_annotators.tolist() == [5] * len(index)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 6)), max_size=8))
def test_ranges_equal_their_definition(pairs):
    first, counts = (np.array([pair[at] for pair in pairs], dtype=np.int64) for at in (0, 1))
    assert ranges(first, counts).tolist() == [n for low, count in pairs for n in range(low, low + count)]


def test_batch_of_no_documents():
    batch, rows = Batch.from_corpus(Corpus.from_records([]))
    assert (len(batch), batch.n_units, rows.tolist(), batch.offsets.tolist()) == (0, 0, [], [0])


@by_each_kind
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 5), max_size=40))
def test_rows_are_sorted_by_all_keys(rows):
    for given_rows in (rows, sorted(rows)):
        instance, start, end, annotator, category = np.array(given_rows, dtype=np.int64).reshape(-1, 5).T
        batch, order = Batch.build(
            np.full(3, 3), instance, annotator, start.astype(np.float64), end.astype(np.float64), category
        )
        sorted_rows = zip(batch.instance, batch.start, batch.end, batch.annotator, batch.category, order, strict=True)
        assert list(sorted_rows) == sorted((*row, number) for number, row in enumerate(given_rows))
