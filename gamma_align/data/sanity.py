"""Signs that data were read wrongly or do not belong together: facts, and a note on each with its likely cause.

A note states a fact about the data, and then, as a condition, a frequent cause and its cure. No note is an error:
correct data of each kind exist. The thresholds are set so that correct data rarely meet them by accident.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, distinct
from gamma_align.data.corpus import MIN_ANNOTATORS, Corpus
from gamma_align.data.points import distances_to_others, proposed_width
from gamma_align.data.problem import few
from gamma_align.data.spelling import spelling_groups
from gamma_align.errors import Call, Cure, Entry, Note, Set

# One or two units without length happen by a slip of the mouse. Three and no other unit are a pattern.
MIN_POINTS = 3

# A few points among many units are slips; where every twentieth unit is one, events are logged as points.
MIN_POINT_SHARE = 0.05

# Units per annotator, on average. With fewer, annotators can use one category each, or categories that no other
# annotator uses, by accident.
MIN_UNITS_PER_ANNOTATOR = 5

# Share of the pairs of document and annotator. In many corpora a part is annotated by one annotator only: 16 % of the
# pairs in SALAMI, 26 % in its first documents. If one of three annotators has other names for all documents, it is a
# third. Below, the number of documents without a value is stated (`checks.documents_without`), but no cause.
ALONE_SHARE = 0.3

# γ of annotators who place their units at random is near 0, in short documents with large variation: below -.5 in up to
# 27 % of documents that have one unit per annotator, and in 3 % of those with five (simulated).
LOW_GAMMA = -0.5
LOW_GAMMA_SHARE = 0.5
LOW_GAMMA_MIN_UNITS = 20  # in all documents with a low γ

# An id differs in every row; ids that occur twice are a slip. Ten items are enough to tell ids from categories.
DISTINCT_SHARE = 0.9
DISTINCT_MIN_ITEMS = 10

# Share of the units of an annotator that another one has exactly: people agree on that many bounds and categories only
# where both are given. Fewer units agree by chance.
COPIED_SHARE = 0.9
MIN_COPIED = 8

_CODE_LIMITS = np.iinfo(np.int64)

_MAX_NAMES = 3  # annotators that a note names; others are counted

_FULL_STOP = ". "  # between the fact and its cure, which begins with a condition


@dataclass(frozen=True, slots=True, eq=False)
class DataFacts:
    """Counts of a corpus, or of a part of it, from which signs of a fault are derived.

    `units`, `points` (units without length), `repeats` (units that equal an earlier one), `documents` and
    `shared_documents` (seen by another annotator, too) have shape (n_annotators,). `lowest` and `highest` are the
    limits of the codes of the categories that an annotator uses, -1 being no category. `first_user` and `last_user`
    are the limits of the codes of the annotators who use a category, shape (n_categories,). For annotators without
    units and categories without users, the lower limit is the larger. `distances` are those of points to the nearest
    point of another annotator. `copied` are the units that another annotator has, too, whose name begins this one,
    shape (n_pairs,) of `_pairs_alike`.
    """

    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    units: IntArray
    points: IntArray
    repeats: IntArray
    documents: IntArray
    shared_documents: IntArray
    lowest: IntArray
    highest: IntArray
    first_user: IntArray
    last_user: IntArray
    distances: FloatArray
    copied: IntArray

    @classmethod
    def of(cls, corpus: Corpus) -> Self:
        """Return the facts of a corpus."""
        n_annotators = len(corpus.annotators)
        n_categories = len(corpus.categories)
        is_shared = (corpus.n_annotators >= MIN_ANNOTATORS).repeat(corpus.n_annotators)
        labelled = corpus.category >= 0
        lowest, highest = _range_by(corpus.annotator, corpus.category, n_annotators)
        first_user, last_user = _range_by(corpus.category[labelled], corpus.annotator[labelled], n_categories)
        return cls(
            corpus.annotators,
            corpus.categories,
            np.bincount(corpus.annotator, minlength=n_annotators),
            np.bincount(corpus.annotator[corpus.start == corpus.end], minlength=n_annotators),
            np.bincount(corpus.annotator[1:][_is_repeat(corpus)], minlength=n_annotators),
            np.bincount(corpus.seen, minlength=n_annotators),
            np.bincount(corpus.seen[is_shared], minlength=n_annotators),
            lowest,
            highest,
            first_user,
            last_user,
            distances_to_others(corpus),
            np.array([_n_copied(corpus, *pair) for pair in _pairs_alike(corpus.annotators)], dtype=np.int64),
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the facts of a corpus from the facts of its parts, which have the same annotators and categories."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            parts[0].annotators,
            parts[0].categories,
            np.sum([part.units for part in parts], axis=0),
            np.sum([part.points for part in parts], axis=0),
            np.sum([part.repeats for part in parts], axis=0),
            np.sum([part.documents for part in parts], axis=0),
            np.sum([part.shared_documents for part in parts], axis=0),
            np.min([part.lowest for part in parts], axis=0),
            np.max([part.highest for part in parts], axis=0),
            np.min([part.first_user for part in parts], axis=0),
            np.max([part.last_user for part in parts], axis=0),
            np.concatenate([part.distances for part in parts]),
            np.sum([part.copied for part in parts], axis=0),
        )

    def notes(self) -> tuple[str, ...]:
        """Return a note for each sign of a fault."""
        return (
            *self._without_length(),
            *self._repeated(),
            *self._copies(),
            *self._own_categories(),
            *self._spellings(),
            *self._alone(),
        )

    def _copies(self) -> Iterator[str]:
        """Yield a note if the units of an annotator are those of another one whose name begins alike."""
        for (first, copy), n_copied in zip(_pairs_alike(self.annotators), self.copied.tolist(), strict=True):
            n_units = int(self.units[copy])
            if n_units >= MIN_COPIED and n_copied >= COPIED_SHARE * n_units:
                names = (self.annotators[copy], self.annotators[first])
                yield Note(
                    f"{n_copied} of {n_units} units of {names[0]!r} are units of {names[1]!r}, too",
                    Cure("If it is a copy, choose the others with {}", Set("annotators")),
                    _FULL_STOP,
                )

    def _repeated(self) -> Iterator[str]:
        """Yield a note if units of an annotator are there more than once."""
        total = int(self.repeats.sum())
        if total:
            units = "unit of {} is" if total == 1 else "units of {} are"
            yield Note(
                f"{total} {units.format(self._named(self.repeats > 0))} there before, with the same document, bounds "
                "and category",
                Cure(
                    "If they are slips, {} names them; if they are versions, as of two rounds, split the data by them",
                    Call("validate", "validate"),
                ),
                _FULL_STOP,
            )

    def _without_length(self) -> Iterator[str]:
        """Yield a note if no unit, or no unit of an annotator, has a length."""
        is_point = (self.points == self.units) & (self.units >= MIN_POINTS)
        total = int(self.units.sum())
        if total >= MIN_POINTS and self.points.sum() == total:
            fact = f"all {total} units are without length"
        elif np.count_nonzero(is_point):
            fact = f"all units of {self._named(is_point)} are without length"
        elif self.points.sum() >= max(MIN_POINTS, MIN_POINT_SHARE * total):
            fact = f"{self.points.sum()} of {total} units are without length"
        else:
            return
        width = proposed_width(self.distances)
        median = "" if width is None else f" (twice the median distance to the nearest of another annotator: {width:g})"
        yield Note(
            f"{fact}: γ aligns two such units only if they are at the same place, and uα does not count them",
            Cure(
                f"If they are events, give them a width: {{}}{median}. If they should have a length, name the column "
                "of ends: {}. If their positions are numbers of paragraphs or lines, export the positions of their "
                "characters",
                Set("width", width),
                Entry("columns", "end"),
            ),
            _FULL_STOP,
        )

    @property
    def has_own_categories(self) -> bool:
        """Whether no category is used by two annotators, in enough units to rule out an accident."""
        n_annotators = np.count_nonzero(self.units)
        is_used = self.first_user <= self.last_user
        is_shared = is_used & (self.first_user < self.last_user)
        n_users = len(distinct(self.first_user[is_used]))
        is_enough = self.units.sum() >= MIN_UNITS_PER_ANNOTATOR * n_annotators
        return bool(is_enough and n_users >= MIN_ANNOTATORS and not np.count_nonzero(is_shared))

    def _own_categories(self) -> Iterator[str]:
        """Yield a note if no category is used by two annotators."""
        if not self.has_own_categories:
            return
        if ((self.lowest == self.highest) & (self.lowest >= 0))[self.units > 0].all():
            yield Note(
                "each annotator uses one category, and no two use the same",
                Cure(
                    "If the categories are names of annotators, choose another column as category: {}, or another "
                    "layer: {}",
                    Entry("columns", "category"),
                    Set("layers", ["NAME"]),
                ),
                _FULL_STOP,
            )
            return
        yield Note(
            "no category is used by two annotators",
            Cure(
                "If annotators have different names for the same categories, give them the same names: {}. If the "
                "categories are names of clusters or speakers, let {} map them with {}",
                Set("labels", {"theirs": "ours"}),
                Call("evaluate", "evaluate"),
                Set("map_labels", value=True),
            ),
            _FULL_STOP,
        )

    def _spellings(self) -> Iterator[str]:
        """Yield a note if categories in use, or annotators, differ in case, blanks and hyphens alone."""
        is_used = self.first_user <= self.last_user
        groups = spelling_groups(self.categories[code] for code in is_used.nonzero()[0].tolist())
        if groups:
            shown = few((" and ".join(map(repr, group)) for group in groups), _MAX_NAMES)
            yield Note(
                f"categories differ in case, blanks and hyphens alone: {shown}",
                Cure(
                    "If they are one, write them alike with {}",
                    Set("labels", {other: first for first, *others in groups for other in others}),
                ),
                _FULL_STOP,
            )
        of_annotators = spelling_groups(self.annotators)
        if of_annotators:
            shown = few((" and ".join(map(repr, group)) for group in of_annotators), _MAX_NAMES)
            yield Note(
                f"names of annotators differ in case, blanks and hyphens alone: {shown}",
                Cure("If they are one, write them alike in the data: each counts as an annotator"),
                _FULL_STOP,
            )

    def _alone(self) -> Iterator[str]:
        """Yield a note if an annotator shares no document with another, while others do."""
        is_alone = (self.documents > 0) & (self.shared_documents == 0)
        n_alone = np.count_nonzero(is_alone)
        if not n_alone or self.documents[is_alone].sum() < ALONE_SHARE * self.documents.sum():
            return
        if not self.shared_documents.any():  # nothing can be measured, which is an error or the reason of a value
            return
        verb = "shares" if n_alone == 1 else "share"
        yield Note(
            f"{self._named(is_alone)} {verb} no document with another annotator, so these documents have no value",
            Cure(
                "If others annotated the same documents under other names, give each document one name: {}, {}, or "
                "corpus.rename(documents=…); in RTTM take a suffix such as '.wav' off with {}",
                Set("document"),
                Entry("columns", "document"),
                Set("options", {"strip": ".wav"}),
            ),
            _FULL_STOP,
        )

    def _named(self, is_named: BoolArray) -> str:
        """Return the names of the marked annotators."""
        names = [self.annotators[code] for code in is_named.nonzero()[0].tolist()]
        return f"{'annotator' if len(names) == 1 else 'annotators'} {few(map(repr, names), _MAX_NAMES)}"


def _pairs_alike(annotators: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of annotators of whom the name of the second begins with that of the first: 'mia', 'mia (1)'."""
    pairs = []
    for first, name in enumerate(annotators):
        for other in range(first + 1, len(annotators)):
            if not annotators[other].startswith(name):  # sorted: longer names are right behind
                break
            if not annotators[other][len(name)].isdigit():
                pairs.append((first, other))
    return pairs


def _n_copied(corpus: Corpus, first: int, copy: int) -> int:
    """Return how many units of one annotator another one has, too."""
    columns = (corpus.unit_document, corpus.start, corpus.end, corpus.category)
    units = [
        {*zip(*(column[corpus.annotator == annotator].tolist() for column in columns), strict=True)}
        for annotator in (first, copy)
    ]
    return len(units[0] & units[1])


def _is_repeat(corpus: Corpus) -> BoolArray:
    """Return whether each unit but the first equals the one before; the units of a corpus are sorted."""
    columns = (corpus.unit_document, corpus.annotator, corpus.start, corpus.end, corpus.category)
    is_repeat: BoolArray = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
    return is_repeat


def _range_by(key: IntArray, values: IntArray, n_keys: int) -> tuple[IntArray, IntArray]:
    """Return the lowest and the highest value of each key; of a key without values, the lowest exceeds the highest."""
    lowest = np.full(n_keys, _CODE_LIMITS.max)
    highest = np.full(n_keys, _CODE_LIMITS.min)
    np.minimum.at(lowest, key, values)
    np.maximum.at(highest, key, values)
    return lowest, highest


def low_gamma_notes(gammas: FloatArray, units: IntArray) -> Iterator[str]:
    """Yield a note if γ is very low in most documents.

    `gammas` (NaN if not available) and `units` have an entry for each document, shape (n_documents,).
    """
    n_known = np.count_nonzero(~np.isnan(gammas))
    is_low = gammas < LOW_GAMMA
    n_low = np.count_nonzero(is_low)
    if n_low <= LOW_GAMMA_SHARE * n_known or units[is_low].sum() < LOW_GAMMA_MIN_UNITS:
        return
    subject = "γ" if n_known == 1 else f"γ of {n_low} of {n_known} documents"
    yield Note(
        f"{subject} is below {LOW_GAMMA:g}: annotators disagree much more than by chance. Often the positions of one "
        "annotator are shifted, positions count different things (characters and tokens, seconds and milliseconds), or "
        "names of documents are mixed up",
        Cure("{} shows all units side by side", Call("html_report", "report")),
        _FULL_STOP,
    )


def item_notes(
    coders: Sequence[str], items: IntArray, distinct: IntArray, single: IntArray, *, is_nominal: bool
) -> Iterator[str]:
    """Yield notes on judgments of items.

    `items` is the number of items that a coder judged, `distinct` the number of categories used, and `single` the code
    of the category of a coder who uses only one, -1 otherwise; shape (n_coders,). With a distance other than the
    nominal one, values may well be different in all items.
    """
    is_id = (items >= DISTINCT_MIN_ITEMS) & (distinct >= DISTINCT_SHARE * items)
    if is_nominal and is_id.any():
        code = int(np.argmax(is_id))
        n_more = int(is_id.sum()) - 1
        more = f" (and {n_more} more like this)" if n_more else ""
        yield Note(
            f"coder {coders[code]!r} has {distinct[code]} different categories in {items[code]} items{more}",
            Cure(
                "If it is not a coder but a column of ids, name it: {}. If it is a column of texts, list the coders: "
                "{}. If categories are numbers, choose a distance: {}",
                Entry("columns", "item"),
                Set("coders", ["NAME", "…"]),
                Set("distance", "interval"),
            ),
            _FULL_STOP,
        )
    is_judge = items > 0
    n_judges = is_judge.sum()
    if (
        n_judges >= MIN_ANNOTATORS
        and (single[is_judge] >= 0).all()
        and len(np.unique(single[is_judge])) == n_judges
        and items.sum() >= MIN_UNITS_PER_ANNOTATOR * n_judges
    ):
        yield Note(
            "each coder uses one category, and no two use the same",
            Cure(
                "If the categories are names of coders, choose another column as category: {}",
                Entry("columns", "category"),
            ),
            _FULL_STOP,
        )
