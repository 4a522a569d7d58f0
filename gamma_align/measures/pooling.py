"""Rows of statistics of a part of the data, made anywhere, and the result of the whole that they give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar, overload

from gamma_align.data.item_table import ItemTable
from gamma_align.data.sources import Source, corpus_of
from gamma_align.errors import InputError
from gamma_align.measures.gamma.gamma import gamma_rows, pooled_gamma
from gamma_align.measures.gamma.gamma_result import GammaResult
from gamma_align.measures.gamma.gamma_rows import GammaRows
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.items.coefficients import item_rows, pooled_items
from gamma_align.measures.items.items_result import ItemResult
from gamma_align.measures.items.items_rows import ItemRows
from gamma_align.measures.items.items_settings import ItemSettings
from gamma_align.measures.unitizing.unitizing_alpha import UnitizingSettings, pooled_unitizing, unitizing_rows
from gamma_align.measures.unitizing.unitizing_result import UnitizingResult
from gamma_align.measures.unitizing.unitizing_rows import UnitizingRows

Rows = TypeVar("Rows")


@overload
def document_statistics(source: Source, settings: GammaSettings, /, *, n_jobs: int | None = None) -> GammaRows: ...


@overload
def document_statistics(source: Source, settings: UnitizingSettings, /) -> UnitizingRows: ...


@overload
def document_statistics(source: ItemTable, settings: ItemSettings, /) -> ItemRows: ...


def document_statistics(
    source: Source | ItemTable,
    settings: GammaSettings | UnitizingSettings | ItemSettings,
    /,
    *,
    n_jobs: int | None = None,
) -> GammaRows | UnitizingRows | ItemRows:
    """Return what documents add to γ, γcat and γk or to the uα family, or items to their coefficients: rows of numbers.

    Rows of the parts of a corpus, made anywhere and in any order, give `pool` the result of the whole. They can be
    pickled; those of documents, a row each, go through data frames (`to_frame`, `from_frame`).

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path; or ItemTable
        The corpus, or a part of it that has its documents whole; with settings of coefficients on items the table, or
        a part of it that has all judgments of its items.
    settings : GammaSettings, UnitizingSettings or ItemSettings
        Of γ, of the uα family or of coefficients on items. Settings of γ say a number of samples, or
        ``precision_of="documents"``.
    n_jobs : int, optional
        Workers of γ, as in `gamma`.

    Returns
    -------
    GammaRows, UnitizingRows or ItemRows

    Raises
    ------
    SettingsError
        If the samples of a document depend on the other documents.
    InputError
        As `unitizing_alpha`, for units that overlap; for a table of items with other settings than of items, or the
        other way round.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> settings = ga.GammaSettings.of(samples=30)
    >>> rows = [ga.document_statistics(units[first : first + 2], settings) for first in (2, 0)]
    >>> ga.pool(rows, settings) == ga.gamma(units, samples=30)
    True
    """
    if isinstance(settings, ItemSettings):
        if not isinstance(source, ItemTable):
            raise InputError(
                f"coefficients on items are of an ItemTable, not of {type(source).__name__}: ga.ItemTable.from_frame "
                "makes one, ga.read_items reads one"
            )
        return item_rows(source, settings)
    if isinstance(source, ItemTable):
        raise InputError("a table of items is measured with ga.ItemSettings; γ and the uα family are of units")
    corpus = corpus_of(source, "document_statistics")
    if isinstance(settings, UnitizingSettings):
        return unitizing_rows(corpus, settings)
    return gamma_rows(corpus, settings, n_jobs=n_jobs)


@overload
def pool(rows: Iterable[GammaRows], settings: GammaSettings, /) -> GammaResult: ...


@overload
def pool(rows: Iterable[UnitizingRows], settings: UnitizingSettings, /) -> UnitizingResult: ...


@overload
def pool(rows: Iterable[ItemRows], settings: ItemSettings, /) -> ItemResult: ...


def pool(
    rows: Iterable[GammaRows] | Iterable[UnitizingRows] | Iterable[ItemRows],
    settings: GammaSettings | UnitizingSettings | ItemSettings,
    /,
) -> GammaResult | UnitizingResult | ItemResult:
    """Return the result that rows give together: that of their corpus or of their table, to the last bit.

    Notes on the annotators of a whole corpus, such as one whose units are all without length, are not among its notes:
    rows of documents do not have what annotators did in other documents.

    Parameters
    ----------
    rows : iterable of GammaRows, of UnitizingRows or of ItemRows
        Of `document_statistics`, for all parts of a corpus or of a table, in any order.
    settings : GammaSettings, UnitizingSettings or ItemSettings
        Those that the rows were made with; rows of items can be pooled with other settings of items.

    Returns
    -------
    GammaResult, UnitizingResult or ItemResult

    Raises
    ------
    SettingsError
        For rows that were made with other settings.
    InputError
        For rows of another measure; documents or items that are there twice, which are named; bounds that count
        different things; no two annotators; categories of different kinds, or that are declared in different ways.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> settings = ga.UnitizingSettings.of()
    >>> rows = [ga.document_statistics(units[first : first + 2], settings) for first in (2, 0)]
    >>> print(ga.pool(rows, settings).u)
    -0.0864 (no interval: fewer than three documents with disagreement)
    """
    if isinstance(settings, ItemSettings):
        return pooled_items(_all_of(rows, ItemRows), settings)
    if isinstance(settings, UnitizingSettings):
        return pooled_unitizing(_all_of(rows, UnitizingRows), settings)
    return pooled_gamma(_all_of(rows, GammaRows), settings)


def _all_of(rows: Iterable[object], kind: type[Rows]) -> list[Rows]:
    """Return rows that are all of one kind."""
    parts = []
    for part in rows:
        if not isinstance(part, kind):
            raise InputError(f"with these settings {kind.__name__} are pooled, not {type(part).__name__}")
        parts.append(part)
    return parts
