"""Annotators against a reference or against each other, of units in any form."""

from __future__ import annotations

from gamma_align.api.sources import CORPUS
from gamma_align.measures.reference import evaluate as _evaluate
from gamma_align.measures.reference import pairwise_f1 as _pairwise_f1
from gamma_align.measures.reference import segmentation as _segmentation

evaluate = CORPUS.public(_evaluate.evaluate, __name__)
pairwise_f1 = CORPUS.public(_pairwise_f1.pairwise_f1, __name__)
segmentation = CORPUS.public(_segmentation.segmentation, __name__)
