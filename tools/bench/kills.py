"""Random kills of the command, its workers and a Dask scheduler: what is left, and whether the next run gives the same.

Each trial starts `gamma-align measure --work`, kills one process at a random moment, waits for the end, and counts what
is left: processes, files among the temporary ones, shared memory, unfinished files in the folder of work. If the
command did not end well, the same command runs again; its output must have the bytes of an undisturbed run. Linux only:
it reads /proc. Run it with the Python gamma_align is installed for (with the extra `dask`).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).resolve().parent / "results" / "kills.md"
CORPUS = ROOT / "corpora" / "btc_crowd"
PATIENCE = 120.0  # seconds until a process that lives on counts as left
MAX_RUNS = 4  # of the command, until it must have ended well
PROGRAM = """
import sys
from gamma_align.apps import cli
if __name__ == "__main__":
    cli._leave_on_signals()  # as the command does, before anything is imported
    from gamma_align.reading.work_folder import WorkFolder
    WorkFolder.seconds = 0.2  # between two saves: a run of some seconds has many
    sys.exit(cli.program())
"""
KINDS = {
    ("processes", "command", signal.SIGKILL): 8,
    ("processes", "command", signal.SIGTERM): 4,
    ("processes", "worker", signal.SIGKILL): 8,
    ("dask", "command", signal.SIGKILL): 3,
    ("dask", "command", signal.SIGTERM): 1,
    ("dask", "worker", signal.SIGKILL): 3,
    ("dask", "scheduler", signal.SIGKILL): 3,
}
"""Number of trials by backend, victim and signal."""


class Trial(NamedTuple):
    """What happened in a trial: exit codes of all runs, pieces kept when the process was killed, and what was left."""

    backend: str
    victim: str
    signal: str
    codes: tuple[int, ...]
    pieces: int
    processes: int
    files: int
    is_same: bool


def descendants(pid: int) -> list[int]:
    """Return the ids of all processes below a process."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (state := state_of(int(entry.name))) is not None:
            parents[int(entry.name)] = int(state[1])
    found = [pid]
    for parent in found:
        found += [child for child, its_parent in parents.items() if its_parent == parent]
    return found[1:]


def state_of(pid: int) -> list[str] | None:
    """Return state, parent and more of a process from /proc, None if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None


def is_alive(pid: int) -> bool:
    state = state_of(pid)
    return state is not None and state[0] != "Z"


def measure(folder: Path, samples: int, *options: str) -> subprocess.Popen[bytes]:
    """Start the command, which keeps its work in the folder and writes its result there."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    program = folder / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, str(program), "measure", str(CORPUS), "--samples", str(samples), "--json", "--quiet"]
    command += ["--work", str(folder / "work"), "-o", str(folder / "out.json"), *options]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Start a scheduler and two workers, each a process; yield its address and the three processes."""
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    scheduler = ["dask", "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    worker = ["dask", "worker", "--nthreads", "1", "--no-dashboard", "--no-nanny", "--death-timeout", "60"]
    worker += ["--scheduler-file", str(file), "--local-directory", str(folder / "cluster")]
    (folder / "cluster").mkdir(exist_ok=True)
    environment = {**os.environ, "DASK_TEMPORARY_DIRECTORY": str(folder / "cluster")}
    with contextlib.ExitStack() as stack:
        started = []
        for arguments in (scheduler, worker, worker):
            process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            started.append(process)
            while not file.exists():
                time.sleep(0.1)
        yield json.loads(file.read_text(encoding="utf-8"))["address"], started


@contextlib.contextmanager
def workers_of(backend: str, folder: Path) -> Iterator[tuple[list[str], list[subprocess.Popen[bytes]]]]:
    """Yield the options for a kind of workers, and the processes of the cluster if they are those of one."""
    if backend == "processes":
        yield ["--jobs", "2"], []
        return
    with cluster(folder) as (address, further):
        yield ["--dask", address], further


def trial(
    backend: str,
    victim: str,
    number: signal.Signals,
    folder: Path,
    chance: random.Random,
    plan: Plan,
    patience: float = PATIENCE,
) -> Trial:
    """Kill a process at a random moment, and run the command again until it ends well."""
    own_workers = ["--jobs", "2"]
    codes: list[int] = []
    with contextlib.ExitStack() as stack:
        options, further = stack.enter_context(workers_of(backend, folder))
        process = measure(folder, plan.samples, *options)
        pids, pieces = kill_at_random(process, victim, number, further, chance, plan.seconds[backend])
        codes.append(process.wait())
    left = wait_for_end(pids, patience)
    while codes[-1] != 0 and len(codes) < MAX_RUNS:
        codes.append(measure(folder, plan.samples, *own_workers).wait())
    out = folder / "out.json"
    is_same = out.exists() and out.read_bytes() == plan.expected
    return Trial(backend, victim, number.name, tuple(codes), pieces, left, len(files_left(folder)), is_same)


class Plan(NamedTuple):
    """The number of samples, the bytes of an undisturbed run, and how long it takes with each backend."""

    samples: int
    expected: bytes
    seconds: dict[str, float]


def kill_at_random(
    process: subprocess.Popen[bytes],
    victim: str,
    number: signal.Signals,
    further: list[subprocess.Popen[bytes]],
    chance: random.Random,
    seconds: float,
) -> tuple[list[int], int]:
    """Kill the victim; return the ids of all processes that must end, and the pieces of work that were kept then."""
    moment = time.monotonic() + chance.uniform(0.1, 1.0) * seconds
    pids: set[int] = set()
    while process.poll() is None and (time.monotonic() < moment or (victim == "worker" and not pids and not further)):
        pids.update(descendants(process.pid))
        time.sleep(0.02)
    below = [pid for pid in descendants(process.pid) if is_alive(pid)]
    pids.update(below)
    scheduler, *workers = [entry.pid for entry in further] or [0]
    targets = {"command": [process.pid], "worker": workers or below, "scheduler": [scheduler]}[victim]
    if targets and process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(targets), number)
    work = Path(process.args[process.args.index("--work") + 1])  # type: ignore[index, union-attr, call-arg]
    return [*pids], len([*work.glob("*.npz")])


def wait_for_end(pids: list[int], patience: float) -> int:
    """Wait for the end of processes, at most so many seconds; return the number of those that do not end."""
    end = time.monotonic() + patience
    while any(map(is_alive, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    return sum(map(is_alive, pids))


def files_left(folder: Path) -> list[Path]:
    """Return files that should not be there after a run that ended well."""
    unfinished = [path for path in (folder / "work").rglob("*") if path.suffix == ".tmp" or path.name == "set_aside"]
    return [*(folder / "temporary").iterdir(), *unfinished, *folder.glob(".*.tmp")]


def undisturbed(samples: int, backends: tuple[str, ...] = ("processes", "dask")) -> Plan:
    """Return the bytes of an undisturbed run, the same with all backends, and their times."""
    outputs, seconds = set(), {}
    for backend in backends:
        with tempfile.TemporaryDirectory() as name, workers_of(backend, Path(name)) as (options, _):
            start = time.monotonic()
            measure(Path(name), samples, *options).wait()
            seconds[backend] = time.monotonic() - start
            outputs.add((Path(name) / "out.json").read_bytes())
    (expected,) = outputs
    return Plan(samples, expected, seconds)


def page(trials: list[Trial], samples: int, seed: int) -> str:
    """Return the table of trials, by kind."""
    introduction = (
        f"`gamma-align measure corpora/btc_crowd --samples {samples} --jobs 2 --work DIR`, {len(trials)} kills, seed "
        f"{seed}. If a worker is killed, its tasks are done again and the command ends with 0; otherwise the same "
        "command runs again. *Left* are processes that live on, and temporary or unfinished files after the last run. "
        "*Pieces* are the files of finished work at the moment of the kill."
    )
    lines = [
        "# Kills at random moments",
        "",
        introduction,
        "",
        "| backend | killed | signal | kills | exit codes | pieces | processes left | files left | same bytes |",
        "| --- | --- | --- | ---: | --- | --- | ---: | ---: | ---: |",
    ]
    for backend, victim, number in KINDS:
        found = [row for row in trials if row[:3] == (backend, victim, number.name)]
        if not found:
            continue
        codes = Counter(row.codes[0] for row in found)
        shown = ", ".join(f"{code} ({count})" for code, count in sorted(codes.items()))
        pieces = sorted(row.pieces for row in found)
        lines.append(
            f"| {backend} | {victim} | {number.name} | {len(found)} | {shown} | {pieces[0]} – {pieces[-1]} "
            f"| {sum(row.processes for row in found)} | {sum(row.files for row in found)} "
            f"| {sum(row.is_same for row in found)} |"
        )
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of the trials of each kind")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)  # noqa: S311  (moments, no secrets)
    plan, trials = undisturbed(arguments.samples), []
    for (backend, victim, number), count in KINDS.items():
        for _ in range(max(round(count * arguments.share), 1)):
            with tempfile.TemporaryDirectory() as name:
                trials.append(trial(backend, victim, number, Path(name), chance, plan))
            print(*trials[-1], file=sys.stderr, flush=True)
    arguments.output.write_text(page(trials, arguments.samples, arguments.seed), encoding="utf-8")
    return int(any(row.processes or row.files or not row.is_same for row in trials))


if __name__ == "__main__":
    sys.exit(main())
