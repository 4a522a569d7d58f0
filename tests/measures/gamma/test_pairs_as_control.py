"""Pairs of annotators as a control variate of the expected disorder, and values without an interval."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import oracles
import pytest
import strategies as sts
from places import CORPORA

import gamma_align as ga
from gamma_align import kernels
from gamma_align.chance.computed_chance import MAX_WORK
from gamma_align.chance.other_samplers import shift_sampler
from gamma_align.chance.pairs import N_POINTS, _PairsOfPoints, can_pair, control_means, control_values
from gamma_align.chance.precision import ExpectedDisorders, PrecisionRule, SampleCounts
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus
from gamma_align.data.parts import Part
from gamma_align.errors import SettingsError
from gamma_align.inference.jackknife import FEW_DOCUMENTS
from gamma_align.inference.means import MIN_SAMPLES_CONTROLLED, plain_estimates
from gamma_align.inference.student import t_quantile
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.part_work import PartWork
from gamma_align.work.part_documents import PartDocuments
from gamma_align.work.part_tasks import PartTasks
from gamma_align.work.store import PartStore
from gamma_align.work.workers import Workers

FOUR = [
    [(0, 4, "x"), (6, 9, "y"), (11, 14, "x")],
    [(0, 5, "x"), (6, 9, "x"), (12, 14, "x")],
    [(1, 4, "y"), (7, 9, "y")],
    [(0, 4, "x"), (5, 9, "y"), (11, 15, "y"), (16, 18, "x")],
]


def four(name="d"):
    return sts.continuum_of(case_of(FOUR), document=name, extent=(0, 20))


def case_of(people):
    return [(person, *unit) for person, units in enumerate(people) for unit in units], len(people)


def sampler_of(continuum, **options):
    """Return the dissimilarity and the sampler of a document."""
    corpus, settings = Corpus.from_continua([continuum]), GammaSettings.of(**options)
    return settings.dissimilarity.bind(corpus.categories), shift_sampler(corpus, settings)


# ------------------------------------------------------------------------------------------------- the control variate


def greatest_saving(first, second, weights, cap):
    """Return the greatest Σ (cap - d) over matchings of two lists of units, by trying all of them."""
    best = 0.0
    for matched in itertools.permutations([*second, *[None] * len(first)], len(first)):
        savings = [
            cap - oracles.dissimilarity_definition((0, *unit), (1, *other), weights)
            for unit, other in zip(first, matched, strict=True)
            if other is not None
        ]
        best = max(best, sum(saving for saving in savings if saving > 0))
    return best


def test_control_is_the_mean_saving_of_pairs_of_annotators():
    corpus = Corpus.from_continua([four()])
    dissimilarity = ga.Dissimilarity(alpha=2.0).bind(corpus.categories)
    value = control_values(Batch.from_corpus(corpus)[0], dissimilarity)
    pairs = itertools.combinations(FOUR, 2)
    savings = [greatest_saving(first, second, oracles.Weights(alpha=2), 3) for first, second in pairs]
    assert value[0] == pytest.approx(math.fsum(savings) / 6 / (sum(map(len, FOUR)) / 4))


def test_control_values_do_not_depend_on_the_batch():
    dissimilarity, sampler = sampler_of(four())
    batch = sampler.sample(np.zeros(40, dtype=np.int64), np.arange(40))
    values = control_values(batch, dissimilarity)
    for instance in (0, 7, 39):
        assert control_values(batch.take(np.array([instance])), dissimilarity)[0] == values[instance]
    assert np.isfinite(values).all()


def test_compiled_and_plain_kernels_give_the_same_expectation():
    means = []
    for kind in (kernels.COMPILED, kernels.PLAIN):
        with kernels.using(kind):
            dissimilarity, sampler = sampler_of(four())
            means.append(control_means(sampler, np.zeros(1, dtype=np.int64), dissimilarity))
    assert means[0] == means[1]


def test_expectations_do_not_depend_on_other_documents():
    corpus = Corpus.from_continua([four("a"), four("b"), four("c")])
    settings = GammaSettings.of()
    dissimilarity, sampler = settings.dissimilarity.bind(corpus.categories), shift_sampler(corpus, settings)
    means = control_means(sampler, np.arange(3), dissimilarity)
    some = control_means(sampler, np.array([2, 0]), dissimilarity)
    assert some.mean.tolist() == means.mean[[2, 0]].tolist()
    assert len(set(means.mean.tolist())) == 3  # a document has random numbers of its own


@pytest.mark.parametrize(("n_annotators", "is_drawn"), [(3, False), (15, False), (16, True), (30, True)])
def test_points_of_more_than_fifteen_annotators_have_120_random_pairs(n_annotators, is_drawn):
    people = [[(2 * person, 2 * person + 3, "x")] for person in range(n_annotators)]
    _, sampler = sampler_of(sts.continuum_of(case_of(people), extent=(0, 100)))
    numbers = np.arange(4)
    pairs = _PairsOfPoints.of(sampler, np.zeros(4, dtype=np.int64), numbers, np.full(4, 0.25))
    n_pairs = 120 if is_drawn else n_annotators * (n_annotators + 1) // 2
    assert pairs.point.tolist() == np.repeat(numbers, n_pairs).tolist()
    slots = set(zip(pairs.first[:n_pairs].tolist(), pairs.second[:n_pairs].tolist(), strict=True))
    assert {*pairs.first.tolist(), *pairs.second.tolist()} == set(range(n_annotators))
    # Each unit counts the same, and each annotator has one.
    apart = pairs.first != pairs.second
    if is_drawn:
        assert len({*zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)}) > n_pairs
        assert pairs.weight == pytest.approx(pairs.weight[0])
    else:
        assert len(slots) == n_pairs
        assert pairs.weight[apart] == pytest.approx(2 * pairs.weight[~apart][0])
    assert pairs.weight[:n_pairs].sum() == pytest.approx(1.0)  # E[n/(u + S)] is 1: all rows have one unit


def random_document(n, units, seed, *, real=False, empty=0):
    """Return a document of n annotators, some of them without units, on an extent of length 100."""
    rng = np.random.default_rng(seed)
    records = []
    for annotator in range(n - empty):
        for _ in range(rng.poisson(units) + (annotator == 0)):
            start, length = rng.uniform(0, 90), rng.uniform(1, 9)
            if not real:
                start, length = int(start), int(length) + 1
            records.append((f"a{annotator:02}", start, start + length, "xyz"[rng.integers(3)]))
    annotators = [f"a{annotator:02}" for annotator in range(n)]
    return ga.Continuum.from_records(records, extent=(0, 100), annotators=annotators, document=f"{n}")


@pytest.mark.parametrize(
    ("document", "options"),
    [
        (random_document(3, 5, 1), {}),
        (random_document(3, 5, 2, real=True), {}),
        (random_document(4, 4, 3, empty=1), {"min_distance": "half"}),
        (random_document(5, 4, 4, real=True, empty=2), {"chance_from": ("a00", "a01", "a04")}),
        (random_document(6, 12, 5), {"alpha": 3.0}),  # so dense that the distance of offsets is lowered
        (random_document(18, 2, 6), {}),  # points have some of the pairs only
    ],
    ids=["three", "real", "empty", "chance_from", "dense", "many"],
)
def test_mean_of_points_is_the_mean_of_controls_of_samples(document, options):
    corpus = Corpus.from_continua([document])
    chance_from = options.pop("chance_from", ())
    settings = replace(GammaSettings.of(seed=3, **options), chance_from=chance_from)
    dissimilarity, sampler = settings.dissimilarity.bind(corpus.categories), shift_sampler(corpus, settings)
    numbers, zero = np.arange(6000), np.zeros(1, dtype=np.int64)
    controls = control_values(sampler.sample(np.zeros_like(numbers), numbers), dissimilarity)
    samplers = [shift_sampler(corpus, replace(settings, seed=seed)) for seed in range(64)]
    means = [control_means(one, zero, dissimilarity) for one in samplers]
    values, errors = (np.array([getattr(one, name)[0] for one in means]) for name in ("mean", "error"))
    error = math.hypot(controls.std() / math.sqrt(len(numbers)), values.std() / 8)
    assert abs(values.mean() - controls.mean()) < 3.5 * error
    assert np.square(errors).mean() == pytest.approx(values.var(ddof=1), rel=0.6)
    assert errors.mean() < controls.std() / math.sqrt(N_POINTS)


def test_documents_without_pairs_as_control():
    two, few = random_document(2, 9, 1), ga.Continuum.from_records([("a", 0, 4), ("b", 1, 4), ("c", 2, 5)])
    corpus = Corpus.from_continua([two, few, random_document(3, 6, 1), four("four")])
    units = corpus.units_per_document
    usable = dict(zip(corpus.documents, can_pair(corpus, units, integer_offsets=None).tolist(), strict=True))
    assert usable == {two.document: False, few.document: False, "3": True, "four": True}
    # whole offsets on an extent that is not whole: turns do not move all units alike
    units = [(name, start, start + 1.5) for name in "abc" for start in (0.5, 3.0, 6.0)]
    fraction = Corpus.from_continua([ga.Continuum.from_records(units, extent=(0.0, 9.5))])
    units = fraction.units_per_document
    assert [can_pair(fraction, units, integer_offsets=choice)[0] for choice in (None, True)] == [True, False]


# ----------------------------------------------------------------------------------------------- the rule of precision


def test_estimates_with_and_without_pairs_agree():
    plain, paired = (
        ga.gamma(four(), samples=samples, control=control, seed=5).documents[0]
        for samples, control in ((4000, "none"), (60, "pairs"))
    )
    assert (plain.pair_samples, paired.pair_samples) == (0, N_POINTS)
    for name in ("gamma", "gamma_cat"):
        one, second = getattr(plain, name), getattr(paired, name)
        assert abs(one.expected - second.expected) < 4 * math.hypot(one.expected_error, second.expected_error)
    single = ga.gamma(four(), samples=60, control="none", seed=5).documents[0]
    assert paired.gamma.expected_error < 0.8 * single.gamma.expected_error


def test_pairs_reach_a_precision_with_fewer_samples():
    chapter = ga.read(CORPORA / "hearst_kazantseva")["moonstone/ch2"]  # six annotators
    plain, paired = (ga.gamma(chapter, precision=0.05, control=one).documents[0] for one in ("none", "pairs"))
    assert max(plain.gamma.expected_precision, paired.gamma.expected_precision) <= 0.05
    assert MIN_SAMPLES_CONTROLLED <= paired.samples < 0.4 * plain.samples
    assert t_quantile(paired.pair_samples) * paired.gamma.expected_error <= 0.05 * paired.gamma.expected
    assert abs(paired.gamma.expected - plain.gamma.expected) < 0.15 * plain.gamma.expected


def test_document_does_not_depend_on_the_rest_of_the_corpus():
    single = ga.gamma(four("a"), samples=20, seed=7).documents[0]
    among = ga.gamma(Corpus.from_continua([four("a"), four("b")]), samples=20, seed=7).documents
    assert single == among[0]
    assert "cv:pairs(" in ga.gamma(four(), samples=20, seed=7).signature
    assert "cv:" not in ga.gamma(four(), samples=20, seed=7, control="none").signature


def test_pairs_are_used_where_more_than_thirty_samples_would_be_drawn():
    can_control = np.array([True, False, True])
    of_documents = PrecisionRule(of="documents").first_counts(can_control)
    assert (of_documents.full.tolist(), of_documents.controlled.tolist()) == ([16, 30, 16], [True, False, True])
    pooled = PrecisionRule().first_counts(can_control)
    assert (pooled.full.tolist(), pooled.controlled.any()) == ([10, 10, 10], False)
    assert not PrecisionRule(control="none", of="documents").first_counts(can_control).controlled.any()
    assert not PrecisionRule(samples=15).first_counts(can_control).controlled.any()
    assert PrecisionRule(samples=16).first_counts(can_control).controlled.tolist() == can_control.tolist()
    rng = np.random.default_rng(1)
    plain = plain_estimates(np.repeat(np.arange(3), 10), rng.normal(1.0, 0.1, 30), 3)
    for precision, full, is_controlled in ((0.01, 16, True), (0.2, 10, False)):
        rule = PrecisionRule(precision)
        counts = rule.next_counts(ExpectedDisorders(np.ones(3), plain), pooled, can_control)
        assert counts.full.tolist() == [full, 10, full]
        assert counts.controlled.tolist() == [is_controlled, False, is_controlled]
    with pytest.raises(SettingsError, match="control must be one of pairs, none, not 'some'"):
        PrecisionRule(control="some")


# --------------------------------------------------------------------------------------------- intervals over documents


def test_two_documents_have_no_interval_with_a_reason():
    result = ga.gamma(Corpus.from_continua([four("a"), four("b")]), samples=30)
    assert str(result.gamma).endswith(f"(no interval: {FEW_DOCUMENTS})")
    assert result.gamma.documents == 2
    assert result.gamma.standard_error != result.gamma.standard_error  # NaN: two documents do not tell


def test_one_aligned_pair_has_no_interval():
    records = [("a", 0, 4, "x"), ("b", 1, 4, "x"), ("a", 20, 24, "y")]
    result = ga.gamma(ga.Continuum.from_records(records, extent=(0, 30)), samples=40)
    for value in (result.gamma_cat, result.gamma_k["x"]):
        assert (value.value, value.pairs, value.no_interval) == (1.0, 1, "one aligned pair of units")
    assert (result.gamma.no_interval, result.documents[0].alignments) == (None, 2)


# ------------------------------------------------------------------------------------- samples that lack their control


def part_of(corpus, settings):
    """Return the work on a corpus."""
    documents = PartDocuments.of(Part(corpus), settings, None)
    tasks = PartTasks(documents, settings, Workers(1), PartStore(None, 0), None, is_watched=False)
    return PartWork.of(documents, tasks, settings, MAX_WORK)


def test_samples_are_drawn_again_if_gamma_needs_their_control():
    corpus, settings = Corpus.from_continua([four()]), GammaSettings.of(precision=0.01)
    part, whole = part_of(corpus, settings), part_of(corpus, settings)
    all_counts, first, second = (SampleCounts(np.array([n]), np.array([True])) for n in (60, 20, 30))
    drawn = []
    part.samples.draw(all_counts, first, drawn.append)  # more for γcat than for γ
    assert part.expected(first).estimates.controls.tolist() == [64]
    assert part.expected(second).estimates.controls.tolist() == [0]  # ten have no control
    part.samples.draw(all_counts, second, drawn.append)
    assert sum(drawn) == 70
    whole.samples.draw(second, second, drawn.append)
    assert part.expected(second).estimates == whole.expected(second).estimates
