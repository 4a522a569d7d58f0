"""The unitizing family, of units in any form."""

from __future__ import annotations

from gamma_align.api.sources import CORPUS, CORPUS_OR_PARTS
from gamma_align.measures.unitizing import unitizing_alpha as _unitizing_alpha
from gamma_align.measures.unitizing import unitizing_alpha_2004 as _unitizing_alpha_2004

unitizing_alpha = CORPUS_OR_PARTS.public(_unitizing_alpha.unitizing_alpha, __name__)
unitizing_alpha_2004 = CORPUS.public(_unitizing_alpha_2004.unitizing_alpha_2004, __name__)
