"""pyannote's `Annotation` objects as a corpus, by what they can do: pyannote itself is not imported.

References
----------
https://pyannote.github.io/pyannote-core/reference.html#annotation
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError
from gamma_align.io.marks.seconds import nearness_notes

_NO_NAME = "continuum"


def from_pyannote(
    annotations: Mapping[str, Any], *, extents: Mapping[str, tuple[float, float]] | None = None, outside: str = "refuse"
) -> Corpus:
    """Return the corpus that pyannote's annotations of several annotators make.

    Parameters
    ----------
    annotations : mapping
        Annotator to an `Annotation`, or to a mapping of document to `Annotation`. A single one is of the document that
        its `uri` names, of "continuum" if none of them has one. A track is a unit, its label (as text) the category.
        An annotation without tracks is of somebody who marked nothing.
    extents : mapping of document to (start, end), optional
        What was annotated of each document, in seconds; without it, the smallest interval that holds its units.
    outside : {"refuse", "extend"}
        What to do with units outside the extent.

    Returns
    -------
    Corpus
        In seconds.

    Raises
    ------
    InputError
        For an object that is no annotation, and one of several without `uri`; and for data that cannot be measured.

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
    units: list[tuple[Any, ...]] = []
    for annotator, document, annotation in _each(annotations):
        seen.append((document, annotator))
        for segment, label in _tracks(annotation, annotator):
            category = None if label is None else str(label)
            units.append((document, annotator, float(segment.start), float(segment.end), category))
    names = dict.fromkeys([document for document, _ in seen] + list(extents or ()))
    documents = [(name, *(extents or {}).get(name, (None, None)), "s") for name in names]
    corpus = Corpus.from_columns(
        _columns(("document", "annotator", "start", "end", "category"), units),
        annotations=_columns(("document", "annotator"), seen),
        documents=_columns(("document", "start", "end", "unit"), documents),
        outside=outside,
    )
    near = nearness_notes(corpus.start, corpus.end, corpus.unit_seen)
    return replace(corpus, notes=(*corpus.notes, *near))


def _columns(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def _each(annotations: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield (annotator, document, annotation)."""
    single = {name: each for name, each in annotations.items() if not isinstance(each, Mapping)}
    uris = {name: getattr(each, "uri", None) for name, each in single.items()}
    unnamed = [name for name, uri in uris.items() if uri is None]
    if unnamed and (len(unnamed) < len(uris) or len(single) < len(annotations)):
        raise InputError(
            f"the annotation of {unnamed[0]!r} has no uri, others have; say which document it is of: "
            f"{{{unnamed[0]!r}: {{document: annotation}}}}"
        )
    for name, each in annotations.items():
        uri = uris.get(name)
        documents = each if isinstance(each, Mapping) else {_NO_NAME if uri is None else uri: each}
        yield from ((str(name), str(document), annotation) for document, annotation in documents.items())


def _tracks(annotation: Any, annotator: str) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401  (any class of that kind)
    """Yield (segment, label)."""
    if not callable(getattr(annotation, "itertracks", None)):
        raise InputError(
            f"annotator {annotator!r}: {type(annotation).__name__} is no Annotation of pyannote: it has no itertracks()"
        )
    yield from ((segment, label) for segment, _, label in annotation.itertracks(yield_label=True))
