"""Documents of the sizes of corpora that cannot be given away, made with the shuffling tool, for studies of chance.

`evaluations`: 3 annotators, 2 to 8 long spans each in one to four thousand characters, like evaluations of summaries
(SQuALITY). `translations`: 3 annotators, 3 to 11 short errors each, like those of machine translation (MQM).
`arguments`: 3 annotators, 8 to 29 claims and premises each that cover most of the text, like argumentation in essays
(APS). `several`: any number of annotators and units.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import gamma_align as ga

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("shift", "false-negative", "false-positive", "category")


class Form(NamedTuple):
    """Units of documents: how many each annotator has, their length and their gaps, and their categories."""

    units: tuple[int, int]
    length: float
    length_deviation: float
    gap: tuple[float, float]
    gap_deviation: float
    categories: dict[str, int]
    magnitude: float


FORMS = {
    "evaluations": Form((2, 9), 60, 50, (100, 400), 200, {"coherence": 2, "fact": 2, "other": 1}, 0.3),
    "translations": Form((3, 12), 12, 10, (30, 150), 80, {"fluency": 4, "accuracy": 3, "style": 2, "term": 1}, 0.3),
    "arguments": Form((8, 30), 80, 40, (30, 30), 40, {"claim": 3, "premise": 5, "none": 1}, 0.2),
}


def made(kind: str, seed: int, annotators: int = 3, units: int | None = None) -> ga.Continuum:
    """Return a document of a kind; the number of units of each annotator is about `units`, by default random."""
    form, rng = FORMS[kind], np.random.default_rng(seed)
    random_units, gap = int(rng.integers(*form.units)), float(rng.uniform(*form.gap))
    reference = ga.synthetic_reference(
        units=random_units if units is None else units,
        categories=form.categories,
        length=form.length,
        length_deviation=form.length_deviation,
        gap=gap,
        gap_deviation=form.gap_deviation,
        integer=True,
        seed=seed,
        document=f"{kind} {seed}",
    )
    return ga.shuffle(reference, magnitude=form.magnitude, kinds=KINDS, annotators=annotators, seed=seed)


def like(kind: str, number: int = 10) -> Iterator[ga.Continuum]:
    """Yield documents of a kind, of three annotators."""
    yield from (made(kind, seed) for seed in range(1, number + 1))
