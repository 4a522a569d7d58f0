"""A made crowd: annotators with different skills mark a few units in some short documents."""

from __future__ import annotations

import numpy as np

import gamma_align as ga


def make_crowd(n_annotators, n_documents=6, share_seen=1.0, seed=3):
    """Return a corpus of workers who see a share of the documents and mark most of five units in each."""
    rng = np.random.default_rng(seed)
    # Every fifth name is too long for the head of a column.
    people = [f"worker {k:02}" if k % 5 else f"a longer name, worker {k:02}" for k in range(n_annotators)]
    skill = rng.uniform(0.4, 0.98, n_annotators)
    units, annotations = [], []
    for number in range(n_documents):
        document, starts = f"document {number}", np.cumsum(rng.integers(12, 30, 5)).tolist()
        for k in np.flatnonzero(rng.random(n_annotators) < share_seen).tolist():
            annotations.append((document, people[k]))
            for start in starts:
                if rng.random() < skill[k]:
                    begin = start + int(rng.integers(0, 3)) * int(rng.random() > skill[k])
                    label = "AB"[int(rng.random() > 0.5 + skill[k] / 2)]
                    units.append((document, people[k], begin, begin + 6, label))
    return ga.Corpus.from_records(units, annotations=annotations)
