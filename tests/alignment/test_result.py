"""An alignment is available as tables, a graph and JSON."""

import json

import narwhals as nw
import networkx as nx
import pytest

import gamma_align as ga


@pytest.fixture(scope="module")
def alignment():
    return ga.align(
        ga.Continuum.from_records(
            [("A", 0, 4, "x"), ("B", 0, 4, "y"), ("A", 10, 14, None), ("C", 10, 15, "x"), ("B", 30, 31, "y")],
            document="d",
            annotators=["A", "B", "C", "D"],
            extent=(0, 40),
        )
    )


def test_unitary_alignments_have_at_most_one_unit_of_each_annotator(alignment):
    rows = alignment.unitary_alignments()
    assert [[None if unit is None else unit.start for unit in row] for row in rows] == [
        [0.0, 0.0, None, None],
        [10.0, None, 10.0, None],
        [None, 30.0, None, None],
    ]


def test_units_by_values_have_none_for_missing_units(alignment):
    assert alignment.units_by_values() == [
        ("x", "y", None, None),
        ("", None, "x", None),
        (None, "y", None, None),
    ]


def test_the_components_of_the_graph_are_the_unitary_alignments(alignment):
    graph = alignment.to_graph()
    components = {frozenset(component) for component in nx.connected_components(graph)}
    groups = {}
    for number, attributes in graph.nodes(data=True):
        groups.setdefault(attributes["unitary_alignment"], set()).add(number)
    assert components == {frozenset(group) for group in groups.values()}
    assert len(components) == len(alignment)
    assert graph.nodes[0] == {"unitary_alignment": 0, "annotator": "A", "start": 0.0, "end": 4.0, "category": "x"}
    assert graph.graph == {"document": "d", "disorder": alignment.disorder}


def test_the_json_has_each_unit_once_and_the_certificate(alignment):
    table = json.loads(json.dumps(alignment.to_dict(), allow_nan=False))
    units = [tuple(unit.values()) for row in table["unitary_alignments"] for unit in row["units"]]
    assert sorted(units, key=str) == sorted((tuple(unit) for unit in alignment.continuum.units()), key=str)
    assert (table["disorder"], table["bound"], table["optimal"], table["gap"]) == (
        alignment.disorder,
        alignment.bound,
        True,
        0.0,
    )
    total = sum(row["disorder"] for row in table["unitary_alignments"])
    assert total / (5 / 4) == pytest.approx(alignment.disorder)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_frame_has_a_row_per_document(backend):
    corpus = ga.Corpus.from_records(
        [("a", "A", 0, 4, "x"), ("a", "B", 1, 5, "x"), ("b", "A", 0, 2, "x")], extents={"a": (0, 20)}
    )
    result = ga.gamma(corpus, samples=30)
    frame = nw.from_native(result.to_frame(backend), eager_only=True)
    assert frame["document"].to_list() == ["a", "b"]
    assert frame["gamma"][0] == result.documents[0].gamma.value
    assert frame["gamma_low"][0] == result.documents[0].gamma.low
    assert frame["gamma_reason"].is_null().to_list() == [True, False]
    assert frame["gamma_reason"][1] == "one annotator only"
    assert frame["optimal"].to_list() == [True, True]
    assert frame["units"].to_list() == [2, 1]


def test_a_continuum_without_units_has_no_disorder():
    empty = ga.align(ga.Continuum.from_records([], annotators=["A", "B"], extent=(0, 1)))
    assert len(empty) == 0
    assert empty.to_dict()["disorder"] is None
    assert empty.is_optimal
