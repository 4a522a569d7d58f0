"""Symbols of coefficients, by the names that data have."""

from __future__ import annotations

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


def symbol_of(coefficient: str) -> str:
    """Return the symbol of a coefficient; its name if it has none."""
    return COEFFICIENT_SYMBOLS.get(coefficient, coefficient)
