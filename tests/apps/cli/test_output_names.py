"""The name of the output file chooses the form of the result, or is refused with the name that serves."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import run
from places import CORPORA

THREE = CORPORA / "pygamma" / "AlexPaulSuzan.csv"
ITEMS = CORPORA / "items" / "dreem_dodh_epochs.parquet"
FEW = ("--samples", 3)
SUFFIXES = {".json": "--json", ".csv": "--csv", ".md": "--markdown", ".tex": "--latex", ".bib": "--cite"}
COMMANDS = {
    "measure": (("measure", THREE, *FEW), ".json .csv .md .tex .bib"),
    "pairs": (("measure", THREE, "--pairs", *FEW), ".json .csv .md .tex"),
    "align": (("align", THREE), ".json"),
    "items": (("items", ITEMS, "--coefficients", "alpha"), ".json .csv .md .tex .bib"),
    "compare": (("compare", THREE, "COPY", *FEW), ".json .csv .md .tex"),
    "evaluate": (("evaluate", THREE, "--reference", "Alex", *FEW), ".json .csv .md .tex"),
    "f1": (("evaluate", THREE), ".json .csv .md .tex"),
    "disagreements": (("disagreements", THREE, *FEW), ".json .csv .md .tex"),
    "families": (("families", THREE, *FEW), ".json .csv .md .tex"),
    "curve": (("curve", THREE, "--kinds", "shift", "--magnitudes", "0,0.5", "--repetitions", 1, *FEW), ".json .csv"),
}
OTHER_FORMS = (".html", ".xlsx", ".parquet", ".tsv", ".jsonl", ".yaml", ".docx", ".pdf", ".svg")


def command(name, folder):
    """Return the arguments of a command, which may read a copy of the corpus, and the suffixes of its forms."""
    arguments, suffixes = COMMANDS[name]
    copy = Path(shutil.copy(THREE, folder)) if "COPY" in arguments else None
    return [copy if argument == "COPY" else argument for argument in arguments], suffixes.split()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_suffix_chooses_the_form_of_each_command(tmp_path, name):
    arguments, suffixes = command(name, tmp_path)
    for suffix in [*suffixes, ".txt"]:
        file = tmp_path / f"out{suffix}"
        printed = run(*arguments, *([SUFFIXES[suffix]] if suffix in SUFFIXES else []))
        written = run(*arguments, "-o", file)
        assert (printed.returncode, written.stdout, written.stderr) == (written.returncode, "", printed.stderr)
        assert file.read_text(encoding="utf-8") == printed.stdout, suffix


@pytest.mark.parametrize("name", COMMANDS)
def test_other_suffixes_are_refused_with_those_that_serve(tmp_path, name):
    arguments, suffixes = command(name, tmp_path)
    pages = [".html"] if name == "compare" else []
    for suffix in [
        *(form for form in OTHER_FORMS if form not in pages),
        *(suffix for suffix in SUFFIXES if suffix not in suffixes),
    ]:
        file = tmp_path / f"out{suffix}"
        refused = run(*arguments, "-o", file)
        assert (refused.returncode, refused.stdout, file.exists()) == (2, "", False), suffix
        assert f"argument --output: {file}" in refused.stderr
        assert all(form in refused.stderr for form in suffixes)


def test_capitals_are_the_same_suffix(tmp_path):
    run("align", THREE, "-o", tmp_path / "out.JSON")
    assert (tmp_path / "out.JSON").read_text(encoding="utf-8") == run("align", THREE, "--json").stdout


def test_an_option_and_another_suffix_are_refused(tmp_path):
    refused = run("measure", THREE, *FEW, "--csv", "-o", tmp_path / "out.json")
    assert (refused.returncode, [*tmp_path.iterdir()]) == (2, [])
    assert "leave out --csv" in refused.stderr
    assert ".csv" in refused.stderr


@pytest.mark.parametrize("name", ["out.csv", "out.dat", "out.txt", "out"])
def test_an_option_chooses_the_form_of_a_file_of_another_or_no_suffix(tmp_path, name):
    run("measure", THREE, *FEW, "--csv", "-o", tmp_path / name)
    assert (tmp_path / name).read_text(encoding="utf-8") == run("measure", THREE, *FEW, "--csv").stdout


def test_the_cure_names_the_option_or_command_that_writes_the_file(tmp_path):
    assert "--svg" in run("align", THREE, "-o", tmp_path / "a.svg").stderr
    assert "--plot" in run("measure", THREE, *FEW, "-o", tmp_path / "a.pdf").stderr
    assert "gamma-align report" in run("measure", THREE, *FEW, "-o", tmp_path / "a.html").stderr


def test_a_page_is_written_as_html_alone(tmp_path):
    refused = run("report", THREE, *FEW, "-o", tmp_path / "a.json")
    assert (refused.returncode, ".html" in refused.stderr, [*tmp_path.iterdir()]) == (2, True, [])
    assert run("report", THREE, *FEW, "-o", tmp_path / "a.html").returncode == 0


def test_csv_safe_needs_csv_by_option_or_by_name(tmp_path):
    assert run("measure", THREE, *FEW, "--csv-safe", "-o", tmp_path / "a.csv").returncode == 0
    assert run("measure", THREE, *FEW, "--csv-safe", "-o", tmp_path / "a.json").returncode == 2


@pytest.mark.parametrize(("option", "name"), [("--svg", "a.png"), ("--svg", "a.json")])
def test_a_picture_is_written_under_the_name_of_a_picture(tmp_path, option, name):
    refused = run("align", THREE, option, tmp_path / name)
    assert (refused.returncode, ".svg" in refused.stderr, [*tmp_path.iterdir()]) == (2, True, [])


def test_test_cases_are_written_under_the_name_of_xml(tmp_path):
    refused = run("measure", THREE, *FEW, "--fail-under", "gamma=0", "--junit", tmp_path / "a.json")
    assert (refused.returncode, ".xml" in refused.stderr, [*tmp_path.iterdir()]) == (2, True, [])


@pytest.mark.parametrize("suffix", [".json", ".md", ".html", ".txt", ".xlsx"])
@pytest.mark.parametrize(
    "command", [("consensus", THREE), ("shuffle", THREE, "--annotator", "Alex", "-m", 0.2), ("convert", THREE)]
)
def test_a_corpus_is_not_written_in_a_form_of_results(tmp_path, command, suffix):
    file = tmp_path / f"out{suffix}"
    refused = run(*command, *([] if command[0] == "convert" else ["-o"]), file)
    assert (refused.returncode, file.exists()) == (2, False), refused.stderr
