"""Overlaps by chance: the exact moments against all samples of small lattices, drawn samples, and cases by hand."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import oracles
import pytest
from all_shifts import all_offsets
from both_kernels import by_each_kind

import gamma_align as ga
from gamma_align.alignment.solve import solve
from gamma_align.chance import overlaps
from gamma_align.chance.aligned_sums import statistics, weighted_pairs
from gamma_align.chance.overlaps import can_compute_overlaps, expected_overlaps, overlap_sums
from gamma_align.chance.sampler import ShiftSampler
from gamma_align.data.batch import Batch
from gamma_align.measures.gamma.gamma_settings import GammaSettings

NOMINAL = ga.Dissimilarity()
ORDINAL = ga.Dissimilarity(categorial=ga.Ordinal(order=["x", "y", "z"]))
WEIGHTED = {"dissimilarity": ga.Dissimilarity(alpha=3.0), "confidence": "weighted"}
WIDE = {"dissimilarity": ga.Dissimilarity(alpha=0.5), "confidence": "weighted"}


def make_corpus(rows, *, span, low=0.0, empty=0):
    """Return a corpus of one document; `rows` has (start, end, category) of each annotator, `empty` more have none."""
    names = [f"a{number}" for number in range(len(rows) + empty)]
    units = [
        ("d", name, low + start, low + end, label)
        for name, row in zip(names, rows, strict=False)
        for start, end, label in row
    ]
    pairs = [("d", name) for name in names]
    return ga.Corpus.from_records(units, annotations=pairs, extents={"d": (low, low + span)})


def random_corpus(n_documents, n_annotators, span, *, seed, integer=True, longest=10, empty=0, points=True, low=0.0):
    """Return documents of one to three units of each annotator but `empty` ones; a tenth has no label."""
    rng = np.random.default_rng(seed)
    units, pairs, extents = [], [], {}
    for number in range(n_documents):
        document = f"d{number:04}"
        extents[document] = (low, low + span)
        pairs += [(document, f"a{annotator}") for annotator in range(n_annotators)]
        for annotator in range(empty, n_annotators):
            for _ in range(rng.integers(1, 4)):
                length = rng.integers(0 if points else 1, longest) * (1.0 if integer else rng.random())
                start = rng.random() * (span - length)
                start = low + (np.floor(start) if integer else start)
                label = None if rng.random() < 0.1 else str(rng.choice(["x", "y", "z"])) + ("!" if length > 5 else "")
                units.append((document, f"a{annotator}", start, start + length, label))
    return ga.Corpus.from_records(units, annotations=pairs, extents=extents)


def expected(corpus, *, dissimilarity=NOMINAL, confidence="positional", documents=None, **options):
    documents = np.arange(len(corpus)) if documents is None else np.array(documents)
    sampler = ShiftSampler(corpus, seed=0, **options)
    return expected_overlaps(corpus, sampler, documents, dissimilarity, confidence)


# ---------------------------------------------------------------------------------------------------------- by hand


def test_points_coincide_at_integer_offsets():
    # The least distance is 0, so the gap is uniform on 0 … 9. Half of the pairs of rows are of one annotator, who
    # coincides with the gap 0; the others coincide with the gap 5.
    moments = expected(make_corpus([[(0, 0, "x")], [(5, 5, "y")]], span=10))
    assert moments.documents.count == pytest.approx([1 / 10])
    assert moments.documents.mean == pytest.approx([1 / 2])
    assert moments.documents.variance == pytest.approx([1 / 4])


def test_points_of_real_offsets_never_coincide():
    moments = expected(make_corpus([[(0, 0, "x")], [(5, 5, "y")]], span=10), integer_offsets=False)
    assert moments.documents.count.tolist() == [0.0]


def test_units_that_the_offsets_keep_apart_cannot_overlap():
    moments = expected(make_corpus([[(0, 4, "x")], [(0, 4, "y")]], span=20))
    assert moments.documents.count.tolist() == [0.0]
    assert np.isnan(moments.documents.mean).tolist() == [True]
    assert moments.documents.variance.tolist() == [0.0]
    assert moments.categories.count.tolist() == [0.0, 0.0]


def test_units_of_one_category_have_no_variance():
    moments = expected(make_corpus([[(0, 4, "x"), (6, 9, "x")], [(5, 9, "x")]], span=20))
    assert moments.documents.count[0] > 0
    assert (moments.documents.mean.tolist(), moments.documents.variance.tolist()) == ([0.0], [0.0])


def test_real_offsets_that_fill_the_extent_leave_one_gap():
    # two rows are half the extent apart: units of different annotators then coincide, those of one only touch
    corpus = make_corpus([[(0, 0.35, "x")], [(0.35, 0.7, "y")]], span=0.7)
    moments = expected(corpus, integer_offsets=False)
    assert moments.documents.count == pytest.approx([0.5], abs=1e-12)
    assert moments.documents.mean == pytest.approx([1.0], abs=1e-12)
    sample = ShiftSampler(corpus, seed=0, integer_offsets=False).sample(np.zeros(500, dtype=np.int64), np.arange(500))
    sums = overlap_sums(sample, NOMINAL.bind(corpus.categories))
    assert set(sums.count.tolist()) == {0.0, 1.0}
    assert sums.count.mean() == pytest.approx(0.5, abs=0.1)


def test_all_units_of_an_extent_without_length_coincide():
    moments = expected(make_corpus([[(0, 0, "x"), (0, 0, "y")], [(0, 0, "x")]], span=0))
    # rows of a0 have 2 units, those of a1 one: 4, 2, 2 or 1 pairs
    assert moments.documents.count == pytest.approx([9 / 4])
    assert moments.documents.mean == pytest.approx([4 / 9])


def test_a_document_without_units_to_draw_has_no_overlaps():
    corpus = make_corpus([[(0, 4, "x")]], span=20, empty=2)
    moments = expected(corpus, chance_from=["a1"])
    assert (moments.documents.count.tolist(), moments.computed.tolist()) == ([0.0], [True])
    assert len(moments.document_k) == 0


# --------------------------------------------------------------------------------------- all samples of small lattices


def moved_rows(corpus, chance_from, distance):
    """Yield all samples of the only document, as rows of (start, end, category); those without units too."""
    low, high = corpus.extents[0].tolist()
    span, n_rows = int(high - low), int(corpus.n_annotators[0])
    drawn = [name for name in corpus.annotators if not chance_from or name in chance_from]
    units = [[u for u in corpus["d"].units() if u.annotator == name] for name in drawn]
    for offsets in all_offsets(n_rows, span, distance):
        for sources in itertools.product(units, repeat=n_rows):
            yield [
                [(low + (u.start - low + offset) % span, u.end - u.start, u.category) for u in source]
                for source, offset in zip(sources, offsets, strict=True)
            ]


def overlapping(first_row, second_row, factor, categorial):
    """Yield labels and distance of the overlapping units of two rows."""
    for (start, length, label), (second_start, second_length, second_label) in itertools.product(first_row, second_row):
        unit = (0, start, start + length, label)
        if (
            factor * oracles.positional_definition(unit, (1, second_start, second_start + second_length, second_label))
            < 1 - 1e-9
        ):
            yield {label, second_label} - {None}, categorial(label, second_label)


def moments_of_all_samples(corpus, dissimilarity, confidence, distance, chance_from=()):
    """Return (count, mean, variance) of the document, as entry None, and of each category, over all samples."""
    bound, codes = dissimilarity.bind(corpus.categories), {name: k for k, name in enumerate(corpus.categories)}
    factor = dissimilarity.alpha if confidence == "weighted" else 1.0

    def categorial(label, second_label):
        return float(bound.categorial(np.array([codes.get(label, -1)]), np.array([codes.get(second_label, -1)]))[0])

    distances, samples = defaultdict(list), 0
    for rows in moved_rows(corpus, chance_from, distance):
        samples += any(rows)
        for pair in itertools.combinations(rows, 2):
            for labels, apart in overlapping(*pair, factor, categorial):
                for label in (None, *labels):
                    distances[label].append(apart)
    return {label: (len(values) / samples, np.mean(values), np.var(values)) for label, values in distances.items()}


LATTICES = {
    "two": (make_corpus([[(0, 3, "x"), (4, 5, "y")], [(2, 6, "y")]], span=8), 3),
    "three": (make_corpus([[(0, 2, "x"), (2, 3, "z")], [(1, 3, "y")], [(4, 5, "x")]], span=7, low=-3.0), 2),
    "lowered": (make_corpus([[(0, 5, "x")], [(1, 6, "y"), (0, 6, "z")], [(2, 6, "x")]], span=7), 2),
    "points": (make_corpus([[(0, 0, "x"), (3, 6, "x")], [(0, 0, "y"), (6, 6, "y"), (2, 3, None)]], span=6), 1),
    "empty": (make_corpus([[(0, 3, "x"), (2, 5, "y")]], span=7, empty=2), 2),
    "overlapping units of one annotator": (make_corpus([[(0, 4, "x"), (1, 3, "y"), (1, 3, "x")], []], span=8), 3),
    "unlabelled": (make_corpus([[(0, 3, None), (4, 5, "y")], [(2, 6, None)]], span=8), 3),
    "halves": (make_corpus([[(0.5, 2, "x"), (2.5, 4, "z")], [(1, 3.5, "y")], [(3, 4.5, "x")]], span=5), 1),
    "wide": (make_corpus([[(0, 6, "x")], [(0, 6, "y")]], span=6), 3),
    "points alone": (make_corpus([[(0, 0, "x"), (3, 3, "x")], [(0, 0, "y"), (4, 4, "y"), (1, 1, None)]], span=5), 0),
    "three, points alone": (make_corpus([[(0, 0, "x")], [(1, 1, "y"), (3, 3, "x")], [(2, 2, "z")]], span=4), 0),
    "short": (make_corpus([[(0, 2, "x")], [(0, 1, "y"), (1, 2, "z")], [(1, 2, "x")]], span=2), 0),
    "four": (make_corpus([[(0, 2, "x")], [(1, 2, "y")], [(2, 4, "z")], []], span=6), 1),
}
SETTINGS = {"nominal": {}, "ordinal": {"dissimilarity": ORDINAL}, "weighted": WEIGHTED, "wide": WIDE}


@by_each_kind
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize(("corpus", "distance"), LATTICES.values(), ids=LATTICES)
def test_moments_equal_the_enumeration_of_all_samples(corpus, distance, settings):
    moments = expected(corpus, integer_offsets=True, min_distance="mean", **settings)
    truth = moments_of_all_samples(
        corpus, settings.get("dissimilarity", NOMINAL), settings.get("confidence", "positional"), distance
    )
    assert ShiftSampler(corpus, seed=0, integer_offsets=True).offset_law(np.array([0])).distance.tolist() == [distance]
    assert moments.computed.all()
    assert [column[0] for column in moments.documents] == pytest.approx(
        truth.get(None, (0.0, np.nan, 0.0)), nan_ok=True
    )
    for row, code in enumerate(moments.category_k.tolist()):
        category_moments = [column[row] for column in moments.categories]
        assert category_moments == pytest.approx(truth.get(corpus.categories[code], (0.0, np.nan, 0.0)), nan_ok=True)


def test_moments_of_drawn_annotators_equal_the_enumeration_of_all_samples():
    corpus = make_corpus([[(0, 2, "x"), (3, 5, "y")], [(1, 5, "z")], []], span=7)
    moments = expected(corpus, chance_from=["a0", "a2"])
    truth = moments_of_all_samples(corpus, NOMINAL, "positional", 2, chance_from=["a0", "a2"])
    assert [column[0] for column in moments.documents] == pytest.approx(truth[None])
    assert [corpus.categories[code] for code in moments.category_k.tolist()] == ["x", "y"]


# ------------------------------------------------------------------------------------------------------ drawn samples

DRAWN = {
    "integer, 2": (random_corpus(40, 2, 60, seed=1), {}),
    "integer, 3, half": (random_corpus(40, 3, 60, seed=2, low=7.0), {"min_distance": "half"}),
    "integer, 6, empty": (random_corpus(40, 6, 80, seed=3, empty=2), {}),
    "integer, lowered": (random_corpus(40, 4, 16, seed=4), {}),
    "real, 2": (random_corpus(40, 2, 60, seed=5, integer=False), {}),
    "real, 3, empty": (random_corpus(40, 3, 60, seed=6, integer=False, empty=1, low=-3.3), {}),
    "real, 6": (random_corpus(40, 6, 60, seed=7, integer=False), {}),
    "real, lowered": (random_corpus(40, 4, 20, seed=8, integer=False, longest=16, points=False), {}),
    "forced real, lowered": (random_corpus(40, 4, 16, seed=9, points=False), {"integer_offsets": False}),
    "forced integer": (random_corpus(40, 4, 25, seed=10, integer=False), {"integer_offsets": True}),
    "chance_from": (random_corpus(40, 3, 60, seed=11, empty=1), {"chance_from": ["a0", "a2"]}),
}


def check_means(total, squares, expected_mean, variance, number):
    """Check means of so many numbers, given their sums and sums of squares; `variance` is about theirs at least."""
    common = variance * number > 5  # the mean of fewer events than that is not normal
    mean = (total / number)[common]
    found_variance = (squares / number)[common] - mean**2
    z = (mean - expected_mean[common]) / np.sqrt(np.maximum(found_variance, variance[common] / 4) / number)
    assert common.sum() > 10
    assert np.sqrt(np.mean(z**2)) < 1.35
    assert np.abs(z).max() < 5


@pytest.mark.parametrize(("corpus", "options"), DRAWN.values(), ids=DRAWN)
def test_moments_agree_with_drawn_samples(corpus, options):
    number = 1500
    moments = expected(corpus, **options)
    assert moments.computed.all()
    document = np.repeat(np.arange(len(corpus)), number)
    sample = ShiftSampler(corpus, seed=12, **options).sample(document, np.tile(np.arange(number), len(corpus)))
    sums = overlap_sums(sample, NOMINAL.bind(corpus.categories))

    def check(group, values, truth, variance):
        totals = (np.bincount(group, power, len(truth)) for power in (values, values**2))
        check_means(*totals, truth, variance, number)

    count, mean, variance = moments.documents
    assert (sums.count[count[document] == 0] == 0).all()
    check(document, sums.count, count, count)
    centred = np.where(sums.count > 0, sums.distance - mean[document] * sums.count, 0.0)
    check(document, centred, 0 * count, variance * count)

    width = len(corpus.categories)
    keys = moments.document_k * width + moments.category_k
    row = np.searchsorted(keys, document[sums.instance_k] * width + sums.category_k)
    count, mean, variance = moments.categories
    check(row, sums.count_k, count, count)
    check(row, sums.distance_k - mean[row] * sums.count_k, 0 * count, variance * count)


@pytest.mark.parametrize("seed", range(3))
def test_certain_moments_hold_in_every_sample(seed):
    corpus = random_corpus(60, 2, 30, seed=seed, longest=12)
    dissimilarity = NOMINAL.bind(corpus.categories)
    moments = expected(corpus)
    document = np.repeat(np.arange(60), 100)
    sample = ShiftSampler(corpus, seed=1).sample(document, np.tile(np.arange(100), 60))
    result = statistics(sample, solve(sample, dissimilarity), dissimilarity)
    assert (result.weight[moments.documents.count[document] == 0] == 0).all()
    constant = (moments.documents.variance[document] < 1e-9) & (result.weight > 0)
    assert constant.sum() > 20
    disorder = result.distance[constant] / result.weight[constant]
    assert disorder == pytest.approx(moments.documents.mean[document[constant]])


# ------------------------------------------------------------------------------------------------- sums of a batch


def overlap_definition(batch, dissimilarity, factor):
    """Return {(instance, category): (count, Σ d_cat/Δ)}; the sums of all pairs have the category None."""
    sums = defaultdict(lambda: [0, 0.0])
    unit = [(0, start, end, None) for start, end in zip(batch.start.tolist(), batch.end.tolist(), strict=True)]
    for u, v in itertools.combinations(range(batch.n_units), 2):
        apart = batch.instance[u] == batch.instance[v] and batch.annotator[u] != batch.annotator[v]
        if apart and factor * oracles.positional_definition(unit[u], unit[v]) < 1 - 1e-9:
            distance = float(dissimilarity.categorial(batch.category[[u]], batch.category[[v]])[0])
            for label in {None, *batch.category[[u, v]].tolist()} - {-1}:
                sums[int(batch.instance[u]), label][0] += 1
                sums[int(batch.instance[u]), label][1] += distance
    return sums


@by_each_kind
@pytest.mark.parametrize("settings", [{"dissimilarity": NOMINAL, "confidence": "positional"}, WEIGHTED, WIDE])
def test_sums_of_a_batch_are_sums_over_its_pairs(settings):
    corpus = random_corpus(6, 3, 25, seed=20)
    dissimilarity = settings["dissimilarity"].bind(corpus.categories)
    sample = ShiftSampler(corpus, seed=2).sample(np.repeat(np.arange(6), 6), np.tile(np.arange(6), 6))
    factor = settings["dissimilarity"].alpha if settings["confidence"] == "weighted" else 1.0
    truth = overlap_definition(sample, dissimilarity, factor)
    sums = overlap_sums(sample, dissimilarity, settings["confidence"])
    for instance in range(len(sample)):
        assert [sums.count[instance], sums.distance[instance]] == pytest.approx(truth[instance, None])
    rows = list(zip(sums.instance_k.tolist(), sums.category_k.tolist(), strict=True))
    assert rows == sorted(key for key in truth if key[1] is not None and truth[key][0])
    assert list(zip(sums.count_k, sums.distance_k, strict=True)) == [pytest.approx(truth[key]) for key in rows]


@pytest.mark.parametrize("settings", [{"dissimilarity": NOMINAL, "confidence": "positional"}, WEIGHTED])
def test_two_units_overlap_if_their_pair_would_have_a_weight(settings):
    corpus = random_corpus(60, 2, 20, seed=21)
    sample = ShiftSampler(corpus, seed=3).sample(np.arange(60), np.zeros(60, dtype=np.int64))
    dissimilarity, confidence = settings["dissimilarity"].bind(corpus.categories), settings["confidence"]
    number = np.zeros(60)
    for u, v in itertools.combinations(range(sample.n_units), 2):
        if sample.instance[u] == sample.instance[v] and sample.annotator[u] != sample.annotator[v]:
            group = np.arange(sample.n_units)
            group[v] = u
            number[sample.instance[u]] += len(
                weighted_pairs(sample, group, dissimilarity, confidence=confidence).weight
            )
    assert number.sum() > 20
    assert overlap_sums(sample, dissimilarity, confidence).count.tolist() == number.tolist()


# ------------------------------------------------------------------------------------- alone and among other documents


def test_moments_do_not_depend_on_other_documents(monkeypatch):
    corpus = random_corpus(30, 3, 40, seed=30, empty=1)
    everything = expected(corpus)
    monkeypatch.setattr(overlaps, "_CHUNK_PAIRS", 50)
    order = [7, 29, 0, 12]
    part = expected(corpus, documents=order)
    for column, among in zip(part.documents, everything.documents, strict=True):
        assert column.tobytes() == among[order].tobytes()
    rows = np.concatenate([np.flatnonzero(everything.document_k == document) for document in order])
    assert part.category_k.tolist() == everything.category_k[rows].tolist()
    for column, among in zip(part.categories, everything.categories, strict=True):
        assert column.tobytes() == among[rows].tobytes()


# --------------------------------------------------------------------------------------------- documents left out


def is_computed(corpus, **options):
    moments = expected(corpus, **options)
    assert np.isnan(moments.documents.count).tolist() == (~moments.computed).tolist()
    assert np.isnan(moments.categories.variance).tolist() == (~moments.computed[moments.document_k]).tolist()
    return moments.computed.tolist()


def test_documents_of_too_many_units_are_not_computed():
    corpus = make_corpus([[(5 * k, 5 * k + 3, "x") for k in range(400)], []], span=2000)
    assert is_computed(corpus) == [False]
    assert is_computed(make_corpus([[(5 * k, 5 * k + 3, "x") for k in range(200)], []], span=2000)) == [True]


@pytest.mark.parametrize(("low", "span"), [(0.0, 10.5), (0.5, 10.0)])
def test_integer_offsets_in_an_extent_with_fractions_are_not_computed(low, span):
    corpus = make_corpus([[(0, 3, "x")], [(1, 2, "y")]], span=span, low=low)
    assert is_computed(corpus, integer_offsets=True) == [False]
    assert is_computed(corpus) == [True]


def test_points_with_fixed_real_gaps_are_not_computed():
    corpus = make_corpus([[(0, 10, "x"), (5, 5, "x")], [(0, 10, "y")]], span=10)
    assert is_computed(corpus, integer_offsets=False) == [False]
    assert is_computed(corpus) == [True]


def test_weights_that_may_prevent_an_alignment_are_not_computed():
    # with two annotators a pair alone costs less than its units if α · d_pos + β · d_cat is below 2
    two, three = make_corpus([[(0, 3, "x")], []], span=20), make_corpus([[(0, 3, "x")], [], []], span=20)
    heavy = ga.Dissimilarity(alpha=3.0)
    assert is_computed(two, dissimilarity=heavy) == [False]
    assert is_computed(two, **WEIGHTED) == [True]
    assert is_computed(three, dissimilarity=heavy) == [True]


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        ({}, True),
        ({"conventions": "authors"}, True),
        ({"conventions": "pygamma"}, False),
        ({"sampler": "documents"}, False),
        ({"confidence": "none"}, False),
        ({"confidence": "weighted", "alpha": 0.0}, False),
        ({"alpha": 0.0}, True),
        ({"distance": "ordinal"}, True),
    ],
)
def test_overlaps_are_known_for_shifted_samples_with_a_pairing_confidence(options, answer):
    assert can_compute_overlaps(GammaSettings.of(**options)) is answer


# ---------------------------------------------------------------------------------------------- units that only touch


def make_pair(*units):
    """Return an instance with a unit (start, end) of each of two annotators."""
    start, end = np.array(units).T
    zeros = np.zeros(2, dtype=np.int64)
    return Batch.build(np.array([2]), zeros, np.arange(2), start, end, zeros)[0]


def test_units_that_only_touch_have_no_weight_despite_rounding():
    batch = make_pair((0.0, 0.1 + 0.2), (0.3, 0.6))  # 0.1 + 0.2 is 5.6e-17 more than 0.3
    assert len(weighted_pairs(batch, np.array([0, 0]), NOMINAL.bind(("x",))).weight) == 0


def test_units_that_overlap_a_little_have_a_weight():
    batch = make_pair((0.0, 0.3001), (0.3, 0.6))
    assert len(weighted_pairs(batch, np.array([0, 0]), NOMINAL.bind(("x",))).weight) == 1
