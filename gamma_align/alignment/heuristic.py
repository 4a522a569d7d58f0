"""A good initial alignment: local search that cuts unitary alignments in two and matches the parts optimally.

If annotators are divided into two sides, each unitary alignment has a part on either side, and the best way to join the
parts is an assignment problem. Annotators are added one after the other. Then single annotators and pseudo-random
halves of the annotators are matched again with the remaining ones, until a round does not improve the alignment. The
result need not be optimal.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns, Links
from gamma_align.alignment.search import splitmix
from gamma_align.columns import FloatArray, IntArray, chunks, ranges, rank_in_runs
from gamma_align.data import Batch

_MAX_ROUNDS = 4  # of rematching
_MIN_GAIN = 1e-9  # in units of Δ; a smaller gain may be a rounding error
_CHUNK_PAIRS = 100_000  # pairs in memory at once: about the size of processor caches
_MAX_TABLE_CELLS = 4_000_000  # units × units; savings of larger instances are found by bisection
_MAX_CANDIDATES = 2  # units of an annotator to try in each unitary alignment; the best ones


def first_alignment(batch: Batch, links: Links) -> IntArray:
    """Return the label of each unit in a good alignment of one instance: 0, 1, … in the order of the lowest units."""
    return improve(batch, links, _greedy_alignment(batch, links))


def quick_alignment(batch: Batch, links: Links) -> IntArray:
    """Return the same for an alignment that is not as good, in a quarter of the time."""
    return _rematch(batch, links, _greedy_alignment(batch, links), np.eye(_width(batch), dtype=np.int64))


def _greedy_alignment(batch: Batch, links: Links) -> IntArray:
    """Return the labels of an alignment that one annotator after the other joins."""
    width = _width(batch)
    # Move i matches annotator i + 1 (side 1) with the annotators before it (side 0); the others stay alone (side 2).
    sides = np.tril(np.zeros((width, width), dtype=np.int64)) + np.triu(np.full((width, width), 2), 1)
    np.fill_diagonal(sides, 1)
    return _rematch(batch, links, np.arange(batch.n_units), sides[1:])


def _width(batch: Batch) -> int:
    """Return the number of annotators of one instance."""
    return int(batch.annotator.max(initial=0)) + 1


def renumber(label: IntArray) -> IntArray:
    """Return the same alignment with new labels: 0, 1, … in the order of the lowest unit of each unitary alignment."""
    _, first, dense = np.unique(label, return_index=True, return_inverse=True)
    result: IntArray = np.argsort(np.argsort(first))[dense]
    return result


def improve(batch: Batch, links: Links, label: IntArray) -> IntArray:
    """Return the labels of an alignment at least as good as this one."""
    width = _width(batch)
    best = total_saving(links, label)
    for round_index in range(_MAX_ROUNDS):
        new_label = _rematch(batch, links, label, _sides_of_round(width, round_index))
        saving = total_saving(links, new_label)
        if saving <= best + _MIN_GAIN:
            break
        label = new_label
        best = saving
    return label


def total_saving(links: Links, label: IntArray) -> float:
    """Return the saving of an alignment: number of units - number of unitary alignments + Σ w of the aligned pairs."""
    is_aligned = label[links.unit] == label[links.partner]
    return len(label) - (int(label.max(initial=-1)) + 1) + float(links.saving[is_aligned].sum()) / 2


def _rematch(batch: Batch, links: Links, label: IntArray, sides: IntArray) -> IntArray:
    """Return the labels after moves with these sides of the annotators, shape (n_moves, n_annotators)."""
    width = sides.shape[1]
    return kernels.rematch(
        links.begin, links.partner, links.saving, batch.annotator, label, np.ascontiguousarray(sides).ravel(), width
    )


def _sides_of_round(width: int, round_index: int) -> IntArray:
    """Return the sides of a round: each annotator against all others, then the same number of pseudo-random halves."""
    cells = np.arange(round_index * width * width, (round_index + 1) * width * width, dtype=np.uint64)
    halves = (splitmix(cells) & np.uint64(1)).astype(np.int64).reshape(width, width)
    return np.concatenate([np.eye(width, dtype=np.int64), halves])


def tight_prices(links: Links, label: IntArray) -> FloatArray:
    """Return prices that add up to the saving of each unitary alignment of at least two units."""
    is_aligned = label[links.unit] == label[links.partner]
    unit_saving = np.bincount(links.unit[is_aligned], weights=links.saving[is_aligned], minlength=len(label))
    return 1.0 - (1.0 / np.bincount(label)[label] - unit_saving / 2)


def aligned_columns(batch: Batch, links: Links, label: IntArray) -> Columns:
    """Return the unitary alignments of at least two units of an alignment, as columns."""
    order = np.lexsort((batch.annotator, label))
    sizes = np.bincount(label)
    saving = links.saving * (label[links.unit] == label[links.partner])
    cost = 1.0 - np.bincount(label[links.unit], weights=saving, minlength=len(sizes)) / 2
    return Columns.of(sizes, order, cost).take(sizes > 1)


def neighbourhood(batch: Batch, links: Links, label: IntArray) -> Columns:
    """Return the unitary alignments of `label`, and variants with one unit removed, added or replaced.

    At most `_MAX_CANDIDATES` units of each annotator are added to each unitary alignment.
    """
    n_groups = int(label.max(initial=-1)) + 1
    width = _width(batch)
    member = np.full((n_groups, width), -1)
    member[label, batch.annotator] = np.arange(len(label))
    reduced = member[label]
    reduced[np.arange(len(label)), batch.annotator] = -1
    extended = _extended(batch, links, label, member)
    table = np.unique(np.concatenate([member, reduced, extended]), axis=0)
    return _cheap_columns(table[(table >= 0).sum(axis=1) > 1], links)


def _extended(batch: Batch, links: Links, label: IntArray, member: IntArray) -> IntArray:
    """Return the unitary alignments with one unit added or replaced, by the best candidates of each annotator.

    `member` and the result have a row for each unitary alignment and a column for each annotator; -1 is no unit.
    """
    n_groups, width = member.shape
    is_apart = label[links.unit] != label[links.partner]
    key, pair = np.unique(links.unit[is_apart] * n_groups + label[links.partner[is_apart]], return_inverse=True)
    gain = np.bincount(pair, weights=links.saving[is_apart], minlength=len(key))
    n_pairs = np.bincount(pair, minlength=len(key))
    unit, group = np.divmod(key, max(n_groups, 1))
    annotator = batch.annotator[unit]
    # Candidate pairs with all members are required, except with the unit that would be replaced.
    n_required = (member >= 0).sum(axis=1)[group] - (member[group, annotator] >= 0)
    can_join = (n_pairs == n_required) & (gain > -1.0)
    unit = unit[can_join]
    group = group[can_join]
    annotator = annotator[can_join]
    gain = gain[can_join]
    cell = group * width + annotator
    order = np.lexsort((unit, -gain, cell))
    order = order[rank_in_runs(cell[order]) < _MAX_CANDIDATES]
    extended: IntArray = member[group[order]]
    extended[np.arange(len(order)), annotator[order]] = unit[order]
    return extended


def _cheap_columns(table: IntArray, links: Links) -> Columns:
    """Return the rows that cost less than their units alone, as columns; all their pairs must be candidates."""
    size = (table >= 0).sum(axis=1)
    lookup = _saving_lookup(links)
    costs = [np.ones(0)]
    for begin, end in chunks(size * (size - 1) // 2, _CHUNK_PAIRS):
        costs.append(_costs(table[begin:end], size[begin:end], lookup))
    cost = np.concatenate(costs)
    keep = cost < size - _MIN_GAIN
    return Columns.of(size[keep], table[keep][table[keep] >= 0], cost[keep])


def _saving_lookup(links: Links) -> Callable[[IntArray, IntArray], FloatArray]:
    """Return a function from pairs of units to w; it uses a table of units × units if that is small enough."""
    n_units = len(links.begin) - 1
    key = links.unit * n_units + links.partner
    if n_units**2 > _MAX_TABLE_CELLS:
        return lambda first, second: links.saving[np.searchsorted(key, first * n_units + second)]
    table = np.zeros(n_units**2)
    table[key] = links.saving
    return lambda first, second: table[first * n_units + second]


def _costs(table: IntArray, size: IntArray, lookup: Callable[[IntArray, IntArray], FloatArray]) -> FloatArray:
    """Return 1 - Σ w over the pairs of units in each row, the savings subtracted in order."""
    units = table[table >= 0]
    n_later = np.repeat(np.cumsum(size), size) - np.arange(len(units)) - 1  # later units of the same row
    first = np.repeat(np.arange(len(units)), n_later)
    second = ranges(np.arange(len(units)) + 1, n_later)
    cost = np.ones(len(table))
    np.subtract.at(cost, np.repeat(np.arange(len(table)), size)[first], lookup(units[first], units[second]))
    return cost
