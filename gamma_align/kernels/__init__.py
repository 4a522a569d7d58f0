"""The inner loops: compiled where the installation found a C++ compiler, otherwise their twins in Python and NumPy.

Every kernel takes and returns plain arrays, and both kinds return the same bits, ties included. The environment
variable ``GAMMA_ALIGN_KERNELS`` set to ``python`` asks for the twins; set to ``compiled``, it makes it an error if
there are no compiled ones.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gamma_align._types import FloatArray, IntArray

VARIABLE = "GAMMA_ALIGN_KERNELS"
COMPILED, PLAIN = "compiled", "python"


def _load(kind: str) -> Any:  # noqa: ANN401  (a module: of ours, or compiled)
    return import_module({PLAIN: "gamma_align.kernels.plain", COMPILED: "gamma_align.kernels._native"}[kind])


def _chosen() -> str:
    asked = os.environ.get(VARIABLE, "")
    if asked not in {"", COMPILED, PLAIN}:
        raise SettingsError(f"{VARIABLE} must be {COMPILED!r} or {PLAIN!r}, not {asked!r}")
    if asked == PLAIN:
        return PLAIN
    try:
        _load(COMPILED)
    except ImportError as error:
        if asked == COMPILED:
            raise SettingsError(
                f"{VARIABLE}={COMPILED}, but there are no compiled kernels here: install gamma-align again where a C++ "
                f"compiler is at hand ({error})"
            ) from None
        return PLAIN
    return COMPILED


class _Kernels:
    """The kernels in use, chosen at the first call, so that a wrong setting is reported like any other error."""

    def __init__(self) -> None:
        self._kind = ""
        self._module: Any = None

    @property
    def kind(self) -> str:
        """Return which kernels these are."""
        if not self._kind:
            self.use(_chosen())
        return self._kind

    def use(self, kind: str) -> None:
        """Take the kernels of a kind from now on."""
        self._module = _load(kind)
        self._kind = kind

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (a function of either kind)
        if not self._kind:
            self.use(_chosen())
        return getattr(self._module, name)


_active = _Kernels()


def kind() -> str:
    """Return which kernels are in use: ``"compiled"`` or ``"python"``."""
    return _active.kind


@contextmanager
def using(kind: str) -> Iterator[None]:
    """Use one kind of kernels inside a ``with`` block (for tests and benchmarks; not for several threads)."""
    before = _active.kind
    _active.use(kind)
    try:
        yield
    finally:
        _active.use(before)


def sweep(
    offsets: IntArray, annotator: IntArray, start: FloatArray, end: FloatArray, most: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pairs of units of different annotators of one instance that are near in position.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_instances + 1,)
        Where each instance's units begin; the first of them has the least start.
    annotator : ndarray of int64, shape (n_units,)
        Number of each unit's annotator.
    start, end : ndarray of float64, shape (n_units,)
        Bounds.
    most : ndarray of float64, shape (n_instances,)
        The d_pos / Δ below which pairs are near; infinite for all pairs that can be aligned at all.

    Returns
    -------
    first, second : ndarray of int64, shape (n_pairs,)
        Units, that of the lower annotator first; sorted by (first, second).
    ratio : ndarray of float64, shape (n_pairs,)
        d_pos / Δ, the same digits as `gamma_align.distances.dissimilarity.sporadic`.
    """
    result: tuple[IntArray, IntArray, FloatArray] = _active.sweep(offsets, annotator, start, end, most)
    return result


def match(
    begin: IntArray, column: IntArray, saving: FloatArray, n_columns: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the matching of rows and columns of greatest saving, and dual prices that prove it.

    Rows and columns may stay unmatched. Any number of instances that share no row or column are solved in one call;
    each is solved as if it were alone.

    Parameters
    ----------
    begin : ndarray of int64, shape (n_rows + 1,)
        Where each row's edges begin.
    column : ndarray of int64, shape (n_edges,)
        Column of each edge; a row has at most one edge to a column.
    saving : ndarray of float64, shape (n_edges,)
        What each edge saves, above 0.
    n_columns : int
        Number of columns.

    Returns
    -------
    edge : ndarray of int64, shape (n_rows,)
        The edge matched to each row, or -1.
    row_price, column_price : ndarray of float64, shape (n_rows,) and (n_columns,)
        Prices ≥ 0 of which, but for rounding, no edge saves more than the two of its ends, those matched exactly as
        much; 0 for what is not matched. So their sum is the greatest saving there can be.

    References
    ----------
    Successive shortest paths with potentials: Ahuja, Magnanti & Orlin 1993, §12.4.
    """
    result: tuple[IntArray, FloatArray, FloatArray] = _active.match(begin, column, saving, n_columns)
    return result


def useful(
    offsets: IntArray,
    annotator: IntArray,
    begin: IntArray,
    second: IntArray,
    saving: FloatArray,
    most: IntArray,
    free: float,
) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
    """Return every useful column of two units and more, and which instances have too many to hold.

    A *partial* column is one of candidate pairs only, each unit of it able to save more than ``free - 1`` with the
    others and the best unit of every later annotator; a *useful* one has it of the others alone.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_instances + 1,)
        Where each instance's units begin.
    annotator : ndarray of int64, shape (n_units,)
        Number of each unit's annotator.
    begin : ndarray of int64, shape (n_units + 1,)
        Where the pairs begin of which each unit is the first, that of the lower annotator.
    second : ndarray of int64, shape (n_pairs,)
        The other unit of each pair, ascending for each first unit.
    saving : ndarray of float64, shape (n_pairs,)
        w of each pair, in units of Δ.
    most : ndarray of int64, shape (n_instances,)
        Extensions to one size that each instance may have; one that has more is given up, with all its columns.
    free : float
        Savings up to this are taken as none.

    Returns
    -------
    offsets, units : ndarray of int64
        Where each column's units begin, and the units in the order of their annotators; columns by size, then in
        the order of their units.
    cost : ndarray of float64, shape (n_columns,)
        1 - Σ w, in units of Δ; a unit's savings are summed in the order of the units, then those sums.
    too_many : ndarray of int64, shape (n_instances,)
        1 for the instances given up.
    """
    result: tuple[IntArray, IntArray, FloatArray, IntArray] = _active.useful(
        offsets, annotator, begin, second, saving, most, free
    )
    return result


def linked(offsets: IntArray, units: IntArray, n_units: int) -> IntArray:
    """Return the part of each unit, shape (n_units,): units that columns link, directly or through other units.

    Parts are numbered in the order of their first units.

    Parameters
    ----------
    offsets, units : ndarray of int64
        Where each column's units begin, and the units.
    n_units : int
        Number of units.
    """
    result: IntArray = _active.linked(offsets, units, n_units)
    return result


def ascend(offsets: IntArray, units: IntArray, saving: FloatArray, n_units: int, passes: int) -> FloatArray:
    """Return prices ≥ 0 that, but for rounding, no column beats: saving ≤ Σ price over its units.

    Each pass moves every unit's price to the middle of its two best choices (a column, or to stay alone), which
    never worsens the bound Σ price + Σ max(0, saving - Σ price); passes go to and fro. Two more passes make the
    prices ones that no column beats, and as low as their neighbours allow. The prices of units that no column links
    do not depend on each other.

    Parameters
    ----------
    offsets, units : ndarray of int64
        Where each column's units begin, and the units.
    saving : ndarray of float64, shape (n_columns,)
        What each column saves.
    n_units : int
        Number of units.
    passes : int
        Passes before the last two.

    References
    ----------
    Min-marginal averaging: Werner 2007, IEEE TPAMI 29(7); Wedelin 1995, Annals of Operations Research 57.
    """
    result: FloatArray = _active.ascend(offsets, units, saving, n_units, passes)
    return result


def choose(
    part: IntArray,
    offsets: IntArray,
    units: IntArray,
    loss: FloatArray,
    price: FloatArray,
    hash: IntArray,  # noqa: A002  (the tie hash, by that name everywhere)
    alone_hash: IntArray,
    known: FloatArray,
    nodes: IntArray,
    tie: float,
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the choice of disjoint columns of least loss in each part; units in none of them stay alone.

    Among choices of equal loss, to within `tie`: one of most unitary alignments, and among those of least Σ hash.

    A part is swept from its first unit on. A *state* is the lowest unit not yet covered with the set of units covered
    beyond it; of the ways to a state the best is kept (tolerances do not add up: its loss is within `tie` of the exact
    least). A state falls away where its loss exceeds that of a choice
    already known, or where the leading state of the same lowest unit does better whatever follows: that is the case
    if it is ahead by more than what it takes to bring it to the same cover, units that only it covers taken out of
    their columns and the rest of these left alone, units that only the other covers left alone. Both ways out are
    exact, because no loss is negative. Few states are alive at a time where columns reach over few units.

    Parameters
    ----------
    part : ndarray of int64, shape (n_units,)
        The part of each unit, or -1; the units of a column are in one part.
    offsets, units : ndarray of int64
        Where each column's units begin, and the units.
    loss : ndarray of float64, shape (n_columns,)
        Loss of each column, 0 or more.
    price : ndarray of float64, shape (n_units,)
        Loss of each unit alone, 0 or more.
    hash, alone_hash : ndarray of int64, shapes (n_columns,) and (n_units,)
        Tie hash of each column, and of each unit alone.
    known : ndarray of float64, shape (n_parts,)
        A loss that some choice in the part is known to reach, or infinity.
    nodes : ndarray of int64, shape (n_parts,)
        Work allowed for each part: states looked at, and columns tried on them.
    tie : float
        Losses that differ by no more are equal.

    Returns
    -------
    least : ndarray of float64, shape (n_parts,)
        The least loss, 0 where the part was not solved.
    solved : ndarray of int64, shape (n_parts,)
        1 where it was: the nodes sufficed, and no column reaches over more than 256 units of its part.
    chosen : ndarray of int64
        The columns chosen in the parts solved, ascending.
    """
    result: tuple[FloatArray, IntArray, IntArray] = _active.choose(
        part, offsets, units, loss, price, hash, alone_hash, known, nodes, tie
    )
    return result


def rematch(
    begin: IntArray,
    other: IntArray,
    saving: FloatArray,
    annotator: IntArray,
    label: IntArray,
    sides: IntArray,
    width: int,
) -> IntArray:
    """Return the labels of units after moves that cut all unitary alignments in two and match the parts at best.

    Parameters
    ----------
    begin : ndarray of int64, shape (n_units + 1,)
        Where each unit's candidate pairs begin.
    other : ndarray of int64, shape (2 * n_pairs,)
        The other unit of each pair, ascending within a unit; each pair stands at both of its units.
    saving : ndarray of float64, shape (2 * n_pairs,)
        w of each.
    annotator : ndarray of int64, shape (n_units,)
        Annotator of each unit.
    label : ndarray of int64, shape (n_units,)
        Unitary alignment of each unit: 0, 1, … in the order of their lowest units.
    sides : ndarray of int64, shape (n_moves * width,)
        For each move, the side of each annotator: parts of side 0 are matched with those of side 1; units of annotators
        of side 2, which must stand alone, are left so.
    width : int
        Number of annotators.

    Returns
    -------
    ndarray of int64, shape (n_units,)
        The labels, numbered as those given; no move makes an alignment worse.
    """
    labels: IntArray = _active.rematch(begin, other, saving, annotator, label, sides, width)
    return labels


def price(
    begin: IntArray,
    other: IntArray,
    saving: FloatArray,
    annotator: IntArray,
    reach: FloatArray,
    prices: FloatArray,
    roots: IntArray,
    threshold: float,
    nodes: int,
    keep: int,
    every: bool,  # noqa: FBT001  (a kernel's arguments go in order)
    work: int,
    most: int,
) -> tuple[IntArray, IntArray, FloatArray, IntArray, FloatArray, int]:
    """Return columns of each root that gain more than a threshold at given prices, and a bound on all of them.

    The root of a column is its lowest unit. Its gain at prices y is Σ (1 - y) + Σ w - 1 over its units and their pairs.

    Parameters
    ----------
    begin : ndarray of int64, shape (n_units + 1,)
        Where each unit's candidate pairs begin.
    other : ndarray of int64, shape (n_pairs,)
        The other unit of each pair, a higher one, ascending within a unit.
    saving : ndarray of float64, shape (n_pairs,)
        w of each pair.
    annotator : ndarray of int64, shape (n_units,)
        Annotator of each unit.
    reach : ndarray of float64, shape (n_units,)
        Σ over annotators of each unit's best saving with a unit of theirs, where that is positive.
    prices : ndarray of float64, shape (n_units,)
        y.
    roots : ndarray of int64, shape (n_roots,)
        The roots to search, in this order.
    threshold : float
        Gains up to this do not count.
    nodes : int
        Nodes of the search of one root, at most.
    keep : int
        Columns of one root to return, the last of the ever better ones found.
    every : bool
        Return all columns above the threshold instead.
    work : int
        Work for all roots, in look-ups of pairs; when it is done, what is left is bounded without a search.
    most : int
        Columns for all roots; when there are so many, the same.

    Returns
    -------
    offsets, units : ndarray of int64, shape (n_columns + 1,) and (n_entries,)
        The columns, units in the order of their annotators.
    saving : ndarray of float64, shape (n_columns,)
        What each saves: its number of units - 1 + Σ w.
    root : ndarray of int64, shape (n_columns,)
        The root of each.
    bound : ndarray of float64, shape (n_roots,)
        No column of the root gains more than this or the threshold, whichever is greater; in a search of every column,
        none is missing where it is the threshold.
    spent : int
        Work done.

    References
    ----------
    The bound: block-coordinate ascent on the dual of the max-product linear programme, with handshake updates
    (Globerson & Jaakkola 2007; Tourani, Shekhovtsov, Rother & Savchynskyy 2018).
    """
    result: tuple[IntArray, IntArray, FloatArray, IntArray, FloatArray, int] = _active.price(
        begin, other, saving, annotator, reach, prices, roots, threshold, nodes, keep, every, work, most
    )
    return result
