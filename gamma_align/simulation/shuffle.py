"""`shuffle`: simulated annotators, made from a reference by adding errors of known kinds and magnitude."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar, Unpack

import numpy as np

from gamma_align.columns import UNLABELLED, FloatArray, IntArray
from gamma_align.data import Coded, Continuum, Corpus
from gamma_align.errors import SettingsError
from gamma_align.options import takes_options
from gamma_align.simulation.keywords import ShufflingOptions
from gamma_align.simulation.kinds import Shuffling, check_magnitude, degrade
from gamma_align.simulation.reference import (
    CopiedUnits,
    CopyPlan,
    Instance,
    Reference,
    exact_copies,
    plan_copies,
    select_reference,
)
from gamma_align.simulation.simulation_options import COPY_OPTIONS, ERROR_MAGNITUDE, ERROR_OPTIONS, GRID_REPETITIONS

_Data = TypeVar("_Data", Continuum, Corpus)


class ShuffledCorpus(NamedTuple):
    """Simulated documents, the instance behind each document by name, and the settings of the errors."""

    corpus: Corpus
    instances: dict[str, Instance]
    settings: Shuffling


@takes_options((ERROR_MAGNITUDE, *COPY_OPTIONS, *ERROR_OPTIONS.options))
def shuffle(
    reference: _Data,
    *,
    magnitude: float,
    kinds: Sequence[str] = ("shift",),
    annotators: int = 3,
    seed: int = 0,
    annotator: str | None = None,
    **options: Unpack[ShufflingOptions],
) -> _Data:
    """Return simulated annotators, each a copy of the reference with errors of known kinds and magnitude (M17 §5).

    Parameters
    ----------
    reference : Continuum or Corpus
        The reference annotation. If a document has several annotators, `annotator` selects one of them.

    Returns
    -------
    Continuum or Corpus
        Of the same type as the reference, with its documents and extents, and annotators ``"1"``, ``"2"`` … A copy is
        a function of (seed, document, magnitude, index of the annotator), the settings and the reference.

    Raises
    ------
    SettingsError
        If a setting is out of its range or the annotator is unknown.
    InputError
        If a document has no annotator.

    Examples
    --------
    >>> reference = ga.synthetic_reference(units=3, integer=True)
    >>> corpus = ga.shuffle(reference, magnitude=0.1, annotators=2)
    >>> corpus.annotators, len(list(corpus.units()))
    (('1', '2'), 6)
    """
    source = select_reference(reference, annotator)
    settings = Shuffling.of(source.categories, kinds, options)
    instances = [Instance(document, check_magnitude(magnitude), 0) for document in range(len(source.documents))]
    shuffled = make_documents(
        source,
        instances,
        np.full(len(instances), _check_annotators(annotators)),
        settings,
        seed=seed,
        name_instances=False,
    )
    return shuffled.corpus.continuum(0) if isinstance(reference, Continuum) else shuffled.corpus


@takes_options((GRID_REPETITIONS, *COPY_OPTIONS, *ERROR_OPTIONS.options))
def shuffle_grid(
    reference: Corpus | Continuum,
    *,
    magnitudes: Sequence[float],
    repetitions: int = 1,
    kinds: Sequence[str] = ("shift",),
    annotators: int = 3,
    seed: int = 0,
    annotator: str | None = None,
    **options: Unpack[ShufflingOptions],
) -> ShuffledCorpus:
    """Return a simulated document for each document of the reference, magnitude and repetition.

    Parameters
    ----------
    reference : Corpus or Continuum
        The reference annotation, as in `shuffle`.
    magnitudes : sequence of float
        Magnitudes from 0 (no errors) to 1 (the strongest errors of each kind).

    Returns
    -------
    ShuffledCorpus
        The corpus, and the instance behind each of its documents. Repetition 0 equals the result of `shuffle`.

    Raises
    ------
    SettingsError, InputError
        As `shuffle`.

    Examples
    --------
    >>> reference = ga.synthetic_reference(units=3)
    >>> shuffled = ga.shuffle_grid(reference, magnitudes=[0, 0.5], annotators=2)
    >>> shuffled.corpus.documents
    ('m = 0.0, 1, synthetic', 'm = 0.5, 1, synthetic')
    """
    source = select_reference(reference, annotator)
    if repetitions < 1:
        raise SettingsError(f"repetitions must be 1 or more, not {repetitions}")
    checked = list(dict.fromkeys(check_magnitude(magnitude) for magnitude in magnitudes))
    if not checked:
        raise SettingsError("at least one magnitude is needed")
    grid = itertools.product(range(len(source.documents)), checked, range(repetitions))
    instances = list(itertools.starmap(Instance, grid))
    settings = Shuffling.of(source.categories, kinds, options)
    return make_documents(
        source, instances, np.full(len(instances), _check_annotators(annotators)), settings, seed=seed
    )


def _check_annotators(annotators: int) -> int:
    """Return the number of annotators if it is at least 1."""
    if annotators < 1:
        raise SettingsError(f"annotators must be 1 or more, not {annotators}")
    return annotators


def make_documents(
    reference: Reference,
    instances: list[Instance],
    annotators: IntArray,
    settings: Shuffling,
    *,
    seed: int,
    name_instances: bool = True,
) -> ShuffledCorpus:
    """Return the simulated document of each instance, with its number of annotators, shape (n_instances,).

    With `name_instances`, the name of a document includes its magnitude and repetition.
    """
    if seed < 0:
        raise SettingsError(f"the seed must be 0 or more, not {seed}")
    plan = plan_copies(reference, instances, annotators, seed)
    units = degrade(reference, plan, exact_copies(reference, plan), settings)
    names = []
    for document, magnitude, repetition in instances:
        name = reference.documents[document]
        names.append(f"m = {magnitude!r}, {repetition + 1}, {name}" if name_instances else name)
    return ShuffledCorpus(
        _build_corpus(reference, plan, units, names), dict(zip(names, instances, strict=True)), settings
    )


def _build_corpus(reference: Reference, plan: CopyPlan, units: CopiedUnits, names: list[str]) -> Corpus:
    """Return the copies as a corpus; `names` are the names of the instances."""
    max_annotators = int(plan.annotator.max(initial=0)) + 1
    digits = len(str(max_annotators))  # leading zeros keep the annotators in numeric order
    annotators = [f"{number:0{digits}}" for number in range(1, max_annotators + 1)]
    columns = {
        "document": Coded(plan.instance[units.copy], names),
        "annotator": Coded(plan.annotator[units.copy], annotators),
        "start": units.start,
        "end": units.end,
        "category": Coded(np.where(units.category < 0, UNLABELLED, units.category), reference.categories),
    }
    # A copy may have lost all its units, so the annotators of each document are given explicitly.
    seen = {"document": Coded(plan.instance, names), "annotator": Coded(plan.annotator, annotators)}
    first_copy = np.flatnonzero(np.diff(plan.instance, prepend=-1))
    source = plan.document[first_copy]  # the document of the reference behind each instance
    extents = reference.extents[source]
    documents: dict[str, list[str] | FloatArray] = {"document": names, "start": extents[:, 0], "end": extents[:, 1]}
    if reference.length_unit is not None:
        documents["unit"] = [reference.length_unit] * len(names)
    corpus = Corpus.from_columns(columns, annotations=seen, documents=documents)
    if reference.texts is None:
        return corpus
    source_by_name = dict(zip(names, source.tolist(), strict=True))
    return replace(corpus, texts=tuple(reference.texts[source_by_name[name]] for name in corpus.documents))
