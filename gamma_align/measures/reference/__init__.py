"""Annotators against a reference: precision, recall and F1 of units, segmentation and diarization measures.

Two annotators of a document are one instance of a batch, and all instances are compared in one go. Not here: γ and uα
themselves (`measures.gamma`, `measures.unitizing`), which `evaluate` puts beside.
"""
