"""Clerical causes are repaired by name, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
from command_line import in_a_process
from judging import sized, view_of
from made_corpora import Noise, make_text
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


def test_the_option_names_the_clerical_causes():
    assert tuple(cause.name for cause in CAUSES if cause.is_clerical) == CLERICAL


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


@pytest.mark.parametrize("name", ["duplicates", "3 late"])
def test_the_repair_restores_the_units(name):
    draft = make_text(np.random.default_rng(3), 2, 12, Noise())
    plant = next(plant for plant in PLANTS if plant.name == name)
    planted = sized(plant, draft, view_of(draft).disorder, 1, 0.4, 0).planted
    kind = "duplicates" if name == "duplicates" else "offset"
    repaired, changes = fix_causes(planted.draft.corpus(), [kind], GammaSettings.of())
    original = draft.corpus()
    assert len(changes) == 1
    assert repaired.n_units == original.n_units
    assert (repaired.start == original.start).mean() > 0.95
    assert repaired.texts == original.texts


def test_the_command_writes_the_repaired_corpus(tmp_path):
    source, target = tmp_path / "units.csv", tmp_path / "fixed.csv"
    lines = [",".join(map(str, row)) for row in UNITS]
    source.write_text("\n".join(["document,annotator,start,end,category", *lines]) + "\n", encoding="utf-8")
    done = in_a_process("disagreements", source, "--fix", "duplicates,offset", "-o", target, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "duplicates: bob has 40 of 80 units twice; repair: drops the copies",
        "offset: nothing to repair",
    ]
    assert ga.read(target).n_units == 80
    done = in_a_process("disagreements", source, "--fix", "duplicates")
    assert done.returncode == 2
    assert "--fix NAMES and -o OUT go together" in done.stderr
    done = in_a_process("disagreements", source, "--fix", "words", "-o", target)
    assert done.returncode == 2
