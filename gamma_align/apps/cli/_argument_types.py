"""What the text of an argument is read as: numbers, lists of names, labels, options of formats."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gamma_align.errors import did_you_mean

_CHARACTER = re.compile(r"\\.|.", re.DOTALL)
STANDARD_STREAM = "-"
"""Standard input or standard output, in place of a path."""


def location(text: str) -> str:
    """Return the argument, which must not be standard output."""
    if text == STANDARD_STREAM:
        raise argparse.ArgumentTypeError("'-' is standard output, where the report goes; name a file or a folder")
    return text


def file(text: str) -> Path | None:
    """Return the argument as the path of a file, nothing for standard output."""
    return None if text == STANDARD_STREAM else Path(text)


def finite(text: str) -> float:
    """Return the argument as a finite number."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"must be a finite number, not {text}")
    return number


def positive(text: str) -> float:
    """Return the argument as a finite number above 0."""
    number = finite(text)
    if number <= 0:
        raise argparse.ArgumentTypeError(f"must be above 0, not {text}")
    return number


def non_negative(text: str) -> float:
    """Return the argument as a finite number of 0 or more."""
    number = finite(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be 0 or more, not {text}")
    return number


def whole(least: int) -> Callable[[str], int]:
    """Return the argument type of whole numbers of at least `least`."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"must be {least} or more, not {text}")
        return number

    return parse


def workers(text: str) -> int:
    """Return the argument as a number of workers: 1 up to the processors, or -1 for all of them."""
    return -1 if text.strip() == "-1" else min(whole(1)(text), processors())


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def parts(text: str) -> tuple[str, ...]:
    """Return the parts between commas, without blanks around them."""
    return tuple(part.strip() for part in text.split(","))


def names(text: str) -> tuple[str, ...]:
    """Return the names between commas, none of them empty."""
    if not all(parts(text)):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty part; give names with commas between")
    return parts(text)


def names_of(allowed: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Return the argument type of names between commas, each of them allowed."""

    def parse(text: str) -> tuple[str, ...]:
        for name in parts(text):
            if name not in allowed:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(allowed)}")
        return parts(text)

    return parse


def thresholds_of(allowed: Sequence[str] | None) -> Callable[[str], dict[str, float]]:
    """Return the argument type of thresholds, "gamma=0.7,gamma-k:PER=0.6", for the names that are allowed, or any.

    An allowed name that ends in a colon has a category behind it.
    """

    def parse(text: str) -> dict[str, float]:
        thresholds: dict[str, float] = {}
        for piece in _pieces(text):
            escaped, sign, number = piece.rpartition("=")
            name = _plain(escaped)
            head, colon, category = name.partition(":")
            if not sign:
                raise argparse.ArgumentTypeError(f"{text!r} is not NAME=X, as in {(allowed or ['alpha'])[0]}=0.7")
            if allowed is not None and (f"{head}{colon}" not in allowed or (colon and not category)):
                raise argparse.ArgumentTypeError(f"there is no {name!r}{did_you_mean(name, allowed)}")
            if name in thresholds:
                raise argparse.ArgumentTypeError(f"{name!r} is named twice")
            thresholds[name] = finite(number)
        return thresholds

    return parse


def magnitudes(text: str) -> tuple[float, ...]:
    """Return the magnitudes that the argument lists."""
    values = tuple(finite(part) for part in text.split(","))
    for value in values:
        if not 0 <= value <= 1:
            raise argparse.ArgumentTypeError(f"a magnitude is from 0 (no errors) to 1 (the worst), not {value:g}")
    return values


def layers(text: str) -> list[str]:
    """Return the layers named."""
    return [_plain(piece) for piece in _pieces(text)]


def labels(text: str) -> Mapping[str, str | None]:
    """Return category to category as `gamma_align.read` takes them."""
    categories: dict[str, str | None] = {}
    only = others = False
    for piece in _pieces(text):
        name, *target = map(_plain, _split(piece, "="))
        if name in categories:
            raise argparse.ArgumentTypeError(f"{name!r} is named twice")
        if target:
            categories[name] = "=".join(target) or None
        elif name == "*":
            others = True
        else:
            categories[name], only = name, True
    if only and not others:
        categories.setdefault("*", None)
    return categories


def ordered_labels(text: str) -> tuple[str, ...]:
    import csv

    try:
        (labels,) = csv.reader([text], strict=True, skipinitialspace=True)
    except (csv.Error, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of labels with commas between: {error}") from None
    return tuple(labels)


def pair(text: str) -> tuple[str, str]:
    """Return the two sides of an equals sign."""
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form A=B")
    return name, value


def item_column(text: str) -> tuple[str, str]:
    """Return the role of a column in a table of items, and its name there."""
    ours, equals, theirs = text.partition("=")
    if not equals or ours not in ("item", "annotator", "category") or not theirs:
        raise argparse.ArgumentTypeError(f"{text!r} is not item=…, annotator=… or category=…")
    return ours, theirs


def option(text: str) -> tuple[str, Any]:
    """Return key and value; a value that is JSON of a list, mapping, number or truth value is that."""
    import json

    name, value = pair(text)
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        parsed = None
    if value[:1] in ("{", "[") and parsed is None:
        raise argparse.ArgumentTypeError(f"{text!r}: the value begins like JSON and is none")
    return name, value if parsed is None or isinstance(parsed, (str, float)) else parsed


def _pieces(text: str) -> list[str]:
    pieces = _split(text, ",")
    if not all(pieces):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name in it; a comma in a name is written \\,")
    return pieces


def _split(text: str, mark: str) -> list[str]:
    """Return what stands between marks that have no backslash before them, escapes as they are."""
    parts: list[list[str]] = [[]]
    for character in _CHARACTER.findall(text):
        if character == mark:
            parts.append([])
        else:
            parts[-1].append(character)
    return ["".join(part) for part in parts]


def _plain(escaped: str) -> str:
    return re.sub(r"\\(.)", r"\1", escaped, flags=re.DOTALL)
