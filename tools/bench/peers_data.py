"""The data of `peers.py`, drawn with a fixed seed or taken from corpora: ``python peers_data.py FOLDER``.

Every tool reads the form that it takes: tags of tokens or units, masses of segments or units. Units are rows of
document, annotator, start, end and category.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import gamma_align as ga

ROOT = Path(__file__).resolve().parent.parent.parent
ITEMS, CODERS, CATEGORIES = 300_000, 5, 10
SENTENCES, TOKENS = 10_000, 25
LABELS = ("LOC", "MISC", "ORG", "PER")
ATOMS = 100_000  # of the text that is cut into segments
SEED = 1

Entity = tuple[int, int, str]  # first token, the token after the last one, label


def main(folder: Path) -> None:
    """Write all files."""
    rng = np.random.default_rng(SEED)
    np.save(folder / "judgments.npy", _judgments(rng))
    reference = _entities(rng)
    system = _copied(rng, reference)
    _write(folder / "tags.json", [_tags(reference), _tags(system)])
    sides = zip(("reference", "system"), (reference, system), strict=True)
    _write(folder / "entities.json", [(f"s{row:05d}", name, *entity) for name, part in sides
                                      for row, entities in enumerate(part) for entity in entities])  # fmt: skip
    masses = [_masses(rng) for _ in range(2)]
    _write(folder / "masses.json", masses)
    _write(folder / "segments.json", [row for name, part in zip(("reference", "system"), masses, strict=True)
                                      for row in _segments(part, name)])  # fmt: skip
    corpus = ga.read(ROOT / "corpora" / "ami_diarization", outside="extend")
    _write(folder / "turns.json", [(name, *unit[:4]) for name in corpus for unit in corpus[name].units()])
    continuum = ga.read(ROOT / "corpora" / "pygamma" / "3by100.csv")
    _write(folder / "continuum.json", [(name, *unit[:4]) for name in continuum for unit in continuum[name].units()])


def _write(path: Path, content: Any) -> None:  # noqa: ANN401
    path.write_text(json.dumps(content), encoding="utf-8")


def _judgments(rng: np.random.Generator) -> np.ndarray:
    """Return items × coders; one judgment of five is at random, one of ten is missing."""
    truth = rng.integers(0, CATEGORIES, (ITEMS, 1))
    judgments = np.where(rng.random((ITEMS, CODERS)) < 0.2, rng.integers(0, CATEGORIES, (ITEMS, CODERS)), truth)
    return np.where(rng.random(judgments.shape) < 0.1, np.nan, judgments)


def _entities(rng: np.random.Generator) -> list[list[Entity]]:
    """Return entities of one to four tokens in sentences, which do not overlap."""
    begins = rng.random((SENTENCES, TOKENS)) < 0.15
    length, label = rng.integers(1, 5, begins.shape), rng.integers(0, len(LABELS), begins.shape)
    sentences = []
    for row in range(SENTENCES):
        starts = np.flatnonzero(begins[row]).tolist()
        ends = [*starts[1:], TOKENS][: len(starts)]
        sentences.append([(start, min(start + int(length[row, start]), end), LABELS[label[row, start]])
                          for start, end in zip(starts, ends, strict=True)])  # fmt: skip
    return sentences


def _copied(rng: np.random.Generator, sentences: list[list[Entity]]) -> list[list[Entity]]:
    """Return entities with errors: some are left out, relabelled, shortened or added.

    None overlaps two of the reference: nervaluate would not find every exact match then.
    """
    copies = []
    for entities in sentences:
        chance, label = rng.random(len(entities)), rng.integers(0, len(LABELS), len(entities)).tolist()
        copy = []
        for (start, end, name), p, other in zip(entities, chance.tolist(), label, strict=True):
            if p < 0.15:
                continue
            is_shortened = p < 0.3 and end - start > 1
            is_relabelled = 0.3 <= p < 0.45
            copy.append((start, end - 1 if is_shortened else end, LABELS[other] if is_relabelled else name))
        free = set(range(TOKENS)).difference(*(range(start, end) for start, end, _ in entities))
        added = [at for at in sorted(free) if rng.random() < 0.03]
        copies.append(sorted([*copy, *((at, at + 1, LABELS[0]) for at in added)]))
    return copies


def _tags(sentences: list[list[Entity]]) -> list[list[str]]:
    """Return entities as tags in the scheme IOB2."""
    tags = []
    for entities in sentences:
        sentence = ["O"] * TOKENS
        for start, end, label in entities:
            sentence[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
        tags.append(sentence)
    return tags


def _masses(rng: np.random.Generator) -> list[int]:
    cuts = np.flatnonzero(rng.random(ATOMS - 1) < 0.1) + 1
    masses: list[int] = np.diff([0, *cuts.tolist(), ATOMS]).tolist()
    return masses


def _segments(masses: list[int], annotator: str) -> list[tuple[str, str, int, int, str]]:
    ends = np.cumsum(masses).tolist()
    return [("text", annotator, end - mass, end, "segment") for end, mass in zip(ends, masses, strict=True)]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
