"""What each command prints as JSON: the definitions of the JSON Schema."""

from __future__ import annotations

from shapes import Described, Either, Record, Ref, Rows, Words

from gamma_align.data.continuum import Unit
from gamma_align.inference.values import Value
from gamma_align.insight.causes.findings import Finding, Sought
from gamma_align.insight.causes.kinds.silence_everywhere import SilentAnnotators
from gamma_align.insight.causes.same_bounds import SameBounds
from gamma_align.insight.ceiling.ceiling_result import CeilingScore, ModelScore, SameSource
from gamma_align.insight.comparison.changed_causes import CHANGES, CostChange
from gamma_align.insight.comparison.differences import SHARED, Difference, DocumentDifference
from gamma_align.insight.comparison.families import Contribution
from gamma_align.insight.comparison.fates import FATES, DocumentFate
from gamma_align.insight.comparison.rounds import Retest, Round, RoundDifference
from gamma_align.insight.comparison.unit_fates import UNIT_FATES, WHERE, FateCount, LabelChange, Span, UnitFate
from gamma_align.insight.consensus.decisions import DecisionRow
from gamma_align.insight.consensus.summaries import AnnotatorRow as ConsensusAnnotatorRow
from gamma_align.insight.consensus.summaries import ConfusionRow as ConsensusConfusionRow
from gamma_align.insight.consensus.summaries import ConsensusUnit, LabelRow
from gamma_align.insight.disagreements.disputed_rows import Disagreement
from gamma_align.insight.disagreements.label_tables import ConfusionRow as DisagreementsConfusionRow
from gamma_align.insight.disagreements.label_tables import DirectedRow, MeetingRate, TwoLabels
from gamma_align.insight.disagreements.shares import AnnotatorRow as DisagreementsAnnotatorRow
from gamma_align.insight.disagreements.shares import (
    CategoryRow,
    DocumentRow,
    KindRow,
    LengthRow,
    Missing,
    Share,
    WordsRow,
)
from gamma_align.insight.disagreements.who_differs import LeftOut, PairRow, WithOthersRow
from gamma_align.insight.look.atlas import SimilarTask
from gamma_align.insight.look.look_result import LookCause, LookModel, LookValue
from gamma_align.insight.replacement.equivalence import Equivalence
from gamma_align.insight.replacement.judges import JudgeResult, PositionBias
from gamma_align.insight.replacement.replacement_result import ModelDifference, ModelResult, PersonInPlace
from gamma_align.measures.gamma.gamma_result import DocumentResult, GammaValue
from gamma_align.measures.reference.diarization import DiarizationScore
from gamma_align.measures.reference.evaluate import Case, SystemScore
from gamma_align.measures.reference.pairwise_f1 import PairF1
from gamma_align.measures.reference.segmentation import SegmentationScore
from gamma_align.measures.reference.spans import SpanScore
from gamma_align.measures.unitizing.unitizing_alpha_2004 import AlphaU2004
from gamma_align.measures.unitizing.unitizing_result import UnitizingValues
from gamma_align.simulation.curve import Placement

COMMANDS = (
    "look",
    "measure",
    "compare",
    "unit_changes",
    "rounds",
    "families",
    "evaluate",
    "align",
    "validate",
    "items",
    "curve",
    "plan",
    "follow",
    "disagreements",
    "consensus",
    "shuffle",
    "replace",
    "ceiling",
)
"""The definitions that are the output of a command."""
CLASSES = {
    Value: "value",
    GammaValue: "gamma_value",
    Contribution: "contribution",
    Difference: "difference",
    SpanScore: "span_score",
    SegmentationScore: "segmentation",
    DiarizationScore: "diarization",
    SystemScore: "system",
    Unit: "unit",
    Share: "share",
    Finding: "finding",
    ConsensusUnit: "consensus_unit",
    ModelResult: "model",
}
"""The classes whose fields a definition has."""
DEFINITIONS = {
    "value": Rows(
        Value,
        "A coefficient with its 95 % interval, or the reason why it is not available.",
        {
            "no_interval": Described(
                str | None, "Why low and high are null: too few documents, say, or 'computed, no sampling error'."
            )
        },
    ),
    "gamma_value": Rows(
        GammaValue,
        "γ, γcat or γk: observed and expected disorder, documents, aligned pairs and samples it rests on.",
        {
            "no_interval": Described(
                str | None, "Why low and high are null: too few documents, say, or 'computed, no sampling error'."
            )
        },
    ),
    "gamma_settings": Record(
        "Everything needed to compute γ again.",
        {
            "conventions": str,
            "alpha": float,
            "beta": float,
            "delta_empty": float,
            "dissimilarity": str,
            "categorial": dict,
            "chance": Words(("documents", "pooled")),
            "sampler": str,
            "min_distance": str,
            "integer_offsets": str | bool,
            "precision": float,
            "precision_of": Words(("corpus", "documents", None)),
            "samples": int | None,
            "max_samples": int,
            "control": str,
            "seed": int,
            "confidence": str,
            "empty_samples": str,
            "alignment": Words(("partition", "cover")),
            "interval_documents": str,
            "interval_corpus": str,
            "time_limit": float,
            "max_columns": int,
            "max_work": float,
            "solver": Words(("kernels", "ortools")),
            "length_unit": str | None,
        },
        ("length_unit",),
    ),
    "gamma": Record(
        "γ, γcat and γk of a corpus and of each document.",
        {
            "schema_version": Words((1,)),
            "signature": str,
            "settings": Ref("gamma_settings"),
            "corpus": Record(
                "",
                {
                    "gamma": Ref("gamma_value"),
                    "gamma_cat": Ref("gamma_value"),
                    "gamma_k": dict[str, Ref("gamma_value")],
                },
            ),
            "documents": list[Rows(DocumentResult)],
            "problems": Described(list[str], "What is wrong in documents of a data set that are left out."),
            "notes": list[str],
            "annotators": dict[str, int],
        },
        ("problems", "annotators"),
    ),
    "unitizing_alpha": Record(
        "uα, |uα, cuα and (k)uα of a corpus and of each document.",
        {
            "schema_version": Words((1,)),
            "signature": str,
            "settings": Record("", {"distance": dict, "overlap": str, "self_pairing": str}),
            "length_unit": str | None,
            "interval": str,
            "corpus": Rows(UnitizingValues),
            "documents": list[
                Record(
                    "",
                    {
                        "document": str,
                        "annotators": int,
                        "units": int,
                        "length": float,
                        "u": Ref("value"),
                        "bar_u": Ref("value"),
                        "cu": Ref("value"),
                        "ku": dict[str, Ref("value")],
                        "coverage": float,
                        "coverage_k": dict[str, float],
                        "observed": dict[str, float],
                        "expected": dict[str, float],
                        "layers": dict[str, Ref("value")],
                    },
                )
            ],
            "problems": Described(list[str], "What is wrong in documents of a data set that are left out."),
            "notes": list[str],
            "annotators": dict[str, int],
        },
        ("problems", "annotators"),
    ),
    "unitizing_alpha_2004": Record(
        "`measure --coefficients unitizing-alpha-2004 --json`: the older αU of every document and "
        "category; `category` null: units without one.",
        {
            "schema_version": Words((1,)),
            "documents": list[Rows(AlphaU2004)],
            "annotators": dict[str, int],
            "notes": list[str],
        },
    ),
    "several_coefficients": Record(
        "`measure --json` of several coefficients, each under its name.",
        {
            "schema_version": Words((1,)),
            "coefficients": Record(
                "", {"gamma": Ref("gamma"), "unitizing-alpha": Ref("unitizing_alpha")}, ("gamma", "unitizing-alpha")
            ),
            "notes": list[str],
            "annotators": dict[str, int],
        },
        ("notes",),
    ),
    "measure": Described(
        Either(
            (
                Ref("gamma"),
                Ref("unitizing_alpha"),
                Ref("unitizing_alpha_2004"),
                Ref("several_coefficients"),
                Ref("pairs"),
            )
        ),
        "`measure --json`: γ, or uα, or the older αU, or with several coefficients each under its "
        "name; with --pairs γ of every two annotators.",
    ),
    "pairs": Record(
        "`measure --pairs --json`.",
        {
            "schema_version": Words((1,)),
            "annotators": list[str],
            "mean": Ref("value"),
            "signature": str,
            "pairs": list[
                Record(
                    "",
                    {
                        "annotators": tuple[str, str],
                        "documents": int,
                        "gamma": Ref("gamma_value"),
                        "gamma_cat": Ref("gamma_value"),
                        "gamma_k": dict[str, Ref("gamma_value")],
                        "signature": str,
                    },
                )
            ],
        },
    ),
    "contribution": Rows(Contribution, "What a pair of categories contributes to cuα (length) and γcat (weight)."),
    "difference": Rows(
        Difference,
        "The second value less the first one, with a 95 % interval, or the reason why it is not available.",
        {
            "no_interval": Described(
                str | None, "Why low and high are null: too few documents, say, or 'computed, no sampling error'."
            )
        },
    ),
    "cause_change": Record(
        "What became of a cause of disagreement.",
        {
            "change": Words(CHANGES),
            "kind": str,
            "title": str,
            "first_share": float,
            "second_share": float,
            "first_cost": float,
            "second_cost": float,
            "first": Either((Ref("finding"), None)),
            "second": Either((Ref("finding"), None)),
        },
    ),
    "document_fate": Rows(DocumentFate, "What became of a document.", {"fate": Words(FATES)}),
    "cost_change": Rows(CostChange, "What disagreements of an annotator, or about a label, cost of γ."),
    "compare": Record(
        "`compare --json`.",
        {
            "schema_version": Words((1,)),
            "names": tuple[str, str],
            "signature": str,
            "settings": dict,
            "shared": Words(SHARED),
            "differences": list[Ref("difference")],
            "overall": list[Ref("difference")],
            "documents": list[Rows(DocumentDifference)],
            "fates": list[Ref("document_fate")],
            "causes": Either((list[Ref("cause_change")], None)),
            "annotators": list[Ref("cost_change")],
            "labels": list[Ref("cost_change")],
            "gap": float,
            "notes": list[str],
        },
    ),
    "rounds": Record(
        "`compare --by COLUMN --json`, and of three paths or more.",
        {
            "schema_version": Words((1,)),
            "signature": str,
            "settings": dict,
            "rounds": list[Rows(Round, "The agreement in a round.")],
            "differences": list[Rows(RoundDifference, "A difference of two rounds, the second less the first.")],
            "retests": list[Rows(Retest, "A person in two rounds: γ with themselves, and with others in each.")],
            "gap": float,
            "notes": list[str],
        },
    ),
    "span": Rows(Span, "Bounds and label of a unit; the label is null without a category."),
    "unit_changes": Record(
        "`compare --units --json`.",
        {
            "schema_version": Words((1,)),
            "names": tuple[str, str],
            "signature": str,
            "is_same": bool,
            "counts": list[Rows(FateCount, "How many units of each version have a fate.", {"fate": Words(UNIT_FATES)})],
            "labels": list[Rows(LabelChange, "Units by their labels in both versions.", {"where": Words(WHERE)})],
            "changed": list[
                Rows(
                    UnitFate,
                    "A unit that is not the same.",
                    {"fate": Words(UNIT_FATES), "first": list[Ref("span")], "second": list[Ref("span")]},
                )
            ],
            "fates": list[Ref("document_fate")],
            "notes": list[str],
        },
    ),
    "families": Record(
        "`families --json`.",
        {
            "schema_version": Words((1,)),
            "gamma": Ref("gamma"),
            "unitizing_alpha": Ref("unitizing_alpha"),
            "contributions": Record(
                "", {"corpus": list[Ref("contribution")], "documents": dict[str, list[Ref("contribution")]]}
            ),
            "notes": list[str],
        },
    ),
    "span_score": Rows(SpanScore, "Precision, recall and F1 by one measure, and the counts behind them."),
    "segmentation": Rows(SegmentationScore, "P_k and WindowDiff (errors), B and S (similarities)."),
    "diarization": Rows(DiarizationScore, "Error rates of diarization, and the times behind them."),
    "system": Rows(
        SystemScore,
        "An annotator or system against the reference.",
        {
            "agreement": dict[str, Either((Ref("value"), Ref("gamma_value")))],
            "cases": list[
                Rows(
                    Case,
                    "",
                    {
                        "kind": Words(("correct", "boundary", "label", "both", "missed", "spurious")),
                        "reference": Either((tuple[float, float, str | None], None)),
                        "system": Either((tuple[float, float, str | None], None)),
                    },
                )
            ],
            "label_mapping": Described(dict[str, str], "What each label of the system is read as, with --map-labels."),
        },
    ),
    "systems": Record(
        "`evaluate --json --reference`: systems against the reference.",
        {
            "schema_version": Words((1,)),
            "reference": str,
            "signature": str,
            "settings": dict,
            "systems": list[Ref("system")],
            "together": Described(
                dict[str, Ref("value")], "F1 of what at least half of three or more systems mark, by measure."
            ),
            "notes": list[str],
        },
    ),
    "pairwise_f1": Record(
        "`evaluate --json` without a reference: F1 of every two annotators.",
        {
            "schema_version": Words((1,)),
            "signature": str,
            "mean": dict[str, Ref("value")],
            "pooled": dict[str, Ref("value")],
            "pairs": list[Rows(PairF1)],
            "notes": list[str],
        },
    ),
    "segmentation_pairs": Record(
        "`evaluate --measures segmentation --json` without a reference: every two annotators, each "
        "in turn as the reference.",
        {
            "schema_version": Words((1,)),
            "scores": list[Ref("segmentation")],
            "mean": dict[str, Ref("value")],
            "notes": list[str],
        },
    ),
    "evaluate": Described(
        Either((Ref("systems"), Ref("pairwise_f1"), Ref("segmentation_pairs"))),
        "`evaluate --json`: systems against the reference; without --reference F1 of every two "
        "annotators, or their segmentation.",
    ),
    "unit": Rows(Unit),
    "align": Record(
        "`align --json`: the best alignment of each document.",
        {
            "schema_version": Words((1,)),
            "documents": list[
                Record(
                    "",
                    {
                        "document": str,
                        "annotators": list[str],
                        "extent": list[float],
                        "disorder": float,
                        "given": bool,
                        "alignment": Words(("cover",)),
                        "bound": float,
                        "optimal": bool | None,
                        "gap": float,
                        "unitary_alignments": list[Record("", {"disorder": float, "units": list[Ref("unit")]})],
                    },
                    ("alignment",),
                )
            ],
            "notes": list[str],
        },
    ),
    "quantiles": Record("", {"min": float, "median": float, "max": float}),
    "validate": Record(
        "`validate --json`: what is in the files, what is worth a look, and every problem.",
        {
            "schema_version": Words((1,)),
            "path": str,
            "format": str | None,
            "files": int,
            "found": Either(
                (
                    Record(
                        "",
                        {
                            "length_unit": str | None,
                            "documents": int,
                            "annotators": int,
                            "annotators_of_a_document": Ref("quantiles"),
                            "units": int,
                            "units_of_an_annotator_in_a_document": Ref("quantiles"),
                            "categories": list[Record("", {"category": str | None, "units": int, "annotators": int})],
                            "layers": list,
                        },
                    ),
                    None,
                )
            ),
            "findings": list[
                Record("", {"name": str, "what": str, "count": int, "of": str, "first": list, "cure": str | None})
            ],
            "problems": list[Record("", {"file": str, "line": int | None, "where": str | None, "what": str})],
            "repairs": list,
            "notes": list[str],
        },
    ),
    "coefficient": Record(
        "A coefficient of predefined items.",
        {
            "name": str,
            "symbol": str,
            "value": float,
            "low": float,
            "high": float,
            "error": float,
            "p_zero": float,
            "observed": float,
            "expected": float,
            "distance": str | None,
            "missing": str | None,
            "items": int,
            "pairable": int,
            "interval": str | None,
            "reason": str | None,
            "error_reason": str | None,
        },
    ),
    "items": Record(
        "`items --json`.",
        {
            "schema_version": Words((1,)),
            "signature": str,
            "settings": dict,
            "table": Record(
                "",
                {
                    "items": int,
                    "coders": int,
                    "categories": list[str],
                    "n_categories": int,
                    "declared": bool,
                    "judgments": int,
                    "missing": float,
                },
            ),
            "coefficients": dict[str, Ref("coefficient")],
            "notes": list[str],
            "chance": dict | None,
            "by_category": list[dict],
            "by_item": dict,
            "by_pair": list[dict],
            "aickin": Ref("value"),
            "latent_classes": dict,
            "judges": list[Rows(JudgeResult, "", {"position": Either((Rows(PositionBias), None))})],
        },
        ("chance", "by_category", "by_item", "by_pair", "aickin", "latent_classes", "judges"),
    ),
    "band": Record(
        "",
        {
            "magnitude": float,
            "mean": float,
            "low": float,
            "high": float,
            "available": int,
            "sampling_error": float,
            "samples": int,
        },
    ),
    "curve": Record(
        "`curve --json`: γ on curves of the corpus itself, degraded.",
        {
            "schema_version": Words((1,)),
            "gamma": Ref("gamma_value"),
            "gap": float,
            "settings": dict,
            "placements": list[Rows(Placement)],
            "curves": list[Record("", {"kinds": list[str], "points": list[Ref("band")]}, is_open=True)],
            "notes": list[str],
        },
        ("notes",),
    ),
    "follow": Record(
        "A line of `follow --json`: a look at a project.",
        {
            "schema_version": Words((1,)),
            "moment": str,
            "gamma": float,
            "low": float,
            "high": float,
            "reason": str | None,
            "documents": int,
            "done": int,
            "new": int,
            "redone": int,
            "gone": int,
            "came": list[str] | None,
            "went": list[str] | None,
        },
    ),
    "plan": Described(
        Either((Ref("plan_width"), Ref("plan_difference"))),
        "`plan --json`: documents and annotators that an interval of a width takes; with --power the documents that "
        "find a difference.",
    ),
    "plan_difference": Record(
        "",
        {
            "schema_version": Words((1,)),
            "names": list[str],
            "first": float,
            "second": float,
            "difference": float,
            "documents": int,
            "target": float,
            "documents_needed": int | None,
            "gap": float,
            "powers": list[Record("", {"documents": int, "power": float})],
            "settings": dict,
            "notes": list[str],
        },
        ("notes",),
    ),
    "plan_width": Record(
        "",
        {
            "schema_version": Words((1,)),
            "gamma": Ref("gamma_value"),
            "documents": int,
            "annotators": float,
            "target": float,
            "magnitude": float,
            "least": float,
            "reached": bool,
            "between": float,
            "within": float,
            "pilot_width": float,
            "gap": float,
            "needed": list[
                Record(
                    "",
                    {
                        "annotators": int,
                        "deviation": float,
                        "documents_needed": int | None,
                        "ceiling_low": float,
                        "ceiling_high": float,
                    },
                )
            ],
            "settings": dict,
            "notes": list[str],
            "widths": list,
        },
        ("notes", "widths"),
    ),
    "share": Rows(Share, "Disorder with its parts, which add up to it, and its share of all."),
    "look": Record(
        "`look --json`.",
        {
            "schema_version": Words((1,)),
            "size": str,
            "verdict": list[str],
            "values": list[Rows(LookValue, "", {"value": Either((Ref("gamma_value"), Ref("value")))})],
            "similar": list[Rows(SimilarTask)],
            "causes": list[Rows(LookCause)],
            "further_causes": int,
            "remarks": list[str],
            "models": list[Rows(LookModel)],
            "signature": str,
            "notes": list[str],
        },
    ),
    "finding": Rows(Finding, "A cause of disagreement, and γ if it were settled."),
    "disagreements": Record(
        "`disagreements --json`.",
        {
            "schema_version": Words((1,)),
            "signature": str,
            "gamma": Ref("gamma_value"),
            "annotator": str | None,
            "disorder": Ref("share"),
            "missing": Rows(Missing),
            "alignments": int,
            "to_settle": list[Ref("finding")],
            "sought": list[Rows(Sought)],
            "two_labels": Either((Rows(TwoLabels, "", {"rates": list[Rows(MeetingRate)]}), None)),
            "silent": Either((Rows(SilentAnnotators), None)),
            "same_bounds": Either((Rows(SameBounds), None)),
            "disagreements": list[Rows(Disagreement, "", {"reason": Words(("missing", "position", "category"))})],
            "kinds": list[Rows(KindRow)],
            "documents": list[Rows(DocumentRow)],
            "annotators": list[Rows(DisagreementsAnnotatorRow)],
            "categories": list[Rows(CategoryRow)],
            "lengths": list[Rows(LengthRow, "", {"length": Words(("short", "middle", "long"))})],
            "words": list[Rows(WordsRow)],
            "confusion": list[Rows(DisagreementsConfusionRow)],
            "directed": list[Rows(DirectedRow)],
            "notes": list[str],
            "left_out": list[Rows(LeftOut)],
            "pairs": list[Rows(PairRow)],
            "with_others": list[Rows(WithOthersRow)],
        },
    ),
    "consensus_unit": Rows(
        ConsensusUnit,
        "A unit of a consensus, or what was voted out, with its votes and the number of its unitary alignment.",
    ),
    "consensus": Record(
        "`consensus --json`.",
        {
            "schema_version": Words((1,)),
            "signature": str,
            "settings": Record(
                "",
                {
                    "votes": str | float,
                    "weigh": Words((None, "dawid-skene")),
                    "name": str,
                    "alpha": float,
                    "beta": float,
                    "delta_empty": float,
                    "dissimilarity": str,
                    "categorial": dict,
                    "time_limit": float,
                    "solver": str,
                    "length_unit": str | None,
                },
            ),
            "log_likelihood": float,
            "rounds": int,
            "units": list[Ref("consensus_unit")],
            "voted_out": list[Ref("consensus_unit")],
            "annotators": list[Rows(ConsensusAnnotatorRow)],
            "confusion": list[Rows(ConsensusConfusionRow)],
            "labels": list[Rows(LabelRow)],
            "decisions": list[Rows(DecisionRow, "", {"state": Words(("settled", "noted", "not found"))})],
            "notes": list[str],
        },
    ),
    "shuffle": Record(
        "Simulated annotators, as the service takes data: units, who saw what, and from where to where documents go.",
        {
            "schema_version": Words((1,)),
            "units": list[
                Record("", {"document": str, "annotator": str, "start": float, "end": float, "category": str | None})
            ],
            "annotations": list[tuple[str, str]],
            "extents": dict[str, tuple[float, float]],
            "notes": list[str],
        },
    ),
    "model": Rows(ModelResult, "A model in the place of people.", {"equivalence": Either((Rows(Equivalence), None))}),
    "replace": Record(
        "`replace --json`.",
        {
            "schema_version": Words((1,)),
            "signature": str,
            "settings": dict,
            "people": list[str],
            "models": list[Ref("model")],
            "calibration": list[Rows(PersonInPlace)],
            "differences": list[
                Rows(
                    ModelDifference,
                    "",
                    {
                        "no_interval": Described(
                            str | None,
                            "Why low and high are null: too few documents, say, or 'computed, no sampling error'.",
                        )
                    },
                )
            ],
            "notes": list[str],
        },
    ),
    "ceiling": Record(
        "`ceiling --json`.",
        {
            "schema_version": Words((1,)),
            "signature": str,
            "settings": dict,
            "documents": int,
            "annotators": int,
            "score": Rows(CeilingScore, "Of all units."),
            "model": Either((Rows(ModelScore, "A model beside the ceiling."), None)),
            "labels": list[Rows(CeilingScore, "Of one label.")],
            "mean_of_labels": float,
            "same_source": list[Rows(SameSource, "Two annotators who may have one source.")],
            "notes": list[str],
        },
    ),
}
