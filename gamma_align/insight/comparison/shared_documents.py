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
from gamma_align.errors import InputError
from gamma_align.insight.comparison.comparison_options import EXTENTS


class Shared(NamedTuple):
    """Two annotations of the same documents, in the same order, and what is to be known of those left out."""

    first: Corpus
    second: Corpus
    notes: tuple[str, ...]


def shared_documents(first: Corpus, second: Corpus, names: tuple[str, str], extents: str) -> Shared:
    """Return the documents that two or more annotators saw in both corpora.

    Raises
    ------
    InputError
        If there are none; if the unit of length, or the text or extent of a document differs.
    SettingsError
        For another treatment of extents.
    """
    EXTENTS.check(extents)
    if first.length_unit != second.length_unit:
        raise InputError(
            f"bounds count {first.length_unit or 'nothing that is known'} in {names[0]} and "
            f"{second.length_unit or 'nothing that is known'} in {names[1]}; read both the same way (--positions)"
        )
    in_both = sorted(set(first.documents) & set(second.documents))
    if not in_both:
        raise InputError(
            f"no document is in both: {few(map(repr, first.documents), 3)} in {names[0]}, "
            f"{few(map(repr, second.documents), 3)} in {names[1]}; documents are paired by name: "
            "--documents-from (document=) sets the names"
        )
    seen = [dict(zip(corpus.documents, corpus.n_annotators.tolist(), strict=True)) for corpus in (first, second)]
    kept = [name for name in in_both if min(seen[0][name], seen[1][name]) >= 2]  # noqa: PLR2004
    if not kept:
        raise InputError("no document has two annotators in both: there is no agreement to compare")
    notes = [*first.notes, *second.notes, *_left_out(first, second, names, len(in_both), len(kept))]
    left, right = (corpus.select(documents=kept) for corpus in (first, second))
    _check_texts(left, right, names)
    differing = np.flatnonzero((left.extents != right.extents).any(axis=1))
    if len(differing) and extents == "refuse":
        raise InputError(_other_extents(left, right, names, differing))
    if len(differing):
        notes.append(f"extents joined, as they differ: {len(differing)} of {counted(len(kept), 'document')}")
        joined = np.stack(
            [
                np.minimum(left.extents[:, 0], right.extents[:, 0]),
                np.maximum(left.extents[:, 1], right.extents[:, 1]),
            ],
            axis=1,
        )
        left, right = replace(left, extents=joined), replace(right, extents=joined)
    return Shared(left, right, tuple(dict.fromkeys(notes)))


def _left_out(first: Corpus, second: Corpus, names: tuple[str, str], in_both: int, kept: int) -> Iterator[str]:
    for corpus, other, name in ((first, second, names[0]), (second, first, names[1])):
        alone = sorted(set(corpus.documents) - set(other.documents))
        if alone:
            yield f"only in {name}, and not counted: {counted(len(alone), 'document')}: {few(alone, 5)}"
    if in_both > kept:
        yield f"fewer than two annotators in one of the two, and not counted: {counted(in_both - kept, 'document')}"


def _check_texts(first: Corpus, second: Corpus, names: tuple[str, str]) -> None:
    for name, left, right in zip(first.documents, first.texts or (), second.texts or (), strict=False):
        if left is not None and right is not None and left != right:
            apart = (index for index, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1])
            index = next(apart, min(len(left), len(right)))
            raise InputError(
                f"the text of document {name!r} is not the same in {names[0]} and {names[1]}: they differ from "
                f"character {index} on. Bounds in different texts cannot be compared; annotate the same text, or leave "
                "the document out (--document)"
            )


def _other_extents(first: Corpus, second: Corpus, names: tuple[str, str], differing: IntArray) -> str:
    document = int(differing[0])
    left, right = (span(*corpus.extents[document].tolist()) for corpus in (first, second))
    more = f" (and {len(differing) - 1} more like it)" if len(differing) > 1 else ""
    return (
        f"the extent of document {first.documents[document]!r} is {left} in {names[0]} and {right} in {names[1]}"
        f"{more}. If it is the same document, declare its extent in both (a documents table, or its text, --texts), or "
        "take the smallest extent that holds both: --extents join (extents='join')"
    )
