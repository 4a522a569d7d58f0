"""The published JSON Schema holds for what the commands print, and for nothing else."""

from __future__ import annotations

import json
import runpy

import pytest
from command_line import run
from jsonschema import Draft202012Validator, ValidationError
from places import CORPORA, ROOT

import gamma_align as ga

SCHEMA = json.loads((ROOT / "gamma_align" / "apps" / "output.schema.json").read_text(encoding="utf-8"))
THREE = CORPORA / "pygamma" / "AlexPaulSuzan.csv"
NOVELS = CORPORA / "novels_ner"
QUICK = ("--samples", "2")
SEGMENTS = ("--measures", "segmentation")
CALLS = {
    "measure": [
        (NOVELS, *QUICK),
        (THREE, *QUICK, "--conventions", "authors"),
        (THREE, *QUICK, "--pairs"),
        (NOVELS, "--coefficients", "unitizing-alpha"),
        (NOVELS, *QUICK, "--coefficients", "gamma,unitizing-alpha"),
    ],
    "compare": [
        (NOVELS, *QUICK, "--first", "user1,user2", "--second", "user2,user3", "--coefficients", "gamma,unitizing-alpha")
    ],
    "look": [
        (NOVELS, *QUICK),
        (NOVELS, *QUICK, "--model", "user3"),
        (CORPORA / "hearst_kazantseva", *QUICK),
        (CORPORA / "items" / "dreem_dodh_epochs.parquet",),
    ],
    "families": [(THREE, *QUICK)],
    "disagreements": [(NOVELS, *QUICK), (THREE, *QUICK, "--leave-one-out")],
    "evaluate": [
        (NOVELS, *QUICK, "--reference", "user3", "--cases", "label,missed", "--map-labels"),
        (THREE, "--reference", "Alex", "--measures", "diarization"),
        (CORPORA / "hearst_kazantseva", "--reference", "coder1", "--document", "hearst/stargazer", *SEGMENTS),
        (CORPORA / "hearst_kazantseva", "--measures", "segmentation"),
        (THREE,),
    ],
    "consensus": [(NOVELS,), (NOVELS, "--weigh", "dawid-skene")],
    "align": [(THREE,)],
    "replace": [(CORPORA / "llm_span_d2t_iaa", "--model", "zeroshot-*", "--margin", "0.1")],
    "ceiling": [(NOVELS, "--by-label"), (NOVELS, "--model", "user3")],
    "shuffle": [(THREE, "--annotator", "Alex", "-m", "0.5", "--quiet")],
    "validate": [(NOVELS,), (CORPORA / "formats" / "brat" / "multi_annotator_project",)],
    "items": [
        (
            CORPORA / "items" / "dreem_dodh_epochs.parquet",
            "--coefficients",
            "alpha,kappa",
            "--by-category",
            "--by-pair",
        ),
        (CORPORA / "items" / "dreem_dodh_epochs.parquet", "--coefficients", "alpha", "--judges", "scorer_5"),
    ],
    "curve": [(CORPORA / "pygamma" / "3by100.csv", *QUICK, "--kinds", "shift", "--magnitudes", "0,0.5")],
    "plan": [(NOVELS, *QUICK, "--target-width", "0.1", "--repetitions", "2")],
}


def test_the_file_is_what_the_tool_writes():
    tool = runpy.run_path(str(ROOT / "tools" / "schema" / "make.py"))
    assert tool["FILE"].read_text(encoding="utf-8") == tool["text"]()


def validator(command):
    return Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{command}"}]})


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(("command", "arguments"), [(name, call) for name, calls in CALLS.items() for call in calls])
def test_a_command_prints_what_the_schema_says(command, arguments):
    done = run(command, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    validator(command).validate(printed)
    for key in [key for key in printed if key in SCHEMA["$defs"][command].get("required", ["schema_version"])]:
        with pytest.raises(ValidationError):
            validator(command).validate({name: value for name, value in printed.items() if name != key})
    with pytest.raises(ValidationError):
        validator(command).validate({**printed, "unheard of": 1})


def test_the_fates_of_units_are_in_the_schema(tmp_path):
    corpus = ga.read(NOVELS).select(documents=["Emma", "Dracula"])
    ga.write(corpus, tmp_path / "old")
    ga.write(corpus.rename(documents={"Emma": "E"}).drop(annotators="user3"), tmp_path / "new")
    done = run("compare", tmp_path / "old", tmp_path / "new", "--units", "--json")
    assert done.returncode == 1
    printed = json.loads(done.stdout)
    assert printed["changed"]
    validator("unit_changes").validate(printed)


def test_rounds_are_in_the_schema(tmp_path):
    corpus = ga.read(NOVELS)
    for name, documents in (("one", 6), ("two", 8), ("three", 3)):
        ga.write(corpus.select(documents=corpus.documents[:documents]), tmp_path / name)
    done = run("compare", *(tmp_path / name for name in ("one", "two", "three")), *QUICK, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["retests"]
    validator("rounds").validate(printed)


def test_problems_are_in_the_schema_too(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text("document,annotator,start,end,category\nd,a,4,1,x\nd,b,0,1,x\n", encoding="utf-8")
    printed = json.loads(run("validate", path, "--json").stdout)
    assert printed["problems"]
    validator("validate").validate(printed)


def test_a_plan_of_a_difference_and_a_look_are_in_the_schema_too(tmp_path):
    for name, other in (("first", "user2"), ("second", "user3")):
        run("convert", NOVELS, tmp_path / name, "--annotator", f"user1,{other}")
    plan = run("plan", tmp_path / "first", tmp_path / "second", *QUICK, "--power", "0.5", "--json")
    validator("plan").validate(json.loads(plan.stdout))
    look = run("follow", tmp_path, *QUICK, "--once", "--json", "--work", tmp_path / "work", "--document", "Emma")
    validator("follow").validate(json.loads(look.stdout))
