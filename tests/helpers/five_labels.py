"""A document with text in which three annotators use five labels, so that each pattern but one is drawn."""

from __future__ import annotations

import random

LABELS = ("person", "place", "time", "organisation of several people", "event")
WORDS = ("Ann", "Paris", "Monday", "Parliament", "the storm")


def five_labels():
    """Return the text, and rows of document, annotator, start, end, label; annotators now and then differ in each."""
    draw = random.Random(1)  # noqa: S311
    text, rows = "", []
    for index in range(60):
        number = index % len(WORDS)
        start = len(text)
        text += f"{WORDS[number]} was seen and "
        for annotator in ("ann", "bob", "cy"):
            if draw.random() < 0.8:
                label = LABELS[number] if draw.random() < 0.8 else draw.choice(LABELS)
                end = start + len(WORDS[number]) + 4 * (draw.random() < 0.2)
                rows.append(("d", annotator, start, end, label))
    return text, rows
