"""Chance from the reference's units alone, and a system's labels read as the reference's."""

import itertools
import math

import numpy as np
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import SettingsError
from gamma_align.measures.gamma.gamma_result import NOT_SAMPLED
from gamma_align.measures.gamma.sampler import ShiftSampler
from gamma_align.measures.reference.label_mapping import translate_labels
from gamma_align.measures.reference.pairings import pairs_with_reference

GOLD = [("d", "gold", 0, 4, "x"), ("d", "gold", 10, 15, "y"), ("d", "gold", 30, 31, "x")]
FEW = [("d", "few", 0, 4, "x")]
MANY = [("d", "many", start, start + 9, "z") for start in range(0, 80, 10)]
ENDS = [("d", "gold", 99, 100, "y")]  # the same extent, whatever the system marks
QUICK = {"measures": "gamma", "samples": 40}


def evaluated(units, **options):
    return ga.evaluate(ga.Corpus.from_records(units), reference="gold", **QUICK, **options)


# --- chance ---


def test_what_a_system_marks_changes_nothing_in_chance_from_the_reference():
    few, many = evaluated([*GOLD, *ENDS, *FEW, *MANY], chance_from="reference").systems
    assert few.agreement["gamma"].expected == many.agreement["gamma"].expected
    assert few.agreement["gamma"].observed != many.agreement["gamma"].observed
    few, many = evaluated([*GOLD, *ENDS, *FEW, *MANY]).systems
    assert few.agreement["gamma"].expected != many.agreement["gamma"].expected


def test_samples_are_the_references_units_moved():
    corpus = ga.Corpus.from_records([*GOLD, *ENDS, *FEW, *MANY])
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


@pytest.mark.parametrize("names", [["gold", "few"], ["few", "many"], ["many"]])
def test_others_are_never_drawn(names):
    corpus = ga.Corpus.from_records([*GOLD, *FEW, *MANY])
    batch = ShiftSampler(corpus, seed=3, chance_from=names).sample(np.zeros(60, dtype=np.int64), np.arange(60))
    sizes = {"gold": 3, "few": 1, "many": 8}
    counts = np.bincount(batch.instance * 3 + batch.annotator, minlength=180)
    assert set(counts.tolist()) == {sizes[name] for name in names}


def test_all_annotators_named_are_the_default():
    corpus = ga.read(CORPORA / "novels_ner")
    document = np.arange(len(corpus))
    numbers = document + 3
    plain, named = (
        ShiftSampler(corpus, seed=1, **options).sample(document, numbers)
        for options in ({}, {"chance_from": corpus.annotators})
    )
    for name in ("instance", "annotator", "start", "end", "category"):
        assert np.array_equal(getattr(plain, name), getattr(named, name))


def test_documents_in_which_the_reference_has_no_unit_do_not_count():
    empty = [("e", "few", 0, 4, "x"), ("e", "few", 6, 9, "y")]
    corpus = ga.Corpus.from_records(
        [*GOLD, *FEW, *empty], annotations=[("e", "gold"), ("e", "few"), ("d", "gold"), ("d", "few")]
    )
    result = ga.evaluate(corpus, reference="gold", chance_from="reference", **QUICK)
    alone = evaluated([*GOLD, *FEW], chance_from="reference")
    assert result.systems[0].agreement["gamma"].value == alone.systems[0].agreement["gamma"].value
    assert "few: 1 document has no unit by 'gold' to make samples of, and no value" in result.notes
    nothing = ga.Corpus.from_records(empty, annotations=[("e", "gold"), ("e", "few")])
    value = ga.evaluate(nothing, reference="gold", chance_from="reference", **QUICK).systems[0].agreement["gamma"]
    assert (value.reason, math.isnan(value.value)) == (NOT_SAMPLED, True)


def test_chance_is_named_in_signature_and_settings():
    result = evaluated([*GOLD, *FEW], chance_from="reference")
    assert "|from:gold|" in result.systems[0].gamma_signature
    assert result.to_dict()["settings"]["chance_from"] == "reference"
    assert result.to_dict()["settings"]["gamma"]["chance_from"] == ["gold"]
    assert "from:" not in evaluated([*GOLD, *FEW]).systems[0].gamma_signature
    with pytest.raises(SettingsError, match="chance_from: must be one of both, reference, not 'gold'"):
        evaluated([*GOLD, *FEW], chance_from="gold")


def test_the_command_line_takes_both():
    arguments = ("evaluate", CORPORA / "novels_ner", "--reference", "user3", "--samples", 4, "--quiet")
    done = run(*arguments, "--measures", "spans,gamma", "--chance-from", "reference", "--map-labels")
    assert done.returncode == 0
    assert "labels:mapped" in done.stdout
    assert "|from:user3|" in done.stdout


# --- labels ---


def test_labels_of_other_names_are_read_as_the_references():
    units = [(document, name, start, end, label) for document, name, start, end, label in [*GOLD, *FEW]]
    system = [("d", "sys", 0, 4, "1"), ("d", "sys", 10, 15, "2"), ("d", "sys", 30, 31, "1"), ("d", "sys", 50, 51, "3")]
    plain = evaluated([*units, *system], map_labels=False).systems
    mapped = ga.evaluate([*units, *system], reference="gold", map_labels=True, samples=40, measures="spans,gamma")
    by_name = {each.system: each for each in mapped.systems}
    assert by_name["sys"].label_mapping == {"1": "x", "2": "y", "3": "3"}
    assert by_name["few"].label_mapping == {"x": "x"}
    assert "sys: labels are read as the reference's: '1' as 'x', '2' as 'y'" in mapped.notes
    assert not [note for note in mapped.notes if note.startswith("few: labels")]
    assert by_name["sys"].counts["correct"] == 3
    renamed = [
        (document, name, start, end, {"1": "x", "2": "y"}.get(label, label))
        for document, name, start, end, label in system
    ]
    same = {each.system: each for each in evaluated([*units, *renamed]).systems}
    for name in ("gamma", "gamma_cat"):
        assert by_name["sys"].agreement[name] == same["sys"].agreement[name]
    assert plain[1].agreement["gamma"].value < by_name["sys"].agreement["gamma"].value


def test_a_label_without_a_counterpart_stays_another_label():
    units = {
        "gold": [(0, 10, "x"), (10, 14, "y")],
        "sys": [(0, 10, "a"), (10, 14, "b"), (20, 21, "x"), (30, 31, "x (no counterpart)")],
    }
    (system,) = ga.evaluate(units, reference="gold", measures="spans", map_labels=True).systems
    read = system.label_mapping
    assert (read["a"], read["b"]) == ("x", "y")
    assert len({*read.values()}) == 4
    assert system.counts == {"correct": 2, "boundary": 0, "label": 0, "both": 0, "missed": 0, "spurious": 2}


def test_units_without_a_label_stay_so():
    units = {"gold": [(0, 10, "x")], "sys": [(0, 10, None), (0, 9, "a")]}
    (system,) = ga.evaluate(units, reference="gold", measures="spans", map_labels=True, cases="spurious").systems
    assert system.label_mapping == {"a": "x"}
    assert {case.system[2] for case in system.cases} <= {None, "x"}


UNITS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6), st.sampled_from("abcd")), min_size=1, max_size=8)


@given(UNITS, UNITS, UNITS)
def test_no_other_mapping_has_more_in_common(gold, first, second):
    sides = {"gold": gold, "one": first, "two": second}
    records = [
        ("d", name, start, start + length, label) for name, units in sides.items() for start, length, label in units
    ]
    corpus = ga.Corpus.from_records(records)
    slots = pairs_with_reference(corpus, corpus.annotators.index("gold"))
    new, mapping = translate_labels(corpus, slots)
    assert np.array_equal(new.start, corpus.start)

    def common(units, read):
        return sum(
            max(0, min(s + n, t + m) - max(s, t))
            for s, n, label in gold
            for t, m, other in units
            if read.get(other) == label
        )

    for name, units in (("one", first), ("two", second)):
        own = sorted({label for *_, label in units})
        assert sorted(mapping[name]) == own
        assert len({*mapping[name].values()}) == len(own)
        best = max(
            common(units, dict(zip(own, chosen, strict=False)))
            for chosen in itertools.permutations([*sorted({label for *_, label in gold}), *[None] * len(own)], len(own))
        )
        assert common(units, mapping[name]) == best


def test_settings_and_json_say_that_labels_are_mapped():
    result = ga.evaluate(
        {"gold": [(0, 4, "x")], "sys": [(0, 4, "1")]}, reference="gold", measures="spans", map_labels=True
    )
    assert "|labels:mapped|" in result.signature
    data = result.to_dict()
    assert data["settings"]["map_labels"] is True
    assert data["systems"][0]["label_mapping"] == {"1": "x"}
