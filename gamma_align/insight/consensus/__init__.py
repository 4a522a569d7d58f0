"""The consensus of the annotators of a corpus, from its unitary alignments: by votes, or by annotators' error rates.

Alignment and inference are two steps: which units belong together is decided first, by least disorder, and what to make
of them afterwards. Not here: how an alignment is found (`alignment`), and the model of judgments (`measures.items`).
"""
