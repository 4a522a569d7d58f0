"""Units of pygamma-agreement as batches of gamma_align, and the disorder of given unitary alignments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple, Protocol

import numpy as np

from gamma_align.alignment import unitary_disorders
from gamma_align.columns import FloatArray, IntArray
from gamma_align.compat.pygamma.unit import Unit
from gamma_align.data import Batch
from gamma_align.distances import PairDissimilarity


class UnitTuple(Protocol):
    """A unitary alignment: each annotator with a unit or none."""

    @property
    def n_tuple(self) -> Sequence[tuple[str, Unit | None]]:
        """The annotators with their units."""


class UnitTuples(Protocol):
    """An alignment: its annotators and its unitary alignments."""

    @property
    def annotators(self) -> Iterable[str]:
        """The names of the annotators."""

    @property
    def unitary_alignments(self) -> Sequence[UnitTuple]:
        """The unitary alignments."""


class Dissimilarity(Protocol):
    """What is needed of an `AbstractDissimilarity`, whose module imports this one."""

    delta_empty: float

    def bind(self, labels: Sequence[str]) -> PairDissimilarity:
        """Return the dissimilarity of units whose labels are coded."""


class Instance(NamedTuple):
    """Units to align or measure together: annotators, and for each unit its annotator's index and the unit."""

    annotators: Sequence[str]
    units: Sequence[tuple[int, Unit]]


def unitary_disorders_of(alignment: UnitTuples, dissimilarity: Dissimilarity) -> FloatArray:
    """Return the disorder of each unitary alignment of a given alignment."""
    annotators = list(alignment.annotators)
    index = {name: code for code, name in enumerate(annotators)}
    instances = [
        Instance(annotators, [(index[name], unit) for name, unit in unitary.n_tuple if unit is not None])
        for unitary in alignment.unitary_alignments
    ]
    batch, _, labels = batch_of(instances)
    group = batch.offsets[batch.instance]
    disorder = unitary_disorders(batch, group, dissimilarity.bind(labels))
    sums = np.bincount(batch.instance, weights=disorder, minlength=len(batch)).astype(np.float64)
    is_empty = np.diff(batch.offsets) == 0
    return np.where(is_empty, dissimilarity.delta_empty, sums)


def batch_of(instances: Sequence[Instance]) -> tuple[Batch, IntArray, list[str]]:
    """Return the units as a batch, the row of each unit in the order given, and their labels, sorted."""
    entries = list(chain.from_iterable(instance.units for instance in instances))
    units = [unit for _, unit in entries]
    labels = sorted({unit.annotation for unit in units if unit.annotation is not None})
    code: dict[str | None, int] = {label: index for index, label in enumerate(labels)} | {None: -1}
    counts = [len(instance.units) for instance in instances]
    batch, rows = Batch.build(
        np.array([len(instance.annotators) for instance in instances], dtype=np.int64),
        np.repeat(np.arange(len(instances)), counts),
        np.array([annotator for annotator, _ in entries], dtype=np.int64),
        np.array([unit.segment.start for unit in units], dtype=np.float64),
        np.array([unit.segment.end for unit in units], dtype=np.float64),
        np.array([code[unit.annotation] for unit in units], dtype=np.int64),
    )
    return batch, rows, labels
