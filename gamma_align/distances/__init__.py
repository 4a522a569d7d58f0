"""Distances between categories for items, γ and the uα family, and the dissimilarity of units.

Conventions
-----------
* A distance d is symmetric, not negative, and 0 between a category and itself. It is inserted in the formula of a
  coefficient as it is, so metrics that Krippendorff writes as δ² are already squared: interval is (c - k)².
* Coefficients on items and the uα family do not depend on the unit of d, only on ratios of distances.
* The categorial dissimilarity of γ is in [0, 1] (`Distance.bind`): distances of numbers and ranks are divided by the
  largest distance of two categories of the corpus; tables and functions must be in [0, 1] themselves.
* All functions that take a distance also take a name, a table or a function: `as_distance`.

References
----------
Krippendorff 2011, Computing Krippendorff's Alpha-Reliability (nominal to ratio, bipolar, circular).
Gwet 2014, Handbook of Inter-Rater Reliability (his ordinal weights). Passonneau 2004, 2006 (sets).
Melamed & Resnik 2000; Artstein & Poesio 2008, §4.4-4.5 (sets, taxonomies, extended senses).
"""

from gamma_align.distances.names import KINDS, NAMES, TAXONOMY_NAMES
from gamma_align.distances.names import listed as listed
from gamma_align.lazy import door

_NAMES = {
    "base": ["Distance"],
    "registry": ["AnyDistance", "Callable", "Matrix", "as_distance", "by_name"],
    "structured": ["Taxonomy"],
}
for _path in KINDS.values():
    _module, _, _name = _path.removeprefix("gamma_align.distances.").partition(":")
    _NAMES.setdefault(_module, []).append(_name)

_OF_PACKAGES = {
    "base": ["Labels"],
    "dissimilarity": ["Dissimilarity", "PairDissimilarity"],
    "forms": [
        "MAX_COUNTED_CATEGORIES",
        "MAX_PAIRED_CODERS",
        "Form",
        "ScoreForm",
        "TableForm",
        "counts_of_items",
        "form_of",
        "slices",
    ],
    "metric": ["Metric", "NominalMetric", "PairsOfCodes", "column_sums"],
}
"""What other packages of ours use besides."""

__getattr__, _lazy = door(__name__, _NAMES, _OF_PACKAGES)
__all__ = ("NAMES", "TAXONOMY_NAMES", *_lazy)  # noqa: PLE0604
