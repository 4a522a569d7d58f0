"""What γ of whole corpora costs, by default and with 30 samples: CPU, wall time, peak memory, what is proven.

And how much faster two jobs are, with work enough for them.

Run it with the Python gamma_align is installed for (with the extra `parquet`); see README.md next to it.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import processes
import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SEED = 1
THIRTY = ("--samples", "30")
LONG = 20.0  # CPU seconds above which a corpus is measured once
MEMORY = 1000  # MB


@dataclass
class Case:
    """A corpus, the CPU seconds that measuring it is to stay within, how it is measured, and what runs of it cost."""

    name: str
    limit: float | None
    options: tuple[str, ...] = ()
    runs: list[processes.Run] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    gap: float = 0.0
    gamma: str = ""
    problem: str = "ok"


EXTEND = ("--outside", "extend")  # some units end after the text, or the recording
# Every corpus of the repository by default; limits of CPU seconds are those that have been promised.
CASES = (
    Case("qamr", 60),
    Case("btc_crowd", 6),
    Case("hearst_kazantseva", 3),
    Case("toxic_spans", None, EXTEND),
    Case("salami", None),
    Case("novels_ner", None),
    Case("ami_diarization", 60, EXTEND),
    Case("dreem_sleep_dodh", None),
    Case("dreem_sleep_epochs", 100),
    Case("llm_span_d2t_iaa", 100, EXTEND),
    Case("pygamma", None),
    Case("qamr", 60, THIRTY),
    Case("btc_crowd", None, THIRTY),
    Case("hearst_kazantseva", None, THIRTY),
    Case("toxic_spans", 20, (*EXTEND, *THIRTY)),
    Case("salami", None, THIRTY),
    Case("novels_ner", None, THIRTY),
)
SLOW = (Case("dreem_sleep_epochs", 300, THIRTY),)  # only with --slow
JOBS = (
    Case("qamr", None),
    Case("qamr", None, ("--samples", "60")),
    Case("salami", None, ("--precision-of", "documents")),
    Case("dreem_sleep_dodh", None),
    Case("btc_crowd", None, ("--precision-of", "documents", "--precision", "0.03")),
    Case("hearst_kazantseva", None, ("--precision-of", "documents")),
    Case("btc_crowd", None, ("--samples", "600")),
    Case("hearst_kazantseva", None, ("--samples", "400")),
)


def main() -> int:
    arguments = _parser().parse_args()
    missing = {path.parent.name for path in (ROOT / "corpora").glob("*/units.parquet")} - {case.name for case in CASES}
    if missing:
        raise SystemExit(f"corpora that CASES does not name: {', '.join(sorted(missing))}")
    cases = (*CASES, *SLOW) if arguments.slow else CASES
    chosen = [case for case in cases if case.name in arguments.cases]
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    for case in chosen:
        _measure(case, arguments.repeat, arguments.timeout)
    jobs = [_in_jobs(case, arguments.repeat, arguments.timeout) for case in JOBS if case.name in arguments.cases]
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    table.write(arguments.output, _page(chosen, jobs, arguments, load, sources))
    return 0 if all(case.problem == "ok" for case in chosen) else 1


def _parser() -> argparse.ArgumentParser:
    names = list(dict.fromkeys(case.name for case in CASES))
    parser = argparse.ArgumentParser(
        description="Measure `gamma-align measure CORPUS` as whole processes; write tables.",
        epilog="exit codes: 0 every process ended well, with the same output each time; 1 not so; time is never judged",
    )
    parser.add_argument("--cases", nargs="+", choices=names, default=names, metavar="CORPUS", help=", ".join(names))
    parser.add_argument("--slow", action="store_true", help="30 samples of each sleep night, too: some minutes")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of what is not long (default: 3)")
    parser.add_argument(
        "--timeout", type=float, default=1800.0, metavar="SECONDS", help="on the clock, for one process (default: 1800)"
    )
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "corpora.md", metavar="FILE")
    return parser


def _measure(case: Case, repeat: int, timeout: float) -> None:
    """Run, and read what was written a line at a time: a child begins with the peak memory of its parent."""
    with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
        file = Path(scratch) / "result.csv"
        command = [sys.executable, "-P", "-m", "gamma_align.apps.cli", "measure", f"corpora/{case.name}", *case.options]
        command += ["--seed", str(SEED), "--quiet", "--csv", "--output", str(file)]
        outputs = set()
        while not case.runs or (len(case.runs) < repeat and case.runs[0].cpu <= LONG):
            case.runs.append(processes.run(command, ROOT, wall_limit=timeout))
            if case.runs[-1].code:
                stopped = f"stopped after {timeout:g} s"
                case.problem = stopped if case.runs[-1].stopped else f"exit code {case.runs[-1].code}"
                break
            _count(case, file)
            outputs.add((case.gamma, tuple(case.counts.items())))
        if len(outputs) > 1:
            case.problem = "not the same output each time"
    print(f"{case.name}: {median(run.cpu for run in case.runs):.2f} s CPU, {case.problem}", file=sys.stderr, flush=True)


def _in_jobs(case: Case, repeat: int, timeout: float) -> list[str]:
    """Measure with one job and with two, in turn; return a row of the least wall times and CPU times."""
    runs: dict[str, list[processes.Run]] = {"1": [], "2": []}
    for _ in range(repeat):
        for jobs, runs_of_jobs in runs.items():
            again = Case(case.name, None, (*case.options, "--jobs", jobs))
            _measure(again, 1, timeout)
            runs_of_jobs.extend(again.runs)
    one, two = (min(run.wall for run in runs_of_jobs) for runs_of_jobs in runs.values())
    cpu = [f"{min(run.cpu for run in runs_of_jobs):.2f}" for runs_of_jobs in runs.values()]
    return [_name(case), f"{one:.2f}", f"{two:.2f}", *cpu, f"{one / two:.2f}"]


def _name(case: Case) -> str:
    return case.name + (f" ({' '.join(case.options)})" if case.options else "")


def _count(case: Case, file: Path) -> None:
    documents = units = proven = 0
    case.gap = 0.0
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["level"] == "corpus":
                case.gamma = row["gamma"] or case.gamma
            if row["level"] != "document" or not row["units"]:
                continue
            documents += 1
            units += int(row["units"])
            proven += row["optimal"] == "true"
            case.gap = max(case.gap, float(row["gap"]))
    case.counts = {"documents": documents, "units": units, "proven": proven}


def _page(
    chosen: list[Case], jobs: list[list[str]], arguments: argparse.Namespace, load: list[float], sources: list[str]
) -> str:
    how = f"median of {arguments.repeat} runs without a warm-up, one run where it takes over {LONG:g} s"
    head = ("corpus", "documents", "units", "CPU s", "(min–max)", "limit s", "wall s", "peak MB", "limit kept")
    head += ("not proven", "largest gap", "γ", "output")
    lines = ["# γ of whole corpora", "", *table.about(arguments, load, sources, how)]
    lines += [
        f"- One process; without options the pooled γ is known to 2 %; peak memory is to stay within {MEMORY:,} MB."
    ]
    lines += [*(f"- {note}" for note in arguments.note), ""]
    lines += [table.line(head), table.line(["---"] + ["---:"] * (len(head) - 2) + ["---"])]
    lines += [table.line(_cells(case)) for case in chosen]
    lines += ["", "## Two jobs", "", "Whole processes, reading and printing included; least wall time.", ""]
    head = ("corpus", "one job, s", "two jobs, s", "one job: CPU s", "two jobs: CPU s", "times as fast")
    lines += [table.line(head), table.line(("---", *["---:"] * (len(head) - 1)))]
    lines += [table.line(row) for row in jobs]
    return "\n".join([*lines, "", "How to read this: [README](../README.md#whole-corpora).", ""])


def _cells(case: Case) -> list[str]:
    cpu = [run.cpu for run in case.runs]
    peak = median(run.peak for run in case.runs)
    within = (case.limit is None or median(cpu) <= case.limit) and peak <= MEMORY
    counts = case.counts or {"documents": 0, "units": 0, "proven": 0}
    return [
        _name(case),
        f"{counts['documents']:,}",
        f"{counts['units']:,}",
        f"{median(cpu):.2f}",
        f"{min(cpu):.2f}–{max(cpu):.2f}",
        "" if case.limit is None else f"{case.limit:g}",
        f"{median(run.wall for run in case.runs):.2f}",
        f"{peak:.0f}",
        "yes" if within and case.problem == "ok" else "**no**",
        f"{counts['documents'] - counts['proven']:,}",
        f"{case.gap:.2%}" if case.gap else "–",
        f"{float(case.gamma):.6f}" if case.gamma else "–",
        case.problem,
    ]


if __name__ == "__main__":
    raise SystemExit(main())
