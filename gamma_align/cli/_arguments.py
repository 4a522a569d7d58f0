"""Arguments that several subcommands have, and the types of arguments."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from gamma_align.cli._reading import add_reading


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Add the path of a corpus and how it is read."""
    parser.add_argument(
        "path", metavar="PATH", help="corpus: a file, a folder, or a template such as '{annotator}/{document}.ann'"
    )
    add_outside(add_reading(parser))


def add_outside(group: argparse._ActionsContainer) -> None:
    """Add what becomes of units outside the extent of their document."""
    group.add_argument(
        "--outside",
        choices=("refuse", "extend"),
        default="refuse",
        help="units outside the declared extent of their document: refuse the data, or extend the extent "
        "(default: refuse)",
    )


def add_output(
    parser: argparse.ArgumentParser,
    *,
    csv: str | None = None,
    svg: str | None = None,
    json: str = "print one JSON document with everything",
) -> argparse._ArgumentGroup:
    """Add the group of output arguments; CSV and a picture only where there is a help text for them."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the result to FILE (whole or not at all) instead"
    )
    group.add_argument("--quiet", action="store_true", help="no progress, notes or warnings on stderr")
    if svg is not None:
        group.add_argument("--svg", type=Path, metavar="FILE", help=svg)
    forms = group.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help=json)
    if csv is not None:
        forms.add_argument("--csv", action="store_true", help=csv)
    return group


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
    """Return the argument as a number of workers: 1 or more, or -1."""
    return -1 if text.strip() == "-1" else whole(1)(text)


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
