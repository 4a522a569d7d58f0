"""The corpus shuffling tool: degraded copies of a reference, measures as functions of the errors, and planning.

Sources: Mathet et al. 2012; Mathet 2017, §5. Not here: the published experiments, which `tools/reproduction` repeats.
The type handed on is `shuffle.ShuffledCorpus`.
"""

from gamma_align.lazy import door

_NAMES = {
    "curve": ("KindCurve", "Placement", "ReferenceCurve"),
    "experiment": ("Band", "Experiment"),
    "plan": ("Plan",),
    "power": ("DifferenceOptions", "MAX_DOCUMENTS", "PowerPlan", "plan_difference"),
    "shuffle": ("shuffle_grid",),
    "simulation_options": (
        "COPY_OPTIONS",
        "CURVE_OPTIONS",
        "ERROR_OPTIONS",
        "PLAN_OPTIONS",
        "POWER_OPTIONS",
        "SHUFFLING_OPTIONS",
        "SYNTHETIC_OPTIONS",
        "SYNTHETIC_SECTION",
    ),
    "synthetic": ("synthetic_reference",),
}

__getattr__, __all__ = door(__name__, _NAMES)
