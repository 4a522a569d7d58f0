"""Clerical causes are repaired by name, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
from command_line import run
from made_corpora import MAKERS, Noise
from plants import PLANTS

import gamma_align as ga
from gamma_align.errors import SettingsError
from gamma_align.insight.causes.registry import CAUSES
from gamma_align.insight.disagreements.disagreements import fix_causes
from gamma_align.insight.disagreements.disagreements_options import CLERICAL
from gamma_align.measures.gamma.gamma_settings import GammaSettings

UNITS = [
    *(("d", "ann", start, start + 4, "x") for start in range(0, 400, 10)),
    *(("d", "bob", start, start + 4, "X") for start in range(0, 400, 10) for _ in range(2)),
]


def rows_of(corpus):
    return [(unit.annotator, unit.start, unit.end, unit.category) for unit in corpus["d"].units()]


def labels_of(corpus):
    return [corpus.categories[code] for code in corpus.category.tolist()]


def both_labels(original, repaired):
    return zip(labels_of(original), labels_of(repaired), strict=True)


def test_the_option_names_the_clerical_causes():
    assert tuple(dict.fromkeys(cause.name for cause in CAUSES if cause.is_clerical)) == CLERICAL


def test_only_causes_that_are_named_are_repaired():
    result = ga.disagreements(UNITS, samples=3)
    assert len(result.fix("duplicates").start) == 80
    assert result.fix("duplicates").categories == ("X", "x")
    both = result.fix("spelling", "duplicates")
    assert both.categories == ("X",)  # of labels used by one annotator each, the first in order
    assert rows_of(both) == [(name, start, start + 4, "X") for name in ("ann", "bob") for start in range(0, 400, 10)]
    assert any(note.startswith("duplicates: bob has 40 of 80 units twice") for note in both.notes)
    assert len(result.corpus.start) == 120  # the data stay as they are


def test_an_unknown_cause_is_refused():
    with pytest.raises(SettingsError, match="no clerical cause 'words'; choose from duplicates, "):
        ga.disagreements(UNITS, samples=3).fix("words")


REPAIRS = {  # plant, and the name of the repair
    "duplicates": "duplicates",
    "labels in lower case": "spelling",
    "other names for all labels": "spelling",
    "milliseconds": "scale",
    "words counted for characters": "scale",
    "3 late": "offset",
    "ends 1 short": "offset",
}


@pytest.mark.parametrize("name", REPAIRS)
def test_the_repair_restores_the_units(name):
    plant = next(plant for plant in PLANTS if plant.name == name)
    draft = MAKERS[plant.kinds[0]](np.random.default_rng(3), 2, 12, Noise())
    planted = plant.apply(draft, 1, 1.0, np.random.default_rng(0))
    corpus, original = planted.draft.corpus(), draft.corpus()
    repaired, changes = fix_causes(corpus, [REPAIRS[name]], GammaSettings.of())
    assert len(changes) == 1
    assert changes[0].startswith(f"{REPAIRS[name]}: ")
    assert changes[0] in repaired.notes
    assert repaired.texts == original.texts
    # Of two names of a label, either may be kept; a label that is too rare to have a known counterpart stays.
    names = dict(both_labels(original, repaired))
    is_named = [names[label] == repaired_label for label, repaired_label in both_labels(original, repaired)]
    assert np.mean(is_named) > 0.95
    assert (np.abs(repaired.start - original.start) < 1e-9).mean() > 0.95
    assert (np.abs(repaired.end - original.end) < 1e-9).mean() > 0.95
    assert corpus.n_units == planted.draft.corpus().n_units  # the data stay as they are


@pytest.mark.parametrize("name", REPAIRS)
def test_a_repair_of_another_name_changes_nothing(name):
    plant = next(plant for plant in PLANTS if plant.name == name)
    draft = MAKERS[plant.kinds[0]](np.random.default_rng(3), 2, 12, Noise())
    corpus = plant.apply(draft, 1, 1.0, np.random.default_rng(0)).draft.corpus()
    other = "spelling" if REPAIRS[name] == "duplicates" else "duplicates"
    repaired, changes = fix_causes(corpus, [other], GammaSettings.of())
    assert changes == ()
    assert repaired is corpus


def test_the_command_writes_the_repaired_corpus(tmp_path):
    source, target = tmp_path / "units.csv", tmp_path / "fixed.csv"
    lines = [",".join(map(str, row)) for row in UNITS]
    source.write_text("\n".join(["document,annotator,start,end,category", *lines]) + "\n", encoding="utf-8")
    done = run("disagreements", source, "--fix", "duplicates,offset", "-o", target, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "duplicates: bob has 40 of 80 units twice; repair: drops the copies",
        "offset: nothing to repair",
    ]
    assert ga.read(target).n_units == 80
    done = run("disagreements", source, "--fix", "duplicates")
    assert done.returncode == 2
    assert "--fix NAMES and -o OUT go together" in done.stderr
    done = run("disagreements", source, "--fix", "words", "-o", target)
    assert done.returncode == 2
