"""`consensus`: one annotation of each document, from the unitary alignments of those that the annotators made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from gamma_align.alignment.limits import Limits
from gamma_align.data.checks import check_two_annotators, number_range
from gamma_align.data.corpus import Corpus
from gamma_align.data.sources import Source, corpus_of
from gamma_align.distances import AnyDistance
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.errors import SettingsError
from gamma_align.inference.values import ResultOfTables, columns_of
from gamma_align.insight.consensus.consensus_options import CONSENSUS, MAJORITY, NAME
from gamma_align.insight.consensus.consensus_tables import (
    AnnotatorRow,
    ConfusionRow,
    ConsensusUnit,
    LabelRow,
    annotator_rows,
    confusion_rows,
    label_rows,
    medians,
    unit_rows,
)
from gamma_align.insight.consensus.judgments import Judgments, judgments
from gamma_align.insight.consensus.outcome import Outcome, by_error_rates, by_votes, check_votes
from gamma_align.insight.disagreements.unitary_alignments import unitary_alignments
from gamma_align.options import takes_options
from gamma_align.version import __version__

_IDENTIFIED = 3
"""Annotators of a document from which on error rates can be told from the shares of categories."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Consensus(ResultOfTables):
    """One annotation of each document, with the votes behind it.

    Levels of `to_frame` and `columns`: "unit" (default), "voted_out", "annotator", "confusion" and "label".

    Attributes
    ----------
    corpus : Corpus
        The consensus, of one annotator, with the documents, extents and texts of the data.
    units : tuple of ConsensusUnit
        Its units, in the order of its columns, with votes and confidence.
    voted_out : tuple of ConsensusUnit
        The unitary alignments that are no unit of it, as they would be, in the same order.
    annotators : tuple of AnnotatorRow
        Each annotator beside the consensus.
    confusion : tuple of ConfusionRow
        The same in full: cells that are not empty.
    labels : tuple of LabelRow
        How frequent each category is, and no unit.
    log_likelihood, rounds : float, int
        Of the model, where annotators are weighed; else NaN and 0.
    gaps : tuple of float
        Of each document, the proven relative gap of its alignment; 0 where it is proven optimal.
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        What the reader should know.

    Examples
    --------
    >>> units = {"ann": [(0, 4, "x"), (6, 9, "y")], "bob": [(0, 4, "x")], "cy": [(1, 5, "x")]}
    >>> result = ga.consensus(units)
    >>> [(unit.start, unit.end, unit.category, unit.votes) for unit in result.units]
    [(0.0, 4.0, 'x', 3)]
    >>> [(unit.start, unit.end, unit.votes) for unit in result.voted_out]
    [(6.0, 9.0, 1)]
    >>> result.columns("annotator")["quality"]
    [0.5, 1.0, 1.0]
    """

    _tables: ClassVar = {
        "unit": ("units", ConsensusUnit),
        "voted_out": ("voted_out", ConsensusUnit),
        "annotator": ("annotators", AnnotatorRow),
        "confusion": ("confusion", ConfusionRow),
        "label": ("labels", LabelRow),
    }

    corpus: Corpus
    units: tuple[ConsensusUnit, ...]
    voted_out: tuple[ConsensusUnit, ...]
    annotators: tuple[AnnotatorRow, ...]
    confusion: tuple[ConfusionRow, ...]
    labels: tuple[LabelRow, ...]
    log_likelihood: float
    rounds: int
    gaps: tuple[float, ...]
    settings: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()

    def _contents(self) -> dict[str, Any]:
        tables = [name for name, _ in self._tables.values()]
        return {
            "schema_version": 1,
            **self._named("signature", "settings", "log_likelihood", "rounds", *tables, "notes"),
        }


@takes_options(CONSENSUS.options)
def consensus(
    source: Source,
    /,
    *,
    votes: str | float | None = None,
    weigh: str | None = None,
    name: str = NAME.default,
    distance: AnyDistance | None = None,
    dissimilarity: Dissimilarity | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    delta_empty: float = 1.0,
    limits: Limits | None = None,
) -> Consensus:
    """Return the consensus of the annotators of each document, from its alignment of least disorder.

    Which units belong together is decided first, by the alignment alone; then each unitary alignment is a unit of the
    consensus or not. By votes: it is one where enough of the annotators who saw the document have a unit in it; its
    category is the one that most of these units have, of several the one that is more frequent in the corpus, then the
    first by name. Start and end are the medians of the units' starts and ends: of an even number the mean of the two in
    the middle, or, where all boundaries of the document are whole numbers, the earlier of the two.

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        The data. Units in documents of one annotator are taken as that annotator's votes.
    distance, dissimilarity, alpha, beta, delta_empty, limits
        Of the alignment: as in `align`.

    Returns
    -------
    Consensus

    Raises
    ------
    InputError
        If no document has two annotators, or a label is unknown to the distance.
    SettingsError
        For a setting out of its range, or for votes where annotators are weighed.
    SolverError
        If a solver fails.

    References
    ----------
    Dawid & Skene 1979, Maximum likelihood estimation of observer error-rates using the EM algorithm.

    Examples
    --------
    >>> units = {"ann": [(0, 4, "x"), (6, 9, "y")], "bob": [(0, 4, "x")], "cy": [(1, 5, "y")]}
    >>> result = ga.consensus(units)
    >>> list(result.corpus.continuum(0).units())
    [Unit(annotator='consensus', start=0.0, end=4.0, category='x')]
    """
    corpus = corpus_of(source, "consensus")
    check_votes(votes, weigh)
    if not name.strip():
        raise SettingsError("name must not be empty")
    check_two_annotators(corpus)
    used = Dissimilarity.of(dissimilarity, distance, alpha, beta, delta_empty)
    limits = limits or Limits()
    alignments = unitary_alignments(corpus, used, limits)
    said = judgments(corpus, alignments)
    wanted = MAJORITY if votes is None else votes
    by_rates = weigh is not None and len(said) > 0
    outcome = by_error_rates(said, len(corpus.annotators)) if by_rates else by_votes(said, wanted)
    bounds = medians(corpus, said.group, said.document)
    units, voted_out = (
        unit_rows(corpus, said, outcome, bounds, np.flatnonzero(kept)) for kept in (outcome.kept, ~outcome.kept)
    )
    result = _corpus_of(corpus, units, name)
    settings = {
        "votes": wanted if weigh is None else None,
        "weigh": weigh,
        "name": name,
        **{key: getattr(used, key) for key in ("alpha", "beta", "delta_empty")},
        "dissimilarity": used.name,
        "categorial": used.categorial.to_dict(),
        **{key: getattr(limits, key) for key in ("time_limit", "solver")},
        "length_unit": corpus.length_unit,
    }
    return Consensus(
        corpus=result,
        units=units,
        voted_out=voted_out,
        annotators=annotator_rows(corpus.annotators, said.no_unit, outcome),
        confusion=confusion_rows(corpus.annotators, said.labels, outcome),
        labels=label_rows(said.labels, outcome),
        log_likelihood=outcome.log_likelihood,
        rounds=outcome.rounds,
        gaps=tuple(alignments.gaps.tolist()),
        settings=settings,
        signature=_signature(corpus, settings, used, proven=not alignments.gaps.any()),
        notes=(*corpus.notes, *_notes(corpus, said, outcome, result, settings)),
    )


def _corpus_of(corpus: Corpus, units: tuple[ConsensusUnit, ...], name: str) -> Corpus:
    """Return the consensus as the corpus of one annotator, who saw what anybody saw."""
    columns = {**columns_of(units, ("document", "start", "end", "category")), "annotator": [name] * len(units)}
    seen = [document for document, count in zip(corpus.documents, corpus.n_annotators, strict=True) if count]
    annotations = {"document": seen, "annotator": [name] * len(seen)}
    result = Corpus.from_columns(columns, annotations=annotations, documents=corpus.to_tables().documents)
    return replace(result, length_unit=corpus.length_unit, texts=corpus.texts)


def _signature(corpus: Corpus, settings: Mapping[str, Any], dissimilarity: Dissimilarity, *, proven: bool) -> str:
    votes, weigh = settings["votes"], settings["weigh"]
    parts = {
        "docs": len(corpus),
        "n": number_range(corpus.n_annotators.tolist()),
        **({"weigh": weigh} if weigh is not None else {"votes": votes}),
        "α": f"{dissimilarity.alpha:g}",
        "β": f"{dissimilarity.beta:g}",
        "Δ": f"{dissimilarity.delta_empty:g}",
        "d": dissimilarity.name,
        "boundaries": "median",
        "opt": "yes" if proven else "no",
        "v": __version__,
    }
    return "|".join(["consensus", *(f"{key}:{value}" for key, value in parts.items())])


def _notes(
    corpus: Corpus, judgments: Judgments, outcome: Outcome, result: Corpus, settings: Mapping[str, Any]
) -> Iterator[str]:
    """Yield what the reader of the consensus should know."""
    alone = int((corpus.n_annotators == 1).sum())
    if alone:
        yield f"documents of one annotator, whose units have that annotator's vote alone: {alone}"
    most = int(corpus.n_annotators.max())
    if settings["weigh"] is not None and most < _IDENTIFIED:
        yield (
            f"no document has three annotators: with {most} their error rates and the shares of categories cannot be "
            "told from each other, and what is estimated is one of many that explain the data as well"
        )
    wanted = settings["votes"]
    if isinstance(wanted, int) and wanted > most:
        yield f"no document has {wanted} annotators, and so no unit has {wanted} votes; the most are {most}"
    half = int((2 * judgments.votes == judgments.annotators).sum())
    if settings["votes"] == MAJORITY and half:
        yield (
            f"unitary alignments with exactly half of the votes, which are voted out: {half}; --votes 0.5 (votes=0.5) "
            "keeps them"
        )
    ties = int((outcome.tie & outcome.kept).sum())
    if ties:
        yield (
            f"units whose category is a tie, which goes to the category that is more frequent in the corpus: {ties} of "
            f"{result.n_units}"
        )
    overlapping = _overlapping(result)
    if overlapping:
        yield f"units of the consensus that overlap one before them: {overlapping} of {result.n_units}"


def _overlapping(corpus: Corpus) -> int:
    """Return how many units begin before one that comes before them in their document ends."""
    # documents one after the other, none of them overlapping the next
    length = float(np.ptp(corpus.extents)) + 1.0 if len(corpus) else 0.0
    shift = corpus.unit_document * length
    reach = np.maximum.accumulate(corpus.end + shift)
    return int(np.count_nonzero((corpus.start + shift)[1:] < reach[:-1]))
