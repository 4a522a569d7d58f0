"""Run the programs that are not Python: R's irr and DKPro Statistics (Java), on the data of `cases`."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from cases import BINARY, INCEPTION, JUDGMENTS, SETS, THREE, TWO, UNITS

HERE = Path(__file__).parent
FIXTURES = HERE.parents[1] / "tests" / "golden" / "gamma.json"
ITEMS = {"two": TWO, "three": THREE, "binary": BINARY, "judgments": JUDGMENTS, "sets": SETS}
N_RANDOM = 40
RANDOM_DELTAS = (1.0, 0.5, 2.0)
N_SAMPLES, N_SEEDS = 3000, 100
ENLARGED = 1000  # the factor of positions
UNIT_WEIGHTS = {"alpha": 1.0, "beta": 1.0, "delta_empty": 1.0}
SAMPLED = {"units of cases.py": 1, "units of cases.py × 100": 100}
"""Continua of which γ is compared with many samples, and the factor of their positions.

DKPro rounds samples to whole positions, which is nothing to positions of thousands.
"""

Entry = dict[str, object]
"""The version and the values of a program, or why there are none."""


def continua() -> dict[str, tuple[list[tuple[str, int, int, str]], dict[str, float]]]:
    """Return units and weights by the name of the continuum."""
    result = {}
    for name, factor in SAMPLED.items():
        result[name] = ([(who, start * factor, end * factor, label) for who, start, end, label in UNITS], UNIT_WEIGHTS)
    for name, (units, _) in INCEPTION.items():
        result[name] = (units, UNIT_WEIGHTS)
        enlarged = [(who, start * ENLARGED, end * ENLARGED, label) for who, start, end, label in units]
        result[enlarged_name(name)] = (enlarged, UNIT_WEIGHTS)
    for fixture in json.loads(FIXTURES.read_text(encoding="utf-8"))["fixtures"]:
        weights = {name: fixture[name] for name in UNIT_WEIGHTS}
        result[fixture["id"]] = ([(name, int(a), int(b), label) for name, a, b, label in fixture["units"]], weights)
    generator = np.random.default_rng(0)
    for number in range(N_RANDOM):
        weights = UNIT_WEIGHTS | {"delta_empty": RANDOM_DELTAS[number % len(RANDOM_DELTAS)]}
        result[f"random {number}"] = (random_units(generator), weights)
    return result


def enlarged_name(name: str) -> str:
    """Return the name of a document of INCEpTION's tests with positions that rounding leaves as they are."""
    return f"{name} × {ENLARGED}"


def is_inception(name: str) -> bool:
    return name.split(" × ", maxsplit=1)[0] in INCEPTION


def random_units(generator: np.random.Generator) -> list[tuple[str, int, int, str]]:
    """Return the units of two to four annotators, which may overlap and have three categories."""
    units = []
    for annotator in range(generator.integers(2, 5)):
        for _ in range(generator.integers(1, 7)):
            start = int(generator.integers(0, 60))
            label = "abc"[generator.integers(3)]
            units.append((f"annotator {annotator}", start, start + int(generator.integers(1, 15)), label))
    # DKPro takes equal units of an annotator for one.
    return sorted(set(units))


def write_data(folder: Path) -> None:
    """Write items and continua as tables that R and Java read without a library."""
    for name, rows in ITEMS.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    with (folder / "continua.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        for name, (units, weights) in continua().items():
            is_sampled = int(name in SAMPLED or is_inception(name))
            writer.writerows([name, *unit, *weights.values(), is_sampled] for unit in units)


def run_irr(library: str | None = None) -> Entry:
    """Return the values of R's irr; `library` is the folder in which it is installed, if R does not know it."""
    if shutil.which("Rscript") is None:
        return {"missing": "there is no R"}
    extra = [] if library is None else [str(Path(library).resolve())]
    return _values(lambda folder: ["Rscript", "theirs.R", folder, *extra])


def run_dkpro(checkout: str | None, jars: str) -> Entry:
    """Compile the module of agreement of a checkout of DKPro Statistics, and return its values.

    `jars` is a class path with commons-math3, commons-lang3, slf4j and ojAlgo.
    """
    if checkout is None:
        return {"missing": "no checkout was given"}
    if shutil.which("javac") is None:
        return {"missing": "there is no javac"}
    root = Path(checkout)
    sources = sorted(str(path) for path in (root / "dkpro-statistics-agreement/src/main/java").rglob("*.java"))
    project = (root / "pom.xml").read_text(encoding="utf-8")
    version = re.search(r"</parent>.*?<version>([^<]+)</version>", project, re.DOTALL)
    jars = ":".join(str(Path(jar).resolve()) for jar in jars.split(":"))
    with tempfile.TemporaryDirectory() as classes:
        done = _run(["javac", "-nowarn", "-d", classes, "-cp", jars, *sources])
        if done.returncode:
            return {"missing": reason(done.stderr)}
        path = f"{classes}:{jars}"
        counts = [str(N_SAMPLES), str(N_SEEDS)]
        entry = _values(lambda folder: ["java", "-cp", path, "Theirs.java", folder, *counts])
    return entry | {"version": version.group(1) if version else ""}


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)


def reason(text: str) -> str:
    """Return the first line that names an error; R and Java print what they did before and after it."""
    lines = text.strip().splitlines() or ["it ended without a message"]
    return next((line for line in lines if "rror" in line or "xception" in line), lines[-1])


def _values(command: Callable[[str], list[str]]) -> Entry:
    """Run a program on the data, and return the lines that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        write_data(Path(folder))
        done = _run(command(folder))
    if done.returncode:
        return {"missing": reason(done.stderr)}
    values = dict(line.split("\t") for line in done.stdout.splitlines())
    version = values.pop("version", "")
    return {"version": version, "values": {name: float(value) for name, value in values.items()}}
