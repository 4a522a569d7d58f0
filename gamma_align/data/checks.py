"""What entry points for different coefficients share: checks of the data, notes, pieces of the signature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError


def check_two_annotators(corpus: Corpus) -> None:
    """Refuse a corpus in which nobody can agree with anybody."""
    if len(corpus) and not (corpus.n_annotators >= 2).any():  # noqa: PLR2004
        alone = corpus.continuum(0)
        who = repr(alone.annotators[0]) if alone.annotators else "nobody"
        raise InputError(
            f"one annotator only: no document has two (document {alone.document!r} has {who}). Agreement takes two; "
            "if others saw a document and marked nothing, declare them (annotations=, or an annotations table)"
        )
    if not len(corpus):
        raise InputError("no document: there is nothing to measure")


def documents_without(corpus: Corpus) -> Iterator[str]:
    """Yield notes on documents that can have no value."""
    several = corpus.n_annotators >= 2  # noqa: PLR2004
    few = int((~several).sum())
    if few:
        yield f"{few} of {len(corpus)} documents have fewer than two annotators and no value"
    empty = int((several & (corpus.units_per_document == 0)).sum())
    if empty:
        yield f"{empty} of {len(corpus)} documents have no units and no value"


def number_range(numbers: Sequence[int]) -> str:
    """Return "3" where all are 3, "3-7" where they are from 3 to 7, "0" where there are none."""
    if not numbers:
        return "0"
    return str(min(numbers)) if min(numbers) == max(numbers) else f"{min(numbers)}-{max(numbers)}"
