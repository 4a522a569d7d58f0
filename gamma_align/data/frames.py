"""Data frames of any library as columns, through narwhals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gamma_align.errors import InputError, MissingExtraError


class _FrameColumns(Mapping[str, Any]):
    """Columns of a frame, each converted when it is asked for: a frame may hold texts nobody needs here."""

    def __init__(self, frame: Any) -> None:  # noqa: ANN401
        self._frame = frame
        self._names = list(frame.columns)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401
        if name not in self._names:
            raise KeyError(name)
        series = self._frame.get_column(name)
        if series.dtype.is_numeric() and not series.is_null().any():
            return series.to_numpy()
        return series.to_list()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def columns_of_frame(frame: Any) -> Mapping[str, Any]:  # noqa: ANN401  (any data frame)
    """Return the columns of a data frame: numbers as arrays, anything else as lists, nulls ``None`` or NaN.

    Parameters
    ----------
    frame : data frame
        Of pandas, polars (lazy too), pyarrow, duckdb or whatever narwhals knows; its index is not used.

    Returns
    -------
    mapping of str to array or list

    Raises
    ------
    InputError
        For what is no data frame.
    MissingExtraError
        Without narwhals.
    """
    try:
        import narwhals as nw  # noqa: PLC0415  (an optional package)
    except ImportError as error:
        raise MissingExtraError("narwhals", "frames", "reading data frames") from error
    try:
        native = nw.from_native(frame)
    except TypeError:
        raise InputError(
            f"a data frame is needed, not {type(frame).__name__}; columns go to from_columns, records to from_records"
        ) from None
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"the data frame has a column twice: {error}") from None
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    return _FrameColumns(native)
