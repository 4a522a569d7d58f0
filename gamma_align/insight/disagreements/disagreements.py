"""`disagreements`: where and why the annotators of a corpus differ."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.continuum import Unit
from gamma_align.data.corpus import Corpus
from gamma_align.data.frames import FrameColumns
from gamma_align.data.problem import few
from gamma_align.data.sources import Source, corpus_of
from gamma_align.errors import SettingsError, did_you_mean
from gamma_align.inference.values import ResultOfTables
from gamma_align.insight.disagreements.disagreement_tables import (
    AnnotatorRow,
    CategoryRow,
    ConfusionRow,
    DocumentRow,
    KindRow,
    LengthRow,
    Missing,
    Share,
    WordsRow,
    all_of,
    by_absence,
    by_annotator,
    by_category,
    by_document,
    by_kind,
    by_length,
    by_pair_of_categories,
    by_words,
)
from gamma_align.insight.disagreements.rules import Material
from gamma_align.insight.disagreements.settle import Sought, ToSettle, sought, to_settle
from gamma_align.insight.disagreements.unitary_alignments import REASONS, unitary_alignments
from gamma_align.insight.disagreements.who_differs import (
    LeftOut,
    PairRow,
    WithOthersRow,
    differing,
    pair_rows,
    without_each,
)
from gamma_align.insight.disagreements.words import Words
from gamma_align.insight.pairwise import PairwiseResult, pairwise
from gamma_align.measures.gamma.gamma import gamma_of
from gamma_align.measures.gamma.gamma_options import GAMMA_OPTIONS
from gamma_align.measures.gamma.gamma_result import GammaResult
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.keywords import GammaOptions
from gamma_align.options import takes_options


class Disagreement(NamedTuple):
    """A unitary alignment with any disorder: how much and why, and its units.

    `number` is that of the alignment, `kind` the index of its kind; `words` are those that most of its units cover,
    None where the text is not known; `absent` are the annotators of the document who have no unit in it.
    """

    number: int
    document: str
    start: float
    end: float
    disorder: Share
    reason: str
    kind: int
    words: str | None
    units: tuple[Unit, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Disagreements(ResultOfTables):
    """Every unitary alignment of a corpus with its disorder, why it is there, and what to settle.

    Shares are shares of the disorder of all unitary alignments, Σ x̄·δ over the documents, which is what the pooled γ is
    made of. Parts add up: missing (Δ for each two annotators of whom one has no unit), position and category.

    Levels of `to_frame` and `columns`, in which several names are joined by " | ": "alignment" (default), "kind",
    "document", "annotator", "category", "length", "words" and "confusion".

    Attributes
    ----------
    corpus : Corpus
        The data.
    gamma : GammaResult
        γ of it, which says what the disorder is by chance.
    annotator : str or None
        Whose disagreements these are, where they are not everybody's.
    disorder : Share
        Of all unitary alignments: (disorder, missing, position, category, share), as in each row of the tables.
    alignments : int
        How many unitary alignments there are; they are numbered by document and there by their first units.
    group : ndarray of int64, shape (n_units,)
        The unitary alignment of each unit of the corpus; -1 in documents of one annotator.
    unitary_disorders : ndarray of float64, shape (n_alignments,)
        δ of each unitary alignment.
    parts : ndarray of float64, shape (n_alignments, 3)
        Its parts: missing, position, category.
    missing : Missing
        Disorder of missing units by what the annotators without a unit do: they leave the place out, cut it at other
        positions (in documents that the units of each annotator cover), or have other units there.
    disagreements : tuple of Disagreement
        The unitary alignments with any disorder, the worst first.
    kinds : tuple of KindRow
        The disagreements by reason, shape, categories and who has no unit.
    documents, annotators, categories : tuple of DocumentRow, AnnotatorRow, CategoryRow
        The disorder by each, the worst first.
    lengths, words : tuple of LengthRow, WordsRow
        The disorder by category and length of the units, and by the words that unitary alignments cover. `words` is
        empty where no text is known, and has no row for words without disorder.
    confusion : tuple of ConfusionRow
        How many aligned pairs of units have each two categories.
    to_settle : tuple of ToSettle
        Patterns that repeat, of most disorder first.
    sought : tuple of Sought
        The patterns that were looked for, (rule, pattern, reason): `reason` tells why one could not be looked for.
    left_out : tuple of LeftOut
        Where it was asked for, γ and γcat without each annotator, and how much γ is higher then; the largest change
        first. Who makes γ lower may be the one who is right.
    pairs, with_others : tuple of PairRow, WithOthersRow
        Where it was asked for, each two annotators, with their γ and in how many unitary alignments they differ; and γ
        of each with the others. The lowest γ first.

    Examples
    --------
    >>> result = ga.disagreements("corpora/novels_ner", samples=3)
    >>> result.alignments, len(result.disagreements), round(result.disorder.missing / result.disorder.disorder, 2)
    (3066, 1058, 0.93)
    >>> [(row.document, round(row.disorder.share, 2)) for row in result.documents[:2]]
    [('VanityFair', 0.21), ('Frankenstein', 0.1)]
    """

    _tables: ClassVar = {
        "alignment": ("disagreements", Disagreement),
        "kind": ("kinds", KindRow),
        "document": ("documents", DocumentRow),
        "annotator": ("annotators", AnnotatorRow),
        "category": ("categories", CategoryRow),
        "length": ("lengths", LengthRow),
        "words": ("words", WordsRow),
        "confusion": ("confusion", ConfusionRow),
    }

    corpus: Corpus
    gamma: GammaResult
    annotator: str | None
    disorder: Share
    alignments: int
    group: IntArray
    unitary_disorders: FloatArray
    parts: FloatArray
    missing: Missing
    disagreements: tuple[Disagreement, ...]
    kinds: tuple[KindRow, ...]
    documents: tuple[DocumentRow, ...]
    annotators: tuple[AnnotatorRow, ...]
    categories: tuple[CategoryRow, ...]
    lengths: tuple[LengthRow, ...]
    words: tuple[WordsRow, ...]
    confusion: tuple[ConfusionRow, ...]
    to_settle: tuple[ToSettle, ...]
    sought: tuple[Sought, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    pairs: tuple[PairRow, ...] = ()
    with_others: tuple[WithOthersRow, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of the numbers should know."""
        return self.gamma.notes

    def _summary(self) -> str:
        return (
            f"alignments {self.alignments}, disagreements: {len(self.disagreements)}, to_settle: {len(self.to_settle)}"
        )

    def _contents(self) -> dict[str, Any]:
        tables = [name for name, _ in self._tables.values()] + ["left_out", "pairs", "with_others"]
        return {
            "schema_version": 1,
            "signature": self.gamma.signature,
            "gamma": self.gamma.gamma,
            **self._named("annotator", "disorder", "missing", "alignments", "to_settle", "sought", *tables, "notes"),
        }

    def _columns_of(self, rows: Sequence[Any], names: Sequence[str]) -> FrameColumns:
        """Return rows as columns: the parts of a disorder and marks of each annotator as columns of their own."""
        columns: FrameColumns = {}
        for name in names:
            values = [getattr(row, name) for row in rows]
            if name == "disorder":
                columns |= {part: [getattr(value, part) for value in values] for part in Share._fields}
            elif name == "marked":
                people = dict.fromkeys(person for value in values for person in value)
                columns |= {f"marked_{person}": [value.get(person) for value in values] for person in people}
            else:
                columns[name] = [_cell(value) for value in values]
        return columns


def _cell(value: object) -> object:
    """Return several names or units as one text."""
    if not isinstance(value, tuple):
        return value
    return " | ".join(_unit_text(entry) if isinstance(entry, Unit) else str(entry or "") for entry in value)


def _unit_text(unit: Unit) -> str:
    return f"{unit.annotator} {unit.start:.15g}-{unit.end:.15g} {unit.category or ''}".rstrip()


@takes_options(GAMMA_OPTIONS)
def disagreements(
    source: Source,
    /,
    *,
    annotator: str | None = None,
    leave_one_out: bool = False,
    pairs: bool = False,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Disagreements:
    """Return where and why annotators differ: each unitary alignment's disorder in parts, by kind, and what to settle.

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        The data; with texts, what to settle is found in the words too.
    annotator : str, optional
        Show the disagreements of this annotator alone: unitary alignments in which they differ from more than half of
        the other annotators, and what to settle with them. Disorder elsewhere counts as none in every table.
    leave_one_out : bool
        Measure γ without each annotator, too.
    pairs : bool
        Measure γ of each two annotators, too, and of each with the others.
    n_jobs, progress, **settings
        As in `gamma`.

    Returns
    -------
    Disagreements

    Raises
    ------
    InputError
        If no document has two annotators, or a label is unknown to the distance.
    SettingsError
        For a setting out of its range, what is no distance, or an unknown annotator.
    MissingExtraError
        If more than one worker is asked for and joblib is missing.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> units = [("d", "ann", 0, 4, "x"), ("d", "ann", 6, 8, "y"), ("d", "bob", 1, 4, "x")]
    >>> worst, other = ga.disagreements(units, samples=10).disagreements
    >>> worst.reason, worst.absent, worst.disorder.missing
    ('missing', ('bob',), 1.0)
    >>> other.reason, round(other.disorder.position, 4)
    ('position', 0.0204)
    """
    corpus = corpus_of(source, "disagreements")
    options = GammaSettings.of(**settings)
    if annotator is not None and annotator not in corpus.annotators:
        near = did_you_mean(annotator, corpus.annotators) or f"; there are {few(map(repr, corpus.annotators))}"
        raise SettingsError(f"annotator must be one of the corpus, not {annotator!r}{near}")
    result = gamma_of(corpus, options, n_jobs=n_jobs, progress=progress)
    alignments = unitary_alignments(corpus, options.dissimilarity, options.limits)
    material = Material(corpus, alignments, Words(corpus, alignments), options.dissimilarity.categorial)
    settle, looked_for = to_settle(material, float(result.gamma), annotator), sought(material, annotator)
    if annotator is not None:
        alignments = alignments.of(differing(material, annotator, options.dissimilarity))
        material = Material(corpus, alignments, material.words, options.dissimilarity.categorial)
    kinds, kind = by_kind(material)
    of_pairs = pairwise(corpus, n_jobs=n_jobs, **settings) if pairs else None
    return Disagreements(
        corpus=corpus,
        gamma=result,
        annotator=annotator,
        disorder=all_of(alignments),
        alignments=len(alignments),
        group=alignments.group,
        unitary_disorders=alignments.disorder,
        parts=alignments.parts,
        missing=by_absence(material),
        disagreements=_disputed(material, kind),
        kinds=kinds,
        documents=by_document(material),
        annotators=by_annotator(material),
        categories=by_category(material),
        lengths=by_length(material),
        words=by_words(material),
        confusion=by_pair_of_categories(material),
        to_settle=settle,
        sought=looked_for,
        left_out=without_each(corpus, float(result.gamma), options, n_jobs=n_jobs) if leave_one_out else (),
        pairs=() if of_pairs is None else pair_rows(material, of_pairs, options.dissimilarity),
        with_others=() if of_pairs is None else _with_others(of_pairs),
    )


def _with_others(pairs: PairwiseResult) -> tuple[WithOthersRow, ...]:
    rows = (WithOthersRow(name, value) for name, value in pairs.against_others().items())
    return tuple(sorted(rows, key=lambda row: (not row.gamma.is_available, row.gamma.value)))


def _disputed(material: Material, kind: IntArray) -> tuple[Disagreement, ...]:
    """Return the unitary alignments with any disorder, the worst first."""
    corpus, alignments, words = material.corpus, material.alignments, material.words
    order = np.lexsort((np.arange(len(alignments)), -alignments.disorder))
    order = order[alignments.disputed[order]]
    total = float(alignments.disorder.sum())
    units = _units(corpus, alignments.members)
    offsets, reason, people = alignments.offsets.tolist(), alignments.reason.tolist(), _people(corpus)
    parts = alignments.parts.tolist()
    rows = []
    for index in order.tolist():
        members = units[offsets[index] : offsets[index + 1]]
        document, disorder = int(alignments.document[index]), float(alignments.disorder[index])
        missing, position, category = parts[index]
        present = {unit.annotator for unit in members}
        word = int(words.of_alignment[index])
        rows.append(
            Disagreement(
                number=index,
                document=corpus.documents[document],
                start=float(alignments.start[index]),
                end=float(alignments.end[index]),
                disorder=Share(disorder, missing, position, category, disorder / total),
                reason=REASONS[reason[index]],
                kind=int(kind[index]),
                words=words.vocabulary[word] if word >= 0 else None,
                units=tuple(members),
                absent=tuple(name for name in people[document] if name not in present),
            )
        )
    return tuple(rows)


def _units(corpus: Corpus, chosen: IntArray) -> list[Unit]:
    labels = (*corpus.categories, None)  # the last is that of code -1
    columns = (corpus.annotator, corpus.start, corpus.end, corpus.category)
    return [
        Unit(corpus.annotators[annotator], start, end, labels[category])
        for annotator, start, end, category in zip(*(column[chosen].tolist() for column in columns), strict=True)
    ]


def _people(corpus: Corpus) -> list[list[str]]:
    """Return who saw each document."""
    offsets, names = corpus.seen_offsets.tolist(), [corpus.annotators[code] for code in corpus.seen.tolist()]
    return [names[begin:end] for begin, end in itertools.pairwise(offsets)]
