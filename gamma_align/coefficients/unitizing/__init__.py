"""Krippendorff's unitizing family: lengths of intersections, additive per document, and what is made of them."""
