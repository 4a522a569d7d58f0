"""Choosing and renaming among the documents, annotators and categories of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from gamma_align._types import BoolArray
from gamma_align.data.problem import few
from gamma_align.errors import InputError, SettingsError

Names = str | Iterable[str]


def mask_of(names: Sequence[str], wanted: Names | None, kind: str) -> BoolArray:
    """Return which of the names are wanted, all where None is; SettingsError for one that is not among them."""
    if wanted is None:
        return np.ones(len(names), dtype=np.bool_)
    wanted = {wanted} if isinstance(wanted, str) else set(map(str, wanted))
    _check_known(names, wanted, kind)
    return np.array([name in wanted for name in names], dtype=np.bool_)


def renamed(names: Sequence[str], new_names: Mapping[str, str | None] | None, kind: str) -> tuple[Any, ...]:
    """Return the names with some replaced, by None too; SettingsError for one that is not there."""
    _check_known(names, new_names or (), kind)
    return tuple((new_names or {}).get(name, name) for name in names)


def check_distinct(names: Iterable[tuple[object, ...]], problem: str) -> None:
    """Raise InputError where a name, of one or more parts, occurs twice."""
    seen = set()
    for name in names:
        if name in seen:
            raise InputError(f"{', '.join(map(repr, name))}: {problem}; choose another name")
        seen.add(name)


def _check_known(names: Sequence[str], wanted: Iterable[str], kind: str) -> None:
    unknown = sorted(set(wanted).difference(names))
    if not unknown:
        return
    close = get_close_matches(unknown[0], names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else f"; there are {few(map(repr, names), 10) or 'none'}"
    raise SettingsError(f"no {kind} {unknown[0]!r}{hint}")
