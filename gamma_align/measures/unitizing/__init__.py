"""Krippendorff's unitizing family uα, |uα, cuα and (k)uα, and αU of 2004.

Continua are divided into segments, the lengths of their intersections are summed for each document, and coefficients
are computed from the sums. Not here: γ, and α of predefined items (`measures.items`).
"""
