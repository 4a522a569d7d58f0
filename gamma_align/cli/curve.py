"""``gamma-align curve`` and ``gamma-align plan``: a corpus's γ read against the corpus itself, degraded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    whole,
    write_file,
    write_result,
)
from gamma_align.cli._distance import distance_files
from gamma_align.cli._measure import add_measure, measure_settings
from gamma_align.cli._progress import Progress
from gamma_align.cli._shuffling import KINDS, kinds, magnitudes
from gamma_align.gammas.settings import GammaSettings

if TYPE_CHECKING:
    import argparse


def add_parsers(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the two subcommands."""
    _add_curve(subparsers)
    _add_plan(subparsers)


def _add_curve(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser(
        "curve",
        help="a corpus's γ placed on curves of the corpus itself, degraded by errors of each kind",
        description="Measure γ, degrade the corpus step by step with errors of each kind, and say which size of errors "
        "gives the same γ. Degraded documents have as many samples as --samples says; without it enough for the "
        "expected disorder of a point, a mean over documents and repetitions, to be within 5 %.",
        epilog=EXIT_CODES,
    )
    add_measure(parser)
    group = parser.add_argument_group("errors")
    group.add_argument(
        "--kinds",
        type=kinds,
        metavar="A,B",
        help=f"a curve for each, of {', '.join(KINDS)} (default: all; category where there are two or more)",
    )
    group.add_argument(
        "--magnitudes",
        type=magnitudes,
        metavar="M,M",
        help="where the curves are computed, from 0 on (default: 0,0.2,0.4,0.6,0.8,1, and one more halfway between the "
        "two where a curve comes down to γ)",
    )
    group.add_argument(
        "--repetitions", type=whole(1), default=5, metavar="N", help="simulated corpora a point (default: 5)"
    )
    output = add_output(parser)
    output.add_argument("--svg", type=Path, metavar="FILE", help="also draw the curves")
    shape = output.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON document with everything")
    shape.add_argument("--csv", action="store_true", help="print a row for each point of a curve")
    parser.set_defaults(run=run_curve)


def _add_plan(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser(
        "plan",
        help="how many documents and annotators a narrow interval takes, from a pilot",
        description="Say how the 95 % interval of γ narrows with more documents and annotators, from a pilot's spread "
        "and simulated annotators, who are independent of each other: with 4 samples a document, unless --samples says "
        "how many. Widths are Student's, of γ linearised in the documents' parts.",
        epilog=EXIT_CODES,
    )
    add_measure(parser)
    group = parser.add_argument_group("plan")
    group.add_argument(
        "--target-width", type=positive, required=True, metavar="W", help="width of the interval asked for"
    )
    group.add_argument(
        "--annotators", type=_numbers, default=(2, 3, 4, 5, 6), metavar="N,N", help="to plan with (default: 2,3,4,5,6)"
    )
    group.add_argument(
        "--repetitions", type=whole(2), default=10, metavar="N", help="simulated pilots for each (default: 10)"
    )
    output = add_output(parser)
    shape = output.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON document with everything")
    shape.add_argument("--csv", action="store_true", help="print a row for each number of annotators")
    parser.set_defaults(run=run_plan)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(whole(2)(part) for part in text.split(","))


def run_curve(arguments: argparse.Namespace) -> int:
    """Compute the curves, print, and return the exit code.

    Raises
    ------
    InputError, SettingsError
        For data or settings that cannot be used.
    """
    from gamma_align.report.curve_text import curve_csv, curve_svg, curve_text  # noqa: PLC0415
    from gamma_align.shuffling.curve import reference_curve  # noqa: PLC0415

    inputs = [arguments.path, *distance_files(arguments)]
    check_writable(arguments.output, "-o/--output", inputs)
    check_writable(arguments.svg, "--svg", [*inputs, arguments.output])
    settings, corpus = GammaSettings.of(**measure_settings(arguments)), read_corpus(arguments)
    with naming(arguments.path, () if arguments.quiet else corpus.notes), Progress(quiet=arguments.quiet) as progress:
        result = reference_curve(
            corpus,
            kinds=None if arguments.kinds is None else [(kind,) for kind in dict.fromkeys(arguments.kinds)],
            magnitudes=arguments.magnitudes,
            repetitions=arguments.repetitions,
            settings=settings,
            seed=arguments.seed,
            n_jobs=arguments.jobs,
            progress=progress,
        )
    if arguments.svg is not None:
        write_file(curve_svg(result, Path(arguments.path).stem), arguments.svg)
    text = curve_csv(result) if arguments.csv else curve_text(result)
    write_result(json_text(result.to_dict()) if arguments.json else text, arguments.output)
    tell_notes(corpus.notes, quiet=arguments.quiet)
    return _proven(result.gap, arguments)


def run_plan(arguments: argparse.Namespace) -> int:
    """Plan, print, and return the exit code.

    Raises
    ------
    InputError, SettingsError
        For data or settings that cannot be used.
    """
    from gamma_align.report.curve_text import plan_csv, plan_text  # noqa: PLC0415
    from gamma_align.shuffling.plan import plan  # noqa: PLC0415

    check_writable(arguments.output, "-o/--output", [arguments.path, *distance_files(arguments)])
    settings, corpus = GammaSettings.of(**measure_settings(arguments)), read_corpus(arguments)
    with naming(arguments.path, () if arguments.quiet else corpus.notes), Progress(quiet=arguments.quiet) as progress:
        result = plan(
            corpus,
            target=arguments.target_width,
            annotators=arguments.annotators,
            repetitions=arguments.repetitions,
            settings=settings,
            seed=arguments.seed,
            n_jobs=arguments.jobs,
            progress=progress,
        )
    text = plan_csv(result) if arguments.csv else plan_text(result)
    write_result(json_text(result.to_dict()) if arguments.json else text, arguments.output)
    tell_notes([*corpus.notes, *result.notes], quiet=arguments.quiet)
    return _proven(result.gap, arguments)


def _proven(gap: float, arguments: argparse.Namespace) -> int:
    """Return the exit code, and say what a time limit left unproven."""
    if not gap or arguments.time_limit is None:
        return ExitCode.FINE
    say("warning", f"alignments are not proven optimal in {arguments.time_limit:g} s (gap {gap:.2%} at most)")
    return ExitCode.NOT_PROVEN
