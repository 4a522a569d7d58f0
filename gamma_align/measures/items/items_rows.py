"""Rows of tables of items, from which all coefficients are computed, and which can be pooled.

A coefficient, its error and its interval depend only on the number of items with each pattern of judgments. These are
whole numbers that can be added, so the pooled rows of parts of a table, in any order, have exactly its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np

from gamma_align.columns import MISSING, CodeArray
from gamma_align.data import (
    Frozen,
    ItemTable,
    Key,
    Labels,
    Table,
    few,
    keys_of,
    label_names,
    labels_of,
    recode,
    sort_keys,
)
from gamma_align.errors import InputError
from gamma_align.measures.document_rows import check_made_with, check_once
from gamma_align.measures.items.counts import Patterns, count_patterns, patterns_of

_KIND_NAMES: dict[type, str] = {str: "text", frozenset: "sets"}  # any other key is a number


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemRows(Frozen):
    """The number of items with each pattern of judgments, in a table or in a part of one.

    They do not depend on coefficients, distances or methods of intervals, so the same rows can be pooled with different
    settings.

    Attributes
    ----------
    patterns : Patterns
        The different rows of judgments, as codes into `labels`, and the number of items with each.
    unjudged : int
        Number of items without judgments.
    coders, labels, declared, anonymous, names, notes
        As in `ItemTable`.
    made_with : str
        A hash of the version and of the categories of the setting `expected_from`.

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
        """Number of judgments."""
        return int(self.patterns.times @ self.patterns.judgments)

    @classmethod
    def joined(cls, parts: Sequence[ItemRows], made_with: str) -> Self:
        """Return the rows of the table that consists of these parts.

        Raises
        ------
        SettingsError
            For rows that were made with other settings.
        InputError
            If there are no items, or an item is in two parts; if the categories of parts are of different kinds or have
            different declarations; if only some parts are tables of counts.
        """
        parts = [part for part in parts if len(part)]
        if not parts:
            raise InputError("there are no rows to pool")
        check_made_with([(part.made_with, part.names or ()) for part in parts], made_with)
        check_once(chain.from_iterable(part.names or () for part in parts), "items")
        if len({part.anonymous for part in parts}) > 1:
            raise InputError(
                "some rows are from tables of counts, which do not name the coder of a judgment, and others are not",
                "pool the two kinds separately",
            )
        coders = _coders({part.coders for part in parts})
        # Parts without judgments have no categories of their own.
        keys, is_declared = _categories([part for part in parts if part.judgments] or parts)
        aligned = [_aligned_patterns(part, coders, keys) for part in parts]
        names = [part.names for part in parts if part.names is not None]
        return cls(
            count_patterns(np.concatenate(aligned), np.concatenate([part.patterns.times for part in parts]), len(keys)),
            sum(part.unjudged for part in parts),
            coders,
            labels_of(keys),
            is_declared,
            parts[0].anonymous,
            tuple(chain.from_iterable(names)) if len(names) == len(parts) else None,
            tuple(dict.fromkeys(chain.from_iterable(part.notes for part in parts))),
            made_with,
        )


def _coders(orders: set[tuple[str, ...]]) -> tuple[str, ...]:
    """Return all coders, in the order of the parts with all coders if there is one such order, else sorted."""
    names = set(chain.from_iterable(orders))
    complete = [order for order in orders if len(order) == len(names)]
    return complete[0] if len(complete) == 1 else tuple(sorted(names))


def _categories(parts: Sequence[ItemRows]) -> tuple[list[Key], bool]:
    """Return the keys of the categories of all parts, and whether they are declared."""
    if len({part.declared for part in parts}) > 1:
        raise InputError("the categories of only some parts are declared", "declare them for all parts")
    lists = dict.fromkeys(tuple(keys_of(part.labels)) for part in parts)
    if parts[0].declared:
        if len(lists) > 1:
            shown = " and ".join(f"({few(labels)})" for labels in [*lists][:2])
            raise InputError(f"different categories are declared: {shown}", "declare the same ones, in the same order")
        return [*next(iter(lists))], True
    keys = set(chain.from_iterable(lists))
    kinds = sorted({_KIND_NAMES.get(type(key), "numbers") for key in keys})
    if len(kinds) > 1:
        raise InputError(
            f"the categories of some parts are {kinds[0]}, and those of others are {kinds[1]}",
            "use one kind in all parts",
        )
    return sort_keys(keys), False


def _aligned_patterns(part: ItemRows, coders: tuple[str, ...], keys: Sequence[Key]) -> CodeArray:
    """Return the patterns of a part, with the columns and codes of the full table."""
    column = {name: index for index, name in enumerate(coders)}
    codes = recode(Table.of({}, "items"), part.patterns.rows, keys_of(part.labels), keys)
    # Coders that are not in the part did not judge its items.
    rows = np.full((len(codes), len(coders)), MISSING, dtype=codes.dtype)
    rows[:, [column[name] for name in part.coders]] = codes
    return rows
