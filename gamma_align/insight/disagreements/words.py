"""The words that units and unitary alignments cover."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import Corpus, content
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments


class Words:
    """The words of unitary alignments, in lower case, with single blanks.

    A unitary alignment has the words that most of its units cover; of several, the last in alphabetical order.

    Attributes
    ----------
    vocabulary : tuple of str
        All words of units, sorted.
    code : ndarray of int64, shape (n_alignments,)
        Index in the vocabulary of the words of each unitary alignment; -1 if the text is not known.
    unit_code : ndarray of int64, shape (n_units,)
        The same of each unit.
    """

    def __init__(self, corpus: Corpus, alignments: UnitaryAlignments) -> None:
        texts = corpus.texts or (None,) * len(corpus)
        self._texts = texts
        self._has_text = np.array([text is not None for text in texts], dtype=np.bool_)
        if not self._has_text.any():
            self.vocabulary: tuple[str, ...] = ()
            self.code: IntArray = np.full(len(alignments), -1)
            return
        words = self.texts_between(corpus.unit_document, corpus.start, corpus.end)
        self.vocabulary = tuple(sorted({word for word in words if word is not None}))
        codes: dict[str | None, int] = {word: index for index, word in enumerate(self.vocabulary)} | {None: -1}
        self.unit_code = np.fromiter(map(codes.__getitem__, words), dtype=np.int64, count=len(words))
        self.code = _most_frequent(alignments.member_group, self.unit_code[alignments.members], len(alignments))

    @property
    def are_known(self) -> bool:
        """Whether the text of any unit is known."""
        return bool(self.vocabulary)

    @cached_property
    def _offsets(self) -> IntArray:
        """Position of the first character of each document in all texts, one after the other."""
        return np.concatenate([[0], np.cumsum([len(text or "") for text in self._texts])])

    @cached_property
    def _n_letters(self) -> IntArray:
        """Number of characters other than white space and punctuation before each character of all texts."""
        return np.concatenate([[0], np.cumsum(content("".join(text or "" for text in self._texts)), dtype=np.int64)])

    def has_letters(self, document: IntArray, start: FloatArray, end: FloatArray) -> BoolArray:
        """Return whether stretches contain more than white space and punctuation; true if the text is not known."""
        if not self._has_text.any():
            return np.ones(len(document), dtype=np.bool_)
        has_text = self._has_text[document]
        begin = self._offsets[document]
        length = self._offsets[document + 1] - self._offsets[document]
        # The extent of a document may exceed its text.
        low, high = (
            begin + np.minimum(np.where(has_text, bounds, 0).astype(np.int64), length) for bounds in (start, end)
        )
        result: BoolArray = ~has_text | (self._n_letters[high] > self._n_letters[low])
        return result

    @cached_property
    def _is_alphanumeric(self) -> BoolArray:
        """Whether each character of all texts is a letter or a digit."""
        codes = np.frombuffer("".join(text or "" for text in self._texts).encode("utf-32-le", "surrogatepass"), "<u4")
        distinct, number = np.unique(codes, return_inverse=True)
        return np.array([chr(code).isalnum() for code in distinct.tolist()], dtype=np.bool_)[number]

    def inside_words(self, document: IntArray, position: FloatArray) -> BoolArray:
        """Return whether there is a letter or digit on both sides of each position; false if the text is not known."""
        offset = position.astype(np.int64)
        result: BoolArray = (offset > 0) & (offset < np.diff(self._offsets)[document])
        index = (self._offsets[document] + offset)[result]
        result[result] = self._is_alphanumeric[index - 1] & self._is_alphanumeric[index]
        return result

    @cached_property
    def _lower_text(self) -> str:
        return "\n".join(text.lower() for text in self._texts if text is not None)

    @cached_property
    def _n_words_of_texts(self) -> int:
        return sum(1 for _ in re.finditer(r"\w+", self._lower_text))

    def frequency(self, words: Iterable[str]) -> float:
        """Return how many of all words of the texts these are, between 0 and 1; several words together are one."""
        patterns = (r"\s+".join(map(re.escape, entry.split())) for entry in words)
        count = sum(len(re.findall(rf"(?<!\w){one}(?!\w)", self._lower_text)) for one in patterns)
        return min(count / max(self._n_words_of_texts, 1), 1.0)

    def texts_between(self, document: IntArray, start: FloatArray, end: FloatArray) -> list[str | None]:
        """Return the words of stretches of documents, None if the text is not known."""
        words: list[str | None] = [None] * len(document)
        rows = np.flatnonzero(self._has_text[document])
        columns = (rows, document[rows], start[rows].astype(np.int64), end[rows].astype(np.int64))
        for row, index, low, high in zip(*(column.tolist() for column in columns), strict=True):
            words[row] = _normalized((self._texts[index] or "")[low:high])
        return words

    def around(self, document: int, start: float, end: float, width: int) -> tuple[str, str, str] | None:
        """Return the text before, in and after a stretch; `width` is the limit of the text before and after.

        The text before and after is cut between words. None if the text is not known.
        """
        text = self._texts[document]
        if text is None:
            return None
        low = int(start)
        high = int(end)
        before = text[max(low - width, 0) : low]
        after = text[high : high + width]
        if low > width:
            before = before[before.find(" ") + 1 :]
        if high + width < len(text) and " " in after:
            after = after[: after.rfind(" ")]
        return before, text[low:high], after


def _normalized(text: str) -> str:
    return " ".join(text.split()).lower()


def _most_frequent(group: IntArray, code: IntArray, n_groups: int) -> IntArray:
    """Return the most frequent code of each group, the largest if several are equally frequent; -1 for none."""
    result = np.full(n_groups, -1, dtype=np.int64)
    is_known = code >= 0
    if not is_known.any():
        return result
    width = int(code.max()) + 1
    keys, counts = np.unique(group[is_known] * width + code[is_known], return_counts=True)
    order = np.lexsort((keys % width, counts, keys // width))
    result[keys[order] // width] = keys[order] % width  # the last assignment of a group remains
    return result
