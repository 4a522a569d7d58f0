"""Item table: predefined items × coders, with missing judgments, as frozen columns.

Conventions
-----------
* An *item* is given to all coders (no unitizing), a *coder* judges it, and the judgment is a *category*. A coder judges
  an item once or not at all.
* Categories are strings, numbers or sets of strings; all categories of a table are of one kind. Numbers are exact: 1
  and 1.0 are one category, 2**53 and 2**53 + 1 are two. Strings that are all numbers are sorted as numbers.
* Categories are *declared* (a list in their order, which may contain unused ones) or *observed* (the used ones). Some
  coefficients (S, AC₁) depend on their number, and ordinal distances on their order.
* A missing judgment is ``None``, NaN, the missing value of a data frame library, or a word such as NA
  (`data.missing_words`).

References
----------
Artstein & Poesio 2008, Inter-Coder Agreement for Computational Linguistics, §2 (items, coders, categories).
Mathet 2017, §3 (missing values), §5.1 (items as units of a continuum), fig. 5 (units × values).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamma_align.columns import MISSING, CodeArray, IntArray
from gamma_align.data import build_items
from gamma_align.data.continuum import Continuum, Frozen, values_of
from gamma_align.data.frames import FrameColumns, Framed
from gamma_align.data.item_labels import Labels, label_names
from gamma_align.data.item_options import Options
from gamma_align.data.tables import AnyFrame, Table, columns_of_frame, index_of_frame
from gamma_align.errors import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemTable(Frozen, Framed):
    """Judgments of coders on predefined items.

    Attributes
    ----------
    codes : ndarray of a signed integer type, shape (n_items, n_coders)
        Index into `labels`, or -1 for a missing judgment.
    coders : tuple of str
        Names of the columns; sorted if the data have no order.
    labels : tuple of str, tuple of frozenset of str, ndarray of float64, or tuple of numbers
        The categories, sorted or in their declared order. Numbers are an array if float64 holds all of them exactly;
        otherwise each is an int, a float or a Decimal.
    names : tuple of str or None
        Names of the rows; None if they are only numbered.
    declared : bool
        Whether the categories and their order are declared.
    anonymous : bool
        Whether the judgments of a column may be from different coders, as in a table of counts.
    notes : tuple of str
        Assumptions that were made while reading.

    Examples
    --------
    >>> judgments = [("i1", "ann", "x"), ("i1", "bob", "x"), ("i2", "ann", "y"), ("i2", "bob", "x")]
    >>> table = ga.ItemTable.from_records(judgments)
    >>> table
    <ItemTable: items 2, coders 2, categories 2>
    >>> table.rows()
    [('x', 'x'), ('y', 'x')]
    """

    codes: CodeArray
    coders: tuple[str, ...]
    labels: Labels
    names: tuple[str, ...] | None = None
    declared: bool = False
    anonymous: bool = False
    notes: tuple[str, ...] = ()

    @classmethod
    def from_records(
        cls,
        judgments: Iterable[Sequence[object]],
        *,
        categories: Sequence[object] | None = None,
        na: Sequence[str] = (),
    ) -> ItemTable:
        """Build a table from (item, coder, category) records; a category ``None`` is a missing judgment.

        `na` and errors are as for `from_columns`; the message names the record.

        Examples
        --------
        >>> ga.ItemTable.from_records([("i1", "ann", "x"), ("i1", "bob", "y"), ("i2", "ann", "y")]).rows()
        [('x', 'y'), ('y', None)]
        """
        return cls(*build_items.from_records(judgments, categories, na))

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, object],
        *,
        layout: str = "auto",
        categories: Sequence[object] | None = None,
        names: Mapping[str, str] | None = None,
        sets: str | None = None,
        coders: Sequence[str] | None = None,
        na: Sequence[str] = (),
    ) -> ItemTable:
        """Build a table from a mapping of columns.

        Parameters
        ----------
        columns : mapping
            ``"long"``: columns ``item``, ``annotator`` and ``category``, one row per judgment. ``"wide"``: one column
            per coder and one row per item, with an optional column ``item``. Other usual names (``tweet_id``,
            ``worker``, ``label``) are recognised and reported in `notes`. ``"counts"``: one column per category, each
            cell a number of judgments (`from_counts`). ``"contingency"``: a column of labels and a column for each of
            them, of two coders (`from_contingency`). ``"row-per-coder"``: one row per coder and one column per item,
            with a column that names the coders.
        layout : {"auto", "long", "wide", "counts", "contingency", "row-per-coder"}
            ``"auto"`` is long if the table has these three columns; counts, a contingency table or coders in rows if
            the values show it; else wide.
        categories : sequence, optional
            All categories in their order; by default the ones that occur.
        names : mapping of str to str, optional
            Your names for ``item``, ``annotator`` and ``category``.
        sets : str, optional
            A label holds several categories with this text between them; ``{}`` is the empty set.
        coders : sequence of str, optional
            The columns of coders in a wide table. By default all columns are coders except the item, ids, texts and
            remarks, which are listed in `notes`.
        na : sequence of str, optional
            Texts that mean a missing judgment, besides NA, NaN, nan, <NA>, N/A, #N/A, null and NULL; with ``""`` among
            them, these are categories.

        Raises
        ------
        InputError
            For missing columns, columns that may or may not be a coder, a table that may have two layouts, words such
            as "none" that may mean a missing judgment, columns or rows of different lengths, missing
            or inconsistent names, two judgments of one coder on one item, undeclared labels, and counts that are not
            whole numbers ≥ 0 or do not match the categories; the message names the row and the cure.
        SettingsError
            For an unknown `layout`.

        Examples
        --------
        >>> ga.ItemTable.from_columns({"item": ["i1", "i2"], "ann": ["x", "y"], "bob": ["x", None]}).rows()
        [('x', 'x'), ('y', None)]
        """
        options = Options(layout, categories, dict(names or {}), sets, coders, na=na)
        return cls(*build_items.from_table(Table.of(columns, "items"), options))

    @classmethod
    def from_frame(
        cls,
        frame: AnyFrame,
        *,
        layout: str = "auto",
        categories: Sequence[object] | None = None,
        names: Mapping[str, str] | None = None,
        sets: str | None = None,
        coders: Sequence[str] | None = None,
        na: Sequence[str] = (),
    ) -> ItemTable:
        """Build a table from a data frame of any library that narwhals supports; otherwise as `from_columns`.

        The index of a pandas data frame names the items, unless it only numbers the rows or there is a column ``item``.
        Its levels may also be columns of a long table.

        Examples
        --------
        >>> import pandas as pd
        >>> ga.ItemTable.from_frame(pd.DataFrame({"ann": [1, 2], "bob": [1, None]}))
        <ItemTable: items 2, coders 2, categories 2>
        """
        columns = columns_of_frame(frame)
        # A column takes precedence over a level of the index with the same name.
        levels = {name: values for name, values in index_of_frame(frame).items() if name not in columns}
        options = Options(layout, categories, dict(names or {}), sets, coders, tuple(levels), na=na)
        return cls(*build_items.from_table(Table.of({**levels, **columns} if levels else columns, "items"), options))

    @classmethod
    def from_matrix(
        cls,
        matrix: build_items.Rows,
        *,
        coders: Sequence[str] | None = None,
        items: Sequence[str] | None = None,
        categories: Sequence[object] | None = None,
        layout: str = "wide",
        na: Sequence[str] = (),
    ) -> ItemTable:
        """Build a table from a matrix, items in rows and coders in columns; errors are as for `from_columns`.

        Parameters
        ----------
        matrix : array or sequence of sequences, shape (n_items, n_coders)
            Numbers (NaN is missing), strings, or sets of strings (``None`` is missing).
        coders, items : sequence of str, optional
            Names of columns and rows; by default they are numbered from 1.
        categories : sequence, optional
            All categories in their order.
        layout : {"wide", "row-per-coder"}
            Whether rows are items or coders.
        na : sequence of str, optional
            As for `from_columns`.

        Examples
        --------
        >>> ga.ItemTable.from_matrix([[1, 2], [2, None]], coders=["ann", "bob"], categories=[1, 2, 3])
        <ItemTable: items 2, coders 2, categories 3>
        """
        options = Options(layout, categories, na=na)
        return cls(*build_items.from_matrix(matrix, coders=coders, items=items, options=options))

    @classmethod
    def from_counts(
        cls, counts: npt.ArrayLike, categories: Sequence[object], *, items: Sequence[str] | None = None
    ) -> ItemTable:
        """Build an anonymous table from an agreement table: the number of judgments of each item and category.

        Coefficients that depend on individual coders are not available for it. Errors are as for `from_columns`.

        Parameters
        ----------
        counts : array of whole numbers, shape (n_items, n_categories)
            Rows may have different sums, if judgments are missing.
        categories : sequence
            The categories of the columns.
        items : sequence of str, optional
            Names of the rows.

        Examples
        --------
        >>> ga.ItemTable.from_counts([[3, 0], [1, 2]], ["x", "y"]).rows()
        [('x', 'x', 'x'), ('x', 'y', 'y')]
        """
        return cls(*build_items.from_counts(counts, categories, items))

    @classmethod
    def from_contingency(
        cls,
        table: npt.ArrayLike,
        categories: Sequence[object],
        *,
        coders: tuple[str, str] = ("1", "2"),
    ) -> ItemTable:
        """Build a table from a contingency table of two coders: the first in rows, the second in columns.

        Errors are as for `from_columns`.

        Parameters
        ----------
        table : array of whole numbers, shape (n_categories, n_categories)
            Number of items with each pair of categories; rows and columns have the same categories.
        categories, coders : sequence
            Their names.

        Examples
        --------
        >>> ga.ItemTable.from_contingency([[2, 1], [0, 1]], ["x", "y"]).rows()
        [('x', 'x'), ('x', 'x'), ('x', 'y'), ('y', 'y')]
        """
        return cls(*build_items.from_contingency(table, categories, coders))

    @classmethod
    def from_continuum(cls, continuum: Continuum) -> ItemTable:
        """Build the table of a continuum whose units are predefined: one item for each pair of bounds.

        Raises
        ------
        InputError
            For overlapping units with different bounds, or two units of one annotator with the same bounds: such
            units are not predefined, and should be measured with γ.

        Examples
        --------
        >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("bob", 0, 4, "y"), ("ann", 4, 6, "y")])
        >>> ga.ItemTable.from_continuum(continuum).to_records()
        [('0–4', 'ann', 'x'), ('0–4', 'bob', 'y'), ('4–6', 'ann', 'y')]
        """
        # An item without a unit of an annotator is a missing judgment.
        item, names = build_items.items_of(continuum)
        codes = np.full((len(names), len(continuum.annotators)), MISSING, dtype=np.int64)
        codes[item, continuum.annotator] = continuum.category
        return cls(*build_items.observed(codes, continuum.annotators, continuum.categories)._replace(names=names))

    def to_continuum(self, *, document: str = "items") -> Continuum:
        """Return the table as a continuum: item i is the segment [i, i+1), a judgment a unit (M17 §5.1).

        Raises
        ------
        InputError
            For a table of counts, which has no annotators.

        Examples
        --------
        >>> ga.ItemTable.from_matrix([["x", "y"], ["x", None]]).to_continuum()
        <Continuum 'items': annotators 2, units 3>
        """
        if self.anonymous:
            raise InputError(
                "a table of counts does not name the coder of a judgment, and a continuum needs annotators",
                "build the table from judgments",
            )
        # Missing judgments have no units.
        item, coder = np.nonzero(self.codes >= 0)
        categories = self.categories
        labels = [categories[code] for code in self.codes[item, coder].tolist()]
        names = [self.coders[code] for code in coder.tolist()]
        records = zip(names, item.tolist(), (item + 1).tolist(), labels, strict=True)
        return Continuum.from_records(
            records, document=document, annotators=self.coders, extent=(0.0, float(len(self)))
        )

    def __repr__(self) -> str:
        return f"<ItemTable: items {len(self)}, coders {len(self.coders)}, categories {len(self.labels)}>"

    def _n_rows(self) -> int:
        return len(self)

    def _columns(self, limit: int | None = None) -> FrameColumns:
        """Return a column of the names of items, if they have names, and a column for each coder.

        Cells are numbers if `labels` is an array, else texts.
        """
        categories = self.labels.tolist() if isinstance(self.labels, np.ndarray) else self.categories
        labels = [*categories, None]  # code -1 reads the last entry
        columns: FrameColumns = {} if self.names is None else {"item": self.names[:limit]}
        for coder, codes in zip(self.coders, self.codes[:limit].T.tolist(), strict=True):
            columns[coder] = [labels[code] for code in codes]
        return columns

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories as text, in the order of `labels`."""
        return label_names(self.labels)

    @property
    def n_categories(self) -> int:
        """Number of categories, including declared ones that are not used."""
        return len(self.labels)

    @property
    def items(self) -> tuple[str, ...]:
        """Names of the items, or numbers from 1."""
        return self.names if self.names is not None else tuple(map(str, range(1, len(self) + 1)))

    @property
    def judgments(self) -> IntArray:
        """Number of judgments of each item, shape (n_items,)."""
        return np.asarray(np.count_nonzero(self.codes >= 0, axis=1))

    def rows(self) -> list[tuple[str | None, ...]]:
        """Return the table as rows of category names, with None for missing judgments.

        Examples
        --------
        >>> ga.ItemTable.from_matrix([[1, 2], [2, None]]).rows()
        [('1', '2'), ('2', None)]
        """
        names: list[str | None] = [*self.categories, None]
        return [tuple(names[code] for code in row) for row in self.codes.tolist()]

    def to_records(self) -> list[tuple[str, str, str]]:
        """Return (item, coder, category) of every judgment.

        Examples
        --------
        >>> ga.ItemTable.from_matrix([["x", "y"]], coders=["ann", "bob"]).to_records()
        [('1', 'ann', 'x'), ('1', 'bob', 'y')]
        """
        item, coder = np.nonzero(self.codes >= 0)
        items = self.items
        categories = self.categories
        cells = zip(item.tolist(), coder.tolist(), self.codes[item, coder].tolist(), strict=True)
        return [(items[i], self.coders[c], categories[k]) for i, c, k in cells]

    def with_categories(self, categories: Sequence[object]) -> ItemTable:
        """Return the table with its categories declared: all of them, in this order.

        Raises
        ------
        InputError
            If a used category is not in the list, or the list has one twice.

        Examples
        --------
        >>> ga.ItemTable.from_matrix([["x", "z"]]).with_categories(["z", "y", "x"]).categories
        ('z', 'y', 'x')
        """
        return ItemTable(*build_items.with_categories(build_items.ItemColumns(*values_of(self)), categories))
