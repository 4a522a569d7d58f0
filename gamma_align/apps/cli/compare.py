"""``gamma-align compare``: what differs between two corpora."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

from gamma_align.api import compare, rounds, unit_changes
from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import paths_of, read_at
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import most_important
from gamma_align.apps.cli._messages import ExitCode, check_proofs, print_message
from gamma_align.apps.cli._output import PAGE_SUFFIXES
from gamma_align.data import Corpus
from gamma_align.errors import Location, SettingsError
from gamma_align.insight.comparison import FAMILIES, Comparison, UnitChanges
from gamma_align.present import (
    changed_table,
    compared_tables,
    comparison_table,
    comparison_text,
    rounds_table,
    rounds_text,
    symbol,
    tables_of_rounds,
    unit_changes_text,
    unit_tables,
)
from gamma_align.present.writers import csv_rows
from gamma_align.reading import by_column
from gamma_align.requests import (
    COMMAND_LINE,
    measure_settings,
    reading_settings,
    selected,
    with_changed_bounds,
)

if TYPE_CHECKING:
    from gamma_align.present.page import ChangesReport

_MAX_PATHS = 2  # one for each corpus


class _Corpora(NamedTuple):
    """The two corpora and their names."""

    first: Corpus
    second: Corpus
    names: tuple[str, str]

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.first.notes, *self.second.notes]))


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and return the exit code."""
    if arguments.output is not None and arguments.output.suffix.lower() in PAGE_SUFFIXES:
        return _run_page(arguments)
    if arguments.units:
        return _run_units(arguments)
    if _has_rounds(arguments):
        return _run_rounds(arguments)
    return _pipeline.run(
        arguments,
        lambda corpora, progress: compare(
            corpora.first, corpora.second, progress=progress, **_settings(arguments, corpora.names)
        ),
        read=_read_both,
        text=lambda result: comparison_text(result, arguments.rows, OPTION_NAMES),
        csv=lambda result: csv_rows(comparison_table(result)),
        forms=_pipeline.forms_of(
            lambda result: compared_tables(result, arguments.rows), lambda result: [result.signature]
        ),
        verdict=lambda result: _verdict(result, arguments),
    )


def _has_rounds(arguments: argparse.Namespace) -> bool:
    """Return whether rounds are compared: a column names them, or there are more than two paths."""
    return arguments.by is not None or len(arguments.path) > _MAX_PATHS


def _settings(arguments: argparse.Namespace, names: tuple[str, str]) -> dict[str, Any]:
    """Return what a comparison is made with."""
    return {
        "names": names,
        "align_text": bool(arguments.read_align_text),
        "measure": arguments.coefficients,
        "causes": arguments.causes,
        "replicates": arguments.replicates,
        "extents": arguments.extents,
        "overlap": arguments.overlap,
        "n_jobs": arguments.jobs,
        **measure_settings(vars(arguments)),
    }


def _run_page(arguments: argparse.Namespace) -> int:
    """Write the page of what changed, and return the exit code of the comparison, or of the units alone."""
    if _has_rounds(arguments):
        raise SettingsError(
            "a page has two versions, and rounds are tables",
            "name two paths, or a file that ends in .md",
            Location.for_option("output"),
        )
    from gamma_align.api import html_changes  # few runs need the page
    from gamma_align.present.page import changes_page

    return _pipeline.run(
        arguments,
        lambda corpora, progress: html_changes(
            corpora.first,
            corpora.second,
            units=arguments.units,
            progress=progress,
            **_settings(arguments, corpora.names),
        ),
        read=_read_both,
        text=lambda result: changes_page(result, COMMAND_LINE),
        verdict=lambda result: _verdict_of_page(result, arguments),
        text_suffixes=PAGE_SUFFIXES,
    )


def _verdict_of_page(result: ChangesReport, arguments: argparse.Namespace) -> int:
    """Print where the page is, and return the exit code."""
    if not arguments.quiet:
        print_message("note", f"{arguments.output}: {' → '.join(result.names)}")
    if result.comparison is not None:
        return _verdict(result.comparison, arguments)
    assert result.units is not None  # noqa: S101  (for the type checker: one of the two is there)
    return _verdict_of_units(result.units)


def _run_units(arguments: argparse.Namespace) -> int:
    """Compare unit by unit, print, and return the exit code: 1 if anything differs."""
    return _pipeline.run(
        arguments,
        lambda corpora, _: unit_changes(
            corpora.first, corpora.second, names=corpora.names, align_text=bool(arguments.read_align_text)
        ),
        read=_read_both,
        text=lambda result: unit_changes_text(result, arguments.rows, OPTION_NAMES),
        csv=lambda result: csv_rows(changed_table(result)),
        forms=_pipeline.forms_of(lambda result: unit_tables(result, arguments.rows), lambda result: [result.signature]),
        verdict=_verdict_of_units,
    )


def _verdict_of_units(result: UnitChanges) -> int:
    """Return the exit code: 1 if units differ."""
    return ExitCode.FINE if result.is_same else ExitCode.BELOW_THRESHOLD


def _run_rounds(arguments: argparse.Namespace) -> int:
    """Measure rounds, print, and return the exit code."""
    if tuple(arguments.coefficients) != FAMILIES[:1]:
        raise SettingsError(f"rounds are compared by {FAMILIES[0]} alone")
    settings = measure_settings(vars(arguments))
    return _pipeline.run(
        arguments,
        lambda corpora, progress: rounds(
            corpora,
            replicates=arguments.replicates,
            extents=arguments.extents,
            n_jobs=arguments.jobs,
            progress=progress,
            **settings,
        ),
        read=_read_rounds,
        text=lambda result: rounds_text(result, arguments.rows, OPTION_NAMES),
        csv=lambda result: csv_rows(rounds_table(result)),
        forms=_pipeline.forms_of(tables_of_rounds, lambda result: [result.signature]),
        verdict=lambda result: check_proofs([result.gap] if result.gap else [], arguments.time_limit),
    )


def _read_rounds(arguments: argparse.Namespace) -> dict[str, Corpus]:
    """Read a corpus for each value of a column, or for each path."""
    paths = paths_of(arguments)
    if arguments.first is not None or arguments.second is not None:
        raise SettingsError("--first and --second are of two corpora; rounds have all their annotators")
    if arguments.by is None:
        return {path: read_at(path, arguments) for path in paths}
    if len(paths) > 1:
        raise SettingsError("--by names a column of one table", "name one PATH")
    settings = {"outside": arguments.outside, **reading_settings(vars(arguments))}
    corpora = by_column(paths[0], arguments.by, **settings)
    return {
        name: selected(with_changed_bounds(corpus, vars(arguments)), vars(arguments))
        for name, corpus in corpora.items()
    }


def _read_both(arguments: argparse.Namespace) -> _Corpora:
    """Read both corpora: two paths, or two groups of annotators of one; SettingsError for anything else."""
    paths = paths_of(arguments)
    if len(paths) > _MAX_PATHS:
        raise SettingsError(f"--units compares two versions, and got {len(paths)} paths")
    groups = [arguments.first, arguments.second]
    if len(paths) < _MAX_PATHS and groups == [None, None]:
        raise SettingsError(
            f"only {paths[0]}: name a second PATH, or the annotators to compare with --first A,B --second C,D"
        )
    corpora = [read_at(path, arguments) for path in paths]
    # With one path, both groups of annotators are taken from the same corpus.
    first, second = (
        _group(corpus, group, option)
        for corpus, group, option in zip((corpora[0], corpora[-1]), groups, ("--first", "--second"), strict=True)
    )
    names = [_name(path, group) for path, group in zip((paths[0], paths[-1]), groups, strict=True)]
    return _Corpora(first, second, (names[0], names[1]))


def _group(corpus: Corpus, annotators: list[str] | None, option: str) -> Corpus:
    """Return the annotations of these annotators; of all annotators if none are named."""
    if annotators is None:
        return corpus
    try:
        return corpus.select(annotators=annotators)
    except SettingsError as error:
        raise error.prefixed(f"argument {option}") from None


def _name(path: str, annotators: list[str] | None) -> str:
    """Return the name of a corpus: its path, and the annotators if they were selected."""
    return path if annotators is None else f"{path}: {', '.join(annotators)}"


def _verdict(result: Comparison, arguments: argparse.Namespace) -> int:
    """Return the exit code of the first coefficient and of the alignments, and print the reason."""
    code = check_proofs([result.gap] if result.gap else [], arguments.time_limit)
    main = result.differences[0]
    if main.is_available:
        return code
    print_message("error", f"the difference of {symbol(main)} is not available: {main.reason}")
    return most_important([code, ExitCode.NOT_AVAILABLE])
