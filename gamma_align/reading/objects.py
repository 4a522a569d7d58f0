"""Data in memory in the form of other programs: documents of spaCy, and records that a tool exports as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice

from gamma_align.data import Corpus
from gamma_align.errors import InputError, MissingExtraError

_SPACY = "spacy"
_INSPECTED = 3  # objects of a list
_NAMES = ("records.jsonl", "records.json")  # Prodigy exports a record a line, Label Studio one list


def corpus_of_objects(source: object) -> Corpus | None:
    """Return the corpus of documents of spaCy, or of records as a tool exports them; None for anything else.

    Raises
    ------
    InputError
        As `from_spacy`.
    """
    if isinstance(source, Mapping) and any(map(_has_spacy, islice(source.values(), _INSPECTED))):
        from gamma_align.reading.formats.spacy import from_spacy

        return from_spacy({name: [doc] if _is_spacy(doc) else doc for name, doc in source.items()})
    if not isinstance(source, (list, tuple)) or not source:
        return None
    if any(map(_is_spacy, source[:_INSPECTED])):
        from gamma_align.reading.formats.spacy import from_spacy

        return from_spacy(source)
    return _of_records(source) if all(isinstance(record, Mapping) for record in source[:_INSPECTED]) else None


def _has_spacy(source: object) -> bool:
    """Return whether an annotator's entry is a document of spaCy, or a list of them."""
    return _is_spacy(source) or (isinstance(source, (list, tuple)) and any(map(_is_spacy, source[:1])))


def _is_spacy(source: object) -> bool:
    return type(source).__module__.partition(".")[0] == _SPACY


def _of_records(records: list[object] | tuple[object, ...]) -> Corpus | None:
    """Return the corpus of records as the file of a tool would be read; None if it is of no known format."""
    from gamma_align.reading.files.temporary import TemporaryFolder
    from gamma_align.reading.read import read

    try:
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
    except (TypeError, ValueError):
        return None
    for name, text in zip(_NAMES, ("\n".join(lines) + "\n", f"[{', '.join(lines)}]\n"), strict=True):
        with TemporaryFolder() as folder:
            file = folder.path / name
            file.write_text(text, encoding="utf-8")
            try:
                return read(file)
            except (InputError, MissingExtraError):
                continue
    return None
