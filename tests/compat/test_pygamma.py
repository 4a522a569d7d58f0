"""The layer for pygamma-agreement: its values, its samples, and the places where the definition is kept."""

import copy
import json
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.compat import pygamma as pa
from gamma_align.compat.pygamma import cli_apps
from gamma_align.compat.pygamma.sampler import _without

ALEX = "corpora/pygamma/AlexPaulSuzan.csv"
SEED = 4772


def gamma_of(name=ALEX, **options):
    continuum = pa.Continuum.from_csv(name)
    np.random.seed(SEED)
    return continuum.compute_gamma(**options)


# --- values of pygamma-agreement 0.5.9 (GLPK, NumPy 1.26), with np.random.seed(4772) ---


@pytest.mark.parametrize(
    ("options", "expected", "gamma", "gamma_cat"),
    [
        ({}, 1.373651, 0.524230, 0.397993),
        ({"sampler": pa.ShuffleContinuumSampler()}, 1.480082, 0.558442, 0.438419),
        ({"sampler": pa.ShuffleContinuumSampler("float_pivot")}, 1.510506, 0.567336, None),
        ({"soft": True}, 1.365783, 0.617537, None),
        ({"soft": True, "sampler": pa.ShuffleContinuumSampler()}, 1.472857, 0.645342, None),
        ({"ground_truth_annotators": {"Alex", "Paul"}}, 1.186359, 0.449120, None),
    ],
    ids=["statistical", "integer pivots", "float pivots", "soft", "soft with pivots", "ground truth"],
)
def test_samples_are_the_same(options, expected, gamma, gamma_cat):
    result = gamma_of(**options)
    assert result.expected_disorder == pytest.approx(expected, abs=1e-6)
    assert result.gamma == pytest.approx(gamma, abs=1e-6)
    assert result.n_samples == 30
    if gamma_cat is not None:
        assert result.gamma_cat == pytest.approx(gamma_cat, abs=1e-6)


@pytest.mark.parametrize(
    ("precision", "samples", "gamma"), [(0.02, 202, 0.529854), ("medium", 202, 0.529854), (0.01, 807, 0.521608)]
)
def test_the_precision_decides_the_number_of_samples(precision, samples, gamma):
    result = gamma_of(precision_level=precision)
    assert result.n_samples == samples
    assert result.gamma == pytest.approx(gamma, abs=1e-6)
    if samples == 202:
        assert result.approx_gamma_range == pytest.approx((0.520259, 0.539073), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "weights", "disorder", "n", "soft", "categorial"),
    [
        ("AlexPaulSuzan", (1, 1, 1), 0.6535417, 6, 0.5223611, 0.5354535),
        ("AlexPaulSuzan", (3, 1, 1), 0.9606249, 6, 0.8170833, 0.5878162),
        ("annotation_paul_suzann_alex", (1, 1, 1), 0.5312875, 7, 0.3394511, 0.4693469),
        ("annotation_dalton", (1, 1, 1), 0.2608203, 3, 0.2608203, 0.0),
        ("example_figure10", (1, 1, 1), 1.1851852, 3, 1.1851852, 0.7422680),
        ("example_figure19", (1, 1, 1), 1.3440001, 4, 0.5760000, 0.8241758),
    ],
)
def test_disorders_are_the_same(name, weights, disorder, n, soft, categorial):
    continuum = pa.Continuum.from_csv(f"corpora/pygamma/{name}.csv")
    dissimilarity = pa.CombinedCategoricalDissimilarity(*weights)
    best = continuum.get_best_alignment(dissimilarity)
    assert best.disorder == pytest.approx(disorder, abs=2e-7)
    assert best.gap == 0
    assert best.num_unitary_alignments == n
    assert best.gamma_k_disorder(dissimilarity, None) == pytest.approx(categorial, abs=2e-7)
    best.check()
    cover = continuum.get_best_soft_alignment(dissimilarity)
    assert cover.disorder == pytest.approx(soft, abs=2e-7)
    cover.check()
    assert isinstance(cover, pa.SoftAlignment)
    for alignment in (best, cover):
        assert alignment.compute_disorder(dissimilarity) == pytest.approx(alignment.disorder, abs=1e-12)


def test_first_units_of_samples_are_the_same():
    continuum = pa.Continuum.from_csv(ALEX)
    sampler = pa.StatisticalContinuumSampler()
    sampler.init_sampling(continuum)
    np.random.seed(0)
    first = next(sampler.sample_from_continuum.iter_annotator("Alex"))
    assert [*first.segment] == pytest.approx([3.1704, 12.9641], abs=5e-5)
    assert first.annotation == "5"
    sampler = pa.ShuffleContinuumSampler()
    sampler.init_sampling(continuum)
    np.random.seed(0)
    row = [*sampler.sample_from_continuum.iter_annotator("Sampled_annotation 0")]
    assert [(*unit.segment, unit.annotation) for unit in row[:2]] == [(1, 7, "5"), (14, 26, "6")]
    assert (sampler._reference.bounds, sampler._ground_truth_annotators) == ((0, 60), {"Alex", "Paul", "Suzan"})


def test_removed_surroundings_lengthen_the_other_segments():
    segments = [pa.Segment(0, 20), pa.Segment(30, 70), pa.Segment(80, 100)]
    assert [tuple(segment) for segment in _without(segments, 50, 5)] == [(55, 100), (30, 45), (55, 70), (0, 45)]


def test_a_generator_of_its_own_gives_the_samples_of_its_seed():
    continuum = pa.Continuum.from_csv(ALEX)
    state = np.random.get_state()[1].tolist()
    result = continuum.compute_gamma(random_state=np.random.RandomState(SEED))
    assert result.gamma == pytest.approx(0.524230, abs=1e-6)
    assert np.random.get_state()[1].tolist() == state


@pytest.mark.parametrize(
    ("arguments", "gamma"),
    [
        ([], 0.5218823),
        (["-m"], 0.5584422),
        (["-d", "levenshtein"], 0.5267674),
    ],
)
def test_the_command_line_gives_the_same_values(arguments, gamma, capsys):
    cli_apps.pygamma_cmd([ALEX, "--seed", str(SEED), *arguments])
    name, line = capsys.readouterr().out.splitlines()
    assert name == ALEX
    assert float(line.removeprefix("gamma=")) == pytest.approx(gamma, abs=1e-6)


@pytest.mark.surfaces
def test_the_command_line_writes_json_and_csv(tmp_path, capsys):
    target = tmp_path / "values.json"
    done = subprocess.run(
        [sys.executable, "-m", "gamma_align.compat.pygamma", ALEX, "--seed", "1", "-c", "-k", "-j", str(target)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert not done.stdout
    (values,) = json.loads(target.read_text(encoding="utf-8")).values()
    assert [*values] == ["gamma", "gamma-cat", "gamma-k"]
    assert [*values["gamma-k"]] == list("1234567")
    table = tmp_path / "values.csv"
    cli_apps.pygamma_cmd([ALEX, ALEX, "-v", "-o", str(table)])
    assert len(table.read_text(encoding="utf-8").splitlines()) == 3
    assert capsys.readouterr().err == f"reading {ALEX}\n" * 2
    with pytest.raises(SystemExit):
        cli_apps.pygamma_cmd(["nowhere.csv"])
    assert "nowhere.csv does not exist" in capsys.readouterr().err


# --- the definition is kept, with a warning ---


def test_delta_scales_both_parts():
    first, second = pa.Unit(pa.Segment(0, 10), "x"), pa.Unit(pa.Segment(2, 10), "y")
    with pytest.warns(pa.DefinitionWarning, match="divide β by Δ"):
        dissimilarity = pa.CombinedCategoricalDissimilarity(1, 1, 2)
    assert dissimilarity.d(first, second) == pytest.approx(2.024691, abs=1e-6)
    pair = pa.UnitaryAlignment([("a", first), ("b", second)])
    assert pair.compute_disorder(dissimilarity) == pytest.approx(2.024691, abs=1e-6)
    with pytest.warns(pa.DefinitionWarning):
        divided = pa.CombinedCategoricalDissimilarity(3, 1, 2)
    continuum = pa.Continuum.from_csv(ALEX)
    assert continuum.get_best_alignment(divided).disorder == pytest.approx(1.9212499, abs=2e-7)
    assert continuum.get_best_soft_alignment(divided).disorder == pytest.approx(1.6341666, abs=2e-7)


def distance(dissimilarity, first, second):
    units = (pa.Unit(pa.Segment(0, 1), label) for label in (first, second))
    return dissimilarity.d(*units)


def test_ordered_labels_keep_their_order():
    with pytest.warns(pa.DefinitionWarning, match="alphabetical order"):
        ordinal = pa.OrdinalCategoricalDissimilarity(["low", "mid", "high"])
    assert [distance(ordinal, *pair) for pair in (("low", "mid"), ("mid", "high"), ("low", "high"))] == [0.5, 0.5, 1]
    with pytest.warns(pa.DefinitionWarning):
        numerical = pa.NumericalCategoricalDissimilarity(["1", "2", "10"])
    assert [distance(numerical, *pair) for pair in (("1", "2"), ("2", "10"), ("1", "10"))] == pytest.approx(
        [1 / 9, 8 / 9, 1]
    )
    with pytest.warns(pa.DefinitionWarning):
        assert distance(pa.NumericalCategoricalDissimilarity([".1", ".2"]), ".1", ".2") == 1
    with pytest.raises(ValueError, match="non-numeric"):
        pa.NumericalCategoricalDissimilarity(["a"])
    with pytest.raises(ValueError, match="duplicates"):
        pa.OrdinalCategoricalDissimilarity(["a", "a"])
    with pytest.raises(ValueError, match="length"):
        pa.OrdinalCategoricalDissimilarity(["a", "b"], [1])


def test_the_order_of_the_alphabet_needs_no_warning(recwarn):
    pa.NumericalCategoricalDissimilarity(list("1234567"))
    pa.CombinedCategoricalDissimilarity(3, 1)
    assert not recwarn.list


def test_fast_alignments_are_exact():
    with pytest.warns(pa.DefinitionWarning, match="no effect"):
        result = gamma_of(fast=True)
    assert result.gamma == gamma_of().gamma
    continuum, dissimilarity = pa.Continuum.from_csv(ALEX), pa.CombinedCategoricalDissimilarity()
    continuum.measure_best_window_size(dissimilarity)
    with pytest.warns(pa.DefinitionWarning):
        fast = continuum.get_fast_alignment(dissimilarity, 1)
    assert fast.disorder == continuum.get_best_alignment(dissimilarity).disorder
    with pytest.raises(NotImplementedError):
        gamma_of(fast=True, soft=True)


def test_a_matrix_that_is_not_symmetric_is_refused():
    with pytest.raises(ValueError, match="not symmetrical"):
        pa.PrecomputedCategoricalDissimilarity(["a", "b"], np.array([[0, 1], [0.5, 0]]))
    with pytest.raises(ValueError, match="diagonal"):
        pa.PrecomputedCategoricalDissimilarity(["a", "b"], np.array([[1, 1], [1, 0]]))
    with pytest.raises(AssertionError, match="shape"):
        pa.PrecomputedCategoricalDissimilarity(["a"], np.zeros((2, 2)))


def test_false_positives_are_counted_by_units():
    reference = pa.Continuum()
    for start in range(0, 100, 10):
        reference.add("Ref", pa.Segment(start, start + 4), "xy"[start % 20 > 0])
    shuffling = pa.CorpusShufflingTool(0.5, reference)
    continuum = shuffling.corpus_from_reference(3)
    np.random.seed(1)
    with pytest.warns(pa.DefinitionWarning, match="units of the reference"):
        shuffling.false_pos_shuffle(continuum)
    assert [len(continuum[name]) for name in continuum.annotators] == [15] * 3


@pytest.mark.parametrize("prevalence", [False, True])
@pytest.mark.parametrize("overlap", [None, lambda *_: 1.0])
def test_categories_are_drawn_by_their_frequencies_if_asked(prevalence, overlap):
    reference = pa.Continuum()
    for start in range(400):
        reference.add("Ref", pa.Segment(start, start + 0.5), "rare" if start % 10 == 0 else "usual")
    shuffling = pa.CorpusShufflingTool(1.0, reference)
    continuum = shuffling.corpus_from_reference(["a", "b"])
    np.random.seed(1)
    with pytest.warns(pa.DefinitionWarning, match="other way round"):
        shuffling.category_shuffle(continuum, overlap, prevalence=prevalence)
    assert continuum.category_weights["rare"] == pytest.approx(0.1 if prevalence else 0.5, abs=0.06)


# --- as there ---


def test_labels_are_divided_by_the_longer_one_plus_one():
    labels = ["cat", "cats", "dog", "a", "b"]
    levenshtein = pa.LevenshteinCategoricalDissimilarity(labels)
    pairs = [("cat", "cats"), ("cat", "dog"), ("a", "b"), ("cats", "a")]
    assert [distance(levenshtein, *pair) for pair in pairs] == [0.2, 0.75, 0.5, 0.6]
    assert ga.distances.EditDistance().matrix(["cat", "cats"])[0, 1] == 0.25


def test_a_lone_unit_counts_in_gamma_cat():
    continuum = pa.Continuum()
    continuum.add("ann", pa.Segment(0, 10), "x")
    continuum.add("ann", pa.Segment(20, 30), "x")
    continuum.add("bob", pa.Segment(0, 10), "x")
    dissimilarity = pa.CombinedCategoricalDissimilarity()
    alignment = continuum.get_best_alignment(dissimilarity)
    assert alignment.gamma_k_disorder(dissimilarity, None) == float(Fraction(1, 2))
    assert alignment.gamma_k_disorder(dissimilarity, "y") == 1
    result = continuum.compute_gamma(dissimilarity)
    assert result.gamma_k("x") == result.gamma_cat
    with pytest.raises(TypeError):
        alignment.gamma_k_disorder(pa.PositionalSporadicDissimilarity(), None)


def test_one_unit_against_an_empty_annotator():
    continuum = pa.Continuum()
    continuum.add("Martin", pa.Segment(0, 10), "15")
    continuum.add_annotator("Martino")
    result = continuum.compute_gamma()
    assert (result.observed_disorder, result.gamma_cat, result.alignments_nb) == (2.0, 1, 1)
    assert [name for name, _ in result.best_alignment[0].n_tuple] == ["Martin", "Martino"]
    assert result.best_alignment[0, "Martino"] == ("Martino", None)
    same = _two("x", "x")
    assert same.compute_gamma().gamma == 1
    with pytest.raises(ValueError, match="No precision"):
        _ = same.compute_gamma(n_samples=2).approx_gamma_range


def _two(*labels):
    continuum = pa.Continuum()
    for annotator, label in zip("ab", labels, strict=True):
        continuum.add(annotator, pa.Segment(0, 4), label)
    return continuum


def test_a_dissimilarity_of_a_users_own():
    class Ends(pa.AbstractDissimilarity):
        def compile_d_mat(self):
            @pa.dissimilarity_dec
            def d_mat(unit1, unit2):
                return abs(unit1[1] - unit2[1])

            return d_mat

        def d(self, unit1, unit2):
            return abs(unit1.segment.end - unit2.segment.end)

    continuum = _two("x", "y")
    continuum.add("a", pa.Segment(6, 8), "y")
    continuum.add("b", pa.Segment(5, 8.5), "y")
    assert continuum.get_best_alignment(Ends()).disorder == 0.25
    combined = pa.CombinedCategoricalDissimilarity(pos_dissim=Ends())
    assert continuum.get_best_alignment(combined).disorder == 0.75
    assert continuum.get_best_soft_alignment(combined).disorder == 0.75

    class OneWay(Ends):
        def compile_d_mat(self):
            return lambda unit1, unit2: max(unit1[1] - unit2[1], 0.0)

    with pytest.raises(ValueError, match="not symmetrical"):
        OneWay()

    class Positive(Ends):
        def compile_d_mat(self):
            return lambda *_: 1.0

    with pytest.raises(ValueError, match=r"d\(u, u\) = 0"):
        Positive()


def test_tied_units_are_rather_joined_than_apart():
    continuum = pa.Continuum()
    continuum.add("a", pa.Segment(0, 4), "x")
    continuum.add("b", pa.Segment(0, 4), "y")
    assert continuum.get_best_alignment(pa.CombinedCategoricalDissimilarity(beta=2)).num_unitary_alignments == 1
    assert len(ga.align({"a": [(0, 4, "x")], "b": [(0, 4, "y")]}, beta=2)) == 2


def test_reading_and_writing(tmp_path, capsys):
    path = tmp_path / "units.csv"
    path.write_text("\ufeffann,x,0,4\nann,y,5,5\n\nbob, x,1,4\n", encoding="utf-8")
    continuum = pa.Continuum.from_csv(path)
    assert [(name, unit.annotation) for name, unit in continuum] == [("ann", "x"), ("bob", " x")]
    assert "Discarded invalid segment" in capsys.readouterr().err
    with pytest.raises(ValueError, match="duration 0"):
        pa.Continuum.from_csv(path, discard_invalid_rows=False)
    continuum.to_csv(tmp_path / "copy.csv")
    assert pa.Continuum.from_csv(tmp_path / "copy.csv") == continuum
    rttm = tmp_path / "talk.rttm"
    rttm.write_text("SPEAKER talk 1 0.5 2.0 <NA> <NA> Ann <NA> <NA>\n", encoding="utf-8")
    assert [*pa.Continuum.from_rttm(rttm)] == [("talk", pa.Unit(pa.Segment(0.5, 2.5), "Ann"))]


@pytest.mark.parametrize("use_tier", [False, True])
def test_tiers(use_tier, tmp_path):
    units = [("d", "Maureen", 0.1, 1.3, "S"), ("d", "Marvin", 1.5, 2.75, "S"), ("d", "Robin", 0.25, 2, "S")]
    corpus = ga.Corpus.from_records(units)
    for suffix, scale, add in (("TextGrid", 1, "add_textgrid"), ("eaf", 1000, "add_elan")):
        folder = tmp_path / suffix
        for name in corpus.annotators:
            ga.write(corpus.select(annotators=[name]), folder / name, format="textgrid" if scale == 1 else "elan")
        continuum = pa.Continuum()
        for path in sorted(folder.rglob(f"*.{suffix}")):
            getattr(continuum, add)("ann", path, use_tier_as_annotation=use_tier)
        assert [unit.segment.start for unit in continuum["ann"]] == [0.1 * scale, 0.25 * scale, 1.5 * scale]


def test_pyannote_objects_are_taken():
    core = pytest.importorskip("pyannote.core")
    annotation = core.Annotation()
    annotation[core.Segment(1, 5)] = "Carol"
    continuum = pa.Continuum()
    continuum.add_annotation("liza", annotation)
    continuum.add_timeline("pierrot", core.Timeline([core.Segment(2, 6)]))
    assert continuum["liza", 0] == pa.Unit(core.Segment(1, 5), "Carol")
    assert continuum["liza", 0].segment == core.Segment(1, 5)
    assert core.Segment(1, 5) == continuum["liza", 0].segment
    assert hash(continuum["liza", 0].segment) == hash(core.Segment(1, 5))
    assert repr(pa.Segment(1, 2.5)) == repr(core.Segment(1, 2.5))
    assert continuum.categories == {"Carol"}


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=2))
def test_segments_are_those_of_pyannote(bounds):
    core = pytest.importorskip("pyannote.core")
    (first, second), (theirs, other) = ([kind(*pair) for pair in bounds] for kind in (pa.Segment, core.Segment))
    assert (bool(first), first.duration, first.middle) == (bool(theirs), theirs.duration, theirs.middle)
    assert (first < second, first == second, second in first) == (theirs < other, theirs == other, other in theirs)
    assert first.intersects(second) == theirs.intersects(other)
    assert first.overlaps(3) == theirs.overlaps(3)
    if theirs and other:
        assert first | second == theirs | other
        assert [*first & second] == [*(theirs & other)] or not theirs & other
        if not theirs.intersects(other):
            assert first ^ second == theirs ^ other


def test_units_and_sets_are_copied_and_kept_as_they_are():
    unit = pa.Unit(pa.Segment(0, 1), "x")
    assert pickle.loads(pickle.dumps(unit)) == copy.deepcopy(unit) == unit  # noqa: S301  (its own)
    with pytest.raises(AttributeError, match="never changed"):
        unit.annotation = "y"
    with pytest.raises(AttributeError, match="never changed"):
        unit.segment.start = 2
    names = pa.SortedSet(["b", "a"])
    names.add("c")
    names.add("a")
    assert (names[1:], names.pop(), names.count("a"), [*reversed(names)]) == (["b", "c"], "c", 1, ["b", "a"])
    names.discard("z")
    with pytest.raises(ValueError, match="not in the set"):
        names.index("z")
    assert names.union("z") - {"a"} == {"b", "z"}
    assert names.intersection(["a"]).issubset(names.difference(["b"]))
    assert {"a", "b"} == names
    with pytest.raises(ValueError, match="gap"):
        _ = pa.Segment(0, 2) ^ pa.Segment(1, 3)


def test_continua_are_merged_with_their_categories():
    first, second = _two("x", "y"), _two("z", "y")
    merged = first + second
    assert merged.num_units == 3  # bob's are equal
    assert merged.categories == first.copy().categories | {"z"}
    assert first.merge(second, in_place=True) is None
    assert first == merged
    assert merged != second
    assert merged.max_num_annotations_per_annotator == 2
    assert merged
    assert not pa.Continuum()
    merged.remove("a", pa.Unit(pa.Segment(0, 4), "x"))
    with pytest.raises(KeyError):
        merged.remove("b", pa.Unit(pa.Segment(0, 4), "x"))
    with pytest.raises(KeyError, match="Annotator"):
        _ = merged["nobody"]
    with pytest.raises(IndexError, match="out of range"):
        _ = merged["a", 7]
    late = pa.Continuum()
    late.add("a", pa.Segment(5, 8))
    late.reset_bounds()
    assert late.bounds == (5, 8)
    assert [*late.iterunits("a")] == [*late["a"]]


def test_alignments_that_lack_or_repeat_units_are_refused():
    continuum = _two("x", "y")
    first, second = continuum["a", 0], continuum["b", 0]
    whole = pa.UnitaryAlignment([("a", first), ("b", second)])
    lone = pa.UnitaryAlignment([("a", first), ("b", None)])
    pa.Alignment([whole], continuum, check_validity=True)
    for alignment, problem in (([lone], "not in the set"), ([whole, lone], "more than once")):
        with pytest.raises(pa.SetPartitionError, match=problem):
            pa.Alignment(alignment, continuum, check_validity=True)
    pa.SoftAlignment([whole, lone], continuum, check_validity=True)
    with pytest.raises(pa.SetPartitionError, match="soft"):
        pa.SoftAlignment([lone], continuum, check_validity=True)
    with pytest.raises(ValueError, match="No continuum"):
        pa.Alignment([whole]).check()
    with pytest.raises(ValueError, match="hasn't been computed"):
        _ = lone.disorder
    three = pa.UnitaryAlignment([("a", first), ("b", second), ("c", None)])
    with pytest.raises(ValueError, match="same amount"):
        pa.Alignment([whole, three], continuum).check()
    lone.n_tuple = [("a", None), ("b", second)]
    assert lone.bounds == (0, 4)
    alignment = pa.Alignment([whole])
    assert (alignment.categories, alignment.annotators, alignment.num_annotators) == ({"x", "y"}, {"a", "b"}, 2)
    assert [*pa.Alignment([whole]).take_until_limit(3)] == []
    # two of three annotators: theirs divides by the mean number of units of the unitary alignment, 2/3
    assert three.compute_disorder(pa.PositionalSporadicDissimilarity()) == pytest.approx((2 / 3) / (2 / 3))
    whole.compute_disorder(pa.AbsoluteCategoricalDissimilarity())
    assert alignment.disorder == 1


def test_samplers_and_shuffling_refuse_what_they_cannot_use():
    continuum = pa.Continuum.from_csv(ALEX)
    sampler = pa.StatisticalContinuumSampler()
    with pytest.raises(AssertionError, match="init_sampling"):
        _ = sampler.sample_from_continuum
    with pytest.raises(AssertionError, match="empty"):
        sampler.init_sampling(pa.Continuum())
    with pytest.raises(AssertionError, match="ground truth"):
        sampler.init_sampling(continuum, ["nobody"])
    with pytest.raises(ValueError, match="different sizes"):
        sampler.init_sampling_custom(["a"], 1, 0, 1, 0, 1, 0, ["x", "y"], [1.0])
    late = pa.Continuum()
    late.add("a", pa.Segment(0, 1))
    with pytest.raises(AssertionError, match="two annotators"):
        late.get_best_alignment()
    with pytest.warns(pa.DefinitionWarning, match="several annotators"):
        shuffling = pa.CorpusShufflingTool(0.0, continuum, ["further"])
    assert "further" in continuum.categories
    with pytest.raises(AssertionError, match="same name"):
        shuffling.corpus_shuffle(["Alex"], include_ref=True)
    copies = shuffling.corpus_shuffle(2, shift=True, false_neg=True, split=True, include_ref=True)
    assert copies.annotators == {"Alex", "annotator_0", "annotator_1"}
    assert copies["annotator_0"] == continuum["Alex"]


@pytest.mark.parametrize("magnitude", [0.3, 1.0])
def test_shuffled_copies_keep_a_unit_and_their_number_of_splits(magnitude):
    reference = pa.Continuum()
    for start in range(0, 40, 10):
        reference.add("Ref", pa.Segment(start, start + 4), "x")
    shuffling = pa.CorpusShufflingTool(magnitude, reference)
    np.random.seed(3)
    copies = shuffling.corpus_shuffle(5, split=True)
    assert {len(copies[name]) for name in copies.annotators} == {4 + int(2.5 * 4 * magnitude)}
    copies = shuffling.corpus_shuffle(5, false_neg=True)
    assert all(len(copies[name]) >= 1 for name in copies.annotators)


def test_pictures_show_continua_and_covers():
    continuum = pa.Continuum.from_csv(ALEX)
    assert pa.show_continuum(continuum).count("data-unit") == 16
    assert continuum._repr_html_().startswith("<svg")
    picture = pa.show_alignment(continuum.get_best_soft_alignment())
    assert "in 3 unitary alignments" in picture
    assert pa.Continuum.from_csv(ALEX).get_best_alignment()._repr_html_().count("data-unit") == 16
    with pytest.raises(ValueError, match="without a continuum"):
        pa.show_alignment(pa.Alignment([]))


@pytest.mark.surfaces
def test_the_layer_is_loaded_only_if_it_is_imported():
    code = "import sys, gamma_align; print([name for name in sys.modules if name.startswith('gamma_align.compat')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
