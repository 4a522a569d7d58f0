"""The shift sampler and the expected disorder, against a sampler written from the definition (§4)."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import oracles
import pytest
import strategies as sts
from scipy.stats import chi2_contingency, chisquare

import gamma_align as ga
from gamma_align.chance.sampler import ShiftSampler
from gamma_align.errors import SettingsError
from gamma_align.inference.student import t_quantile

LEAST_P = 1e-4  # of tests on large draws with a fixed seed


def labelled(people, *, document="d", extent=None, absent=0):
    """Return a corpus of one document in which every unit's category is its own: "person:number".

    `people` holds (start, end) pairs for each annotator; `absent` annotators more have no units.
    """
    units = [
        (person, float(start), float(end), f"{person}:{number}")
        for person, bounds in enumerate(people)
        for number, (start, end) in enumerate(bounds)
    ]
    continuum = sts.continuum_of((units, len(people) + absent), document=document, extent=extent)
    return ga.Corpus.from_continua([continuum])


def sampled(corpus, count, *, seed=0, document=0, **settings):
    """Return samples of a document: for each, its rows as {annotator number: [(start, end, category)]}."""
    sampler = ShiftSampler(corpus, seed=seed, **settings)
    batch = sampler.sample(np.full(count, document), np.arange(count))
    return rows_of(batch, corpus)


def rows_of(batch, corpus):
    rows = [{} for _ in range(len(batch))]
    columns = (batch.instance, batch.annotator, batch.start, batch.end, batch.category)
    for instance, row, start, end, code in zip(*(column.tolist() for column in columns), strict=True):
        label = None if code < 0 else corpus.categories[code]
        rows[instance].setdefault(row, []).append((start, end, label))
    return rows


def origin_of(row, people, extent):
    """Return who the units of a row are from and by how much they are shifted; check it is they, moved whole."""
    around = extent[1] - extent[0]
    (source,) = {int(label.split(":")[0]) for *_, label in row}
    assert sorted(label for *_, label in row) == sorted(f"{source}:{k}" for k in range(len(people[source])))
    offsets = []
    for start, end, label in row:
        first, last = people[source][int(label.split(":")[1])]
        assert end - start == pytest.approx(last - first, abs=1e-9)  # never cut
        assert extent[0] <= start < extent[1]
        offsets.append((start - first) % around)
    differences = [oracles.circular_distance_definition(offset, offsets[0], around) for offset in offsets]
    assert max(differences) < 1e-9  # moved together
    return source, offsets[0]


def origins(samples, people, extent):
    return [[origin_of(row, people, extent) for row in sample.values()] for sample in samples]


REAL = [[(0.5, 3.0), (10.0, 14.25)], [(2.0, 5.5), (2.5, 4.0), (11.0, 16.0)], [(7.0, 9.5)]]
INTEGER = [[(0, 3), (10, 14)], [(2, 5), (2, 4), (11, 16)], [(7, 9)]]
EXTENT = (0.0, 20.0)


def least_distance(people, share=1.0):
    lengths = [end - start for bounds in people for start, end in bounds]
    return share * math.fsum(lengths) / len(lengths)


# ---------------------------------------------------------------------------------------------------- one sample


@pytest.mark.parametrize(("people", "low"), [(REAL, 0.0), (INTEGER, 0.0), (REAL, -30.5), (INTEGER, 40.0)])
@pytest.mark.parametrize(("min_distance", "share"), [("mean", 1.0), ("half", 0.5)])
def test_rows_are_shifted_annotators_that_keep_the_distance(people, low, min_distance, share):
    people = [[(start + low, end + low) for start, end in bounds] for bounds in people]
    extent = (low, low + 20.0)
    samples = sampled(labelled(people, extent=extent), 300, seed=1, min_distance=min_distance)
    closest = math.inf
    for rows in origins(samples, people, extent):
        assert len(rows) == 3
        offsets = [offset for _, offset in rows]
        for first in range(3):
            for second in range(first):
                apart = oracles.circular_distance_definition(offsets[first], offsets[second], 20.0)
                closest = min(closest, apart)
    least = least_distance(people, share)
    if all(float(bound).is_integer() for bounds in people for unit in bounds for bound in unit):
        assert closest == math.ceil(least)
    else:
        assert least - 1e-9 <= closest < 1.1 * least


def test_half_the_distance_is_used():
    people = [[(0, 4)], [(6, 10)], [(10, 14)], [(13, 17)]]
    closest = {}
    for min_distance in ("mean", "half"):
        sampled_rows = origins(sampled(labelled(people, extent=EXTENT), 400, min_distance=min_distance), people, EXTENT)
        offsets = [sorted(offset for _, offset in rows) for rows in sampled_rows]
        closest[min_distance] = min(min(np.diff([*row, row[0] + 20])) for row in offsets)
    assert closest == {"mean": 4, "half": 2}


def test_unit_that_passes_the_end_reenters_uncut():
    people = [[(18.0, 20.0), (0.0, 9.0)], [(3.0, 4.0)]]
    samples = sampled(labelled(people, extent=EXTENT), 200)
    ends = [end for sample in samples for row in sample.values() for _, end, _ in row]
    starts = [start for sample in samples for row in sample.values() for start, *_ in row]
    assert max(ends) > 20  # reaches over R, not cut
    assert max(starts) < 20
    assert min(starts) >= 0


@pytest.mark.parametrize(
    ("people", "integer_offsets", "expected"),
    [
        (INTEGER, None, True),
        (REAL, None, False),
        (INTEGER, False, False),
        (REAL, True, True),
        ([[(0.0, 3.0)], [(1.0, 2.5)]], None, False),
    ],
)
def test_offsets_are_integers_if_all_bounds_are(people, integer_offsets, expected):
    corpus = labelled(people, extent=EXTENT)
    sampled_rows = origins(sampled(corpus, 50, integer_offsets=integer_offsets), people, EXTENT)
    is_integer = [abs(offset - round(offset)) < 1e-9 for rows in sampled_rows for _, offset in rows]
    assert all(is_integer) if expected else not any(is_integer)


def test_integer_offsets_need_an_integer_extent():
    corpus = labelled(INTEGER, extent=(0.0, 20.5))
    sampled_rows = origins(sampled(corpus, 50), INTEGER, (0.0, 20.5))
    assert not any(float(offset).is_integer() for rows in sampled_rows for _, offset in rows)


def test_annotators_without_units_give_empty_rows_but_no_empty_sample():
    people = [[(0, 3)], [(7, 9)]]
    corpus = labelled(people, extent=EXTENT, absent=2)
    sampler = ShiftSampler(corpus, seed=3)
    batch = sampler.sample(np.zeros(4000, dtype=int), np.arange(4000))
    assert batch.n_annotators.tolist() == [4] * 4000
    rows = Counter(len(sample) for sample in rows_of(batch, corpus))
    # each row is empty with probability 1/2; samples without any unit are drawn again
    odds = np.array([math.comb(4, k) for k in (1, 2, 3, 4)]) / 15
    assert set(rows) == {1, 2, 3, 4}
    assert chisquare([rows[k] for k in (1, 2, 3, 4)], 4000 * odds).pvalue > LEAST_P


# ------------------------------------------------------------------------------------------------- reproducible


def two_documents():
    first = sts.continuum_of(([(0, 0.0, 3.5, "x"), (1, 1.0, 4.0, "y"), (1, 9.0, 12.0, None)], 2), document="d1")
    second = sts.continuum_of(
        ([(0, 0.0, 3.0, "q"), (1, 1.0, 4.0, "y"), (2, 9.0, 12.0, "x")], 3), document="d2", extent=(0, 30)
    )
    return ga.Corpus.from_continua([first, second])


def test_sample_does_not_depend_on_other_requested_samples():
    corpus = two_documents()
    sampler = ShiftSampler(corpus, seed=5)
    documents, numbers = (side.ravel() for side in np.indices((2, 40)))
    together = rows_of(sampler.sample(documents, numbers), corpus)
    order = np.random.default_rng(1).permutation(80)
    shuffled = rows_of(sampler.sample(documents[order], numbers[order]), corpus)
    assert shuffled == [together[index] for index in order]
    for index in (0, 7, 41, 79):
        single = ShiftSampler(corpus, seed=5).sample(documents[[index]], numbers[[index]])
        assert rows_of(single, corpus) == [together[index]]


def test_a_sample_does_not_depend_on_other_documents():
    corpus = two_documents()
    single = ga.Corpus.from_continua([corpus["d2"]])
    assert single.categories == corpus.categories
    assert sampled(single, 40, seed=5) == sampled(corpus, 40, seed=5, document=1)


def test_numbers_documents_and_seeds_give_different_samples():
    continua = [
        sts.continuum_of(([(0, 0.0, 3.5, "x"), (1, 1.0, 4.0, "y")], 2), document=name, extent=EXTENT)
        for name in ("d1", "d2")
    ]
    corpus = ga.Corpus.from_continua(continua)
    draws = [
        repr(sample)
        for seed in (0, 1, 2**40)
        for document in (0, 1)
        for sample in sampled(corpus, 50, seed=seed, document=document)
    ]
    assert len(set(draws)) == 300


def test_repeating_a_number_repeats_the_sample():
    corpus = two_documents()
    batch = ShiftSampler(corpus, seed=2).sample(np.array([0, 1, 0, 0]), np.array([3, 3, 3, 4]))
    rows = rows_of(batch, corpus)
    assert rows[0] == rows[2]
    assert rows[0] != rows[3]


# ----------------------------------------------------------------------------------------------- distributions


def test_annotators_are_drawn_uniformly_and_with_replacement():
    sampled_rows = origins(sampled(labelled(INTEGER, extent=EXTENT), 6000, seed=11), INTEGER, EXTENT)
    triples = Counter(tuple(source for source, _ in rows) for rows in sampled_rows)
    assert len(triples) == 27
    # which row is which is not kept apart (rows are a set), so count draws as multisets
    sets = Counter(tuple(sorted(source for source, _ in rows)) for rows in sampled_rows)
    ways = {key: math.factorial(3) / math.prod(map(math.factorial, Counter(key).values())) for key in sets}
    expected = [6000 * ways[key] / 27 for key in sorted(sets)]
    assert len(sets) == 10
    assert chisquare([sets[key] for key in sorted(sets)], expected).pvalue > LEAST_P


def any_row(samples):
    """Return the offset of one row of each sample, drawn here: their order in a batch goes by position."""
    rng = np.random.default_rng(0)
    return [rows[rng.integers(len(rows))][1] for rows in samples]


@pytest.mark.parametrize("seed", [12, 13])
def test_integer_offsets_are_uniform(seed):
    # mean length 19/6, so offsets are at least 4 apart: around 20 each pair of rows has 13 distances left
    sampled_rows = origins(sampled(labelled(INTEGER, extent=EXTENT), 4000, seed=seed), INTEGER, EXTENT)
    one = Counter(round(offset) for offset in any_row(sampled_rows))
    assert set(one) == set(range(20))
    assert chisquare([one[offset] for offset in range(20)]).pvalue > LEAST_P


def test_two_offsets_are_uniform_among_those_at_a_distance():
    people = [[(0, 4)], [(10, 13)]]  # mean length 3.5, so 4 apart: differences 4 … 16
    sampled_rows = origins(sampled(labelled(people, extent=EXTENT), 6000, seed=14), people, EXTENT)
    apart = Counter(round(oracles.circular_distance_definition(rows[0][1], rows[1][1], 20.0)) for rows in sampled_rows)
    assert set(apart) == set(range(4, 11))
    weights = np.array([2, 2, 2, 2, 2, 2, 1]) / 13  # 10 is the one distance that is its own opposite
    assert chisquare([apart[distance] for distance in range(4, 11)], 6000 * weights).pvalue > LEAST_P
    people = [[(0.0, 4.0)], [(10.0, 13.5)]]
    sampled_rows = origins(sampled(labelled(people, extent=EXTENT), 6000, seed=15), people, EXTENT)
    distances = [oracles.circular_distance_definition(rows[0][1], rows[1][1], 20.0) for rows in sampled_rows]
    counts, _ = np.histogram(distances, np.linspace(3.75, 10, 11))
    assert counts.sum() == 6000
    assert chisquare(counts).pvalue > LEAST_P
    counts, _ = np.histogram(any_row(sampled_rows), np.linspace(0, 20, 11))
    assert counts.sum() == 6000
    assert chisquare(counts).pvalue > LEAST_P


@pytest.mark.parametrize("integer", [True, False])
@pytest.mark.parametrize("n", [3, 4])
def test_offsets_have_the_distribution_of_the_rejection_sampler(n, integer):
    """Compare the gaps around the circle with those of whole sets redrawn until all keep the distance."""
    around = 21.0
    people = [[(3.0 * person, 3.0 * person + 2)] for person in range(n)]
    extent = (0.0, around)
    corpus = labelled(people, extent=extent)
    sampled_rows = origins(sampled(corpus, 5000, seed=16, integer_offsets=integer), people, extent)
    units = oracles.units_of(corpus.continuum(0))
    setting = oracles.shift_setting_definition(units, n, extent, integer=integer)
    assert setting.distance == 2
    rng = np.random.default_rng(17)
    naive = [oracles.offsets_definition(setting, rng) for _ in range(5000)]
    sampled_offsets = [[offset for _, offset in rows] for rows in sampled_rows]

    def gaps(sets, index):
        ordered = np.sort(np.round(sets, 9), axis=1)
        around_circle = np.diff(np.concatenate([ordered, ordered[:, :1] + around], axis=1), axis=1)
        return np.sort(around_circle, axis=1)[:, index]

    for index in range(n):
        pooled_gaps = np.concatenate([gaps(sampled_offsets, index), gaps(naive, index)])
        edges = np.unique(np.quantile(pooled_gaps, np.linspace(0, 1, 9)))
        edges[-1] += 1
        table = np.array([np.histogram(gaps(sets, index), edges)[0] for sets in (sampled_offsets, naive)])
        assert table.sum() == 10000
        if table.shape[1] > 1:
            assert chi2_contingency(table).pvalue > LEAST_P


# ------------------------------------------------------------------------------------------ extents too small


@pytest.mark.parametrize(
    ("people", "least"),
    [
        ([[(0, 10)], [(0, 10)], [(0, 9)]], 3),  # ⌊10/3⌋
        ([[(0, 10)], [(0, 10)], [(0.5, 9.0)]], 10 / 3),
        ([[(0, 10)], [(5, 9)], [(2, 9)], [(0, 10)]], 2),
    ],
)
def test_distance_is_lowered_to_the_largest_that_fits_and_noted(people, least):
    corpus = labelled(people)
    extent = (0.0, 10.0)
    sampler = ShiftSampler(corpus, seed=0)
    assert sampler.is_distance_lowered.tolist() == [True]
    sampled_rows = origins(sampled(corpus, 200), people, extent)
    distances = [
        oracles.circular_distance_definition(a, b, 10.0)
        for rows in sampled_rows
        for index, (_, a) in enumerate(rows)
        for _, b in rows[:index]
    ]
    assert min(distances) == pytest.approx(least, abs=1e-9)
    result = ga.gamma(corpus, samples=5)
    assert [document.distance_lowered for document in result.documents] == [True]
    note = (
        "1 document is too short to keep random offsets one mean unit length apart; a smaller distance was used there"
    )
    assert note in result.notes


def test_the_note_on_lowered_distances_counts_documents_and_names_the_distance():
    records = [(name, person, 0, 10, "x") for name in ("d1", "d2") for person in ("a", "b", "c")]
    result = ga.gamma(ga.Corpus.from_records(records), samples=5, min_distance="half")
    note = "2 documents are too short to keep random offsets half a mean unit length apart; a smaller distance was used"
    assert f"{note} there" in result.notes


def test_distance_is_not_lowered_if_it_fits():
    corpus = labelled([[(0, 10)], [(5, 15)]], extent=(0, 20))  # exactly 2 · 10
    assert ShiftSampler(corpus, seed=0).is_distance_lowered.tolist() == [False]
    (document,) = ga.gamma(corpus, samples=5).documents
    assert not document.distance_lowered
    tight = labelled([[(0, 10)], [(5, 15)]], extent=(0, 19))
    assert ShiftSampler(tight, seed=0).is_distance_lowered.tolist() == [True]
    assert ShiftSampler(tight, seed=0, min_distance="half").is_distance_lowered.tolist() == [False]


def test_extent_without_length():
    corpus = ga.Corpus.from_records([("d", "a", 5, 5, "x"), ("d", "b", 5, 5, "y")])
    samples = sampled(corpus, 20)
    assert {bounds[:2] for sample in samples for row in sample.values() for bounds in row} == {(5.0, 5.0)}


def test_unknown_distance_is_refused():
    corpus = labelled(INTEGER)
    with pytest.raises(SettingsError, match="min_distance"):
        ShiftSampler(corpus, seed=0, min_distance="third")


# --------------------------------------------------------------------------------------------- expected disorder

SMALL = {
    "whole": ([(0, 0.0, 3.0, "x"), (0, 5.0, 9.0, "y"), (1, 1.0, 3.0, "x"), (1, 5.0, 8.0, "x"), (2, 6.0, 9.0, None)], 3),
    "real": (
        [(0, 0.5, 2.0, "x"), (0, 4.0, 6.5, "y"), (0, 7.0, 9.0, "x"), (1, 0.0, 2.5, "x"), (1, 4.25, 6.0, "z")],
        2,
    ),
    "absent": ([(0, 0.0, 4.0, "x"), (1, 1.0, 4.5, "y"), (1, 8.0, 8.0, "x"), (2, 0.25, 4.0, "x")], 4),
}


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("min_distance", ["mean", "half"])
def test_expected_disorder_equals_the_naive_sampler(name, min_distance):
    units, n = SMALL[name]
    extent = (0.0, 15.0)
    weights = oracles.Weights(alpha=2, beta=1, delta_empty=1)
    setting = oracles.shift_setting_definition(units, n, extent, min_distance)
    assert setting.integer == (name == "whole")
    mean, error = oracles.expected_disorder_definition(setting, 1500, np.random.default_rng(21), weights)
    (document,) = ga.gamma(
        sts.continuum_of(SMALL[name], extent=extent), alpha=2, samples=3000, seed=22, min_distance=min_distance
    ).documents
    assert document.samples == 3000
    assert abs(document.gamma.expected - mean) < 4 * math.hypot(error, document.gamma.expected_error)
    # the error itself: both estimate σ/√N
    assert document.gamma.expected_error * math.sqrt(3000) == pytest.approx(error * math.sqrt(1500), rel=0.15)


def required(document, precision):
    """Return N = max(30, ⌈(t·CV/e)²⌉) for the CV that the result's own numbers give."""
    deviation = document.gamma.expected_error * math.sqrt(document.samples)
    return max(
        30,
        math.ceil((t_quantile(document.samples - 1) * deviation / document.gamma.expected / precision) ** 2 - 1e-9),
    )


@pytest.mark.parametrize("precision", [0.2, 0.05, 0.02, 0.01])
@pytest.mark.parametrize("seed", [0, 1])
def test_precision_rule_holds_at_the_end(precision, seed):
    corpus = ga.Corpus.from_continua(
        [sts.continuum_of(case, document=name, extent=(0, 15)) for name, case in SMALL.items()]
    )
    # plain means: the expected disorder of two annotators is computed otherwise
    result = ga.gamma(corpus, precision=precision, precision_of="documents", control="none", seed=seed)
    for document in result.documents:
        assert document.gamma.expected_precision <= precision
        assert document.samples >= required(document, precision)
        assert document.samples >= 30
        assert t_quantile(
            document.samples - 1
        ) * document.gamma.expected_error <= precision * document.gamma.expected * (1 + 1e-9)
    if precision <= 0.02:
        assert all(document.samples > 30 for document in result.documents)


def test_half_the_precision_needs_about_four_times_the_samples():
    continuum = sts.continuum_of(SMALL["real"], extent=(0, 15))
    coarse, fine = (ga.gamma(continuum, precision=p, control="none", seed=3).gamma.samples for p in (0.04, 0.01))
    assert fine / coarse == pytest.approx(16, rel=0.3)


def test_reached_limit_of_samples_is_noted():
    continuum = sts.continuum_of(SMALL["real"], extent=(0, 15))
    (document,) = ga.gamma(continuum, precision=0.01, max_samples=45, control="none", seed=3).documents
    assert document.samples == 45
    assert document.gamma.expected_precision > 0.01
    assert required(document, 0.01) > 45
    assert document.gamma.is_available


def test_samples_fixes_their_number():
    continuum = sts.continuum_of(SMALL["real"], extent=(0, 15))
    (document,) = ga.gamma(continuum, samples=37, seed=3).documents
    assert document.samples == 37


def test_more_samples_begin_with_the_same_samples():
    """δ_e of N samples is the mean of samples 0 … N-1: the sampler's own, aligned one by one, give it."""
    continuum = sts.continuum_of(SMALL["real"], extent=(0, 15))
    corpus = ga.Corpus.from_continua([continuum])
    disorders = []
    for sample in sampled(corpus, 40, seed=9):
        units = [(row, *unit) for row, members in sample.items() for unit in members]
        disorders.append(oracles.best_alignment_definition(units, 2)[0])
    for samples in (31, 40):
        (document,) = ga.gamma(continuum, samples=samples, seed=9).documents
        assert document.gamma.expected == pytest.approx(math.fsum(disorders[:samples]) / samples, rel=1e-12)
        error = np.std(disorders[:samples], ddof=1) / math.sqrt(samples)
        assert document.gamma.expected_error == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"precision": 0.0}, "precision"),
        ({"precision": math.nan}, "precision"),
        ({"samples": 0}, "samples"),
        ({"max_samples": 0}, "max_samples"),
        ({"min_distance": "third"}, "min_distance"),
        ({"confidence": "high"}, "confidence"),
        ({"empty_samples": "two"}, "empty_samples"),
        ({"time_limit": -1.0}, "time_limit"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    continuum = sts.continuum_of(SMALL["real"])
    with pytest.raises(SettingsError, match=message):
        ga.gamma(continuum, **settings)
