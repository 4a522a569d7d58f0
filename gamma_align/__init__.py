"""gamma_align: how well annotators agree on units they place themselves.

The main job::

    import gamma_align as ga

    corpus = ga.read("corpora/novels_ner")
    result = ga.gamma(corpus)
    print(result.gamma, result.gamma_cat, result.gamma_k["PERSON"])
    print(result.signature)

Predefined items, which everybody categorises::

    items = ga.read_items("ratings.csv")
    print(ga.krippendorff_alpha(items, distance="ordinal"))

The names are imported when they are first used, so that ``import gamma_align`` costs next to nothing; `_NAMES` says
where each is.
"""

_NAMES = {
    "alignment.align": ("Alignment", "Alignments"),
    "alignment.limits": ("Limits",),
    "api.alignment": ("align", "given_alignment"),
    "api.consensus": ("consensus",),
    "api.gamma": ("gamma",),
    "api.insight": (
        "ceiling",
        "compare",
        "disagreements",
        "families",
        "pairwise",
        "replaceable",
        "rounds",
        "unit_changes",
    ),
    "api.items": (
        "aickin",
        "by_category",
        "by_item",
        "by_pair",
        "chance_report",
        "coder_agreement",
        "coincidence_matrix",
        "confusion_matrix",
        "item_agreement",
        "item_coefficient",
        "krippendorff_alpha",
        "latent_classes",
    ),
    "api.look": ("look",),
    "api.reference": ("evaluate", "pairwise_f1", "segmentation"),
    "api.report": ("html_changes", "html_report"),
    "api.simulation": ("curve", "plan", "plan_difference"),
    "api.statistics": ("document_statistics",),
    "api.unitizing": ("unitizing_alpha", "unitizing_alpha_2004"),
    "api.validation": ("validate",),
    "data.continuum": ("Continuum", "Unit"),
    "data.corpus": ("Corpus",),
    "data.item_table": ("ItemTable",),
    "distances": ("Interval", "Matrix", "Nominal", "Ordinal", "Ratio"),
    "distances.dissimilarity": ("Dissimilarity",),
    "errors": (
        "DiskFullError",
        "GammaAlignError",
        "GammaAlignWarning",
        "InputError",
        "MissingExtraError",
        "OutOfMemoryError",
        "ResourceError",
        "SettingsError",
        "SolverError",
        "WorkerError",
    ),
    "inference.values": ("Value",),
    "insight.causes.findings": ("Finding",),
    "insight.ceiling.ceiling_result": ("Ceiling", "CeilingScore", "ModelScore", "SameSource"),
    "insight.comparison.changed_causes": ("CauseChange", "CostChange"),
    "insight.comparison.differences": ("Comparison", "Difference", "DocumentDifference"),
    "insight.comparison.families": ("Contribution", "Families"),
    "insight.comparison.fates": ("DocumentFate",),
    "insight.comparison.rounds": ("Round", "Rounds"),
    "insight.comparison.unit_fates": ("UnitChanges", "UnitFate"),
    "insight.consensus.consensus": ("Consensus",),
    "insight.consensus.decisions": ("Decisions",),
    "insight.disagreements.disagreements": ("Disagreements",),
    "insight.look.look_result": ("Look",),
    "insight.pairwise": ("PairwiseResult",),
    "insight.replacement.equivalence": ("Equivalence",),
    "insight.replacement.judges": ("JudgeResult", "PositionBias", "judges"),
    "insight.replacement.replacement_result": (
        "ModelDifference",
        "ModelResult",
        "PersonInPlace",
        "PersonTest",
        "Replacement",
    ),
    "measures.gamma.gamma_result": ("DocumentResult", "GammaResult", "GammaValue"),
    "measures.gamma.gamma_rows": ("GammaRows",),
    "measures.gamma.gamma_settings": ("GammaSettings",),
    "measures.items.items_result": ("ItemCoefficient", "ItemResult"),
    "measures.items.items_rows": ("ItemRows",),
    "measures.items.items_settings": ("ItemSettings",),
    "measures.pooling": ("pool",),
    "measures.reference.diarization": ("DiarizationScore",),
    "measures.reference.evaluate": ("Case", "Evaluation", "LabelScore", "SystemScore"),
    "measures.reference.pairwise_f1": ("PairF1", "PairwiseF1"),
    "measures.reference.segmentation": ("SegmentationResult", "SegmentationScore"),
    "measures.reference.spans": ("SpanScore",),
    "measures.items.sample_size": ("kappa_sample_size",),
    "measures.unitizing.unitizing_alpha": ("UnitizingSettings",),
    "measures.unitizing.unitizing_alpha_2004": ("AlphaU2004", "AlphaU2004Category"),
    "measures.unitizing.unitizing_result": ("UnitizingDocument", "UnitizingResult", "UnitizingValues"),
    "measures.unitizing.unitizing_rows": ("UnitizingRows",),
    "present.citation": ("Citation", "citation"),
    "present.curve_text": ("experiment_svg",),
    "present.figures.draw": ("alignment_svg",),
    "present.page.changes": ("ChangesReport",),
    "present.page.report": ("Report",),
    "present.plots.agreement": ("plot_curve", "plot_documents", "plot_pairs"),
    "reading.decisions_file": ("read_decisions",),
    "reading.formats.pyannote": ("from_pyannote",),
    "reading.formats.spacy": ("from_spacy",),
    "reading.read": ("read",),
    "reading.tables.item_tables": ("read_items",),
    "reading.validation.validate": ("ValidationReport",),
    "reading.write": ("write",),
    "simulation.curve": ("ReferenceCurve",),
    "simulation.experiment": ("Experiment", "experiment"),
    "simulation.plan": ("Plan",),
    "simulation.power": ("PowerPlan",),
    "simulation.shuffle": ("shuffle", "shuffle_grid"),
    "simulation.synthetic": ("synthetic_reference",),
    "version": ("__version__",),
}
"""The public names of each module. `__init__.pyi`, which type checkers read, has the same."""

_PATHS = {name: f"gamma_align.{module}:{name}" for module, names in _NAMES.items() for name in names}
_PATHS["distances"] = "gamma_align.distances"

_KAPPA = "ga.item_coefficient(items, 'kappa') measures κ of items, ga.gamma(units) γ of spans"
_POINTERS = {
    **dict.fromkeys(("kappa", "cohen_kappa", "cohen_kappa_score", "cohens_kappa", "fleiss_kappa"), _KAPPA),
    "alpha": "ga.krippendorff_alpha(items) measures α of items, ga.unitizing_alpha(units) uα of spans",
    **dict.fromkeys(("f1", "f1_score"), "ga.evaluate(units, reference='gold') and ga.pairwise_f1(units) measure F1"),
    **dict.fromkeys(("agreement", "iaa", "summary"), "ga.look(data) shows how well annotators agree, and why not"),
    "items": "ga.read_items(path) reads judgments of items, ga.item_coefficient(items, 'kappa') measures them",
    **dict.fromkeys(("load", "open", "read_csv", "read_json", "from_pandas"), "ga.read(data) reads any data"),
    "report": "ga.html_report(data) writes a page",
    "align_units": "ga.align(data) aligns units",
}
"""Names that people try first, and the call that does the job."""

__all__ = list(_PATHS)
__all__.sort()


def __getattr__(name: str) -> object:
    """Import and return a public name.

    Nothing else is imported before: the command line is to catch Ctrl-C while anything is imported.
    """
    from importlib import import_module

    if name in _PATHS:
        import_module("gamma_align.api")
    from gamma_align.lazy import lazy_name

    return lazy_name(__name__, name, _PATHS, _POINTERS)


def __dir__() -> list[str]:
    """Return the public names."""
    return [*__all__]
