"""A new distance takes one class and one line, as CONTRIBUTING says."""

from __future__ import annotations

import subprocess
import sys

import pytest
from copied_package import copy_package

import gamma_align as ga

CLASS = """
from dataclasses import dataclass
from typing import ClassVar

from gamma_align.distances.base import Distance
import numpy as np

@dataclass(frozen=True, slots=True)
class FirstLetter(Distance):
    name: ClassVar[str] = "first-letter"

    def _matrix(self, labels):
        return np.array([[float(a[0] != b[0]) for b in labels] for a in labels])
"""
LINE = '    "first-letter": "gamma_align.distances.first_letter:FirstLetter",\n'
UNITS = "document,annotator,start,end,category\\nd,a,0,4,Ax\\nd,b,0,4,Ay\\nd,a,6,9,B\\nd,b,6,9,C\\n"
CODE = f"""
import gamma_align as ga, pathlib
from gamma_align.apps.cli import main
assert "FirstLetter" in ga.distances.__all__
print(ga.distances.FirstLetter())
pathlib.Path("units.csv").write_text("{UNITS}")
main(["measure", "units.csv", "--samples", "3", "--distance", "first-letter"])
"""


def test_a_distance_takes_one_class_and_one_line(tmp_path):
    environment = copy_package(tmp_path)
    distances = tmp_path / "gamma_align" / "distances"
    (distances / "first_letter.py").write_text(CLASS, encoding="utf-8")
    registry = distances / "registry.py"
    text = registry.read_text(encoding="utf-8")
    registry.write_text(text.replace("KINDS = {\n", f"KINDS = {{\n{LINE}"), encoding="utf-8")
    command = [sys.executable, "-P", "-c", CODE]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("FirstLetter()\n")
    assert "first-letter" in run.stdout


def test_a_misspelt_distance_has_a_suggestion():
    with pytest.raises(ga.SettingsError, match=r"not 'ordnal'; did you mean ordinal\?"):
        ga.distances.as_distance("ordnal")
    with pytest.raises(AttributeError, match=r"no attribute 'Ordnal'; did you mean Ordinal or GwetOrdinal\?"):
        ga.distances.Ordnal  # noqa: B018
