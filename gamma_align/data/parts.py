"""A corpus in parts of whole documents, for what is larger than memory: one part is in memory at a time, or a few."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np

from gamma_align.columns import chunks
from gamma_align.data.corpus import Corpus
from gamma_align.errors import Problem


class Part(NamedTuple):
    """Some documents, and what is wrong with others that would stand among them: these are left out.

    The corpus has the names of all annotators and categories of the whole, so that codes mean the same in every part.
    """

    corpus: Corpus
    problems: tuple[Problem, ...] = ()


class Parts(Protocol):
    """Whatever gives a corpus part by part; the documents of the parts, one after the other, are sorted by name.

    The same part is asked for several times, and must be the same each time.
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
        """The number of documents of all parts, those with problems included."""
        ...

    @property
    def length_unit(self) -> str | None:
        """The unit of length, where the data say it."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """How the data were changed while reading."""
        ...

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """What tells these data from others, by name: of each file its size and a hash of its content."""
        ...

    def __len__(self) -> int:
        """Return the number of parts."""
        ...

    def __getitem__(self, index: int, /) -> Part:
        """Read a part."""
        ...


def is_in_parts(source: Any) -> TypeGuard[Parts]:  # noqa: ANN401  (anything)
    """Whether a source of data gives a corpus part by part; nothing of it is read."""
    return hasattr(type(source), "fingerprint")


class CorpusParts:
    """A corpus that is in memory, in parts of about so many units."""

    def __init__(self, corpus: Corpus, units: int) -> None:
        self._corpus = corpus
        self._cuts = chunks(corpus.units_per_document + 1, units) or [(0, 0)]
        self.annotators, self.categories = corpus.annotators, corpus.categories
        self.n_documents, self.length_unit, self.notes = len(corpus), corpus.length_unit, corpus.notes

    def __len__(self) -> int:
        return len(self._cuts)

    def __getitem__(self, index: int) -> Part:
        return Part(self._corpus.documents_between(*self._cuts[index]))

    @cached_property
    def fingerprint(self) -> Mapping[str, str]:
        """A hash of the names, one of who saw what, and one of the units."""
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
