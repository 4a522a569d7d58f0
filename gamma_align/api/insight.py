"""Insight beyond one coefficient, of units in any form."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple, Unpack, cast

from gamma_align.api.sources import CORPUS, FORMS, Reader, corpus_of
from gamma_align.data import Corpus, ItemTable, Source, check_settings
from gamma_align.errors import InputError, SettingsError
from gamma_align.insight import pairwise as _pairwise
from gamma_align.insight.ceiling import ceiling as _ceiling
from gamma_align.insight.comparison import (
    LOST,
    NAMES,
    CompareOptions,
    Comparison,
    CorporaOptions,
    ItemsOptions,
    Rounds,
    RoundsOptions,
    Span,
    UnitChanges,
    UnitFate,
    compare_corpora,
    rounds_of,
    unit_changes_of,
)
from gamma_align.insight.comparison import families as _families
from gamma_align.insight.comparison.paired_items import paired_items
from gamma_align.insight.disagreements import disagreements as _disagreements
from gamma_align.insight.replacement import replaceable as _replaceable
from gamma_align.reading import by_column, realigned


def corpus_or_table(source: Source | ItemTable, caller: str) -> Corpus | ItemTable:
    """Return a table of items as it is; any other source as `corpus_of` does."""
    return source if isinstance(source, ItemTable) else corpus_of(source, caller)


CORPUS_OR_TABLE = Reader(corpus_or_table, f"{FORMS}; or ItemTable")
ceiling = CORPUS.public(_ceiling.ceiling, __name__)
families = CORPUS.public(_families.families, __name__)
disagreements = CORPUS.public(_disagreements.disagreements, __name__)
pairwise = CORPUS.public(_pairwise.pairwise, __name__)
replaceable = CORPUS_OR_TABLE.public(_replaceable.replaceable, __name__)


def compare(
    first: Source | ItemTable,
    second: Source | ItemTable,
    /,
    *,
    measure: str | Iterable[str] | None = None,
    names: tuple[str, str] = NAMES,
    align_text: bool = False,
    **settings: Unpack[CompareOptions],
) -> Comparison:
    """Measure what differs between two corpora, such as two versions, guidelines or teams; or between two item tables.

    Documents are the same if they have one name, or if one was renamed (see `DocumentFate`). The values of documents
    that both corpora have are paired, so that their difficulty cancels; other documents are independent. Documents
    count where two annotators saw them. Two groups of annotators of one corpus are compared, too:
    ``corpus.select(annotators=…)`` returns each.

    Parameters
    ----------
    first, second : Corpus, data frame, records, dict of annotator to spans, or path; or two ItemTable
        The data; differences are those of the second from the first. Items are paired by name.
    measure : str or iterable of str, optional
        For corpora ``"gamma"`` (default: γ, γcat, γk) and ``"unitizing-alpha"``; for tables coefficients that
        `item_coefficient` knows (default: ``"kappa"``).
    names : tuple of str
        Names of the two in the result.
    align_text : bool, default False
        For corpora: if the text of a document differs, move the units of the first corpus onto the text of the second,
        through equal characters.
    causes : bool, default True
        For corpora, if γ is measured: whether to look for the causes of disagreement in both.
    replicates : int, default 9999
        For corpora: number of random exchanges of the test. If there are fewer exchanges in all, each is used once.
    extents : {"refuse", "join"}
        For corpora: if the extent of a document differs, as it can if extents are not declared, refuse the data, or
        take the smallest extent that contains both.
    overlap : {"refuse", "layers"}
        For corpora: as in `unitizing_alpha`.
    n_jobs, progress
        For corpora: as in `gamma`.
    distance, missing
        For tables: as in `item_coefficient`.
    clusters : sequence, optional
        For tables: a label for each item of the first table. Items with the same label are not independent of each
        other, so intervals are computed over clusters instead of items.
    **settings
        For corpora: as in `gamma`; the seed is used for the exchanges, too.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If no document of a corpus has two annotators; if the text, the extent or the unit of length of a document
        differs; or for data that `gamma` or `unitizing_alpha` refuse.
    SettingsError
        If a setting is out of its range.

    Examples
    --------
    >>> documents = [ga.synthetic_reference(units=6, seed=seed, document=f"d{seed}") for seed in range(8)]
    >>> reference = ga.Corpus.from_continua(documents)
    >>> careless, careful = (ga.shuffle(reference, magnitude=size, annotators=2) for size in (0.5, 0.1))
    >>> difference = ga.compare(careless, careful, samples=10)["gamma"]
    >>> difference.first < difference.second, difference.documents
    (True, 8)
    >>> gold = "xyzxyxzyxyyxzxyxyzyxxzyxyxzy"
    >>> hasty, careful = "xyzyyxxyxzyxyxyzyzxxxzxyyxzx", "xyzxyxzyxyyxzxyxxzyxxzyxyxzy"
    >>> tables = [ga.ItemTable.from_matrix([*map(list, zip(gold, labels))]) for labels in (hasty, careful)]
    >>> print(ga.compare(*tables, measure="kappa")["kappa"])
    0.4427 [0.1214, 0.7640]
    """
    if isinstance(first, ItemTable) and isinstance(second, ItemTable):
        check_settings("compare() of items", settings, ItemsOptions.__annotations__.keys())
        return paired_items(first, second, measure, names, **cast("ItemsOptions", settings))
    if isinstance(first, ItemTable) or isinstance(second, ItemTable):
        raise InputError("compare() takes two corpora, or two tables of items, and got one of each")
    check_settings("compare()", settings, CorporaOptions.__annotations__.keys())
    versions = versions_of(first, second, "compare", align_text=align_text)
    return compared_versions(versions, names, measure=measure, **cast("CorporaOptions", settings))


def rounds(
    data: Mapping[str, Source] | str | os.PathLike[str], /, *, by: str | None = None, **settings: Unpack[RoundsOptions]
) -> Rounds:
    """Measure the agreement in several rounds, versions, batches or guidelines, and of people with themselves.

    A round is a corpus of its own, so that one person in two rounds is never two annotators. Differences are over all
    documents of both rounds: paired where both have a document, as in `compare`. Their p is corrected (Holm).

    Parameters
    ----------
    data : mapping of str to data, or path
        The data of each round, in their order, in any form that `compare` takes; or a table with a column of rounds.
    by : str, optional
        The column of a table at a path that names the round; it may be a version, a batch or a guideline.
    replicates, extents, n_jobs, progress
        As in `compare`.
    **settings
        As in `gamma`.

    Returns
    -------
    Rounds

    Raises
    ------
    InputError
        If the text, the extent or the unit of length of a document differs; or for data that `gamma` refuses.
    SettingsError
        If a setting is out of its range, or there is only one round.

    Examples
    --------
    >>> march = [("d", "ann", 0, 4, "x"), ("d", "bob", 1, 4, "x"), ("d", "ann", 8, 9, "y"), ("d", "bob", 8, 9, "y")]
    >>> june = [("d", "ann", 0, 4, "x"), ("d", "bob", 0, 4, "x"), ("d", "ann", 8, 9, "y"), ("d", "bob", 8, 9, "y")]
    >>> [(row.annotator, round(row.itself.value, 2)) for row in ga.rounds({"March": march, "June": june}).retests]
    [('ann', 1.0), ('bob', 0.99)]
    """
    check_settings("rounds()", settings, RoundsOptions.__annotations__.keys())
    if isinstance(data, Mapping):
        if by is not None:
            raise SettingsError("by names a column of a table at a path, and the data are rounds already")
        return rounds_of({name: corpus_of(source, "rounds") for name, source in data.items()}, **settings)
    if by is None:
        raise SettingsError("by must name the column of rounds")
    return rounds_of(by_column(data, by), **settings)


def unit_changes(
    first: Source, second: Source, /, *, names: tuple[str, str] = NAMES, align_text: bool = False
) -> UnitChanges:
    """Return what became of each unit between two versions, of one annotator, of several, or of a gold standard.

    Units of one annotator of one document are matched. Units with the same bounds and label are the same. A unit is
    *split* if two units or more of the second version, apart from each other, lie within it by more than half of their
    length and cover more than half of it; *merged* is the reverse. Others are matched one to one if they overlap, as in
    `evaluate`; those without a partner are removed or added.

    Parameters
    ----------
    first, second : Corpus, data frame, records, dict of annotator to spans, or path
        The two versions; one annotator is enough.
    names : tuple of str
        Names of the two in the result.
    align_text : bool, default False
        If the text of a document differs, move the units of the first version onto the text of the second, through
        equal characters. Units of whose text nothing is left are ``lost``.

    Returns
    -------
    UnitChanges

    Raises
    ------
    InputError
        If the text or the unit of length of a document differs.

    Examples
    --------
    >>> old = [("d", "gold", 0, 4, "x"), ("d", "gold", 6, 9, "x")]
    >>> [(row.fate, row.second) for row in ga.unit_changes(old, old[:1]).changed]
    [('removed', ())]
    """
    versions = versions_of(first, second, "unit_changes", align_text=align_text)
    return unit_changes_of(versions.first, versions.second, names, versions.lost)


class Versions(NamedTuple):
    """Two versions on the texts of the second, and the units of the first whose text is not there."""

    first: Corpus
    second: Corpus
    lost: tuple[UnitFate, ...] = ()

    @property
    def of_both(self) -> Versions | None:
        """The annotators of both versions; None if there are none."""
        names = [name for name in self.first.annotators if name in self.second.annotators]
        if not names:
            return None
        first, second = (corpus.select(annotators=names) for corpus in (self.first, self.second))
        return Versions(first, second, tuple(row for row in self.lost if row.annotator in names))


def versions_of(first: Source, second: Source, caller: str, *, align_text: bool) -> Versions:
    """Return two versions of a corpus; on one text if that is asked for."""
    corpora = corpus_of(first, caller), corpus_of(second, caller)
    return _on_one_text(*corpora) if align_text else Versions(*corpora)


def compared_versions(
    versions: Versions,
    names: tuple[str, str],
    *,
    measure: str | Iterable[str] | None,
    **settings: Unpack[CorporaOptions],
) -> Comparison:
    """Return what differs between two versions, with a note on each unit that is lost."""
    lost = (
        f"its text is not in {names[1]}: {row.annotator!r}, {row.text!r} of {row.document!r}" for row in versions.lost
    )
    first = replace(versions.first, notes=(*versions.first.notes, *lost))
    return compare_corpora(first, versions.second, measure=measure, names=names, **settings)


def _on_one_text(corpus: Corpus, onto: Corpus) -> Versions:
    """Return a corpus on the texts of another one."""
    moved, lost = realigned(corpus, onto)
    rows = (
        UnitFate(row.document, row.annotator, LOST, (Span(row.start, row.end, row.category),), (), row.text)
        for row in lost
    )
    return Versions(moved, onto, tuple(rows))
