"""Many copies of references as one set of columns, and the random numbers of each copy.

A *copy* is the reference of one document in the hands of one simulated annotator, at one magnitude, in one repetition.
Every random number is a function of (seed, document, magnitude, repetition, annotator, kind of errors, unit, attempt),
so a copy is the same in any batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.data.batch import ranges
from gamma_align.data.philox import document_key, philox, uniform
from gamma_align.shuffling.settings import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from gamma_align._types import BoolArray, FloatArray, IntArray
    from gamma_align.shuffling.reference import Reference

    Rows = IntArray | BoolArray | slice


class Instance(NamedTuple):
    """One document that is made: a document of the reference, a magnitude, a repetition."""

    document: int
    magnitude: float
    repetition: int


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is known of each copy before anything is drawn, shape (n_copies,) each.

    Attributes
    ----------
    instance : ndarray of int64
        Which instance it belongs to.
    document : ndarray of int64
        Document of the reference.
    annotator : ndarray of int64
        Number within the instance, from 0.
    magnitude : ndarray of float64
        m.
    key : ndarray of uint64, shape (n_copies, 2)
        Of its random numbers.
    """

    instance: IntArray
    document: IntArray
    annotator: IntArray
    magnitude: FloatArray
    key: npt.NDArray[np.uint64]

    def uniform(self, kind: str, copy: IntArray, place: IntArray, attempt: int = 0) -> FloatArray:
        """Return four numbers in [0, 1) for each (copy, place), shape (n, 4)."""
        counter = np.zeros((len(copy), 4), dtype=np.uint64)
        counter[:, 0], counter[:, 1] = place, attempt
        counter[:, 2], counter[:, 3] = self.annotator[copy], KINDS.index(kind)
        return uniform(philox(self.key[copy], counter))


class Copies(NamedTuple):
    """Units of the copies, sorted by copy: copy, place in the reference's document, bounds, category."""

    copy: IntArray
    place: IntArray
    start: FloatArray
    end: FloatArray
    category: IntArray

    def rows(self, which: Rows) -> Copies:
        """Return the units that `which` selects, in its order."""
        return Copies(self.copy[which], self.place[which], self.start[which], self.end[which], self.category[which])

    def with_more(self, more: Copies) -> Copies:
        """Return the units of both, sorted by copy."""
        both = joined([self, more])
        return both.rows(np.argsort(both.copy, kind="stable"))


def joined(parts: Sequence[Copies]) -> Copies:
    """Return the units of all parts, one part after the other."""
    return Copies(
        np.concatenate([part.copy for part in parts]),
        np.concatenate([part.place for part in parts]),
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.end for part in parts]),
        np.concatenate([part.category for part in parts]),
    )


def plan(reference: Reference, instances: list[Instance], annotators: IntArray, seed: int) -> Plan:
    """Return the plan of `annotators` copies for each instance, shape (n_instances,)."""
    keys = np.array([_key(reference, instance, seed) for instance in instances], dtype=np.uint64).reshape(-1, 2)
    instance = np.repeat(np.arange(len(instances)), annotators)
    document = np.array([one.document for one in instances], dtype=np.int64)
    magnitude = np.array([one.magnitude for one in instances], dtype=np.float64)
    return Plan(
        instance=instance,
        document=document[instance],
        annotator=ranges(np.zeros(len(instances), dtype=np.int64), annotators),
        magnitude=magnitude[instance],
        key=keys[instance],
    )


def _key(reference: Reference, instance: Instance, seed: int) -> tuple[int, int]:
    name = reference.documents[instance.document]
    return document_key(seed, f"shuffling/{instance.magnitude!r}/{instance.repetition}/{name}")


def copies(reference: Reference, planned: Plan) -> Copies:
    """Return exact copies of the reference."""
    counts = reference.n_units[planned.document]
    unit = ranges(reference.offsets[planned.document], counts)
    return Copies(
        copy=np.repeat(np.arange(len(counts)), counts),
        place=ranges(np.zeros(len(counts), dtype=np.int64), counts),
        start=reference.start[unit],
        end=reference.end[unit],
        category=reference.category[unit],
    )
