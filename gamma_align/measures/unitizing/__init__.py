"""Krippendorff's unitizing family uα, |uα, cuα and (k)uα, and αU of 2004.

Continua are cut into segments, their intersections counted, coefficients computed from the sums of each document. Not
here: γ, and α of predefined items (`measures.items`).
"""
