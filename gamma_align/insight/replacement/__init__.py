"""Models in the place of annotators: how near they are to the people, and whether they could replace one of them.

Not here: the similarity of units (`alignment`, `measures.reference`), and coefficients of agreement (`measures`).
"""

from gamma_align.lazy import door

_NAMES = {
    "judges": ("JudgeResult", "people_of"),
    "judges_options": ("JUDGE_OPTIONS",),
    "replaceable": ("annotators_named",),
    "replacement_options": ("EQUIVALENCE_OPTIONS", "REPLACEMENT_INFERENCE", "REPLACEMENT_OPTIONS"),
    "replacement_result": ("ModelDifference", "ModelResult", "PersonTest", "Replacement"),
}

__getattr__, __all__ = door(__name__, _NAMES)
