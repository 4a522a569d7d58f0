"""What Python measures without a reference, and the older αU, on the command line: the same values in every form."""

from __future__ import annotations

import csv
import io
import json

import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga

HEARST = CORPORA / "hearst_kazantseva"
THREE = CORPORA / "pygamma" / "AlexPaulSuzan.csv"
SEGMENTATION = ("evaluate", HEARST, "--measures", "segmentation")
OLDER = ("measure", THREE, "--coefficients", "unitizing-alpha-2004")


def as_json(value):
    return json.loads(json.dumps(value))


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ((), {}),
        (("--near", 3, "--atom", 2), {"near": 3, "atom": 2.0}),
        (("--boundary-types",), {"types": True}),
    ],
)
def test_segmentation_of_pairs_is_that_of_python(options, settings):
    printed = run(*SEGMENTATION, *options, "--json")
    assert (printed.returncode, json.loads(printed.stdout)) == (
        0,
        as_json(ga.segmentation(ga.read(HEARST), **settings).to_dict()),
    )


def test_tables_of_segmentation_have_all_pairs_and_their_mean():
    result = ga.segmentation(ga.read(HEARST))
    rows = [*csv.DictReader(io.StringIO(run(*SEGMENTATION, "--csv").stdout))]
    assert [(row["reference"], row["system"], float(row["p_k"])) for row in rows[:-1]] == [
        (score.reference, score.system, score.p_k.value) for score in result.scores
    ]
    assert (rows[-1]["level"], float(rows[-1]["window_diff"])) == ("mean", result.mean["window_diff"].value)
    text = run(*SEGMENTATION).stdout
    assert f"{result.mean['p_k'].value:.4f}" in text
    assert "WindowDiff" in run(*SEGMENTATION, "--latex").stdout


def test_means_of_segmentation_have_thresholds():
    assert run(*SEGMENTATION, "--fail-under", "b=0.01,s=0.01").returncode == 0
    assert run(*SEGMENTATION, "--fail-under", "b=0.99").returncode == 1
    assert run(*SEGMENTATION, "--fail-under", "strict-f1=0.5").returncode == 2


@pytest.mark.parametrize("measures", ["spans,segmentation", "segmentation,gamma", "diarization"])
def test_other_measures_are_refused_with_the_cure(measures):
    refused = run("evaluate", HEARST, "--measures", measures)
    assert refused.returncode == 2
    assert "--reference" in refused.stderr or "name one of them" in refused.stderr


def test_older_alpha_is_that_of_python():
    documents = ga.unitizing_alpha_2004(ga.read(THREE))
    printed = json.loads(run(*OLDER, "--json").stdout)
    assert printed["documents"] == as_json([document.to_dict() for document in documents])
    rows = [*csv.DictReader(io.StringIO(run(*OLDER, "--csv").stdout))]
    assert [(row["level"], row["category"], float(row["alpha"])) for row in rows] == [
        ("document", "", documents[0].alpha.value),
        *(("category", category.category, category.alpha.value) for category in documents[0].categories),
    ]
    text = run(*OLDER).stdout
    assert f"{documents[0].alpha.value:.4f}" in text
    assert "αU" in text


def test_older_alpha_without_a_value_says_why(tmp_path):
    table = tmp_path / "one.csv"
    table.write_text("document,annotator,start,end,category\nd,ann,0,1,x\nd,bob,0,1,x\n", encoding="utf-8")
    result = run("measure", table, "--coefficients", "unitizing-alpha-2004")
    assert (result.returncode, "NA" in result.stdout) == (4, True)
    assert "αU is not available" in result.stderr


@pytest.mark.parametrize(
    "options",
    [("--pairs",), ("--cite",), ("--plot", "x.pdf"), ("--work", "x"), ("--fail-under", "gamma=0.5"), ("--worst", 2)],
)
def test_options_without_meaning_for_older_alpha_are_refused(options):
    assert run(*OLDER, *options).returncode == 2


def test_older_alpha_stands_alone():
    refused = run("measure", THREE, "--coefficients", "gamma,unitizing-alpha-2004")
    assert (refused.returncode, "name it alone" in refused.stderr) == (2, True)
    assert run("compare", THREE, THREE, "--coefficients", "unitizing-alpha-2004").returncode == 2
