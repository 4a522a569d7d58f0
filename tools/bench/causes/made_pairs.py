"""Corpora of two annotators who mark the same names: one splits those of several words, or has starts that are moved.

The texts, names and sizes are others than those of `made_corpora.py`, and nobody moves a bound by accident: what the
causes claim about either person can be counted unit by unit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from made_corpora import Draft

ANNOTATORS = ("A", "B")
LABELS = ("ORG", "LOC", "PER")
BEFORE = ("the", "new", "old", "saint", "north", "south", "great", "royal", "mount")
NAMES = (
    "acme",
    "london",
    "kent",
    "dover",
    "oxford",
    "harlow",
    "truro",
    "bath",
    "leeds",
    "hull",
    "york",
    "derby",
    "ripon",
    "wells",
    "exeter",
)
AFTER = ("corporation", "works", "bay", "house", "museum", "valley", "club", "press")
OTHER_WORDS = (
    "he",
    "went",
    "on",
    "to",
    "say",
    "that",
    "it",
    "was",
    "not",
    "what",
    "they",
    "had",
    "seen",
    "there",
    "in",
    "those",
    "days",
    "when",
    "all",
    "knew",
    "how",
)
MISSING, OTHER_LABEL = 0.03, 0.02  # of the units of each annotator


def make_pair(rng: np.random.Generator) -> Draft:
    """Return 15 to 59 documents of 4 to 12 names each; a random share of the names has two words or three."""
    share = rng.uniform(0.2, 0.9)
    lexicon = [(_name(rng, word, share), LABELS[index % len(LABELS)]) for index, word in enumerate(NAMES)]
    n_documents = int(rng.integers(15, 60))
    texts, rows = [], []
    for document in range(n_documents):
        text = ""
        for _ in range(int(rng.integers(4, 13))):
            text += " ".join(rng.choice(OTHER_WORDS, size=int(rng.integers(2, 9)))) + " "
            name, label = lexicon[int(rng.integers(len(lexicon)))]
            for annotator in range(2):
                if rng.random() >= MISSING:
                    own_label = str(rng.choice(LABELS)) if rng.random() < OTHER_LABEL else label
                    rows.append((document, annotator, len(text), len(text) + len(name), own_label))
            text += name + " "
        texts.append(text + "and so on")
    document, annotator, start, end, label = zip(*rows, strict=True)
    return Draft(
        documents=tuple(f"d{index:03}" for index in range(n_documents)),
        annotators=ANNOTATORS,
        document=np.array(document),
        annotator=np.array(annotator),
        start=np.array(start, dtype=float),
        end=np.array(end, dtype=float),
        label=np.array(label, dtype=object),
        texts=tuple(texts),
        lengths=tuple(float(len(text)) for text in texts),
        kind="text",
    )


def _name(rng: np.random.Generator, word: str, share_of_several: float) -> str:
    words = [word]
    if rng.random() < share_of_several:
        words = [str(rng.choice(BEFORE)), word] if rng.random() < 0.6 else [word, str(rng.choice(AFTER))]
        if rng.random() < 0.5:
            words.append(str(rng.choice(AFTER)))
    return " ".join(words)


def all_split(draft: Draft, who: int) -> Draft:
    """Return the draft with a unit for each word of each unit of an annotator."""
    words = draft.words()
    is_split = draft.of(who) & np.array([" " in text for text in words])
    result = draft.take(np.flatnonzero(~is_split))
    for index in np.flatnonzero(is_split).tolist():
        start = draft.start[index]
        for word in words[index].split():
            part = draft.take(np.array([index]))
            result = result.add(part.change(start=np.array([start]), end=np.array([start + len(word)])))
            start += len(word) + 1
    return result


def starts_moved(draft: Draft, who: int, lag: int, documents: np.ndarray) -> Draft:
    """Return the draft with starts of an annotator moved in some documents, in units that are longer than that."""
    is_moved = draft.of(who) & np.isin(draft.document, documents) & (draft.end - draft.start > max(lag, 0))
    return replace(draft, start=draft.start + np.where(is_moved, lag, 0))
