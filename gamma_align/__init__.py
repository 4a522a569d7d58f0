"""gamma_align: how far annotators agree on units they place themselves.

The main job::

    import gamma_align as ga

    corpus = ga.read("corpora/hearst_kazantseva")
    result = ga.gamma(corpus, precision=0.02, seed=7)
    print(result.gamma, result.signature)

Predefined items, which everybody categorises::

    items = ga.read_items("ratings.csv")
    print(ga.krippendorff_alpha(items, distance="ordinal"))
"""

from gamma_align import distances
from gamma_align.alignment.align import align
from gamma_align.alignment.given import given_alignment
from gamma_align.alignment.limits import Limits
from gamma_align.alignment.result import Alignment
from gamma_align.comparison.compare import compare
from gamma_align.comparison.contributions import Comparison, Contribution
from gamma_align.data.corpus import Continuum, Corpus, Unit
from gamma_align.data.item_table import ItemTable
from gamma_align.distances import Interval, Matrix, Nominal, Ordinal, Ratio
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.gammas.gamma import gamma
from gamma_align.io import from_pyannote, from_spacy, read, read_items, write
from gamma_align.items.categories import (
    by_category,
    by_item,
    by_pair,
    coder_agreement,
    coincidence_matrix,
    confusion_matrix,
)
from gamma_align.items.coefficients import item_agreement, item_coefficient, krippendorff_alpha
from gamma_align.items.latent import aickin, latent_classes
from gamma_align.items.results import ItemCoefficient, ItemResult
from gamma_align.items.two_coders import chance_report
from gamma_align.results.values import DocumentResult, GammaResult, GammaValue, Value
from gamma_align.shuffling.experiment import Experiment, experiment
from gamma_align.shuffling.shuffle import shuffle, shuffle_grid
from gamma_align.shuffling.synthetic import synthetic_reference
from gamma_align.unitizing.alpha import unitizing_alpha
from gamma_align.unitizing.alpha_2004 import AlphaU2004, AlphaU2004Category, unitizing_alpha_2004
from gamma_align.unitizing.results import UnitizingDocument, UnitizingResult, UnitizingValues
from gamma_align.version import __version__

__all__ = [
    "Alignment",
    "AlphaU2004",
    "AlphaU2004Category",
    "Comparison",
    "Continuum",
    "Contribution",
    "Corpus",
    "Dissimilarity",
    "DocumentResult",
    "Experiment",
    "GammaResult",
    "GammaValue",
    "Interval",
    "ItemCoefficient",
    "ItemResult",
    "ItemTable",
    "Limits",
    "Matrix",
    "Nominal",
    "Ordinal",
    "Ratio",
    "Unit",
    "UnitizingDocument",
    "UnitizingResult",
    "UnitizingValues",
    "Value",
    "__version__",
    "aickin",
    "align",
    "by_category",
    "by_item",
    "by_pair",
    "chance_report",
    "coder_agreement",
    "coincidence_matrix",
    "compare",
    "confusion_matrix",
    "distances",
    "experiment",
    "from_pyannote",
    "from_spacy",
    "gamma",
    "given_alignment",
    "item_agreement",
    "item_coefficient",
    "krippendorff_alpha",
    "latent_classes",
    "read",
    "read_items",
    "shuffle",
    "shuffle_grid",
    "synthetic_reference",
    "unitizing_alpha",
    "unitizing_alpha_2004",
    "write",
]
