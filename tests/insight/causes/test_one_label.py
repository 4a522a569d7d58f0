"""A worker of a crowd who gives one label another one each time is found, however few labels there are."""

from __future__ import annotations

import numpy as np
import pytest

import gamma_align as ga

WORKER = "w7"


def crowd(labels, says, seen):
    """Return units of eight workers, `seen` in each document; `says` is what one of them says for each label."""
    rng = np.random.default_rng(0)
    rows = []
    for index in range(60):
        people = [WORKER, *rng.permutation([f"w{code}" for code in range(7)])[: seen - 1]]
        for place in range(int(rng.integers(1, 4))):
            label = str(rng.choice(labels))
            for name in people:
                own = says[label] if name == WORKER else label if rng.random() > 0.05 else str(rng.choice(labels))
                rows.append((f"doc_{index:02}", name, 100.0 * place, 100.0 * place + 10, own))
    return rows


@pytest.mark.parametrize("seen", [2, 3, 4])
@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (["loc", "per"], {"loc": "loc", "per": "loc"}),
        (["loc", "org", "per"], {"loc": "loc", "org": "org", "per": "loc"}),
        (["loc", "org", "per"], {"loc": "loc", "org": "loc", "per": "loc"}),
    ],
    ids=["two labels", "three labels", "one label for all"],
)
def test_a_worker_with_another_label_each_time_is_named(labels, says, seen):
    result = ga.disagreements(crowd(labels, says, seen), samples=3)
    found = {finding.labels for finding in result.to_settle if finding.annotator == WORKER}
    assert ("per", "loc") in found


@pytest.mark.parametrize("labels", [["loc", "per"], ["loc", "org", "per"]])
def test_workers_who_err_alike_are_not_named(labels):
    says = {label: label for label in labels}
    result = ga.disagreements(crowd(labels, says, 3), samples=3)
    assert not [finding.title for finding in result.to_settle if finding.kind == "confusion"]
