"""Whether units cover the text that their file says they cover; and if not, how offsets would have to be counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.errors import InputError
from gamma_align.io.marks.choices import OFFSETS
from gamma_align.io.marks.positions import to_code_points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.io.marks.choices import Choices
    from gamma_align.io.marks.gather import Gathered

_LONGEST = 60
_NEAR = 3
"""How far off all bounds may be for the message to say so."""


class Surfaces(NamedTuple):
    """Units that have a text and say what they cover: their rows, the text of each, what it says."""

    rows: IntArray
    texts: list[str]
    said: list[str]


def check_surfaces(
    units: Gathered, own: Mapping[int, str], counted: tuple[FloatArray, FloatArray], choices: Choices
) -> None:
    """Refuse units that do not cover the text the file says, or note them.

    Parameters
    ----------
    units : Gathered
        Units whose bounds are code points by now.
    own : mapping of int to str
        The text of each owner that has one.
    counted : (ndarray, ndarray)
        Start and end as the files have them.
    choices : Choices
        `offsets` and `mismatch`.

    Raises
    ------
    InputError
        For the first that does not, with their number and the cure that would make them fit.
    """
    surfaces = _surfaces(units, own)
    wrong = _wrong(surfaces, units.start[surfaces.rows], units.end[surfaces.rows])
    if not wrong:
        return
    first = wrong[0]
    row = int(surfaces.rows[first])
    covered = surfaces.texts[first][int(units.start[row]) : int(units.end[row])]
    told = f"{units.where(row)}: the unit covers {_shown(covered)}, but the file says {_shown(surfaces.said[first])}"
    if choices.mismatch == "keep":
        units.notes.append(f"{told} ({len(wrong)} such units, kept)")
        return
    raise InputError(
        f"{told} ({len(wrong)} of {len(units.start)} units do not cover their text); "
        f"{_cure(units, own, surfaces, counted, choices)}"
    )


def _surfaces(units: Gathered, own: Mapping[int, str]) -> Surfaces:
    rows: list[int] = []
    said: list[str] = []
    for file, marks in enumerate(units.marks):
        index = sorted(marks.surface)
        for at, row in zip(index, units.rows(file, index).tolist() if index else (), strict=True):
            if row >= 0 and int(units.owner[row]) in own:
                rows.append(row)
                said.append(marks.surface[at])
    return Surfaces(np.array(rows, dtype=np.int64), [own[int(units.owner[row])] for row in rows], said)


def _wrong(surfaces: Surfaces, start: FloatArray, end: FloatArray) -> list[int]:
    """Return the places of the surfaces that are not what stands between the bounds; NaN is nowhere."""
    return [
        at
        for at, (text, said, low, high) in enumerate(
            zip(surfaces.texts, surfaces.said, start.tolist(), end.tolist(), strict=True)
        )
        if not (low == low and high == high and _covers(text, int(low), int(high), said))  # noqa: PLR0124
    ]


def _covers(text: str, low: int, high: int, said: str) -> bool:
    """Whether the text between the bounds is what is said; tools write line breaks as blanks."""
    if high - low == len(said) and text.startswith(said, low):
        return True
    return low >= 0 and " ".join(text[low:high].split()) == " ".join(said.split())


def cure_of_offsets(
    units: Gathered, own: Mapping[int, str], counted: tuple[FloatArray, FloatArray], choices: Choices
) -> str | None:
    """Return words for what offsets count if all units cover what their files say; ``None`` if nothing makes them."""
    surfaces = _surfaces(units, own)
    if not len(surfaces.rows):
        return None
    start, end = (bounds[surfaces.rows] for bounds in counted)
    now = {choices.offsets or units.marks[int(units.file[row])].offsets for row in surfaces.rows.tolist()}
    for offsets in OFFSETS:
        if now != {offsets} and not _wrong(surfaces, *_recounted(surfaces, start, end, offsets)):
            return f"all units fit with offsets={offsets!r} (--offsets {offsets})"
    return None


def _cure(
    units: Gathered,
    own: Mapping[int, str],
    surfaces: Surfaces,
    counted: tuple[FloatArray, FloatArray],
    choices: Choices,
) -> str:
    """Return words for what to do."""
    keep = "keep such units with mismatch='keep' (--mismatch keep)"
    told = cure_of_offsets(units, own, counted, choices)
    if told is not None:
        return f"{told}: read them so, or {keep}"
    for by in (by for size in range(1, _NEAR + 1) for by in (size, -size)):
        if not _wrong(surfaces, units.start[surfaces.rows] - by, units.end[surfaces.rows] - by):
            where = "earlier" if by > 0 else "later"
            return f"all units would fit {abs(by)} {where} than their offsets say: correct the offsets, or {keep}"
    return f"no other offsets= makes all units fit: correct the offsets or the text, or {keep}"


def _recounted(surfaces: Surfaces, start: FloatArray, end: FloatArray, offsets: str) -> tuple[FloatArray, FloatArray]:
    """Return the bounds in code points, as if the files counted otherwise."""
    found = np.full((2, len(start)), np.nan)
    of_text: dict[str, list[int]] = {}
    for at, text in enumerate(surfaces.texts):
        of_text.setdefault(text, []).append(at)
    for text, places in of_text.items():
        for column, bounds in enumerate((start, end)):
            found[column, places] = to_code_points(bounds[places], text, offsets)
    return found[0], found[1]


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
