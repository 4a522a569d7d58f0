"""Functions that read a value written in one text: numbers, lists of names, labels, options of formats.

All raise ValueError with the reason if the text is none of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gamma_align.data import processors
from gamma_align.errors import did_you_mean
from gamma_align.options import Choice, File, Kind, Listed, Real, Text, Whole

_CHARACTER = re.compile(r"\\.|.", re.DOTALL)  # a backslash belongs to the character after it
STANDARD_STREAM = "-"
"""Standard input or standard output, in place of a path."""


def location(text: str) -> str:
    """Return a path that is not standard output."""
    if text == STANDARD_STREAM:
        raise ValueError("'-' is standard output, where the report goes; name a file or a folder")
    return text


def file(text: str) -> Path | None:
    """Return the path of a file; None for standard output."""
    return None if text == STANDARD_STREAM else Path(text)


def number(kind: Real | Whole) -> Callable[[str], float]:
    """Return the function that reads a number of this kind."""
    convert: type[float | int] = float if isinstance(kind, Real) else int
    noun = "number" if isinstance(kind, Real) else "whole number"

    def read(text: str) -> float:
        try:
            value = convert(text)
        except ValueError:
            raise ValueError(f"{text!r} is not a {noun}") from None
        problem = kind.problem(value)
        if problem is not None:
            raise ValueError(f"{problem}, not {text}")
        return value

    return read


finite = number(Real())


def workers(text: str) -> int:
    """Return a number of workers, limited to the number of processors; -1 stands for all of them."""
    return -1 if text.strip() == "-1" else int(min(number(Whole(1))(text), processors()))


def parts(text: str) -> tuple[str, ...]:
    """Return the parts between commas, without blanks around them."""
    return tuple(part.strip() for part in text.split(","))


def names(text: str) -> tuple[str, ...]:
    """Return the names between commas, none of them empty."""
    if not all(parts(text)):
        raise ValueError(f"{text!r} has an empty part; separate names by single commas")
    return parts(text)


def one_of(words: Sequence[str]) -> Callable[[str], str]:
    """Return the function that reads one of several words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"{text!r} is not one of {', '.join(words)}")
        return text

    return read


def several(read: Callable[[str], object]) -> Callable[[str], tuple[object, ...]]:
    """Return the function that reads values between commas, each of them by a function."""
    return lambda text: tuple(map(read, parts(text)))


def weights(text: str) -> dict[str, float]:
    """Return the number of each name; 1 if it has none."""
    numbers: dict[str, float] = {}
    for part in parts(text):
        name, _, weight = part.partition("=")
        if not name or name in numbers:
            raise ValueError(f"a category is {'named twice' if name else 'missing'} in {text!r}")
        numbers[name] = finite(weight) if weight else 1.0
    return numbers


def thresholds(text: str, allowed: Sequence[str] | None) -> dict[str, float]:
    """Return thresholds, as in "gamma=0.7,gamma-k:PER=0.6", for the names that are allowed, or any.

    An allowed name that ends in a colon has a category behind it.
    """
    numbers: dict[str, float] = {}
    for piece in _pieces(text):
        escaped, sign, threshold = piece.rpartition("=")
        name = _unescape(escaped)
        head, colon, category = name.partition(":")
        if not sign:
            raise ValueError(f"{text!r} is not NAME=X, as in {(allowed or ['alpha'])[0]}=0.7")
        if allowed is not None and (f"{head}{colon}" not in allowed or (colon and not category)):
            raise ValueError(f"there is no {name!r}{did_you_mean(name, allowed)}")
        if name in numbers:
            raise ValueError(f"{name!r} is named twice")
        numbers[name] = finite(threshold)
    return numbers


def layers(text: str) -> list[str]:
    """Return the names of layers, annotators or documents, without escapes."""
    return [_unescape(piece) for piece in _pieces(text)]


def labels(text: str) -> Mapping[str, str | None]:
    """Return the mapping of categories that `gamma_align.read` takes."""
    categories: dict[str, str | None] = {}
    has_kept = False
    keeps_others = False
    for piece in _pieces(text):
        name, *target = map(_unescape, _split(piece, "="))
        if name in categories:
            raise ValueError(f"{name!r} is named twice")
        if target:
            # A target may contain "=" itself; an empty target drops the category.
            categories[name] = "=".join(target) or None
        elif name == "*":
            keeps_others = True
        else:
            categories[name] = name
            has_kept = True
    # A name without a target selects: other categories are dropped, unless "*" keeps them.
    if has_kept and not keeps_others:
        categories.setdefault("*", None)
    return categories


def ordered_labels(text: str) -> tuple[str, ...]:
    """Return the cells of a row of CSV."""
    import csv

    try:
        (labels,) = csv.reader([text], strict=True, skipinitialspace=True)
    except (csv.Error, ValueError) as error:
        raise ValueError(f"{text!r} is not a list of labels separated by commas: {error}") from None
    return tuple(labels)


def pair(text: str) -> tuple[str, str]:
    """Return the two sides of an equals sign."""
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise ValueError(f"{text!r} is not of the form A=B")
    return name, value


def item_column(text: str) -> tuple[str, str]:
    """Return the role of a column in a table of items, and the name of the column."""
    role, _, column = text.partition("=")
    if role not in ("item", "annotator", "category") or not column:
        raise ValueError(f"{text!r} is not item=…, annotator=… or category=…")
    return role, column


def option(text: str) -> tuple[str, object]:
    """Return a key and its value; JSON of a list, mapping, integer or truth value is parsed."""
    import json

    name, value = pair(text)
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        parsed = None
    # A typing error in JSON would otherwise be passed on as a text.
    if value[:1] in ("{", "[") and parsed is None:
        raise ValueError(f"{text!r}: the value looks like JSON but cannot be parsed")
    return name, value if parsed is None or isinstance(parsed, (str, float)) else parsed


def _pieces(text: str) -> list[str]:
    """Return the parts between commas, still escaped; ValueError if one is empty."""
    pieces = _split(text, ",")
    if not all(pieces):
        raise ValueError(f"{text!r} contains an empty name; a comma in a name is written \\,")
    return pieces


def _split(text: str, mark: str) -> list[str]:
    """Split a text at a mark, except at marks after a backslash; escapes remain."""
    parts: list[list[str]] = [[]]
    for character in _CHARACTER.findall(text):
        if character == mark:
            parts.append([])
        else:
            parts[-1].append(character)
    return ["".join(part) for part in parts]


def _unescape(escaped: str) -> str:
    """Return a text without the backslashes of its escapes."""
    return re.sub(r"\\(.)", r"\1", escaped, flags=re.DOTALL)


_SYNTAXES: dict[str, Callable[[str], object]] = {
    "names": names,
    "escaped": layers,
    "quoted": ordered_labels,
    "labels": labels,
    "weights": weights,
    "column": item_column,
    "pair": pair,
    "option": option,
    "text": str,
}
"""The function that reads each syntax of `Listed`."""


def reader(kind: Kind) -> Callable[[str], object]:
    """Return the function that reads a value of a kind."""
    if isinstance(kind, Listed):
        return _SYNTAXES[kind.syntax] if kind.items is None else several(reader(kind.items))
    if isinstance(kind, Choice):
        return one_of(kind.words)
    if isinstance(kind, File):
        return Path
    if isinstance(kind, Text):
        return kind.parse
    return number(kind) if isinstance(kind, (Real, Whole)) else str
