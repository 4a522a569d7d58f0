"""spaCy's DocBin (.spacy) and its `Doc` objects: documents with named entities and groups of spans.

Conventions
-----------
* A document's named entities are the layer "ents", each group of its `spans` a layer with its key as name. Labels are
  the categories; an empty label is no category. Bounds are characters (code points) or tokens.
* Annotator and document are read from ``doc.user_data`` ("annotator", "document"; written with
  ``store_user_data=True``) unless they are given in another way; without an annotator, the file is one. A document
  without a name is its number among the documents of its annotator, so that the same texts in the same order are the
  same documents.
* spaCy reads the files (extra ``[spacy]``). Objects are recognised by their attributes; spaCy is not imported for them.

References
----------
https://spacy.io/api/docbin ; https://spacy.io/api/doc ; https://spacy.io/api/spangroup
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gamma_align.data import Corpus, refuse
from gamma_align.errors import Cure, GammaAlignError, InputError, Location, MissingExtraError, Set
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks.choices import choices

_ZLIB_SIGNATURE = b"\x78"
"""The first byte of data packed by zlib."""

_MAX_UNPACKED = 1 << 30  # bytes
_MAX_RATIO = 400  # tokens pack by about 100; a bomb by 1000
_HARMLESS_SIZE = 1 << 24  # bytes; up to this, any ratio is allowed
_CHUNK_SIZE = 1 << 20  # bytes unpacked at a time, so that a bomb is refused before it fills the memory


def _matches(head: Head) -> bool:
    return head.suffix == ".spacy" and head.data.startswith(_ZLIB_SIGNATURE)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    try:
        import spacy
        from spacy.tokens import DocBin
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy", "reading .spacy files") from error
    data = source.data()
    _check_size(data, source.name)
    marks = Marks(source.name)
    try:
        docs = DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab)
        _add_docs(marks, docs, tokens=choices.positions == "tokens")
    except GammaAlignError:
        raise
    except Exception as error:  # noqa: BLE001  (spaCy raises whatever damaged data make of it, some when looked at)
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(
            f"is no DocBin that spaCy reads: {reason[:200]}", "write it again", Location(source.name)
        ) from None
    if not marks.seen:
        raise InputError("the file has no documents", location=Location(source.name))
    return (marks,)


def _check_size(data: bytes, name: str) -> None:
    """Raise an `InputError` if a file would unpack to more than documents do; it is not unpacked completely."""
    unpacker = zlib.decompressobj()
    size = 0
    remaining = data
    try:
        while remaining and not unpacker.eof:
            size += len(unpacker.decompress(remaining, _CHUNK_SIZE))
            remaining = unpacker.unconsumed_tail
            if size > _MAX_UNPACKED or (size > _HARMLESS_SIZE and size > _MAX_RATIO * len(data)):
                raise InputError(
                    f"{len(data):,} bytes unpack to more than {size:,}, more than documents do",
                    "split it",
                    Location(name),
                )
    except zlib.error as error:
        raise InputError(f"is no DocBin: {error}", "write it again with DocBin.to_disk", Location(name)) from None


_DOC_ATTRIBUTES = ("text", "ents", "spans", "user_data")  # by which a `Doc` is recognised


def from_spacy(
    docs: Iterable[object] | Mapping[str, object],
    *,
    spans: str | None = None,
    labels: str | Iterable[str] | Mapping[str, str | None] | None = None,
    positions: str = "characters",
    align_text: bool = False,
) -> Corpus:
    """Return the corpus of spaCy's documents by several annotators.

    Parameters
    ----------
    docs : mapping or iterable
        Annotator to their `Doc` objects, or to a mapping of document to `Doc`; or `Doc` objects with an "annotator" in
        ``user_data``. A document without spans means that the annotator saw it and marked nothing.
    spans : str, optional
        The units: "ents" (named entities) or a key of ``doc.spans``. May be left out if only one of them has units.
    labels : str, iterable or mapping, optional
        Categories to read, as in `read`.
    positions : {"characters", "tokens"}
        The unit of bounds.
    align_text : bool
        Map annotators' texts that differ onto the first one's, through equal characters.

    Returns
    -------
    Corpus
        With the texts, if bounds count their characters.

    Raises
    ------
    InputError
        If an object is no `Doc` or has no annotator, if there are units of several kinds, if texts differ, or if the
        data cannot be measured.
    SettingsError
        If `positions` or `spans` has an unknown value.

    Examples
    --------
    >>> import gamma_align as ga
    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> docs = [nlp("Ann met Ben"), nlp("Ann met Ben")]
    >>> docs[0].ents = [docs[0].char_span(0, 3, "PER")]
    >>> ga.from_spacy({"a": docs[:1], "b": docs[1:]})
    <Corpus: documents 1, annotators 2, categories 1, units 1>
    """
    from gamma_align.reading.marks.assemble import assemble_corpus
    from gamma_align.reading.places.layout import Placed

    reading = choices(layers=spans, labels=labels, positions=positions, align_text=align_text)
    marks = Marks("spaCy")
    with_tokens = positions == "tokens"
    if isinstance(docs, Mapping):
        for annotator, documents in docs.items():
            name = None if annotator is None else str(annotator)
            _add_docs(marks, documents, annotator=name, suffix=f" of {annotator!r}", tokens=with_tokens)
    else:
        _add_docs(marks, docs, tokens=with_tokens)
    refuse([*marks.problems])
    counts = Counter(marks.keys[key].layer for key in marks.key)
    if spans is None and len(counts) > 1:
        listing = " and ".join(f"{layer!r} ({count})" for layer, count in sorted(counts.items(), key=str))
        raise InputError(
            f"the documents have units in {listing}", Cure("choose with {}", Set("spans", min(map(str, counts))))
        )
    return assemble_corpus([(Placed(Source(Path("spaCy"), "spaCy"), {}), marks)], reading, location="spaCy")


def _add_docs(marks: Marks, docs: object, *, annotator: str | None = None, suffix: str = "", tokens: bool) -> None:
    """Add the documents of an annotator, by default the one in their ``user_data``; with `tokens`, their tokens too."""
    counts: Counter[str | None] = Counter()
    for number, (name, doc) in enumerate(_documents_with_names(docs, suffix), 1):
        location = f"document {number}{suffix}"
        missing = [name for name in _DOC_ATTRIBUTES if not hasattr(doc, name)]
        if missing:
            raise InputError(
                f"a {type(doc).__name__} is no Doc of spaCy: it has no {missing[0]!r}", location=Location(location)
            )
        data = doc.user_data
        owner = annotator if annotator is not None else _text_in_user_data(data, "annotator")
        counts[owner] += 1
        # Counted by annotator, so that the same texts in the same order are the same documents.
        document = name if name is not None else _text_in_user_data(data, "document") or str(counts[owner])
        if (document, owner) in marks.texts:
            marks.problem(location, f"{document!r} is there twice", "give each document a name of its own")
        marks.texts[document, owner] = doc.text
        if tokens:
            marks.tokens[document, owner] = [(token.idx, token.idx + len(token)) for token in doc]
        for layer, group in (("ents", doc.ents), *doc.spans.items()):
            about = {"document": document, "annotator": owner, "layer": str(layer)}
            marks.annotated(**about)
            for span in group:
                marks.unit(span.start_char, span.end_char, span.label_ or None, location=location, **about)


def _documents_with_names(docs: object, suffix: str) -> Iterable[tuple[str | None, Any]]:
    """Return (name, document); the name is ``None`` for a list. Other objects are refused with an `InputError`."""
    if isinstance(docs, Mapping):
        return [(str(name), doc) for name, doc in docs.items()]
    if hasattr(docs, "get_docs"):
        raise InputError(
            "a DocBin is packed", "give its documents, list(doc_bin.get_docs(nlp.vocab)), or read its file"
        )
    if not isinstance(docs, Iterable) or isinstance(docs, str | bytes) or hasattr(docs, "user_data"):
        raise InputError(f"the documents{suffix} are a {type(docs).__name__}", "give a list of them")
    return [(None, doc) for doc in docs]


def _text_in_user_data(data: object, name: str) -> str | None:
    """Return the value of a name in ``user_data`` as text, ``None`` if it has none."""
    value = data.get(name) if isinstance(data, Mapping) else None
    return str(value) if isinstance(value, str | int) and str(value).strip() else None


# A file may lack the annotator, but documents always have a name or a number.
FORMAT = FileFormat(
    "spacy", "spaCy's DocBin (.spacy)", (".spacy",), _matches, _read, declares=("document",), extra="spacy"
)
