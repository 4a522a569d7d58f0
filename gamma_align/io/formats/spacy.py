"""spaCy's DocBin (.spacy) and its `Doc` objects: documents with named entities and groups of spans.

Conventions
-----------
* A document's named entities are the layer "ents", each group of its `spans` a layer by its key. Their labels are the
  categories, an empty one is none. Bounds are characters (code points) or tokens.
* Annotator and document stand in ``doc.user_data`` ("annotator", "document"; written with ``store_user_data=True``),
  where they are not given otherwise; without an annotator, a file is an annotator's. A document without a name is its
  number among those of its annotator, so that the same texts in the same order are the same documents.
* spaCy reads the files; the extra ``[spacy]`` brings it. Objects are taken by what they have, without it.

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

from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import refuse
from gamma_align.errors import GammaAlignError, InputError, MissingExtraError
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks.choices import choices

_PACKED = b"\x78"
"""What zlib's data begin with."""

_LARGEST = 1 << 30
_RATIO = 400  # tokens pack by about 100; a bomb by 1000
_SMALL = 1 << 24
_STEP = 1 << 20


def _matches(head: Head) -> bool:
    return head.suffix == ".spacy" and head.data.startswith(_PACKED)


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
        raise InputError(f"{source.name}: is no DocBin that spaCy reads: {reason[:200]}; write it again") from None
    if not marks.seen:
        raise InputError(f"{source.name}: there is no document in it")
    return (marks,)


def _check_size(data: bytes, name: str) -> None:
    """Refuse what unpacks to more than documents would, before it does."""
    unpacker = zlib.decompressobj()
    size, rest = 0, data
    try:
        while rest and not unpacker.eof:
            size += len(unpacker.decompress(rest, _STEP))
            rest = unpacker.unconsumed_tail
            if size > _LARGEST or (size > _SMALL and size > _RATIO * len(data)):
                raise InputError(
                    f"{name}: {len(data):,} bytes unpack to more than {size:,}, more than documents do; split it"
                )
    except zlib.error as error:
        raise InputError(f"{name}: is no DocBin: {error}; write it again with DocBin.to_disk") from None


_NEEDED = ("text", "ents", "spans", "user_data")


def from_spacy(
    docs: Iterable[Any] | Mapping[str, Any],
    *,
    spans: str | None = None,
    labels: str | Iterable[str] | Mapping[str, str | None] | None = None,
    positions: str = "characters",
    align_text: bool = False,
) -> Corpus:
    """Return the corpus that spaCy's documents of several annotators make.

    Parameters
    ----------
    docs : mapping or iterable
        Annotator to their `Doc` objects, or to a mapping of document to `Doc`; or `Doc` objects whose ``user_data`` has
        an "annotator". A document without spans is of somebody who marked nothing.
    spans : str, optional
        What a unit is: "ents" (named entities) or a key of ``doc.spans``. May be left out where only one has units.
    labels : str, iterable or mapping, optional
        Categories to read, as in `read`.
    positions : {"characters", "tokens"}
        What bounds count.
    align_text : bool
        Map annotators' texts that differ onto the first one's, through equal characters.

    Returns
    -------
    Corpus
        With the texts, where bounds count their characters.

    Raises
    ------
    InputError
        For an object that is no `Doc`, one of which nothing says whose it is, units of several kinds, texts that
        differ, and data that cannot be measured.
    SettingsError
        For `positions` or `spans` that there are not.

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
    from gamma_align.io.marks.assemble import assembled
    from gamma_align.io.places.layout import Placed

    chosen = choices(layers=spans, labels=labels, positions=positions, align_text=align_text)
    marks = Marks("spaCy")
    for annotator, documents in docs.items() if isinstance(docs, Mapping) else [(None, docs)]:
        suffix = "" if annotator is None else f" of {annotator!r}"
        name = None if annotator is None else str(annotator)
        _add_docs(marks, documents, annotator=name, suffix=suffix, tokens=positions == "tokens")
    refuse([*marks.problems])
    counts = Counter(marks.keys[key].layer for key in marks.key)
    if spans is None and len(counts) > 1:
        listing = " and ".join(f"{layer!r} ({count})" for layer, count in sorted(counts.items(), key=str))
        raise InputError(f"the documents have units in {listing}; choose with spans={min(map(str, counts))!r}")
    return assembled([(Placed(Source(Path("spaCy"), "spaCy"), {}), marks)], chosen, location="spaCy")


def _add_docs(marks: Marks, docs: Any, *, annotator: str | None = None, suffix: str = "", tokens: bool) -> None:  # noqa: ANN401
    """Add documents by an annotator (without one, by whom their ``user_data`` name), with their tokens if wanted."""
    counts: Counter[str | None] = Counter()
    for number, (name, doc) in enumerate(_named(docs, suffix), 1):
        location = f"document {number}{suffix}"
        missing = [name for name in _NEEDED if not hasattr(doc, name)]
        if missing:
            raise InputError(f"{location}: a {type(doc).__name__} is no Doc of spaCy: it has no {missing[0]!r}")
        data = doc.user_data
        owner = annotator if annotator is not None else _text(data, "annotator")
        counts[owner] += 1
        document = name if name is not None else _text(data, "document") or str(counts[owner])
        if (document, owner) in marks.texts:
            marks.problem(location, f"{document!r} is there twice; give each document a name of its own")
        marks.texts[document, owner] = doc.text
        if tokens:
            marks.tokens[document, owner] = [(token.idx, token.idx + len(token)) for token in doc]
        for layer, group in (("ents", doc.ents), *doc.spans.items()):
            about = {"document": document, "annotator": owner, "layer": str(layer)}
            marks.annotated(**about)
            for span in group:
                marks.unit(span.start_char, span.end_char, span.label_ or None, location=location, **about)


def _named(docs: Any, suffix: str) -> Iterable[tuple[str | None, Any]]:  # noqa: ANN401
    """Return (name, document); no name where the caller gives none."""
    if isinstance(docs, Mapping):
        return [(str(name), doc) for name, doc in docs.items()]
    if hasattr(docs, "get_docs"):
        raise InputError("a DocBin is packed: give its documents, list(doc_bin.get_docs(nlp.vocab)), or read its file")
    if not isinstance(docs, Iterable) or isinstance(docs, str | bytes) or hasattr(docs, "user_data"):
        raise InputError(f"the documents{suffix} are a {type(docs).__name__}; give a list of them")
    return [(None, doc) for doc in docs]


def _text(data: Any, name: str) -> str | None:  # noqa: ANN401
    """Return what stands under a name in the data of a user, as text."""
    value = data.get(name) if isinstance(data, Mapping) else None
    return str(value) if isinstance(value, str | int) and str(value).strip() else None


FORMAT = FileFormat(
    "spacy", "spaCy's DocBin (.spacy)", (".spacy",), _matches, _read, declares=("document",), extra="spacy"
)
