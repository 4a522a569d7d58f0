"""The corpus shuffling tool: degraded copies of a reference, measures as functions of the errors, and planning.

Mathet et al. 2012; Mathet 2017, §5. The published experiments are in `reproduction`.
"""
