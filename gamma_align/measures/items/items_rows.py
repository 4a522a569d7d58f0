"""Rows of tables of items: what all coefficients are computed from, made in one place and pooled in another.

A coefficient, its error and its interval depend on a table by how many items have each pattern of judgments. These are
whole numbers that add up, so rows of parts of a table, in any order, give exactly the result of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

import numpy as np

from gamma_align.columns import MISSING
from gamma_align.data.continuum import Frozen
from gamma_align.data.item_labels import Labels, keys_of, label_names, labels_of, recode, sort_keys
from gamma_align.data.item_table import ItemTable
from gamma_align.data.problem import few
from gamma_align.data.tables import Table
from gamma_align.errors import InputError
from gamma_align.measures.document_rows import check_made_with, check_once
from gamma_align.measures.items.counts import Patterns, counted, patterns_of

_KINDS: dict[type, str] = {str: "text", frozenset: "sets"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemRows(Frozen):
    """How many items of a table, or of a part of one, have each pattern of judgments.

    They do not depend on coefficients, distances or kinds of interval: rows that are made once can be pooled with other
    settings.

    Attributes
    ----------
    patterns : Patterns
        The rows of judgments that differ, codes of `labels`, and how many items have each.
    unjudged : int
        Items that nobody judged.
    coders, labels, declared, anonymous, names, notes
        As in `ItemTable`.
    made_with : str
        A hash of the categories that settings with `expected_from` ask for.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> rows = ga.document_statistics(items, ga.ItemSettings.of(["alpha"]))
    >>> rows, rows.patterns.times.tolist()
    (<ItemRows: items 4, patterns 3>, [1.0, 1.0, 2.0])
    """

    patterns: Patterns
    unjudged: int
    coders: tuple[str, ...]
    labels: Labels
    declared: bool
    anonymous: bool
    names: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    made_with: str = ""

    @classmethod
    def of(cls, table: ItemTable, *, made_with: str = "") -> Self:
        """Return the rows of a table."""
        patterns = patterns_of(table)
        return cls(
            patterns,
            len(table) - int(patterns.times.sum()),
            table.coders,
            table.labels,
            table.declared,
            table.anonymous,
            table.names,
            table.notes,
            made_with,
        )

    def __len__(self) -> int:
        return int(self.patterns.times.sum()) + self.unjudged

    def __repr__(self) -> str:
        return f"<ItemRows: items {len(self)}, patterns {len(self.patterns.times)}>"

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories as text, in the order of `labels`."""
        return label_names(self.labels)

    @property
    def judgments(self) -> int:
        """How many judgments there are."""
        return int(self.patterns.times @ self.patterns.judgments)

    @classmethod
    def joined(cls, parts: Sequence[ItemRows], made_with: str) -> Self:
        """Return the rows of the table that these are the parts of.

        Raises
        ------
        SettingsError
            For rows that were made with other settings.
        InputError
            For no items; items that are there twice; parts whose categories are of different kinds or declared in
            different ways, or that know and do not know who judged what.
        """
        parts = [part for part in parts if len(part)]
        if not parts:
            raise InputError("no rows to pool")
        check_made_with([(part.made_with, part.names or ()) for part in parts], made_with)
        check_once(chain.from_iterable(part.names or () for part in parts), "items")
        if len({part.anonymous for part in parts}) > 1:
            raise InputError("some rows are of tables of counts, which do not say who judged what, and some are not")
        coders = _coders({part.coders for part in parts})
        keys, is_declared = _categories([part for part in parts if part.judgments] or parts)
        moved = [_moved(part, coders, keys) for part in parts]
        names = [part.names for part in parts if part.names is not None]
        return cls(
            counted(np.concatenate(moved), np.concatenate([part.patterns.times for part in parts]), len(keys)),
            sum(part.unjudged for part in parts),
            coders,
            labels_of(keys),
            is_declared,
            parts[0].anonymous,
            tuple(chain.from_iterable(names)) if len(names) == len(parts) else None,
            tuple(dict.fromkeys(note for part in parts for note in part.notes)),
            made_with,
        )


def _coders(orders: set[tuple[str, ...]]) -> tuple[str, ...]:
    """Return all coders: in the order of the parts that have all of them, sorted where there is none or several."""
    every = set(chain.from_iterable(orders))
    complete = [order for order in orders if len(order) == len(every)]
    return complete[0] if len(complete) == 1 else tuple(sorted(every))


def _categories(parts: Sequence[ItemRows]) -> tuple[list[Any], bool]:
    """Return the categories of all parts, as what they are compared by, and whether they are declared."""
    if len({part.declared for part in parts}) > 1:
        raise InputError("the categories of some parts are declared, and of others not; declare them for all of them")
    lists = dict.fromkeys(tuple(keys_of(part.labels)) for part in parts)
    if parts[0].declared:
        if len(lists) > 1:
            shown = " and ".join(f"({few(labels)})" for labels in [*lists][:2])
            raise InputError(f"different categories are declared: {shown}; give the same ones, in the same order")
        return [*next(iter(lists))], True
    kinds = sorted({_KINDS.get(type(key), "numbers") for labels in lists for key in labels[:1]})
    if len(kinds) > 1:
        raise InputError(
            f"the categories of some parts are {kinds[0]}, and of others {kinds[1]}; make them of one kind in all parts"
        )
    return sort_keys({key for labels in lists for key in labels}), False


def _moved(part: ItemRows, coders: tuple[str, ...], keys: Sequence[Any]) -> Any:  # noqa: ANN401  (an array of codes)
    """Return the patterns of a part with the columns and the codes of the whole."""
    place = {name: column for column, name in enumerate(coders)}
    codes = recode(Table.of({}, "items"), part.patterns.rows, keys_of(part.labels), keys)
    rows = np.full((len(codes), len(coders)), MISSING, dtype=codes.dtype)
    rows[:, [place[name] for name in part.coders]] = codes
    return rows
