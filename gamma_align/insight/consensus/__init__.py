"""The consensus of the annotators of a corpus, from its unitary alignments: by votes, or by annotators' error rates.

Alignment and inference are two steps: the alignment of least disorder decides which units belong together, then the
judgments of annotators decide which unitary alignments are units of the consensus. Not here: the search for an
alignment (`alignment`), and the model of judgments (`measures.items`).
"""
