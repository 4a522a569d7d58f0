"""What people try in Python without documentation: it works, or the error names the call that does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import gamma_align as ga

ROWS = [
    ("d1", "ann", 0, 4, "PER"),
    ("d1", "ann", 10, 14, "LOC"),
    ("d1", "bob", 0, 4, "PER"),
    ("d1", "bob", 10, 15, "LOC"),
]
FRAME = pd.DataFrame(ROWS, columns=["document", "annotator", "start", "end", "category"])
DICTS = FRAME.to_dict("records")
PEOPLE = {"ann": [(0, 4, "PER"), (10, 14, "LOC")], "bob": [(0, 4, "PER"), (10, 15, "LOC")]}
TEXT = "Anna sings in Rome"


class DataSet:
    """Rows as the library datasets has them."""

    def __init__(self, rows):
        self._rows = rows

    def __iter__(self):
        return iter(self._rows)

    def __len__(self):
        return len(self._rows)


def prodigy(annotator, end):
    return {
        "text": TEXT,
        "_input_hash": 7,
        "_task_hash": 8,
        "_annotator_id": annotator,
        "_session_id": annotator,
        "answer": "accept",
        "spans": [{"start": 0, "end": end, "label": "PER"}],
    }


def label_studio(user, end):
    value = {"start": 0, "end": end, "text": TEXT[:end], "labels": ["PER"]}
    result = {"id": "r", "from_name": "label", "to_name": "text", "type": "labels", "value": value}
    return {"id": user, "completed_by": user, "result": [result]}


TASKS = [{"id": 1, "data": {"text": TEXT}, "annotations": [label_studio(1, 4), label_studio(2, 5)]}]


@pytest.mark.parametrize(
    "source",
    [FRAME, DICTS, ROWS, PEOPLE, DataSet(DICTS), [prodigy("ann", 4), prodigy("bob", 5)], TASKS],
    ids=["frame", "dicts", "tuples", "people", "data set", "prodigy", "label studio"],
)
def test_data_in_memory_are_measured(source):
    assert 0 < ga.gamma(source).gamma < 1
    assert ga.look(source).verdict[0].startswith("Two annotators, γ 0.9")


def test_documents_of_spacy_are_measured():
    spacy = pytest.importorskip("spacy")
    ann = spacy.blank("en")(TEXT)
    ann.ents = [ann.char_span(0, 4, "PER")]
    bob = ann.copy()
    bob.ents = [bob.char_span(0, 10, "PER")]
    assert ga.gamma({"ann": ann, "bob": bob}).gamma < 1
    assert ga.gamma({"ann": [ann], "bob": [bob]}).gamma < 1


def test_a_frame_of_items_is_looked_at():
    frame = pd.DataFrame({"item": [1, 2, 3, 4], "r1": list("xyxy"), "r2": list("xyyy")})
    assert ga.look(frame)["alpha"] == ga.krippendorff_alpha(frame).value


@pytest.mark.parametrize(
    ("attempt", "call"),
    [
        (lambda: ga.Corpus(FRAME), "ga.read"),
        (lambda: ga.gamma(FRAME, annotator="coder"), "ga.read"),
        (lambda: ga.gamma(FRAME, random_state=1), "'seed'"),
        (lambda: ga.item_coefficient([["a", "b"], ["a", "a"], ["b", "b"]], "alpha", random_state=1), "'seed'"),
        (lambda: ga.gamma(np.array([[1, 2], [2, 2]])), "ga.krippendorff_alpha"),
        (lambda: ga.krippendorff_alpha([[1, 2, 1, 1], [1, 2, 2, 1]]), "row-per-coder"),
        (
            lambda: ga.krippendorff_alpha([("a", "b", "c"), ("a", "b", "b")]),
            "ga.krippendorff_alpha(ga.ItemTable.from_records(",
        ),
        (lambda: ga.read_items({"ann": [1, 2], "bob": [1, 1]}), "ga.krippendorff_alpha(data)"),
        (lambda: ga.items, "ga.read_items"),
        (lambda: ga.read_csv, "ga.read("),
        (lambda: ga.kappa, "ga.item_coefficient"),
        (lambda: ga.cohen_kappa_score, "ga.item_coefficient"),
        (lambda: ga.f1_score, "ga.evaluate"),
        (lambda: ga.agreement, "ga.look"),
    ],
)
def test_an_attempt_that_fails_names_the_call(attempt, call):
    with pytest.raises((ga.GammaAlignError, AttributeError)) as caught:
        attempt()
    assert call in str(caught.value)


def test_names_of_calls_exist():
    for pointer in ga._POINTERS.values():
        for word in pointer.split("ga.")[1:]:
            assert hasattr(ga, word.split("(")[0])
