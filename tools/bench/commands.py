"""Commands and calls of the documentation: CPU and wall time, peak memory, and number of random samples.

With ``--corpora``, what evaluation, consensus, disagreements and report of each corpus cost beside its γ.

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


REFERENCES = {
    "pygamma": "annotator_1",
    "hearst_kazantseva": "an1",
    "novels_ner": "user1",
    "btc_crowd": "w0069",
    "salami": "annotator4",
    "dreem_sleep_dodh": "scorer_1",
    "toxic_spans": "w0001",
    "qamr": "w60",
    "ami_diarization": "ref_kaldi",
    "llm_span_d2t_iaa": "human0",
    "dreem_sleep_epochs": "scorer_1",
}
"""The corpora of ``--corpora``, and of each the annotator with the most documents, who is the reference."""
ALL_MEASURES = "spans,gamma,unitizing-alpha,diarization"
COVERED = ("hearst_kazantseva", "dreem_sleep_dodh", "dreem_sleep_epochs")  # units do not overlap: segmentation, too
OF_CORPORA = {
    "measure": ("measure",),
    "evaluate, F1 of every two": ("evaluate",),
    "evaluate, all measures": ("evaluate", "--reference", "REFERENCE", "--measures", "MEASURES", "--gaps", "segments"),
    "consensus": ("consensus", "--csv"),
    "disagreements": ("disagreements",),
    "report": ("report",),
}
"""The commands of ``--corpora`` by their names in the table."""


def main() -> int:
    arguments = _parser().parse_args()
    if arguments.corpora is not None:
        return _beside_gamma(arguments)
    if arguments.output is None:
        arguments.output = HERE / "results" / "commands.md"
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Measure commands of the documentation; write a table.")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of a short command (default: 3)")
    names = ", ".join(REFERENCES)
    parser.add_argument(
        "--corpora", nargs="*", choices=[*REFERENCES], metavar="CORPUS", help=f"commands beside γ; of {names}"
    )
    parser.add_argument(
        "--timeout", type=float, default=1800.0, metavar="SECONDS", help="of --corpora: on the clock (default: 1800)"
    )
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: below results")
    return parser


def _beside_gamma(arguments: argparse.Namespace) -> int:
    """Measure the commands of corpora in turn, write their table, and return the exit code."""
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    rows: list[list[str]] = []
    for corpus in arguments.corpora or REFERENCES:
        rows += _commands_of(corpus, arguments)
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    how = f"median of {arguments.repeat} rounds over the commands of a corpus, one if γ takes over {LONG:g} s"
    lines = ["# Commands beside γ", "", *table.about(arguments, load, sources, how)]
    lines += [*(f"- {note}" for note in arguments.note), ""]
    lines += ["## Ratios to γ", "", _ratios(rows), "## CPU and memory", ""]
    head = ["corpus", "command", "CPU s", "peak MB", "× γ"]
    lines += [table.line(head), table.line(["---", "---", "---:", "---:", "---:"]), *map(table.line, rows)]
    output = arguments.output or HERE / "results" / "commands_of_corpora.md"
    table.write(output, "\n".join([*lines, "", "How to read this: [README](../README.md#commands).", ""]))
    return 1 if any("failed" in row[2] for row in rows) else 0


def _ratios(rows: list[list[str]]) -> str:
    """Return a table with a row for each corpus: CPU seconds of γ, and the other commands relative to it."""
    names = [name for name in OF_CORPORA if name != "measure"]
    ratios = []
    for corpus in dict.fromkeys(row[0] for row in rows):
        values = {name: (cpu, ratio) for row_corpus, name, cpu, _, ratio in rows if row_corpus == corpus}
        ratios.append([corpus, values["measure"][0], *(values[name][1] for name in names)])
    return table.of_numbers(["corpus", "γ, CPU s", *(f"{name} / γ" for name in names)], ratios)


def _commands_of(corpus: str, arguments: argparse.Namespace) -> list[list[str]]:
    """Return the rows of a corpus; the commands run in turn, so that other load meets all of them alike."""
    measures = ALL_MEASURES + (",segmentation" if corpus in COVERED else "")
    words = {"REFERENCE": REFERENCES[corpus], "MEASURES": measures}
    runs: dict[str, list[processes.Run]] = {name: [] for name in OF_CORPORA}
    with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
        for number in range(arguments.repeat):
            if number and runs["measure"][0].cpu > LONG:
                break
            for name, (command, *options) in OF_CORPORA.items():
                chosen = [words.get(word, word) for word in options]
                full = [sys.executable, "-P", "-m", "gamma_align.apps.cli", command, f"corpora/{corpus}", *chosen]
                full += [
                    "--outside",
                    "extend",
                    "--quiet",
                    "-o",
                    str(Path(scratch) / f"{len(runs[name])}-{command}{len(options)}"),
                ]
                runs[name].append(processes.run(full, ROOT, wall_limit=arguments.timeout))
    gamma = median(run.cpu for run in runs["measure"])
    print(f"{corpus}: γ {gamma:.2f} s", file=sys.stderr, flush=True)
    return [[corpus, name, *_costs(runs[name], gamma, arguments.timeout)] for name in OF_CORPORA]


def _costs(runs: list[processes.Run], gamma: float, timeout: float) -> list[str]:
    """Return CPU seconds, peak memory, and CPU relative to γ; what failed has no figures."""
    failed = next((run for run in runs if run.code), None)
    if failed is not None:
        return [f"stopped after {timeout:g} s" if failed.stopped else f"failed: {failed.stderr.strip()}", "–", "–"]
    cpu = median(run.cpu for run in runs)
    return [f"{cpu:.2f}", f"{median(run.peak for run in runs):.0f}", f"{cpu / gamma:.2f}"]


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
