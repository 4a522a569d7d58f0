"""Patterns of disagreement that repeat, the thresholds for them, and the likelihood ratio that tests them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray

_Counts = FloatArray | IntArray


class Thresholds(NamedTuple):
    """Thresholds from which on a pattern is reported. A likelihood is 2·ln of a likelihood ratio."""

    # All rules
    share: float = 0.01  # minimum share of all disorder
    max_patterns: int = 5
    occurrences: int = 5  # minimum number of occurrences of words, or of aligned pairs
    likelihood: float = 20.0  # minimum for words and for silences

    # Words that one annotator treats differently
    disputed: float = 0.5  # minimum share of the occurrences that have disorder
    rate: float = 0.35  # minimum difference between the rate of marking of the annotator and the mean of the others
    joining_likelihood: float = 6.0  # minimum for words of the same annotator, direction and label as stronger ones

    # Silences: parts of a document in which an annotator places few units
    units: int = 20  # minimum on each side of the cut
    silence: float = 0.5  # maximum share of the units expected from the others and from the other side
    covered: float = 0.9  # maximum share of the extent that units cover

    # Labels and bounds
    confused: float = 0.05  # minimum share of the aligned pairs with the rarer label
    responsible: float = 0.8  # minimum share of the differences at a bound that involve an annotator in the same role


THRESHOLDS = Thresholds()  # the defaults


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """Unitary alignments that a rule puts together, and the disorder of each that settling the pattern removes.

    Attributes
    ----------
    rule : {"words", "silence", "labels", "bounds"}
    alignments, amounts : ndarray, shape (n_alignments,)
        The unitary alignments, and the disorder removed from each.
    examples : ndarray of int64
        Unitary alignments to show as examples.
    annotator, document : int
        Codes; -1 for none.
    labels : tuple of int
        Two codes; -1 for no category.
    texts : tuple of int
        Indices of words in the vocabulary.
    words : tuple of str
        The words themselves, if they are not in the vocabulary of unitary alignments.
    direction : str
        How the annotator differs, or at which side.
    stretch : ndarray of int64
        All unitary alignments in the stretch of a silence.
    counts : dict
        Further counts by name.
    marked, covers : dict
        Number of units, and number of occurrences covered by another unit, by annotator.
    """

    rule: str
    alignments: IntArray
    amounts: FloatArray
    examples: IntArray
    annotator: int = -1
    document: int = -1
    labels: tuple[int, int] = (-1, -1)
    texts: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    direction: str = ""
    stretch: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    counts: dict[str, float] = field(default_factory=dict)
    marked: dict[int, int] = field(default_factory=dict)
    covers: dict[int, int] = field(default_factory=dict)

    @property
    def disorder(self) -> float:
        """The disorder that settling the pattern removes."""
        return float(self.amounts.sum())


def log_likelihood_ratio(hits: _Counts, total: _Counts, other_hits: _Counts, other_total: _Counts) -> FloatArray:
    """Return 2·ln of the likelihood ratio of two binomial rates against one common rate."""
    separate = _log_likelihood(hits, total) + _log_likelihood(other_hits, other_total)
    ratio: FloatArray = 2.0 * (separate - _log_likelihood(hits + other_hits, total + other_total))
    return ratio


def _log_likelihood(hits: _Counts, total: _Counts) -> FloatArray:
    """Return the maximum log-likelihood of binomial counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = hits / total
        terms = np.where(hits > 0, hits * np.log(rate), 0.0)
        result: FloatArray = terms + np.where(hits < total, (total - hits) * np.log1p(-rate), 0.0)
    return result
