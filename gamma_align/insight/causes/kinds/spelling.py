"""One label that is written in several ways."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data import are_one_edit_apart, few, spelling_key
from gamma_align.insight.causes.cause import NOBODY, Candidate, Cause, Sentence, Tier, label_of, name_of, others_of
from gamma_align.insight.causes.filling import rename_labels
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import View

_MIN_CROSSINGS = 2  # aligned pairs with one spelling each
_NATS_OF_A_CROSSING = 3.0  # that two spellings meet is sure; that they mean the same is what has to be shown
_NEARLY_ALL = 0.9  # share of the units with a spelling that one annotator has, if that one is named


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Spelling(Candidate):
    """Labels to be written like other labels: `old` and `new` are codes, shape (n_labels,)."""

    fixed_question: ClassVar[str] = "Do they mean the same, so that one can be replaced by the other?"

    old: IntArray
    new: IntArray
    counts: tuple[int, ...]

    def repair(self, view: View) -> Repair:
        """Write the labels like the others."""
        return rename_labels(view, np.arange(view.corpus.n_units), self.old, self.new)

    def sentence(self, view: View) -> Sentence:
        """Return the spellings and their numbers."""
        pairs = [
            f"{label_of(view, old)} for {label_of(view, new)} ({count:,} units)"
            for old, new, count in zip(self.old.tolist(), self.new.tolist(), self.counts, strict=True)
        ]
        owner = f", all of {name_of(view, self.annotator)}" if self.annotator >= 0 else ""
        if owner and not self.is_named:
            owner += f"; the other way is that of {others_of(view, self.annotator)}"
        subject = "A label is" if len(pairs) == 1 else f"{len(pairs)} labels are"
        return Sentence(f"{subject} written in two ways: {few(pairs, 4)}{owner}", "They are aligned with each other.")


def propose(view: View) -> Iterator[Candidate]:
    """Yield labels that differ in case, blanks and punctuation alone, or in one letter, and meet each other."""
    groups = _similar_labels(view.corpus.categories)
    if not groups:
        return
    width = len(view.corpus.categories)
    used = np.zeros((view.n_annotators, width), dtype=np.int64)
    has_label = view.corpus.category >= 0
    np.add.at(used, (view.corpus.annotator[has_label], view.corpus.category[has_label]), 1)
    unit, partner = view.pairs
    category = view.corpus.category
    is_labelled = (category[unit] >= 0) & (category[partner] >= 0)
    met = np.zeros((width, width), dtype=np.int64)
    np.add.at(met, (category[unit][is_labelled], category[partner][is_labelled]), 1)
    by_owner: dict[int, list[tuple[int, int, int]]] = {}
    rare: list[tuple[int, int, int]] = []
    for labels in groups:
        order = sorted(labels, key=lambda label: _rank(used[:, label], view.corpus.categories[label]))
        new = order[0]
        for old in order[1:]:
            # Labels that annotators tell apart meet themselves: two phonemes, "s" and "S".
            if met[old, new] <= int(met[old, old]) // 2 and met[old, old]:
                continue
            if met[old, new] >= _MIN_CROSSINGS:
                by_owner.setdefault(_owner(used[:, old]), []).append((old, new, int(met[old, new])))
            elif spelling_key(view.corpus.categories[old]) == spelling_key(view.corpus.categories[new]):
                rare.append((old, new, int(met[old, new])))
    for row in rare:  # of somebody who writes other labels differently in the same way
        owner = _owner(used[:, row[0]])
        if owner != NOBODY and owner in by_owner:
            by_owner[owner].append(row)
    for owner, rows in sorted(by_owner.items()):
        codes = np.array([row[:2] for row in rows], dtype=np.int64)
        yield Spelling(
            annotator=owner,
            net=_NATS_OF_A_CROSSING * sum(row[2] for row in rows),
            # If each of two annotators has one way, either of them may write the label differently.
            is_named=view.has_three_annotators or bool(used[owner, codes[:, 1]].any()),
            labels=rows[0][:2],
            old=codes[:, 0],
            new=codes[:, 1],
            counts=tuple(used[:, codes[:, 0]].sum(axis=0).tolist()),
        )


def _similar_labels(labels: Sequence[str]) -> list[list[int]]:
    """Return the groups of labels that may be one label written differently."""
    groups: dict[str, list[int]] = {}
    for code, label in enumerate(labels):
        groups.setdefault(spelling_key(label), []).append(code)
    similar = [codes for codes in groups.values() if len(codes) > 1]
    single = [codes[0] for codes in groups.values() if len(codes) == 1]
    for first, second in itertools.combinations(single[:200], 2):  # of more labels, most pairs would be accidents
        if are_one_edit_apart(labels[first], labels[second]):
            similar.append([first, second])
    return similar


def _rank(used: IntArray, label: str) -> tuple[int, int, str]:
    """Return the order of spellings: used by most annotators, then clearly more often, then alphabetical."""
    return (-int(np.count_nonzero(used)), -int(math.log2(max(used.sum(), 1))), label)


def _owner(used: IntArray) -> int:
    """Return the annotator who has nearly all units with a spelling, or `NOBODY`."""
    owner = int(used.argmax())
    return owner if used[owner] >= _NEARLY_ALL * used.sum() else NOBODY


SPELLING_CAUSE = Cause(
    "spelling",
    Tier.FILE,
    "a label that is written in two ways",
    "writes one like the other",
    propose,
    is_clerical=True,
    names_one_of_two=True,
)
