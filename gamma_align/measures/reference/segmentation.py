"""How far two segmentations agree: P_k, WindowDiff, and B and S from the least-cost edit of boundaries.

Conventions
-----------
A document is N atoms (characters, tokens, or steps of so many seconds); a segmentation is the set of boundaries between
neighbouring atoms. Windows of k atoms, k = half the mean segment of the reference (rounded half to even, at least 2):

- P_k: share of the N - k windows whose ends are in one segment in one segmentation and not in the other;
- WindowDiff: share of the N - k windows that hold different numbers of boundaries; *weighted*, the sum of these
  differences in place of the number of windows that have one;
- Lamprier's: WindowDiff over the N + k windows that there are with k atoms more at both ends, so that boundaries near
  an end count in as many windows as others.

Boundaries of both are matched; of the others, two that are less than `near` atoms apart may be one that moved (which
costs s / near for s atoms), and each that is left costs 1. The cheapest choice of moves is a matching of greatest
saving (kernel `match`); one by dynamic programming costs the same. Boundaries may have types, the categories of the
units that begin there: then those of both and those that moved are of the same type, and two of different types at one
place may be substituted, which costs the distance of the types.

- B = 1 - cost / (matched + moved + substituted + left);
- S = 1 - cost / (N - 1).

P_k and the WindowDiffs are errors, 0 at best (a weighted one may be above 1), and depend on which of the two is the
reference; B and S are 1 at best. Over documents, numerators and denominators are summed.

References
----------
Beeferman, Berger & Lafferty 1999 (P_k). Pevzner & Hearst 2002 (WindowDiff). Lamprier et al. 2007, On evaluation
methodologies for text segmentation algorithms. Fournier & Inkpen 2012 (S). Fournier 2013 (B).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.columns import BoolArray, FloatArray, IntArray, ranges
from gamma_align.data.checks import check_two_annotators
from gamma_align.data.corpus import Corpus
from gamma_align.data.frames import FrameColumns
from gamma_align.data.sources import Source, corpus_of
from gamma_align.distances import AnyDistance, Distance, as_distance
from gamma_align.distances.metric import PairsOfCodes
from gamma_align.errors import InputError
from gamma_align.inference.jackknife import ratio_interval
from gamma_align.inference.values import Result, Value, value_columns
from gamma_align.measures.reference.pairings import Slots, annotator_pairs, code_of, every_two, pieces, with_reference
from gamma_align.measures.reference.reference_options import ATOM, GAPS, NEAR

VALUES = ("p_k", "window_diff", "weighted_window_diff", "lamprier", "b", "s")
_LEAST_WINDOW = 2
NO_BOUNDARY = "no boundary"
_NO_WINDOW = "no document is longer than its window"
_ONE_ATOM = "no document has two atoms"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SegmentationScore(Result):
    """How far a segmentation is from a reference.

    Attributes
    ----------
    reference, system : str
        The annotators.
    documents : int
        How many both saw.
    p_k, window_diff, weighted_window_diff, lamprier : Value
        Errors: 0 is best.
    b, s : Value
        Similarities: 1 is best.
    windows, matched, moved, substituted, left : int
        Windows; boundaries in both, moved ones, ones of another type, and ones without a counterpart.

    Examples
    --------
    >>> units = {"gold": [(0, 2), (2, 5), (5, 11)], "ann": [(0, 2), (2, 4), (4, 11)]}
    >>> score = ga.segmentation(units, reference="gold").scores[0]
    >>> [round(float(value), 4) for value in (score.p_k, score.window_diff, score.b, score.s)]
    [0.2222, 0.2222, 0.75, 0.95]
    """

    reference: str
    system: str
    documents: int
    p_k: Value
    window_diff: Value
    weighted_window_diff: Value
    lamprier: Value
    b: Value
    s: Value
    windows: int
    matched: int
    moved: int
    substituted: int
    left: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SegmentationResult(Result):
    """Segmentations against a reference, or each annotator against each other, both ways.

    Attributes
    ----------
    scores : tuple of SegmentationScore
        By reference and system.
    mean : mapping of str to Value
        Plain means of the values.
    notes : tuple of str
        What the reader of the numbers should know.

    Examples
    --------
    >>> units = {"ann": [(0, 2), (2, 5), (5, 11)], "bob": [(0, 2), (2, 4), (4, 11)]}
    >>> ga.segmentation(units)
    <SegmentationResult scores: 2, notes: 0>
    """

    scores: tuple[SegmentationScore, ...]
    mean: dict[str, Value]
    notes: tuple[str, ...] = ()

    def _contents(self) -> dict[str, Any]:
        return {"schema_version": 1, **self._named("scores", "mean", "notes")}

    def _columns(self) -> FrameColumns:
        columns: FrameColumns = {
            name: [getattr(score, name) for score in self.scores] for name in ("reference", "system", "documents")
        }
        for name in VALUES:
            columns |= value_columns(name, [getattr(score, name) for score in self.scores])
        return columns


class Counts(NamedTuple):
    """What pairs of segmentations add up to, shape (n_pairs,): see `SegmentationScore`.

    `p_k`, `window_diff` and `lamprier` count windows with errors, `weighted` sums the differences, `windows` and
    `padded_windows` are those there are; `cost` is that of the edit, `places` are those where a boundary could be.
    """

    p_k: IntArray
    window_diff: IntArray
    weighted: IntArray
    windows: IntArray
    lamprier: IntArray
    padded_windows: IntArray
    cost: FloatArray
    matched: IntArray
    moved: IntArray
    substituted: IntArray
    left: IntArray
    places: IntArray

    def score(self, reference: str, system: str, rows: IntArray) -> SegmentationScore:
        """Return the values of these pairs together, with intervals over them."""
        these = Counts._make(column[rows] for column in self)
        boundaries = these.matched + these.moved + these.substituted + these.left
        without = Value(1.0, no_interval=NO_BOUNDARY) if these.places.any() else Value.unavailable(_ONE_ATOM)
        return SegmentationScore(
            reference=reference,
            system=system,
            documents=len(rows),
            p_k=_error(these.p_k, these.windows),
            window_diff=_error(these.window_diff, these.windows),
            weighted_window_diff=_error(these.weighted, these.windows),
            lamprier=_error(these.lamprier, these.padded_windows),
            b=_similarity(these.cost, boundaries) if boundaries.any() else without,
            s=_similarity(these.cost, these.places) if these.places.any() else without,
            windows=int(these.windows.sum()),
            matched=int(these.matched.sum()),
            moved=int(these.moved.sum()),
            substituted=int(these.substituted.sum()),
            left=int(these.left.sum()),
        )


def _error(errors: IntArray, total: IntArray) -> Value:
    if not total.any():
        return Value.unavailable(_NO_WINDOW)
    interval = ratio_interval(errors.astype(np.float64), total.astype(np.float64), errors < total, largest=1.0)
    return interval.one_minus().around(float(errors.sum() / total.sum()))


def _similarity(cost: FloatArray, total: IntArray) -> Value:
    interval = ratio_interval(cost, total.astype(np.float64), cost < total, largest=1.0)
    return interval.around(float(1.0 - cost.sum() / total.sum()))


class _Boundaries(NamedTuple):
    """Boundaries of annotators on documents (entries of `corpus.seen`), and the number of atoms of each document.

    Of each boundary the place and the type, 0 where types do not count and for no category.
    """

    slot: IntArray
    place: IntArray
    kind: IntArray
    atoms: IntArray


def segmentation(
    source: Source,
    /,
    *,
    reference: str | None = None,
    atom: float = 1.0,
    near: int = 2,
    gaps: str = "refuse",
    types: bool = False,
    distance: AnyDistance | None = None,
) -> SegmentationResult:
    """Return P_k, WindowDiff, B and S of annotators who divide documents into segments.

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        Units of an annotator cover each document without overlap; their categories do not count, unless as `types`.
    reference : str, optional
        The annotator to compare the others with; without it all are compared with each other, both ways.
    atom : float
        Length of an atom, to which boundaries are rounded: 1 for characters and tokens, 0.1 for tenths of seconds.
    near : int
        Boundaries fewer atoms apart may be one that moved (n_t of B and S).
    gaps : {"refuse", "segments"}
        Stretches without a unit: refuse the data, or take them as segments.
    types : bool
        Whether boundaries have types for B and S: the category of the unit that begins there, none in a gap.
    distance : str, Distance, table or function, optional
        Between types, from 0 to 1: what it costs to put one in place of another; nominal by default.

    Returns
    -------
    SegmentationResult

    Raises
    ------
    InputError
        For units of one annotator that overlap or leave gaps, or if no document has two annotators.
    SettingsError
        For a setting out of its range, or a reference that is no annotator.

    Examples
    --------
    >>> units = {"gold": [(0, 5), (5, 10), (10, 15), (15, 20)], "ann": [(0, 5), (5, 9), (9, 15), (15, 20)]}
    >>> result = ga.segmentation(units, reference="gold")
    >>> round(result.scores[0].b.value, 4)
    0.8333
    """
    corpus = corpus_of(source, "segmentation")
    check_two_annotators(corpus)
    slots = every_two(corpus) if reference is None else with_reference(corpus, code_of(corpus, reference))
    settings = SegmentationSettings(atom, near, gaps, as_distance(distance or "nominal") if types else None)
    scores = [*segmentation_scores(corpus, slots, settings)]
    if reference is None:
        scores += segmentation_scores(corpus, Slots(*slots[::-1]), settings)
        scores.sort(key=lambda score: (score.reference, score.system))
    mean = {name: _mean([getattr(score, name) for score in scores]) for name in VALUES}
    return SegmentationResult(tuple(scores), mean, corpus.notes + notes_of(scores))


def notes_of(scores: Sequence[SegmentationScore]) -> tuple[str, ...]:
    """Return what the reader of the values should know."""
    silent = any(score.b.no_interval == NO_BOUNDARY for score in scores)
    return ("B is 1 where neither of two annotators has a boundary",) if silent else ()


def _mean(values: Sequence[Value]) -> Value:
    known = [value.value for value in values if value.is_available]
    return Value(math.fsum(known) / len(known)) if known else Value.unavailable("no pair has a value")


class SegmentationSettings(NamedTuple):
    """Settings of `segmentation`; `types` is the distance of types, None where boundaries have none."""

    atom: float
    near: int
    gaps: str
    types: Distance | None


def segmentation_scores(corpus: Corpus, slots: Slots, settings: SegmentationSettings) -> Iterator[SegmentationScore]:
    """Yield the values of each two annotators, by their names."""
    typed = settings.types is not None
    boundaries = _boundaries(corpus, settings.atom, settings.gaps, typed=typed)
    between = None if settings.types is None else settings.types.bind(corpus.categories)
    counts = _counts(boundaries, slots, corpus.seen_document, settings.near, between)
    for reference, system, rows in annotator_pairs(corpus, slots):
        yield counts.score(reference, system, rows)


def _boundaries(corpus: Corpus, atom: float, gaps: str, *, typed: bool) -> _Boundaries:
    ATOM.check(atom)
    GAPS.check(gaps)
    slot, extents = corpus.unit_seen, corpus.extents
    _check_tiles(corpus, slot, gaps)
    low = extents[:, 0]
    atoms = np.rint(np.ptp(extents, axis=1) / atom).astype(np.int64)
    slot, position = np.tile(slot, 2), np.concatenate([corpus.start, corpus.end])
    document = corpus.seen_document[slot]
    place = np.rint((position - low[document]) / atom).astype(np.int64)
    inner = (place > 0) & (place < atoms[document])
    width = int(atoms.max(initial=0)) + 1
    # of the units that begin at a place the last, before the end of a unit that nothing follows
    kind = np.concatenate([corpus.category + 1, np.zeros_like(corpus.category)]) if typed else np.zeros_like(slot)
    begins = np.repeat([1, 0], len(corpus.start))
    order = np.lexsort((position, begins))[::-1]
    order = order[inner[order]]
    key, first = np.unique(slot[order] * width + place[order], return_index=True)
    return _Boundaries(key // width, key % width, kind[order][first], atoms)


def _check_tiles(corpus: Corpus, slot: IntArray, gaps: str) -> None:
    """Refuse units of an annotator that overlap and, unless gaps are segments, do not cover a document."""
    first = np.ones(len(slot), dtype=np.bool_)
    first[1:] = slot[1:] != slot[:-1]
    begin, stop = corpus.extents[corpus.unit_document].T
    expected = np.where(first, begin, np.roll(corpus.end, 1))
    last = np.roll(first, -1)
    _refuse(corpus, ~first & (corpus.start < expected), "overlaps the unit before it")
    if gaps == "refuse":
        cure = "; fill the gaps, or take them as segments with gaps='segments' (--gaps segments)"
        _refuse(corpus, corpus.start > expected, f"begins after a gap{cure}")
        _refuse(corpus, last & (corpus.end < stop), f"ends before the document does{cure}")
        silent = np.setdiff1d(np.arange(len(corpus.seen)), slot)
        if len(silent):
            name, document = (
                corpus.annotators[corpus.seen[silent[0]]],
                corpus.documents[corpus.seen_document[silent[0]]],
            )
            raise InputError(f"document {document!r}, annotator {name!r}: no unit covers it{cure}")


def _refuse(corpus: Corpus, wrong: BoolArray, problem: str) -> None:
    if wrong.any():
        unit = int(np.flatnonzero(wrong)[0])
        name, document = corpus.annotators[corpus.annotator[unit]], corpus.documents[corpus.unit_document[unit]]
        bounds = f"[{corpus.start[unit]:.15g}, {corpus.end[unit]:.15g}]"
        raise InputError(f"document {document!r}, annotator {name!r}: unit {bounds} {problem}")


def _counts(
    boundaries: _Boundaries, slots: Slots, document_of: IntArray, near: int, between: PairsOfCodes | None
) -> Counts:
    NEAR.check(near)
    count = len(slots.reference)
    number = np.bincount(boundaries.slot, minlength=len(document_of))
    atoms = boundaries.atoms[document_of[slots.reference]]
    sides = [_of_pairs(boundaries, number, side) for side in slots]
    window = np.maximum(np.rint(atoms / (number[slots.reference] + 1) / 2).astype(np.int64), _LEAST_WINDOW)
    windows = np.maximum(atoms - window, 0)
    padded = np.where(atoms > 0, atoms + window, 0)
    p_k, window_diff, weighted = _window_errors(sides, window, windows, np.zeros_like(window))
    _, lamprier, _ = _window_errors(sides, window, padded, window)
    edit = _edit(sides, count, near, between)
    return Counts(p_k, window_diff, weighted, windows, lamprier, padded, *edit, np.maximum(atoms - 1, 0))


class _Side(NamedTuple):
    """The boundaries of one side of the pairs: pair, place and type."""

    pair: IntArray
    place: IntArray
    kind: IntArray


def _of_pairs(boundaries: _Boundaries, number: IntArray, slot: IntArray) -> _Side:
    rows = ranges((np.cumsum(number) - number)[slot], number[slot])
    return _Side(np.repeat(np.arange(len(slot)), number[slot]), boundaries.place[rows], boundaries.kind[rows])


def _window_errors(
    sides: Sequence[_Side], window: IntArray, windows: IntArray, padding: IntArray
) -> Iterator[IntArray]:
    """Yield how many windows P_k and WindowDiff find wrong, and the sum of the differences.

    A boundary b is in windows b - k … b - 1, numbered from the padding.
    """
    group = np.concatenate([side.pair for side in sides])
    end = np.concatenate([side.place for side in sides]) + padding[group]
    low, high = np.maximum(end - window[group], 0), np.minimum(end, windows[group])
    side = np.repeat([0, 1], [len(side.pair) for side in sides])
    some = low < high
    n_ranks = int(windows.max(initial=0)) + 1
    found = pieces(group[some], low[some], high[some], side[some], n_ranks)
    split = found.active > 0
    differences = np.abs(found.active[0] - found.active[1])
    for wrong in (split[0] != split[1], differences > 0, differences):
        amounts = wrong * (found.high - found.low)
        yield np.bincount(found.group, weights=amounts, minlength=len(windows)).astype(np.int64)


def _edit(
    sides: Sequence[_Side], count: int, near: int, between: PairsOfCodes | None
) -> tuple[FloatArray, IntArray, IntArray, IntArray, IntArray]:
    """Return cost, matched, moved, substituted and left boundaries of the cheapest edit of each pair."""
    width = max(int(side.place.max(initial=0)) for side in sides) + 2 * near + 1
    kinds = max(int(side.kind.max(initial=0)) for side in sides) + 1
    # sorted, groups apart
    keys = [(side.pair * width + side.place) * kinds + side.kind for side in sides]
    both = np.intersect1d(keys[0], keys[1], assume_unique=True)
    (mine, kind), (theirs, other) = (np.divmod(np.setdiff1d(key, both, assume_unique=True), kinds) for key in keys)
    begin = np.searchsorted(theirs, mine - near, side="right")
    counts = np.searchsorted(theirs, mine + near, side="left") - begin
    edges, row = ranges(begin, counts), np.repeat(np.arange(len(mine)), counts)
    span = np.abs(theirs[edges] - mine[row])
    same = kind[row] == other[edges]
    used = same | (span == 0)
    edges, row, span, same = (column[used] for column in (edges, row, span, same))
    # in units of 1 / near a move of s costs s: whole numbers
    cost = span.astype(np.float64)
    if between is not None:
        cost[~same] = near * between(kind[row[~same]] - 1, other[edges[~same]] - 1)
    begin = np.searchsorted(row, np.arange(len(mine) + 1))
    edge, _, _ = kernels.match(begin, edges, 2.0 * near - cost, len(theirs))
    chosen = edge[edge >= 0]
    pair = mine[row[chosen]] // width
    matched, mine_, theirs_ = (np.bincount(key // width, minlength=count) for key in (both // kinds, mine, theirs))
    moved, substituted = (np.bincount(pair[same[chosen] == which], minlength=count) for which in (True, False))
    total = np.bincount(pair, weights=cost[chosen], minlength=count)
    left = mine_ + theirs_ - 2 * (moved + substituted)
    return left + total / near, matched, moved, substituted, left
