"""A set whose elements are sorted and have an index, as annotators, categories and units of a `Continuum` have."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, MutableSet, Sequence
from typing import Any, TypeVar, overload

Element = TypeVar("Element", bound=Hashable)


class SortedSet(MutableSet[Element], Sequence[Element]):
    """A sorted set with the methods of a set and of a list that scripts use.

    It is equal to any set of the same elements.

    Examples
    --------
    >>> names = SortedSet(["Paul", "Alex"])
    >>> names, names[0], names.index("Paul"), names == {"Alex", "Paul"}
    (SortedSet(['Alex', 'Paul']), 'Alex', 1, True)
    """

    def __init__(self, elements: Iterable[Element] = ()) -> None:
        self._set = set(elements)
        self._list: list[Any] = sorted(self._set)

    def __contains__(self, element: object) -> bool:
        return element in self._set

    def __iter__(self) -> Iterator[Element]:
        elements: Iterator[Element] = iter(self._list)
        return elements

    def __reversed__(self) -> Iterator[Element]:
        elements: Iterator[Element] = reversed(self._list)
        return elements

    def __len__(self) -> int:
        return len(self._list)

    def __repr__(self) -> str:
        return f"SortedSet({self._list!r})"

    @overload
    def __getitem__(self, index: int) -> Element: ...

    @overload
    def __getitem__(self, index: slice) -> list[Element]: ...

    def __getitem__(self, index: int | slice) -> Element | list[Element]:
        selection: Element | list[Element] = self._list[index]
        return selection

    def add(self, element: Element) -> None:
        """Add an element."""
        if element not in self._set:
            self._set.add(element)
            self._list.insert(bisect_left(self._list, element), element)

    def discard(self, element: Element) -> None:
        """Remove an element if it is there."""
        if element in self._set:
            self._set.remove(element)
            del self._list[self._list.index(element)]

    def pop(self, index: int = -1) -> Element:
        """Remove the element with this index, by default the last one, and return it."""
        element: Element = self._list.pop(index)
        self._set.remove(element)
        return element

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """Return the index of an element; ValueError if it is not there."""
        if value not in self._set:
            raise ValueError(f"{value!r} is not in the set")
        return self._list.index(value, start, len(self._list) if stop is None else stop)

    def count(self, value: object) -> int:
        """Return 1 for an element, else 0."""
        return int(value in self._set)

    def issubset(self, elements: Iterable[object]) -> bool:
        """Return whether `elements` contains all elements of the set."""
        return self._set.issubset(elements)

    def issuperset(self, elements: Iterable[object]) -> bool:
        """Return whether the set contains all of `elements`."""
        return self._set.issuperset(elements)

    def union(self, *collections: Iterable[Element]) -> SortedSet[Element]:
        """Return the elements of all."""
        return SortedSet(self._set.union(*collections))

    def intersection(self, *collections: Iterable[Element]) -> SortedSet[Element]:
        """Return the common elements."""
        return SortedSet(self._set.intersection(*collections))

    def difference(self, *collections: Iterable[Element]) -> SortedSet[Element]:
        """Return the elements that are in none of the collections."""
        return SortedSet(self._set.difference(*collections))

    def update(self, *collections: Iterable[Element]) -> None:
        """Add all elements of the collections."""
        self._set.update(*collections)
        self._list = sorted(self._set)

    def copy(self) -> SortedSet[Element]:
        """Return a copy."""
        return SortedSet(self._set)
