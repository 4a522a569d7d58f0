"""The request ``shuffle``: simulated annotators with errors of known kinds and magnitude."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gamma_align.data import Corpus, Json, Unit
from gamma_align.errors import Cure, InputError, Location, Set, SettingsError
from gamma_align.requests.distances import read_square
from gamma_align.requests.settings import Values, given, selection
from gamma_align.simulation import COPY_OPTIONS, ERROR_OPTIONS, SYNTHETIC_OPTIONS, shuffle_grid, synthetic_reference
from gamma_align.simulation.shuffle import shuffle


class Shuffled(NamedTuple):
    """Simulated annotators."""

    corpus: Corpus

    def to_dict(self) -> dict[str, Json]:
        """Return units, annotators and extents in the form of a request to the HTTP API."""
        corpus = self.corpus
        units = [
            {
                "document": name,
                "annotator": unit.annotator,
                "start": unit.start,
                "end": unit.end,
                "category": unit.category,
            }
            for name, unit in named_units(corpus)
        ]
        pairs = zip(corpus.seen_document.tolist(), corpus.seen.tolist(), strict=True)
        return {
            "schema_version": 1,
            "units": units,
            "annotations": [[corpus.documents[document], corpus.annotators[code]] for document, code in pairs],
            "extents": dict(zip(corpus.documents, corpus.extents.tolist(), strict=True)),
            "notes": [*corpus.notes],
        }


def compute_shuffle(reference: Corpus | None, values: Values, _: object) -> Shuffled:
    """Return simulated annotators from a reference, or from a synthetic reference if there is none."""
    check_one_reference(values, has_corpus=reference is not None)
    if reference is None:
        reference = synthetic(values)
    return Shuffled(shuffled(reference, values, errors_of(values)))


def check_one_reference(values: Values, *, has_corpus: bool) -> None:
    """Refuse a request with a corpus and a synthetic reference, or with neither."""
    if has_corpus == (values["synthetic"] is not None):
        raise SettingsError(
            "exactly one reference is needed", Cure("give a corpus, or {}", Set("synthetic", 50, "shuffle"))
        )


def synthetic(values: Values) -> Corpus:
    """Return a synthetic reference."""
    if selection(values):
        raise SettingsError("a synthetic reference is one document", location=Location.for_option("documents"))
    reference = synthetic_reference(units=values["synthetic"], **given(values, SYNTHETIC_OPTIONS))
    return Corpus.from_continua([reference])


def errors_of(values: Values) -> dict[str, Json]:
    """Return the keyword arguments of `shuffle` in a request, without the magnitude."""
    errors = given(values, (*COPY_OPTIONS, *ERROR_OPTIONS.options))
    matrix = None if values["overlap_matrix"] is None else _matrix(values["overlap_matrix"])
    return errors | {"overlap_matrix": matrix}


def _matrix(path: Path) -> dict[str, dict[str, float]]:
    """Return the overlap matrix in a CSV file; InputError for a repeated row."""
    labels, rows = read_square(path)
    matrix: dict[str, dict[str, float]] = {}
    for line, name, numbers in rows:
        if name in matrix:
            raise InputError(f"{path}:{line}: there is a row of {name!r} already")
        matrix[name] = dict(zip(labels, numbers, strict=True))
    return matrix


def shuffled(reference: Corpus, values: Values, errors: dict[str, Json]) -> Corpus:
    """Return copies of a reference with errors; of several magnitudes and repetitions, all in one corpus."""
    magnitudes = values["magnitude"]
    repetitions = values["repetitions"]
    if len(magnitudes) == 1 and repetitions == 1:
        return shuffle(reference, magnitude=magnitudes[0], **errors)
    return shuffle_grid(reference, magnitudes=magnitudes, repetitions=repetitions, **errors).corpus


def named_units(corpus: Corpus) -> Iterator[tuple[str, Unit]]:
    """Yield each unit with the name of its document."""
    for name in corpus:
        for unit in corpus[name].units():
            yield name, unit
