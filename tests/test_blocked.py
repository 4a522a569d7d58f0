"""Twenty calls work without the packages and modules that a build for WebAssembly does not have."""

from __future__ import annotations

import subprocess
import sys

import pytest
from layers import PACKAGE
from places import CORPORA

pytestmark = pytest.mark.surfaces

BLOCKED = ("ortools", "networkx", "pandas", "pyarrow", "joblib", "resource", "fcntl")
CODE = f"""
import _thread, importlib.abc, sys

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {BLOCKED!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

def no_thread(*_, **__):
    raise RuntimeError("can't start new thread")

for name in {BLOCKED!r}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Finder())
_thread.start_new_thread = no_thread
import threading
threading._start_new_thread = no_thread
threading._start_joinable_thread = no_thread  # from Python 3.13 on

import pathlib
import gamma_align as ga
from gamma_align.apps.cli import main

table, segments, out = map(pathlib.Path, sys.argv[1:])
corpus = ga.read(table)
several = ga.Corpus.from_continua(
    [ga.shuffle(ga.synthetic_reference(units=20, categories=["x", "y"], seed=n, document=f"d{{n}}"), magnitude=0.3)
     for n in range(4)]
)
rows = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]]
CALLS = {{
    "read": lambda: ga.read(table),
    "validate": lambda: ga.validate(table),
    "gamma": lambda: ga.gamma(corpus, samples=20).gamma.value,
    "gamma of several documents": lambda: ga.gamma(several).gamma.value,
    "gamma of two annotators": lambda: ga.gamma(corpus.select(annotators=["Alex", "Paul"])).gamma.value,
    "soft gamma": lambda: ga.gamma(corpus, samples=5, alignment="cover").gamma.value,
    "unitizing alpha": lambda: ga.unitizing_alpha(corpus),
    "items": lambda: ga.item_agreement(rows)["alpha"].value,
    "krippendorff alpha": lambda: ga.krippendorff_alpha(rows),
    "evaluate": lambda: ga.evaluate(several, reference="1").systems,
    "pairwise F1": lambda: ga.pairwise_f1(several).mean["strict"].value,
    "segmentation": lambda: ga.evaluate(ga.read(segments), reference="coder1", measures="segmentation"),
    "consensus": lambda: ga.consensus(several).units,
    "disagreements": lambda: ga.disagreements(several, samples=5).disagreements,
    "report": lambda: ga.html_report(several, samples=5).html,
    "align": lambda: ga.align(corpus).to_dict(),
    "picture": lambda: main(["align", str(table), "--svg", str(out / "a.svg"), "-o", str(out / "a.json")]) == 0,
    "curve": lambda: ga.curve(several, repetitions=1, samples=4).placements,
    "shuffle": lambda: ga.shuffle(corpus, magnitude=0.2, annotator="Alex").n_units,
    "ceiling": lambda: ga.ceiling(several).score.low,
    "compare": lambda: ga.compare(several, several.drop(annotators="3"), samples=5),
    "write": lambda: ga.write(several, out / "units.jsonl", format="jsonl"),
    "measure": lambda: main(["measure", str(table), "--samples", "5", "-o", str(out / "m.json")]) == 0,
}}
for name, call in CALLS.items():
    print(name, flush=True)
    call()
"""


def test_calls_work_without_modules_that_need_not_exist(tmp_path):
    table = CORPORA / "pygamma" / "AlexPaulSuzan.csv"
    segments = PACKAGE / "apps" / "service" / "examples" / "hearst_kazantseva"
    command = [sys.executable, "-c", CODE, table, segments, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    assert len(done.stdout.splitlines()) >= 20
    assert {path.name for path in tmp_path.iterdir()} == {"a.svg", "a.json", "m.json", "units.jsonl"}
