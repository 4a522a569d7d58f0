"""Label sets without a label in common, whose labels are used one to one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamma_align.columns import BoolArray, IntArray
from gamma_align.data import few
from gamma_align.insight.causes.cause import NOBODY, Candidate, Cause, Sentence, Tier, label_of, name_of, others_of
from gamma_align.insight.causes.evidence import binomial_evidence
from gamma_align.insight.causes.filling import rename_labels
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import View

_MIN_PAIRS = 3  # aligned pairs of a label and its counterpart
_MIN_SHARE = 0.6  # of the aligned pairs of a label that are with its counterpart: with less it is no name for the same
_NATS_OF_A_PAIR = 3.0  # of one label each: nothing else is there to be aligned with, as for spellings
_MAX_NAMED = 4  # labels in a sentence


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LabelSets(Candidate):
    """Labels of some annotators to be replaced by the labels of the others: `old` by `new`, codes (n_labels,)."""

    fixed_question: ClassVar[str] = "Do these labels mean the same, so that one can be replaced by the other?"

    people: IntArray
    old: IntArray
    new: IntArray
    counts: tuple[int, int]  # aligned pairs with the counterpart, and all

    def repair(self, view: View) -> Repair:
        """Replace the labels."""
        own_units = np.flatnonzero(np.isin(view.corpus.annotator, self.people))
        return rename_labels(view, own_units, self.old, self.new)

    def sentence(self, view: View) -> Sentence:
        """Return whose labels are other ones, and their counterparts."""
        people = few((name_of(view, code) for code in self.people.tolist()), _MAX_NAMED)
        others_name = others_of(view, int(self.people[0]))
        have = "has" if len(self.people) == 1 else "have"
        pairs = few(
            (
                f"{label_of(view, old)} for {label_of(view, new)}"
                for old, new in zip(self.old.tolist(), self.new.tolist(), strict=True)
            ),
            _MAX_NAMED,
        )
        n, n_all = self.counts
        use = "uses" if len(self.people) == 1 else "use"
        title = f"{people} {have} no label in common with {others_name}, but {use} other names: {pairs}"
        if view.is_pair:
            title = f"{people} and {others_name} have no label in common, but use their names alike: {pairs}"
        return Sentence(title, f"{n:,} of {n_all:,} aligned pairs have these labels.")


def propose(view: View) -> Iterator[Candidate]:
    """Yield groups of annotators who share no label with the largest group, and use their labels like its labels."""
    n_labels = len(view.corpus.categories)
    used = np.zeros((view.n_annotators, n_labels + 1), dtype=np.bool_)
    np.logical_or.at(used, (view.corpus.annotator, view.corpus.category), True)  # noqa: FBT003  (a value)
    groups = _group_by_labels(used[:, :n_labels])
    if len(groups) <= 1:
        return  # a label in common
    n_units = np.bincount(view.corpus.annotator, minlength=view.n_annotators)
    base, *other_groups = sorted(groups, key=lambda people: (-len(people), -int(n_units[people].sum()), people[0]))
    unit, partner = view.pairs
    category = view.corpus.category
    annotator = view.corpus.annotator
    in_base = np.isin(annotator[partner], base) & (category[partner] >= 0)
    for people in other_groups:
        rows = in_base & np.isin(annotator[unit], people) & (category[unit] >= 0)
        keys = category[unit[rows]] * n_labels + category[partner[rows]]
        table = np.bincount(keys, minlength=n_labels * n_labels).reshape(n_labels, n_labels)
        candidate = _make_candidate(np.array(people), table, len(other_groups))
        if candidate is not None:
            yield candidate


def _make_candidate(people: IntArray, table: IntArray, n_groups: int) -> LabelSets | None:
    """Return the labels that are used one to one; `table` counts aligned pairs by own label and label of the others."""
    totals = table.sum(axis=1)
    best = table.argmax(axis=1)
    n = table.max(axis=1)
    is_counterpart = (n >= _MIN_PAIRS) & (n >= _MIN_SHARE * totals)
    # Two labels for one of the others are a finer set of labels, which no renaming makes equal.
    is_counterpart &= np.bincount(best[is_counterpart], minlength=len(table))[best] == 1
    old = np.flatnonzero(is_counterpart)
    if not len(old):
        return None
    frequency = table.sum(axis=0) / table.sum()
    n_other_labels = int(np.count_nonzero(frequency))
    if n_other_labels > 1:
        evidence = float(binomial_evidence(n[old], totals[old], frequency[best[old]]).sum())
    else:
        evidence = _NATS_OF_A_PAIR * float(n[old].sum())
    net = evidence - len(old) * math.log(n_other_labels) - math.log(n_groups)
    return LabelSets(
        annotator=int(people[0]) if len(people) == 1 else NOBODY,
        net=net,
        labels=(int(old[0]), int(best[old[0]])),
        people=people,
        old=old,
        new=best[old],
        counts=(int(n[old].sum()), int(totals.sum())),
    )


def _group_by_labels(used: BoolArray) -> list[list[int]]:
    """Return the annotators in groups such that no label is used in two of them; `used` is annotators × labels."""
    people = np.flatnonzero(used.any(axis=1))
    person, label = np.nonzero(used[people])
    # The first annotator of each group, through labels in common, then through labels in common with these, and so on.
    # Annotators × annotators would be a large table in a crowd.
    group = np.arange(len(people))
    previous = np.full(len(people), -1)
    while not np.array_equal(group, previous):
        first_user = np.full(used.shape[1], len(people))
        previous = group.copy()
        np.minimum.at(first_user, label, group[person])
        np.minimum.at(group, person, first_user[label])
    return [people[group == code].tolist() for code in np.unique(group).tolist()]


LABEL_SETS_CAUSE = Cause(
    "spelling",
    Tier.FILE,
    "other names for all labels",
    "replaces them by the others' labels",
    propose,
    is_clerical=True,
)
