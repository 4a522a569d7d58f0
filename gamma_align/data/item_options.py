"""How to read a table of items: its layout, the names of its columns, its coders and categories."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gamma_align.data.layout_options import LAYOUT
from gamma_align.errors import SettingsError

LONG = ("item", "annotator", "category")


@dataclass(frozen=True, slots=True)
class Options:
    """How to read a table: its layout, declared categories, names of its columns, what separates set members.

    `coders` names the columns of coders in a wide table, `index` the columns that were the index of a data frame. With
    `from_file`, texts that all read as numbers are numbers, and messages show options of the command line.
    """

    layout: str = LAYOUT.default
    categories: Sequence[Any] | None = None
    names: dict[str, str] = field(default_factory=dict)
    sets: str | None = None
    coders: Sequence[str] | None = None
    index: tuple[str, ...] = ()
    from_file: bool = False

    def __post_init__(self) -> None:
        LAYOUT.check(self.layout)
        unknown = [name for name in self.names if name not in LONG]
        if unknown:
            raise SettingsError(f"names= gives your names for {', '.join(LONG)}; there is no {unknown[0]!r}")
        if self.sets == "":
            raise SettingsError("sets= is the text between the members of a set; it cannot be empty")
        if self.coders is not None:
            self._check_coders(self.coders)

    def _check_coders(self, coders: Sequence[str]) -> None:
        if isinstance(coders, str):
            raise SettingsError(f"coders={coders!r}: give a list of names of columns")
        if self.layout not in ("auto", "wide"):
            raise SettingsError(
                f"coders names the columns of a wide table; with layout {self.layout!r} no column is a coder: leave "
                "one of the two out"
            )
        repeated = next((name for name in coders if list(coders).count(name) > 1), None)
        if repeated is not None:
            raise SettingsError(f"coders names {repeated!r} twice")
        if self.names.get("item") in coders:
            raise SettingsError(f"the column {self.names['item']!r} cannot be both the item and a coder")

    def column_cure(self, role: str, name: str) -> str:
        """Return the option that gives a column a role."""
        if self.from_file:
            return f"--column {shlex.quote(f'{role}={name}')} (columns={{{role!r}: {name!r}}})"
        return f"names={{{role!r}: {name!r}}}"

    def coders_cure(self, names: Sequence[str]) -> str:
        """Return the option that names the coders."""
        if not self.from_file:
            return f"coders={list(names)!r}"
        listed = ",".join(f'"{name}"' if "," in name else name for name in names)
        return f"--coders {shlex.quote(listed)} (coders={list(names)!r})"
