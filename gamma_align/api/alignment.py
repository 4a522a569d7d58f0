"""Alignments, of units in any form."""

from __future__ import annotations

from typing import Unpack, overload

from gamma_align.alignment import Alignment, Alignments, AlignOptions
from gamma_align.alignment import align as _align
from gamma_align.api.sources import CORPUS_OR_DOCUMENT, DOCUMENT
from gamma_align.data import Continuum, Source


@overload
def align(source: Continuum, /, **settings: Unpack[AlignOptions]) -> Alignment: ...


@overload
def align(source: Source, /, **settings: Unpack[AlignOptions]) -> Alignment | Alignments: ...


@CORPUS_OR_DOCUMENT.described(_align.align)
def align(source: Source, /, **settings: Unpack[AlignOptions]) -> Alignment | Alignments:  # noqa: D103  (it has that of the other)
    return _align.align(CORPUS_OR_DOCUMENT.read(source, "align"), **settings)


given_alignment = DOCUMENT.public(_align.given_alignment, __name__)
