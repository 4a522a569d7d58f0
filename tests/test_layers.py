"""One direction: who imports whom, what an import costs, and what is public."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import networkx as nx
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.cli._program import _COMMANDS

PACKAGE = Path(ga.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# From the ground up: a room imports itself and those before it. This list is the order, and there is no other.
# fmt: off
ORDER = [
    "errors", "columns", "version", "kernels", "data", "results", "distances", "inference", "alignment",
    "gammas", "unitizing", "items", "comparison", "evaluation", "differences", "aggregation",
    "io", "validation", "shuffling", "drawing", "report", "plots", "reproduction",
    "_kept", "_api", "_report", "cli", "web",
]
# fmt: on
HEAVY = ["ortools", "pandas", "pyarrow", "networkx", "narwhals", "joblib", "scipy.optimize", "polars", "matplotlib"]


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


def loaded_by(code, names=HEAVY):
    """Return which of the modules a fresh interpreter has loaded after running `code`."""
    program = f"{code}\nimport sys\nprint('|'.join(n for n in {list(names)!r} if n in sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return [name for name in run.stdout.splitlines()[-1].split("|") if name]


def command_line(*arguments):
    return f"import gamma_align.cli\ngamma_align.cli.main({list(map(str, arguments))!r})"


WEB = ["fastapi", "starlette", "pydantic", "uvicorn", "gamma_align.web"]


def test_import_is_light():
    assert loaded_by("import gamma_align", ["numpy", *WEB, *HEAVY]) == []


def test_commands_load_no_web():
    assert loaded_by(command_line("measure", CORPORA / "pygamma" / "AlexPaulSuzan.csv", "--samples", 2), WEB) == []


def test_the_probe_sees_heavy_modules():
    assert loaded_by("import gamma_align, scipy.optimize") == ["scipy.optimize"]


HELP = [f"{name} {page}" for name in _COMMANDS for page in ("--help", "--help-reading", "--help-more")]


@pytest.mark.parametrize("arguments", ["--version", "--help", "--cite", *HELP, "reproduce examples --help"])
def test_the_command_line_answers_before_it_loads_numpy(arguments):
    program = command_line(*arguments.split())
    subcommands = [f"gamma_align.cli.{name}" for name in _COMMANDS]
    assert loaded_by(program, ["numpy", *subcommands, *HEAVY]) == []
    assert loaded_by(program, ["gamma_align.cli._messages"]) == ["gamma_align.cli._messages"]


def test_a_small_alignment_loads_no_heavy_package():
    program = command_line("align", CORPORA / "pygamma" / "AlexPaulSuzan.csv")
    heavy = ["scipy", "xml", "json", "importlib.metadata", "tempfile", "difflib", "fractions", *HEAVY]
    heavy += [f"gamma_align.{name}" for name in ("distances.numeric", "distances.structured", "data.item_table")]
    heavy += [f"gamma_align.{name}" for name in ("gammas.coefficients", "unitizing", "items", "drawing")]
    others = [f"gamma_align.cli.{name}" for name in _COMMANDS if name != "align"]
    assert loaded_by(program, [*heavy, *others, "gamma_align.cli.align"]) == ["gamma_align.cli.align"]


@pytest.mark.parametrize("name", _COMMANDS)
def test_each_subcommand_has_a_module_of_its_name(name):
    assert callable(import_module(f"gamma_align.cli.{name}").run)


def test_building_a_continuum_is_light():
    assert loaded_by("import gamma_align\ngamma_align.Continuum.from_records([('a', 0, 1, 'x')])") == []


def test_two_annotators_need_no_ortools():
    code = (
        "import gamma_align\n"
        "c = gamma_align.Continuum.from_records([('a', 0, 1, 'x'), ('b', 0, 2, 'x')])\n"
        "assert gamma_align.align(c).is_optimal"
    )
    assert "ortools" not in loaded_by(code)


def test_every_module_is_documented_and_not_too_long():
    texts = {module_of(path): path.read_text(encoding="utf-8") for path in MODULES}
    bare = [name for name, text in texts.items() if text.strip() and ast.get_docstring(ast.parse(text)) is None]
    assert bare == []
    assert [name for name, text in texts.items() if text.count("\n") > 600] == []


def test_no_module_binds_a_name_twice():
    # constants of two modules that are joined must not take each other's place
    twice = []
    for path in MODULES:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        names = [
            target.id
            for node in body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if hasattr(target, "id")
        ]
        names += [node.target.id for node in body if isinstance(node, ast.AnnAssign)]
        names += [node.name for node in body if isinstance(node, ast.ClassDef)]
        twice += [(module_of(path), name) for name in set(names) if names.count(name) > 1]
    assert twice == []
