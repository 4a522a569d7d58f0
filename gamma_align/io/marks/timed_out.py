"""What the writers of formats of time have in common: seconds, units that may not overlap, text as UTF-8."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from gamma_align.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gamma_align.data.corpus import Continuum, Corpus, Unit

_CURE = "write csv, parquet or jsonl"


def documents(corpus: Corpus, name: str) -> Iterator[Continuum]:
    """Yield the documents of a corpus that counts seconds, or does not say what it counts.

    Raises
    ------
    InputError
        For another unit of length, and for a document without annotators, which no file would say.
    """
    if corpus.length_unit not in (None, "s"):
        raise InputError(f"{name} counts seconds, and the corpus counts in {corpus.length_unit!r}; {_CURE}")
    for at, document in enumerate(corpus.documents):
        continuum = corpus.continuum(at)
        if not continuum.annotators:
            raise InputError(f"document {document!r} has no annotators, and {name} cannot say so; {_CURE}")
        yield continuum


def by_annotator(continuum: Continuum) -> dict[str, list[Unit]]:
    """Return the units of each annotator, those without any among them."""
    units: dict[str, list[Unit]] = {name: [] for name in continuum.annotators}
    for unit in continuum.units():
        units[unit.annotator].append(unit)
    return units


def lanes(units: Iterable[Unit]) -> list[list[Unit]]:
    """Return units in as few rows as do for none to overlap another in its row; each sorted."""
    rows: list[list[Unit]] = []
    free: list[tuple[float, int]] = []  # end of a row, and which
    for unit in sorted(units, key=lambda unit: (unit.start, unit.end)):
        if free and free[0][0] <= unit.start:
            row = heappop(free)[1]
        else:
            row = len(rows)
            rows.append([])
        rows[row].append(unit)
        heappush(free, (unit.end, row))
    return rows


def encoded(text: str, place: str) -> bytes:
    """Return the text as UTF-8.

    Raises
    ------
    InputError
        For half a character, which UTF-8 does not hold; `place` is what the message calls it.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        around = text[max(error.start - 20, 0) : error.end + 20]
        raise InputError(
            f"{place}: {around!r} has half a character (a lone surrogate) in it, which no UTF-8 file holds; correct it"
        ) from None
