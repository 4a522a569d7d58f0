"""Tiers that depend on others are told apart from rivals, and the cure chooses tiers that are rivals."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga
from gamma_align.reading.validation.dependents import EXCEPTIONS, LEAST_UNITS, dependents

WORDS = [(float(at), at + 1.0) for at in range(0, 20, 2)]
UTTERANCES = [(0.0, 7.0), (8.0, 13.0), (14.0, 15.0), (16.0, 17.0), (18.0, 19.0)]
PHONES = [(start + half, start + half + 0.5) for start, _ in WORDS for half in (0.0, 0.5)]
TIERS = {"utterances": UTTERANCES, "words": WORDS, "phones": PHONES, "glosses": WORDS}


def columns(tiers, categories=None):
    """Return the columns of units of one document; each tier has categories of its own, if none are given."""
    names = sorted(tiers)
    rows = [(names.index(name), *span) for name in names for span in tiers[name]]
    label = [at for at, *_ in rows] if categories is None else [categories[names[at]] for at, *_ in rows]
    annotator = np.array([at for at, *_ in rows], dtype=np.int64)
    starts, ends = (np.array([row[side] for row in rows]) for side in (1, 2))
    return names, np.zeros(len(rows), dtype=np.int64), annotator, np.array(label, dtype=np.int64), starts, ends


def told(tiers, categories=None):
    names, *units = columns(tiers, categories)
    return {names[found.annotator]: (names[found.on], found.how) for found in dependents(*units)}


def test_each_dependent_tier_is_told_on_the_finest_it_depends_on():
    assert told(TIERS) == {
        "phones": ("glosses", "its 20 units divide their 10"),
        "words": ("glosses", "its 10 units are where theirs are"),
        "glosses": ("utterances", "its 10 units divide their 5"),
    }


RIVALS = {
    "the same categories": ({"ann": WORDS, "ben": UTTERANCES}, {"ann": 0, "ben": 0}),
    "no categories": ({"ann": WORDS, "ben": UTTERANCES}, {"ann": -1, "ben": -1}),
    "other bounds": ({"ann": WORDS, "ben": [(start + 0.1, end) for start, end in UTTERANCES]}, None),
    "few units": ({"ann": WORDS[:4], "ben": WORDS[:4]}, None),
    "units in gaps": ({"ann": [*WORDS, *((end, end + 1) for _, end in WORDS)], "ben": UTTERANCES}, None),
}


@pytest.mark.parametrize(("tiers", "categories"), RIVALS.values(), ids=RIVALS)
def test_rivals_are_not_told(tiers, categories):
    assert told(tiers, categories) == {}


def divides_definition(parts, wholes):
    """Whether enough parts are in a whole, and enough wholes begin and end where a part does."""
    inside = sum(any(low <= start and end <= high for low, high in wholes) for start, end in parts)
    held = sum(any(s == low for s, _ in parts) and any(e == high for _, e in parts) for low, high in wholes)
    return inside >= (1 - EXCEPTIONS) * len(parts) and held >= (1 - EXCEPTIONS) * len(wholes)


EDGES = st.lists(st.integers(0, 30), min_size=LEAST_UNITS + 1, max_size=14, unique=True).map(sorted)


@given(EDGES, EDGES, st.sets(st.integers(0, 12)))
def test_what_divides_is_by_the_definition(fine, coarse, gaps):
    tiers = {
        name: [pair for at, pair in enumerate(pairwise(edges)) if at not in gaps]
        for name, edges in (("a", coarse), ("b", sorted({*fine, *coarse})))
    }
    if min(map(len, tiers.values())) >= LEAST_UNITS and len(tiers["b"]) > len(tiers["a"]):
        assert ("b" in told(tiers)) == divides_definition(tiers["b"], tiers["a"])


def textgrid(**tiers):
    """Return a TextGrid in short form, the labels of a tier beginning with its name."""
    lines = ['"ooTextFile"', '"TextGrid"', "0", "20", "<exists>", str(len(tiers))]
    for name, spans in tiers.items():
        edges = sorted({0.0, 20.0, *(bound for span in spans for bound in span)})
        lines += ['"IntervalTier"', f'"{name}"', "0", "20", str(len(edges) - 1)]
        for low, high in pairwise(edges):
            lines += [str(low), str(high), f'"{name[:5]}"' if (low, high) in spans else '""']
    return "\n".join(lines) + "\n"


def test_measure_and_validate_tell_and_the_cure_cures(tmp_path):
    path = tmp_path / "talk.TextGrid"
    tiers = {"words-ann": WORDS, "words-ben": WORDS[1:], "phones-ann": PHONES}
    path.write_text(textgrid(**tiers), encoding="utf-8")
    by_tier = ("--annotators-from", "{layer}")
    measured = run("measure", path, *by_tier, "--samples", "2")
    assert measured.returncode == 0
    assert (
        "warning: annotator 'phones-ann' looks like a tier that depends on 'words-ann': its 20 units divide their 10, "
        "and they share hardly a category; if so, choose tiers of rivals with --layers A,B (layers=), or annotators "
        "with --annotator A,B"
    ) in measured.stderr
    assert "without a category in common" not in measured.stderr
    validated = run("validate", path, *by_tier)
    assert "'phones-ann' on 'words-ann': its 20 units divide their 10" in validated.stdout
    for cure in (("--layers", "words-ann,words-ben"), ("--annotator", "words-ann,words-ben")):
        cured = run("measure", path, *by_tier, *cure, "--samples", "2")
        assert "warning" not in cured.stderr


@pytest.mark.parametrize("name", ["hearst_kazantseva", "novels_ner", "dreem_sleep_dodh", "salami", "ami_diarization"])
def test_no_annotator_of_a_corpus_looks_dependent(name):
    corpus = ga.read(CORPORA / name, outside="extend")
    units = (corpus.unit_document, corpus.annotator, corpus.category, corpus.start, corpus.end)
    assert dependents(*units) == []
