"""Krippendorff's unitizing family uα, |uα, cuα and (k)uα, and αU of 2004.

Continua are divided into segments, the lengths of their intersections are summed for each document, and coefficients
are computed from the sums. Not here: γ, and α of predefined items (`measures.items`).
"""

from gamma_align.lazy import door

_NAMES = {
    "coincidences": ("CoincidenceRows", "CoincidenceSums", "CoincidenceTable", "Coincidences", "document_rows"),
    "family": ("Family",),
    "unitizing_alpha": ("UnitizingSettings", "not_available"),
    "unitizing_alpha_2004": ("AlphaU2004",),
    "unitizing_options": ("ALPHA_2004", "OVERLAP", "UNITIZING_OPTIONS"),
    "unitizing_result": ("UnitizingDocument", "UnitizingResult", "UnitizingValues"),
    "unitizing_rows": ("UnitizingRows",),
}

__getattr__, __all__ = door(__name__, _NAMES)
