"""Arguments on how files are read, which the subcommands on a corpus share."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from typing import Any

_CHARACTER = re.compile(r"\\.|.", re.DOTALL)
_GIVEN = "read_"
"""What the names in the namespace begin with: subcommands have options of these names for other things."""


def add_reading(parser: argparse.ArgumentParser, *, format_option: str = "--format") -> argparse._ArgumentGroup:
    """Add the arguments on how files are read.

    Parameters
    ----------
    parser : ArgumentParser
        Of the subcommand.
    format_option : str
        What the format of the input is called, where the subcommand has a ``--format`` of its own.

    Returns
    -------
    argument group
        For what the subcommand has to add.
    """
    group = parser.add_argument_group("reading")

    def add(option: str, name: str, **settings: Any) -> None:  # noqa: ANN401  (those of add_argument)
        group.add_argument(option, dest=f"{_GIVEN}{name}", **settings)

    add(format_option, "format", metavar="NAME", help="of PATH's format, where it cannot be told (convert has a list)")
    add(
        "--annotators-from",
        "annotator",
        metavar="PATTERN",
        help="names of annotators: '{layer}', '{folder}', '{file}', what the file or its path says as '{annotator}' "
        "or '{document}', or one name for all",
    )
    add("--documents-from", "document", metavar="PATTERN", help="names of documents, likewise")
    add(
        "--layers",
        "layers",
        type=layers,
        metavar="A,B",
        help="layers (tiers, questions, namespaces) to read, '*' for all; A:F where feature F is the category",
    )
    add(
        "--labels",
        "labels",
        type=labels,
        metavar="A,B=C,D=",
        help="categories: A is kept, B read as C, units of D left out; all others are left out where some are only "
        r"kept, and kept otherwise ('*=C' is all others); \, \= and \\ stand for themselves",
    )
    add("--positions", "positions", choices=("characters", "tokens"), help="what bounds count, where a format has both")
    add(
        "--offsets",
        "offsets",
        choices=("code-points", "utf-16", "bytes"),
        help="what characters are counted in, where it is not what the format says",
    )
    add(
        "--discontinuous",
        "discontinuous",
        choices=("whole", "parts", "refuse"),
        help="units of several parts: one unit from first start to last end, a unit each part, or an error "
        "(default: whole)",
    )
    add(
        "--mismatch",
        "mismatch",
        choices=("refuse", "keep"),
        help="units that do not cover the text that the file says (default: refuse)",
    )
    add(
        "--align-text",
        "align_text",
        action="store_true",
        default=None,
        help="map annotators' texts that differ onto the first one's, through equal characters",
    )
    add("--encoding", "encoding", metavar="NAME", help="of text files that are not UTF-8 and have no mark of it")
    add(
        "--column",
        "columns",
        action="append",
        type=pair,
        metavar="OURS=YOURS",
        help="your name for a column of a table: document, annotator, start, end, category",
    )
    add(
        "--option",
        "options",
        action="append",
        type=option,
        metavar="KEY=VALUE",
        help="what a single format asks for; a value in JSON ({…}, […], true, 3) is taken as such",
    )
    return group


def reading_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of `gamma_align.read` that the user gave."""
    given = {
        name.removeprefix(_GIVEN): value
        for name, value in vars(arguments).items()
        if name.startswith(_GIVEN) and value is not None
    }
    return {name: dict(value) if name in ("columns", "options") else value for name, value in given.items()}


def layers(text: str) -> list[str]:
    """Return the layers named."""
    return [_plain(piece) for piece in _pieces(text)]


def labels(text: str) -> Mapping[str, str | None]:
    """Return category to category as `gamma_align.read` takes them."""
    found: dict[str, str | None] = {}
    only = others = False
    for piece in _pieces(text):
        name, *target = map(_plain, _split(piece, "="))
        if name in found:
            raise argparse.ArgumentTypeError(f"{name!r} is named twice")
        if target:
            found[name] = "=".join(target) or None
        elif name == "*":
            others = True
        else:
            found[name], only = name, True
    if only and not others:
        found.setdefault("*", None)
    return found


def pair(text: str) -> tuple[str, str]:
    """Return the two sides of an equals sign."""
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form A=B")
    return name, value


def option(text: str) -> tuple[str, Any]:
    """Return key and value; a value that is JSON of a list, mapping, number or truth value is that."""
    name, value = pair(text)
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        found = None
    if value[:1] in ("{", "[") and found is None:
        raise argparse.ArgumentTypeError(f"{text!r}: the value begins like JSON and is none")
    return name, value if found is None or isinstance(found, (str, float)) else found


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
