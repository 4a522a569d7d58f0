"""One direction: who imports whom, what an import costs, and what is public."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

import gamma_align as ga

PACKAGE = Path(ga.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# From the ground up: a room imports itself and those before it. This list is the order, and there is no other.
# fmt: off
ORDER = [
    "errors", "_types", "version", "data", "results", "distances", "kernels", "alignment",
    "gammas", "unitizing", "items", "comparison",
    "io", "validation", "shuffling", "report", "reproduction", "cli",
]
# fmt: on
HEAVY = ["ortools", "pandas", "pyarrow", "networkx", "narwhals", "joblib", "scipy.optimize", "polars"]


def module_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(name):
    """Return the room (or file of the ground floor) of a module: "gamma_align.io.reading" is in "io"."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""


@cache
def imports_of(path):
    """Return (module, line, function it stands in or None, whether for types only) of each import of ours."""
    found = []

    def walk(node, function, types_only):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}:{child.lineno}: a relative import"
                names = [f"{child.module}.{alias.name}" for alias in child.names]
                found.extend((name, child.lineno, function, types_only) for name in names)
            elif isinstance(child, ast.Import):
                found.extend((alias.name, child.lineno, function, types_only) for alias in child.names)
            inside = child.name if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
            test = ast.unparse(child.test) if isinstance(child, ast.If) else ""
            walk(child, inside, types_only or test in ("TYPE_CHECKING", "typing.TYPE_CHECKING"))

    walk(ast.parse(path.read_text(encoding="utf-8")), None, False)
    return found


def ours(path):
    return [entry for entry in imports_of(path) if entry[0].split(".")[0] == "gamma_align"]


def test_the_order_names_the_rooms_that_are_there():
    assert {room_of(module_of(path)) for path in MODULES} == {*ORDER, ""}


@pytest.mark.parametrize("path", [p for p in MODULES if room_of(module_of(p))], ids=module_of)
def test_a_room_imports_only_rooms_before_it(path):
    before = {*ORDER[: ORDER.index(room_of(module_of(path))) + 1]}
    above = [(name, line) for name, line, *_ in ours(path) if room_of(name) not in before]
    if room_of(module_of(path)) == "cli":  # the command line is a user of the package as others are
        above = [(name, line) for name, line in above if name != "gamma_align"]
    assert above == []


def test_no_circle_among_files():
    graph = nx.DiGraph()
    known = {module_of(path) for path in MODULES}
    for path in MODULES:
        names = [name for name, *_ in ours(path)]
        targets = {name if name in known else name.rpartition(".")[0] for name in names} - {"gamma_align"}
        graph.add_edges_from((module_of(path), target) for target in targets)
    assert [sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1] == []


@pytest.mark.parametrize("path", MODULES, ids=module_of)
def test_heavy_packages_are_imported_where_they_are_used(path):
    at_import = [
        (name, line)
        for name, line, function, types_only in imports_of(path)
        if function is None and not types_only and any(f"{name}.".startswith(f"{heavy}.") for heavy in HEAVY)
    ]
    assert at_import == []


def loaded_by(code):
    """Return the heavy modules that a fresh interpreter has loaded after running `code`."""
    program = f"{code}\nimport sys\nprint('|'.join(n for n in {HEAVY!r} if n in sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return [name for name in run.stdout.splitlines()[-1].split("|") if name]


def test_import_is_light():
    assert loaded_by("import gamma_align") == []


def test_the_probe_sees_heavy_modules():
    assert loaded_by("import gamma_align, scipy.optimize") == ["scipy.optimize"]


def test_version_on_the_command_line_is_light():
    code = (
        "import contextlib, gamma_align.cli\nwith contextlib.suppress(SystemExit): gamma_align.cli.main(['--version'])"
    )
    assert loaded_by(code) == []


def test_building_a_continuum_is_light():
    assert loaded_by("import gamma_align\ngamma_align.Continuum.from_records([('a', 0, 1, 'x')])") == []


def test_two_annotators_need_no_ortools():
    code = (
        "import gamma_align\n"
        "c = gamma_align.Continuum.from_records([('a', 0, 1, 'x'), ('b', 0, 2, 'x')])\n"
        "assert gamma_align.align(c).is_optimal"
    )
    assert "ortools" not in loaded_by(code)


def test_public_names_are_sorted_and_there():
    assert list(ga.__all__) == sorted(ga.__all__)
    assert [name for name in ga.__all__ if not hasattr(ga, name)] == []


def test_public_names_are_what_the_design_promises():
    promised = {"Alignment", "Continuum", "Corpus", "Dissimilarity", "GammaResult", "Matrix", "Nominal", "Value"}
    promised |= {"ItemTable", "ItemResult", "ItemCoefficient", "item_agreement", "krippendorff_alpha", "read_items"}
    assert promised | {"align", "gamma", "read", "__version__"} <= set(ga.__all__)


@pytest.mark.parametrize("name", [name for name in ga.__all__ if name != "__version__"])
def test_public_names_are_documented(name):
    found = getattr(ga, name)
    assert found.__doc__
    assert not found.__doc__.startswith(f"{name}(")  # dataclasses write that themselves
    if isinstance(found, type):
        public = [member for key, member in vars(found).items() if not key.startswith("_")]
        functions = [getattr(member, "__func__", getattr(member, "fget", member)) for member in public]
        assert [f.__name__ for f in functions if callable(f) and not f.__doc__] == []


def test_every_module_is_documented_and_not_too_long():
    texts = {module_of(path): path.read_text(encoding="utf-8") for path in MODULES}
    bare = [name for name, text in texts.items() if text.strip() and ast.get_docstring(ast.parse(text)) is None]
    assert bare == []
    assert [name for name, text in texts.items() if text.count("\n") > 600] == []
