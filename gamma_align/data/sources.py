"""Whatever holds units in memory, as a corpus: records, columns, data frames, spans of each annotator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError

ACCEPTED = "a Corpus, a Continuum, a data frame, records, a dictionary of annotator to spans, or a path"

Source = Any
"""A Corpus, a Continuum, a data frame, records, a dictionary of annotator to spans."""


def corpus_of(source: Source, caller: str) -> Corpus:
    """Return the corpus that the source is or holds; InputError for anything else, and as `Corpus.from_columns`.

    A record is a mapping, or a sequence in the order of `Corpus.from_records` or, for one document, of
    `Continuum.from_records`. A mapping has the spans of each annotator, ``(start, end)`` or ``(start, end, category)``;
    or columns. `caller` is the function named in an error.
    """
    if isinstance(source, Corpus):
        return source
    if isinstance(source, Continuum):
        return Corpus.from_continua([source])
    if isinstance(source, Mapping):
        return _from_mapping(source, caller)
    if hasattr(type(source), "columns") or hasattr(source, "__arrow_c_stream__"):
        return Corpus.from_frame(source)
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        return _from_records([*source], caller)
    raise _refused(source, caller)


def _from_mapping(source: Mapping[Any, Any], caller: str) -> Corpus:
    """Return the corpus of a mapping of annotator to spans, or of name to column."""
    values = [*source.values()]
    if all(_is_sequence(spans) and all(map(_is_record, spans)) for spans in values):
        return _from_records([_of_annotator(name, span) for name, spans in source.items() for span in spans], caller)
    if all(map(_is_sequence, values)) or all(hasattr(column, "__len__") for column in values):
        return Corpus.from_columns(source)
    raise _refused(source, caller)


def _of_annotator(name: str, span: Any) -> dict[str, Any]:  # noqa: ANN401  (mapping or sequence)
    columns = span if isinstance(span, Mapping) else dict(zip(("start", "end", "category"), span, strict=False))
    return {**columns, "annotator": name}


def _from_records(records: Sequence[Any], caller: str) -> Corpus:
    if not records:
        raise InputError(f"{caller}() was given no records; there is nothing to measure")
    first = records[0]
    if all(isinstance(record, Mapping) for record in records):
        names = dict.fromkeys(name for record in records for name in record)
        return Corpus.from_columns({name: [record.get(name) for record in records] for name in names})
    if not all(map(_is_record, records)):
        raise _refused(records, caller)
    if isinstance(first[1], Real):  # annotator, start, …: records of one document begin with the annotator
        return Corpus.from_continua([Continuum.from_records(records)])
    return Corpus.from_records(records)


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _is_record(value: object) -> bool:
    return isinstance(value, Mapping) or (_is_sequence(value) and len(value) > 1)  # type: ignore[arg-type]


def _refused(source: object, caller: str) -> InputError:
    kind = type(source).__name__
    if _is_sequence(source) and source:
        kind = f"{kind} of {type(source[0]).__name__}"  # type: ignore[index]
    article = "an" if kind[0] in "aeiou" else "a"
    return InputError(f"{caller}() takes {ACCEPTED}, not {article} {kind}")
