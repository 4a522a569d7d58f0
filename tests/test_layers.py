"""One direction: who imports whom, what an import costs, and what is public."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import networkx as nx
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.apps.cli._program import _COMMANDS

PACKAGE = Path(ga.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# A package imports itself and the packages before it in this list.
# fmt: off
ORDER = [
    "errors", "options", "columns", "version", "kernels", "data", "distances", "inference", "alignment", "work",
    "measures", "insight", "reading", "simulation", "present", "compat", "apps",
]
# fmt: on
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

    walk(ast.parse(path.read_text(encoding="utf-8")), None, False)
    return found


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


def names_in(text):
    """Return (module, line) of each module of ours that a string of a source text names."""
    strings = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
    found = [(module_named(node.value), node.lineno) for node in strings if isinstance(node.value, str)]
    return [(name, line) for name, line in found if name is not None]


def modules_of_patterns(text):
    """Return (module, line) of modules that an f-string may name: f"gamma_align.apps.cli.{x}" all of cli."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
            package = node.values[0].value.rpartition(".")[0]
            if f"{package}.".startswith("gamma_align."):
                found += [(name, node.lineno) for name in sorted(KNOWN) if name.startswith(f"{package}.")]
    return found


@cache
def named(path):
    """Return (module, line) of each module that a file imports, or names in a string to import it later."""
    imported = [(name, line) for name, line, *_ in ours(path)]
    in_strings = names_in(path.read_text(encoding="utf-8"))
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
    assert {name for name, _ in names_in(text) + modules_of_patterns(text)} == modules


def test_the_order_names_all_packages():
    assert {package_of(module_of(path)) for path in MODULES} == {*ORDER, ""}


@pytest.mark.parametrize("path", [p for p in MODULES if package_of(module_of(p))], ids=module_of)
def test_a_package_imports_only_packages_before_it(path):
    before = {*ORDER[: ORDER.index(package_of(module_of(path))) + 1]}
    may_import = named(path) + modules_of_patterns(path.read_text(encoding="utf-8"))
    above = [(name, line) for name, line in may_import if package_of(name) not in before]
    if module_of(path).startswith("gamma_align.apps.cli"):  # the command line is a user of the package as others are
        above = [(name, line) for name, line in above if name != "gamma_align"]
    assert above == []


def test_no_circle_among_files():
    graph = nx.DiGraph()
    for path in MODULES:
        names = [name for name, _ in named(path)]
        targets = {name if name in KNOWN else name.rpartition(".")[0] for name in names} - {"gamma_align"}
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
    return f"import gamma_align.apps.cli\ngamma_align.apps.cli.main({list(map(str, arguments))!r})"


WEB = ["fastapi", "starlette", "pydantic", "uvicorn", "gamma_align.apps.service"]


def test_import_is_light():
    assert loaded_by("import gamma_align", ["numpy", *WEB, *HEAVY]) == []


def test_commands_load_no_web():
    assert loaded_by(command_line("measure", CORPORA / "pygamma" / "AlexPaulSuzan.csv", "--samples", 2), WEB) == []


def test_the_probe_sees_heavy_modules():
    assert loaded_by("import gamma_align, scipy.optimize") == ["scipy.optimize"]


HELP = [f"{name} {page}" for name in _COMMANDS for page in ("--help", "--help-reading", "--help-more")]


@pytest.mark.parametrize("arguments", ["--version", "--help", "--cite", *HELP])
def test_the_command_line_answers_before_it_loads_numpy(arguments):
    program = command_line(*arguments.split())
    subcommands = [f"gamma_align.apps.cli.{name}" for name in _COMMANDS]
    assert loaded_by(program, ["numpy", *subcommands, *HEAVY]) == []
    assert loaded_by(program, ["gamma_align.apps.cli._messages"]) == ["gamma_align.apps.cli._messages"]


def test_the_first_page_of_help_loads_no_declaration():
    assert loaded_by(command_line("--help"), ["gamma_align.errors", "gamma_align.options"]) == []


def test_a_small_alignment_loads_no_heavy_package():
    program = command_line("align", CORPORA / "pygamma" / "AlexPaulSuzan.csv")
    heavy = ["scipy", "xml", "json", "importlib.metadata", "tempfile", "difflib", "fractions", *HEAVY]
    heavy += [f"gamma_align.{name}" for name in ("distances.numeric", "distances.structured", "data.item_table")]
    heavy += [
        f"gamma_align.{name}"
        for name in (
            "measures.gamma.gamma_result",
            "measures.gamma.precision",
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


def test_building_a_continuum_is_light():
    assert loaded_by("import gamma_align\ngamma_align.Continuum.from_records([('a', 0, 1, 'x')])") == []


def test_two_annotators_need_no_ortools():
    code = (
        "import gamma_align\n"
        "c = gamma_align.Continuum.from_records([('a', 0, 1, 'x'), ('b', 0, 2, 'x')])\n"
        "assert gamma_align.align(c).is_optimal"
    )
    assert "ortools" not in loaded_by(code)


def test_every_module_is_documented():
    texts = {module_of(path): path.read_text(encoding="utf-8") for path in MODULES}
    bare = [name for name, text in texts.items() if text.strip() and ast.get_docstring(ast.parse(text)) is None]
    assert bare == []


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
