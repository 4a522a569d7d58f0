"""Quantiles of Student's t, against SciPy and against values of more digits."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

from gamma_align.inference.student import t_quantile, t_quantiles

FREEDOM = np.concatenate([np.arange(1.0, 130.0), np.linspace(1, 60, 777), np.geomspace(60, 1e16, 300)])


@pytest.mark.parametrize("level", [0.1, 0.5, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999])
def test_quantiles_equal_those_of_scipy(level):
    tolerance = 1e-15 / (1 - level) + 1e-13  # 1 - level is rounded
    assert t_quantiles(FREEDOM, level) == pytest.approx(stdtrit(FREEDOM, (1 + level) / 2), rel=tolerance)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [  # by mpmath with 40 digits, from the incomplete beta function
        (1.076, 10.76982819484521052),
        (2.5, 3.574654842003683218),
        (7.0, 2.364624251592785342),
        (37.3, 2.025642523077960704),
        (400.0, 1.965912343229463157),
        (1e5, 1.959987707534609639),
    ],
)
def test_quantiles_are_exact_to_rounding_errors(freedom, quantile):
    assert t_quantile(freedom) == pytest.approx(quantile, rel=3e-15)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_infinite_degrees_of_freedom_are_the_normal_distribution(level):
    assert t_quantile(math.inf, level) == pytest.approx(ndtri((1 + level) / 2), rel=1e-15)


def test_no_degrees_of_freedom_give_an_infinite_width():
    assert t_quantiles(np.array([0.0, -1.0, 3.0])).tolist() == [math.inf, math.inf, t_quantile(3.0)]


def test_quantiles_do_not_depend_on_their_neighbours():
    alone = [t_quantile(freedom) for freedom in FREEDOM[:200].tolist()]
    assert t_quantiles(FREEDOM)[:200].tolist() == alone
    assert t_quantiles(FREEDOM[:200].reshape(10, 20)).ravel().tolist() == alone
    assert t_quantiles(np.array([])).tolist() == []


@pytest.mark.surfaces
def test_measure_does_not_import_the_special_functions_of_scipy():
    code = (
        "import sys, gamma_align as ga; ga.gamma({'a': [(0, 4, 'x')], 'b': [(1, 5, 'x')]});"
        "print([name for name in sys.modules if name.startswith('scipy')])"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
