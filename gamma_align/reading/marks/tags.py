"""Tags of tokens as units: IOB1, IOB2, BIOES, BILOU, BMES, categories alone, and mentions in brackets.

Decoders receive the tags of one column in order (`tag`) and the ends of sentences (`end`); both yield the units that
end there. Irregular tags are counted; unreadable ones are in `problems`, with their lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gamma_align.errors import Cure, Set, SettingsError
from gamma_align.reading.files.json_files import shown
from gamma_align.reading.marks.choices import FORMAT_OPTIONS
from gamma_align.reading.marks.notations import SCHEMES, TAG

MENTION = re.compile(r"(?:\(\w+\)?|\w+\))(?:\|(?:\(\w+\)?|\w+\)))*")
"""Mentions that begin or end at a token, by the names of their chains: ``(3``, ``7)|9)``, ``(0)``."""

BRACKETS = re.compile(r"(?=.)(?:\([^()*|\s]+)*\*?\)*")
"""Units that begin or end at a token, by their categories: ``(ORG*``, ``*)``, ``(ORG)``; at ``*`` none does."""

_BRACKET_BEGINNING = re.compile(r"\(([^()*|\s]+)")

SCHEME_HELP = f"one of {', '.join(SCHEMES)}"
"""The help of the option that names the scheme of tags."""

BARE_NOTE = "categories alone as tags: as long as one is repeated it is one unit"
"""The note on tags without a scheme."""

_PREFIXED = re.compile(r"[BIESLUM]-.+|B_.+")  # "E_mail" may be a category
# Prefixes after which a unit ends, and after which it should continue.
_UNIT_ENDS = frozenset("ESLU")
_UNIT_CONTINUES = frozenset("BIM")


def chosen_scheme(options: Mapping[str, Any]) -> str | None:
    """Return the scheme that the options of a format name, None without one; SettingsError if it is unknown."""
    scheme = options.get("scheme")
    if scheme is not None and scheme not in SCHEMES:
        raise SettingsError(f"the scheme of tags is {SCHEME_HELP}, not {scheme!r}", location=FORMAT_OPTIONS)
    return scheme


def are_bare(tags: Iterable[str]) -> bool:
    """Whether tags are categories alone: some fit no scheme, and none is a prefix with a category."""
    filled = {tag for tag in tags if tag and tag != "O"}
    return bool(filled - set("BIESLUM")) and not any(map(_PREFIXED.fullmatch, filled))


def are_tags(categories: Iterable[str]) -> bool:
    """Whether categories are tags in a scheme, with one that begins a unit and one inside it, or O."""
    matches = [TAG.fullmatch(category) for category in categories if category]
    tags = {(match[1], match[2]) for match in matches if match is not None}
    begins = {category for prefix, category in tags if prefix == "B" and category}
    return None not in matches and any((None, None) in tags or ("I", category) in tags for category in begins)


class Decoded(NamedTuple):
    """A unit: its tokens, the category, and the line of the first."""

    start: int
    end: int
    category: str | None
    line: int


class TagProblem(NamedTuple):
    """A tag that cannot be read: its line, the cause, and the cure."""

    line: int
    cause: str
    cure: str


class Decoder:
    """Tags of one column to units.

    A unit begins with B, S or U, and with any other tag after O, after the end of a unit or with another category, as
    in conlleval. It ends with E, S, L or U, and before the next unit. If tags are `bare` (categories alone), each is
    inside a unit.
    """

    def __init__(self, scheme: str | None = None, *, bare: bool = False) -> None:
        self.prefixes: set[str] = set()
        self.problems: list[TagProblem] = []
        self._scheme = scheme
        self._bare = bare
        self._without_begin = 0
        self._without_either = 0
        self._free_begins = 0
        self._open: Decoded | None = None
        self._begun = True
        self._prefix = "O"
        self._category: str | None = None

    def tag(self, token: int, tag: str, line: int) -> Iterator[Decoded]:
        """Take the tag of a token; yield the unit that ends before it or with it."""
        prefix, category = self._taken_apart(tag, line)
        same = self._open is not None and category == self._category
        if prefix in "OBSU" or not same:
            yield from self.end(token)
        if prefix != "O":
            self.prefixes.add(prefix)
            if self._open is None:
                self._open = Decoded(token, token, category, line)
                self._begun = prefix in "BSU"
                self._free_begins += prefix == "B" and not same
        self._prefix = prefix
        self._category = category
        if prefix in _UNIT_ENDS:
            yield from self.end(token + 1)

    def _taken_apart(self, tag: str, line: int) -> tuple[str, str | None]:
        """Return the prefix of a tag and its category."""
        if self._bare and tag:
            return ("O", None) if tag == "O" else ("I", tag)
        match = TAG.fullmatch(tag)
        if match is None:
            self.problems.append(
                TagProblem(line, f"{shown(tag)} is no tag: O, B-<category>, I-<category>, …", "correct it")
            )
            return "O", None
        if self._scheme is not None and match[1] and match[1] not in SCHEMES[self._scheme]:
            self.problems.append(
                TagProblem(line, f"{shown(tag)} is no tag of {self._scheme}", "correct it, or leave out the scheme")
            )
        return match[1] or "O", match[2]

    def end(self, token: int) -> Iterator[Decoded]:
        """Take the end of a sentence before a token; yield the unit that ends there."""
        if self._open is not None:
            unit = self._open._replace(end=token)
            self._open = None
            self._without_begin += not self._begun
            self._without_either += not self._begun or self._prefix in _UNIT_CONTINUES
            yield unit

    def scheme(self) -> str | None:
        """Return the scheme that the tags fit, ``None`` without units."""
        if not self.prefixes:
            return None
        if "M" in self.prefixes:
            return "bmes"
        ends = [name for name, letters in (("bioes", "ES"), ("bilou", "LU")) if self.prefixes & set(letters)]
        if ends:
            return " and ".join(ends)
        return "iob1" if self._without_begin and not self._free_begins else "iob2"

    def describe(self) -> str:
        """Return the name of the scheme for notes, "" without units."""
        return BARE_NOTE if self._bare else (self._scheme or self.scheme() or "").upper()

    def repaired(self) -> int:
        """Return the number of units that begin or end without the tag that the scheme requires."""
        scheme = self._scheme or self.scheme()
        if scheme is None or self._bare:
            return 0
        return {"iob1": 0, "iob2": self._without_begin}.get(scheme, self._without_either)


class BracketDecoder:
    """Units of one column in brackets. They may nest but not cross: a closing bracket ends the last unit that began."""

    def __init__(self) -> None:
        self.problems: list[TagProblem] = []
        self._open: list[Decoded] = []

    def tag(self, token: int, tag: str, line: int) -> Iterator[Decoded]:
        """Add the units that begin at a token; yield those that end with it."""
        if tag == "O":
            return
        if BRACKETS.fullmatch(tag) is None:
            self.problems.append(TagProblem(line, f"{shown(tag)} is none of (ORG*, *), (ORG), *", "correct it"))
            return
        self._open += (Decoded(token, token, category, line) for category in _BRACKET_BEGINNING.findall(tag))
        for _ in range(tag.count(")")):
            if self._open:
                yield self._open.pop()._replace(end=token + 1)
            else:
                self.problems.append(TagProblem(line, f"{shown(tag)} ends a unit that does not begin", "correct it"))

    def end(self, _token: int) -> Iterator[Decoded]:
        """Take the end of a sentence: a unit that is open is a problem."""
        for unit in self._open:
            self.problems.append(
                TagProblem(
                    unit.line, f"'({unit.category}' begins a unit that does not end in its sentence", "correct it"
                )
            )
        self._open.clear()
        yield from ()

    def describe(self) -> str:
        """Return words for how units are taken."""
        return "units in brackets"

    def repaired(self) -> int:
        """Return that nothing is repaired."""
        return 0


class MentionDecoder:
    """Mentions of one column, which may nest and overlap, to units; with `chains` their chains are the categories."""

    def __init__(self, *, chains: bool) -> None:
        self.problems: list[TagProblem] = []
        self._chains = chains
        self._open: dict[str, list[Decoded]] = {}

    def tag(self, token: int, tag: str, line: int) -> Iterator[Decoded]:
        """Add the units that begin at a token; yield those that end with it."""
        if tag and tag != "O" and MENTION.fullmatch(tag) is None:
            self.problems.append(
                TagProblem(
                    line, f"{shown(tag)} is no mention: (3 begins one, 3) ends it, (3) is one token", "correct it"
                )
            )
            return
        for part in filter(None, tag.removeprefix("O").split("|")):
            chain = part.strip("()")
            started = self._open.setdefault(chain, [])
            if part.startswith("("):
                started.append(Decoded(token, token, chain if self._chains else None, line))
            if part.endswith(")"):
                if started:
                    yield started.pop()._replace(end=token + 1)
                else:
                    self.problems.append(
                        TagProblem(line, f"{shown(part)} ends a mention that does not begin", "correct it")
                    )

    def end(self, _token: int) -> Iterator[Decoded]:
        """Take the end of a sentence: a mention that is open is a problem."""
        for chain, started in self._open.items():
            cause = f"'({chain}' begins a mention that does not end in its sentence"
            self.problems += (TagProblem(unit.line, cause, "correct it") for unit in started)
        self._open.clear()
        yield from ()

    def describe(self) -> str:
        """Return words for how mentions are taken."""
        if self._chains:
            return "mentions, their chains as categories"
        return "mentions, without categories"

    @property
    def cure(self) -> Cure | None:
        """How to give the mentions categories, if they have none."""
        if self._chains:
            return None
        return Cure("take the numbers of their chains as categories with {}", Set("options", {"chains": True}))

    def repaired(self) -> int:
        """Return that nothing is repaired."""
        return 0
