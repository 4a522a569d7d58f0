"""Alignments of one continuum: the best one (`align`), or one that is given, with its disorder (`given_alignment`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from gamma_align._types import IntArray
from gamma_align.alignment.disorder import disorders, unitary_disorders
from gamma_align.alignment.limits import Limits
from gamma_align.alignment.result import Alignment
from gamma_align.alignment.solve import solve
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Continuum, Corpus, Unit
from gamma_align.distances import AnyDistance
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.errors import InputError

if TYPE_CHECKING:
    Member = Unit | tuple[str, int]


def given_alignment(
    continuum: Continuum,
    groups: Iterable[Iterable[Member]],
    *,
    distance: AnyDistance | None = None,
    dissimilarity: Dissimilarity | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    delta_empty: float = 1.0,
) -> Alignment:
    """Return an alignment as it is given, with the disorder it has (M15 §4.3); nothing is searched or proven.

    Parameters
    ----------
    continuum : Continuum
        A document of two annotators or more.
    groups : iterable of iterables
        The units of each unitary alignment, at most one of an annotator: a `Unit`, or (annotator, i) for the i-th unit
        of an annotator, counted from 0 in the order of the continuum (start, end, category). A unit that no group
        names is aligned with none.
    distance : str, Distance, table or function, optional
        Between categories, instead of nominal: see `gamma_align.distances.as_distance`.
    dissimilarity : Dissimilarity, optional
        d with its weights, in place of `distance` and of the weights below.
    alpha, beta, delta_empty : float
        α, β and Δ.

    Returns
    -------
    Alignment
        With ``is_given``; its bound is 0, which is all that is known.

    Raises
    ------
    InputError
        For a continuum of one annotator, a unit that is not there, that two groups name or that stands beside another
        one of its annotator, and two units without length that do not coincide, which cannot be aligned.
    SettingsError
        For weights out of range, or what is no distance.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
    >>> alignment = ga.given_alignment(continuum, [[("ann", 0)], [("ann", 1), ("bob", 0)]])
    >>> round(alignment.disorder, 4) > ga.align(continuum).disorder
    True
    """
    check_annotators(continuum)
    dissimilarity = Dissimilarity.of(dissimilarity, distance, alpha, beta, delta_empty)
    corpus = Corpus.from_continua([continuum])
    batch, row = Batch.from_corpus(corpus)
    group = _groups(continuum, groups)
    # in a batch, a unitary alignment is numbered by its lowest unit
    lowest = np.full(len(continuum), batch.n_units)
    np.minimum.at(lowest, group[row], np.arange(batch.n_units))
    bound_to = dissimilarity.bind(corpus.categories)
    unitary = unitary_disorders(batch, lowest[group[row]], bound_to)
    first_units, numbered = np.unique(lowest[group], return_inverse=True)
    infinite = np.flatnonzero(~np.isfinite(unitary[first_units]))
    if len(infinite):
        raise InputError(
            f"document {continuum.document!r}: a group has two units without length that do not coincide; they cannot "
            "be aligned, so give each a group of its own"
        )
    numbered.flags.writeable = False
    return Alignment(
        continuum=continuum,
        group=numbered,
        unitary_disorders=unitary[first_units],
        disorder=float(disorders(batch, unitary)[0]),
        bound=0.0,
        is_optimal=False,
        is_given=True,
    )


def _groups(continuum: Continuum, groups: Iterable[Iterable[Member]]) -> IntArray:
    """Return the group of each unit of the continuum; those that no group names are numbered after the others."""
    units = list(continuum.units())
    places: dict[Unit | tuple[str, int], list[int]] = {}
    counts: dict[str, int] = {}
    for place, unit in enumerate(units):
        number = counts.get(unit.annotator, 0)
        counts[unit.annotator] = number + 1
        places.setdefault(unit, []).append(place)
        places[unit.annotator, number] = [place]
    group = np.full(len(units), -1, dtype=np.int64)
    number = -1
    for number, members in enumerate(groups):
        named = list(members)
        if not named:
            raise InputError(f"document {continuum.document!r}, group {number + 1}: it is empty; leave it out")
        for member in named:
            free = [place for place in places.get(_key(member), []) if group[place] < 0]
            if not free:
                what = "is in two groups, or twice in one" if _key(member) in places else "is not in the document"
                raise InputError(f"document {continuum.document!r}, group {number + 1}: {member!r} {what}")
            beside = group[continuum.annotator == continuum.annotator[free[0]]]
            if number in beside:
                raise InputError(
                    f"document {continuum.document!r}, group {number + 1}: two units of {units[free[0]].annotator!r}; "
                    "a unitary alignment has at most one of an annotator"
                )
            group[free[0]] = number
    alone = np.flatnonzero(group < 0)
    group[alone] = number + 1 + np.arange(len(alone))
    return group


def _key(member: Member) -> Unit | tuple[str, int]:
    """Return what a member of a group is looked up by."""
    if isinstance(member, Unit):
        return member
    pair = tuple(member) if isinstance(member, (tuple, list)) else ()
    if len(pair) != 2 or not isinstance(pair[0], str) or isinstance(pair[1], bool) or not isinstance(pair[1], int):  # noqa: PLR2004
        raise InputError(f"a group has {member!r}; a Unit, or the name of an annotator with a number from 0, is needed")
    return pair[0], pair[1]


def align(
    continuum: Continuum,
    *,
    distance: AnyDistance | None = None,
    dissimilarity: Dissimilarity | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    delta_empty: float = 1.0,
    time_limit: float | None = None,
    limits: Limits | None = None,
) -> Alignment:
    """Return the alignment of least disorder of a continuum, with its proof or its gap (M15 §4).

    Parameters
    ----------
    continuum : Continuum
        A document of two annotators or more.
    distance : str, Distance, table or function, optional
        Between categories, instead of nominal: see `gamma_align.distances.as_distance`.
    dissimilarity : Dissimilarity, optional
        d with its weights, in place of `distance` and of the weights below.
    alpha, beta, delta_empty : float
        α, β and Δ.
    time_limit : float, optional
        Seconds after which to stop with a stated gap.
    limits : Limits, optional
        All limits at once, instead of `time_limit`.

    Returns
    -------
    Alignment

    Raises
    ------
    InputError
        For a continuum of one annotator, or a label unknown to the distance.
    SettingsError
        For weights out of range, or what is no distance.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
    >>> alignment = ga.align(continuum)
    >>> round(alignment.disorder, 4), alignment.is_optimal
    (0.7083, True)
    >>> [tuple(unit and unit.start for unit in row) for row in alignment.unitary_alignments()]
    [(0.0, 1.0), (6.0, None)]
    """
    check_annotators(continuum)
    dissimilarity = Dissimilarity.of(dissimilarity, distance, alpha, beta, delta_empty)
    corpus = Corpus.from_continua([continuum])
    bound_to = dissimilarity.bind(corpus.categories)
    batch, row = Batch.from_corpus(corpus)
    solution = solve(batch, bound_to, limits or Limits(time_limit=time_limit))
    unitary = unitary_disorders(batch, solution.group, bound_to)
    disorder = float(disorders(batch, unitary)[0])
    proven = bool(solution.proven[0])
    group = np.empty(batch.n_units, dtype=np.int64)
    labels, numbered = np.unique(solution.group, return_inverse=True)
    group[row] = numbered
    group.flags.writeable = False
    scale = dissimilarity.delta_empty / continuum.mean_units if batch.n_units else 1.0
    return Alignment(
        continuum=continuum,
        group=group,
        unitary_disorders=unitary[labels],
        disorder=disorder,
        bound=disorder if proven else min(disorder, max(0.0, float(solution.bound[0])) * scale),
        is_optimal=proven,
    )


def check_annotators(continuum: Continuum) -> None:
    """Refuse a continuum that has no two annotators."""
    if len(continuum.annotators) < 2:  # noqa: PLR2004
        who = f"one annotator only, {continuum.annotators[0]!r}" if continuum.annotators else "no annotator"
        raise InputError(
            f"document {continuum.document!r} has {who}; an alignment takes two. If others saw it and marked nothing, "
            "declare them (annotators=, or the annotations table)"
        )
