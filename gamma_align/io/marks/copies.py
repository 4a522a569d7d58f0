"""People who annotated a text more than once: kept apart under one name with numbers, never merged silently."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from gamma_align.io.files.sources import Source
    from gamma_align.io.marks.marks import Marks


class Copy(str):
    """The name under which a further annotation by one annotator is kept: "anna (2)".

    Attributes
    ----------
    name : str or None
        The annotator's, ``None`` where the path or the user says it; the number then goes behind that name.
    number : int
        Which annotation of the text by this annotator it is, from 2 on.
    """

    __slots__ = ("name", "number")
    name: str | None
    number: int

    def __new__(cls, name: str | None, number: int, usual: str = "") -> Self:
        """Return the name; `usual` is shown for an annotator who is not named."""
        self = super().__new__(cls, f"{usual if name is None else name} ({number})")
        self.name, self.number = name, number
        return self


class Copies:
    """Counts how often each annotator annotated each text.

    Parameters
    ----------
    source : Source
        The file that is read; who it does not name is called by its stem.
    """

    def __init__(self, source: Source) -> None:
        self._stem = source.stem
        self._count: Counter[tuple[str | None, str | None, str | None]] = Counter()
        self._given: set[tuple[str | None, str | None, str | None]] = set()

    def annotator(self, document: str | None, annotator: str | None, layer: str | None = None) -> str | None:
        """Return the annotator's name the first time, and with a number behind it then."""
        key = (document, annotator, layer)
        self._count[key] += 1
        name = annotator
        number = self._count[key]
        while (document, name, layer) in self._given:  # by this annotator, or by one who is called "anna (2)"
            name = Copy(annotator, max(number, 2), self._stem)
            number += 1
        self._given.add((document, name, layer))
        return name

    def tell(self, marks: Marks) -> None:
        """Note how many texts were annotated more than once by one annotator."""
        repeated = [key for key, count in self._count.items() if count > 1]
        if repeated:
            document, annotator, _ = repeated[0]
            who = annotator or self._stem
            marks.note(
                f"{len(repeated)} times a text has more than one record of the same annotator (the "
                f"first: {who!r} on {document!r}); they are kept apart as {who!r}, '{who} (2)' …"
            )
