"""The words that unitary alignments cover."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.data.trimming import content
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments


class Words:
    """The words of units and of unitary alignments, in lower case, with single blanks.

    `vocabulary` is sorted; `of_unit` and `of_alignment` are indices in it, -1 where the text is not known. A unitary
    alignment has the words that most of its units cover, of several the last in the order of letters.
    """

    def __init__(self, corpus: Corpus, alignments: UnitaryAlignments) -> None:
        texts = corpus.texts or (None,) * len(corpus)
        self._texts = texts
        self._known = np.array([text is not None for text in texts], dtype=np.bool_)
        words = self.texts_between(corpus.unit_document, corpus.start, corpus.end)
        self.vocabulary = tuple(sorted({word for word in words if word is not None}))
        code: dict[str | None, int] = {word: index for index, word in enumerate(self.vocabulary)} | {None: -1}
        self.of_unit = np.fromiter(map(code.__getitem__, words), dtype=np.int64, count=len(words))
        self.of_alignment = _most_frequent(alignments.group, self.of_unit, len(alignments))

    @property
    def are_known(self) -> bool:
        """Whether any text is known."""
        return bool(self.vocabulary)

    @cached_property
    def _offsets(self) -> IntArray:
        return np.concatenate([[0], np.cumsum([len(text or "") for text in self._texts])])

    @cached_property
    def _letters(self) -> IntArray:
        """How many characters but white space and punctuation are before each one of all texts, one after the other."""
        return np.concatenate([[0], np.cumsum(content("".join(text or "" for text in self._texts)), dtype=np.int64)])

    def has_letters(self, document: IntArray, start: FloatArray, end: FloatArray) -> BoolArray:
        """Return whether more than white space and punctuation is in stretches; true where the text is not known."""
        known = self._known[document]
        begin, length = self._offsets[document], self._offsets[document + 1] - self._offsets[document]
        # the extent of a document may exceed its text
        low, high = (begin + np.minimum(np.where(known, bounds, 0).astype(np.int64), length) for bounds in (start, end))
        result: BoolArray = ~known | (self._letters[high] > self._letters[low])
        return result

    def texts_between(self, document: IntArray, start: FloatArray, end: FloatArray) -> list[str | None]:
        """Return the words of stretches of texts, None where the text is not known."""
        words: list[str | None] = [None] * len(document)
        rows = np.flatnonzero(self._known[document])
        columns = (rows, document[rows], start[rows].astype(np.int64), end[rows].astype(np.int64))
        for row, index, low, high in zip(*(column.tolist() for column in columns), strict=True):
            words[row] = _words((self._texts[index] or "")[low:high])
        return words

    def around(self, document: int, start: float, end: float, width: int) -> tuple[str, str, str] | None:
        """Return what stands before, in and after a stretch, cut at words after `width` characters."""
        text = self._texts[document]
        if text is None:
            return None
        low, high = int(start), int(end)
        before, after = text[max(low - width, 0) : low], text[high : high + width]
        if low > width:
            before = before[before.find(" ") + 1 :]
        if high + width < len(text) and " " in after:
            after = after[: after.rfind(" ")]
        return before, text[low:high], after


def _words(text: str) -> str:
    return " ".join(text.split()).lower()


def _most_frequent(group: IntArray, code: IntArray, n_groups: int) -> IntArray:
    """Return the code that occurs most in each group, the largest of several; -1 where none is known."""
    result = np.full(n_groups, -1, dtype=np.int64)
    inside = (group >= 0) & (code >= 0)
    if not inside.any():
        return result
    width = int(code.max()) + 1
    keys, counts = np.unique(group[inside] * width + code[inside], return_counts=True)
    order = np.lexsort((keys % width, counts, keys // width))
    result[keys[order] // width] = keys[order] % width  # the last of a group stays
    return result
