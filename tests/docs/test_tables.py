"""Tables of exit codes and of extras list what the package declares."""

from __future__ import annotations

import re
import tomllib

from places import ROOT

from gamma_align import cli
from gamma_align.cli._messages import EXIT_CODES, ExitCode

CODES = {int(code) for code in ExitCode}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def rows_of(page, heading):
    """Return the rows of the first table below a heading, each a list of cells."""
    below = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    lines = re.search(r"^\|.*?\n(?!\|)", below, re.DOTALL | re.MULTILINE)[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_table_of_exit_codes_is_complete():
    assert {int(code) for code, _ in rows_of("commands/index.md", "Exit codes")} == CODES


def test_help_and_docstring_name_all_exit_codes():
    assert {int(code) for code in re.findall(r"[:,] (\d+) ", EXIT_CODES)} == CODES
    codes = cli.__doc__.partition("Exit codes")[2]
    assert {int(code) for code in re.findall(r"(?:^|· ?)(\d+) ", codes, re.MULTILINE)} == CODES


def test_the_table_of_extras_is_complete():
    assert {name.strip("`") for name, _ in rows_of("start.md", "Install")} == set(EXTRAS)


def test_the_table_of_extras_names_those_that_all_does_not_install():
    text = dict(rows_of("start.md", "Install"))["`all`"]
    included = set(re.search(r"\[(.*)\]", EXTRAS["all"][0])[1].split(","))
    assert set(re.findall(r"`(\w+)`", text)) == set(EXTRAS) - included - {"all"}
