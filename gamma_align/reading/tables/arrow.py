"""Columns between pyarrow and NumPy. pyarrow has no types: only this module and `parquet_tables` handle its objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gamma_align.columns import UNLABELLED, BoolArray, IntArray
from gamma_align.data import Coded, label_of
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
    kind = column.type
    types = pa.types
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
    """Return a chunk of numbers as an array of its own type, NaN for null."""
    return _values(chunk.fill_null(np.nan) if chunk.null_count else chunk)


def _values(chunk: Chunk) -> npt.NDArray[Any]:
    """Return the numbers of a chunk, any number for null.

    Without nulls it equals ``chunk.to_numpy(zero_copy_only=False)``, which imports pandas if it is installed and thus
    takes longer than reading the file.
    """
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
    codes = _values(indices).astype(np.int64)  # unsigned numbers cannot hold -1
    if indices.null_count:
        # Without methods of arrays, which import pyarrow.compute: that takes longer than reading a small file.
        bits = np.unpackbits(np.frombuffer(indices.buffers()[0], np.uint8), bitorder="little")
        codes[bits[indices.offset : indices.offset + len(indices)] == 0] = UNLABELLED
    return codes


def array_of(pa: Module, values: ColumnValues) -> Chunk:
    """Return a column as an array of pyarrow.

    Numbers and labels equal those of ``pa.array``, which imports pandas if it is installed: see `_values`.
    """
    if isinstance(values, Coded):
        codes = _array(pa, values.codes.astype(np.int32), is_valid=values.codes >= 0)
        return pa.DictionaryArray.from_arrays(codes, _texts(pa, values.labels))
    if isinstance(values, np.ndarray) and values.dtype.kind in "if":
        return _array(pa, values)
    return pa.array(values)


def _array(pa: Module, numbers: npt.NDArray[Any], is_valid: BoolArray | None = None) -> Chunk:
    """Return numbers as an array of pyarrow of their type, null where they are not valid."""
    nulls = None
    if is_valid is not None and not is_valid.all():
        nulls = pa.py_buffer(np.packbits(is_valid, bitorder="little"))
    buffers = [nulls, pa.py_buffer(np.ascontiguousarray(numbers))]
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), buffers)


def _texts(pa: Module, labels: Sequence[str]) -> Chunk:
    encoded = [label.encode() for label in labels]
    offsets = np.cumsum([0, *map(len, encoded)])
    if offsets[-1] > np.iinfo(np.int32).max:
        return pa.array(list(labels), type=pa.string())  # an error that says so
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)
