"""γ, γcat and γk (Mathet 2015, 2017) of a corpus, and of each pair of its annotators.

`gamma.gamma` is the entry point. It uses `gamma_settings`, `measure` (one row of statistics per document), `part_work`
(a part of a corpus: aligned, its chance computed or sampled), `gamma_result` (γ of documents from rows, and the classes
of results) and `corpus_values` (γ of the corpus). The package does not contain alignments and the δ of unitary
alignments (`alignment.solve.unitary_disorders`), does not estimate chance (`chance`), and does not run tasks (`work`).
"""

from gamma_align.lazy import door

_NAMES = {
    "alignment_settings": ("AlignmentSettings",),
    "gamma": ("gamma_of",),
    "gamma_options": (
        "ALIGNMENT_OPTIONS",
        "CHANCE_OPTIONS",
        "CONVENTIONS",
        "DISTANCE",
        "DISTANCE_OPTIONS",
        "GAMMA_OPTIONS",
        "SAMPLING_OPTIONS",
        "WEIGHT_OPTIONS",
    ),
    "gamma_reasons": ("COMPUTED_EXACTLY", "COMPUTED_NUMERICALLY", "EXACT_VALUE", "WITHOUT_ERROR"),
    "gamma_result": ("COUNTS", "DocumentResult", "Documents", "GammaResult", "GammaValue", "is_computed"),
    "gamma_rows": ("Chances", "GammaRows", "counts_in_words"),
    "gamma_settings": ("GammaSettings",),
    "keywords": ("GammaOptions",),
    "measure": ("PART_UNITS", "run"),
    "part_work": ("CurrentEstimate",),
}

__getattr__, __all__ = door(__name__, _NAMES)
