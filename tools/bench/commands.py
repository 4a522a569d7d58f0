"""Commands and calls of the documentation: CPU and wall time, peak memory, and number of random samples.

Run it with the Python gamma_align is installed for (with the extra `parquet`); see README.md next to it.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

import processes
import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LONG = 5.0  # CPU seconds above which a command runs once: the share of the start no longer matters
NIGHTS = 5

COMMANDS = {
    "measure corpora/pygamma/AlexPaulSuzan.csv --samples 30": (),
    "measure corpora/btc_crowd": (),
    "measure corpora/btc_crowd --precision-of documents": (),
    **{
        f"measure corpora/{corpus} --samples 2{solver}": ()
        for solver in ("", " --solver ortools")
        for corpus in ("novels_ner", "btc_crowd", "hearst_kazantseva")
    },
    f"measure corpora/dreem_sleep_epochs, {NIGHTS} nights": ("--document", "NIGHTS"),
    "measure corpora/qamr": (),
    "report corpora/qamr": (),
    "curve corpora/hearst_kazantseva": (),
    "reproduce mathet2017": (),
}
"""The commands of the table, each with options that are not shown."""

ALIGN = """
import time
import noisy
import gamma_align as ga

ga.align(noisy.continuum(2, 10, 0.3, 1))  # what is imported when it is needed
document = noisy.continuum({annotators}, {units}, 0.3, 1)
started = time.process_time()
alignment = ga.align(document)
assert alignment.is_optimal
print(time.process_time() - started)
"""
ALIGNED = ((2, 50_000), (3, 3_000), (10, 30), (20, 30))  # annotators and units, as in alignments.md


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure commands of the documentation; write a table.")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of a short command (default: 3)")
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "commands.md", metavar="FILE")
    arguments = parser.parse_args()
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    commands = [_command(name, options, arguments.repeat) for name, options in COMMANDS.items()]
    calls = [_align(*size, arguments.repeat) for size in ALIGNED]
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))

    how = f"median of {arguments.repeat}, one run of what takes over {LONG:g} s"
    lines = ["# Commands and calls of the documentation", "", *table.about(arguments, load, sources, how)]
    lines += [f"- {note}" for note in arguments.note]
    lines += ["", "## Commands, whole processes", ""]
    lines += [table.of_numbers(["command", "CPU s", "wall s", "peak MB", "samples for γ"], commands)]
    lines += ["## Calls in Python, without imports", ""]
    lines += [table.of_numbers(["call", "CPU s"], calls)]
    table.write(arguments.output, "\n".join([*lines, "How to read this: [README](../README.md#commands).", ""]))
    return 0


def _command(name: str, options: tuple[str, ...], repeat: int) -> list[str]:
    """Return the row of a command.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
        file = Path(scratch) / "output"
        words = [*name.partition(",")[0].split(), *options, "-o", str(file)]
        if words[0] == "measure":
            words += ["--csv"]
        nights = ",".join(_nights()) if "NIGHTS" in words else ""
        words = [nights if word == "NIGHTS" else word for word in words]
        runs = _runs([sys.executable, "-P", "-m", "gamma_align.apps.cli", *words], repeat)
        samples = _samples(file) if words[0] == "measure" else ""
    print(name, file=sys.stderr, flush=True)
    seconds = [f"{median(run.cpu for run in runs):.2f}", f"{median(run.wall for run in runs):.2f}"]
    return [name, *seconds, f"{median(run.peak for run in runs):.0f}", samples]


def _align(annotators: int, units: int, repeat: int) -> list[str]:
    """Return the row of a call of ``ga.align``."""
    script = ALIGN.format(annotators=annotators, units=units)
    runs = _runs([sys.executable, "-c", script], repeat, settings={"PYTHONPATH": str(HERE)})
    return [f"ga.align, {annotators} × {units:,}", f"{median(float(run.stdout) for run in runs):.2f}"]


def _runs(command: list[str], repeat: int, settings: dict[str, str] | None = None) -> list[processes.Run]:
    runs: list[processes.Run] = []
    while not runs or (len(runs) < repeat and runs[0].cpu <= LONG):
        runs.append(processes.run(command, ROOT, settings=settings))
        if runs[-1].code:
            raise RuntimeError(runs[-1].stderr)
    return runs


def _nights() -> list[str]:
    """Return the first nights of `dreem_sleep_epochs`, read in a process of its own.

    A process begins with the peak memory of its parent, so corpora are not read in this one.
    """
    script = f"import gamma_align as ga; print(*list(ga.read('corpora/dreem_sleep_epochs'))[:{NIGHTS}])"
    return processes.run([sys.executable, "-c", script], ROOT).stdout.split()


def _samples(file: Path) -> str:
    with file.open(encoding="utf-8", newline="") as lines:
        corpus = [row for row in csv.DictReader(lines) if row["level"] == "corpus" and not row["category"]]
    return f"{int(corpus[0]['gamma_samples']):,}"


if __name__ == "__main__":
    sys.exit(main())
