"""``gamma-align reproduce mathet2017``: §4.2.3, figures 11 to 15 and table 2, run again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamma_align.cli._common import (
    EXIT_CODES,
    ExitCode,
    add_output,
    check_writable,
    json_text,
    whole,
    workers,
    write_result,
)
from gamma_align.cli._folder import check_folder, write_folder
from gamma_align.cli._progress import Progress

if TYPE_CHECKING:
    import argparse


def add_parser(experiments: argparse._SubParsersAction[Any]) -> None:
    """Add the experiment."""
    parser = experiments.add_parser(
        "mathet2017",
        help="how γ, γcat, γk and cuα respond to errors of known kinds and size (Mathet 2017, figures 11-15, table 2)",
        description="Run the experiments of Mathet 2017, §4.2.3, figures 11 to 15 and table 2, again, and say of each "
        "of the paper's claims whether it comes out, under several readings of what the paper leaves open.",
        epilog=EXIT_CODES,
    )
    group = parser.add_argument_group("scale")
    group.add_argument("--quick", action="store_true", help="a smaller version, of seconds")
    group.add_argument("--repetitions", type=whole(1), metavar="N", help="at each magnitude (default: 30; quick: 3)")
    group.add_argument("--units", type=whole(10), metavar="N", help="of the reference (default: 100)")
    group.add_argument("--annotators", type=whole(2), metavar="N", help="default: 3")
    group.add_argument(
        "--samples", type=whole(1), metavar="N", help="of each document's expected disorder (default: 8; quick: 4)"
    )
    group.add_argument("--seed", type=whole(0), metavar="N", help="of everything random (default: 0)")
    group.add_argument("--jobs", type=workers, metavar="N", help="processes to use; -1 for all processors")
    output = add_output(parser)
    output.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help="also write mathet2017.txt, mathet2017.csv, verdicts.csv and the figures as SVG into this folder",
    )
    shape = output.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON document with everything")
    shape.add_argument("--csv", action="store_true", help="print a row for each value")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the experiments, print them, and return the exit code.

    Raises
    ------
    SettingsError
        For settings that cannot be used.
    """
    from gamma_align.reproduction.mathet2017 import FULL, QUICK, READINGS, SPECS, mathet2017  # noqa: PLC0415
    from gamma_align.reproduction.mathet2017_text import (  # noqa: PLC0415  (--version needs no NumPy)
        mathet2017_csv,
        mathet2017_figures,
        mathet2017_text,
        verdicts_csv,
    )

    check_writable(arguments.output, "-o/--output", [])
    check_folder(arguments.folder, "--folder")
    given = {name: getattr(arguments, name) for name in ("repetitions", "units", "annotators", "samples", "seed")}
    scale = replace(
        QUICK if arguments.quick else FULL, **{name: value for name, value in given.items() if value is not None}
    )
    with Progress(quiet=arguments.quiet) as progress:
        result = mathet2017(scale, n_jobs=arguments.jobs, progress=progress)
    titles = {name: spec.title for name, spec in SPECS.items()}
    readings = {name: reading.title for name, reading in READINGS.items()}
    text, csv = mathet2017_text(result, titles, readings), mathet2017_csv(result)
    if arguments.folder is not None:
        tables = {"mathet2017.csv": csv, "verdicts.csv": verdicts_csv(result)}
        files = {"mathet2017.txt": text, **tables, **mathet2017_figures(result, titles)}
        write_folder(files, arguments.folder)
    if arguments.json:
        text = json_text(result.to_dict())
    write_result(csv if arguments.csv else text, arguments.output)
    return ExitCode.FINE
