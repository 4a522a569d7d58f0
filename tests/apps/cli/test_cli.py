"""The command line, as people run it: exit codes, what stands on which stream, files whole or not at all."""

from __future__ import annotations

import csv
import gc
import io
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from command_line import command, in_a_process, on_a_terminal, run
from places import CORPORA

import gamma_align as ga
from gamma_align import kernels
from gamma_align.alignment.align import Alignment
from gamma_align.apps.cli import main
from gamma_align.apps.cli._messages import Progress, duration, progress_line
from gamma_align.errors import InputError, MissingExtraError, SettingsError, SolverError, WorkerError
from gamma_align.measures.gamma.gamma_result import DocumentResult, GammaResult, GammaValue
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.requests.distances import read_matrix

HEARST = CORPORA / "hearst_kazantseva"
ROWS = """document,annotator,start,end,category
talk-1,Ann,0,10,x
talk-1,Ann,12,20,y
talk-1,Ann,30,36,x
talk-1,Bob,1,10,x
talk-1,Bob,12,21,x
talk-1,Bob,30,36,x
talk-1,Cy,1,10,x
talk-2,Ann,3,7,x
talk-2,Ann,20,29,y
talk-2,Bob,4,7,"<é, ""日"">"
talk-2,Bob,20,28,y
talk-2,Cy,4,8,"<é, ""日"">"
"""


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def loads(text):
    """Parse JSON as strictly as the standard has it."""

    def refuse(name):
        raise AssertionError(f"{name} in JSON")

    return json.loads(text, parse_constant=refuse)


# --- stand-ins for the mathematics, where a situation is hard to bring about ---


def document_result(**changes):
    fields = {
        "document": "talk-1",
        "annotators": 2,
        "units": 6,
        "samples": 30,
        "alignments": 5,
        "pair_samples": 0,
        "optimal": True,
        "gap": 0.0,
        "gamma": GammaValue(0.5, 0.4, 0.6),
        "gamma_cat": GammaValue.unavailable("no pair of units qualifies"),
    }
    return DocumentResult(**{**fields, **changes})


def stand_in(monkeypatch, *, gamma=None, optimal=True, notes=(), calls=None):
    """Put a gamma in place that gives this result."""

    def measured(_corpus, **settings):
        if calls is not None:
            calls.append(settings)
        document = document_result(optimal=optimal, gap=0.0 if optimal else 0.125)
        return GammaResult(gamma or GammaValue(0.5, 0.4, 0.6), document.gamma_cat, {}, (document,), {}, "γ|n:2", notes)

    monkeypatch.setattr("gamma_align.requests.measure.gamma", measured)


# --- measure ---


def is_value(value):
    return (
        list(value) == [field.name for field in fields(GammaValue)]
        and all(value[key] is None or type(value[key]) is float for key in ("value", "low", "high"))
        and (value["reason"] is None) is (value["value"] is not None)
        and (value["reason"] is None or type(value["reason"]) is str)
    )


DOCUMENT_FIELDS = {
    "document": str,
    "annotators": int,
    "units": int,
    "samples": int,
    "alignments": int,
    "pair_samples": int,
    "optimal": bool,
    "gap": float,
}


def check_shape(data):
    assert data["schema_version"] == 1
    assert type(data["signature"]) is str
    assert data["signature"].startswith("γ")
    assert type(data["settings"]) is dict
    assert all(type(note) is str for note in data["notes"])
    for values in (data["corpus"], *data["documents"]):
        assert is_value(values["gamma"])
        assert is_value(values["gamma_cat"])
        assert all(is_value(value) for value in values["gamma_k"].values())
    for document in data["documents"]:
        assert {name: type(document[name]) for name in DOCUMENT_FIELDS} == DOCUMENT_FIELDS


def test_measure_json_has_the_promised_shape(corpus):
    done = run("measure", corpus, "--samples", 30, "--json", "--seed", 3)
    assert (done.returncode, done.stderr) == (0, "")
    data = loads(done.stdout)
    check_shape(data)
    assert [document["document"] for document in data["documents"]] == ["talk-1", "talk-2"]
    assert [document["annotators"] for document in data["documents"]] == [3, 3]
    assert [document["units"] for document in data["documents"]] == [7, 5]
    assert {document["samples"] for document in data["documents"]} == {30}
    assert data["documents"][0]["gamma"]["value"] < 1
    assert set(data["corpus"]["gamma_k"]) == {"x", "y", '<é, "日">'}
    assert '<é, "日">' in done.stdout.replace('\\"', '"')  # not escaped to ASCII


def test_measure_of_a_real_corpus():
    done = run("measure", HEARST, "--samples", 2, "--json")
    assert done.returncode == 0
    data = loads(done.stdout)
    check_shape(data)
    assert len(data["documents"]) == 9
    assert max(document["annotators"] for document in data["documents"]) == 7
    assert 0 < data["corpus"]["gamma"]["value"] < 1


def test_measure_prints_a_report(corpus):
    done = run("measure", corpus, "--samples", 30)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "annotators: Ann 5 units, Bob 5, Cy 2"
    assert lines[2] == "corpus of 2 documents"
    head = next(index for index, line in enumerate(lines) if line.startswith("document "))
    assert lines[head].split()[:4] == ["document", "annotators", "units", "samples"]
    assert [line.split()[:4] for line in lines[head + 1 : head + 3]] == [
        ["talk-1", "3", "7", "30"],
        ["talk-2", "3", "5", "30"],
    ]
    assert lines[-1].startswith("γ|")


def test_measure_csv_agrees_with_json(corpus):
    rows = list(csv.DictReader(io.StringIO(run("measure", corpus, "--samples", 30, "--csv").stdout)))
    data = loads(run("measure", corpus, "--samples", 30, "--json").stdout)
    assert [float(row["gamma"]) for row in rows if not row["category"]] == [
        *(document["gamma"]["value"] for document in data["documents"]),
        data["corpus"]["gamma"]["value"],
    ]
    of_k = {row["category"]: row for row in rows if row["level"] == "corpus" and row["category"]}
    assert {label: float(row["gamma_k"] or "nan") for label, row in of_k.items()} == pytest.approx(
        {
            label: math.nan if value["value"] is None else value["value"]
            for label, value in data["corpus"]["gamma_k"].items()
        },
        nan_ok=True,
    )
    assert {label: int(row["gamma_k_pairs"]) for label, row in of_k.items()} == {
        label: value["pairs"] for label, value in data["corpus"]["gamma_k"].items()
    }


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(corpus):
    first, again, other = (
        run("measure", corpus, "--samples", 40, "--json", "--seed", seed).stdout for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_every_option_reaches_the_measurement(monkeypatch, corpus, capsys):
    calls = []
    monkeypatch.setattr("gamma_align.requests.texts.processors", lambda: 2)
    stand_in(monkeypatch, calls=calls)
    options = "--alpha 3 --beta 0.5 --delta-empty 2 --precision 0.1 --samples 7 --max-samples 99 --seed 5"
    code = main(["measure", str(corpus), *options.split(), "--jobs", "2", "--time-limit", "9.5", "--soft"])
    assert code == 0
    (given,) = calls
    assert callable(given.pop("progress"))
    assert given == {
        "conventions": "m15",
        "distance": ga.Nominal(),
        "alpha": 3.0,
        "beta": 0.5,
        "delta_empty": 2.0,
        "precision": 0.1,
        "samples": 7,
        "max_samples": 99,
        "seed": 5,
        "n_jobs": 2,
        "work": None,
        "time_limit": 9.5,
        "solver": "kernels",
        "alignment": "cover",
    }
    assert capsys.readouterr().err == ""


def test_without_samples_the_precision_rule_decides(monkeypatch, corpus):
    calls = []
    stand_in(monkeypatch, calls=calls)
    main(["measure", str(corpus), "--quiet"])
    assert {"samples", "precision", "max_samples"}.isdisjoint(calls[0])
    rule = GammaSettings.of(
        **{name: value for name, value in calls[0].items() if name not in ("n_jobs", "progress", "work")}
    ).rule
    assert (rule.samples, rule.precision, rule.max_samples) == (None, 0.02, 10_000)


# --- exit codes ---


@pytest.mark.parametrize(("least", "code"), [("0.5", 0), ("0.51", 1), ("-1", 0)])
def test_fail_under(monkeypatch, corpus, capsys, least, code):
    stand_in(monkeypatch)
    assert main(["measure", str(corpus), "--fail-under", f"gamma={least}"]) == code
    streams = capsys.readouterr()
    assert "corpus of 1 document" in streams.out
    expected = "gamma-align: error: γ 0.50 [0.40, 0.60] is below 0.51, missed by 0.01\n" if code else ""
    assert streams.err == expected


def test_fail_under_of_a_real_run(corpus):
    done = run("measure", corpus, "--samples", 30, "--fail-under", "gamma=0.9999")
    assert done.returncode == 1
    assert "corpus of 2 documents" in done.stdout
    assert "is below 0.9999, missed by" in done.stderr


USAGE = {
    "no command": ([], "COMMAND"),
    "no path": (["measure"], "PATH"),
    "an unknown command": (["mesure"], "no command 'mesure'; did you mean measure?"),
    "an unknown option": (["measure", "x.csv", "--nonsense"], "no option --nonsense (gamma-align measure --help)"),
    "a misspelt option": (["measure", "--sampels", "3", "x.csv"], "no option --sampels; did you mean --samples"),
    "an abbreviation": (["measure", "x.csv", "--samp", "3"], "no option --samp; did you mean --samples or --sampler?"),
    "two shapes": (["measure", "x.csv", "--json", "--csv"], "not allowed with"),
    "nan": (
        ["measure", "x.csv", "--fail-under", "gamma=nan"],
        "argument --fail-under: must be a finite number, not nan",
    ),
    "infinity": (
        ["measure", "x.csv", "--alpha", "inf"],
        "argument --alpha: must be a finite number, not inf",
    ),
    "a word": (["measure", "x.csv", "--beta", "much"], "argument --beta: 'much' is not a number"),
    "a negative weight": (["measure", "x.csv", "--beta", "-1"], "argument --beta: must be 0, or from"),
    "no delta": (["align", "x.csv", "--delta-empty", "0"], "argument --delta-empty: must be from"),
    "no precision": (
        ["measure", "x.csv", "--precision", "0"],
        "argument --precision: must be between 0 and 1 (0.02 is 2 %), not 0",
    ),
    "no samples": (
        ["measure", "x.csv", "--samples", "0"],
        "argument --samples: must be 2 or more, to tell how much they vary, not 0",
    ),
    "half a sample": (["measure", "x.csv", "--max-samples", "1.5"], "'1.5' is not a whole number"),
    "a negative seed": (["measure", "x.csv", "--seed", "-3"], "argument --seed: must be 0 or more, not -3"),
    "no workers": (["measure", "x.csv", "--jobs", "0"], "argument --jobs: must be 1 or more, not 0"),
    "no time": (["align", "x.csv", "--time-limit", "0"], "argument --time-limit: must be above 0, not 0"),
    "a choice": (["align", "x.csv", "--outside", "drop"], "argument --outside: invalid choice"),
}


@pytest.mark.parametrize("case", USAGE)
def test_usage_errors(case, capsys):
    arguments, message = USAGE[case]
    assert main(arguments) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("gamma-align: error: ")
    assert streams.err.count("\n") == 1
    assert streams.err.endswith(" --help)\n")
    assert message in streams.err


def test_all_processors_may_be_asked_for(monkeypatch, corpus):
    calls = []
    stand_in(monkeypatch, calls=calls)
    assert main(["measure", str(corpus), "--jobs", "-1"]) == 0
    assert calls[0]["n_jobs"] == -1


def test_jobs_are_never_more_than_the_processors(monkeypatch, corpus):
    calls = []
    stand_in(monkeypatch, calls=calls)
    monkeypatch.setattr("gamma_align.requests.texts.processors", lambda: 3)
    for jobs in (2, 3, 64):
        assert main(["measure", str(corpus), "--jobs", str(jobs)]) == 0
    assert [call["n_jobs"] for call in calls] == [2, 3, 3]


def refused(done, code, *words):
    assert done.returncode == code
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("gamma-align: error: ")
    for word in words:
        assert word in done.stderr


def test_a_missing_file_is_invalid_input(tmp_path):
    refused(run("measure", tmp_path / "nothing.csv"), 3, "nothing.csv")


def test_invalid_data_names_file_and_line(corpus):
    corpus.write_text(ROWS.replace("talk-1,Ann,12,20,y", "talk-1,Ann,20,12,y"), encoding="utf-8")
    refused(run("measure", corpus), 3, "units.csv", "line 3", "before its start")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00rubbish", b"a,b\n1,2\n", b"\x89PNG\r\n\x1a\n"])
@pytest.mark.parametrize("subcommand", ["measure", "align"])
def test_a_file_that_is_no_corpus_is_invalid_input(tmp_path, content, subcommand):
    path = tmp_path / "wrong.csv"
    path.write_bytes(content)
    refused(run(subcommand, path), 3, "wrong.csv")


@pytest.mark.parametrize("subcommand", ["measure", "align"])
def test_data_of_one_annotator_only_are_refused_with_file_document_annotator_and_cure(tmp_path, subcommand):
    path = tmp_path / "alone.csv"
    path.write_text("document,annotator,start,end\ntalk,Ann,0,5\n", encoding="utf-8")
    refused(
        run(subcommand, path), 3, "alone.csv: ", "only one annotator: 'Ann'", "'talk'", "declare them", "{annotator}"
    )


def test_an_empty_folder_is_invalid_input(tmp_path):
    refused(run("measure", tmp_path), 3, str(tmp_path))


def outside(tmp_path):
    (tmp_path / "units.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "documents.csv").write_text("document,length\ntalk-1,33\ntalk-2,40\n", encoding="utf-8")
    return tmp_path


def test_units_outside_the_extent_are_refused_with_the_cure(tmp_path):
    refused(run("measure", outside(tmp_path)), 3, "2 units outside the declared extent", "--outside extend")


def test_units_outside_the_extent_are_taken_when_asked_and_it_is_told(tmp_path):
    folder = outside(tmp_path)
    done = run("measure", folder, "--outside", "extend", "--json", "--samples", 30)
    assert done.returncode == 0
    assert re.match(r"gamma-align: note: .*2 units outside the declared extent", done.stderr)
    assert any("2 units outside" in note for note in loads(done.stdout)["notes"])
    quiet = run("align", folder, "--outside", "extend", "--json", "--quiet")
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert any("2 units outside" in note for note in loads(quiet.stdout)["notes"])


def test_a_result_that_is_not_available(monkeypatch, corpus, capsys):
    stand_in(monkeypatch, gamma=GammaValue.unavailable("nobody marked anything"))
    assert main(["measure", str(corpus), "--json", "--fail-under", "gamma=0.5", "--time-limit", "1"]) == 4
    streams = capsys.readouterr()
    gamma = loads(streams.out)["corpus"]["gamma"]
    assert (gamma["value"], gamma["low"], gamma["reason"]) == (None, None, "nobody marked anything")
    assert streams.err == "gamma-align: error: γ is not available: nobody marked anything\n"


@pytest.mark.parametrize(("limit", "code"), [(["--time-limit", "2"], 5), ([], 0)])
def test_not_proven_counts_only_within_a_limit_asked_for(monkeypatch, corpus, capsys, limit, code):
    stand_in(monkeypatch, optimal=False)
    assert main(["measure", str(corpus), *limit]) == code
    streams = capsys.readouterr()
    assert "12.50%" in streams.out
    assert ("1 of 1 documents not proven optimal after 2 s (largest gap 12.50%)" in streams.err) is (code == 5)


def test_a_threshold_missed_is_told_even_without_proof(monkeypatch, corpus, capsys):
    stand_in(monkeypatch, optimal=False)
    assert main(["measure", str(corpus), "--time-limit", "2", "--fail-under", "gamma=0.9"]) == 1
    err = capsys.readouterr().err
    assert "not proven optimal" in err
    assert "is below 0.90, missed by 0.40" in err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SolverError("the solver gave up"), 4),
        (WorkerError("a worker process was killed", "give the work more memory"), 7),
        (MissingExtraError("joblib", "parallel", "--jobs"), 2),
        (SettingsError("the seed must be 0 or more"), 2),
    ],
)
def test_errors_of_the_package_have_their_codes(monkeypatch, corpus, capsys, error, code):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("gamma_align.requests.measure.gamma", fail)
    assert main(["measure", str(corpus)]) == code
    streams = capsys.readouterr()
    assert streams.err == f"gamma-align: error: {error}\n"
    assert streams.out == ""


def test_notes_go_to_stderr_and_into_the_json_once(monkeypatch, corpus, capsys):
    stand_in(monkeypatch, notes=("take care",))
    main(["measure", str(corpus), "--json"])
    streams = capsys.readouterr()
    assert streams.err == "gamma-align: note: take care\n"
    assert loads(streams.out)["notes"] == ["take care"]
    main(["measure", str(corpus), "--json", "--quiet"])
    quiet = capsys.readouterr()
    assert quiet.err == ""
    assert quiet.out == streams.out


# --- programs that put a stand-in into a process of its own ---

SLOW = """
import itertools, sys, time, warnings

now = 0.0
time.monotonic = lambda: now  # a step takes a fiftieth of a second, however busy the machine is
from gamma_align.apps.cli import main
from gamma_align.requests import measure
from gamma_align.errors import GammaAlignWarning, SolverError

def slow(corpus, *, progress, **_):
    global now
    warnings.warn("take care", GammaAlignWarning)
    for done in itertools.count():
        progress(done, 10_000)
        now += 0.02
        if done == {until}:
            raise SolverError("that was all")

measure.gamma = slow
sys.exit(main(sys.argv[1:]))
"""


def slow_program(corpus, *options, until=-1):
    return [sys.executable, "-c", SLOW.format(until=until), "measure", str(corpus), *map(str, options)]


def test_data_refused_while_measuring_are_named(monkeypatch, corpus, capsys):
    def fail(*_, **__):
        raise InputError("the matrix does not know 'x'")

    monkeypatch.setattr("gamma_align.requests.measure.gamma", fail)
    assert main(["measure", str(corpus)]) == 3
    assert capsys.readouterr().err == f"gamma-align: error: {corpus}: the matrix does not know 'x'\n"


@pytest.mark.surfaces
def test_warnings_are_messages_and_quiet_silences_them(corpus):
    told, quiet = (
        subprocess.run(
            slow_program(corpus, *options, until=1),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        for options in ([], ["--quiet"])
    )
    assert told.stderr == "gamma-align: warning: take care\ngamma-align: error: that was all\n"
    assert quiet.stderr == "gamma-align: error: that was all\n"


def screen(text):
    """Return the lines a terminal would show."""
    lines = [""]
    column = 0
    for piece in re.findall(r"\x1b\[\d*m|\r|\n|[^\r\n\x1b]+", text):
        if piece == "\n":
            lines.append("")
            column = 0
        elif piece == "\r":
            column = 0
        elif not piece.startswith("\x1b"):
            lines[-1] = lines[-1][:column] + piece + lines[-1][column + len(piece) :]
            column += len(piece)
    return [line.rstrip() for line in lines if line.strip()]


@pytest.mark.surfaces
def test_progress_on_a_terminal_has_the_time_left_and_is_erased(corpus):
    code, out, terminal = on_a_terminal(slow_program(corpus, until=60))
    assert code == 4
    assert out == ""
    assert re.search(r"\d+ % \(\d+ of 10000, (\d+ min )?\d+ s left\)", terminal)
    assert "\x1b[36m" in terminal
    assert screen(terminal) == ["gamma-align: warning: take care", "gamma-align: error: that was all"]


RED, YELLOW, CYAN = "\x1b[31m", "\x1b[33m", "\x1b[36m"


@pytest.mark.surfaces
@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1", "TERM": "dumb"}, {"NO_COLOR": ""}])
def test_messages_on_a_terminal_begin_in_colour(corpus, environment):
    terminal = on_a_terminal(slow_program(corpus, until=1), **environment)[2]
    assert f"gamma-align: {YELLOW}warning:\x1b[0m take care" in terminal
    assert f"gamma-align: {RED}error:\x1b[0m that was all" in terminal
    noted = on_a_terminal(command("convert", corpus, f"{corpus}.jsonl"), **environment)[2]
    assert f"gamma-align: {CYAN}note:\x1b[0m " in noted
    assert f"gamma-align: {RED}error:\x1b[0m the" in on_a_terminal(command("measure"), **environment)[2]


@pytest.mark.surfaces
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_it_is_not_wanted(corpus, environment):
    terminal = on_a_terminal(slow_program(corpus, until=30), **environment)[2]
    assert (" of 10000" in terminal) is ("TERM" not in environment)
    assert "that was all" in terminal
    assert "\x1b" not in terminal


@pytest.mark.surfaces
@pytest.mark.parametrize("shape", [[], ["--json"], ["--csv"]])
def test_colour_is_in_messages_on_a_terminal_alone(corpus, tmp_path, shape):
    output = tmp_path / "result"
    program = command("measure", corpus, "--samples", 5, *shape)
    _, piped, _ = on_a_terminal(program)
    on_a_terminal([*program, "-o", str(output)])
    done = in_a_process(*program[3:])
    assert "\x1b" not in piped + output.read_text(encoding="utf-8") + done.stdout + done.stderr
    forced = in_a_process("measure", corpus, "--no", env={**os.environ, "FORCE_COLOR": "1"})
    assert forced.stderr.startswith(f"gamma-align: {RED}error:")


@pytest.mark.surfaces
@pytest.mark.parametrize(("options", "environment"), [(["--quiet"], {}), ([], {"TERM": "dumb"})])
def test_no_progress_where_it_is_not_wanted(corpus, options, environment):
    terminal = on_a_terminal(slow_program(corpus, *options, until=30), **environment)[2]
    assert "that was all" in terminal
    assert "of 10000" not in terminal


@pytest.mark.surfaces
def test_no_progress_into_a_file(corpus):
    done = subprocess.run(slow_program(corpus, until=30), capture_output=True, check=False)
    assert b"of 10000" not in done.stderr


@pytest.mark.surfaces
def test_interrupted_while_measuring(corpus, tmp_path):
    output = tmp_path / "result.json"
    output.write_text("as before", encoding="utf-8")
    program = slow_program(corpus, "--json", "-o", output)
    code, out, terminal = on_a_terminal(program, until=b" of 10000")
    assert (code, out) == (130, "")
    assert screen(terminal)[-1] == "gamma-align: error: interrupted"
    assert "Traceback" not in terminal
    assert output.read_text(encoding="utf-8") == "as before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json", "units.csv"]


@pytest.mark.surfaces
def test_interrupted_in_a_real_run(tmp_path):
    rows = [f"d{at},{who},{at % 7},{at % 7 + 5 + len(who)},x" for at in range(200) for who in ("A", "Bo", "Cyd")]
    rows += [f"d{at},{who},{at % 5 + 20},{at % 5 + 29},y" for at in range(200) for who in ("A", "Bo")]
    path = tmp_path / "big.csv"
    path.write_text("document,annotator,start,end,category\n" + "\n".join(rows), encoding="utf-8")
    output = tmp_path / "result.json"
    program = command("measure", path, "--samples", 5000, "--json", "-o", output)
    code, out, terminal = on_a_terminal(program, until=b" %")
    assert (code, out) == (130, "")
    assert "Traceback" not in terminal
    assert [path.name for path in tmp_path.iterdir()] == ["big.csv"]


# --- output ---


@pytest.mark.surfaces
def test_output_goes_to_the_file_alone(corpus, tmp_path):
    output = tmp_path / "result.json"
    output.write_text("old", encoding="utf-8")
    done = in_a_process("measure", corpus, "--samples", 30, "--json", "-o", output)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert output.read_text(encoding="utf-8") == in_a_process("measure", corpus, "--samples", 30, "--json").stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json", "units.csv"]


@pytest.mark.parametrize(
    ("place", "message"),
    [("nowhere/result.json", "there is no folder"), (".", "is a folder"), ("units.csv", "twice")],
)
@pytest.mark.parametrize("written", ["measure -o", "align -o", "align --svg"])
def test_a_place_that_cannot_be_written_is_told_before_anything_is_read(monkeypatch, corpus, written, place, message):
    subcommand, option = written.split()
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    monkeypatch.setattr("gamma_align.requests.corpus.read", lambda *_, **__: pytest.fail("the corpus was read"))
    assert main([subcommand, str(corpus), option, str(corpus.parent / place)]) == 2
    assert said.getvalue().startswith(f"gamma-align: error: argument {option}")
    assert message in said.getvalue()
    assert corpus.read_text(encoding="utf-8") == ROWS


def test_picture_and_result_cannot_be_one_file(corpus, tmp_path, capsys):
    one = str(tmp_path / "one")
    assert main(["align", str(corpus), "-o", one, "--svg", f"{tmp_path}/../{tmp_path.name}/one"]) == 2
    assert "argument --svg" in capsys.readouterr().err


def test_a_failing_write_leaves_the_old_file(monkeypatch, corpus, tmp_path, capsys):
    stand_in(monkeypatch)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    output = tmp_path / "out.json"
    output.write_text("old", encoding="utf-8")
    monkeypatch.setattr(os, "fsync", full)
    assert main(["measure", str(corpus), "-o", str(output)]) == 7
    message = f"cannot write {output}: No space left on device; free space there, or name a place on another disk"
    assert capsys.readouterr().err == f"gamma-align: error: {message}\n"
    assert output.read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "units.csv"]


@pytest.mark.surfaces
def test_a_reader_that_stops_reading_is_no_error(corpus):
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(command("align", corpus, "--json"), stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.surfaces
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
def test_a_full_disk_behind_stdout_is_told(corpus):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command("align", corpus), stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 7
    assert done.stderr.decode().startswith("gamma-align: error: cannot write the result: No space left on device; free")


@pytest.mark.surfaces
def test_closed_stderr_does_not_spoil_stdout(tmp_path):
    program = 'exec "$0" -m gamma_align.apps.cli align "$1" --outside extend --json 2>&-'
    done = subprocess.run(
        ["/bin/sh", "-c", program, sys.executable, str(outside(tmp_path))],
        stdout=subprocess.PIPE,
        check=False,
    )
    assert done.returncode == 0
    assert len(loads(done.stdout)["documents"]) == 2


@pytest.mark.surfaces
def test_workers_need_no_stderr(corpus):
    program = 'exec "$0" -m gamma_align.apps.cli measure "$1" --samples 100 --jobs 2 --json 2>&-'
    done = subprocess.run(["/bin/sh", "-c", program, sys.executable, str(corpus)], stdout=subprocess.PIPE, check=False)
    assert done.returncode == 0
    assert loads(done.stdout)["documents"][0]["samples"] == 100


@pytest.mark.surfaces
def test_letters_of_any_script_in_any_locale(corpus):
    env = {
        **os.environ,
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
    }
    done = in_a_process("align", corpus, env=env)
    assert done.returncode == 0
    assert '<é, "日">' in done.stdout


def test_half_a_surrogate_pair_can_be_written(monkeypatch, corpus, tmp_path):
    stand_in(monkeypatch, notes=("\ud800",))
    output = tmp_path / "out.json"
    assert main(["measure", str(corpus), "--json", "--quiet", "-o", str(output)]) == 0
    assert loads(output.read_text(encoding="utf-8"))["notes"] == ["\ud800"]


# --- align ---


def test_align_json_has_the_promised_shape(corpus):
    done = run("align", corpus, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    data = loads(done.stdout)
    assert data["schema_version"] == 1
    assert [document["document"] for document in data["documents"]] == ["talk-1", "talk-2"]
    for document in data["documents"]:
        assert [type(document[name]) for name in ("disorder", "bound", "optimal", "gap")] == [
            float,
            float,
            bool,
            float,
        ]
        assert document["optimal"] is True
        for unitary in document["unitary_alignments"]:
            assert type(unitary["disorder"]) is float
            for unit in unitary["units"]:
                assert list(unit) == ["annotator", "start", "end", "category"]
    units = [unit for unitary in data["documents"][0]["unitary_alignments"] for unit in unitary["units"]]
    assert len(units) == 7
    together = [{unit["start"] for unit in row["units"]} for row in data["documents"][0]["unitary_alignments"]]
    assert sorted(map(sorted, together)) == [[0.0, 1.0], [12.0], [30.0]]


def test_align_prints_tables(corpus):
    done = run("align", corpus)
    assert (done.returncode, done.stderr) == (0, "")
    assert "document talk-1: 3 annotators, 7 units, 3 unitary alignments" in done.stdout
    assert "document talk-2: 3 annotators, 5 units" in done.stdout
    assert done.stdout.count("proven optimal") == 2
    assert re.search(r"1 +\d\.\d{4}  0–10 x +1–10 x", done.stdout)


def test_align_one_document_and_draw_it(corpus, tmp_path):
    picture = tmp_path / "talk.svg"
    done = run("align", corpus, "--document", "talk-2", "--svg", picture)
    assert (done.returncode, done.stderr) == (0, "")
    assert "talk-1" not in done.stdout
    root = ET.parse(picture).getroot()  # noqa: S314  (our own output)
    assert len([element for element in root.iter() if "data-unit" in element.attrib]) == 5
    assert "talk-2" in root.get("aria-label")


def test_a_picture_has_the_text_where_it_is_known_and_lanes_where_asked_for(tmp_path):
    picture = tmp_path / "fair.svg"
    chosen = ["align", CORPORA / "novels_ner", "--document", "VanityFair", "--svg", picture, "--quiet"]
    assert run(*chosen, "--from", "1816", "--to", "1900").returncode == 0
    with_text = picture.read_text(encoding="utf-8")
    assert ">write personally to the parents of her pupils; and it was " in with_text
    assert 'class="window"' in with_text
    assert run(*chosen, "--lanes", "--from", "1816", "--to", "1900").returncode == 0
    with_lanes = picture.read_text(encoding="utf-8")
    assert "write personally to the parents of her pupils; and it" not in with_lanes
    units = [set(re.findall(r'data-unit="(\d+)"', text)) for text in (with_text, with_lanes)]
    assert units[0] == units[1] != set()
    colours = [set(re.findall(r'fill="(#0072b2|#d55e00)"', text)) for text in (with_text, with_lanes)]
    assert colours[0] == colours[1] != set()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--from", "3"], "--lanes, --from and --to change the picture; name its file with --svg"),
        (["--lanes"], "name its file with --svg"),
        (["--from", "9", "--to", "3", "--svg", "x.svg"], "the window 9–3 must be a stretch of the extent"),
    ],
)
def test_what_cannot_be_drawn_is_refused(corpus, options, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(run("align", corpus, "--document", "talk-2", *options), 2, words)
    assert not (tmp_path / "x.svg").exists()


def test_a_picture_of_several_documents_names_the_choice(corpus, tmp_path):
    done = run("align", corpus, "--svg", tmp_path / "talk.svg")
    refused(done, 2, "choose it with --document: 'talk-1', 'talk-2'")
    assert not (tmp_path / "talk.svg").exists()


def test_an_unknown_document_names_the_choice(corpus):
    refused(run("align", corpus, "--document", "talk-3"), 2, "no document 'talk-3'; did you mean 'talk-")
    refused(run("align", corpus, "--document", "other"), 2, "no document 'other'; there are 'talk-1', 'talk-2'")


def aligned_alone(continuum, *, optimal):
    count = len(continuum)
    return Alignment(continuum, np.arange(count), np.ones(count), 2.0, 2.0 if optimal else 1.5, optimal)


@pytest.mark.parametrize(("limit", "code"), [(["--time-limit", "2"], 5), ([], 0)])
def test_align_not_proven_counts_only_within_a_limit_asked_for(monkeypatch, corpus, capsys, limit, code):
    monkeypatch.setattr(
        "gamma_align.requests.align.align", lambda continuum, **_: aligned_alone(continuum, optimal=False)
    )
    assert main(["align", str(corpus), "--json", *limit]) == code
    streams = capsys.readouterr()
    assert [document["gap"] for document in loads(streams.out)["documents"]] == [0.25, 0.25]
    assert ("2 of 2 documents not proven optimal after 2 s (largest gap 25.00%)" in streams.err) is (code == 5)


def test_align_of_nothing_is_not_available(monkeypatch, corpus, capsys):
    nothing = ga.Continuum.from_records([], annotators=["A", "B"], document="talk-1", extent=(0, 9))
    empty = Alignment(nothing, np.arange(0), np.ones(0), math.nan, math.nan, is_optimal=True)
    monkeypatch.setattr("gamma_align.requests.align.align", lambda *_, **__: empty)
    assert main(["align", str(corpus), "--document", "talk-1", "--json"]) == 4
    streams = capsys.readouterr()
    assert loads(streams.out)["documents"][0]["disorder"] is None
    assert streams.err == "gamma-align: error: nothing to align: there are no units\n"


def test_every_option_reaches_the_alignment(monkeypatch, corpus):
    calls = []

    def align(continuum, **settings):
        calls.append((continuum.document, settings))
        return aligned_alone(continuum, optimal=True)

    monkeypatch.setattr("gamma_align.requests.align.align", align)
    main(
        [
            "align",
            str(corpus),
            *["--alpha", "3", "--beta", "0", "--delta-empty", "0.5", "--time-limit", "7", "--soft", "--quiet"],
        ]
    )
    given = {
        "dissimilarity": ga.Dissimilarity(3.0, 0.0, 0.5),
        "limits": ga.Limits(time_limit=7.0),
        "alignment": "cover",
    }
    assert calls == [("talk-1", given), ("talk-2", given)]


# --- what the program says of itself ---


@pytest.mark.surfaces
def test_version():
    done = in_a_process("--version")
    words = "compiled kernels" if kernels.kind() == "compiled" else "plain Python kernels, not compiled"
    told = f"gamma-align {ga.__version__} ({words})\nprogrammes solved by OR-Tools\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, told, "")


@pytest.mark.surfaces
def test_version_says_which_kernels_are_used(monkeypatch):
    monkeypatch.setenv(kernels.VARIABLE, "python")
    version, _ = in_a_process("--version").stdout.splitlines()
    assert version == f"gamma-align {ga.__version__} (plain Python kernels, not compiled)"


def test_cite_names_the_papers_and_the_software():
    done = run("--cite")
    assert (done.returncode, done.stderr) == (0, "")
    entries = re.findall(r"^@(\w+)\{[\w-]+,$(.*?)^\}$", done.stdout, flags=re.MULTILINE | re.DOTALL)
    assert [kind for kind, _ in entries] == ["article", "article", "article", "software"]
    for word in (
        "10.1162/COLI_a_00227",
        "10.1162/COLI_a_00296",
        "10.1007/s11135-015-0266-1",
        "437--479",
        "661--681",
        "Widlöcher",
        ga.__version__,
    ):
        assert word in done.stdout
    assert done.stdout.count("{") == done.stdout.count("}")


# --- the categories matrix ---


def matrix_file(tmp_path, text):
    path = tmp_path / "matrix.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_matrix_is_read(tmp_path):
    matrix = read_matrix(matrix_file(tmp_path, '\ufeff,x, "y, z"\nx,0,0.25\n\n"y, z",0.25,0\n'))
    assert matrix.labels == ("x", "y, z")
    assert matrix.values == ((0.0, 0.25), (0.25, 0.0))


def test_a_matrix_reaches_the_measurement(monkeypatch, corpus, tmp_path):
    calls = []
    stand_in(monkeypatch, calls=calls)
    path = matrix_file(tmp_path, ",x,y\nx,0,0.25\ny,0.25,0\n")
    assert main(["measure", str(corpus), "--distance-matrix", str(path), "--alpha", "2"]) == 0
    assert (calls[0]["alpha"], calls[0]["distance"].labels) == (2.0, ("x", "y"))


MATRICES = {
    "empty": ("", r"matrix\.csv: the file is empty"),
    "no label": ("x\n", r"matrix\.csv:1: the first row must hold"),
    "label twice": (",x,x\nx,0,1\nx,1,0\n", r"matrix\.csv:1: the first row must hold"),
    "too few rows": (",x,y\nx,0,1\n", r"matrix\.csv:2: 1 rows for the 2 labels"),
    "other order": (",x,y\ny,0,1\nx,1,0\n", r"matrix\.csv:2: the row is labelled 'y', its column 'x'"),
    "short row": (",x,y\nx,0\ny,1,0\n", r"matrix\.csv:2: 1 numbers for 2 labels"),
    "a word": (
        ",x,y\nx,0,far\ny,1,0\n",
        r"matrix\.csv:2: 'far' in the column of 'y' is not a number of 0 or more",
    ),
    "nan": (",x,y\nx,0,1\ny,nan,0\n", r"matrix\.csv:3: 'nan' in the column of 'x'"),
    "infinite": (",x,y\nx,0,1\ny,inf,0\n", r"matrix\.csv:3: 'inf' in the column of 'x'"),
    "below 0": (",x,y\nx,0,1\ny,-1,0\n", r"matrix\.csv:3: '-1' in the column of 'x'"),
    "diagonal": (",x,y\nx,0,1\ny,1,0.5\n", r"matrix\.csv:3: 'y' against itself is 0\.5"),
    "asymmetric": (",x,y\nx,0,0.5\n\ny,0.25,0\n", r"matrix\.csv:4: 'y' against 'x' is 0\.25, but 0\.5"),
    "quotes": (',x\n"x,0\n', r"matrix\.csv:2: not CSV"),
}


@pytest.mark.parametrize("case", MATRICES)
def test_a_wrong_matrix_names_file_and_line(tmp_path, case):
    text, message = MATRICES[case]
    path = matrix_file(tmp_path, text)
    with pytest.raises(InputError, match=message):
        read_matrix(path)


def test_a_matrix_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_bytes(",é\né,0\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"matrix\.csv: not UTF-8 \(byte 1\)"):
        read_matrix(path)


def test_a_missing_matrix_is_invalid_input(corpus, tmp_path):
    refused(run("measure", corpus, "--distance-matrix", tmp_path / "no.csv"), 3, "cannot read", "no.csv")


def test_a_label_the_matrix_does_not_know_is_invalid_input(corpus, tmp_path):
    path = matrix_file(tmp_path, ",x,y\nx,0,0.25\ny,0.25,0\n")
    refused(run("measure", corpus, "--distance-matrix", path), 3, "does not have the category '<é, \"日\">'")


# --- the progress line ---


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("done", "total", "seconds", "words"),
    [
        (0, 100, 9.0, " 0 % (0 of 100)"),
        (25, 100, 0.1, " 25 % (25 of 100)"),
        (25, 100, 10.0, " 25 % (25 of 100, 30 s left)"),
        (100, 100, 10.0, " 100 % (100 of 100)"),
        (120, 100, 10.0, " 100 % (120 of 100)"),
    ],
)
def test_progress_words(done, total, seconds, words):
    bar, rest = progress_line(done, total, seconds)
    assert rest == words
    assert bar == "#" * bar.count("#") + "." * bar.count(".")
    assert len(bar) == 24
    assert bar.count("#") == min(24 * done // total, 24)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (3599.4, "59 min 59 s"),
        (3600, "1 h 00 min"),
        (7500, "2 h 05 min"),
    ],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


def test_progress_draws_ten_times_a_second_at_most_and_erases_itself(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    now = [0.0]
    with Progress(quiet=False, stream=stream, clock=lambda: now[0]) as progress:
        for done in range(100):
            now[0] += 0.01
            progress(done, 1000 if done < 50 else 10)  # the total may change, and lines get shorter
    drawn = [line for line in stream.getvalue().split("\r") if "%" in line]
    assert 8 <= len(drawn) <= 10
    assert screen(stream.getvalue()) == []
    assert stream.getvalue().endswith("\r")


@pytest.mark.parametrize("quiet", [False, True])
def test_progress_into_a_file_is_a_line_every_ten_seconds(quiet):
    stream = io.StringIO()
    now = [0.0]
    with Progress(quiet=quiet, stream=stream, clock=lambda: now[0]) as progress:
        for done in range(1, 26):
            now[0] += 1.0
            progress(done, 100)
    lines = ["gamma-align: 10 % (10 of 100, 1 min 30 s left)", "gamma-align: 20 % (20 of 100, 1 min 20 s left)"]
    assert stream.getvalue().splitlines() == ([] if quiet else lines)


def test_progress_is_no_wider_than_the_terminal(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(Progress, "_columns", lambda _: 30)
    stream = Terminal()
    ticks = iter(range(100))
    with Progress(quiet=False, stream=stream, clock=lambda: next(ticks)) as progress:
        progress(5, 1000)
    assert max(map(len, stream.getvalue().split("\r"))) == 29


def test_a_line_interrupted_half_way_is_erased_too():
    class Halfway(io.StringIO):
        stop = True

        def isatty(self):
            return True

        def flush(self):
            if self.stop:
                self.stop = False
                raise KeyboardInterrupt("Ctrl-C")

    ticks = iter(range(100))
    stream = Halfway()

    def draw():
        with Progress(quiet=False, stream=stream, clock=lambda: next(ticks)) as progress:
            progress(1, 10)

    with pytest.raises(KeyboardInterrupt, match="Ctrl-C"):
        draw()
    assert screen(stream.getvalue()) == []


def test_the_worst_documents_and_their_order(corpus):
    by_name, by_value, worst = (
        [line.split()[0] for line in run("measure", corpus, "--samples", 5, *options).stdout.splitlines()[3:5]]
        for options in ([], ["--sort", "value"], ["--worst", 1, "--sort", "value"])
    )
    assert sorted(by_value) == by_name
    assert worst[0] == by_value[0]
    by_value = run("measure", corpus, "--worst", 1, "--sort", "value", "--samples", 5).stdout
    assert "the document of the lowest γ; 1 left out" in by_value
    by_share = run("measure", corpus, "--worst", 1, "--samples", 5).stdout
    assert "the document with the largest share of the disorder; 1 left out" in by_share


def test_disagreements_show_the_words_of_a_known_text():
    done = run("align", CORPORA / "formats" / "ner" / "texts.jsonl", "--disagreements")
    assert done.returncode == 0
    assert "9–12 PER “Ben”" in done.stdout
    assert "0–4" not in done.stdout


def test_a_host_process_keeps_its_setting_of_the_garbage_collector(corpus):
    gc.disable()
    try:
        assert run("align", corpus).returncode == 0
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.surfaces
@pytest.mark.parametrize(
    "command",
    [
        ("measure",),
        ("evaluate",),
        ("evaluate", "--reference", "ann", "--measures", "spans,gamma,unitizing-alpha,diarization"),
        ("consensus",),
    ],
)
def test_smallest_corpus_takes_no_modules_that_are_not_needed(command, tmp_path):
    # together ten megabytes, which is a fifth of its memory, and as much of its time
    file = tmp_path / "small.csv"
    file.write_text("document,annotator,start,end,category\nd,ann,0,4,x\nd,bob,1,5,x\nd,ann,6,9,y\nd,bob,6,8,y\n")
    code = (
        "import sys; from gamma_align.apps.cli import main\n"
        f"main([*{command!r}, {str(file)!r}])\n"
        "costly = {'_hashlib', 'numpy.ma', 'numpy.random', 'scipy', 'ortools', 'zipfile', 'subprocess', 'pyarrow'}\n"
        "print(costly & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip().splitlines()[-1] == "set()"
