"""What entry points for different coefficients share: checks of the data, notes, pieces of the signature."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from gamma_align.columns import IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import few
from gamma_align.errors import InputError, SettingsError, did_you_mean


def check_settings(owner: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise SettingsError for the first setting that the owner does not have."""
    if unknown := sorted({*names}.difference(known)):
        raise SettingsError(f"{owner} has no setting {unknown[0]!r}{did_you_mean(unknown[0], known)}")


def check_two_annotators(corpus: Corpus) -> None:
    """Refuse a corpus in which nobody can agree with anybody."""
    if not len(corpus):
        raise InputError("no document: there is nothing to measure")
    if not (corpus.n_annotators >= 2).any():  # noqa: PLR2004
        raise InputError(
            f"{_only_annotators(corpus)}. If others saw these documents and marked nothing, declare them "
            "(annotations=, or an annotations table). If the names of folders or files are the annotators, say so in "
            "the path: 'PATH/{annotator}/{document}.ann', with the suffix of the files; if tiers or layers are, "
            "with annotator='{layer}' (--annotators-from '{layer}'). If files are of one document, give it a name with "
            "document= (--documents-from NAME)"
        )


def _only_annotators(corpus: Corpus) -> str:
    """Return words for a corpus without two annotators on one document."""
    names = corpus.annotators
    if not names:
        return f"no annotator: nobody annotated document {corpus.documents[0]!r}"
    if len(names) == 1:
        return f"only one annotator: {names[0]!r}, on {few(map(repr, corpus.documents), 3)}"
    return f"no document has two annotators: {few(map(repr, names))} annotated different documents"


def documents_without(annotators: IntArray, units: IntArray) -> Iterator[str]:
    """Yield notes on documents that can have no value, from the numbers of annotators and units of each."""
    several = annotators >= 2  # noqa: PLR2004
    alone = int((~several).sum())
    if alone:
        yield f"{alone} of {len(units)} documents have fewer than two annotators and no value"
    empty = int((several & (units == 0)).sum())
    if empty:
        yield f"{empty} of {len(units)} documents have no units and no value"


def number_range(numbers: Sequence[int]) -> str:
    """Return "3" where all are 3, "3-7" where they are from 3 to 7, "0" where there are none."""
    if not numbers:
        return "0"
    return str(min(numbers)) if min(numbers) == max(numbers) else f"{min(numbers)}-{max(numbers)}"
