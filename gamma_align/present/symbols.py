"""Symbols of coefficients, by the names that data have."""

from __future__ import annotations

from collections.abc import Mapping

from gamma_align.data.json_types import Json

COEFFICIENT_SYMBOLS = {
    "gamma": "γ",
    "gamma_cat": "γcat",
    "gamma_k": "γk",
    "u": "uα",
    "bar_u": "|uα",
    "cu": "cuα",
    "ku": "(k)uα",
    "layers": "uα",
}


SOFT = "soft-"
"""Precedes the symbols γ, γcat and γk if a unit may be in several unitary alignments."""


def symbol_of(coefficient: str) -> str:
    """Return the symbol of a coefficient; its name if it has none."""
    return COEFFICIENT_SYMBOLS.get(coefficient, coefficient)


def prefix_of(settings: Mapping[str, Json]) -> str:
    """Return what precedes γ in results with these settings: "soft-", or nothing."""
    return SOFT if settings.get("alignment") == "cover" else ""
