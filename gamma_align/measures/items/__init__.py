"""Coefficients on predefined items: S, π, κ, K, α, β, AC₁ and their relatives.

A table of items becomes counts and patterns, a coefficient is an entry of `spec`, its errors and intervals are made in
`intervals` and `replicates`. Not here: reading tables (`reading.tables`) and building them (`data`).
"""

from gamma_align.lazy import door

_NAMES = {
    "categories": (
        "CategoryAgreement",
        "CoderPair",
        "ItemDisagreements",
        "by_category",
        "by_item",
        "by_pair",
        "coder_agreement",
        "confusion_matrix",
    ),
    "coefficients": ("item_agreement", "item_coefficient", "item_rows", "krippendorff_alpha"),
    "core": ("MAX_CODER_PAIRS", "TableCoefficient"),
    "items_options": ("COEFFICIENTS", "FURTHER_OPTIONS", "INFERENCE_OPTIONS", "INTERVAL", "ITEM_READING", "MISSING"),
    "items_result": ("ItemCoefficient", "ItemResult", "WARNING", "word"),
    "items_rows": ("ItemRows",),
    "items_settings": ("ItemSettings",),
    "latent": ("LatentClasses", "aickin", "dawid_skene", "latent_classes"),
    "replicates": ("influences",),
    "spec": ("CoefficientSpec", "NOT_FOR_THIS", "SPECS", "TOO_MUCH_WORK", "spec_of"),
    "two_coders": ("MarginsTest",),
}

__getattr__, __all__ = door(__name__, _NAMES)
