"""Corpora of the sizes of two that cannot be given away, made with the shuffling tool: ``python made.py FOLDER``.

`crowd`: 389 documents of 3 to 6 annotators with 21 short units each on average and up to 245, as in crowdsourced
entities. `twelve`: 70 documents of 12 annotators with 11 units each on average and up to 67, as in fixations of the eye
marked by experts.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import gamma_align as ga

KINDS = ("shift", "false-negative", "false-positive", "category")
ENTITIES = {"PER": 4, "LOC": 3, "ORG": 3, "MISC": 2}


def crowd() -> ga.Corpus:
    """Return short entities in tokens, sparse, marked by three to six annotators."""
    rng = np.random.default_rng(1)
    units = np.minimum(np.maximum(rng.lognormal(np.log(21) - 0.32, 0.8, 389), 1), 245).astype(int)
    units[np.argmax(units)] = 245
    people = rng.integers(3, 7, len(units))
    documents = []
    gaps = np.minimum(150 / units, 8.0)  # long lists of names and results are dense
    for number, (count, several, gap) in enumerate(zip(*(x.tolist() for x in (units, people, gaps)), strict=True)):
        reference = ga.synthetic_reference(
            units=count, categories=ENTITIES, length=1.6, length_deviation=0.8, gap=gap, gap_deviation=gap,
            integer=True, seed=number, document=f"d{number:03d}",
        )  # fmt: skip
        documents.append(ga.shuffle(reference, magnitude=0.15, kinds=KINDS, annotators=several, seed=number))
    return ga.Corpus.from_continua(documents)


def twelve() -> ga.Corpus:
    """Return stretches of time side by side, marked by twelve annotators."""
    rng = np.random.default_rng(2)
    units = np.minimum(np.maximum(rng.lognormal(np.log(11) - 0.32, 0.8, 70), 1), 67).astype(int)
    units[np.argmax(units)] = 67
    documents = []
    for number, count in enumerate(units.tolist()):
        reference = ga.synthetic_reference(
            units=count, categories=["fixation"], length=250.0, length_deviation=120.0, gap=60.0, gap_deviation=60.0,
            integer=True, seed=number, document=f"r{number:02d}",
        )  # fmt: skip
        documents.append(ga.shuffle(reference, magnitude=0.1, kinds=KINDS[:3], annotators=12, seed=number))
    return ga.Corpus.from_continua(documents)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for make in (crowd, twelve):
        ga.write(make(), folder / make.__name__, format="parquet")
