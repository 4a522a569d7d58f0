"""The corpus shuffling tool: degraded copies of a reference, measures as functions of the errors, and planning.

Sources: Mathet et al. 2012; Mathet 2017, §5. Not here: the published experiments, which `tools/reproduction` repeats.
The type handed on is `shuffle.ShuffledCorpus`.
"""
