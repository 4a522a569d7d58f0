"""The alignments of a corpus that grows are those of the corpus alone, and no document is aligned twice."""

from dataclasses import fields

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.insight.disagreements import KeptAlignments, disagreements_of, unitary_alignments
from gamma_align.measures.gamma import GammaSettings, gamma_of
from gamma_align.work import KeptWork, SharedWork, part_tasks


def made(n, seed=0):
    references = [ga.synthetic_reference(units=6, seed=seed + at, document=f"d{at}") for at in range(n)]
    kinds = ["shift", "false-negative", "category"]
    return ga.shuffle(ga.Corpus.from_continua(references), magnitude=0.5, annotators=3, kinds=kinds, seed=seed)


@pytest.fixture
def versions():
    corpus = made(6)
    redone = made(2, seed=9)
    alone = ga.Corpus.from_records([("b", "zoe", 0, 4, "A")])
    first = corpus.select(documents=["d0", "d1", "d2"])
    later = corpus.select(documents=["d1", "d2", "d3", "d4", "d5"]).merge(redone.select(documents="d0"))
    return [first, corpus, later, later.merge(alone), first]


def test_versions_have_the_alignments_of_each_alone_and_documents_are_aligned_once(versions, monkeypatch):
    settings = GammaSettings.of(samples=3)
    kept = KeptAlignments(settings, KeptWork(settings))
    solve = unitary_alignments.solve_alignment
    solved = []

    def count(batch, *arguments, **options):
        solved.append(len(batch.n_annotators))
        return solve(batch, *arguments, **options)

    for number, version in enumerate(versions):
        with monkeypatch.context() as patch:
            patch.setattr(unitary_alignments, "solve_alignment", count)
            found = kept.of(version)
        expected = unitary_alignments.alignments_of_gamma(version, settings, SharedWork(version, settings))
        for field in fields(expected):
            np.testing.assert_array_equal(getattr(found, field.name), getattr(expected, field.name), field.name)
        if number == 3:
            assert sum(solved) == 7  # six documents, one of them twice, as it was redone


def test_the_causes_are_those_of_a_run_of_their_own_and_gamma_aligns_nothing(versions, monkeypatch):
    settings = GammaSettings.of(samples=3)
    work = KeptWork(settings)
    kept = KeptAlignments(settings, work)
    for version in versions:
        alignments = kept.of(version)
        with monkeypatch.context() as patch:
            patch.setattr(part_tasks, "align_documents", None)
            gamma = gamma_of(version, settings, shared=work)
        found = disagreements_of(version, gamma, settings, alignments=alignments)
        assert found.to_dict() == disagreements_of(version, None, settings).to_dict()


@pytest.mark.parametrize("options", [{"alignment": "cover"}, {"distance": "edit"}])
def test_covers_and_other_distances_are_aligned_as_a_whole(versions, options):
    settings = GammaSettings.of(samples=3, **options)
    kept = KeptAlignments(settings, KeptWork(settings))
    for version in versions[:2]:
        expected = unitary_alignments.alignments_of_gamma(version, settings, SharedWork(version, settings))
        np.testing.assert_array_equal(kept.of(version).disorder, expected.disorder)
