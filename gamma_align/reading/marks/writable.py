"""Requirements of the writers of formats: names that can be paths, texts, seconds, whole characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from heapq import heappop, heappush

import numpy as np

from gamma_align.columns import UNLABELLED, BoolArray, FloatArray, distinct
from gamma_align.data import Continuum, Corpus, Unit
from gamma_align.errors import Cure, InputError, Location, Set, SettingsError
from gamma_align.reading.marks.marks import SURROGATE
from gamma_align.reading.options import LOSSES

# Control characters, those that Windows forbids in names, and lone surrogates.
_FORBIDDEN_CHARACTERS = re.compile(r'[\x00-\x1f\x7f<>:"\\|?*\ud800-\udfff]')
_DEVICE_NAMES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows reserves for devices, with any suffix."""

OTHER_FORMATS = "write csv, parquet or jsonl"
"""Formats that hold every corpus, as a cure or its end."""

_ONE_FILE_CURE = "rename it, or write a format that keeps all in one file (csv, parquet, jsonl)"


def as_path(name: str, kind: str) -> str:
    """Return a name that can be a path below a folder, a slash in it a folder."""
    if not all(map(_is_plain, name.split("/"))) or any(part.endswith(".") for part in name.split("/")[:-1]):
        raise InputError(f"the {kind} {name!r} cannot name a file", _ONE_FILE_CURE)
    return name


def as_part(annotator: str) -> str:
    """Return the name of an annotator as one part of a path; InputError if it cannot name a folder."""
    if "/" in annotator or annotator.endswith("."):
        raise InputError(
            f"the annotator {annotator!r} has a slash in it, or a point at its end, and cannot name a folder",
            _ONE_FILE_CURE,
        )
    return as_path(annotator, "annotator")


def _is_plain(part: str) -> bool:
    """Whether a part of a path is a name that every system accepts, and not hidden."""
    return (
        bool(part)
        and not part.startswith(".")
        and part == part.strip()
        and not _FORBIDDEN_CHARACTERS.search(part)
        and not _DEVICE_NAMES.fullmatch(part)
    )


def text_of(corpus: Corpus, index: int, fmt: str) -> str:
    """Return the text of a document; refuse one that a format of characters beside a plain text cannot hold.

    `fmt` is the name of the format in messages.
    """
    document = corpus.documents[index]
    if corpus.length_unit not in (None, "char"):
        raise InputError(f"{fmt} counts characters, and the corpus counts in {corpus.length_unit!r}", OTHER_FORMATS)
    if corpus.seen_offsets[index] == corpus.seen_offsets[index + 1]:
        raise InputError(f"document {document!r} has no annotators, which {fmt} cannot hold", "write csv or parquet")
    text = None if corpus.texts is None else corpus.texts[index]
    if text is None:
        raise InputError(
            f"{fmt} keeps the text beside the units, and the text of document {document!r} is not known",
            f"read it from a format that has it, or {OTHER_FORMATS}",
        )
    low, high = corpus.extents[index].tolist()
    if (low, high) != (0, len(text)):
        cure = drop_cure(["extents"]) if _text_extents(corpus)[1][index] else "correct the units outside the text"
        raise InputError(
            f"{fmt}'s extent is the text, {len(text)} characters, and the document's is [{low:.15g}, {high:.15g}]",
            Cure("write jsonl, or {}", cure),
            Location(f"document {document!r}"),
        )
    if SURROGATE.search(text) or text.startswith("\ufeff"):
        raise InputError(
            "its text begins with a byte-order mark or has half a character (a lone surrogate) in it, which a UTF-8 "
            "file does not hold",
            "correct the text",
            Location(f"document {document!r}"),
        )
    return text


def unit_location(unit: Unit, document: str) -> Location:
    """Return document, annotator and bounds of a unit in words, as the location of a problem."""
    words = f"annotator {unit.annotator!r}, unit [{unit.start:.15g}, {unit.end:.15g}]"
    return Location(f"document {document!r}", words)


def whole_bounds(unit: Unit, document: str, fmt: str) -> tuple[int, int]:
    """Return the bounds of a unit as integers; refuse others."""
    if not (unit.start.is_integer() and unit.end.is_integer()):
        raise InputError(
            f"{fmt} counts whole characters",
            Cure("round the bounds with {}, or {}", Set("decimals", 0), OTHER_FORMATS),
            unit_location(unit, document),
        )
    return int(unit.start), int(unit.end)


ZERO_LENGTH = "zero-length"
"""Name of units without length, which ELAN does not hold; "all" does not include it."""


def timed_documents(corpus: Corpus, name: str) -> Iterator[Continuum]:
    """Yield the documents of a corpus in seconds, or without a unit of length."""
    if corpus.length_unit not in (None, "s"):
        raise InputError(f"{name} counts seconds, and the corpus counts in {corpus.length_unit!r}", OTHER_FORMATS)
    for index, document in enumerate(corpus.documents):
        continuum = corpus.continuum(index)
        if not continuum.annotators:
            raise InputError(f"document {document!r} has no annotators, which {name} cannot hold", OTHER_FORMATS)
        yield continuum


def by_annotator(continuum: Continuum) -> dict[str, list[Unit]]:
    """Return the units of each annotator, including annotators without any."""
    units: dict[str, list[Unit]] = {name: [] for name in continuum.annotators}
    for unit in continuum.units():
        units[unit.annotator].append(unit)
    return units


def lanes(units: Iterable[Unit]) -> list[list[Unit]]:
    """Distribute units to the fewest rows in which none overlap; each row is sorted."""
    rows: list[list[Unit]] = []
    free: list[tuple[float, int]] = []  # end of a row, and which
    for unit in sorted(units, key=lambda unit: (unit.start, unit.end)):
        # The row that ended first; if it is still occupied, all others are.
        if free and free[0][0] <= unit.start:
            row = heappop(free)[1]
        else:
            row = len(rows)
            rows.append([])
        rows[row].append(unit)
        heappush(free, (unit.end, row))
    return rows


def encoded(text: str, origin: str) -> bytes:
    """Return the text as UTF-8; `origin` names it in messages."""
    surrogate = SURROGATE.search(text)
    if surrogate:
        around = text[max(surrogate.start() - 20, 0) : surrogate.end() + 20]
        raise InputError(
            f"{around!r} has half a character (a lone surrogate) in it, which no UTF-8 file holds",
            "correct it",
            Location(origin),
        )
    return text.encode()


def _text_extents(corpus: Corpus) -> tuple[FloatArray, BoolArray]:
    """Return the extents that texts have, in characters, and which documents have a text that contains all units."""
    texts = corpus.texts if corpus.texts is not None and corpus.length_unit in (None, "char") else [None] * len(corpus)
    lengths = np.array([np.nan if text is None else len(text) for text in texts])
    is_outside = (corpus.start < 0) | (corpus.end > lengths[corpus.unit_document])
    is_inside = np.bincount(corpus.unit_document, is_outside, len(corpus)) == 0
    return np.stack([np.zeros(len(corpus)), lengths], axis=1), is_inside & ~np.isnan(lengths)


def lost_in_units(corpus: Corpus) -> dict[str, str]:
    """Return the facts that the table of units would lose: names for `reduced`, with descriptions."""
    n_units = corpus.units_per_document
    document = corpus.unit_document
    covered = np.stack([np.full(len(corpus), np.inf), np.full(len(corpus), -np.inf)], axis=1)
    np.minimum.at(covered[:, 0], document, corpus.start)
    np.maximum.at(covered[:, 1], document, corpus.end)
    wider = int(np.count_nonzero((covered != corpus.extents).any(axis=1) & (n_units > 0)))
    counts = {
        "annotators": len(corpus.seen) - len(distinct(corpus.unit_seen)),
        "documents": int(np.count_nonzero(n_units == 0)),
        "extents": wider,
        "length-unit": int(corpus.length_unit is not None),
    }
    return {name: LOSSES[name].format(count) for name, count in counts.items() if count}


def _lost_beside_texts(corpus: Corpus) -> dict[str, str]:
    """Return the loss of extents in formats in which the text is the extent, as `lost_in_units`."""
    extents, has_extent = _text_extents(corpus)
    count = int(np.count_nonzero(has_extent & (extents != corpus.extents).any(axis=1)))
    return {"extents": LOSSES["extents"].format(count)} if count else {}


def drop_cure(lost: Iterable[str]) -> Cure:
    """Return the cure for facts that would be lost: to allow it by name."""
    return Cure("say that it may be lost with {}", Set("drop", list(lost)))


def reduced(
    corpus: Corpus, drop: str | Iterable[str] = (), decimals: int | None = None, *, text_is_extent: bool = False
) -> tuple[Corpus, list[str]]:
    """Return a corpus without the facts that a file would not hold, with rounded bounds, and notes on both.

    `drop` has names of `LOSSES`, or "all" of them, or `ZERO_LENGTH`; bounds keep this number of `decimals`.
    Without their extents, documents end with their units, or with their texts if these are the extents in the file.
    """
    names = {drop} if isinstance(drop, str) else set(drop)
    allowed = (*LOSSES, "all", ZERO_LENGTH)
    unknown = sorted(names.difference(allowed))
    if unknown:
        raise SettingsError(
            f"drop must be of {', '.join(map(repr, allowed))}, not {unknown[0]!r}", location=Location.for_option("drop")
        )
    if decimals is not None and (isinstance(decimals, bool) or not isinstance(decimals, int) or decimals < 0):
        raise SettingsError(
            f"decimals must be a whole number from 0, not {decimals!r}", location=Location.for_option("decimals")
        )
    lost = lost_in_units(corpus) | lost_in_categories(corpus)
    if text_is_extent:
        lost = _lost_beside_texts(corpus) | lost
    dropped = set(lost) if "all" in names else names.intersection(lost)
    notes = [f"not written: {', '.join(lost[name] for name in lost if name in dropped)}"] if dropped else []
    new = _without(corpus, dropped, text_is_extent=text_is_extent) if dropped else corpus
    if decimals is not None:
        new, notes = _rounded(new, decimals, notes)
    return (new, notes) if ZERO_LENGTH not in names else _with_length(new, notes)


def lost_in_categories(corpus: Corpus) -> dict[str, str]:
    """Return the loss in categories, as `lost_in_units`: CSV does not distinguish none from the category ''."""
    count = int(np.count_nonzero(_is_void(corpus)))
    is_partial = count and not (corpus.category == UNLABELLED).all()
    return {"no-category": LOSSES["no-category"].format(count)} if is_partial else {}


def _is_void(corpus: Corpus) -> BoolArray:
    """Return which units have no category, or '', shape (n_units,)."""
    return np.array([*(label == "" for label in corpus.categories), True])[corpus.category]  # the last is for -1


def _without(corpus: Corpus, dropped: set[str], *, text_is_extent: bool) -> Corpus:
    """Return a corpus without these of `LOSSES`."""
    units, annotations, documents = corpus.to_tables()
    has_units = corpus.units_per_document > 0
    saw = has_units[corpus.seen_document] if "documents" in dropped else np.ones(len(corpus.seen), dtype=np.bool_)
    if "annotators" in dropped:
        saw &= np.isin(np.arange(len(corpus.seen)), corpus.unit_seen)
    texts = corpus.texts
    if "extents" in dropped:
        documents |= {name: np.where(has_units, np.nan, documents[name]) for name in ("start", "end")}
        if text_is_extent:
            extents, has_extent = _text_extents(corpus)
            for name, bound in zip(("start", "end"), extents.T, strict=True):
                documents[name] = np.where(has_extent, bound, documents[name])
        else:
            texts = None  # which the extents are of
    if "documents" in dropped:
        documents = {name: column[has_units] for name, column in documents.items()}
        texts = None if texts is None else tuple(text for text, kept in zip(texts, has_units, strict=True) if kept)
    annotations = {name: column[saw] for name, column in annotations.items()}
    if "no-category" in dropped:
        is_unlabelled = _is_void(corpus)
        units |= {"category": np.where(is_unlabelled, None if is_unlabelled.all() else "(none)", units["category"])}
    new = Corpus.from_columns(units, annotations=annotations, documents=documents)
    length_unit = None if "length-unit" in dropped else corpus.length_unit
    return replace(new, length_unit=length_unit, notes=corpus.notes, texts=texts)


def _rounded(corpus: Corpus, decimals: int, notes: list[str]) -> tuple[Corpus, list[str]]:
    """Return a corpus with rounded bounds, and the notes with one on how many were."""
    units, annotations, documents = corpus.to_tables()
    before = np.stack([corpus.start, corpus.end])
    after = np.round(before, decimals)
    units |= {"start": after[0], "end": after[1]}
    documents |= {name: np.round(documents[name], decimals) for name in ("start", "end")}
    new = Corpus.from_columns(units, annotations=annotations, documents=documents)
    count = int(np.count_nonzero((after != before).any(axis=0)))
    notes = [*notes, f"the bounds of {count} units are rounded to {decimals} decimals"] if count else notes
    return replace(new, length_unit=corpus.length_unit, notes=corpus.notes, texts=corpus.texts), notes


def _with_length(corpus: Corpus, notes: list[str]) -> tuple[Corpus, list[str]]:
    """Return a corpus without units of no length, and the notes with one on how many there were."""
    units, annotations, documents = corpus.to_tables()
    kept = corpus.start < corpus.end
    count = int(np.count_nonzero(~kept))
    units = {name: column[kept] for name, column in units.items()}
    new = Corpus.from_columns(units, annotations=annotations, documents=documents)
    notes = [*notes, f"not written: {count} units of no length"] if count else notes
    return replace(new, length_unit=corpus.length_unit, notes=corpus.notes, texts=corpus.texts), notes
