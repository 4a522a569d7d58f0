"""A good alignment to begin with: unitary alignments cut in two and matched again at best, over and over.

Split the annotators in two sides. Each unitary alignment falls into a part of either side, and which parts to join is
an assignment problem. Annotators enter one after another; then single annotators and pseudo-random halves of them are
matched again with the rest until nothing improves. No optimality is claimed here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns, Links
from gamma_align.alignment.search import splitmix
from gamma_align.columns import FloatArray, IntArray, chunks, ranges, rank_in_runs
from gamma_align.data.batch import Batch

_ROUNDS = 4
_GAIN = 1e-9
_PAIRS = 100_000  # held at once: as many as caches hold
_CELLS = 4_000_000  # of a table of units × units


def first_alignment(batch: Batch, links: Links) -> IntArray:
    """Return the label of each unit in a good alignment of one instance: 0, 1, … in the order of the lowest units."""
    width = int(batch.annotator.max(initial=0)) + 1
    entering = np.tril(np.zeros((width, width), dtype=np.int64)) + np.triu(np.full((width, width), 2), 1)
    np.fill_diagonal(entering, 1)
    return improved(batch, links, _moved(batch, links, np.arange(batch.n_units), entering[1:]))


def improved(batch: Batch, links: Links, label: IntArray) -> IntArray:
    """Return the labels of an alignment at least as good as this one."""
    width = int(batch.annotator.max(initial=0)) + 1
    best = saved(links, label)
    for number in range(_ROUNDS):
        after = _moved(batch, links, label, _moves(width, number))
        now = saved(links, after)
        if now <= best + _GAIN:
            break
        label, best = after, now
    return label


def saved(links: Links, label: IntArray) -> float:
    """Return what an alignment saves: the number of units less that of unitary alignments, and Σ w of its pairs."""
    together = label[links.unit] == label[links.partner]
    return len(label) - (int(label.max(initial=-1)) + 1) + float(links.saving[together].sum()) / 2


def _moved(batch: Batch, links: Links, label: IntArray, sides: IntArray) -> IntArray:
    width = sides.shape[1]
    return kernels.rematch(
        links.begin, links.partner, links.saving, batch.annotator, label, np.ascontiguousarray(sides).ravel(), width
    )


def _moves(width: int, number: int) -> IntArray:
    """Return the sides of one round: each annotator alone, and as many halves, different in every round."""
    cells = np.arange(number * width * width, (number + 1) * width * width, dtype=np.uint64)
    halves = (splitmix(cells) & np.uint64(1)).astype(np.int64).reshape(width, width)
    return np.concatenate([np.eye(width, dtype=np.int64), halves])


def shares(links: Links, label: IntArray) -> FloatArray:
    """Return prices at which each unitary alignment of two units and more saves exactly what its units pay."""
    together = label[links.unit] == label[links.partner]
    held = np.bincount(links.unit[together], weights=links.saving[together], minlength=len(label))
    return 1.0 - (1.0 / np.bincount(label)[label] - held / 2)


def neighbourhood(batch: Batch, links: Links, label: IntArray, most: int) -> Columns:
    """Return the unitary alignments of `label`, and those that differ from one by a unit left out, added or swapped.

    At most `most` units of each annotator are tried with each unitary alignment.
    """
    groups, width = int(label.max(initial=-1)) + 1, int(batch.annotator.max(initial=0)) + 1
    member = np.full((groups, width), -1)
    member[label, batch.annotator] = np.arange(len(label))
    without = member[label]
    without[np.arange(len(label)), batch.annotator] = -1
    table = np.unique(np.concatenate([member, without, _with(batch, links, label, member, most)]), axis=0)
    return _useful(table[(table >= 0).sum(axis=1) > 1], links)


def _with(batch: Batch, links: Links, label: IntArray, member: IntArray, most: int) -> IntArray:
    """Return the unitary alignments with another unit of an annotator in, the best of each annotator."""
    groups, width = member.shape
    apart = label[links.unit] != label[links.partner]
    key, pair = np.unique(links.unit[apart] * groups + label[links.partner[apart]], return_inverse=True)
    gain = np.bincount(pair, weights=links.saving[apart], minlength=len(key))
    pairs = np.bincount(pair, minlength=len(key))
    unit, group = np.divmod(key, max(groups, 1))
    annotator = batch.annotator[unit]
    needed = (member >= 0).sum(axis=1)[group] - (member[group, annotator] >= 0)
    fits = (pairs == needed) & (gain > -1.0)
    unit, group, annotator, gain = unit[fits], group[fits], annotator[fits], gain[fits]
    slot = group * width + annotator
    order = np.lexsort((unit, -gain, slot))
    order = order[rank_in_runs(slot[order]) < most]
    more: IntArray = member[group[order]]
    more[np.arange(len(order)), annotator[order]] = unit[order]
    return more


def _useful(table: IntArray, links: Links) -> Columns:
    """Return as columns the rows that cost less than their units alone; their pairs are all candidates."""
    size = (table >= 0).sum(axis=1)
    parts = chunks(size * (size - 1) // 2, _PAIRS)
    saving_of = _savings(links)
    cost = np.concatenate([np.ones(0), *(_costs(table[a:b], size[a:b], saving_of) for a, b in parts)])
    keep = cost < size - _GAIN
    return Columns.of(size[keep], table[keep][table[keep] >= 0], cost[keep])


def _savings(links: Links) -> Callable[[IntArray, IntArray], FloatArray]:
    """Return what looks up w of pairs: in a table of all units × units where that is small."""
    n_units = len(links.begin) - 1
    key = links.unit * n_units + links.partner
    if n_units**2 > _CELLS:
        return lambda first, second: links.saving[np.searchsorted(key, first * n_units + second)]
    table = np.zeros(n_units**2)
    table[key] = links.saving
    return lambda first, second: table[first * n_units + second]


def _costs(table: IntArray, size: IntArray, saving_of: Callable[[IntArray, IntArray], FloatArray]) -> FloatArray:
    """Return 1 - Σ w over the pairs of units in each row, one taken away after the other."""
    units = table[table >= 0]
    after = np.repeat(np.cumsum(size), size) - np.arange(len(units)) - 1  # units of its row behind each
    first, behind = np.repeat(np.arange(len(units)), after), ranges(np.arange(len(units)) + 1, after)
    cost = np.ones(len(table))
    np.subtract.at(cost, np.repeat(np.arange(len(table)), size)[first], saving_of(units[first], units[behind]))
    return cost
