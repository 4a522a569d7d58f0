"""README.md shows real output, and names every option there is."""

import importlib.util
import re

import pytest
from command_line import run
from places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
_spec = importlib.util.spec_from_file_location("make_readme", ROOT / "tools" / "readme" / "make.py")
make = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make)
NEW = (
    ["shuffle"],
    ["curve"],
    ["plan"],
    ["reproduce", "mathet2017"],
    ["reproduce", "examples"],
    ["convert"],
    ["validate"],
)
BLOCKS = make.blocks(README)


def test_there_are_blocks_that_show_their_output():
    languages = ["bash"] * 3 + ["python"] + ["bash"] * 2 + ["python"] + ["bash"] * 3 + ["python", "bash", "python"]
    assert [language for language, _, _ in BLOCKS] == languages


NAMES = (
    *("measure", "align", "compare", "python-unitizing", "curve", "plan", "python-shuffle", "formats", "validate"),
    *("convert", "python", "items", "python-items"),
)


@pytest.mark.parametrize(
    ("language", "code", "printed"),
    [
        pytest.param(*block, id=name, marks=[pytest.mark.scheduled] * (name == "plan"))
        for name, block in zip(NAMES, BLOCKS, strict=True)
    ],
)
def test_the_output_shown_is_what_the_command_prints(language, code, printed):
    assert make.output(language, code) == printed


def test_the_picture_is_what_the_command_draws(tmp_path):
    make.draw(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_bytes() == make.PICTURE.read_bytes()


def test_options_and_files_the_readme_names_exist():
    pages = [
        run(*command, "--help").stdout
        for command in ([], ["measure"], ["compare"], ["align"], ["items"], ["reproduce", "missing-values"], *NEW)
    ]
    known = set(re.findall(r"--[a-z][a-z-]+", "".join(pages)))
    ours = "\n".join(line for line in README.splitlines() if "pip install" not in line or "gamma-align" in line)
    named = set(re.findall(r"--[a-z][a-z-]+", ours)) - {"--quiet", "--upgrade", "--group"}
    assert named <= known
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target
