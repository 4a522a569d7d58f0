"""Comparisons: of two corpora, of two sets of judgments of the same items, or of γ and uα on one corpus.

Not here: the measures themselves (`measures.gamma`, `measures.unitizing`, `measures.items`).
"""

from gamma_align.lazy import door

_NAMES = {
    "changed_causes": ("CHANGES", "CauseChange", "cause_changes"),
    "compare": ("CompareOptions", "CorporaOptions", "NAMES", "compare_corpora"),
    "comparison_options": ("EXTENTS", "EXTENT_OPTIONS", "FAMILIES", "TEST_OPTIONS"),
    "differences": ("Comparison", "Difference", "DocumentDifference"),
    "families": ("Contribution", "Families"),
    "fates": ("DocumentFate", "FATES"),
    "paired_items": ("ItemsOptions",),
    "pools": ("GammaPool",),
    "rounds": ("Rounds", "RoundsOptions", "rounds_of"),
    "sides": ("sides_of",),
    "unit_fates": ("FateCount", "LOST", "LabelChange", "Span", "UnitChanges", "UnitFate", "unit_changes_of"),
}

__getattr__, __all__ = door(__name__, _NAMES)
