"""Distances by the names that people use."""

from __future__ import annotations

from typing import Protocol

from gamma_align.dissimilarity.categorial import Categorial, Nominal
from gamma_align.dissimilarity.categorial_numeric import Interval, Ordinal, Ratio
from gamma_align.dissimilarity.metric import Distance
from gamma_align.errors import SettingsError


class CategoryDistance(Categorial, Distance, Protocol):
    """A distance that serves γ (`bind`) and coefficients on lengths (`metric`)."""


_BY_NAME: dict[str, type[Nominal | Ordinal | Interval | Ratio]] = {
    "nominal": Nominal,
    "ordinal": Ordinal,
    "interval": Interval,
    "ratio": Ratio,
}
NAMES = tuple(_BY_NAME)


def named_distance(name: str) -> Nominal | Ordinal | Interval | Ratio:
    """Return the distance of that name.

    Raises
    ------
    SettingsError
        For a name that is none of `NAMES`.
    """
    if name not in _BY_NAME:
        raise SettingsError(f"distance must be one of {', '.join(NAMES)}, or a distance object, not {name!r}")
    return _BY_NAME[name]()
