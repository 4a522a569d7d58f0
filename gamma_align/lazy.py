"""Names of a package that are imported when they are first used: they are listed in Python, beside the package's door.

No file is looked up, so that this works in a frozen program and in a zip, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType


def door(
    package: str, names: Mapping[str, Sequence[str]], hidden: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> tuple[Callable[[str], object], tuple[str, ...]]:
    """Return `__getattr__` and `__all__` of a package from which others import the names of its modules.

    `names` and `hidden` map each module of the package to what others may use of it; `__all__` is without `hidden`.
    """
    paths = _paths(package, names)
    all_paths = paths | _paths(package, hidden)

    def get_name(name: str) -> object:
        return lazy_name(package, name, all_paths)

    return get_name, tuple(paths)


def _paths(package: str, names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {name: f"{package}.{module}:{name}" for module, listed in names.items() for name in listed}


def lazy_name(
    package: str, name: str, paths: Mapping[str, str], pointers: Mapping[str, str] = MappingProxyType({})
) -> object:
    """Return a name of a package, and keep it there; `paths` maps each lazy name to a "module:name" or a module.

    `pointers` maps names of other libraries to what does the job here.

    Raises
    ------
    AttributeError
        If the package has no such name; with similar names, unless it begins with an underscore.
    """
    if name in paths:
        module, _, attribute = paths[name].partition(":")
        value: object = import_module(module)
        if attribute:
            value = getattr(value, attribute)
        setattr(sys.modules[package], name, value)
        return value
    message = f"module {package!r} has no attribute {name!r}"
    if name in pointers:
        raise AttributeError(f"{message}; {pointers[name]}")
    # Programs try names with underscores, and Python tries modules before it imports them: these need no suggestion.
    if not name.startswith("_"):
        from importlib.util import find_spec

        if find_spec(f"{package}.{name}") is None:
            from gamma_align.errors import did_you_mean

            message += did_you_mean(name, sys.modules[package].__all__)
    raise AttributeError(message)
