"""``gamma-align PATH``: the first look, what to type next, and pointers for words of other tools."""

from __future__ import annotations

import json
import shlex

import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga
from gamma_align.insight.look.look import models_among

THREE = CORPORA / "pygamma" / "AlexPaulSuzan.csv"
NOVELS = CORPORA / "novels_ner"
FEW = ("--samples", "3")


def commands_of(text):
    """Return the commands of a look to go on with."""
    return [line.split("  ")[1] for line in text.partition("\nNext\n")[2].splitlines() if "gamma-align" in line]


def test_a_path_in_place_of_a_command_is_looked_at():
    shown = run(NOVELS, *FEW)
    assert shown.returncode == 0
    assert shown.stdout == run("look", NOVELS, *FEW).stdout
    assert shown.stdout.startswith(f"novels_ner: {ga.look(NOVELS, samples=3).size}")


def test_the_commands_to_go_on_with_read_the_same_data(tmp_path):
    shown = run(NOVELS, *FEW, "--document", "Emma", "--quiet", "--json", "-o", tmp_path / "look.json")
    assert json.loads((tmp_path / "look.json").read_text())["size"].startswith("1 document")
    shown = run(NOVELS, *FEW, "--document", "Emma", "--fail-under", "gamma=0.1", "--quiet")
    commands = commands_of(shown.stdout)
    assert len(commands) in (2, 3)
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "gamma-align"
        if words[0] != "report":
            assert run(*words).returncode == 0
        assert words[2:] == [*FEW, "--document", "Emma"]


def test_items_are_looked_at(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text("item,r1,r2,r3\n1,x,x,y\n2,y,y,y\n3,x,x,x\n4,y,x,y\n", encoding="utf-8")
    shown = run(file)
    assert shown.returncode == 0
    assert "ratings.csv: 4 items, 3 coders, 2 labels" in shown.stdout
    (command,) = commands_of(shown.stdout)
    assert run(*shlex.split(command)[1:]).returncode == 0


def test_tables_of_items_are_one_if_their_coders_are_the_same(tmp_path):
    for night in (1, 2, 3):
        rows = "".join(f"{epoch},W,{'W' if epoch % (night + 1) else 'N1'}\n" for epoch in range(1, 9))
        (tmp_path / f"night{night}.csv").write_text(f"epoch,Kay,Lou\n{rows}", encoding="utf-8")
    files = sorted(tmp_path.glob("*.csv"))
    shown = run(*files)
    assert "night1.csv and 2 more: 24 items, 2 coders, 2 labels" in shown.stdout
    assert "interval over 3 groups of items, such as night1" in " ".join(shown.stdout.split())
    assert "24 items, 2 coders, 2 labels" in run(tmp_path).stdout
    (tmp_path / "night4.csv").write_text("epoch,Kay,Max\n1,W,W\n2,W,N1\n", encoding="utf-8")
    assert run(*files, tmp_path / "night4.csv").returncode == 3


@pytest.mark.parametrize(
    ("threshold", "code"), [("gamma=0.5", 0), ("gamma=0.99", 1), ("gamma-cat=0.99", 1), ("alpha=0", 4)]
)
def test_thresholds_are_of_what_is_shown(threshold, code):
    assert run(THREE, *FEW, "--fail-under", threshold).returncode == code


@pytest.mark.parametrize(
    ("words", "pointer"),
    [
        (["kappa"], "gamma-align items FILE"),
        (["gamma"], "gamma-align measure PATH"),
        (["help"], "gamma-align --help"),
        (["agreement"], "gamma-align PATH"),
        (["-q"], "--quiet"),
        (["-v"], "--version"),
        (["measure", THREE, "-q"], "--quiet"),
        (["measure", THREE, "--metric", "kappa"], "--coefficients"),
        ([THREE, "--gold", "Alex"], "evaluate PATH --reference NAME"),
        (["nowhere.csv"], "no file or folder"),
    ],
)
def test_words_of_other_tools_have_a_pointer(words, pointer):
    shown = run(*words)
    assert shown.returncode == 2
    assert shown.stdout == ""
    assert pointer in shown.stderr


def test_a_crowd_has_pairs_first_and_then_all_together(monkeypatch):
    monkeypatch.setattr("gamma_align.insight.look.crowds._MINUTES_COST_MIN", 0.0)
    crowd = CORPORA / "hearst_kazantseva"
    shown = run(crowd, *FEW)
    pairs, _, together = shown.stdout.partition("\n\n17 annotators")
    assert "in the middle" in pairs
    assert "γ" in together
    assert shown.stdout.count("mean γ") == 1
    part = run(crowd, *FEW, "--document", "hearst/stargazer")  # the corpus itself is no similar task
    assert part.stdout.count("in similar tasks") == 1
    assert "aligned together" in shown.stderr
    values = [row["name"] for row in json.loads(run(crowd, *FEW, "--json").stdout)["values"]]
    assert values == ["pairwise_gamma", "gamma"]


def test_models_among_a_crowd_are_placed_once(monkeypatch):
    monkeypatch.setattr("gamma_align.insight.look.crowds._MINUTES_COST_MIN", 0.0)
    placed = []

    def counted(data, models, settings):
        placed.append(models)
        return models_among(data, models, settings)

    monkeypatch.setattr("gamma_align.insight.look.look.models_among", counted)
    crowd = CORPORA / "hearst_kazantseva"
    model = ga.read(crowd).annotators[0]
    shown = json.loads(run(crowd, *FEW, "--model", model, "--json").stdout)
    assert [row["name"] for row in shown["values"]] == ["pairwise_gamma", "gamma"]
    assert [row["model"] for row in shown["models"]] == [model]
    assert placed == [(model,)]


def test_a_report_has_the_name_of_its_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "letters.csv"
    data.write_bytes(THREE.read_bytes())
    assert "letters.html" in run("report", "letters.csv", *FEW).stderr
    assert (tmp_path / "letters.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert run("report", "letters.csv", *FEW).returncode == 0  # a report is written again
    (tmp_path / "letters.html").write_text("my page", encoding="utf-8")
    assert run("report", "letters.csv", *FEW).returncode == 2
    assert (tmp_path / "letters.html").read_text(encoding="utf-8") == "my page"
    assert run("report", "-").returncode == 2
