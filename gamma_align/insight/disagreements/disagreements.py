"""`disagreements`: where and why the annotators of a corpus differ."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Unpack

from gamma_align.alignment import COVER
from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Corpus, FrameColumns, Unit, check_two_annotators, few
from gamma_align.errors import SettingsError, did_you_mean
from gamma_align.inference import ResultOfTables, column_of
from gamma_align.insight.causes.findings import Finding, Sought, find_causes, list_sought_kinds, repair_clerical_causes
from gamma_align.insight.causes.kinds.silence import EVERYWHERE
from gamma_align.insight.causes.kinds.silence_everywhere import SilentAnnotators, silent_annotators
from gamma_align.insight.causes.same_bounds import SameBounds, same_bounds
from gamma_align.insight.causes.view import PAIR, View
from gamma_align.insight.disagreements.disagreements_options import DISAGREEMENT_OPTIONS
from gamma_align.insight.disagreements.disputed_rows import Disagreement, DisagreementRows, DocumentRows
from gamma_align.insight.disagreements.label_tables import (
    ConfusionRow,
    DirectedRow,
    TwoLabels,
    confusion_rows,
    directed_rows,
    two_labels,
)
from gamma_align.insight.disagreements.material import Material
from gamma_align.insight.disagreements.pair_counts import PairCounts, pair_counts
from gamma_align.insight.disagreements.shares import (
    AnnotatorRow,
    CategoryRow,
    DocumentRow,
    KindRow,
    LengthRow,
    Missing,
    Share,
    WordsRow,
    annotator_rows,
    category_rows,
    kind_rows,
    length_rows,
    missing_by_absence,
    total_share,
    words_rows,
)
from gamma_align.insight.disagreements.unitary_alignments import (
    UnitaryAlignments,
    alignments_of_gamma,
    unitary_alignments,
)
from gamma_align.insight.disagreements.who_differs import (
    LeftOut,
    PairRow,
    WithOthersRow,
    differs_from_majority,
    pair_rows,
    with_others_rows,
    without_each,
)
from gamma_align.insight.disagreements.words import Words
from gamma_align.insight.pairwise import pairwise_of
from gamma_align.measures.gamma import GAMMA_OPTIONS, GammaOptions, GammaResult, GammaSettings, gamma_of
from gamma_align.options import takes_options
from gamma_align.work import SharedWork, release_freed_memory

_NO_CAUSES_OF_COVER = "causes are looked for only if each unit is in one unitary alignment"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Disagreements(ResultOfTables):
    """Every unitary alignment of a corpus with its disorder and the reason for it, and the questions to settle.

    Shares are shares of the disorder of all unitary alignments, Σ x̄·δ over the documents, from which the pooled γ is
    computed. Parts add up: missing (Δ for each two annotators of whom one has no unit), position and category.

    Levels of `to_frame` and `columns`, in which several names are joined by " | ": "alignment" (default), "kind",
    "document", "annotator", "category", "length", "words", "confusion" and "directed".

    Attributes
    ----------
    corpus : Corpus
        The data.
    gamma : GammaResult
        γ of the corpus, with the disorder expected by chance.
    annotator : str or None
        The selected annotator; None for all.
    disorder : Share
        Disorder of all unitary alignments: (disorder, missing, position, category, share), as in all tables.
    alignments : int
        Number of unitary alignments. They are numbered by document, then by first unit.
    group : ndarray of int64, shape (n_units,)
        The unitary alignment of each unit of the corpus; -1 in documents of one annotator. In a cover, the first one of
        each unit.
    unitary_disorders : ndarray of float64, shape (n_alignments,)
        δ of each unitary alignment.
    parts : ndarray of float64, shape (n_alignments, 3)
        Its parts: missing, position, category.
    missing : Missing
        Disorder of missing units by the behaviour of the annotators without a unit: they leave the stretch out, cut it
        at other positions (in documents that the units of each annotator cover), or have other units there.
    disagreements : sequence of Disagreement
        The unitary alignments with disorder, sorted by it. Rows are created when they are used.
    kinds : tuple of KindRow
        The disagreements by reason, shape, categories and annotators without a unit.
    documents, annotators, categories : sequence of DocumentRow, tuple of AnnotatorRow, CategoryRow
        The disorder of each, sorted by it.
    lengths, words : tuple of LengthRow, WordsRow
        The disorder by category and length of the units, and by the words that unitary alignments cover. `words` is
        empty if no text is known, and has no row for words without disorder.
    confusion : tuple of ConfusionRow
        Number of aligned pairs of units of each two categories, against independence.
    directed : tuple of DirectedRow
        The labels of each annotator against the others' labels, in both directions.
    pair_counts : PairCounts
        Each two annotators with a document in common, as columns: the number of places in which they differ, and their
        mean disorder, both in the alignment of all annotators. Not in the JSON.
    to_settle : tuple of Finding
        The causes of disagreement, sorted by the share of the disorder that settling them removes.
    sought : tuple of Sought
        The kinds of causes, (kind, pattern, reason). `reason` says why a kind could not be looked for; else None.
    two_labels : TwoLabels or None
        If there are two labels only, and no cause concerns them, how often they meet: (rates, sentence). It is no
        cause, as there is no third label to compare the rates with.
    silent : SilentAnnotators or None
        Annotators who mark nothing at all, if they are not among the causes because filling their gaps as most others
        would removes hardly any disorder: (annotators, documents, expected, p, sentence, question).
    same_bounds : SameBounds or None
        Pairs of annotators whose units have exactly the same bounds more often than the spread of their other bounds
        allows, as after the same suggestions: (annotators, pairs, identical, expected, p, sentence, question). It is no
        cause of disorder, but of less. Only of times.
    settings : GammaSettings
        The settings of γ.
    cover : tuple of ndarray of int64, shape (n_members,) each, or None
        In a cover, the unit and the unitary alignment of each membership, sorted by the latter; else None.
    left_out : tuple of LeftOut
        If requested, γ and γcat without each annotator, and how much γ is higher then; the largest change first. The
        annotator who lowers γ is not necessarily the one in error.
    pairs, with_others : tuple of PairRow, WithOthersRow
        If requested, each two annotators with their γ and the number of unitary alignments in which they differ; and γ
        of each annotator with the others. The lowest γ first.

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
        "directed": ("directed", DirectedRow),
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
    disagreements: Sequence[Disagreement]
    kinds: tuple[KindRow, ...]
    documents: Sequence[DocumentRow]
    annotators: tuple[AnnotatorRow, ...]
    categories: tuple[CategoryRow, ...]
    lengths: tuple[LengthRow, ...]
    words: tuple[WordsRow, ...]
    confusion: tuple[ConfusionRow, ...]
    directed: tuple[DirectedRow, ...]
    pair_counts: PairCounts
    to_settle: tuple[Finding, ...]
    sought: tuple[Sought, ...] = ()
    two_labels: TwoLabels | None = None
    silent: SilentAnnotators | None = None
    same_bounds: SameBounds | None = None
    left_out: tuple[LeftOut, ...] = ()
    pairs: tuple[PairRow, ...] = ()
    with_others: tuple[WithOthersRow, ...] = ()
    settings: GammaSettings = field(default_factory=GammaSettings)
    cover: tuple[IntArray, IntArray] | None = None

    def fix(self, *names: str) -> Corpus:
        """Return the corpus after the repair of clerical causes; the data themselves stay as they are.

        A cause is repaired only if it is found and removes disorder, as in `to_settle`. The notes of the corpus say
        what was repaired.

        Parameters
        ----------
        *names : str
            Kinds of causes: ``duplicates``, ``spelling``, ``scale``, ``offset``. They are repaired in this order.

        Raises
        ------
        SettingsError
            For another name.

        Examples
        --------
        >>> units = [("d", "ann", n, n + 4, "x") for n in range(0, 200, 10)]
        >>> units += [("d", "bob", n, n + 4, "x") for n in range(0, 200, 10) for _ in range(2)]
        >>> ga.disagreements(units, samples=3).fix("duplicates")
        <Corpus: documents 1, annotators 2, categories 1, units 40>
        """
        return fix_causes(self.corpus, names, self.settings)[0]

    def causes_of(self, annotator: str) -> tuple[Finding, ...]:
        """Return the causes in `to_settle` that are an annotator's: in what kind a person, or a model, differs.

        Of two annotators, what is between them is either's.

        Parameters
        ----------
        annotator : str
            The name.

        Examples
        --------
        >>> result = ga.disagreements("corpora/novels_ner", samples=3)
        >>> [finding.kind for finding in result.causes_of("user2")]
        ['words']
        """
        names = {annotator, None} if len(self.corpus.annotators) == PAIR else {annotator}
        return tuple(finding for finding in self.to_settle if finding.annotator in names)

    @property
    def notes(self) -> tuple[str, ...]:
        """Assumptions and warnings for readers of the numbers."""
        return self.gamma.notes

    def _summary(self) -> str:
        return (
            f"alignments {self.alignments}, disagreements: {len(self.disagreements)}, to_settle: {len(self.to_settle)}"
        )

    def _contents(self) -> dict[str, object]:
        tables = [name for name, _ in self._tables.values()] + ["left_out", "pairs", "with_others"]
        return {
            "schema_version": 1,
            "signature": self.gamma.signature,
            "gamma": self.gamma.gamma,
            **self._named("annotator", "disorder", "missing", "alignments", "to_settle", "sought"),
            **self._named("two_labels", "silent", "same_bounds"),
            # Rows are written as the rows of other tables are.
            **{name: tuple(getattr(self, name)) for name in tables},
            **self._named("notes"),
        }

    def _columns_of(self, rows: Sequence[object], names: Sequence[str]) -> FrameColumns:
        """Return rows as columns: the parts of a disorder and marks of each annotator as columns of their own.

        The label of a category is the column "label", as "category" is a part of the disorder.
        """
        columns: FrameColumns = {}
        for name in names:
            values = column_of(rows, name)
            if name == "disorder":
                columns |= {part: [getattr(value, part) for value in values] for part in Share._fields}
            elif name == "marked":
                annotators = dict.fromkeys(itertools.chain.from_iterable(values))
                columns |= {f"marked_{name}": [value.get(name) for value in values] for name in annotators}
            else:
                key = "label" if name == "category" else name
                columns[key] = [cell_text(value) for value in values]
        return columns


def cell_text(value: object) -> object:
    """Return several names or units as one text; anything else as it is."""
    if not isinstance(value, tuple):
        return value
    return " | ".join(_unit_text(entry) if isinstance(entry, Unit) else str(entry or "") for entry in value)


def _unit_text(unit: Unit) -> str:
    return f"{unit.annotator} {unit.start:.15g}-{unit.end:.15g} {unit.category or ''}".rstrip()


@takes_options((*DISAGREEMENT_OPTIONS.options, *GAMMA_OPTIONS))
def disagreements(
    corpus: Corpus,
    /,
    *,
    annotator: str | None = None,
    leave_one_out: bool = False,
    pairs: bool = False,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Disagreements:
    """Analyse the disorder of each unitary alignment: by part, kind, annotator, category and words.

    Parameters
    ----------
    corpus : Corpus
        The data; with texts, patterns to settle are found in the words too.
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
        If a setting is out of its range, a distance is invalid, or an annotator is unknown.
    ResourceError
        If the memory, the disk space or the workers are not enough.
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
    options = GammaSettings.of(**settings)
    if annotator is not None and annotator not in corpus.annotators:
        hint = did_you_mean(annotator, corpus.annotators) or f"; there are {few(map(repr, corpus.annotators))}"
        raise SettingsError(f"annotator must be one of the corpus, not {annotator!r}{hint}")
    return disagreements_of(
        corpus,
        None,
        options,
        annotator=annotator,
        leave_one_out=leave_one_out,
        pairs=pairs,
        n_jobs=n_jobs,
        progress=progress,
    )


def disagreements_of(
    corpus: Corpus,
    result: GammaResult | None,
    options: GammaSettings,
    *,
    annotator: str | None = None,
    leave_one_out: bool = False,
    pairs: bool = False,
    alignments: UnitaryAlignments | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Disagreements:
    """Analyse the disorder of a corpus; see `disagreements`.

    Its γ and its alignments are used if they are known for these settings.
    """
    check_two_annotators(corpus)
    dissimilarity = options.dissimilarity
    shared = SharedWork(corpus, options, keeps_samples=pairs or leave_one_out)
    if alignments is None:
        alignments = alignments_of_gamma(corpus, options, shared)
    if result is None:
        result = gamma_of(corpus, options, n_jobs=n_jobs, progress=progress, shared=shared)
    if not pairs and not leave_one_out:
        shared = SharedWork(corpus, options)  # no other corpus is measured, so nothing needs to be kept
    release_freed_memory()  # that γ has used: otherwise it is held beside what the causes use
    causes = _causes(View(corpus, alignments), float(result.gamma), options, annotator)
    material = Material(corpus, alignments, Words(corpus, alignments), dissimilarity.categorial)
    if annotator is not None:
        alignments = alignments.keep_disorder(differs_from_majority(material, annotator, dissimilarity))
        material = material.with_alignments(alignments)
    kinds, kind = kind_rows(material)
    counts = pair_counts(material, dissimilarity)
    pair_results = pairwise_of(corpus, options, shared, n_jobs=n_jobs) if pairs else None
    left_out = without_each(corpus, result, options, shared, pair_results, n_jobs=n_jobs) if leave_one_out else ()
    release_freed_memory()
    return Disagreements(
        corpus=corpus,
        gamma=result,
        annotator=annotator,
        disorder=total_share(alignments),
        alignments=len(alignments),
        group=alignments.group,
        cover=(alignments.members, alignments.member_group) if options.alignment == COVER else None,
        unitary_disorders=alignments.disorder,
        parts=alignments.parts,
        missing=missing_by_absence(material),
        disagreements=DisagreementRows.of(material, kind),
        kinds=kinds,
        documents=DocumentRows.of(material),
        annotators=annotator_rows(material),
        categories=category_rows(material),
        lengths=length_rows(material),
        words=words_rows(material),
        confusion=confusion_rows(material),
        pair_counts=counts,
        **causes._asdict(),
        left_out=left_out,
        pairs=() if pair_results is None else pair_rows(counts, pair_results),
        with_others=() if pair_results is None else with_others_rows(pair_results),
        settings=options,
    )


class _Causes(NamedTuple):
    """The causes of a corpus, and what is observed beside them."""

    directed: tuple[DirectedRow, ...]
    to_settle: tuple[Finding, ...]
    sought: tuple[Sought, ...]
    two_labels: TwoLabels | None
    silent: SilentAnnotators | None
    same_bounds: SameBounds | None = None


def _causes(view: View, gamma: float, options: GammaSettings, annotator: str | None) -> _Causes:
    """Return the causes; the view, whose tables take much memory, is dropped at the end."""
    directed = directed_rows(view)
    kinds = list_sought_kinds(view)
    if options.alignment == COVER:
        kinds = tuple(kind._replace(reason=_NO_CAUSES_OF_COVER) for kind in kinds)
        return _Causes(directed, (), kinds, two_labels(view) if annotator is None else None, None)
    # Both before the tables of the view are dropped.
    silent = silent_annotators(view) if annotator is None else None
    same = same_bounds(view) if annotator is None else None
    findings = find_causes(view, gamma, options.dissimilarity, options.limits, annotator)
    if annotator is not None:
        return _Causes(directed, findings, kinds, None, None)
    has_labels = any(len(finding.labels) > 1 for finding in findings)
    has_silence = any(finding.kind == "silence" and finding.direction == EVERYWHERE for finding in findings)
    return _Causes(
        directed=directed,
        to_settle=findings,
        sought=kinds,
        two_labels=None if has_labels else two_labels(view),
        silent=None if has_silence else silent,
        same_bounds=same,
    )


def fix_causes(corpus: Corpus, names: Iterable[str], settings: GammaSettings) -> tuple[Corpus, tuple[str, ...]]:
    """Return a corpus after the repair of clerical causes by name, and what was repaired, in words.

    Raises
    ------
    SettingsError
        For a name of no clerical cause.
    """
    alignments = unitary_alignments(corpus, settings.dissimilarity, settings.limits)
    return repair_clerical_causes(View(corpus, alignments), names, settings.dissimilarity, settings.limits)
