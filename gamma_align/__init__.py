"""gamma_align: how far annotators agree on units they place themselves."""

from gamma_align.continuum import Continuum, Corpus, Unit

__version__ = "0.1.0"
__all__ = ["Continuum", "Corpus", "Unit", "__version__"]
