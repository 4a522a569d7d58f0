"""`consensus`: one annotation of each document, from the unitary alignments of all annotations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypedDict

import numpy as np

from gamma_align.alignment import Limits
from gamma_align.columns import IntArray
from gamma_align.data import Corpus, check_two_annotators, number_range
from gamma_align.distances import AnyDistance, Dissimilarity
from gamma_align.errors import Cure, Note, Set, SettingsError
from gamma_align.inference import ResultOfTables, columns_of
from gamma_align.insight.consensus.consensus_options import CONSENSUS_OPTIONS, MAJORITY, NAME
from gamma_align.insight.consensus.decisions import NOT_FOUND, DecisionRow, Decisions, FindingFacts
from gamma_align.insight.consensus.judgments import Judgments, judgments
from gamma_align.insight.consensus.outcome import Outcome, check_votes, outcome_by_error_rates, outcome_by_votes
from gamma_align.insight.consensus.settling import settle
from gamma_align.insight.consensus.summaries import (
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
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments, unitary_alignments
from gamma_align.options import takes_options
from gamma_align.version import __version__

_MIN_ANNOTATORS_IDENTIFIED = 3  # with fewer, error rates cannot be distinguished from the shares of categories


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Consensus(ResultOfTables):
    """One annotation of each document, with the votes behind it.

    Levels of `to_frame` and `columns`: "unit" (default), "voted_out", "annotator", "confusion", "label" and "decision".

    Attributes
    ----------
    corpus : Corpus
        The consensus, of one annotator, with the documents, extents and texts of the data.
    units : tuple of ConsensusUnit
        Units of the consensus with votes and confidence, in the order of the corpus.
    voted_out : tuple of ConsensusUnit
        The unitary alignments that did not become units, as they would be, in the same order.
    annotators : tuple of AnnotatorRow
        Comparison of each annotator with the consensus.
    confusion : tuple of ConfusionRow
        The same comparison by label: cells that are not empty.
    labels : tuple of LabelRow
        Frequency of each category, and of no unit.
    decisions : tuple of DecisionRow
        Decisions with their effects.
    log_likelihood, rounds : float, int
        Log-likelihood and iterations of the model if annotators are weighed; else NaN and 0.
    gaps : tuple of float
        Proven relative gap of the alignment of each document; 0 if it is proven optimal.
    settings : mapping
        All settings that are needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        Assumptions and warnings for readers of the consensus.

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
        "decision": ("decisions", DecisionRow),
    }

    corpus: Corpus
    units: tuple[ConsensusUnit, ...]
    voted_out: tuple[ConsensusUnit, ...]
    annotators: tuple[AnnotatorRow, ...]
    confusion: tuple[ConfusionRow, ...]
    labels: tuple[LabelRow, ...]
    decisions: tuple[DecisionRow, ...]
    log_likelihood: float
    rounds: int
    gaps: tuple[float, ...]
    settings: Mapping[str, object]
    signature: str
    notes: tuple[str, ...] = ()

    def _contents(self) -> dict[str, object]:
        tables = [name for name, _ in self._tables.values()]
        return {
            "schema_version": 1,
            **self._named("signature", "settings", "log_likelihood", "rounds", *tables, "notes"),
        }


class ConsensusOptions(TypedDict, total=False):
    """Options of `consensus` by keyword, which describes them, without the decisions."""

    votes: str | float | None
    weigh: str | None
    name: str
    distance: AnyDistance | None
    dissimilarity: Dissimilarity | None
    alpha: float
    beta: float
    delta_empty: float
    limits: Limits | None


@takes_options(CONSENSUS_OPTIONS.options)
def consensus(
    corpus: Corpus,
    /,
    *,
    votes: str | float | None = None,
    weigh: str | None = None,
    name: str = NAME.default,
    decisions: Decisions | None = None,
    distance: AnyDistance | None = None,
    dissimilarity: Dissimilarity | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    delta_empty: float = 1.0,
    limits: Limits | None = None,
) -> Consensus:
    """Return the consensus of the annotators of each document, from its alignment of least disorder.

    The alignment decides which units belong together; then each unitary alignment becomes a unit of the consensus or
    not. By votes it does if enough annotators of the document have a unit in it. Its category is the most frequent one
    of these units. A tie goes to the category that is more frequent in the corpus, then to the first by name. Start and
    end are the medians of the starts and ends of the units. The median of an even number is the mean of the two in the
    middle, or the lower of the two if all boundaries of the document are whole numbers. At places that were decided,
    the decision holds instead.

    Parameters
    ----------
    corpus : Corpus
        The data. In a document of one annotator, each unit has the vote of this annotator.
    distance, dissimilarity, alpha, beta, delta_empty, limits
        Settings of the alignment: as in `align`.

    Returns
    -------
    Consensus

    Raises
    ------
    InputError
        If no document has two annotators, a label is unknown to the distance, or a decision is invalid.
    SettingsError
        If a setting is out of its range, or votes are set although annotators are weighed.
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
    check_votes(votes, weigh)
    if not name.strip():
        raise SettingsError("name must not be empty")
    check_two_annotators(corpus)
    dissimilarity = Dissimilarity.of(dissimilarity, distance, alpha, beta, delta_empty)
    limits = limits or Limits()
    required = MAJORITY if votes is None else votes
    alignments = unitary_alignments(corpus, dissimilarity, limits)
    all_decisions = decisions or Decisions(())
    all_judgments = judgments(corpus, alignments, all_decisions.new_labels)
    # Without a judgment there is nothing to fit a model to, and the votes give an empty consensus as well.
    if weigh is None or not len(all_judgments):
        outcome = outcome_by_votes(all_judgments, required)
    else:
        outcome = outcome_by_error_rates(all_judgments, len(corpus.annotators))
    settled, decision_rows = settle(
        all_decisions,
        corpus,
        all_judgments,
        outcome,
        medians(corpus, all_judgments.group, all_judgments.document),
        votes=required,
        findings=_findings(all_decisions, corpus, alignments, dissimilarity, limits),
    )
    outcome = settled.outcome
    units = unit_rows(corpus, all_judgments, settled, outcome.kept)
    result = _consensus_corpus(corpus, units, name)
    used_votes = required if weigh is None else None
    settings = {
        "votes": used_votes,
        "weigh": weigh,
        "name": name,
        **{key: getattr(dissimilarity, key) for key in ("alpha", "beta", "delta_empty")},
        "dissimilarity": dissimilarity.name,
        "categorial": dissimilarity.categorial.to_dict(),
        **{key: getattr(limits, key) for key in ("time_limit", "solver")},
        "length_unit": corpus.length_unit,
    }
    notes = [*corpus.notes, *_notes_on_annotators(corpus, used_votes, weigh)]
    notes += _notes_on_units(all_judgments, outcome, result, used_votes)
    notes += _notes_on_decisions(decision_rows, weigh)
    return Consensus(
        corpus=result,
        units=units,
        voted_out=unit_rows(corpus, all_judgments, settled, ~outcome.kept),
        annotators=annotator_rows(corpus.annotators, all_judgments.no_unit, outcome),
        confusion=confusion_rows(corpus.annotators, all_judgments.labels, outcome),
        labels=label_rows(all_judgments.labels, outcome),
        decisions=decision_rows,
        log_likelihood=outcome.log_likelihood,
        rounds=outcome.rounds,
        gaps=tuple(alignments.gaps.tolist()),
        settings=settings,
        signature=_signature(
            corpus, used_votes, weigh, dissimilarity, decision_rows, is_proven=not alignments.gaps.any()
        ),
        notes=tuple(notes),
    )


def _findings(
    decisions: Decisions, corpus: Corpus, alignments: UnitaryAlignments, dissimilarity: Dissimilarity, limits: Limits
) -> dict[FindingFacts, IntArray]:
    """Return the unitary alignments of the findings that were decided, as far as they are found again."""
    if not decisions.needs_findings:
        return {}
    from gamma_align.insight.causes.findings import find_causes  # few runs need the modules of all causes
    from gamma_align.insight.causes.view import View

    requested = {decision.subject for decision in decisions}
    causes = find_causes(View(corpus, alignments), math.nan, dissimilarity, limits)  # γ is for their texts alone
    facts = ((FindingFacts.of(finding), finding.alignments) for finding in causes)
    return {key: alignments for key, alignments in facts if key in requested}


def _consensus_corpus(corpus: Corpus, units: tuple[ConsensusUnit, ...], name: str) -> Corpus:
    """Return the consensus as the corpus of one annotator, in all documents that have an annotator."""
    columns = {**columns_of(units, ("document", "start", "end", "category")), "annotator": [name] * len(units)}
    # A document in which no unit is kept was annotated too: its consensus is that it has no units.
    seen = [document for document, count in zip(corpus.documents, corpus.n_annotators, strict=True) if count]
    annotations = {"document": seen, "annotator": [name] * len(seen)}
    result = Corpus.from_columns(columns, annotations=annotations, documents=corpus.to_tables().documents)
    return replace(result, length_unit=corpus.length_unit, texts=corpus.texts)


def _signature(
    corpus: Corpus,
    votes: str | float | None,
    weigh: str | None,
    dissimilarity: Dissimilarity,
    decisions: Sequence[DecisionRow],
    *,
    is_proven: bool,
) -> str:
    parts = {
        "docs": len(corpus),
        "n": number_range(corpus.n_annotators.tolist()),
        **({"votes": votes} if weigh is None else {"weigh": weigh}),
        **dissimilarity.signature_parts,
        "boundaries": "median",
        **({"decided": sum(row.places for row in decisions)} if decisions else {}),
        "opt": "yes" if is_proven else "no",
        "v": __version__,
    }
    return "|".join(["consensus", *(f"{key}:{value}" for key, value in parts.items())])


def _notes_on_annotators(corpus: Corpus, votes: str | float | None, weigh: str | None) -> Iterator[str]:
    """Yield notes on documents with few annotators."""
    n_single = int((corpus.n_annotators == 1).sum())
    if n_single:
        yield f"documents of one annotator, whose units have that annotator's vote alone: {n_single}"
    highest = int(corpus.n_annotators.max())
    if weigh is not None and highest < _MIN_ANNOTATORS_IDENTIFIED:
        yield (
            f"no document has three annotators: with {highest} their error rates and the shares of categories cannot "
            "be told from each other, and what is estimated is one of many that explain the data as well"
        )
    if isinstance(votes, int) and votes > highest:
        yield f"no document has {votes} annotators, and so no unit has {votes} votes; the most are {highest}"


def _notes_on_units(judgments: Judgments, outcome: Outcome, result: Corpus, votes: str | float | None) -> Iterator[str]:
    """Yield notes on ties and overlapping units."""
    n_halves = int((2 * judgments.votes == judgments.annotators).sum())
    if votes == MAJORITY and n_halves:
        cause = f"unitary alignments with exactly half of the votes, which are voted out: {n_halves}"
        yield Note(cause, Cure("keep them with {}", Set("votes", 0.5)))
    n_ties = int((outcome.tie & outcome.kept).sum())
    if n_ties:
        yield (
            "units whose category is a tie, which goes to the category that is more frequent in the corpus: "
            f"{n_ties} of {result.n_units}"
        )
    n_overlapping = _count_overlapping(result)
    if n_overlapping:
        yield f"units of the consensus that overlap one before them: {n_overlapping} of {result.n_units}"


def _notes_on_decisions(rows: Sequence[DecisionRow], weigh: str | None) -> Iterator[str]:
    """Yield notes on decisions that have no effect, and on a model that does not know them."""
    missing = [row for row in rows if row.state == NOT_FOUND]
    if missing:
        first = missing[0]
        name = first.finding or f"{first.document} {first.start:.15g}-{first.end:.15g}"
        yield (
            f"decisions without effect, as the data no longer have their units, these aligned with each other, or the "
            f"finding: {len(missing)} of {len(rows)}, the first on {name}"
        )
    if weigh is not None and any(row.places for row in rows):
        yield "annotators are weighed without the decisions, and their error rates are those before the decisions"


def _count_overlapping(corpus: Corpus) -> int:
    """Return the number of units that begin before an earlier unit of their document ends."""
    # All documents are put on one line, none of them overlapping the next.
    length = float(np.ptp(corpus.extents)) + 1.0 if len(corpus) else 0.0
    shift = corpus.unit_document * length
    reached = np.maximum.accumulate(corpus.end + shift)
    return int(np.count_nonzero((corpus.start + shift)[1:] < reached[:-1]))
