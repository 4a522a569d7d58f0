"""Compute rows of statistics of parts of the data, and pool them into one result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar, overload

from gamma_align.errors import InputError
from gamma_align.measures.gamma.gamma import pooled_gamma
from gamma_align.measures.gamma.gamma_result import GammaResult
from gamma_align.measures.gamma.gamma_rows import GammaRows
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.items.coefficients import pooled_items
from gamma_align.measures.items.items_result import ItemResult
from gamma_align.measures.items.items_rows import ItemRows
from gamma_align.measures.items.items_settings import ItemSettings
from gamma_align.measures.unitizing.unitizing_alpha import UnitizingSettings, pooled_unitizing
from gamma_align.measures.unitizing.unitizing_result import UnitizingResult
from gamma_align.measures.unitizing.unitizing_rows import UnitizingRows

Rows = TypeVar("Rows")


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
    """Return the result of all rows, which equals the result of their corpus or table to the last bit.

    Notes on the annotators of a full corpus, such as one with only units of length 0, are missing: rows of documents do
    not contain the units of other documents.

    Parameters
    ----------
    rows : iterable of GammaRows, of UnitizingRows or of ItemRows
        Rows from `document_statistics` for all parts of a corpus or a table, in any order.
    settings : GammaSettings, UnitizingSettings or ItemSettings
        The settings of the rows; rows of items can be pooled with different settings of items.

    Returns
    -------
    GammaResult, UnitizingResult or ItemResult

    Raises
    ------
    SettingsError
        For rows that were made with other settings.
    InputError
        For rows of another measure, documents or items in several rows, different units of length, fewer than two
        annotators, and categories of different kinds or with different declarations.

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
    """Return the rows, if all of them are of one kind."""
    parts = []
    for part in rows:
        if not isinstance(part, kind):
            raise InputError(
                f"these settings are for {kind.__name__}, not for {type(part).__name__}",
                "use the settings that the rows were made with",
            )
        parts.append(part)
    return parts
