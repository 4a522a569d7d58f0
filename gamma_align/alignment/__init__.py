"""Alignments of least disorder, with proof.

`align.align` aligns one continuum, `solve.solve` a batch; `solve.unitary_disorders` computes δ of unitary alignments,
`solve.disorders` computes δ of alignments. Small problems are searched exactly, larger ones are solved by column
generation with linear programmes. This package does not define dissimilarities (`distances`) and does not
estimate chance (`chance`).
"""

from gamma_align.lazy import door

_NAMES = {
    "align": ("AlignOptions", "Alignment", "Alignments"),
    "backend": ("has_ortools", "programme_solver"),
    "candidates": ("FREE", "near_pairs"),
    "kinds": ("solve_alignment",),
    "limits": ("KERNELS", "Limits"),
    "memory": ("TooManyPairsError", "chunks_in_memory", "documents_text", "have_few_pairs", "naming_documents"),
    "options": ("ALIGNMENT", "COVER", "PARTITION", "PROOF_OPTIONS", "soft_prefix"),
    "solve": ("Solution", "aligned_pairs", "disorders", "unitary_disorders"),
    "watching": ("reporting_gaps",),
}

__getattr__, __all__ = door(__name__, _NAMES)
