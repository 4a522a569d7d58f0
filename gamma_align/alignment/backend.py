"""Which library solves linear and integer programmes. NumPy is not imported, so that the version is printed at once."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec


@cache
def has_ortools() -> bool:
    """Return whether OR-Tools is installed, without importing it."""
    try:
        return find_spec("ortools") is not None
    except (ImportError, ValueError):  # of a module that is blocked
        return False


def programme_solver() -> str:
    """Return the name of the library that solves linear and integer programmes."""
    return "OR-Tools" if has_ortools() else "HiGHS"
