"""What bounds count: code points, UTF-16 code units or UTF-8 bytes of a text, or its tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gamma_align._types import FloatArray, IntArray


def code_points_at(text: str, offsets: str) -> IntArray:
    """Return, for each offset 0 … in UTF-16 code units or UTF-8 bytes, the code point there; -1 within one.

    Parameters
    ----------
    text : str
        The text.
    offsets : {"utf-16", "bytes"}
        What is counted.

    Returns
    -------
    ndarray of int64
        One entry more than the text has code units or bytes.
    """
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    width = 1 + (points >= 1 << 16).astype(np.int64)
    if offsets == "bytes":
        width = 1 + (points >= 1 << 7) + (points >= 1 << 11) + (points >= 1 << 16).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
    table = np.full(int(starts[-1]) + 1, -1, dtype=np.int64)
    table[starts] = np.arange(len(points) + 1)
    return table


def to_code_points(bounds: FloatArray, text: str, offsets: str) -> FloatArray:
    """Return bounds in code points; NaN for one within a character, and what is past the end as far past it.

    Parameters
    ----------
    bounds : ndarray of float64
        In `offsets`.
    text : str
        What they count in.
    offsets : {"code-points", "utf-16", "bytes"}
        What they count.
    """
    if offsets == "code-points" or text.isascii():
        return bounds
    table = code_points_at(text, offsets)
    last = len(table) - 1
    inside = (bounds >= 0) & (bounds <= last)
    place = table[np.where(inside, bounds, 0).astype(np.int64)].astype(np.float64)
    place[place < 0] = np.nan
    return np.where(inside, place, np.where(bounds < 0, bounds, bounds - last + table[-1]))


def to_tokens(
    start: FloatArray, end: FloatArray, tokens: Sequence[tuple[int, int]] | FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the bounds in tokens: from the first token that a unit touches to after the last.

    Parameters
    ----------
    start, end : ndarray of float64
        Bounds in characters.
    tokens : sequence of (int, int)
        Bounds of the tokens in characters, in order, without overlap.

    Returns
    -------
    (ndarray, ndarray) of float64
        A unit between tokens is without length before the next one, and one without length stays so, before the
        token it is in or before.
    """
    edges = np.asarray(tokens, dtype=np.float64).reshape(-1, 2)
    first = np.searchsorted(edges[:, 1], start, side="right")
    after = np.searchsorted(edges[:, 0], end, side="left")
    after = np.where(end > start, np.maximum(after, first), first)
    return first.astype(np.float64), after.astype(np.float64)
