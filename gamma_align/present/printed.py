"""Results as text for `print`: what the command line prints, and the notes."""

from __future__ import annotations

from importlib import import_module

_TEXTS = {
    "Alignment": "alignment_text:alignment_text",
    "Ceiling": "ceiling_text:ceiling_text",
    "Consensus": "consensus_text:consensus_text",
    "Disagreements": "disagreements_text:disagreements_text",
    "Evaluation": "evaluation_text:evaluation_text",
    "Families": "units_text:families_text",
    "GammaResult": "units_text:gamma_text",
    "ItemResult": "items_text:items_text",
    "Rounds": "rounds_tables:rounds_text",
    "Comparison": "comparison_lines:comparison_text",
    "UnitChanges": "unit_changes_lines:unit_changes_text",
    "Look": "look_text:look_text",
    "PairwiseF1": "evaluation_text:pairwise_f1_text",
    "PairwiseResult": "pairwise_tables:pairwise_text",
    "Plan": "curve_text:plan_text",
    "PowerPlan": "curve_text:power_text",
    "ReferenceCurve": "curve_text:curve_text",
    "Replacement": "replacement_text:replacement_text",
    "SegmentationResult": "evaluation_text:segmentation_text",
    "UnitizingResult": "units_text:unitizing_text",
    "ValidationReport": "validation_text:validation_text",
}
"""The function that returns the text of a result, by class: only its module is imported."""


def result_text(result: object) -> str:
    """Return a result as text, then its notes; an empty text if its class has none."""
    module, _, function = _TEXTS.get(type(result).__name__, "").partition(":")
    if not module:
        return ""
    text: str = getattr(import_module(f"gamma_align.present.{module}"), function)(result)
    notes = "".join(f"note: {note}\n" for note in getattr(result, "notes", ()))
    return f"{text}\n{notes}".rstrip("\n") if notes else text.rstrip("\n")
