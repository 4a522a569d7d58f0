"""Results as people use them: a value is a number, a result prints short, shows itself in a notebook, pickles."""

from __future__ import annotations

import math
import pickle
from html import escape
from html.parser import HTMLParser

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.inference.values import Result
from gamma_align.present.result_tables import _RESULTS, shown_tables

UNITS = [("d<1>", "ann", 0, 4, "x"), ("d<1>", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
CORPUS = ga.Corpus.from_records(UNITS)
VALUE = ga.Value(0.5, 0.4, 0.6)
MISSING = ga.Value.unavailable("no units")


def test_a_value_is_a_number():
    assert float(VALUE) == 0.5
    assert f"{VALUE:.2f} {VALUE:>8.1f}" == "0.50      0.5"
    assert f"{VALUE}" == "0.5000 [0.4000, 0.6000]"
    assert round(ga.Value(0.123), 1) == 0.1
    assert VALUE > 0.4
    assert VALUE < ga.Value(0.7)  # noqa: SIM300
    assert VALUE <= 0.5
    assert VALUE >= 0.5
    assert np.float64(0.5) == VALUE
    assert np.mean([VALUE, ga.Value(1.0)]) == 0.75
    assert np.array([VALUE, MISSING]).dtype == np.float64
    assert max([VALUE, ga.Value(0.7)]) == 0.7
    assert len({VALUE, ga.Value(0.5, 0.4, 0.6), 0.5}) == 1


def test_a_value_that_is_not_available_is_not_a_number():
    assert math.isnan(float(MISSING))
    assert not MISSING > 0
    assert not MISSING < 1
    assert ga.Value.unavailable("no units") == MISSING
    assert ga.Value.unavailable("one annotator only") != MISSING
    assert repr(MISSING) == "<Value NA (no units)>"


def test_a_coefficient_on_items_is_a_number():
    table = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    alpha = ga.krippendorff_alpha(table)
    assert float(alpha) == alpha.value == pytest.approx(0.5333, abs=5e-5)
    assert (f"{alpha:.2f}", round(alpha, 1), alpha > 0.5, alpha < 0.8) == ("0.53", 0.5, True, True)
    assert np.mean([alpha, ga.item_coefficient(table, "s")]) == pytest.approx(0.51667, abs=5e-5)
    assert ga.krippendorff_alpha(table) == alpha != ga.item_coefficient(table, "s")
    nothing = ga.krippendorff_alpha(ga.ItemTable.from_matrix([["a", None], [None, "b"]]))
    assert math.isnan(float(nothing))
    assert not nothing.is_available


def subclasses(kind):
    return [kind, *(below for child in kind.__subclasses__() for below in subclasses(child))]


def test_results_print_and_compare_as_their_base():
    for name in ga.__all__:
        getattr(ga, name)
    kinds = subclasses(Result)
    assert len(kinds) > 20
    own = [kind.__name__ for kind in kinds[1:] if {"__eq__", "__repr__"} & set(vars(kind))]
    assert set(own) == {"Number", "Value"}  # a result that stands for one number is compared as that number


PEOPLE_AND_MODELS = ga.Corpus.from_records(
    [
        (f"d{document}", name, 0, 4 + (document * place) % 3, "x")
        for document in range(6)
        for place, name in enumerate(["ann", "bob", "cy", "gpt", "llama"])
    ]
)
RESULTS = {
    "gamma": ga.gamma(CORPUS, samples=20),
    "unitizing": ga.unitizing_alpha(CORPUS),
    "families": ga.families(CORPUS, samples=20),
    "alignment": ga.align(CORPUS["d2"]),
    "evaluate": ga.evaluate(CORPUS, reference="ann", measures="spans"),
    "f1": ga.pairwise_f1(CORPUS),
    "pairwise": ga.pairwise(CORPUS, samples=20),
    "segmentation": ga.segmentation({"ann": [(0, 2), (2, 5), (5, 11)], "bob": [(0, 2), (2, 4), (4, 11)]}),
    "items": ga.item_agreement(ga.align(CORPUS["d2"]).to_items()),
}
# Results whose tables a notebook shows.
TABLED = [
    *RESULTS.values(),
    ga.compare(CORPUS, CORPUS, samples=20),
    ga.consensus(CORPUS),
    ga.look(CORPUS, samples=3),
    ga.curve(CORPUS, kinds=["category"], magnitudes=[0, 1], repetitions=1, samples=3),
    ga.plan(CORPUS, target=0.5, annotators=(2,), repetitions=2, samples=3),
    ga.plan_difference(
        PEOPLE_AND_MODELS.drop(annotators="ann"),
        PEOPLE_AND_MODELS,
        power=0.8,
        difference=-0.1,
        samples=3,
    ),
    ga.replaceable(PEOPLE_AND_MODELS, annotator=("gpt", "llama")),
    ga.rounds({"first": CORPUS, "second": CORPUS}, samples=3),
    ga.unit_changes(CORPUS, CORPUS),
]
results = pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)


@results
def test_the_printed_form_is_short(result):
    text = repr(result)
    assert text.startswith(f"<{type(result).__name__} ")
    assert len(text) < 500
    assert "\n" not in text


def test_the_printed_form_has_the_values_with_their_intervals():
    result = RESULTS["gamma"]
    assert f"gamma {result.gamma}, gamma_cat {result.gamma_cat}" in repr(result)
    assert "documents: 2" in repr(result)


@results
def test_results_are_equal_after_pickling_and_different_from_others(result):
    copy = pickle.loads(pickle.dumps(result))  # noqa: S301
    assert copy == result
    assert hash(copy) == hash(result)
    further = [candidate for candidate in RESULTS.values() if candidate is not result]
    assert result not in further


def test_corpora_are_equal_after_pickling():
    assert pickle.loads(pickle.dumps(CORPUS)) == CORPUS  # noqa: S301
    assert CORPUS["d2"] == ga.Corpus.from_records(UNITS)["d2"]
    assert ga.Corpus.from_records(UNITS[:3]) != CORPUS


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, _):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@results
def test_a_notebook_shows_well_formed_html(result):
    tags = Tags()
    tags.feed(result._repr_html_())
    assert tags.open == []
    if result is RESULTS["gamma"]:
        assert "d<1>" in tags.text


def test_an_alignment_shows_its_picture_in_a_notebook():
    assert RESULTS["alignment"]._repr_html_() == ga.alignment_svg(RESULTS["alignment"])


def test_a_long_result_shows_its_first_rows_in_a_notebook():
    corpus = ga.Corpus.from_records([(f"d{n // 2:02}", ("ann", "bob")[n % 2], 0, 4, "x") for n in range(60)])
    _, documents, _ = ga.gamma(corpus, samples=2)._repr_html_().split("</table>")
    assert documents.count("<tr>") == 21
    assert ga.gamma(corpus, samples=2)._repr_html_().endswith("<p>… 10 more: to_frame() has them all</p>")


def test_a_result_of_many_documents_shows_those_of_most_disorder_in_a_notebook():
    corpus = ga.Corpus.from_records([(f"d{n // 2:02}", ("ann", "bob")[n % 2], 0, 4, "x") for n in range(100)])
    html = ga.gamma(corpus, samples=2)._repr_html_()
    assert "the 10 documents with the largest share of the disorder" in html


@pytest.mark.parametrize("name", _RESULTS)
def test_a_notebook_shows_the_tables_of_a_result(name):
    result = next(result for result in TABLED if type(result).__name__ == name)
    tables = [table for table in shown_tables(result) if [*table.rows]]
    html = result._repr_html_()
    assert html.count("<table>") == len(tables)
    assert escape(tables[0].title) in html


def test_the_frame_of_the_corpus_has_every_coefficient_with_its_interval():
    result = RESULTS["gamma"]
    frame = result.to_frame(level="corpus")
    assert frame["coefficient"].tolist() == ["gamma", "gamma_cat", "gamma_k", "gamma_k"]
    assert frame["category"].tolist()[2:] == ["x", "y"]
    assert frame["value"].tolist()[0] == result.gamma
    assert {"value_low", "value_high", "value_reason"} <= set(frame.columns)
