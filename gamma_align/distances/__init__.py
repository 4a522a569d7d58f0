"""How far two categories are apart, for coefficients on items and as γ's categorial dissimilarity.

Conventions
-----------
* A distance d is symmetric, not negative, and 0 between a category and itself. It is what stands in the coefficient's
  formula, so a metric that Krippendorff writes δ² is squared here already: interval is (c - k)².
* Coefficients do not depend on the unit of d: only ratios of distances matter to them.
* Every distance is also a categorial dissimilarity of γ: `Distance.bind` scales it to [0, 1].

References
----------
Krippendorff 2011, Computing Krippendorff's Alpha-Reliability (nominal to ratio, bipolar, circular).
Gwet 2014, Handbook of Inter-Rater Reliability (his ordinal weights). Passonneau 2004, 2006 (sets).
Melamed & Resnik 2000; Artstein & Poesio 2008, §4.4-4.5 (sets, taxonomies, extended senses).
"""

from gamma_align.distances.base import Distance
from gamma_align.distances.nominal import Nominal
from gamma_align.distances.numeric import Bipolar, Circular, GwetOrdinal, Interval, Linear, Ordinal, Ratio
from gamma_align.distances.registry import NAMES, by_name
from gamma_align.distances.sets import Dice, Jaccard, Masi, MasiProduct, Passonneau
from gamma_align.distances.tables import Callable, Matrix
from gamma_align.distances.taxonomy import ExtendedSenses, MelamedResnik, Taxonomy, TaxonomyPath

__all__ = [
    "NAMES",
    "Bipolar",
    "Callable",
    "Circular",
    "Dice",
    "Distance",
    "ExtendedSenses",
    "GwetOrdinal",
    "Interval",
    "Jaccard",
    "Linear",
    "Masi",
    "MasiProduct",
    "Matrix",
    "MelamedResnik",
    "Nominal",
    "Ordinal",
    "Passonneau",
    "Ratio",
    "Taxonomy",
    "TaxonomyPath",
    "by_name",
]
