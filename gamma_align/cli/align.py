"""``gamma-align align``: the best alignment of each document, as a table, JSON or a picture."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import gamma_align as ga
from gamma_align.alignment.align import Alignment, align
from gamma_align.cli import _pipeline
from gamma_align.cli._corpus import read_corpus
from gamma_align.cli._measure import measure_settings
from gamma_align.cli._messages import ExitCode, Progress, check_proofs, print_message
from gamma_align.data.problem import few
from gamma_align.errors import SettingsError
from gamma_align.gammas.settings import GammaSettings
from gamma_align.report.alignment import alignment_text


class _Alignments(NamedTuple):
    """The alignment of each document asked for, and the notes of the corpus."""

    documents: list[Alignment]
    texts: tuple[str | None, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        documents = [alignment.to_dict() for alignment in self.documents]
        return {"schema_version": 1, "documents": documents, "notes": list(self.notes)}


def run(arguments: argparse.Namespace) -> int:
    """Align, print, draw, and return the exit code."""
    settings = GammaSettings.of(**measure_settings(arguments))

    def align_all(corpus: ga.Corpus, progress: Progress) -> _Alignments:
        if arguments.svg is not None and len(corpus) != 1:
            names = few(map(repr, corpus.documents), 10)
            raise SettingsError(f"--svg draws one document; choose it with --document: {names}")
        alignments: list[Alignment] = []
        for document in corpus:
            progress(len(alignments), len(corpus))
            alignments.append(align(corpus[document], dissimilarity=settings.dissimilarity, limits=settings.limits))
        texts = corpus.texts or (None,) * len(corpus)
        return _Alignments(alignments, texts, corpus.notes)

    return _pipeline.run(
        arguments,
        align_all,
        read=read_corpus,
        text=lambda result: _text(result, disagreements=arguments.disagreements),
        svg=lambda result: ga.alignment_svg(result.documents[0]),
        verdict=lambda result: _verdict(result.documents, arguments.time_limit),
    )


def _text(result: _Alignments, *, disagreements: bool) -> str:
    pairs = zip(result.documents, result.texts, strict=True)
    return "\n".join(
        alignment_text(alignment, disagreements=disagreements, text=text if disagreements else None)
        for alignment, text in pairs
    )


def _verdict(alignments: list[Alignment], time_limit: float | None) -> int:
    if not any(len(alignment) for alignment in alignments):
        print_message("error", "nothing to align: there are no units")
        return ExitCode.NOT_AVAILABLE
    gaps = [alignment.gap for alignment in alignments if not alignment.is_optimal]
    return check_proofs(gaps, time_limit, len(alignments))
