"""pyannote's `Annotation` objects as a corpus. They are recognised by their methods; pyannote is not imported.

References
----------
https://pyannote.github.io/pyannote-core/reference.html#annotation
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from gamma_align.data import Corpus
from gamma_align.errors import InputError, Location
from gamma_align.reading.marks.seconds import nearness_notes

_DEFAULT_DOCUMENT = "continuum"  # the document of annotations without uri


class _Annotation(NamedTuple):
    """One annotation: its annotator, its document, and the object of pyannote."""

    annotator: str
    document: str
    content: object


class _Track(NamedTuple):
    """One unit of an annotation; times in seconds."""

    start: float
    end: float
    category: str | None


def from_pyannote(
    annotations: Mapping[str, object],
    *,
    extents: Mapping[str, tuple[float, float]] | None = None,
    outside: str = "refuse",
) -> Corpus:
    """Return the corpus of pyannote's annotations by several annotators.

    Parameters
    ----------
    annotations : mapping
        Annotator to an `Annotation`, or to a mapping of document to `Annotation`. The `uri` of a single annotation
        names its document; if no annotation has one, the document is "continuum". A track is a unit, its label (as
        text) the category. An annotation without tracks means that the annotator saw the document and marked nothing.
    extents : mapping of document to (start, end), optional
        The annotated part of each document, in seconds; by default the smallest interval that holds its units.
    outside : {"refuse", "extend"}
        Refuse units outside the extent, or extend it to them.

    Returns
    -------
    Corpus
        In seconds.

    Raises
    ------
    InputError
        If an object is no annotation, if only some annotations have a `uri`, or if the data cannot be measured.

    Examples
    --------
    >>> import gamma_align as ga
    >>> from pyannote.core import Annotation, Segment
    >>> talk = Annotation(uri="talk")
    >>> talk[Segment(0, 5)] = "A"
    >>> ga.from_pyannote({"reference": talk, "system": talk})
    <Corpus: documents 1, annotators 2, categories 1, units 2>
    """
    seen: list[tuple[str, str]] = []
    units: list[tuple[object, ...]] = []
    for annotation in _annotations(annotations):
        seen.append((annotation.document, annotation.annotator))
        units += ((annotation.document, annotation.annotator, *track) for track in _tracks(annotation))
    names = dict.fromkeys([document for document, _ in seen] + list(extents or ()))
    documents = [(name, *(extents or {}).get(name, (None, None)), "s") for name in names]
    corpus = Corpus.from_columns(
        _columns(("document", "annotator", "start", "end", "category"), units),
        annotations=_columns(("document", "annotator"), seen),
        documents=_columns(("document", "start", "end", "unit"), documents),
        outside=outside,
    )
    notes = nearness_notes(corpus.start, corpus.end, corpus.unit_seen)
    return replace(corpus, notes=(*corpus.notes, *notes))


def _columns(names: Sequence[str], rows: Sequence[tuple[object, ...]]) -> dict[str, list[object]]:
    """Return rows as columns by name."""
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def _annotations(annotations: Mapping[str, object]) -> Iterator[_Annotation]:
    """Yield every annotation with its annotator and document; raise an `InputError` if only some name theirs."""
    single = {name: content for name, content in annotations.items() if not isinstance(content, Mapping)}
    uris = {name: getattr(content, "uri", None) for name, content in single.items()}
    unnamed = [name for name, uri in uris.items() if uri is None]
    if unnamed and (len(unnamed) < len(uris) or len(single) < len(annotations)):
        raise InputError(
            f"the annotation of {unnamed[0]!r} has no uri, others have",
            f"say which document it is of: {{{unnamed[0]!r}: {{document: annotation}}}}",
        )
    for name, content in annotations.items():
        if isinstance(content, Mapping):
            documents = content
        elif uris[name] is None:
            documents = {_DEFAULT_DOCUMENT: content}
        else:
            documents = {uris[name]: content}
        for document, annotation in documents.items():
            yield _Annotation(str(name), str(document), annotation)


def _tracks(annotation: _Annotation) -> Iterator[_Track]:
    """Yield the tracks of an annotation; raise an `InputError` if it is no annotation of pyannote."""
    content = annotation.content
    itertracks = getattr(content, "itertracks", None)
    if not callable(itertracks):
        raise InputError(
            f"{type(content).__name__} is no Annotation of pyannote: it has no itertracks()",
            location=Location(f"annotator {annotation.annotator!r}"),
        )
    for segment, _, label in itertracks(yield_label=True):
        yield _Track(float(segment.start), float(segment.end), None if label is None else str(label))
