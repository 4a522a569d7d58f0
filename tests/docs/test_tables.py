"""Tables and counts in the documentation are those of the package: exit codes, extras, errors over HTTP, formats."""

from __future__ import annotations

import importlib
import itertools
import re
import tomllib

import make
import pytest
from places import ROOT

import gamma_align as ga
from gamma_align.apps import cli
from gamma_align.apps.cli._messages import EXIT_CODES, ExitCode
from gamma_align.reading.formats import formats

CODES = {int(code) for code in ExitCode}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def rows_of(page, heading):
    """Return the rows of the first table below a heading, each a list of cells."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    below = re.split(rf"^#+ {heading}$", text, maxsplit=1, flags=re.MULTILINE)[1]
    lines = re.search(r"^\|.*?\n(?!\|)", below, re.DOTALL | re.MULTILINE)[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_table_of_exit_codes_is_complete():
    assert {int(code) for code, _ in rows_of("look_up/exit_codes.md", "Exit codes")} == CODES


def test_help_and_docstring_name_all_exit_codes():
    assert {int(code) for code in re.findall(r"[:,] (\d+) ", EXIT_CODES)} == CODES
    codes = cli.__doc__.partition("Exit codes")[2]
    assert {int(code) for code in re.findall(r"(?:^|· ?)(\d+) ", codes, re.MULTILINE)} == CODES


def test_the_table_of_extras_is_complete():
    assert {name.strip("`") for name, _ in rows_of("look_up/systems.md", "Extras")} == set(EXTRAS)


def test_the_table_of_extras_names_those_that_all_does_not_install():
    text = dict(rows_of("look_up/systems.md", "Extras"))["`all`"]
    included = set(re.search(r"\[(.*)\]", EXTRAS["all"][0])[1].split(","))
    assert set(re.findall(r"`(\w+)`", text)) == set(EXTRAS) - included - {"all"}


def test_the_table_of_errors_over_http_is_complete():
    pytest.importorskip("fastapi")
    refusal = importlib.import_module("gamma_align.apps.service.refusal")
    statuses = {
        (int(status), code.strip("`"))
        for numbers, codes, _ in rows_of("look_up/service.md", "Errors")
        for status, code in itertools.product(numbers.split(", "), codes.split(", "))
    }
    assert set(map(tuple, map(reversed, refusal.STATUS.items()))) <= statuses
    assert {code for _, code in statuses} == set(refusal.STATUS)
    assert {status for status, _ in statuses} == set(refusal.STATUS.values())


def test_the_readme_counts_the_formats():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert int(re.search(r"in (\d+) formats", readme)[1]) == len(list(formats()))


def test_modules_and_public_names_on_pages_exist():
    pages = [*make.PAGES, ROOT / "CONTRIBUTING.md", *(ROOT / "tools").rglob("README.md")]
    for page in pages:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        paths = re.findall(r"`((?:gamma_align|tests|tools|docs)/[\w/.]*)`", text)
        assert [path for path in paths if "NAME" not in path and not (ROOT / path).exists()] == [], page
        names = re.findall(r"`ga\.([a-z_]+|[A-Z]\w+)\b", text)
        assert [name for name in names if not hasattr(ga, name)] == [], page


def test_counts_of_reproduced_values_are_those_of_the_results():
    results = ROOT / "tools" / "reproduction" / "results"
    values, equal = re.search(
        r"(\d+) printed values: (\d+) equal", (results / "examples.txt").read_text(encoding="utf-8")
    ).groups()
    kept, claims = re.search(
        r"(\d+) of (\d+) claims", (results / "mathet2017" / "mathet2017.txt").read_text(encoding="utf-8")
    ).groups()
    pages = ("understand/papers.md", "evidence/tests.md")
    text = "\n".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in pages)
    assert set(re.findall(r"(\d+)\s+printed\s+values", text)) == {values}
    assert set(re.findall(r"(\d+)\s+come\s+out\s+to\s+the\s+last\s+digit", text)) <= {equal}
    assert set(re.findall(r"(\d+)\s+of\s+its\s+\d+\s+claims", text)) <= {kept}
    assert set(re.findall(r"(\d+)\s+claims", text)) == {claims}


@pytest.mark.parametrize(
    ("heading", "result"),
    [
        ("Misprints: values that contradict their own tables", "examples.txt"),
        ("Values of Mathet 2017 that we do not get", "examples.txt"),
        ("Claims of Mathet 2017 that do not come out", "mathet2017/mathet2017.txt"),
    ],
)
def test_numbers_of_the_page_on_papers_are_those_of_the_results(heading, result):
    text = (ROOT / "tools" / "reproduction" / "results" / result).read_text(encoding="utf-8")
    shown = [
        re.search(r"-?[\d.]+( %)?", cell)[0] for row in rows_of("understand/papers.md", heading) for cell in row[1:-1]
    ]
    assert len(shown) >= 5
    assert [number for number in shown if not re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", text)] == []
