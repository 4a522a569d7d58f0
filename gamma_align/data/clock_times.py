"""Times as bounds, which become seconds: of a clock, 0:01:03.580 or 1:03.5, and of a day, 2024-03-01T10:00:05."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from gamma_align.data.tables import Table, cells_of

_TIME = re.compile(r"\s*(?:(\d+):)?(\d+):([0-5]\d(?:[.,]\d+)?)\s*")
_DAY = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
_BEGINNING = datetime(1970, 1, 1)  # noqa: DTZ001  (of the clock that the file means)
_SECONDS_A_MINUTE = 60
_MAX_MINUTE = 59  # after hours
_HALF_A_DAY = 43200.0  # seconds; starts that go back by more passed midnight


def with_seconds(units: Table) -> tuple[Table, tuple[str, ...]]:
    """Return the units with seconds in place of times of a clock, and notes.

    A column is read so if all its cells are such times. Times without hours are hours and minutes or minutes and
    seconds, which makes no difference if all bounds are of this kind; if only some are, they stay as they are. So do
    times of a day that pass midnight.

    Times with a date become seconds since 1970 if both bounds are such. Counted from the first unit of a document, two
    files of one document would be shifted against each other.
    """
    bounds = [_moments(units.columns[name]) for name in ("start", "end") if name in units.columns]
    zones = {moment.tzinfo is None for moments in bounds for moment in moments}
    if len(bounds) > 1 and all(bounds) and len(zones) == 1:  # some times without a zone may be of any
        for name, moments in zip(("start", "end"), bounds, strict=True):
            units = units.with_column(name, [*map(_seconds_since_1970, moments)])
        return units, (f"{units.origin}: start and end: dates and times are read as seconds since 1970",)
    names = [name for name in ("start", "end", "duration") if name in units.columns]
    times = {name: seconds_of(units.columns[name]) for name in names}
    found = {name: values for name, values in times.items() if values is not None}
    if not found:
        return units, ()
    has_hours = all(has_hours for _, has_hours in found.values())
    if not has_hours and len(found) < len(names):
        return units, ()
    if "start" in found and (np.diff(found["start"][0]) < -_HALF_A_DAY).any():
        return units, ()
    for name, (seconds, _) in found.items():
        units = units.with_column(name, seconds)
    meaning = "hours, minutes and seconds" if has_hours else "minutes and seconds"
    return units, (f"{units.origin}: {' and '.join(found)}: times are read as {meaning}, in seconds",)


def _moments(values: Any) -> list[datetime]:  # noqa: ANN401  (a column of any kind)
    """Return the time of each cell; none if a cell is no time with a date."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return []
    moments = [*map(_moment, cells_of(values))]
    known = [moment for moment in moments if moment is not None]
    return known if len(known) == len(moments) else []


def _seconds_since_1970(moment: datetime) -> float:
    return (moment - _BEGINNING.replace(tzinfo=UTC if moment.tzinfo else None)) / timedelta(seconds=1)


def _moment(cell: object) -> datetime | None:
    if isinstance(cell, str) and _DAY.fullmatch(cell.strip()):
        try:
            return datetime.fromisoformat(cell.strip())
        except ValueError:
            return None
    return cell if isinstance(cell, datetime) else None


def seconds_of(values: Any) -> tuple[list[float], bool] | None:  # noqa: ANN401  (a column of any kind)
    """Return the seconds of each cell, and whether all have hours; ``None`` if a cell is no time of a clock."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return None
    matches = [_TIME.fullmatch(cell) if isinstance(cell, str) else None for cell in cells_of(values)]
    times = [match.groups() for match in matches if match is not None]
    if (
        not times
        or len(times) < len(matches)
        or any(hours and int(minutes) > _MAX_MINUTE for hours, minutes, _ in times)
    ):
        return None
    seconds = [
        float(
            _SECONDS_A_MINUTE * (_SECONDS_A_MINUTE * int(hours or 0) + int(minutes)) + Decimal(rest.replace(",", "."))
        )
        for hours, minutes, rest in times
    ]
    return seconds, all(hours is not None for hours, _, _ in times)
