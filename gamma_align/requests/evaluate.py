"""The request ``evaluate``: annotators or systems against a reference, or F1 of every two."""

from __future__ import annotations

from collections.abc import Callable

from gamma_align.data import Corpus
from gamma_align.errors import Cure, Location, Set, SettingsError
from gamma_align.measures.reference import (
    ATOM,
    GAPS,
    IOU,
    NEAR,
    REFERENCE_OPTIONS,
    ZERO_DIVISION,
    Evaluation,
    PairwiseF1,
    SegmentationResult,
)
from gamma_align.measures.reference.evaluate import evaluate
from gamma_align.measures.reference.pairwise_f1 import pairwise_f1
from gamma_align.measures.reference.segmentation import segmentation
from gamma_align.requests.distances import measure_settings
from gamma_align.requests.settings import Values, given

# the measures that need no reference
SPANS = "spans"
SEGMENTATION = "segmentation"


def compute_evaluate(
    corpus: Corpus, values: Values, progress: Callable[[int, int], None]
) -> Evaluation | PairwiseF1 | SegmentationResult:
    """Compare annotators with the reference, or with each other if there is no reference."""
    if values["reference"] is not None:
        return compared(corpus, values, progress)
    return pairs_of(corpus, values) if measure_of_pairs(values) == SPANS else segmentation_of(corpus, values)


def compared(corpus: Corpus, values: Values, progress: Callable[[int, int], None]) -> Evaluation:
    """Compare annotators with the reference."""
    options = given(values, REFERENCE_OPTIONS) | measure_settings(values)
    return evaluate(corpus, n_jobs=values["jobs"], progress=progress, **options)


def pairs_of(corpus: Corpus, values: Values) -> PairwiseF1:
    """Return F1 of every two annotators."""
    return pairwise_f1(corpus, **given(values, (IOU, ZERO_DIVISION)))


def segmentation_of(corpus: Corpus, values: Values) -> SegmentationResult:
    """Return the measures of segmentation of every two annotators."""
    options = given(values, (ATOM, NEAR, GAPS))
    distance = measure_settings(values)["distance"]
    return segmentation(corpus, types=values["boundary_types"], distance=distance, **options)


def measure_of_pairs(values: Values) -> str:
    """Return the measure of pairs of annotators without a reference; refuse those that need one."""
    measures = values["measures"] or (SPANS,)
    need_reference = [name for name in measures if name not in (SPANS, SEGMENTATION)]
    if need_reference or values["cases"]:
        raise SettingsError(
            f"{need_reference[0] if need_reference else 'a list of cases'} needs a reference",
            Cure("name the annotator to compare the others with, by {}", Set("reference", "NAME")),
            Location.for_option("measures" if need_reference else "cases"),
        )
    if len(measures) > 1:
        raise SettingsError(
            f"without a reference, {SPANS} and {SEGMENTATION} are measured one at a time",
            "name one of them",
            Location.for_option("measures"),
        )
    return measures[0]
