"""F1 of the elements that at least half of the systems mark, against the reference."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import RowGroups, grouped_sums
from gamma_align.data import Corpus
from gamma_align.inference import Value
from gamma_align.measures.reference.reference_options import VOTE_MEASURES
from gamma_align.measures.reference.spans import Sums, f1_values
from gamma_align.measures.reference.votes import Votes

MIN_SYSTEMS = 3  # at least half of two is all that either marks


def together_f1(corpus: Corpus, reference: int, zero_division: float | None) -> dict[str, Value]:
    """Return F1, by measure, of the elements that at least half of the other annotators of a document mark.

    Parameters
    ----------
    reference : int
        The code of the reference. Documents that it did not see, or nobody else, do not count.
    """
    sums = {measure: _sums(Votes.of(corpus, measure), reference) for measure in VOTE_MEASURES}
    has_reference = np.zeros(len(corpus), dtype=np.bool_)
    has_reference[corpus.seen_document[corpus.seen == reference]] = True
    counted = np.flatnonzero(has_reference & (corpus.n_annotators > 1))
    values = f1_values(sums, RowGroups([counted], corpus.documents), zero_division)
    return {measure: value for measure, (value,) in zip(sums, values, strict=True)}


def _sums(votes: Votes, reference: int) -> Sums:
    """Return the sums of each document: of the reference, and of the elements that at least half of the others mark."""
    in_reference = np.zeros(len(votes.document), dtype=np.bool_)
    in_reference[votes.element[votes.annotator == reference]] = True
    n_votes = votes.votes - in_reference
    is_answer = (n_votes > 0) & (2 * n_votes >= votes.n_seen[votes.document] - 1)
    correct, gold, answers = (
        grouped_sums(votes.document, votes.size * is_counted, len(votes.n_seen))
        for is_counted in (in_reference & is_answer, in_reference, is_answer)
    )
    return Sums(np.stack([correct, correct], axis=1), np.stack([gold, answers], axis=1))
