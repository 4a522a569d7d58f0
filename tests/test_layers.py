"""One direction: who imports whom, what an import costs, and what is public."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from importlib import import_module

import networkx as nx
import pytest
from layers import ORDER, PACKAGE
from places import CORPORA

import gamma_align as ga
from gamma_align.apps.cli._program import _COMMANDS

MODULES = sorted(PACKAGE.rglob("*.py"))

HEAVY = ["ortools", "pandas", "pyarrow", "networkx", "narwhals", "joblib", "scipy.optimize", "polars", "matplotlib"]


def module_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(name):
    """Return the package (or single module) of a module: "gamma_align.reading.read" is in "reading"."""
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

    walk(tree_of(path), None, False)
    return found


@cache
def tree_of(path):
    """Return the syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def ours(path):
    return [entry for entry in imports_of(path) if entry[0].split(".")[0] == "gamma_align"]


NAME = re.compile(r"(?:gamma_align\.)?([a-z_]\w*(?:\.\w+)*)(?::\w+)?")
KNOWN = {module_of(path) for path in MODULES}


def module_named(text):
    """Return the module of "gamma_align.reading.read", "reading.read:read" or "gamma_align.reading.read.read"."""
    match = NAME.fullmatch(text)
    if match is None or not (text.startswith("gamma_align.") or ":" in text):
        return None
    name = f"gamma_align.{match[1]}"
    return next((known for known in (name, name.rpartition(".")[0]) if known in KNOWN - {"gamma_align"}), None)


def names_in(tree):
    """Return (module, line) of each module of ours that a string of a source names."""
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    found = [(module_named(node.value), node.lineno) for node in strings if isinstance(node.value, str)]
    return [(name, line) for name, line in found if name is not None]


def modules_of_patterns(tree):
    """Return (module, line) of modules that an f-string may name: f"gamma_align.apps.cli.{x}" all of cli."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
            package = node.values[0].value.rpartition(".")[0]
            if f"{package}.".startswith("gamma_align."):
                found += [(name, node.lineno) for name in sorted(KNOWN) if name.startswith(f"{package}.")]
    return found


@cache
def named(path):
    """Return (module, line) of each module that a file imports, or names in a string to import it later."""
    imported = [(name, line) for name, line, *_ in ours(path)]
    in_strings = names_in(tree_of(path))
    # a logger and a folder of templates are called by the package they are in
    return imported + [(name, line) for name, line in in_strings if not module_of(path).startswith(f"{name}.")]


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ('import_module("gamma_align.apps.service.server")', {"gamma_align.apps.service.server"}),
        ('_SUBCLASSES = {"a": "apps.service.server:Address"}', {"gamma_align.apps.service.server"}),
        ('"gamma_align.apps.service.server:serve"', {"gamma_align.apps.service.server"}),
        ('import_module(f"gamma_align.kernels.{kind}")', {n for n in KNOWN if n.startswith("gamma_align.kernels.")}),
        ('import_module(f"gamma_align.{module}")', KNOWN - {"gamma_align"}),
        ('"the module gamma_align.apps.service.server"', set()),
        ('"layer:feature"', set()),
    ],
)
def test_the_order_sees_modules_that_a_string_names(text, modules):
    assert {name for name, _ in names_in(ast.parse(text)) + modules_of_patterns(ast.parse(text))} == modules


def test_the_order_names_all_packages():
    assert {package_of(module_of(path)) for path in MODULES} == {*ORDER, ""}


def above(path):
    """Return (module, line) of each module of a later package that a file imports."""
    before = {*ORDER[: ORDER.index(package_of(module_of(path))) + 1]}
    may_import = named(path) + modules_of_patterns(tree_of(path))
    found = [(name, line) for name, line in may_import if package_of(name) not in before]
    if module_of(path).startswith("gamma_align.apps.cli"):  # the command line is a user of the package as others are
        return [(name, line) for name, line in found if name != "gamma_align"]
    return found


def test_a_package_imports_only_packages_before_it():
    inside = [path for path in MODULES if package_of(module_of(path))]
    assert {module_of(path): above(path) for path in inside if above(path)} == {}


def test_only_the_command_line_knows_argparse():
    users = {
        module_of(path) for path in MODULES if any(name.split(".")[0] == "argparse" for name, *_ in imports_of(path))
    }
    own = ("gamma_align.apps.cli", "gamma_align.compat.pygamma.cli_apps")  # the latter is a command line as well
    assert {name for name in users if not name.startswith(own)} == set()


def test_the_service_does_not_know_the_command_line():
    paths = [path for path in MODULES if module_of(path).startswith("gamma_align.apps.service")]
    assert [path for path in paths for name, _ in named(path) if name.startswith("gamma_align.apps.cli")] == []


ROOMS_WITH_A_DOOR = ["chance"]


@pytest.mark.parametrize("path", MODULES, ids=module_of)
def test_a_room_with_a_door_is_entered_through_it(path):
    past = [
        (name, line)
        for name, line, *_ in ours(path)
        for room in ROOMS_WITH_A_DOOR
        if package_of(module_of(path)) != room and name.startswith(f"gamma_align.{room}.") and name.count(".") > 2
    ]
    assert past == []


def test_no_circle_among_files():
    graph = nx.DiGraph()
    for path in MODULES:
        names = [name for name, _ in named(path)]
        targets = {name if name in KNOWN else name.rpartition(".")[0] for name in names} - {"gamma_align"}
        graph.add_edges_from((module_of(path), target) for target in targets)
    assert [sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1] == []


def heavy_at_import(path):
    """Return (module, line) of each heavy package that a file imports outside of a function."""
    return [
        (name, line)
        for name, line, function, types_only in imports_of(path)
        if function is None and not types_only and any(f"{name}.".startswith(f"{heavy}.") for heavy in HEAVY)
    ]


def test_heavy_packages_are_imported_where_they_are_used():
    assert {module_of(path): heavy_at_import(path) for path in MODULES if heavy_at_import(path)} == {}


def loaded_by(code, names=HEAVY):
    """Return which of the modules a fresh interpreter has loaded after running `code`."""
    program = f"{code}\nimport sys\nprint('|'.join(n for n in {list(names)!r} if n in sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return [name for name in run.stdout.splitlines()[-1].split("|") if name]


def command_line(*arguments):
    return f"import gamma_align.apps.cli\ngamma_align.apps.cli.main({list(map(str, arguments))!r})"


WEB = ["fastapi", "starlette", "pydantic", "uvicorn", "gamma_align.apps.service"]


@pytest.mark.surfaces
def test_import_is_light():
    assert loaded_by("import gamma_align", ["numpy", *WEB, *HEAVY]) == []


@pytest.mark.surfaces
def test_commands_load_no_web():
    assert loaded_by(command_line("measure", CORPORA / "pygamma" / "AlexPaulSuzan.csv", "--samples", 2), WEB) == []


@pytest.mark.surfaces
def test_the_probe_sees_heavy_modules():
    assert loaded_by("import gamma_align, scipy.optimize") == ["scipy.optimize"]


@pytest.mark.surfaces
def test_the_command_line_answers_before_it_loads_numpy():
    pages = [[name, page] for name in _COMMANDS for page in ("--help", "--help-reading", "--help-more")]
    program = "\n".join(command_line(*words) for words in [["--version"], ["--help"], ["--cite"], *pages])
    subcommands = [f"gamma_align.apps.cli.{name}" for name in _COMMANDS]
    light = "gamma_align.apps.cli._messages"
    assert loaded_by(program, [light, "numpy", *subcommands, *HEAVY]) == [light]


@pytest.mark.surfaces
def test_the_first_page_of_help_loads_no_declaration():
    assert loaded_by(command_line("--help"), ["gamma_align.errors", "gamma_align.options"]) == []


@pytest.mark.surfaces
def test_a_small_alignment_loads_no_heavy_package():
    program = command_line("align", CORPORA / "pygamma" / "AlexPaulSuzan.csv")
    heavy = ["scipy", "xml", "json", "importlib.metadata", "tempfile", "difflib", "fractions", *HEAVY]
    heavy += [f"gamma_align.{name}" for name in ("distances.numeric", "distances.structured", "data.item_table")]
    heavy += [
        f"gamma_align.{name}"
        for name in (
            "measures.gamma.gamma_result",
            "chance.precision",
            "measures.unitizing.unitizing_alpha",
            "measures.items.core",
            "present.figures",
            "present.table",
        )
    ]
    others = [f"gamma_align.apps.cli.{name}" for name in _COMMANDS if name != "align"]
    assert loaded_by(program, [*heavy, *others, "gamma_align.apps.cli.align"]) == ["gamma_align.apps.cli.align"]


@pytest.mark.parametrize("name", _COMMANDS)
def test_each_subcommand_has_a_module_of_its_name(name):
    assert callable(import_module(f"gamma_align.apps.cli.{name}").run)


@pytest.mark.surfaces
def test_building_a_continuum_is_light():
    assert loaded_by("import gamma_align\ngamma_align.Continuum.from_records([('a', 0, 1, 'x')])") == []


@pytest.mark.surfaces
def test_two_annotators_need_no_ortools():
    code = (
        "import gamma_align\n"
        "c = gamma_align.Continuum.from_records([('a', 0, 1, 'x'), ('b', 0, 2, 'x')])\n"
        "assert gamma_align.align(c).is_optimal"
    )
    assert "ortools" not in loaded_by(code)


def test_type_checkers_see_the_public_names_where_they_are():
    nodes = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body
    stated = {
        alias.asname: f"{'.'.join(filter(None, ['gamma_align', node.module]))}:{alias.name}"
        for node in nodes
        for alias in node.names
    }
    assert stated == {**ga._PATHS, "distances": "gamma_align:distances"}


def test_every_module_is_documented():
    trees = {module_of(path): tree_of(path) for path in MODULES}
    bare = [name for name, tree in trees.items() if tree.body and ast.get_docstring(tree) is None]
    assert bare == []


def test_no_module_binds_a_name_twice():
    # constants of two modules that are joined must not take each other's place
    twice = []
    for path in MODULES:
        body = tree_of(path).body
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
