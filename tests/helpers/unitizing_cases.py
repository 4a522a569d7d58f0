"""Continua of the unitizing family, written as in the golden tables."""

from __future__ import annotations

import json

import examples
from places import GOLDEN

import gamma_align as ga

TABLES = json.loads((GOLDEN / "unitizing.json").read_text(encoding="utf-8"))
CONTINUA = TABLES["continua"] | examples.data().continua  # printed values of the examples are in test_examples.py


def corpus_of(documents, *, unit=None, step=1.0, shift=0.0):
    """Return (low, high, observers) documents as a corpus, lengths times `step` and moved by `shift`."""
    names = [f"d{number}" for number in range(len(documents))]

    def at(position):
        return position * step + shift

    listed = {
        "document": names,
        "start": [at(low) for low, _, _ in documents],
        "end": [at(high) for _, high, _ in documents],
        "unit": [unit] * len(documents),
    }
    units = [
        (name, f"a{person}", at(start), at(end), None if value is None else str(value))
        for name, (_, _, observers) in zip(names, documents, strict=True)
        for person, units in enumerate(observers)
        for start, end, value in units
    ]
    columns = zip(*units, strict=True) if units else [()] * 5
    return ga.Corpus.from_columns(
        dict(zip(("document", "annotator", "start", "end", "category"), columns, strict=True)),
        annotations={
            "document": [n for n, (_, _, o) in zip(names, documents, strict=True) for _ in o],
            "annotator": [f"a{person}" for _, _, o in documents for person in range(len(o))],
        },
        documents=listed,
    )


def golden(name):
    """Return one of the golden continua as an oracle's document."""
    data = CONTINUA[name]
    observers = [[tuple(unit) for unit in units] for units in data["observers"]]
    return data["start"], data["start"] + data["length"], observers
