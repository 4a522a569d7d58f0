"""Coefficients of agreement: γ and its family, Krippendorff's uα family, coefficients on predefined items, references.

`pooling.document_statistics` measures a part of the data and `pooling.pool` combines the parts, for all measures alike.
Each measure has its options, its statistics per document and its result, whose values are `inference.values.Value`.
Not here: alignment, standard errors (`inference`), and texts or tables of results (`present`).
"""
