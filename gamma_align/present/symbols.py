"""Symbols of coefficients, by the names that data have."""

from __future__ import annotations

from collections.abc import Mapping

from gamma_align.alignment import PARTITION, soft_prefix
from gamma_align.data import Json

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
_ALIGNED = ("gamma", "gamma_cat", "gamma_k")
"""The coefficients that rest on an alignment."""


def symbol_of(coefficient: str, prefix: str = "") -> str:
    """Return the symbol of a coefficient, its name if it has none; `prefix` precedes γ, γcat and γk (`prefix_of`)."""
    symbol = COEFFICIENT_SYMBOLS.get(coefficient, coefficient)
    return prefix + symbol if coefficient in _ALIGNED else symbol


def prefix_of(settings: Mapping[str, Json]) -> str:
    """Return the prefix of γ, γcat and γk in a result with these settings: "soft-" or an empty text.

    A result that has settings of its own, such as a curve, has the settings of γ under the name "gamma".
    """
    gamma_settings = settings.get("gamma", settings)
    return soft_prefix(str(gamma_settings.get("alignment", PARTITION)))
