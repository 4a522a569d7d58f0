"""Sources of judgments for coefficients on items: a table of items, a matrix, a data frame, columns, a path."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.item_table import ItemTable
from gamma_align.data.layout_options import CODERS_IN_ROWS
from gamma_align.data.sources import kind_of
from gamma_align.data.tables import AnyFrame, is_frame
from gamma_align.errors import Cure, InputError

ItemSource = (
    ItemTable
    | AnyFrame
    | Mapping[str, object]
    | Sequence[Sequence[object] | Mapping[str, object]]
    | npt.NDArray[np.generic]
    | str
    | os.PathLike[str]
)
"""A table of items, a data frame, columns, rows of judgments (items in rows, coders in columns), a path."""

_RECORD_LENGTH = 3  # item, coder, category
_MATRIX_EXAMPLE = "a matrix such as [[1, 2], [2, 2]], items in rows and coders in columns"


def items_of(source: object, caller: str) -> ItemTable:
    """Return the table of an `ItemSource` in memory; InputError for anything else, and as `ItemTable.from_columns`."""
    if isinstance(source, ItemTable):
        return source
    if isinstance(source, (Corpus, Continuum)):
        raise InputError(
            f"{caller}() takes judgments of predefined items, not {kind_of(source)}",
            Cure(
                "measure units with gamma(), or make items of a continuum whose units have the same bounds with "
                "ItemTable.from_continuum()"
            ),
        )
    if isinstance(source, Mapping):
        return ItemTable.from_columns(source)
    if is_frame(source):
        return ItemTable.from_frame(source)
    if isinstance(source, (list, tuple, np.ndarray)):
        return _from_rows(source, caller)
    raise _refused(source, caller)


def _from_rows(rows: Sequence[object] | npt.NDArray[np.generic], caller: str) -> ItemTable:
    """Return the table of rows, which are records by name or a matrix."""
    if not len(rows):
        raise InputError(f"{caller}() was given no judgments")
    records = [row for row in rows if isinstance(row, Mapping)]
    if len(records) == len(rows):
        names = dict.fromkeys(chain.from_iterable(records))
        return ItemTable.from_columns({name: [record.get(name) for record in records] for name in names})
    sequences = [tuple(row) for row in rows if isinstance(row, (list, tuple, np.ndarray))]
    if len(sequences) < len(rows):
        raise _refused(rows, caller)
    # Both readings are possible, and they have different results.
    if not isinstance(rows, np.ndarray) and all(map(_may_be_record, rows)):
        raise InputError(
            f"{caller}() was given rows of three texts: judgments of three coders, or an item, a coder and a category",
            Cure(
                f"for the first, ga.{caller}(ga.ItemTable.from_matrix(rows)); for the second, "
                f"ga.{caller}(ga.ItemTable.from_records(rows))"
            ),
        )
    table = ItemTable.from_matrix(rows if isinstance(rows, np.ndarray) else sequences)
    # Some packages have coders in rows, and the two readings have different results.
    if len(table) < len(table.coders):
        raise InputError(
            f"{caller}() was given {len(table)} rows and {len(table.coders)} columns: coders and items, or items and "
            "coders",
            Cure(
                f"if rows are coders, ga.{caller}(ga.ItemTable.from_matrix(rows, layout={CODERS_IN_ROWS!r})); if rows "
                f"are items, ga.{caller}(ga.ItemTable.from_matrix(rows))"
            ),
        )
    return table


def _may_be_record(row: object) -> bool:
    """Return whether a row may be either three judgments or an item, a coder and a category."""
    return isinstance(row, (list, tuple)) and len(row) == _RECORD_LENGTH and all(isinstance(cell, str) for cell in row)


def _refused(source: object, caller: str) -> InputError:
    return InputError(
        f"{caller}() takes an ItemTable, a data frame, columns, records, a path or {_MATRIX_EXAMPLE}, not "
        f"{kind_of(source)}"
    )
