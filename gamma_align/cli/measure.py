"""``gamma-align measure``: γ, γcat and γk of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import gamma_align as ga
from gamma_align.cli._common import (
    EXIT_CODES,
    ExitCode,
    add_output,
    add_shared,
    check_writable,
    finite,
    json_text,
    naming,
    positive,
    read_corpus,
    say,
    tell_notes,
    tell_unproven,
    whole,
    workers,
    write_result,
)
from gamma_align.cli._progress import Progress

if TYPE_CHECKING:
    import argparse

    from gamma_align.coefficients.values import GammaResult
    from gamma_align.dissimilarity.combined import Dissimilarity


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "measure",
        help="γ, γcat, γk of each document and of the corpus",
        description="Measure γ, γcat and γk of each document and of the corpus.",
        epilog=EXIT_CODES,
    )
    add_shared(parser)
    parser.add_argument(
        "--categories-matrix",
        type=Path,
        metavar="FILE.csv",
        help="how far categories are apart, 0 to 1: a square CSV table with the labels in its first row "
        "and first column (default: 0 for the same category, 1 otherwise)",
    )
    _add_chance(parser)
    output = add_output(parser)
    output.add_argument(
        "--fail-under", type=finite, metavar="GAMMA", help="exit with code 1 if the corpus γ is below GAMMA"
    )
    shape = output.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON document with everything")
    shape.add_argument("--csv", action="store_true", help="print one row a document, and one for the corpus")
    parser.set_defaults(run=run)


def _add_chance(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("chance")
    group.add_argument(
        "--precision",
        type=positive,
        default=0.02,
        metavar="E",
        help="relative precision of the expected disorder, at 95 %% (default: 0.02)",
    )
    group.add_argument(
        "--samples", type=whole(1), metavar="N", help="draw N samples a document, whatever the precision"
    )
    group.add_argument(
        "--max-samples",
        type=whole(1),
        metavar="N",
        help="never draw more than N samples a document, and say so (default: 10000)",
    )
    group.add_argument("--seed", type=whole(0), default=0, metavar="N", help="seed of the samples (default: 0)")
    group.add_argument("--jobs", type=workers, metavar="N", help="processes to use; -1 for all processors")
    group.add_argument(
        "--time-limit",
        type=positive,
        metavar="SECONDS",
        help="stop looking for proofs then; the result has its gap, and the exit code is 5 if some is not proven",
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit code.

    Raises
    ------
    InputError, SettingsError
        For data or settings that cannot be used.
    """
    check_writable(arguments.output, "-o/--output", [arguments.path, arguments.categories_matrix])
    dissimilarity = _dissimilarity(arguments)
    corpus = read_corpus(arguments)
    result = _measure(corpus, dissimilarity, arguments)
    notes = list(dict.fromkeys([*corpus.notes, *result.notes]))
    write_result(_shown(result, notes, arguments), arguments.output)
    tell_notes(notes, quiet=arguments.quiet)
    return _verdict(result, arguments)


def _dissimilarity(arguments: argparse.Namespace) -> Dissimilarity:
    from gamma_align.cli._matrix import read_matrix  # noqa: PLC0415  (--version needs no NumPy)
    from gamma_align.dissimilarity.categorial import Nominal  # noqa: PLC0415
    from gamma_align.dissimilarity.combined import Dissimilarity  # noqa: PLC0415

    path = arguments.categories_matrix
    return Dissimilarity(
        alpha=arguments.alpha,
        beta=arguments.beta,
        delta_empty=arguments.delta_empty,
        categorial=Nominal() if path is None else read_matrix(path),
    )


def _measure(corpus: ga.Corpus, dissimilarity: Dissimilarity, arguments: argparse.Namespace) -> GammaResult:
    limits = {} if arguments.max_samples is None else {"max_samples": arguments.max_samples}
    with naming(arguments.path), Progress(quiet=arguments.quiet) as progress:
        return ga.gamma(
            corpus,
            dissimilarity=dissimilarity,
            precision=arguments.precision,
            samples=arguments.samples,
            seed=arguments.seed,
            n_jobs=arguments.jobs,
            time_limit=arguments.time_limit,
            progress=progress,
            **limits,
        )


def _shown(result: GammaResult, notes: list[str], arguments: argparse.Namespace) -> str:
    from gamma_align.report.text import gamma_csv, gamma_text  # noqa: PLC0415  (only now is it needed)

    if arguments.json:
        return json_text({**result.to_dict(), "notes": notes})
    return gamma_csv(result) if arguments.csv else gamma_text(result)


def _verdict(result: GammaResult, arguments: argparse.Namespace) -> int:
    """Return the exit code and say why: no value weighs more than one too low, that than a missing proof."""
    unproven = arguments.time_limit is not None and not result.optimal
    if unproven:
        gaps = [document.gap for document in result.documents if not document.optimal]
        tell_unproven(gaps, len(result.documents), arguments.time_limit)
    if not result.gamma.is_available:
        say("error", f"γ of the corpus is not available: {result.gamma.reason}")
        return ExitCode.NOT_AVAILABLE
    if arguments.fail_under is not None and result.gamma.value < arguments.fail_under:
        say(
            "error",
            f"γ of the corpus is {result.gamma.value:.4f}, below --fail-under {arguments.fail_under:g}",
        )
        return ExitCode.BELOW_THRESHOLD
    return ExitCode.NOT_PROVEN if unproven else ExitCode.FINE
