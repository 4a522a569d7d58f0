"""The human ceiling: the best score that any answer can reach against the annotators of a corpus.

The package contains what the votes of annotators (`measures.reference.votes`) say about the ceiling (`mixture`), the
test for annotators of one source (`same_source`), and the result with its intervals and sentences (`ceiling`). It does
not measure annotators against a reference (`measures.reference`) and says nothing about a truth.
"""

from gamma_align.lazy import door

_NAMES = {
    "ceiling": ("range_by_annotators",),
    "ceiling_options": ("APPROXIMATE_MEASURES", "CEILING_OPTIONS", "GAMMA", "MAJORITY"),
    "ceiling_result": ("Ceiling", "CeilingScore"),
}

__getattr__, __all__ = door(__name__, _NAMES)
