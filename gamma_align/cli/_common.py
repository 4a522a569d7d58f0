"""What the subcommands share: exit codes, argument types, reading, writing, messages."""

from __future__ import annotations

import argparse
import contextlib
import enum
import io
import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gamma_align as ga
from gamma_align.cli._reading import add_reading, reading_settings
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

PROGRAM = "gamma-align"


class ExitCode(enum.IntEnum):
    """What the process ends with."""

    FINE = 0
    BELOW_THRESHOLD = 1
    USAGE = 2
    INVALID_INPUT = 3
    NOT_AVAILABLE = 4
    NOT_PROVEN = 5
    INTERRUPTED = 130


EXIT_CODES = (
    "exit codes: 0 fine, 1 --fail-under missed, 2 usage, 3 invalid input, 4 result not available, "
    "5 not proven optimal within the limit asked for, 130 interrupted"
)


def say(kind: str, text: str) -> None:
    """Print a message of this program to stderr."""
    print(f"{PROGRAM}: {kind}: {text}", file=sys.stderr)


def tell_notes(notes: Iterable[str], *, quiet: bool) -> None:
    """Print the notes, unless asked to be quiet."""
    for note in () if quiet else notes:
        say("note", note)


def tell_unproven(gaps: Sequence[float], total: int, seconds: float) -> None:
    """Warn that alignments are not proven optimal, with the gaps of the documents they are of."""
    say(
        "warning",
        f"{len(gaps)} of {total} documents not proven optimal in {seconds:g} s "
        f"(gap {max(gaps):.2%} at most); a larger --time-limit may prove them",
    )


def prepare_streams() -> None:
    """Make both streams UTF-8, so that γ and any label can be printed in every locale."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller (2>&-): what we print there must not go elsewhere
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def write_stdout(text: str) -> None:
    """Print the result; a reader that stopped reading is no error.

    Raises
    ------
    SettingsError
        If it cannot be written, say for a full disk.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # Python flushes once more at its end: give it something that can be written to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise SettingsError(f"cannot write the result: {error.strerror or error}") from None


def write_result(text: str, output: Path | None) -> None:
    """Print the result, or write the file whole or not at all."""
    if output is None:
        write_stdout(text)
    else:
        write_file(text, output)


def write_file(text: str, path: Path) -> None:
    """Write a file whole or not at all.

    Raises
    ------
    SettingsError
        If it cannot be written there.
    """
    from gamma_align.io.files.atomic import atomic_text  # noqa: PLC0415  (--version needs no reader)

    # half a surrogate pair, legal in a JSON label, is not legal in a file; escaped it is JSON again
    encodable = text.encode("utf-8", "backslashreplace").decode("utf-8")
    try:
        atomic_text(path, encodable)
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror or error}") from None


def check_writable(path: Path | None, option: str, others: Iterable[Path | str | None]) -> None:
    """Refuse a place that cannot be written to, before anything is computed.

    Parameters
    ----------
    path : Path or None
        Where to write.
    option : str
        What names it.
    others : iterable of paths
        Files that must not be overwritten: the input, other outputs.

    Raises
    ------
    SettingsError
        If the folder does not exist or cannot be written to, the path is a folder or one of the others.
    """
    if path is None:
        return
    path = Path(os.path.realpath(path))
    if path in [Path(os.path.realpath(other)) for other in others if other is not None]:
        raise SettingsError(f"argument {option}: {path} is named twice; it would be overwritten")
    folder = path.parent
    if not folder.is_dir():
        raise SettingsError(f"argument {option}: there is no folder {folder}; make it first")
    if path.is_dir():
        raise SettingsError(f"argument {option}: {path} is a folder; name a file")
    place = folder if path.is_file() or not path.exists() else path  # a device or a pipe is written to as it is
    if not os.access(place, os.W_OK):
        raise SettingsError(f"argument {option}: no permission to write in {place}")


def json_text(data: dict[str, Any]) -> str:
    """Return the data as one JSON document."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def read_corpus(arguments: argparse.Namespace) -> ga.Corpus:
    """Read the corpus named on the command line, as its reading options say (none where the subcommand has none).

    Raises
    ------
    InputError
        If it cannot be read or is not valid.
    """
    try:
        return ga.read(arguments.path, outside=arguments.outside, **reading_settings(arguments))
    except OSError as error:
        raise InputError(f"cannot read {error.filename or arguments.path}: {error.strerror or error}") from None


@contextlib.contextmanager
def naming(path: str, notes: Iterable[str] = ()) -> Iterator[None]:
    """Put the file's name before what is wrong with data that could be read but not measured.

    What was guessed in reading them is told first: it is often what is wrong.
    """
    try:
        yield
    except InputError as error:
        tell_notes(notes, quiet=False)
        raise InputError(f"{path}: {error}") from None


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Add the path of a corpus and how it is read."""
    parser.add_argument(
        "path", metavar="PATH", help="corpus: a file, a folder, or a template such as '{annotator}/{document}.ann'"
    )
    add_reading(parser).add_argument(
        "--outside",
        choices=("refuse", "extend"),
        default="refuse",
        help="units outside the declared extent of their document: refuse the data, or extend the extent "
        "(default: refuse)",
    )


def add_output(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the group of output arguments, with those that every subcommand has."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write the result to FILE (whole or not at all) instead",
    )
    group.add_argument("--quiet", action="store_true", help="no progress, notes or warnings on stderr")
    return group


def finite(text: str) -> float:
    """Return the finite number that the argument is."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"must be a finite number, not {text}")
    return number


def positive(text: str) -> float:
    """Return the finite number above 0 that the argument is."""
    number = finite(text)
    if number <= 0:
        raise argparse.ArgumentTypeError(f"must be above 0, not {text}")
    return number


def non_negative(text: str) -> float:
    """Return the finite number, 0 or more, that the argument is."""
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
    """Return the number of workers that the argument is: 1 or more, or -1."""
    return -1 if text.strip() == "-1" else whole(1)(text)
