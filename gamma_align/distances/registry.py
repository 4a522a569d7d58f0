"""Distances by name, for the command line and for ``distance="ordinal"``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gamma_align.distances.base import Distance
from gamma_align.distances.nominal import Nominal
from gamma_align.distances.numeric import Bipolar, GwetOrdinal, Interval, Linear, Ordinal, Ratio
from gamma_align.distances.sets import Dice, Jaccard, Masi, MasiProduct, Passonneau
from gamma_align.distances.tables import Callable
from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable as Function

_MAKERS: dict[str, Function[[], Distance]] = {
    kind.name: kind
    for kind in (
        *(Nominal, Ordinal, GwetOrdinal, Interval, Ratio, Linear, Bipolar),
        *(Jaccard, Dice, Passonneau, Masi, MasiProduct),
    )
}

NAMES = tuple(_MAKERS)
"""Distances that need nothing but their name."""


def by_name(distance: str | Distance | Function[[Any, Any], float]) -> Distance:
    """Return the distance of a name or a function, or the distance itself.

    Raises
    ------
    SettingsError
        For a name that is none.
    """
    if isinstance(distance, Distance):
        return distance
    if isinstance(distance, str):
        if distance not in _MAKERS:
            raise SettingsError(f"distance must be one of {', '.join(NAMES)} or a Distance, not {distance!r}")
        return _MAKERS[distance]()
    if callable(distance):
        return Callable(distance)
    raise SettingsError(f"distance must be a name, a Distance or a function of two labels, not {distance!r}")
