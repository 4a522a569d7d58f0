"""Two corpora side by side: which documents both have, checked to be the same, and which only one of them has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gamma_align.data import Corpus, counted, few, in_one_unit, span
from gamma_align.errors import Call, Cure, InputError, Note, Set
from gamma_align.insight.comparison.comparison_options import EXTENTS
from gamma_align.insight.comparison.fates import DocumentFate, document_fates, renamed_documents
from gamma_align.insight.comparison.shared_names import SharedNames
from gamma_align.insight.disagreements.unitary_alignments import MIN_ANNOTATORS


class _Extent(NamedTuple):
    """The extent of a document in a corpus, and the name of the corpus."""

    corpus: str
    low: float
    high: float

    @property
    def bounds(self) -> tuple[float, float]:
        """Where it begins and ends."""
        return self.low, self.high


class Sides(NamedTuple):
    """Two corpora of documents with two annotators or more, the fates of all documents, and notes.

    A document that was renamed has its new name in both.
    """

    first: Corpus
    second: Corpus
    fates: tuple[DocumentFate, ...]
    notes: tuple[str, ...]

    @property
    def documents(self) -> SharedNames:
        """The documents of both."""
        return SharedNames.of(self.first.documents, self.second.documents)


def sides_of(first: Corpus, second: Corpus, names: tuple[str, str], extents: str) -> Sides:
    """Return two corpora side by side.

    Raises
    ------
    InputError
        If no document of one of them has two annotators, or if the unit of length, or the text or extent of a document
        that both have differs.
    SettingsError
        If `extents` is unknown.
    """
    EXTENTS.check(extents)
    first, second = in_one_unit((first, second), names)
    renamed = renamed_documents(first, second)
    if renamed:
        first = first.rename(documents=renamed)
    fates = document_fates(first, second, renamed)
    notes = [*first.notes, *second.notes, *_notes(first, second)]
    first, second = (_with_two_annotators(corpus, name) for corpus, name in zip((first, second), names, strict=True))
    shared = [name for name in first.documents if name in second]
    check_texts(first, second, shared, names)
    (first, second), joined = on_one_extent((first, second), names, extents)
    return Sides(first, second, fates, tuple(dict.fromkeys([*notes, *joined])))


def _with_two_annotators(corpus: Corpus, name: str) -> Corpus:
    """Return the documents that two or more annotators saw."""
    documents = np.flatnonzero(corpus.n_annotators >= MIN_ANNOTATORS)
    if not len(documents):
        raise InputError(
            f"no document of {name} has two annotators: there is no agreement to compare",
            Cure("{} compares the units of one annotator", Call("unit_changes", "compare --units")),
        )
    if len(documents) == len(corpus):
        return corpus
    return corpus.restricted(documents, np.arange(len(corpus.annotators)))


def _notes(first: Corpus, second: Corpus) -> Iterator[str]:
    """Yield notes on the documents that do not count, and on names that no document has in both corpora."""
    if not {*first.documents} & {*second.documents}:
        examples = [few(map(repr, corpus.documents), 3) for corpus in (first, second)]
        yield Note(
            f"no document is in both ({examples[0]}; {examples[1]}), so that the two are compared as independent ones",
            Cure("documents are paired by name: set the names with {}", Set("document")),
        )
    alone: set[str] = set()
    for corpus in (first, second):
        is_alone = corpus.n_annotators < MIN_ANNOTATORS
        alone |= {corpus.documents[index] for index in np.flatnonzero(is_alone).tolist()}
    if alone:
        names = few(sorted(alone), 5)
        yield f"fewer than two annotators, and not counted there: {counted(len(alone), 'document')}: {names}"


def check_texts(first: Corpus, second: Corpus, shared: Sequence[str], names: tuple[str, str]) -> None:
    """Refuse documents with different texts or tokens; those known in one corpus only are not compared."""
    for content, item in (("texts", "character"), ("tokens", "token")):
        contents = [(corpus.documents, getattr(corpus, content) or ()) for corpus in (first, second)]
        sides = [dict(zip(*columns, strict=False)) for columns in contents]
        pairs = {name: [side.get(name) for side in sides] for name in shared}
        different = {name: pair for name, pair in pairs.items() if None not in pair and pair[0] != pair[1]}
        if different:
            raise _texts_error(different, item, names)


def _texts_error(different: Mapping[str, Sequence[Any]], item: str, names: tuple[str, str]) -> InputError:
    """Return the error that the texts of these documents, or their tokens, differ."""
    name, (one, other) = next(iter(different.items()))
    # One text may be the beginning of the other: then they differ from its end on.
    items = enumerate(zip(one, other, strict=False))
    index = next((index for index, pair in items if pair[0] != pair[1]), min(len(one), len(other)))
    others = f", and of {counted(len(different) - 1, 'other document')}," if len(different) > 1 else ""
    return InputError(
        f"the text of document {name!r}{others} is not the same in {names[0]} and {names[1]}: they differ from "
        f"{item} {index} on, and bounds in different texts cannot be compared",
        Cure(
            "annotate the same text; leave the document out ({} selects documents); or move the units of the first "
            "onto the text of the second with {}",
            Set("documents"),
            Set("align_text", value=True),
        ),
    )


def on_one_extent(corpora: Sequence[Corpus], names: Sequence[str], extents: str) -> tuple[list[Corpus], list[str]]:
    """Return the corpora with one extent for each document, and a note if some differed.

    `extents` is "refuse", or "join" for the smallest extent that contains all.

    Raises
    ------
    InputError
        If the extent of a document differs, and is to be refused.
    """
    found: dict[str, list[_Extent]] = {}
    for corpus, name in zip(corpora, names, strict=True):
        for document, (low, high) in zip(corpus.documents, corpus.extents.tolist(), strict=True):
            found.setdefault(document, []).append(_Extent(name, low, high))
    differing = {document: all_of for document, all_of in found.items() if len({each.bounds for each in all_of}) > 1}
    if not differing:
        return [*corpora], []
    if extents == "refuse":
        raise _extents_error(differing)
    changed = []
    for corpus in corpora:
        joined = corpus.extents.copy()
        for index, document in enumerate(corpus.documents):
            all_of = differing.get(document)
            if all_of is not None:
                joined[index] = min(each.low for each in all_of), max(each.high for each in all_of)
        changed.append(replace(corpus, extents=joined))
    n_shared = sum(len(all_of) > 1 for all_of in found.values())
    return changed, [f"extents joined, as they differ: {len(differing)} of {counted(n_shared, 'document')}"]


def _extents_error(differing: Mapping[str, Sequence[_Extent]]) -> InputError:
    """Return the error that the extents of these documents differ; it shows two of the first document."""
    document, all_of = next(iter(differing.items()))
    one = all_of[0]
    other = next(each for each in all_of if each.bounds != one.bounds)
    further = f" (and {len(differing) - 1} more like it)" if len(differing) > 1 else ""
    return InputError(
        f"the extent of document {document!r} is {span(*one.bounds)} in {one.corpus} and {span(*other.bounds)} in "
        f"{other.corpus}{further}",
        Cure(
            "if it is the same document, declare its extent in each (in a documents table, or by its text with {}), or "
            "take the smallest extent that contains all with {}",
            Set("texts"),
            Set("extents", "join"),
        ),
    )
