"""The public functions that measure a corpus, for whatever holds one: a path too.

The mathematics takes a `Corpus` and knows no files; here the two meet.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from typing import Any, Concatenate, ParamSpec, TypeVar, Unpack, overload

from gamma_align import _kept as kept
from gamma_align.aggregation import consensus as agreed
from gamma_align.alignment import align as alignment
from gamma_align.comparison import families as both
from gamma_align.comparison import paired as pairings
from gamma_align.comparison.differences import Paired
from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.item_table import ItemTable
from gamma_align.data.parts import Parts, is_in_parts
from gamma_align.data.sources import Source, corpus_of
from gamma_align.differences import disagreements as differences
from gamma_align.errors import InputError
from gamma_align.evaluation import evaluate as evaluation
from gamma_align.evaluation import pairwise_f1 as f1
from gamma_align.evaluation import segmentation as segments
from gamma_align.gammas import gamma as gammas
from gamma_align.gammas import pairwise as pairs
from gamma_align.gammas.coefficients import GammaResult
from gamma_align.gammas.keywords import GammaOptions
from gamma_align.gammas.rows import GammaRows
from gamma_align.gammas.settings import GammaSettings
from gamma_align.io.data_sets import large_data_set
from gamma_align.io.reading import read
from gamma_align.items import coefficients as items
from gamma_align.items.results import ItemResult
from gamma_align.items.rows import ItemRows
from gamma_align.items.settings import ItemSettings
from gamma_align.shuffling import curve as curves
from gamma_align.shuffling import plan as plans
from gamma_align.unitizing import alpha, alpha_2004
from gamma_align.unitizing.alpha import UnitizingSettings
from gamma_align.unitizing.results import UnitizingResult
from gamma_align.unitizing.rows import UnitizingRows

Settings = ParamSpec("Settings")
Result = TypeVar("Result")
Data = TypeVar("Data")


def read_source(source: Source, caller: str) -> Corpus:
    """Return the corpus that the source is, holds or, for a path, that its files hold."""
    return read(source) if isinstance(source, (str, os.PathLike)) else corpus_of(source, caller)


def _one_document(source: Source, caller: str) -> Continuum:
    if isinstance(source, Continuum):
        return source
    corpus = read_source(source, caller)
    if len(corpus) != 1:
        names = ", ".join(map(repr, corpus.documents[:3]))
        raise InputError(f"{caller}() takes one document, and there are {len(corpus)} ({names} …): corpus[name] is one")
    return corpus.continuum(0)


def _taking_any_source(
    measure: Callable[Concatenate[Data, Settings], Result], read_data: Callable[[Source, str], Data]
) -> Callable[Concatenate[Source, Settings], Result]:
    """Return the function, which takes what `read_data` reads in place of data."""

    @functools.wraps(measure)
    def of_source(source: Source, /, *args: Settings.args, **settings: Settings.kwargs) -> Result:
        return measure(read_data(source, measure.__name__), *args, **settings)

    of_source.__module__ = "gamma_align"  # where pickle finds it
    of_source.__qualname__ = measure.__name__
    return of_source


def _in_parts_or_whole(source: Source | Parts, caller: str) -> Corpus | Parts:
    """Return what gives a corpus part by part, which a large data set at a path does; else all of it."""
    in_parts = large_data_set(source) if isinstance(source, (str, os.PathLike)) else source
    return in_parts if is_in_parts(in_parts) else read_source(source, caller)


@functools.wraps(gammas.gamma)
def gamma(
    source: Source | Parts,
    /,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    work: str | os.PathLike[str] | None = None,
    **settings: Unpack[GammaOptions],
) -> GammaResult:
    at_once = settings.get("sampler") == "documents" and not is_in_parts(source)
    data = read_source(source, "gamma") if at_once else _in_parts_or_whole(source, "gamma")
    return kept.gamma(data, n_jobs=n_jobs, progress=progress, work=work, **settings)


pairwise = _taking_any_source(pairs.pairwise, read_source)
families = _taking_any_source(both.families, read_source)
evaluate = _taking_any_source(evaluation.evaluate, read_source)
pairwise_f1 = _taking_any_source(f1.pairwise_f1, read_source)
segmentation = _taking_any_source(segments.segmentation, read_source)
disagreements = _taking_any_source(differences.disagreements, read_source)


consensus = _taking_any_source(agreed.consensus, read_source)
unitizing_alpha = _taking_any_source(alpha.unitizing_alpha, _in_parts_or_whole)
unitizing_alpha_2004 = _taking_any_source(alpha_2004.unitizing_alpha_2004, read_source)
curve = _taking_any_source(curves.curve, read_source)
plan = _taking_any_source(plans.plan, read_source)
align = _taking_any_source(alignment.align, _one_document)
given_alignment = _taking_any_source(alignment.given_alignment, _one_document)


@overload
def document_statistics(source: Source, settings: GammaSettings, /, *, n_jobs: int | None = None) -> GammaRows: ...


@overload
def document_statistics(source: Source, settings: UnitizingSettings, /) -> UnitizingRows: ...


@overload
def document_statistics(source: ItemTable, settings: ItemSettings, /) -> ItemRows: ...


def document_statistics(
    source: Source | ItemTable,
    settings: GammaSettings | UnitizingSettings | ItemSettings,
    /,
    *,
    n_jobs: int | None = None,
) -> GammaRows | UnitizingRows | ItemRows:
    """Return what documents add to γ, γcat and γk or to the uα family, or items to their coefficients: rows of numbers.

    Rows of the parts of a corpus, made anywhere and in any order, give `pool` the result of the whole. They can be
    pickled; those of documents, a row each, go through data frames (`to_frame`, `from_frame`).

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path; or ItemTable
        The corpus, or a part of it that has its documents whole; with settings of coefficients on items the table, or
        a part of it that has all judgments of its items.
    settings : GammaSettings, UnitizingSettings or ItemSettings
        Of γ, of the uα family or of coefficients on items. Settings of γ say a number of samples, or
        ``precision_of="documents"``.
    n_jobs : int, optional
        Workers of γ, as in `gamma`.

    Returns
    -------
    GammaRows, UnitizingRows or ItemRows

    Raises
    ------
    SettingsError
        If the samples of a document depend on the other documents.
    InputError
        As `unitizing_alpha`, for units that overlap; for a table of items with other settings than of items, or the
        other way round.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> settings = ga.GammaSettings.of(samples=30)
    >>> rows = [ga.document_statistics(units[first : first + 2], settings) for first in (2, 0)]
    >>> ga.pool(rows, settings) == ga.gamma(units, samples=30)
    True
    """
    if isinstance(settings, ItemSettings):
        if not isinstance(source, ItemTable):
            raise InputError(
                f"coefficients on items are of an ItemTable, not of {type(source).__name__}: ga.ItemTable.from_frame "
                "makes one, ga.read_items reads one"
            )
        return items.item_rows(source, settings)
    if isinstance(source, ItemTable):
        raise InputError("a table of items is measured with ga.ItemSettings; γ and the uα family are of units")
    corpus = read_source(source, "document_statistics")
    if isinstance(settings, UnitizingSettings):
        return alpha.unitizing_rows(corpus, settings)
    return gammas.gamma_rows(corpus, settings, n_jobs=n_jobs)


@overload
def pool(rows: Iterable[GammaRows], settings: GammaSettings, /) -> GammaResult: ...


@overload
def pool(rows: Iterable[UnitizingRows], settings: UnitizingSettings, /) -> UnitizingResult: ...


@overload
def pool(rows: Iterable[ItemRows], settings: ItemSettings, /) -> ItemResult: ...


def pool(
    rows: Iterable[Any], settings: GammaSettings | UnitizingSettings | ItemSettings, /
) -> GammaResult | UnitizingResult | ItemResult:
    """Return the result that rows give together: that of their corpus or of their table, to the last bit.

    Notes on the annotators of a whole corpus, such as one whose units are all without length, are not among its notes:
    rows of documents do not have what annotators did in other documents.

    Parameters
    ----------
    rows : iterable of GammaRows, of UnitizingRows or of ItemRows
        Of `document_statistics`, for all parts of a corpus or of a table, in any order.
    settings : GammaSettings, UnitizingSettings or ItemSettings
        Those that the rows were made with; rows of items can be pooled with other settings of items.

    Returns
    -------
    GammaResult, UnitizingResult or ItemResult

    Raises
    ------
    SettingsError
        For rows that were made with other settings.
    InputError
        For rows of another measure; documents or items that are there twice, which are named; bounds that count
        different things; no two annotators; categories of different kinds, or that are declared in different ways.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> settings = ga.UnitizingSettings.of()
    >>> rows = [ga.document_statistics(units[first : first + 2], settings) for first in (2, 0)]
    >>> print(ga.pool(rows, settings).u)
    -0.0864 (no interval: fewer than three documents with disagreement)
    """
    if isinstance(settings, ItemSettings):
        return items.pooled_items(_all_of(rows, ItemRows), settings)
    if isinstance(settings, UnitizingSettings):
        return alpha.pooled_unitizing(_all_of(rows, UnitizingRows), settings)
    return gammas.pooled_gamma(_all_of(rows, GammaRows), settings)


def _all_of(rows: Iterable[object], kind: type[Data]) -> list[Data]:
    """Return rows that are all of one kind."""
    parts = []
    for part in rows:
        if not isinstance(part, kind):
            raise InputError(f"with these settings {kind.__name__} are pooled, not {type(part).__name__}")
        parts.append(part)
    return parts


@functools.wraps(pairings.paired)
def paired(first: Source, second: Source, /, **settings: Any) -> Paired:  # noqa: ANN401  (those of the function wrapped)
    first, second = (
        source if isinstance(source, ItemTable) else read_source(source, "paired") for source in (first, second)
    )
    return pairings.paired(first, second, **settings)


document_statistics.__module__ = pool.__module__ = gamma.__module__ = paired.__module__ = (
    "gamma_align"  # where pickle finds them
)
