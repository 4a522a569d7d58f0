"""Which columns and places name documents and annotators, and which one the category."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import SURE, Profile, Profiles, determines, fits, without_accents
from gamma_align.reading.intake.overlaps import Shares, shares
from gamma_align.reading.intake.rows import record_of

MIN_DIVIDED = 0.04
"""Least share of units on another one of their annotator of which documents, or parts of them, relieve two thirds."""

_MAX_ANNOTATORS = 5000  # crowds
_MAX_UNNAMED_ANNOTATORS = 12
_MAX_UNNAMED_LENGTH = 30  # characters
_ANNOTATOR_POINTS = (0.3, 1.5, 3.0, 3.5)  # by how well the name fits
_DOCUMENT_POINTS = (0.2, 1.0, 2.0, 2.5)
_PARTNER_POINTS = 3.0
_FULL_GRID = 0.8  # share of the pairs of two places that have rows
_MIN_UNITS = 3  # fewer tell nothing about names


class Owners(NamedTuple):
    """Columns of documents and annotators, None without one, how likely they are, and the shares of partners."""

    score: float
    document: Profile | None
    annotator: Profile | None
    shares: Shares

    def partition(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Return the codes of document and annotator of each unit."""
        return codes_of(self.document, rows), codes_of(self.annotator, rows)


def codes_of(column: Profile | None, rows: IntArray) -> IntArray:
    """Return the code of each of these rows, 0 without a column."""
    return np.zeros(len(rows), dtype=np.int64) if column is None else column.coded[0][rows]


def owners_of(
    profiles: Profiles,
    taken: frozenset[str],
    rows: IntArray,
    start: FloatArray,
    end: FloatArray,
    text: Profile | None,
    known: Profile | None = None,
) -> list[Owners]:
    """Return the candidates, the best first.

    `taken` are columns that have another role, and `known` is the column that names documents, if that is known.
    """
    free = [each for each in profiles.values() if each.name not in taken and _may_name(each, len(rows))]
    documents = _with_none(_documents(free, text), "document", profiles) if known is None else [known]
    annotators = _with_none([each for each in _annotators(free) if each is not known], "annotator", profiles)
    found = [
        _rated(document, annotator, documents, rows, start, end, text)
        for document in documents
        for annotator in annotators
        if document is None or document is not annotator
    ]
    if known is None:
        found = [owners for owners in found if not _is_idle(owners, found, text)]
    return sorted(found, key=lambda owners: -owners.score)


def _with_none(columns: Sequence[Profile], role: str, profiles: Profiles) -> list[Profile | None]:
    """Return the columns that may have a role, and None if there may be none; the user's word decides."""
    given = next(iter(profiles.values())).given
    if given.get(role) is not None:
        return [profiles[str(given[role])]]
    return [None, *(each for each in columns if each.may_have(role))]


def _may_name(each: Profile, n_rows: int) -> bool:
    if not each.filled or each.is_list or each.is_date or (each.is_number and not each.is_integer):
        return False
    if each.is_number and any(map(each.fits, ("start", "end", "duration"))):
        return False  # other positions of the units
    return each.has_names or (each.mean_length <= 80 and each.n_values <= n_rows / 2 + 1)  # noqa: PLR2004  (characters)


def _documents(free: Sequence[Profile], text: Profile | None) -> list[Profile]:
    found = [
        each
        for each in free
        if (each.fits("document") and each.fits("category") < SURE)
        or (each.fits("text") and each.has_names and not each.is_constant)
        or (each.fits("item") >= SURE and not each.is_constant)
        or (each.is_place and not each.is_constant)
    ]
    ids = [
        each
        for each in free
        if each not in found and without_accents(each.name).split("_")[-1] in ("id", "nr", "number")
    ]
    # An id is of documents if each has one text.
    found += [each for each in ids if text is not None and determines(each, text) and each.n_values < len(each.names)]
    if not found:
        other_roles = ("annotator", "category", "round")
        found = [each for each in free if not each.is_constant and not any(map(each.fits, other_roles))]
        if text is not None:  # its name stands beside it
            found = [each for each in found if record_of(each.name) == record_of(text.name) and determines(each, text)]
    return found


def _is_idle(owners: Owners, found: Sequence[Owners], text: Profile | None) -> bool:
    """Return whether documents are named by what is called a text, and nothing tells that it names them.

    It does if each has one of the texts, or if it alone divides the units of an annotator that lie on one another.
    """
    document = owners.document
    if document is None or not _may_be_named_text(document):
        return False
    if text is not None and record_of(document.name) == record_of(text.name) and determines(document, text):
        return False
    own = [(each.document, each.shares.own) for each in found if each.annotator is owners.annotator]
    undivided = next((share for column, share in own if column is None), 0.0)
    others = [share for column, share in own if column is not None and not _may_be_named_text(column)]
    divided = undivided / 3
    return undivided < MIN_DIVIDED or owners.shares.own > divided or any(share <= divided for share in others)


def _may_be_named_text(column: Profile) -> bool:
    return bool(column.fits("text")) and not column.fits("document")


def _annotators(free: Sequence[Profile]) -> list[Profile]:
    named = [each for each in free if each.n_values <= _MAX_ANNOTATORS]
    named = [each for each in named if _is_named_annotator(each) or (each.is_place and not each.is_constant)]
    if named:
        return named
    return [
        each
        for each in free
        if not each.is_constant
        and not any(map(each.fits, ("document", "category", "round", "about")))
        and each.n_values <= _MAX_UNNAMED_ANNOTATORS
        and not each.is_number
        and each.mean_length < _MAX_UNNAMED_LENGTH
    ]


def _is_named_annotator(each: Profile) -> bool:
    fit = each.fits("annotator")
    return fit >= SURE or (fit > 0 and not each.is_integer)


def _rated(
    document: Profile | None,
    annotator: Profile | None,
    documents: Sequence[Profile | None],
    rows: IntArray,
    start: FloatArray,
    end: FloatArray,
    text: Profile | None,
) -> Owners:
    found = shares(codes_of(document, rows), codes_of(annotator, rows), start, end)
    score = -_PARTNER_POINTS * found.own
    # The keys of "labels" are likelier to be labels.
    keys = [each.field for each in (document, annotator) if each is not None and each.is_key]
    score -= sum(fits(field, "category") >= SURE for field in keys)
    if annotator is not None:
        score += _ANNOTATOR_POINTS[annotator.fits("annotator")] + _PARTNER_POINTS * found.cross
        score += (0.8 + 0.4 * annotator.name.startswith(("@folder", "@sheet"))) if annotator.is_place else 0
        score -= 1.5 * annotator.is_constant
        score -= 0.5 * (annotator.fits("annotator") == 0 and not annotator.is_place)
    if document is not None:
        fit = max(document.fits("document"), min(document.fits("text"), SURE))
        score += _DOCUMENT_POINTS[fit] + 0.5 * document.is_place
        score -= 2 * (text is not None and document is not text and not determines(document, text))
        score -= 3 * (document.n_values == len(rows) > _MIN_UNITS)  # a name for each unit
        score += _of_both(document, annotator)
    else:
        score -= 2 * (text is not None and not text.is_constant)
        score -= any(each is not None and each.fits("document") and not each.is_constant for each in documents)
    return Owners(score, document, annotator, found)


def _of_both(document: Profile, annotator: Profile | None) -> float:
    """Return the points for a document and an annotator together."""
    if annotator is None or annotator.is_constant or document.is_constant:
        return 0.0
    if determines(annotator, document) and determines(document, annotator):
        return -3.0
    n_pairs = len({*zip(document.names, annotator.names, strict=True)})
    is_grid = n_pairs >= _FULL_GRID * document.n_values * annotator.n_values
    return 1.0 if document.is_place and annotator.is_place and is_grid else 0.0


class Category(NamedTuple):
    """A column of categories, and how likely it is one."""

    score: float
    column: Profile

    @property
    def is_named(self) -> bool:
        """Whether its name tells that it has categories."""
        return self.column.fits("category") > 0


def categories_of(profiles: Profiles, taken: frozenset[str], rows: IntArray, annotator: IntArray) -> list[Category]:
    """Return the columns that may be the category, the best first."""
    return sorted(_categories(profiles, taken, rows, annotator), key=lambda category: -category.score)


def _categories(profiles: Profiles, taken: frozenset[str], rows: IntArray, annotator: IntArray) -> Iterator[Category]:
    for each in profiles.values():
        fit = each.fits("category")
        is_other = each.fits("about") >= SURE and fit < SURE
        if each.name in taken or each.is_place or not each.filled or each.is_date or is_other:
            continue
        if not each.may_have("category"):
            continue
        if (each.is_number and not fit) or not (each.has_names or each.is_list):
            continue
        codes = each.coded[0][rows]
        n_filled = np.count_nonzero(codes >= 0)
        if n_filled < 0.3 * len(rows):
            continue
        shared = _shared(codes, annotator)
        score = fit + shared + 1 - each.n_values / n_filled
        score -= 3 * (each.is_constant and len(rows) > _MIN_UNITS)
        score -= 3 * (each.fits("quote") >= SURE and each.n_values > n_filled / 2)
        yield Category(score, each)


def _shared(codes: IntArray, annotator: IntArray) -> float:
    """Return the share of cells whose value two annotators use, 1 if there is one annotator."""
    if len(np.unique(annotator)) < 2:  # noqa: PLR2004  (a pair)
        return 1.0
    filled = codes >= 0
    pairs = np.unique(np.stack([codes[filled], annotator[filled]]), axis=1)
    values, counts = np.unique(pairs[0], return_counts=True)
    is_shared = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.bool_)
    is_shared[values[counts > 1]] = True
    return float(is_shared[codes[filled]].mean()) if filled.any() else 0.0
