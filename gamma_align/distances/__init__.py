"""How far two categories are apart, and two units: one distance for items, γ and the uα family.

Conventions
-----------
* A distance d is symmetric, not negative, and 0 between a category and itself. It is what stands in the coefficient's
  formula, so a metric that Krippendorff writes δ² is squared here already: interval is (c - k)².
* Coefficients on items and the uα family do not depend on the unit of d: only ratios of distances matter to them.
* γ's categorial dissimilarity is in [0, 1] (`Distance.bind`): distances of numbers and ranks are divided by the largest
  one of two categories of the corpus; tables and functions have to be in [0, 1] by themselves.
* Wherever a distance is asked for, a name, a table or a function does too: `as_distance`.

References
----------
Krippendorff 2011, Computing Krippendorff's Alpha-Reliability (nominal to ratio, bipolar, circular).
Gwet 2014, Handbook of Inter-Rater Reliability (his ordinal weights). Passonneau 2004, 2006 (sets).
Melamed & Resnik 2000; Artstein & Poesio 2008, §4.4-4.5 (sets, taxonomies, extended senses).
"""

from importlib import import_module
from typing import TYPE_CHECKING

from gamma_align.distances.base import Distance, EditDistance, Nominal
from gamma_align.distances.registry import (
    KINDS,
    NAMES,
    TAXONOMY_NAMES,
    AnyDistance,
    Callable,
    Matrix,
    as_distance,
    by_name,
)

if TYPE_CHECKING:
    from gamma_align.distances.numeric import Bipolar, Circular, GwetOrdinal, Interval, Linear, Ordinal, Ratio
    from gamma_align.distances.structured import (
        Dice,
        ExtendedSenses,
        Jaccard,
        Masi,
        MasiProduct,
        MelamedResnik,
        Passonneau,
        Taxonomy,
        TaxonomyPath,
    )

__all__ = ["NAMES", "TAXONOMY_NAMES", "AnyDistance", "Callable", "Distance", "Matrix", "as_distance", "by_name"]
__all__ += ["EditDistance", "Nominal"]
__all__ += ["Bipolar", "Circular", "GwetOrdinal", "Interval", "Linear", "Ordinal", "Ratio"]
__all__ += ["Dice", "Jaccard", "Masi", "MasiProduct", "Passonneau"]
__all__ += ["ExtendedSenses", "MelamedResnik", "Taxonomy", "TaxonomyPath"]


def __getattr__(name: str) -> object:
    """Return a distance of numbers, sets or a taxonomy, whose module is imported then."""
    if name in __all__:
        module = "numeric" if f"numeric.{name}" in KINDS.values() else "structured"
        return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
