"""`unitizing_alpha_2004`: the older αU, document by document."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gamma_align.data.checks import check_two_annotators
from gamma_align.data.corpus import Continuum, Corpus
from gamma_align.results.values import NO_UNITS, Result, Value, too_few
from gamma_align.unitizing.alpha_u_2004 import disagreements_2004
from gamma_align.unitizing.family import ONE_VALUE

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class AlphaU2004Category(Result):
    """αU (2004) of one category: its label (None for units without one), D_o, D_e, and the coefficient."""

    category: str | None
    observed: float
    expected: float
    alpha: Value


@dataclass(frozen=True, slots=True)
class AlphaU2004(Result):
    """αU (2004) of one document: over all its categories, and of each."""

    document: str
    alpha: Value
    categories: tuple[AlphaU2004Category, ...]


def unitizing_alpha_2004(corpus: Corpus | Continuum) -> tuple[AlphaU2004, ...]:
    """Return Krippendorff's older αU (1995, in the form of 2004) of each document, to compare with figures in print.

    It is not uα, and has been replaced by it: see `unitizing_alpha`. Documents have no pooled value.

    Parameters
    ----------
    corpus : Corpus or Continuum
        The data; bounds and extents are whole numbers. Units of different categories may overlap.

    Returns
    -------
    tuple of AlphaU2004
        One a document, sorted by name.

    Raises
    ------
    InputError
        For bounds that are not whole numbers, units of one annotator and category that overlap, or if no document has
        two annotators.
    """
    if isinstance(corpus, Continuum):
        corpus = Corpus.from_continua([corpus])
    check_two_annotators(corpus)
    found = disagreements_2004(corpus)
    categories: list[list[AlphaU2004Category]] = [[] for _ in corpus.documents]
    for document, code, observed, expected in zip(*(column.tolist() for column in found), strict=True):
        label = None if code < 0 else corpus.categories[code]
        categories[document].append(AlphaU2004Category(label, observed, expected, _alpha(observed, expected)))
    rows = zip(corpus.documents, corpus.n_annotators.tolist(), categories, strict=True)
    return tuple(AlphaU2004(name, _overall(annotators, of), tuple(of)) for name, annotators, of in rows)


def _overall(annotators: int, categories: Sequence[AlphaU2004Category]) -> Value:
    missing = too_few(annotators) or (None if categories else NO_UNITS)
    if missing is not None:
        return Value.unavailable(missing)
    observed, expected = (
        math.fsum(getattr(category, name) for category in categories) for name in ("observed", "expected")
    )
    return _alpha(observed, expected)


def _alpha(observed: float, expected: float) -> Value:
    return Value(1.0 - observed / expected) if expected > 0 else Value.unavailable(ONE_VALUE)
