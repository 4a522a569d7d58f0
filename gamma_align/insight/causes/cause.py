"""The interface of a kind of cause: it proposes candidates, and a candidate knows its repair and its sentences."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar, NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data import few
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import View

NOBODY = -1
"""Code of the annotator of a candidate that concerns all annotators alike."""

_MAX_NAMED = 3  # documents in a sentence


class Tier(IntEnum):
    """The order in which causes are settled: a later one would explain part of an earlier one, and wrongly."""

    FILE = 0  # what an export or a label set does to all units
    COUNTING = 1  # positions that were counted differently: between two line ends, they are moved by a constant
    POSITION = 2  # positions that are moved, or belong to another document
    SHAPE = 3  # one unit against several
    SIDE = 4  # starts or ends alone that are moved: those of parts of split units are, too
    MARKING = 5  # which units are marked, with which label and bounds
    RATE = 6  # how many
    NOISE = 7  # how often an annotator differs, whatever the way


class Sentence(NamedTuple):
    """A claim, and the numbers that prove it."""

    title: str
    counts: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Candidate(ABC):
    """A hypothesis with a repair that would undo it.

    Attributes
    ----------
    annotator : int
        The annotator whose units the repair changes; `NOBODY` for all.
    net : float
        Evidence in nats, less the price of looking.
    is_named : bool
        Whether the evidence proves that it is this annotator. Of two annotators, `Cause.names_one_of_two` has to say so
        as well.
    documents : ndarray of int64
        The documents concerned, sorted; empty if it holds everywhere.
    stretch : (float, float) or None
        The part of the document concerned.
    labels : tuple of int
        Codes of the labels, (from, to) if there are two.
    words : tuple of str
    direction : str
        How the annotator differs, such as "leaves out", or at which side.
    """

    fixed_question: ClassVar[str]  # of kinds whose question is always the same; the others override `question`

    annotator: int
    net: float
    is_named: bool = True
    documents: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    stretch: tuple[float, float] | None = None
    labels: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    direction: str = ""

    @abstractmethod
    def repair(self, view: View) -> Repair:
        """Return the change of units that would undo the cause."""

    @abstractmethod
    def sentence(self, view: View) -> Sentence:
        """Return the claim and the numbers that prove it."""

    def question(self, view: View) -> str:  # noqa: ARG002  (subclasses name labels and annotators)
        """Return the question to put to the annotator or the guidelines; by default `fixed_question`."""
        return self.fixed_question

    def is_unclear(self, view: View) -> bool:  # noqa: ARG002  (most kinds are checked when they are proposed)
        """Return whether exchanged roles would give it to somebody as clearly, so that it is no candidate.

        It is called just before the candidate is tried: few of many candidates are, and this check takes longest.
        """
        return False

    def examples(self, view: View, repair: Repair) -> IntArray:
        """Return the units of the original corpus that show the cause, by default those that the repair touches."""
        return np.unique(np.concatenate([view.origin[repair.drop], repair.add.origin]))

    def refines(self, candidate: Candidate) -> bool:  # noqa: ARG002  (few kinds do)
        """Return whether this is another candidate with a narrower scope, so that it is tried first."""
        return False

    @property
    def key(self) -> tuple[object, ...]:
        """Facts by which a candidate that did not remove enough disorder is recognised in the next round."""
        return (type(self), self.annotator, self.labels, self.words, self.direction, self.stretch, *self.documents[:3])


@dataclass(frozen=True, slots=True)
class Cause:
    """A kind of cause.

    Attributes
    ----------
    name : str
        Its name in results.
    tier : Tier
    pattern : str
        The pattern that is looked for, in words.
    change : str
        A description of the repair.
    propose : callable
        Yields the candidates that a view suggests.
    obstacle : callable
        Returns the reason why the pattern cannot be looked for in a corpus, or None.
    is_clerical : bool
        Whether the repair restores what was meant, so that `--fix` may write it.
    names_one_of_two : bool
        Whether the units of one annotator, or the text, show whose it is. Without that, two annotators differ from each
        other, and neither is named.
    """

    name: str
    tier: Tier
    pattern: str
    change: str
    propose: Callable[[View], Iterable[Candidate]]
    obstacle: Callable[[View], str | None] = lambda _view: None  # most can always be looked for
    is_clerical: bool = False
    names_one_of_two: bool = False


def needs_texts(view: View) -> str | None:
    """Return why words cannot be looked at, or None."""
    return None if view.has_texts else "no text is known"


def name_of(view: View, annotator: int) -> str:
    """Return the name of an annotator."""
    return view.corpus.annotators[annotator]


def others_of(view: View, annotator: int) -> str:
    """Return the name of the other annotator if there are two, else "the others"."""
    names = view.corpus.annotators
    return names[1 - annotator] if view.is_pair else "the others"


def label_of(view: View, code: int) -> str:
    """Return a label in words."""
    return view.corpus.categories[code] if code >= 0 else "no category"


def quoted(words: Iterable[str]) -> str:
    """Return words in quotation marks, at most eight."""
    return few((f"“{word}”" for word in words), 8)


def documents_text(view: View, documents: IntArray, n_all: int) -> str:
    """Return documents in words: their names if they are few, else their number of all."""
    names = [view.corpus.documents[index] for index in documents.tolist()]
    if len(names) == n_all and n_all > 1:
        return f"all {n_all:,} documents"
    if len(names) <= _MAX_NAMED:
        return few(names, _MAX_NAMED)
    return f"{len(names):,} of {n_all:,} documents"
