"""The text of a WebAnno TSV file, put together from its sentences and the offsets of their first tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gamma_align.io.formats.webanno import cells

if TYPE_CHECKING:
    from gamma_align.io.marks.marks import Marks

_BLANKS = 1 << 20  # between all sentences, besides as many as the file has characters
_TEXT = "#Text="


class Sentences:
    """Sentences as they come, each with its header, its tokens and a blank line.

    Parameters
    ----------
    marks : Marks
        Takes the problems.
    offsets : {"utf-16", "code-points", "bytes"}
        What the bounds of tokens count.
    room : int
        Characters of the file.
    java : bool
        Whether its text has Java's escapes.

    Attributes
    ----------
    tokens : list of (int, int)
        Bounds of the tokens.
    """

    def __init__(self, marks: Marks, offsets: str, *, room: int, java: bool) -> None:
        self.tokens: list[tuple[int, int]] = []
        self._marks = marks
        self._offsets = offsets
        self._blanks = room + _BLANKS
        self._java = java
        self._header: list[str] = []
        self._begun = 0
        self._is_open = False
        self._parts: list[str] = []
        self._length = 0

    def close(self) -> None:
        """End the sentence."""
        self._is_open = False
        if self._header:
            self._marks.problem(self._begun, "a sentence without tokens, which say where it is; add their rows")
            self._header = []

    def header(self, number: int, line: str) -> None:
        """Take a line of a sentence's header."""
        self._is_open = False
        if line.startswith(_TEXT):
            self._begun = self._begun if self._header else number
            self._header.append(cells.plain_text(line.removeprefix(_TEXT), java=self._java))

    def row(self, number: int, start: int, end: int, *, is_token: bool) -> None:
        """Take where a row is; the first of a sentence says where that begins."""
        if not self._is_open:
            self._begin(number, start)
        if not is_token:
            return
        if self.tokens and start < self.tokens[-1][1]:
            self._marks.problem(
                number,
                f"the token begins at {start}, before the end {self.tokens[-1][1]} of the one before; correct it",
            )
        elif end >= start:  # otherwise its units tell
            self.tokens.append((start, end))

    def text(self) -> str:
        """Return the whole text; without the line break that each sentence would end with."""
        whole = "".join(self._parts).removesuffix("\n") if self._parts else ""
        return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    def _begin(self, number: int, start: int) -> None:
        self._is_open = True
        if not self._header:
            self._marks.problem(number, "a row without a line #Text= before it; put the sentence there")
            return
        if start == self._length - 1:  # no line break between the two
            self._parts[-1] = self._parts[-1].removesuffix("\n")
            self._length -= 1
        gap = start - self._length
        if gap < 0 or gap > self._blanks:
            self._marks.problem(number, self._told(start))
        else:
            self._parts.append(" " * gap)
            self._length += gap
            self._blanks -= gap
        for line in self._header:
            self._parts.append(f"{line}\n")
            self._length += self._size(line) + 1
        self._header = []

    def _told(self, start: int) -> str:
        last = max(self._length - 1, 0)
        what = "within the sentence before, which ends at" if start < last else "far behind the sentence before, at"
        return (
            f"the sentence begins at {start}, {what} {last}, counted in {self._offsets}; say what the file counts with "
            "offsets= (--offsets code-points), or correct it"
        )

    def _size(self, text: str) -> int:
        if self._offsets == "code-points":
            return len(text)
        if self._offsets == "bytes":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
