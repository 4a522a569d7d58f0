"""The first look at annotations: a verdict in a sentence, the values of the corpus, the causes, models among people.

It computes nothing of its own: its numbers are those of γ, of the causes of disagreement, of pairs, of coefficients on
items and of `replaceable`, and its sentences come from `insight.verdicts`. Hands on `look_result.Look`.
"""

from gamma_align.lazy import door

_NAMES = {
    "atlas": ("similar_tasks",),
    "crowds": ("MANY_ANNOTATORS", "is_crowd"),
    "look": ("look_at_disagreements",),
    "look_options": ("LOOK_OPTIONS",),
    "look_result": ("Look", "LookCause", "LookValue"),
}

__getattr__, __all__ = door(__name__, _NAMES)
