"""Formulas of pages become MathML, and a formula that cannot be converted is an error."""

import re

import pytest

pytest.importorskip("latex2mathml")
formulas = pytest.importorskip("formulas", reason="needs Sphinx")


def elements(formula):
    return re.findall(r"<(\w+)", formulas._mathml(formula, "block"))


def test_a_fraction_is_mathml():
    assert elements(r"\gamma = 1 - \frac{\delta}{\delta_e}").count("mfrac") == 1


@pytest.mark.parametrize("formula", [r"a &= b \\ c &= d", r"\begin{aligned} a &= b \\ c &= d \end{aligned}"])
def test_lines_are_rows_of_a_table(formula):
    assert elements(formula).count("mtr") == 2
    assert elements(formula).count("mtd") == 4


@pytest.mark.parametrize("formula", [r"\nosuchcommand{x}", r"a & b"])
def test_a_formula_that_would_stand_on_the_page_as_it_is_is_an_error(formula):
    with pytest.raises(ValueError, match="write it otherwise"):
        formulas._mathml(formula, "inline")


def test_no_space_is_set_around_bars():
    mathml = formulas._mathml(r"|s_u - s_v| + |x|", "inline")
    assert mathml.count('<mo lspace="0" rspace="0" stretchy="false">&#x0007C;</mo>') == 4
