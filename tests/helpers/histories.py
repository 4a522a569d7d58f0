"""Two versions of a corpus with a known history: documents, units, and a cause of disagreement that goes or comes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import gamma_align as ga

ANNOTATORS = ("ann", "bob", "cy")
LABELS = ("A", "B", "C")
CAUSES = {"offset": ("offset", "bob"), "confusion": ("confusion", "cy"), "never": ("label-use", "ann")}
"""The kind and the annotator of each cause that can be planted."""

Units = dict[tuple[str, str], list[tuple[float, float, str]]]


@dataclass
class History:
    """Two corpora, what became of each document, and which causes went, came and stayed."""

    first: ga.Corpus
    second: ga.Corpus
    fates: dict[str, tuple[str, str | None, tuple[str, ...]]] = field(default_factory=dict)
    went: set[tuple[str, str]] = field(default_factory=set)
    came: set[tuple[str, str]] = field(default_factory=set)
    stayed: set[tuple[str, str]] = field(default_factory=set)


def reference(draw: np.random.Generator) -> list[tuple[float, float, str]]:
    """Return units apart from each other, of three labels."""
    position = 0.0
    units = []
    for _ in range(int(draw.integers(14, 20))):
        position += float(draw.integers(12, 30))
        length = float(draw.integers(6, 12))
        units.append((position, position + length, LABELS[int(draw.integers(3))]))
        position += length
    return units


def slips(units: list[tuple[float, float, str]], draw: np.random.Generator) -> list[tuple[float, float, str]]:
    """Return the units with an end moved here and there."""
    return [(start, end + (1.0 if draw.random() < 0.05 else 0.0), label) for start, end, label in units]


def planted(units: Units, causes: set[str]) -> Units:
    """Return the units with causes in them."""
    changed = {}
    for (document, annotator), rows in units.items():
        mine = {name for name in causes if CAUSES[name][1] == annotator}
        move = 3 if "offset" in mine else 0
        exchanged = {"A": "C"} if "confusion" in mine else {}
        left_out = "B" if "never" in mine else ""
        changed[document, annotator] = [
            (start + move, end + move, exchanged.get(label, label)) for start, end, label in rows if label != left_out
        ]
    return changed


def corpus_of(units: Units, lengths: dict[str, float]) -> ga.Corpus:
    records = [(document, annotator, *row) for (document, annotator), rows in units.items() for row in rows]
    used = {document for document, _ in units}
    extents = {document: (0.0, length) for document, length in lengths.items() if document in used}
    return ga.Corpus.from_records(records, annotations=[*units], extents=extents)


def history(seed: int) -> History:
    """Return a history that depends on the seed alone."""
    draw = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(10)]
    base: Units = {}
    lengths = {}
    for name in names:
        true = reference(draw)
        lengths[name] = true[-1][1] + 20
        for annotator in ANNOTATORS:
            base[name, annotator] = slips(true, draw)
    states = {name: int(draw.integers(4)) for name in CAUSES}  # never there, goes, comes, stays
    old_causes = {name for name, state in states.items() if state in (1, 3)}
    new_causes = {name for name, state in states.items() if state in (2, 3)}
    order = [str(name) for name in draw.permutation(names)]
    new, gone, renamed, redone = order[0], order[1], order[2], order[3]
    old = planted({key: rows for key, rows in base.items() if key[0] != new}, old_causes)
    again = {key: rows for key, rows in base.items() if key[0] != gone}
    for annotator in ANNOTATORS:  # all in the same way, so that no disagreement comes of it
        again[redone, annotator] = edited(again[redone, annotator])
    later = planted(again, new_causes)
    changers = {CAUSES[name][1] for name in old_causes ^ new_causes}
    fates: dict[str, tuple[str, str | None, tuple[str, ...]]] = {}
    for name in names:
        own = {who for who in ANNOTATORS if old.get((name, who)) != later.get((name, who))}
        assert own <= changers or name in (new, gone, redone)
        fates[name] = ("redone" if own else "same", None, tuple(sorted(own)))
    fates[new] = ("new", None, ())
    fates[gone] = ("gone", None, ())
    if not fates[renamed][2]:  # else nothing shows that it is the same document
        later = {(f"new {name}" if name == renamed else name, who): rows for (name, who), rows in later.items()}
        lengths[f"new {renamed}"] = lengths[renamed]
        fates.pop(renamed)
        fates[f"new {renamed}"] = ("same", renamed, ())
    first = corpus_of(old, lengths)
    second = corpus_of(later, lengths)
    found = [{CAUSES[name] for name in causes} for causes in (old_causes, new_causes)]
    return History(first, second, fates, found[0] - found[1], found[1] - found[0], found[0] & found[1])


def edited(rows: list[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Return units of which one is moved, one has another label, and one is in two parts."""
    start, end, label = rows[0]
    moved = (start - 1, end, label)
    start, end, label = rows[1]
    relabelled = (start, end, "C" if label != "C" else "A")
    start, end, label = rows[2]
    middle = start + 3
    return [moved, relabelled, (start, middle, label), (middle, end, label), *rows[3:]]
