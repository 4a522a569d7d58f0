"""Alignments of documents: the best one (`align`), or a given one with its disorder (`given_alignment`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

import numpy as np

from gamma_align.alignment.kinds import solve_alignment
from gamma_align.alignment.limits import KERNELS, Limits
from gamma_align.alignment.memory import naming_documents
from gamma_align.alignment.options import ALIGNMENT, COVER, PARTITION
from gamma_align.alignment.solve import aligned_pairs, disorders, unitary_disorders
from gamma_align.columns import MISSING, FloatArray, IntArray
from gamma_align.data import Batch, Continuum, Corpus, FrameColumns, Unit, check_two_annotators, few
from gamma_align.distances import AnyDistance, Dissimilarity
from gamma_align.errors import InputError, Location
from gamma_align.inference import Result, columns_of

if TYPE_CHECKING:
    import networkx as nx

    from gamma_align.data import ItemTable

    Member = Unit | tuple[str, int]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Alignment(Result):
    """An alignment of a continuum: the best one, or one that was given.

    Attributes
    ----------
    continuum : Continuum
        The document.
    group : ndarray of int64, shape (n_units,)
        Index of the unitary alignment of each unit of the continuum, from 0 in the order of their first units. In a
        cover, the first one of each unit; `members` has all.
    unitary_disorders : ndarray of float64, shape (n_unitary_alignments,)
        δ of each unitary alignment.
    disorder : float
        δ of the alignment, (1/x̄) Σ δ(ă) (M15 §4.3); NaN for a continuum without units.
    bound : float
        Proven lower bound of the disorder of any alignment.
    is_optimal : bool
        Whether `disorder` is proven to be the least possible one.
    is_given : bool
        Whether the alignment was given and only its disorder was computed, without a search or a proof.
    cover : tuple of ndarray of int64, shape (n_members,) each, or None
        If a unit may be in several unitary alignments (soft-γ), the unit and the unitary alignment of each membership,
        sorted; None if each unit is in one.

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
    cover: tuple[IntArray, IntArray] | None = None

    @property
    def is_cover(self) -> bool:
        """Whether a unit may be in several unitary alignments."""
        return self.cover is not None

    @property
    def members(self) -> tuple[IntArray, IntArray]:
        """The unit and the unitary alignment of each membership, shapes (n_members,), sorted.

        Examples
        --------
        >>> split = {"ann": [(0, 20, "x")], "bob": [(0, 10, "x"), (10, 20, "x")]}
        >>> units, groups = ga.align(split, alignment="cover").members
        >>> units.tolist(), groups.tolist()
        ([0, 0, 1, 2], [0, 1, 0, 1])
        """
        return (np.arange(len(self.group)), self.group) if self.cover is None else self.cover

    def _membership(self) -> Iterator[tuple[int, int, Unit]]:
        """Yield the index of the unit, the unitary alignment and the unit of each membership."""
        units = list(self.continuum.units())
        (indices, groups) = self.members
        return ((index, group, units[index]) for index, group in zip(indices.tolist(), groups.tolist(), strict=True))

    @property
    def gap(self) -> float:
        """Proven relative gap, (disorder - bound) / disorder; 0 for an optimal alignment, NaN for a given one."""
        if self.is_given:
            return math.nan
        return 0.0 if self.is_optimal else (self.disorder - self.bound) / self.disorder

    def __len__(self) -> int:
        return len(self.unitary_disorders)

    def unitary_alignments(self) -> list[tuple[Unit | None, ...]]:
        """Return each unitary alignment as one unit or None (empty) for each annotator, in their order.

        Examples
        --------
        >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
        >>> [[unit and unit.start for unit in row] for row in ga.align(continuum).unitary_alignments()]
        [[0.0, 1.0], [6.0, None]]
        """
        column = {name: index for index, name in enumerate(self.continuum.annotators)}
        table: list[list[Unit | None]] = [[None] * len(column) for _ in range(len(self))]
        for _, group, unit in self._membership():
            table[group][column[unit.annotator]] = unit
        return [tuple(row) for row in table]

    def units_by_values(self) -> list[tuple[str | None, ...]]:
        """Return the units × values matrix of M17 fig. 5: one row per unitary alignment, one column per annotator.

        An empty unit is None (a missing value); a unit without a category is "".

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
        """Return the alignment as predefined items: one item per unitary alignment (M17 fig. 5).

        Empty units and units without a category are missing judgments.

        Examples
        --------
        >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
        >>> ga.align(continuum).to_items()
        <ItemTable: items 2, coders 2, categories 2>
        """
        from gamma_align.data import ItemTable, observed

        codes = np.full((len(self), len(self.continuum.annotators)), MISSING, dtype=np.int64)
        units, groups = self.members
        codes[groups, self.continuum.annotator[units]] = self.continuum.category[units]
        return ItemTable(*observed(codes, self.continuum.annotators, self.continuum.categories))

    def to_graph(self) -> nx.Graph[int]:
        """Return the alignment as a networkx graph: one node per unit, an edge between every two aligned units.

        Nodes are the indices of units in the continuum, with ``annotator``, ``start``, ``end``, ``category`` and
        ``unitary_alignment``. The unitary alignments are its connected components. In a cover, the attribute is a list
        of the unitary alignments of the unit.

        Examples
        --------
        >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
        >>> graph = ga.align(continuum).to_graph()
        >>> sorted(graph.edges), graph.nodes[2]["annotator"]
        ([(0, 2)], 'bob')
        """
        import networkx as nx

        graph: nx.Graph[int] = nx.Graph(document=self.continuum.document, disorder=self.disorder)
        units, groups = self.members
        groups_of_unit: dict[int, list[int]] = {}
        for index, group, unit in self._membership():
            groups_of_unit.setdefault(index, []).append(group)
            graph.add_node(index, unitary_alignment=groups_of_unit[index] if self.is_cover else group, **unit._asdict())
        first, second = aligned_pairs(groups)
        graph.add_edges_from(zip(units[first].tolist(), units[second].tolist(), strict=True))
        return graph

    def _contents(self) -> dict[str, object]:
        """Return disorder, bound, optimal, gap and the unitary alignments.

        Bound, optimal and gap are None if the alignment was given.
        """
        continuum = self.continuum
        unitary: list[dict[str, Any]] = [{"disorder": float(d), "units": []} for d in self.unitary_disorders]
        for _, group, unit in self._membership():
            unitary[group]["units"].append(unit)
        is_empty = len(continuum) == 0
        is_given = self.is_given
        return {
            "document": continuum.document,
            "annotators": continuum.annotators,
            "extent": continuum.extent,
            "disorder": None if is_empty else self.disorder,
            "given": is_given,
            **({"alignment": COVER} if self.is_cover else {}),
            "bound": None if is_empty or is_given else self.bound,
            "optimal": None if is_given else self.is_optimal,
            "gap": None if is_empty or is_given else self.gap,
            "unitary_alignments": unitary,
        }

    def _columns(self) -> FrameColumns:
        """Return a row for each unit, in the order of the continuum; in a cover, for each membership."""
        columns = columns_of([unit for _, _, unit in self._membership()], Unit._fields)
        return {"unitary_alignment": self.members[1].tolist(), **columns}


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
    alignment: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Alignments(Result):
    """Alignments of several documents: a mapping from document name to `Alignment`, in the order of the corpus.

    Attributes
    ----------
    alignments : tuple of Alignment
        The alignment of each document.

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

    def _contents(self) -> dict[str, object]:
        return {"documents": self.alignments}

    def _columns(self) -> FrameColumns:
        """Return a row for each unit of each document."""
        columns: dict[str, list[Any]] = {"document": []}
        for alignment in self.alignments:
            columns["document"] += [alignment.continuum.document] * len(alignment.members[0])
            for name, values in alignment._columns().items():  # noqa: SLF001  (of its base)
                columns.setdefault(name, []).extend(values)
        return {**columns}


@overload
def align(data: Continuum, /, **settings: Unpack[AlignOptions]) -> Alignment: ...


@overload
def align(data: Corpus | Continuum, /, **settings: Unpack[AlignOptions]) -> Alignment | Alignments: ...


def align(
    data: Corpus | Continuum,
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
    alignment: str = PARTITION,
) -> Alignment | Alignments:
    """Return the alignment of least disorder of each document, with its proof or its gap (M15 §4).

    Parameters
    ----------
    data : Corpus or Continuum
        Documents of two annotators or more.
    distance : str, Distance, table or function, optional
        Distance between categories, nominal by default: see `gamma_align.distances.as_distance`.
    dissimilarity : Dissimilarity, optional
        d with its weights; replaces `distance` and the weights below.
    alpha, beta, delta_empty : float
        α, β and Δ.
    time_limit : float, optional
        Seconds after which the search stops with a stated gap.
    solver : {"kernels", "ortools"}
        The solver; OR-Tools alone is meant for checks (see `Limits`).
    limits : Limits, optional
        All limits; replaces `time_limit` and `solver`.
    alignment : {"partition", "cover"}
        Whether each unit is in exactly one unitary alignment, or in at least one (soft-γ).

    Returns
    -------
    Alignment or Alignments
        An `Alignment` if there is one document; for several documents `Alignments`, with the alignment of each.

    Raises
    ------
    InputError
        For a document of one annotator, or a label unknown to the distance.
    SettingsError
        For weights out of range, or an invalid distance.
    SolverError
        If a solver fails, or a document is too large for the requested solver.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
    >>> alignment = ga.align(continuum)
    >>> round(alignment.disorder, 4), alignment.is_optimal
    (0.7083, True)
    """
    used = Dissimilarity.of(dissimilarity, distance, alpha, beta, delta_empty)
    limits = limits or Limits(time_limit=time_limit, solver=solver)
    ALIGNMENT.check(alignment)
    if isinstance(data, Continuum):
        return _align_document(data, used, limits, alignment)
    if not len(data):
        raise InputError("no documents: there is nothing to align")
    alignments = tuple(_align_document(data[document], used, limits, alignment) for document in data)
    return alignments[0] if len(alignments) == 1 else Alignments(alignments)


def _align_document(continuum: Continuum, dissimilarity: Dissimilarity, limits: Limits, alignment: str) -> Alignment:
    """Return the alignment of one document."""
    corpus, batch, row = _batch_of(continuum)
    bound_to = dissimilarity.bind(corpus.categories)
    with naming_documents([continuum.document], np.zeros(1, dtype=np.int64)):
        solution = solve_alignment(batch, bound_to, limits, alignment=alignment)
    members = solution.members(batch)
    unitary = unitary_disorders(members, solution.group, bound_to)
    disorder = float(disorders(batch, unitary, members.instance)[0])
    proven = bool(solution.is_proven[0])
    labels, index = np.unique(solution.group, return_inverse=True)
    cover = None
    group = np.full(batch.n_units, len(labels))
    if solution.units is None:
        group[row] = index
    else:
        units = row[solution.units]
        np.minimum.at(group, units, index)
        order = np.lexsort((index, units))
        cover = units[order], index[order]
    for array in (group, *(cover or ())):
        array.flags.writeable = False
    # The solver's bound is Σ δ(ă) / Δ, and the disorder is Σ δ(ă) / x̄.
    scale = dissimilarity.delta_empty / continuum.mean_units if batch.n_units else 1.0
    return Alignment(
        continuum=continuum,
        group=group,
        unitary_disorders=unitary[labels],
        disorder=disorder,
        bound=disorder if proven else min(disorder, max(0.0, float(solution.bound[0])) * scale),
        is_optimal=proven,
        cover=cover,
    )


def given_alignment(
    continuum: Continuum,
    /,
    groups: Iterable[Iterable[Member]],
    *,
    distance: AnyDistance | None = None,
    dissimilarity: Dissimilarity | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    delta_empty: float = 1.0,
) -> Alignment:
    """Return a given alignment with its disorder (M15 §4.3), without a search or a proof.

    Parameters
    ----------
    continuum : Continuum
        A document of two annotators or more.
    groups : iterable of iterables
        The units of each unitary alignment, at most one per annotator: a `Unit`, or (annotator, i) for the unit with
        index i of an annotator, from 0 in the order of the continuum (start, end, category). A unit that is in no group
        stays alone.
    distance, dissimilarity, alpha, beta, delta_empty
        As in `align`.

    Returns
    -------
    Alignment
        With ``is_given``; its bound is 0, the only one known without a search.

    Raises
    ------
    InputError
        For a document of one annotator; a unit that does not exist, is in two groups, or is in a group with another
        unit of its annotator; or two units without length in one group that do not coincide.
    SettingsError
        For weights out of range, or an invalid distance.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
    >>> alignment = ga.given_alignment(continuum, [[("ann", 0)], [("ann", 1), ("bob", 0)]])
    >>> round(alignment.disorder, 4) > ga.align(continuum).disorder
    True
    """
    corpus, batch, row = _batch_of(continuum)
    dissimilarity = Dissimilarity.of(dissimilarity, distance, alpha, beta, delta_empty)
    group = _group_of_units(continuum, groups)
    # In a batch, the label of a unitary alignment is its lowest unit.
    lowest = np.full(len(continuum), batch.n_units)
    np.minimum.at(lowest, group[row], np.arange(batch.n_units))
    unitary = unitary_disorders(batch, lowest[group[row]], dissimilarity.bind(corpus.categories))
    first_units, group_index = np.unique(lowest[group], return_inverse=True)
    if not np.isfinite(unitary[first_units]).all():
        raise InputError(
            "a group has two units without length that do not coincide, which cannot be aligned",
            "give each a group of its own",
            Location(f"document {continuum.document!r}"),
        )
    group_index.flags.writeable = False
    return Alignment(
        continuum=continuum,
        group=group_index,
        unitary_disorders=unitary[first_units],
        disorder=float(disorders(batch, unitary)[0]),
        bound=0.0,
        is_optimal=False,
        is_given=True,
    )


def _batch_of(continuum: Continuum) -> tuple[Corpus, Batch, IntArray]:
    """Return the continuum as a corpus and as a batch, and the row in the continuum of each unit of the batch."""
    corpus = Corpus.from_continua([continuum])
    check_two_annotators(corpus)
    return corpus, *Batch.from_corpus(corpus)


def _group_of_units(continuum: Continuum, groups: Iterable[Iterable[Member]]) -> IntArray:
    """Return the group of each unit of the continuum; units in no group get groups of their own after the others."""
    rows = _rows_by_member(continuum)
    group = np.full(len(continuum), -1, dtype=np.int64)
    index = -1
    for index, members in enumerate(groups):
        location = Location(f"document {continuum.document!r}", f"group {index + 1}")
        group_members = list(members)
        if not group_members:
            raise InputError("it is empty", "leave it out", location)
        for member in group_members:
            row = _free_row(member, rows, group, location)
            annotator = continuum.annotator[row]
            if index in group[continuum.annotator == annotator]:
                raise InputError(
                    f"two units of {continuum.annotators[annotator]!r}",
                    "give at most one unit of an annotator in a unitary alignment",
                    location,
                )
            group[row] = index
    ungrouped = np.flatnonzero(group < 0)
    group[ungrouped] = index + 1 + np.arange(len(ungrouped))
    return group


def _rows_by_member(continuum: Continuum) -> dict[Member, list[int]]:
    """Return the rows of the units that each `Unit` and each (annotator, index) refer to.

    Equal units share a `Unit`, which has several rows.
    """
    rows: dict[Unit | tuple[str, int], list[int]] = {}
    counts: dict[str, int] = {}
    for row, unit in enumerate(continuum.units()):
        index = counts.get(unit.annotator, 0)
        counts[unit.annotator] = index + 1
        rows.setdefault(unit, []).append(row)
        rows[unit.annotator, index] = [row]
    return rows


def _free_row(member: Member, rows: dict[Member, list[int]], group: IntArray, location: Location) -> int:
    """Return the row of a member that is in no group yet."""
    key = _member_key(member)
    for row in rows.get(key, []):
        if group[row] < 0:
            return row
    if key in rows:
        raise InputError(f"{member!r} is in two groups, or twice in one", "name each unit once", location)
    raise InputError(f"{member!r} is not in the document", location=location)


def _member_key(member: Member) -> Member:
    """Return the key of a member in the rows by member; InputError if it does not refer to a unit."""
    if isinstance(member, Unit):
        return member
    match member:
        # True and False are integers in Python, but not indices of units.
        case (str(annotator), int(index)) if not isinstance(index, bool):
            return annotator, index
    raise InputError(
        f"a group contains {member!r}, which is not a unit",
        "give a Unit, or the name of an annotator with an index from 0",
    )
