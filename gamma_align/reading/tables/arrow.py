"""Columns between pyarrow and NumPy. pyarrow has no types: only this module and `parquet_tables` handle its objects."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gamma_align.columns import UNLABELLED, IntArray
from gamma_align.data.tables import Coded, label_of
from gamma_align.errors import MissingExtraError
from gamma_align.reading.tables.columns import ColumnValues

Module: TypeAlias = Any
Schema: TypeAlias = Any
ChunkedArray: TypeAlias = Any
Chunk: TypeAlias = Any


class Pyarrow(NamedTuple):
    """The modules ``pyarrow`` and ``pyarrow.parquet``."""

    arrow: Module
    parquet: Module


def load_pyarrow(purpose: str) -> Pyarrow:
    """Return pyarrow's modules; MissingExtraError if it is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet", f"{purpose} Parquet") from error
    return Pyarrow(pa, pq)


def values_of(pa: Module, column: ChunkedArray) -> ColumnValues:
    """Return labels as `Coded`, numbers as an array, anything else as a list."""
    kind, types = column.type, pa.types
    is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    if types.is_floating(kind) or (types.is_integer(kind) and not column.null_count):
        # A column without rows may have no chunks.
        return np.concatenate([np.empty(0, kind.to_pandas_dtype()), *map(_numbers, column.chunks)])
    if is_text or types.is_null(kind):
        return _coded(column.dictionary_encode().unify_dictionaries())
    if types.is_dictionary(kind):
        return _coded(column.unify_dictionaries())
    values: list[object] = column.to_pylist()
    return values


def _numbers(chunk: Chunk) -> npt.NDArray[Any]:
    """Return a chunk of numbers as an array of its own type, NaN for null.

    Equals ``chunk.to_numpy(zero_copy_only=False)``, which imports pandas if it is installed and thus takes longer than
    reading the file.
    """
    chunk = chunk.fill_null(np.nan) if chunk.null_count else chunk
    dtype = np.dtype(chunk.type.to_pandas_dtype())
    if not len(chunk):
        return np.empty(0, dtype)
    return np.frombuffer(chunk.buffers()[1], dtype, count=len(chunk), offset=chunk.offset * dtype.itemsize)


def _coded(column: ChunkedArray) -> Coded | list[object]:
    """Return a column of dictionaries as `Coded`, or as a list if some value is no label: a problem of each row."""
    codes = np.concatenate([np.empty(0, dtype=np.int64), *(_codes(chunk.indices) for chunk in column.chunks)])
    values = column.chunk(0).dictionary.to_pylist() if column.chunks else []
    if set(map(type, values)) <= {str}:
        return Coded(codes, values)
    try:
        labels = list(map(label_of, values))
    except TypeError:
        rows: list[object] = column.to_pylist()
        return rows
    missing = [index for index, label in enumerate(labels) if label is None]
    codes[np.isin(codes, missing)] = UNLABELLED  # a dictionary may contain a null of its own
    return Coded(codes, ["" if label is None else label for label in labels])


def _codes(indices: Chunk) -> IntArray:
    signed = indices.cast("int64")  # unsigned numbers cannot hold -1
    return _numbers(signed.fill_null(UNLABELLED) if signed.null_count else signed)


def array_of(pa: Module, values: ColumnValues) -> Chunk:
    """Return a column as an array of pyarrow."""
    if not isinstance(values, Coded):
        return pa.array(values)
    codes = pa.array(values.codes.astype(np.int32), mask=values.codes < 0)
    return pa.DictionaryArray.from_arrays(codes, pa.array(list(values.labels), type=pa.string()))
