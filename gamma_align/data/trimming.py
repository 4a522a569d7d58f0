"""White space and punctuation at the edges of units.

The Unicode category of a character decides: separators (Z), punctuation (P), control and format characters (Cc, Cf) are
trimmed. Marks and symbols are not: an accent is part of its letter, and "$5" and "C++" are not shortened.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray

_TRIMMED_CLASSES = ("Z", "P")  # Unicode: separators, punctuation
_TRIMMED_CATEGORIES = ("Cc", "Cf")  # Unicode: control and format characters


@lru_cache(maxsize=1 << 16)
def _is_content(code: int) -> bool:
    category = unicodedata.category(chr(code))
    return not (category.startswith(_TRIMMED_CLASSES) or category in _TRIMMED_CATEGORIES)


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

    Units without other characters do not change, nor do units whose bounds are not characters of a known text.
    """
    offsets = np.concatenate([[0], np.cumsum([len(text or "") for text in texts])])
    is_content = content("".join(text or "" for text in texts))
    index = np.arange(len(is_content))
    size = len(is_content)
    # For each character, the first content character from it on, and the last one before it.
    next_content = np.minimum.accumulate(np.append(np.where(is_content, index, size), size)[::-1])[::-1]
    previous_content = np.maximum.accumulate(np.append(-1, np.where(is_content, index, -1)))
    first = offsets[document]
    length = np.diff(offsets)[document]
    is_in_text = (start >= 0) & (end <= length) & (start % 1 == 0) & (end % 1 == 0)
    low, high = (first + np.where(is_in_text, bounds, 0).astype(np.int64) for bounds in (start, end))
    low = next_content[low]
    high = previous_content[high] + 1
    has_content = is_in_text & (low < high)
    return np.where(has_content, low - first, start), np.where(has_content, high - first, end)
