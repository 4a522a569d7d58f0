"""Causes of disagreement: why annotators differ, each with the repair that would undo it and its effect on γ.

A cause is a hypothesis with a repair. Each kind proposes candidates with their evidence; the repair is applied to a
copy, and the documents that it touches are aligned again, exactly. `registry.CAUSES` lists the kinds, `pursuit.pursue`
finds those that hold. Not here: the tables of disagreements (`disagreements`) and printed text (`present`).
"""

from gamma_align.lazy import door

_NAMES = {
    "findings": ("Example", "Finding"),
    "pursuit": ("MIN_SHARE",),
    "unaligned": ("suspicions",),
}

__getattr__, __all__ = door(__name__, _NAMES)
