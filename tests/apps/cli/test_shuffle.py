"""gamma-align shuffle, curve and plan, as people run them."""

import csv
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from command_line import run
from places import ROOT

import gamma_align as ga
from gamma_align.apps.cli import main
from gamma_align.apps.service.refusal import refusal_of
from gamma_align.errors import Cure, Set, SettingsError
from gamma_align.reading.write import write_new
from gamma_align.requests.shell import COMMAND_LINE

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def pilot(tmp_path_factory):
    """Six short documents of three annotators each, with errors of several kinds."""
    path = tmp_path_factory.mktemp("pilot") / "pilot"
    references = [
        ga.synthetic_reference(units=12, gap=6, gap_deviation=2, length_deviation=2, seed=seed, document=f"talk-{seed}")
        for seed in range(6)
    ]
    corpus = ga.shuffle(
        ga.Corpus.from_continua(references), magnitude=0.15, kinds=["shift", "false-negative", "category"], seed=1
    )
    write_new(corpus, path)
    return path


# --- shuffle


def test_units_go_to_stdout():
    done = run("shuffle", "--synthetic", 5, "-m", 0, "--gap-deviation", 2, "--annotators", 2)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    reference = ga.synthetic_reference(units=5, gap_deviation=2)
    assert (done.returncode, done.stderr) == (0, "")
    assert [row["annotator"] for row in rows] == ["1"] * 5 + ["2"] * 5
    assert [float(row["start"]) for row in rows] == reference.start.tolist() * 2


def test_the_tools_own_form_is_read_again():
    done = run("shuffle", "--synthetic", 5, "-m", 0.4, "--kinds", "shift,split", "--to", "tool")
    made = ga.shuffle(ga.synthetic_reference(units=5), magnitude=0.4, kinds=["shift", "split"])
    expected = [(unit.annotator, unit.category, unit.start, unit.end) for unit in made.units()]
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert [(a, c, float(s), float(e)) for a, c, s, e in rows] == expected


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet"])
def test_a_new_folder_holds_everything(tmp_path, form):
    arguments = ["--synthetic", 8, "-m", "0.2,0.6", "--repetitions", 2, "--kinds", "shift,category", "--seed", 4]
    done = run("shuffle", *arguments, "-o", tmp_path / "made", "--to", form)
    assert (done.returncode, done.stdout) == (0, "")
    assert "4 documents, 3 annotators, 96 units" in done.stderr
    reference = ga.synthetic_reference(units=8, seed=4)
    made = ga.shuffle_grid(reference, magnitudes=[0.2, 0.6], repetitions=2, kinds=["shift", "category"], seed=4).corpus
    found = ga.read(tmp_path / "made")
    assert found.documents == made.documents
    assert found.start.tolist() == made.start.tolist()
    assert found.extents.tolist() == made.extents.tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_a_corpus_is_a_reference(pilot):
    done = run("shuffle", pilot, "--annotator", "2", "-m", 0, "--annotators", 1)
    corpus = ga.read(pilot)
    assert len(done.stdout.splitlines()) - 1 == np.count_nonzero(corpus.annotator == 1)


def test_the_cure_of_an_ambiguous_reference_is_the_option_of_shuffling(pilot):
    process = run("shuffle", pilot, "-m", 0.5)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.endswith("; name the reference with --annotator\n")
    with pytest.raises(SettingsError, match=r"; name the reference with annotator=$") as raised:
        ga.shuffle(ga.read(pilot), magnitude=0.5)
    assert refusal_of(raised.value).cure == 'name the reference with the setting "annotator"'


def test_keywords_of_reading_and_of_shuffling_have_options_of_their_own():
    cure = Cure("{}, {}, {}", Set("annotator", "{folder}"), Set("annotators", ["a"]), Set("annotators", 2, "shuffle"))
    assert cure.render(COMMAND_LINE) == "--annotators-from '{folder}', --annotator a, --annotators 2"


def test_a_reference_of_a_tool_is_shuffled_into_the_tools_files(tmp_path):
    project = ROOT / "corpora/formats/brat/multi_annotator_project"
    options = ["--annotator", "Lisa", "-m", 0.4, "--kinds", "shift,category", "--to", "brat", "-o", tmp_path / "made"]
    done = run("shuffle", project, *options)
    assert (done.returncode, done.stdout) == (0, "")
    made = ga.shuffle(ga.read(project), annotator="Lisa", magnitude=0.4, kinds=["shift", "category"])
    found = ga.read(tmp_path / "made")
    assert (found.documents, found.annotators) == (made.documents, made.annotators)
    assert found.start.tolist() == made.start.tolist()
    assert found.texts == made.texts == ga.read(project).texts


def test_one_document_can_be_taken(pilot):
    corpus = ga.read(pilot)
    made = ["--document", "talk-3", "--annotator", "2", "-m", 0.4, "--to", "tool"]
    rows = run("shuffle", pilot, *made).stdout.splitlines()
    expected = ga.shuffle(corpus["talk-3"], annotator="2", magnitude=0.4)
    assert [float(row.split(",")[2]) for row in rows] == expected.start.tolist()
    wrong = run("shuffle", pilot, "--document", "talk-9", "--annotator", "2", "-m", 0.4)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "no document 'talk-9'; did you mean 'talk-" in wrong.stderr


def test_an_overlap_matrix_is_read(tmp_path):
    matrix = tmp_path / "similar.csv"
    matrix.write_text(",A,B\nA,0,1\nB,1,0\n")
    ours = ["--synthetic", 40, "--categories", "A,B", "--kinds", "category"]
    done = run("shuffle", *ours, "-m", 0.5, "--overlap-matrix", matrix)
    options = {"overlap_matrix": {"A": {"B": 1}, "B": {"A": 1}}, "kinds": ["category"]}
    made = ga.shuffle(ga.synthetic_reference(units=40, categories=["A", "B"]), magnitude=0.5, **options)
    assert [row["category"] for row in csv.DictReader(io.StringIO(done.stdout))] == [u.category for u in made.units()]
    matrix.write_text(",A,B\nA,0,x\n")
    broken = run("shuffle", *ours, "-m", 0.5, "--overlap-matrix", matrix)
    assert (broken.returncode, broken.stdout) == (3, "")
    assert "similar.csv:2: 'x' in the column of 'B' is not a number of 0 or more" in broken.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-m", "0.5"], 2, "exactly one reference"),
        (["-m", "2", "--synthetic", "5"], 2, "must be from 0 to 1 (0 is no errors), not 2"),
        (["-m", "0.5", "--synthetic", "5", "--kinds", "shifts"], 2, "'shifts' is not one of shift"),
        (["-m", "0.5", "--synthetic", "5", "--to", "parquet"], 2, "name it with -o"),
        (["-m", "0.5,1", "--synthetic", "5", "--to", "tool"], 2, "holds one document"),
        (["-m", "0.5", "no-such-file.csv"], 3, "no-such-file.csv"),
        (["-m", "0.5", "--synthetic", "5", "-o", "units.csv"], 3, "would lose the extents"),
        (["-m", "0.5", "--synthetic", "5", "-o", "nowhere/made"], 2, "there is no folder"),
        (["-m", "0.5", "--synthetic", "5", "--document", "a"], 2, "a synthetic reference is one document"),
        (["-m", "0.5", "--synthetic", "5", "--categories", "A,,B"], 2, "a category is missing in 'A,,B'"),
        (["-m", "0.5", "--synthetic", "5", "--categories", "A=1,A"], 2, "a category is named twice"),
        (["-m", "0.5", "--synthetic", "5", "--overlap-matrix", "no.csv"], 3, "error: cannot read no.csv"),
    ],
)
def test_wrong_use_is_refused_and_nothing_written(arguments, code, message, tmp_path):
    done = run("shuffle", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_use_is_left_as_it_is(tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "notes.txt").write_text("mine")
    done = run("shuffle", "--synthetic", 5, "-m", 0.5, "-o", tmp_path / "made")
    assert done.returncode == 2
    assert "the folder is not empty" in done.stderr
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["notes.txt"]


def test_writing_that_stops_halfway_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(corpus, path, *_, **__):
        Path(path).mkdir(exist_ok=True)
        (Path(path) / "units.parquet").write_bytes(corpus.start.tobytes())
        raise KeyboardInterrupt

    monkeypatch.setattr("gamma_align.reading.write._write_all", interrupted)
    assert main(["shuffle", "--synthetic", "5", "-m", "0.5", "-o", str(tmp_path / "made")]) == 130
    assert list(tmp_path.iterdir()) == []


# --- curve and plan


def test_the_curve_says_where_gamma_is(pilot, tmp_path):
    arguments = [pilot, "--samples", 30, "--repetitions", 2, "--magnitudes", "0,0.2,0.4,1", "--kinds", "shift,category"]
    done = run("curve", *arguments, "--json", "--svg", tmp_path / "curve.svg")
    found = json.loads(done.stdout)
    gamma = ga.gamma(ga.read(pilot), samples=30).gamma.value
    assert found["gamma"]["value"] == gamma
    assert [one["kinds"] for one in found["placements"]] == [["shift"], ["category"]]
    for place, curve in zip(found["placements"], found["curves"], strict=True):
        m, means = ([point[name] for point in curve["points"]] for name in ("magnitude", "mean"))
        assert means[0] == 1
        if place["magnitude"] is not None:
            assert np.interp(place["magnitude"], m, means) == pytest.approx(gamma)
        else:
            assert min(means) == place["least"] > gamma
    drawn = ET.parse(tmp_path / "curve.svg").getroot().iter(f"{SVG}path")  # noqa: S314  (our own output)
    assert [path.get("data-curve") for path in drawn if path.get("data-curve")] == ["move bounds", "confuse categories"]
    text = run("curve", *arguments).stdout
    assert re.search(r"move bounds +at m = 0\.\d\d", text)
    assert len(list(csv.reader(io.StringIO(run("curve", *arguments, "--csv").stdout)))) == 1 + 2 * 4


def test_a_curve_from_known_errors_finds_their_size():
    reference = ga.synthetic_reference(units=60, gap_deviation=4, length_deviation=3, seed=2)
    made = ga.shuffle(reference, magnitude=0.25, kinds=["false-negative"], seed=8)
    found = ga.curve(
        made,
        kinds=[("false-negative",)],
        magnitudes=(0, 0.1, 0.2, 0.3, 0.4),
        repetitions=3,
        samples=60,
    )
    assert found.placements[0].magnitude == pytest.approx(0.25, abs=0.06)


def test_the_plan_needs_fewer_documents_for_a_wider_interval(pilot):
    arguments = [pilot, "--samples", 10, "--repetitions", 3, "--annotators", "2,6"]
    narrow, wide = (json.loads(run("plan", *arguments, "--json", "--target-width", w).stdout) for w in (0.05, 0.1))
    for found, width in ((narrow, 0.05), (wide, 0.1)):
        for one in found["needed"]:
            plan = ga.plan(ga.read(pilot), target=width, samples=10, repetitions=3, annotators=[2, 6])
            assert plan.width(one["annotators"], one["documents_needed"]) <= width
            assert plan.width(one["annotators"], one["documents_needed"] - 1) > width
    deviations = [one["deviation"] for one in narrow["needed"]]
    assert deviations[0] > deviations[1]
    assert narrow["pilot_width"] == pytest.approx(narrow["gamma"]["high"] - narrow["gamma"]["low"])
    text = run("plan", pilot, "--samples", 2, "--repetitions", 2, "--annotators", 2, "--target-width", 0.1).stdout
    assert "width of the 95 % interval" in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["plan", "one.csv", "--target-width", "0.05"], 3, "one.csv: a pilot needs two documents"),
        (["plan", "one.csv", "--target-width", "2"], 2, "between 0 and 1"),
        (["curve", "alone.csv"], 3, "alone.csv: only one annotator: 'a', on 'alone'"),
        (["curve", "one.csv", "--magnitudes", "0.5,1"], 2, "first must be 0"),
    ],
)
def test_what_cannot_be_planned_or_placed_is_refused(arguments, code, message, tmp_path):
    (tmp_path / "one.csv").write_text("annotator,start,end,category\na,0,5,x\na,9,12,y\nb,1,5,x\n")
    (tmp_path / "alone.csv").write_text("annotator,start,end,category\na,0,5,x\n")
    done = run(*arguments, "--samples", 30, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [["curve"], ["plan", "--target-width", "0.1"]])
def test_a_time_limit_that_leaves_gaps_has_its_exit_code(command, tmp_path):
    reference = ga.synthetic_reference(units=30, gap=4, gap_deviation=3, seed=1)
    hard = ga.shuffle(reference, magnitude=0.9, annotators=9, kinds=["shift", "category"], seed=1)
    rows = [(name, unit.annotator, unit.start, unit.end, unit.category) for name in "ab" for unit in hard.units()]
    path = tmp_path / "hard.csv"
    write_new(ga.Corpus.from_records(rows), path, format="csv")
    quick = ["--time-limit", "1e-9", "--samples", 2, "--repetitions", 2]
    done = run(*command, path, *quick, *(["--magnitudes", "0,1", "--kinds", "shift"] if command == ["curve"] else []))
    assert done.returncode == 5
    assert "not proven optimal after 1e-09 s" in done.stderr
    assert done.stdout
