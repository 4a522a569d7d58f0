"""Run the tests, the notebook and the examples of pygamma-agreement through `gamma_align.compat.pygamma`.

    python tools/peers/pygamma_suite.py CHECKOUT [OUTPUT]

CHECKOUT is a checkout of https://github.com/bootphon/pygamma-agreement (MIT), which is not part of this repository.
The package name ``pygamma_agreement`` is an alias of the layer while they run: nothing else of them is changed. Needed
besides gamma_align: pytest, pyannote.core and sortedcontainers, which the tests themselves import. The results are
written as a table.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

ALIAS = """
import importlib, sys

LAYER = "gamma_align.compat.pygamma"
for name in ("", "alignment", "cli_apps", "continuum", "cst", "dissimilarity", "notebook", "sampler"):
    module = importlib.import_module(f"{LAYER}.{name}" if name else LAYER)
    sys.modules[f"pygamma_agreement.{name}" if name else "pygamma_agreement"] = module
"""
NOTEBOOK = """
import json, sys
cells = json.load(open(sys.argv[1], encoding="utf-8"))["cells"]
names = {}
for cell in cells:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
"""


def main(checkout: Path, output: Path | None) -> None:
    """Run everything, and print or write the table."""
    with tempfile.TemporaryDirectory() as folder:
        # A module of this name is imported when Python starts, so also in the commands that the tests run.
        Path(folder, "sitecustomize.py").write_text(ALIAS, encoding="utf-8")
        path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        rows = suite(checkout, environment, Path(folder))
        example = checkout / "docs/source/examples/quickstart.py"
        rows.append(("docs/source/examples/quickstart.py", run([str(example)], checkout, environment), ""))
        script = Path(folder, "notebook.py")
        script.write_text(NOTEBOOK, encoding="utf-8")
        notebook = [str(script), "Example.ipynb"]
        rows.append(("notebooks/Example.ipynb", run(notebook, checkout / "notebooks", environment), ""))
    text = table(rows)
    if output is None:
        print(text)
    else:
        output.write_text(text, encoding="utf-8")


def suite(checkout: Path, environment: dict[str, str], folder: Path) -> list[tuple[str, str, str]]:
    """Return (test, outcome, message) of each test."""
    report = folder / "report.xml"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        f"--junitxml={report}",
        "tests",
    ]
    subprocess.run(command, cwd=checkout, env=environment, check=False, capture_output=True)
    rows = []
    for case in ET.parse(report).iter("testcase"):  # noqa: S314  (pytest wrote it)
        problem = case.find("failure") if case.find("error") is None else case.find("error")
        name = f"{case.get('classname', '').removeprefix('tests.')}::{case.get('name')}"
        message = "" if problem is None else " ".join((problem.get("message") or "").split())[:160]
        rows.append((name, "passed" if problem is None else "failed", message))
    return rows


def run(arguments: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a script and return whether it ended without an error."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(done.stderr, file=sys.stderr)
    return "passed" if done.returncode == 0 else "failed"


def table(rows: list[tuple[str, str, str]]) -> str:
    """Return the results as Markdown."""
    tests = [row for row in rows if "::" in row[0]]
    passed = sum(outcome == "passed" for _, outcome, _ in tests)
    lines = [
        "# pygamma-agreement's own tests through the layer",
        "",
        "Written by `python tools/peers/pygamma_suite.py CHECKOUT tools/peers/results/pygamma_suite.md`.",
        "",
        f"{passed} of {len(tests)} tests pass.",
        "",
        "| test or example | outcome | message |",
        "|---|---|---|",
    ]
    lines += [f"| {name} | {outcome} | {message.replace('|', '∣')} |" for name, outcome, message in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
