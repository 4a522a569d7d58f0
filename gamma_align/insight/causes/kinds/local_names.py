"""Names of categories that hold within a document only, such as letters of the parts of a song."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.columns import BoolArray, FloatArray, IntArray, numbered
from gamma_align.data import counted
from gamma_align.insight.causes.cause import NOBODY, Cause, Sentence, Tier, documents_text, label_of, name_of
from gamma_align.insight.causes.evidence import MIN_NET
from gamma_align.insight.causes.filling import Relabelling
from gamma_align.insight.causes.view import View

_SHARES = np.array([0.5, 0.1, 0.01])  # of documents with names of their own, which are tried
_MIN_PAIRS = 2  # of two names in a document, from which on they are exchanged there
_MIN_DOCUMENTS = 2  # in which a name is exchanged in another way than in others


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Names:
    """The names that an annotator and the first annotator of a document give the same units there.

    A lane is a document and another annotator of it. A cell is a name of the first annotator (`label`) and one of the
    other annotator (`own_label`) in a lane, of `n_pairs` aligned units; `is_matched` are the cells that one-to-one
    renaming in the lane makes equal, as many pairs as possible.
    """

    document: IntArray
    first: IntArray
    annotator: IntArray
    lane: IntArray
    label: IntArray
    own_label: IntArray
    n_pairs: IntArray
    is_matched: BoolArray

    def count(self, cells: BoolArray) -> FloatArray:
        """Return the number of aligned pairs of some cells by lane."""
        return np.bincount(self.lane, self.n_pairs * cells, len(self.document)).astype(np.float64)

    @property
    def is_equal(self) -> BoolArray:
        """Whether the two names of each cell are the same."""
        result: BoolArray = self.label == self.own_label
        return result


class _Example(NamedTuple):
    """A name of an annotator that stands for two names of another one, and the numbers of documents of both."""

    annotator: int
    own_label: int
    first: int
    labels: tuple[int, int]
    n_documents: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LocalNames(Relabelling):
    """Units to be renamed document by document."""

    fixed_question: ClassVar[str] = (
        "Do these names hold within a document only, like the letters of the parts of a song? Then give the same "
        "things the same name before you compare categories, or measure positions alone (β = 0)."
    )

    counts: tuple[int, int, int]  # pairs with equal names in the documents, with equal ones when renamed, and all
    n_documents: int
    example: _Example

    def sentence(self, view: View) -> Sentence:
        """Return where names are exchanged, and a name that stands for two."""
        before, after, n = self.counts
        example = self.example
        name = name_of(view, example.annotator)
        first_name = name_of(view, example.first)
        own, *labels = (label_of(view, code) for code in (example.own_label, *example.labels))
        return Sentence(
            "Names of categories hold within a document only: they are exchanged, not everywhere alike, in "
            f"{documents_text(view, self.documents, self.n_documents)}",
            f"{before:,} of {n:,} aligned pairs there have the same name; with names exchanged in each document, "
            f"{after:,} would. {own} of {name} stands for {labels[0]} of {first_name} in "
            f"{counted(example.n_documents[0], 'document')}, for {labels[1]} in {example.n_documents[1]:,}.",
        )


def propose(view: View) -> Iterator[LocalNames]:
    """Yield that names hold within a document only, if they are exchanged in more than one way."""
    candidate = find_local_names(view)
    if candidate is not None:
        yield candidate


def are_names_local(view: View) -> bool:
    """Return whether names held within a document only before the repairs of the tier."""
    return find_local_names(view.base) is not None


def find_local_names(view: View) -> LocalNames | None:
    """Return the documents in which names are exchanged if it is not the same exchange everywhere, else None.

    An exchange of keys is the same in all documents of an annotator. So the evidence does not suffice if each name
    stands for one other name at most.
    """
    if view.has_one_label or len(view.corpus) < 2 * _MIN_DOCUMENTS:
        return None
    names, units, lane_of_unit = _pair_names(view)
    if not len(names.document):
        return None
    nets = _evidence_of_lanes(names, view.n_annotators)
    # The share of such documents is not known: the largest likelihood of three, at the price of three.
    sums = np.logaddexp(np.log1p(-_SHARES), np.log(_SHARES) + nets[:, None]).sum(axis=0)
    share = _SHARES[sums.argmax()]
    net = float(sums.max()) - math.log(len(_SHARES))
    is_local = (nets > math.log(1 - share) - math.log(share)) & (names.count(names.is_matched & ~names.is_equal) > 0)
    if net < MIN_NET:
        return None
    example, other_lanes = _exchanged_in_two_ways(names, is_local)
    if example is None or nets[other_lanes].sum() < MIN_NET:
        return None
    before, after, n = (
        int(names.count(cells)[is_local].sum())
        for cells in (names.is_equal, names.is_matched, np.ones_like(names.is_equal))
    )
    renamed, new = _rename_units(view, names, units, lane_of_unit)
    return LocalNames(
        annotator=NOBODY,
        net=net,
        documents=np.unique(names.document[is_local]),
        units=renamed,
        new=new,
        counts=(before, after, n),
        n_documents=len(np.unique(names.document)),
        example=example,
    )


def _pair_names(view: View) -> tuple[_Names, IntArray, IntArray]:
    """Return the names of aligned pairs, and all units of the other annotators with their lanes."""
    corpus = view.corpus
    width = view.n_annotators
    n_labels = len(view.corpus.categories)
    lanes = view.lanes[0]
    documents, first_lane = np.unique(lanes // width, return_index=True)
    first_of_document = np.full(len(corpus), -1)
    first_of_document[documents] = lanes[first_lane] % width
    unit, partner = view.pairs
    is_said = (corpus.category >= 0) & ~view.is_copy
    rows = (
        (corpus.annotator[partner] == first_of_document[view.unit_document[partner]]) & is_said[unit] & is_said[partner]
    )
    unit = unit[rows]
    partner = partner[rows]
    used_lanes, lane = numbered(view.lane[unit])
    cells, n_pairs = np.unique(
        (lane * n_labels + corpus.category[unit]) * n_labels + corpus.category[partner], return_counts=True
    )
    source, label = np.divmod(cells, n_labels)
    own_label = source % n_labels
    cell_lane = source // n_labels
    # Of two ways to rename as many, the one that leaves more names as they are.
    weight = n_pairs + (label == own_label) / (2.0 * n_labels)
    n_sources = len(used_lanes) * n_labels
    begin = np.searchsorted(source, np.arange(n_sources + 1))
    edge, _, _ = kernels.match(begin, cell_lane * n_labels + label, weight, n_sources)
    is_matched = np.zeros(len(cells), dtype=np.bool_)
    is_matched[edge[edge >= 0]] = True
    names = _Names(
        document=used_lanes // width,
        first=first_of_document[used_lanes // width],
        annotator=used_lanes % width,
        lane=cell_lane,
        label=label,
        own_label=own_label,
        n_pairs=n_pairs,
        is_matched=is_matched,
    )
    units = np.flatnonzero(is_said & np.isin(view.lane, used_lanes))
    return names, units, np.searchsorted(used_lanes, view.lane[units])


def _evidence_of_lanes(names: _Names, n_annotators: int) -> FloatArray:
    """Return the evidence that each lane has names of its own, less the price of looking at all ways to rename.

    Without names of their own, lanes have the frequencies of the annotator's other lanes. With them, a name has its
    counterpart with a rate of which nothing is known before, and else any name. A name is a counterpart, and any name,
    as often as it occurs.
    """
    from scipy.special import betaln

    n_lanes = len(names.document)
    n_labels = int(max(names.label.max(), names.own_label.max())) + 1
    row = names.annotator[names.lane] * n_labels + names.label
    cell = numbered(row * n_labels + names.own_label)[1]
    n_elsewhere = np.bincount(cell, names.n_pairs)[cell] - names.n_pairs
    in_row = np.bincount(row, names.n_pairs, n_annotators * n_labels)[row]
    lane_row = numbered(names.lane * n_labels + names.label)[1]
    in_lane = np.bincount(lane_row, names.n_pairs)[lane_row]
    frequency = np.bincount(names.own_label, names.n_pairs, n_labels)[names.own_label] / names.n_pairs.sum()
    usual = np.log((n_elsewhere + names.is_equal + frequency) / (in_row - in_lane + 2))
    n = names.count(np.ones_like(names.is_equal))
    hits = names.count(names.is_matched)
    # The price of a counterpart, once for all its pairs; and of each pair that has another name.
    terms = np.where(names.is_matched, 1, names.n_pairs) * np.log(frequency) - names.n_pairs * usual
    result: FloatArray = betaln(hits + 1, n - hits + 1) + np.bincount(names.lane, terms, n_lanes)
    return result


def _exchanged_in_two_ways(names: _Names, is_local: BoolArray) -> tuple[_Example | None, IntArray]:
    """Return a name that two people exchange in two ways, and the lanes of all rarer ways."""
    is_exchanged = names.is_matched & ~names.is_equal & (names.n_pairs >= _MIN_PAIRS) & is_local[names.lane]
    cells = np.flatnonzero(is_exchanged)
    lane = names.lane[cells]
    columns = names.first[lane], names.annotator[lane], names.own_label[cells], names.label[cells]
    ways, way, n = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True, return_counts=True)
    way = way.reshape(-1)
    if not len(ways):
        return None, lane
    # The ways of each name of two people, the most frequent one first.
    name = np.unique(ways[:, :3], axis=0, return_inverse=True)[1].reshape(-1)
    order = np.lexsort((-n, name))
    is_main = np.zeros(len(ways), dtype=np.bool_)
    is_main[order[np.diff(name[order], prepend=-1) > 0]] = True
    n_other = np.bincount(name, np.where(is_main, 0, n))
    other_lanes = np.unique(lane[~is_main[way]])
    if len(other_lanes) < _MIN_DOCUMENTS:
        return None, other_lanes
    best = int(n_other.argmax())
    main, second = order[name[order] == best][:2].tolist()
    first, annotator, own_label, label = ways[main].tolist()
    labels = label, int(ways[second, 3])
    return _Example(annotator, own_label, first, labels, (int(n[main]), int(n[second]))), other_lanes


def _rename_units(view: View, names: _Names, units: IntArray, lane: IntArray) -> tuple[IntArray, IntArray]:
    """Return the units that get another name in all lanes that renaming makes more equal, and the names."""
    n_labels = len(view.corpus.categories)
    is_better = names.count(names.is_matched) > names.count(names.is_equal)
    matched = names.is_matched & is_better[names.lane]
    new_label = np.full(len(names.document) * n_labels, -1)
    new_label[(names.lane * n_labels + names.own_label)[matched]] = names.label[matched]
    own_label = view.corpus.category[units]
    new = new_label[lane * n_labels + own_label]
    is_new = (new >= 0) & (new != own_label)
    return units[is_new], new[is_new]


LOCAL_NAMES_CAUSE = Cause(
    "local-names",
    Tier.MARKING,
    "names of categories that hold within a document only",
    "renames the categories in each document one to one",
    propose,
)
