"""Soft-γ: covers in the data and in the samples, in results, citations, the command line and pictures."""

import json
import re

import numpy as np
import pytest
from command_line import run

import gamma_align as ga
from gamma_align.alignment.solve import disorders, unitary_disorders
from gamma_align.chance.other_samplers import make_sampler

SPLIT = {"ann": [(0, 20, "x"), (30, 36, "y")], "bob": [(0, 10, "x"), (10, 20, "x"), (31, 36, "y")]}
ALEX = "corpora/pygamma/AlexPaulSuzan.csv"


@pytest.fixture(scope="module")
def soft():
    return ga.gamma(ALEX, alignment="cover", samples=30, control="none")


def test_data_and_samples_are_covered(soft):
    corpus = ga.read(ALEX)
    settings = ga.GammaSettings.of(alignment="cover", samples=30, control="none")
    bound_to = settings.dissimilarity.bind(corpus.categories)
    sampler = make_sampler(corpus, settings, None)
    batch = sampler.sample(np.zeros(30, dtype=np.int64), np.arange(30))
    alignments = [_least(batch.take(np.array([index])), bound_to) for index in range(30)]
    assert soft.gamma.expected == pytest.approx(np.mean(alignments), rel=1e-9)
    assert soft.gamma.observed == pytest.approx(0.5223611111, abs=2e-7)
    assert soft.documents[0].alignments == 7
    assert soft.optimal
    assert "soft-γ: a unit may be in several unitary alignments, in the data and in the samples alike" in soft.notes
    assert soft.gamma.value > ga.gamma(ALEX, samples=30).gamma.value


def _least(batch, bound_to):
    from gamma_align.alignment.cover import solve_cover

    solution = solve_cover(batch, bound_to)
    members = solution.members(batch)
    return disorders(batch, unitary_disorders(members, solution.group, bound_to), members.instance)[0]


def test_gamma_cat_counts_a_pair_in_each_of_its_unitary_alignments():
    result = ga.gamma(SPLIT, alignment="cover", samples=10)
    pairs = result.gamma_cat.pairs
    assert pairs == 3  # ann's long unit with both halves, and the other units
    assert result.gamma_cat.observed == 0
    assert ga.gamma(SPLIT, samples=10).gamma_cat.pairs == 2


def test_signature_and_citation_have_a_symbol_of_their_own(soft):
    assert soft.signature.startswith("soft-γ|docs:1|")
    assert not ga.gamma(ALEX, samples=3).signature.startswith("soft")
    citation = ga.citation(soft)
    assert citation.sentence.startswith("soft-γ = ")
    assert "soft-γcat = " in citation.sentence
    assert "(soft-γ: Titeux & Riad 2021)" in citation.method
    assert "titeux-riad-2021-pygamma" in citation.bibtex
    assert soft.to_dict()["settings"]["alignment"] == "cover"
    assert ga.gamma(ALEX, samples=3).to_dict()["settings"]["alignment"] == "partition"


def test_two_annotators_are_sampled_even_if_partitions_are_computed():
    assert ga.gamma(SPLIT).documents[0].samples == 0
    assert ga.gamma(SPLIT, alignment="cover").documents[0].samples >= 30


def test_the_command_line_has_one_flag():
    done = run("measure", ALEX, "--soft", "--samples", 30)
    assert re.search(r"soft-γ \[95 % interval\] +soft-γcat", done.stdout)
    done = run("align", ALEX, "--soft", "--json")
    (document,) = json.loads(done.stdout)["documents"]
    assert document["alignment"] == "cover"
    units = [tuple(unit) for row in document["unitary_alignments"] for unit in map(dict.items, row["units"])]
    assert len(units) > len(set(map(tuple, units)))  # a unit in several


def test_an_alignment_lists_a_unit_in_each_of_its_unitary_alignments():
    alignment = ga.align(SPLIT, alignment="cover")
    graph = alignment.to_graph()
    assert graph.nodes[0]["unitary_alignment"] == [0, 1]
    assert sorted(graph.edges) == [(0, 2), (0, 3), (1, 4)]
    assert len(alignment.to_frame()) == 6
    assert len(alignment.to_items().items) == 3
    assert [row["units"][0].start for row in alignment._contents()["unitary_alignments"]] == [0, 0, 30]


def test_a_picture_joins_a_unit_with_all_units_that_it_is_aligned_with():
    picture = ga.alignment_svg(ga.align(SPLIT, alignment="cover"))
    assert picture.count("data-unit") == 5
    bands = re.findall(r'<path [^>]*data-alignment="(\d)"', picture)
    assert sorted(bands) == ["0", "1", "2"]
    assert "in 2 unitary alignments · disorder 0.11, 0.11" in picture
    assert " · aligned with nothing" not in picture


def test_disagreements_and_report_show_each_unitary_alignment_of_a_unit():
    corpus = ga.Corpus.from_records([("d", name, *unit) for name, units in SPLIT.items() for unit in units])
    result = ga.disagreements(corpus, alignment="cover", samples=10)
    long_units = [row for row in result.disagreements if ("ann", 0.0, 20.0, "x") in row.units]
    assert [row.units[1].start for row in sorted(long_units)] == [0, 10]
    assert all(row.reason == "position" for row in long_units)
    total = sum(row.disorder.disorder for row in result.annotators)
    assert total == pytest.approx(result.disorder.disorder) == result.gamma.gamma.observed * 2.5
    assert not result.to_settle
    assert {kind.reason for kind in result.sought} == {
        "causes are looked for only if each unit is in one unitary alignment"
    }
    text = ga.html_report(corpus, alignment="cover", samples=10).html
    assert "in 2 unitary alignments" in text
    assert "soft-γ" in text


def test_families_weigh_the_pairs_of_covers():
    result = ga.families(SPLIT, alignment="cover", samples=5)
    assert result.gamma.gamma_cat.pairs == 3


def test_other_values_are_refused():
    with pytest.raises(ga.SettingsError, match="alignment must be one of partition, cover"):
        ga.gamma(SPLIT, alignment="soft")
    with pytest.raises(ga.SettingsError, match="alignment must be one of partition, cover"):
        ga.align(SPLIT, alignment="soft")
