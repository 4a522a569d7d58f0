"""Damage folders of work at random and resume from them: the same bytes, or a clear refusal.

Each folder is damaged in one to five ways (`tests/helpers/damaged_folders.py`), then `gamma-align measure --work` runs
as a process of its own, twice. Its output must be the bytes of an undamaged run with exit code 0, or it ends with an
error of the package and no output. Nothing may take long, and the folder may not grow. See README.md next to it.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import processes
import table

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "helpers"))

import damaged_folders

import gamma_align as ga

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "tools" / "bench" / "results" / "work_folders.md"
DOCUMENTS = 60  # of btc_crowd
WALL_LIMIT = 120.0  # seconds of a run that takes two: then it would never end
USAGE_ERROR = 2  # exit code of a refusal
# Small parts and a save after each task: dozens of pieces instead of three.
PROGRAM = (
    "import sys; from gamma_align.apps.cli import main; from gamma_align.measures.gamma import measure; "
    "from gamma_align.work import tasks; "
    "from gamma_align.reading.work_folder import WorkFolder; "
    "measure.PART_UNITS, WorkFolder.seconds, tasks._TASK_UNITS = 100, 0.0, 100; sys.exit(main(sys.argv[1:]))"
)


class Trial(NamedTuple):
    """One damaged folder: how it was damaged, and how the two runs ended."""

    ways: tuple[str, ...]
    outcome: str  # "silent", "said", "refused", or what is wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Damage folders of work, resume from them, and write a table.")
    parser.add_argument("--folders", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first folder; the next ones count on")
    parser.add_argument("--note", action="append", default=[], help="a remark for the page")
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT, metavar="FILE")
    arguments = parser.parse_args()
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
        trials = _trials(Path(scratch), arguments)
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    wrong = [trial for trial in trials if trial.outcome not in ("silent", "said", "refused")]
    for trial in wrong:
        print(*trial, file=sys.stderr)
    how = f"{DOCUMENTS} documents of btc_crowd, two runs for each folder, seeds from {arguments.seed}"
    head = ["way of damage", "folders", "same bytes", "of them without a warning", "refused", "wrong"]
    rows = [_row("all", trials)]
    rows += [_row(way, [trial for trial in trials if way in trial.ways]) for way in damaged_folders.DAMAGES]
    lines = ["# Damaged folders of work", "", *table.about(arguments, load, sources, how)]
    lines += [*(f"- {note}" for note in arguments.note), "", table.of_numbers(head, rows)]
    lines += ["How to read this: [README](../README.md#damaged-folders-of-work).", ""]
    table.write(arguments.output, "\n".join(lines))
    return 1 if wrong else 0


def _row(name: str, trials: list[Trial]) -> list[str]:
    counts = Counter(trial.outcome for trial in trials)
    same = counts["silent"] + counts["said"]
    numbers = (len(trials), same, counts["silent"], counts["refused"], len(trials) - same - counts["refused"])
    return [name, *map(str, numbers)]


def _trials(scratch: Path, arguments: argparse.Namespace) -> list[Trial]:
    corpus = ga.read(ROOT / "corpora" / "btc_crowd")
    first, second = scratch / "first", scratch / "second"
    ga.write(corpus.documents_between(0, DOCUMENTS), first)
    ga.write(corpus.documents_between(DOCUMENTS, 2 * DOCUMENTS), second)
    whole = _measure(first, scratch / "whole", 1)
    if whole.code != 0:
        sys.exit(f"an undamaged folder fails: {whole.stderr}")
    _measure(first, scratch / "other seed", 2)
    _measure(second, scratch / "other data", 1)
    others = [scratch / "other seed", scratch / "other data"]
    trials = []
    for seed in range(arguments.seed, arguments.seed + arguments.folders):
        folder = scratch / f"{seed}"
        shutil.copytree(scratch / "whole", folder)
        ways = tuple(damaged_folders.damage(folder, others, random.Random(seed)))  # noqa: S311
        n_files = len([*folder.rglob("*")]) + len(damaged_folders.pieces(scratch / "whole"))
        outcomes = [_outcome(_measure(first, folder, 1), whole.stdout) for _ in range(2)]
        outcome = outcomes[0]
        if outcomes[1] not in ("silent", outcome) or (outcome == "said" and outcomes[1] == "said"):
            outcome = f"first {outcome}, then {outcomes[1]}"
        if len([*folder.rglob("*")]) > n_files + 2:  # a folder `set_aside`, and the manifest
            outcome = f"the folder has grown to {len([*folder.rglob('*')])} files"
        trials.append(Trial(ways, outcome))
        print(seed, *trials[-1], file=sys.stderr, flush=True)
        shutil.rmtree(folder)
    return trials


def _measure(corpus: Path, folder: Path, seed: int) -> processes.Run:
    options = ["--samples", "3", "--seed", str(seed), "--json", "--work", str(folder)]
    return processes.run([sys.executable, "-c", PROGRAM, "measure", str(corpus), *options], corpus.parent, WALL_LIMIT)


def _outcome(run: processes.Run, whole: str) -> str:
    """Return how a run ended: "silent" and "said" with the bytes of an undamaged one, or "refused"."""
    if run.stopped:
        return f"stopped after {WALL_LIMIT:g} s"
    if "Traceback" in run.stderr:
        return f"traceback: {run.stderr[-200:]}"
    if run.code == USAGE_ERROR and not run.stdout and "error: " in run.stderr:
        return "refused"
    if run.code == 0 and run.stdout == whole:
        return "said" if "is set aside" in run.stderr or "is written again" in run.stderr else "silent"
    return f"exit {run.code}, {'the same' if run.stdout == whole else 'another'} output: {run.stderr[-200:]}"


if __name__ == "__main__":
    sys.exit(main())
