"""``gamma-align measure``: γ, γcat and γk of a corpus, and the unitizing family on request."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

import gamma_align as ga
from gamma_align.cli._common import (
    EXIT_CODES,
    ExitCode,
    add_output,
    check_writable,
    finite,
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
    from collections.abc import Iterator

    from gamma_align.results.values import GammaResult, Value
    from gamma_align.unitizing.results import UnitizingResult

GAMMA, UNITIZING = "gamma", "unitizing-alpha"
FAMILIES = (GAMMA, UNITIZING)


class _Results(NamedTuple):
    """The result of each family, None where it was not asked for."""

    gamma: GammaResult | None
    unitizing: UnitizingResult | None

    def each(self) -> Iterator[tuple[str, GammaResult | UnitizingResult]]:
        """Yield the families asked for, by name."""
        yield from ((name, result) for name, result in zip(FAMILIES, self, strict=True) if result is not None)


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "measure",
        help="γ, γcat, γk of each document and of the corpus; uα, |uα, cuα, (k)uα on request",
        description="Measure γ, γcat and γk of each document and of the corpus, or Krippendorff's unitizing family "
        "(uα, |uα, cuα, (k)uα), or both.",
        epilog=EXIT_CODES,
    )
    add_measure(parser)
    parser.add_argument(
        "--coefficients",
        type=_families,
        default=(GAMMA,),
        metavar="A,B",
        help=f"families to measure, of {' and '.join(FAMILIES)}, separated by commas (default: {GAMMA})",
    )
    parser.add_argument(
        "--overlap",
        choices=("refuse", "layers"),
        default="refuse",
        help="units of one annotator that overlap, for unitizing-alpha: refuse the data, or measure each category on "
        "a layer of its own (default: refuse)",
    )
    output = add_output(parser)
    output.add_argument(
        "--fail-under",
        type=finite,
        metavar="VALUE",
        help="exit with code 1 if γ of the corpus (uα, if γ is not measured) is below VALUE",
    )
    shape = output.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON document with everything")
    shape.add_argument("--csv", action="store_true", help="print a row a document and category, then the corpus's")
    parser.set_defaults(run=run)


def _families(text: str) -> tuple[str, ...]:
    """Return the families named, each once, in their own order."""
    asked = [name.strip() for name in text.split(",")]
    for name in asked:
        if name not in FAMILIES:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(FAMILIES)}")
    return tuple(name for name in FAMILIES if name in asked)


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit code.

    Raises
    ------
    InputError, SettingsError
        For data or settings that cannot be used.
    """
    check_writable(arguments.output, "-o/--output", [arguments.path, *distance_files(arguments)])
    settings, corpus = measure_settings(arguments), read_corpus(arguments)
    results = _measure(corpus, settings, arguments)
    notes = list(dict.fromkeys([*corpus.notes, *(note for _, result in results.each() for note in result.notes)]))
    write_result(_shown(results, notes, arguments), arguments.output)
    tell_notes(notes, quiet=arguments.quiet)
    return _verdict(results, arguments)


def _measure(corpus: ga.Corpus, settings: dict[str, Any], arguments: argparse.Namespace) -> _Results:
    """Return the results, the quicker family computed first: what it refuses should not be waited for."""
    ours, theirs = None, None
    with naming(arguments.path, () if arguments.quiet else corpus.notes):
        if UNITIZING in arguments.coefficients:
            theirs = ga.unitizing_alpha(corpus, distance=settings["distance"], overlap=arguments.overlap)
        if GAMMA in arguments.coefficients:
            with Progress(quiet=arguments.quiet) as progress:
                ours = ga.gamma(corpus, n_jobs=arguments.jobs, progress=progress, **settings)
    return _Results(ours, theirs)


def _shown(results: _Results, notes: list[str], arguments: argparse.Namespace) -> str:
    if arguments.json:
        documents = {name: result.to_dict() for name, result in results.each()}
        shown = next(iter(documents.values())) if len(documents) == 1 else {"coefficients": documents}
        return json_text({"schema_version": 1, **shown, "notes": notes})
    return _csv(results) if arguments.csv else _text(results)


def _csv(results: _Results) -> str:
    from gamma_align.report._csv import csv_text, joined_rows  # noqa: PLC0415  (only now is it needed)
    from gamma_align.report.text import gamma_rows  # noqa: PLC0415
    from gamma_align.report.unitizing import unitizing_rows  # noqa: PLC0415

    tables = [gamma_rows(results.gamma)] if results.gamma else []
    tables += [unitizing_rows(results.unitizing)] if results.unitizing else []
    return csv_text(joined_rows(tables, keys=5))


def _text(results: _Results) -> str:
    from gamma_align.report.text import gamma_text  # noqa: PLC0415  (only now is it needed)
    from gamma_align.report.unitizing import unitizing_text  # noqa: PLC0415

    texts = [gamma_text(results.gamma)] if results.gamma else []
    texts += [unitizing_text(results.unitizing)] if results.unitizing else []
    return "\n".join(texts)


def _verdict(results: _Results, arguments: argparse.Namespace) -> int:
    """Return the exit code and say why: no value weighs more than one too low, that than a missing proof."""
    documents = results.gamma.documents if results.gamma and arguments.time_limit is not None else ()
    gaps = [document.gap for document in documents if not document.optimal]
    if gaps:
        tell_unproven(gaps, len(documents), arguments.time_limit)
    name, value = _first(results)
    if not value.is_available:
        say("error", f"{name} of the corpus is not available: {value.reason}")
        return ExitCode.NOT_AVAILABLE
    if arguments.fail_under is not None and value.value < arguments.fail_under:
        say("error", f"{name} of the corpus is {value.value:.4f}, below --fail-under {arguments.fail_under:g}")
        return ExitCode.BELOW_THRESHOLD
    return ExitCode.NOT_PROVEN if gaps else ExitCode.FINE


def _first(results: _Results) -> tuple[str, Value]:
    """Return the value that the exit code is about."""
    values: list[tuple[str, Value]] = [("γ", results.gamma.gamma)] if results.gamma else []
    values += [("uα", results.unitizing.u)] if results.unitizing else []
    return values[0]
