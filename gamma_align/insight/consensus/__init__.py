"""The consensus of the annotators of a corpus, from its unitary alignments: by votes, or by annotators' error rates.

Alignment and inference are two steps: the alignment of least disorder decides which units belong together, then the
judgments of annotators decide which unitary alignments are units of the consensus. Not here: the search for an
alignment (`alignment`), and the model of judgments (`measures.items`).
"""

from gamma_align.lazy import door

_NAMES = {
    "consensus": ("Consensus", "ConsensusOptions"),
    "consensus_options": ("CONSENSUS_OPTIONS",),
    "decisions": (
        "ALL_BUT_ONE",
        "ANNOTATOR",
        "Decision",
        "DecisionRow",
        "Decisions",
        "FindingFacts",
        "NO_UNIT_HOLDS",
        "NewUnit",
        "Place",
        "Reading",
        "UNIT",
    ),
    "summaries": ("ConsensusUnit",),
}

__getattr__, __all__ = door(__name__, _NAMES)
