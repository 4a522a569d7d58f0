"""Each extra alone is missing: what needs it names the command that installs it, and everything else works."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CSV = ROOT / "corpora/pygamma/AlexPaulSuzan.csv"
PARQUET = ROOT / "corpora/hearst_kazantseva"

MODULES = {  # of the packages that an extra installs, those that no other extra installs
    "parquet": ["pyarrow"],
    "spreadsheets": ["python_calamine"],
    "parallel": ["joblib", "cloudpickle"],
    "dask": ["dask", "distributed"],
    "spacy": ["spacy"],
    "plot": ["matplotlib"],
    "completion": ["argcomplete"],
    "web": ["fastapi", "pydantic", "starlette", "uvicorn", "h11", "python_multipart", "multipart"],
}
USES = {  # commands that need an extra; {} is a folder for outputs
    "parquet": [["measure", PARQUET], ["convert", CSV, "{}/data", "--to", "parquet"]],
    "parallel": [],  # a program in Python uses it: tests of workers
    "dask": [["measure", CSV, "--dask", "tcp://127.0.0.1:9"]],
    "spreadsheets": [["measure", ROOT / "corpora/formats/spreadsheet/units.xlsx"]],
    "spacy": [["measure", ROOT / "corpora/formats/spacy/docbin.spacy"]],
    "plot": [["measure", CSV, "--plot", "{}/plot.svg"]],
    "completion": [["--completion", "bash"]],
    "web": [["serve"]],
}
OTHERS = [  # commands that need no extra
    ["--version"],
    ["measure", CSV, "--samples", "2", "--work", "{}/work", "--json"],
    ["measure", CSV, "--samples", "2", "--jobs", "2"],
    ["validate", CSV],
    ["align", CSV, "--svg", "{}/drawing.svg"],
    ["report", CSV, "--samples", "2", "-o", "{}/report.html"],
    ["convert", CSV, "{}/units.csv"],
    ["disagreements", CSV],
    ["consensus", CSV],
]
# Of commands that need another extra, those that end soon and start no server and no cluster.
QUICK = {
    "parquet": [["validate", PARQUET]],
    "plot": [["measure", CSV, "--samples", "2", "--plot", "{}/plot.svg"]],
    "completion": [["--completion", "bash"]],
}
NEEDS_TOO = {"dask": "parallel"}  # the extra dask installs joblib as well

PROGRAM = """
import contextlib, importlib.abc, io, json, sys, warnings

blocked, commands = json.loads(sys.argv[1])

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Finder())
from gamma_align.apps.cli import main

results = []
for command in commands:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(command)
    results.append([code, err.getvalue()])
print(json.dumps(results))
"""


def results(blocked, commands, folder):
    """Return the exit code and the messages of commands, run one after the other without some modules."""
    filled = [[str(argument).replace("{}", str(folder)) for argument in command] for command in commands]
    program = [sys.executable, "-c", PROGRAM, json.dumps([blocked, filled])]
    done = subprocess.run(program, capture_output=True, text=True, encoding="utf-8", check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_all_extras_are_tested():
    assert {*PROJECT["optional-dependencies"]} - {"all"} == {*MODULES} == {*USES}


@pytest.mark.surfaces
@pytest.mark.parametrize("extra", MODULES)
def test_without_an_extra_its_uses_name_it_and_all_else_works(extra, tmp_path):
    dependent = [name for name, needed in NEEDS_TOO.items() if needed == extra]
    others = [command for name in QUICK if name not in (extra, *dependent) for command in QUICK[name]]
    found = results(MODULES[extra], [*USES[extra], *OTHERS, *others], tmp_path)
    for code, message in found[: len(USES[extra])]:
        assert code == 2
        assert f"pip install 'gamma-align[{extra}]'" in message
        assert "bug of gamma-align" not in message
    for command, (code, message) in zip([*OTHERS, *others], found[len(USES[extra]) :], strict=True):
        assert code == 0, (command, message)


@pytest.mark.surfaces
def test_without_any_extra_the_commands_that_need_none_work(tmp_path):
    blocked = [module for modules in MODULES.values() for module in modules]
    for command, (code, message) in zip(OTHERS, results(blocked, OTHERS, tmp_path), strict=True):
        assert code == 0, (command, message)


def imported_packages():
    """Yield the packages that modules import, at their top or in functions."""
    for path in (ROOT / "gamma_align").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            yield from (name.partition(".")[0] for name in names)


def test_each_imported_package_is_declared():
    extras = PROJECT["optional-dependencies"].values()
    declared = [*PROJECT["dependencies"], *(requirement for extra in extras for requirement in extra)]
    names = {re.split(r"[^\w-]", requirement)[0].lower().replace("-", "_") for requirement in declared} | {
        "distributed"
    }
    # Packages whose types or functions are a part of the interface of a declared one, which depends on them.
    given = {"markupsafe": "jinja2", "starlette": "fastapi", "h11": "uvicorn"}
    assert {*given.values()} <= names
    # A notebook shows pictures by itself, and brings IPython along.
    others = {"gamma_align", "_typeshed", "IPython"}
    assert {*imported_packages()} - {*sys.stdlib_module_names} - others <= names | {*given}
