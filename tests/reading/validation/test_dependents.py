"""Dependent tiers are distinguished from rival annotations, and the cure selects rival tiers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga
from gamma_align.reading.validation.dependents import MAX_EXCEPTIONS, MIN_UNITS, dependents

WORDS = [(float(at), at + 1.0) for at in range(0, 20, 2)]
UTTERANCES = [(0.0, 7.0), (8.0, 13.0), (14.0, 15.0), (16.0, 17.0), (18.0, 19.0)]
PHONES = [(start + half, start + half + 0.5) for start, _ in WORDS for half in (0.0, 0.5)]
TIERS = {"utterances": UTTERANCES, "words": WORDS, "phones": PHONES, "glosses": WORDS}


def make_columns(tiers, categories=None):
    """Return names and columns of units of one document; by default each tier has a category of its own."""
    names = sorted(tiers)
    rows = [(code, *span) for code, name in enumerate(names) for span in tiers[name]]
    annotator = np.array([code for code, *_ in rows], dtype=np.int64)
    label = annotator if categories is None else np.array([categories[names[code]] for code in annotator])
    starts, ends = (np.array([row[side] for row in rows]) for side in (1, 2))
    return names, np.zeros(len(rows), dtype=np.int64), annotator, label, starts, ends


def dependent_tiers(tiers, categories=None):
    names, *units = make_columns(tiers, categories)
    return {names[tier.annotator]: (names[tier.base], tier.description) for tier in dependents(*units)}


def test_each_dependent_tier_is_reported_with_the_finest_base():
    assert dependent_tiers(TIERS) == {
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
def test_rivals_are_not_reported(tiers, categories):
    assert dependent_tiers(tiers, categories) == {}


def divides_by_definition(parts, wholes):
    """Return whether enough parts are in a whole, and enough wholes begin and end where a part does."""
    n_inside = sum(any(low <= start and end <= high for low, high in wholes) for start, end in parts)
    starts, ends = {start for start, _ in parts}, {end for _, end in parts}
    n_divided = sum(low in starts and high in ends for low, high in wholes)
    min_share = 1 - MAX_EXCEPTIONS
    return n_inside >= min_share * len(parts) and n_divided >= min_share * len(wholes)


EDGES = st.lists(st.integers(0, 30), min_size=MIN_UNITS + 1, max_size=14, unique=True).map(sorted)


def spans_between(edges, gaps):
    return [span for index, span in enumerate(pairwise(edges)) if index not in gaps]


@given(EDGES, EDGES, st.sets(st.integers(0, 12)))
def test_a_tier_is_dependent_if_it_divides_another_by_definition(fine, coarse, gaps):
    tiers = {"a": spans_between(coarse, gaps), "b": spans_between(sorted({*fine, *coarse}), gaps)}
    if min(map(len, tiers.values())) >= MIN_UNITS and len(tiers["b"]) > len(tiers["a"]):
        assert ("b" in dependent_tiers(tiers)) == divides_by_definition(tiers["b"], tiers["a"])


def make_textgrid(**tiers):
    """Return a TextGrid in short form; labels are the first letters of the tier's name."""
    lines = ['"ooTextFile"', '"TextGrid"', "0", "20", "<exists>", str(len(tiers))]
    for name, spans in tiers.items():
        edges = sorted({0.0, 20.0, *(bound for span in spans for bound in span)})
        lines += ['"IntervalTier"', f'"{name}"', "0", "20", str(len(edges) - 1)]
        for low, high in pairwise(edges):
            lines += [str(low), str(high), f'"{name[:5]}"' if (low, high) in spans else '""']
    return "\n".join(lines) + "\n"


def test_measure_and_validate_report_dependent_tiers_and_selecting_rivals_resolves_it(tmp_path):
    path = tmp_path / "talk.TextGrid"
    tiers = {"words-ann": WORDS, "words-ben": WORDS[1:], "phones-ann": PHONES}
    path.write_text(make_textgrid(**tiers), encoding="utf-8")
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
