"""Whatever is taken for a distance: its name, the distance itself, a table or a function."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable as Function
from collections.abc import Mapping
from typing import Any, Protocol

from gamma_align.distances.base import Distance
from gamma_align.distances.labels import EditDistance, Nominal
from gamma_align.distances.numeric import Bipolar, Circular, GwetOrdinal, Interval, Linear, Ordinal, Ratio
from gamma_align.distances.sets import Dice, Jaccard, Masi, MasiProduct, Passonneau
from gamma_align.distances.tables import Callable, Matrix
from gamma_align.distances.taxonomy import ExtendedSenses, MelamedResnik, TaxonomyPath
from gamma_align.errors import SettingsError


class Frame(Protocol):
    """A data frame of any library."""

    @property
    def columns(self) -> Any:  # noqa: ANN401
        """Its columns."""


AnyDistance = str | Distance | Mapping[Any, Any] | Frame | Function[[Any, Any], float]
"""A name, a distance, a square table (mapping or data frame), or a function of two labels; see `as_distance`."""

_OF_TAXONOMY = (MelamedResnik, TaxonomyPath, ExtendedSenses)
_KINDS: dict[str, type[Distance]] = {
    kind.name: kind
    for kind in (
        *(Nominal, Ordinal, GwetOrdinal, Interval, Ratio, Linear, Bipolar, Circular, EditDistance),
        *(Jaccard, Dice, Passonneau, Masi, MasiProduct, *_OF_TAXONOMY),
    )
}
_PARAMETERS: dict[str, tuple[str, Function[[str], Any]]] = {
    "circular": ("period", float),
    "interval": ("by", str),
    "linear": ("by", str),
}
"""What may stand behind a name and a colon."""
_CURES = {"period": "'circular:360'", "taxonomy": "distances.MelamedResnik(taxonomy) …, --taxonomy FILE.csv"}

NAMES = tuple(name for name, kind in _KINDS.items() if kind not in (*_OF_TAXONOMY, Circular))
"""Distances that need nothing but their name."""
TAXONOMY_NAMES = tuple(kind.name for kind in _OF_TAXONOMY)
"""Distances that need a taxonomy besides."""


def as_distance(distance: AnyDistance) -> Distance:
    """Return what is taken for a distance as one.

    Parameters
    ----------
    distance : str, Distance, mapping, data frame or callable
        A name of `NAMES`, or ``"circular:24"`` with the period, ``"interval:position"``, ``"linear:position"``; a
        distance; a table, see `Matrix.from_mapping` and `Matrix.from_frame`; or a function of two labels.

    Raises
    ------
    SettingsError
        For anything else, with what is wrong.
    MissingExtraError
        For a data frame without narwhals.
    """
    if isinstance(distance, Distance):
        return distance
    if isinstance(distance, str):
        return by_name(distance)
    if isinstance(distance, Mapping):
        return Matrix.from_mapping(distance)
    if callable(distance) and not isinstance(distance, type):
        return Callable(distance)
    if hasattr(type(distance), "columns"):
        return Matrix.from_frame(distance)
    what = f"the class {distance.__name__} itself" if isinstance(distance, type) else type(distance).__name__
    raise SettingsError(
        "distance must be a name, a Distance, a table with its labels (a mapping, a data frame, or "
        f"distances.Matrix(labels, table)) or a function of two labels, not {what}"
    )


def by_name(name: str, **options: Any) -> Distance:  # noqa: ANN401  (fields of distances)
    """Return the distance of a name, with options such as ``order``, ``separator`` and ``taxonomy``.

    Raises
    ------
    SettingsError
        For a name that is none, or an option that the distance does not have, or one that it lacks.
    """
    plain, colon, parameter = name.partition(":")
    kind = _KINDS.get(plain)
    if kind is None or (colon and plain not in _PARAMETERS):
        raise SettingsError(
            f"distance must be one of {', '.join(NAMES)}, circular:PERIOD (with a taxonomy also "
            f"{', '.join(TAXONOMY_NAMES)}), or a Distance, a table or a function of two labels, not {name!r}"
        )
    if colon:
        option, read = _PARAMETERS[plain]
        try:
            options[option] = read(parameter)
        except ValueError:
            raise SettingsError(f"{name!r}: {parameter!r} is not a number") from None
    fields = _fields(kind)
    for option in [option for option in options if option not in fields][:1]:
        those = [other for other, of in _KINDS.items() if option in _fields(of)]
        raise SettingsError(f"the {plain} distance has no {option}; {', '.join(those)} have one")
    for option in [option for option, needed in fields.items() if needed and option not in options][:1]:
        raise SettingsError(f"the {plain} distance needs its {option}: {_CURES[option]}")
    return kind(**options)


def _fields(kind: type[Distance]) -> dict[str, bool]:
    """Return the parameters of a distance, and whether each is needed."""
    nothing = dataclasses.MISSING
    return {
        field.name: field.default is nothing and field.default_factory is nothing
        for field in dataclasses.fields(kind)  # type: ignore[arg-type]
    }
