"""spaCy's DocBin (.spacy): documents with their named entities and groups of spans.

Conventions
-----------
* Annotator and document stand in the ``user_data`` of a document (written with ``store_user_data=True``); without an
  annotator, a file is an annotator's. See `spacy_objects` for layers and names.
* spaCy reads the files; the extra ``[spacy]`` brings it.

References
----------
https://spacy.io/api/docbin
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from gamma_align.errors import GammaAlignError, InputError, MissingExtraError
from gamma_align.io.formats import FileFormat
from gamma_align.io.marks.marks import Marks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gamma_align.io.files.sources import Head, Source
    from gamma_align.io.marks.choices import Choices

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
        import spacy  # noqa: PLC0415  (an optional package)
        from spacy.tokens import DocBin  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy", "reading .spacy files") from error
    data = source.data()
    _check_size(data, source.name)
    try:
        docs = DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab)
        return (_marks(source, docs, choices),)
    except GammaAlignError:
        raise
    except Exception as error:  # noqa: BLE001  (spaCy raises whatever damaged data make of it, some when looked at)
        told = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(f"{source.name}: is no DocBin that spaCy reads: {told[:200]}; write it again") from None


def _marks(source: Source, docs: Iterable[Any], choices: Choices) -> Marks:
    from gamma_align.io.formats.spacy.objects import add_docs  # noqa: PLC0415  (which knows how files are put together)

    marks = Marks(source.name)
    add_docs(marks, docs, annotator=None, tokens=choices.positions == "tokens")
    if not marks.seen:
        raise InputError(f"{source.name}: there is no document in it")
    return marks


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


FORMAT = FileFormat(
    name="spacy",
    description="spaCy's DocBin (.spacy)",
    suffixes=(".spacy",),
    declares=frozenset({"document"}),
    matches=_matches,
    read=_read,
    extra="spacy",
)
