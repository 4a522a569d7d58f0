"""Agreement of two segmentations: P_k, WindowDiff, and B and S from the least-cost edit of boundaries.

Conventions
-----------
A document is N atoms (characters, tokens, or time steps); a segmentation is the set of boundaries between neighbouring
atoms. Windows of k atoms, k = half the mean segment of the reference (rounded half to even, at least 2):

- P_k: share of the N - k windows whose ends are in one segment in one segmentation and not in the other;
- WindowDiff: share of the N - k windows that contain different numbers of boundaries; *weighted*, the sum of these
  differences in place of the number of windows with a difference;
- Lamprier's: WindowDiff over the N + k windows of a document with k atoms added at both ends, so that boundaries near
  an end count in as many windows as all others.

Boundaries in both segmentations are matched. Among the remaining boundaries, two less than `near` atoms apart may be
one that moved (a move by s atoms costs s / near). Each boundary without a counterpart (`left`) costs 1. The cheapest
choice of moves is a matching of greatest saving (kernel `match`); dynamic programming finds the same cost. Boundaries
may have types, the categories of the units that begin there: matched and moved boundaries then have the same type, and
two boundaries of different types at one position may be substituted, which costs the distance of the types.

- B = 1 - cost / (matched + moved + substituted + left);
- S = 1 - cost / (N - 1).

P_k and the WindowDiffs are errors, 0 at best (a weighted one may be above 1), and change if the two segmentations swap
roles; B and S are 1 at best. Over documents, numerators and denominators are summed.

References
----------
Beeferman, Berger & Lafferty 1999 (P_k). Pevzner & Hearst 2002 (WindowDiff). Lamprier et al. 2007, On evaluation
methodologies for text segmentation algorithms. Fournier & Inkpen 2012 (S). Fournier 2013 (B).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.columns import BoolArray, FloatArray, IntArray, grouped_sums, ranges
from gamma_align.data import Corpus, check_two_annotators
from gamma_align.distances import AnyDistance, Distance, PairsOfCodes, as_distance
from gamma_align.errors import Cure, InputError, Set
from gamma_align.inference import Result, Value, ratio_interval
from gamma_align.measures.reference.pairings import (
    Pieces,
    Slots,
    all_pairs,
    annotator_code,
    annotator_pairs,
    mean_over_pairs,
    pairs_with_reference,
)
from gamma_align.measures.reference.reference_options import ATOM, GAPS, NEAR

VALUES = ("p_k", "window_diff", "weighted_window_diff", "lamprier", "b", "s")  # as in `SegmentationScore`
_MIN_WINDOW = 2  # atoms
NO_BOUNDARY = "no boundary"
_NO_WINDOW = "no document is longer than its window"
_ONE_ATOM = "no document has two atoms"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SegmentationScore(Result):
    """A segmentation compared with a reference.

    Attributes
    ----------
    reference, system : str
        The annotators.
    documents : int
        Number of documents that both saw.
    p_k, window_diff, weighted_window_diff, lamprier : Value
        Errors: 0 is best.
    b, s : Value
        Similarities: 1 is best.
    windows, matched, moved, substituted, left : int
        Number of windows, and of boundaries: in both segmentations, moved, of another type, without a counterpart.

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
    """Segmentations against a reference, or of all pairs of annotators, each in turn as the reference.

    Attributes
    ----------
    scores : tuple of SegmentationScore
        By reference and system.
    mean : mapping of str to Value
        Plain means of the values.
    notes : tuple of str
        Warnings that concern the values.

    Examples
    --------
    >>> units = {"ann": [(0, 2), (2, 5), (5, 11)], "bob": [(0, 2), (2, 4), (4, 11)]}
    >>> ga.segmentation(units)
    <SegmentationResult scores: 2, notes: 0>
    """

    scores: tuple[SegmentationScore, ...]
    mean: Mapping[str, Value]
    notes: tuple[str, ...] = ()

    def _contents(self) -> dict[str, object]:
        return {"schema_version": 1, **self._named("scores", "mean", "notes")}


class SegmentationCounts(NamedTuple):
    """Additive numbers of pairs of segmentations, shape (n_pairs,).

    `p_k`, `window_diff` and `lamprier` count windows with errors, `weighted` sums the differences, and `windows` and
    `padded_windows` count all windows. `cost` is the cost of the edit; `matched`, `moved`, `substituted` and
    `unmatched` count boundaries, and `possible` the positions of boundaries.
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
    unmatched: IntArray
    possible: IntArray

    def score(self, reference: str, system: str, rows: IntArray, names: Sequence[str]) -> SegmentationScore:
        """Return the values of these pairs together, with intervals over them; `names` are those of their documents."""
        part = SegmentationCounts._make(column[rows] for column in self)
        boundaries = part.matched + part.moved + part.substituted + part.unmatched
        return SegmentationScore(
            reference=reference,
            system=system,
            documents=len(rows),
            p_k=_error_rate(part.p_k, part.windows, names),
            window_diff=_error_rate(part.window_diff, part.windows, names),
            weighted_window_diff=_error_rate(part.weighted, part.windows, names),
            lamprier=_error_rate(part.lamprier, part.padded_windows, names),
            b=part.similarity(boundaries, names),
            s=part.similarity(part.possible, names),
            windows=int(part.windows.sum()),
            matched=int(part.matched.sum()),
            moved=int(part.moved.sum()),
            substituted=int(part.substituted.sum()),
            left=int(part.unmatched.sum()),
        )

    def similarity(self, total: IntArray, names: Sequence[str]) -> Value:
        """Return 1 - Σ cost / Σ total, with its interval; without boundaries the segmentations are equal."""
        if total.any():
            terms = self.cost, total.astype(np.float64), self.cost < total
            interval = ratio_interval(*terms, largest=1.0, names=names)
            return interval.around(float(1.0 - self.cost.sum() / total.sum()))
        if self.possible.any():
            return Value(1.0, no_interval=NO_BOUNDARY)
        return Value.unavailable(_ONE_ATOM)


def _error_rate(errors: IntArray, total: IntArray, names: Sequence[str]) -> Value:
    """Return Σ errors / Σ total of windows with its interval over documents; not available without windows."""
    if not total.any():
        return Value.unavailable(_NO_WINDOW)
    terms = errors.astype(np.float64), total.astype(np.float64), errors < total
    interval = ratio_interval(*terms, largest=1.0, names=names)
    return interval.one_minus().around(float(errors.sum() / total.sum()))


class SegmentationSettings(NamedTuple):
    """Settings of `segmentation`; `types` is the distance of types, None if boundaries have no types."""

    atom: float
    max_move: int
    gaps: str
    types: Distance | None

    def check(self) -> None:
        """Raise SettingsError for the first setting out of its range."""
        ATOM.check(self.atom)
        GAPS.check(self.gaps)
        NEAR.check(self.max_move)


def segmentation(
    corpus: Corpus,
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
    corpus : Corpus
        Units of an annotator cover each document without overlap; their categories do not count, except as `types`.
    reference : str, optional
        The annotator to compare all others with. By default all pairs are compared, each in turn as the reference.
    atom : float
        Length of an atom, to which boundaries are rounded: 1 for characters and tokens, 0.1 for tenths of seconds.
    near : int
        Boundaries fewer atoms apart may be one that moved (n_t of B and S).
    gaps : {"refuse", "segments"}
        Stretches without a unit: refuse the data, or read them as segments.
    types : bool
        Whether boundaries have types for B and S: the category of the unit that begins there, none in a gap.
    distance : str, Distance, table or function, optional
        Between types, from 0 to 1: the cost to put one in place of another; nominal by default.

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
    check_two_annotators(corpus)
    settings = SegmentationSettings(atom, near, gaps, as_distance(distance or "nominal") if types else None)
    if reference is None:
        slots = all_pairs(corpus)
        scores = [
            *segmentation_scores(corpus, slots, settings),
            *segmentation_scores(corpus, Slots(slots.system, slots.reference), settings),
        ]
        scores.sort(key=lambda score: (score.reference, score.system))
    else:
        slots = pairs_with_reference(corpus, annotator_code(corpus, reference))
        scores = [*segmentation_scores(corpus, slots, settings)]
    mean = {name: mean_over_pairs([getattr(score, name) for score in scores]) for name in VALUES}
    return SegmentationResult(tuple(scores), mean, corpus.notes + segmentation_notes(scores))


def segmentation_notes(scores: Sequence[SegmentationScore]) -> tuple[str, ...]:
    """Return the warnings that concern the values."""
    if any(score.b.no_interval == NO_BOUNDARY for score in scores):
        return ("B is 1 where neither of two annotators has a boundary",)
    return ()


def segmentation_scores(corpus: Corpus, slots: Slots, settings: SegmentationSettings) -> Iterator[SegmentationScore]:
    """Yield the values of each two annotators, by their names."""
    settings.check()
    _check_cover(corpus, settings.gaps)
    # Types that do not count are all 0, so that boundaries at one position are always matched.
    boundaries = _Boundaries.of(corpus, settings.atom, has_types=settings.types is not None)
    type_distance = None if settings.types is None else settings.types.bind(corpus.categories)
    counts = _count(boundaries, slots, corpus.seen_document, settings.max_move, type_distance)
    document = corpus.seen_document[slots.reference]
    for reference, system, rows in annotator_pairs(corpus, slots):
        names = [corpus.documents[code] for code in document[rows].tolist()]
        yield counts.score(reference, system, rows, names)


def _check_cover(corpus: Corpus, gaps: str) -> None:
    """Refuse units of an annotator that overlap and, unless gaps are segments, do not cover a document."""
    slot = corpus.unit_seen
    is_first = np.ones(len(slot), dtype=np.bool_)
    is_first[1:] = slot[1:] != slot[:-1]
    document_start, document_end = corpus.extents[corpus.unit_document].T
    expected_start = np.where(is_first, document_start, np.roll(corpus.end, 1))
    is_last = np.roll(is_first, -1)
    _refuse_unit(corpus, ~is_first & (corpus.start < expected_start), "overlaps the unit before it")
    if gaps == "segments":
        return
    cure = Cure("fill the gaps, or read them as segments with {}", Set("gaps", "segments"))
    _refuse_unit(corpus, corpus.start > expected_start, "begins after a gap", cure)
    _refuse_unit(corpus, is_last & (corpus.end < document_end), "ends before the document does", cure)
    empty = np.setdiff1d(np.arange(len(corpus.seen)), slot)
    if len(empty):
        document = corpus.seen_document[empty[0]]
        annotator = corpus.seen[empty[0]]
        raise InputError(f"{_names(corpus, document, annotator)}: no unit covers it", cure)


def _refuse_unit(corpus: Corpus, is_wrong: BoolArray, problem: str, cure: Cure | None = None) -> None:
    """Raise an InputError that names the first of the wrong units, if there are any."""
    if is_wrong.any():
        unit = int(np.flatnonzero(is_wrong)[0])
        names = _names(corpus, corpus.unit_document[unit], corpus.annotator[unit])
        bounds = f"[{corpus.start[unit]:.15g}, {corpus.end[unit]:.15g}]"
        raise InputError(f"{names}: unit {bounds} {problem}", cure)


def _names(corpus: Corpus, document: int, annotator: int) -> str:
    """Return document and annotator in words."""
    return f"document {corpus.documents[document]!r}, annotator {corpus.annotators[annotator]!r}"


class _Boundaries(NamedTuple):
    """Boundaries of annotators on documents (indices into `corpus.seen`), and the number of atoms of each document.

    `kind` is the type of a boundary, 0 for no category or if boundaries have no types.
    """

    slot: IntArray
    position: IntArray
    kind: IntArray
    atoms: IntArray

    @classmethod
    def of(cls, corpus: Corpus, atom: float, *, has_types: bool) -> _Boundaries:
        """Return the boundaries of the units, rounded to atoms."""
        atoms = np.rint(np.ptp(corpus.extents, axis=1) / atom).astype(np.int64)
        slot = np.tile(corpus.unit_seen, 2)
        bound = np.concatenate([corpus.start, corpus.end])
        document = corpus.seen_document[slot]
        position = np.rint((bound - corpus.extents[document, 0]) / atom).astype(np.int64)
        is_inner = (position > 0) & (position < atoms[document])
        width = int(atoms.max(initial=0)) + 1
        if has_types:
            kind = np.concatenate([corpus.category + 1, np.zeros_like(corpus.category)])
        else:
            kind = np.zeros_like(slot)
        # The type is that of the last unit that begins at a position; the end of a unit, before a gap, has none.
        is_start = np.repeat([1, 0], len(corpus.start))
        order = np.lexsort((bound, is_start))[::-1]
        order = order[is_inner[order]]
        key, first = np.unique(slot[order] * width + position[order], return_index=True)
        return cls(key // width, key % width, kind[order][first], atoms)

    def select(self, n_boundaries: IntArray, slot: IntArray) -> _Side:
        """Return the boundaries of one side of the pairs, given the number of boundaries of all slots."""
        counts = n_boundaries[slot]
        rows = ranges((np.cumsum(n_boundaries) - n_boundaries)[slot], counts)
        return _Side(np.repeat(np.arange(len(slot)), counts), self.position[rows], self.kind[rows])


class _Side(NamedTuple):
    """The boundaries of one side of the pairs: pair, position and type."""

    pair: IntArray
    position: IntArray
    kind: IntArray


def _count(
    boundaries: _Boundaries, slots: Slots, document: IntArray, max_move: int, type_distance: PairsOfCodes | None
) -> SegmentationCounts:
    """Return the counts of all pairs; `document` is the document of each slot."""
    n_boundaries = np.bincount(boundaries.slot, minlength=len(document))
    atoms = boundaries.atoms[document[slots.reference]]
    sides = [boundaries.select(n_boundaries, slot) for slot in slots]
    mean_segment = atoms / (n_boundaries[slots.reference] + 1)
    window = np.maximum(np.rint(mean_segment / 2).astype(np.int64), _MIN_WINDOW)
    windows = np.maximum(atoms - window, 0)
    padded_windows = np.where(atoms > 0, atoms + window, 0)  # none in a document without length
    p_k, window_diff, weighted = _window_errors(sides, window, windows, np.zeros_like(window))
    _, lamprier, _ = _window_errors(sides, window, padded_windows, window)
    edit = _cheapest_edit(sides, len(atoms), max_move, type_distance)
    possible = np.maximum(atoms - 1, 0)
    return SegmentationCounts(p_k, window_diff, weighted, windows, lamprier, padded_windows, *edit, possible)


def _window_errors(
    sides: Sequence[_Side], window: IntArray, windows: IntArray, padding: IntArray
) -> Iterator[IntArray]:
    """Yield the errors of P_k, of WindowDiff and of the weighted WindowDiff of each pair."""
    # A boundary b is in the windows b - k … b - 1, which begin in the padding.
    pair = np.concatenate([side.pair for side in sides])
    end = np.concatenate([side.position for side in sides]) + padding[pair]
    low = np.maximum(end - window[pair], 0)
    high = np.minimum(end, windows[pair])
    side = np.repeat([0, 1], [len(side.pair) for side in sides])
    is_inside = low < high
    n_ranks = int(windows.max(initial=0)) + 1
    pieces = Pieces.of(pair[is_inside], low[is_inside], high[is_inside], side[is_inside], n_ranks)
    has_boundary = pieces.active > 0
    difference = np.abs(pieces.active[0] - pieces.active[1])
    for errors in (has_boundary[0] != has_boundary[1], difference > 0, difference):
        amounts = errors * (pieces.high - pieces.low)
        yield grouped_sums(pieces.group, amounts, len(windows)).astype(np.int64)


def _cheapest_edit(
    sides: Sequence[_Side], n_pairs: int, max_move: int, type_distance: PairsOfCodes | None
) -> tuple[FloatArray, IntArray, IntArray, IntArray, IntArray]:
    """Return the cost of the cheapest edit of each pair, and the matched, moved, substituted and unmatched boundaries.

    Candidates are a boundary of the reference and one of the system, neither matched: of the same type and less than
    `max_move` atoms apart, or of different types at one position.
    """
    # Keys are sorted by pair and position; positions of different pairs are further apart than any move.
    width = max(int(side.position.max(initial=0)) for side in sides) + 2 * max_move + 1
    n_kinds = max(int(side.kind.max(initial=0)) for side in sides) + 1
    keys = [(side.pair * width + side.position) * n_kinds + side.kind for side in sides]
    matched_keys = np.intersect1d(keys[0], keys[1], assume_unique=True)
    (reference, reference_kind), (system, system_kind) = (
        np.divmod(np.setdiff1d(key, matched_keys, assume_unique=True), n_kinds) for key in keys
    )

    begin = np.searchsorted(system, reference - max_move, side="right")
    counts = np.searchsorted(system, reference + max_move, side="left") - begin
    column = ranges(begin, counts)
    row = np.repeat(np.arange(len(reference)), counts)
    distance = np.abs(system[column] - reference[row])
    is_same_kind = reference_kind[row] == system_kind[column]
    is_candidate = is_same_kind | (distance == 0)
    column = column[is_candidate]
    row = row[is_candidate]
    is_same_kind = is_same_kind[is_candidate]
    cost = distance[is_candidate].astype(np.float64)
    if type_distance is not None:
        # kinds are codes of categories + 1
        other_row = row[~is_same_kind]
        other_column = column[~is_same_kind]
        cost[~is_same_kind] = max_move * type_distance(reference_kind[other_row] - 1, system_kind[other_column] - 1)

    # In units of 1 / max_move all costs of moves are whole numbers, and two unmatched boundaries cost 2 · max_move.
    begin = np.searchsorted(row, np.arange(len(reference) + 1))
    edge, _, _ = kernels.match(begin, column, 2.0 * max_move - cost, len(system))
    edge = edge[edge >= 0]
    pair = reference[row[edge]] // width
    is_move = is_same_kind[edge]
    moved = np.bincount(pair[is_move], minlength=n_pairs)
    substituted = np.bincount(pair[~is_move], minlength=n_pairs)
    matched, n_reference, n_system = (
        np.bincount(key // width, minlength=n_pairs) for key in (matched_keys // n_kinds, reference, system)
    )
    unmatched = n_reference + n_system - 2 * (moved + substituted)
    edit_cost = unmatched + grouped_sums(pair, cost[edge], n_pairs) / max_move
    return edit_cost, matched, moved, substituted, unmatched
