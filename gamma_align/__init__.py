"""gamma_align: how far annotators agree on units they place themselves.

The main job::

    import gamma_align as ga

    corpus = ga.read("corpora/hearst_kazantseva")
    result = ga.gamma(corpus, precision=0.02, seed=7)
    print(result.gamma, result.signature)
"""

from gamma_align.alignment.align import align
from gamma_align.alignment.limits import Limits
from gamma_align.alignment.result import Alignment
from gamma_align.coefficients.contributions import Comparison, Contribution
from gamma_align.coefficients.unitizing.results import UnitizingDocument, UnitizingResult, UnitizingValues
from gamma_align.coefficients.values import DocumentResult, GammaResult, Value
from gamma_align.continuum import Continuum, Corpus, Unit
from gamma_align.corpus.compare import compare
from gamma_align.corpus.gamma import gamma
from gamma_align.corpus.unitizing import unitizing_alpha
from gamma_align.corpus.unitizing_2004 import AlphaU2004, AlphaU2004Category, unitizing_alpha_2004
from gamma_align.dissimilarity.categorial import Matrix, Nominal
from gamma_align.dissimilarity.categorial_numeric import Interval, Ordinal, Ratio
from gamma_align.dissimilarity.combined import Dissimilarity
from gamma_align.io import read
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
    "GammaResult",
    "Interval",
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
    "align",
    "compare",
    "gamma",
    "read",
    "unitizing_alpha",
    "unitizing_alpha_2004",
]
