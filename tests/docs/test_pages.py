"""README.md and docs/: every block of code runs, shows what it prints, and names only options and files there are."""

import re
import subprocess
import sys

import make
import pytest
from command_line import run
from places import ROOT

from gamma_align.apps.cli._program import _COMMANDS
from gamma_align.reading.formats import formats

TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in make.PAGES}
SLOW = ("gamma-align plan", "gamma-align curve")
BLOCKS = {f"{name}-{n}": block for name, text in TEXTS.items() for n, block in enumerate(make.blocks(text), 1)}
PRINTED = re.compile(r"^```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PRINTED_SHARE_MAX = 0.15  # of all words: a reader looks for sentences, and sees output in the terminal
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(block, id=name, marks=[pytest.mark.release] * block.code.startswith(SLOW))
        for name, block in BLOCKS.items()
    ],
)
def test_a_block_runs_and_prints_what_is_shown(block):
    printed = make.output(block)
    assert block.printed in (None, printed)


def test_there_are_blocks_of_each_kind():
    shown = [block for block in BLOCKS.values() if block.printed is not None]
    assert {block.language for block in shown} == {"bash", "python"}
    assert len(shown) > 20
    assert {f"docs/look_up/commands/{name}.md" for name in _COMMANDS} <= set(TEXTS)


def test_output_is_a_small_part_of_all_words():
    printed = sum(len(output.split()) for text in TEXTS.values() for output in PRINTED.findall(text))
    assert printed / sum(len(text.split()) for text in TEXTS.values()) < PRINTED_SHARE_MAX


def test_each_format_is_on_its_page_and_bold_if_it_is_written():
    text = TEXTS["docs/look_up/formats.md"]
    table = text[: text.index("\n## ")]
    for name, file_format in formats().items():
        assert f"`{name}`" in table
        is_written = file_format.write is not None or hasattr(file_format, "write_table")
        assert (f"**`{name}`**" in table) == is_written, name


def test_pictures_are_what_is_drawn(tmp_path):
    make.draw(tmp_path)
    drawn = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert drawn
    assert drawn == {name: (make.PICTURES / name).read_bytes() for name in drawn}


def test_the_readme_is_a_page():
    assert len((ROOT / "README.md").read_bytes()) < 10_000


@pytest.fixture(scope="module")
def options():
    calls = [[], *([name] for name in _COMMANDS)]
    return set(re.findall(r"--[a-z][a-z-]+", "".join(run(*call, "--help").stdout for call in calls)))


@pytest.mark.parametrize("name", TEXTS)
def test_options_named_exist(name, options):
    others = (
        r"pip install|pytest|python3? |ruff|openapi-python-client|#SBATCH|sbatch|dask |--wrap|worker_extra_args|"
        r"pyinstaller|podman|Docker|cibuildwheel"
    )
    commands = TEXTS[name].replace("\\\n", " ")  # a command may go on in the next line
    lines = [line for line in commands.splitlines() if not re.search(others, line)]
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", "\n".join(lines))) <= options


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(script, tmp_path):
    (tmp_path / "corpora").symlink_to(ROOT / "corpora")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
