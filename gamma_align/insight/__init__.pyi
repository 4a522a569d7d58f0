from .pairwise import PairwiseResult as PairwiseResult
