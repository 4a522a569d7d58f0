"""How to read a table of items: its layout, the names of its columns, its coders and categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gamma_align.data.layout_options import LAYOUT
from gamma_align.data.missing_words import MissingWords
from gamma_align.errors import Cure, Entry, Set, SettingsError

LONG = ("item", "annotator", "category")
"""The columns of a table with a row per judgment, by our names."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to read a table: its layout, declared categories, names of its columns, and the separator of set members.

    `coders` lists the columns of coders in a wide table, `index` the columns that were the index of a data frame, and
    `na` the texts that mean "missing" (`data.missing_words`). In a table `from_file`, texts that are all numbers become
    numbers, and the option for names is `columns`, not `names`.
    """

    layout: str = LAYOUT.default
    categories: Sequence[object] | None = None
    names: dict[str, str] = field(default_factory=dict)
    sets: str | None = None
    coders: Sequence[str] | None = None
    index: tuple[str, ...] = ()
    from_file: bool = False
    na: Sequence[str] | str = ()

    def __post_init__(self) -> None:
        LAYOUT.check(self.layout)
        unknown = next((name for name in self.names if name not in LONG), None)
        if unknown is not None:
            raise SettingsError(
                f"names of columns can be given for {', '.join(LONG)}, not for {unknown!r}",
                Cure("correct {}", Set(self._names_option)),
            )
        if self.sets == "":
            raise SettingsError("the text between the members of a set is empty", Cure("give one with {}", Set("sets")))
        if self.coders is not None:
            self._check_coders(self.coders)

    def _check_coders(self, coders: Sequence[str]) -> None:
        # A text is a sequence too: of its characters.
        if isinstance(coders, str):
            raise SettingsError(f"the coders are {coders!r}, not a list of names of columns", "give a list")
        # Only a wide table has a column for each coder.
        if self.layout not in ("auto", "wide"):
            raise SettingsError(
                f"the columns of coders are listed, but with layout {self.layout!r} no column is a coder",
                Cure("leave out {} or {}", Set("coders"), Set("layout")),
            )
        repeated = next((name for name in coders if list(coders).count(name) > 1), None)
        if repeated is not None:
            raise SettingsError(f"the list of coders has {repeated!r} twice", "name it once")
        if self.names.get("item") in coders:
            raise SettingsError(
                f"the column {self.names['item']!r} cannot be both the item and a coder", "leave out one of the two"
            )

    @property
    def missing(self) -> MissingWords:
        """The words that mean a missing judgment."""
        return MissingWords.of(self.na, self.categories or ())

    def column_option(self, role: str, name: str = "") -> Set | Entry:
        """Return the option that gives a column a role; without a name, the user has to choose the column."""
        return Set(self._names_option, {role: name}) if name else Entry(self._names_option, role)

    def columns_option(self, names: dict[str, str]) -> Set:
        """Return the option that gives columns their roles."""
        return Set(self._names_option, names)

    @property
    def _names_option(self) -> str:
        return "columns" if self.from_file else "names"
