"""An option is declared once; help, signatures, docstrings, JSON Schema, form and documentation are rendered."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import gamma_align as ga
from gamma_align.errors import SettingsError
from gamma_align.insight.consensus.consensus_options import CONSENSUS_OPTIONS
from gamma_align.insight.disagreements.disagreements_options import DISAGREEMENT_OPTIONS
from gamma_align.measures.gamma.gamma_options import CONVENTION_VALUES, GAMMA_OPTIONS
from gamma_align.measures.reference.reference_options import IOU, REFERENCE_OPTIONS, ZERO_DIVISION
from gamma_align.measures.unitizing.unitizing_options import UNITIZING_OPTIONS
from gamma_align.options import Choice, Flag, Option, Real, Whole, resolved
from gamma_align.present.page.page_options import REPORT_OPTIONS
from gamma_align.reading.options import OUTSIDE, READING_OPTIONS
from gamma_align.simulation.simulation_options import (
    COPY_OPTIONS,
    CURVE_OPTIONS,
    ERROR_MAGNITUDE,
    ERROR_OPTIONS,
    GRID_REPETITIONS,
    PLAN_OPTIONS,
)

ROOT = Path(__file__).parents[1]
DEFAULTS_OF_PYTHON = ("measures", "cases", "mismatch", "align_text", "repeated", "seen")
"""Options whose default in Python differs from the command line, such as False for no cases."""


def generator():
    spec = importlib.util.spec_from_file_location("make_options", ROOT / "tools" / "options" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", generator().FILES)
def test_generated_files_match_the_declarations(path):
    assert (ROOT / path).read_text(encoding="utf-8") == generator().FILES[path]()


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (ga.gamma, GAMMA_OPTIONS),
        (ga.GammaSettings.of, GAMMA_OPTIONS),
        (ga.pairwise, GAMMA_OPTIONS),
        (ga.families, GAMMA_OPTIONS),
        (ga.evaluate, (*REFERENCE_OPTIONS, *GAMMA_OPTIONS)),
        (ga.pairwise_f1, (IOU, ZERO_DIVISION)),
        (ga.disagreements, (*DISAGREEMENT_OPTIONS.options, *GAMMA_OPTIONS)),
        (ga.html_report, (*REPORT_OPTIONS.options, *GAMMA_OPTIONS)),
        (ga.consensus, CONSENSUS_OPTIONS.options),
        (ga.curve, (*CURVE_OPTIONS.options, *GAMMA_OPTIONS)),
        (ga.plan, (*PLAN_OPTIONS.options, *GAMMA_OPTIONS)),
        (ga.shuffle, (ERROR_MAGNITUDE, *COPY_OPTIONS, *ERROR_OPTIONS.options)),
        (ga.shuffle_grid, (GRID_REPETITIONS, *COPY_OPTIONS, *ERROR_OPTIONS.options)),
        (ga.unitizing_alpha, UNITIZING_OPTIONS.options),
        (ga.read, (*READING_OPTIONS, OUTSIDE)),
    ],
)
def test_signatures_and_docstrings_have_every_option(function, options):
    parameters = inspect.signature(function).parameters
    for option in options:
        default = parameters[option.name].default
        assert default in (option.own_default, inspect.Parameter.empty) or option.name in DEFAULTS_OF_PYTHON
        assert f"\n{option.name} : " in inspect.getdoc(function)
    assert not re.search(r"\*\*\w", inspect.getdoc(function))


def test_every_declared_option_decides_a_setting():
    written = {**ga.GammaSettings.of().to_dict(), "distance": None}  # the distance is named "categorial" there
    assert [option.name for option in GAMMA_OPTIONS if option.name not in written] == []


def test_defaults_are_within_their_ranges():
    for option in GAMMA_OPTIONS:
        for conventions in CONVENTION_VALUES:
            value = option.value_under(conventions)
            assert value is None or option.kind.problem(value) is None


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        (Real(above=0), 0, "must be above 0"),
        (Real(at_least=0), -0.1, "must be 0 or more"),
        (Real(above=0, below=1), 1.0, "must be between 0 and 1"),
        (Real(), float("inf"), "must be a finite number"),
        (Real(), "1", "must be a number"),
        (Real(at_least=0, at_most=1), 2, "must be from 0 to 1"),
        (Real(at_least=1, at_most=2, or_zero=True), 0.5, "must be 0, or from 1 to 2"),
        (Real(above=0, at_most=1), 0, "must be above 0 and at most 1"),
        (Whole(2), 1, "must be 2 or more"),
        (Whole(2), 2.5, "must be a whole number"),
        (Whole(0, at_most=1), 2, "must be from 0 to 1"),
        (Flag(), 1, "must be True or False"),
        (Choice(("a", "b")), "c", "must be one of a, b"),
        (Choice(("yes", "auto"), values={"yes": True}), 1, "must be True or 'auto'"),
    ],
)
def test_a_value_outside_its_range_is_refused_with_the_range(kind, value, problem):
    with pytest.raises(SettingsError, match=rf"^x {problem}, not "):
        Option("x", kind, "").check(value)


def test_zero_is_in_a_range_that_allows_it():
    Option("x", Real(at_least=1, at_most=2, or_zero=True), "").check(0)


def test_a_value_that_is_none_is_decided_by_the_conventions():
    values = resolved(GAMMA_OPTIONS, {"conventions": "authors", "alpha": None, "beta": 2.0}, "γ")
    assert (values["alpha"], values["beta"], values["min_distance"]) == (3.0, 2.0, "half")
