"""`print` shows a result as the command line does, with its notes; `repr` is one short line."""

from __future__ import annotations

import inspect

import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga
from gamma_align.inference.values import Result
from gamma_align.present.printed import _TEXTS

THREE = CORPORA / "pygamma" / "AlexPaulSuzan.csv"
HEARST = CORPORA / "hearst_kazantseva"
NOVELS = CORPORA / "novels_ner"
ITEMS = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
FEW = {"samples": 3}
RESULTS = {
    "Alignment": lambda: ga.align(THREE),
    "Ceiling": lambda: ga.ceiling(CORPORA / "llm_span_d2t_iaa"),
    "Consensus": lambda: ga.consensus(THREE),
    "Disagreements": lambda: ga.disagreements(THREE, **FEW),
    "Evaluation": lambda: ga.evaluate(THREE, reference="Alex", **FEW),
    "Families": lambda: ga.families(THREE, **FEW),
    "GammaResult": lambda: ga.gamma(THREE, **FEW),
    "ItemResult": lambda: ga.item_agreement(ITEMS),
    "Look": lambda: ga.look(THREE, **FEW),
    "Comparison": lambda: ga.compare(ga.read(THREE), ga.read(THREE), **FEW),
    "PairwiseF1": lambda: ga.pairwise_f1(THREE),
    "PairwiseResult": lambda: ga.pairwise(THREE, **FEW),
    "Plan": lambda: ga.plan(HEARST, target=0.3, annotators=(2, 3), repetitions=2),
    "PowerPlan": lambda: ga.plan_difference(
        *(ga.read(NOVELS).select(annotators=["user1", other]) for other in ("user2", "user3")), power=0.5, samples=2
    ),
    "ReferenceCurve": lambda: ga.curve(THREE, kinds=[("shift",)], magnitudes=[0, 0.9], repetitions=1, samples=2),
    "Replacement": lambda: ga.replaceable(CORPORA / "llm_span_d2t_iaa", annotator="zeroshot-*", epsilon=0.1),
    "Rounds": lambda: ga.rounds({"first": ga.read(THREE), "second": ga.read(THREE)}, **FEW),
    "SegmentationResult": lambda: ga.segmentation(HEARST),
    "UnitChanges": lambda: ga.unit_changes(ga.read(THREE), ga.read(THREE).drop(annotators="Alex")),
    "UnitizingResult": lambda: ga.unitizing_alpha(THREE),
    "ValidationReport": lambda: ga.validate(THREE),
}


@pytest.mark.filterwarnings("ignore::gamma_align.errors.GammaAlignWarning")
@pytest.mark.parametrize("name", RESULTS)
def test_print_shows_the_text_and_the_notes(name):
    result = RESULTS[name]()
    assert type(result).__name__ == name
    text = str(result)
    assert not text.startswith("<")
    assert len(text.splitlines()) > 2
    assert [note for note in getattr(result, "notes", ()) if f"note: {note}" not in text] == []
    assert repr(result).startswith(f"<{name}")
    assert "\n" not in repr(result)


def test_every_result_with_a_text_is_tested():
    assert RESULTS.keys() == _TEXTS.keys()


def test_the_text_is_that_of_the_command_line():
    assert str(ga.align(THREE)).startswith(run("align", THREE).stdout.rstrip("\n"))
    assert str(ga.pairwise_f1(THREE)).startswith(run("evaluate", THREE).stdout.rstrip("\n"))
    assert str(ga.validate(THREE)).startswith(run("validate", THREE).stdout.rstrip("\n"))


def test_small_results_print_what_they_contain():
    kinds = [getattr(ga, name) for name in ga.__all__]
    results = [kind.__name__ for kind in kinds if inspect.isclass(kind) and issubclass(kind, Result)]
    assert set(_TEXTS) - {"ValidationReport"} <= set(results)
    report = ga.chance_report(ITEMS)
    assert str(report) == repr(report)
    assert f"{report.kappa.value:.4f}" in str(report)
    assert "alpha 0.5333" in repr(ga.item_agreement(ITEMS, coefficients=["alpha"]))
    assert str(ga.item_coefficient(ITEMS, "alpha")).startswith("0.5333")
