"""A table of items with what is known of its columns, and what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gamma_align.data.item_labels import split_set
from gamma_align.data.item_options import Options
from gamma_align.data.profiles import Profile, are_different
from gamma_align.data.tables import Table, cells_of
from gamma_align.errors import Cure, InputError, Location, Note, Reference


class Meaning(NamedTuple):
    """What the columns of a table of items mean.

    `layout` is one of the layouts of `LAYOUT`. The columns `item` together name the items; there may be none.
    `columns` are those of coders in a wide table, of categories in a table of counts and a contingency table, and of
    items in a table with a row for each coder. `annotator` and `category` are the columns of names of coders and of
    judgments, or of the names of rows in a contingency table.
    """

    layout: str
    item: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    annotator: str | None = None
    category: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Given:
    """A table of items, how the user wants it read, and the profiles of its columns."""

    table: Table
    options: Options
    profiles: Mapping[str, Profile]
    _judged: dict[str, Profile] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table, options: Options) -> Given:
        """Return a table with its options."""
        return cls(table, options, {name: Profile(name, cells_of(values)) for name, values in table.columns.items()})

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [*self.profiles]

    def judged(self, name: str) -> Profile:
        """Return a column as judgments: without words for missing ones, and with sets in place of joined labels."""
        if name not in self._judged:
            cells = cells_of(self.options.missing.without(self.table.columns[name]))
            if self.options.sets is not None:
                cells = [split_set(cell, self.options.sets) if isinstance(cell, str) else cell for cell in cells]
            self._judged[name] = Profile(name, cells)
        return self._judged[name]

    def is_key(self, names: Iterable[str]) -> bool:
        """Return whether no cell of the columns is blank and their rows are all different."""
        columns = [self.profiles[name] for name in names]
        return all(each.are_labels and each.is_full for each in columns) and are_different(columns)

    def question(
        self, cause: str, cure: str | Cure, *references: Reference | Cure | str, row: int | None = None
    ) -> InputError:
        """Return the error for a table that may mean several things; the cure is a template with references."""
        location = Location(self.table.origin) if row is None else self.table.location(row)
        return InputError(cause, Cure(cure, *references) if isinstance(cure, str) else cure, location)

    def no_column(self, name: str) -> InputError:
        """Return the error for a column that is not there."""
        shown = ", ".join(map(repr, self.names)) or "none"
        return self.question(f"no column {name!r}; there are {shown}", "name one of them")

    def unread(self, names: Sequence[str], what: str, cure: Cure | None = None) -> tuple[Note, ...]:
        """Return a note on columns that are not read as coders, counts or items, if there are any."""
        shown = ", ".join(map(repr, names))
        return (Note(f"{self.table.origin}: columns that are not read as {what}: {shown}", cure),) if names else ()
