"""The gate: thresholds against values, as messages and an exit code, as JUnit XML, and for GitHub Actions."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gamma_align.apps.cli._arguments import source_label
from gamma_align.apps.cli._messages import ExitCode, print_message
from gamma_align.apps.cli._output import write_file
from gamma_align.errors import Location, SettingsError, did_you_mean, render
from gamma_align.inference import Value
from gamma_align.present import (
    NOT_AVAILABLE,
    Check,
    junit_xml,
    messages,
    summary,
    workflow_command,
)
from gamma_align.requests import COMMAND_LINE, PROGRAM

Values = Mapping[str, tuple[str, Value]]
"""Symbols and values that can have a threshold, by name in ``--fail-under``."""

_PRECEDENCE = (
    *(ExitCode.NOT_AVAILABLE, ExitCode.BELOW_THRESHOLD, ExitCode.LEFT_OUT, ExitCode.NOT_PROVEN),
    ExitCode.FINE,
)
"""Exit codes, the most important first."""


def most_important(codes: Iterable[int]) -> int:
    """Return the exit code that takes precedence: no value, a value too low, documents left out, no proof."""
    return min(codes, key=lambda code: _PRECEDENCE.index(ExitCode(code)))


def checks_of(
    values: Values, arguments: argparse.Namespace, subject: str = "", *, document: bool = False
) -> Iterator[Check]:
    """Yield the checks of a corpus, a system or a document that the arguments request.

    A category that a document does not have is not checked there. A category that the corpus does not have fails.
    """
    thresholds = _document_thresholds(arguments) if document else arguments.fail_under
    for name, threshold in thresholds.items():
        if name in values or not document:
            symbol, value = values.get(name) or (name, _missing_category(name, values))
            yield Check(symbol, value, threshold, subject, by_low=arguments.fail_by == "low", is_document=document)


def _document_thresholds(arguments: argparse.Namespace) -> Mapping[str, float]:
    """Return the thresholds of documents, which only some commands have."""
    thresholds: Mapping[str, float] = vars(arguments).get("fail_under_documents", {})
    return thresholds


def _missing_category(name: str, values: Values) -> Value:
    """Return the value of a category that no unit has, with a suggestion."""
    return Value.unavailable(f"no unit has this category{did_you_mean(name, values)}")


def check_gate(arguments: argparse.Namespace, measured: Sequence[str], cure: str) -> None:
    """Refuse thresholds of values that are not measured, and a file of checks without thresholds, before reading."""
    options = {"--fail-under": arguments.fail_under, "--fail-under-documents": _document_thresholds(arguments)}
    for option, thresholds in options.items():
        for name in thresholds:
            if name not in measured:
                raise SettingsError(f"argument {option}: {name} is not measured; {cure}")
    if arguments.junit is not None and not any(options.values()):
        raise SettingsError(
            "it writes thresholds as test cases, and there are none",
            "add --fail-under NAME=X",
            Location.for_option("junit"),
        )


def gate(checks: Sequence[Check], arguments: argparse.Namespace, signatures: Sequence[str]) -> int:
    """Print the missed thresholds, write the requested outputs, and return the exit code."""
    title = f"{PROGRAM} {arguments.command} {source_label(arguments)}"
    if arguments.junit is not None:
        write_file(junit_xml(checks, title, signatures), arguments.junit)
    on_github = os.environ.get("GITHUB_ACTIONS") == "true"
    for message in messages(checks):
        if on_github:
            print(workflow_command(render(message, COMMAND_LINE), title), file=sys.stderr)
        else:
            print_message("error", message)
    if on_github and checks:
        _append(summary(checks, title, signatures), os.environ.get("GITHUB_STEP_SUMMARY"))
    missed = [check for check in checks if check.is_missed]
    if any(check.outcome == NOT_AVAILABLE for check in missed):
        return ExitCode.NOT_AVAILABLE
    return ExitCode.BELOW_THRESHOLD if missed else ExitCode.FINE


def _append(text: str, path: str | None) -> None:
    """Append a text to the summary of a job on GitHub. If that is impossible, the job goes on."""
    if not path:
        return
    try:
        # The summary may already contain the results of earlier commands.
        with Path(path).open("ab") as file:
            file.write(f"{text}\n".encode("utf-8", "backslashreplace"))
    except OSError as error:
        print_message("warning", f"cannot write the summary {path}: {error.strerror or error}")
