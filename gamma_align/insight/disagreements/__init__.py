"""Where and why annotators differ: the disorder of every unitary alignment in parts that add up, and tables of it.

Patterns that repeat become questions to settle, each with the γ that settling it would give. Not here: the search for
an alignment (`alignment`), the disorder expected by chance (`measures.gamma`), and printed text (`present`).
"""

from gamma_align.lazy import door

_NAMES = {
    "disagreements": ("Disagreements", "cell_text", "disagreements_of", "fix_causes"),
    "disagreements_options": ("CLERICAL", "DISAGREEMENT_OPTIONS"),
    "disputed_rows": ("Disagreement",),
    "kept_alignments": ("KeptAlignments",),
    "kinds": ("SPACES",),
    "label_tables": ("ConfusionRow", "DirectedRow"),
    "shares": ("AnnotatorRow", "CategoryRow", "DocumentRow", "KindRow", "LengthRow", "Missing", "Share", "WordsRow"),
    "unitary_alignments": ("POSITION", "REASONS", "UnitaryAlignments"),
    "who_differs": ("LeftOut", "PairRow"),
}

__getattr__, __all__ = door(__name__, _NAMES)
