"""Expected disorders: the disorder that a document would have by chance, with its error.

Two sources, the sums of `computed_chance` and random samples, return an `Estimate` of each document and category. A
`PrecisionRule` says how many samples are enough. Two controls make them fewer: pairs of annotators (`pairs`), and
overlaps whose chance is known (`overlaps`, `categorial`). The package does not have observed disorders, coefficients,
their intervals over documents (`measures.gamma`), and whatever runs tasks or stores results (`work`). Other packages
import from here alone; a name is loaded when it is asked for, as options are read before NumPy.
"""

from gamma_align.lazy import door

_NAMES = {
    "aligned_sums": ("Statistics", "WeightedPairs", "statistics", "weighted_pairs"),
    "categorial": ("CategorialEstimates", "Priors", "errors_in_corpus"),
    "chance_settings": ("ChanceSettings",),
    "computed_chance": (
        "ComputedChances",
        "ExpectedWork",
        "MAX_WORK",
        "NO_CHANCES",
        "needs_no_divisor",
        "work_divisor",
    ),
    "draws": (
        "AlignedDocuments",
        "Controls",
        "Draws",
        "align_documents",
        "align_samples",
        "compute_expected",
        "expect_controls",
    ),
    "estimate": ("COMPUTED", "CONSTANT", "ESTIMATED", "Estimate", "IMPOSSIBLE"),
    "other_samplers": ("DOCUMENTS", "SourceDocuments", "make_sampler"),
    "pairs": ("can_pair",),
    "precision": ("ExpectedCategorialDisorders", "ExpectedDisorders", "PrecisionRule", "SampleCounts"),
    "priors": ("overlap_counts", "compute_priors"),
    "sampler": ("ShiftSampler", "can_be_drawn", "sample_costs"),
    "samples": ("DocumentControls", "FullSamples", "Samples"),
    "shifted_samples": ("suitable_documents",),
}

__getattr__, __all__ = door(__name__, _NAMES)
