"""What the writers of formats ask of a corpus: names that can be paths, texts, seconds, whole characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

import numpy as np

from gamma_align.data.continuum import Continuum, Unit
from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError
from gamma_align.io.marks.marks import HALF

_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"\\|?*\ud800-\udfff]')
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""What Windows takes for a device, whatever suffix follows."""


def as_path(name: str, what: str) -> str:
    """Return a name that can be a path below a folder, a slash in it a folder."""
    if not all(map(_is_plain, name.split("/"))) or any(part.endswith(".") for part in name.split("/")[:-1]):
        raise InputError(
            f"the {what} {name!r} cannot name a file; rename it, or write a format that keeps all in one file "
            "(csv, parquet, jsonl)"
        )
    return name


def as_part(name: str, what: str) -> str:
    """Return a name that can be one part of a path."""
    if "/" in name or name.endswith("."):
        raise InputError(
            f"the {what} {name!r} has a slash in it, or a point at its end, and cannot name a folder; rename it, or "
            "write a format that keeps all in one file (csv, parquet, jsonl)"
        )
    return as_path(name, what)


def _is_plain(part: str) -> bool:
    """Whether a part of a path is no more than a name, and not hidden."""
    return (
        bool(part)
        and not part.startswith(".")
        and part == part.strip()
        and not _FORBIDDEN.search(part)
        and not _DEVICES.fullmatch(part)
    )


def text_of(corpus: Corpus, index: int, fmt: str) -> str:
    """Return the text of a document, where a file of characters beside a plain text holds all of the document.

    `fmt` is what messages call the format.
    """
    document = corpus.documents[index]
    if corpus.length_unit not in (None, "char"):
        raise InputError(
            f"{fmt} counts characters, and the corpus counts in {corpus.length_unit!r}; write csv, parquet or jsonl"
        )
    if corpus.seen_offsets[index] == corpus.seen_offsets[index + 1]:
        raise InputError(f"document {document!r} has no annotators, and {fmt} no place for it; write csv or parquet")
    text = None if corpus.texts is None else corpus.texts[index]
    if text is None:
        raise InputError(
            f"{fmt} keeps the text beside the units, and that of document {document!r} is not known; read it from a "
            "format that has it, or write csv, parquet or jsonl"
        )
    low, high = corpus.extents[index].tolist()
    if (low, high) != (0, len(text)):
        raise InputError(
            f"document {document!r}: {fmt}'s extent is the text, {len(text)} characters, and the document's is "
            f"[{low:.15g}, {high:.15g}]; write jsonl, or correct what is outside the text"
        )
    if HALF.search(text) or text.startswith("\ufeff"):
        raise InputError(
            f"document {document!r}: its text begins with a byte-order mark or has half a character (a lone surrogate) "
            "in it, which a UTF-8 file does not hold; correct the text"
        )
    return text


def unit_name(unit: Unit, document: str) -> str:
    """Return document, annotator and bounds of a unit in words."""
    return f"document {document!r}, annotator {unit.annotator!r}, unit [{unit.start:.15g}, {unit.end:.15g}]"


def whole_bounds(unit: Unit, document: str, fmt: str) -> tuple[int, int]:
    """Return the bounds of a unit as the integers they are."""
    if not (unit.start.is_integer() and unit.end.is_integer()):
        raise InputError(
            f"{unit_name(unit, document)}: {fmt} counts whole characters; round the bounds, or write csv, parquet or "
            "jsonl"
        )
    return int(unit.start), int(unit.end)


_CURE = "write csv, parquet or jsonl"


def timed_documents(corpus: Corpus, name: str) -> Iterator[Continuum]:
    """Yield the documents of a corpus that counts seconds, or does not say what it counts."""
    if corpus.length_unit not in (None, "s"):
        raise InputError(f"{name} counts seconds, and the corpus counts in {corpus.length_unit!r}; {_CURE}")
    for index, document in enumerate(corpus.documents):
        continuum = corpus.continuum(index)
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


def encoded(text: str, origin: str) -> bytes:
    """Return the text as UTF-8; `origin` is what messages call it."""
    half = HALF.search(text)
    if half:
        around = text[max(half.start() - 20, 0) : half.end() + 20]
        raise InputError(
            f"{origin}: {around!r} has half a character (a lone surrogate) in it, which no UTF-8 file holds; correct it"
        )
    return text.encode()


def lost_in_units(corpus: Corpus) -> list[str]:
    """Return what the table of units does not say."""
    n_units, document = corpus.units_per_document, corpus.unit_document
    held = np.stack([np.full(len(corpus), np.inf), np.full(len(corpus), -np.inf)], axis=1)
    np.minimum.at(held[:, 0], document, corpus.start)
    np.maximum.at(held[:, 1], document, corpus.end)
    wider = int(np.count_nonzero((held != corpus.extents).any(axis=1) & (n_units > 0)))
    counts = {
        "{} annotators who marked nothing": len(corpus.seen) - len(np.unique(corpus.unit_seen)),
        "{} documents without units": int(np.count_nonzero(n_units == 0)),
        "the extents of {} documents": wider,
        "the unit of length": int(corpus.length_unit is not None),
    }
    return [what.format(count) for what, count in counts.items() if count]
