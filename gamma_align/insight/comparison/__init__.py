"""Comparisons of two values: of two annotations of the same documents or items, or of γ and uα on one corpus.

Not here: the measures themselves (`measures.gamma`, `measures.unitizing`, `measures.items`).
"""
