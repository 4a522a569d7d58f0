"""pygamma-agreement's names and behaviour: ``from gamma_align.compat.pygamma import Continuum``.

Change ``pygamma_agreement`` to ``gamma_align.compat.pygamma`` in the imports of a script, and it runs. The modules have
the same names, too. With the same ``np.random.seed``, the same samples are drawn. Alignments are exact in every case,
and computed by gamma_align's solver in double precision.

In some places the layer keeps to the definition of γ, and says so once with a `DefinitionWarning`:

* Δ scales the categorial dissimilarity everywhere. There, with Δ other than 1, γcat scales it and alignments do not.
* `OrdinalCategoricalDissimilarity` and `NumericalCategoricalDissimilarity` use the order given. There, the distances of
  labels whose order is not alphabetical are exchanged; and their largest distance counts as at least 1.
* ``fast=True`` has no effect: the alignment is exact.
* `CorpusShufflingTool`: false positives are ⌊m · number of units of the reference⌋ for each annotator, and
  ``prevalence=True`` draws categories by their frequencies. There, the count is ⌊m · number of annotators of the
  reference⌋, and the flag is inverted.
* A matrix of categories that is not symmetric is refused always, not only if three random pairs show it.

Everything else is as there, including what differs from gamma_align's own functions:

* Equal units of one annotator are one unit.
* A unit aligned with nothing counts as disagreement in γcat and γk.
* Samples without aligned units have a categorial disorder of 0, or 1 in γk of a category that they lack.
* The samples of the default sampler depend on where the continuum begins.
* ``precision_level="low"`` is 10 %.
* `UnitaryAlignment.compute_disorder` divides by the mean number of its own units.
* If several alignments have the least disorder, units are rather joined than apart.

References
----------
Titeux & Riad 2021, pygamma-agreement: Gamma γ measure for inter/intra-annotator agreement in Python.
"""

from __future__ import annotations

from gamma_align.compat.pygamma.alignment import Alignment, SetPartitionError, SoftAlignment, UnitaryAlignment
from gamma_align.compat.pygamma.continuum import Continuum
from gamma_align.compat.pygamma.cst import CorpusShufflingTool
from gamma_align.compat.pygamma.dissimilarity import (
    AbsoluteCategoricalDissimilarity,
    AbstractDissimilarity,
    CategoricalDissimilarity,
    CombinedCategoricalDissimilarity,
    LambdaCategoricalDissimilarity,
    LevenshteinCategoricalDissimilarity,
    NumericalCategoricalDissimilarity,
    OrdinalCategoricalDissimilarity,
    PositionalSporadicDissimilarity,
    PrecomputedCategoricalDissimilarity,
    dissimilarity_dec,
)
from gamma_align.compat.pygamma.notebook import show_alignment, show_continuum
from gamma_align.compat.pygamma.notes import DefinitionWarning
from gamma_align.compat.pygamma.results import GammaResults
from gamma_align.compat.pygamma.sampler import (
    AbstractContinuumSampler,
    ShuffleContinuumSampler,
    StatisticalContinuumSampler,
)
from gamma_align.compat.pygamma.sorted_set import SortedSet
from gamma_align.compat.pygamma.unit import Segment, Unit

__all__ = [
    "AbsoluteCategoricalDissimilarity",
    "AbstractContinuumSampler",
    "AbstractDissimilarity",
    "Alignment",
    "CategoricalDissimilarity",
    "CombinedCategoricalDissimilarity",
    "Continuum",
    "CorpusShufflingTool",
    "DefinitionWarning",
    "GammaResults",
    "LambdaCategoricalDissimilarity",
    "LevenshteinCategoricalDissimilarity",
    "NumericalCategoricalDissimilarity",
    "OrdinalCategoricalDissimilarity",
    "PositionalSporadicDissimilarity",
    "PrecomputedCategoricalDissimilarity",
    "Segment",
    "SetPartitionError",
    "ShuffleContinuumSampler",
    "SoftAlignment",
    "SortedSet",
    "StatisticalContinuumSampler",
    "Unit",
    "UnitaryAlignment",
    "dissimilarity_dec",
    "show_alignment",
    "show_continuum",
]
