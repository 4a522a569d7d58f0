"""DER and JER: values of pyannote.metrics, a reference implementation of the definitions, options."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga

# pyannote.metrics 4.2.0 on corpora/ami_diarization against ref_kaldi, uem = extents: collar, skip_overlap, system, then
# DER, JER, false alarm, missed detection, confusion, total (accumulated over the 16 documents)
PYANNOTE = [
    (0.0, False, "ref_only_words", (0.0953973773, 0.122074108, 0, 3239.022, 0, 33952.946)),
    (0.0, False, "sys_dl", (0.198648889, 0.277575711, 732.077, 3382.928, 2629.71, 33952.946)),
    (0.0, False, "sys_rpn", (0.254277817, 0.32049575, 2608.816, 3223.362, 2801.303, 33952.946)),
    (0.0, False, "sys_sc", (0.235559589, 0.306162834, 771.405, 3896.731, 3329.806, 33952.946)),
    (0.5, False, "ref_only_words", (0.0339896917, 0.052324342, 0, 842.8, 0, 24795.753)),
    (0.5, False, "sys_dl", (0.124236759, 0.199101117, 262.726, 1567.965, 1249.853, 24795.753)),
    (0.5, False, "sys_rpn", (0.183948598, 0.258494367, 1505.059, 1537.312, 1518.773, 24795.753)),
    (0.5, False, "sys_sc", (0.15363256, 0.226465929, 324.708, 1743.484, 1741.243, 24795.753)),
    (0.25, True, "ref_only_words", (0.0178608233, 0.0281077087, 0, 362.583, 0, 20300.464)),
    (0.25, True, "sys_dl", (0.0473153224, 0.122625499, 400.52, 0, 560.003, 20300.464)),
    (0.25, True, "sys_rpn", (0.135094794, 0.226951993, 1586.634, 0, 1155.853, 20300.464)),
    (0.25, True, "sys_sc", (0.0672139317, 0.14529978, 499.013, 0, 865.461, 20300.464)),
]


@pytest.fixture(scope="module")
def meetings():
    return ga.read(CORPORA / "ami_diarization", outside="extend")


@pytest.mark.parametrize(("collar", "skip_overlap"), [(0.0, False), (0.5, False), (0.25, True)])
def test_values_equal_those_of_pyannote_metrics(meetings, collar, skip_overlap):
    result = ga.evaluate(
        meetings, reference="ref_kaldi", measures="diarization", collar=collar, skip_overlap=skip_overlap
    )
    expected = {name: values for *options, name, values in PYANNOTE if options == [collar, skip_overlap]}
    assert [system.system for system in result.systems] == sorted(expected)
    for system in result.systems:
        score = system.diarization
        values = (score.der, score.jer, score.false_alarm, score.missed, score.confusion, score.total)
        assert [float(value) for value in values] == pytest.approx(expected[system.system], rel=1e-8)
    assert any(note.startswith("sys_dl: in 16 of 16 documents labels are mapped") for note in result.notes)


def records(reference, system):
    sides = (("ref", reference), ("sys", system))
    return [("d", name, start, end, label) for name, units in sides for label, start, end in units]


def scored(reference, system, **options):
    corpus = ga.Corpus.from_records(
        records(reference, system), annotations=[("d", "ref"), ("d", "sys")], extents={"d": (0, 40)}
    )
    return ga.evaluate(corpus, reference="ref", measures="diarization", **options).systems[0].diarization


def by_definition(reference, system, collar, skip_overlap):
    """Return errors and the number of speakers, from moments half a second apart.

    The errors are false alarm, missed, confusion, total and the sum of the Jaccard errors, for each best mapping.
    """
    moments = []
    for step in range(80):
        middle = step / 2 + 0.25
        if collar and any(abs(middle - edge) < collar / 2 for _, *bounds in reference for edge in bounds):
            continue
        active = [Counter(label for label, start, end in side if start < middle < end) for side in (reference, system)]
        if not (skip_overlap and active[0].total() > 1):
            moments.append(active)
    speakers, hypotheses = (sorted(set().union(*(active[side] for active in moments))) for side in (0, 1))
    common = {
        pair: sum(active[0][pair[0]] * active[1][pair[1]] for active in moments)
        for pair in itertools.product(speakers, hypotheses)
    }
    padded = [*hypotheses, *[None] * max(len(speakers) - len(hypotheses), 0)]
    permutations = itertools.permutations(padded, len(speakers))
    mappings = [dict(zip(speakers, permutation, strict=True)) for permutation in permutations]
    best = max(sum(common.get(pair, 0) for pair in mapping.items()) for mapping in mappings)
    results = []
    for mapping in mappings:
        if sum(common.get(pair, 0) for pair in mapping.items()) < best:
            continue
        # a speaker without common time is mapped onto nobody
        pairs = {speaker: label for speaker, label in mapping.items() if common.get((speaker, label), 0)}
        errors = [0.0] * 4
        for reference_, system_ in moments:
            active = reference_.total(), system_.total()
            correct = sum(min(reference_[speaker], system_[label]) for speaker, label in pairs.items())
            errors[0] += max(active[1] - active[0], 0) / 2
            errors[1] += max(active[0] - active[1], 0) / 2
            errors[2] += (min(active) - correct) / 2
            errors[3] += active[0] / 2
        jaccard = 0.0
        for speaker in speakers:
            present = [(bool(first[speaker]), bool(second[pairs.get(speaker)])) for first, second in moments]
            jaccard += 1 - sum(map(all, present)) / sum(map(any, present))
        results.append((*errors, jaccard))
    return results, len(speakers)


SPEECH = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(0, 30), st.integers(1, 9)).map(lambda s: (s[0], s[1], s[1] + s[2])),
    max_size=5,
)


@given(SPEECH, SPEECH, st.sampled_from([0.0, 1.0, 2.0]), st.booleans())
def test_values_equal_the_definitions(reference, system, collar, skip_overlap):
    system = [({"A": "1", "B": "B"}[label], *bounds) for label, *bounds in system]
    score = scored(reference, system, collar=collar, skip_overlap=skip_overlap)
    expected, speakers = by_definition(reference, system, collar, skip_overlap)
    assert score.speakers == speakers
    jaccard = float(score.jer) * speakers if speakers else 0.0
    values = (score.false_alarm, score.missed, score.confusion, score.total, jaccard)
    assert any(values == pytest.approx(option) for option in expected)  # several mappings may be best
    assert score.der.is_available == (score.total > 0)


def test_renamed_documents_are_counted():
    same, swapped = [("A", 0, 4), ("B", 4, 9)], [("B", 0, 4), ("A", 4, 9)]
    assert (scored(same, same).renamed, scored(same, swapped).renamed) == (0, 1)
    assert scored(same, swapped).der == 0.0


def test_negative_collar_is_refused():
    with pytest.raises(ga.SettingsError, match="collar"):
        scored([("A", 0, 4)], [("A", 0, 4)], collar=-1.0)
