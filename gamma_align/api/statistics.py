"""Statistics of documents or items, of data in any form."""

from __future__ import annotations

from typing import overload

from gamma_align.api.sources import corpus_of
from gamma_align.data import ItemTable, Source, kind_of
from gamma_align.errors import InputError
from gamma_align.measures.gamma import GammaRows, GammaSettings
from gamma_align.measures.gamma.gamma import gamma_rows
from gamma_align.measures.items import ItemRows, ItemSettings, item_rows
from gamma_align.measures.unitizing import UnitizingRows, UnitizingSettings
from gamma_align.measures.unitizing.unitizing_alpha import unitizing_rows


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
    """Return rows of statistics of documents for γ, γcat and γk or for the uα family, or of items for coefficients.

    `pool` computes the same result from the rows of all parts of a corpus, in any order, as from the full corpus. Rows
    can be pickled. Rows of documents, one per document, can also be converted to and from data frames (`to_frame`,
    `from_frame`).

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path; or ItemTable
        The corpus, or a part of it with complete documents. With settings of coefficients on items, the table, or a
        part of it with all judgments of its items.
    settings : GammaSettings, UnitizingSettings or ItemSettings
        Settings of γ, of the uα family or of coefficients on items. Settings of γ must have a number of samples, or
        ``precision_of="documents"``.
    n_jobs : int, optional
        Number of workers for γ, as in `gamma`.

    Returns
    -------
    GammaRows, UnitizingRows or ItemRows

    Raises
    ------
    SettingsError
        If the samples of a document depend on the other documents.
    InputError
        As for `unitizing_alpha`, if units overlap; for a table of items without settings of items, or settings of
        items without a table.

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
                f"coefficients on items need an ItemTable, not {kind_of(source)}",
                "build one with ga.ItemTable.from_frame, or read one with ga.read_items",
            )
        return item_rows(source, settings)
    if isinstance(source, ItemTable):
        raise InputError("γ and the uα family need units, not a table of items", "measure it with ga.ItemSettings")
    corpus = corpus_of(source, "document_statistics")
    if isinstance(settings, UnitizingSettings):
        return unitizing_rows(corpus, settings)
    return gamma_rows(corpus, settings, n_jobs=n_jobs)
