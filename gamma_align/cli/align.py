"""``gamma-align align``: the best alignment of each document, as a table, JSON or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import gamma_align as ga
from gamma_align.cli._common import (
    EXIT_CODES,
    ExitCode,
    add_output,
    check_writable,
    json_text,
    naming,
    positive,
    read_corpus,
    say,
    tell_notes,
    tell_unproven,
    write_file,
    write_result,
)
from gamma_align.cli._distance import distance_files
from gamma_align.cli._measure import add_dissimilarity, measure_settings
from gamma_align.cli._progress import Progress
from gamma_align.errors import SettingsError
from gamma_align.gammas.settings import GammaSettings

if TYPE_CHECKING:
    import argparse

    from gamma_align.alignment.result import Alignment

_NAMED = 10


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "align",
        help="the best alignment of each document, as a table, JSON or a picture",
        description="Align the units of each document: which units of the annotators belong together.",
        epilog=EXIT_CODES,
    )
    add_dissimilarity(parser)
    parser.add_argument("--document", metavar="D", help="align this document only")
    parser.add_argument(
        "--time-limit",
        type=positive,
        metavar="SECONDS",
        help="stop looking for a proof then, in each document; the result has its gap, "
        "and the exit code is 5 if some is not proven",
    )
    output = add_output(parser)
    output.add_argument("--svg", type=Path, metavar="FILE", help="also draw the document")
    output.add_argument("--json", action="store_true", help="print one JSON document with everything")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Align, print, draw, and return the exit code.

    Raises
    ------
    InputError, SettingsError
        For data or settings that cannot be used.
    """
    inputs = [arguments.path, *distance_files(arguments)]
    check_writable(arguments.output, "-o/--output", inputs)
    check_writable(arguments.svg, "--svg", [*inputs, arguments.output])
    settings, corpus = GammaSettings.of(**measure_settings(arguments)), read_corpus(arguments)
    alignments = _align(corpus, _chosen(corpus, arguments), settings, arguments)
    if arguments.svg is not None:
        from gamma_align.report.svg import alignment_svg  # noqa: PLC0415  (only now is it needed)

        write_file(alignment_svg(alignments[0]), arguments.svg)
    write_result(_shown(corpus, alignments, arguments), arguments.output)
    tell_notes(corpus.notes, quiet=arguments.quiet)
    return _verdict(alignments, arguments)


def _chosen(corpus: ga.Corpus, arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the documents to align, and refuse a choice that is none."""
    few = ", ".join(map(repr, corpus.documents[:_NAMED]))
    more = f" … ({len(corpus)} in all)" if len(corpus) > _NAMED else ""
    if arguments.document is None:
        if arguments.svg is not None and len(corpus) != 1:
            raise SettingsError(f"--svg draws one document; choose it with --document: {few}{more}")
        return corpus.documents
    if arguments.document not in corpus:
        raise SettingsError(f"argument --document: no document {arguments.document!r}; there are {few}{more}")
    return (arguments.document,)


def _align(
    corpus: ga.Corpus, documents: tuple[str, ...], settings: GammaSettings, arguments: argparse.Namespace
) -> list[Alignment]:
    found: list[Alignment] = []
    with naming(arguments.path, () if arguments.quiet else corpus.notes), Progress(quiet=arguments.quiet) as progress:
        for document in documents:
            progress(len(found), len(documents))
            alignment = ga.align(corpus[document], dissimilarity=settings.dissimilarity, limits=settings.limits)
            found.append(alignment)
    return found


def _shown(corpus: ga.Corpus, alignments: list[Alignment], arguments: argparse.Namespace) -> str:
    if arguments.json:
        documents = [alignment.to_dict() for alignment in alignments]
        return json_text({"schema_version": 1, "documents": documents, "notes": list(corpus.notes)})
    from gamma_align.report.text import alignment_text  # noqa: PLC0415  (only now is it needed)

    return "\n".join(alignment_text(alignment) for alignment in alignments)


def _verdict(alignments: list[Alignment], arguments: argparse.Namespace) -> int:
    if not any(len(alignment) for alignment in alignments):
        say("error", "nothing to align: there are no units")
        return ExitCode.NOT_AVAILABLE
    unproven = [alignment for alignment in alignments if not alignment.is_optimal]
    if arguments.time_limit is None or not unproven:
        return ExitCode.FINE
    tell_unproven([alignment.gap for alignment in unproven], len(alignments), arguments.time_limit)
    return ExitCode.NOT_PROVEN
