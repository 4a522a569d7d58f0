"""``gamma-align compare``: two annotations of the same documents, and how far their values differ."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import paths_of, read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import most_important
from gamma_align.apps.cli._measure import measure_settings
from gamma_align.apps.cli._messages import ExitCode, check_proofs, print_message
from gamma_align.data.corpus import Corpus
from gamma_align.errors import SettingsError
from gamma_align.insight.comparison.differences import Paired
from gamma_align.insight.comparison.paired import paired_corpora
from gamma_align.present.comparison_tables import comparison_table, symbol
from gamma_align.present.comparison_text import paired_text
from gamma_align.present.paper_tables import paired_tables
from gamma_align.present.writers.data import csv_rows

_MAX_PATHS = 2  # one for each annotation


class _Corpora(NamedTuple):
    """The two annotations and their names."""

    first: Corpus
    second: Corpus
    names: tuple[str, str]

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.first.notes, *self.second.notes]))


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and return the exit code."""
    settings = measure_settings(arguments)
    return _pipeline.run(
        arguments,
        lambda corpora, progress: paired_corpora(
            corpora.first,
            corpora.second,
            names=corpora.names,
            measure=arguments.coefficients,
            replicates=arguments.replicates,
            extents=arguments.extents,
            overlap=arguments.overlap,
            n_jobs=arguments.jobs,
            progress=progress,
            **settings,
        ),
        read=_read_both,
        text=lambda result: paired_text(result, arguments.rows, OPTION_NAMES),
        csv=lambda result: csv_rows(comparison_table(result)),
        forms=_pipeline.forms_of(
            lambda result: paired_tables(result, arguments.rows), lambda result: [result.signature]
        ),
        verdict=lambda result: _verdict(result, arguments),
    )


def _read_both(arguments: argparse.Namespace) -> _Corpora:
    paths = paths_of(arguments)
    if len(paths) > _MAX_PATHS:
        raise SettingsError(
            f"compare takes A and B, and got {len(paths)} paths; name a folder or a template of the files of each"
        )
    groups = [arguments.first, arguments.second]
    if len(paths) < _MAX_PATHS and groups == [None, None]:
        raise SettingsError(
            f"only {paths[0]}: name a second PATH, or the annotators to compare with --first A,B --second C,D"
        )
    corpora = [read_corpus(argparse.Namespace(**{**vars(arguments), "path": [path]})) for path in paths]
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
    return path if annotators is None else f"{path}: {', '.join(annotators)}"


def _verdict(result: Paired, arguments: argparse.Namespace) -> int:
    """Return the exit code of the first coefficient and of the alignments, and print the reason."""
    code = check_proofs([result.gap] if result.gap else [], arguments.time_limit)
    main = result.differences[0]
    if main.is_available:
        return code
    print_message("error", f"the difference of {symbol(main)} is not available: {main.reason}")
    return most_important([code, ExitCode.NOT_AVAILABLE])
