"""The texts of units that come without them: a folder of text files, a file of JSON Lines, or a mapping."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import numpy as np

from gamma_align.data import Corpus, RowsProblem, few, in_forms_of, token_bounds
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.contents import Contents
from gamma_align.reading.files.json_files import FaultError, get, lines, maybe, need
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks.choices import Texts
from gamma_align.reading.marks.texts import describe_difference
from gamma_align.reading.places.walk import check_exists

_SUFFIX = ".txt"  # of a file with the text of a document
_CHARACTERS = (None, "char")
"""Units of length whose bounds are indices into a text."""


def add_texts(contents: Contents, source: Texts, encoding: str | None = None) -> None:
    """Add the texts to the contents, and all that is wrong with them; InputError if their path does not exist."""
    if isinstance(source, Path):
        check_exists(source)
    checked = contents.checked
    if checked is None:
        return
    documents = checked.rows.documents
    location_name = source.name if isinstance(source, Path) else "texts"
    with contents.keeping():
        if checked.length_unit not in _CHARACTERS and not (checked.length_unit == "token" and contents.tokens):
            raise InputError(
                f"texts are for bounds that count characters, and these count {checked.length_unit}",
                Cure("read the units without {}, or bounds that count characters", Set("texts")),
                Location(location_name),
            )
        texts = _in_forms_of(documents, texts_of(source, documents, encoding))
        missing = [repr(name) for name in documents if name not in texts and name not in contents.texts]
        if missing:
            raise InputError(
                f"no text of document {few(missing)}",
                Cure("add it ({}), or correct the document's name", _form(source)),
                Location(location_name),
            )
        known = {name: text for name in documents if (text := texts.get(name)) is not None}
        if contents.tokens:
            for name, text in known.items():
                token_bounds(name, contents.tokens.get(name), text)
            contents.onto = known
            return
        _check_same(location_name, known, contents.texts)
        contents.texts |= known
        _check_units(contents, location_name, known)
        _extend(contents, known)


def text_lines(corpus: Corpus) -> str:
    """Return the texts of a corpus as JSON Lines, null where a document has none."""
    records = zip(corpus.documents, corpus.texts or (), strict=True)
    return "".join(json.dumps({"document": name, "text": text}, ensure_ascii=False) + "\n" for name, text in records)


def texts_of(source: Texts, documents: Iterable[str], encoding: str | None) -> dict[str, str | None]:
    """Return the texts of these documents, ``None`` where the source says that there is none.

    Raises
    ------
    InputError
        If the path cannot be read, or is no file of texts.
    """
    if not isinstance(source, Path):
        return dict(source)
    return _in_folder(source, documents, encoding) if source.is_dir() else _in_file(source, encoding)


def _in_forms_of(documents: Iterable[str], texts: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the texts with the names of the documents, where they differ in the form of Unicode (NFC, NFD) alone."""
    names = in_forms_of(documents, texts)
    return {names.get(name, name): text for name, text in texts.items()}


def _form(source: Texts) -> str:
    if not isinstance(source, Path):
        return '{"DOCUMENT": "…"}'
    return f"DOCUMENT{_SUFFIX}" if source.is_dir() else '{"document": "…", "text": "…"}'


def _in_file(path: Path, encoding: str | None) -> dict[str, str | None]:
    """Return the text of each document in a file of JSON Lines, ``None`` where it says that there is none."""
    texts: dict[str, str | None] = {}
    for line, record in lines(Source(path, path.name, encoding)):
        try:
            fields = need(record, dict, "the line")
            name = get(fields, "document", str)
            text = maybe(fields, "text", str)
            if "text" not in fields:
                get(fields, "text", str)
        except FaultError as fault:
            raise fault.at(Location(path.name, line)) from None
        if texts.setdefault(name, text) != text:
            cause = f"document {name!r} has another text before"
            raise InputError(cause, "keep one of them", Location(path.name, line))
    return texts


def _in_folder(folder: Path, documents: Iterable[str], encoding: str | None) -> dict[str, str | None]:
    """Return the texts of the documents whose files are in the folder."""
    texts: dict[str, str | None] = {}
    for document in documents:
        file = next((name for name in _file_names(document) if (folder / name).is_file()), None)
        if file is not None:
            texts[document] = Source(folder / file, f"{folder.name}/{file}", encoding).text()
    return texts


def _file_names(document: str) -> Iterator[str]:
    """Yield the paths below the folder that the text of a document may have."""
    path = PurePosixPath(document)
    if path.is_absolute() or ".." in path.parts or "\0" in document:
        return
    for form in dict.fromkeys((document, *(unicodedata.normalize(form, document) for form in ("NFC", "NFD")))):
        yield f"{form}{_SUFFIX}"
        if path.suffix.lower() == _SUFFIX:
            yield form


def _check_same(name: str, texts: dict[str, str], before: dict[str, str]) -> None:
    """Refuse a text that is not the one that the files of the annotations hold."""
    for document, text in texts.items():
        if before.get(document, text) != text:
            difference = describe_difference(before[document], text, ("the annotations", name))
            raise InputError(
                f"document {document!r} has another text with its annotations: {difference}",
                "leave out the one that was not annotated",
                Location(name),
            )


def _check_units(contents: Contents, name: str, texts: dict[str, str]) -> None:
    """Add the units that do not stand in the text of their document."""
    rows = contents.checked.rows  # type: ignore[union-attr]
    last = np.array([*(len(texts[name]) if name in texts else np.inf for name in rows.documents), np.inf])
    with np.errstate(invalid="ignore"):
        outside = (rows.start < 0) | (rows.end > last[rows.document])
        between = np.isfinite(last[rows.document]) & ((rows.start % 1 != 0) | (rows.end % 1 != 0))
    wrong = np.flatnonzero(rows.is_valid & (outside | between))

    def what(row: int) -> str:
        document = rows.document[row]
        bounds = f"{rows.start[row]:.15g} to {rows.end[row]:.15g}"
        return (
            f"the unit from {bounds} is not within the text of document {rows.documents[document]!r}, which has "
            f"{last[document]:.0f} characters ({name})"
        )

    if len(wrong):
        cure = Cure("give the text that was annotated, and check that the bounds count its characters (code points)")
        contents.problems.append(RowsProblem(rows.table.location, wrong, what, cure))


def _extend(contents: Contents, texts: dict[str, str]) -> None:
    """Make the text of a document its extent, where none is declared."""
    checked = contents.checked
    extents = checked.extents  # type: ignore[union-attr]
    bounds = extents.bounds.copy()
    for document, name in enumerate(checked.rows.documents):  # type: ignore[union-attr]
        if name in texts and np.isnan(extents.declared[document]).all():
            bounds[document] = 0.0, len(texts[name])
    contents.checked = checked._replace(extents=extents._replace(bounds=bounds))  # type: ignore[union-attr]
