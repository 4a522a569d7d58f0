"""Corpus: annotated documents as frozen columns, validated once.

A *corpus* is a set of continua (see `data.continuum`), which may have different annotators. Columns are sorted by
(document, annotator, start, end, category), so the order of rows in the input never matters, and they are read-only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self, TypeVar, cast

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.build import CorpusColumns, corpus_columns, document_columns, pair_columns, unit_columns
from gamma_align.data.continuum import Continuum, Frozen
from gamma_align.data.frames import FrameColumns, Framed
from gamma_align.data.length_units import in_one_unit
from gamma_align.data.problem import few
from gamma_align.data.selection import selected_columns
from gamma_align.data.selection_options import WIDTH
from gamma_align.data.spelling import composed, forms_note, in_forms_of
from gamma_align.data.tables import AnyFrame, Table, columns_of_frame
from gamma_align.data.trimming import trimmed
from gamma_align.errors import Cure, InputError, Location, Note, Set, SettingsError, did_you_mean

MIN_ANNOTATORS = 2
"""Number of annotators from which on a document has an agreement."""

Names = str | Iterable[str]
_Content = TypeVar("_Content", str, tuple[str, ...])


class CorpusTables(NamedTuple):
    """The tables of a corpus, with names in place of codes; columns are arrays."""

    units: dict[str, Any]
    annotations: dict[str, Any]
    documents: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Corpus(Frozen, Framed):
    """Annotated documents as one set of columns; a mapping from document name to `Continuum`.

    Attributes
    ----------
    documents, annotators, categories : tuple of str
        Names, sorted; codes are indices into them.
    seen_offsets : ndarray of int64, shape (n_documents + 1,)
        Index in `seen` at which each document's annotators begin.
    seen : ndarray of int64
        Codes of the annotators who saw each document, sorted within the document.
    unit_offsets : ndarray of int64, shape (n_documents + 1,)
        Row at which each document's units begin in the unit columns.
    annotator, category : ndarray of int64, shape (n_units,)
        Codes; category -1 is no label.
    start, end : ndarray of float64, shape (n_units,)
        Bounds in the corpus's unit of length.
    extents : ndarray of float64, shape (n_documents, 2)
        [L, R] of each document.
    length_unit : str or None
        Name of the unit of length ("char", "token", "s"), if the data contain it.
    notes : tuple of str
        Assumptions and changes made while reading.
    texts : tuple of (str or None), optional
        The text of each document, if it was read with the annotations and bounds count its code points. Figures and
        formats that contain the text use it; measures do not.
    tokens : tuple of (tuple of str or None), optional
        The tokens of each document, if they were read with the annotations and bounds count them.
    seen_is_told : bool
        Whether the data tell which documents an annotator saw without marking a unit. A table of units alone does not.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> corpus = ga.Corpus.from_records(units)
    >>> corpus
    <Corpus: documents 2, annotators 2, categories 2, units 4>
    >>> corpus["d1"]
    <Continuum 'd1': annotators 2, units 2>
    """

    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    seen_offsets: IntArray
    seen: IntArray
    unit_offsets: IntArray
    annotator: IntArray
    start: FloatArray
    end: FloatArray
    category: IntArray
    extents: FloatArray
    length_unit: str | None = None
    notes: tuple[str, ...] = ()
    texts: tuple[str | None, ...] | None = None
    tokens: tuple[tuple[str, ...] | None, ...] | None = None
    seen_is_told: bool = field(default=True, compare=False)

    def __new__(cls, *values: object, **named: object) -> Self:
        """Refuse data in place of columns, and say what reads them."""
        if len(values) == 1 and not named:
            raise InputError(
                "Corpus() takes columns that have been checked", Cure("ga.read(data) makes a corpus of any data")
            )
        return object.__new__(cls)

    @classmethod
    def from_records(
        cls,
        units: Iterable[Sequence[object]],
        *,
        annotations: Iterable[tuple[str, str]] | None = None,
        extents: Mapping[str, tuple[float, float]] | None = None,
        documents: Iterable[str] | None = None,
        outside: str = "refuse",
    ) -> Corpus:
        """Build a corpus from (document, annotator, start, end[, category]) records; errors are as in `from_columns`.

        Parameters
        ----------
        units : iterable of sequences
            ``(document, annotator, start, end)`` or the same with a category; ``None`` is no category.
        annotations : iterable of (document, annotator), optional
            The annotators who saw each document, by default the annotators with a unit in it.
        extents : mapping of document to (L, R), optional
            Declared extents; the default is the smallest interval that contains the document's units.
        documents : iterable of str, optional
            Further documents, which may have no units.
        outside : {"refuse", "extend"}
            Treatment of a unit outside the declared extent.

        Examples
        --------
        >>> ga.Corpus.from_records([("d1", "ann", 0, 4, "x")], annotations=[("d1", "ann"), ("d1", "bob")])
        <Corpus: documents 1, annotators 2, categories 1, units 1>
        """
        return cls._of_records(units, annotations, extents, documents, outside=outside, split_lists=True)

    @classmethod
    def _of_records(
        cls,
        units: Iterable[Sequence[object]],
        annotations: Iterable[tuple[str, str]] | None,
        extents: Mapping[str, tuple[float, float]] | None,
        documents: Iterable[str] | None = None,
        *,
        outside: str = "refuse",
        split_lists: bool,
    ) -> Corpus:
        """Return the corpus of records; with `split_lists` a category that is a list is those of several units."""
        columns = unit_columns(units)
        seen = None if annotations is None else pair_columns(annotations)
        used = [*columns["document"], *(seen["document"] if seen else ())]
        listed = document_columns(extents or {}, documents or (), used)
        return cls(
            **corpus_columns(
                Table.of(columns, "units"),
                annotations=None if seen is None else Table.of(seen, "annotations"),
                documents=None if listed is None else Table.of(listed, "documents"),
                outside=outside,
                split_lists=split_lists,
            )
        )

    @classmethod
    def from_columns(
        cls,
        units: Mapping[str, object],
        *,
        annotations: Mapping[str, object] | None = None,
        documents: Mapping[str, object] | None = None,
        columns: Mapping[str, str | None] | None = None,
        outside: str = "refuse",
    ) -> Corpus:
        """Build a corpus from mappings of columns.

        Parameters
        ----------
        units : mapping
            Columns ``document``, ``annotator``, ``start``, ``end`` and, with labels, ``category``. Without
            ``document`` all units belong to one document.
        annotations : mapping, optional
            Columns ``document``, ``annotator``: the annotators who saw each document, including those without units.
        documents : mapping, optional
            Columns ``document`` and ``length``, or ``start`` and ``end``: extents. The extent of a document with a null
            is that of its units; a length or an end without a column ``start`` counts from 0. Units of documents that
            are not listed are refused. An optional column ``unit`` names the unit of length.
        columns : mapping of str to str, optional
            Your names for these columns, ``{"document": "article"}``; None to ignore a column. Usual names
            (``doc_id``, ``label``, ``begin``, ``coder`` …) are recognised if only one column has one, and noted.
        outside : {"refuse", "extend"}
            Treatment of a unit outside the declared extent: refuse the data with the list of such units, or extend the
            extent and add a note.

        Raises
        ------
        InputError
            For missing columns or columns of different lengths, names that are missing or empty, bounds that are
            missing, not numbers, infinite, or integers beyond 2**53 (float64 cannot represent them exactly), a unit
            that ends before it starts, units outside the declared extent, units of undeclared annotators or documents,
            a document listed twice. The message names the first rows and the cure.
        SettingsError
            For a column in `columns` that does not exist, or an unknown `outside`.

        Examples
        --------
        >>> ga.Corpus.from_columns({"annotator": ["ann", "bob"], "start": [0, 1], "end": [4, 5]})
        <Corpus: documents 1, annotators 2, categories 0, units 2>
        """
        return cls(
            **corpus_columns(
                Table.of(units, "units"),
                annotations=None if annotations is None else Table.of(annotations, "annotations"),
                documents=None if documents is None else Table.of(documents, "documents"),
                columns=columns,
                outside=outside,
            )
        )

    @classmethod
    def from_frame(
        cls,
        units: AnyFrame,
        *,
        annotations: AnyFrame | None = None,
        documents: AnyFrame | None = None,
        columns: Mapping[str, str | None] | None = None,
        outside: str = "refuse",
    ) -> Corpus:
        """Build a corpus from data frames of any library that narwhals supports (pandas, polars, pyarrow, duckdb, …).

        Parameters and errors are as in `from_columns`, with frames in place of mappings.

        Examples
        --------
        >>> import pandas as pd
        >>> ga.Corpus.from_frame(pd.DataFrame({"annotator": ["ann", "bob"], "start": [0, 1], "end": [4, 5]}))
        <Corpus: documents 1, annotators 2, categories 0, units 2>
        """
        return cls.from_columns(
            columns_of_frame(units),
            annotations=None if annotations is None else columns_of_frame(annotations),
            documents=None if documents is None else columns_of_frame(documents),
            columns=columns,
            outside=outside,
        )

    @classmethod
    def from_continua(cls, continua: Iterable[Continuum]) -> Corpus:
        """Join continua with different document names into a corpus.

        Examples
        --------
        >>> ga.Corpus.from_continua([ga.Continuum.from_records([("ann", 0, 4)], document=name) for name in ("a", "b")])
        <Corpus: documents 2, annotators 1, categories 0, units 2>
        """
        continua = list(continua)
        form = composed(continuum.document for continuum in continua)
        names = [form.get(continuum.document, continuum.document) for continuum in continua]
        if len(set(names)) < len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise InputError(f"two continua are named {repeated!r}", "give each document its own name")
        units: list[tuple[object, ...]] = []
        annotations: list[tuple[str, str]] = []
        for continuum in continua:
            units += ((continuum.document, *unit) for unit in continuum.units())
            annotations += ((continuum.document, name) for name in continuum.annotators)
        extents = {continuum.document: continuum.extent for continuum in continua}
        return cls._of_records(units, annotations, extents, split_lists=False)

    def __repr__(self) -> str:
        counts = (len(self), len(self.annotators), len(self.categories), self.n_units)
        return "<Corpus: documents {}, annotators {}, categories {}, units {}>".format(*counts)

    def _n_rows(self) -> int:
        return self.n_units

    def _columns(self, limit: int | None = None) -> FrameColumns:
        # code -1 reads the last: no category
        names = self.annotators
        labels = (*self.categories, None)
        return {
            "document": [self.documents[index] for index in self.unit_document[:limit].tolist()],
            "annotator": [names[code] for code in self.annotator[:limit].tolist()],
            "start": self.start[:limit].tolist(),
            "end": self.end[:limit].tolist(),
            "category": [labels[code] for code in self.category[:limit].tolist()],
        }

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[str]:
        return iter(self.documents)

    def __contains__(self, document: object) -> bool:
        return isinstance(document, str) and self._index_of(document) is not None

    def __getitem__(self, document: str) -> Continuum:
        index = self._index_of(document) if isinstance(document, str) else None
        if index is None:
            raise KeyError(f"no document {document!r}; there are {few(map(repr, self.documents), 3) or 'none'}")
        return self.continuum(index)

    def _index_of(self, document: str) -> int | None:
        index = bisect_left(self.documents, document)
        return index if self.documents[index : index + 1] == (document,) else None

    def continuum(self, index: int) -> Continuum:
        """Return the document at `index` (in the order of `documents`) as a continuum."""
        units = slice(self.unit_offsets[index], self.unit_offsets[index + 1])
        seen = self.seen[self.seen_offsets[index] : self.seen_offsets[index + 1]]
        return Continuum(
            document=self.documents[index],
            annotators=tuple(self.annotators[code] for code in seen.tolist()),
            categories=self.categories,
            annotator=seen.searchsorted(self.annotator[units]),
            start=self.start[units],
            end=self.end[units],
            category=self.category[units],
            extent=(float(self.extents[index, 0]), float(self.extents[index, 1])),
        )

    def documents_between(self, first: int, last: int) -> Corpus:
        """Return the corpus of documents first … last - 1, with the same annotators and categories."""
        if last - first == len(self):
            return self
        units = slice(self.unit_offsets[first], self.unit_offsets[last])
        seen = slice(self.seen_offsets[first], self.seen_offsets[last])
        return replace(
            self,
            documents=self.documents[first:last],
            seen_offsets=self.seen_offsets[first : last + 1] - self.seen_offsets[first],
            seen=self.seen[seen],
            unit_offsets=self.unit_offsets[first : last + 1] - self.unit_offsets[first],
            annotator=self.annotator[units],
            start=self.start[units],
            end=self.end[units],
            category=self.category[units],
            extents=self.extents[first:last],
            texts=None if self.texts is None else self.texts[first:last],
            tokens=None if self.tokens is None else self.tokens[first:last],
        )

    def select(
        self, *, documents: Names | None = None, annotators: Names | None = None, categories: Names | None = None
    ) -> Corpus:
        """Return the corpus with only the selected documents, annotators and categories.

        Documents that none of the selected annotators saw are dropped; extents do not change.

        Parameters
        ----------
        documents, annotators, categories : str or iterable of str, optional
            Names to keep, by default all. With `categories`, units without a category are dropped.

        Raises
        ------
        SettingsError
            For a name that the corpus does not have.

        Examples
        --------
        >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "y"), ("d2", "cy", 2, 5, "y")]
        >>> ga.Corpus.from_records(units).select(annotators=["ann", "bob"], categories="x")
        <Corpus: documents 1, annotators 2, categories 1, units 1>
        """
        return self._filter(
            _is_named(self.documents, documents, "document").nonzero()[0],
            _is_named(self.annotators, annotators, "annotator"),
            np.append(_is_named(self.categories, categories, "category"), categories is None),
        )

    def drop(self, *, documents: Names = (), annotators: Names = (), categories: Names = ()) -> Corpus:
        """Return the corpus without these documents, annotators and categories.

        Parameters and errors are as in `select`; units without a category remain.

        Examples
        --------
        >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "y"), ("d2", "cy", 2, 5, "y")]
        >>> ga.Corpus.from_records(units).drop(annotators="cy").documents
        ('d1',)
        """
        return self._filter(
            (~_is_named(self.documents, documents, "document")).nonzero()[0],
            ~_is_named(self.annotators, annotators, "annotator"),
            ~np.append(_is_named(self.categories, categories, "category"), values=False),
        )

    def restricted(self, documents: IntArray, annotators: IntArray) -> Corpus:
        """Return the corpus of documents and annotators by index, which are ascending; see `select`."""
        is_selected = np.zeros(len(self.annotators), dtype=np.bool_)
        is_selected[annotators] = True
        return self._filter(documents, is_selected, np.ones(len(self.categories) + 1, dtype=np.bool_))

    def _filter(self, documents: IntArray, annotators: BoolArray, categories: BoolArray) -> Corpus:
        """Return the corpus of documents by index with the marked annotators and categories."""
        columns = {name: getattr(self, name) for name in CorpusColumns.__annotations__}
        return Corpus(**selected_columns(cast("CorpusColumns", columns), documents, annotators, categories))

    def rename(
        self,
        *,
        documents: Mapping[str, str] | None = None,
        annotators: Mapping[str, str] | None = None,
        categories: Mapping[str, str | None] | None = None,
    ) -> Corpus:
        """Return the corpus with other names, given as ``{old: new}``.

        Two categories may become one; ``None`` as a new name makes units without a category.

        Raises
        ------
        SettingsError
            For an old name that the corpus does not have.
        InputError
            If two documents, or two annotators of one document, would have the same name.

        Examples
        --------
        >>> corpus = ga.Corpus.from_records([("d1", "ann", 0, 4, "PER"), ("d1", "bob", 1, 5, "PERSON")])
        >>> corpus.rename(categories={"PERSON": "PER"}).categories
        ('PER',)
        """
        new = replace(
            self,
            documents=_renamed(self.documents, documents, "document"),
            annotators=_renamed(self.annotators, annotators, "annotator"),
            categories=_renamed(self.categories, categories, "category"),
        )
        tables = new.to_tables()
        _check_distinct(zip(new.documents, strict=True), "two documents would have this name")
        _check_distinct(
            zip(*tables.annotations.values(), strict=True), "two annotators of the document would have this name"
        )
        return new._rebuild(tables)  # noqa: SLF001

    def trim(self) -> Corpus:
        """Return the corpus with white space and punctuation cut at both edges of its units, if texts are known.

        Units without other characters do not change. A note counts the units that changed.

        Raises
        ------
        InputError
            If no text is known.

        Examples
        --------
        >>> ga.read("corpora/novels_ner").trim().notes
        ('units cut of white space and punctuation at their edges: 27 of 8123',)
        """
        texts = self.texts or ()
        if all(text is None for text in texts):
            raise InputError(
                "the texts are not known, which are needed to trim units",
                Cure("name them with {}, or read a format that contains them", Set("texts")),
            )
        tables = self.to_tables()
        start, end = trimmed(texts, self.unit_document, self.start, self.end)
        n_changed = int(((start != self.start) | (end != self.end)).sum())
        notes = [f"units cut of white space and punctuation at their edges: {n_changed} of {self.n_units}"]
        n_unknown = sum(text is None for text in texts)
        if n_unknown:
            notes.append(f"documents whose text is not known, and whose units are not trimmed: {n_unknown}")
        new = self._rebuild(tables._replace(units={**tables.units, "start": start, "end": end}))
        return replace(new, notes=(*new.notes, *notes))

    def widen(self, width: float) -> Corpus:
        """Return the corpus with an interval of this width around each unit without length.

        The extent of a document grows if an interval would reach out of it. A note counts the units that changed.

        Raises
        ------
        SettingsError
            If the width is not a finite number above 0, or if units are places in a text.

        Examples
        --------
        >>> calls = ga.Corpus.from_records([("d1", "ann", 4, 4, "call"), ("d1", "bob", 5, 5, "call")])
        >>> [tuple(unit) for unit in calls.widen(2)["d1"].units()]
        [('ann', 3.0, 5.0, 'call'), ('bob', 4.0, 6.0, 'call')]
        """
        WIDTH.check(width)
        if self.length_unit in ("char", "token"):
            raise SettingsError(
                f"units without length are places between {self.length_unit}s, which have no width",
                "leave it out",
                Location.for_option("width"),
            )
        is_point = self.start == self.end
        half = np.where(is_point, width / 2, 0.0)
        tables = self.to_tables()
        units = {**tables.units, "start": self.start - half, "end": self.end + half}
        extents = self.extents.copy()
        np.minimum.at(extents[:, 0], self.unit_document, units["start"])
        np.maximum.at(extents[:, 1], self.unit_document, units["end"])
        documents = {**tables.documents, "start": extents[:, 0], "end": extents[:, 1]}
        new = self._rebuild(tables._replace(units=units, documents=documents))
        note = f"units without length that have the width {width:.15g} now: {np.count_nonzero(is_point)}"
        return replace(new, notes=(*new.notes, note))

    def merge(self, other: Corpus) -> Corpus:
        """Return one corpus with the documents and annotators of both.

        The extent of a document in both is the smallest that contains the two.

        Raises
        ------
        InputError
            If both have the same annotator of the same document, the texts or the tokens of a document differ, or
            bounds have different units of length. Tokens are placed in the texts of a corpus that counts characters;
            bounds of an unknown unit count characters if units begin and end with words of those texts.

        Examples
        --------
        >>> first = ga.Corpus.from_records([("d1", "ann", 0, 4, "x")])
        >>> first.merge(ga.Corpus.from_records([("d1", "bob", 1, 5, "x")]))
        <Corpus: documents 1, annotators 2, categories 1, units 2>
        """
        one, other = in_one_unit([self, other._spelled_as(self)])
        tables = CorpusTables(
            *(
                {name: np.concatenate([first[name], second[name]]) for name in first}
                for first, second in zip(one.to_tables(), other.to_tables(), strict=True)
            )
        )
        _check_distinct(zip(*tables.annotations.values(), strict=True), "document and annotator are in both corpora")
        names, document = np.unique(tables.documents["document"], return_inverse=True)
        start = np.full(len(names), np.inf)
        end = np.full(len(names), -np.inf)
        np.minimum.at(start, document, tables.documents["start"])
        np.maximum.at(end, document, tables.documents["end"])
        joined = tables._replace(documents={"document": names, "start": start, "end": end})
        return one._rebuild(joined, other)  # noqa: SLF001

    @property
    def unseen(self) -> Note | None:
        """The pairs of document and annotator without units, if the data do not tell who saw a document; else None."""
        return None if self.seen_is_told else unseen_note(len(self.documents), len(self.annotators), len(self.seen))

    def seen_by_all(self) -> Corpus:
        """Return the corpus in which every annotator saw every document: without a unit there, nothing is marked.

        Examples
        --------
        >>> corpus = ga.Corpus.from_records([("d1", "ann", 0, 4), ("d1", "bob", 0, 4), ("d2", "ann", 0, 4)])
        >>> corpus.n_annotators.tolist(), corpus.seen_by_all().n_annotators.tolist()
        ([2, 1], [2, 2])
        """
        tables = self.to_tables()
        documents, annotators = (np.array(names, dtype=object) for names in (self.documents, self.annotators))
        pairs = {
            "document": documents.repeat(len(annotators)),
            "annotator": np.tile(annotators, len(documents)),
        }
        return replace(self._rebuild(tables._replace(annotations=pairs)), seen_is_told=True)

    def _spelled_as(self, other: Corpus) -> Corpus:
        """Return the corpus with the names of another one, where they differ in the form of Unicode alone."""
        kinds = {"documents": "document", "annotators": "annotator", "categories": "category"}
        names = {kind: in_forms_of(getattr(other, kind), getattr(self, kind)) for kind in kinds}
        notes = [forms_note(kinds[kind], name) for kind, new_names in names.items() for name in new_names.values()]
        return replace(self.rename(**names), notes=(*self.notes, *notes)) if notes else self

    def to_tables(self) -> CorpusTables:
        """Return the columns of units, annotations and documents, from which `from_columns` builds this corpus.

        Examples
        --------
        >>> tables = ga.Corpus.from_records([("d1", "ann", 0, 4, "x")]).to_tables()
        >>> tables.units["annotator"], tables.documents["end"]
        (array(['ann'], dtype=object), array([4.]))
        """
        documents, annotators, categories = (
            np.array([*names, None], dtype=object)  # the last entry is for code -1: no category
            for names in (self.documents, self.annotators, self.categories)
        )
        return CorpusTables(
            {
                "document": documents[self.unit_document],
                "annotator": annotators[self.annotator],
                "start": self.start,
                "end": self.end,
                "category": categories[self.category],
            },
            {"document": documents[self.seen_document], "annotator": annotators[self.seen]},
            {"document": documents[:-1], "start": self.extents[:, 0], "end": self.extents[:, 1]},
        )

    def _rebuild(self, tables: CorpusTables, *further: Corpus) -> Corpus:
        """Return the corpus of the tables, with the unit of length, notes and texts of this and further corpora."""
        units, annotations, documents = tables
        new = Corpus.from_columns(units, annotations=annotations, documents=documents)
        corpora = (self, *further)
        notes = dict.fromkeys(note for corpus in (*corpora, new) for note in corpus.notes)
        texts = _contents_of(new.documents, [(corpus.documents, corpus.texts) for corpus in corpora], "text")
        tokens = _contents_of(new.documents, [(corpus.documents, corpus.tokens) for corpus in corpora], "tokens")
        is_told = all(corpus.seen_is_told for corpus in corpora)
        new = replace(new, texts=texts, tokens=tokens, seen_is_told=is_told)
        return replace(new, length_unit=self.length_unit, notes=tuple(notes))

    @property
    def n_units(self) -> int:
        """Number of units in the whole corpus."""
        return len(self.start)

    @property
    def n_annotators(self) -> IntArray:
        """Number of annotators of each document, shape (n_documents,)."""
        return self.seen_offsets[1:] - self.seen_offsets[:-1]

    @property
    def units_per_document(self) -> IntArray:
        """Number of units of each document, shape (n_documents,)."""
        return self.unit_offsets[1:] - self.unit_offsets[:-1]

    @property
    def unit_document(self) -> IntArray:
        """Document of each unit, shape (n_units,)."""
        if len(self) == 1:  # a small request asks ten times
            return np.zeros(self.n_units, dtype=np.int64)
        return np.arange(len(self)).repeat(self.units_per_document)

    @property
    def seen_document(self) -> IntArray:
        """Document of each entry of `seen`, which is one annotator of one document."""
        if len(self) == 1:
            return np.zeros(len(self.seen), dtype=np.int64)
        return np.arange(len(self)).repeat(self.n_annotators)

    @property
    def unit_seen(self) -> IntArray:
        """Index into `seen` of each unit's annotator in its document, shape (n_units,)."""
        if len(self) == 1:
            return self.seen.searchsorted(self.annotator)
        width = max(len(self.annotators), 1)
        return (self.seen_document * width + self.seen).searchsorted(self.unit_document * width + self.annotator)

    @property
    def annotator_in_document(self) -> IntArray:
        """Index of each unit's annotator among the annotators of its document, shape (n_units,)."""
        index: IntArray = self.unit_seen - self.seen_offsets[self.unit_document]
        return index


def unseen_note(n_documents: int, n_annotators: int, n_seen: int) -> Note | None:
    """Return a note on pairs of document and annotator without units, for data that do not tell who saw a document.

    `n_seen` is the number of pairs with a unit.
    """
    n_pairs = n_documents * n_annotators
    if n_pairs == n_seen:
        return None
    return Note(
        f"{n_pairs - n_seen} of {n_pairs} pairs of document and annotator have no units, and the data do not tell "
        "whether the annotator saw the document: taken as not seen",
        Cure("{} takes them as seen, with nothing marked", Set("seen", "all")),
    )


def _contents_of(
    documents: Sequence[str], corpora: Iterable[tuple[Sequence[str], Sequence[_Content | None] | None]], noun: str
) -> tuple[_Content | None, ...] | None:
    """Return the text or the tokens of each document, None if none is known; InputError if they differ."""
    content_of: dict[str, _Content] = {}
    for names, contents in corpora:
        for name, content in zip(names, contents or (), strict=False):
            if content is not None and content_of.setdefault(name, content) != content:
                differ = "differ" if noun.endswith("s") else "differs"
                raise InputError(
                    f"the {noun} of document {name!r} {differ} between the corpora",
                    Cure("give one text to all, with {} for bounds that count tokens", Set("texts")),
                )
    return tuple(map(content_of.get, documents)) if content_of else None


def _is_named(names: Sequence[str], selected: Names | None, kind: str) -> BoolArray:
    """Return whether each name is selected; None selects all. SettingsError for an unknown name."""
    if selected is None:
        return np.ones(len(names), dtype=np.bool_)
    selected = {selected} if isinstance(selected, str) else set(map(str, selected))
    _check_known(names, selected, kind)
    return np.array([name in selected for name in names], dtype=np.bool_)


def _renamed(names: Sequence[str], new_names: Mapping[str, str | None] | None, kind: str) -> tuple[Any, ...]:
    """Return the names with the new ones, which may be None; SettingsError for an unknown name."""
    _check_known(names, new_names or (), kind)
    return tuple((new_names or {}).get(name, name) for name in names)


def _check_distinct(names: Iterable[tuple[object, ...]], problem: str) -> None:
    """Raise InputError if a name, of one or more parts, occurs twice."""
    seen = set()
    for name in names:
        if name in seen:
            raise InputError(f"{', '.join(map(repr, name))}: {problem}", "choose another name")
        seen.add(name)


def _check_known(names: Sequence[str], selected: Iterable[str], kind: str) -> None:
    unknown = sorted(set(selected).difference(names))
    if not unknown:
        return
    hint = did_you_mean(repr(unknown[0]), map(repr, names)) or f"; there are {few(map(repr, names), 10) or 'none'}"
    raise SettingsError(f"no {kind} {unknown[0]!r}{hint}")
