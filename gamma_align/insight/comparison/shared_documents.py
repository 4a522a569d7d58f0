"""The documents that two corpora have in common, checked to be the same documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import few
from gamma_align.data.wording import counted, span
from gamma_align.errors import Cure, InputError, Set
from gamma_align.insight.comparison.comparison_options import EXTENTS
from gamma_align.insight.disagreements.unitary_alignments import MIN_ANNOTATORS


class Shared(NamedTuple):
    """Two annotations of the same documents, in the same order, and notes on the documents that do not count."""

    first: Corpus
    second: Corpus
    notes: tuple[str, ...]


def shared_documents(first: Corpus, second: Corpus, names: tuple[str, str], extents: str) -> Shared:
    """Return the documents that two or more annotators saw in both corpora.

    Raises
    ------
    InputError
        If no document is in both, or if the unit of length, or the text or extent of a document differs.
    SettingsError
        If `extents` is unknown.
    """
    EXTENTS.check(extents)
    _check_length_units(first, second, names)
    in_both = sorted(set(first.documents) & set(second.documents))
    if not in_both:
        raise InputError(
            f"no document is in both: {few(map(repr, first.documents), 3)} in {names[0]}, "
            f"{few(map(repr, second.documents), 3)} in {names[1]}",
            Cure("documents are paired by name: set the names with {}", Set("document")),
        )
    selected = _with_two_annotators(in_both, first, second)
    if not selected:
        raise InputError("no document has two annotators in both: there is no agreement to compare")
    notes = [*first.notes, *second.notes, *_notes(first, second, names, len(in_both), len(selected))]
    first, second = first.select(documents=selected), second.select(documents=selected)
    _check_texts(first, second, names)
    differing = np.flatnonzero((first.extents != second.extents).any(axis=1))
    if len(differing):
        if extents == "refuse":
            raise _extents_error(first, second, names, differing)
        notes.append(f"extents joined, as they differ: {len(differing)} of {counted(len(selected), 'document')}")
        first, second = _join_extents(first, second)
    return Shared(first, second, tuple(dict.fromkeys(notes)))


def _check_length_units(first: Corpus, second: Corpus, names: tuple[str, str]) -> None:
    if first.length_unit == second.length_unit:
        return
    units = [f"{name}: {corpus.length_unit or 'unknown'}" for name, corpus in zip(names, (first, second), strict=True)]
    raise InputError(
        f"{names[0]} and {names[1]} use different units of length ({', '.join(units)})",
        Cure("read both with the same {}", Set("positions")),
    )


def _with_two_annotators(documents: list[str], first: Corpus, second: Corpus) -> list[str]:
    """Return the documents that two or more annotators saw in both corpora."""
    counts = [dict(zip(corpus.documents, corpus.n_annotators.tolist(), strict=True)) for corpus in (first, second)]
    return [name for name in documents if min(counts[0][name], counts[1][name]) >= MIN_ANNOTATORS]


def _notes(first: Corpus, second: Corpus, names: tuple[str, str], n_in_both: int, n_selected: int) -> Iterator[str]:
    """Yield notes on the documents that do not count."""
    for corpus, opposite, name in ((first, second, names[0]), (second, first, names[1])):
        unpaired = sorted(set(corpus.documents) - set(opposite.documents))
        if unpaired:
            yield f"only in {name}, and not counted: {counted(len(unpaired), 'document')}: {few(unpaired, 5)}"
    if n_in_both > n_selected:
        n_documents = counted(n_in_both - n_selected, "document")
        yield f"fewer than two annotators in one of the two, and not counted: {n_documents}"


def _check_texts(first: Corpus, second: Corpus, names: tuple[str, str]) -> None:
    """Refuse documents with different texts; a text that is known in one corpus only is not compared."""
    for name, first_text, second_text in zip(first.documents, first.texts or (), second.texts or (), strict=False):
        if first_text is None or second_text is None or first_text == second_text:
            continue
        # One text may be the beginning of the other: then they differ from its end on.
        pairs = enumerate(zip(first_text, second_text, strict=False))
        differing = (index for index, characters in pairs if characters[0] != characters[1])
        index = next(differing, min(len(first_text), len(second_text)))
        raise InputError(
            f"the text of document {name!r} is not the same in {names[0]} and {names[1]}: they differ from "
            f"character {index} on, and bounds in different texts cannot be compared",
            Cure("annotate the same text, or leave the document out ({} selects documents)", Set("documents")),
        )


def _join_extents(first: Corpus, second: Corpus) -> tuple[Corpus, Corpus]:
    """Return both corpora with the smallest extents that contain the extents of both."""
    start = np.minimum(first.extents[:, 0], second.extents[:, 0])
    end = np.maximum(first.extents[:, 1], second.extents[:, 1])
    extents = np.stack([start, end], axis=1)
    return replace(first, extents=extents), replace(second, extents=extents)


def _extents_error(first: Corpus, second: Corpus, names: tuple[str, str], differing: IntArray) -> InputError:
    document = int(differing[0])
    extents = [span(*corpus.extents[document].tolist()) for corpus in (first, second)]
    further = f" (and {len(differing) - 1} more like it)" if len(differing) > 1 else ""
    return InputError(
        f"the extent of document {first.documents[document]!r} is {extents[0]} in {names[0]} and {extents[1]} in "
        f"{names[1]}{further}",
        Cure(
            "if it is the same document, declare its extent in both (in a documents table, or by its text with {}), or "
            "take the smallest extent that contains both with {}",
            Set("texts"),
            Set("extents", "join"),
        ),
    )
