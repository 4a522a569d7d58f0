"""`shuffle`: simulated annotators who make known errors, from a reference or from a corpus's own annotators."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gamma_align.columns import UNLABELLED, IntArray
from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.tables import Coded
from gamma_align.errors import SettingsError
from gamma_align.shuffling.kinds import Shuffling, check_magnitude, degraded
from gamma_align.shuffling.reference import Copies, CopyPlan, Instance, Reference, copies, copy_plan, reference_of

_Data = TypeVar("_Data", Continuum, Corpus)


class ShuffledCorpus(NamedTuple):
    """Documents made from a reference, what each of them is made from, and the kinds of errors."""

    corpus: Corpus
    instances: dict[str, Instance]
    settings: Shuffling


def shuffle(
    reference: _Data,
    *,
    magnitude: float,
    kinds: Sequence[str] = ("shift",),
    annotators: int = 3,
    seed: int = 0,
    annotator: str | None = None,
    **options: Any,  # noqa: ANN401  (fields of Shuffling)
) -> _Data:
    """Return simulated annotators, each a copy of the reference with errors of known kinds and size (M17 §5).

    Parameters
    ----------
    reference : Continuum or Corpus
        The reference annotation; `annotator` says whose units, where there are several.
    magnitude : float
        m, from 0 (nothing changes) to 1 (the worst of the kind).
    kinds : sequence of str
        ``"shift"``, ``"false-negative"``, ``"false-positive"``, ``"category"``, ``"split"``; they apply in this order.
    annotators : int
        How many copies of each document.
    seed : int
        Of everything random.
    annotator : str, optional
        Whose units are the reference.
    **options
        Fields of `Shuffling`: ``confusion``, ``overlap_matrix``, ``subset``, ``shift_factor``, ``split_factor``,
        ``overlaps``, ``integer``. An overlap matrix may be a mapping of mappings, category to category to probability.

    Returns
    -------
    Continuum or Corpus
        As the reference, with its documents and extents, and annotators ``"1"``, ``"2"`` … A copy is a function of
        (seed, document, magnitude, number of the annotator), the settings and the reference.

    Raises
    ------
    SettingsError
        For a setting out of its range, or an annotator who is not there.
    InputError
        For a document without annotators.

    Examples
    --------
    >>> reference = ga.synthetic_reference(units=3, integer=True)
    >>> corpus = ga.shuffle(reference, magnitude=0.1, annotators=2)
    >>> corpus.annotators, len(list(corpus.units()))
    (('1', '2'), 6)
    """
    source = reference_of(reference, annotator)
    settings = Shuffling.of(source.categories, kinds, options)
    instances = [Instance(document, check_magnitude(magnitude), 0) for document in range(len(source.documents))]
    shuffled = make(source, instances, np.full(len(instances), _count(annotators)), settings, seed=seed, named=False)
    return shuffled.corpus.continuum(0) if isinstance(reference, Continuum) else shuffled.corpus


def shuffle_grid(
    reference: Corpus | Continuum,
    *,
    magnitudes: Sequence[float],
    repetitions: int = 1,
    kinds: Sequence[str] = ("shift",),
    annotators: int = 3,
    seed: int = 0,
    annotator: str | None = None,
    **options: Any,  # noqa: ANN401  (fields of Shuffling)
) -> ShuffledCorpus:
    """Return a document for each document of the reference, magnitude and repetition; otherwise as `shuffle`.

    Returns
    -------
    ShuffledCorpus
        The corpus, and what each of its documents is. Repetition 0 is what `shuffle` gives.

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
    source = reference_of(reference, annotator)
    if repetitions < 1:
        raise SettingsError(f"repetitions must be 1 or more, not {repetitions}")
    checked = list(dict.fromkeys(check_magnitude(magnitude) for magnitude in magnitudes))
    if not checked:
        raise SettingsError("at least one magnitude is needed")
    grid = itertools.product(range(len(source.documents)), checked, range(repetitions))
    instances = list(itertools.starmap(Instance, grid))
    settings = Shuffling.of(source.categories, kinds, options)
    return make(source, instances, np.full(len(instances), _count(annotators)), settings, seed=seed)


def _count(annotators: int) -> int:
    if annotators < 1:
        raise SettingsError(f"annotators must be 1 or more, not {annotators}")
    return annotators


def make(
    reference: Reference,
    instances: list[Instance],
    annotators: IntArray,
    settings: Shuffling,
    *,
    seed: int,
    named: bool = True,
) -> ShuffledCorpus:
    """Return the document of each instance, with its number of annotators, shape (n_instances,)."""
    if seed < 0:
        raise SettingsError(f"the seed must be 0 or more, not {seed}")
    planned = copy_plan(reference, instances, annotators, seed)
    units = degraded(reference, planned, copies(reference, planned), settings)
    names = [reference.documents[document] for document, _, _ in instances]
    if named:
        names = [f"m = {m!r}, {time + 1}, {name}" for (_, m, time), name in zip(instances, names, strict=True)]
    return ShuffledCorpus(_corpus(reference, planned, units, names), dict(zip(names, instances, strict=True)), settings)


def _corpus(reference: Reference, planned: CopyPlan, units: Copies, names: list[str]) -> Corpus:
    most = int(planned.annotator.max(initial=0)) + 1
    people = [f"{number:0{len(str(most))}}" for number in range(1, most + 1)]
    instance, annotator = planned.instance[units.copy], planned.annotator[units.copy]
    columns = {
        "document": Coded(instance, names),
        "annotator": Coded(annotator, people),
        "start": units.start,
        "end": units.end,
        "category": Coded(np.where(units.category < 0, UNLABELLED, units.category), reference.categories),
    }
    seen = {"document": Coded(planned.instance, names), "annotator": Coded(planned.annotator, people)}
    first = np.flatnonzero(np.diff(planned.instance, prepend=-1))
    extents = reference.extents[planned.document[first]]
    documents: dict[str, Any] = {"document": names, "start": extents[:, 0], "end": extents[:, 1]}
    if reference.length_unit is not None:
        documents["unit"] = [reference.length_unit] * len(names)
    corpus = Corpus.from_columns(columns, annotations=seen, documents=documents)
    if reference.texts is None:
        return corpus
    of_document = dict(zip(names, planned.document[first].tolist(), strict=True))
    return replace(corpus, texts=tuple(reference.texts[of_document[name]] for name in corpus.documents))
