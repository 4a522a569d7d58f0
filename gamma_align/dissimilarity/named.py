"""Distances by the names that people use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gamma_align.dissimilarity.categorial import Matrix, Nominal
from gamma_align.dissimilarity.categorial_numeric import Interval, Ordinal, Ratio
from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from gamma_align.dissimilarity.metric import Distance

NAMES = ("nominal", "ordinal", "interval", "ratio")

CategoryDistance = Nominal | Ordinal | Interval | Ratio | Matrix


def category_distance(distance: str | Distance) -> Distance:
    """Return the distance of that name, or the distance given.

    Raises
    ------
    SettingsError
        For a name that is none of `NAMES`.
    """
    if not isinstance(distance, str):
        return distance
    return named(distance)


def named(name: str) -> Nominal | Ordinal | Interval | Ratio:
    """Return the distance of that name; it serves γ (`bind`) and coefficients on lengths (`metric`).

    Raises
    ------
    SettingsError
        For a name that is none of `NAMES`.
    """
    found: dict[str, type[Nominal | Ordinal | Interval | Ratio]] = {
        "nominal": Nominal,
        "ordinal": Ordinal,
        "interval": Interval,
        "ratio": Ratio,
    }
    if name not in found:
        raise SettingsError(f"distance must be one of {', '.join(NAMES)}, or a distance object, not {name!r}")
    return found[name]()
