"""What ``serve`` takes, and its help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gamma_align.apps.cli._argument_types import positive, whole
from gamma_align.apps.cli._parser import MORE, Parser


def serve(parser: Parser) -> None:
    """Add the arguments of ``serve``."""
    parser.describe(
        "Serve a page, on which files are dropped and measured, and the same as a service over HTTP; on this computer "
        "alone, unless --host says otherwise. Ctrl-C ends it.",
        "gamma-align serve corpora/novels_ner --open",
        "gamma-align serve --port 8080 --max-seconds 60",
    )
    parser.add_argument("path", metavar="PATH", nargs="?", help="a corpus to open the page with: a file or a folder")
    parser.add_argument("--port", type=whole(0), metavar="N", help="where to listen (default: a free port)")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.set_defaults(quiet=True)
    group = parser.section("who may use it")
    group.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="NAME",
        help="listen for other computers too, as with 0.0.0.0; they need a token",
    )
    group.add_argument(
        "--token",
        metavar="TEXT",
        help="what each request must show (default: that of GAMMA_ALIGN_TOKEN; with --host one is made and printed)",
    )
    group.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a name of a proxy in front; may be repeated"
    )
    group = parser.section("limits", MORE)

    def add(option: str, name: str, kind: Callable[[str], Any], metavar: str, text: str) -> None:
        group.add_argument(option, dest=f"limit_{name}", type=kind, metavar=metavar, help=text)

    add("--max-body", "body", _mebibytes, "MIB", "of a request (default: 50)")
    add("--max-unpacked", "unpacked", _mebibytes, "MIB", "of an archive, unpacked (default: 500)")
    add("--max-units", "units", whole(1), "N", "units of a corpus (default: 2000000)")
    add("--max-annotators", "annotators", whole(1), "N", "annotators of a document (default: 200)")
    add("--max-seconds", "seconds", positive, "SECONDS", "for a job (default: 600)")
    add("--max-memory", "memory", _mebibytes, "MIB", "of the process that works on a job (default: 4096)")
    add("--upload-seconds", "upload_seconds", positive, "SECONDS", "for 10 MiB of a request to arrive (default: 20)")
    add("--workers", "workers", whole(1), "N", "jobs at a time (default: as many as there are processors)")
    add("--queue", "queue", whole(1), "N", "jobs that wait (default: 64)")
    add("--streams", "streams", whole(1), "N", "clients that listen to jobs (default: 32)")
    add("--keep-minutes", "keep_seconds", _minutes, "N", "how long results and data are kept (default: 30)")
    add("--keep", "keep_bytes", _mebibytes, "MIB", "of results and data that are kept (default: 256)")


def _mebibytes(text: str) -> int:
    return whole(1)(text) << 20


def _minutes(text: str) -> float:
    return 60 * positive(text)
