"""The arguments and the help of ``serve``."""

from __future__ import annotations

import re

from gamma_align.apps.cli._follow_arguments import EVERY, WORK_OPTION
from gamma_align.apps.cli._options import add_groups
from gamma_align.apps.cli._parser import Parser
from gamma_align.data import MAP
from gamma_align.options import POSITIVE, Flag, Group, Kind, Listed, Option, Text, Whole
from gamma_align.requests import number

LIMIT_PREFIX = "limit_"
"""Prefix of the limits in the namespace."""
_POSITIVE_COUNT = Whole(1)
_PORT = Whole(0, at_most=(1 << 16) - 1)  # 16 bits; 0 lets the system choose
_PREFIX = re.compile(r"(/[\w.~-]+)*", re.ASCII)  # what RFC 3986 §2.3 leaves as it is in an address
_MIB_BITS = 20  # a mebibyte is 2 to the power of 20 bytes
_SECONDS_PER_MINUTE = 60


def _mebibytes(text: str) -> int:
    return int(number(_POSITIVE_COUNT)(text)) << _MIB_BITS


def _minutes(text: str) -> float:
    return _SECONDS_PER_MINUTE * number(POSITIVE)(text)


def _prefix(text: str) -> str:
    """Return the prefix of paths without a slash at its end."""
    prefix = text.rstrip("/")
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"must begin with / and have letters, digits and -._~ alone, such as /agreement, not {text!r}")
    return prefix


def _limit(argument: str, name: str, kind: Kind, metavar: str, text: str, default: str) -> Option:
    """Return the option of a limit of the HTTP API; its default is defined there."""
    return Option(name, kind, text, metavar=metavar, argument=argument, shown_default=default)


_MEMORY_SIZE = Text(python="int", parse=_mebibytes)
_TIME_IN_MINUTES = Text(python="float", parse=_minutes)
_FOLLOW_OPTIONS = Group(
    (
        Option(
            "follow",
            Text(),
            "the page shows a project as it grows: a folder in which exports arrive, or the address of a project of "
            "Label Studio, as for gamma-align follow",
            metavar="PROJECT",
        ),
        *(option._replace(default=None, shown_default=str(option.default)) for option in (EVERY, WORK_OPTION)),
        MAP,
    ),
    "a project that grows",
)
FOLLOWING = {"every": EVERY.default, "work": WORK_OPTION.default, "map": MAP.default}
"""Options that only --follow reads, and their defaults."""
_ACCESS_OPTIONS = Group(
    (
        Option(
            "host",
            Text(),
            "listen for other computers, too, as with 0.0.0.0; they need a token",
            default="127.0.0.1",
            shows_default=False,
            metavar="NAME",
        ),
        Option(
            "token",
            Text(),
            "text that every request must contain",
            metavar="TEXT",
            shown_default="the value of GAMMA_ALIGN_TOKEN; with --host, a new token is printed",
        ),
        Option(
            "allow_host", Listed("text"), "host name of a proxy in front; may be repeated", default=(), metavar="NAME"
        ),
        Option(
            "root_path",
            Text(parse=_prefix),
            "prefix that a proxy in front adds to all addresses, such as /agreement",
            default="",
            shows_default=False,
            metavar="PREFIX",
        ),
        Option("uds", Text(), "listen on a Unix domain socket for a proxy in front, instead of a port", metavar="FILE"),
    ),
    "who may use it",
)
LIMIT_OPTIONS = Group(
    (
        _limit("--max-body", "body", _MEMORY_SIZE, "MIB", "size of a request", "50"),
        _limit("--max-unpacked", "unpacked", _MEMORY_SIZE, "MIB", "size of an unpacked archive", "500"),
        _limit("--max-units", "units", _POSITIVE_COUNT, "N", "number of units of a corpus", "2000000"),
        _limit("--max-annotators", "annotators", _POSITIVE_COUNT, "N", "number of annotators of a document", "200"),
        _limit("--max-seconds", "seconds", POSITIVE, "SECONDS", "time for a job", "600"),
        _limit("--max-memory", "memory", _MEMORY_SIZE, "MIB", "memory of the process that works on a job", "4096"),
        _limit(
            "--upload-seconds", "upload_seconds", POSITIVE, "SECONDS", "time for 10 MiB of a request to arrive", "20"
        ),
        _limit("--workers", "workers", _POSITIVE_COUNT, "N", "number of jobs at a time", "the number of processors"),
        _limit("--queue", "queue", _POSITIVE_COUNT, "N", "number of jobs that wait", "64"),
        _limit("--streams", "streams", _POSITIVE_COUNT, "N", "number of clients that listen to jobs", "32"),
        _limit(
            "--keep-minutes", "keep_seconds", _TIME_IN_MINUTES, "N", "time for which results and data are kept", "30"
        ),
        _limit("--keep", "keep_bytes", _MEMORY_SIZE, "MIB", "size of the results and data that are kept", "256"),
    ),
    "limits",
    "more",
)


def serve(parser: Parser) -> None:
    """Add the arguments of ``serve``."""
    parser.describe(
        "Serve a web page on which files are dropped and measured, and the same as an HTTP API; on this computer "
        "alone unless --host is given. Ctrl-C ends it.",
        "gamma-align serve corpora/novels_ner --open",
        "gamma-align serve --port 8080 --max-seconds 60",
    )
    parser.add_argument("path", metavar="PATH", nargs="?", help="a corpus to open the page with: a file or a folder")
    port = Option("port", _PORT, "port to listen on", metavar="N", shown_default="a free port")
    add_groups(
        parser,
        Group((port, Option("open", Flag(), "open the page in the browser", default=False))),
        _FOLLOW_OPTIONS,
        _ACCESS_OPTIONS,
    )
    # Every run reads `quiet`, and this command has no such option.
    parser.set_defaults(quiet=True)
    add_groups(parser, LIMIT_OPTIONS, prefix=LIMIT_PREFIX)
