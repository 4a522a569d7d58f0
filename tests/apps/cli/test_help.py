"""The pages of help: each option on one of them, examples that run, choices that are the package's."""

from __future__ import annotations

import argparse
import re
import shlex

import pytest
from command_line import run
from places import CORPORA

from gamma_align.apps.cli import _evaluation_arguments, _subcommands
from gamma_align.apps.cli._parser import HELP, MORE, PAGES, READING, Parser
from gamma_align.apps.cli._program import _COMMANDS, _fill
from gamma_align.data.item_options import LAYOUTS
from gamma_align.distances import NAMES, TAXONOMY_NAMES
from gamma_align.insight.comparison.shared_documents import EXTENTS
from gamma_align.insight.consensus.outcome import ALL, MAJORITY, WEIGHINGS
from gamma_align.measures.items.counts import CONCEPTIONS
from gamma_align.measures.items.intervals import METHODS
from gamma_align.measures.items.items_result import SCALES
from gamma_align.measures.items.spec import DEFAULT
from gamma_align.measures.reference.evaluate import DEFAULT as EVALUATED
from gamma_align.measures.reference.evaluate import MEASURES
from gamma_align.measures.reference.matching import KINDS as CASES
from gamma_align.measures.reference.segmentation import GAPS
from gamma_align.reading.marks.writable import LOSSES
from gamma_align.reading.validation.repairs import DESCRIPTIONS
from gamma_align.simulation.kinds import CONFUSIONS
from gamma_align.simulation.kinds import OVERLAPS as OVERLAPS_MADE
from gamma_align.simulation.reference import KINDS

EXPERIMENTS = ("missing-values", "mathet2017", "examples")
COMMANDS = ["", *_COMMANDS, *(f"reproduce {name}" for name in EXPERIMENTS)]
ENTRY = re.compile(r"^  (?:-\w(?: [A-Z]+)?, )?(--[a-z-]+)", re.MULTILINE)
SELECTED = " --document --annotator --categories"
DISTANCE = " --order --distance-matrix --taxonomy --set-separator"
DISSIMILARITY = f"--conventions --alpha --beta --delta-empty --time-limit --solver{DISTANCE}"
SAMPLED = "--sampler --chance --min-distance --integer-offsets --max-samples --precision-of --control"
CHANCE = f"{DISSIMILARITY} --confidence --empty-samples {SAMPLED}"
ALIGNED = f"--distance --json --output --quiet{SELECTED} --help --help-reading --help-more"
MEASURED = f"{ALIGNED} --precision --samples --seed --jobs --csv"
REPORTED = "--title --text --anonymous --for --independent --reference --remark --asked --curve"
READ = (
    "--format --annotators-from --documents-from --layers --labels --positions --offsets --discontinuous --mismatch "
    "--align-text --repeated --texts --encoding --column --one-document --no-categories --option --outside --trim"
)
TABLES = "--markdown --latex"
UNITS_COMPARED = "--iou --zero-division --atom --near --gaps --boundary-types --collar --skip-overlap"
GATE = "--fail-under --fail-by --junit"
EXPECTED = {
    "measure": (
        f"{MEASURED} {TABLES} --cite --plot {GATE} --fail-under-documents --coefficients --sort --worst",
        f"{READ} --overlap",
        f"{CHANCE} --work --backend --scheduler",
    ),
    "compare": (
        f"{MEASURED} {TABLES} --coefficients --replicates --first --second --rows",
        f"{READ} --overlap --extents",
        CHANCE,
    ),
    "families": (f"{MEASURED} {TABLES}", READ, CHANCE),
    "disagreements": (f"{MEASURED} {TABLES} --rows --leave-one-out --pairs --for", READ, CHANCE),
    "report": (MEASURED.replace("--json", REPORTED).replace(" --csv", ""), READ, CHANCE),
    "evaluate": (
        f"{MEASURED} --reference --measures --cases {TABLES} {GATE}",
        READ,
        f"{CHANCE} --chance-from --map-labels {UNITS_COMPARED}",
    ),
    "curve": (f"{MEASURED} --kinds --magnitudes --repetitions --svg", READ, CHANCE),
    "plan": (f"{MEASURED} --target-width --annotators --repetitions", READ, CHANCE),
    "consensus": (f"{ALIGNED} --to --csv --rows --votes --weigh --name --voted-out", READ, DISSIMILARITY),
    "align": (f"{ALIGNED} --svg --lanes --from --to --disagreements", READ, DISSIMILARITY),
}


def filled():
    """Return the parser of each command, with all its arguments."""
    parser = Parser(fill=_fill, prog="gamma-align")
    parser.prepare([*_COMMANDS, *EXPERIMENTS])
    found = {}

    def walk(parser, name):
        found[name] = parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for sub, child in action.choices.items():
                    walk(child, f"{name} {sub}".strip())

    walk(parser, "")
    return found


PARSERS = filled()


def pages(name, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = [page for page in (HELP, *PAGES) if page in PARSERS[name]._option_string_actions]
    done = {page: run(*name.split(), page) for page in shown}
    assert all((page.returncode, page.stderr) == (0, "") for page in done.values())
    return {page: text.stdout for page, text in done.items()}


def test_all_commands_are_looked_at():
    assert list(PARSERS) == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_is_on_one_page_and_named_on_the_first(name, monkeypatch):
    texts = pages(name, 80, monkeypatch)
    entries = [option for text in texts.values() for option in ENTRY.findall(text)]
    options = {action.option_strings[-1] for action in PARSERS[name]._actions if action.option_strings}
    assert sorted(entries) == sorted(options)
    assert options <= set(re.findall(r"--[a-z][a-z-]*[a-z]", texts[HELP]))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_pages_hold_what_belongs_there(name, monkeypatch):
    texts = pages(name, 80, monkeypatch)
    assert [set(ENTRY.findall(texts[page])) for page in (HELP, READING, MORE)] == [
        set(options.split()) for options in EXPECTED[name]
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_begins_with_three_lines_at_most_and_two_examples(name, monkeypatch):
    usage, what, examples, *_ = pages(name, 80, monkeypatch)[HELP].split("\n\n")
    assert usage.startswith(f"usage: {f'gamma-align {name}'.strip()} ")
    assert what.count("\n") < 3
    title, *lines = examples.splitlines()
    assert title.startswith("examples")
    assert len(lines) == 2


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_is_as_wide_as_the_terminal(name, columns, monkeypatch):
    texts = [
        re.sub(r"^  gamma-align .*", "", text, flags=re.MULTILINE)
        for text in pages(name, columns, monkeypatch).values()
    ]
    longest = max(len(line) for text in texts for line in text.splitlines())
    assert longest <= columns
    assert longest > columns - 20 or name not in EXPECTED
    examples = [line for line in pages(name, 80, monkeypatch)[HELP].splitlines() if line.startswith("  gamma-align ")]
    assert max(map(len, examples)) <= 80


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(
            example, marks=[pytest.mark.scheduled] * example.startswith(("gamma-align plan", "gamma-align curve"))
        )
        for example in sorted({example for parser in PARSERS.values() for example in parser._examples})
        if not example.startswith("gamma-align serve")  # which goes on until it is stopped: tests of the web start it
    ],
)
def test_an_example_runs(example, tmp_path):
    (tmp_path / "corpora").symlink_to(CORPORA)
    done = run(*shlex.split(example)[1:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr


CHOICES = {
    "--gaps": GAPS,
    "--extents": EXTENTS,
    "--layout": LAYOUTS,
    "--missing": CONCEPTIONS,
    "--interval": (*METHODS, "none"),
    "--scale": SCALES,
    "--confusion": CONFUSIONS,
    "--overlaps": OVERLAPS_MADE,
    "--weigh": WEIGHINGS,
}


@pytest.mark.parametrize("option", CHOICES)
def test_choices_are_those_of_the_package(option):
    actions = [parser._option_string_actions.get(option) for parser in PARSERS.values()]
    found = {tuple(action.choices) for action in actions if action is not None}
    assert found == {tuple(CHOICES[option])}


def test_names_in_the_help_are_those_of_the_package():
    text = PARSERS["measure"]._option_string_actions["--distance"].help
    assert set(re.findall(r"[a-z:-]+", text)) >= {*NAMES, *TAXONOMY_NAMES}
    assert _subcommands._KINDS == KINDS
    assert _subcommands._VOTES == (MAJORITY, ALL)
    assert _evaluation_arguments._CASES == CASES
    assert _evaluation_arguments._EVALUATED == MEASURES
    assert f"(default: {','.join(EVALUATED)})" in PARSERS["evaluate"]._option_string_actions["--measures"].help
    assert tuple(LOSSES) == _subcommands._LOSSES
    assert _subcommands._REPAIRS == DESCRIPTIONS
    assert f"(default: {','.join(DEFAULT)})" in PARSERS["items"]._option_string_actions["--coefficients"].help
