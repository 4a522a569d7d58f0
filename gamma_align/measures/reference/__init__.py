"""Annotators against a reference: precision, recall and F1 of units, segmentation and diarization measures.

Each pair of annotators of a document is one instance of a batch, and all instances are compared at once. Not here: γ
and uα (`measures.gamma`, `measures.unitizing`), which `evaluate` adds to its result.
"""

from gamma_align.lazy import door

_NAMES = {
    "evaluate": ("Evaluation", "LabelScore", "SystemScore"),
    "matching": ("BOUNDARY", "BOUNDARY_AND_LABEL", "CORRECT", "LABEL", "Matching", "Overlaps"),
    "pairings": (
        "Pairings",
        "REFERENCE",
        "SYSTEM",
        "Slots",
        "all_pairs",
        "annotator_code",
        "mean_over_pairs",
        "pairs_with_reference",
    ),
    "pairwise_f1": ("PAIRED", "PairwiseF1"),
    "reference_options": (
        "ATOM",
        "CASE_OPTIONS",
        "CHANCE_OF_REFERENCE",
        "COMPARISON_OPTIONS",
        "DEFAULT_MEASURES",
        "DIARIZATION_OPTIONS",
        "GAPS",
        "IOU",
        "KINDS",
        "MATCHES",
        "NEAR",
        "REFERENCE_OPTIONS",
        "SEGMENTATION_OPTIONS",
        "SPAN_OPTIONS",
        "VOTE_MEASURES",
        "ZERO_DIVISION",
    ),
    "segmentation": ("SegmentationResult", "SegmentationScore", "VALUES"),
    "spans": ("SCORE_PARTS", "credits_by_measure"),
    "votes": ("Cells", "Votes"),
}

__getattr__, __all__ = door(__name__, _NAMES)
