"""The fate of each unit between two versions: planted edits, totals, matrices of labels, texts, and the command."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from command_line import run
from histories import ANNOTATORS, history

import gamma_align as ga

FATES = ("same", "moved", "relabelled", "both", "split", "merged", "removed", "added")
LABELS = ("A", "B", None)


def planted(seed):
    """Return two versions of one annotator, and the fate of each unit or group of units."""
    draw = np.random.default_rng(seed)
    old, new, expected = [], [], []
    position = 0.0
    for _ in range(int(draw.integers(20, 60))):
        fate = FATES[int(draw.integers(8))]
        start = position + float(draw.integers(3, 9))
        end = start + float(draw.integers(6, 15))
        position = end + 2
        label = LABELS[int(draw.integers(3))]
        other = LABELS[(LABELS.index(label) + 1 + int(draw.integers(2))) % 3]
        cut = start + float(draw.integers(2, 5))
        whole, parts = [(start, end, label)], [(start, cut, label), (cut, end, label)]
        before, after = {
            "same": (whole, whole),
            "moved": (whole, [(start - 1, end + 1, label)]),
            "relabelled": (whole, [(start, end, other)]),
            "both": (whole, [(start + 1, end, other)]),
            "split": (whole, parts),
            "merged": (parts, whole),
            "removed": (whole, []),
            "added": ([], whole),
        }[fate]
        old += before
        new += after
        expected.append((fate, tuple(before), tuple(after)))
    records = [[("d", "gold", *unit) for unit in units] for units in (old, new)]
    extents = {"d": (0.0, position + 10)}
    return [ga.Corpus.from_records(rows, annotations=[("d", "gold")], extents=extents) for rows in records], expected


@pytest.mark.parametrize("seed", range(200))
def test_each_planted_edit_is_found_and_nothing_else(seed):
    (old, new), expected = planted(seed)
    result = ga.unit_changes(old, new)
    found = {(row.fate, tuple(map(tuple, row.first)), tuple(map(tuple, row.second))) for row in result.changed}
    assert found == {row for row in expected if row[0] != "same"}
    assert result.is_same == (not found)
    counts = {row.fate: (row.first, row.second) for row in result.counts}
    for fate in FATES:
        groups = [row for row in expected if row[0] == fate]
        assert counts[fate] == (sum(len(row[1]) for row in groups), sum(len(row[2]) for row in groups))
    assert [sum(row.first for row in result.counts), sum(row.second for row in result.counts)] == [
        old.n_units, new.n_units,
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(10))
def test_the_sums_of_the_matrix_are_the_labels_of_each_version(seed):
    versions, _ = planted(seed)
    result = ga.unit_changes(*versions)
    for side, alone, corpus in (("first", "second", versions[0]), ("second", "first", versions[1])):
        sums = Counter()
        for row in result.labels:
            if row.where != alone:
                sums[getattr(row, side)] += row.units
        labels = [None if code < 0 else corpus.categories[code] for code in corpus.category.tolist()]
        assert sums == Counter(labels)


@pytest.mark.parametrize("seed", range(5))
def test_the_reverse_of_each_change_is_found_backwards(seed):
    (old, new), _ = planted(seed)
    opposite = {"split": "merged", "merged": "split", "removed": "added", "added": "removed"}
    forwards = {(row.fate, row.first, row.second) for row in ga.unit_changes(old, new).changed}
    backwards = {(opposite.get(row.fate, row.fate), row.second, row.first) for row in ga.unit_changes(new, old).changed}
    assert forwards == backwards


def test_edits_of_a_history_are_found_in_the_document_that_was_redone():
    for seed in range(5):
        planted_history = history(seed)
        if planted_history.went or planted_history.came:
            continue
        result = ga.unit_changes(planted_history.first, planted_history.second)
        assert {row.annotator for row in result.changed if row.fate == "split"} == {*ANNOTATORS}
        assert {row.document: (row.fate, row.former, row.changed) for row in result.fates} == planted_history.fates


def test_nested_units_are_not_taken_for_parts():
    old = [("d", "gold", 0, 20, "NP")]
    new = [("d", "gold", 0, 21, "NP"), ("d", "gold", 2, 6, "NP"), ("d", "gold", 8, 14, "NP")]
    rows = ga.unit_changes(old, new).changed
    assert sorted(row.fate for row in rows) == ["added", "added", "moved"]


def test_units_of_documents_and_annotators_of_one_version_are_removed_or_added():
    old = [("d", "ann", 0, 4, "x"), ("e", "ann", 0, 4, "x")]
    new = [("d", "ann", 0, 4, "x"), ("d", "bob", 0, 4, "x"), ("f", "ann", 9, 12, "y")]
    result = ga.unit_changes(old, new)
    assert [(row.document, row.annotator, row.fate) for row in result.changed] == [
        ("d", "bob", "added"),
        ("e", "ann", "removed"),
        ("f", "ann", "added"),
    ]
    assert [row.fate for row in result.fates] == ["redone", "gone", "new"]


def test_a_renamed_document_is_a_difference_even_if_no_unit_differs():
    old = [("d", "gold", 10 * n, 10 * n + 4, "x") for n in range(9)]
    new = [("e", *row[1:]) for row in old]
    result = ga.unit_changes(old, new)
    assert not result.changed
    assert not result.is_same


TEXT = "Anna saw Bob in Rome, and Carl stayed in Oslo."
CORRECTED = "Anna, who saw Bob in Rome, stayed in Oslo."


def gold(path, text, words):
    units = [{"start": text.index(word), "end": text.index(word) + len(word), "label": "X"} for word in words]
    path.write_text(json.dumps({"document": "d", "annotator": "gold", "text": text, "spans": units}) + "\n")
    return path


@pytest.fixture
def corrected(tmp_path):
    old = ga.read(gold(tmp_path / "old.jsonl", TEXT, ["Anna", "Bob", "Carl", "Oslo"]))
    new = ga.read(gold(tmp_path / "new.jsonl", CORRECTED, ["Anna", "Bob", "Oslo"]))
    return old, new


def test_units_follow_their_text_and_what_has_no_text_is_lost(corrected):
    with pytest.raises(ga.InputError, match="not the same in first and second"):
        ga.unit_changes(*corrected)
    result = ga.unit_changes(*corrected, align_text=True)
    assert [(row.fate, row.text) for row in result.changed] == [("lost", "Carl")]
    counts = {row.fate: (row.first, row.second) for row in result.counts if row.first or row.second}
    assert counts == {"same": (3, 3), "lost": (1, 0)}


@pytest.mark.usefixtures("corrected")
def test_the_command_fails_if_anything_differs(tmp_path):
    paths = [tmp_path / name for name in ("old.jsonl", "new.jsonl")]
    (tmp_path / "copy.jsonl").write_bytes(paths[0].read_bytes())
    same = run("compare", paths[0], tmp_path / "copy.jsonl", "--units")
    assert same.returncode == 0, same.stderr
    refused = run("compare", *paths, "--units")
    assert (refused.returncode, "--align-text" in refused.stderr) == (3, True)
    done = run("compare", *paths, "--units", "--align-text")
    assert done.returncode == 1
    assert "Carl" in done.stdout
    page = tmp_path / "changes.html"
    written = run("compare", *paths, "--units", "--align-text", "-o", page)
    assert written.returncode == done.returncode
    assert "are not the same" in page.read_text(encoding="utf-8")
    rows = run("compare", *paths, "--units", "--align-text", "--csv").stdout.splitlines()
    assert len(rows) == 2
