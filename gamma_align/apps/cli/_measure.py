"""The exit code of a value of the corpus."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from gamma_align.apps.cli._messages import ExitCode, check_proofs, print_message
from gamma_align.inference import Value
from gamma_align.present import prefix_of, symbol_of

if TYPE_CHECKING:  # `align` needs no γ
    from gamma_align.measures.gamma import GammaResult


def verdict(name: str, value: Value, result: GammaResult | None, arguments: argparse.Namespace) -> int:
    """Return the exit code of a value of the corpus, and print the reason. No value takes precedence over no proof."""
    code = proofs(result, arguments)
    if not value.is_available:
        print_message("error", f"{name} of the corpus is not available: {value.reason}")
        return ExitCode.NOT_AVAILABLE
    return code


def gamma_verdict(result: GammaResult, arguments: argparse.Namespace) -> int:
    """Return the exit code of γ of the corpus, and print the reason."""
    return verdict(symbol_of("gamma", prefix_of(result.settings)), result.gamma, result, arguments)


def proofs(result: GammaResult | None, arguments: argparse.Namespace) -> int:
    """Return the exit code of the alignments of a corpus, and warn if one is not proven optimal."""
    if result is None:
        return ExitCode.FINE
    return check_proofs(result.gaps, arguments.time_limit, len(result.documents))
