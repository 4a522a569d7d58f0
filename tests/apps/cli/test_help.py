"""The pages of the help: each option is declared and on one page, and the examples run."""

from __future__ import annotations

import argparse
import re
import shlex

import pytest
from command_line import run
from places import CORPORA

from gamma_align.apps.cli._parser import HELP, MORE, PAGES, READING, Answer, Parser
from gamma_align.apps.cli._program import _COMMANDS, _fill
from gamma_align.distances import NAMES, TAXONOMY_NAMES
from gamma_align.reading.marks.seconds import TOLERANCE
from gamma_align.reading.options import REPAIR_DESCRIPTIONS
from gamma_align.reading.validation.repairs import REPAIRS, SWAPPED

COMMANDS = ["", *_COMMANDS]
ENTRY = re.compile(r"^  (?:-\w(?: [A-Z]+)?, )?(--[a-z-]+)", re.MULTILINE)
SELECTED = " --document --annotator --categories"
DISTANCE = " --order --distance-matrix --taxonomy --set-separator"
DISSIMILARITY = f"--conventions --alpha --beta --delta-empty --time-limit --solver{DISTANCE}"
SAMPLED = "--sampler --chance --min-distance --integer-offsets --max-samples --precision-of --control"
CHANCE = f"{DISSIMILARITY} --soft --confidence --empty-samples {SAMPLED}"
ALIGNED = f"--distance --json --output --quiet{SELECTED} --help --help-reading --help-more"
MEASURED = f"{ALIGNED} --precision --samples --seed --jobs --csv --csv-safe"
REPORTED = "--title --text --anonymous --for --independent --model --reference --remark --asked --curve"
READ = (
    "--format --annotators-from --documents-from --layers --labels --positions --offsets --discontinuous --mismatch "
    "--align-text --repeated --locate --texts --encoding --column --map --one-document --no-categories --na --option "
    "--outside --trim --seen --width"
)
TABLES = "--markdown --latex"
UNITS_COMPARED = "--iou --zero-division --atom --near --gaps --boundary-types --collar --skip-overlap"
GATE = "--fail-under --fail-by --junit"
REPLACED = "--model --people --epsilon --similarity --min-instances --margin --measure --items"
WRITTEN = "--to --drop --decimals"
EXPECTED = {
    "measure": (
        f"{MEASURED} {TABLES} --cite --plot {GATE} --fail-under-documents --coefficients --pairs --sort --worst",
        f"{READ} --overlap",
        f"{CHANCE} --work --dask",
    ),
    "compare": (
        f"{MEASURED} {TABLES} --coefficients --units --by --no-causes --replicates --first --second --rows",
        f"{READ} --overlap --extents",
        CHANCE,
    ),
    "look": (f"{MEASURED} --model {GATE}".replace(" --csv --csv-safe", ""), READ, CHANCE),
    "families": (f"{MEASURED} {TABLES}", READ, CHANCE),
    "disagreements": (f"{MEASURED} {TABLES} --rows --leave-one-out --pairs --for --fix {WRITTEN}", READ, CHANCE),
    "report": (MEASURED.replace("--json", REPORTED).replace(" --csv --csv-safe", ""), READ, CHANCE),
    "evaluate": (
        f"{MEASURED} --reference --measures --cases {TABLES} {GATE}",
        READ,
        f"{CHANCE} --chance-from --map-labels {UNITS_COMPARED}",
    ),
    "replace": (
        f"{MEASURED} {TABLES} --cite --rows {REPLACED}",
        f"{READ} --overlap",
        f"{CHANCE} --rate --replicates",
    ),
    "curve": (f"{MEASURED} --kinds --magnitudes --repetitions --svg", READ, CHANCE),
    "plan": (f"{MEASURED} --target-width --annotators --repetitions --power --difference", READ, CHANCE),
    "follow": (
        f"{MEASURED} {GATE} --every --once --work --causes".replace(" --csv --csv-safe", ""),
        READ,
        CHANCE,
    ),
    "consensus": (
        f"{ALIGNED} {WRITTEN} --csv --csv-safe --rows --votes --weigh --name --voted-out --decisions --decided",
        READ,
        DISSIMILARITY,
    ),
    "align": (f"{ALIGNED} --svg --lanes --from --to --disagreements", READ, f"{DISSIMILARITY} --soft"),
}


def make_parsers():
    """Return the parser of each command, with all its arguments."""
    parser = Parser(fill=_fill, prog="gamma-align")
    parser.prepare([*_COMMANDS])
    parsers = {}

    def walk(parser, name):
        parsers[name] = parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for sub, child in action.choices.items():
                    walk(child, f"{name} {sub}".strip())

    walk(parser, "")
    return parsers


PARSERS = make_parsers()


def help_pages(name, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    names = [page for page in (HELP, *PAGES) if page in PARSERS[name]._option_string_actions]
    runs = {page: run(*name.split(), page) for page in names}
    assert all((process.returncode, process.stderr) == (0, "") for process in runs.values())
    return {page: process.stdout for page, process in runs.items()}


def test_the_parser_has_all_commands():
    assert list(PARSERS) == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_is_on_one_page_and_named_on_the_first(name, monkeypatch):
    texts = help_pages(name, 80, monkeypatch)
    entries = [option for text in texts.values() for option in ENTRY.findall(text)]
    options = {action.option_strings[-1] for action in PARSERS[name]._actions if action.option_strings}
    assert sorted(entries) == sorted(options)
    assert options <= set(re.findall(r"--[a-z][a-z-]*[a-z]", texts[HELP]))


@pytest.mark.parametrize("name", EXPECTED)
def test_each_page_has_the_expected_options(name, monkeypatch):
    texts = help_pages(name, 80, monkeypatch)
    assert [set(ENTRY.findall(texts[page])) for page in (HELP, READING, MORE)] == [
        set(options.split()) for options in EXPECTED[name]
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_begins_with_at_most_three_lines_and_two_examples(name, monkeypatch):
    usage, description, examples, *_ = help_pages(name, 80, monkeypatch)[HELP].split("\n\n")
    assert usage.startswith(f"usage: {f'gamma-align {name}'.strip()} ")
    assert description.count("\n") < 3
    title, *lines = examples.splitlines()
    assert title.startswith("examples")
    assert len(lines) == 2


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_is_as_wide_as_the_terminal(name, columns, monkeypatch):
    texts = [
        re.sub(r"^  gamma-align .*", "", text, flags=re.MULTILINE)
        for text in help_pages(name, columns, monkeypatch).values()
    ]
    longest = max(len(line) for text in texts for line in text.splitlines())
    assert longest <= columns
    assert longest > columns - 20 or name not in EXPECTED
    examples = [
        line for line in help_pages(name, 80, monkeypatch)[HELP].splitlines() if line.startswith("  gamma-align ")
    ]
    assert max(map(len, examples)) <= 80


LONG = ("gamma-align plan", "gamma-align curve", "gamma-align corpora/llm_span")
"""Beginnings of the examples that take minutes."""


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(example, marks=[pytest.mark.release] * example.startswith(LONG))
        for example in sorted({example for parser in PARSERS.values() for example in parser._examples})
        # These go on until they are stopped, and take a server: tests of the web and of `follow` start them.
        if not example.startswith(("gamma-align serve", "gamma-align follow https"))
    ],
)
def test_an_example_runs(example, tmp_path):
    (tmp_path / "corpora").symlink_to(CORPORA)
    done = run(*shlex.split(example)[1:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_declared(name):
    parser = PARSERS[name]
    options = {action.dest for action in parser._actions if action.option_strings and not isinstance(action, Answer)}
    assert options == set(parser.declared)


def test_the_help_names_all_distances_repairs_and_the_tolerance():
    text = PARSERS["measure"]._option_string_actions["--distance"].help
    assert set(re.findall(r"[a-z:-]+", text)) >= {*NAMES, *TAXONOMY_NAMES}
    assert [*REPAIR_DESCRIPTIONS] == [SWAPPED, *REPAIRS]
    assert f"less than {TOLERANCE:g} from" in REPAIR_DESCRIPTIONS["adjacency"]
