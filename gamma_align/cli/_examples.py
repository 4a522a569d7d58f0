"""``gamma-align reproduce examples``: worked examples of the papers, computed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gamma_align.cli._common import (
    EXIT_CODES,
    ExitCode,
    add_output,
    check_writable,
    json_text,
    whole,
    write_result,
)

if TYPE_CHECKING:
    import argparse


def add_parser(experiments: argparse._SubParsersAction[Any]) -> None:
    """Add the examples."""
    parser = experiments.add_parser(
        "examples",
        help="worked examples of the papers: printed value, ours, and why some do not come out",
        description="Compute the worked examples of the papers again: printed value, ours, and what becomes of it "
        "(equal; digits lost in rounding; a misprint, with its proof; not reproducible, and why).",
        epilog=EXIT_CODES,
    )
    group = parser.add_argument_group("samples")
    group.add_argument(
        "--samples", type=whole(2), default=5000, metavar="N", help="random samples of γ, γcat and γk (default: 5000)"
    )
    group.add_argument("--seed", type=whole(0), default=0, metavar="N", help="their seed (default: 0)")
    output = add_output(parser)
    shape = output.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON document")
    shape.add_argument("--csv", action="store_true", help="print one row for each printed value")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compute the examples, print them, and return the exit code."""
    from gamma_align.reproduction.examples import (  # noqa: PLC0415  (--version needs no NumPy)
        examples,
        examples_csv,
        examples_text,
    )

    check_writable(arguments.output, "-o/--output", [])
    result = examples(samples=arguments.samples, seed=arguments.seed)
    if arguments.json:
        text = json_text(result.to_dict())
    else:
        text = examples_csv(result) if arguments.csv else examples_text(result)
    write_result(text, arguments.output)
    return ExitCode.FINE
