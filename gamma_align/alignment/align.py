"""Alignments of one continuum: the best one (`align`), or one that is given, with its disorder (`given_alignment`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

import numpy as np

from gamma_align.alignment.limits import KERNELS, Limits
from gamma_align.alignment.solve import aligned_pairs, disorders, solve, unitary_disorders
from gamma_align.columns import MISSING, FloatArray, IntArray
from gamma_align.data.batch import Batch
from gamma_align.data.checks import check_two_annotators
from gamma_align.data.continuum import Continuum, Unit
from gamma_align.data.corpus import Corpus
from gamma_align.data.frames import Columns
from gamma_align.data.problem import few
from gamma_align.data.sources import Source, corpus_of, one_document
from gamma_align.distances import AnyDistance
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.errors import InputError
from gamma_align.provided import provided
from gamma_align.results.values import Result, columns_of

if TYPE_CHECKING:
    import networkx as nx

    from gamma_align.data.item_table import ItemTable

    Member = Unit | tuple[str, int]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Alignment(Result):
    """An alignment of a continuum: the best one, or one that was given.

    Attributes
    ----------
    continuum : Continuum
        What was aligned.
    group : ndarray of int64, shape (n_units,)
        The unitary alignment of each unit of the continuum, numbered from 0 in the order of their first units.
    unitary_disorders : ndarray of float64, shape (n_unitary_alignments,)
        δ of each unitary alignment.
    disorder : float
        δ of the alignment, (1/x̄) Σ δ(ă) (M15 §4.3); NaN for a continuum without units.
    bound : float
        Proven lower bound of the disorder of any alignment.
    is_optimal : bool
        Whether `disorder` is proven to be the least there is.
    is_given : bool
        Whether the alignment was given, and only its disorder computed: nothing was searched, and nothing proven.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
    >>> alignment = ga.align(continuum)
    >>> round(alignment.disorder, 4), alignment.is_optimal
    (0.7083, True)
    """

    continuum: Continuum
    group: IntArray
    unitary_disorders: FloatArray
    disorder: float
    bound: float
    is_optimal: bool
    is_given: bool = False

    @property
    def gap(self) -> float:
        """Proven relative gap, (disorder - bound) / disorder; 0 for an optimal alignment, NaN for a given one."""
        if self.is_given:
            return math.nan
        return 0.0 if self.is_optimal else (self.disorder - self.bound) / self.disorder

    def __len__(self) -> int:
        return len(self.unitary_disorders)

    def _repr_html_(self) -> str:
        """Return the picture of the alignment, for a notebook."""
        picture: str = provided("alignment picture")(self)
        return picture

    def unitary_alignments(self) -> list[tuple[Unit | None, ...]]:
        """Return each unitary alignment as one unit or None (empty) for each annotator, in their order.

        Examples
        --------
        >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
        >>> [[unit and unit.start for unit in row] for row in ga.align(continuum).unitary_alignments()]
        [[0.0, 1.0], [6.0, None]]
        """
        column = {name: number for number, name in enumerate(self.continuum.annotators)}
        table: list[list[Unit | None]] = [[None] * len(column) for _ in range(len(self))]
        for group, unit in zip(self.group.tolist(), self.continuum.units(), strict=True):
            table[group][column[unit.annotator]] = unit
        return [tuple(row) for row in table]

    def units_by_values(self) -> list[tuple[str | None, ...]]:
        """Return the units × values matrix of M17 fig. 5: a row for each unitary alignment, a column an annotator.

        An empty unit is a missing value, None; a unit without a category gives "".

        Examples
        --------
        >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
        >>> ga.align(continuum).units_by_values()
        [('x', 'x'), ('y', None)]
        """
        return [
            tuple(None if unit is None else unit.category or "" for unit in row) for row in self.unitary_alignments()
        ]

    def to_items(self) -> ItemTable:
        """Return the alignment as predefined items: an item for each unitary alignment (M17 fig. 5).

        An empty unit is a missing judgment; a unit without a category is one too.

        Examples
        --------
        >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
        >>> ga.align(continuum).to_items()
        <ItemTable: items 2, coders 2, categories 2>
        """
        from gamma_align.data.build_items import observed
        from gamma_align.data.item_table import ItemTable

        codes = np.full((len(self), len(self.continuum.annotators)), MISSING, dtype=np.int64)
        codes[self.group, self.continuum.annotator] = self.continuum.category
        return ItemTable(*observed(codes, self.continuum.annotators, self.continuum.categories))

    def to_graph(self) -> nx.Graph[int]:
        """Return the alignment as a networkx graph: a node for each unit, an edge between two units aligned.

        Nodes are the units' numbers in the continuum, with ``annotator``, ``start``, ``end``, ``category`` and
        ``unitary_alignment``; unitary alignments are its connected components.

        Examples
        --------
        >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
        >>> graph = ga.align(continuum).to_graph()
        >>> sorted(graph.edges), graph.nodes[2]["annotator"]
        ([(0, 2)], 'bob')
        """
        import networkx as nx

        graph: nx.Graph[int] = nx.Graph(document=self.continuum.document, disorder=self.disorder)
        for number, (group, unit) in enumerate(zip(self.group.tolist(), self.continuum.units(), strict=True)):
            graph.add_node(number, unitary_alignment=group, **unit._asdict())
        first, second = aligned_pairs(self.group)
        graph.add_edges_from(zip(first.tolist(), second.tolist(), strict=True))
        return graph

    def _contents(self) -> dict[str, Any]:
        """Return disorder, bound, optimal, gap, and each unitary alignment.

        Of an alignment that was given, bound, optimal and gap are None.
        """
        continuum = self.continuum
        unitary: list[dict[str, Any]] = [{"disorder": float(d), "units": []} for d in self.unitary_disorders]
        for group, unit in zip(self.group.tolist(), continuum.units(), strict=True):
            unitary[group]["units"].append(unit)
        empty, is_given = len(continuum) == 0, self.is_given
        return {
            "document": continuum.document,
            "annotators": continuum.annotators,
            "extent": continuum.extent,
            "disorder": None if empty else self.disorder,
            "given": is_given,
            "bound": None if empty or is_given else self.bound,
            "optimal": None if is_given else self.is_optimal,
            "gap": None if empty or is_given else self.gap,
            "unitary_alignments": unitary,
        }

    def _columns(self) -> Columns:
        """Return a row for each unit, in the order of the continuum."""
        columns = columns_of(list(self.continuum.units()), Unit._fields)
        return {"unitary_alignment": self.group.tolist(), **columns}


class AlignOptions(TypedDict, total=False):
    """Options of `align` by keyword, which describes them."""

    distance: AnyDistance | None
    dissimilarity: Dissimilarity | None
    alpha: float
    beta: float
    delta_empty: float
    time_limit: float | None
    solver: str
    limits: Limits | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Alignments(Result):
    """Alignments of several documents: a mapping from document name to `Alignment`, in the order of the corpus.

    Attributes
    ----------
    alignments : tuple of Alignment
        That of each document.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> alignments = ga.align(units)
    >>> {document: round(alignments[document].disorder, 2) for document in alignments}
    {'d1': 0.06, 'd2': 1.02}
    >>> len(alignments.to_frame())
    4
    """

    alignments: tuple[Alignment, ...]

    def __len__(self) -> int:
        return len(self.alignments)

    def __iter__(self) -> Iterator[str]:
        return (alignment.continuum.document for alignment in self.alignments)

    def __getitem__(self, document: str) -> Alignment:
        names = [*self]
        if document not in names:
            raise KeyError(f"no document {document!r}; there are {few(map(repr, names), 3)}")
        return self.alignments[names.index(document)]

    def _summary(self) -> str:
        return f"documents {len(self)}, unitary alignments {sum(map(len, self.alignments))}"

    def _contents(self) -> dict[str, Any]:
        return {"documents": self.alignments}

    def _columns(self) -> Columns:
        """Return a row for each unit of each document."""
        columns: dict[str, list[Any]] = {"document": []}
        for alignment in self.alignments:
            columns["document"] += [alignment.continuum.document] * len(alignment.continuum)
            for name, values in alignment._columns().items():  # noqa: SLF001  (of its base)
                columns.setdefault(name, []).extend(values)
        return {**columns}


@overload
def align(source: Continuum, /, **settings: Unpack[AlignOptions]) -> Alignment: ...


@overload
def align(source: Source, /, **settings: Unpack[AlignOptions]) -> Alignment | Alignments: ...


def align(
    source: Source,
    /,
    *,
    distance: AnyDistance | None = None,
    dissimilarity: Dissimilarity | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    delta_empty: float = 1.0,
    time_limit: float | None = None,
    solver: str = KERNELS,
    limits: Limits | None = None,
) -> Alignment | Alignments:
    """Return the alignment of least disorder of each document, with its proof or its gap (M15 §4).

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        Documents of two annotators or more.
    distance : str, Distance, table or function, optional
        Between categories, instead of nominal: see `gamma_align.distances.as_distance`.
    dissimilarity : Dissimilarity, optional
        d with its weights, in place of `distance` and of the weights below.
    alpha, beta, delta_empty : float
        α, β and Δ.
    time_limit : float, optional
        Seconds after which to stop with a stated gap.
    solver : {"kernels", "ortools"}
        What solves; OR-Tools alone is for checking (see `Limits`).
    limits : Limits, optional
        All of these at once, instead of `time_limit` and `solver`.

    Returns
    -------
    Alignment or Alignments
        An `Alignment` of one document; of several documents `Alignments`, with an alignment of each.

    Raises
    ------
    InputError
        For a document of one annotator, or a label unknown to the distance.
    SettingsError
        For weights out of range, or what is no distance.
    SolverError
        If a solver fails, or the document is too large for the one asked for.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
    >>> alignment = ga.align(continuum)
    >>> round(alignment.disorder, 4), alignment.is_optimal
    (0.7083, True)
    """
    used = Dissimilarity.of(dissimilarity, distance, alpha, beta, delta_empty)
    limits = limits or Limits(time_limit=time_limit, solver=solver)
    if isinstance(source, Continuum):
        return _align_document(source, used, limits)
    corpus = corpus_of(source, "align")
    if not len(corpus):
        raise InputError("no documents: there is nothing to align")
    alignments = tuple(_align_document(corpus[document], used, limits) for document in corpus)
    return alignments[0] if len(alignments) == 1 else Alignments(alignments)


def _align_document(continuum: Continuum, dissimilarity: Dissimilarity, limits: Limits) -> Alignment:
    """Return the alignment of one document."""
    corpus, batch, row = _batch_of(continuum)
    bound_to = dissimilarity.bind(corpus.categories)
    solution = solve(batch, bound_to, limits)
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


def given_alignment(
    source: Source,
    /,
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
    source : Continuum, or a Corpus, data frame, records or path of one document
        A document of two annotators or more.
    groups : iterable of iterables
        The units of each unitary alignment, at most one of an annotator: a `Unit`, or (annotator, i) for the i-th unit
        of an annotator, counted from 0 in the order of the continuum (start, end, category). A unit that no group
        names is aligned with none.
    distance, dissimilarity, alpha, beta, delta_empty
        As in `align`.

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
    continuum = one_document(source, "given_alignment")
    corpus, batch, row = _batch_of(continuum)
    dissimilarity = Dissimilarity.of(dissimilarity, distance, alpha, beta, delta_empty)
    group = _groups(continuum, groups)
    # in a batch, a unitary alignment is numbered by its lowest unit
    lowest = np.full(len(continuum), batch.n_units)
    np.minimum.at(lowest, group[row], np.arange(batch.n_units))
    unitary = unitary_disorders(batch, lowest[group[row]], dissimilarity.bind(corpus.categories))
    first_units, numbered = np.unique(lowest[group], return_inverse=True)
    if not np.isfinite(unitary[first_units]).all():
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


def _batch_of(continuum: Continuum) -> tuple[Corpus, Batch, IntArray]:
    """Return the continuum as a corpus and as a batch, with the row of each of the batch's units in the continuum."""
    corpus = Corpus.from_continua([continuum])
    check_two_annotators(corpus)
    return corpus, *Batch.from_corpus(corpus)


def _groups(continuum: Continuum, groups: Iterable[Iterable[Member]]) -> IntArray:
    """Return the group of each unit of the continuum; those that no group names are numbered after the others."""
    rows = _rows_by_member(continuum)
    group = np.full(len(continuum), -1, dtype=np.int64)
    number = -1
    for number, members in enumerate(groups):
        location = f"document {continuum.document!r}, group {number + 1}"
        named = list(members)
        if not named:
            raise InputError(f"{location}: it is empty; leave it out")
        for member in named:
            key = _key(member)
            free = [row for row in rows.get(key, []) if group[row] < 0]
            if not free:
                problem = "is in two groups, or twice in one" if key in rows else "is not in the document"
                raise InputError(f"{location}: {member!r} {problem}")
            annotator = continuum.annotator[free[0]]
            if number in group[continuum.annotator == annotator]:
                raise InputError(
                    f"{location}: two units of {continuum.annotators[annotator]!r}; a unitary alignment has at most "
                    "one of an annotator"
                )
            group[free[0]] = number
    alone = np.flatnonzero(group < 0)
    group[alone] = number + 1 + np.arange(len(alone))
    return group


def _rows_by_member(continuum: Continuum) -> dict[Member, list[int]]:
    """Return the rows of the units that each `Unit`, and each (annotator, number), may stand for."""
    rows: dict[Unit | tuple[str, int], list[int]] = {}
    counts: dict[str, int] = {}
    for row, unit in enumerate(continuum.units()):
        number = counts.get(unit.annotator, 0)
        counts[unit.annotator] = number + 1
        rows.setdefault(unit, []).append(row)
        rows[unit.annotator, number] = [row]
    return rows


def _key(member: Member) -> Member:
    """Return what a member of a group is looked up by."""
    if isinstance(member, Unit):
        return member
    pair = tuple(member) if isinstance(member, (tuple, list)) else ()
    if len(pair) != 2 or not isinstance(pair[0], str) or isinstance(pair[1], bool) or not isinstance(pair[1], int):  # noqa: PLR2004
        raise InputError(f"a group has {member!r}; a Unit, or the name of an annotator with a number from 0, is needed")
    return pair[0], pair[1]
