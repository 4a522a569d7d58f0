"""Two values compared: those of two annotations of the same documents or items; and γ beside uα on one corpus.

Not here: any measure itself (`measures.gamma`, `measures.unitizing`, `measures.items`).
"""
