"""Names that hold within a document only are told from exchanged keys, which are the same exchange everywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from judging import findings, view_of
from made_corpora import ANNOTATORS, MAKERS, Draft, Noise
from places import CORPORA

import gamma_align as ga

LETTERS = np.array(list("ABCDE"), dtype=object)


def songs(seed, n_annotators, n_documents, share):
    """Return songs whose parts get letters, of each annotator's own in a share of the songs, with a few errors."""
    rng = np.random.default_rng(seed)
    rows = []
    for document in range(n_documents):
        parts = rng.integers(int(rng.integers(3, 6)), size=int(rng.integers(6, 14)))
        cuts = np.concatenate([[1], 1 + np.cumsum(rng.uniform(8, 30, len(parts)))])
        for annotator in range(n_annotators):
            order = rng.permutation(len(LETTERS)) if rng.random() < share else np.arange(len(LETTERS))
            letters = np.where(rng.random(len(parts)) < 0.04, rng.integers(len(LETTERS), size=len(parts)), order[parts])
            kept = np.flatnonzero(rng.random(len(parts)) > 0.04)
            rows += [
                (
                    document,
                    annotator,
                    cuts[part] + rng.normal(0, 0.3),
                    cuts[part + 1] + rng.normal(0, 0.3),
                    letters[part],
                )
                for part in kept.tolist()
            ]
    document, annotator, start, end, letter = (np.array(column) for column in zip(*rows, strict=True))
    return Draft(
        documents=tuple(f"song_{index:03}" for index in range(n_documents)),
        annotators=ANNOTATORS[:n_annotators],
        document=document,
        annotator=annotator,
        start=start,
        end=end,
        label=LETTERS[letter],
        texts=None,
        lengths=(500.0,) * n_documents,
        kind="time",
    )


def steps_of(draft):
    return [step for group in findings(view_of(draft)) for step in group]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize(("n_annotators", "n_documents"), [(2, 15), (2, 60), (3, 30), (5, 20)])
def test_letters_of_songs_are_local_and_no_keys_are_exchanged(n_annotators, n_documents, share, seed):
    draft = songs([seed, 5], n_annotators, n_documents, share)
    steps = steps_of(draft)
    assert [step.cause.name for step in steps if step.cause.name in {"local-names", "swap"}] == ["local-names"]
    (step,) = [step for step in steps if step.cause.name == "local-names"]
    assert step.candidate.annotator < 0
    assert step.removed > 0.5 * step.view.disorder
    before, after, n = step.candidate.counts
    assert before < after <= n


def exchanged(draft, who, first, second, documents):
    is_there = draft.of(who) & np.isin(draft.document, documents)
    label = np.where(draft.label == first, second, np.where(draft.label == second, first, draft.label))
    return replace(draft, label=np.where(is_there, label, draft.label))


@pytest.mark.parametrize("n_exchanged", [10, 20])
@pytest.mark.parametrize("n_annotators", [2, 3])
def test_keys_that_are_exchanged_alike_are_no_local_names(n_annotators, n_exchanged):
    draft = MAKERS["time"](np.random.default_rng([2, 3]), n_annotators, 20, Noise())
    names = [step.cause.name for step in steps_of(exchanged(draft, 1, "A", "B", range(n_exchanged)))]
    assert "swap" in names
    assert "local-names" not in names


def test_two_people_with_an_exchange_each_have_no_local_names():
    draft = MAKERS["time"](np.random.default_rng([4, 3]), 4, 20, Noise())
    draft = exchanged(exchanged(draft, 1, "A", "B", range(20)), 2, "A", "C", range(20))
    names = [step.cause.name for step in steps_of(draft)]
    assert "swap" in names
    assert "local-names" not in names


def test_letters_of_real_songs_are_local():
    result = ga.disagreements(CORPORA / "salami", samples=3)
    first = result.to_settle[0]
    assert (first.kind, first.annotator) == ("local-names", None)
    assert first.share > 0.2
    assert "swap" not in {finding.kind for finding in result.to_settle}
