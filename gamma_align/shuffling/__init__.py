"""The corpus shuffling tool: a reference degraded in controlled ways, curves of measures, planning.

Mathet et al. 2012; Mathet 2017, §5. Not here: the published experiments (`reproduction`).
"""
