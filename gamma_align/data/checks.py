"""Shared by the entry points of coefficients: checks of the data, notes, and parts of the signature."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data.corpus import MIN_ANNOTATORS, Corpus
from gamma_align.data.problem import few
from gamma_align.errors import Cure, InputError, Set
from gamma_align.options import no_setting

_DECLARE_ANNOTATORS = Cure(
    "if other annotators saw these documents and marked nothing, declare them in a table of annotations. If the names "
    "of folders or files are the annotators, name them in the path: 'PATH/{{annotator}}/{{document}}.ann', with the "
    "suffix of the files; if tiers or layers are, with {}. If all files belong to one document, name it with {}",
    Set("annotator", "{layer}"),
    Set("document", "NAME"),
)


def check_settings(owner: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise SettingsError for the first setting that the owner does not have."""
    if unknown := sorted({*names}.difference(known)):
        raise no_setting(owner, unknown[0], known)


def check_two_annotators(corpus: Corpus) -> None:
    """Refuse a corpus in which no document has two annotators."""
    if not len(corpus):
        raise InputError("no document: there is nothing to measure")
    if not np.count_nonzero(corpus.n_annotators >= MIN_ANNOTATORS):
        cause = _too_few_annotators(corpus)
        longer = _name_with_suffix(corpus.documents)
        if longer is None or len(corpus.annotators) < MIN_ANNOTATORS:
            raise InputError(cause, _DECLARE_ANNOTATORS)
        name, suffix = longer
        raise InputError(
            f"{cause}, and {name!r} and {name + suffix!r} differ in a suffix",
            Cure(
                f"if they are one document, give it one name; in RTTM take {suffix!r} off with {{}}",
                Set("options", {"strip": suffix}),
            ),
        )


def _name_with_suffix(names: Sequence[str]) -> tuple[str, str] | None:
    """Return a name and the suffix that makes it another of the names, such as ".wav"; ``None`` if there is none."""
    known = set(names)
    for name in names:
        for at in range(1, len(name)):
            # A suffix begins with a mark: "m10" is no "m1" with a suffix.
            if name[:at] in known and not name[at].isalnum():
                return name[:at], name[at:]
    return None


def _too_few_annotators(corpus: Corpus) -> str:
    """Return the cause for a corpus in which no document has two annotators."""
    names = corpus.annotators
    if not names:
        return f"no annotator: nobody annotated document {corpus.documents[0]!r}"
    if len(names) == 1:
        return f"only one annotator: {names[0]!r}, on {few(map(repr, corpus.documents), 3)}"
    return f"no document has two annotators: {few(map(repr, names))} annotated different documents"


def documents_without(annotators: IntArray, units: IntArray) -> Iterator[str]:
    """Yield notes on documents that can have no value, from the numbers of annotators and units of each."""
    has_annotators = annotators >= MIN_ANNOTATORS
    n_alone = np.count_nonzero(~has_annotators)
    if n_alone:
        yield f"{n_alone} of {len(units)} documents have fewer than two annotators and no value"
    n_empty = np.count_nonzero(has_annotators & (units == 0))
    if n_empty:
        yield f"{n_empty} of {len(units)} documents have no units and no value"


def number_range(numbers: Sequence[int]) -> str:
    """Return the range of numbers: "3" if all are 3, "3-7" from 3 to 7, "0" without numbers."""
    if not numbers:
        return "0"
    return str(min(numbers)) if min(numbers) == max(numbers) else f"{min(numbers)}-{max(numbers)}"
