"""``gamma-align compare``: γ's family and the unitizing family side by side (M17 §5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gamma_align as ga
from gamma_align.cli._common import (
    EXIT_CODES,
    ExitCode,
    add_output,
    check_writable,
    json_text,
    naming,
    read_corpus,
    say,
    tell_notes,
    tell_unproven,
    write_result,
)
from gamma_align.cli._distance import distance_files
from gamma_align.cli._measure import add_measure, measure_settings
from gamma_align.cli._progress import Progress

if TYPE_CHECKING:
    import argparse


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "compare",
        help="γ and Krippendorff's uα side by side, and what each pair of categories contributes to γcat and cuα",
        description="Measure γ, γcat, γk and uα, |uα, cuα, (k)uα of the same corpus, and show what each pair of "
        "categories contributes to γcat and to cuα (Mathet 2017, table 3).",
        epilog=EXIT_CODES,
    )
    add_measure(parser)
    shape = add_output(parser).add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON document with everything")
    shape.add_argument("--csv", action="store_true", help="print one row a document and pair of categories")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and return the exit code.

    Raises
    ------
    InputError, SettingsError
        For data or settings that cannot be used.
    """
    check_writable(arguments.output, "-o/--output", [arguments.path, *distance_files(arguments)])
    settings, corpus = measure_settings(arguments), read_corpus(arguments)
    with naming(arguments.path, () if arguments.quiet else corpus.notes), Progress(quiet=arguments.quiet) as progress:
        result = ga.compare(corpus, n_jobs=arguments.jobs, progress=progress, **settings)
    write_result(_shown(result, arguments), arguments.output)
    tell_notes(result.notes, quiet=arguments.quiet)
    return _verdict(result, arguments)


def _shown(result: ga.Comparison, arguments: argparse.Namespace) -> str:
    from gamma_align.report.comparison import comparison_csv, comparison_text  # noqa: PLC0415  (only now is it needed)

    if arguments.json:
        return json_text(result.to_dict())
    return comparison_csv(result) if arguments.csv else comparison_text(result)


def _verdict(result: ga.Comparison, arguments: argparse.Namespace) -> int:
    unproven = [document.gap for document in result.gamma.documents if not document.optimal]
    if arguments.time_limit is not None and unproven:
        tell_unproven(unproven, len(result.gamma.documents), arguments.time_limit)
    if not result.gamma.gamma.is_available:
        say("error", f"γ of the corpus is not available: {result.gamma.gamma.reason}")
        return ExitCode.NOT_AVAILABLE
    return ExitCode.NOT_PROVEN if arguments.time_limit is not None and unproven else ExitCode.FINE
