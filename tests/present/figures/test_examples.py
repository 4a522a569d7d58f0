"""Examples in docstrings of the room run and give what they say."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.present import figures as drawing

MODULES = sorted(path.stem for path in Path(drawing.__file__).parent.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = import_module(f"gamma_align.present.figures.{name}")
    results = doctest.testmod(module, extraglobs={"ga": ga, "np": np})
    assert results.failed == 0


def test_there_are_examples():
    parser = doctest.DocTestFinder()
    found = [test for name in MODULES for test in parser.find(import_module(f"gamma_align.present.figures.{name}"))]
    assert sum(bool(test.examples) for test in found) > 8
