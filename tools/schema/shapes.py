"""Shapes of JSON that no annotation of Python says: references, words, records, alternatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class Ref:
    """The definition of a name."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """A shape with a description."""

    shape: object
    description: str


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """One of several constants."""

    words: tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """One of several shapes."""

    shapes: tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """An object with these properties; all are there but the `optional` ones. An open one may have others, too."""

    description: str
    properties: Mapping[str, object]
    optional: tuple[str, ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """An object with the fields of a class, some of which have another shape than their annotation says."""

    kind: type
    description: str = ""
    replaced: Mapping[str, object] = field(default_factory=dict)
