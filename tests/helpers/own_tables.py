"""Tables of one's own from one truth: units of three annotators, and whether a corpus has them."""

from __future__ import annotations

import csv
import itertools
import random

WORDS = "river garden lamp stone bridge winter market window copper harbour quiet signal letter evening".split()  # noqa: SIM905
ANNOTATORS = ["mira", "jonas", "Ana Lind"]


class Truth:
    """Units of three annotators, who mostly agree, on the words of three documents."""

    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)  # noqa: S311
        self.texts = {f"text{n}": " ".join(self.random.choices(WORDS, k=50)) for n in range(1, 4)}
        self.units = []  # document, annotator, start, end, category
        self.tokens = []  # the same in tokens
        for document, text in self.texts.items():
            words = text.split(" ")
            edges = [*itertools.accumulate((len(word) + 1 for word in words), initial=0)]
            for annotator in ANNOTATORS:
                self._mark(document, annotator, words, edges)

    def _mark(self, document, annotator, words, edges):
        choose = random.Random(f"{self.seed}{document}")  # noqa: S311
        own = random.Random(f"{self.seed}{document}{annotator}")  # noqa: S311
        first = 0
        while (first := first + choose.randint(1, 3)) < len(words) - 4:
            last, category = first + choose.randint(1, 3), choose.choice(["PER", "LOC", "joy"])
            if own.random() < 0.85:
                category = own.choice(["PER", "LOC", "joy"]) if own.random() < 0.1 else category
                self.units.append((document, annotator, edges[first], edges[last] - 1, category))
                self.tokens.append((document, annotator, first, last, category))
            first = last


def table(path, header, rows, delimiter=","):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([header, *rows])
    return path


def seconds(units, divisor=10):
    return [(document, who, start / divisor, end / divisor, label) for document, who, start, end, label in units]


def units_of(corpus):
    continua = [corpus.continuum(index) for index in range(len(corpus))]
    return sorted(
        (continuum.document, unit.annotator, unit.start, unit.end, unit.category)
        for continuum in continua
        for unit in continuum.units()
    )


def is_true(corpus, units):
    """Whether a corpus has the units, whatever its documents are called."""

    def documents(found):
        by_document = {}
        for document, *unit in found:
            bounds = tuple(round(bound, 6) for bound in unit[1:3])
            by_document.setdefault(document, []).append((unit[0], *bounds, unit[3]))
        return sorted(map(sorted, by_document.values()))

    return documents(units_of(corpus)) == documents(units)
