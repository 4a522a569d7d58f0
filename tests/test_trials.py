"""What CONTRIBUTING says is added in one place is added in a copy of the package, and seen wherever users see it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from copied_package import copy_package
from places import ROOT
from served import served

pytestmark = pytest.mark.surfaces

UNITS = "document,annotator,start,end,category\nd,a,0,4,Ax\nd,b,0,4,Ay\nd,a,6,9,B\nd,b,6,9,C\n"


class Copy:
    """A copy of the package in a folder, which a test changes and runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**copy_package(folder), "COLUMNS": "120"}
        (folder / "units.csv").write_text(UNITS, encoding="utf-8")

    def change(self, module: str, *changes: tuple[str, str]) -> None:
        """Replace texts that occur once in a module."""
        file = self.folder / "gamma_align" / module
        text = file.read_text(encoding="utf-8")
        for old, new in changes:
            assert text.count(old) == 1, (module, old)
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")

    def add(self, module: str, text: str) -> None:
        """Write a new module."""
        (self.folder / "gamma_align" / module).write_text(text, encoding="utf-8")

    def process(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python with the copy."""
        settings = {"capture_output": True, "text": True, "encoding": "utf-8", "check": False}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=self.folder, env=self.environment, **settings)  # noqa: PLW1510  (as above)

    def python(self, *arguments: str) -> str:
        """Return what Python prints with the copy."""
        done = self.process(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def command(self, *arguments: str) -> str:
        """Return what the command line of the copy prints."""
        return self.python("-m", "gamma_align.apps.cli", *arguments)


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path)


# --- an option ---

GROUP = "SAMPLING_OPTIONS = Group((PRECISION, SAMPLES, SEED))"
DECLARED = f"""
PATIENCE = Option(
    "patience",
    Real(above=0, below=9),
    "patience with samples",
    default=1.5,
    conventions={{"authors": 2.5}},
    metavar="X",
    explanation="Patience with samples.",
    control=Control("Chance", "Patience"),
)
{GROUP.replace("SEED", "SEED, PATIENCE")}"""
OPTIONS = "chance/chance_options.py"
READ = [
    (
        "    chance: str = options.CHANCE.default\n",
        "    chance: str = options.CHANCE.default\n    patience: float = 1.5\n",
    ),
    ('            "seed": self.seed,\n', '            "seed": self.seed,\n            "patience": self.patience,\n'),
    ('        seed=values["seed"],\n', '        seed=values["seed"],\n        patience=values["patience"],\n'),
]
EFFECT = ('"alpha": self.dissimilarity.alpha,', '"alpha": self.dissimilarity.alpha * self.patience,')
RENDERED = """
import inspect, json
import gamma_align as ga
from gamma_align.apps.service.page.routes import _page
from gamma_align.apps.service.settings import schema
try:
    ga.GammaSettings.of(patience=9)
except ga.SettingsError as error:
    message = str(error)
print(json.dumps({
    "file": ga.__file__,
    "signatures": [str(inspect.signature(function)) for function in (ga.gamma, ga.curve, ga.GammaSettings.of)],
    "parameters": ga.gamma.__doc__,
    "schema": schema("measure")["properties"]["patience"],
    "page": _page(),
    "message": message,
}))
"""


def test_an_option_that_nobody_reads_is_refused(copy):
    copy.change(OPTIONS, (GROUP, DECLARED))
    done = copy.process("-c", "import gamma_align as ga; ga.gamma")
    assert done.returncode == 1
    assert "does not read patience of γ" in done.stderr


def test_an_option_that_a_function_does_not_take_is_refused(copy):
    group = "CONSENSUS_OPTIONS = Group(\n    (\n"
    option = '        Option("patience", Whole(2), "patience"),\n'
    imported = "from gamma_align.options import "
    file = "insight/consensus/consensus_options.py"
    copy.change(file, (group, group + option), (imported, f"{imported}Whole, "))
    done = copy.process("-c", "import gamma_align as ga; ga.consensus")
    assert done.returncode == 1
    assert "consensus does not take patience" in done.stderr


def test_an_option_that_is_read_is_rendered_everywhere(copy):
    shutil.copytree(ROOT / "tools" / "options", copy.folder / "tools" / "options")
    (copy.folder / "docs" / "look_up").mkdir(parents=True)
    copy.change(OPTIONS, (GROUP, DECLARED))
    copy.change("measures/gamma/gamma_settings.py", *READ)
    assert "--patience X          patience with samples (default: 1.5; authors: 2.5)" in copy.command(
        "measure", "--help"
    )
    rendered = json.loads(copy.python("-c", RENDERED))
    assert Path(rendered["file"]).is_relative_to(copy.folder)
    assert all("patience: 'float | None' = None" in signature for signature in rendered["signatures"])
    explained = "\n    patience : float, optional\n        Patience with samples. Default: 1.5; authors: 2.5.\n"
    assert explained in rendered["parameters"]
    bounds = {"exclusiveMinimum": 0, "exclusiveMaximum": 9}
    described = "patience with samples (default: 1.5; authors: 2.5)"
    assert rendered["schema"] == {"type": "number", **bounds, "description": described}
    assert '<label for="patience">Patience</label><input id="patience" name="patience"' in rendered["page"]
    assert rendered["message"] == "patience must be between 0 and 9, not 9"
    copy.python("tools/options/make.py")
    listed = (copy.folder / "docs" / "look_up" / "options.md").read_text(encoding="utf-8")
    assert "| `patience` | `--patience` | 1.5; authors: 2.5 | Patience with samples. |" in listed
    keywords = (copy.folder / "gamma_align/measures/gamma/keywords.py").read_text(encoding="utf-8")
    assert "    patience: float | None\n" in keywords


def test_an_option_that_is_read_moves_a_number_in_python_in_the_shell_and_over_http(copy):
    copy.change(OPTIONS, (GROUP, DECLARED))
    copy.change("measures/gamma/gamma_settings.py", *READ, EFFECT)
    program = "import gamma_align as ga; print(ga.GammaSettings.of(alpha=2, patience=3).to_dict()['alpha'])"
    assert copy.python("-c", program) == "6\n"
    options = ("--samples", "3", "--alpha", "2", "--patience", "3", "--json", "--quiet")
    assert json.loads(copy.command("measure", "units.csv", *options))["settings"]["alpha"] == 6.0
    settings = {"samples": 3, "alpha": 2, "patience": 3}
    with served("--workers", 1, **copy.environment) as service:
        files = {"file": ("units.csv", UNITS.encode())}
        response = service.finish("measure", files=files, data={"settings": json.dumps(settings)})
    assert response.status_code == httpx.codes.OK, response.text
    assert response.json()["settings"]["alpha"] == 6.0


# --- a column ---


COLUMN_SHOWN = """
import json
import gamma_align as ga
result = ga.gamma("units.csv", samples=3)
print(json.dumps({
    "notebook": result._repr_html_(),
    "frame": result.to_frame().to_csv(),
    "json": json.dumps(result.to_dict()),
}))
"""


def test_a_column_declared_in_one_line_is_in_the_bytes_of_eight_outputs(copy):
    column = 'Column("patience", Kind.NUMBER, content=lambda _: 17.125, priority=Priority.PAGE),'
    first = '        Column("document", priority=Priority.PAGE),\n'
    copy.change("present/gamma_tables.py", (first, f"{first}        {column}\n"))
    forms = ["--csv", "--json", "--markdown", "--latex"]
    shown = {form: copy.command("measure", "units.csv", "--samples", "3", form) for form in forms}
    shown["text"] = copy.command("measure", "units.csv", "--samples", "3")
    shown |= json.loads(copy.python("-c", COLUMN_SHOWN))
    copy.command("report", "units.csv", "--samples", "3", "--quiet", "-o", "report.html")
    shown["report"] = (copy.folder / "report.html").read_text(encoding="utf-8").split('id="documents"')[1]
    missing = [form for form, text in shown.items() if "patience" not in text.lower() or "17.125" not in text]
    assert (len(shown), missing) == (9, [])


# --- a distance ---

FIRST_LETTER = """
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


def test_a_distance_takes_one_class_and_one_line(copy):
    copy.add("distances/first_letter.py", FIRST_LETTER)
    line = '    "first-letter": "gamma_align.distances.first_letter:FirstLetter",\n'
    copy.change("distances/names.py", ("KINDS = {\n", f"KINDS = {{\n{line}"))
    program = "import gamma_align as ga; print(ga.distances.FirstLetter(), 'FirstLetter' in ga.distances.__all__)"
    assert copy.python("-c", program) == "FirstLetter() True\n"
    help_text = " ".join(copy.command("measure", "--help").split())
    assert "of categories: first-letter, nominal," in help_text
    # d has one document, and A and B differ in their first letter as Ax and Ay do not
    disorders = [
        json.loads(copy.command("align", "units.csv", "--distance", name, "--json"))["documents"][0]["disorder"]
        for name in ("nominal", "first-letter")
    ]
    assert disorders[0] > disorders[1]
    refused = copy.process("-m", "gamma_align.apps.cli", "align", "units.csv", "--distance", "first-lettr")
    assert "did you mean first-letter?" in refused.stderr


# --- a format ---


def test_a_format_takes_one_module_and_its_name(copy):
    htk = (ROOT / "gamma_align" / "reading" / "formats" / "htk.py").read_text(encoding="utf-8")
    copy.add("reading/formats/newest.py", htk.replace('"htk"', '"newest"').replace('".lab"', '".newest"'))
    copy.change("reading/formats/__init__.py", ('"formats.htk",', '"formats.htk", "formats.newest",'))
    assert "newest" in copy.command("convert", "--list")
    assert copy.command("convert", "--about", "newest").startswith("HTK's label files")
    for name, end in (("ann", 4), ("bob", 5)):
        (copy.folder / "labels" / name).mkdir(parents=True)
        (copy.folder / "labels" / name / "d.newest").write_text(f"0 {end}0000000 x\n", encoding="utf-8")
    found = json.loads(copy.command("validate", "labels", "--json"))["found"]
    assert (found["annotators"], found["units"]) == (2, 2)
    (copy.folder / "labels" / "bob" / "d.newest").write_text("7 4 x\n", encoding="utf-8")
    assert "before its start" in copy.process("-m", "gamma_align.apps.cli", "validate", "labels").stdout


# --- a cause ---


def test_a_cause_takes_one_module_and_one_line(copy):
    duplicates = (ROOT / "gamma_align" / "insight" / "causes" / "kinds" / "duplicates.py").read_text(encoding="utf-8")
    stronger = duplicates.replace("_NATS_OF_A_COPY = 10.0", "_NATS_OF_A_COPY = 12.0")
    copy.add("insight/causes/kinds/twice.py", stronger.replace('"duplicates",', '"twice",'))
    registered = (
        "    duplicates.DUPLICATES_CAUSE,\n",
        "    duplicates.DUPLICATES_CAUSE,\n    twice.DUPLICATES_CAUSE,\n",
    )
    copy.change("insight/causes/registry.py", ("    tokens,\n", "    tokens,\n    twice,\n"), registered)
    rows = [(f"d{number}", name, 10 * k, 10 * k + 4, "x") for number in range(4) for name in "abc" for k in range(6)]
    rows += [row for row in rows if row[1] == "b" and row[0] != "d0"]
    lines = [",".join(map(str, row)) for row in rows]
    table = "\n".join(["document,annotator,start,end,category", *lines])
    (copy.folder / "twice.csv").write_text(table, encoding="utf-8")
    asked = ("disagreements", "twice.csv", "--samples", "3", "--quiet")
    findings = json.loads(copy.command(*asked, "--json"))["to_settle"]
    assert [(finding["kind"], finding["annotator"]) for finding in findings] == [("twice", "b")]
    assert "b has 18 of 42 units twice" in copy.command(*asked)
    copy.command("report", "twice.csv", "--samples", "3", "--quiet", "-o", "report.html")
    assert "units twice" in (copy.folder / "report.html").read_text(encoding="utf-8")
