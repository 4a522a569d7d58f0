"""A corpus in parts of whole documents, so that it can be larger than memory: few parts are in memory at a time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple, Protocol, TypeGuard

import numpy as np

from gamma_align.columns import chunks
from gamma_align.data.corpus import Corpus
from gamma_align.errors import Problem


class Part(NamedTuple):
    """Documents of a part, and the problems of its documents that were skipped.

    The corpus has the names of all annotators and categories of all parts, so that codes are the same in every part.
    """

    corpus: Corpus
    problems: tuple[Problem, ...] = ()


class Parts(Protocol):
    """A corpus that is read in parts; the documents of consecutive parts are sorted by name.

    A part may be read repeatedly, and must be the same each time.
    """

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of all annotators, sorted."""
        ...

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of all categories, sorted."""
        ...

    @property
    def n_documents(self) -> int:
        """The number of documents of all parts, including documents with problems."""
        ...

    @property
    def length_unit(self) -> str | None:
        """The unit of length, if the data contain it."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Assumptions and changes made while reading."""
        ...

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Hashes that identify the data, by name: of each file its size and a hash of its content."""
        ...

    def __len__(self) -> int:
        """Return the number of parts."""
        ...

    def __getitem__(self, index: int, /) -> Part:
        """Read a part."""
        ...


def is_in_parts(source: object) -> TypeGuard[Parts]:
    """Whether a source of data is read in parts; this does not read it."""
    return hasattr(type(source), "fingerprint")


class CorpusParts:
    """A corpus in memory, in parts of about `n_units` units."""

    def __init__(self, corpus: Corpus, n_units: int) -> None:
        self._corpus = corpus
        self._ranges = chunks(corpus.units_per_document + 1, n_units) or [(0, 0)]
        self.annotators = corpus.annotators
        self.categories = corpus.categories
        self.n_documents = len(corpus)
        self.length_unit = corpus.length_unit
        self.notes = corpus.notes

    def __len__(self) -> int:
        return len(self._ranges)

    def __getitem__(self, index: int) -> Part:
        return Part(self._corpus.documents_between(*self._ranges[index]))

    @cached_property
    def fingerprint(self) -> Mapping[str, str]:
        """Hashes of the names, of the annotators and extents of documents, and of the units."""
        corpus = self._corpus
        names = "\0".join([*corpus.documents, "", *corpus.annotators, "", *corpus.categories])
        seen = (corpus.seen_offsets, corpus.seen, corpus.extents)
        units = (corpus.unit_offsets, corpus.annotator, corpus.start, corpus.end, corpus.category)
        return {
            "names": _hash(names.encode("utf-8", "surrogatepass")),
            "annotators and extents of documents": _hash(*map(np.ndarray.tobytes, seen)),
            "units": _hash(*map(np.ndarray.tobytes, units)),
        }


def _hash(*contents: bytes) -> str:
    from hashlib import blake2b

    state = blake2b(digest_size=16)
    for content in contents:
        state.update(content)
    return state.hexdigest()
