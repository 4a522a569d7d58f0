"""The decided corpus to download: the consensus with the decisions of the page, in the formats that can hold it."""

from __future__ import annotations

import contextlib
import shutil
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gamma_align.apps.service.refusal import HTTP, Refusal
from gamma_align.data import Corpus
from gamma_align.errors import GammaAlignError, InputError, Location, render
from gamma_align.insight.consensus.consensus import consensus
from gamma_align.measures.gamma import GammaSettings
from gamma_align.reading import FileFormat, TemporaryFolder, formats, read_decisions, reduced_for, write_new
from gamma_align.reading.tables import table_formats

_LOSSES = ("annotators", "documents", "extents")
"""Facts that a format may lose, which the page then says. Without a unit of length, seconds would be characters."""
_MAX_TRIED_DOCUMENTS = 5  # a format that can hold these nearly always holds all


class Decided(NamedTuple):
    """A decided corpus as a file: its name, its content, and what is to be known of it."""

    name: str
    content: bytes
    notes: list[str]


def formats_for(corpus: Corpus) -> list[tuple[str, str]]:
    """Return name and description of each format that can hold the consensus of a corpus.

    Each is tried on the annotator with the most units in the first documents, as no alignment is known yet.
    """
    tried = corpus.select(documents=corpus.documents[:_MAX_TRIED_DOCUMENTS])
    counts = np.bincount(tried.annotator, minlength=len(tried.annotators))
    sample = tried.select(annotators=tried.annotators[int(np.argmax(counts))])
    names = []
    for name, fmt in formats.formats().items():
        if name not in table_formats.TABLES and fmt.write is None:
            continue
        try:
            _written(sample, fmt, "decided")
        except GammaAlignError:
            continue
        names.append((name, fmt.description))
    return names


def decided_corpus(corpus: Corpus, decisions: bytes, format_name: str, title: str, settings: GammaSettings) -> Decided:
    """Return the consensus of a corpus as a file, in which decisions take precedence over votes.

    Raises
    ------
    InputError
        If a decision is invalid.
    Refusal
        If the format cannot hold the consensus.
    """
    fmt = formats.by_name(format_name)
    with TemporaryFolder() as temporary:
        file = temporary.path / "decisions.json"
        file.write_bytes(decisions)
        read = read_decisions(file)
    result = consensus(corpus, decisions=read, dissimilarity=settings.dissimilarity, limits=settings.limits)
    try:
        decided = _written(result.corpus, fmt, f"{Path(title).stem}-decided")
    except InputError as error:
        cause = f"{fmt.description} cannot hold the decided corpus: {error.problem.cause}"
        raise Refusal(
            "invalid_input", cause, "choose another format", location=_place(error.problem.location)
        ) from None
    notes = [render(note, HTTP) for note in result.notes if note not in corpus.notes]
    return decided._replace(notes=[*notes, *decided.notes])


def _place(location: Location | None) -> dict[str, object]:
    """Return the location of a problem without the file, which is a temporary one."""
    return {"place": location.where} if location is not None and location.where else {}


def _written(corpus: Corpus, fmt: FileFormat, stem: str) -> Decided:
    """Return a corpus as one file if the format can hold it so, otherwise as an archive of its files."""
    with TemporaryFolder() as temporary:
        targets = temporary.path / f"{stem}{fmt.suffixes[0]}", temporary.path / stem
        *attempts, last_attempt = product(((), _LOSSES), targets)
        for attempt in attempts:
            with contextlib.suppress(InputError):
                return _try(corpus, fmt, *attempt)
        return _try(corpus, fmt, *last_attempt)


def _try(corpus: Corpus, fmt: FileFormat, drop: tuple[str, ...], target: Path) -> Decided:
    """Return a corpus as the file or the archive of the folder to which it is written."""
    reduced, notes = reduced_for(corpus, target, fmt.name, drop)
    write_new(reduced, target, format=fmt.name)
    file = Path(shutil.make_archive(str(target), "zip", target)) if target.is_dir() else target
    return Decided(file.name, file.read_bytes(), notes)
