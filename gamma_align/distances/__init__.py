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

from importlib import import_module
from typing import TYPE_CHECKING

from gamma_align.distances.base import Distance as Distance
from gamma_align.distances.base import EditDistance as EditDistance
from gamma_align.distances.base import Nominal as Nominal
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
from gamma_align.errors import did_you_mean

if TYPE_CHECKING:
    from gamma_align.distances.numeric import Bipolar as Bipolar
    from gamma_align.distances.numeric import Circular as Circular
    from gamma_align.distances.numeric import GwetOrdinal as GwetOrdinal
    from gamma_align.distances.numeric import Interval as Interval
    from gamma_align.distances.numeric import Linear as Linear
    from gamma_align.distances.numeric import Ordinal as Ordinal
    from gamma_align.distances.numeric import Ratio as Ratio
    from gamma_align.distances.structured import Dice as Dice
    from gamma_align.distances.structured import ExtendedSenses as ExtendedSenses
    from gamma_align.distances.structured import Jaccard as Jaccard
    from gamma_align.distances.structured import Masi as Masi
    from gamma_align.distances.structured import MasiProduct as MasiProduct
    from gamma_align.distances.structured import MelamedResnik as MelamedResnik
    from gamma_align.distances.structured import Passonneau as Passonneau
    from gamma_align.distances.structured import Taxonomy as Taxonomy
    from gamma_align.distances.structured import TaxonomyPath as TaxonomyPath

_LAZY_CLASSES = {path.partition(":")[2]: path for path in KINDS.values()}
_LAZY_CLASSES["Taxonomy"] = "gamma_align.distances.structured:Taxonomy"
"""The path of each class that is imported when it is first used."""

__all__ = ["NAMES", "TAXONOMY_NAMES", "AnyDistance", "Callable", "Distance", "Matrix", "as_distance", "by_name"]
__all__ += list(_LAZY_CLASSES)


def __getattr__(name: str) -> object:
    """Import and return the class of a distance."""
    if name in _LAZY_CLASSES:
        module, _, class_name = _LAZY_CLASSES[name].partition(":")
        return getattr(import_module(module), class_name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{did_you_mean(name, __all__)}")
