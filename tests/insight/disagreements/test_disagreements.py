"""Disorder of unitary alignments in parts that add up, the tables of it, and the command."""

from __future__ import annotations

import itertools
import json
import math
import re

import numpy as np
import oracles
import pytest
from command_line import run
from hypothesis import given
from places import CORPORA
from strategies import cases, continuum_of, larger_case, settings_of_weights

import gamma_align as ga

NOVELS = CORPORA / "novels_ner"
TABLES = ("kinds", "documents", "annotators", "categories", "lengths")
SIZES = [
    *(NOVELS, CORPORA / "hearst_kazantseva"),
    *(pytest.param(CORPORA / name, marks=pytest.mark.release) for name in ("btc_crowd", "dreem_sleep_dodh")),
    *sorted((CORPORA / "pygamma").glob("*.csv"))[:6],
    CORPORA / "formats" / "brat" / "multi_annotator_project",
]


def disagreements_of(source, **options):
    return ga.disagreements(source, samples=2, **options)


@pytest.fixture(scope="module")
def novels():
    return ga.disagreements(NOVELS, samples=30, seed=7)


def parts_definition(units, n, weights):
    """Return missing, position and category of a unitary alignment, summed over pairs of annotators."""
    unit_of = {unit[0]: unit for unit in units}
    parts = [0.0, 0.0, 0.0]
    for first, second in itertools.combinations(range(n), 2):
        if first in unit_of and second in unit_of:
            pair = unit_of[first], unit_of[second]
            parts[1] += weights.alpha * oracles.positional_definition(*pair, weights.delta_empty)
            parts[2] += weights.beta * oracles.categorial_definition(*pair, weights.delta_empty)
        else:
            parts[0] += weights.delta_empty
    return [part / math.comb(n, 2) for part in parts]


def check_against_definition(case, weights):
    continuum = continuum_of(case)
    names = {"alpha": weights.alpha, "beta": weights.beta, "delta_empty": weights.delta_empty}
    result = disagreements_of(continuum, **names)
    units, (_, n) = oracles.units_of(continuum), case
    assert sorted(set(result.group.tolist())) == list(range(result.alignments))
    for number in range(result.alignments):
        members = [units[index] for index in np.flatnonzero(result.group == number)]
        assert result.parts[number] == pytest.approx(parts_definition(members, n, weights), abs=1e-12)
        assert result.unitary_disorders[number] == pytest.approx(
            oracles.unitary_disorder_definition(members, n, weights), abs=1e-12
        )
    alignment = ga.align(continuum, **names)
    assert math.fsum(result.unitary_disorders) == pytest.approx(alignment.disorder * continuum.mean_units, abs=1e-9)


@given(case=cases(), weights=settings_of_weights())
def test_parts_equal_the_definition(case, weights):
    check_against_definition(case, weights)


@pytest.mark.parametrize("seed", range(4))
def test_parts_of_larger_cases_equal_the_definition(seed):
    rng = np.random.default_rng(seed)
    check_against_definition(larger_case(rng, int(rng.integers(2, 6)), 12), oracles.Weights(2.0, 0.5, 1.5))


@pytest.mark.parametrize("path", SIZES, ids=lambda path: path.name)
def test_parts_and_tables_add_up_to_the_observed_disorder(path):
    result = disagreements_of(path)
    total = result.gamma.gamma.observed * sum(
        row.units / row.annotators for row in result.gamma.documents if not math.isnan(row.gamma.observed)
    )
    assert result.disorder.disorder == pytest.approx(total, rel=1e-9, abs=1e-12)
    assert np.abs(result.parts.sum(axis=1) - result.unitary_disorders).max(initial=0) < 1e-9
    for name in TABLES:
        rows = [row.disorder for row in getattr(result, name)]
        assert math.fsum(row.disorder for row in rows) == pytest.approx(total, rel=1e-9, abs=1e-12), name
        assert all(abs(row.missing + row.position + row.category - row.disorder) < 1e-9 for row in rows), name
        assert math.fsum(row.share for row in rows) == pytest.approx(1.0 if total else 0.0, abs=1e-9)
        assert [row.disorder for row in rows] == sorted((row.disorder for row in rows), reverse=True)
    of_words = math.fsum(row.disorder.disorder for row in result.words)
    assert of_words == pytest.approx(total if result.corpus.texts else 0.0, rel=1e-9)


def test_each_unit_is_in_one_alignment_and_each_disagreement_in_one_kind(novels):
    assert sum(len(row.units) for row in novels.disagreements) < novels.corpus.n_units
    counts = np.bincount([row.kind for row in novels.disagreements], minlength=len(novels.kinds))
    assert counts.tolist() == [row.alignments for row in novels.kinds]
    for number, kind in enumerate(novels.kinds):
        example = next(row for row in novels.disagreements if row.number == kind.example)
        assert (example.kind, example.reason) == (number, kind.reason)
        same = sorted(row.disorder.disorder for row in novels.disagreements if row.kind == number)
        assert example.disorder.disorder == same[len(same) // 2]


def test_golden_values_of_the_novels(novels):
    assert (novels.alignments, len(novels.disagreements)) == (3066, 1058)
    total = novels.disorder
    assert [round(100 * part / total.disorder) for part in total[1:4]] == [93, 4, 3]
    counts = {row.annotator: (row.marks_alone, row.leaves_out_alone) for row in novels.annotators}
    assert counts == {"user1": (11, 148), "user2": (116, 381), "user3": (74, 144)}
    assert [(row[0], row[1], row[2]) for row in novels.confusion] == [
        ("PERSON", "PERSON", 939),
        ("PERSON", "PERX", 65),
        ("PERX", "PERX", 6245),
    ]
    assert [(row.words, row.disputed, row.occurrences) for row in novels.words[:4]] == [
        *(("his", 123, 124), ("her", 107, 176), ("my", 109, 109), ("you", 33, 197)),
    ]
    assert len(novels.words) == 439
    assert [row.document for row in novels.documents[:2]] == ["VanityFair", "Frankenstein"]
    spaces = [row for row in novels.kinds if row.shape == "spaces only"]
    assert sum(row.alignments for row in spaces) == 18


def test_lengths_are_thirds_of_all_units(novels):
    rows = {(row.category, row.length): row for row in novels.lengths}
    lengths = np.sort(novels.corpus.end - novels.corpus.start)
    assert sum(row.units for row in rows.values()) == novels.corpus.n_units
    for third, name in enumerate(("short", "middle", "long")):
        of_third = [row for (_, length), row in rows.items() if length == name]
        assert min(row.shortest for row in of_third) > (lengths[third * len(lengths) // 3 - 1] if third else 0)
        assert max(row.longest for row in of_third) <= lengths[-(-(third + 1) * len(lengths) // 3) - 1]
    in_category = {row.category: (row.units, row.disputed) for row in novels.categories}
    for label, counts in in_category.items():
        of_label = [row for (category, _), row in rows.items() if category == label]
        assert (sum(row.units for row in of_label), sum(row.disputed for row in of_label)) == counts


def differs_from_most(units, name, annotators):
    """Return whether the unit (or its absence) of an annotator differs from more than half of the others."""
    unit_of = {unit.annotator: (unit.start, unit.end, unit.category) for unit in units}
    n_different = sum(unit_of.get(name) != unit_of.get(opposite) for opposite in annotators if opposite != name)
    return 2 * n_different > len(annotators) - 1


@pytest.mark.parametrize("name", ["novels_ner", "hearst_kazantseva", "btc_crowd"])
def test_disagreements_of_an_annotator_differ_from_the_majority(name):
    all_disagreements = disagreements_of(CORPORA / name)
    annotators = {document: all_disagreements.corpus[document].annotators for document in all_disagreements.corpus}
    for annotator in all_disagreements.corpus.annotators[:3]:
        selected = disagreements_of(CORPORA / name, annotator=annotator)
        assert {row.number for row in selected.disagreements} == {
            row.number
            for row in all_disagreements.disagreements
            if annotator in annotators[row.document]
            and differs_from_most(row.units, annotator, annotators[row.document])
        }
        assert selected.disorder.disorder == pytest.approx(sum(row.disorder.disorder for row in selected.disagreements))
        assert all(pattern.annotator == annotator for pattern in selected.to_settle)
        assert selected.gamma == all_disagreements.gamma


@pytest.mark.parametrize("path", [NOVELS, CORPORA / "hearst_kazantseva"], ids=lambda path: path.name)
def test_pairs_count_the_alignments_in_which_they_differ(path):
    result = disagreements_of(path, pairs=True)
    annotators = {name: set(result.corpus[name].annotators) for name in result.corpus}
    measured = ga.pairwise(path, samples=2)
    assert {row[:2] for row in result.pairs} == set(measured.pairs)
    for row in result.pairs:
        shared = [
            disagreement
            for disagreement in result.disagreements
            if {row.first, row.second} <= annotators[disagreement.document]
        ]
        unit_maps = [{unit.annotator: unit[1:] for unit in disagreement.units} for disagreement in shared]
        assert row.differ == sum(units.get(row.first) != units.get(row.second) for units in unit_maps)
        assert row.gamma == measured.pairs[row[:2]].gamma
        assert row.documents == len(measured.pairs[row[:2]].documents)
    assert {row.annotator: row.gamma for row in result.with_others} == measured.against_others()
    assert disagreements_of(path).pairs == disagreements_of(path).with_others == ()


def test_an_unknown_annotator_is_refused_with_a_suggestion():
    with pytest.raises(ga.SettingsError, match="not 'usr1'; did you mean user1"):
        disagreements_of(NOVELS, annotator="usr1")


def kind_of(units, texts=None, annotators=("ann", "bob", "cy")):
    """Return the kind of the one disagreement of a document."""
    corpus = ga.Corpus.from_records(
        [("d", *unit) for unit in units], annotations=[("d", name) for name in annotators], extents={"d": (0, 100)}
    )
    if texts:
        corpus = ga.Corpus(**{name: getattr(corpus, name) for name in corpus.__slots__} | {"texts": (texts,)})
    (kind,) = disagreements_of(corpus).kinds
    return kind


TEXT = "the old man, and the sea"
SHAPES = {
    "one unit": [("ann", 0, 4, "x")],
    "same bounds": [("ann", 0, 4, "x"), ("bob", 0, 4, "y")],
    "spaces only": [("ann", 4, 11, "x"), ("bob", 4, 12, "x")],
    "same start": [("ann", 4, 7, "x"), ("bob", 4, 11, "x")],
    "same end": [("ann", 0, 11, "x"), ("bob", 4, 11, "x")],
    "nested": [("ann", 0, 15, "x"), ("bob", 4, 11, "x")],
    "overlapping": [("ann", 0, 10, "x"), ("bob", 4, 15, "x")],
    "disjoint": [("ann", 0, 10, "x"), ("bob", 10, 19, "x")],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_is_recognised(shape):
    annotators = ("ann", "bob") if shape != "same bounds" else ("ann", "bob", "cy")
    weights = {"alpha": 0.5}
    corpus = ga.Corpus.from_records(
        [("d", *unit) for unit in SHAPES[shape]], annotations=[("d", name) for name in annotators]
    )
    with_text = ga.Corpus(**{name: getattr(corpus, name) for name in corpus.__slots__} | {"texts": (TEXT,)})
    (kind,) = ga.disagreements(with_text, samples=2, **weights).kinds
    assert kind.shape == shape
    if shape == "spaces only":
        assert ga.disagreements(corpus, samples=2, **weights).kinds[0].shape == "same start"


def test_at_most_two_annotators_of_a_kind_are_named():
    annotators = ("a", "b", "c", "d", "e", "f")
    kind = kind_of([(name, 0, 4, "x") for name in annotators[:4]], annotators=annotators)
    assert (kind.absent, kind.present) == (("e", "f"), None)
    kind = kind_of([("b", 0, 4, "x")], annotators=annotators)
    assert (kind.absent, kind.present) == (None, ("b",))
    kind = kind_of([(name, 0, 4, "x") for name in annotators[:3]], annotators=annotators)
    assert (kind.absent, kind.present) == (None, None)


def test_a_kind_has_the_two_most_frequent_categories():
    annotators = ("a", "b", "c", "d", "e")
    labels = ("z", "z", "x", "y", "y")
    kind = kind_of([(name, 0, 4, label) for name, label in zip(annotators, labels, strict=True)], annotators=annotators)
    assert (kind.reason, kind.categories) == ("category", ("y", "z"))
    assert kind_of([("ann", 0, 4, None)]).categories == (None,)


def test_documents_of_one_annotator_have_no_disagreements():
    units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 4, "x"), ("d2", "ann", 0, 4, "x")]
    result = disagreements_of(ga.Corpus.from_records(units))
    assert result.group.tolist() == [0, 0, -1]
    assert [row.document for row in result.disagreements] == ["d1"]
    assert [(row.document, row.alignments) for row in result.documents] == [("d1", 1), ("d2", 0)]


def test_a_corpus_without_disorder_has_no_disagreements():
    result = disagreements_of({"ann": [(0, 4, "x")], "bob": [(0, 4, "x")]})
    assert (result.disagreements, result.kinds, result.to_settle) == ((), (), ())
    assert result.disorder.disorder == 0.0
    assert [row.disorder.share for row in result.categories] == [0.0]


def test_order_of_rows_and_names_of_annotators_do_not_change_disorder():
    corpus = ga.read(NOVELS)
    tables = corpus.to_tables()
    order = np.random.default_rng(1).permutation(corpus.n_units)
    units = {name: column[order] for name, column in tables.units.items()}
    shuffled = ga.Corpus.from_columns(units, annotations=tables.annotations, documents=tables.documents)
    plain = ga.Corpus.from_columns(tables.units, annotations=tables.annotations, documents=tables.documents)
    assert disagreements_of(shuffled) == disagreements_of(plain)
    renamed = disagreements_of(plain.rename(annotators={"user1": "zoe"}))
    assert [row.disorder for row in renamed.disagreements] == [
        row.disorder for row in disagreements_of(plain).disagreements
    ]
    assert sorted(row.alignments for row in renamed.kinds) == sorted(
        row.alignments for row in disagreements_of(plain).kinds
    )


def test_leave_one_out_measures_the_corpus_without_each_annotator():
    result = ga.disagreements(NOVELS, samples=30, seed=7, leave_one_out=True)
    rows = {row.annotator: (round(row.gamma, 3), round(row.change, 2)) for row in result.left_out}
    assert list(rows) == ["user1", "user3", "user2"]
    assert rows == {"user1": (0.822, -0.06), "user3": (0.840, -0.04), "user2": (0.908, 0.03)}
    remaining = ga.gamma(ga.read(NOVELS).drop(annotators="user1"), samples=30, seed=7)
    assert result.left_out[0].gamma == remaining.gamma
    two = ga.disagreements({"ann": [(0, 4, "x")], "bob": [(1, 4, "x")]}, samples=3, leave_one_out=True)
    assert [row.gamma.reason for row in two.left_out] == ["one annotator only"] * 2


SPANS = [(10 * number, 10 * number + 4 + number % 3, "xyz"[number % 3]) for number in range(8)]


@pytest.mark.parametrize(
    "seen",
    [
        {"d1": "abc", "d2": "abc"},  # without one of three, the corpus of a pair
        {"d1": "abc", "d2": "ab", "d3": "b"},  # a document has one annotator only without the third
        {"d1": "abc", "d2": "b"},  # one document is measured
        {"d1": "abcd", "d2": "ab", "d3": "e"},  # one annotator shares no document
        {"d1": "ab", "e": "c"},
        {"d1": "ab", "d2": "ab", "e": "c"},
    ],
    ids=["pairs", "fewer documents", "one document", "alone", "alone beside one", "alone beside two"],
)
@pytest.mark.parametrize("settings", [{}, {"samples": 5, "chance": "pooled"}], ids=["own chance", "pooled chance"])
def test_without_each_annotator_is_the_corpus_of_the_others(seen, settings):
    check_left_out(seen, settings)


def test_without_an_annotator_samples_of_other_documents_are_drawn_again():
    check_left_out({"d1": "ab", "d2": "ab", "e": "c"}, {"samples": 5, "sampler": "documents"})


def check_left_out(seen, settings):
    """Compare γ without each annotator with γ of a corpus in which the annotators of each document are `seen`."""
    units = [
        (document, name, start + shift, end + shift * (start % 3), label)
        for document, names in seen.items()
        for shift, name in enumerate(names)
        for start, end, label in SPANS[shift:]
    ]
    corpus = ga.Corpus.from_records(units, extents=dict.fromkeys(seen, (0, 100)))
    result = ga.disagreements(corpus, leave_one_out=True, pairs=True, **settings)
    assert len(result.left_out) == len(corpus.annotators)
    for row in result.left_out:
        remaining = corpus.drop(annotators=row.annotator)
        if remaining.n_annotators.max() < 2:
            assert row.gamma.reason == "one annotator only"
            continue
        alone = ga.gamma(remaining, **settings)
        assert (repr(row.gamma), repr(row.gamma_cat)) == (repr(alone.gamma), repr(alone.gamma_cat))
        assert row.gamma.value == pytest.approx(alone.gamma.value, rel=1e-12, nan_ok=True)
        assert row.change == pytest.approx(alone.gamma.value - result.gamma.gamma.value, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("level", ["alignment", "kind", "document", "annotator", "category", "words", "confusion"])
def test_each_table_is_a_data_frame(novels, level):
    rows = {"alignment": 1058, "document": 12, "annotator": 3, "category": 2, "words": 439, "confusion": 3}
    frame = novels.to_frame(level=level)
    assert len(frame) == rows.get(level, len(novels.kinds))
    if level != "confusion":
        assert frame["disorder"].sum() == pytest.approx(novels.disorder.disorder)
    with pytest.raises(ga.SettingsError, match="level must be one of 'alignment', 'kind'"):
        novels.to_frame(level="pair")


@pytest.mark.parametrize("level", ["category", "length"])
def test_the_label_of_a_category_is_a_column_beside_the_parts_of_disorder(novels, level):
    frame = novels.to_frame(level=level)
    assert set(frame["label"]) == {"PERSON", "PERX"}
    assert frame[["missing", "position", "category"]].sum(axis=1).tolist() == pytest.approx(frame["disorder"].tolist())


def test_the_command_prints_text_csv_and_json(tmp_path):
    done = run("disagreements", NOVELS, "--samples", 3, "--rows", 2, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1  user2 leaves out “his”, “my”, “her”, “your”, “their”, “our”" in done.stdout
    assert "  … and 1056 more: --rows N shows more, --json all" in done.stdout
    done = run("disagreements", NOVELS, "--samples", 3, "--csv", "-o", tmp_path / "out.csv", "--quiet")
    assert done.returncode == 0
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("number,document,start,end,disorder,missing,position,category,share,reason,kind,words")
    assert len(lines) == 1059
    done = run("disagreements", NOVELS, "--samples", 3, "--json", "--quiet")
    assert len(json.loads(done.stdout)["disagreements"]) == 1058


def test_the_command_prints_agreement_without_questions(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text("annotator,start,end\nann,0,4\nbob,0,4\n")
    done = run("disagreements", path, "--samples", 3)
    assert done.returncode == 0
    assert "1 of 1 unitary alignment without any disorder" in done.stdout
    assert "What to settle" not in done.stdout


def test_the_command_says_that_it_found_no_cause():
    done = run("disagreements", CORPORA / "pygamma" / "AlexPaulSuzan.csv", "--samples", 3, "--quiet")
    assert re.search(r"What to settle: none of the \d+ kinds of cause looked for explains", done.stdout)
    assert "  not looked for: words that one annotator treats differently, because no text is known\n" in done.stdout
    assert "     0.67     0.67                      AlexPaulSuzan  32–36  Alex 6, Suzan 6\n" in done.stdout
