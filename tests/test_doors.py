"""A package has a door: others import the names that its `__init__` lists, and nothing else of its modules."""

from __future__ import annotations

import ast
from importlib import import_module

import pytest
from layers import PACKAGE

SEVERAL = ("measures", "insight", "present")
"""Packages of several rooms, each with a door of its own."""
BESIDE = ("gamma_align.kernels.position",)
"""Modules that are a second door: what is in them is not compiled."""


def module_of(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def is_module(name):
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def door_of(module):
    """Return the door through which the names of a module are imported."""
    parts = module.split(".")
    is_room = parts[1] in SEVERAL and PACKAGE.joinpath(*parts[1:3]).is_dir()
    return ".".join(parts[: 3 if is_room else 2])


def imported_names():
    """Yield (importing module, module, name) of each name that a package imports from another one."""
    for path in sorted(PACKAGE.rglob("*.py")):
        importer = module_of(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gamma_align."):
                names = [(importer, node.module, alias.name) for alias in node.names]
                yield from (entry for entry in names if entry[1].split(".")[1] not in importer.split(".")[1:2])


IMPORTED = list(imported_names())
DOORS = sorted({module_of(path) for path in PACKAGE.rglob("__init__.pyi")} - {"gamma_align"})


def test_no_import_passes_a_door():
    past = [entry for entry in IMPORTED if door_of(entry[1]) != entry[1] and entry[1] not in BESIDE]
    # a module may be named as a whole, and a package cannot hand on a function that has the name of its module
    past = [entry for entry in past if not is_module(f"{entry[1]}.{entry[2]}")]
    assert [entry for entry in past if not is_module(f"{door_of(entry[1])}.{entry[2]}")] == []


def test_the_doors_are_found():
    assert {"gamma_align.data", "gamma_align.measures.gamma", "gamma_align.present"} <= {*DOORS}
    assert len(IMPORTED) > 1000


@pytest.mark.parametrize("door", DOORS)
def test_a_door_lists_what_others_use_and_its_types_say_the_same(door):
    package = import_module(door)
    stub = ast.parse((PACKAGE.parent.joinpath(*door.split(".")) / "__init__.pyi").read_text(encoding="utf-8"))
    typed = {alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    listed = {name for names in package._NAMES.values() for name in names}
    assert listed <= typed
    assert [name for name in listed if not hasattr(package, name)] == []
    # when such a module is imported, it takes the place of the function
    assert [name for name in listed if is_module(f"{door}.{name}")] == []
    if door != "gamma_align.distances":  # users may import from it, too
        assert listed - {name for _, module, name in IMPORTED if module == door} == set()
