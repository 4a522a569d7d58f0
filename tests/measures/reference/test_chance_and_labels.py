"""Chance from the units of the reference, and labels of a system mapped onto the reference's."""

import itertools
import math

import numpy as np
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga
from gamma_align.chance.sampler import ShiftSampler
from gamma_align.errors import SettingsError
from gamma_align.measures.gamma.gamma_reasons import NOT_SAMPLED
from gamma_align.measures.reference.label_mapping import translate_labels
from gamma_align.measures.reference.pairings import pairs_with_reference

GOLD = [("d", "gold", 0, 4, "x"), ("d", "gold", 10, 15, "y"), ("d", "gold", 30, 31, "x")]
SHORT = [("d", "short", 0, 4, "x")]
LONG = [("d", "long", start, start + 9, "z") for start in range(0, 80, 10)]
ENDS = [("d", "gold", 99, 100, "y")]  # the same extent, whatever the system marks
QUICK = {"measures": "gamma", "samples": 40}


def evaluated(units, **options):
    return ga.evaluate(ga.Corpus.from_records(units), reference="gold", **QUICK, **options)


# --- chance ---


def test_chance_from_the_reference_does_not_depend_on_the_system():
    short, long = evaluated([*GOLD, *ENDS, *SHORT, *LONG], chance_from="reference").systems
    assert short.agreement["gamma"].expected == long.agreement["gamma"].expected
    assert short.agreement["gamma"].observed != long.agreement["gamma"].observed
    short, long = evaluated([*GOLD, *ENDS, *SHORT, *LONG]).systems
    assert short.agreement["gamma"].expected != long.agreement["gamma"].expected


def test_samples_are_shifted_units_of_the_reference():
    corpus = ga.Corpus.from_records([*GOLD, *ENDS, *SHORT, *LONG])
    sampler = ShiftSampler(corpus, seed=3, chance_from=["gold"])
    batch = sampler.sample(np.zeros(50, dtype=np.int64), np.arange(50))
    assert batch.n_annotators.tolist() == [3] * 50  # as many rows as there are annotators
    expected = sorted((end - start, label) for _, _, start, end, label in [*GOLD, *ENDS])
    rows = {}
    columns = (batch.instance, batch.annotator, batch.end - batch.start, batch.category)
    for instance, row, length, code in zip(*(column.tolist() for column in columns), strict=True):
        rows.setdefault((instance, row), []).append((length, corpus.categories[code]))
    assert len(rows) == 150
    assert all(sorted(row) == expected for row in rows.values())


@pytest.mark.parametrize("names", [["gold", "short"], ["short", "long"], ["long"]])
def test_samples_are_drawn_from_the_named_annotators(names):
    corpus = ga.Corpus.from_records([*GOLD, *SHORT, *LONG])
    batch = ShiftSampler(corpus, seed=3, chance_from=names).sample(np.zeros(60, dtype=np.int64), np.arange(60))
    sizes = {"gold": 3, "short": 1, "long": 8}
    counts = np.bincount(batch.instance * 3 + batch.annotator, minlength=180)
    assert set(counts.tolist()) == {sizes[name] for name in names}


def test_samples_are_drawn_from_all_annotators_by_default():
    corpus = ga.read(CORPORA / "novels_ner")
    document = np.arange(len(corpus))
    numbers = document + 3
    plain, named = (
        ShiftSampler(corpus, seed=1, **options).sample(document, numbers)
        for options in ({}, {"chance_from": corpus.annotators})
    )
    for name in ("instance", "annotator", "start", "end", "category"):
        assert np.array_equal(getattr(plain, name), getattr(named, name))


def test_documents_without_units_of_the_reference_do_not_count():
    empty = [("e", "short", 0, 4, "x"), ("e", "short", 6, 9, "y")]
    corpus = ga.Corpus.from_records(
        [*GOLD, *SHORT, *empty], annotations=[("e", "gold"), ("e", "short"), ("d", "gold"), ("d", "short")]
    )
    result = ga.evaluate(corpus, reference="gold", chance_from="reference", **QUICK)
    without_empty = evaluated([*GOLD, *SHORT], chance_from="reference")
    assert result.systems[0].agreement["gamma"].value == without_empty.systems[0].agreement["gamma"].value
    assert "short: 1 document has no unit by 'gold' to make samples of, and no value" in result.notes
    nothing = ga.Corpus.from_records(empty, annotations=[("e", "gold"), ("e", "short")])
    value = ga.evaluate(nothing, reference="gold", chance_from="reference", **QUICK).systems[0].agreement["gamma"]
    assert (value.reason, math.isnan(value.value)) == (NOT_SAMPLED, True)


def test_signature_and_settings_contain_the_source_of_chance():
    result = evaluated([*GOLD, *SHORT], chance_from="reference")
    assert "|from:gold|" in result.systems[0].gamma_signature
    assert result.to_dict()["settings"]["chance_from"] == "reference"
    assert result.to_dict()["settings"]["gamma"]["chance_from"] == ["gold"]
    assert "from:" not in evaluated([*GOLD, *SHORT]).systems[0].gamma_signature
    with pytest.raises(SettingsError, match="chance_from must be one of both, reference, not 'gold'"):
        evaluated([*GOLD, *SHORT], chance_from="gold")


def test_command_line_has_options_for_chance_and_labels():
    arguments = ("evaluate", CORPORA / "novels_ner", "--reference", "user3", "--samples", 4, "--quiet")
    done = run(*arguments, "--measures", "spans,gamma", "--chance-from", "reference", "--map-labels")
    assert done.returncode == 0
    assert "labels:mapped" in done.stdout
    assert "|from:user3|" in done.stdout


# --- labels ---


def test_labels_are_mapped_onto_the_references():
    units = [(document, name, start, end, label) for document, name, start, end, label in [*GOLD, *SHORT]]
    system = [("d", "sys", 0, 4, "1"), ("d", "sys", 10, 15, "2"), ("d", "sys", 30, 31, "1"), ("d", "sys", 50, 51, "3")]
    plain = evaluated([*units, *system], map_labels=False).systems
    mapped = ga.evaluate([*units, *system], reference="gold", map_labels=True, samples=40, measures="spans,gamma")
    by_name = {score.system: score for score in mapped.systems}
    assert by_name["sys"].label_mapping == {"1": "x", "2": "y", "3": "3"}
    assert by_name["short"].label_mapping == {"x": "x"}
    assert "sys: labels are read as the reference's: '1' as 'x', '2' as 'y'" in mapped.notes
    assert not [note for note in mapped.notes if note.startswith("short: labels")]
    assert by_name["sys"].counts["correct"] == 3
    renamed = [
        (document, name, start, end, {"1": "x", "2": "y"}.get(label, label))
        for document, name, start, end, label in system
    ]
    same = {score.system: score for score in evaluated([*units, *renamed]).systems}
    for name in ("gamma", "gamma_cat"):
        assert by_name["sys"].agreement[name] == same["sys"].agreement[name]
    assert plain[1].agreement["gamma"].value < by_name["sys"].agreement["gamma"].value


def test_label_without_a_counterpart_stays_distinct():
    units = {
        "gold": [(0, 10, "x"), (10, 14, "y")],
        "sys": [(0, 10, "a"), (10, 14, "b"), (20, 21, "x"), (30, 31, "x (no counterpart)")],
    }
    (system,) = ga.evaluate(units, reference="gold", measures="spans", map_labels=True).systems
    read = system.label_mapping
    assert (read["a"], read["b"]) == ("x", "y")
    assert len({*read.values()}) == 4
    assert system.counts == {"correct": 2, "boundary": 0, "label": 0, "both": 0, "missed": 0, "spurious": 2}


def test_units_without_a_label_are_not_mapped():
    units = {"gold": [(0, 10, "x")], "sys": [(0, 10, None), (0, 9, "a")]}
    (system,) = ga.evaluate(units, reference="gold", measures="spans", map_labels=True, cases="spurious").systems
    assert system.label_mapping == {"a": "x"}
    assert {case.system[2] for case in system.cases} <= {None, "x"}


UNITS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6), st.sampled_from("abcd")), min_size=1, max_size=8)


@given(UNITS, UNITS, UNITS)
def test_no_other_mapping_has_a_longer_overlap(gold, first, second):
    sides = {"gold": gold, "one": first, "two": second}
    records = [
        ("d", name, start, start + length, label) for name, units in sides.items() for start, length, label in units
    ]
    corpus = ga.Corpus.from_records(records)
    slots = pairs_with_reference(corpus, corpus.annotators.index("gold"))
    new, mapping = translate_labels(corpus, slots)
    assert np.array_equal(new.start, corpus.start)

    def overlap(units, names):
        return sum(
            max(0, min(s + n, t + m) - max(s, t))
            for (s, n, label), (t, m, label_of_system) in itertools.product(gold, units)
            if names.get(label_of_system) == label
        )

    targets = sorted({label for *_, label in gold})
    for name, units in (("one", first), ("two", second)):
        labels = sorted({label for *_, label in units})
        assert sorted(mapping[name]) == labels
        assert len({*mapping[name].values()}) == len(labels)
        # a label may be mapped onto none
        permutations = itertools.permutations([*targets, *[None] * len(labels)], len(labels))
        best = max(overlap(units, dict(zip(labels, permutation, strict=True))) for permutation in permutations)
        assert overlap(units, mapping[name]) == best


def test_signature_and_json_contain_the_mapping_of_labels():
    result = ga.evaluate(
        {"gold": [(0, 4, "x")], "sys": [(0, 4, "1")]}, reference="gold", measures="spans", map_labels=True
    )
    assert "|labels:mapped|" in result.signature
    data = result.to_dict()
    assert data["settings"]["map_labels"] is True
    assert data["systems"][0]["label_mapping"] == {"1": "x"}
