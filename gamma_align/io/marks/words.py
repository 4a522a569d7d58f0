"""Tokens that are all a file has of its text: what formats of one token a line say."""

from __future__ import annotations

from typing import NamedTuple

from gamma_align.io.marks.marks import Marks


class Words(NamedTuple):
    """The tokens of a document, and the line of each."""

    tokens: list[str]
    lines: list[int]


class WordedMarks(Marks):
    """What a file says whose bounds count tokens it spells out.

    Attributes
    ----------
    words : dict
        (document, annotator) to `Words`; annotator ``None`` for tokens all share.
    """

    def __init__(self, file: str) -> None:
        super().__init__(file, length_unit="token")
        self.words: dict[tuple[str | None, str | None], Words] = {}


def told_words(one: Words, other: Words, files: tuple[str, str]) -> str:
    """Return words for the first token that differs, with its line in each file."""
    pairs = zip(one.tokens, other.tokens, strict=False)
    at = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one.tokens), len(other.tokens)))
    told = [
        f"{its.tokens[at]!r} ({file}, line {its.lines[at]})" if at < len(its.tokens) else f"missing ({file})"
        for its, file in zip((one, other), files, strict=True)
    ]
    return f"token {at + 1} is {told[0]} and {told[1]}"
