"""Evidence and groups that are computed without SciPy, whose import takes as long as γ of a small corpus."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.special import betaln

from gamma_align.insight.causes.evidence import run_log_probability
from gamma_align.insight.causes.kinds.label_sets import _group_by_labels


def test_a_run_of_hits_has_the_probability_of_the_beta_binomial_distribution():
    draw = np.random.default_rng(3)
    alpha, rest = draw.uniform(0.01, 30, (2, 50))
    length = draw.integers(0, 40, 50)
    expected = betaln(alpha + length, rest) - betaln(alpha, rest)
    assert run_log_probability(alpha, alpha + rest, length) == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_annotators_with_a_label_in_common_are_in_one_group(seed):
    draw = np.random.default_rng(seed)
    used = draw.random((12, 15)) < 0.08
    graph = nx.Graph()
    for person, label in np.argwhere(used).tolist():
        graph.add_edge(("person", person), ("label", label))
    components = nx.connected_components(graph)
    expected = sorted(sorted(node for kind, node in component if kind == "person") for component in components)
    assert _group_by_labels(used) == expected
