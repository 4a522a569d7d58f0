"""What became of each document between two corpora: new, gone, the same, redone; and which of them was renamed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data import Corpus
from gamma_align.inference import Result
from gamma_align.insight.comparison.shared_names import SharedNames

SAME, REDONE, OTHERS, NEW, GONE = FATES = ("same", "redone", "others", "new", "gone")
"""Fates of a document, in the order of tables."""

# Without texts, so many equal units with equal bounds and labels show that two documents are one under another name.
_MIN_EQUAL_UNITS = 8


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DocumentFate(Result):
    """What became of a document.

    Attributes
    ----------
    document : str
        Its name in the second corpus, or in the first one if it is gone.
    fate : str
        ``same``: the same annotators and units; ``redone``: annotators or units differ; ``others``: no annotator is in
        both; ``new``; ``gone``.
    former : str or None
        Its name in the first corpus, if it was renamed: its text, or all its units if there are eight or more, are
        those of exactly one document that is gone.
    changed : tuple of str
        If it is redone, the annotators who are in one corpus only, or whose units differ.
    first_units, second_units : int
        Number of units of all annotators in each corpus.

    Examples
    --------
    >>> row = ga.DocumentFate("d1", "redone", None, ("ann",), 12, 11)
    >>> row.fate, row.changed
    ('redone', ('ann',))
    """

    document: str
    fate: str
    former: str | None
    changed: tuple[str, ...]
    first_units: int
    second_units: int


class _Content(NamedTuple):
    """The units of a corpus in codes of names that two corpora share, and where those of a document are."""

    corpus: Corpus
    annotators: IntArray
    categories: IntArray

    @classmethod
    def both(cls, corpora: Sequence[Corpus]) -> list[_Content]:
        """Return the content of two corpora in codes of one list of names."""
        _, *annotators = SharedNames.of(*(corpus.annotators for corpus in corpora))
        _, *categories = SharedNames.of(*(corpus.categories for corpus in corpora))
        return [
            cls(corpus, own_annotators, np.append(own_categories, -1))
            for corpus, own_annotators, own_categories in zip(corpora, annotators, categories, strict=True)
        ]

    def of(self, document: int) -> tuple[IntArray, np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
        """Return the annotators of a document, and its units: annotator, start, end, category."""
        corpus = self.corpus
        seen = slice(*corpus.seen_offsets[document : document + 2].tolist())
        units = slice(*corpus.unit_offsets[document : document + 2].tolist())
        columns = (
            self.annotators[corpus.annotator[units]],
            corpus.start[units],
            corpus.end[units],
            self.categories[corpus.category[units]],
        )
        return self.annotators[corpus.seen[seen]], np.stack([column.astype(np.float64) for column in columns])


def renamed_documents(first: Corpus, second: Corpus) -> dict[str, str]:
    """Return the new name of each document that has another one in the second corpus, and is surely the same."""
    gone = [index for index, name in enumerate(first.documents) if name not in second]
    new = [index for index, name in enumerate(second.documents) if name not in first]
    if not gone or not new:
        return {}
    pairs = _only_pairs(_texts(first, gone), _texts(second, new))
    # Units say that two documents are one only if no text says otherwise.
    contents = _Content.both((first, second))
    without = [_without_text(first, gone), _without_text(second, new)]
    units = [[*_units(content, documents)] for content, documents in zip(contents, without, strict=True)]
    return pairs | _only_pairs(units[0], units[1])


def _only_pairs(first: Sequence[tuple[object, str]], second: Sequence[tuple[object, str]]) -> dict[str, str]:
    """Return the names with the same key, if only one of either side has it."""
    counts = [Counter(key for key, _ in side) for side in (first, second)]
    names = {key: name for key, name in second if counts[1][key] == 1}
    return {name: names[key] for key, name in first if counts[0][key] == 1 and key in names}


def _texts(corpus: Corpus, documents: Sequence[int]) -> list[tuple[object, str]]:
    texts = corpus.texts or (None,) * len(corpus)
    return [(texts[index], corpus.documents[index]) for index in documents if texts[index]]


def _without_text(corpus: Corpus, documents: Sequence[int]) -> list[int]:
    texts = corpus.texts or (None,) * len(corpus)
    return [index for index in documents if not texts[index]]


def _units(content: _Content, documents: Sequence[int]) -> Iterator[tuple[object, str]]:
    """Yield a key of the units and extent of each document, and its name; documents with few units are left out."""
    for index in documents:
        annotators, units = content.of(index)
        if units.shape[1] >= _MIN_EQUAL_UNITS:
            extent = content.corpus.extents[index].tobytes()
            yield (annotators.tobytes(), units.tobytes(), extent), content.corpus.documents[index]


def document_fates(first: Corpus, second: Corpus, renamed: Mapping[str, str]) -> tuple[DocumentFate, ...]:
    """Return the fate of each document of two corpora; renamed documents have their new names in both."""
    former = {new: old for old, new in renamed.items()}
    contents = _Content.both((first, second))
    places = [{name: index for index, name in enumerate(corpus.documents)} for corpus in (first, second)]
    counts = [corpus.units_per_document.tolist() for corpus in (first, second)]
    annotators = sorted({*first.annotators, *second.annotators})
    rows = []
    for name in sorted({*first.documents, *second.documents}):
        indices = [place.get(name) for place in places]
        units = [0 if index is None else count[index] for index, count in zip(indices, counts, strict=True)]
        changed: tuple[str, ...] = ()
        one, other = indices
        if one is None or other is None:
            fate = NEW if one is None else GONE
        else:
            fate, codes = _fate(contents[0].of(one), contents[1].of(other))
            changed = tuple(annotators[code] for code in codes)
        rows.append(DocumentFate(name, fate, former.get(name), changed, *units))
    return tuple(rows)


def _fate(
    first: tuple[IntArray, np.ndarray[tuple[int, int], np.dtype[np.float64]]],
    second: tuple[IntArray, np.ndarray[tuple[int, int], np.dtype[np.float64]]],
) -> tuple[str, list[int]]:
    """Return the fate of a document that is in both corpora, and the codes of the annotators whose units differ."""
    (one_seen, one), (other_seen, other) = first, second
    if np.array_equal(one_seen, other_seen) and np.array_equal(one, other):
        return SAME, []
    in_both = np.intersect1d(one_seen, other_seen)
    if not len(in_both):
        return OTHERS, []
    changed = np.setxor1d(one_seen, other_seen).tolist()
    changed += [
        code for code in in_both.tolist() if not np.array_equal(one[:, one[0] == code], other[:, other[0] == code])
    ]
    return REDONE, sorted(changed)
