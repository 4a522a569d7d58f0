"""Jobs as people bring them, from files as they are: one command each gives the answer."""

from __future__ import annotations

import json
import random

import pytest
from command_line import run

import gamma_align as ga

NAMES = ("Berlin", "Aunt Rosa", "the mayor", "Sophie", "Dr. Klein", "the captain")
KINDS = ("PLACE", "PERSON", "PERSON", "PERSON", "PERSON", "PERSON")
STAGES = ("W", "N1", "N2", "N3", "R")


def letters(folder, n=6):
    """Write letters, and return the names in each with their places."""
    draw = random.Random(4)  # noqa: S311
    folder.mkdir()
    found = {}
    for number in range(n):
        text, places = "", []
        for _ in range(14):
            name = draw.randrange(len(NAMES))
            text += "In the evening "
            places.append((len(text), name))
            text += f"{NAMES[name]} left, and nobody said a word. "
        (folder / f"letter{number}.txt").write_text(text, encoding="utf-8")
        found[f"letter{number}"] = places
    return found


def test_two_students_quote_names_in_a_spreadsheet(tmp_path):
    draw = random.Random(5)  # noqa: S311
    rows = ["Student,Text,Snippet,Category"]
    for letter, places in letters(tmp_path / "texts").items():
        for _, name in places:
            quote = NAMES[name]  # Tom leaves out places, and "the" of persons
            rows.append(f"Lea,{letter},{quote},{KINDS[name]}")
            if name or draw.random() > 0.5:
                rows.append(f"Tom,{letter},{quote.removeprefix('the ')},{KINDS[name]}")
    (tmp_path / "both.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    shown = run(tmp_path / "both.csv", "--texts", tmp_path / "texts", "--samples", 3)
    assert shown.returncode == 0, shown.stderr
    assert "6 documents, 2 annotators" in shown.stdout
    assert "Lea includes “the” at the start of units; Tom does not" in " ".join(shown.stdout.split())


def nights(n=6, epochs=60):
    """Return the stages of three scorers by night."""
    draw = random.Random(6)  # noqa: S311
    stage, result = 0, {}
    for night in range(1, n + 1):
        rows = []
        for _ in range(epochs):
            stage = draw.randrange(5) if draw.random() < 0.2 else stage
            rows.append([STAGES[draw.randrange(5) if draw.random() < 0.1 else stage] for _ in range(3)])
        result[night] = rows
    return result


@pytest.mark.parametrize("form", ["all", "night by night", "a stage a line"])
def test_three_scorers_of_six_nights(tmp_path, form):
    folder = tmp_path / "files"
    folder.mkdir()
    scored = nights()
    if form == "all":
        lines = [
            f"{night},{row + 1},{','.join(stages)}" for night in scored for row, stages in enumerate(scored[night])
        ]
        (folder / "all.csv").write_text("night,epoch,Kay,Lou,Max\n" + "\n".join(lines) + "\n", encoding="utf-8")
        paths = [folder / "all.csv"]
    elif form == "night by night":
        for night, rows in scored.items():
            lines = [f"{row + 1},{','.join(stages)}" for row, stages in enumerate(rows)]
            (folder / f"night{night}.csv").write_text("epoch,Kay,Lou,Max\n" + "\n".join(lines) + "\n", encoding="utf-8")
        paths = sorted(folder.glob("*.csv"))
    else:
        for night, rows in scored.items():
            for column, scorer in enumerate(("Kay", "Lou", "Max")):
                lines = "".join(f"{stages[column]}\n" for stages in rows)
                (folder / f"night{night}_{scorer}.txt").write_text(lines, encoding="utf-8")
        paths = [folder]
    data = json.loads(run(*paths, "--json").stdout)
    assert data["size"] == "360 items, 3 coders, 5 labels"
    kappa = next(row["value"] for row in data["values"] if row["name"] == "kappa")
    table = ga.ItemTable.from_matrix([row for rows in scored.values() for row in rows])
    assert kappa["value"] == pytest.approx(float(ga.item_coefficient(table, "kappa")))
    assert "interval over 6 groups of items" in data["values"][0]["remark"]
    assert kappa["low"] < kappa["value"] < kappa["high"]


def test_a_model_beside_three_people(tmp_path):
    draw = random.Random(7)  # noqa: S311
    rows = {"people": [], "model": []}
    for document in range(12):
        for place in range(0, 300, 12):
            for who, share in (("Ana", 0.8), ("Bo", 0.8), ("Cy", 0.8), ("gpt-x", 1.0)):
                if draw.random() < share:
                    rows["model" if who == "gpt-x" else "people"].append(f"d{document},{who},{place},{place + 5},PER")
    for name, lines in rows.items():
        text = "doc_id,annotator,start,end,label\n" + "\n".join(lines) + "\n"
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    shown = run(tmp_path / "people.csv", tmp_path / "model.csv", "--model", "gpt-x", "--samples", 3)
    words = " ".join(shown.stdout.split())
    assert shown.returncode == 0, shown.stderr
    assert "3 annotators" in words
    assert "gpt-x is nearer to the people than all three are to each other" in words
    assert "12 documents allow it to be nearer than" in words


def test_a_second_guideline(tmp_path):
    draw = random.Random(8)  # noqa: S311
    for name, confused in (("v1", 0.5), ("v2", 0.05)):
        lines = ["document,annotator,start,end,label"]
        for document in range(15):
            for place in range(0, 200, 10):
                label = draw.choice(["LOC", "ORG", "PER"])
                other = draw.choice(["LOC", "ORG"]) if draw.random() < confused else label
                lines += [
                    f"t{document},ann,{place},{place + 4},{label}",
                    f"t{document},ben,{place},{place + 4},{other}",
                ]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = run("compare", tmp_path / "v1.csv", tmp_path / "v2.csv", "--samples", 3)
    assert shown.returncode == 0, shown.stderr
    sentence = next(line for line in shown.stdout.splitlines() if line.startswith("γ of "))
    assert " is higher than that of " in sentence
    assert sentence.endswith(").")
