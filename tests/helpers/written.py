"""Corpora to write and read back, as hypothesis makes them, and all that a corpus says as plain values."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gamma_align import Corpus

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(str.strip)
FILE_NAMES = st.text("abcXYZ é東-_0", min_size=1, max_size=6).filter(lambda name: name == name.strip())
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
WHOLE = st.integers(0, 40).map(float)
LABELS = st.none() | TEXTS
UNITS = st.none() | NAMES
REALS = st.floats(-1e6, 1e6) | st.integers(-(2**53), 2**53).map(float) | st.sampled_from([1e300, 5e-324, -0.1])


def content(corpus: Corpus) -> dict[str, Any]:
    """Return all a corpus says; its notes aside."""
    return {
        field.name: value.tolist() if isinstance(value := getattr(corpus, field.name), np.ndarray) else value
        for field in fields(corpus)
        if field.name != "notes"
    }


@st.composite
def corpora(
    draw: st.DrawFn,
    *,
    documents: st.SearchStrategy[str] = NAMES,
    annotators: st.SearchStrategy[str] = NAMES,
    categories: st.SearchStrategy[str | None] = LABELS,
    bounds: st.SearchStrategy[float] = REALS,
    length_units: st.SearchStrategy[str | None] = UNITS,
) -> Corpus:
    """Draw a corpus without texts; annotators may have marked nothing, extents be wider than the units."""
    people = draw(st.lists(annotators, min_size=1, max_size=3, unique=True))
    units, seen, extents = [], [], {}
    for name in draw(st.lists(documents, min_size=1, max_size=3, unique=True)):
        held = []
        for person in draw(st.lists(st.sampled_from(people), min_size=1, unique=True)):
            seen.append((name, person))
            for _ in range(draw(st.integers(0, 4))):
                low, high = sorted((draw(bounds), draw(bounds)))
                units.append((name, person, low, high, draw(categories)))
                held += [low, high]
        held += draw(st.lists(bounds, max_size=2))
        extents[name] = (min(held, default=0.0), max(held, default=0.0))
    corpus = Corpus.from_records(units, annotations=seen, extents=extents)
    return replace(corpus, length_unit=draw(length_units))


@st.composite
def corpora_with_texts(
    draw: st.DrawFn,
    *,
    documents: st.SearchStrategy[str] = NAMES,
    annotators: st.SearchStrategy[str] = NAMES,
    categories: st.SearchStrategy[str | None] = LABELS,
    texts: st.SearchStrategy[str] = TEXTS,
) -> Corpus:
    """Draw a corpus of characters whose extents are those of its texts."""
    people = draw(st.lists(annotators, min_size=1, max_size=3, unique=True))
    units, seen, known = [], [], {}
    for name in draw(st.lists(documents, min_size=1, max_size=3, unique=True)):
        known[name] = draw(texts)
        places = st.integers(0, len(known[name]))
        for person in draw(st.lists(st.sampled_from(people), min_size=1, unique=True)):
            seen.append((name, person))
            for _ in range(draw(st.integers(0, 4))):
                low, high = sorted((draw(places), draw(places)))
                units.append((name, person, low, high, draw(categories)))
    extents = {name: (0.0, float(len(text))) for name, text in known.items()}
    corpus = Corpus.from_records(units, annotations=seen, extents=extents)
    return replace(corpus, length_unit="char", texts=tuple(known[name] for name in corpus.documents))
