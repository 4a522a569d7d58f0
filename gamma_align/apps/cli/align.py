"""``gamma-align align``: the best alignment of each document, as a table, JSON or a picture."""

from __future__ import annotations

import argparse
from typing import NamedTuple

import gamma_align as ga
from gamma_align.alignment import Alignment
from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_all
from gamma_align.apps.cli._messages import ExitCode, check_proofs, print_message
from gamma_align.data import few
from gamma_align.errors import SettingsError
from gamma_align.measures.gamma import AlignmentSettings
from gamma_align.present.alignment_text import alignment_text
from gamma_align.requests import AlignedDocuments, compute_align, measure_settings, selected


class _Selection(NamedTuple):
    """The selected documents, and the labels of the full corpus in the order of their colours."""

    corpus: ga.Corpus
    labels: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        return self.corpus.notes


def run(arguments: argparse.Namespace) -> int:
    """Align, print, draw, and return the exit code."""
    if arguments.svg is None and (arguments.lanes or (arguments.window_from, arguments.window_to) != (None, None)):
        raise SettingsError("--lanes, --from and --to change the picture; name its file with --svg")
    AlignmentSettings.of(measure_settings(vars(arguments)))  # wrong settings are refused before data are read
    return _pipeline.run(
        arguments,
        lambda selection, progress: compute_align(selection.corpus, vars(arguments), progress)._replace(
            labels=selection.labels
        ),
        read=_read,
        text=lambda result: _text(result, disagreements=arguments.disagreements),
        svg=lambda result: _picture(result, arguments),
        verdict=lambda result: _verdict(result.documents, arguments.time_limit),
    )


def _read(arguments: argparse.Namespace) -> _Selection:
    """Read the corpus and select from it; SettingsError if a picture is requested of several documents."""
    corpus = read_all(arguments)
    selected_corpus = selected(corpus, vars(arguments))
    if arguments.svg is None:
        return _Selection(selected_corpus, ())
    if len(selected_corpus) != 1:
        names = few(map(repr, selected_corpus.documents), 10)
        raise SettingsError(f"--svg draws one document; choose it with --document: {names}")
    from gamma_align.present.figures import label_order

    # The colours of labels do not depend on the selected document.
    return _Selection(selected_corpus, label_order(corpus))


def _picture(result: AlignedDocuments, arguments: argparse.Namespace) -> str:
    """Return the picture of the only document."""
    (alignment,) = result.documents
    (text,) = result.texts
    low, high = alignment.continuum.extent
    bounds = (arguments.window_from, arguments.window_to)
    window = tuple(default if bound is None else bound for bound, default in zip(bounds, (low, high), strict=True))
    return ga.alignment_svg(
        alignment,
        text=None if arguments.lanes else text,
        window=None if bounds == (None, None) else (window[0], window[1]),
        labels=result.labels,
    )


def _text(result: AlignedDocuments, *, disagreements: bool) -> str:
    pairs = zip(result.documents, result.texts, strict=True)
    return "\n".join(
        alignment_text(alignment, disagreements=disagreements, text=text if disagreements else None)
        for alignment, text in pairs
    )


def _verdict(alignments: list[Alignment], time_limit: float | None) -> int:
    """Return the exit code: no units, or alignments that are not proven optimal."""
    if not any(len(alignment) for alignment in alignments):
        print_message("error", "nothing to align: there are no units")
        return ExitCode.NOT_AVAILABLE
    gaps = [alignment.gap for alignment in alignments if not alignment.is_optimal]
    return check_proofs(gaps, time_limit, len(alignments))
