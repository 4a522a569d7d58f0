"""Annotators against a reference: precision, recall and F1 of units, segmentation and diarization measures.

Each pair of annotators of a document is one instance of a batch, and all instances are compared at once. Not here: γ
and uα (`measures.gamma`, `measures.unitizing`), which `evaluate` adds to its result.
"""
