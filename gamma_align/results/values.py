"""What a measurement returns: a value with its interval or the reason why there is none, as JSON and as data frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, Self

import numpy as np

from gamma_align.errors import MissingExtraError

Backend = Literal["pandas", "polars", "pyarrow", "modin", "cudf"]
Columns = dict[str, list[Any]]

ONE_ANNOTATOR = "one annotator only"
NO_ANNOTATOR = "no annotator"
NO_UNITS = "no units"


def too_few(annotators: int) -> str | None:
    """Return the reason why so many annotators cannot be compared, or None where they can."""
    if annotators >= 2:  # noqa: PLR2004
        return None
    return ONE_ANNOTATOR if annotators else NO_ANNOTATOR


class Result:
    """Base of every result: a frozen dataclass that can be written as JSON or shown as a data frame."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result ready for JSON; NaN and infinity are None."""
        return {name: json_ready(value) for name, value in self._contents().items()}

    def to_frame(self, backend: Backend = "pandas") -> Any:  # noqa: ANN401  (the backend's own frame)
        """Return the result as a data frame; NaN and missing reasons where there is nothing to say.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        """
        return frame_of(self._columns(), backend)

    def _contents(self) -> Mapping[str, Any]:
        """Return what JSON shows, by key: the fields, where a result does not say otherwise."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def _columns(self) -> Columns:
        """Return the columns of the data frame: one row of the numbers, texts and values among the contents."""
        columns: Columns = {}
        for name, content in self._contents().items():
            if isinstance(content, Value):
                columns |= value_columns(name, [content], type(content))
            elif content is None or isinstance(content, (bool, int, float, str)):
                columns[name] = [content]
        return columns


def json_ready(content: Any) -> Any:  # noqa: ANN401  (whatever a result holds, and JSON)
    """Return what a result holds in terms of JSON: dictionaries, lists, numbers, texts; None for NaN and infinity."""
    if isinstance(content, (np.ndarray, np.generic)):
        content = content.tolist()
    elif isinstance(content, tuple) and hasattr(content, "_asdict"):
        content = content._asdict()
    if isinstance(content, Result):
        return content.to_dict()
    if isinstance(content, float):
        return finite_or_none(content)
    if isinstance(content, Mapping):
        return {name: json_ready(value) for name, value in content.items()}
    if isinstance(content, (tuple, list)):
        return [json_ready(value) for value in content]
    return content


def finite_or_none(number: float) -> float | None:
    """Return the number, or None for NaN and infinity, which JSON cannot write."""
    return float(number) if math.isfinite(number) else None


def columns_of(rows: Sequence[object], names: Iterable[str]) -> Columns:
    """Return attributes of the rows of a table as columns."""
    return {name: [getattr(row, name) for row in rows] for name in names}


def frame_of(columns: Columns, backend: Backend) -> Any:  # noqa: ANN401  (the backend's own frame)
    """Return columns as a data frame of the backend."""
    try:
        import narwhals as nw  # noqa: PLC0415  (an optional package)
    except ImportError:
        raise MissingExtraError("narwhals", "frames", "a data frame of the result") from None
    return nw.from_dict(columns, backend=backend).to_native()


@dataclass(frozen=True, slots=True)
class Value(Result):
    """A coefficient with its 95 % interval, or the reason why it is not available.

    Attributes
    ----------
    value : float
        The coefficient; NaN where it is not available.
    low, high : float
        Bounds of the 95 % interval; NaN where there is none.
    reason : str or None
        Why the coefficient is not available; None where it is.
    no_interval : str or None
        Why there is a coefficient and no interval of it; None where there is one, or none was asked for.

    Examples
    --------
    >>> print(ga.Value(0.5, 0.4, 0.6))
    0.5000 [0.4000, 0.6000]
    >>> print(ga.Value.unavailable("no units"))
    NA (no units)
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    reason: str | None = None
    no_interval: str | None = None

    @classmethod
    def unavailable(cls, reason: str) -> Self:
        """Return a value that is not available, and why."""
        return cls(math.nan, reason=reason)

    @property
    def is_available(self) -> bool:
        """Whether there is a value."""
        return self.reason is None

    def __str__(self) -> str:
        if self.reason is not None:
            return f"NA ({self.reason})"
        if self.no_interval is not None:
            return f"{self.value:.4f} (no interval: {self.no_interval})"
        if math.isnan(self.low) or math.isnan(self.high):
            return f"{self.value:.4f}"
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"


def value_columns(name: str, values: Sequence[Value], kind: type[Value] = Value) -> Columns:
    """Return the columns of a data frame for values of a kind: the coefficient under `name`, `name_low` and so on."""
    return {
        name if field.name == "value" else f"{name}_{field.name}": [getattr(value, field.name) for value in values]
        for field in fields(kind)
    }
