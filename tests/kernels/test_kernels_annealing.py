"""The kernel anneal: its alignments are valid and better, with the same bits by both kinds."""

import numpy as np
import pytest
from both_kernels import by_both, needs_compiled
from solver_cases import batch_of, corpus_of

from gamma_align import kernels
from gamma_align.alignment.candidates import Links, candidate_pairs
from gamma_align.alignment.heuristic import total_saving


def make_instance(seed, annotators, most):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(seed), 1, annotators, most))
    return batch, Links.both_ways(candidate_pairs(batch, bound_to), batch.n_units)


def anneal(batch, links, label, moves, levels, temperature, ratio, seed):
    return [
        kernels.anneal(*links, batch.annotator, label, moves, levels, temperature, ratio, seed),
    ]


@needs_compiled
@pytest.mark.parametrize(("annotators", "most", "temperature"), [(2, 4, 0.1), (5, 6, 0.3), (9, 5, 0.02), (12, 3, 5.0)])
def test_both_kinds_anneal_to_the_same_labels(annotators, most, temperature):
    batch, links = make_instance(annotators, annotators, most)
    label = np.arange(batch.n_units)
    by_both(anneal, batch, links, label, 150, 20, temperature, 0.9, 7)
    by_both(anneal, batch, links, label[::-1].copy(), 50, 3, temperature, 0.9, 8)


def test_labels_are_an_alignment_that_saves_no_less():
    batch, links = make_instance(3, 8, 5)
    label = np.arange(batch.n_units)
    (found,) = anneal(batch, links, label, 500, 50, 0.1, 0.93, 1)
    owner = {}
    for unit, group in enumerate(found.tolist()):
        assert owner.setdefault((group, int(batch.annotator[unit])), unit) == unit
    dense = np.unique(found, return_inverse=True)[1]
    assert total_saving(links, dense) > total_saving(links, label) + 1.0


def test_the_best_alignment_of_the_levels_is_returned():
    batch, links = make_instance(4, 6, 5)
    (cold,) = anneal(batch, links, np.arange(batch.n_units), 500, 50, 0.1, 0.9, 1)
    dense = np.unique(cold, return_inverse=True)[1]
    (hot,) = anneal(batch, links, dense, 500, 5, 1e6, 1.0, 1)  # accepts every move
    assert total_saving(links, np.unique(hot, return_inverse=True)[1]) == pytest.approx(total_saving(links, dense))


def test_units_without_partners_stay_alone():
    batch, links = make_instance(5, 2, 3)
    none = Links(np.zeros(batch.n_units + 1, dtype=np.int64), links.partner[:0], links.saving[:0])
    label = np.arange(batch.n_units)
    assert (anneal(batch, none, label, 100, 2, 0.1, 0.9, 1)[0] == label).all()
