"""Records (tuples) as the columns of tables, each checked for its number of fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gamma_align.data.tables import label_of
from gamma_align.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_UNIT = ("document", "annotator", "start", "end", "category")


def unit_columns(records: Iterable[Sequence[Any]], *, document: str | None = None) -> dict[str, Any]:
    """Return the columns of units given as records; with `document`, records begin with the annotator."""
    names = _UNIT if document is None else _UNIT[1:]
    rows = _checked(records, names, optional=1, kind="unit")
    columns: dict[str, Any] = {name: [row[at] for row in rows] for at, name in enumerate(names[:-1])}
    columns["category"] = [row[len(names) - 1] if len(row) == len(names) else None for row in rows]
    if document is not None:
        columns["document"] = [document] * len(rows)
    return columns


def pair_columns(pairs: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """Return the columns of (document, annotator) pairs."""
    rows = _checked(pairs, ("document", "annotator"), optional=0, kind="annotation")
    return {"document": [row[0] for row in rows], "annotator": [row[1] for row in rows]}


def document_columns(
    extents: Mapping[str, tuple[float, float]], documents: Iterable[str], others: Iterable[Any]
) -> dict[str, Any] | None:
    """Return the list of documents with their extents, or ``None`` where nothing is declared.

    `others` are the documents of units and annotations; a list of documents has to hold them as well.
    """
    pairs = ((name, *_pair(name, pair)) for name, pair in extents.items())
    rows = _checked(pairs, ("document", "L", "R"), optional=0, kind="extent")
    bounds = {_name(name): (low, high) for name, low, high in rows}
    declared = [*map(_name, documents), *bounds]
    if not declared:
        return None
    # a missing name among the units is told where its row is known
    used = [_name(name) for name in others if name is not None]
    names = list(dict.fromkeys([*declared, *used]))
    nothing = (None, None)
    return {
        "document": names,
        "start": [bounds.get(name, nothing)[0] for name in names],
        "end": [bounds.get(name, nothing)[1] for name in names],
    }


def _name(value: Any) -> str | None:  # noqa: ANN401
    try:
        return label_of(value)
    except TypeError as error:
        raise InputError(f"a document is named {value!r}, {error}; a name is one string") from None


def _pair(name: str, pair: Any) -> tuple[Any, ...]:  # noqa: ANN401
    try:
        return tuple(pair)
    except TypeError:
        raise InputError(f"the extent of document {name!r} is {pair!r}; (L, R) is needed") from None


def _checked(
    records: Iterable[Sequence[Any]], names: tuple[str, ...], optional: int, kind: str
) -> list[tuple[Any, ...]]:
    """Return the records as tuples, each with as many fields as `names`, or up to `optional` fewer."""
    rows = []
    for number, record in enumerate(records, 1):
        if isinstance(record, (str, bytes)) or not hasattr(record, "__iter__"):
            raise InputError(f"{kind} {number} is {record!r}; a record of {', '.join(names)} is needed")
        row = tuple(record)
        if not len(names) - optional <= len(row) <= len(names):
            wanted = f"{len(names) - optional} or {len(names)}" if optional else f"{len(names)}"
            last = f"{', '.join(names[:-1])} and, where there is one, {names[-1]}" if optional else ", ".join(names)
            raise InputError(f"{kind} {number} has {len(row)} fields, expected {wanted}: {last}; got {row!r}")
        rows.append(row)
    return rows
