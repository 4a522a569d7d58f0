"""White space and punctuation at the edges of units.

A character is one of these by its category in Unicode: separators (Z), punctuation (P), control and format characters
(Cc, Cf). Marks and symbols are not: an accent is part of its letter, and "$5" and "C++" stay whole.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray

_CUT = ("Z", "P")
_INVISIBLE = ("Cc", "Cf")


@lru_cache(maxsize=1 << 16)
def _is_content(code: int) -> bool:
    category = unicodedata.category(chr(code))
    return not (category.startswith(_CUT) or category in _INVISIBLE)


def content(text: str) -> BoolArray:
    """Return whether each character of a text is neither white space nor punctuation, shape (n_characters,)."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    distinct, number = np.unique(codes, return_inverse=True)
    result: BoolArray = np.array([_is_content(code) for code in distinct.tolist()], dtype=np.bool_)[number]
    return result


def trimmed(
    texts: Sequence[str | None], document: IntArray, start: FloatArray, end: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of units without white space and punctuation at their edges.

    A unit of nothing else stays as it is, and so does one that is not of characters of a known text.
    """
    offsets = np.concatenate([[0], np.cumsum([len(text or "") for text in texts])])
    kept = content("".join(text or "" for text in texts))
    index, size = np.arange(len(kept)), len(kept)
    # the first character from each on that is kept, and the last before it
    after = np.minimum.accumulate(np.append(np.where(kept, index, size), size)[::-1])[::-1]
    before = np.maximum.accumulate(np.append(-1, np.where(kept, index, -1)))
    length = np.diff(offsets)[document]
    inside = (start >= 0) & (end <= length) & (start % 1 == 0) & (end % 1 == 0)
    low, high = (offsets[document] + np.where(inside, bounds, 0).astype(np.int64) for bounds in (start, end))
    low, high = after[low], before[high] + 1
    cut = inside & (low < high)
    first = offsets[document]
    return np.where(cut, low - first, start), np.where(cut, high - first, end)
