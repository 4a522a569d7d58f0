"""Data in any form that a measure accepts: a corpus, a data frame, records, columns, spans by annotator, a path.

Paths are told apart here, and read by `gamma_align.api`: this module does not read files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from numbers import Real
from typing import Any, NamedTuple, TypeGuard

from gamma_align.data.build import ONE_DOCUMENT, pair_columns, unit_columns
from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.tables import AnyFrame, columns_of_frame, is_frame
from gamma_align.errors import Cure, InputError, Set, SettingsError

ACCEPTED = (  # in messages
    "a Corpus, a Continuum, a data frame, records, a dictionary of annotator to spans (or of document to such a "
    "dictionary), or one or several paths"
)

AnyMapping = Mapping[Any, Any]
"""A mapping whose form has not been checked yet."""

_MIN_FIELDS = 2  # of a span: start and end

Record = Sequence[object] | Mapping[str, object]
"""A unit: a mapping of column to value, or values in the order of `Corpus.from_records` or `Continuum.from_records`."""

AnyPath = str | os.PathLike[str]

Source = Corpus | Continuum | AnyFrame | Mapping[str, object] | Iterable[Record] | AnyPath | Sequence[AnyPath]
"""A corpus, a document, a data frame, columns, records, spans by annotator (or by document and annotator), paths."""


def only_document(corpus: Corpus, caller: str) -> Continuum:
    """Return the only document of a corpus; InputError, which names the caller, unless there is exactly one."""
    if len(corpus) != 1:
        names = ", ".join(map(repr, corpus.documents[:3]))
        raise InputError(
            f"{caller}() takes one document, and there are {len(corpus)} ({names} …)",
            Cure("select one with corpus[name]"),
        )
    return corpus.continuum(0)


def is_path(source: object) -> TypeGuard[AnyPath]:
    """Whether a source is a path."""
    return isinstance(source, (str, os.PathLike))


def are_paths(source: object) -> TypeGuard[Sequence[AnyPath]]:
    """Whether a source is a list of paths, which are read as one corpus."""
    return isinstance(source, (list, tuple)) and len(source) > 0 and all(map(is_path, source))


class SourceTables(NamedTuple):
    """Columns of units and, if the source contains them, of annotations and documents, for `Corpus.from_columns`."""

    units: Mapping[str, Any]
    annotations: Mapping[str, Any] | None = None
    documents: Mapping[str, Any] | None = None


def corpus_of(
    source: object, caller: str, *, columns: Mapping[str, str | None] | None = None, outside: str = "refuse"
) -> Corpus:
    """Return the corpus of a `Source` in memory; InputError for other objects, and as `Corpus.from_columns`.

    A record is a mapping, or a sequence in the order of `Corpus.from_records` or, for one document, of
    `Continuum.from_records`. A mapping has the spans of each annotator, ``(start, end)`` or ``(start, end, category)``,
    for one document or for each document; or columns. An annotator with an empty list saw the document and has no unit.
    `caller` is the function named in an error; `columns` and `outside` are passed to `Corpus.from_columns`.
    """
    if isinstance(source, (Corpus, Continuum)):
        _refuse_columns(source, columns)
        return source if isinstance(source, Corpus) else Corpus.from_continua([source])
    units, annotations, documents = tables_of(source, caller, columns)
    return Corpus.from_columns(units, annotations=annotations, documents=documents, columns=columns, outside=outside)


def tables_of(source: object, caller: str, columns: Mapping[str, str | None] | None = None) -> SourceTables:
    """Return the tables of a source in memory; `columns` renames columns, which corpora and documents do not have."""
    if isinstance(source, (Corpus, Continuum)):
        _refuse_columns(source, columns)
        return SourceTables(*(source if isinstance(source, Corpus) else Corpus.from_continua([source])).to_tables())
    if isinstance(source, Mapping):
        return _from_mapping(source, caller)
    if is_frame(source):
        return SourceTables(columns_of_frame(source))
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        return SourceTables(_columns_of_units([*source], caller))
    raise _refused(source, caller)


def _refuse_columns(source: Corpus | Continuum, columns: Mapping[str, str | None] | None) -> None:
    if columns:
        raise SettingsError(f"a {type(source).__name__} has no columns to name", Cure("leave out {}", Set("columns")))


def _from_mapping(source: AnyMapping, caller: str) -> SourceTables:
    """Return the tables of a mapping of annotator or document to spans, or of name to column."""
    values = [*source.values()]
    if any(isinstance(value, Mapping) for value in values):
        return _from_documents(source, caller)
    if _has_spans(source):
        return _from_annotators(source, caller)
    if all(map(_is_sequence, values)) or all(hasattr(column, "__len__") for column in values):
        return SourceTables(source)
    raise _refused(source, caller)


def _has_spans(source: AnyMapping) -> bool:
    """Return whether each value is a list of spans, which may be empty."""
    return all(_is_sequence(spans) and _are_records(spans) for spans in source.values())


def _from_annotators(source: AnyMapping, caller: str) -> SourceTables:
    """Return the tables of a mapping of annotator to spans."""
    records = [_span_of(name, span) for name, spans in source.items() for span in spans]
    without_spans = [name for name, spans in source.items() if not spans]
    if not records and {"annotator", "start", "end"} <= source.keys():
        without_spans = []  # these are columns without rows
    if not without_spans:
        return SourceTables(_columns_of_units(records, caller))
    if not records:
        return SourceTables(unit_columns([]), pair_columns((ONE_DOCUMENT, name) for name in without_spans))
    corpus = Corpus.from_columns(_columns_of_units(records, caller))
    if len(corpus) > 1:  # the spans name their documents
        raise InputError(
            f"{caller}() was given no spans of annotator {without_spans[0]!r}, and spans in {len(corpus)} documents: "
            "it is unknown which of them the annotator saw",
            Cure("give {document: {annotator: spans}}, or a Corpus with annotations="),
        )
    annotations = pair_columns((corpus.documents[0], name) for name in (*corpus.annotators, *without_spans))
    return SourceTables(_columns_of_units(records, caller), annotations)


def _from_documents(source: AnyMapping, caller: str) -> SourceTables:
    """Return the tables of a mapping of document to a mapping of annotator to spans."""
    if not all(isinstance(spans, Mapping) and _has_spans(spans) for spans in source.values()):
        raise _refused(source, caller)
    annotations: list[tuple[str, str]] = []
    records: list[dict[str, object]] = []
    for document, annotators in source.items():
        annotations += [(document, name) for name in annotators]
        for name, spans in annotators.items():
            records += [{**_span_of(name, span), "document": document} for span in spans]
    columns = _columns_of_records(records) if records else unit_columns([])
    return SourceTables(columns, pair_columns(annotations), {"document": [*source]})


def _span_of(name: str, span: Record) -> dict[str, object]:
    columns = span if isinstance(span, Mapping) else dict(zip(("start", "end", "category"), span, strict=False))
    return {**columns, "annotator": name}


def _columns_of_units(records: Sequence[Any], caller: str) -> dict[str, list[object]]:
    if not records:
        raise InputError(f"{caller}() was given no records, so there is nothing to measure")
    first = records[0]
    if all(issubclass(kind, Mapping) for kind in {*map(type, records)}):
        return _columns_of_records(records)
    if not _are_records(records):
        raise _refused(records, caller)
    # Records of one document begin with the annotator: the second value is the start.
    return unit_columns(records, document=ONE_DOCUMENT if isinstance(first[1], Real) else None)


def _columns_of_records(records: Sequence[Mapping[str, object]]) -> dict[str, list[object]]:
    names = dict.fromkeys(chain.from_iterable(records))
    return {name: [record.get(name) for record in records] for name in names}


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _is_record(value: object) -> bool:
    return isinstance(value, Mapping) or (_is_sequence(value) and len(value) >= _MIN_FIELDS)  # type: ignore[arg-type]


def _are_records(values: Sequence[object]) -> bool:
    if {*map(type, values)} <= {tuple, list}:  # one look at each type: an abstract class takes longer for each value
        return all(map(_MIN_FIELDS.__le__, map(len, values)))  # type: ignore[arg-type]
    return all(map(_is_record, values))


def kind_of(source: object) -> str:
    """Return the type of a source in words, such as "a list of str"."""
    kind = type(source).__name__
    if _is_sequence(source) and source:
        kind = f"{kind} of {type(source[0]).__name__}"  # type: ignore[index]
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _refused(source: object, caller: str) -> InputError:
    is_array = "array" in kind_of(source)
    cure = Cure("a matrix of judgments is a table of items: ga.krippendorff_alpha(matrix)") if is_array else None
    return InputError(f"{caller}() takes {ACCEPTED}, not {kind_of(source)}", cure)
